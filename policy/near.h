/* SPDX-License-Identifier: Apache-2.0 */
/* policy/near.h - find annotations with a misspelled prefix of ours. */
#pragma once

#include <stdbool.h>

/*
 * Whether its prefix differs from ours by a letter, by case or by order:
 * io.sandlok.KEY, IO.Sandlock.KEY, sandlock.io/KEY, WEB.io.sandlock.KEY.
 */
bool near_is_ours(const char *annotation);
