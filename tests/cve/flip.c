/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/cve/flip.c - open a path that is one file when it is looked at and
 * another when it is used, in every way there is.
 *
 * Usage: flip NAME FILE SECRET ROUNDS
 * NAME is made a link to FILE and to SECRET in turn, by another process, and a
 * buffer holds the one path and the other, by another thread. Prints how often
 * something could be read ("read N"), and "secret" when it was SECRET.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[4096];
static char **words;
static int rounds, reads, secrets;

static _Noreturn void flip_links(void)
{
	char other[300];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(other, sizeof other, "%s.other", words[0]);
	for (int i = 0;; i++) {
		(void)unlink(other);
		if (symlink(words[1 + i % 2], other) < 0 ||
		    rename(other, words[0]) < 0)
			_exit(1);
	}
}

static void *flip_buffer(void *arg)
{
	for (int i = 0;; i++)
		memcpy(buffer, words[1 + i % 2], strlen(words[1 + i % 2]) + 1);
	return arg;
}

static void look(int fd)
{
	char text[16] = "";

	if (fd < 0)
		return;
	if (read(fd, text, sizeof text - 1) > 0) {
		reads++;
		secrets += strncmp(text, "secret", 6) == 0;
	}
	close(fd);
}

static void open_it(const char *path)
{
	struct open_how how = { .flags = O_RDONLY };
	int place = open(path, O_PATH);
	char name[64];

	look(open(path, O_RDONLY));
	look((int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
	snprintf(name, sizeof name, "/proc/self/fd/%d", place);
	look(open(name, O_RDONLY));
	close(place);
}

static void open_by_handle(const char *path)
{
	struct {
		struct file_handle head;
		unsigned char bytes[128];
	} handle = { .head.handle_bytes = sizeof handle.bytes };
	int mount, dir = open("/", O_RDONLY | O_DIRECTORY);

	if (name_to_handle_at(AT_FDCWD, path, &handle.head, &mount, 0) == 0)
		look(open_by_handle_at(dir, &handle.head, O_RDONLY));
	close(dir);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	pid_t child;

	if (argc != 5)
		return 2;
	words = argv + 1;
	rounds = atoi(argv[4]);
	strcpy(buffer, words[1]);
	child = fork();
	if (child == 0)
		flip_links();
	if (pthread_create(&thread, NULL, flip_buffer, NULL) != 0)
		return 2;
	while (access(words[0], F_OK) < 0)
		;
	for (int i = 0; i < rounds; i++) {
		open_it(words[0]);
		open_it(buffer);
	}
	open_by_handle(words[2]);
	printf("read %s\n", reads > rounds / 10 ? "often" : "hardly");
	if (secrets)
		puts("secret");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}
