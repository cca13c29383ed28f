/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/seccomp.c - both ends of a filter: calls to be judged, and an agent.
 *
 * Usage: seccomp call [CALL[,ARGUMENT…]…]
 *        seccomp agent SOCKET FOLDER [CALL=ERRNO…] [quit]
 *
 * call makes each call and prints its name and "ok" or the name of the error.
 * A CALL is one of the names below or a number; thread:CALL is made by a
 * second thread, i386:NUMBER through the old entry. An ARGUMENT is a number,
 * or a text that begins with / or a letter. "signal" catches SIGSYS from there
 * on.
 *
 * agent listens on SOCKET and writes what comes with each listener to
 * FOLDER/1.json, 2.json and so on, the calls it is asked about to FOLDER/calls.
 * It answers with the errors given and lets all others continue; with quit it
 * closes the listener at once.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_LISTENERS 16
#define MESSAGE 4096

static const struct {
	const char *name;
	long number;
} known[] = {
	{ "chdir", SYS_chdir },	  { "close", SYS_close },
	{ "execve", SYS_execve }, { "fchmodat", SYS_fchmodat },
	{ "getpid", SYS_getpid }, { "getppid", SYS_getppid },
	{ "keyctl", SYS_keyctl }, { "kill", SYS_kill },
	{ "lseek", SYS_lseek },	  { "mkdirat", SYS_mkdirat },
	{ "openat", SYS_openat }, { "personality", SYS_personality },
	{ "read", SYS_read },	  { "socket", SYS_socket },
};

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static long call_number(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i].name) == len &&
		    strncmp(name, known[i].name, len) == 0)
			return known[i].number;
	return strtol(name, NULL, 0);
}

static const char *call_name(long number)
{
	static char text[32];

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			return known[i].name;
	snprintf(text, sizeof text, "%ld", number);
	return text;
}

/* ---- call ---- */

struct call {
	long number;
	long args[6];
	int error;
};

static void *make_call(void *arg)
{
	struct call *call = arg;
	const long *a = call->args;

	call->error = ECANCELED;
	if (syscall(call->number, a[0], a[1], a[2], a[3], a[4], a[5]) < 0)
		call->error = errno;
	else
		call->error = 0;
	return NULL;
}

static void in_thread(struct call *call)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, make_call, call) != 0)
		die("thread");
	(void)pthread_join(thread, NULL);
}

static void by_old_entry(struct call *call)
{
	long result = -ENOTSUP;

#ifdef __x86_64__
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(call->number), "b"(call->args[0]),
			   "c"(call->args[1]), "d"(call->args[2])
			 : "memory", "r8", "r9", "r10", "r11");
	result = (int)result;
#endif
	call->error = result < 0 ? (int)-result : 0;
}

static void read_arguments(const char *text, long *ret)
{
	for (int i = 0; i < 6 && *text == ','; i++) {
		size_t len = strcspn(++text, ",");

		if (isalpha((unsigned char)*text) || *text == '/')
			ret[i] = (long)strndup(text, len);
		else
			ret[i] = (long)strtoull(text, NULL, 0);
		text += len;
	}
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	printf("signal from %s\n", call_name(info->si_syscall));
	fflush(stdout);
}

static void catch_signal(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO };

	if (sigaction(SIGSYS, &action, NULL) < 0)
		die("sigaction");
}

static void one_call(const char *word)
{
	const char *colon = strchr(word, ':');
	const char *name = colon ? colon + 1 : word;
	size_t len = strcspn(name, ",");
	struct call call = { .number = call_number(name, len) };

	read_arguments(name + len, call.args);
	if (colon && *word == 't')
		in_thread(&call);
	else if (colon)
		by_old_entry(&call);
	else
		make_call(&call);
	printf("%.*s %s\n", (int)len, name,
	       call.error ? strerrorname_np(call.error) : "ok");
	fflush(stdout);
}

