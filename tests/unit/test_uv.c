/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_uv.c - the sandbox section of uv projects, as policies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/policy.h"
#include "tests/unit/arena_state.h"
#include "tests/unit/policy_equal.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define PROJECT "[tool.uv.sandbox]\n"
#define LINE2 "pyproject.toml: line 2: "
#define KNOWN                                                           \
	" (known: allow-read, deny-read, allow-write, deny-write, "     \
	"allow-execute, deny-execute, allow-net, deny-net, allow-env, " \
	"deny-env)"

static const struct policy_place place = {
	.cwd = "/p",
	.home = "/home/u",
	.project = "/p",
};

static struct policy read_as(struct arena *arena, const char *name,
			     const char *text)
{
	struct policy policy = { 0 };

	if (policy_from_uv(arena, text, strlen(text), name, &place, &policy) <
	    0)
		fail_msg("%s\n%s", text, err_text());
	return policy;
}

/* What is in a policy, as the profile that says the same. */
static void check(struct arena *arena, const char *text, const char *profile)
{
	struct policy policy = read_as(arena, "pyproject.toml", text);
	struct policy wanted = { 0 };
	const char *got;

	if (policy_from_toml(arena, profile, strlen(profile), "profile", &place,
			     &wanted) < 0)
		fail_msg("%s", err_text());
	assert_int_equal(policy_to_toml(arena, &policy, &got), 0);
	if (!policy_equal(&policy, &wanted))
		fail_msg("%s\nis\n%s\nnot\n%s", text, got, profile);
}

#define NOTHING_ELSE                     \
	"[program]\nallow_env = false\n" \
	"[network]\nmode = \"deny\"\n"

