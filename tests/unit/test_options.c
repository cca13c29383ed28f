/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_options.c - what may be typed, and what becomes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "runtime/cli/options.h"
#include "runtime/sandlock-oci/global_options.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define MAX_WORDS 8

struct values {
	const char *bundle;
	const char *pid_file;
	bool detach;
	bool keep;
	struct strings env;
	unsigned int fds;
};

static const struct option_spec specs[] = {
	{ "bundle", 'b', OPTION_TEXT, offsetof(struct values, bundle), "DIR",
	  "" },
	{ "pid-file", 0, OPTION_TEXT, offsetof(struct values, pid_file), "FILE",
	  "" },
	{ "detach", 'd', OPTION_FLAG, offsetof(struct values, detach), NULL,
	  "" },
	{ "keep", 0, OPTION_FLAG, offsetof(struct values, keep), NULL, "" },
	{ "env", 'e', OPTION_LIST, offsetof(struct values, env), "K=V", "" },
	{ "preserve-fds", 0, OPTION_NUMBER, offsetof(struct values, fds), "N",
	  "" },
};

static const struct option_table anywhere = {
	.command = "create",
	.items = specs,
	.n = COUNT(specs),
};
static const struct option_table until_id = {
	.command = "exec",
	.items = specs,
	.n = COUNT(specs),
	.stop_at_args = true,
};
static const struct option_table program = {
	.items = specs,
	.n = COUNT(specs),
	.stop_at_args = true,
};

struct parsed {
	struct values values;
	struct arguments args;
	int r;
};

/* Cut a line at its spaces and parse it; '' is the empty word. */
static struct parsed parse(struct arena *arena,
			   const struct option_table *table, const char *line)
{
	struct parsed p = { 0 };
	char *words[MAX_WORDS + 1] = { 0 };
	char *rest = arena_strdup(arena, line);
	int n = 0;

	for (char *w; n < MAX_WORDS && (w = strsep(&rest, " "));)
		if (*w)
			words[n++] = streq(w, "''") ? w + 2 : w;
	p.r = options_parse(arena, table, n, words, &p.values, &p.args);
	return p;
}

static bool same(const char *a, const char *b)
{
	return a && b ? streq(a, b) : a == b;
}

