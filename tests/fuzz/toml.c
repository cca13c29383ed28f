/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/toml.c - any bytes as a TOML text; make fuzz-toml runs it.
 *
 * What is accepted must be a tree within its promises; what is not must say
 * where and why.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/toml.h"

#define ARENA ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool fact)
{
	if (!fact)
		abort();
}

static void walk(const struct toml_value *parent, unsigned depth)
{
	size_t n = 0;

	demand(depth <= TOML_MAX_DEPTH);
	toml_each(v, parent)
	{
		n++;
		demand(v->line >= 1);
		demand(!v->key == (parent->type == TOML_ARRAY));
		if (v->key)
			demand(toml_find(parent, v->key) == v);
		if (v->type == TOML_STRING)
			demand(strlen(v->text) == v->len);
		if (v->type == TOML_ARRAY || v->type == TOML_TABLE)
			walk(v, depth + 1);
	}
	demand(n == parent->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct toml_value *root = NULL;
	struct arena arena;

	demand(arena_open(&arena, ARENA) == 0);
	err_clear();
	if (toml_parse(&arena, (const char *)data, size, &root) < 0)
		demand(!root && starts_with(err_text(), "line "));
	else
		walk(root, 0);
	arena_close(&arena);
	return 0;
}