/* Those of the section's own description. */
static void the_examples(void **state)
{
	static const struct {
		const char *section, *profile;
	} examples[] = {
		{ "allow-read = [{ preset = \"project\" }, "
		  "{ preset = \"python\" }, { preset = \"system\" }]\n"
		  "allow-write = [{ preset = \"project\" }, "
		  "{ preset = \"tmp\" }]\n"
		  "allow-execute = [{ preset = \"python\" }, "
		  "{ preset = \"system\" }]\n"
		  "allow-env = [{ preset = \"standard\" }]\n",
		  "[filesystem]\n"
		  "read = [\"@project\", \"@python\", \"@system\"]\n"
		  "write_only = [\"@project\", \"@tmp\"]\n"
		  "execute = [\"@python\", \"@system\"]\n"
		  "[program]\nallow_env = [\"@standard\"]\n"
		  "[network]\nmode = \"deny\"\n" },
		{ "", "[filesystem]\nread = []\nwrite_only = []\nexecute = "
		      "[]\n" NOTHING_ELSE },
		{ "allow-read = [{ preset = \"project\" }, "
		  "{ preset = \"python\" }]\n"
		  "deny-read = [{ preset = \"known-secrets\" }]\n",
		  "[filesystem]\nread = [\"@project\", \"@python\"]\n"
		  "deny_read = [\"@known-secrets\"]\n"
		  "write_only = []\nexecute = []\n" NOTHING_ELSE },
		{ "allow-read = [{ preset = \"project\" }, "
		  "\"/opt/shared-data\"]\n"
		  "deny-write = [{ preset = \"shell-configs\" }, \".env\"]\n",
		  "[filesystem]\nread = [\"@project\", \"/opt/shared-data\"]\n"
		  "deny_write = [\"@shell-configs\", \"/p/.env\"]\n"
		  "write_only = []\nexecute = []\n" NOTHING_ELSE },
		{ "allow-read = [{ preset = \"project\" }, "
		  "{ preset = \"python\" }, { preset = \"system\" }]\n"
		  "allow-execute = [{ preset = \"python\" }, "
		  "{ preset = \"system\" }]\n"
		  "allow-env = [{ preset = \"standard\" }]\n",
		  "[filesystem]\n"
		  "read = [\"@project\", \"@python\", \"@system\"]\n"
		  "write_only = []\nexecute = [\"@python\", \"@system\"]\n"
		  "[program]\nallow_env = [\"@standard\"]\n"
		  "[network]\nmode = \"deny\"\n" },
		{ "allow-read = [{ preset = \"project\" }, "
		  "{ preset = \"python\" }, { preset = \"system\" }, "
		  "\"/data/datasets\"]\n"
		  "allow-write = [{ preset = \"project\" }, "
		  "{ preset = \"tmp\" }]\n"
		  "allow-execute = [{ preset = \"python\" }, "
		  "{ preset = \"system\" }]\n"
		  "allow-net = true\n"
		  "allow-env = [{ preset = \"standard\" }, "
		  "\"DATABASE_URL\"]\n",
		  "[filesystem]\nread = [\"@project\", \"@python\", "
		  "\"@system\", \"/data/datasets\"]\n"
		  "write_only = [\"@project\", \"@tmp\"]\n"
		  "execute = [\"@python\", \"@system\"]\n"
		  "[program]\nallow_env = [\"@standard\", \"DATABASE_URL\"]\n"
		  "[network]\nmode = \"open\"\n" },
		{ "allow-read = [{ preset = \"home\" }, "
		  "{ preset = \"python\" }, { preset = \"system\" }]\n"
		  "deny-read = [{ preset = \"known-secrets\" }]\n"
		  "allow-write = [{ preset = \"project\" }]\n"
		  "deny-write = [{ preset = \"shell-configs\" }, "
		  "{ preset = \"git-hooks\" }, { preset = \"ide-configs\" }]\n"
		  "allow-execute = [{ preset = \"python\" }, "
		  "{ preset = \"system\" }]\n"
		  "allow-env = true\n"
		  "deny-env = [{ preset = \"known-secrets\" }]\n",
		  "[filesystem]\nread = [\"@home\", \"@python\", \"@system\"]\n"
		  "deny_read = [\"@known-secrets\"]\n"
		  "write_only = [\"@project\"]\n"
		  "deny_write = [\"@shell-configs\", \"@git-hooks\", "
		  "\"@ide-configs\"]\n"
		  "execute = [\"@python\", \"@system\"]\n"
		  "[program]\nallow_env = true\n"
		  "deny_env = [\"@known-secrets\"]\n"
		  "[network]\nmode = \"deny\"\n" },
	};

	for (size_t i = 0; i < COUNT(examples); i++)
		check(*state,
		      arena_printf(*state, PROJECT "%s", examples[i].section),
		      examples[i].profile);
}

static void every_key(void **state)
{
	check(*state,
	      PROJECT "allow-read = [\"~/data\", \"src/*.py\", \"-/opt/x\"]\n"
		      "deny-read = [\"*.env\"]\n"
		      "allow-write = [\"out\"]\n"
		      "deny-write = [\"out/keep\"]\n"
		      "allow-execute = [\"/usr/bin\"]\n"
		      "deny-execute = [\"/usr/bin/curl\"]\n"
		      "allow-net = true\n"
		      "deny-net = [\"example.com\", \"10.0.0.0/8\"]\n"
		      "allow-env = [\"LC_*\"]\n"
		      "deny-env = [\"LC_ALL\"]\n",
	      "[filesystem]\n"
	      "read = [\"/home/u/data\", \"/p/src/*.py\", \"-/opt/x\"]\n"
	      "deny_read = [\"*.env\"]\n"
	      "write_only = [\"/p/out\"]\n"
	      "deny_write = [\"/p/out/keep\"]\n"
	      "execute = [\"/usr/bin\"]\n"
	      "deny_execute = [\"/usr/bin/curl\"]\n"
	      "[network]\nmode = \"open\"\n"
	      "deny = [\"example.com\", \"10.0.0.0/8\"]\n"
	      "[program]\nallow_env = [\"LC_*\"]\ndeny_env = [\"LC_ALL\"]\n");
}

