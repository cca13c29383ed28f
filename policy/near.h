/* SPDX-License-Identifier: Apache-2.0 */
/* policy/near.h - annotations that look as if they were meant for us. */
#pragma once

#include <stdbool.h>

/*
 * Whether its prefix differs from ours by a letter, by case or by order:
 * io.sandlok.KEY, IO.Sandlock.KEY, sandlock.io/KEY, WEB.io.sandlock.KEY.
 */
bool near_is_ours(const char *annotation);
