/* SPDX-License-Identifier: Apache-2.0 */
/* base/flag.h - the values of flags that are true or false. */
#pragma once

#include <stdbool.h>

/* "true" or "false"; NULL, which means that none was given, is true. */
int flag_value(const char *name, const char *value, bool *ret);
/*
 * A flag has no value, and next (NULL: none) is the word behind it. A value
 * is given with "=" only: as a word of its own it would be the program that
 * is run, or a container's name.
 */
int flag_check_next(const char *name, const char *next);
