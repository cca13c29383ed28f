/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_enforcement.c - an enforcement that is saved comes back whole, or not at all. */
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
#include "base/util.h"
#include "runtime/enforce/saved.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static const struct landlock_rule rules[] = {
	{ "/", { 0, UINT64_C(1) << 63 } },
	{ "/usr/\"quoted\"\n", { 13, 5 } },
	{ "/srv/\xff\x01name", { UINT64_MAX, 7 } },
};
static const struct kernel_landlock_port ports[] = { { 1, 80 }, { 3, 65535 } };
static const uint32_t cores[] = { 0, 7, 8191 };
static struct sock_filter code[] = {
	{ 0x20, 0, 0, 4 },
	{ 0x15, 255, 1, 0xc000003e },
	{ 0xffff, 2, 3, UINT32_MAX },
};
static const char *keep[] = { "PATH", "LC_*", NULL };
static const char *deny[] = { "\xc3(", NULL };
static const char *put[] = { "A=b", "EMPTY=", NULL };
static const char *last[] = { "CUDA_VISIBLE_DEVICES=0,1", NULL };

/* Every member of the confinement has a value that no other has. */
static struct enforcement full(void)
{
	return (struct enforcement){
		.kind = ENFORCE_SANDBOX_NO_NAMESPACES,
		.process = {
			.landlock = {
				.needed = true,
				.handled = { UINT64_MAX, 3, 2 },
				.rules = rules,
				.nrules = COUNT(rules),
				.ports = ports,
				.nports = COUNT(ports),
				.flags = 4,
			},
			.reopens_stdio = true,
			.blocklist = { .code = code,
				       .len = COUNT(code),
				       .flags = 2 },
			.notify = { .code = code,
				    .len = COUNT(code) - 1,
				    .flags = 32 },
			.dropped_caps = UINT64_C(1) << 40,
			.open_files = { true, 1024 },
			.core_size = { true, 1 },
			.personality = 0x0040000,
			.no_huge_pages = true,
			.filters_env = true,
			.env = { { keep, 2 }, { deny, 1 }, { put, 2 }, { keep, 1 } },
			.last_env = { last, 1 },
			.limits = {
				.memory = { true, UINT64_MAX },
				.tasks = { true, 99 },
				.cpu = { true, 250 },
				.cores = { cores, COUNT(cores) },
			},
		},
	};
}

static void assert_lists_equal(const struct strings *a, const struct strings *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_string_equal(a->items[i], b->items[i]);
	assert_true(!a->n || !a->items[a->n]);
}

static void assert_rules_equal(const struct landlock_plan *a,
			       const struct landlock_plan *b)
{
	assert_int_equal(a->needed, b->needed);
	assert_memory_equal(&a->handled, &b->handled, sizeof a->handled);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->nrules, b->nrules);
	for (size_t i = 0; i < a->nrules; i++) {
		assert_string_equal(a->rules[i].path, b->rules[i].path);
		assert_memory_equal(&a->rules[i].access, &b->rules[i].access,
				    sizeof a->rules[i].access);
	}
	assert_int_equal(a->nports, b->nports);
	if (a->nports)
		assert_memory_equal(a->ports, b->ports,
				    a->nports * sizeof *a->ports);
}

static void assert_optional_equal(struct oci_u64 a, struct oci_u64 b)
{
	assert_int_equal(a.set, b.set);
	assert_true(a.value == b.value);
}

