/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/flags.c - the door for people at a shell: --section-key for every key,
 * and the short forms of the table. Repeats of a list add up.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/flag.h"
#include "base/util.h"
#include "policy/keys.h"

/* What was given for one key so far. */
struct given {
	const char *flag;  /* as first written; NULL: nothing */
	const char *whole; /* a value that is no list */
	struct policy_raw *items;
	size_t n;
};

struct door {
	struct arena *arena;
	const struct strings *env; /* the caller's, or NULL */
	struct given given[KEY_COUNT];
};

/* One word that is a flag: "--memory=1G" is name "memory", value "1G". */
struct word {
	const char *text;
	const char *name;
	size_t name_len;
	const char *value; /* NULL: none in this word */
	enum policy_key key;
	bool commas; /* a spelling that is split at them */
};

/* "net-allow" of "net_allow", "filesystem-read" of "filesystem.read". */
static bool is_spelled(const struct word *word, const char *name)
{
	if (!name || strlen(name) != word->name_len)
		return false;
	for (size_t i = 0; i < word->name_len; i++) {
		char c = name[i] == '.' || name[i] == '_' ? '-' : name[i];

		if (c != word->name[i])
			return false;
	}
	return true;
}

static bool find_long(struct word *word)
{
	const char *equals = strchr(word->text, '=');

	word->name = word->text + 2;
	word->name_len = equals ? (size_t)(equals - word->name) :
				  strlen(word->name);
	word->value = equals ? equals + 1 : NULL;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		word->key = key;
		word->commas = is_spelled(word, info->comma_flag);
		if (word->commas || is_spelled(word, info->flag) ||
		    is_spelled(word, info->name) ||
		    is_spelled(word, info->alias))
			return true;
	}
	return false;
}

/* -r PATH or -rPATH; letters stand for the flag that is split, if any. */
static bool find_letter(struct word *word)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!info->letter || info->letter != word->text[1])
			continue;
		word->name = word->text + 1;
		word->name_len = 1;
		word->value = word->text[2] ? word->text + 2 : NULL;
		word->key = key;
		word->commas = info->comma_flag != NULL;
		return true;
	}
	return false;
}

static bool find_key(struct word *word)
{
	return word->text[1] == '-' ? find_long(word) : find_letter(word);
}

static int add_item(struct door *door, struct given *given,
		    const struct policy_raw *item)
{
	struct policy_raw *items = arena_grow(door->arena, given->items,
					      given->n, given->n + 1,
					      sizeof *items);

	if (!items)
		return -ENOMEM;
	items[given->n++] = *item;
	given->items = items;
	return 0;
}

static int add_text(struct door *door, struct given *given, const char *text,
		    size_t len)
{
	const struct policy_raw item = {
		.type = POLICY_RAW_TEXT,
		.text = arena_strndup(door->arena, text, len),
	};

	return item.text ? add_item(door, given, &item) : -ENOMEM;
}

static int add_split(struct door *door, struct given *given, const char *text)
{
	const char *whole = text;

	for (;; text++) {
		size_t len = strcspn(text, ",");
		int r;

		if (len == 0)
			return fail(0, "'%s' has an empty element", whole);
		r = add_text(door, given, text, len);
		text += len;
		if (r < 0 || *text == '\0')
			return r;
	}
}

/* NAME alone takes the caller's value, so no command line shows it. */
static int add_variable(struct door *door, struct given *given,
			const char *name)
{
	const struct policy_raw item = {
		.type = POLICY_RAW_STRING,
		.key = name,
		.text = oci_env_get(door->env, name),
	};

	if (!item.text)
		return fail(0,
			    "'%s' is not set in the caller's environment: set "
			    "it, or write %s=VALUE",
			    name, name);
	return add_item(door, given, &item);
}

/* The value after "=" may be a secret, so no error shows it. */
static int add_pair(struct door *door, const struct word *word,
		    struct given *given, const char *text)
{
	const char *equals = strchr(text, '=');
	struct policy_raw item = { .type = POLICY_RAW_STRING };

