/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy_flags.c - flags of a policy, as people write them. */
#include "base/util.h"
#include "tests/unit/flag_words.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_state.h"

#define WORDS(...) ((const char *[]){ __VA_ARGS__, NULL })

static int read_flags(const char **words, struct policy *ret, int *ret_used)
{
	int n = 0;

	while (words[n])
		n++;
	*ret = (struct policy){ 0 };
	return policy_from_words(&arena, (char **)words, n, &at_home, NULL, 0,
				 NULL, ret, ret_used);
}

static void short_forms(void **state)
{
	static const struct {
		const char *words[8];
		const char *toml;
	} cases[] = {
		{ { "-r", "/a,@system" },
		  "[filesystem]\nread = [\"/a\", \"@system\"]\n" },
		{ { "-r/a", "--allow-read", "b", "--allow-read=/c" },
		  "[filesystem]\nread = [\"/a\", \"/srv/dir/b\", \"/c\"]\n" },
		{ { "--filesystem-read", "/a,b", "-r", "/c" },
		  "[filesystem]\nread = [\"/a,b\", \"/c\"]\n" },
		{ { "-w", "/a", "-x", "/b" },
		  "[filesystem]\nwrite = [\"/a\"]\nexecute = [\"/b\"]\n" },
		{ { "--allow-write=/a", "--allow-execute=@python,@system" },
		  "[filesystem]\nwrite = [\"/a\"]\n"
		  "execute = [\"@python\", \"@system\"]\n" },
		{ { "--deny-read=/a,/b", "--deny-write=/c", "--deny-execute",
		    "/d" },
		  "[filesystem]\ndeny_read = [\"/a\", \"/b\"]\n"
		  "deny_write = [\"/c\"]\ndeny_execute = [\"/d\"]\n" },
		{ { "--allow-net" }, "[network]\nmode = \"open\"\n" },
		{ { "--allow-net=true" }, "[network]\nmode = \"open\"\n" },
		{ { "--allow-net=false" }, "[network]\nmode = \"deny\"\n" },
		{ { "--deny-net", "a,b:80" },
		  "[network]\ndeny = [\"a\", \"b:80\"]\n" },
		{ { "--net-deny", "a:80,443" },
		  "[network]\ndeny = [\"a:80,443\"]\n" },
		{ { "--net-allow", "a:80,443", "--net-allow=:53" },
		  "[network]\nallow = [\"a:80,443\", \":53\"]\n" },
		{ { "--net-bind", "80", "--network-allow-bind=81" },
		  "[network]\nbind = [\"80\", \"81\"]\n" },
		{ { "--allow-env", "true", "--deny-env", "MY_SECRET" },
		  "[program]\nallow_env = true\n"
		  "deny_env = [\"MY_SECRET\"]\n" },
		{ { "--allow-env", "false" }, "[program]\nallow_env = []\n" },
		{ { "--allow-env", "@standard,CI" },
		  "[program]\nallow_env = [\"@standard\", \"CI\"]\n" },
		{ { "--http-allow", "GET h/a,b", "--http-deny", "* */" },
		  "[http]\nallow = [\"GET h/a,b\"]\ndeny = [\"* */\"]\n" },
		{ { "-m", "1K", "-P", "3" },
		  "[limits]\nmemory = 1024\nprocesses = 3\n" },
		{ { "-m1K", "--memory=2K" }, "[limits]\nmemory = 2048\n" },
		{ { "--workdir", ".", "--chroot=/r", "--mount", "/a:b:ro" },
		  "[config]\nworkdir = \"/srv/dir\"\n\n[filesystem]\n"
		  "chroot = \"/r\"\n"
		  "mount = { \"/a\" = \"/srv/dir/b:ro\" }\n" },
		{ { "--gpu", "0", "--gpu=2" },
		  "[limits]\ngpu_devices = [0, 2]\n" },
		{ { "--gpu=[]" }, "[limits]\ngpu_devices = []\n" },
		{ { "--env", "A=1", "--env=B=" },
		  "[program]\nenv = { \"A\" = \"1\", \"B\" = \"\" }\n" },
		{ { "--env", "{}" }, "[program]\nenv = {}\n" },
		{ { "--program-clean-env", "--program-no-coredump=false" },
		  "[program]\nclean_env = true\nno_coredump = false\n" },
		{ { "--program-args", "-x", "--program-args=" },
		  "[program]\nargs = [\"-x\", \"\"]\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *words[9] = { 0 };
		struct policy policy;
		int used = -1, n = 0;

		for (; n < 8 && cases[i].words[n]; n++)
			words[n] = cases[i].words[n];
		if (read_flags(words, &policy, &used) < 0)
			fail_msg("%s: %s", words[0], err_text());
		assert_int_equal(used, n);
		says(&policy, cases[i].toml);
	}
}

static void flags_end_where_the_command_begins(void **state)
{
	struct policy policy;
	int used;

	(void)state;
	assert_int_equal(read_flags(WORDS("--allow-net", "python", "-x"),
				    &policy, &used),
			 0);
	assert_int_equal(used, 1);
	assert_int_equal(read_flags(WORDS("--allow-read",
					  "@project,@python,@system",
					  "--allow-execute", "@python,@system",
					  "python", "main.py"),
				    &policy, &used),
			 0);
	assert_int_equal(used, 4);
	says(&policy, "[filesystem]\nread = [\"@project\", \"@python\", "
		      "\"@system\"]\nexecute = [\"@python\", \"@system\"]\n");
	assert_int_equal(read_flags(WORDS("-r", "/a", "--", "-m"), &policy,
				    &used),
			 0);
	assert_int_equal(used, 2);
	assert_string_equal(policy.origin[KEY_READ], "-r");
	assert_int_equal(read_flags(WORDS("-"), &policy, &used), 0);
	assert_int_equal(used, 0);
	assert_int_equal(read_flags((const char *[]){ NULL }, &policy, &used),
			 0);
	assert_int_equal(used, 0);
	says(&policy, "");
}

static void wrong_flags_are_refused(void **state)
{
	static const struct {
		const char *words[4];
		const char *why;
	} cases[] = {
		{ { "--allow-raed=/" },
		  "unknown option --allow-raed, see sandlock run --help" },
		{ { "--bllow-read=/" }, "unknown option --bllow-read," },
		{ { "--filesystem_read=/" }, "unknown option --filesystem" },
		{ { "--filesystem.read=/" }, "unknown option --filesystem" },
		{ { "--read=/" }, "unknown option --read," },
		{ { "-z" }, "unknown option -z," },
		{ { "---r" }, "unknown option ---r," },
		{ { "--=x" }, "unknown option --," },
		{ { "--memory" }, "flag needs an argument: --memory" },
		{ { "-m" }, "flag needs an argument: -m" },
		{ { "-m", "--", "x" }, "flag needs an argument: -m" },
		{ { "-r", "/a,,/b" }, "-r: '/a,,/b' has an empty element" },
		{ { "-r", "" }, "-r: '' has an empty element" },
		{ { "--allow-read=," },
		  "--allow-read: ',' has an empty element" },
		{ { "--filesystem-read=" }, "filesystem.read: '' is not" },
		{ { "--allow-net=maybe" },
		  "--allow-net: 'maybe' is not true or false (for one host use "
		  "--net-allow HOST:PORT)" },
		{ { "--network-mode=true" }, "network.mode: 'true' is not" },
		{ { "--program-clean-env=1" }, "'1' is not true or false" },
		{ { "--env", "A" }, "--env: 'A' is not of the form KEY=VALUE" },
		{ { "--env==x" }, "--env: the name before '=' is empty" },
		{ { "--env=A=1", "--env=A=2" }, "'A' is given twice" },
		{ { "--allow-env=true", "--allow-env=A" },
		  "--allow-env: 'true' cannot be combined with names" },
		{ { "--deny-net", "a:80,443" }, "'443' is not an address" },
		{ { "-m", "0" }, "-m: limits.memory: '0' is not a size" },
		{ { "--limits-cpu=0" }, "--limits-cpu: limits.cpu: '0'" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *words[5] = { 0 };
		const struct policy nothing = { 0 };
		struct policy policy;
		int used = -1;

		for (int n = 0; n < 4 && cases[i].words[n]; n++)
			words[n] = cases[i].words[n];
		refused(read_flags(words, &policy, &used), cases[i].why);
		assert_int_equal(used, -1);
		assert_memory_equal(&policy, &nothing, sizeof policy);
	}
}

static void other_flags_are_for_others(void **state)
{
	struct options {
		const char *name;
		bool loud, quick;
	} options = { 0 };
	static const struct option_spec known[] = {
		{ "name", 0, OPTION_TEXT, offsetof(struct options, name),
		  "NAME", "" },
		{ "loud", 'l', OPTION_FLAG, offsetof(struct options, loud),
		  NULL, "" },
		{ "quick", 'q', OPTION_FLAG, offsetof(struct options, quick),
		  NULL, "" },
	};
	const char *words[] = { "--name", "-r",	    "-lq",   "-r/a",
				"--json", "--name", "--why", NULL };
	const char *wrong[] = { "--loud=maybe", "-lqr", "-l=", "-name", "--l" };
	struct policy policy = { 0 };
	int used;

	(void)state;
	assert_int_equal(policy_from_words(&arena, (char **)words, 4, &at_home,
					   known, COUNT(known), &options,
					   &policy, &used),
			 0);
	assert_int_equal(used, 4);
	assert_string_equal(options.name, "-r");
	assert_true(options.loud && options.quick);
	says(&policy, "[filesystem]\nread = [\"/a\"]\n");
	refused(policy_from_words(&arena, (char **)words, 5, &at_home, known,
				  COUNT(known), &options, &policy, &used),
		"unknown option --json,");
	for (size_t i = 0; i < COUNT(wrong); i++)
		refused(policy_from_words(&arena, (char **)&wrong[i], 1,
					  &at_home, known, COUNT(known),
					  &options, &policy, &used),
			i % 2 ? "unknown option -" : "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_forms),
		cmocka_unit_test(flags_end_where_the_command_begins),
		cmocka_unit_test(wrong_flags_are_refused),
		cmocka_unit_test(other_flags_are_for_others),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
