/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/toml.c - any bytes as a TOML text.
 *
 * What is accepted must be a tree within its promises; what is not must say
 * where and why.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "policy/toml.h"
#include "tests/fuzz/fuzz.h"

static const struct toml_value *root;

static void walk(const struct toml_value *parent, unsigned int depth)
{
	size_t n = 0;

	demand(depth <= TOML_MAX_DEPTH);
	toml_each (v, parent) {
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

static int parse(struct arena *arena, const char *text, size_t len)
{
	int r;

	root = NULL;
	r = toml_parse(arena, text, len, &root);
	if (r < 0 && r != -ENOMEM)
		demand(!root && starts_with(err_text(), "line "));
	return r;
}

static void accepted(struct arena *arena)
{
	(void)arena;
	walk(root, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
