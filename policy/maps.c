/* SPDX-License-Identifier: Apache-2.0 */
/* policy/maps.c - read variables and credentials. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/http_rule.h"
#include "policy/values.h"

static int add_pair(struct policy_pair *pairs, size_t *n, const char *key,
		    const char *value)
{
	for (size_t i = 0; i < *n; i++)
		if (streq(pairs[i].key, key))
			return fail(0, "'%s' is given twice: remove one", key);
	pairs[(*n)++] = (struct policy_pair){ .key = key, .value = value };
	return 0;
}

/* Read the members of a table; `check` checks each pair. */
static int read_table(const struct policy_setter *to,
		      const struct policy_raw *raw,
		      int (*check)(struct arena *arena, const char *key,
				   const struct policy_raw *value),
		      struct policy_map *ret)
{
	struct policy_pair *pairs;
	size_t n = 0;
	int r;

	if (raw->type != POLICY_RAW_MAP)
		return policy_wrong(raw, "a table");
	pairs = arena_array(to->arena, raw->n, sizeof *pairs);
	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		const struct policy_raw *member = &raw->items[i];

		r = check(to->arena, member->key, member);
		if (r == 0)
			r = add_pair(pairs, &n, member->key, member->text);
		if (r < 0)
			return r;
	}
	*ret = (struct policy_map){ .items = pairs, .n = n };
	return 0;
}

static int check_variable(struct arena *arena, const char *key,
			  const struct policy_raw *value)
{
	const struct policy_raw name = { .type = POLICY_RAW_STRING,
					 .text = key };
	const char *text;
	int r = policy_plain_text(&name, "the name of a variable", &text);

	(void)arena;
	if (r < 0)
		return r;
	if (strchr(key, '='))
		return policy_wrong(&name, "the name of a variable");
	if (value->type != POLICY_RAW_TEXT && value->type != POLICY_RAW_STRING)
		return fail(0, "%s: the value must be a string", key);
	return 0;
}

POLICY_READER(policy_read_env)
{
	(void)key;
	return read_table(to, raw, check_variable, ret);
}

/* Check "Header: value" for requests that match a rule of [http]. */
static int check_credential(struct arena *arena, const char *key,
			    const struct policy_raw *value)
{
	const char *header, *colon;
	struct http_rule rule;
	int r = http_rule_parse(arena, key, &rule);

	if (r == 0)
		r = policy_plain_text(value, "a header", &header);
	if (r < 0)
		return r;
	colon = strchr(header, ':');
	/* The value is a secret: do not show it. */
	if (!colon || !http_is_token(header, (size_t)(colon - header)) ||
	    colon[1 + strspn(colon + 1, " ")] == '\0')
		return fail(0, "the value of '%s' must be \"Header: value\"",
			    key);
	return 0;
}

POLICY_READER(policy_read_credentials)
{
	(void)key;
	return read_table(to, raw, check_credential, ret);
}
