/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/flags.c - read a policy from flags: --section-key for every key, and
 * the short forms of the table. Repeated lists add up.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/flag.h"
#include "base/nearest.h"
#include "base/util.h"
#include "policy/keys.h"

/* The values given for one key so far. */
struct given {
	const char *flag;  /* as first written; NULL: none */
	const char *whole; /* a value that is not a list */
	struct policy_raw *items;
	size_t n;
};

struct policy_flags {
	struct arena *arena;
	const struct policy_place *place;
	struct given given[KEY_COUNT];
};

/* A spelling of a key; commas: split its value at them. */
struct spelling {
	enum policy_key key;
	bool commas;
};

/*
 * True for "net-allow" of "net_allow", "filesystem-read" of "filesystem.read".
 */
static bool is_spelled(const char *text, size_t len, const char *name)
{
	if (!name || strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char c = name[i] == '.' || name[i] == '_' ? '-' : name[i];

		if (c != text[i])
			return false;
	}
	return true;
}

static bool find_long(const char *text, size_t len, struct spelling *ret)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		ret->key = key;
		ret->commas = is_spelled(text, len, info->comma_flag);
		if (ret->commas || is_spelled(text, len, info->flag) ||
		    is_spelled(text, len, info->name) ||
		    is_spelled(text, len, info->alias))
			return true;
	}
	return false;
}

/* A letter stands for the flag that is split at commas, if there is one. */
static bool find_letter(char letter, struct spelling *ret)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!info->letter || info->letter != letter)
			continue;
		ret->key = key;
		ret->commas = info->comma_flag != NULL;
		return true;
	}
	return false;
}

/* True for a flag that needs no value. */
static bool is_switch(const struct spelling *spelling)
{
	return policy_key_info(spelling->key)->type == POLICY_TYPE_BOOL ||
	       (spelling->key == KEY_NET_MODE && spelling->commas);
}

int policy_flag_find(const char *name, size_t len, bool *ret_is_switch)
{
	struct spelling spelling;
	bool found;

	if (len > 2 && name[1] == '-')
		found = find_long(name + 2, len - 2, &spelling);
	else
		found = len == 2 && find_letter(name[1], &spelling);
	if (!found)
		return -1;
	*ret_is_switch = is_switch(&spelling);
	return (int)spelling.key * 2 + spelling.commas;
}

/* Make "--filesystem-read" of "filesystem.read". */
static void spell(const char *name, char ret[NEAREST_MAX])
{
	snprintf(ret, NEAREST_MAX, "--%s", name);
	for (char *p = ret; *p; p++)
		if (*p == '.' || *p == '_')
			*p = '-';
}

/* "--read" is often meant to be one of the flags of filesystem.read. */
static void suggest(struct nearest *nearest)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);
		const char *const others[] = { info->comma_flag, info->flag };
		char shown[NEAREST_MAX];

		if (!info->enforced)
			continue;
		for (size_t i = 0; i < COUNT(others); i++)
			if (others[i]) {
				spell(others[i], shown);
				nearest_try(nearest, others[i], shown);
			}
		spell(info->name, shown);
		nearest_try(nearest, shown + 2, shown);
		nearest_try(nearest, strchr(info->name, '.') + 1, shown);
	}
}

enum policy_type policy_flag_type(int id)
{
	const struct spelling spelling = { .key = (enum policy_key)(id / 2),
					   .commas = id % 2 };

	return is_switch(&spelling) ? POLICY_TYPE_BOOL :
				      policy_key_info(spelling.key)->type;
}

static int add_item(struct policy_flags *flags, struct given *given,
		    const struct policy_raw *item)
{
	struct policy_raw *items = arena_grow(flags->arena, given->items,
					      given->n, given->n + 1,
					      sizeof *items);

	if (!items)
		return -ENOMEM;
	items[given->n++] = *item;
	given->items = items;
	return 0;
}

static int add_text(struct policy_flags *flags, struct given *given,
		    const char *text, size_t len)
{
	const struct policy_raw item = {
		.type = POLICY_RAW_TEXT,
		.text = arena_strndup(flags->arena, text, len),
	};

	return item.text ? add_item(flags, given, &item) : -ENOMEM;
}

static int add_split(struct policy_flags *flags, struct given *given,
		     const char *text)
{
	const char *whole = text;

	for (;; text++) {
		size_t len = strcspn(text, ",");
		int r;

		if (len == 0)
			return fail(0,
				    "'%s' has an empty element (each ',' must "
				    "be between two elements)",
				    whole);
		r = add_text(flags, given, text, len);
		text += len;
		if (r < 0 || *text == '\0')
			return r;
	}
}

