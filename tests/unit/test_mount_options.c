/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_mount_options.c - every word of mounts[].options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/plan/mounts.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define WORDS_MAX 10

static struct arena arena;

static int parse(const char *const *words, struct mount_options *ret)
{
	struct strings list = { .items = (const char **)words };

	while (words[list.n])
		list.n++;
	err_clear();
	return mount_options_parse(&arena, &list, ret);
}

static void attributes(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		unsigned int set, clr, rec_set, rec_clr;
	} rows[] = {
		{ { "defaults", "silent", "loud", "iversion", NULL },
		  0,
		  0,
		  0,
		  0 },
		{ { "ro", NULL }, MOUNT_ATTR_RDONLY, 0, 0, 0 },
		{ { "ro", "rw", NULL }, 0, MOUNT_ATTR_RDONLY, 0, 0 },
		{ { "rw", "ro", NULL }, MOUNT_ATTR_RDONLY, 0, 0, 0 },
		{ { "nosuid", "nodev", "noexec", NULL },
		  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
		  0,
		  0,
		  0 },
		{ { "suid", "dev", "exec", NULL },
		  0,
		  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
		  0,
		  0 },
		{ { "noatime", NULL },
		  MOUNT_ATTR_NOATIME,
		  MOUNT_ATTR__ATIME,
		  0,
		  0 },
		{ { "noatime", "strictatime", NULL },
		  MOUNT_ATTR_STRICTATIME,
		  MOUNT_ATTR__ATIME,
		  0,
		  0 },
		{ { "noatime", "atime", NULL }, 0, MOUNT_ATTR__ATIME, 0, 0 },
		{ { "relatime", NULL }, 0, MOUNT_ATTR__ATIME, 0, 0 },
		{ { "norelatime", "rnorelatime", NULL }, 0, 0, 0, 0 },
		{ { "nodiratime", NULL }, MOUNT_ATTR_NODIRATIME, 0, 0, 0 },
		{ { "nosymfollow", NULL }, MOUNT_ATTR_NOSYMFOLLOW, 0, 0, 0 },
		{ { "rro", "rnosuid", "rdev", NULL },
		  0,
		  0,
		  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
		  MOUNT_ATTR_NODEV },
		{ { "rnoatime", NULL },
		  0,
		  0,
		  MOUNT_ATTR_NOATIME,
		  MOUNT_ATTR__ATIME },
		{ { "rnostrictatime", "rsymfollow", NULL },
		  0,
		  0,
		  0,
		  MOUNT_ATTR__ATIME | MOUNT_ATTR_NOSYMFOLLOW },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mount_options o;

		assert_int_equal(parse(rows[i].words, &o), 0);
		assert_int_equal(o.attr_set, rows[i].set);
		assert_int_equal(o.attr_clr, rows[i].clr);
		assert_int_equal(o.rec_set, rows[i].rec_set);
		assert_int_equal(o.rec_clr, rows[i].rec_clr);
		assert_int_equal(o.nparams, 0);
		assert_int_equal(o.readonly,
				 !!(rows[i].set & MOUNT_ATTR_RDONLY));
	}
}

static void propagation_in_order(void **state)
{
	const char *const words[] = { "rslave", "shared", "unbindable", NULL };
	struct mount_options o;

	(void)state;
	assert_int_equal(parse(words, &o), 0);
	assert_int_equal(o.npropagation, 3);
	assert_int_equal(o.propagation[0], MS_SLAVE | MS_REC);
	assert_int_equal(o.propagation[1], MS_SHARED);
	assert_int_equal(o.propagation[2], MS_UNBINDABLE);
}

static void params(void **state)
{
	const char *const words[] = {
		"size=64k", "nosuid",	   "sync",	     "wat", "acl", "x=",
		"a=1,b",    "c=\"x,y\",d", "e=x\\,y,f=\\\\", NULL
	};
	static const struct oci_annotation want[] = {
		{ "size", "64k" }, { "sync", NULL },   { "wat", NULL },
		{ "acl", NULL },   { "x", "" },	       { "a", "1" },
		{ "b", NULL },	   { "c", "\"x,y\"" }, { "d", NULL },
		{ "e", "x\\,y" },  { "f", "\\\\" },
	};
	struct mount_options o;

	(void)state;
	assert_int_equal(parse(words, &o), 0);
	assert_int_equal(o.nparams, COUNT(want));
	for (size_t i = 0; i < COUNT(want); i++) {
		assert_string_equal(o.params[i].key, want[i].key);
		if (want[i].value)
			assert_string_equal(o.params[i].value, want[i].value);
		else
			assert_null(o.params[i].value);
	}
}

