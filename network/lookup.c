/* SPDX-License-Identifier: Apache-2.0 */
/* network/lookup.c - run sandlock-resolve, read its lines. */
#include "network/lookup.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"

static _Noreturn void become(const char *helper, const char *name, int out,
			     pid_t parent)
{
	char *const argv[] = { (char *)helper, (char *)"--ttl", (char *)name,
			       NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	if (null < 0 || dup2(out, 1) < 0 || dup2(null, 0) < 0 ||
	    dup2(null, 2) < 0)
		_exit(127);
	(void)sys_close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	proc_end_with(parent);
	(void)execve(helper, argv, environ);
	_exit(127);
}

int net_lookup_start(struct net_lookup *lookup, const char *helper,
		     const char *name)
{
	pid_t parent = getpid(), pid;
	int ends[2], status;

	*lookup = (struct net_lookup)NET_LOOKUP_NONE;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		become(helper, name, ends[1], parent);
	close(ends[1]);
	lookup->out = ends[0];
	if (pid < 0 || fcntl(lookup->out, F_SETFL, O_NONBLOCK) < 0) {
		closep(&lookup->out);
		return pid < 0 ? -EAGAIN : -EINVAL;
	}
	lookup->pidfd = sys_pidfd_open(pid);
	if (lookup->pidfd >= 0)
		return 0;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	closep(&lookup->out);
	return -EMFILE;
}

static bool read_address(const char *text, struct net_address *ret)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	*ret = (struct net_address){ .family = AF_INET };
	if (inet_pton(AF_INET, text, ret->bytes) == 1)
		return true;
	ret->family = AF_INET6;
	if (inet_pton(AF_INET6, text, ret->bytes) != 1)
		return false;
	/* The same host as an IPv4 address, which has a class. */
	if (memcmp(ret->bytes, mapped, sizeof mapped) == 0) {
		ret->family = AF_INET;
		memcpy(ret->bytes, ret->bytes + 12, 4);
		memset(ret->bytes + 4, 0, 12);
	}
	return true;
}

void net_lookup_parse(char *text, struct net_lookup_result *ret)
{
	struct net_lookup_result result = { .found = NET_FOUND_NOTHING,
					    .ttl = -1 };
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n")) != NULL) {
		uint32_t ttl;

		if (streq(line, "none"))
			result.found = NET_FOUND_NO_NAME;
		else if (starts_with(line, "ttl ") &&
			 num_u32(line + 4, &ttl) == 0)
			result.ttl = ttl;
		else if (result.n < NET_PINS_EACH &&
			 read_address(line, &result.addresses[result.n]))
			result.n++;
	}
	if (result.n > 0)
		result.found = NET_FOUND;
	*ret = result;
}

bool net_lookup_read(struct net_lookup *lookup, struct net_lookup_result *ret)
{
	for (;;) {
		size_t room = sizeof lookup->text - 1 - lookup->len;
		ssize_t n = room ? read(lookup->out, lookup->text + lookup->len,
					room) :
				   0;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0)
			break;
		lookup->len += (size_t)n;
	}
	lookup->text[lookup->len] = '\0';
	net_lookup_parse(lookup->text, ret);
	net_lookup_end(lookup);
	return true;
}

void net_lookup_end(struct net_lookup *lookup)
{
	siginfo_t info;

	closep(&lookup->out);
	if (lookup->pidfd < 0)
		return;
	(void)sys_pidfd_send_signal(lookup->pidfd, SIGKILL);
	(void)waitid(P_PIDFD, (id_t)lookup->pidfd, &info, WEXITED);
	closep(&lookup->pidfd);
}
