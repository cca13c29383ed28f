/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_container.c - names, records and what the kernel says of them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "runtime/container/container.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define ID "web1"

/* A state directory of its own, and a process to be the container's init. */
struct fixture {
	struct arena arena;
	char root[32];
	int rootfd;
	pid_t init;
	uint64_t start;
	char *boot_id;
};

static struct fixture fixture;

static pid_t start_sleeping(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static int set_up(void **state)
{
	struct fixture *f = &fixture;
	autoclose int proc = proc_open();
	char letter;

	*state = f;
	strcpy(f->root, "/tmp/test_container.XXXXXX");
	if (arena_open(&f->arena, 16 << 20) < 0 || !mkdtemp(f->root))
		return -1;
	f->rootfd = open(f->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->init = start_sleeping();
	if (f->rootfd < 0 || f->init < 0)
		return -1;
	return proc_stat(proc, f->init, &f->start, &letter) < 0 ||
			       io_read_at(&f->arena, proc,
					  "sys/kernel/random/boot_id", 64,
					  &f->boot_id) < 0 ?
		       -1 :
		       0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->init > 0) {
		kill(f->init, SIGKILL);
		waitpid(f->init, NULL, 0);
	}
	close(f->rootfd);
	io_remove_tree_at(AT_FDCWD, f->root);
	arena_close(&f->arena);
	return 0;
}

static struct oci_record good_record(const struct fixture *f)
{
	return (struct oci_record){
		.version = "1.0.2",
		.id = ID,
		.bundle = "/b",
		.rootfs = "/b/rootfs",
		.created = "2026-01-02T03:04:05.678Z",
		.boot_id = f->boot_id,
		.kept = true,
		.pid = f->init,
		.start_time = f->start,
	};
}

static void put_text(const struct fixture *f, const char *id, const char *text)
{
	(void)mkdirat(f->rootfd, id, 0700);

	autoclose int dir =
		openat(f->rootfd, id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(io_replace_at(dir, "state.json", text, strlen(text),
				       0600),
			 0);
}

static void put_record(struct fixture *f, const struct oci_record *record)
{
	const char *json;
	size_t len;

	assert_int_equal(oci_record_write(&f->arena, record, &json, &len), 0);
	put_text(f, ID, json);
}

static enum oci_status status_of(struct fixture *f,
				 const struct oci_record *record)
{
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;

	put_record(f, record);
	assert_int_equal(container_load(&f->arena, f->root, ID, &c), 0);
	assert_false(c.broken);
	assert_int_equal(container_status(&c, &status), 0);
	return status;
}

static int pidfd_of(struct fixture *f, const struct oci_record *record)
{
	autocontainer struct container c = CONTAINER_NONE;

	put_record(f, record);
	assert_int_equal(container_load(&f->arena, f->root, ID, &c), 0);
	return container_pidfd(&c);
}

static void ids_are_names(void **state)
{
	static const char *const good[] = {
		"a", "web1", "A_b+c-d.e", ".hidden", "...", "-x", "0",
	};
	static const char *const bad[] = {
		"",    ".",   "..",	  "a/b", "/", "../a", "a b",
		"a\n", "a:b", "\xc3\xa4", "a*",	 "~", "a\\b", "\x7f",
	};
	char lots[1026];

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_int_equal(container_check_id(good[i]), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		if (container_check_id(bad[i]) >= 0)
			fail_msg("'%s'", bad[i]);
	assert_true(starts_with(err_text(), "invalid container ID format"));
	memset(lots, 'a', sizeof lots);
	lots[1025] = '\0';
	assert_true(container_check_id(lots) < 0);
	lots[1024] = '\0';
	assert_int_equal(container_check_id(lots), 0);
}

static void what_is_not_there_does_not_exist(void **state)
{
	struct fixture *f = *state;
	struct container c;
	char longest[300];

	memset(longest, 'a', sizeof longest);
	longest[299] = '\0';
	assert_int_equal(container_load(&f->arena, f->root, ID, &c), -ENOENT);
	assert_string_equal(err_text(), "web1: container does not exist");
	assert_int_equal(container_load(&f->arena, "/nonexistent", ID, &c),
			 -ENOENT);
	assert_string_equal(err_text(), "web1: container does not exist");
	assert_int_equal(container_load(&f->arena, f->root, longest, &c),
			 -ENOENT);
	assert_true(container_load(&f->arena, f->root, "..", &c) < 0);
}

static void a_record_is_read(void **state)
{
	struct fixture *f = *state;
	autocontainer struct container c = CONTAINER_NONE;
	struct oci_record record = good_record(f);

	put_record(f, &record);
	assert_int_equal(container_load_sound(&f->arena, f->root, ID, &c), 0);
	assert_string_equal(c.id, ID);
	assert_int_equal(c.record.pid, f->init);
	assert_int_equal(c.record.start_time, f->start);
	assert_true(container_this_boot(&c));
}

static void garbage_is_broken(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"{}",
		"null",
		"[]",
		"\xff\xfe",
		"{\"pid\": -1}",
		"{\"ociVersion\":\"1.0.0\",\"id\":\"web2\",\"bundle\":\"/\","
		"\"bootId\":\"x\",\"kept\":false}",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(texts); i++) {
		autocontainer struct container c = CONTAINER_NONE;
		enum oci_status status;

		put_text(f, ID, texts[i]);
		assert_int_equal(container_load(&f->arena, f->root, ID, &c), 0);
		if (!c.broken || container_pidfd(&c) != -ESRCH)
			fail_msg("'%s'", texts[i]);
		assert_string_equal(c.record.id, ID);
		assert_int_equal(container_status(&c, &status), 0);
		assert_int_equal(status, OCI_STOPPED);
		container_close(&c);
		assert_true(container_load_sound(&f->arena, f->root, ID, &c) <
			    0);
		assert_true(
			starts_with(err_text(), "web1: container is broken: "));
	}
}

static void a_directory_others_may_write_is_broken(void **state)
{
	struct fixture *f = *state;
	autocontainer struct container c = CONTAINER_NONE;
	struct oci_record record = good_record(f);

	put_record(f, &record);
	assert_int_equal(fchmodat(f->rootfd, ID, 0720, 0), 0);
	assert_int_equal(container_load(&f->arena, f->root, ID, &c), 0);
	assert_true(c.broken);
}

static void only_the_recorded_process_counts(void **state)
{
	struct fixture *f = *state;
	const struct oci_record good = good_record(f);
	struct oci_record r = good;
	int pidfd = pidfd_of(f, &good);

	assert_true(pidfd >= 0);
	close(pidfd);
	assert_int_equal(status_of(f, &good), OCI_RUNNING);

	r.boot_id = "00000000-0000-0000-0000-000000000000";
	assert_int_equal(status_of(f, &r), OCI_STOPPED);
	assert_int_equal(pidfd_of(f, &r), -ESRCH);
	r = good;
	r.start_time++;
	assert_int_equal(status_of(f, &r), OCI_STOPPED);
	assert_int_equal(pidfd_of(f, &r), -ESRCH);
	assert_string_equal(err_text(), "web1: container not running");
	r = good;
	r.ns_inodes[OCI_NS_PID] = 1;
	assert_int_equal(status_of(f, &r), OCI_STOPPED);
	assert_int_equal(pidfd_of(f, &r), -ESRCH);
	r = good;
	r.pid = 4 << 20;
	assert_int_equal(status_of(f, &r), OCI_STOPPED);
	assert_int_equal(pidfd_of(f, &r), -ESRCH);
}

static void a_zombie_is_stopped(void **state)
{
	struct fixture *f = *state;
	struct oci_record record = good_record(f);

	kill(f->init, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)f->init, &(siginfo_t){ 0 },
				WEXITED | WNOWAIT),
			 0);
	assert_int_equal(status_of(f, &record), OCI_STOPPED);
	assert_int_equal(pidfd_of(f, &record), -ESRCH);
	waitpid(f->init, NULL, 0);
	f->init = 0;
	assert_int_equal(status_of(f, &record), OCI_STOPPED);
}

