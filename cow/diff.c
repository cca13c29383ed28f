/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cow/diff.c - the difference of two texts, by E. Myers's greedy algorithm ("An
 * O(ND) Difference Algorithm and Its Variations", 1986).
 */
#include "cow/diff.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"

#define CONTEXT 3
/* Texts that differ in more lines are shown as replaced from there on. */
#define MOST_EDITS 1500
#define HASH_START 2166136261U
#define HASH_FACTOR 16777619U

struct line {
	const char *text;
	size_t len; /* with its newline */
	uint32_t hash;
	bool changed; /* deleted, or added */
};

struct lines {
	struct line *items;
	size_t n;
};

bool diff_is_binary(const struct diff_text *text)
{
	return text->len > 0 && memchr(text->bytes, '\0', text->len) != NULL;
}

static size_t line_length(const char *at, size_t left)
{
	const char *end = memchr(at, '\n', left);

	return end ? (size_t)(end - at) + 1 : left;
}

static int split(struct arena *arena, const struct diff_text *text,
		 struct lines *ret)
{
	size_t n = 0, len;

	for (size_t at = 0; at < text->len; at += len, n++)
		len = line_length(text->bytes + at, text->len - at);
	ret->items = arena_array(arena, n + 1, sizeof *ret->items);
	if (!ret->items)
		return -ENOMEM;
	ret->n = n;
	n = 0;
	for (size_t at = 0; at < text->len; at += len, n++) {
		struct line *line = &ret->items[n];

		len = line_length(text->bytes + at, text->len - at);
		*line = (struct line){ .text = text->bytes + at,
				       .len = len,
				       .hash = HASH_START };
		for (size_t i = 0; i < len; i++)
			line->hash =
				(line->hash ^ (unsigned char)line->text[i]) *
				HASH_FACTOR;
	}
	return 0;
}

static bool same(const struct line *a, const struct line *b)
{
	return a->hash == b->hash && a->len == b->len &&
	       memcmp(a->text, b->text, a->len) == 0;
}

/* What is between the common lines at both ends. */
struct middle {
	struct line *old, *new;
	int32_t n, m;
};

/*
 * The furthest points of d edits on each diagonal are kept for every d, to find
 * the way back.
 */
struct search {
	const struct middle *text;
	int32_t *at; /* at[diagonal + offset]: old lines that are done */
	int32_t offset;
	int32_t **kept;
};

static bool step(struct search *s, int32_t d)
{
	for (int32_t k = -d; k <= d; k += 2) {
		int32_t *at = s->at + s->offset + k;
		int32_t x = k == -d || (k != d && at[-1] < at[1]) ? at[1] :
								    at[-1] + 1;
		int32_t y = x - k;

		while (x < s->text->n && y < s->text->m &&
		       same(&s->text->old[x], &s->text->new[y])) {
			x++;
			y++;
		}
		*at = x;
		if (x >= s->text->n && y >= s->text->m)
			return true;
	}
	return false;
}

static void walk_back(const struct search *s, int32_t edits)
{
	int32_t x = s->text->n, y = s->text->m;

	for (int32_t d = edits; d > 0; d--) {
		const int32_t *at = s->kept[d] + d + 1;
		int32_t k = x - y;
		bool added = k == -d || (k != d && at[k - 1] < at[k + 1]);
		int32_t from = added ? k + 1 : k - 1;

		x = at[from];
		y = x - from;
		if (added)
			s->text->new[y].changed = true;
		else
			s->text->old[x].changed = true;
	}
}

static void mark_all(struct line *lines, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		lines[i].changed = true;
}

static int search(struct arena *arena, const struct middle *text)
{
	struct search s = { .text = text, .offset = MOST_EDITS + 1 };

	s.at = arena_array(arena, (size_t)2 * MOST_EDITS + 3, sizeof *s.at);
	s.kept = arena_array(arena, MOST_EDITS + 1, sizeof *s.kept);
	if (!s.at || !s.kept)
		return -ENOMEM;
	for (int32_t d = 0; d <= MOST_EDITS; d++) {
		size_t width = (size_t)2 * (size_t)d + 3;

		s.kept[d] = arena_array(arena, width, sizeof *s.at);
		if (!s.kept[d])
			return -ENOMEM;
		memcpy(s.kept[d], s.at + s.offset - d - 1,
		       width * sizeof *s.at);
		if (step(&s, d)) {
			walk_back(&s, d);
			return 0;
		}
	}
	mark_all(text->old, text->n);
	mark_all(text->new, text->m);
	return 0;
}

