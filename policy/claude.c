/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/claude.c - read a policy from the sandbox object of a
 * .claude/settings.json.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strings.h"
#include "base/util.h"
#include "oci/json.h"
#include "policy/complain.h"
#include "policy/glob.h"
#include "policy/keys.h"

struct list {
	const struct policy_raw *items;
	size_t n;
};

struct door {
	const struct policy_setter *to;
	struct list lists[KEY_COUNT]; /* so far, for lists that add up */
	const char *object;	      /* whose members are read */
	size_t first_read, end_read;  /* those of allowRead, in the list */
	bool enabled;
	bool subtracts;	   /* deniedDomains: take away, open nothing */
	bool managed_only; /* allowManagedDomainsOnly */
};

struct claude_key {
	const char *name;
	int (*read)(struct door *door, const struct claude_key *key,
		    const struct json_value *v);
	enum policy_key key;
	const struct claude_key *members; /* of an object, ended by no name */
};

static int read_object(struct door *door, const struct claude_key *key,
		       const struct json_value *v);

static void raw_scalar(const struct json_value *v, struct policy_raw *ret)
{
	*ret = (struct policy_raw){ .key = v->key };
	switch ((enum json_type)v->type) {
	case JSON_STRING:
		ret->type = POLICY_RAW_STRING;
		ret->text = v->text;
		return;
	case JSON_BOOL:
		ret->type = POLICY_RAW_BOOL;
		ret->truth = v->truth;
		return;
	case JSON_NUMBER:
		ret->type = POLICY_RAW_INTEGER;
		if (num_i64(v->text, &ret->integer) == 0)
			return;
		ret->text = v->text;
		break;
	case JSON_NULL:
		ret->text = "null";
		break;
	case JSON_ARRAY:
		ret->text = "a list";
		break;
	case JSON_OBJECT:
		ret->text = "an object";
		break;
	}
	ret->type = POLICY_RAW_OTHER;
}

static int raw_from_json(struct arena *arena, const struct json_value *v,
			 struct policy_raw *ret)
{
	struct policy_raw *items;
	size_t n = 0;

	if (v->type != JSON_ARRAY && v->type != JSON_OBJECT) {
		raw_scalar(v, ret);
		return 0;
	}
	items = arena_array(arena, v->n, sizeof *items);
	if (!items)
		return -ENOMEM;
	json_each (member, v)
		raw_scalar(member, &items[n++]);
	*ret = (struct policy_raw){
		.type = v->type == JSON_ARRAY ? POLICY_RAW_LIST :
						POLICY_RAW_MAP,
		.key = v->key,
		.items = items,
		.n = n,
	};
	return 0;
}

static int expect(struct door *door, const struct json_value *v,
		  enum json_type type, const char *wanted)
{
	struct policy_raw raw;
	int r;

	if (v->type == type)
		return 0;
	r = raw_from_json(door->to->arena, v, &raw);
	return r < 0 ? r : policy_unwanted(door->to->arena, &raw, wanted);
}

/* Read one value by the reader of the key. */
static int read_value(struct door *door, const struct claude_key *key,
		      const struct json_value *v)
{
	struct policy_raw raw;
	int r = raw_from_json(door->to->arena, v, &raw);

	return r < 0 ? r : policy_set(door->to, key->key, &raw);
}

static int add(struct door *door, enum policy_key key,
	       const struct policy_raw *items, size_t n)
{
	struct list *list = &door->lists[key];
	struct policy_raw all = { .type = POLICY_RAW_LIST, .n = list->n + n };
	struct policy_raw *grown = arena_grow(door->to->arena, list->items,
					      list->n, all.n, sizeof *grown);

	if (!grown)
		return -ENOMEM;
	if (n)
		memcpy(grown + list->n, items, n * sizeof *items);
	all.items = grown;
	*list = (struct list){ .items = grown, .n = all.n };
	return policy_set(door->to, key, &all);
}

static int add_texts(struct door *door, enum policy_key key,
		     const char *const *texts, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add(door, key,
			&(struct policy_raw){ .type = POLICY_RAW_TEXT,
					      .text = texts[i] },
			1);
	return r;
}

static int read_list(struct door *door, const struct claude_key *key,
		     const struct json_value *v)
{
	struct policy_raw raw;
	int r = expect(door, v, JSON_ARRAY, "a list");

	if (r == 0)
		r = raw_from_json(door->to->arena, v, &raw);
	return r < 0 ? r : add(door, key->key, raw.items, raw.n);
}

