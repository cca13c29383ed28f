/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_foreground.c - status, signals, terminal and readiness. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"
#include "base/util.h"
#include "runtime/launch/console.h"
#include "runtime/launch/foreground.h"
#include "runtime/launch/sd_notify.h"

#include <cmocka.h>

static char folder[] = "/tmp/test_foreground.XXXXXX";

/* The container's side: a shell, on a pty or on what the test has. */
static pid_t start_shell(const struct foreground *foreground, int slave,
			 const char *script)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	(void)sigprocmask(SIG_SETMASK, &foreground->old_mask, NULL);
	/* Ignored in the background jobs of a shell. */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGQUIT, SIG_DFL);
	(void)setsid();
	if (slave >= 0 &&
	    (ioctl(slave, TIOCSCTTY, 0) < 0 || dup2(slave, 0) < 0 ||
	     dup2(slave, 1) < 0 || dup2(slave, 2) < 0))
		_exit(126);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(127);
}

static int run_shell(const char *script)
{
	struct foreground foreground = FOREGROUND_NONE;
	struct foreground_job job = { 0 };
	int status = -1;

	assert_int_equal(foreground_prepare(&foreground), 0);
	job.pid = start_shell(&foreground, -1, script);
	job.pidfd = sys_pidfd_open(job.pid);
	assert_int_equal(foreground_wait(&foreground, &job, &status), 0);
	foreground_end(&foreground);
	close(job.pidfd);
	return status;
}

static void gives_the_exit_status(void **state)
{
	static const struct {
		const char *script;
		int status;
	} rows[] = {
		{ "exit 0", 0 },
		{ "exit 5", 5 },
		{ "kill -9 $$", 128 + SIGKILL },
		{ "kill -TERM $$", 128 + SIGTERM },
		/* Sent to us first, to be passed on. */
		{ "trap 'exit 6' USR1; kill -USR1 $PPID; sleep 10 & wait", 6 },
		{ "kill -INT $PPID; sleep 10", 128 + SIGINT },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(run_shell(rows[i].script), rows[i].status);
}

static void leaves_the_signal_mask_as_it_was(void **state)
{
	sigset_t before, after;

	(void)state;
	sigprocmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(run_shell("true"), 0);
	sigprocmask(SIG_SETMASK, NULL, &after);
	for (int sig = 1; sig < NSIG; sig++)
		assert_int_equal(sigismember(&before, sig),
				 sigismember(&after, sig));
}

static int relay_shell(const char *script)
{
	struct foreground foreground = FOREGROUND_NONE;
	struct console console = CONSOLE_NONE;
	struct foreground_job job = { .console = &console };
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int slave, status = 125;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return 124;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || foreground_prepare(&foreground) < 0)
		return 123;
	job.pid = start_shell(&foreground, slave, script);
	job.pidfd = sys_pidfd_open(job.pid);
	close(slave);
	if (console_open(master, /* input= */ true, &console) < 0 ||
	    foreground_wait(&foreground, &job, &status) < 0)
		status = 122;
	console_close(&console);
	foreground_end(&foreground);
	close(job.pidfd);
	return status;
}

/* In a process of its own: the relay is for descriptors 0 and 1. */
static int relay(const char *script, const char *input, char *ret, size_t size)
{
	FILE *in = tmpfile(), *out = tmpfile();
	int status = 0;
	ssize_t n;
	pid_t pid;

	assert_true(in && out);
	assert_int_equal(write(fileno(in), input, strlen(input)),
			 strlen(input));
	assert_int_equal(lseek(fileno(in), 0, SEEK_SET), 0);
	pid = fork();
	if (pid == 0) {
		/* Without a terminal that /dev/tty could find. */
		(void)setsid();
		if (dup2(fileno(in), 0) < 0 || dup2(fileno(out), 1) < 0)
			_exit(121);
		_exit(relay_shell(script));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	n = pread(fileno(out), ret, size - 1, 0);
	assert_true(n >= 0);
	ret[n] = '\0';
	fclose(in);
	fclose(out);
	return WEXITSTATUS(status);
}

static void relays_a_terminal(void **state)
{
	static const struct {
		const char *script, *input, *output;
		int status;
	} rows[] = {
		{ "echo a; echo b; exit 3", "", "a\nb\n", 3 },
		{ "stty -echo; read x; echo got $x", "hello\n", "got hello\n",
		  0 },
		{ "tty >/dev/null && echo yes", "", "yes\n", 0 },
		{ "exec </dev/null >/dev/null 2>&1; sleep 0.3; echo x >/dev/tty",
		  "", "x\n", 0 },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		int status =
			relay(rows[i].script, rows[i].input, text, sizeof text);

		/* Input typed before stty(1) acts is echoed. */
		assert_non_null(strstr(text, rows[i].output));
		assert_null(strchr(text, '\r'));
		assert_int_equal(status, rows[i].status);
	}
}

static void loses_nothing_at_the_end(void **state)
{
	static char text[1 << 20];
	int status = relay("seq 100000; exit 4", "", text, sizeof text);

	(void)state;
	assert_int_equal(status, 4);
	assert_int_equal(strlen(text), 588895);
}

static void passes_readiness_on(void **state)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int host = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int dir = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct sd_notify notify = SD_NOTIFY_NONE;
	char text[64] = "";

	(void)state;
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/host", folder);
	assert_int_equal(bind(host, (void *)&addr, sizeof addr), 0);
	assert_int_equal(sd_notify_make(dir), 0);
	assert_int_equal(sd_notify_open(dir, addr.sun_path, &notify), 0);
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s/notify/notify.sock",
		 folder);
	assert_int_equal(connect(client, (void *)&addr, sizeof addr), 0);
	assert_int_equal(sd_notify_receive(&notify, 42), 0);
	assert_true(send(client, "STATUS=READY=1", 14, 0) > 0);
	assert_int_equal(sd_notify_receive(&notify, 42), 0);
	assert_true(send(client, "STATUS=up\nREADY=1\nMAINPID=1", 27, 0) > 0);
	assert_int_equal(sd_notify_receive(&notify, 42), 1);
	assert_true(recv(host, text, sizeof text - 1, MSG_DONTWAIT) > 0);
	assert_string_equal(text, "READY=1\nMAINPID=42\n");
	sd_notify_close(&notify);
	(void)unlinkat(dir, "notify/notify.sock", 0);
	(void)unlinkat(dir, "notify", AT_REMOVEDIR);
	(void)unlinkat(dir, "host", 0);
	close(dir);
	close(client);
	close(host);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_the_exit_status),
		cmocka_unit_test(leaves_the_signal_mask_as_it_was),
		cmocka_unit_test(relays_a_terminal),
		cmocka_unit_test(loses_nothing_at_the_end),
		cmocka_unit_test(passes_readiness_on),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
