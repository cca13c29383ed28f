/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/json.c - parse JSON text to a tree; only this file uses the JSON library.
 */
#include "oci/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/utf8.h"
#include "base/util.h"

#define FEW_KEYS 8

struct open_value {
	struct json_value *value;
	struct json_value *last; /* its newest member */
};

struct builder {
	struct arena *arena;
	struct json_value *root;
	const char *key; /* its value follows */
	struct open_value open[JSON_MAX_DEPTH];
	size_t depth;
	int error; /* of the callback that stopped the parser */
};

/* Prefix the error with the place of the newest member of parent. */
static void place(const struct json_value *parent, const char *key, int error)
{
	if (parent->type == JSON_ARRAY)
		json_fail_index(error, parent->n - 1);
	else
		json_fail_member(error, parent, key);
}

/* Stop parsing with the recorded error about the innermost value. */
static int stop(struct builder *b, int error)
{
	for (size_t i = b->depth; i-- > 1;)
		place(b->open[i - 1].value, b->open[i].value->key, error);
	b->error = error;
	return 0;
}

/* Add a value of this type to the innermost open one. */
static struct json_value *add(struct builder *b, enum json_type type)
{
	struct json_value *v = arena_alloc(b->arena, sizeof *v);
	struct open_value *parent;

	if (!v) {
		b->error = -ENOMEM;
		return NULL;
	}
	v->type = (uint8_t)type;
	if (b->depth == 0) {
		v->root = true;
		b->root = v;
		return v;
	}
	parent = &b->open[b->depth - 1];
	if (parent->value->n == JSON_MAX_ENTRIES) {
		json_fail(parent->value, "has more than %u entries",
			  JSON_MAX_ENTRIES);
		stop(b, -1);
		return NULL;
	}
	v->key = b->key;
	b->key = NULL;
	if (parent->last)
		parent->last->next = v;
	else
		parent->value->first = v;
	parent->last = v;
	parent->value->n++;
	return v;
}

static const char *copy(struct builder *b, const void *text, size_t len)
{
	const char *copied = arena_strndup(b->arena, text, len);

	if (!copied)
		b->error = -ENOMEM;
	return copied;
}

static int on_null(void *ctx)
{
	return add(ctx, JSON_NULL) != NULL;
}

static int on_boolean(void *ctx, int truth)
{
	struct json_value *v = add(ctx, JSON_BOOL);

	if (v)
		v->truth = truth;
	return v != NULL;
}

static int add_text(struct builder *b, enum json_type type, const void *text,
		    size_t len)
{
	struct json_value *v = add(b, type);

	if (!v)
		return 0;
	v->text = "";
	if (memchr(text, '\0', len)) {
		json_fail(v, "must not contain a NUL character");
		if (b->depth > 0)
			place(b->open[b->depth - 1].value, v->key, -1);
		return stop(b, -1);
	}
	v->text = copy(b, text, len);
	return v->text != NULL;
}

static int on_number(void *ctx, const char *text, size_t len)
{
	return add_text(ctx, JSON_NUMBER, text, len);
}

static int on_string(void *ctx, const unsigned char *text, size_t len)
{
	return add_text(ctx, JSON_STRING, text, len);
}

static int on_key(void *ctx, const unsigned char *key, size_t len)
{
	struct builder *b = ctx;

	if (memchr(key, '\0', len)) {
		json_fail(b->open[b->depth - 1].value,
			  "a key contains a NUL character");
		return stop(b, -1);
	}
	b->key = copy(b, key, len);
	return b->key != NULL;
}

static int open_value(struct builder *b, enum json_type type)
{
	struct json_value *v;

	if (b->depth == JSON_MAX_DEPTH) {
		b->error = fail(
			0,
			"arrays and objects are nested deeper than %d levels, "
			"the maximum",
			JSON_MAX_DEPTH);
		return 0;
	}
	v = add(b, type);
	if (!v)
		return 0;
	b->open[b->depth++] = (struct open_value){ .value = v };
	return 1;
}

static int on_start_object(void *ctx)
{
	return open_value(ctx, JSON_OBJECT);
}