/*
 * "docker *" is docker with any arguments, and so is "docker". Other text after
 * a name is an error: arguments are not known when a command starts, so it
 * would never be excluded.
 */
static int without_arguments(struct door *door, struct policy_raw *command)
{
	const char *text = command->text;
	size_t n;

	if (command->type != POLICY_RAW_STRING)
		return 0;
	n = strcspn(text, " *");
	if (text[n] == '\0')
		return 0;
	if (n == 0 || !streq(text + n, " *"))
		return policy_unwanted(door->to->arena, command,
				       "a program name without arguments, such "
				       "as \"docker\" or \"docker *\"");
	command->text = arena_strndup(door->to->arena, text, n);
	return command->text ? 0 : -ENOMEM;
}

static int read_commands(struct door *door, const struct claude_key *key,
			 const struct json_value *v)
{
	struct policy_raw raw;
	int r = expect(door, v, JSON_ARRAY, "a list");

	if (r == 0)
		r = raw_from_json(door->to->arena, v, &raw);
	if (r == 0 && raw.n == 0)
		r = add(door, key->key, NULL, 0);
	for (size_t i = 0; r == 0 && i < raw.n; i++) {
		struct policy_raw command = raw.items[i];

		r = without_arguments(door, &command);
		if (r == 0)
			r = add(door, key->key, &command, 1);
	}
	return r;
}

/* Every socket is below the root. */
static int read_all_sockets(struct door *door, const struct claude_key *key,
			    const struct json_value *v)
{
	static const char *const all[] = { "/" };
	int r = expect(door, v, JSON_BOOL, "true or false");

	return r < 0 || !v->truth ? r : add_texts(door, key->key, all, 1);
}

/* A protection that is not available is an error unless this is false. */
static int read_fail_if_unavailable(struct door *door,
				    const struct claude_key *key,
				    const struct json_value *v)
{
	int r = expect(door, v, JSON_BOOL, "true or false");

	for (int i = 0; r == 0 && !v->truth && i < PROTECT_COUNT; i++) {
		const char *name = policy_protection_name(i);

		r = add_texts(door, key->key, &name, 1);
	}
	return r;
}

/* This setting is for the agent; explain shows it. */
static int read_auto_allow(struct door *door, const struct claude_key *key,
			   const struct json_value *v)
{
	int r = expect(door, v, JSON_BOOL, "true or false");

	(void)key;
	if (r == 0)
		door->to->policy->auto_allow_bash =
			(struct oci_bool){ .set = true, .value = v->truth };
	return r;
}

static int read_enabled(struct door *door, const struct claude_key *key,
			const struct json_value *v)
{
	int r = expect(door, v, JSON_BOOL, "true or false");

	(void)key;
	if (r == 0)
		door->enabled = v->truth;
	return r;
}

/* ---- settings without a key ---- */

/* Note that a setting changes nothing here; run and explain list it. */
static int note_ignored(struct door *door, const char *name)
{
	struct arena *arena = door->to->arena;
	const char *whole = door->object ? arena_printf(arena, "%s.%s",
							door->object, name) :
					   name;

	if (!whole)
		return -ENOMEM;
	return strings_add(arena, &door->to->policy->ignored, whole);
}

static int ignore_bool(struct door *door, const struct claude_key *key,
		       const struct json_value *v)
{
	int r = expect(door, v, JSON_BOOL, "true or false");

	return r < 0 ? r : note_ignored(door, key->name);
}

static int ignore_text(struct door *door, const struct claude_key *key,
		       const struct json_value *v)
{
	int r = expect(door, v, JSON_STRING, "a string");

	return r < 0 ? r : note_ignored(door, key->name);
}

static int ignore_list(struct door *door, const struct claude_key *key,
		       const struct json_value *v)
{
	int r = expect(door, v, JSON_ARRAY, "a list");

	return r < 0 ? r : note_ignored(door, key->name);
}

static int ignore_object(struct door *door, const struct claude_key *key,
			 const struct json_value *v)
{
	int r = expect(door, v, JSON_OBJECT, "an object");

	return r < 0 ? r : note_ignored(door, key->name);
}

static int refuse(struct door *door, const struct claude_key *key,
		  const struct json_value *v)
{
	(void)door;
	(void)key;
	(void)v;
	return fail(0, "not enforced by this build (remove this key)");
}

/* ---- domains ---- */

