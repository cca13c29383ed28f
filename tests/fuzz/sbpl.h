/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/sbpl.h - read and evaluate a profile of Seatbelt: the last rule
 * that matches decides. Whatever our profiles do not have aborts.
 */
#pragma once

#include <regex.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

struct sbpl_form {
	const char *word; /* a symbol or a string; NULL: a list */
	bool quoted;	  /* a string */
	const struct sbpl_form *items;
	size_t n;
};

struct sbpl_reader {
	struct arena *arena;
	const char *at;
};

static inline struct sbpl_form sbpl_read_string(struct sbpl_reader *r)
{
	char *text = arena_alloc(r->arena, strlen(r->at) + 1), *to = text;

	demand(text);
	for (r->at++; *r->at != '"'; r->at++) {
		demand((unsigned char)*r->at >= ' ' && *r->at != 0x7f);
		if (*r->at == '\\') {
			r->at++;
			demand(*r->at == '"' || *r->at == '\\');
		}
		*to++ = *r->at;
	}
	r->at++;
	return (struct sbpl_form){ .word = text, .quoted = true };
}

static inline void sbpl_skip(struct sbpl_reader *r)
{
	for (;;) {
		r->at += strspn(r->at, " \t\n");
		if (*r->at != ';')
			return;
		r->at += strcspn(r->at, "\n");
	}
}

static inline struct sbpl_form sbpl_read_word(struct sbpl_reader *r)
{
	size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyz-*0123456789_"
				 "AFINUX");
	struct sbpl_form form = { .word = arena_strndup(r->arena, r->at, n) };

	demand(n > 0 && form.word);
	r->at += n;
	return form;
}

static inline struct sbpl_form sbpl_read(struct sbpl_reader *r, int depth)
{
	struct sbpl_form list = { 0 }, *items = NULL;
	size_t room = 0;

	demand(depth < 8);
	for (;;) {
		sbpl_skip(r);
		if (*r->at == (depth ? ')' : '\0')) {
			r->at += depth > 0;
			list.items = items;
			return list;
		}
		items = arena_room(r->arena, items, list.n, &room,
				   sizeof *items);
		demand(items);
		if (*r->at == '(') {
			r->at++;
			items[list.n] = sbpl_read(r, depth + 1);
		} else {
			items[list.n] = *r->at == '"' ? sbpl_read_string(r) :
							sbpl_read_word(r);
		}
		list.n++;
	}
}

static inline bool sbpl_is(const struct sbpl_form *form, const char *word)
{
	return form->word && !form->quoted && streq(form->word, word);
}

static inline bool sbpl_matches(const struct sbpl_form *filter,
				const char *path)
{
	const struct sbpl_form *kind = &filter->items[0];
	const char *text;
	regex_t regex;
	bool found;
	size_t n;

	demand(filter->n >= 2);
	/* Sockets, terminals and processes are not paths. */
	if (sbpl_is(kind, "remote") || sbpl_is(kind, "local") ||
	    sbpl_is(kind, "target") || sbpl_is(kind, "socket-domain") ||
	    sbpl_is(kind, "require-all"))
		return false;
	demand(filter->n == 2 && filter->items[1].quoted);
	text = filter->items[1].word;
	if (sbpl_is(kind, "literal"))
		return streq(text, path);
	if (sbpl_is(kind, "subpath")) {
		demand(text[0] == '/');
		n = streq(text, "/") ? 0 : strlen(text);
		return strncmp(path, text, n) == 0 &&
		       (path[n] == '/' || !path[n]);
	}
	demand(sbpl_is(kind, "regex"));
	demand(starts_with(text, "^/") || starts_with(text, "^(/"));
	demand(regcomp(&regex, text, REG_EXTENDED | REG_NOSUB) == 0);
	found = regexec(&regex, path, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

/* True if the operations of a rule have this one. */
static inline bool sbpl_is_about(const struct sbpl_form *rule,
				 const char *operation)
{
	for (size_t i = 1; i < rule->n && rule->items[i].word; i++) {
		const char *word = rule->items[i].word;
		size_t n = strlen(word);

		demand(!rule->items[i].quoted);
		if (streq(word, operation) || streq(word, "default") ||
		    (ends_with(word, "*") &&
		     strncmp(word, operation, n - 1) == 0))
			return true;
	}
	return false;
}

static inline bool sbpl_allows(const struct sbpl_form *profile,
			       const char *operation, const char *path)
{
	for (size_t i = profile->n; i-- > 0;) {
		const struct sbpl_form *rule = &profile->items[i];
		bool any = true;

		if (!sbpl_is_about(rule, operation))
			continue;
		for (size_t k = 1; k < rule->n; k++) {
			if (rule->items[k].word)
				continue;
			any = sbpl_matches(&rule->items[k], path);
			if (any)
				break;
		}
		if (any)
			return sbpl_is(&rule->items[0], "allow");
	}
	return false;
}
