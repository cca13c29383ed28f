/* SPDX-License-Identifier: Apache-2.0 */
/* base/flag.h - values of boolean flags. */
#pragma once

#include <stdbool.h>

/* Parse "true" or "false"; NULL, for a flag without a value, is true. */
int flag_value(const char *name, const char *value, bool *ret);
/*
 * Check the word after a flag without a value (NULL: none). A value needs "=":
 * a separate word would be taken for the program or for a container's name.
 */
int flag_check_next(const char *name, const char *next);
