/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_env.c - the environment that a policy leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/presets.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define ALL                                                              \
	"PATH=/bin HOME=/h USER=u TERM=t LANG=l LC_ALL=c XDG_X=x LCD=1 " \
	"GH_TOKEN=g FOO=f FOO_A=a FOO_B=b"

/* A list of names is NULL when the key is not set, "*" for true. */
struct sample {
	enum policy_env_base base;
	const char *allow, *deny;
	const char *wanted;
	bool clean;
};

static struct strings words(struct arena *arena, const char *text)
{
	const char **items = arena_array(arena, 64, sizeof *items);
	char *copy = arena_strdup(arena, text), *rest = copy;
	size_t n = 0;

	for (char *word; (word = strsep(&rest, " "));)
		if (*word)
			items[n++] = word;
	return (struct strings){ .items = items, .n = n };
}

static const char *join(struct arena *arena, const struct strings *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = arena_printf(arena, "%s%s%s", text, i ? " " : "",
				    list->items[i]);
	return text;
}

static int environment(struct arena *arena, const struct policy *policy,
		       enum policy_env_base base, const struct strings *given,
		       struct strings *ret)
{
	struct env_rules rules;
	int r = policy_env_rules(arena, policy, base, &rules);

	return r < 0 ? r : env_filter(arena, &rules, given, ret);
}

static void set_names(struct arena *arena, const char *text,
		      struct policy_names *ret, bool *ret_set)
{
	*ret_set = text != NULL;
	if (!text)
		return;
	ret->all = streq(text, "*");
	if (!ret->all)
		ret->names = words(arena, text);
}

static void bases_and_lists(void **state)
{
#define BASIC "PATH=/bin HOME=/h USER=u TERM=t LANG=l"
#define STANDARD BASIC " LC_ALL=c XDG_X=x"
	static const struct sample samples[] = {
		{ POLICY_ENV_BASIC, NULL, NULL, BASIC, false },
		{ POLICY_ENV_BASIC, "FOO", NULL, BASIC " FOO=f", false },
		{ POLICY_ENV_BASIC, "", NULL, "", false },
		{ POLICY_ENV_BASIC, "*", NULL, ALL, false },
		{ POLICY_ENV_BASIC, NULL, "PATH LANG", "HOME=/h USER=u TERM=t",
		  false },
		{ POLICY_ENV_BASIC, "FOO", "FOO", BASIC, false },
		{ POLICY_ENV_BASIC, "FOO_*", "FOO_A", BASIC " FOO_B=b", false },
		{ POLICY_ENV_BASIC, "FOO", "*", "", false },
		{ POLICY_ENV_NONE, NULL, NULL, "", false },
		{ POLICY_ENV_NONE, "FOO", NULL, "FOO=f", false },
		{ POLICY_ENV_NONE, "FOO_*", NULL, "FOO_A=a FOO_B=b", false },
		{ POLICY_ENV_NONE, "@standard", NULL, STANDARD, false },
		{ POLICY_ENV_NONE, "@standard @known-secrets", "XDG_X",
		  BASIC " LC_ALL=c GH_TOKEN=g", false },
		{ POLICY_ENV_NONE, "*", "@known-secrets FOO*",
		  STANDARD " LCD=1", false },
		{ POLICY_ENV_ALL, NULL, NULL, ALL, false },
		{ POLICY_ENV_ALL, NULL, "@standard FOO_*",
		  "LCD=1 GH_TOKEN=g FOO=f", false },
		{ POLICY_ENV_ALL, "FOO", NULL, "FOO=f", false },
		{ POLICY_ENV_ALL, "", NULL, "", false },
		{ POLICY_ENV_ALL, NULL, NULL, BASIC, true },
		{ POLICY_ENV_ALL, "FOO", "TERM",
		  "PATH=/bin HOME=/h USER=u LANG=l FOO=f", true },
	};

	for (size_t i = 0; i < COUNT(samples); i++) {
		const struct sample *s = &samples[i];
		struct policy policy = { .clean_env = s->clean };
		struct strings given = words(*state, ALL), left;

		set_names(*state, s->allow, &policy.allow_env,
			  &policy.set[KEY_ALLOW_ENV]);
		set_names(*state, s->deny, &policy.deny_env,
			  &policy.set[KEY_DENY_ENV]);
		assert_int_equal(environment(*state, &policy, s->base, &given,
					     &left),
				 0);
		if (!streq(join(*state, &left), s->wanted))
			fail_msg("sample %zu: %s", i, join(*state, &left));
	}
}

static void env_has_the_last_word(void **state)
{
	static const struct policy_pair pairs[] = {
		{ "FOO", "new" },
		{ "GH_TOKEN", "" },
		{ "LC_*", "odd" },
	};
	struct policy policy = {
		.env = { .items = pairs, .n = COUNT(pairs) },
		.deny_env = { .all = true },
	};
	struct strings given = words(*state, "A=1 FOO=1 LC_X=2 FOO=3");
	struct strings left;

	assert_int_equal(environment(*state, &policy, POLICY_ENV_ALL, &given,
				     &left),
			 0);
	assert_string_equal(join(*state, &left),
			    "A=1 LC_X=2 FOO=new GH_TOKEN= LC_*=odd");
	policy.set[KEY_DENY_ENV] = true;
	assert_int_equal(environment(*state, &policy, POLICY_ENV_ALL, &given,
				     &left),
			 0);
	assert_string_equal(join(*state, &left), "FOO=new GH_TOKEN= LC_*=odd");
}

static void what_has_no_name_is_left_out(void **state)
{
	struct policy policy = { 0 };
	struct strings given = words(*state, "=x A A=1 =");
	struct strings left;

	assert_int_equal(environment(*state, &policy, POLICY_ENV_ALL, &given,
				     &left),
			 0);
	assert_string_equal(join(*state, &left), "A=1");
}

static void names_of_presets(void **state)
{
	size_t n = 0;

	(void)state;
	while (policy_env_preset_name(n))
		assert_true(policy_is_env_preset(policy_env_preset_name(n++)));
	assert_int_equal(n, 2);
	assert_non_null(policy_env_preset("standard"));
	assert_non_null(policy_env_preset("known-secrets"));
	assert_null(policy_env_preset("home"));
	assert_false(policy_is_env_preset("@standard"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(bases_and_lists),
		arena_test(env_has_the_last_word),
		arena_test(what_has_no_name_is_left_out),
		arena_test(names_of_presets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