/* For an agent nothing is open, so this alone opens nothing. */
static int read_denied_domains(struct door *door, const struct claude_key *key,
			       const struct json_value *v)
{
	door->subtracts = true;
	return read_list(door, key, v);
}

static int read_managed_only(struct door *door, const struct claude_key *key,
			     const struct json_value *v)
{
	int r = expect(door, v, JSON_BOOL, "true or false");

	(void)key;
	if (r == 0)
		door->managed_only = v->truth;
	return r;
}

/*
 * Only managed settings could then allow a domain, and this file is none of
 * them.
 */
static int finish_domains(struct door *door)
{
	struct list *allowed = &door->lists[KEY_NET_ALLOW];
	bool given = door->to->policy->set[KEY_NET_ALLOW];
	int r = 0;

	door->object = NULL;
	if (door->managed_only && allowed->n > 0)
		r = note_ignored(door, "allowedDomains");
	if (door->managed_only)
		*allowed = (struct list){ 0 };
	if (r == 0 && (door->managed_only || (door->subtracts && !given)))
		r = add(door, KEY_NET_ALLOW, NULL, 0);
	return r;
}

static int read_reads(struct door *door, const struct claude_key *key,
		      const struct json_value *v)
{
	int r;

	door->first_read = door->lists[key->key].n;
	r = read_list(door, key, v);
	door->end_read = door->lists[key->key].n;
	return r;
}