static void assert_process_equal(const struct confinement *a,
				 const struct confinement *b)
{
	assert_rules_equal(&a->landlock, &b->landlock);
	assert_int_equal(a->reopens_stdio, b->reopens_stdio);
	assert_int_equal(a->blocklist.len, b->blocklist.len);
	assert_memory_equal(a->blocklist.code, b->blocklist.code,
			    a->blocklist.len * sizeof *a->blocklist.code);
	assert_int_equal(a->blocklist.flags, b->blocklist.flags);
	assert_int_equal(a->blocklist.notifies, b->blocklist.notifies);
	assert_int_equal(a->notify.len, b->notify.len);
	if (a->notify.len)
		assert_memory_equal(a->notify.code, b->notify.code,
				    a->notify.len * sizeof *a->notify.code);
	assert_int_equal(a->notify.flags, b->notify.flags);
	assert_true(a->dropped_caps == b->dropped_caps);
	assert_optional_equal(a->open_files, b->open_files);
	assert_optional_equal(a->core_size, b->core_size);
	assert_int_equal(a->personality, b->personality);
	assert_int_equal(a->no_huge_pages, b->no_huge_pages);
	assert_int_equal(a->filters_env, b->filters_env);
	assert_lists_equal(&a->env.keep, &b->env.keep);
	assert_lists_equal(&a->env.deny, &b->env.deny);
	assert_lists_equal(&a->env.put, &b->env.put);
	assert_lists_equal(&a->last_env, &b->last_env);
	assert_optional_equal(a->limits.memory, b->limits.memory);
	assert_optional_equal(a->limits.tasks, b->limits.tasks);
	assert_optional_equal(a->limits.cpu, b->limits.cpu);
	assert_int_equal(a->limits.cores.n, b->limits.cores.n);
	if (a->limits.cores.n)
		assert_memory_equal(a->limits.cores.items,
				    b->limits.cores.items,
				    a->limits.cores.n * sizeof *cores);
}

static const char *write_text(void **state, const struct enforcement *e)
{
	const char *text = NULL;

	assert_int_equal(saved_write(*state, e, &text, NULL), 0);
	return arena_strdup(*state, text);
}

static void comes_back(void **state, const struct enforcement *e)
{
	const char *text = write_text(state, e);
	struct enforcement again;

	if (saved_parse(*state, text, strlen(text), &again) < 0)
		fail_msg("%s: %s", err_text(), text);
	assert_int_equal(e->kind, again.kind);
	assert_process_equal(&e->process, &again.process);
	assert_string_equal(text, write_text(state, &again));
}

static void every_member_comes_back(void **state)
{
	struct enforcement e = full();

	comes_back(state, &e);
}

static void what_is_empty_comes_back_empty(void **state)
{
	const struct enforcement e = {
		.kind = ENFORCE_BUNDLE,
		.process.blocklist = { .code = code, .len = 1 },
	};

	comes_back(state, &e);
}

static void every_change_is_seen_in_the_text(void **state)
{
	const struct enforcement e = full();
	const char *text = write_text(state, &e);
	struct enforcement other = e;

	other.process.landlock.nrules--;
	assert_string_not_equal(text, write_text(state, &other));
	other = e;
	other.process.core_size.set = false;
	assert_string_not_equal(text, write_text(state, &other));
	other = e;
	other.process.blocklist.len--;
	assert_string_not_equal(text, write_text(state, &other));
}

static void assert_refused(void **state, const char *text)
{
	struct enforcement untouched = { .kind = ENFORCE_BUNDLE };

	if (saved_parse(*state, text, strlen(text), &untouched) >= 0)
		fail_msg("accepted: %s", text);
	assert_true(*err_text());
	assert_int_equal(untouched.kind, ENFORCE_BUNDLE);
	assert_int_equal(untouched.process.blocklist.len, 0);
	err_clear();
}

/* With new instead of the first occurrence of old. */
static const char *replaced(void **state, const char *text, const char *old,
			    const char *new)
{
	const char *at = strstr(text, old);
	size_t before = at ? (size_t)(at - text) : 0;

	assert_non_null(at);
	return arena_printf(*state, "%.*s%s%s", (int)before, text, new,
			    text + before + strlen(old));
}

