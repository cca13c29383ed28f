/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/paths.c - any path in any tree: base/root.c beside a walk that
 * is done by hand, one name at a time.
 *
 * The tree is a tmpfs that is mounted nowhere, and its root for base/root.c a
 * directory in it, beside one that must stay as it is. The lines make the
 * tree ("dPATH", "fPATH", "lPATH TARGET"); the last one is what is asked for:
 * open, make a directory, make a file ("o", "d", "f"), and the path.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/root.h"
#include "base/sys.h"
#include "tests/fuzz/fuzz.h"

#define MAX_MADE 256
#define MAX_WALK 100 /* links and names, where base/root.c may give up */

enum kind { NONE, DIRECTORY, FILE_, LINK };

static int tmpfs = -1, root = -1;

/* ---- the tree ---- */

static void open_tmpfs(void)
{
	autoclose int fs = sys_fsopen("tmpfs");

	if (fs < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0)
		fs = sys_fsopen("tmpfs");
	if (fs < 0) {
		puts("1..0 # SKIP needs a mount namespace of its own");
		exit(EXIT_SUCCESS);
	}
	demand(sys_fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL) == 0);
	tmpfs = sys_fsmount(fs, 0);
	demand(tmpfs >= 0);
	demand(mkdirat(tmpfs, "outside", 0755) == 0);
}

static void remove_all(int dir, const char *name)
{
	autoclosedir DIR *list = NULL;
	int fd = openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;

	if (fd >= 0) {
		list = fdopendir(fd);
		demand(list);
		while ((entry = readdir(list)))
			if (!streq(entry->d_name, ".") &&
			    !streq(entry->d_name, ".."))
				remove_all(fd, entry->d_name);
	}
	demand(unlinkat(dir, name, fd >= 0 ? AT_REMOVEDIR : 0) == 0);
}

