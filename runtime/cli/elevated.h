/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/elevated.h - refuse to run with more rights than the caller has. */
#pragma once

/*
 * Fail if set-user-ID, set-group-ID or file capabilities gave this program
 * rights that its caller lacks. We trust the caller's arguments, environment
 * and files, so any caller could use these rights.
 */
int elevated_refuse(void);
