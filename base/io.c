/* SPDX-License-Identifier: Apache-2.0 */
/* base/io.c - read, write and remove files by descriptor. */
#include "base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"

int io_read_all(struct arena *arena, int fd, size_t max, char **ret_text,
		size_t *ret_len)
{
	size_t cap = 4096, len = 0;
	char *text = arena_alloc(arena, cap);

	if (!text)
		return -ENOMEM;
	for (;;) {
		ssize_t n = read(fd, text + len, cap - len - 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(errno, "read the contents of this file");
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return fail(EFBIG,
				    "is larger than %zu bytes, the maximum for "
				    "this file",
				    max);
		if (len + 1 < cap)
			continue;
		text = arena_grow(arena, text, len, cap * 2, 1);
		if (!text)
			return -ENOMEM;
		cap *= 2;
	}
	text[len] = '\0';
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return 0;
}

int io_read_at(struct arena *arena, int dir, const char *name, size_t max,
	       char **ret_text)
{
	autoclose int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	size_t len;
	char *text;
	int r;

	if (fd < 0)
		return fail(errno, "open %s", name);
	r = io_read_all(arena, fd, max, &text, &len);
	if (r < 0)
		return fail_in(r, "%s", name);
	if (len > 0 && text[len - 1] == '\n')
		text[len - 1] = '\0';
	*ret_text = text;
	return 0;
}

int io_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_write_at(int dir, const char *name, const char *text)
{
	autoclose int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return fail(errno, "open %s", name);
	if (write(fd, text, strlen(text)) < 0)
		return fail(errno, "write '%s' to %s", text, name);
	return 0;
}

int io_replace_at(int dir, const char *name, const char *data, size_t len,
		  mode_t mode)
{
	char temporary[256];
	int r;

	r = snprintf(temporary, sizeof temporary, "%s.tmp", name);
	if (r < 0 || (size_t)r >= sizeof temporary)
		return fail(ENAMETOOLONG, "create a temporary file beside %s",
			    name);

	autoclose int fd =
		openat(dir, temporary,
		       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		       mode);

	if (fd < 0)
		return fail(errno, "create %s", temporary);
	r = io_write_all(fd, data, len);
	if (r < 0) {
		(void)unlinkat(dir, temporary, 0);
		return fail(-r, "write %s", temporary);
	}
	if (renameat(dir, temporary, dir, name) < 0) {
		r = fail(errno, "replace %s", name);
		(void)unlinkat(dir, temporary, 0);
		return r;
	}
	return 0;
}

static int remove_entries(int fd, const char *name)
{
	autoclosedir DIR *dir = fdopendir(fd);

	if (!dir) {
		int r = fail(errno, "list directory %s to remove it", name);

		close(fd);
		return r;
	}
	for (struct dirent *e; (e = readdir(dir));) {
		int r;

		if (streq(e->d_name, ".") || streq(e->d_name, ".."))
			continue;
		r = io_remove_tree_at(dirfd(dir), e->d_name);
		if (r < 0)
			return r;
	}
	return 0;
}

int io_remove_tree_at(int dir, const char *name)
{
	int fd, r;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return fail(errno, "remove %s", name);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ?
			       0 :
			       fail(errno, "open directory %s to remove it",
				    name);
	r = remove_entries(fd, name);
	if (r < 0)
		return r;
	if (unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return fail(errno, "remove %s", name);
	return 0;
}
