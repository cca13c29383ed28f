/* SPDX-License-Identifier: Apache-2.0 */
/* cow/branch.c - make, open, lock, seal and remove branches. */
#include "cow/branch.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/util.h"
#include "cow/branch_meta.h"
#include "cow/remove.h"
#include "cow/storage.h"

#define LOCK "lock"
#define WORKDIR "workdir"
#define NEW ".new-"
#define DEAD ".dead-"
#define BASE_MAX 40   /* bytes of the workdir's name in a made-up name */
#define NAME_TRIES 16 /* made-up names that are taken */
#define CLOCK_SLACK_MS 1000

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

void branch_close(struct branch *branch)
{
	closep(&branch->dir);
	closep(&branch->lock);
}

/* ---- names ---- */

static bool is_name_byte(char c)
{
	return isascii((unsigned char)c) &&
	       (isalnum((unsigned char)c) || strchr("_-.", c));
}

int branch_check_name(const char *name)
{
	size_t len = strlen(name);
	bool good = len > 0 && len <= BRANCH_NAME_MAX && name[0] != '.';

	for (const char *c = name; good && *c; c++)
		good = is_name_byte(*c);
	if (!good)
		return fail(EINVAL,
			    "invalid name of a branch: '%s' (allowed are 1 to "
			    "%d letters, digits and _ - . but no leading dot)",
			    name, BRANCH_NAME_MAX);
	return 0;
}

/* The last component of the workdir, and random digits. */
static char *make_name(struct arena *arena, const char *workdir)
{
	const char *slash = strrchr(workdir, '/');
	char base[BASE_MAX + 1];
	unsigned int digits;
	size_t n = 0;

	for (const char *c = slash ? slash + 1 : workdir; *c && n < BASE_MAX;
	     c++)
		if (is_name_byte(*c) && (n > 0 || *c != '.'))
			base[n++] = *c;
	base[n] = '\0';
	if (getrandom(&digits, sizeof digits, 0) != sizeof digits) {
		fail(errno, "get random digits for the name of a branch");
		return NULL;
	}
	return arena_printf(arena, "%s-%06x", n ? base : "branch",
			    digits & 0xffffff);
}

/* ---- make ---- */

static int fill_fixed(struct arena *arena, const struct branch_wishes *wishes,
		      struct branch *branch)
{
	struct stat st;

	branch->workdir = arena_strdup(arena, wishes->workdir);
	branch->xattr_prefix = wishes->privileged ? "trusted.overlay." :
						    "user.overlay.";
	if (!branch->workdir)
		return -ENOMEM;
	if (lstat(wishes->workdir, &st) < 0)
		return fail(errno, "inspect the workdir %s", wishes->workdir);
	branch->device = st.st_dev;
	branch->inode = st.st_ino;
	return branch_boot_id(arena, &branch->boot_id);
}

static int take_lock(struct branch *branch, int flags)
{
	autoclose int fd = openat(branch->dir, LOCK,
				  O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags,
				  0600);

	if (fd < 0)
		return fail(errno, "branch %s: open its lock", branch->name);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		branch->lock = take_fd(&fd);
		return 0;
	}
	if (errno != EWOULDBLOCK)
		return fail(errno, "branch %s: lock it", branch->name);
	fail(0, "branch %s: in use: a sandbox or another command works on it",
	     branch->name);
	return -EBUSY;
}

/* Fill a new directory, before a link makes the branch known. */
static int fill_directory(struct arena *arena, struct branch *branch)
{
	int r = take_lock(branch, O_CREAT | O_EXCL);

	if (r < 0)
		return r;
	if (symlinkat(branch->workdir, branch->dir, WORKDIR) < 0 ||
	    mkdirat(branch->dir, BRANCH_UPPER, 0700) < 0 ||
	    mkdirat(branch->dir, BRANCH_WORK, 0700) < 0)
		return fail(errno, "branch %s: fill %s", branch->name,
			    branch->path);
	r = branch_clock_take(branch);
	return r < 0 ? r : branch_meta_write(arena, branch);
}

