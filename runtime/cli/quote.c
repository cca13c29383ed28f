/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/quote.c - quote text for shells, escape it for terminals. */
#include "runtime/cli/quote.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
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

const char *quote_shown(struct arena *arena, const char *text)
{
	return text_escape(arena, text, /* exactly= */ false);
}

const char *quote_exactly(struct arena *arena, const char *text)
{
	return text_escape(arena, text, /* exactly= */ true);
}