static void a_changed_text_is_refused(void **state)
{
	static const char *const changes[][2] = {
		{ "\"version\":1", "\"version\":2" },
		{ "\"version\":1,", "" },
		{ "\"version\":1", "\"version\":1,\"more\":true" },
		{ "\"sandboxWithoutNamespaces\"", "\"none\"" },
		{ "\"openFiles\":1024,", "" },
		{ "\"openFiles\":1024", "\"openfiles\":1024" },
		{ "\"openFiles\":1024", "\"openFiles\":-1" },
		{ "\"openFiles\":1024", "\"openFiles\":\"1024\"" },
		{ "\"path\":\"/\"", "\"path\":\"\"" },
		{ "\"path\":\"/\"", "\"path\":null" },
		{ "\"hex\":\"", "\"hex\":\"0" },
		{ "\"hex\":\"", "\"hex\":\"00" },
		{ "\"hex\":\"", "\"hex\":\"G0" },
		{ "\"hex\":\"", "\"HEX\":\"" },
		{ "\"program\":\"", "\"program\":\"0" },
		{ "\"program\":\"0", "\"program\":\"x" },
		{ "\"architecture\":", "\"architecture\":1" },
		{ "\"cpu\":250", "\"cpu\":0" },
		{ "\"cores\":[0", "\"cores\":[-1" },
		{ "\"needed\":true", "\"needed\":1" },
		{ "\"filter\":true", "\"filter\":null" },
	};
	const struct enforcement e = full();
	const char *text = write_text(state, &e);

	for (size_t i = 0; i < COUNT(changes); i++)
		assert_refused(state, replaced(state, text, changes[i][0],
					       changes[i][1]));
	assert_refused(state, "");
	assert_refused(state, "{}");
	assert_refused(state, "[]");
}

static void no_part_of_a_text_is_accepted(void **state)
{
	const struct enforcement e = full();
	const char *text = write_text(state, &e);

	for (size_t i = 0; i < strlen(text); i++)
		assert_refused(state,
			       arena_printf(*state, "%.*s", (int)i, text));
}

static void a_file_that_others_write_is_refused(void **state)
{
	char name[] = "/tmp/test_enforcement.XXXXXX";
	struct enforcement e = full(), again;
	char file[128];
	int dir;

	assert_non_null(mkdtemp(name));
	(void)snprintf(file, sizeof file, "%s/" ENFORCEMENT_FILE, name);
	dir = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(enforce_load(*state, dir, &again), -ENOENT);
	assert_string_equal(err_text(), ENFORCEMENT_FILE
			    ": open the saved policy of the container: "
			    "no such file or directory");
	assert_int_equal(enforce_save_ruleset(*state, &e, &e.process.landlock,
					      dir),
			 0);
	assert_int_equal(enforce_load(*state, dir, &again), 0);
	assert_process_equal(&e.process, &again.process);
	assert_int_equal(chmod(file, 0620), 0);
	assert_true(enforce_load(*state, dir, &again) < 0);
	assert_string_equal(err_text(), ENFORCEMENT_FILE
			    ": the saved policy of the container is "
			    "writable by its group or by others "
			    "(chmod go-w)");
	assert_int_equal(chmod(file, 0600), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(file, 12345, 0), 0);
		assert_true(enforce_load(*state, dir, &again) < 0);
		assert_string_equal(err_text(), ENFORCEMENT_FILE
				    ": the saved policy of the container "
				    "belongs to uid 12345, not to root or the "
				    "caller");
	}
	assert_int_equal(unlink(file), 0);
	assert_int_equal(symlink("/dev/null", file), 0);
	assert_int_equal(enforce_load(*state, dir, &again), -ELOOP);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(mkdir(file, 0700), 0);
	assert_true(enforce_load(*state, dir, &again) < 0);
	err_clear();
	assert_int_equal(rmdir(file), 0);
	assert_int_equal(rmdir(name), 0);
	close(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		arena_test(every_member_comes_back),
		arena_test(what_is_empty_comes_back_empty),
		arena_test(every_change_is_seen_in_the_text),
		arena_test(a_changed_text_is_refused),
		arena_test(no_part_of_a_text_is_accepted),
		arena_test(a_file_that_others_write_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
