/* SPDX-License-Identifier: Apache-2.0 */
/* policy/maps.c - the readers of variables, mounts and credentials. */
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
			return fail(0, "'%s' is given twice", key);
	pairs[(*n)++] = (struct policy_pair){ .key = key, .value = value };
	return 0;
}

/* The members of a table, each checked by the type's own reader of a pair. */
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
		return fail(0, "%s: the value is not a string", key);
	return 0;
}

POLICY_READER(policy_read_env)
{
	(void)key;
	return read_table(to, raw, check_variable, ret);
}

/* "Header: value" for the requests that a rule of [http] describes. */
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
	/* The value is a secret: it is not shown. */
	if (!colon || !http_is_token(header, (size_t)(colon - header)) ||
	    colon[1 + strspn(colon + 1, " ")] == '\0')
		return fail(0, "'%s' needs \"Header: value\"", key);
	return 0;
}

POLICY_READER(policy_read_credentials)
{
	(void)key;
	return read_table(to, raw, check_credential, ret);
}

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);

	return len >= strlen(end) && streq(text + len - strlen(end), end);
}

static bool says_how(const char *mount)
{
	return ends_with(mount, ":ro") || ends_with(mount, ":rw");
}

static bool has_parent(const char *path)
{
	return strstr(path, "/../") || ends_with(path, "/..");
}

/* "/inside" to "HOST[:ro]", with ":rw" only where it guards a name. */
static int add_mount(const struct policy_setter *to,
		     const struct policy_key_info *key,
		     struct policy_pair *pairs, size_t *n,
		     const struct policy_pair *mount)
{
	static const struct policy_place inside_place = { 0 };
	struct policy_setter inside = *to;
	struct policy_raw raw = { .type = POLICY_RAW_STRING };
	const char *path, *host, *how = "";
	size_t len = strlen(mount->value);
	int r;

	inside.place = &inside_place;
	raw.text = mount->key;
	r = policy_read_path(&inside, key, &raw, &path);
	if (r < 0)
		return r;
	if (has_parent(path))
		return policy_wrong(&raw, "a path without '..'");
	if (says_how(mount->value)) {
		how = mount->value + len - 3;
		len -= 3;
	}
	raw.text = arena_strndup(to->arena, mount->value, len);
	if (!raw.text)
		return -ENOMEM;
	r = policy_read_optional_path(to, key, &raw, &host);
	if (r < 0)
		return r;
	if (!streq(how, ":ro"))
		how = says_how(host) ? ":rw" : "";
	host = arena_printf(to->arena, "%s%s", host, how);
	return host ? add_pair(pairs, n, path, host) : -ENOMEM;
}

/* The two halves of "VIRTUAL:HOST[:ro]", or of a member of a table. */
static int split_mount(struct arena *arena, const struct policy_raw *raw,
		       struct policy_pair *ret)
{
	const char *text, *colon;
	int r = policy_plain_text(raw, "VIRTUAL:HOST[:ro]", &text);

	if (r < 0)
		return r;
	if (raw->key) {
		*ret = (struct policy_pair){ .key = raw->key, .value = text };
		return 0;
	}
	colon = strchr(text, ':');
	if (!colon || colon == text || !colon[1])
		return policy_wrong(raw, "VIRTUAL:HOST[:ro]");
	ret->key = arena_strndup(arena, text, (size_t)(colon - text));
	ret->value = colon + 1;
	return ret->key ? 0 : -ENOMEM;
}

POLICY_READER(policy_read_mounts)
{
	struct policy_map *map = ret;
	struct policy_pair *pairs;
	size_t n = 0;

	if (raw->type != POLICY_RAW_LIST && raw->type != POLICY_RAW_MAP)
		return policy_wrong(raw, "a list or a table");
	pairs = arena_array(to->arena, raw->n, sizeof *pairs);
	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < raw->n; i++) {
		struct policy_pair mount = { "", "" };
		int r = split_mount(to->arena, &raw->items[i], &mount);

		if (r == 0)
			r = add_mount(to, key, pairs, &n, &mount);
		if (r < 0)
			return r;
	}
	*map = (struct policy_map){ .items = pairs, .n = n };
	return 0;
}
