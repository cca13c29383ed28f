/* SPDX-License-Identifier: Apache-2.0 */
/* policy/toml.c - parse TOML 1.0: lines, keys and values. */
#include "policy/toml.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/toml_reader.h"

static int read_value(struct toml_reader *r, struct toml_node *node);

static void skip_blanks(struct toml_reader *r)
{
	r->at += strspn(r->at, " \t");
}

static void skip_comment(struct toml_reader *r)
{
	if (*r->at == '#')
		r->at += strcspn(r->at, "\n");
}

/* Skip empty lines and comments between the members of an array. */
static void skip_lines(struct toml_reader *r)
{
	for (skip_blanks(r); *r->at == '#' || *r->at == '\n'; skip_blanks(r)) {
		skip_comment(r);
		r->at += *r->at == '\n';
	}
}

static int read_key_part(struct toml_reader *r, struct toml_key *ret)
{
	size_t len = strspn(r->at, "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

	ret->at = r->at;
	if (*r->at == '"' || *r->at == '\'')
		return toml_string(r, /* lines= */ false, &ret->name, &len);
	if (len == 0)
		return toml_fail(r, r->at,
				 "expected a key (letters, digits, _ and -, or "
				 "a string)");
	ret->name = arena_strndup(r->arena, r->at, len);
	r->at += len;
	return ret->name ? 0 : -ENOMEM;
}

static int read_key(struct toml_reader *r, struct toml_key **ret)
{
	struct toml_key *first = arena_alloc(r->arena, sizeof *first);
	struct toml_key *key = first;

	while (key) {
		int result;

		skip_blanks(r);
		result = read_key_part(r, key);
		if (result < 0)
			return result;
		skip_blanks(r);
		if (*r->at != '.') {
			*ret = first;
			return 0;
		}
		r->at++;
		key->next = arena_alloc(r->arena, sizeof *key);
		key = key->next;
	}
	return -ENOMEM;
}

static int read_pair(struct toml_reader *r, struct toml_node *table)
{
	struct toml_node *node;
	struct toml_key *key;
	int result = read_key(r, &key);

	if (result < 0)
		return result;
	if (*r->at != '=')
		return toml_fail(r, r->at, "expected '=' after a key");
	r->at++;
	skip_blanks(r);
	result = toml_add_pair(r, table, key, &node);
	if (result < 0)
		return result;
	return read_value(r, node);
}

static int read_array(struct toml_reader *r, struct toml_node *array)
{
	struct toml_node *node;
	int result;

	array->value.type = TOML_ARRAY;
	for (r->at++, skip_lines(r); *r->at != ']'; skip_lines(r)) {
		if ((result = toml_add(r, array, NULL, &node)) < 0 ||
		    (result = read_value(r, node)) < 0)
			return result;
		skip_lines(r);
		if (*r->at == ',')
			r->at++;
		else if (*r->at != ']')
			return toml_fail(r, r->at,
					 "expected ',' or ']' in an array");
	}
	r->at++;
	return 0;
}

static int read_inline_table(struct toml_reader *r, struct toml_node *table)
{
	int result;

	table->value.type = TOML_TABLE;
	r->at++;
	skip_blanks(r);
	if (*r->at == '}') {
		r->at++;
		return 0;
	}
	for (;;) {
		result = read_pair(r, table);
		if (result < 0)
			return result;
		skip_blanks(r);
		if (*r->at != ',' && *r->at != '}')
			return toml_fail(
				r, r->at,
				"expected ',' or '}' in an inline table");
		if (*r->at++ == '}')
			return 0;
	}
}

static int read_value(struct toml_reader *r, struct toml_node *node)
{
	struct toml_value *v = &node->value;

	switch (*r->at) {
	case '"':
	case '\'':
		v->type = TOML_STRING;
		return toml_string(r, /* lines= */ true, &v->text, &v->len);
	case '[':
		return read_array(r, node);
	case '{':
		return read_inline_table(r, node);
	default:
		return toml_word(r, v);
	}
}

static int read_header(struct toml_reader *r, struct toml_node *root,
		       struct toml_node **ret)
{
	bool many = r->at[1] == '[';
	const char *closing = many ? "]]" : "]";
	struct toml_key *key;
	int result;

	r->at += strlen(closing);
	result = read_key(r, &key);
	if (result < 0)
		return result;
	if (!starts_with(r->at, closing))
		return toml_fail(r, r->at, "expected '%s' after a key",
				 closing);
	r->at += strlen(closing);
	return toml_add_table(r, root, key, many, ret);
}

static int read_line(struct toml_reader *r, struct toml_node *root,
		     struct toml_node **table)
{
	int result = 0;

	skip_blanks(r);
	if (*r->at == '[')
		result = read_header(r, root, table);
	else if (*r->at && !strchr("#\n", *r->at))
		result = read_pair(r, *table);
	if (result < 0)
		return result;
	skip_blanks(r);
	skip_comment(r);
	if (*r->at && *r->at != '\n')
		return toml_fail(r, r->at, "expected the end of the line");
	r->at += *r->at == '\n';
	return 0;
}

const struct toml_value *toml_find(const struct toml_value *table,
				   const char *key)
{
	toml_each (member, table)
		if (streq(member->key, key))
			return member;
	return NULL;
}

int toml_parse(struct arena *arena, const char *text, size_t len,
	       const struct toml_value **ret)
{
	struct toml_node *root = arena_alloc(arena, sizeof *root);
	struct toml_node *table = root;
	struct toml_reader r = { .arena = arena, .line = 1 };
	int result;

	if (!root)
		return -ENOMEM;
	result = toml_clean(arena, text, len, &r.text);
	if (result < 0)
		return result;
	root->value.type = TOML_TABLE;
	root->value.line = 1;
	for (r.at = r.counted = r.text; *r.at;) {
		result = read_line(&r, root, &table);
		if (result < 0)
			return result;
	}
	*ret = &root->value;
	return 0;
}
