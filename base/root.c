/* SPDX-License-Identifier: Apache-2.0 */
/* base/root.c - resolve paths inside a root directory. */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/sys.h"

/*
 * openat2 fails with EAGAIN if any process on the machine renames or mounts
 * something while it resolves "..". The number of failures depends on other
 * processes, and on a busy machine the time of one attempt does, too: stop
 * after so many attempts that have taken so long.
 */
#define ATTEMPTS 10000
#define PATIENCE_MS 1000
#define MAX_LINKS 40

/* When to stop; both are 0 before the first failure. */
struct patience {
	int64_t until;
	unsigned int attempts;
};

/* Count a failed attempt; false, with errno unchanged, if it was the last. */
static bool try_again(struct patience *patience)
{
	int saved = errno;
	int64_t now = now_ms();

	if (!patience->until)
		patience->until = now + PATIENCE_MS;
	errno = saved;
	return ++patience->attempts < ATTEMPTS || now < patience->until;
}

static int open_in(int root, const char *path, int flags, uint64_t resolve,
		   struct patience *patience)
{
	for (;;) {
		int fd = sys_openat2(root, *path ? path : ".", (uint64_t)flags,
				     0, resolve | KERNEL_RESOLVE_NO_MAGICLINKS);

		if (fd >= 0 || (errno != EAGAIN && errno != EINTR) ||
		    !try_again(patience))
			return fd;
	}
}

int root_open(int root, const char *path, int flags)
{
	struct patience patience = { 0 };

	return open_in(root, path, flags, KERNEL_RESOLVE_IN_ROOT, &patience);
}

int root_open_plain(int root, const char *path, int flags)
{
	struct patience patience = { 0 };

	return open_in(root, path, flags,
		       KERNEL_RESOLVE_IN_ROOT | KERNEL_RESOLVE_NO_SYMLINKS,
		       &patience);
}

/* Split "a/b/c" into the text before the last component and the component. */
static int split(const char *path, char *ret_parent, char *ret_name)
{
	size_t end = strlen(path), start;

	while (end > 0 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	if (end - start > NAME_MAX || start >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(ret_name, path + start, end - start);
	ret_name[end - start] = '\0';
	memcpy(ret_parent, path, start);
	ret_parent[start] = '\0';
	return 0;
}

static bool is_dot(const char *name)
{
	return strcmp(name, "") == 0 || strcmp(name, ".") == 0 ||
	       strcmp(name, "..") == 0;
}

enum kind { KIND_DIR, KIND_FILE };

struct making {
	int root;
	enum kind kind;
	mode_t mode;
	int links; /* number that may still be followed */
	bool created;
	struct patience patience;
	char path[PATH_MAX]; /* changed when a dangling link is followed */
};

static int make_entry(int dir, const char *name, enum kind kind, mode_t mode)
{
	if (kind == KIND_DIR)
		return mkdirat(dir, name, mode);

	autoclose int fd =
		openat(dir, name,
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       mode);

	return fd < 0 ? -1 : 0;
}

/* Open the longest existing part of path before its last component. */
static int open_nearest(struct making *m, size_t *ret_len)
{
	char prefix[PATH_MAX];
	size_t n = strlen(m->path);

	memcpy(prefix, m->path, n + 1);
	for (;;) {
		int fd;

		while (n > 0 && prefix[n - 1] == '/')
			n--;
		while (n > 0 && prefix[n - 1] != '/')
			n--;
		prefix[n] = '\0';
		fd = open_in(m->root, prefix, O_PATH | O_DIRECTORY,
			     KERNEL_RESOLVE_IN_ROOT, &m->patience);
		if (fd >= 0 || errno != ENOENT || n == 0) {
			*ret_len = n;
			return fd;
		}
	}
}

/*
 * The component at path[at] exists but does not resolve: it is a dangling link.
 * Make its target instead, still inside the root. Always returns -1: EAGAIN if
 * the path should be tried again.
 */
static int follow_dangling(struct making *m, int dir, const char *name,
			   size_t at)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof target);
	const char *rest = m->path + at + strlen(name);
	size_t keep = n > 0 && target[0] == '/' ? 0 : at;

	if (n < 0) {
		/* Not a link: another process has made or removed it. */
		if (errno == EINVAL || errno == ENOENT)
			errno = EAGAIN;
		return -1;
	}
	errno = ELOOP;
	if (m->links-- <= 0)
		return -1;
	errno = ENAMETOOLONG;
	if (keep + (size_t)n + strlen(rest) >= sizeof m->path)
		return -1;
	memmove(m->path + keep + n, rest, strlen(rest) + 1);
	memcpy(m->path + keep, target, (size_t)n);
	errno = EAGAIN;
	return -1;
}

/*
 * Make everything that is missing from path[at] on, in dir. EAGAIN if the path
 * must be resolved again: after a link, or after ".." in a part that now
 * exists.
 */
static int make_rest(struct making *m, int dir, size_t at)
{
	autoclose int here = dir;

	for (;;) {
		char name[NAME_MAX + 1];
		size_t len;
		bool last;
		int next;

		at += strspn(m->path + at, "/");
		len = strcspn(m->path + at, "/");
		last = !m->path[at + len + strspn(m->path + at + len, "/")];
		errno = ENAMETOOLONG;
		if (len > NAME_MAX)
			return -1;
		memcpy(name, m->path + at, len);
		name[len] = '\0';
		errno = EAGAIN;
		if (is_dot(name))
			return -1;
		if (make_entry(here, name, last ? m->kind : KIND_DIR,
			       last ? m->mode : 0755) < 0)
			return errno == EEXIST ?
				       follow_dangling(m, here, name, at) :
				       -1;
		m->created = last;
		next = openat(here, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 || last)
			return next;
		close(here);
		here = next;
		at += len;
	}
}

static int make(int root, const char *path, enum kind kind, mode_t mode,
		bool *ret_created)
{
	struct making m = {
		.root = root,
		.kind = kind,
		.mode = mode,
		.links = MAX_LINKS,
	};
	int flags = O_PATH | (kind == KIND_DIR ? O_DIRECTORY : 0);
	int fd = -1;

	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof m.path)
		return -1;
	memcpy(m.path, path, strlen(path) + 1);
	do {
		size_t at;

		fd = open_in(root, m.path, flags, KERNEL_RESOLVE_IN_ROOT,
			     &m.patience);
		if (fd >= 0 || errno != ENOENT)
			break;
		fd = open_nearest(&m, &at);
		if (fd >= 0)
			fd = make_rest(&m, fd, at);
	} while (fd < 0 && errno == EAGAIN && try_again(&m.patience));
	if (fd >= 0 && ret_created)
		*ret_created = m.created;
	return fd;
}

int root_make_dir(int root, const char *path, mode_t mode, bool *ret_created)
{
	return make(root, path, KIND_DIR, mode, ret_created);
}

int root_make_file(int root, const char *path, bool *ret_created)
{
	return make(root, path, KIND_FILE, 0644, ret_created);
}

int root_make_parent(int root, const char *path, char *ret_name)
{
	char parent[PATH_MAX];

	if (split(path, parent, ret_name) < 0)
		return -1;
	if (is_dot(ret_name)) {
		errno = EINVAL;
		return -1;
	}
	return make(root, parent, KIND_DIR, 0755, NULL);
}
