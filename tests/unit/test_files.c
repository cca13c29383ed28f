/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_files.c - rights of keys, and rules without what is denied. */
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
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "confine/files.h"

#include <cmocka.h>

#define R LANDLOCK_MAY_READ
#define W LANDLOCK_MAY_WRITE
#define X LANDLOCK_MAY_EXECUTE
#define L LANDLOCK_MAY_LIST
#define I LANDLOCK_MAY_IOCTL

static void rights_of_keys(void **state)
{
	static const struct {
		enum policy_key key;
		uint32_t alone, with_execute;
	} rows[] = {
		{ KEY_READ, R | X, R },
		{ KEY_WRITE, R | W | I | X, R | W | I },
		{ KEY_WRITE_ONLY, W | I, W | I },
		{ KEY_EXECUTE, R | X, R | X },
		{ KEY_DENY, R | W | I | X, R | W | I | X },
		{ KEY_DENY_READ, R, R },
		{ KEY_DENY_WRITE, W | I, W | I },
		{ KEY_DENY_EXECUTE, X, X },
		{ KEY_MEMORY, 0, 0 },
	};
	struct policy policy = { 0 };

	(void)state;
	for (int given = 0; given < 2; given++) {
		policy.set[KEY_EXECUTE] = given;
		for (size_t i = 0; i < COUNT(rows); i++)
			assert_int_equal(files_rights(&policy, rows[i].key),
					 given ? rows[i].with_execute :
						 rows[i].alone);
	}
}

static void sections(void **state)
{
	struct policy policy = { 0 };

	(void)state;
	assert_false(files_wanted(&policy));
	policy.set[KEY_WORKDIR] = policy.set[KEY_MOUNT] = true;
	assert_false(files_wanted(&policy));
	assert_false(files_only_denied(&policy));
	policy.set[KEY_DENY_EXECUTE] = true;
	assert_false(files_wanted(&policy));
	assert_true(files_only_denied(&policy));
	policy.set[KEY_WRITE_ONLY] = true;
	assert_true(files_wanted(&policy));
	assert_false(files_only_denied(&policy));
}

