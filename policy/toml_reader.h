/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml_reader.h - declarations for the files of the TOML parser. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "policy/toml.h"

struct toml_reader {
	struct arena *arena;
	const char *text; /* clean, see toml_clean */
	const char *at;
	const char *counted; /* `line` is the line of this position */
	unsigned line;
};

/* One part of a dotted key. */
struct toml_key {
	const char *name;
	const char *at;
	struct toml_key *next;
};

/* What a later part of the text may still add to a table or array. */
enum toml_origin {
	TOML_BY_VALUE,	 /* nothing: it is complete */
	TOML_BY_PATH,	 /* [a.b] made a: anything, once */
	TOML_BY_HEADER,	 /* [a]: tables below it */
	TOML_BY_DOTS,	 /* a.b = 1: more of these, tables below it */
	TOML_BY_HEADERS, /* [[a]]: more of them */
};

struct toml_node {
	struct toml_value value;
	enum toml_origin origin;
	unsigned depth;
	struct toml_node *last;	     /* newest member */
	struct toml_node *index;     /* members by the hash of their keys */
	struct toml_node *branch[4]; /* of the index that this is in */
};

/* Record "line N, column M: reason" for the character at this position. */
int toml_fail(const struct toml_reader *r, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Return a copy that ends in NUL and has none before, is UTF-8, and has no
 * control characters but tabs and newlines; all newlines are "\n".
 */
int toml_clean(struct arena *arena, const char *text, size_t len,
	       const char **ret);
/*
 * Parse the string that begins with a quote at r->at; lines: allow several
 * lines.
 */
int toml_string(struct toml_reader *r, bool lines, const char **ret_text,
		size_t *ret_len);
/* Parse a value of one word: a number, a boolean, a date or a time. */
int toml_word(struct toml_reader *r, struct toml_value *ret);
bool toml_is_time(const char *word);
int toml_time(const struct toml_reader *r, const char *word,
	      struct toml_value *ret);

/* Add a last member, with a key if parent is a table. */
int toml_add(struct toml_reader *r, struct toml_node *parent,
	     const struct toml_key *key, struct toml_node **ret);
/* Add an empty value for a dotted key in a table. */
int toml_add_pair(struct toml_reader *r, struct toml_node *table,
		  const struct toml_key *key, struct toml_node **ret);
/* Return the table of [key] or, with many, a new one for [[key]]. */
int toml_add_table(struct toml_reader *r, struct toml_node *root,
		   const struct toml_key *key, bool many,
		   struct toml_node **ret);
