/* SPDX-License-Identifier: Apache-2.0 */
/* confine/seatbelt_parts.h - what the files of the generator share. */
#pragma once

#include <stdbool.h>

#include "base/text.h"
#include "confine/seatbelt.h"

struct seatbelt {
	struct arena *arena;
	const struct policy *policy;
	const struct seatbelt_facts *facts;
	struct text out;
	struct strings writable; /* filters of what may be written */
	struct strings roots;	 /* paths that may be written, and all below */
	bool wild;		 /* a pattern may be written as well */
	bool any_host;		 /* a rule of the network has the host "*" */
};

/*
 * Quote a text as a string of the profile. Control bytes and text that is not
 * UTF-8 are refused, because no string of a profile is known to carry them.
 */
int seatbelt_quote(struct arena *arena, const char *text, const char **ret);
struct seatbelt_match {
	bool fold;	  /* letters match in either case, */
	size_t fold_from; /* from this byte of the pattern on */
	bool alone;	  /* nothing below the path matches */
};

/*
 * Convert a pattern of policy/glob.h to a quoted regular expression that
 * matches its paths and all below them.
 */
int seatbelt_regex(struct arena *arena, const char *pattern,
		   struct seatbelt_match how, const char **ret);

/*
 * Put a rule for all filters; no rule if there are none, because a rule without
 * filters applies to everything.
 */
void seatbelt_put_rule(struct seatbelt *s, const char *head,
		       const struct strings *filters);
/*
 * Get the path without links on the Mac of the facts; NULL elsewhere, and for a
 * missing path unless missing: then its directory is resolved.
 */
int seatbelt_resolve(const struct seatbelt *s, const char *path, bool missing,
		     const char **ret);
bool seatbelt_is_at_or_below(const char *path, const char *dir);
/* Add a text to a list that does not have it; NULL is -ENOMEM. */
int seatbelt_add(struct arena *arena, struct strings *list, const char *text);
int seatbelt_add_filter(struct arena *arena, const char *kind, const char *path,
			struct strings *ret);
/* Add the path, and its other name if a link of every Mac leads to it. */
int seatbelt_add_names(struct arena *arena, const char *path,
		       struct strings *ret);
/* Add a filter for a plain path and all below it, under both of its names. */
int seatbelt_add_subpath(struct arena *arena, const char *path,
			 struct strings *ret);

/* What an item of a list matches. */
struct seatbelt_paths {
	bool denial;
	bool optional;
	struct strings filters;
	struct strings paths; /* plain ones, under all their names */
	bool wild;	      /* it has patterns */
};

/* Find what the items of a list match, each a path, a pattern or a preset. */
int seatbelt_find_paths(struct seatbelt *s, const char *key,
			const struct strings *items, bool denial,
			struct seatbelt_paths *ret);
int seatbelt_add_path(struct seatbelt *s, const char *path,
		      struct seatbelt_paths *m);
bool seatbelt_may_write(const struct seatbelt *s, const char *path);
int seatbelt_deny_any_case(struct seatbelt *s, const char *pattern, bool alone,
			   struct strings *ret);

int seatbelt_put_files(struct seatbelt *s);
int seatbelt_put_denials(struct seatbelt *s);
int seatbelt_put_network(struct seatbelt *s);
