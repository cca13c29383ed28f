/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_glob.c - what patterns match, in theory and in a directory. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "oci/oci.h"
#include "policy/glob.h"
#include "policy/glob_parts.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

/* What glob.h says, of a path as a text: what is found must agree with it. */
static bool glob_match(const char *pattern, const char *path)
{
	const char *p = pattern, *s = path + strspn(path, "/");
	const char *deep = NULL, *resume = NULL;

	if ((*pattern == '/') != (*path == '/'))
		return false;
	p += strspn(p, "/");
	for (;;) {
		const char *after = p, *rest = s;
		struct glob_part part = glob_part_next(&after);
		struct glob_part name = glob_part_next(&rest);

		if (!*s)
			return !*p;
		if (*p && glob_part_is_deep(part)) {
			if (!*after)
				return true;
			deep = p = after;
			resume = s;
		} else if (*p && glob_part_match(part, name.text, name.len)) {
			p = after;
			s = rest;
		} else if (deep) {
			glob_part_next(&resume);
			p = deep;
			s = resume;
		} else {
			return false;
		}
	}
}

struct tree {
	struct arena arena;
	char path[64];
	int root;
};

static void matching(void **state)
{
	static const struct {
		const char *pattern, *path;
		bool match;
	} cases[] = {
		{ "/a", "/a", true },
		{ "/a", "/b", false },
		{ "/a", "/a/b", false },
		{ "/a/b", "/a", false },
		{ "/a", "a", false },
		{ "a", "/a", false },
		{ "//a///b/", "/a/b", true },
		{ "/", "/", true },
		{ "/*", "/", false },
		/* within a component */
		{ "/*", "/a", true },
		{ "/*", "/.hidden", true },
		{ "/*", "/a/b", false },
		{ "/*/b", "/a/b", true },
		{ "/*/b", "/b", false },
		{ "/a*c", "/abc", true },
		{ "/a*c", "/ac", true },
		{ "/a*c", "/ab/c", false },
		{ "/*.env", "/.env", true },
		{ "/*.env", "/x.env.local", false },
		{ "/*a*b*c", "/xxaxbxbxc", true },
		{ "/*a*b*c", "/xxaxbxbx", false },
		{ "/?", "/a", true },
		{ "/?", "/.", true },
		{ "/?", "/", false },
		{ "/?", "/ab", false },
		{ "/a?b", "/a/b", false },
		{ "/??", "/é", true },
		{ "/?", "/é", false },
		/* sets */
		{ "/[abc]", "/b", true },
		{ "/[abc]", "/d", false },
		{ "/[a-c]x", "/bx", true },
		{ "/[a-c]x", "/dx", false },
		{ "/[!a-c]", "/d", true },
		{ "/[!a-c]", "/b", false },
		{ "/[^a-c]", "/b", false },
		{ "/[^a-c]", "/d", true },
		{ "/[]a]", "/]", true },
		{ "/[!]a]", "/]", false },
		{ "/[a-]", "/-", true },
		{ "/[-a]", "/-", true },
		{ "/[\\]]", "/]", true },
		{ "/[\\a-\\c]", "/b", true },
		{ "/[a", "/[a", true },
		{ "/[a", "/a", false },
		{ "/[a/b]", "/a", false },
		{ "/[!x]", "/", false },
		{ "/[\xc0-\xff]?", "/é", true },
		{ "/[z-a]", "/m", false },
		/* quotes */
		{ "/\\*", "/*", true },
		{ "/\\*", "/a", false },
		{ "/\\?\\[\\\\", "/?[\\", true },
		{ "/a\\b", "/ab", true },
		{ "/\\**", "/*x", true },
		{ "/x\\", "/x\\", true },
		/* across */
		{ "/**", "/a", true },
		{ "/**", "/a/b/.c", true },
		{ "/**", "/", false },
		{ "/a/**", "/a", false },
		{ "/a/**", "/a/b/c", true },
		{ "/**/b", "/b", true },
		{ "/**/b", "/a/b", true },
		{ "/**/b", "/a/x/b", true },
		{ "/**/b", "/a/b/c", false },
		{ "/a/**/b", "/a/b", true },
		{ "/a/**/b", "/a/x/y/b", true },
		{ "/a/**/b", "/x/b", false },
		{ "/**/a/**/b", "/a/x/a/b", true },
		{ "/**/a/b/**", "/a/x/a/b/c", true },
		{ "/**/a/b/**", "/a/x/a/b", false },
		{ "/**/**/b", "/b", true },
		{ "/**/*.env", "/x/.env", true },
		{ "**/b", "a/b", true },
		{ "/a**b", "/axxb", true },
		{ "/a**b", "/a/b", false },
		{ "/***", "/a", true },
		{ "/***", "/a/b", false },
		{ "/\\**/b", "/a/b", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (glob_match(cases[i].pattern, cases[i].path) !=
		    cases[i].match)
			fail_msg("%s and %s", cases[i].pattern, cases[i].path);
}

/* The time must not grow with a power of the number of stars. */
static void matching_is_fast(void **state)
{
	const char *stars = "/*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
	const char *deep = "/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b";
	char name[256] = "/", path[4096] = "";

	(void)state;
	memset(name + 1, 'a', sizeof name - 2);
	for (size_t i = 0; i + 2 < sizeof path; i += 2)
		memcpy(path + i, "/a", 3);
	assert_false(glob_match(stars, name));
	assert_false(glob_match(deep, path));
}

static void quoting(void **state)
{
	struct tree *t = *state;
	const char *odd = "/a*?[x]\\y/é";
	const char *quoted = policy_glob_quote(&t->arena, odd);

	assert_string_equal(quoted, "/a\\*\\?\\[x]\\\\y/é");
	assert_string_equal(policy_glob_unquote(&t->arena, quoted), odd);
	assert_true(glob_match(quoted, odd));
	assert_false(policy_is_glob(quoted));
	assert_true(policy_is_glob(odd));
	assert_false(policy_is_glob("/a\\"));
	assert_true(policy_is_glob("/a\\\\*"));
}

static const char *const dirs[] = { "a", "a/b", "a/b/c", "a/.d",
				    "x", "x/b", "x/[y]" };
static const char *const files[] = { "one.env",	   "a/.env",   "a/two.env",
				     "a/b/c/.env", "a/.d/env", "x/b/f",
				     "x/[y]/*" };

static void make_tree(int root)
{
	for (size_t i = 0; i < COUNT(dirs); i++)
		assert_int_equal(mkdirat(root, dirs[i], 0700), 0);
	for (size_t i = 0; i < COUNT(files); i++) {
		autoclose int fd = openat(root, files[i],
					  O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

		assert_true(fd >= 0);
	}
	assert_int_equal(symlinkat("/a/b", root, "link"), 0);
	assert_int_equal(symlinkat("/", root, "a/up"), 0);
	assert_int_equal(symlinkat("nowhere", root, "x/broken"), 0);
}

static int setup(void **state)
{
	static struct tree t;

	t = (struct tree){ .path = "/tmp/test_glob.XXXXXX" };
	*state = &t;
	if (arena_open(&t.arena, (size_t)64 << 20) < 0 || !mkdtemp(t.path))
		return -1;
	t.root = open(t.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	make_tree(t.root);
	return t.root < 0 ? -1 : 0;
}

static int teardown(void **state)
{
	struct tree *t = *state;

	close(t->root);
	arena_close(&t->arena);
	return io_remove_tree_at(AT_FDCWD, t->path);
}

static const char *expand(struct tree *t, const char *pattern)
{
	struct strings found;
	const char *text = "";

	if (policy_glob_expand(&t->arena, t->root, pattern, &found) < 0)
		fail_msg("%s: %s", pattern, err_text());
	for (size_t i = 0; i < found.n; i++)
		text = arena_printf(&t->arena, "%s%s%s", text, i ? " " : "",
				    found.items[i]);
	return text;
}

static void expanding(void **state)
{
	static const struct {
		const char *pattern, *found;
	} cases[] = {
		{ "/*", "/a /link /one.env /x" },
		{ "/*.env", "/one.env" },
		{ "/**/*.env", "/a/.env /a/b/c/.env /a/two.env /one.env" },
		{ "/**/.env", "/a/.env /a/b/c/.env" },
		{ "/**/**/.env", "/a/.env /a/b/c/.env" },
		{ "/a/**", "/a/.d /a/.d/env /a/.env /a/b /a/b/c /a/b/c/.env "
			   "/a/two.env /a/up" },
		{ "/*/b", "/a/b /x/b" },
		{ "/*/b/*", "/a/b/c /x/b/f" },
		{ "/?/b/c", "/a/b/c" },
		{ "/x/\\[y]/*", "/x/[y]/*" },
		{ "/x/\\[y]/\\*", "/x/[y]/*" },
		{ "/x/[[]y]/\\*", "/x/[y]/*" },
		{ "/a", "/a" },
		{ "/nothing", "" },
		{ "/nothing/*", "" },
		{ "/one.env/*", "" },
		{ "/x/b*n", "/x/broken" },
		{ "/x/b*", "/x/b /x/broken" },
		/* links: in front of wildcards, and after them */
		{ "/link/*", "/link/c" },
		{ "/*/up/*", "" },
		{ "/l*/*", "" },
		{ "/l*/c", "" },
		{ "/a/up/a/two*", "/a/up/a/two.env" },
		{ "/../../*.env", "/../../one.env" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *found = expand(*state, cases[i].pattern);

		if (!streq(found, cases[i].found))
			fail_msg("%s is %s", cases[i].pattern, found);
	}
}

/* The directory walk must find the paths that the matcher matches. */
static void both_ways_agree(void **state)
{
	static const char *const patterns[] = {
		"/*",	    "/**",	     "/a/**",	   "/**/b",
		"/**/b/**", "/**/c/**/.env", "/?/*/*",	   "/**/[!.]*",
		"/**/*e*",  "/a/**/*",	     "/*/**/.env", "/x/**/[*]",
		"/**/\\**", "/**/**",
	};
	struct tree *t = *state;
	struct strings all, found;

	assert_int_equal(policy_glob_expand(&t->arena, t->root, "/**", &all),
			 0);
	assert_int_equal(all.n, COUNT(dirs) + COUNT(files) + 3);
	for (size_t i = 0; i < COUNT(patterns); i++) {
		size_t n = 0;

		assert_int_equal(policy_glob_expand(&t->arena, t->root,
						    patterns[i], &found),
				 0);
		for (size_t j = 0; j < all.n; j++) {
			if (!glob_match(patterns[i], all.items[j]))
				continue;
			assert_true(n < found.n);
			assert_string_equal(found.items[n++], all.items[j]);
		}
		assert_int_equal(n, found.n);
	}
}

static void a_pattern_stays_below_the_root(void **state)
{
	struct tree *t = *state;
	struct strings found;

	assert_true(policy_glob_expand(&t->arena, t->root, "/*/../../*",
				       &found) < 0);
	assert_string_equal(
		err_text(),
		"/*/../../*: '..' cannot follow a pattern: write the path "
		"without it");
	assert_true(policy_glob_expand(&t->arena, t->root, "/..", &found) < 0);
}

static void too_many_are_an_error(void **state)
{
	struct tree *t = *state;
	struct strings found;
	char name[32];

	for (int i = 0; i <= POLICY_GLOB_MAX; i++) {
		snprintf(name, sizeof name, "x/b/%d.log", i);
		if (i == POLICY_GLOB_MAX) {
			assert_int_equal(policy_glob_expand(&t->arena, t->root,
							    "/**/b/**/*.log",
							    &found),
					 0);
			assert_int_equal(found.n, POLICY_GLOB_MAX);
		}
		assert_int_equal(mknodat(t->root, name, S_IFREG | 0600, 0), 0);
	}
	assert_true(policy_glob_expand(&t->arena, t->root, "/**/*.log",
				       &found) < 0);
	assert_string_equal(
		err_text(),
		"/**/*.log matches more than 10000 names, the maximum: use a "
		"narrower pattern");
}

static void what_may_not_be_read_matches_nothing(void **state)
{
	struct tree *t = *state;
	bool root = geteuid() == 0;

	assert_int_equal(fchmodat(t->root, "a", 0, 0), 0);
	assert_int_equal(root ? seteuid(65534) : 0, 0);
	assert_string_equal(expand(t, "/a/*"), "");
	assert_string_equal(expand(t, "/**/.env"), "");
	assert_int_equal(root ? seteuid(0) : 0, 0);
	assert_int_equal(fchmodat(t->root, "a", 0700, 0), 0);
}

static void only_two_stars_alone_are_deep(void **state)
{
	static const struct {
		const char *pattern;
		bool deep;
	} cases[] = {
		{ "/a/**", true },	{ "/a/**/b", true },
		{ "**/b", true },	{ "/a/*/b", false },
		{ "/a/**b", false },	{ "/a/b**/c", false },
		{ "/a/\\**/b", false }, { "/a/***", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(policy_glob_is_deep(cases[i].pattern),
				 cases[i].deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_two_stars_alone_are_deep),
		cmocka_unit_test(matching),
		cmocka_unit_test(matching_is_fast),
		cmocka_unit_test_setup_teardown(quoting, setup, teardown),
		cmocka_unit_test_setup_teardown(expanding, setup, teardown),
		cmocka_unit_test_setup_teardown(both_ways_agree, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_pattern_stays_below_the_root,
						setup, teardown),
		cmocka_unit_test_setup_teardown(too_many_are_an_error, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			what_may_not_be_read_matches_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
