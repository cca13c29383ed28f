/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/spawn.c - run a command without a shell, and say what it took. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"

#define STACK_SIZE 65536
#define MAX_COPIES 64
#define WORD_SIZE 512

struct command {
	uid_t user;
	int in_out, errors;
	char *words[MAX_WORDS + 1];
	char text[MAX_WORDS][WORD_SIZE];
};

double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* In the memory of the driver, which waits: no page table is copied. */
static int start_program(void *argument)
{
	const struct command *command = argument;

	if (dup2(command->in_out, 0) < 0 || dup2(command->in_out, 1) < 0 ||
	    dup2(command->errors, 2) < 0)
		_exit(125);
	if (command->user && (syscall(SYS_setgroups, 0, NULL) < 0 ||
			      syscall(SYS_setresgid, command->user,
				      command->user, command->user) < 0 ||
			      syscall(SYS_setresuid, command->user,
				      command->user, command->user) < 0))
		_exit(125);
	execvp(command->words[0], command->words);
	_exit(127);
}

static void number_word(char *to, const char *word, unsigned int number)
{
	size_t at = 0;

	for (; *word && at < WORD_SIZE - 16; word++)
		if (*word == '%')
			at += (size_t)snprintf(to + at, 12, "%u", number);
		else
			to[at++] = *word;
	to[at] = '\0';
}

static void fill(struct command *command, const struct contender *c,
		 const struct step *step, unsigned int number)
{
	size_t i;

	command->user = c->user;
	for (i = 0; step->words[i]; i++) {
		number_word(command->text[i], step->words[i], number);
		command->words[i] = command->text[i];
	}
	command->words[i] = NULL;
}

static int silence(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return fd;
}

static int messages(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("messages", MFD_CLOEXEC);
	return fd;
}

/* The contender is out, with the last thing it said. */
static void give_up(struct contender *c, const struct step *step, int status)
{
	char said[400] = "";
	ssize_t n = pread(messages(), said, sizeof said - 1, 0);

	if (n > 0)
		said[strcspn(said, "\n")] = '\0';
	if (asprintf(&c->unable, "%s %s: status %#x: %s", c->name,
		     step->words[1] ? step->words[1] : step->words[0], status,
		     said) < 0)
		c->unable = (char *)"no memory";
	fprintf(stderr, "bench: %s\n", c->unable);
}

static int wait_for(struct contender *c, const struct step *step, pid_t pid,
		    struct usage *ret)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	if (usage.ru_maxrss > ret->peak_kib)
		ret->peak_kib = usage.ru_maxrss;
	if (status == 0)
		return 0;
	give_up(c, step, status);
	return -1;
}

int spawn_copies(struct contender *c, const struct step *step,
		 unsigned int number, unsigned int copies, struct usage *ret)
{
	static struct command commands[MAX_COPIES];
	static char stack[STACK_SIZE] __attribute__((aligned(16)));
	pid_t pids[MAX_COPIES];
	double begin;
	int r = 0;

	if (copies > MAX_COPIES || ftruncate(messages(), 0) < 0 ||
	    lseek(messages(), 0, SEEK_SET) < 0)
		return -1;
	for (unsigned int i = 0; i < copies; i++) {
		fill(&commands[i], c, step, number + i);
		commands[i].in_out = silence();
		commands[i].errors = messages();
	}
	begin = now_us();
	for (unsigned int i = 0; i < copies; i++)
		pids[i] = clone(start_program, stack + STACK_SIZE,
				CLONE_VM | CLONE_VFORK | SIGCHLD, &commands[i]);
	for (unsigned int i = 0; i < copies; i++)
		if (pids[i] < 0 || wait_for(c, step, pids[i], ret) < 0)
			r = -1;
	ret->us += now_us() - begin;
	return r;
}

pid_t spawn_pid(const struct step *step, unsigned int number)
{
	char path[WORD_SIZE];
	FILE *file;
	int pid = -1;

	number_word(path, step->words[0], number);
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &pid) != 1)
		pid = -1;
	fclose(file);
	return pid;
}

int spawn_await(const struct step *step)
{
	pid_t pid = spawn_pid(step, 1);

	return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

void spawn_collect(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}