/* The directory of a plain path's last name, without following anything. */
static int open_parent(const char *path, char *ret_name)
{
	int at = dup(root);

	for (;;) {
		size_t len;
		int next;

		path += strspn(path, "/");
		len = strcspn(path, "/");
		if (len == 0 || len > NAME_MAX)
			break;
		memcpy(ret_name, path, len);
		ret_name[len] = '\0';
		if (streq(ret_name, ".") || streq(ret_name, ".."))
			break;
		if (!path[len])
			return at;
		next = openat(at, ret_name,
			      O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
		if (at < 0)
			return -1;
		path += len;
	}
	close(at);
	return -1;
}

static enum kind kind_of(const char *path, struct stat *ret)
{
	char name[NAME_MAX + 1];
	autoclose int at = -1;

	if (streq(path, ""))
		return fstat(root, ret) == 0 ? DIRECTORY : NONE;
	at = open_parent(path, name);
	if (at < 0 || fstatat(at, name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return NONE;
	return S_ISDIR(ret->st_mode) ? DIRECTORY :
	       S_ISLNK(ret->st_mode) ? LINK :
				       FILE_;
}

static void make_one(const char *line)
{
	char name[NAME_MAX + 1], path[PATH_MAX];
	size_t len = strcspn(line + 1, " ");
	autoclose int at = -1;

	if (!*line || len >= sizeof path)
		return;
	memcpy(path, line + 1, len);
	path[len] = '\0';
	at = open_parent(path, name);
	if (at < 0)
		return;
	if (line[0] == 'd')
		(void)mkdirat(at, name, 0755);
	else if (line[0] == 'f')
		(void)mknodat(at, name, S_IFREG | 0644, 0);
	else if (line[0] == 'l' && line[1 + len])
		(void)symlinkat(line + 2 + len, at, name);
}

/* ---- the walk ---- */

struct walk {
	char at[PATH_MAX]; /* plain; "" is the root */
	char todo[2 * PATH_MAX];
	char made[MAX_MADE][PATH_MAX]; /* directories that would be */
	size_t n_made;
	int steps;
	bool making, file; /* the last name must be a file */
	bool missing;	   /* the end is one that would be made */
};

static bool would_be(const struct walk *w, const char *path)
{
	for (size_t i = 0; i < w->n_made; i++)
		if (streq(w->made[i], path))
			return true;
	return false;
}

static int follow(struct walk *w, const char *path, const char *rest)
{
	char name[NAME_MAX + 1], target[PATH_MAX], whole[sizeof w->todo];
	autoclose int at = open_parent(path, name);
	ssize_t n = readlinkat(at, name, target, sizeof target - 1);

	demand(n > 0);
	target[n] = '\0';
	if ((size_t)snprintf(whole, sizeof whole, "%s%s", target, rest) >=
	    sizeof whole)
		return -E2BIG;
	memcpy(w->todo, whole, strlen(whole) + 1);
	if (target[0] == '/')
		w->at[0] = '\0';
	return 0;
}

static int make_here(struct walk *w, const char *path, const char *rest)
{
	bool last = !rest[strspn(rest, "/")];

	if (!w->making)
		return -ENOENT;
	if (w->n_made == MAX_MADE)
		return -E2BIG;
	w->missing = last;
	if (!last || !w->file)
		memcpy(w->made[w->n_made++], path, strlen(path) + 1);
	return 0;
}

/* One name: where it leads, or why it does not. -E2BIG: compare nothing. */
static int step(struct walk *w, const char *name, size_t len, const char *rest)
{
	char path[PATH_MAX];
	struct stat st;
	size_t at;

	w->missing = false;
	if (++w->steps > MAX_WALK)
		return -E2BIG;
	if (len == 1 && name[0] == '.')
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		char *slash = strrchr(w->at, '/');

		if (slash)
			*slash = '\0';
		return 0;
	}
	if (len > NAME_MAX || strlen(w->at) + len + 2 > sizeof path)
		return -E2BIG;
	at = strlen(w->at);
	memcpy(path, w->at, at);
	path[at] = '/';
	memcpy(path + at + 1, name, len);
	path[at + 1 + len] = '\0';
	if (!would_be(w, path)) {
		switch (kind_of(path, &st)) {
		case NONE:
			len = 0;
			break;
		case LINK:
			return follow(w, path, rest);
		case FILE_:
			if (*rest)
				return -ENOTDIR;
			break;
		case DIRECTORY:
			break;
		}
	}
	memcpy(w->at, path, strlen(path) + 1);
	return len ? 0 : make_here(w, path, rest);
}

static int walk(struct walk *w, const char *path)
{
	w->at[0] = '\0';
	if (strlen(path) >= sizeof w->todo / 4)
		return -E2BIG;
	memcpy(w->todo, path, strlen(path) + 1);
	for (;;) {
		char name[sizeof w->todo], rest[sizeof w->todo];
		const char *p = w->todo + strspn(w->todo, "/");
		size_t len = strcspn(p, "/");
		int r;

		if (!*p)
			return 0;
		memcpy(name, p, len);
		memcpy(rest, p + len, strlen(p + len) + 1);
		memcpy(w->todo, rest, strlen(rest) + 1);
		r = step(w, name, len, rest);
		if (r < 0)
			return r;
	}
}

/* ---- both ---- */

static void demand_same_place(int fd, const char *path)
{
	struct stat expected, st;

	demand(fstat(fd, &st) == 0);
	demand(kind_of(path, &expected) != NONE);
	demand(st.st_ino == expected.st_ino && st.st_dev == expected.st_dev);
}

static void try_path(struct walk *w, char how, const char *path)
{
	struct stat st;
	bool created = false;
	autoclose int fd = -1;
	int r, error;

	w->making = how == 'd' || how == 'f';
	w->file = how == 'f';
	r = walk(w, path);
	if (r == -E2BIG)
		return;
	if (r == 0 && how == 'd' && !w->missing && !would_be(w, w->at) &&
	    kind_of(w->at, &st) != DIRECTORY)
		r = -ENOTDIR;
	if (how == 'd')
		fd = root_make_dir(root, path, 0755, &created);
	else if (how == 'f')
		fd = root_make_file(root, path, &created);
	else
		fd = root_open(root, path, O_PATH | O_CLOEXEC);
	error = errno;
	demand((fd >= 0) == (r == 0));
	if (fd >= 0)
		demand_same_place(fd, w->at);
	else
		demand(error == -r);
	demand(fd < 0 || !w->missing || created);
}

/* The tree's own links lead to it by name. */
static void demand_untouched(void)
{
	autoclose int fd =
		openat(tmpfs, "outside", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char buffer[256];

	demand(fd >= 0 && fstat(fd, &st) == 0 && st.st_nlink == 2);
	/* "." and ".." and nothing else */
	demand(syscall(SYS_getdents64, fd, buffer, sizeof buffer) == 48);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct walk w;
	struct strings lines;
	struct arena arena;
	const char *last;

	if (tmpfs < 0)
		open_tmpfs();
	demand(arena_open(&arena, 1 << 20) == 0);
	demand(mkdirat(tmpfs, "root", 0755) == 0);
	root = openat(tmpfs, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	demand(root >= 0);
	if (size < 4096 &&
	    fuzz_lines(&arena, (const char *)data, size, &lines) == 0) {
		for (size_t i = 0; i + 1 < lines.n; i++)
			make_one(lines.items[i]);
		last = lines.items[lines.n - 1];
		w.n_made = 0;
		w.steps = 0;
		w.missing = false;
		if (*last)
			try_path(&w, *last, last + 1);
		demand_untouched();
	}
	close(root);
	remove_all(tmpfs, "root");
	arena_close(&arena);
	return 0;
}
