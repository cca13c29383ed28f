/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/room.c - namespaces, words, and commands without a fault. */
#include "room.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 10000
#define REAP_MS 3
#define CGROUP2_MAGIC 0x63677270

void die(const char *what)
{
	fprintf(stderr, "faults: %s: %s\n", what, strerror(errno));
	exit(125);
}

double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void nap(void)
{
	const struct timespec t = { .tv_nsec = 300000 };

	(void)nanosleep(&t, NULL);
}

static int open_scratch(const char *name)
{
	/* O_APPEND: every process appends. */
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
		die(name);
	return fd;
}

static void name_paths(struct room *room)
{
	static const char *const names[] = {
		[ROOTFS] = "rootfs", [BOUND] = "bound",	  [HERE] = "here",
		[PIDS] = "pids",     [QUEUES] = "queues",
	};

	snprintf(room->state, sizeof room->state, "%s/state", room->dir);
	snprintf(room->pid_file, sizeof room->pid_file, "%s/pids/pid",
		 room->dir);
	snprintf(room->program, sizeof room->program, "%s/rootfs/probe",
		 room->dir);
	for (size_t i = 0; i < SHARED; i++)
		snprintf(room->places[i], sizeof room->places[i], "%s/%s",
			 room->dir, names[i]);
	snprintf(room->places[SHARED], sizeof room->places[SHARED], "/dev/shm");
}

/* A core would be in the folder that one works in, if it may be written. */
static void work_in(const char *path)
{
	struct rlimit core;

	if (mkdir(path, 0755) < 0 || chdir(path) < 0)
		die(path);
	if (getrlimit(RLIMIT_CORE, &core) < 0)
		die("RLIMIT_CORE");
	core.rlim_cur = core.rlim_max;
	if (setrlimit(RLIMIT_CORE, &core) < 0)
		die("RLIMIT_CORE");
}

/* A private one, like System V's: no other program's file is a leak. */
static void mount_memory(const struct room *room)
{
	if (mount("none", room->places[SHARED], "tmpfs", MS_NOSUID | MS_NODEV,
		  NULL) < 0)
		die(room->places[SHARED]);
	if (mkdir(room->places[QUEUES], 0755) < 0 ||
	    (mount("none", room->places[QUEUES], "mqueue", 0, NULL) < 0 &&
	     errno != ENODEV))
		die("mount message queues");
}

static void inside(struct room *room)
{
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC,
		  NULL) < 0)
		die("mount in the room");
	name_paths(room);
	mount_memory(room);
	if (mkdir(room->places[PIDS], 0755) < 0)
		die(room->places[PIDS]);
	work_in(room->places[HERE]);
	room->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (room->null < 0)
		die("/dev/null");
	room->out = open_scratch("out");
	room->err = open_scratch("err");
}

void room_enter(struct room *room)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC) <
	    0)
		die("unshare");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		inside(room);
		return;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die("wait");
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
}

void room_hide_unified(void)
{
	struct statfs fs;

	if (statfs("/sys/fs/cgroup/unified", &fs) == 0 &&
	    fs.f_type == CGROUP2_MAGIC &&
	    mount("none", "/sys/fs/cgroup/unified", "tmpfs", 0, NULL) < 0)
		die("hide /sys/fs/cgroup/unified");
}

static char *word(const struct room *room, const char *id, const char *text)
{
	char *made = NULL;
	int r = 0;

	if (strcmp(text, "ID") == 0)
		made = strdup(id);
	else if (strcmp(text, "PIDFILE") == 0)
		made = strdup(room->pid_file);
	else if (strcmp(text, "NUMBER") == 0)
		r = asprintf(&made, "%d", room->number);
	else if (strcmp(text, "BUNDLE/ID") == 0)
		r = asprintf(&made, "%s/%s", room->dir, id);
	else if (strncmp(text, "BUNDLE/", 7) == 0)
		r = asprintf(&made, "%s/%s", room->dir, text + 7);
	else
		made = strdup(text);
	if (!made || r < 0)
		die("words");
	return made;
}

void room_words(const struct room *room, const char *id, const char *line,
		char *ret[MOST_WORDS])
{
	char copy[512];
	char *rest = copy;
	const char *text;
	size_t n = 0;

	snprintf(copy, sizeof copy, "%s", line);
	ret[n++] = word(room, id, room->runtime);
	ret[n++] = word(room, id, "--root");
	ret[n++] = word(room, id, room->state);
	while ((text = strsep(&rest, " ")) && n < MOST_WORDS - 1)
		ret[n++] = word(room, id, text);
	ret[n] = NULL;
}

void room_free(char *words[MOST_WORDS])
{
	for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
		free(words[i]);
}

static pid_t start(const struct room *room, char *const *argv)
{
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid > 0)
		return pid;
	if (dup2(room->null, 0) < 0 || dup2(room->out, 1) < 0 ||
	    dup2(room->err, 2) < 0)
		_exit(125);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(125);
}

int room_wait(pid_t pid, int ms)
{
	double deadline = now() + ms / 1e3;
	struct pollfd p = { .events = POLLIN };
	int status = -1;
	pid_t ended;

	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p.fd < 0)
		die("pidfd");
	do {
		ended = waitpid(-1, &status, WNOHANG);
		if (ended <= 0)
			(void)poll(&p, 1, REAP_MS);
	} while (ended != pid && now() < deadline);
	close(p.fd);
	return ended == pid ? status : -1;
}

int room_run(const struct room *room, const char *id, const char *line)
{
	char *argv[MOST_WORDS];
	pid_t pid;

	room_words(room, id, line, argv);
	pid = start(room, argv);
	room_free(argv);
	return room_wait(pid, PATIENCE_MS);
}

size_t room_read(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	if (n < 0)
		die("read what was said");
	text[n] = '\0';
	return (size_t)n;
}

void room_empty(int fd)
{
	if (ftruncate(fd, 0) < 0)
		die("empty a file");
}
