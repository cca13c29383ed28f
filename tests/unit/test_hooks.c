/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_hooks.c - hooks: order, input, output, time, place. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/util.h"
#include "hooks/hooks.h"

static int fail_because(const char *path)
{
	return fail(0, "no %s", path);
}

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

#define IN_HOOK "error running createRuntime hook #0: "
#define STATE "{\"id\":\"web1\"}"

static char folder[] = "/tmp/test_hooks.XXXXXX";
static const struct hooks_place here;

static const char *shell_args(const char *script, const char **args)
{
	args[0] = "sh";
	args[1] = "-c";
	args[2] = script;
	args[3] = NULL;
	return "/bin/sh";
}

static int run_in(const char *script, uint32_t timeout, enum hook_point when,
		  const struct hooks_place *place)
{
	const char *args[4];
	struct oci_hook hook = {
		.path = shell_args(script, args),
		.args = { .items = args, .n = 3 },
		.timeout = timeout,
	};
	struct oci_hooks hooks = { 0 };

	hooks.at[when] = (struct oci_hook_list){ .items = &hook, .n = 1 };
	err_clear();
	return hooks_run(&hooks, when, place, STATE);
}

static int run_script(const char *script, uint32_t timeout)
{
	return run_in(script, timeout, HOOK_CREATE_RUNTIME, &here);
}

static void read_back(const char *name, char *ret, size_t size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, size - 1);

	ret[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
	(void)unlink(name);
}

