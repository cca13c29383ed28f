/* SPDX-License-Identifier: Apache-2.0 */
/* policy/profile_builtin.h - the profiles of contrib/profiles in the program. */
#pragma once

struct profile_builtin {
	const char *name;
	const char *text; /* TOML; the first line says what it is for */
};

/* Sorted, with a NULL name at the end; the makefile makes the table. */
extern const struct profile_builtin profile_builtins[];

/* Return the profile of this name, or NULL. */
const struct profile_builtin *profile_builtin_find(const char *name);
