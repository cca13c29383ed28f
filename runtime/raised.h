/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/raised.h - who calls us must have the rights that we have. */
#pragma once

/*
 * An error if this program was given rights that its caller lacks, by set-user-ID,
 * set-group-ID or capabilities of its file: the caller's words, environment and
 * files are trusted, so it would lend these rights to anybody.
 */
int raised_refuse(void);