/* Give it its name in the storage and in the home; -EEXIST if taken. */
static int publish(struct branch *branch, int storage, const char *temporary,
		   int home, bool is_home)
{
	if (renameat(storage, temporary, storage, branch->name) < 0) {
		if (errno == ENOTEMPTY || errno == EEXIST)
			return -EEXIST;
		return fail(errno, "branch %s: rename %s", branch->name,
			    temporary);
	}
	if (is_home || symlinkat(branch->path, home, branch->name) == 0)
		return 0;
	if (errno == EEXIST)
		return -EEXIST;
	return fail(errno, "branch %s: list it", branch->name);
}

/* Make a branch under a name that is not tried again; -EEXIST if taken. */
static int make_named(struct arena *arena, struct branch *branch, int storage,
		      int home, bool is_home)
{
	const char *temporary =
		arena_printf(arena, NEW "%s-%d", branch->name, getpid());
	struct err_kept kept;
	bool named = false;
	int r;

	if (!temporary)
		return -ENOMEM;
	if (mkdirat(storage, temporary, 0700) < 0)
		return fail(errno, "branch %s: make %s", branch->name,
			    branch->path);
	branch->dir = openat(storage, temporary, OPEN_DIR);
	if (branch->dir < 0)
		r = fail(errno, "branch %s: open %s", branch->name,
			 branch->path);
	else
		r = fill_directory(arena, branch);
	if (r >= 0) {
		r = publish(branch, storage, temporary, home, is_home);
		named = faccessat(storage, temporary, F_OK,
				  AT_SYMLINK_NOFOLLOW) < 0;
	}
	if (r >= 0)
		return 0;
	err_keep(&kept);
	(void)remove_tree(storage, named ? branch->name : temporary);
	err_restore(&kept);
	branch_close(branch);
	return r;
}

static int make_in(struct arena *arena, const struct branch_wishes *wishes,
		   struct branch *branch, int storage, const char *path,
		   int home, bool is_home)
{
	int r = -EEXIST;

	for (int i = 0; r == -EEXIST && i < NAME_TRIES; i++) {
		branch->name = wishes->name ? wishes->name :
					      make_name(arena, wishes->workdir);
		if (!branch->name)
			return -ENOMEM;
		branch->path = arena_printf(arena, "%s/%s", path, branch->name);
		if (!branch->path)
			return -ENOMEM;
		r = make_named(arena, branch, storage, home, is_home);
		if (r == -EEXIST && wishes->name)
			break;
	}
	if (r == -EEXIST)
		fail(0,
		     "branch %s: exists already (sandlock branch abort %s "
		     "removes it)",
		     branch->name, branch->name);
	return r;
}

static int create_somewhere(struct arena *arena,
			    const struct branch_wishes *wishes,
			    struct branch *branch)
{
	const char *home_path;
	autoclose int home = -1;
	int r = branch_home(arena, &home_path);

	if (r < 0)
		return r;
	home = storage_open_home(home_path, true);
	if (home < 0)
		return home;
	for (unsigned int i = 0;; i++) {
		const char *path = NULL;
		autoclose int storage =
			storage_open(arena, wishes, home_path, i, &path);

		if (storage == -ENOENT && !wishes->storage && i == 0)
			continue;
		if (storage < 0)
			return storage;
		return make_in(arena, wishes, branch, storage, path, home,
			       streq(path, home_path));
	}
}

int branch_create(struct arena *arena, const struct branch_wishes *wishes,
		  struct branch *ret)
{
	autobranch struct branch branch = BRANCH_NONE;
	int r = wishes->name ? branch_check_name(wishes->name) : 0;

	if (r >= 0)
		r = fill_fixed(arena, wishes, &branch);
	if (r >= 0)
		r = create_somewhere(arena, wishes, &branch);
	if (r < 0)
		return r;
	*ret = branch;
	branch = (struct branch)BRANCH_NONE;
	return 0;
}

/* ---- open ---- */

