/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/toml_tree.c - build tables, and check which parts of a text may add to
 * them.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/toml_reader.h"

static uint64_t hash(const char *key)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 0x100000001b3;
	return h * 0x9e3779b97f4a7c15;
}

/* Return the link to the member with this key, or where it would be. */
static struct toml_node **find_slot(struct toml_node *table, const char *key)
{
	struct toml_node **slot = &table->index;

	for (uint64_t h = hash(key); *slot; h <<= 2) {
		if (streq((*slot)->value.key, key))
			break;
		slot = &(*slot)->branch[h >> 62];
	}
	return slot;
}

static unsigned line_now(struct toml_reader *r)
{
	for (; r->counted < r->at; r->counted++)
		r->line += *r->counted == '\n';
	return r->line;
}

int toml_add(struct toml_reader *r, struct toml_node *parent,
	     const struct toml_key *key, struct toml_node **ret)
{
	struct toml_node *node;

	if (parent->depth == TOML_MAX_DEPTH) {
		toml_fail(r, key ? key->at : r->at,
			  "arrays and tables are nested deeper than %d levels, "
			  "the maximum",
			  TOML_MAX_DEPTH);
		return -EINVAL;
	}
	node = arena_alloc(r->arena, sizeof *node);
	if (!node)
		return -ENOMEM;
	node->depth = parent->depth + 1;
	node->value.line = line_now(r);
	if (key) {
		node->value.key = key->name;
		*find_slot(parent, key->name) = node;
	}
	if (parent->last)
		parent->last->value.next = &node->value;
	else
		parent->value.first = &node->value;
	parent->last = node;
	parent->value.n++;
	*ret = node;
	return 0;
}

static int add_container(struct toml_reader *r, struct toml_node *parent,
			 const struct toml_key *key, enum toml_type type,
			 enum toml_origin origin, struct toml_node **ret)
{
	struct toml_node *node;
	int result = toml_add(r, parent, key, &node);

	if (result < 0)
		return result;
	node->value.type = type;
	node->origin = origin;
	*ret = node;
	return 0;
}

static int fail_defined(const struct toml_reader *r, const struct toml_key *key,
			const struct toml_node *node)
{
	return toml_fail(r, key->at, "'%s' is already defined on line %u",
			 key->name, node->value.line);
}

/* Enter the table that all but the last part of a dotted key name. */
static int enter_dotted(struct toml_reader *r, const struct toml_key *key,
			struct toml_node **table)
{
	struct toml_node *node = *find_slot(*table, key->name);

	if (!node)
		return add_container(r, *table, key, TOML_TABLE, TOML_BY_DOTS,
				     table);
	if (node->value.type != TOML_TABLE ||
	    (node->origin != TOML_BY_DOTS && node->origin != TOML_BY_PATH))
		return fail_defined(r, key, node);
	node->origin = TOML_BY_DOTS;
	*table = node;
	return 0;
}

int toml_add_pair(struct toml_reader *r, struct toml_node *table,
		  const struct toml_key *key, struct toml_node **ret)
{
	struct toml_node *node;
	int result;

	for (; key->next; key = key->next) {
		result = enter_dotted(r, key, &table);
		if (result < 0)
			return result;
	}
	node = *find_slot(table, key->name);
	if (node)
		return fail_defined(r, key, node);
	return toml_add(r, table, key, ret);
}

/* Enter the table, or the newest of several, that a part of a header names. */
static int enter_header(struct toml_reader *r, const struct toml_key *key,
			struct toml_node **table)
{
	struct toml_node *node = *find_slot(*table, key->name);

	if (!node)
		return add_container(r, *table, key, TOML_TABLE, TOML_BY_PATH,
				     table);
	if (node->origin == TOML_BY_VALUE)
		return fail_defined(r, key, node);
	*table = node->origin == TOML_BY_HEADERS ? node->last : node;
	return 0;
}

static int add_one(struct toml_reader *r, struct toml_node *parent,
		   const struct toml_key *key, struct toml_node **ret)
{
	struct toml_node *node = *find_slot(parent, key->name);

	if (!node)
		return add_container(r, parent, key, TOML_TABLE, TOML_BY_HEADER,
				     ret);
	if (node->origin != TOML_BY_PATH)
		return fail_defined(r, key, node);
	node->origin = TOML_BY_HEADER;
	node->value.line = line_now(r);
	*ret = node;
	return 0;
}

static int add_another(struct toml_reader *r, struct toml_node *parent,
		       const struct toml_key *key, struct toml_node **ret)
{
	struct toml_node *array = *find_slot(parent, key->name);
	int result;

	if (array && array->origin != TOML_BY_HEADERS)
		return fail_defined(r, key, array);
	if (!array) {
		result = add_container(r, parent, key, TOML_ARRAY,
				       TOML_BY_HEADERS, &array);
		if (result < 0)
			return result;
	}
	return add_container(r, array, NULL, TOML_TABLE, TOML_BY_HEADER, ret);
}

int toml_add_table(struct toml_reader *r, struct toml_node *root,
		   const struct toml_key *key, bool many,
		   struct toml_node **ret)
{
	struct toml_node *table = root;
	int result;

	for (; key->next; key = key->next) {
		result = enter_header(r, key, &table);
		if (result < 0)
			return result;
	}
	return many ? add_another(r, table, key, ret) :
		      add_one(r, table, key, ret);
}
