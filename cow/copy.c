/* SPDX-License-Identifier: Apache-2.0 */
/* cow/copy.c - copy a file with its holes and attributes. */
#include "cow/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/open.h"

#define BUFFER_SIZE 65536
#ifndef FICLONE
#define FICLONE _IOW(0x94, 9, int)
#endif

static int copy_range(int from, int to, off_t at, off_t end)
{
	char buffer[BUFFER_SIZE];

	while (at < end) {
		size_t want = (size_t)(end - at) < sizeof buffer ?
				      (size_t)(end - at) :
				      sizeof buffer;
		ssize_t n = pread(from, buffer, want, at);

		if (n < 0)
			return fail(errno, "read");
		if (n == 0)
			return 0;
		for (ssize_t done = 0; done < n;) {
			ssize_t m = pwrite(to, buffer + done,
					   (size_t)(n - done), at + done);

			if (m < 0)
				return fail(errno, "write");
			done += m;
		}
		at += n;
	}
	return 0;
}

/* The new file has the size already, so what is not written is a hole. */
int copy_content(int from, int to)
{
	struct stat st;
	off_t at = 0;

	if (ioctl(to, FICLONE, from) == 0)
		return 0;
	if (fstat(from, &st) < 0 || ftruncate(to, 0) < 0 ||
	    ftruncate(to, st.st_size) < 0)
		return fail(errno, "set the size");
	while (at < st.st_size) {
		off_t data = lseek(from, at, SEEK_DATA), hole;
		int r;

		if (data < 0 && errno == ENXIO)
			return 0;
		if (data < 0)
			data = at;
		hole = lseek(from, data, SEEK_HOLE);
		if (hole < 0)
			hole = st.st_size;
		r = copy_range(from, to, data, hole);
		if (r < 0)
			return r;
		at = hole;
	}
	return 0;
}

int copy_attributes(struct arena *arena, int dir, const char *name,
		    const struct tree_entry *entry, const struct xattrs *xattrs)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   entry->mtime };
	autoclose int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	char self[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
	struct tree_entry now;
	bool is_link = tree_is_type(entry, S_IFLNK);
	int r;

	if (fd < 0 || tree_stat(fd, "", &now) < 0)
		return fail(errno, "open %s", name);
	if ((now.mode ^ entry->mode) & S_IFMT)
		return fail(EINVAL, "%s has become another type of file", name);
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	if ((now.uid != entry->uid || now.gid != entry->gid) &&
	    fchownat(fd, "", entry->uid, entry->gid, AT_EMPTY_PATH) < 0)
		return fail(errno, "change the owner of %s", name);
	/* Attributes of users need the right to write the file. */
	if (!is_link && geteuid() != 0 &&
	    chmod(self, (now.mode & 07777) | S_IRUSR | S_IWUSR) < 0)
		return fail(errno, "change the mode of %s", name);
	r = tree_is_type(entry, S_IFDIR) ?
		    xattrs_write(arena, fd, ".", xattrs) :
		    xattrs_write(arena, dir, name, xattrs);
	if (r < 0)
		return fail_in(r, "%s", name);
	/* The owner's change clears special bits, so the mode comes later. */
	if (!is_link && chmod(self, entry->mode & 07777) < 0)
		return fail(errno, "change the mode of %s", name);
	if (is_link ? utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) < 0 :
		      utimensat(AT_FDCWD, self, times, 0) < 0)
		return fail(errno, "set the time of %s", name);
	return 0;
}

static int copy_regular(int from_dir, const char *from, int to_dir,
			const char *to)
{
	autoclose int in =
		openat(from_dir, from,
		       O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	autoclose int out = -1;

	if (in < 0)
		return fail(errno, "open %s", from);
	out = openat(to_dir, to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return fail(errno, "make a copy of %s", from);
	return copy_content(in, out);
}

static int copy_link(int from_dir, const char *from, int to_dir, const char *to)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(from_dir, from, target, sizeof target - 1);

	if (n < 0)
		return fail(errno, "read the link %s", from);
	target[n] = '\0';
	if (symlinkat(target, to_dir, to) < 0)
		return fail(errno, "make a copy of %s", from);
	return 0;
}

int copy_entry(struct arena *arena, const char *prefix, int from_dir,
	       const char *from, int to_dir, const char *to)
{
	struct tree_entry entry;
	struct xattrs xattrs;
	int r = tree_stat(from_dir, from, &entry);

	if (r < 0 || entry.mode == 0)
		return fail(r < 0 ? -r : ENOENT, "look at %s", from);
	r = xattrs_read(arena, from_dir, from, prefix, &xattrs);
	if (r >= 0 && tree_is_type(&entry, S_IFREG))
		r = copy_regular(from_dir, from, to_dir, to);
	else if (r >= 0 && tree_is_type(&entry, S_IFLNK))
		r = copy_link(from_dir, from, to_dir, to);
	else if (r >= 0 && tree_is_type(&entry, S_IFIFO) &&
		 mkfifoat(to_dir, to, 0600) < 0)
		r = fail(errno, "make a copy of %s", from);
	if (r >= 0)
		r = copy_attributes(arena, to_dir, to, &entry, &xattrs);
	return r;
}
