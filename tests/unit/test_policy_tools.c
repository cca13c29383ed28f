/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy_tools.c - files of other tools say the same as ours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"
#include "base/util.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_equal.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

struct spelling {
	enum policy_key key;
	const char *text;
	const char *toml;
};

/* JSON with other quotes, for the eye. */
static int policy_from_claude_quoted(struct arena *to, const char *text,
				     size_t len, const char *name,
				     const struct policy_place *place,
				     struct policy *ret)
{
	char *json = arena_strdup(to, text);

	for (char *at = json; *at; at++)
		if (*at == '\'')
			*at = '"';
	return policy_from_claude(to, json, len, name, place, ret);
}

/* The same value of the one key, whatever else a tool takes for granted. */
static void
say_the_same(int (*read)(struct arena *, const char *, size_t, const char *,
			 const struct policy_place *, struct policy *),
	     struct arena *arena, const char *before, const char *after,
	     const struct spelling *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct policy_key_info *info =
			policy_key_info(cases[i].key);
		const char *text = arena_printf(arena, "%s%s%s", before,
						cases[i].text, after);
		struct policy theirs = { 0 }, ours = { 0 };

		if (read(arena, text, strlen(text), "x", &at_home, &theirs) < 0)
			fail_msg("%s: %s", text, err_text());
		if (by_toml(arena, info->name, cases[i].toml, &at_home, &ours) <
		    0)
			fail_msg("%s: %s", info->name, err_text());
		assert_true(theirs.set[cases[i].key]);
		assert_string_equal(theirs.origin[cases[i].key], "x");
		if (!policy_equal_key(&theirs, &ours, cases[i].key))
			fail_msg("%s is not %s = %s", cases[i].text, info->name,
				 cases[i].toml);
	}
}

static void other_tools_say_the_same(void **state)
{
	static const struct spelling uv[] = {
		{ KEY_READ, "allow-read = ['/a', { preset = 'system' }]",
		  "['/a', '@system']" },
		{ KEY_DENY_READ, "deny-read = ['/a']", "['/a']" },
		{ KEY_WRITE_ONLY, "allow-write = ['/a']", "['/a']" },
		{ KEY_DENY_WRITE, "deny-write = ['/a']", "['/a']" },
		{ KEY_EXECUTE, "allow-execute = [{ preset = 'python' }]",
		  "['@python']" },
		{ KEY_EXECUTE, "allow-net = true", "[]" },
		{ KEY_DENY_EXECUTE, "deny-execute = ['/a']", "['/a']" },
		{ KEY_NET_MODE, "allow-net = true", "'open'" },
		{ KEY_NET_MODE, "allow-net = false", "'deny'" },
		{ KEY_NET_DENY, "allow-net = true\ndeny-net = ['a.org']",
		  "['a.org']" },
		{ KEY_ALLOW_ENV, "allow-env = true", "true" },
		{ KEY_ALLOW_ENV,
		  "allow-env = ['PATH', { preset = 'standard' }]",
		  "['PATH', '@standard']" },
		{ KEY_DENY_ENV, "deny-env = ['X_*']", "['X_*']" },
	};
	static const struct spelling claude[] = {
		{ KEY_EXCLUDED, "'excludedCommands': ['docker']",
		  "['docker']" },
		{ KEY_ALLOW_UNSANDBOXED, "'allowUnsandboxedCommands': false",
		  "false" },
		{ KEY_WEAKER_NESTED, "'enableWeakerNestedSandbox': true",
		  "true" },
		{ KEY_NET_ALLOW, "'allowedDomains': ['a.org']", "['a.org']" },
		{ KEY_NET_DENY, "'network': {'blockedDomains': ['a.org']}",
		  "['a.org']" },
		{ KEY_UNIX, "'network': {'allowUnixSockets': ['/s']}",
		  "['/s']" },
		{ KEY_ALLOW_LOCAL_BINDING,
		  "'network': {'allowLocalBinding': true}", "true" },
		{ KEY_HTTP_PROXY_PORT, "'network': {'httpProxyPort': 8080}",
		  "8080" },
		{ KEY_SOCKS_PROXY_PORT, "'network': {'socksProxyPort': 1080}",
		  "1080" },
		{ KEY_WRITE, "'filesystem': {'allowWrite': ['/a']}",
		  "['@project', '-/tmp', '-/var/tmp', '/a']" },
		{ KEY_DENY_WRITE, "'filesystem': {'denyWrite': ['/a']}",
		  "['@git-hooks', '@git-config', '/a']" },
		{ KEY_DENY_READ, "'filesystem': {'denyRead': ['/a']}",
		  "['/a']" },
	};

	say_the_same(policy_from_uv, *state, "[tool.uv.sandbox]\n", "\n", uv,
		     COUNT(uv));
	say_the_same(policy_from_claude_quoted, *state,
		     "{'sandbox': {'enabled': true, ", "}}", claude,
		     COUNT(claude));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_tools_say_the_same),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