static int make_calls(char **words)
{
	for (; *words; words++)
		if (strcmp(*words, "signal") == 0)
			catch_signal();
		else
			one_call(*words);
	return 0;
}

/* ---- agent ---- */

struct agent {
	const char *folder;
	char **answers;
	bool quits;
	struct pollfd fds[1 + MAX_LISTENERS];
	nfds_t n;
};

static int open_file(const char *folder, const char *name)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		die(path);
	return fd;
}

/* What came with the listener, to the end; under its name when complete. */
static void save_message(const struct agent *agent, int sock, char *text,
			 ssize_t len)
{
	char from[4096], to[4096];
	int fd = open_file(agent->folder, "new");

	do
		if (write(fd, text, (size_t)len) != len)
			die("write");
	while ((len = read(sock, text, MESSAGE)) > 0);
	close(fd);
	snprintf(from, sizeof from, "%s/new", agent->folder);
	snprintf(to, sizeof to, "%s/%lu.json", agent->folder,
		 (unsigned long)agent->n);
	if (rename(from, to) < 0)
		die(to);
}

static void take_listener(struct agent *agent)
{
	int sock = accept(agent->fds[0].fd, NULL, NULL), listener;
	char text[MESSAGE], control[CMSG_SPACE(sizeof listener)];
	struct iovec iov = { text, sizeof text };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof control };
	ssize_t n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&msg) : NULL;

	if (!c || c->cmsg_type != SCM_RIGHTS)
		die("no listener in the first message");
	memcpy(&listener, CMSG_DATA(c), sizeof listener);
	save_message(agent, sock, text, n);
	close(sock);
	if (agent->quits)
		exit(0);
	agent->fds[agent->n++] = (struct pollfd){ listener, POLLIN, 0 };
}

static int error_for(const struct agent *agent, long number)
{
	const char *name = call_name(number);

	for (char **a = agent->answers; *a; a++) {
		size_t len = strcspn(*a, "=");

		if ((*a)[len] == '=' && strlen(name) == len &&
		    strncmp(*a, name, len) == 0)
			return atoi(*a + len + 1);
	}
	return 0;
}

static void answer(const struct agent *agent, int listener)
{
	struct seccomp_notif ask = { 0 };
	struct seccomp_notif_resp reply = { 0 };
	int calls = open_file(agent->folder, "calls");

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &ask) < 0) {
		close(calls);
		return;
	}
	dprintf(calls, "%s\n", call_name(ask.data.nr));
	close(calls);
	reply.id = ask.id;
	reply.error = -error_for(agent, ask.data.nr);
	if (!reply.error)
		reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
}

static int run_agent(char **words)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct agent agent = { .folder = words[1], .answers = words + 2 };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (char **a = agent.answers; *a; a++)
		agent.quits |= strcmp(*a, "quit") == 0;
	snprintf(addr.sun_path, sizeof addr.sun_path, "%s", words[0]);
	if (bind(sock, (struct sockaddr *)&addr, sizeof addr) < 0 ||
	    listen(sock, MAX_LISTENERS) < 0)
		die(words[0]);
	agent.fds[agent.n++] = (struct pollfd){ sock, POLLIN, 0 };
	while (poll(agent.fds, agent.n, -1) > 0) {
		for (nfds_t i = 1; i < agent.n; i++) {
			if (agent.fds[i].revents & POLLIN)
				answer(&agent, agent.fds[i].fd);
			else if (agent.fds[i].revents)
				agent.fds[i].fd = -1;
		}
		if (agent.fds[0].revents && agent.n <= MAX_LISTENERS)
			take_listener(&agent);
	}
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "call") == 0)
		return make_calls(argv + 2);
	if (argc > 3 && strcmp(argv[1], "agent") == 0)
		return run_agent(argv + 2);
	fprintf(stderr, "usage: seccomp call|agent …\n");
	return 125;
}
