/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/world.c - look at what is there, and clear it away. */
#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lasting.h"

#define SETTLE_S 2.0
#define PATIENCE_S 20.0

#define DYING ", dying"
#define PF_EXITING 0x4 /* of the kernel's sched.h, in /proc/PID/stat */

void world_add(struct world *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->len, WORLD_SIZE - w->len, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= WORLD_SIZE - w->len) {
		errno = EOVERFLOW;
		die("look at the world");
	}
	w->len += (size_t)n;
}

/* ---- cgroups ---- */

void hierarchies_find(const struct room *room, struct hierarchies *ret)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096], where[1024];

	ret->n = 0;
	while (f && fgets(line, sizeof line, f)) {
		const char *type = strstr(line, " - cgroup");

		if (!type || ret->n == MOST_HIERARCHIES ||
		    sscanf(line, "%*s %*s %*s %*s %1023s", where) != 1)
			continue;
		if (asprintf(&ret->paths[ret->n], "%s%s", where, room->cgroup) <
		    0)
			die("hierarchies");
		ret->n++;
	}
	if (f)
		(void)fclose(f);
}

/* Folders below, by their paths; their number is small. */
static void add_folders(struct world *w, const char *path)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024];

	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		world_add(w, "cgroup %s\n", below);
		add_folders(w, below);
	}
	if (dir)
		closedir(dir);
}

static void remove_folders(const char *path)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024];

	while (dir && (e = readdir(dir))) {
		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		remove_folders(below);
		(void)rmdir(below);
	}
	if (dir)
		closedir(dir);
}

static void thaw(const char *path)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char file[1024];

	while (dir && (e = readdir(dir))) {
		int fd;

		if (e->d_type != DT_DIR || e->d_name[0] == '.')
			continue;
		snprintf(file, sizeof file, "%s/%s/freezer.state", path,
			 e->d_name);
		fd = open(file, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && write(fd, "THAWED", 6) == 6)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/* ---- the rest ---- */

static void add_file(struct world *w, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		die(path);
	while ((n = read(fd, w->text + w->len, WORLD_SIZE - w->len - 1)) > 0)
		w->len += (size_t)n;
	w->text[w->len] = '\0';
	close(fd);
}

static void add_state(struct world *w, const char *path, int depth)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024];

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		world_add(w, "state %s\n", below);
		if (depth > 0)
			add_state(w, below, depth - 1);
	}
	if (dir)
		closedir(dir);
}

static void remove_state(const char *path)
{
	const struct dirent *e;
	DIR *dir = opendir(path);
	char below[1024];

	while (dir && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(below, sizeof below, "%s/%s", path, e->d_name);
		if (unlink(below) < 0) {
			remove_state(below);
			(void)rmdir(below);
		}
	}
	if (dir)
		closedir(dir);
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

/* All but ourselves: a container's are not all our children. */
static void each_process(void (*what)(struct world *w, pid_t pid),
			 struct world *w)
{
	const struct dirent *e;
	DIR *dir = opendir("/proc");

	while (dir && (e = readdir(dir))) {
		pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

		if (pid > 1)
			what(w, pid);
	}
	if (dir)
		closedir(dir);
}

static int count_descriptors(pid_t pid)
{
	char path[64];
	DIR *dir;
	int n = -2; /* its . and .. */

	snprintf(path, sizeof path, "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static void add_process(struct world *w, pid_t pid)
{
	char path[64], name[64] = "?";
	unsigned int flags = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f) {
		(void)fscanf(f, "%*d (%63[^)]) %*c %*d %*d %*d %*d %*d %u",
			     name, &flags);
		(void)fclose(f);
	}
	world_add(w, "process %d %s, %d descriptors%s\n", pid, name,
		  count_descriptors(pid), flags & PF_EXITING ? DYING : "");
}

static void kill_process(struct world *w, pid_t pid)
{
	(void)w;
	(void)kill(pid, SIGKILL);
}

static void add_interfaces(struct world *w)
{
	struct if_nameindex *list = if_nameindex();

	for (struct if_nameindex *i = list; i && i->if_index; i++)
		world_add(w, "interface %s\n", i->if_name);
	if_freenameindex(list);
}

void world_look(const struct room *room, const struct hierarchies *h,
		struct world *ret)
{
	ret->len = 0;
	reap();
	add_file(ret, "/proc/self/mountinfo");
	for (size_t i = 0; i < h->n; i++)
		add_folders(ret, h->paths[i]);
	each_process(add_process, ret);
	add_state(ret, room->state, 1);
	add_interfaces(ret);
	lasting_look(room, ret);
}

/* Next line of `text` that `before` has not, or NULL; with its length. */
static const char *next_added(const struct world *before, const char *text,
			      size_t *ret_len)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (!memmem(before->text, before->len, text, n)) {
			*ret_len = n;
			return text;
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

/*
 * Is all that is too much on its way? A process that is dying is, and a
 * keyring, which the kernel frees some time after its last process.
 */
static bool goes_by_itself(const struct world *before, const struct world *w)
{
	const char *line;
	bool some = false;
	size_t n;

	for (const char *t = w->text; (line = next_added(before, t, &n));
	     t = line + n) {
		if (strncmp(line, "key ", 4) != 0 &&
		    !memmem(line, n, DYING, strlen(DYING)))
			return false;
		some = true;
	}
	return some;
}

bool world_settles(const struct room *room, const struct hierarchies *h,
		   const struct world *before, struct world *ret)
{
	double begin = now();

	for (;;) {
		double passed = now() - begin;

		world_look(room, h, ret);
		if (ret->len == before->len &&
		    memcmp(ret->text, before->text, ret->len) == 0)
			return true;
		if (passed > PATIENCE_S ||
		    (passed > SETTLE_S && !goes_by_itself(before, ret)))
			return false;
		nap();
	}
}

void world_added(const struct world *before, const struct world *after,
		 char *text, size_t size)
{
	const char *line;
	size_t len = 0, n;

	text[0] = '\0';
	for (const char *t = after->text; (line = next_added(before, t, &n));
	     t = line + n)
		if (len + n + 3 < size)
			len += (size_t)snprintf(text + len, size - len,
						"%s%.*s", len ? ", " : "",
						(int)n, line);
	if (len == 0)
		snprintf(text, size, "something is gone");
}

void world_kill_all(void)
{
	double deadline = now() + SETTLE_S;

	do {
		each_process(kill_process, NULL);
		nap();
		reap();
	} while (waitpid(-1, NULL, WNOHANG) == 0 && now() < deadline);
}

/* And the file below, if that was made for it. */
static void unmount_new(const struct world *before)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	char line[4096], where[1024];

	while (f && fgets(line, sizeof line, f))
		if (!strstr(before->text, line) &&
		    sscanf(line, "%*s %*s %*s %*s %1023s", where) == 1 &&
		    umount2(where, MNT_DETACH) == 0 &&
		    strncmp(where, "/tmp/", 5) == 0)
			(void)unlink(where);
	if (f)
		(void)fclose(f);
}

void world_scrub(const struct room *room, const struct hierarchies *h,
		 const struct world *before)
{
	for (size_t i = 0; i < h->n; i++)
		thaw(h->paths[i]);
	world_kill_all();
	for (size_t i = 0; i < h->n; i++)
		remove_folders(h->paths[i]);
	remove_state(room->state);
	unmount_new(before);
	lasting_scrub(room, before);
}