static int on_start_array(void *ctx)
{
	return open_value(ctx, JSON_ARRAY);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Most objects have a few keys, for which qsort takes too long. */
static void sort(const char **keys, size_t n)
{
	if (n > FEW_KEYS) {
		qsort(keys, n, sizeof *keys, by_key);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		const char *key = keys[i];
		size_t at = i;

		for (; at > 0 && strcmp(keys[at - 1], key) > 0; at--)
			keys[at] = keys[at - 1];
		keys[at] = key;
	}
}

static int on_end_object(void *ctx)
{
	struct builder *b = ctx;
	const struct json_value *object = b->open[b->depth - 1].value;
	const char **keys = arena_array(b->arena, object->n, sizeof *keys);
	size_t n = 0;

	if (!keys) {
		b->error = -ENOMEM;
		return 0;
	}
	json_each (member, object)
		keys[n++] = member->key;
	sort(keys, n);
	for (size_t i = 1; i < n; i++)
		if (streq(keys[i - 1], keys[i])) {
			fail(0, ": given twice in one object");
			return stop(b, json_fail_member(-1, object, keys[i]));
		}
	b->depth--;
	return 1;
}

static int on_end_array(void *ctx)
{
	struct builder *b = ctx;

	b->depth--;
	return 1;
}

static const yajl_callbacks callbacks = {
	.yajl_null = on_null,
	.yajl_boolean = on_boolean,
	.yajl_number = on_number,
	.yajl_string = on_string,
	.yajl_start_map = on_start_object,
	.yajl_map_key = on_key,
	.yajl_end_map = on_end_object,
	.yajl_start_array = on_start_array,
	.yajl_end_array = on_end_array,
};

static int fail_at_offset(const char *text, size_t offset, const char *why)
{
	size_t line = 1, column = 1;

	for (size_t i = 0; i < offset; i++) {
		column++;
		if (text[i] == '\n') {
			line++;
			column = 1;
		}
	}
	return fail(0, "line %zu, column %zu: %.*s", line, column,
		    (int)strcspn(why, "\n"), why);
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Return a word whose lowest bit is in the first byte that is this character. */
static uint64_t find_byte(uint64_t word, unsigned char byte)
{
	uint64_t zero_there = word ^ (EACH_BYTE * byte);

	return (zero_there - EACH_BYTE) & ~zero_there & (EACH_BYTE << 7);
}

/* Return how many of the next eight bytes are ASCII, no quote and no \. */
static size_t plain_length(const char *text, size_t left)
{
	uint64_t word, found;

	if (left < sizeof word)
		return 0;
	memcpy(&word, text, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	found = (word & (EACH_BYTE << 7)) | find_byte(word, '"') |
		find_byte(word, '\\');
	return found ? (size_t)__builtin_ctzll(found) / 8 : sizeof word;
}

/*
 * Check what the library does not: it accepts some bytes that are not UTF-8,
 * and an unterminated string after the end. It decodes strings with escapes
 * into memory of its own.
 */
static int check_characters(const char *text, size_t len)
{
	size_t start = 0, n;
	bool inside = false;

	for (size_t i = 0; i < len; i += n) {
		if (inside && i - start > JSON_MAX_STRING)
			return fail_at_offset(
				text, start,
				"this string is longer than 1 MiB, the "
				"maximum");
		n = plain_length(text + i, len - i);
		if (n > 0)
			continue;
		n = utf8_length(text + i, len - i);
		if (n == 0)
			return fail_at_offset(text, i,
					      "this character is not UTF-8");
		if (inside && text[i] == '\\' && i + 1 < len &&
		    (text[i + 1] == '"' || text[i + 1] == '\\')) {
			n = 2;
		} else if (text[i] == '"') {
			inside = !inside;
			start = i;
		}
	}
	if (inside)
		return fail_at_offset(text, start,
				      "this string has no closing quote");
	return 0;
}

static int check_text(const char *text, size_t len)
{
	size_t blank = 0;

	while (blank < len && text[blank] && strchr(" \t\r\n", text[blank]))
		blank++;
	if (blank == len)
		return fail(0, "is empty, but must contain JSON");
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		return fail(0, "begins with a byte order mark, which JSON does "
			       "not allow: remove it");
	if (len >= 2 &&
	    (memcmp(text, "\xff\xfe", 2) == 0 ||
	     memcmp(text, "\xfe\xff", 2) == 0 || !text[0] || !text[1]))
		return fail(0, "is UTF-16, but JSON must be UTF-8");
	return check_characters(text, len);
}

static void free_parser(yajl_handle *parser)
{
	if (*parser)
		yajl_free(*parser);
}

static int syntax_error(yajl_handle parser, const char *text, size_t offset)
{
	unsigned char *why = yajl_get_error(parser, 0, NULL, 0);
	int r = fail_at_offset(text, offset,
			       why ? (const char *)why :
				     "this is not valid JSON");

	if (why)
		yajl_free_error(parser, why);
	return r;
}

int json_parse(struct arena *arena, const char *text, size_t len,
	       const struct json_value **ret)
{
	struct builder b = { .arena = arena };
	AUTO(free_parser) yajl_handle parser = NULL;
	size_t offset = len;
	yajl_status status;
	int r = check_text(text, len);

	if (r < 0)
		return r;
	parser = yajl_alloc(&callbacks, NULL, &b);
	if (!parser)
		return fail(ENOMEM, "create a parser for JSON");
	status = yajl_parse(parser, (const unsigned char *)text, len);
	if (status == yajl_status_error)
		offset = yajl_get_bytes_consumed(parser);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(parser);
	if (status == yajl_status_client_canceled)
		return b.error;
	if (status != yajl_status_ok)
		return syntax_error(parser, text, offset < len ? offset : len);
	*ret = b.root;
	return 0;
}
