/* SPDX-License-Identifier: Apache-2.0 */
/* oci/write.c - write JSON text: separators, indentation, escapes. */
#include "oci/write.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/utf8.h"
#include "oci/oci.h"

#define MAX_DEPTH 64
#define FIRST_SIZE 1024

static void put_bytes(struct writer *w, const char *bytes, size_t n)
{
	size_t size = w->size ? w->size : FIRST_SIZE;
	char *grown;

	if (w->error)
		return;
	while (size - w->len <= n)
		size *= 2;
	if (size > w->size) {
		grown = arena_grow(w->arena, w->text, w->len, size, 1);
		if (!grown) {
			w->error = -ENOMEM;
			return;
		}
		w->text = grown;
		w->size = size;
	}
	memcpy(w->text + w->len, bytes, n);
	w->len += n;
	w->text[w->len] = '\0';
}

static void put_text(struct writer *w, const char *text)
{
	put_bytes(w, text, strlen(text));
}

static void put_line_start(struct writer *w)
{
	if (w->style != WRITE_PRETTY)
		return;
	put_text(w, "\n");
	for (unsigned int i = 0; i < w->depth; i++)
		put_text(w, "  ");
}

static void put_escaped(struct writer *w, unsigned char c)
{
	static const char plain[] = "\"\\\b\f\n\r\t";
	static const char letter[] = "\"\\bfnrt";
	const char *found = strchr(plain, c);
	char text[8];

	if (found)
		snprintf(text, sizeof text, "\\%c", letter[found - plain]);
	else
		snprintf(text, sizeof text, "\\u%04x", c);
	put_text(w, text);
}

static void put_quoted(struct writer *w, const char *text)
{
	size_t n;

	put_text(w, "\"");
	for (const char *s = text; *s; s += n ? n : 1) {
		unsigned char c = (unsigned char)*s;

		n = utf8_length(s, strnlen(s, 4));
		if (n == 0)
			put_text(w, "\xef\xbf\xbd");
		else if (c < 0x20 || c == '"' || c == '\\')
			put_escaped(w, c);
		else
			put_bytes(w, s, n);
	}
	put_text(w, "\"");
}

/* Write separator, indentation and key before a value. */
static void put_key(struct writer *w, const char *key)
{
	bool in_object = w->depth && !(w->arrays >> (w->depth - 1) & 1);

	assert(in_object == !!key);
	if (!w->empty)
		put_text(w, ",");
	if (w->depth)
		put_line_start(w);
	w->empty = false;
	if (!key)
		return;
	put_quoted(w, key);
	put_text(w, w->style == WRITE_PRETTY ? ": " : ":");
}

static void put_level(struct writer *w, const char *key, bool is_array)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	assert(w->depth < MAX_DEPTH - 1);
	put_key(w, key);
	put_text(w, is_array ? "[" : "{");
	w->arrays = is_array ? w->arrays | bit : w->arrays & ~bit;
	w->depth++;
	w->empty = true;
}

void writer_open(struct writer *w, struct arena *arena, enum writer_style style)
{
	*w = (struct writer){ .arena = arena, .style = style, .empty = true };
}

int writer_close(struct writer *w, const char **ret_text, size_t *ret_len)
{
	assert(w->depth == 0);
	if (w->style != WRITE_COMPACT)
		put_text(w, "\n");
	if (w->error < 0)
		return w->error;
	*ret_text = w->text;
	if (ret_len)
		*ret_len = w->len;
	return 0;
}

int writer_print(struct writer *w)
{
	const char *text;
	int r = writer_close(w, &text, NULL);

	if (r < 0)
		return r;
	fputs(text, stdout);
	return 0;
}

void put_object(struct writer *w, const char *key)
{
	put_level(w, key, /* is_array= */ false);
}

void put_array(struct writer *w, const char *key)
{
	put_level(w, key, /* is_array= */ true);
}

void put_end(struct writer *w)
{
	bool was_empty = w->empty;

	assert(w->depth > 0);
	w->depth--;
	w->empty = false;
	if (!was_empty)
		put_line_start(w);
	put_text(w, w->arrays >> w->depth & 1 ? "]" : "}");
}

void put_string(struct writer *w, const char *key, const char *value)
{
	put_key(w, key);
	if (value)
		put_quoted(w, value);
	else
		put_text(w, "null");
}

void put_bool(struct writer *w, const char *key, bool value)
{
	put_key(w, key);
	put_text(w, value ? "true" : "false");
}

void put_u64(struct writer *w, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, value);
	put_key(w, key);
	put_text(w, text);
}

void put_i64(struct writer *w, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	put_key(w, key);
	put_text(w, text);
}

void put_number(struct writer *w, const char *key, const char *text)
{
	put_key(w, key);
	put_text(w, text);
}

void put_json(struct writer *w, const char *key, const char *text)
{
	put_key(w, key);
	put_text(w, text);
}

void put_strings(struct writer *w, const char *key,
		 const struct strings *values)
{
	put_array(w, key);
	for (size_t i = 0; i < values->n; i++)
		put_string(w, NULL, values->items[i]);
	put_end(w);
}

void put_words(struct writer *w, const char *key, const char *const *words)
{
	put_array(w, key);
	for (; *words; words++)
		put_string(w, NULL, *words);
	put_end(w);
}

void put_annotations(struct writer *w, const char *key,
		     const struct oci_annotations *values)
{
	if (values->n == 0)
		return;
	put_object(w, key);
	for (size_t i = 0; i < values->n; i++)
		put_string(w, values->items[i].key, values->items[i].value);
	put_end(w);
}