static int listen_at_gate(const struct fixture *f)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/%s/gate", f->root,
		 ID);
	assert_int_equal(bind(sock, (struct sockaddr *)&addr, sizeof addr), 0);
	assert_int_equal(listen(sock, 1), 0);
	return sock;
}

/* Replace init by a process that has executed a program. */
static void start_program(struct fixture *f)
{
	autoclose int proc = proc_open();
	int pipes[2];
	char letter;

	kill(f->init, SIGKILL);
	waitpid(f->init, NULL, 0);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	f->init = fork();
	if (f->init == 0) {
		execlp("sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	assert_true(f->init > 0);
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &letter, 1), 0);
	close(pipes[0]);
	assert_int_equal(proc_stat(proc, f->init, &f->start, &letter), 0);
}

static void execve_tells_created_from_running(void **state)
{
	struct fixture *f = *state;
	struct oci_record record = good_record(f);
	int gate;

	put_record(f, &record);
	gate = listen_at_gate(f);
	for (int i = 0; i < 4; i++)
		assert_int_equal(status_of(f, &record), OCI_CREATED);
	/* Asking for the status does not wake init. */
	assert_int_equal(poll(&(struct pollfd){ gate, POLLIN, 0 }, 1, 0), 0);
	start_program(f);
	record = good_record(f);
	assert_int_equal(status_of(f, &record), OCI_RUNNING);
	close(gate);
	assert_int_equal(status_of(f, &record), OCI_RUNNING);
}