static void says_what_failed(void **state)
{
	static const struct {
		const char *script;
		uint32_t timeout;
		const char *text;
	} rows[] = {
		{ "true", 0, "" },
		{ "exit 3", 0, IN_HOOK "exit status 3, stdout: , stderr: " },
		{ "echo one; echo two >&2; exit 4", 0,
		  IN_HOOK "exit status 4, stdout: one, stderr: two" },
		{ "kill -9 $$", 0,
		  IN_HOOK "killed by signal 9 (killed), stdout: , stderr: " },
		{ "sleep 60", 1,
		  IN_HOOK "hook ran past specified timeout of 1 s" },
		{ "sleep 60; true", 1,
		  IN_HOOK "hook ran past specified timeout of 1 s" },
		{ "true", 5, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int r = run_script(rows[i].script, rows[i].timeout);

		assert_string_equal(err_text(), rows[i].text);
		assert_int_equal(r < 0, *rows[i].text != '\0');
	}
}

static void keeps_the_end_of_long_output(void **state)
{
	(void)state;
	assert_true(run_script("i=0; while [ $i -lt 30000 ]; do echo $i; "
			       "i=$((i+1)); done; echo last; exit 1",
			       0) < 0);
	assert_non_null(strstr(err_text(), "29999\nlast, stderr: "));
	assert_null(strstr(err_text(), "\n100\n"));
}

static void gives_state_on_standard_input(void **state)
{
	char text[64];

	(void)state;
	assert_int_equal(run_script("cat >got", 0), 0);
	read_back("got", text, sizeof text);
	assert_string_equal(text, STATE);
}

static void does_not_wait_for_daemons(void **state)
{
	struct timespec before, after;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &before);
	assert_int_equal(run_script("sleep 20 & echo $! >daemon", 0), 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(after.tv_sec - before.tv_sec < 10);
	assert_int_equal(run_script("kill $(cat daemon); rm daemon", 0), 0);
}

static void names_the_program_that_is_missing(void **state)
{
	struct oci_hook list[] = { { .path = "/bin/true" },
				   { .path = "/no/such/hook" } };
	struct oci_hooks hooks = { 0 };

	(void)state;
	hooks.at[HOOK_PRESTART] = (struct oci_hook_list){ list, 2 };
	assert_int_equal(hooks_run(&hooks, HOOK_PRESTART, &here, STATE),
			 -ENOENT);
	assert_string_equal(err_text(),
			    "error running prestart hook #1: "
			    "exec /no/such/hook: no such file or directory");
}

static void the_first_failure_ends_the_list_except_at_poststop(void **state)
{
	const char *fails[4], *leaves[4];
	struct oci_hook list[] = {
		{ .path = shell_args("exit 1", fails), .args = { fails, 3 } },
		{ .path = shell_args(">second", leaves),
		  .args = { leaves, 3 } },
	};
	struct oci_hooks hooks = { 0 };

	(void)state;
	hooks.at[HOOK_POSTSTART] = (struct oci_hook_list){ list, 2 };
	hooks.at[HOOK_POSTSTOP] = (struct oci_hook_list){ list, 2 };
	assert_true(hooks_run(&hooks, HOOK_POSTSTART, &here, STATE) < 0);
	assert_int_equal(access("second", F_OK), -1);
	assert_int_equal(hooks_run(&hooks, HOOK_POSTSTOP, &here, STATE), 0);
	assert_int_equal(unlink("second"), 0);
}

static void takes_the_environment_it_is_given(void **state)
{
	static const char *given[] = { "A=hook", NULL };
	static char *placed[] = { (char *)"A=place", NULL };
	struct hooks_place place = here;
	const char *args[4];
	struct oci_hook hook = {
		.path = shell_args("echo \"$A\" >env", args),
		.args = { args, 3 },
	};
	struct oci_hooks hooks = { 0 };
	char text[64];

	(void)state;
	(void)setenv("A", "runtime", 1);
	hooks.at[HOOK_PRESTART] = (struct oci_hook_list){ &hook, 1 };
	assert_int_equal(hooks_run(&hooks, HOOK_PRESTART, &place, STATE), 0);
	read_back("env", text, sizeof text);
	assert_string_equal(text, "runtime\n");
	place.env = placed;
	assert_int_equal(hooks_run(&hooks, HOOK_PRESTART, &place, STATE), 0);
	read_back("env", text, sizeof text);
	assert_string_equal(text, "place\n");
	hook.has_env = true;
	hook.env = (struct strings){ given, 1 };
	assert_int_equal(hooks_run(&hooks, HOOK_PRESTART, &place, STATE), 0);
	read_back("env", text, sizeof text);
	assert_string_equal(text, "hook\n");
}

static void starts_clean_in_its_working_directory(void **state)
{
	struct hooks_place place = here;
	int extra = fcntl(2, F_DUPFD, 50);
	sigset_t all, old;

	(void)state;
	place.cwd = "/usr";
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	(void)signal(SIGPIPE, SIG_IGN);
	/* SIGPIPE is the 13th: its bit is the lowest of the fourth digit. */
	assert_int_equal(
		run_in("[ $PWD = /usr ] && [ ! -e /proc/$$/fd/50 ] &&"
		       "grep -q '^SigBlk:.0000000000000000' /proc/self/status &&"
		       "grep -q '^SigIgn:.*[02468ace]...$' /proc/self/status",
		       0, HOOK_PRESTART, &place),
		0);
	(void)signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(extra);
}

/* A process of its own namespaces to visit; the pipe's end ends it. */
static pid_t make_namespaces(int *ret_keep)
{
	int ready[2], keep[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0 || pipe2(keep, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		close(keep[1]);
		if (unshare(CLONE_NEWUTS | CLONE_NEWPID) < 0 ||
		    sethostname("inside", 6) < 0)
			_exit(1);
		pid = fork();
		if (pid == 0)
			_exit(write(ready[1], "x", 1) == 1 &&
			      read(keep[0], &byte, 1) == 0);
		close(ready[1]);
		_exit(waitpid(pid, NULL, 0) == pid ? 0 : 1);
	}
	close(ready[1]);
	close(keep[0]);
	*ret_keep = keep[1];
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static int open_ns(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static void runs_inside_namespaces(void **state)
{
	static const int flags[] = { CLONE_NEWUTS, CLONE_NEWPID };
	struct hooks_place place = here;
	int fds[2], keep = -1;
	pid_t pid;

	(void)state;
	pid = geteuid() == 0 ? make_namespaces(&keep) : -1;
	if (pid < 0) {
		print_message("needs root\n");
		skip();
	}
	fds[0] = open_ns(pid, "uts");
	fds[1] = open_ns(pid, "pid_for_children");
	place.namespaces = fds;
	place.ns_flags = flags;
	place.n = 2;
	assert_int_equal(run_in("[ $(uname -n) = inside ] && [ $$ -lt 9 ]", 0,
				HOOK_CREATE_CONTAINER, &place),
			 0);
	assert_true(run_in("exit 7", 0, HOOK_CREATE_CONTAINER, &place) < 0);
	assert_non_null(strstr(err_text(), "exit status 7"));
	assert_true(run_in("kill -9 $$", 0, HOOK_CREATE_CONTAINER, &place) < 0);
	assert_non_null(strstr(err_text(), "killed by signal 9"));
	assert_true(run_in("sleep 60; true", 1, HOOK_CREATE_CONTAINER, &place) <
		    0);
	assert_non_null(strstr(err_text(), "timeout of 1 s"));
	close(keep);
	close(fds[0]);
	close(fds[1]);
	waitpid(pid, NULL, 0);
}

static int instead(const char *path, char *const *argv, char *const *envp,
		   void *arg)
{
	(void)argv;
	(void)envp;
	return arg ? fail_because(path) : 7;
}

static void runs_a_function_instead(void **state)
{
	struct hooks_place place = here;

	(void)state;
	place.run = instead;
	assert_true(run_in("true", 0, HOOK_CREATE_RUNTIME, &place) < 0);
	assert_string_equal(err_text(),
			    IN_HOOK "exit status 7, stdout: , stderr: ");
	place.arg = &place;
	assert_true(run_in("true", 0, HOOK_CREATE_RUNTIME, &place) < 0);
	assert_string_equal(err_text(), IN_HOOK
			    "exit status 127, stdout: , stderr: no /bin/sh");
}

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	(void)state;
	return chdir("/") < 0 ? -1 : rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_what_failed),
		cmocka_unit_test(keeps_the_end_of_long_output),
		cmocka_unit_test(gives_state_on_standard_input),
		cmocka_unit_test(does_not_wait_for_daemons),
		cmocka_unit_test(names_the_program_that_is_missing),
		cmocka_unit_test(
			the_first_failure_ends_the_list_except_at_poststop),
		cmocka_unit_test(takes_the_environment_it_is_given),
		cmocka_unit_test(starts_clean_in_its_working_directory),
		cmocka_unit_test(runs_inside_namespaces),
		cmocka_unit_test(runs_a_function_instead),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
