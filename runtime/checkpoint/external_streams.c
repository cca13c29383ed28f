/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/external_streams.c - save the names of standard streams
 * beside the images, and replace the streams at restore.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/write.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/external.h"
#include "runtime/checkpoint/protobuf.h"

/* The targets of /proc/PID/fd/0 to 2; other runtimes use the same file. */
#define STREAMS_FILE "descriptors.json"
#define STREAMS_MAX 65536
#define STREAMS 3
/* Unix98 terminals. */
#define TTY_FIRST_MAJOR 136
#define TTY_LAST_MAJOR 143

static int mount_id(struct arena *arena, int proc, pid_t pid, int fd,
		    int *ret_id)
{
	char name[64], *text;
	const char *id;
	int r;

	snprintf(name, sizeof name, "%d/fdinfo/%d", pid, fd);

	autoclose int info = proc_open_at(proc, name, O_RDONLY);

	if (info < 0)
		return fail(
			errno,
			"open /proc/%s to find the mount of a standard stream",
			name);
	r = io_read_all(arena, info, STREAMS_MAX, &text, NULL);
	if (r < 0)
		return fail_in(r, "/proc/%s", name);
	id = strstr(text, "mnt_id:");
	*ret_id = id ? atoi(id + strlen("mnt_id:")) : -1;
	return 0;
}

static bool has_mount(const struct mountinfo *mounts, int id)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->items[i].id == (uint64_t)id)
			return true;
	return false;
}

/* Name a file that is on no mount of the container. */
static int name_file(struct arena *arena, const struct stat *st, int id,
		     const char **ret)
{
	unsigned int number = major(st->st_rdev);
	bool is_tty = S_ISCHR(st->st_mode) && number >= TTY_FIRST_MAJOR &&
		      number <= TTY_LAST_MAJOR;

	*ret = is_tty ? arena_printf(arena, "tty[%llx:%llx]",
				     (unsigned long long)st->st_rdev,
				     (unsigned long long)st->st_dev) :
			arena_printf(arena, "file[%x:%llx]", (unsigned int)id,
				     (unsigned long long)st->st_ino);
	return *ret ? 0 : -ENOMEM;
}

/* Return criu's name for a stream; "" if it need not be replaced. */
static int name_stream(struct arena *arena, int proc, pid_t pid, int fd,
		       const struct mountinfo *mounts, const char **ret)
{
	char name[64], target[4096];
	struct stat st;
	ssize_t n;
	int id = -1, r;

	snprintf(name, sizeof name, "%d/fd/%d", pid, fd);
	n = readlinkat(proc, name, target, sizeof target - 1);
	*ret = "";
	if (n < 0)
		return 0; /* closed */
	target[n] = '\0';
	if (starts_with(target, "pipe:")) {
		*ret = arena_strdup(arena, target);
		return *ret ? 0 : -ENOMEM;
	}
	if (target[0] != '/' || fstatat(proc, name, &st, 0) < 0)
		return 0;
	r = mount_id(arena, proc, pid, fd, &id);
	if (r < 0 || has_mount(mounts, id))
		return r;
	return name_file(arena, &st, id, ret);
}

int external_put_streams(struct arena *arena, int proc, pid_t pid, int images,
			 struct pb *request)
{
	struct mountinfo mounts;
	struct writer w;
	const char *json;
	char name[16];
	size_t len;
	int r;

	snprintf(name, sizeof name, "%d", pid);
	r = mountinfo_read(arena, proc, name, &mounts);
	if (r < 0)
		return r;
	writer_open(&w, arena, WRITE_COMPACT);
	put_array(&w, NULL);
	for (int fd = 0; fd < STREAMS; fd++) {
		const char *stream;

		r = name_stream(arena, proc, pid, fd, &mounts, &stream);
		if (r < 0)
			return r;
		put_string(&w, NULL, stream);
		if (starts_with(stream, "file[") || starts_with(stream, "tty["))
			pb_text(request, CRIU_EXTERNAL, stream);
	}
	put_end(&w);
	r = writer_close(&w, &json, &len);
	if (r < 0)
		return r;
	return io_replace_at(images, STREAMS_FILE, json, len, 0600);
}

static bool is_replaced(const char *stream)
{
	return starts_with(stream, "pipe:[") || starts_with(stream, "file[") ||
	       starts_with(stream, "tty[");
}

static void put_inherited(struct arena *arena, const char *key, int fd,
			  struct pb *request)
{
	struct pb entry = { .arena = arena };

	pb_text(&entry, 1, key);
	pb_number(&entry, 2, (uint64_t)fd);
	pb_message(request, CRIU_INHERIT_FD, &entry);
}

static bool is_repeated(const struct strings *list, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (streq(list->items[i], list->items[at]))
			return true;
	return false;
}

int external_inherit_streams(struct arena *arena, int images,
			     struct pb *request)
{
	autoclose int fd =
		openat(images, STREAMS_FILE, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const struct json_value *root;
	struct strings list = { 0 };
	size_t len;
	char *text;
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return fail(errno, "open " STREAMS_FILE);
	r = io_read_all(arena, fd, STREAMS_MAX, &text, &len);
	if (r >= 0)
		r = json_parse(arena, text, len, &root);
	if (r >= 0)
		r = json_strings(arena, root, &list);
	if (r < 0)
		return fail_in(r, STREAMS_FILE);
	for (size_t i = 0; i < list.n && i < STREAMS; i++)
		if (is_replaced(list.items[i]) && !is_repeated(&list, i))
			put_inherited(arena, list.items[i], (int)i, request);
	return 0;
}
