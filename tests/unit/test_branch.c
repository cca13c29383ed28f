/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_branch.c - branches on disk: make, find, seal and remove. */
#include <errno.h>
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
#include "base/strings.h"
#include "base/util.h"
#include "cow/branch.h"
#include "cow/remove.h"
#include "cow/storage.h"

#include <cmocka.h>

static char folder[] = "/tmp/test_branch.XXXXXX";
static char workdir[64], beside[64];
static struct arena arena;

static int set_up(void **state)
{
	char text[64];

	(void)state;
	if (!mkdtemp(folder) || arena_open(&arena, 4UL << 20) < 0)
		return -1;
	snprintf(workdir, sizeof workdir, "%s/work dir", folder);
	snprintf(beside, sizeof beside, "%s/" STORAGE_NAME, folder);
	snprintf(text, sizeof text, "%s/state", folder);
	return mkdir(workdir, 0755) < 0 || setenv("XDG_STATE_HOME", text, 1);
}

static int tear_down(void **state)
{
	(void)state;
	arena_close(&arena);
	return io_remove_tree_at(AT_FDCWD, folder);
}

static void make(const char *name, const char *storage, struct branch *ret)
{
	const struct branch_wishes wishes = { .name = name,
					      .workdir = workdir,
					      .storage = storage };
	int r = branch_create(&arena, &wishes, ret);

	if (r < 0)
		print_error("%s\n", err_text());
	assert_int_equal(r, 0);
}

static void test_made_beside_the_workdir(void **state)
{
	autobranch struct branch made = BRANCH_NONE, found = BRANCH_NONE;
	struct strings names;

	(void)state;
	make("one", NULL, &made);
	assert_true(starts_with(made.path, beside));
	assert_int_equal(branch_open(&arena, "one", &found), 0);
	assert_null(found.problem);
	assert_string_equal(found.workdir, workdir);
	assert_string_equal(found.path, made.path);
	assert_string_equal(found.xattr_prefix, "user.overlay.");
	assert_int_equal(found.state, BRANCH_OPEN);
	assert_int_equal(found.since.tv_sec, made.since.tv_sec);
	assert_int_equal(found.since.tv_nsec, made.since.tv_nsec);
	assert_true(branch_is_busy(&found));
	assert_int_equal(branch_lock(&arena, &found), -EBUSY);
	assert_int_equal(branch_list(&arena, &names), 0);
	assert_int_equal(names.n, 1);
	assert_string_equal(names.items[0], "one");
	assert_int_equal(branch_remove(&arena, &made), 0);
	assert_int_equal(access(beside, F_OK), -1);
	assert_int_equal(branch_list(&arena, &names), 0);
	assert_int_equal(names.n, 0);
}

static void test_made_up_names(void **state)
{
	autobranch struct branch a = BRANCH_NONE, b = BRANCH_NONE;

	(void)state;
	make(NULL, NULL, &a);
	make(NULL, NULL, &b);
	assert_true(starts_with(a.name, "workdir-"));
	assert_string_not_equal(a.name, b.name);
	assert_int_equal(branch_remove(&arena, &a), 0);
	assert_int_equal(branch_remove(&arena, &b), 0);
}

static void test_taken_name(void **state)
{
	autobranch struct branch a = BRANCH_NONE, b = BRANCH_NONE;
	const struct branch_wishes again = { .name = "one",
					     .workdir = workdir };

	(void)state;
	make("one", NULL, &a);
	assert_int_equal(branch_create(&arena, &again, &b), -EEXIST);
	assert_non_null(strstr(err_text(), "exists already"));
	assert_int_equal(b.dir, -1);
	/* The failure has removed nothing of the first one. */
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(branch_remove(&arena, &a), 0);
}

static void test_state_follows_the_files(void **state)
{
	autobranch struct branch a = BRANCH_NONE, b = BRANCH_NONE;

	(void)state;
	make("one", NULL, &a);
	assert_int_equal(branch_seal(&a), 0);
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(b.state, BRANCH_SEALED);
	branch_close(&b);
	assert_int_equal(mkdirat(a.dir, BRANCH_JOURNAL, 0700), 0);
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(b.state, BRANCH_COMMITTING);
	branch_close(&b);
	assert_int_equal(mkdirat(a.dir, BRANCH_DONE, 0700), 0);
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(b.state, BRANCH_COMMITTED);
	assert_int_equal(branch_unseal(&a), 0);
	assert_int_equal(branch_remove(&arena, &a), 0);
}

