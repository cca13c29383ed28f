/* SPDX-License-Identifier: Apache-2.0 */
/* policy/near.h - find annotations with a misspelled io.sandlock prefix. */
#pragma once

#include <stdbool.h>

/*
 * True if the prefix differs from ours by a letter, by case or by order:
 * io.sandlok.KEY, IO.Sandlock.KEY, sandlock.io/KEY, WEB.io.sandlock.KEY.
 */
bool near_is_ours(const char *annotation);