/* NAME alone takes the caller's value, so that command lines do not show it. */
static int add_variable(struct policy_flags *flags, struct given *given,
			const char *name)
{
	const struct policy_raw item = {
		.type = POLICY_RAW_STRING,
		.key = name,
		.text = oci_env_get(flags->place->env, name),
	};

	if (!item.text)
		return fail(0,
			    "'%s' is not set in the caller's environment: set "
			    "it, or write %s=VALUE",
			    name, name);
	return add_item(flags, given, &item);
}

/* The value after "=" may be a secret, so no error shows it. */
static int add_pair(struct policy_flags *flags, const struct spelling *spelling,
		    struct given *given, const char *text)
{
	const char *equals = strchr(text, '=');
	struct policy_raw item = { .type = POLICY_RAW_STRING };

	if (!equals && *text && spelling->key == KEY_ENV && flags->place->env)
		return add_variable(flags, given, text);
	if (equals == text)
		return fail(0, "the name before '=' is empty: write "
			       "NAME=VALUE");
	if (!equals)
		return fail(0, "'%s' is not of the form KEY=VALUE", text);
	item.key = arena_strndup(flags->arena, text, (size_t)(equals - text));
	item.text = equals + 1;
	return item.key ? add_item(flags, given, &item) : -ENOMEM;
}

static int set_network(struct given *given, const char *value)
{
	if (streq(value, "true"))
		given->whole = "open";
	else if (streq(value, "false"))
		given->whole = "deny";
	else
		return fail(0,
			    "'%s' is not true or false (for one host use "
			    "--net-allow HOST:PORT)",
			    value);
	return 0;
}

static int add_value(struct policy_flags *flags,
		     const struct spelling *spelling, const char *value)
{
	const struct policy_type_info *type =
		policy_type_info(policy_key_info(spelling->key)->type);
	struct given *given = &flags->given[spelling->key];
	bool is_bool = streq(value, "true") || streq(value, "false");

	if (spelling->key == KEY_NET_MODE && spelling->commas)
		return set_network(given, value);
	if (type->shape == POLICY_RAW_TEXT || (type->maybe_bool && is_bool)) {
		given->whole = value;
		return 0;
	}
	/* This is the only way to pass an empty list. */
	if (streq(value, type->shape == POLICY_RAW_MAP ? "{}" : "[]"))
		return 0;
	if (type->shape == POLICY_RAW_MAP)
		return add_pair(flags, spelling, given, value);
	if (spelling->commas)
		return add_split(flags, given, value);
	return add_text(flags, given, value, strlen(value));
}

static int take(void *user, int id, const char *shown, const char *value)
{
	const struct spelling spelling = { .key = (enum policy_key)(id / 2),
					   .commas = id % 2 };
	struct policy_flags *flags = user;
	struct given *given = &flags->given[spelling.key];
	int r;

	if (!given->flag)
		given->flag = shown;
	r = add_value(flags, &spelling, value ? value : "true");
	return r < 0 ? fail_in(r, "%s", given->flag) : 0;
}

static int set_given(const struct policy_setter *to, enum policy_key key,
		     const struct given *given)
{
	const struct policy_type_info *type =
		policy_type_info(policy_key_info(key)->type);
	const struct policy_raw list = { .type = type->shape,
					 .items = given->items,
					 .n = given->n };

	if (!given->whole)
		return policy_set(to, key, &list);
	if (given->n)
		return fail(
			0,
			"'%s' cannot be combined with names: give either it or "
			"names",
			given->whole);
	return policy_set_text(to, key, given->whole);
}

struct policy_flags *policy_flags_open(struct arena *arena,
				       const struct policy_place *place)
{
	struct policy_flags *flags = arena_alloc(arena, sizeof *flags);

	if (flags)
		*flags =
			(struct policy_flags){ .arena = arena, .place = place };
	return flags;
}

struct flag_owner policy_flags_owner(struct policy_flags *flags)
{
	return (struct flag_owner){ .find = policy_flag_find,
				    .take = take,
				    .suggest = suggest,
				    .user = flags };
}

int policy_flags_close(const struct policy_flags *flags, struct policy *ret)
{
	struct policy policy = { 0 };
	struct policy_setter to = { .arena = flags->arena,
				    .policy = &policy,
				    .place = flags->place };

	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct given *given = &flags->given[key];
		int r;

		if (!given->flag)
			continue;
		to.origin = given->flag;
		r = set_given(&to, key, given);
		if (r < 0)
			return fail_in(r, "%s", given->flag);
	}
	policy_layer(ret, &policy);
	return 0;
}