static int compare(struct arena *arena, struct lines *old, struct lines *new)
{
	size_t start = 0, end = 0;
	struct middle middle;

	while (start < old->n &&
	       start < new->n &&same(&old->items[start], &new->items[start]))
		start++;
	while (end < old->n - start &&
	       end < new->n - start &&same(&old->items[old->n - 1 - end],
					   &new->items[new->n - 1 - end]))
		end++;
	if (old->n > INT32_MAX || new->n > INT32_MAX)
		return -EFBIG;
	middle = (struct middle){ old->items + start, new->items + start,
				  (int32_t)(old->n - start - end),
				  (int32_t)(new->n - start - end) };
	return search(arena, &middle);
}

/* ---- hunks ---- */

static int put_line(struct arena *arena, FILE *out, char sign,
		    const struct line *line, bool escape)
{
	bool ends = line->text[line->len - 1] == '\n';
	size_t len = line->len - ends;
	const char *text = line->text;

	if (escape) {
		const char *copy = arena_strndup(arena, text, len);

		text = copy ? text_escape(arena, copy, false) : NULL;
		if (!text)
			return -ENOMEM;
		len = strlen(text);
	}
	(void)putc(sign, out);
	(void)fwrite(text, 1, len, out);
	(void)fputs(ends ? "\n" : "\n\\ No newline at end of file\n", out);
	return 0;
}

struct range {
	size_t old, new; /* first lines */
	size_t old_end, new_end;
};

/* Step over lines that both have, or over changed ones; both at once. */
static void pass(const struct lines *old, const struct lines *new,
		 struct range *at, bool changed)
{
	if (!changed) {
		at->old_end++;
		at->new_end++;
		return;
	}
	while (at->old_end < old->n && old->items[at->old_end].changed)
		at->old_end++;
	while (at->new_end < new->n &&new->items[at->new_end].changed)
		at->new_end++;
}

static bool is_changed(const struct lines *old, const struct lines *new,
		       const struct range *at)
{
	return (at->old_end < old->n && old->items[at->old_end].changed) ||
	       (at->new_end < new->n &&new->items[at->new_end].changed);
}

/* A hunk ends where more than twice the context is the same. */
static bool next_hunk(const struct lines *old, const struct lines *new,
		      struct range *at)
{
	size_t equal = 0, before;

	at->old = at->old_end;
	at->new = at->new_end;
	while (!is_changed(old, new, at)) {
		if (at->old_end >= old->n)
			return false;
		pass(old, new, at, false);
	}
	before = at->old_end - at->old < CONTEXT ? at->old_end - at->old :
						   CONTEXT;
	at->old = at->old_end - before;
	at->new = at->new_end - before;
	while (equal <= (size_t)2 * CONTEXT &&
	       (at->old_end < old->n || at->new_end < new->n)) {
		bool changed = is_changed(old, new, at);

		equal = changed ? 0 : equal + 1;
		pass(old, new, at, changed);
	}
	/* Give back what is more than the context after the last change. */
	if (equal > CONTEXT) {
		at->old_end -= equal - CONTEXT;
		at->new_end -= equal - CONTEXT;
	}
	return true;
}

static void put_head(FILE *out, size_t first, size_t n, char sign)
{
	(void)fprintf(out, " %c%zu", sign, n ? first + 1 : first);
	if (n != 1)
		(void)fprintf(out, ",%zu", n);
}

static int put_hunk(struct arena *arena, FILE *out, const struct lines *old,
		    const struct lines *new, const struct range *hunk,
		    bool escape)
{
	size_t i = hunk->old, j = hunk->new;
	int r = 0;

	(void)fputs("@@", out);
	put_head(out, hunk->old, hunk->old_end - hunk->old, '-');
	put_head(out, hunk->new, hunk->new_end - hunk->new, '+');
	(void)fputs(" @@\n", out);
	while (r >= 0 && (i < hunk->old_end || j < hunk->new_end)) {
		if (i < hunk->old_end && old->items[i].changed) {
			r = put_line(arena, out, '-', &old->items[i++], escape);
		} else if (j < hunk->new_end && new->items[j].changed) {
			r = put_line(arena, out, '+', &new->items[j++], escape);
		} else {
			r = put_line(arena, out, ' ', &old->items[i++], escape);
			j++;
		}
	}
	return r;
}

int diff_print(struct arena *arena, FILE *out, const struct diff_text *old,
	       const struct diff_text *new, bool escape)
{
	struct lines a, b;
	struct range at = { 0 };
	int r = split(arena, old, &a);

	if (r >= 0)
		r = split(arena, new, &b);
	if (r >= 0)
		r = compare(arena, &a, &b);
	while (r >= 0 && next_hunk(&a, &b, &at))
		r = put_hunk(arena, out, &a, &b, &at, escape);
	return r;
}
