/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_seatbelt.c - strings and regular expressions of a Seatbelt
 * profile, and the tables of docs/macos.md.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "confine/seatbelt_parts.h"
#include "tests/unit/seatbelt_table.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static struct arena arena;

static void a_string_is_quoted_or_refused(void **state)
{
	static const struct {
		const char *text, *quoted; /* NULL: refused */
	} rows[] = {
		{ "/a", "\"/a\"" },	  { "/a b", "\"/a b\"" },
		{ "/\"", "\"/\\\"\"" },	  { "/\\", "\"/\\\\\"" },
		{ "/(x);", "\"/(x);\"" }, { "/\xc3\xa9", "\"/\xc3\xa9\"" },
		{ "/a\nb", NULL },	  { "/\x1b[m", NULL },
		{ "/\x7f", NULL },	  { "/\xff", NULL },
		{ "/\xc3", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *quoted = NULL;
		int r = seatbelt_quote(&arena, rows[i].text, &quoted);

		err_clear();
		assert_int_equal(r, rows[i].quoted ? 0 : -1);
		if (rows[i].quoted)
			assert_string_equal(quoted, rows[i].quoted);
	}
}

static void a_pattern_is_a_regular_expression_or_refused(void **state)
{
	static const struct {
		const char *pattern, *regex; /* NULL: refused */
		struct seatbelt_match how;
	} rows[] = {
		{ "/a", "\"^/a(/|$)\"", { 0 } },
		{ "/a/*.c", "\"^/a/[^/]*\\\\.c(/|$)\"", { 0 } },
		{ "/a/**/b", "\"^/a(/[^/]+)*/b(/|$)\"", { 0 } },
		{ "/a/**", "\"^/a/[^/]+(/|$)\"", { 0 } },
		{ "/a?", "\"^/a[^/](/|$)\"", { 0 } },
		{ "/[ab]", "\"^/([ab])(/|$)\"", { 0 } },
		{ "/[a.]", "\"^/([a]|\\\\.)(/|$)\"", { 0 } },
		{ "/[!a]", "\"^/[^/a](/|$)\"", { 0 } },
		{ "/[a", "\"^/\\\\[a(/|$)\"", { 0 } },
		{ "/\\*", "\"^/\\\\*(/|$)\"", { 0 } },
		{ "/a.b$", "\"^/a\\\\.b\\\\$(/|$)\"", { 0 } },
		{ "/a", "\"^/[aA](/|$)\"", { .fold = true } },
		{ "/w/a",
		  "\"^/w/[aA]$\"",
		  { .fold = true, .fold_from = 2, .alone = true } },
		{ "/[a]", "\"^/([Aa])(/|$)\"", { .fold = true } },
		{ "/[!a]", "\"^/[^/a](/|$)\"", { .fold = true } },
		{ "/[z-a]", NULL, { 0 } },
		{ "/[\xc3\xa9]", NULL, { 0 } },
		{ "/[!\\]]", NULL, { 0 } },
		{ "/[\x01-z]", NULL, { 0 } },
		{ "/a\n*", NULL, { 0 } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *regex = NULL;
		int r = seatbelt_regex(&arena, rows[i].pattern, rows[i].how,
				       &regex);

		err_clear();
		assert_int_equal(r, rows[i].regex ? 0 : -1);
		if (rows[i].regex)
			assert_string_equal(regex, rows[i].regex);
	}
}

/* ---- a Mac with some files ---- */

/*
 * /a/link leads to /b, which has no "new"; /a and /w/x/.env exist, nothing
 * else.
 */
static int real_path(void *user, struct arena *to, const char *path,
		     const char **ret)
{
	(void)user;
	(void)to;
	*ret = streq(path, "/a/link")	  ? "/b" :
	       streq(path, "/a/link/new") ? NULL :
	       starts_with(path, "/a") || streq(path, "/w") ||
			       streq(path, "/w/x/.env") ?
					    path :
					    NULL;
	return 0;
}

static int find(void *user, struct arena *to, const char *pattern,
		struct strings *ret)
{
	(void)user;
	(void)pattern;
	return strings_add(to, ret, "/w/x/.env");
}

static unsigned long count_names(const char *path)
{
	return starts_with(path, "/a/two") ? 2 : streq(path, "/a/one");
}

/* Return the profile, or NULL if the policy is refused. */
static const char *profile_here(const struct policy *policy)
{
	const struct seatbelt_facts facts = {
		.context = { .os = POLICY_MACOS,
			     .project = "/w",
			     .real_path = real_path,
			     .find = find },
		.here = true,
		.count_names = count_names,
	};
	const char *text = NULL;

	return seatbelt_make(&arena, policy, &facts, &text) < 0 ? NULL : text;
}

static struct strings one(const char *text)
{
	struct strings list = { 0 };

	assert_int_equal(strings_add(&arena, &list, text), 0);
	return list;
}

static void on_a_mac_links_are_resolved_and_paths_must_exist(void **state)
{
	const char *text;

	(void)state;
	text = profile_here(&(struct policy){ .read = one("/a/link") });
	assert_non_null(text);
	assert_non_null(strstr(text, "(subpath \"/a/link\")"));
	assert_non_null(strstr(text, "(subpath \"/b\")"));
	text = profile_here(&(struct policy){ .read = one("/none") });
	assert_null(text);
	assert_non_null(strstr(err_text(), "filesystem.read: '/none'"));
	err_clear();
	text = profile_here(&(struct policy){ .read = one("-/none") });
	assert_non_null(text);
	assert_null(strstr(text, "/none"));
	text = profile_here(&(struct policy){ .deny = one("/a/link") });
	assert_non_null(strstr(text, "(subpath \"/b\")"));
	/* The file would be created below what the link leads to. */
	text = profile_here(&(struct policy){ .write = one("/a/link"),
					      .deny = one("/a/link/new") });
	assert_non_null(strstr(text, "(subpath \"/b/new\")"));
	text = profile_here(&(struct policy){ .unix_ = one("/a/link/new") });
	assert_non_null(
		strstr(text, "(remote unix-socket (subpath \"/b/new\"))"));
	text = profile_here(&(struct policy){ .read = one("/a/../c") });
	assert_non_null(text);
	text = profile_here(&(struct policy){ .deny = one("/c/../d") });
	assert_null(text);
	err_clear();
}

static void on_a_mac_a_denied_file_has_one_name(void **state)
{
	(void)state;
	assert_non_null(
		profile_here(&(struct policy){ .deny = one("/a/one") }));
	assert_non_null(
		profile_here(&(struct policy){ .read = one("/a/two") }));
	assert_null(profile_here(&(struct policy){ .deny = one("/a/two") }));
	assert_non_null(strstr(err_text(),
			       "filesystem.deny: '/a/two' has 2 hard links"));
	err_clear();
}

static void directories_of_denied_matches_keep_their_names(void **state)
{
	const char *text = profile_here(
		&(struct policy){ .write = one("/w"), .deny = one("*.env") });
	const char *rule;

	(void)state;
	assert_non_null(text);
	assert_non_null(strstr(text, "(subpath \"/w/x/.env\")"));
	rule = strstr(text, "(deny file-write-create file-write-unlink");
	assert_non_null(rule);
	assert_non_null(strstr(rule, "(literal \"/w/x\")"));
	assert_non_null(strstr(rule, "(literal \"/w\")"));
}

static const char *read_page(void)
{
	const char *source = getenv("srcdir");
	const char *path =
		arena_printf(&arena, "%s/docs/macos.md", source ? source : ".");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *page;

	assert_true(fd >= 0);
	assert_int_equal(io_read_all(&arena, fd, 1 << 20, &page, NULL), 0);
	close(fd);
	return page;
}

/* Print what is missing: it can be copied to the page. */
static void the_page_has_a_row_for_every_key(void **state)
{
	const char *page = read_page();
	bool all = true;

	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *row = seatbelt_key_row(&arena, key);

		if (!strstr(page, row))
			all = printf("# %s", row) < 0;
	}
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++) {
		const char *row = seatbelt_protection_row(&arena, i);

		if (!strstr(page, row))
			all = printf("# %s", row) < 0;
	}
	assert_true(all);
}

static void every_key_has_a_decision_about_macos(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (streq(seatbelt_key(key)->how, "not supported on macOS"))
			fail_msg("confine/seatbelt_keys.c has no row for %s",
				 policy_key_name(key));
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++)
		assert_string_not_equal(seatbelt_protection(i)->how, "unknown");
}

static int set_up(void **state)
{
	(void)state;
	return arena_open(&arena, 16UL << 20);
}

static int tear_down(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_a_mac_a_denied_file_has_one_name),
		cmocka_unit_test(a_string_is_quoted_or_refused),
		cmocka_unit_test(a_pattern_is_a_regular_expression_or_refused),
		cmocka_unit_test(
			on_a_mac_links_are_resolved_and_paths_must_exist),
		cmocka_unit_test(
			directories_of_denied_matches_keep_their_names),
		cmocka_unit_test(every_key_has_a_decision_about_macos),
		cmocka_unit_test(the_page_has_a_row_for_every_key),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