static bool has(const struct branch *branch, const char *name)
{
	return faccessat(branch->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static enum branch_state find_state(struct arena *arena,
				    const struct branch *branch)
{
	const char *now;

	if (branch->problem)
		return BRANCH_DAMAGED;
	if (has(branch, BRANCH_DONE))
		return BRANCH_COMMITTED;
	if (has(branch, BRANCH_JOURNAL))
		return BRANCH_COMMITTING;
	if (has(branch, BRANCH_SEAL))
		return BRANCH_SEALED;
	if (branch_boot_id(arena, &now) < 0) {
		err_clear();
		return BRANCH_DAMAGED;
	}
	return streq(now, branch->boot_id) ? BRANCH_OPEN : BRANCH_DAMAGED;
}

/* Where the home says that it is. */
static int find_path(struct arena *arena, int home, const char *home_path,
		     const char *name, const char **ret)
{
	char target[PATH_MAX];
	ssize_t n = home < 0 ? -1 :
			       readlinkat(home, name, target, sizeof target);

	if (n < 0 && errno != EINVAL) {
		int err = errno;

		if (err != ENOENT)
			return fail(err, "branch %s: find it", name);
		fail(0,
		     "branch %s: does not exist (sandlock branch list shows "
		     "the others)",
		     name);
		return -ENOENT;
	}
	if (n == sizeof target || (n > 0 && target[0] != '/'))
		return fail(0, "branch %s: %s/%s: not a link of a branch", name,
			    home_path, name);
	*ret = n < 0 ? arena_printf(arena, "%s/%s", home_path, name) :
		       arena_strndup(arena, target, (size_t)n);
	return *ret ? 0 : -ENOMEM;
}

static int open_directory(struct branch *branch)
{
	struct stat st;

	branch->dir = open(branch->path, OPEN_DIR);
	if (branch->dir < 0)
		return fail(errno, "branch %s: open %s", branch->name,
			    branch->path);
	if (fstat(branch->dir, &st) < 0)
		return fail(errno, "branch %s: inspect %s", branch->name,
			    branch->path);
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return fail(EPERM,
			    "branch %s: %s: is not a private directory of the "
			    "caller",
			    branch->name, branch->path);
	return 0;
}

static int read_workdir(struct arena *arena, struct branch *branch)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(branch->dir, WORKDIR, target, sizeof target);

	if (n < 0)
		return fail(errno, "read its link " WORKDIR);
	if (n == 0 || n == sizeof target || target[0] != '/')
		return fail(0, "its link " WORKDIR " is no absolute path");
	branch->workdir = arena_strndup(arena, target, (size_t)n);
	return branch->workdir ? 0 : -ENOMEM;
}

int branch_open(struct arena *arena, const char *name, struct branch *ret)
{
	autobranch struct branch branch = BRANCH_NONE;
	autoclose int home = -1;
	const char *home_path;
	int r;

	branch.path = "";
	branch.name = arena_strdup(arena, name);
	if (!branch.name)
		return -ENOMEM;
	if ((r = branch_check_name(name)) < 0 ||
	    (r = branch_home(arena, &home_path)) < 0)
		return r;
	home = open(home_path, OPEN_DIR);
	if ((r = find_path(arena, home, home_path, name, &branch.path)) < 0 ||
	    (r = open_directory(&branch)) < 0)
		return r;
	r = read_workdir(arena, &branch);
	if (r >= 0)
		r = branch_meta_read(arena, &branch);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		branch.problem = arena_strdup(arena, err_text());
		err_clear();
		if (!branch.problem)
			return -ENOMEM;
	}
	branch.state = find_state(arena, &branch);
	*ret = branch;
	branch = (struct branch)BRANCH_NONE;
	return 0;
}

int branch_lock(struct arena *arena, struct branch *branch)
{
	struct stat ours, named;
	int r = take_lock(branch, 0);

	if (r < 0)
		return r;
	/* It may have been removed while we opened it. */
	if (fstat(branch->dir, &ours) < 0 || lstat(branch->path, &named) < 0 ||
	    ours.st_dev != named.st_dev || ours.st_ino != named.st_ino) {
		fail(0, "branch %s: was removed by another command",
		     branch->name);
		return -ENOENT;
	}
	branch->state = find_state(arena, branch);
	return 0;
}