static void test_not_sealed_in_an_earlier_boot(void **state)
{
	autobranch struct branch a = BRANCH_NONE, b = BRANCH_NONE;
	char *text, *id;

	(void)state;
	make("one", NULL, &a);
	assert_int_equal(io_read_at(&arena, a.dir, "meta", 4096, &text), 0);
	id = strstr(text, a.boot_id);
	assert_non_null(id);
	*id = *id == '0' ? '1' : '0';
	assert_int_equal(io_replace_at(a.dir, "meta", text, strlen(text), 0600),
			 0);
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(b.state, BRANCH_DAMAGED);
	assert_null(b.problem);
	branch_close(&b);
	assert_int_equal(io_replace_at(a.dir, "meta", "{}", 2, 0600), 0);
	assert_int_equal(branch_open(&arena, "one", &b), 0);
	assert_int_equal(b.state, BRANCH_DAMAGED);
	assert_non_null(b.problem);
	assert_int_equal(branch_remove(&arena, &a), 0);
}

static void test_asked_storage(void **state)
{
	autobranch struct branch a = BRANCH_NONE, b = BRANCH_NONE;
	char storage[64];
	const struct branch_wishes open_to_all = { .workdir = workdir,
						   .storage = storage };

	(void)state;
	snprintf(storage, sizeof storage, "%s/asked", folder);
	make("one", storage, &a);
	assert_true(starts_with(a.path, storage));
	assert_int_equal(branch_remove(&arena, &a), 0);
	assert_int_equal(chmod(storage, 0777), 0);
	assert_true(branch_create(&arena, &open_to_all, &b) < 0);
	assert_non_null(strstr(err_text(), "config.fs_storage"));
}

static void test_home_if_the_parent_is_not_usable(void **state)
{
	autobranch struct branch a = BRANCH_NONE;

	(void)state;
	assert_int_equal(mkdir(beside, 0755), 0);
	make("one", NULL, &a);
	assert_null(strstr(a.path, STORAGE_NAME));
	assert_int_equal(branch_remove(&arena, &a), 0);
	(void)rmdir(beside);
}

static void test_another_workdir(void **state)
{
	autobranch struct branch a = BRANCH_NONE;
	char moved[80];
	int fd;

	(void)state;
	make("one", NULL, &a);
	fd = branch_open_workdir(&a);
	assert_true(fd >= 0);
	close(fd);
	snprintf(moved, sizeof moved, "%s.old", workdir);
	assert_int_equal(rename(workdir, moved), 0);
	assert_int_equal(mkdir(workdir, 0755), 0);
	assert_int_equal(branch_open_workdir(&a), -ESTALE);
	assert_int_equal(rmdir(workdir), 0);
	assert_int_equal(rename(moved, workdir), 0);
	assert_int_equal(branch_remove(&arena, &a), 0);
}

static void test_names(void **state)
{
	static const char *const bad[] = { "",	  ".",	 "..", ".x",
					   "a/b", "a b", "x\n" };
	char longest[BRANCH_NAME_MAX + 2];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(branch_check_name(bad[i]), -EINVAL);
	memset(longest, 'a', sizeof longest);
	longest[BRANCH_NAME_MAX + 1] = '\0';
	assert_int_equal(branch_check_name(longest), -EINVAL);
	longest[BRANCH_NAME_MAX] = '\0';
	assert_int_equal(branch_check_name(longest), 0);
	assert_int_equal(branch_check_name("x-1_2.3"), 0);
}

static void test_clock(void **state)
{
	autobranch struct branch a = BRANCH_NONE;
	char file[96];
	struct stat st;
	int fd;

	(void)state;
	for (int i = 0; i < 50; i++) {
		make("one", NULL, &a);
		snprintf(file, sizeof file, "%s/f", workdir);
		fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
		assert_true(fd >= 0 && fstat(fd, &st) == 0);
		close(fd);
		assert_true(st.st_ctim.tv_sec > a.since.tv_sec ||
			    st.st_ctim.tv_nsec > a.since.tv_nsec);
		assert_int_equal(unlink(file), 0);
		assert_int_equal(branch_remove(&arena, &a), 0);
		branch_close(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_beside_the_workdir),
		cmocka_unit_test(test_made_up_names),
		cmocka_unit_test(test_taken_name),
		cmocka_unit_test(test_state_follows_the_files),
		cmocka_unit_test(test_not_sealed_in_an_earlier_boot),
		cmocka_unit_test(test_asked_storage),
		cmocka_unit_test(test_home_if_the_parent_is_not_usable),
		cmocka_unit_test(test_another_workdir),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