static void switches(void **state)
{
	const char *const words[] = { "rbind",
				      "tmpcopyup",
				      "copy-symlink",
				      "src-nofollow",
				      "ridmap=uids=0-1-2#3-4-5;gids=@6-7-8",
				      NULL };
	struct mount_options o;

	(void)state;
	assert_int_equal(parse(words, &o), 0);
	assert_true(o.rbind && o.tmpcopyup && o.copy_symlink && o.src_nofollow);
	assert_false(o.bind || o.remount || o.dest_nofollow || o.idmap);
	assert_true(o.ridmap);
	assert_string_equal(o.idmap_uids, "0-1-2#3-4-5");
	assert_string_equal(o.idmap_gids, "@6-7-8");
}

static void failures_name_the_option(void **state)
{
	static const struct {
		const char *words[WORDS_MAX];
		const char *text;
	} rows[] = {
		{ { "ro", "", NULL },
		  "options[1]: \"\" is not a mount option: it has no name" },
		{ { "=x", NULL },
		  "options[0]: \"=x\" is not a mount option: it has no name" },
		{ { "idmap=uids=1-2-3", NULL },
		  "options[0]: \"idmap=uids=1-2-3\" needs both" },
		{ { "idmap=x", NULL }, "options[0]: \"x\" is neither uids=" },
		{ { "shared", "slave", "shared", "slave", "shared", "slave",
		    "shared", "slave", "shared", NULL },
		  "options[8]: more than 8 propagation options (such as "
		  "rslave)" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mount_options o;

		assert_true(parse(rows[i].words, &o) < 0);
		assert_true(starts_with(err_text(), rows[i].text));
	}
}

static void too_long_for_the_kernel(void **state)
{
	char word[300] = "lowerdir=";
	const char *const words[] = { word, NULL };
	struct mount_options o;

	(void)state;
	memset(word + strlen(word), 'a', sizeof word - strlen(word) - 1);
	assert_true(parse(words, &o) < 0);
	assert_true(starts_with(err_text(),
				"options[0]: a layer of \"lowerdir=aaa"));
}

static void many_layers_come_one_by_one(void **state)
{
	char word[300] = "lowerdir=";
	const char *const words[] = { word, NULL };
	struct mount_options o;

	(void)state;
	memset(word + strlen(word), 'a', sizeof word - strlen(word) - 1);
	word[100] = word[200] = ':';
	assert_int_equal(parse(words, &o), 0);
	assert_int_equal(o.nparams, 3);
	for (size_t i = 0; i < o.nparams; i++)
		assert_string_equal(o.params[i].key, "lowerdir+");
	assert_int_equal(strlen(o.params[1].value), 99);
	word[101] = ':';
	assert_true(parse(words, &o) < 0);
}

static void known_words_are_sorted_and_understood(void **state)
{
	struct strings known = mount_options_known();

	(void)state;
	assert_true(known.n > 60);
	assert_null(known.items[known.n]);
	for (size_t i = 0; i < known.n; i++) {
		assert_true(mount_option_known(known.items[i]));
		if (i > 0)
			assert_true(strcmp(known.items[i - 1], known.items[i]) <
				    0);
	}
	assert_false(mount_option_known("size=1"));
	assert_true(mount_option_known("idmap=uids=1-2-3;gids=1-2-3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes),
		cmocka_unit_test(propagation_in_order),
		cmocka_unit_test(params),
		cmocka_unit_test(switches),
		cmocka_unit_test(failures_name_the_option),
		cmocka_unit_test(too_long_for_the_kernel),
		cmocka_unit_test(many_layers_come_one_by_one),
		cmocka_unit_test(known_words_are_sorted_and_understood),
	};

	if (arena_open(&arena, 4 << 20) < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