static void paths_below(void **state)
{
	static const struct {
		const char *path, *dir;
		bool below;
	} rows[] = {
		{ "/a", "/a", true },	{ "/a/b", "/a", true },
		{ "/ab", "/a", false }, { "/a", "/a/b", false },
		{ "/a", "/", true },	{ "/", "/", true },
		{ "/", "/a", false },	{ "/a/b/c", "/a/b", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(files_is_at_or_below(rows[i].path,
						      rows[i].dir),
				 rows[i].below);
}

struct fixture {
	struct arena arena;
	char path[64];
	int root;
};

static void make(struct fixture *f, const char *path, bool directory)
{
	if (directory)
		assert_int_equal(mkdirat(f->root, path, 0755), 0);
	else
		close(openat(f->root, path, O_CREAT | O_WRONLY, 0644));
}

/* a/{x,y,link,d/{p,q}} and b/ */
static int open_tree(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	if (!f || arena_open(&f->arena, 4UL << 20) < 0)
		return -1;
	strcpy(f->path, "/tmp/test-files.XXXXXX");
	if (!mkdtemp(f->path))
		return -1;
	f->root = open(f->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	make(f, "a", true);
	make(f, "a/d", true);
	make(f, "b", true);
	make(f, "a/x", false);
	make(f, "a/y", false);
	make(f, "a/d/p", false);
	make(f, "a/d/q", false);
	*state = f;
	return symlinkat("/b", f->root, "a/link");
}

static int close_tree(void **state)
{
	struct fixture *f = *state;

	close(f->root);
	(void)io_remove_tree_at(AT_FDCWD, f->path);
	arena_close(&f->arena);
	free(f);
	return 0;
}

static uint32_t rights_on(const struct files_rules *rules, const char *path)
{
	uint32_t rights = 0;

	for (size_t i = 0; i < rules->n; i++)
		if (streq(rules->items[i].path, path))
			rights |= rules->items[i].rights;
	return rights;
}

static int split(struct fixture *f, uint32_t allowed, unsigned int scope,
		 const struct files_entry *denied, struct files_rules *ret)
{
	struct files_entry a = { .path = "/a",
				 .rights = allowed,
				 .key = "filesystem.read",
				 .item = "/a",
				 .scope = 1,
				 .directory = true };
	struct files_entry d = *denied;
	const struct files_list all = { &a, 1, 1 }, none = { &d, 1, 1 };

	d.scope = scope;
	d.key = "filesystem.deny";
	d.item = d.path;
	return files_split(&f->arena, f->root, &all, &none, ret);
}

static void splits(void **state)
{
	static const struct {
		struct files_entry denied;
		unsigned int scope;
		uint32_t a, x, y, d, p, q;
	} rows[] = {
		/* elsewhere, above, the same */
		{ { "/b", .rights = R | X }, 0, R | X, 0, 0, 0, 0, 0 },
		{ { "/", .rights = R }, 0, X, 0, 0, 0, 0, 0 },
		{ { "/a", .rights = R | W | X }, 0, 0, 0, 0, 0, 0, 0 },
		/* below: others one by one, names unless a directory is */
		{ { "/a/x", .rights = R | X }, 0, L, 0, R | X, R | X, 0, 0 },
		{ { "/a/d", .rights = R | X, .directory = true },
		  0,
		  0,
		  R | X,
		  R | X,
		  0,
		  0,
		  0 },
		{ { "/a/d/p", .rights = R | X },
		  0,
		  L,
		  R | X,
		  R | X,
		  L,
		  0,
		  R | X },
		/* one right alone */
		{ { "/a/x", .rights = X }, 0, R, 0, X, X, 0, 0 },
		{ { "/a/x", .rights = R }, 0, L | X, 0, R, R, 0, 0 },
		{ { "/a/x", .rights = W }, 0, R | X, 0, 0, 0, 0, 0 },
		/* a name that is not there */
		{ { "/a/z", .rights = R | X, .directory = true },
		  0,
		  0,
		  R | X,
		  R | X,
		  R | X,
		  0,
		  0 },
		/* of this preset, of another one */
		{ { "/a/x", .rights = R | X }, 1, L, 0, R | X, R | X, 0, 0 },
		{ { "/a/x", .rights = R | X }, 2, R | X, 0, 0, 0, 0, 0 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct files_rules rules;

		assert_int_equal(split(f, R | X, rows[i].scope, &rows[i].denied,
				       &rules),
				 0);
		assert_int_equal(rights_on(&rules, "/a"), rows[i].a);
		assert_int_equal(rights_on(&rules, "/a/x"), rows[i].x);
		assert_int_equal(rights_on(&rules, "/a/y"), rows[i].y);
		assert_int_equal(rights_on(&rules, "/a/d"), rows[i].d);
		assert_int_equal(rights_on(&rules, "/a/d/p"), rows[i].p);
		assert_int_equal(rights_on(&rules, "/a/d/q"), rows[i].q);
		assert_int_equal(rights_on(&rules, "/a/link"), 0);
	}
}

static void writable(void **state)
{
	static const struct {
		struct files_entry denied;
		const char *error; /* NULL: none */
		uint32_t a;
	} rows[] = {
		{ { "/a/x", .rights = R }, "'/a/x' lies below", 0 },
		{ { "/a/x", .rights = W }, "'/a/x' lies below", 0 },
		{ { "/a/x", .rights = X }, NULL, R | W },
		{ { "/a", .rights = W }, NULL, R },
		{ { "/", .rights = R }, NULL, W },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct files_rules rules;
		int r = split(f, R | W, 0, &rows[i].denied, &rules);

		assert_int_equal(r < 0, rows[i].error != NULL);
		if (rows[i].error)
			assert_non_null(strstr(err_text(), rows[i].error));
		else
			assert_int_equal(rights_on(&rules, "/a"), rows[i].a);
	}
}

static uint32_t carved_on(const struct files_carves *carves, const char *path)
{
	for (size_t i = 0; i < carves->n; i++)
		if (streq(carves->items[i].path, path))
			return carves->items[i].rights;
	return 0x100;
}

/* Mounts cover denied paths below a writable one, and the way there. */
static void carves(void **state)
{
	struct files_step steps[] = {
		{ "/b/link", "/a/e/link" },
		{ "/a/e/link", "/c/gone" },
	};
	struct files_entry allowed[] = {
		{ "/", .rights = R | X },
		{ "/a", .rights = R | W | X },
	};
	struct files_entry denied[] = {
		{ "/a/d/p", .rights = R },
		{ "/a/x", .rights = W },
		{ "/a/x", .rights = X },
		{ "/b/y", .rights = R | W | X },
		{ "/b/z", .rights = X },
		{ "/a", .rights = X },
		{ "/a/no", .rights = W, .missing = true, .of_preset = true },
		{ "/b/no", .rights = W, .missing = true, .of_preset = true },
		{ "/a/y", .rights = W, .scope = 1 },
		{ "/c/gone", .rights = W, .missing = true, .of_preset = true,
		  .steps = steps, .nsteps = COUNT(steps) },
	};
	const struct files_list all = { allowed, 2, 2 };
	struct files_list none = { denied, COUNT(denied), COUNT(denied) };
	struct fixture *f = *state;
	struct files_carves carves;

	assert_int_equal(files_carve(&f->arena, &all, &none, &carves), 0);
	assert_int_equal(none.n, COUNT(denied) - 2);
	assert_int_equal(carves.n, 8);
	assert_int_equal(carved_on(&carves, "/a/e"), 0);
	assert_int_equal(carved_on(&carves, "/a/e/link"), 0);
	assert_int_equal(carved_on(&carves, "/a"), X);
	assert_int_equal(carved_on(&carves, "/a/d"), 0);
	assert_int_equal(carved_on(&carves, "/a/d/p"), R | W | X);
	assert_int_equal(carved_on(&carves, "/a/no"), W);
	assert_int_equal(carved_on(&carves, "/a/x"), W | X);
	assert_int_equal(carved_on(&carves, "/b/z"), X);
	for (size_t i = 1; i < carves.n; i++)
		assert_true(strcmp(carves.items[i - 1].path,
				   carves.items[i].path) < 0);
	for (size_t i = 0; i < none.n; i++)
		assert_int_equal(none.items[i].carved,
				 i < 3 || streq(none.items[i].path, "/a/no"));
}

/* Each link with where it is, and then where the path ends. */
static void ways(void **state)
{
	static const struct {
		const char *path, *links, *end;
		bool missing, occupied, leaf;
	} rows[] = {
		{ "/a/x", "", "/a/x", .leaf = true },
		{ "/", "", "/", .leaf = true },
		{ "/a//./d/../x", " /a/d", "/a/x", .leaf = true },
		{ "/../a/x", "", "/a/x", .leaf = true },
		{ "/a/link", " /a/link", "/b", .leaf = true },
		{ "/a/link/new", " /a/link", "/b/new", .missing = true,
		  .leaf = true },
		{ "/a/link/new/er", " /a/link", "/b/new", .missing = true },
		{ "/a/new/er/est", "", "/a/new", .missing = true },
		{ "/chain/d/p", " /chain /two", "/a/d/p", .leaf = true },
		{ "/dangling", " /dangling", "/a/none", .missing = true,
		  .leaf = true },
		{ "/a/x/y", "", "/a/x", .occupied = true },
	};
	struct fixture *f = *state;
	struct files_way way;

	assert_int_equal(symlinkat("two", f->root, "chain"), 0);
	assert_int_equal(symlinkat("/a", f->root, "two"), 0);
	assert_int_equal(symlinkat("a/none", f->root, "dangling"), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		char links[128] = "";

		assert_int_equal(files_way(&f->arena, f->root, rows[i].path,
					   &way),
				 0);
		for (size_t k = 0; k < way.n; k++) {
			strcat(links, " ");
			strcat(links, way.steps[k].path);
		}
		assert_string_equal(links, rows[i].links);
		assert_string_equal(way.end, rows[i].end);
		assert_int_equal(way.missing, rows[i].missing);
		assert_int_equal(way.occupied, rows[i].occupied);
		assert_int_equal(way.leaf, rows[i].leaf);
	}
	assert_int_equal(symlinkat("loop", f->root, "loop"), 0);
	assert_int_equal(files_way(&f->arena, f->root, "/loop/x", &way), 0);
	assert_string_equal(way.end, "/loop");
	assert_true(way.occupied && !way.missing && !way.leaf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rights_of_keys),
		cmocka_unit_test(sections),
		cmocka_unit_test(paths_below),
		cmocka_unit_test_setup_teardown(splits, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(writable, open_tree,
						close_tree),
		cmocka_unit_test_setup_teardown(carves, open_tree, close_tree),
		cmocka_unit_test_setup_teardown(ways, open_tree, close_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