static void values_in_every_spelling(void **state)
{
	static const struct {
		const char *line, *bundle, *pid_file;
		bool detach, keep;
		unsigned int fds;
	} cases[] = {
		{ .line = "web1" },
		{ .line = "--bundle /b web1", .bundle = "/b" },
		{ .line = "--bundle=/b web1", .bundle = "/b" },
		{ .line = "-bundle /b web1", .bundle = "/b" },
		{ .line = "-bundle=/b web1", .bundle = "/b" },
		{ .line = "-b /b web1", .bundle = "/b" },
		{ .line = "-b=/b web1", .bundle = "/b" },
		{ .line = "-b '' web1", .bundle = "" },
		{ .line = "--bundle= web1", .bundle = "" },
		{ .line = "-b a=b web1", .bundle = "a=b" },
		{ .line = "-b=a=b web1", .bundle = "a=b" },
		{ .line = "-b /a -b /b web1", .bundle = "/b" },
		{ .line = "web1 -b /b", .bundle = "/b" },
		{ .line = "-b --detach web1", .bundle = "--detach" },
		{ .line = "-b -- web1", .bundle = "--" },
		{ .line = "-d web1", .detach = true },
		{ .line = "--detach web1", .detach = true },
		{ .line = "-detach web1", .detach = true },
		{ .line = "--detach=true web1", .detach = true },
		{ .line = "--detach=false web1" },
		{ .line = "-d -d=false web1" },
		{ .line = "-d --keep web1", .detach = true, .keep = true },
		{ .line = "--preserve-fds 3 web1", .fds = 3 },
		{ .line = "--preserve-fds=4294967295 web1", .fds = UINT32_MAX },
		{ .line = "web1 --pid-file p -d",
		  .pid_file = "p",
		  .detach = true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed p = parse(*state, &anywhere, cases[i].line);

		if (p.r < 0 || p.args.argc != 1 ||
		    !streq(p.args.argv[0], "web1") || p.args.argv[1] ||
		    !same(p.values.bundle, cases[i].bundle) ||
		    !same(p.values.pid_file, cases[i].pid_file) ||
		    p.values.detach != cases[i].detach ||
		    p.values.keep != cases[i].keep ||
		    p.values.fds != cases[i].fds)
			fail_msg("%s", cases[i].line);
	}
}

static void lists_grow(void **state)
{
	struct parsed p = parse(*state, &anywhere, "-e A=1 --env=B -e= web1");

	assert_int_equal(p.r, 0);
	assert_int_equal(p.values.env.n, 3);
	assert_string_equal(p.values.env.items[0], "A=1");
	assert_string_equal(p.values.env.items[1], "B");
	assert_string_equal(p.values.env.items[2], "");
	assert_null(p.values.env.items[3]);
}

static void where_options_end(void **state)
{
	static const struct {
		const struct option_table *table;
		const char *line, *last;
		int argc;
		bool detach;
	} cases[] = {
		{ &until_id, "-d web1 ls -l", "-l", 3, true },
		{ &until_id, "web1 -d", "-d", 2, false },
		{ &until_id, "web1 --help", "--help", 2, false },
		{ &until_id, "web1 -- ls", "ls", 3, false },
		{ &until_id, "-- web1 ls", "ls", 2, false },
		{ &anywhere, "web1 -d -- -b", "-b", 2, true },
		{ &anywhere, "-- --help", "--help", 1, false },
		{ &anywhere, "-d -", "-", 1, true },
		{ &anywhere, "-d ''", "", 1, true },
		{ &anywhere, "-d", NULL, 0, true },
		{ &program, "-d kill -d", "-d", 2, true },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed p = parse(*state, cases[i].table, cases[i].line);
		const char *last =
			p.args.argc > 0 ? p.args.argv[p.args.argc - 1] : NULL;

		if (p.r < 0 || p.args.argc != cases[i].argc || p.args.help ||
		    !same(last, cases[i].last) ||
		    p.values.detach != cases[i].detach)
			fail_msg("%s", cases[i].line);
	}
}

static void help_is_always_there(void **state)
{
	static const char *const lines[] = {
		"--help", "-h", "-help", "web1 --help", "-d -h --nonsense",
	};

	for (size_t i = 0; i < COUNT(lines); i++) {
		struct parsed p = parse(*state, &anywhere, lines[i]);

		assert_int_equal(p.r, 0);
		assert_true(p.args.help);
	}
}

static void mistakes_are_named(void **state)
{
	static const struct {
		const struct option_table *table;
		const char *line, *text;
	} cases[] = {
		{ &anywhere, "web1 --pid-file",
		  "flag needs an argument: --pid-file" },
		{ &anywhere, "-b", "flag needs an argument: --bundle" },
		{ &anywhere, "--nonsense=1 web1",
		  "unknown option --nonsense, see sandlock-oci create --help" },
		{ &anywhere, "-x",
		  "unknown option -x, see sandlock-oci create --help" },
		{ &anywhere, "--b x",
		  "unknown option --b, see sandlock-oci create --help" },
		{ &anywhere, "--bund x",
		  "unknown option --bund, see sandlock-oci create --help" },
		{ &anywhere, "-bDIR",
		  "unknown option -bDIR, see sandlock-oci create --help" },
		{ &anywhere, "--=x",
		  "unknown option --, see sandlock-oci create --help" },
		{ &program, "--nonsense kill",
		  "unknown option --nonsense, see sandlock-oci --help" },
		{ &anywhere, "--detach=maybe",
		  "--detach: 'maybe' is not true or false" },
		{ &anywhere, "--preserve-fds x",
		  "--preserve-fds: 'x' is not a number from 0 to 4294967295" },
		{ &anywhere, "--preserve-fds -1",
		  "--preserve-fds: '-1' is not a number from 0 to 4294967295" },
		{ &anywhere, "--preserve-fds=4294967296",
		  "--preserve-fds: '4294967296' is not a number from 0 to "
		  "4294967295" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed p = parse(*state, cases[i].table, cases[i].line);

		assert_true(p.r < 0);
		/* The C library's reason may follow. */
		if (!starts_with(err_text(), cases[i].text))
			fail_msg("%s: %s", cases[i].line, err_text());
	}
}

static void the_root_is_absolute_and_clean(void **state)
{
	static const struct {
		const char *given, *root; /* NULL: refused */
	} cases[] = {
		{ "/run/x", "/run/x" },
		{ "/run/x/", "/run/x" },
		{ "//run///x//", "/run/x" },
		{ "/./run/./x/.", "/run/x" },
		{ "/run/y/../x", "/run/x" },
		{ "/../run/x", "/run/x" },
		{ "/run/..x/...", "/run/..x/..." },
		{ "x", "/tmp/x" },
		{ "./x/y/..", "/tmp/x" },
		{ ".", "/tmp" },
		{ "/", NULL },
		{ "//", NULL },
		{ "/.", NULL },
		{ "/run/..", NULL },
		{ "..", NULL },
		{ "", NULL },
	};

	assert_int_equal(chdir("/tmp"), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct global_options options = { .root = cases[i].given };
		struct session session = { .arena = *state };
		int r = global_options_apply(&options, &session);

		if (cases[i].root ?
			    r < 0 || !session.root_given ||
				    !streq(session.root, cases[i].root) :
			    r >= 0)
			fail_msg("'%s' is %s", cases[i].given, session.root);
	}
}

static void words_are_from_a_list(void **state)
{
	static const struct {
		struct global_options options;
		bool good;
		enum cgroup_manager manager;
		int rootless;
	} cases[] = {
		{ { 0 }, true, CGROUP_CGROUPFS, -1 },
		{ { .systemd_cgroup = true }, true, CGROUP_SYSTEMD, -1 },
		{ { .cgroup_manager = "systemd" }, true, CGROUP_SYSTEMD, -1 },
		{ { .cgroup_manager = "disabled" }, true, CGROUP_DISABLED, -1 },
		{ { .cgroup_manager = "" }, .good = false },
		{ { .rootless = "true" }, true, CGROUP_CGROUPFS, 1 },
		{ { .rootless = "false" }, true, CGROUP_CGROUPFS, 0 },
		{ { .rootless = "auto" }, true, CGROUP_CGROUPFS, -1 },
		{ { .rootless = "maybe" }, .good = false },
		{ { .log_format = "json" }, true, CGROUP_CGROUPFS, -1 },
		{ { .log_format = "xml" }, .good = false },
		{ { .log_level = "warning" }, true, CGROUP_CGROUPFS, -1 },
		{ { .log_level = "loud" }, .good = false },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct session session = { .arena = *state };
		int r = global_options_apply(&cases[i].options, &session);

		assert_int_equal(r >= 0, cases[i].good);
		if (r < 0)
			continue;
		assert_int_equal(session.cgroup_manager, cases[i].manager);
		assert_int_equal(session.rootless, cases[i].rootless);
		assert_false(session.root_given);
		assert_non_null(session.root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_in_every_spelling),
		cmocka_unit_test(lists_grow),
		cmocka_unit_test(where_options_end),
		cmocka_unit_test(help_is_always_there),
		cmocka_unit_test(mistakes_are_named),
		cmocka_unit_test(the_root_is_absolute_and_clean),
		cmocka_unit_test(words_are_from_a_list),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
