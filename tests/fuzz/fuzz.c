/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/fuzz.c - one input through one target. */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/utf8.h"

#define ENOUGH ((size_t)64 << 20)

void fuzz_broken(const char *file, int line, const char *fact)
{
	fprintf(stderr, "%s:%d: does not hold: %s (error: '%s')\n", file, line,
		fact, err_text());
	abort();
}

void demand_reason(int r)
{
	demand(r < 0);
	demand(*err_text());
}

bool fuzz_same_text(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

bool fuzz_is_utf8(const char *text)
{
	while (*text) {
		size_t n = utf8_length(text, strlen(text));

		if (n == 0)
			return false;
		text += n;
	}
	return true;
}

char *fuzz_text(struct arena *arena, const char *text, size_t len)
{
	return arena_strndup(arena, text, strnlen(text, len));
}

int fuzz_lines(struct arena *arena, const char *text, size_t len,
	       struct strings *ret)
{
	char *rest = fuzz_text(arena, text, len);
	const char **items;
	size_t n = 0, most = 1;

	if (!rest)
		return -ENOMEM;
	for (const char *p = rest; *p; p++)
		most += *p == '\n';
	items = arena_array(arena, most + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	while (rest)
		items[n++] = strsep(&rest, "\n");
	*ret = (struct strings){ .items = items, .n = n };
	return 0;
}

/* Some number below most, the same for the same bytes. */
static size_t pick(const uint8_t *data, size_t size, size_t most)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ data[i]) * 16777619U;
	return hash % most;
}

/* Memory that is out is an error, and nothing is taken by halves. */
static void try_scarce(const struct fuzz_target *target, const char *text,
		       size_t len, size_t size)
{
	struct arena arena;

	demand(arena_open(&arena, size) == 0);
	err_clear();
	demand_reason(target->parse(&arena, text, len));
	arena_close(&arena);
}

int fuzz(const struct fuzz_target *target, const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct arena arena;
	size_t used;
	int r;

	demand(arena_open(&arena, ENOUGH) == 0);
	err_clear();
	r = target->parse(&arena, text, size);
	used = arena.used;
	if (r < 0)
		demand_reason(r);
	else if (target->accepted)
		target->accepted(&arena);
	arena_close(&arena);
	if (r >= 0 && used)
		try_scarce(target, text, size, pick(data, size, used));
	return 0;
}
