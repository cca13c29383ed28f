/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/inject.c - kill a process as it enters its n-th system call.
 *
 * Usage: inject self|child|PID N COMMAND [ARGUMENT...]
 *
 * COMMAND is run; the victim is itself, those it clones until one of them
 * calls exec, or a process that lives already (the container's, for `start`).
 * The status is COMMAND's own, 128 + signal when it was killed, and 99 when
 * it ended before the victim made so many calls. N = 0 kills no process.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_REACHED 99
#define OPTIONS                                                             \
	(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE | \
	 PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC)

struct hunt {
	pid_t command;
	pid_t other;   /* a victim by its number, or 0 */
	bool children; /* of the command are the victims */
	long left;
	bool done;
	int status;
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

static void seize(pid_t pid, long options)
{
	if (ptrace(PTRACE_SEIZE, pid, 0, options) < 0)
		die("seize");
}

/* A thread of the command is no child: to kill it would kill the command. */
static bool is_of_command(const struct hunt *hunt, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d", hunt->command, pid);
	return access(path, F_OK) == 0;
}

static bool is_victim(const struct hunt *hunt, pid_t pid)
{
	if (hunt->other)
		return pid == hunt->other;
	return is_of_command(hunt, pid) != hunt->children;
}

/*
 * A victim is at a system call; every second stop is the way out of it. One
 * that is about to end cannot be killed any more; sanitizers look at the
 * signal stack then.
 */
static void count(struct hunt *hunt, pid_t pid)
{
	struct __ptrace_syscall_info info;

	if (hunt->done || !is_victim(hunt, pid) ||
	    ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY ||
	    info.entry.nr == SYS_exit_group ||
	    info.entry.nr == SYS_sigaltstack || --hunt->left != 0)
		return;
	hunt->done = true;
	(void)kill(pid, SIGKILL);
}

static void go_on(struct hunt *hunt, pid_t pid, int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;
	bool counts = is_victim(hunt, pid) && !hunt->done;

	if (sig == (SIGTRAP | 0x80))
		count(hunt, pid);
	/* The program runs: what it does is not the runtime's any more. */
	if (event == PTRACE_EVENT_EXEC && pid != hunt->command && counts) {
		(void)ptrace(PTRACE_DETACH, pid, 0, 0);
		return;
	}
	if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
		/* The command's own SIGSTOP; it stops no other process. */
		(void)kill(pid, SIGCONT);
		sig = 0;
	}
	if (event || sig == (SIGTRAP | 0x80) || sig == SIGTRAP)
		sig = 0;
	(void)ptrace(counts ? PTRACE_SYSCALL : PTRACE_CONT, pid, 0, sig);
}

/* Until the command has ended; its orphans are let go with us. */
static void watch(struct hunt *hunt)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status)) {
			go_on(hunt, pid, status);
		} else if (pid == hunt->command) {
			hunt->status = WIFEXITED(status) ?
					       WEXITSTATUS(status) :
					       128 + WTERMSIG(status);
			return;
		}
	}
	die("wait");
}

int main(int argc, char **argv)
{
	struct hunt hunt = { 0 };
	long wanted;

	if (argc < 4) {
		fputs("usage: inject self|child|PID N COMMAND...\n", stderr);
		return 125;
	}
	hunt.children = strcmp(argv[1], "child") == 0;
	hunt.other = (pid_t)strtol(argv[1], NULL, 10);
	wanted = hunt.left = strtol(argv[2], NULL, 10);
	if (hunt.other) {
		seize(hunt.other, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC);
		(void)ptrace(PTRACE_INTERRUPT, hunt.other, 0, 0);
	}
	hunt.command = start(argv + 3);
	(void)waitpid(hunt.command, NULL, WUNTRACED);
	seize(hunt.command, hunt.children ? OPTIONS : PTRACE_O_TRACESYSGOOD);
	(void)kill(hunt.command, SIGCONT);
	watch(&hunt);
	return wanted == 0 || hunt.done ? hunt.status : NOT_REACHED;
}
