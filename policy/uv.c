/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/uv.c - read a policy from uv projects: [tool.uv.sandbox] of a
 * pyproject.toml, [sandbox] of a uv.toml.
 *
 * Everything that the section does not allow is denied: keys that are not given
 * are set to empty, so that no other layer supplies them.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "policy/complain.h"
#include "policy/keys.h"
#include "policy/presets.h"
#include "policy/toml.h"

struct uv_key {
	const char *name;
	enum policy_key key;
	int (*read)(const struct policy_setter *to, enum policy_key key,
		    const struct toml_value *v);
};

/* The names of presets, by index up to NULL. */
struct catalogue {
	const char *(*name)(size_t index);
	bool (*has)(const char *name);
};

static const struct catalogue paths = { policy_path_preset_name,
					policy_is_path_preset };
static const struct catalogue variables = { policy_env_preset_name,
					    policy_is_env_preset };

static int wrong(struct arena *arena, const struct toml_value *v,
		 const char *wanted)
{
	struct policy_raw raw;
	int r = policy_raw_from_toml(arena, v, &raw);

	return r < 0 ? r : policy_unwanted(arena, &raw, wanted);
}

static int unknown_preset(struct arena *arena, const char *name,
			  const struct catalogue *catalogue)
{
	const char *known[32] = { NULL };

	for (size_t i = 0; i + 1 < COUNT(known) && catalogue->name(i); i++)
		known[i] = catalogue->name(i);
	return policy_unknown(arena, "preset", name, NULL, known);
}

/* { preset = "name" } is "@name" elsewhere. */
static int read_preset(struct arena *arena, const struct toml_value *v,
		       const struct catalogue *catalogue, const char **ret)
{
	const struct toml_value *name = v->first;

	if (!catalogue || v->n != 1 || !streq(name->key, "preset") ||
	    name->type != TOML_STRING)
		return wrong(arena, v,
			     catalogue ? "a string or { preset = \"...\" }" :
					 "a string");
	if (!catalogue->has(name->text))
		return unknown_preset(arena, name->text, catalogue);
	*ret = arena_printf(arena, "@%s", name->text);
	return *ret ? 0 : -ENOMEM;
}

static int read_item(struct arena *arena, const struct toml_value *v,
		     const struct catalogue *catalogue, const char **ret)
{
	if (v->type == TOML_TABLE)
		return read_preset(arena, v, catalogue, ret);
	if (v->type != TOML_STRING)
		return wrong(arena, v, "a string");
	/* This is the syntax of the command line, not a name here. */
	if (v->text[0] == '@')
		return fail(0,
			    "'%s': write a preset as { preset = \"%s\" } in "
			    "this file",
			    v->text, v->text + 1);
	*ret = v->text;
	return 0;
}

static int read_list(const struct policy_setter *to, enum policy_key key,
		     const struct toml_value *v,
		     const struct catalogue *catalogue)
{
	const char **items;
	size_t n = 0;
	int r;

	if (v->type != TOML_ARRAY)
		return wrong(to->arena, v, "a list");
	items = arena_array(to->arena, v->n, sizeof *items);
	if (!items)
		return -ENOMEM;
	toml_each (item, v) {
		r = read_item(to->arena, item, catalogue, &items[n++]);
		if (r < 0)
			return r;
	}
	return policy_set_list(to, key, items, n);
}

static int read_paths(const struct policy_setter *to, enum policy_key key,
		      const struct toml_value *v)
{
	return read_list(to, key, v, &paths);
}

static int read_names(const struct policy_setter *to, enum policy_key key,
		      const struct toml_value *v)
{
	return read_list(to, key, v, &variables);
}

static int read_hosts(const struct policy_setter *to, enum policy_key key,
		      const struct toml_value *v)
{
	return read_list(to, key, v, NULL);
}

static int read_all_or_names(const struct policy_setter *to,
			     enum policy_key key, const struct toml_value *v)
{
	if (v->type == TOML_BOOL)
		return policy_set_bool(to, key, v->truth);
	if (v->type != TOML_ARRAY)
		return wrong(to->arena, v, "true, false or a list");
	return read_names(to, key, v);
}

static int read_net(const struct policy_setter *to, enum policy_key key,
		    const struct toml_value *v)
{
	if (v->type != TOML_BOOL)
		return wrong(to->arena, v, "true or false");
	return policy_set_text(to, key, v->truth ? "open" : "deny");
}

