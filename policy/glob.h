/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/glob.h - patterns of paths, bytewise, dotfiles included.
 *
 * In a component "*" is any bytes, "?" one byte, "[a-z]" and "[!a-z]" one of a
 * set, and a backslash takes the next byte as it is. The component "**" is any
 * number of components, at the end at least one. A "[" without its "]" is
 * itself.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct strings;

#define POLICY_GLOB_MAX 10000

bool policy_is_glob(const char *pattern);
/* The pattern that matches only this text; the text of such a pattern. */
const char *policy_glob_quote(struct arena *arena, const char *text);
const char *policy_glob_unquote(struct arena *arena, const char *pattern);

/* The path itself, or the directory above its first wildcard. */
const char *policy_glob_start(struct arena *arena, const char *pattern);

/*
 * What is there now below root, as absolute paths in it, sorted. Links are
 * followed, inside root, only before the first component with a wildcard. What
 * may not be read, or has no path that is short enough, matches nothing; more
 * than POLICY_GLOB_MAX is an error.
 */
int policy_glob_expand(struct arena *arena, int root, const char *pattern,
		       struct strings *ret);
/* The same, but a directory that may contain a match must be readable. */
int policy_glob_find_all(struct arena *arena, int root, const char *pattern,
			 struct strings *ret);
/*
 * The same, and the directories that may contain matches that we cannot find:
 * they are too deep, or the caller may enter but not list them.
 */
int policy_glob_search(struct arena *arena, int root, const char *pattern,
		       struct strings *ret, struct strings *ret_closed);
