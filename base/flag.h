/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/flag.h - parse flags of a command line, and options that another room
 * defines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct nearest;

/* Parse "true" or "false"; NULL, for a flag without a value, is true. */
int flag_value(const char *name, const char *value, bool *ret);
/*
 * Check the word after a flag without a value (NULL: none). A value needs "=":
 * a separate word would be the program or a container's name.
 */
int flag_check_next(const char *name, const char *next);

/*
 * Options that the table of a command lacks. The parser of the command line
 * passes a name with its dashes ("--memory", "-m"), len bytes long, to find(),
 * and the value to take().
 */
struct flag_owner {
	/* Return the id for take(), or -1: no such option. */
	int (*find)(const char *name, size_t len, bool *ret_is_switch);
	/*
	 * shown: the name for messages; value: NULL for a switch without a
	 * value.
	 */
	int (*take)(void *user, int id, const char *shown, const char *value);
	/* Compare all names with one that find() does not know; or NULL. */
	void (*suggest)(struct nearest *nearest);
	void *user;
};