static const struct uv_key keys[] = {
	{ "allow-read", KEY_READ, read_paths },
	{ "deny-read", KEY_DENY_READ, read_paths },
	{ "allow-write", KEY_WRITE_ONLY, read_paths },
	{ "deny-write", KEY_DENY_WRITE, read_paths },
	{ "allow-execute", KEY_EXECUTE, read_paths },
	{ "deny-execute", KEY_DENY_EXECUTE, read_paths },
	{ "allow-net", KEY_NET_MODE, read_net },
	{ "deny-net", KEY_NET_DENY, read_hosts },
	{ "allow-env", KEY_ALLOW_ENV, read_all_or_names },
	{ "deny-env", KEY_DENY_ENV, read_names },
};

static int unknown_key(struct arena *arena, const struct toml_value *v)
{
	const char *known[COUNT(keys) + 1] = { NULL };
	struct policy_raw raw;
	int r = policy_raw_from_toml(arena, v, &raw);

	if (r < 0)
		return r;
	for (size_t i = 0; i < COUNT(keys); i++)
		known[i] = keys[i].name;
	return policy_unknown(arena, "key", v->key, &raw, known);
}

static int read_key(const struct policy_setter *to, const struct toml_value *v)
{
	int r;

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (!streq(keys[i].name, v->key))
			continue;
		r = keys[i].read(to, keys[i].key, v);
		return r < 0 ? fail_in(r, "%s", v->key) : 0;
	}
	return unknown_key(to->arena, v);
}

static int deny_all(const struct policy_setter *to)
{
	static const enum policy_key lists[] = { KEY_READ, KEY_WRITE_ONLY,
						 KEY_EXECUTE };
	int r = 0;

	for (size_t i = 0; r == 0 && i < COUNT(lists); i++)
		r = policy_set_list(to, lists[i], NULL, 0);
	if (r == 0)
		r = policy_set_text(to, KEY_NET_MODE, "deny");
	if (r == 0)
		r = policy_set_bool(to, KEY_ALLOW_ENV, false);
	return r;
}

/*
 * Without allow-net = true, network.deny alone would allow everything else, so
 * drop it.
 */
static void drop_lone_deny(struct policy *policy, const char *name)
{
	if (!policy->set[KEY_NET_DENY] || policy->mode == POLICY_MODE_OPEN)
		return;
	log_warning("%s: deny-net has no effect without allow-net = true",
		    name);
	policy->set[KEY_NET_DENY] = false;
	policy->origin[KEY_NET_DENY] = NULL;
	policy->net_deny = (struct strings){ 0 };
}

/*
 * Return the table at a path of keys, which ends with NULL; NULL if there is
 * none.
 */
static const struct toml_value *find_section(const struct toml_value *root,
					     const char *const *path,
					     const char *whole)
{
	for (; *path; path++) {
		const struct toml_value *found = toml_find(root, *path);

		if (!found) {
			fail(0, "has no section [%s]", whole);
			return NULL;
		}
		if (found->type != TOML_TABLE) {
			fail(0, "line %u: '%s' of [%s] is not a table",
			     found->line, *path, whole);
			return NULL;
		}
		root = found;
	}
	return root;
}

static int read_section(const struct policy_setter *to, const char *text,
			size_t len)
{
	static const char *const in_uv[] = { "sandbox", NULL };
	static const char *const in_project[] = { "tool", "uv", "sandbox",
						  NULL };
	const char *slash = strrchr(to->origin, '/');
	bool uv = streq(slash ? slash + 1 : to->origin, "uv.toml");
	const struct toml_value *root, *section;
	int r = toml_parse(to->arena, text, len, &root);

	if (r < 0)
		return r;
	section = find_section(root, uv ? in_uv : in_project,
			       uv ? "sandbox" : "tool.uv.sandbox");
	if (!section)
		return -EINVAL;
	r = deny_all(to);
	if (r < 0)
		return r;
	toml_each (member, section) {
		r = read_key(to, member);
		if (r < 0)
			return fail_in(r, "line %u", member->line);
	}
	return 0;
}

int policy_from_uv(struct arena *arena, const char *text, size_t len,
		   const char *name, const struct policy_place *place,
		   struct policy *ret)
{
	struct policy policy = { 0 };
	const struct policy_setter to = { arena, &policy, place, name };
	int r = read_section(&to, text, len);

	if (r < 0)
		return fail_in(r, "%s", name);
	drop_lone_deny(&policy, name);
	policy_layer(ret, &policy);
	return 0;
}
