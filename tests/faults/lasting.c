/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/lasting.c - shared memory, queues, keys, loops and files. */
#include "lasting.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- System V ---- */

static int remove_shm(int id)
{
	return shmctl(id, IPC_RMID, NULL);
}

static int remove_sem(int id)
{
	return semctl(id, 0, IPC_RMID);
}

static int remove_msg(int id)
{
	return msgctl(id, IPC_RMID, NULL);
}

static const struct ipc {
	const char *path;
	int (*remove)(int id);
} ipcs[] = {
	{ "/proc/sysvipc/shm", remove_shm },
	{ "/proc/sysvipc/sem", remove_sem },
	{ "/proc/sysvipc/msg", remove_msg },
};

/* All are the room's: its namespace has no others. */
static void each_ipc(const struct ipc *ipc,
		     void (*what)(const struct ipc *ipc, int id,
				  struct world *w),
		     struct world *w)
{
	FILE *f = fopen(ipc->path, "re");
	char line[512];
	int id;

	/* The first line is of words. */
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "%*d %d", &id) == 1)
			what(ipc, id, w);
	if (f)
		(void)fclose(f);
}

static void add_ipc(const struct ipc *ipc, int id, struct world *w)
{
	world_add(w, "memory %s %d\n", ipc->path, id);
}

static void remove_ipc(const struct ipc *ipc, int id, struct world *w)
{
	(void)w;
	(void)ipc->remove(id);
}

/* ---- files ---- */

/* With all below, but for one, which may stay or not. */
static void add_files(struct world *w, const char *path, const char *but)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024];

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		if (strcmp(below, but) == 0)
			continue;
		world_add(w, "file %s\n", below);
		if (e->d_type == DT_DIR)
			add_files(w, below, but);
	}
	if (dir)
		closedir(dir);
}

static void remove_files(const char *path, const struct world *before)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024], line[1040];

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		if (e->d_type == DT_DIR)
			remove_files(below, before);
		snprintf(line, sizeof line, "file %s\n", below);
		if (!strstr(before->text, line) && unlink(below) < 0)
			(void)rmdir(below);
	}
	if (dir)
		closedir(dir);
}

/* ---- keys ---- */

/* Keys have no namespace: a container's are known by its ID. */
static void each_key(const struct room *room,
		     void (*what)(const char *serial, const char *name,
				  struct world *w),
		     struct world *w)
{
	FILE *f = room->id ? fopen("/proc/keys", "re") : NULL;
	char line[1024], serial[32], name[512];

	while (f && fgets(line, sizeof line, f))
		if (strstr(line, room->id) &&
		    sscanf(line, "%31s %*s %*s %*s %*s %*s %*s %*s %511s",
			   serial, name) == 2)
			what(serial, name, w);
	if (f)
		(void)fclose(f);
}

static void add_key(const char *serial, const char *name, struct world *w)
{
	world_add(w, "key %s %s\n", serial, name);
}

/* The kernel frees an unlinked key; root's own keyring keeps its keys. */
static void remove_key(const char *serial, const char *name, struct world *w)
{
	(void)name;
	(void)w;
	(void)syscall(SYS_keyctl, KEYCTL_UNLINK, (int)strtol(serial, NULL, 16),
		      KEY_SPEC_USER_KEYRING);
}

/* ---- loop devices ---- */

/* The host has one set for everybody: the room's are on its own files. */
static void each_loop(const struct room *room,
		      void (*what)(const char *name, struct world *w),
		      struct world *w)
{
	const struct dirent *e;
	DIR *dir = opendir("/sys/block");
	char path[512], file[1024];

	while (dir && (e = readdir(dir))) {
		ssize_t n = 0;
		int fd;

		if (strncmp(e->d_name, "loop", 4) != 0)
			continue;
		snprintf(path, sizeof path, "/sys/block/%s/loop/backing_file",
			 e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			n = read(fd, file, sizeof file - 1);
			close(fd);
		}
		file[n > 0 ? n : 0] = '\0';
		if (strstr(file, room->dir))
			what(e->d_name, w);
	}
	if (dir)
		closedir(dir);
}

static void add_loop(const char *name, struct world *w)
{
	world_add(w, "device %s\n", name);
}

static void remove_loop(const char *name, struct world *w)
{
	char path[512];
	int fd;

	(void)w;
	snprintf(path, sizeof path, "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)ioctl(fd, LOOP_CLR_FD);
	close(fd);
}

/* ---- all of them ---- */

void lasting_look(const struct room *room, struct world *ret)
{
	for (size_t i = 0; i < COUNT(ipcs); i++)
		each_ipc(&ipcs[i], add_ipc, ret);
	for (size_t i = 0; i < PLACES; i++)
		add_files(ret, room->places[i], room->pid_file);
	each_key(room, add_key, ret);
	each_loop(room, add_loop, ret);
}

void lasting_scrub(const struct room *room, const struct world *before)
{
	for (size_t i = 0; i < COUNT(ipcs); i++)
		each_ipc(&ipcs[i], remove_ipc, NULL);
	each_loop(room, remove_loop, NULL);
	for (size_t i = 0; i < PLACES; i++)
		remove_files(room->places[i], before);
	each_key(room, remove_key, NULL);
}