#define EMPTY "[filesystem]\nread = []\nwrite_only = []\nexecute = []\n"

static void deny_net_alone_opens_nothing(void **state)
{
	check(*state, PROJECT "deny-net = [\"example.com\"]\n",
	      EMPTY NOTHING_ELSE);
	check(*state, PROJECT "allow-net = false\ndeny-net = [\"a.b\"]\n",
	      EMPTY NOTHING_ELSE);
}

static void allow_env_may_be_false(void **state)
{
	check(*state, PROJECT "allow-env = false\n", EMPTY NOTHING_ELSE);
}

static void the_rest_of_the_file_is_not_ours(void **state)
{
	check(*state,
	      "[project]\nname = \"x\"\n[tool.uv]\ndev-dependencies = []\n"
	      "[tool.uv.sandbox]\nallow-net = true\n"
	      "[tool.uv.sources]\nallow-raed = 1\n[tool.ruff]\n",
	      EMPTY "[program]\nallow_env = false\n"
		    "[network]\nmode = \"open\"\n");
	check(*state, "tool.uv = { sandbox = { } }", EMPTY NOTHING_ELSE);
}

static void uv_toml_has_a_shorter_name(void **state)
{
	struct policy policy =
		read_as(*state, "/p/uv.toml", "[sandbox]\nallow-net = true\n");

	assert_int_equal(policy.mode, POLICY_MODE_OPEN);
	assert_string_equal(policy.origin[KEY_NET_MODE], "/p/uv.toml");
}

/* It says all: what a layer below had allowed is gone. */
static void what_is_absent_is_denied(void **state)
{
	static const char below[] = "[filesystem]\nread = [\"/\"]\n"
				    "[network]\nmode = \"open\"\n"
				    "[limits]\nmemory = \"1G\"\n";
	struct policy policy = { 0 };

	assert_int_equal(policy_from_toml(*state, below, strlen(below), "b",
					  &place, &policy),
			 0);
	assert_int_equal(policy_from_uv(*state, PROJECT, strlen(PROJECT),
					"pyproject.toml", &place, &policy),
			 0);
	assert_int_equal(policy.read.n, 0);
	assert_true(policy.set[KEY_READ]);
	assert_int_equal(policy.mode, POLICY_MODE_DENY);
	assert_true(policy.set[KEY_MEMORY]);
}