	if (!equals && *text && word->key == KEY_ENV && door->env)
		return add_variable(door, given, text);
	if (equals == text)
		return fail(0, "the name before '=' is empty");
	if (!equals)
		return fail(0, "'%s' is not of the form KEY=VALUE", text);
	item.key = arena_strndup(door->arena, text, (size_t)(equals - text));
	item.text = equals + 1;
	return item.key ? add_item(door, given, &item) : -ENOMEM;
}

static int set_network(struct given *given, const char *value)
{
	if (streq(value, "true"))
		given->whole = "open";
	else if (streq(value, "false"))
		given->whole = "deny";
	else
		return fail(0, "'%s' is not true or false", value);
	return 0;
}

static int add_value(struct door *door, const struct word *word,
		     const char *value)
{
	const struct policy_type_info *type =
		policy_type_info(policy_key_info(word->key)->type);
	struct given *given = &door->given[word->key];
	bool is_bool = streq(value, "true") || streq(value, "false");

	if (word->key == KEY_NET_MODE && word->commas)
		return set_network(given, value);
	if (type->shape == POLICY_RAW_TEXT || (type->maybe_bool && is_bool)) {
		given->whole = value;
		return 0;
	}
	/* The only way to say that a list is empty. */
	if (streq(value, type->shape == POLICY_RAW_MAP ? "{}" : "[]"))
		return 0;
	if (type->shape == POLICY_RAW_MAP)
		return add_pair(door, word, given, value);
	if (word->commas)
		return add_split(door, given, value);
	return add_text(door, given, value, strlen(value));
}

/* A flag that needs no value: the next word is not its. */
static bool is_switch(const struct word *word)
{
	return policy_key_info(word->key)->type == POLICY_TYPE_BOOL ||
	       (word->key == KEY_NET_MODE && word->commas);
}

/* Returns how many words it took. */
static int take(struct door *door, struct word *word, char **argv, int argc)
{
	struct given *given = &door->given[word->key];
	const char *value = word->value;
	int used = 1;
	int r;

	if (!given->flag)
		given->flag = arena_strndup(door->arena, word->text,
					    (size_t)(word->name - word->text) +
						    word->name_len);
	if (!given->flag)
		return -ENOMEM;
	if (!value && is_switch(word)) {
		r = flag_check_next(word->name, argc > 1 ? argv[1] : NULL);
		if (r < 0)
			return r;
		value = "true";
	} else if (!value) {
		if (argc < 2 || streq(argv[1], "--"))
			return fail(0, "%s needs a value", word->text);
		value = argv[1];
		used = 2;
	}
	r = add_value(door, word, value);
	return r < 0 ? fail_in(r, "%s", given->flag) : used;
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
		return fail(0, "'%s' and names", given->whole);
	return policy_set_text(to, key, given->whole);
}

static int set_all(const struct door *door, const struct policy_place *place,
		   struct policy *policy)
{
	struct policy_setter to = { .arena = door->arena,
				    .policy = policy,
				    .place = place };

	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct given *given = &door->given[key];
		int r;

		if (!given->flag)
			continue;
		to.origin = given->flag;
		r = set_given(&to, key, given);
		if (r < 0)
			return fail_in(r, "%s", given->flag);
	}
	return 0;
}

int policy_from_flags(struct arena *arena, char **argv, int argc,
		      const struct policy_place *place,
		      int (*other)(void *user, char **argv, int argc),
		      void *user, struct policy *ret, int *ret_used)
{
	struct door door = { .arena = arena, .env = place->env };
	struct policy policy = { 0 };
	int used = 0;
	int r;

	while (used < argc) {
		struct word word = { .text = argv[used] };

		if (word.text[0] != '-' || !word.text[1] ||
		    streq(word.text, "--"))
			break;
		r = 0;
		if (find_key(&word))
			r = take(&door, &word, argv + used, argc - used);
		else if (other)
			r = other(user, argv + used, argc - used);
		if (r <= 0)
			return r < 0 ? r :
				       fail(0,
					    "unknown flag %s, see sandlock "
					    "run --help",
					    word.text);
		used += r;
	}
	r = set_all(&door, place, &policy);
	if (r < 0)
		return r;
	policy_layer(ret, &policy);
	*ret_used = used;
	return 0;
}
