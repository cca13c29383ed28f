/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/bench/count.c - how many system calls a command makes.
 *
 * Usage: count FILE PROGRAM COMMAND [ARGUMENT...]
 *
 * All processes of COMMAND count, until one executes a file whose name is
 * PROGRAM: that is the container's own. One that outlives COMMAND counts until
 * it waits for something. The number goes to FILE, and after it, a line each,
 * how often which call was made. The status is COMMAND's.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_CALLS 1024
#define MAX_PROCESSES 64
#define SETTLED 5
#define OPTIONS                                                             \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

struct tally {
	const char *program;
	pid_t command;
	int status;
	bool ended;
	long sum;
	long calls[MAX_CALLS];
	pid_t pids[MAX_PROCESSES];
	size_t npids;
};

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	(void)raise(SIGSTOP);
	execvp(argv[0], argv);
	die(argv[0]);
	return -1;
}

static void remember(struct tally *tally, pid_t pid)
{
	for (size_t i = 0; i < tally->npids; i++)
		if (tally->pids[i] == pid)
			return;
	if (tally->npids < MAX_PROCESSES)
		tally->pids[tally->npids++] = pid;
}

static void forget(struct tally *tally, pid_t pid)
{
	for (size_t i = 0; i < tally->npids; i++)
		if (tally->pids[i] == pid)
			tally->pids[i] = tally->pids[--tally->npids];
}

/* Do all remaining processes sleep? */
static bool all_sleep(const struct tally *tally)
{
	for (size_t i = 0; i < tally->npids; i++) {
		char path[64], state = 'S';
		FILE *file;

		snprintf(path, sizeof path, "/proc/%d/stat", tally->pids[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 'S';
		fclose(file);
		if (state != 'S')
			return false;
	}
	return true;
}

/* Has it become what the container is there for? */
static bool is_program(const struct tally *tally, pid_t pid)
{
	char link[64], path[4096];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/%d/exe", pid);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	name = strrchr(path, '/');
	return name && strcmp(name + 1, tally->program) == 0;
}

static void count(struct tally *tally, pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	tally->sum++;
	if (info.entry.nr < MAX_CALLS)
		tally->calls[info.entry.nr]++;
}

static void go_on(struct tally *tally, pid_t pid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (sig == (SIGTRAP | 0x80))
		count(tally, pid);
	if (event == PTRACE_EVENT_EXEC && is_program(tally, pid)) {
		forget(tally, pid);
		(void)ptrace(PTRACE_DETACH, pid, 0, 0);
		return;
	}
	remember(tally, pid);
	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP)
		(void)kill(pid, SIGCONT);
	if (event || sig == (SIGTRAP | 0x80) || sig == SIGTRAP)
		sig = 0;
	(void)ptrace(PTRACE_SYSCALL, pid, 0, sig);
}

static void one_event(struct tally *tally, pid_t pid, int status)
{
	if (WIFSTOPPED(status)) {
		go_on(tally, pid, status);
		return;
	}
	forget(tally, pid);
	if (pid != tally->command)
		return;
	tally->ended = true;
	tally->status = WIFEXITED(status) ? WEXITSTATUS(status) :
					    128 + WTERMSIG(status);
}

static void watch(struct tally *tally)
{
	const struct timespec moment = { .tv_nsec = 2000000 };
	int settled = 0;

	while (settled < SETTLED) {
		int status;
		pid_t pid = waitpid(-1, &status,
				    __WALL | (tally->ended ? WNOHANG : 0));

		if (pid > 0) {
			one_event(tally, pid, status);
			settled = 0;
		} else if (pid < 0 && errno == ECHILD) {
			return;
		} else {
			settled = all_sleep(tally) ? settled + 1 : 0;
			(void)nanosleep(&moment, NULL);
		}
	}
}

static int report(const struct tally *tally, const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return -1;
	fprintf(file, "%ld\n", tally->sum);
	for (size_t i = 0; i < MAX_CALLS; i++)
		if (tally->calls[i])
			fprintf(file, "%zu %ld\n", i, tally->calls[i]);
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct tally tally = { 0 };
	int status;

	if (argc < 4)
		return 125;
	tally.program = argv[2];
	tally.command = start(argv + 3);
	if (waitpid(tally.command, &status, WUNTRACED) < 0 ||
	    ptrace(PTRACE_SEIZE, tally.command, 0, OPTIONS) < 0)
		die("seize");
	(void)kill(tally.command, SIGCONT);
	watch(&tally);
	return report(&tally, argv[1]) == 0 ? tally.status : 125;
}