static void refusals(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "pyproject.toml: has no section [tool.uv.sandbox]" },
		{ "[tool.uv]\n",
		  "pyproject.toml: has no section [tool.uv.sandbox]" },
		{ "[sandbox]\n",
		  "pyproject.toml: has no section [tool.uv.sandbox]" },
		{ "[tool]\nuv = 1\n",
		  LINE2 "'uv' of "
			"[tool.uv.sandbox] is not a table" },
		{ "[tool.uv]\nsandbox = []\n",
		  LINE2 "'sandbox' of [tool.uv.sandbox] is "
			"not a table" },
		{ "[tool.uv.sandbox\n",
		  "pyproject.toml: line 1, column 17: expected ']' after a "
		  "key" },
		{ PROJECT "allow-raed = [\"/data\", 1]\n",
		  LINE2 "unknown key \"allow-raed\" = "
			"[\"/data\", 1]" KNOWN ": did you mean allow-read?" },
		{ PROJECT "\n\nallow_net = true\n",
		  "pyproject.toml: line 4: unknown key \"allow_net\" = "
		  "true" KNOWN ": did you mean allow-net?" },
		{ PROJECT "[tool.uv.sandbox.more]\nx = 1.5\n",
		  LINE2 "unknown key \"more\", a table" KNOWN },
		{ PROJECT "allow-read = \"/data\"\n",
		  LINE2 "allow-read: \"/data\" is not a list" },
		{ PROJECT "allow-read = true\n",
		  LINE2 "allow-read: true is not a list" },
		{ PROJECT "allow-read = [1]\n",
		  LINE2 "allow-read: 1 is not a string" },
		{ PROJECT "allow-read = [\"\"]\n",
		  LINE2 "allow-read: filesystem.read: '' is "
			"not a path" },
		{ PROJECT "allow-read = [\"@home\"]\n",
		  LINE2 "allow-read: '@home': write a preset as { preset = "
			"\"home\" } in this file" },
		{ PROJECT "allow-read = [{ preset = \"homes\" }]\n",
		  LINE2 "allow-read: unknown preset "
			"\"homes\" (known: project, home, system, tmp, python, "
			"virtualenv, uv-cache, known-secrets, shell-configs, "
			"git-hooks, git-config, ide-configs): did you mean "
			"home?" },
		{ PROJECT "allow-read = [{ preset = \"standard\" }]\n", LINE2
		  "allow-read: unknown preset "
		  "\"standard\" (known: project, home, system, tmp, python, "
		  "virtualenv, uv-cache, known-secrets, shell-configs, "
		  "git-hooks, git-config, ide-configs)" },
		{ PROJECT "allow-env = [{ preset = \"home\" }]\n",
		  LINE2 "allow-env: unknown preset \"home\" "
			"(known: standard, known-secrets)" },
		{ PROJECT "allow-read = [{ presets = \"home\" }]\n",
		  LINE2 "allow-read: {\"presets\" = \"home\"} is not a string "
			"or { preset = \"...\" }" },
		{ PROJECT "allow-read = [{ preset = 1 }]\n",
		  LINE2 "allow-read: {\"preset\" = 1} is not a string "
			"or { preset = \"...\" }" },
		{ PROJECT "allow-read = [{ preset = \"home\", x = 1 }]\n",
		  LINE2 "allow-read: {\"preset\" = \"home\", \"x\" = 1} is not "
			"a string "
			"or { preset = \"...\" }" },
		{ PROJECT "allow-read = [{}]\n",
		  LINE2 "allow-read: {} is not a string "
			"or { preset = \"...\" }" },
		{ PROJECT "allow-net = \"example.com\"\n",
		  LINE2 "allow-net: \"example.com\" is not "
			"true or false" },
		{ PROJECT "allow-net = [\"example.com\"]\n",
		  LINE2 "allow-net: [\"example.com\"] is not true or "
			"false" },
		{ PROJECT "deny-net = true\n",
		  LINE2 "deny-net: true is not a list" },
		{ PROJECT "deny-net = [{ preset = \"home\" }]\n",
		  LINE2 "deny-net: {\"preset\" = \"home\"} is not a string" },
		{ PROJECT "allow-env = 1\n",
		  LINE2 "allow-env: 1 is not true, false or "
			"a list" },
		{ PROJECT "deny-env = false\n",
		  LINE2 "deny-env: false is not a list" },
		{ PROJECT "deny-env = true\n",
		  LINE2 "deny-env: true is not a list" },
		{ PROJECT "allow-read = [\"${HOME}\"]\n", LINE2
		  "allow-read: filesystem.read: '${HOME}' contains a variable, "
		  "but variables are not expanded: write its value" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy policy = { 0 };

		if (policy_from_uv(*state, cases[i].text, strlen(cases[i].text),
				   "pyproject.toml", &place, &policy) == 0)
			fail_msg("accepted: %s", cases[i].text);
		if (!streq(err_text(), cases[i].error))
			fail_msg("%s\nis  %s\nnot %s", cases[i].text,
				 err_text(), cases[i].error);
		assert_false(policy.set[KEY_READ]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(the_examples),
		arena_test(every_key),
		arena_test(deny_net_alone_opens_nothing),
		arena_test(allow_env_may_be_false),
		arena_test(the_rest_of_the_file_is_not_ours),
		arena_test(uv_toml_has_a_shorter_name),
		arena_test(what_is_absent_is_denied),
		arena_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
