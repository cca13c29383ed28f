/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/quote.c - quote text for shells, escape it for terminals. */
#include "runtime/cli/quote.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "oci/oci.h"

/* Characters without a special meaning in any shell, at any position. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_-./,:@%+";

const char *quote_word(struct arena *arena, const char *word)
{
	size_t n = 0, len = strlen(word);
	char *out;

	if (len > 0 && strspn(word, plain) == len)
		return word;
	out = arena_array(arena, 4 * len + 3, 1);
	if (!out)
		return NULL;
	out[n++] = '\'';
	for (; *word; word++) {
		if (*word == '\'') {
			memcpy(out + n, "'\\''", 4);
			n += 4;
		} else {
			out[n++] = *word;
		}
	}
	out[n++] = '\'';
	out[n] = '\0';
	return out;
}

const char *quote_words(struct arena *arena, const struct strings *words)
{
	const char **items = arena_array(arena, words->n + 1, sizeof *items);
	size_t size = 1;
	char *out, *at;

	if (!items)
		return NULL;
	for (size_t i = 0; i < words->n; i++) {
		items[i] = quote_word(arena, words->items[i]);
		if (!items[i])
			return NULL;
		size += strlen(items[i]) + 1;
	}
	out = arena_array(arena, size, 1);
	if (!out)
		return NULL;
	at = out;
	for (size_t i = 0; i < words->n; i++) {
		if (i)
			*at++ = ' ';
		at = stpcpy(at, items[i]);
	}
	return out;
}

/* Control characters: C0, DEL, C1 in UTF-8, and bytes that are not UTF-8. */
static bool is_obeyed(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];

	if (len == 0 || c < 0x20 || c == 0x7f)
		return true;
	return len == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0;
}

static const char *escape(struct arena *arena, const char *text, bool exactly)
{
	static const char hex[] = "0123456789abcdef";
	size_t left = strlen(text);
	char *out = arena_array(arena, 4 * left + 1, 1), *at = out;

	if (!out)
		return NULL;
	while (left > 0) {
		size_t len = utf8_length(text, left);
		bool plainly = !is_obeyed(text, len) &&
			       !(exactly && *text == '\\');

		if (len == 0)
			len = 1;
		for (size_t i = 0; i < len; i++) {
			unsigned char c = (unsigned char)text[i];

			if (plainly) {
				*at++ = (char)c;
				continue;
			}
			*at++ = '\\';
			*at++ = 'x';
			*at++ = hex[c >> 4];
			*at++ = hex[c & 15];
		}
		text += len;
		left -= len;
	}
	*at = '\0';
	return out;
}

const char *quote_shown(struct arena *arena, const char *text)
{
	return escape(arena, text, /* exactly= */ false);
}

const char *quote_exactly(struct arena *arena, const char *text)
{
	return escape(arena, text, /* exactly= */ true);
}
