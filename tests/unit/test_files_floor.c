/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_files_floor.c - paths that two policies allow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/files.h"

#include <cmocka.h> /* late: its fail() is a macro */

#define R LANDLOCK_MAY_READ
#define W LANDLOCK_MAY_WRITE
#define X LANDLOCK_MAY_EXECUTE

static struct arena arena;

static int open_arena(void **state)
{
	(void)state;
	return arena_open(&arena, 16 << 20);
}

static int close_arena(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

static void add(struct files_list *list, const char *path, uint32_t rights,
		unsigned int scope)
{
	const struct files_entry entry = { .path = path,
					   .rights = rights,
					   .scope = scope };

	assert_int_equal(files_add(&arena, list, &entry), 0);
}

/* The rights that a list allows on a path. */
static uint32_t rights_of(const struct files_lists *lists, const char *path)
{
	uint32_t rights = 0;

	for (size_t i = 0; i < lists->allowed.n; i++) {
		const struct files_entry *a = &lists->allowed.items[i];
		uint32_t given = a->rights;

		if (!files_is_at_or_below(path, a->path))
			continue;
		for (size_t k = 0; k < lists->denied.n; k++) {
			const struct files_entry *d = &lists->denied.items[k];

			if (files_is_at_or_below(path, d->path) &&
			    (!d->scope || d->scope == a->scope))
				given &= ~d->rights;
		}
		rights |= given;
	}
	return rights;
}

static void rights_are_those_of_both(void **state)
{
	static const char *const paths[] = {
		"/",	     "/usr",	    "/usr/bin/x", "/srv",
		"/srv/a",    "/srv/b",	    "/srv/a/in",  "/srvx",
		"/etc",	     "/etc/shadow", "/tmp",	  "/home/u",
		"/dev/null", "/srv/a/in/y",
	};
	struct files_lists one = { 0 }, other = { 0 }, both;

	(void)state;
	add(&one.allowed, "/", R, 0);
	add(&one.allowed, "/srv/a", R | W, 0);
	add(&one.allowed, "/usr", R | X, 1);
	add(&one.denied, "/usr/bin", X, 1);
	add(&one.denied, "/home", R | W | X, 0);
	add(&other.allowed, "/srv", R | W, 0);
	add(&other.allowed, "/srv/a/in", R | X, 0);
	add(&other.allowed, "/usr", R | X, 1);
	add(&other.allowed, "/etc", R, 2);
	add(&other.denied, "/etc/shadow", R, 2);
	add(&other.allowed, "/dev/null", R | W, 0);
	add(&other.denied, "/srv/b", R | W | X, 0);
	assert_int_equal(files_meet(&arena, &one, &other, &both), 0);
	for (size_t i = 0; i < COUNT(paths); i++)
		assert_int_equal(rights_of(&both, paths[i]),
				 rights_of(&one, paths[i]) &
					 rights_of(&other, paths[i]));
	assert_int_equal(rights_of(&both, "/etc/shadow"), 0);
	assert_int_equal(rights_of(&both, "/srv/a"), R | W);
}

static void nothing_is_allowed_by_one_alone(void **state)
{
	struct files_lists one = { 0 }, other = { 0 }, both;

	(void)state;
	add(&one.allowed, "/a", R, 0);
	add(&other.allowed, "/b", R, 0);
	add(&other.allowed, "/a", W, 0);
	assert_int_equal(files_meet(&arena, &one, &other, &both), 0);
	assert_int_equal(both.allowed.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_are_those_of_both),
		cmocka_unit_test(nothing_is_allowed_by_one_alone),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