bool branch_is_busy(const struct branch *branch)
{
	autoclose int fd =
		openat(branch->dir, LOCK, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	return branch->lock < 0 && fd >= 0 &&
	       flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* ---- use ---- */

int branch_seal(struct branch *branch)
{
	autoclose int fd = -1;
	int r;

	/* The kernel makes it anew; it refuses one that was volatile. */
	r = remove_tree_below(branch->dir, BRANCH_WORK "/work");
	if (r < 0)
		return fail_in(r, "branch %s", branch->name);
	/* The seal must not be on disk before what it vouches for. */
	if (syncfs(branch->dir) < 0)
		return fail(errno, "branch %s: write it to disk", branch->name);
	fd = openat(branch->dir, BRANCH_SEAL,
		    O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fsync(fd) < 0 || fsync(branch->dir) < 0)
		return fail(errno, "branch %s: seal it", branch->name);
	branch->state = BRANCH_SEALED;
	return 0;
}

int branch_unseal(struct branch *branch)
{
	/* One that was not sealed still has what makes the kernel refuse it. */
	int r = remove_tree_below(branch->dir, BRANCH_WORK "/work");

	if (r < 0)
		return fail_in(r, "branch %s", branch->name);
	if (unlinkat(branch->dir, BRANCH_SEAL, 0) < 0 && errno != ENOENT)
		return fail(errno, "branch %s: remove its seal", branch->name);
	branch->state = BRANCH_OPEN;
	return 0;
}

int branch_open_workdir(const struct branch *branch)
{
	autoclose int fd = open(branch->workdir, OPEN_DIR);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail(errno, "branch %s: open the workdir %s",
			    branch->name, branch->workdir);
	if (st.st_dev != branch->device || st.st_ino != branch->inode)
		return fail(ESTALE,
			    "branch %s: the workdir %s is not the directory "
			    "that it was",
			    branch->name, branch->workdir);
	return take_fd(&fd);
}

int branch_open_upper(const struct branch *branch)
{
	int fd = openat(branch->dir, BRANCH_UPPER, OPEN_DIR);

	return fd < 0 ? fail(errno, "branch %s: open %s/" BRANCH_UPPER,
			     branch->name, branch->path) :
			fd;
}

bool branch_clock_is_back(const struct branch *branch)
{
	return branch_clock_now() < branch->clock_ms - CLOCK_SLACK_MS;
}

/* ---- remove ---- */

/* Remove its name in the home, unless that is the directory itself. */
static int remove_link(struct arena *arena, const struct branch *branch)
{
	const char *home;
	autoclose int fd = -1;
	int r = branch_home(arena, &home);

	if (r < 0)
		return r;
	fd = open(home, OPEN_DIR);
	if (unlinkat(fd, branch->name, 0) < 0 && errno != ENOENT &&
	    errno != EISDIR)
		return fail(errno, "branch %s: remove it from %s", branch->name,
			    home);
	return 0;
}

int branch_remove(struct arena *arena, struct branch *branch)
{
	const char *slash = strrchr(branch->path, '/');
	const char *parent = arena_strndup(arena, branch->path,
					   (size_t)(slash - branch->path));
	char dead[NAME_MAX + 1];
	autoclose int dir = -1;
	int r;

	if (!parent)
		return -ENOMEM;
	(void)snprintf(dead, sizeof dead, DEAD "%s-%d", branch->name, getpid());
	dir = open(parent, OPEN_DIR);
	if (dir < 0)
		return fail(errno, "branch %s: open %s", branch->name, parent);
	/* From here on it is no branch, even if the rest stays. */
	if (renameat(dir, slash + 1, dir, dead) < 0)
		return fail(errno, "branch %s: remove %s", branch->name,
			    branch->path);
	/* The name leads recover_all() to the rest, so it goes last. */
	r = remove_tree(dir, dead);
	if (r >= 0)
		r = remove_link(arena, branch);
	if (r >= 0 && ends_with(parent, "/" STORAGE_NAME))
		(void)rmdir(parent);
	return r < 0 ? fail_in(r, "branch %s", branch->name) : 0;
}

const char *branch_state_name(enum branch_state state)
{
	static const char *const names[] = {
		[BRANCH_OPEN] = "open",
		[BRANCH_SEALED] = "sealed",
		[BRANCH_COMMITTING] = "committing",
		[BRANCH_COMMITTED] = "committed",
		[BRANCH_DAMAGED] = "damaged",
	};

	return names[state];
}
