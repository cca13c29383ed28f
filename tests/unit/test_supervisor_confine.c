/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_supervisor_confine.c - what a confined supervisor can do. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/util.h"
#include "confine/landlock.h"
#include "runtime/supervisor/confine.h"

#include <cmocka.h>

#include "tests/unit/emulator.h"

static int outside; /* a socket that the supervisor had before */

static int open_netlink(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
}

static int open_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int open_inet(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int ask_interface(void)
{
	struct ifreq request = { .ifr_name = "lo" };

	return ioctl(outside, SIOCGIFFLAGS, &request);
}

static int open_listener(void)
{
	return listen(outside, 1);
}

/* Nothing listens there, so this is about the right to try. */
static int open_connection(void)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons(1),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	return connect(outside, (struct sockaddr *)&to, sizeof to);
}

static int make_process(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid;
}

static int start_program(void)
{
	return execl("/bin/true", "true", NULL);
}

static int open_file(void)
{
	return open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}

/* errno of the call in a confined child, or 0. */
static int confined(int (*call)(void), const struct confine_network *network)
{
	struct landlock_host host = landlock_probe();
	pid_t pid;
	int status;

	outside = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(outside >= 0);
	pid = fork();
	if (pid == 0) {
		int dir = open("/tmp", O_PATH | O_CLOEXEC);

		if (confine_supervisor(&host, dir, network) < 0)
			_exit(255);
		/* A sanitizer would look for leaks, with calls that are denied. */
		(void)syscall(SYS_exit_group, call() < 0 ? errno : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	closep(&outside);
	assert_true(WIFEXITED(status));
	assert_int_not_equal(WEXITSTATUS(status), 255);
	return WEXITSTATUS(status);
}

static void a_supervisor_has_no_network(void **state)
{
	(void)state;
	skip_in_emulator();
	assert_int_equal(confined(open_inet, NULL), EPERM);
	assert_int_equal(confined(open_connection, NULL), EPERM);
	assert_int_equal(confined(ask_interface, NULL), EPERM);
}

static void a_relay_has_only_sockets_that_connect(void **state)
{
	static const struct confine_network relay = { .caps = 0 };
	static int (*const denied[])(void) = { open_netlink,  open_unix,
					       ask_interface, open_listener,
					       make_process,  start_program };

	(void)state;
	skip_in_emulator();
	assert_int_equal(confined(open_inet, &relay), 0);
	assert_int_equal(confined(open_connection, &relay), ECONNREFUSED);
	for (size_t i = 0; i < COUNT(denied); i++)
		assert_int_equal(confined(denied[i], &relay), EPERM);
	if (landlock_probe().abi > 0)
		assert_int_equal(confined(open_file, &relay), EACCES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_supervisor_has_no_network),
		cmocka_unit_test(a_relay_has_only_sockets_that_connect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