static const struct claude_key network_keys[] = {
	{ "allowedDomains", read_list, KEY_NET_ALLOW, NULL },
	{ "deniedDomains", read_denied_domains, KEY_NET_DENY, NULL },
	{ "blockedDomains", read_list, KEY_NET_DENY, NULL },
	{ "allowManagedDomainsOnly", read_managed_only, 0, NULL },
	{ "allowUnixSockets", read_list, KEY_UNIX, NULL },
	{ "allowAllUnixSockets", read_all_sockets, KEY_UNIX, NULL },
	{ "allowLocalBinding", read_value, KEY_ALLOW_LOCAL_BINDING, NULL },
	{ "httpProxyPort", read_value, KEY_HTTP_PROXY_PORT, NULL },
	{ "socksProxyPort", read_value, KEY_SOCKS_PROXY_PORT, NULL },
	{ "allowMachLookup", ignore_list, 0, NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct claude_key filesystem_keys[] = {
	{ "allowRead", read_reads, KEY_READ, NULL },
	{ "allowWrite", read_list, KEY_WRITE, NULL },
	{ "denyWrite", read_list, KEY_DENY_WRITE, NULL },
	{ "denyRead", read_list, KEY_DENY_READ, NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct claude_key sandbox_keys[] = {
	{ "enabled", read_enabled, 0, NULL },
	{ "autoAllowBashIfSandboxed", read_auto_allow, 0, NULL },
	{ "excludedCommands", read_commands, KEY_EXCLUDED, NULL },
	{ "allowUnsandboxedCommands", read_value, KEY_ALLOW_UNSANDBOXED, NULL },
	{ "enableWeakerNestedSandbox", read_value, KEY_WEAKER_NESTED, NULL },
	{ "failIfUnavailable", read_fail_if_unavailable, KEY_ALLOW_DEGRADED,
	  NULL },
	{ "allowedPaths", read_list, KEY_READ, NULL },
	{ "deniedPaths", read_list, KEY_DENY, NULL },
	{ "allowedDomains", read_list, KEY_NET_ALLOW, NULL },
	{ "deniedDomains", read_denied_domains, KEY_NET_DENY, NULL },
	{ "blockedDomains", read_list, KEY_NET_DENY, NULL },
	{ "network", read_object, 0, network_keys },
	{ "filesystem", read_object, 0, filesystem_keys },
	{ "credentials", refuse, 0, NULL },
	{ "enableWeakerNetworkIsolation", ignore_bool, 0, NULL },
	{ "ignoreViolations", ignore_object, 0, NULL },
	{ "bwrapPath", ignore_text, 0, NULL },
	{ "ripgrep", ignore_object, 0, NULL },
	{ NULL, NULL, 0, NULL },
};

static const struct claude_key sandbox = { "sandbox", read_object, 0,
					   sandbox_keys };

static int unknown_key(struct door *door, const struct claude_key *keys,
		       const struct json_value *v)
{
	const char *known[COUNT(sandbox_keys)] = { NULL };
	struct policy_raw raw;
	int r = raw_from_json(door->to->arena, v, &raw);

	if (r < 0)
		return r;
	for (size_t i = 0; keys[i].name; i++)
		known[i] = keys[i].name;
	return policy_unknown(door->to->arena, "key", v->key, &raw, known);
}

static int read_object(struct door *door, const struct claude_key *key,
		       const struct json_value *v)
{
	int r = expect(door, v, JSON_OBJECT, "an object");

	if (r < 0)
		return r;
	json_each (member, v) {
		const struct claude_key *found = key->members;

		door->object = key == &sandbox ? NULL : key->name;

		while (found->name && !streq(found->name, member->key))
			found++;
		if (!found->name)
			return unknown_key(door, key->members, member);
		r = found->read(door, found, member);
		if (r < 0)
			return fail_in(r, "%s", found->name);
	}
	return 0;
}

/* True if path, without a pattern, is at `above` or below it. */
static bool is_at_or_below(const char *path, const char *above)
{
	size_t len;

	path += *path == '-';
	above += *above == '-';
	len = strlen(above);
	while (len > 0 && above[len - 1] == '/')
		len--;
	return *above == '/' && !policy_is_glob(above) &&
	       strncmp(path, above, len) == 0 &&
	       (path[len] == '/' || !path[len]);
}

/*
 * Elsewhere allowRead opens a part of what denyRead denies. Here denials take
 * precedence, so it would have no effect.
 */
static int check_reads(const struct door *door)
{
	const struct policy *policy = door->to->policy;

	for (size_t i = door->first_read; i < door->end_read; i++)
		for (size_t k = 0; k < policy->deny_read.n; k++) {
			const char *path = policy->read.items[i];
			const char *above = policy->deny_read.items[k];

			if (is_at_or_below(path, above))
				return fail(0,
					    "filesystem: allowRead '%s' has no "
					    "effect because denyRead lists "
					    "'%s': deny only what must not be "
					    "read; what is not listed is not "
					    "readable",
					    path, above);
		}
	return 0;
}

/* Add the permissions that every agent needs. */
static int add_base(struct door *door)
{
	static const char *const write[] = { "@project", "-/tmp", "-/var/tmp" };
	static const char *const read[] = {
		"-/usr",  "-/lib", "-/lib64",	"-/lib32", "-/bin",
		"-/sbin", "-/etc", "-/Library", "-/System"
	};
	static const char *const tools[] = { "-~/.cargo", "-~/.rustup",
					     "-~/.npm" };
	/*
	 * The project is writable, and git on the host runs programs named
	 * there.
	 */
	static const char *const closed[] = { "@git-hooks", "@git-config" };
	const struct policy_place *place = door->to->place;
	int r = add_texts(door, KEY_WRITE, write, COUNT(write));

	if (r == 0)
		r = add_texts(door, KEY_READ, read, COUNT(read));
	if (r == 0 && place && place->home)
		r = add_texts(door, KEY_READ, tools, COUNT(tools));
	if (r == 0)
		r = add_texts(door, KEY_DENY_WRITE, closed, COUNT(closed));
	return r;
}

static int read_settings(struct door *door, const char *text, size_t len)
{
	const struct json_value *root, *object = NULL;
	int r = json_parse(door->to->arena, text, len, &root);

	if (r == 0)
		r = expect(door, root, JSON_OBJECT, "an object");
	if (r < 0)
		return r;
	json_each (member, root)
		if (streq(member->key, sandbox.name))
			object = member;
	if (!object)
		return fail(0, "has no sandbox object, which contains the "
			       "settings");
	r = add_base(door);
	if (r == 0)
		r = read_object(door, &sandbox, object);
	if (r == 0)
		r = finish_domains(door);
	if (r == 0)
		r = check_reads(door);
	if (r < 0)
		return fail_in(r, "%s", sandbox.name);
	if (!door->enabled)
		return fail(0, "sandbox.enabled must be true: set it, or do "
			       "without this file");
	return 0;
}

int policy_from_claude(struct arena *arena, const char *text, size_t len,
		       const char *name, const struct policy_place *place,
		       struct policy *ret)
{
	struct policy policy = { 0 };
	const struct policy_setter to = { arena, &policy, place, name };
	struct door door = { .to = &to };
	int r = read_settings(&door, text, len);

	if (r < 0)
		return fail_in(r, "%s", name);
	policy_layer(ret, &policy);
	return 0;
}