static void a_restored_process_has_no_gate_and_is_running(void **state)
{
	struct fixture *f = *state;
	struct oci_record record = good_record(f);

	assert_int_equal(status_of(f, &record), OCI_RUNNING);
}

static enum oci_status status_among(struct fixture *f,
				    const struct oci_record *record)
{
	autocontainers struct containers all = CONTAINERS_NONE;
	autocontainer struct container c = CONTAINER_NONE;
	enum oci_status status;

	put_record(f, record);
	assert_int_equal(containers_open(f->root, &all), 0);
	assert_int_equal(containers_load(&f->arena, &all, ID, &c), 0);
	assert_false(c.broken);
	assert_int_equal(container_status(&c, &status), 0);
	return status;
}

static void many_are_judged_as_one_is(void **state)
{
	struct fixture *f = *state;
	const struct oci_record good = good_record(f);
	autocontainers struct containers all = CONTAINERS_NONE;
	struct oci_record r = good;
	struct container c;

	assert_int_equal(status_among(f, &good), OCI_RUNNING);
	r.boot_id = "00000000-0000-0000-0000-000000000000";
	assert_int_equal(status_among(f, &r), OCI_STOPPED);
	r = good;
	r.start_time++;
	assert_int_equal(status_among(f, &r), OCI_STOPPED);
	r = good;
	r.ns_inodes[OCI_NS_PID] = 1;
	assert_int_equal(status_among(f, &r), OCI_STOPPED);
	r = good;
	r.kept = false;
	assert_int_equal(status_among(f, &r), OCI_STOPPED);
	assert_int_equal(containers_open("/nonexistent", &all), -ENOENT);
	assert_int_equal(containers_open(f->root, &all), 0);
	assert_int_equal(containers_load(&f->arena, &all, "web2", &c), -ENOENT);
	assert_string_equal(err_text(), "web2: container does not exist");
}

static void an_intent_is_creating_while_locked(void **state)
{
	struct fixture *f = *state;
	struct oci_record record = good_record(f);
	int dir;

	record.kept = false;
	record.pid = 0;
	assert_int_equal(status_of(f, &record), OCI_STOPPED);
	dir = openat(f->rootfd, ID, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(flock(dir, LOCK_EX | LOCK_NB), 0);
	assert_int_equal(status_of(f, &record), OCI_CREATING);
	close(dir);
	assert_int_equal(status_of(f, &record), OCI_STOPPED);
}

static void ids_are_sorted_directories(void **state)
{
	static const char *const expected[] = { "a", "a.b", "b", "web1" };
	struct fixture *f = *state;
	struct strings ids;

	assert_int_equal(container_ids(&f->arena, f->root, &ids), 0);
	assert_int_equal(ids.n, 0);
	mkdirat(f->rootfd, "web1", 0700);
	mkdirat(f->rootfd, "b", 0700);
	mkdirat(f->rootfd, "a.b", 0700);
	mkdirat(f->rootfd, "a", 0700);
	mkdirat(f->rootfd, "not an id", 0700);
	close(openat(f->rootfd, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	symlinkat("a", f->rootfd, "link");
	assert_int_equal(container_ids(&f->arena, f->root, &ids), 0);
	assert_int_equal(ids.n, COUNT(expected));
	for (size_t i = 0; i < ids.n; i++)
		assert_string_equal(ids.items[i], expected[i]);
	assert_null(ids.items[ids.n]);
	assert_int_equal(container_ids(&f->arena, "/nonexistent", &ids),
			 -ENOENT);
}

#define WITH_FIXTURE(test) \
	cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_names),
		WITH_FIXTURE(what_is_not_there_does_not_exist),
		WITH_FIXTURE(a_record_is_read),
		WITH_FIXTURE(garbage_is_broken),
		WITH_FIXTURE(a_directory_others_may_write_is_broken),
		WITH_FIXTURE(only_the_recorded_process_counts),
		WITH_FIXTURE(a_zombie_is_stopped),
		WITH_FIXTURE(execve_tells_created_from_running),
		WITH_FIXTURE(a_restored_process_has_no_gate_and_is_running),
		WITH_FIXTURE(many_are_judged_as_one_is),
		WITH_FIXTURE(an_intent_is_creating_while_locked),
		WITH_FIXTURE(ids_are_sorted_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
