/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/glob.h - patterns of paths, bytewise, dotfiles included.
 *
 * In a component "*" matches any bytes, "?" one byte, "[a-z]" and "[!a-z]" one
 * of a set, and a backslash quotes the next byte. The component "**" matches
 * any number of components, at the end at least one. A "[" without "]" matches
 * itself.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct strings;

#define POLICY_GLOB_MAX 10000

bool policy_is_glob(const char *pattern);
/* Convert text to the pattern that matches only this text, and back. */
const char *policy_glob_quote(struct arena *arena, const char *text);
const char *policy_glob_unquote(struct arena *arena, const char *pattern);

/* True if a component is "**": all directories below are walked. */
bool policy_glob_is_deep(const char *pattern);
/* Return the path itself, or the directory above its first wildcard. */
const char *policy_glob_start(struct arena *arena, const char *pattern);

/*
 * List the existing matches below root, as absolute paths in it, sorted. Links
 * are followed, inside root, only before the first component with a wildcard.
 * Unreadable directories and too long paths are skipped; more than
 * POLICY_GLOB_MAX matches are an error.
 */
int policy_glob_expand(struct arena *arena, int root, const char *pattern,
		       struct strings *ret);
/*
 * Like policy_glob_expand, but fail if an unreadable directory may contain a
 * match.
 */
int policy_glob_find_all(struct arena *arena, int root, const char *pattern,
			 struct strings *ret);
/*
 * Like policy_glob_expand, and list the directories that may contain more
 * matches: they are too deep, or the caller may enter but not list them. A
 * directory is read only if it can contain a match.
 */
int policy_glob_search(struct arena *arena, int root, const char *pattern,
		       struct strings *ret, struct strings *ret_closed);
