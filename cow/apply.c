/* SPDX-License-Identifier: Apache-2.0 */
/* cow/apply.c - do the steps of a journal. */
#include "cow/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/open.h"
#include "base/util.h"
#include "cow/copy.h"
#include "cow/remove.h"
#include "cow/tree.h"

#define SLOT_SIZE 32
#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#define RENAME_EXCHANGE 2
#endif

/* The directory of the last path: neighbours are not looked up again. */
struct parent {
	int fd;
	int root;
	const char *path; /* of an entry in it */
	size_t len;	  /* of the directory's part */
};

struct run {
	struct apply *apply;
	struct parent real, source;
};

/* A step with the places that it names. */
struct step {
	const struct journal_step *journal;
	int dir;	  /* of the path, in the workdir; -1: missing */
	const char *name; /* in it */
	struct tree_entry now;
};

static void forget(struct parent *parent)
{
	closep(&parent->fd);
}

static int find_parent(struct parent *parent, int root, const char *path,
		       const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;

	if (parent->fd >= 0 && parent->root == root && parent->len == len &&
	    strncmp(parent->path, path, len) == 0) {
		*ret_name = slash ? slash + 1 : *path ? path : ".";
		return parent->fd;
	}
	forget(parent);
	*parent = (struct parent){ .fd = tree_open_parent(root, path, ret_name),
				   .root = root,
				   .path = path,
				   .len = len };
	return parent->fd;
}

static int find_source(struct run *run, const char *source,
		       const char **ret_name)
{
	const struct apply *a = run->apply;
	int root = source[0] == 's' ? a->stage :
		   source[0] == 'i' ? a->index :
				      a->upper;
	int dir = find_parent(&run->source, root, source + 2, ret_name);

	return dir < 0 ? fail(errno, "open the directory of %s", source) : dir;
}

static int skip(struct run *run, const char *path)
{
	struct apply *a = run->apply;

	a->skipped = arena_room(a->arena, a->skipped, a->nskipped,
				&a->skipped_room, sizeof *a->skipped);
	if (!a->skipped)
		return -ENOMEM;
	a->skipped[a->nskipped++] = path;
	return 0;
}

static const char *slot_name(const struct journal_step *s,
			     enum journal_number number, char kind,
			     char ret[SLOT_SIZE])
{
	(void)snprintf(ret, SLOT_SIZE, "%c%lld", kind,
		       (long long)s->numbers[number]);
	return ret;
}

static bool is_inode(const struct tree_entry *entry, int64_t ino)
{
	return entry->mode != 0 && entry->ino == (uint64_t)ino;
}

static int look(int dir, const char *name, struct tree_entry *ret)
{
	int r = tree_stat(dir, name, ret);

	return r < 0 ? fail(-r, "look at %s", name) : 0;
}

/* The owner of a directory needs write permission to move it. */
static bool allow_move(int dir, const char *name)
{
	autoclose int fd =
		openat(dir, name,
		       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char self[sizeof "/proc/self/fd/" + 3 * sizeof(int)];
	struct tree_entry entry;

	if (fd < 0 || tree_stat(fd, "", &entry) < 0)
		return false;
	(void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
	return chmod(self, (entry.mode & 07777) | S_IRWXU) == 0;
}

static int move(int from_dir, const char *from, int to_dir, const char *to,
		unsigned int flags)
{
	bool one, other;

	if (syscall(SYS_renameat2, from_dir, from, to_dir, to, flags) == 0)
		return 0;
	if (errno != EACCES)
		return -errno;
	one = allow_move(from_dir, from);
	other = allow_move(to_dir, to);
	errno = EACCES;
	if ((one || other) &&
	    syscall(SYS_renameat2, from_dir, from, to_dir, to, flags) == 0)
		return 0;
	return -errno;
}

/* Of a file that others have replaced since the plan, nothing is known. */
static bool is_expected(const struct step *s)
{
	int64_t ctime = s->journal->numbers[NUMBER_CTIME];

	return is_inode(&s->now, s->journal->numbers[NUMBER_OLD]) &&
	       (ctime == 0 || ctime == s->now.ctime);
}

static int do_pin(struct run *run, struct step *s)
{
	char slot[SLOT_SIZE];
	struct tree_entry pinned;
	int trash = run->apply->trash;
	int r = look(trash, slot_name(s->journal, NUMBER_SLOT, 'l', slot),
		     &pinned);

	if (r < 0 || pinned.mode != 0)
		return r;
	if (s->dir < 0 || !is_expected(s))
		return skip(run, s->journal->path);
	if (linkat(s->dir, s->name, trash, slot, 0) < 0)
		return fail(errno, "link");
	return 0;
}

static void read_entry(const struct journal_step *s, struct tree_entry *ret)
{
	*ret = (struct tree_entry){
		.mode = (uint32_t)s->numbers[NUMBER_MODE],
		.uid = (uint32_t)s->numbers[NUMBER_UID],
		.gid = (uint32_t)s->numbers[NUMBER_GID],
		.mtime = { .tv_sec = s->numbers[NUMBER_SECONDS],
			   .tv_nsec = s->numbers[NUMBER_NANOSECONDS] },
	};
}

/* Without its pin, the file was replaced before the commit began. */
static int do_inplace(struct run *run, struct step *s)
{
	const struct apply *a = run->apply;
	char slot[SLOT_SIZE];
	struct tree_entry entry;
	const char *name;
	autoclose int from = -1, to = -1;
	int dir = find_source(run, s->journal->source, &name), r;

	if (dir < 0)
		return dir;
	slot_name(s->journal, NUMBER_SLOT, 'l', slot);
	r = look(a->trash, slot, &entry);
	if (r < 0 || entry.mode == 0)
		return r;
	r = changes_same_bytes(dir, name, a->trash, slot);
	if (r < 0)
		return r;
	read_entry(s->journal, &entry);
	if (r == 0) {
		from = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		to = openat(a->trash, slot, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
		if (from < 0 || to < 0)
			return fail(errno, "open %s", s->journal->source);
		r = copy_content(from, to);
		if (r < 0)
			return r;
	}
	return copy_attributes(a->arena, a->trash, slot, &entry,
			       &s->journal->xattrs);
}

static int to_slot(struct run *run, struct step *s, char kind)
{
	char slot[SLOT_SIZE];
	struct tree_entry there;
	int trash = run->apply->trash;
	int r = look(trash, slot_name(s->journal, NUMBER_SLOT, kind, slot),
		     &there);

	/* If P is missing, others have deleted it, too. */
	if (r < 0 || there.mode != 0 || s->dir < 0 || s->now.mode == 0)
		return r;
	if (!is_expected(s))
		return skip(run, s->journal->path);
	r = move(s->dir, s->name, trash, slot, RENAME_NOREPLACE);
	if (r >= 0)
		r = look(trash, slot, &there);
	if (r < 0)
		return fail(-r, "move it to the trash");
	if (is_inode(&there, s->journal->numbers[NUMBER_OLD]))
		return 0;
	/* Another file has got that name at the last moment. */
	(void)move(trash, slot, s->dir, s->name, RENAME_NOREPLACE);
	return skip(run, s->journal->path);
}

static int do_detach(struct run *run, struct step *s)
{
	int r = to_slot(run, s, 'r');

	forget(&run->real);
	return r;
}

static int do_attach(struct run *run, struct step *s)
{
	char slot[SLOT_SIZE];
	int r;

	if (s->dir < 0)
		return fail(ENOENT, "open its directory");
	if (is_inode(&s->now, s->journal->numbers[NUMBER_OLD]))
		return 0;
	r = move(run->apply->trash,
		 slot_name(s->journal, NUMBER_SLOT, 'r', slot), s->dir, s->name,
		 RENAME_NOREPLACE);
	forget(&run->real);
	return r < 0 ? fail(-r, "move the directory") : 0;
}

static int do_delete(struct run *run, struct step *s)
{
	int r = to_slot(run, s, 'd');

	forget(&run->real);
	return r;
}

static int do_access(struct run *run, struct step *s)
{
	if (s->dir >= 0)
		(void)allow_move(s->dir, s->name);
	forget(&run->real);
	return 0;
}

static int do_access_upper(struct run *run, struct step *s)
{
	const char *name;
	int dir = find_parent(&run->source, run->apply->upper, s->journal->path,
			      &name);

	if (dir >= 0)
		(void)allow_move(dir, name);
	forget(&run->source);
	return 0;
}

/* Find the source of a step, without marks. 0: the step is done already. */
static int ready_source(struct run *run, struct step *s, int *ret_dir,
			const char **ret_name)
{
	const struct journal_step *j = s->journal;
	struct tree_entry entry;
	int r;

	*ret_dir = find_source(run, j->source, ret_name);
	if (*ret_dir < 0)
		return *ret_dir;
	r = look(*ret_dir, *ret_name, &entry);
	if (r < 0)
		return r;
	if (!is_inode(&entry, j->numbers[NUMBER_NEW]))
		return fail(ENOENT, "find %s", j->source);
	return j->numbers[NUMBER_STRIP] ?
		       xattrs_strip(*ret_dir, *ret_name, run->apply->prefix) :
		       0;
}

/* For file systems that cannot exchange two names. */
static int replace_in_two(struct run *run, struct step *s, int dir,
			  const char *name)
{
	int r = s->now.mode == 0 ? 0 : to_slot(run, s, 'd');

	if (r < 0)
		return r;
	r = move(dir, name, s->dir, s->name, RENAME_NOREPLACE);
	return r == -EEXIST ? skip(run, s->journal->path) :
	       r < 0	    ? fail(-r, "move") :
			      0;
}

static int exchange(struct run *run, struct step *s, int dir, const char *name)
{
	struct tree_entry displaced;
	int r = move(dir, name, s->dir, s->name, RENAME_EXCHANGE);

	if (r == -EINVAL || r == -ENOSYS)
		return replace_in_two(run, s, dir, name);
	if (r < 0)
		return fail(-r, "exchange");
	r = look(dir, name, &displaced);
	if (r < 0 || is_inode(&displaced, s->journal->numbers[NUMBER_OLD]))
		return r;
	/* Another file has got that name at the last moment. */
	r = move(dir, name, s->dir, s->name, RENAME_EXCHANGE);
	return r < 0 ? fail(-r, "exchange") : skip(run, s->journal->path);
}

static int do_exchange(struct run *run, struct step *s)
{
	char slot[SLOT_SIZE];
	struct tree_entry displaced;
	const char *name;
	int dir, r;

	if (s->dir < 0)
		return skip(run, s->journal->path);
	if (is_inode(&s->now, s->journal->numbers[NUMBER_NEW]))
		return 0;
	r = look(run->apply->trash,
		 slot_name(s->journal, NUMBER_SLOT, 'd', slot), &displaced);
	if (r < 0)
		return r;
	if (!is_expected(s) && !(s->now.mode == 0 && displaced.mode != 0))
		return skip(run, s->journal->path);
	r = ready_source(run, s, &dir, &name);
	if (r < 0)
		return r;
	return s->now.mode == 0 ? replace_in_two(run, s, dir, name) :
				  exchange(run, s, dir, name);
}

static int do_add(struct run *run, struct step *s)
{
	const char *name;
	int dir, r;

	if (s->dir < 0)
		return skip(run, s->journal->path);
	if (s->now.mode != 0)
		return is_inode(&s->now, s->journal->numbers[NUMBER_NEW]) ?
			       0 :
			       skip(run, s->journal->path);
	r = ready_source(run, s, &dir, &name);
	if (r < 0)
		return r;
	r = move(dir, name, s->dir, s->name, RENAME_NOREPLACE);
	return r == -EEXIST ? skip(run, s->journal->path) :
	       r < 0	    ? fail(-r, "move") :
			      0;
}

static int do_mkdir(struct run *run, struct step *s)
{
	if (s->dir < 0 || (s->now.mode && !tree_is_type(&s->now, S_IFDIR)))
		return skip(run, s->journal->path);
	forget(&run->real);
	if (s->now.mode == 0) {
		autoclose int parent = tree_open_parent(run->apply->lower,
							s->journal->path,
							&s->name);

		if (parent < 0 ||
		    (mkdirat(parent, s->name, S_IRWXU) < 0 && errno != EEXIST))
			return fail(errno, "make a directory");
	}
	return 0;
}

static int do_link(struct run *run, struct step *s)
{
	char slot[SLOT_SIZE];
	struct tree_entry target;
	int r = look(run->apply->trash,
		     slot_name(s->journal, NUMBER_LINK, 'l', slot), &target);

	if (r < 0)
		return r;
	if (s->dir < 0 || target.mode == 0)
		return skip(run, s->journal->path);
	if (is_inode(&s->now, (int64_t)target.ino))
		return 0;
	if (s->now.mode != 0) {
		if (!is_expected(s))
			return skip(run, s->journal->path);
		r = to_slot(run, s, 'd');
		if (r < 0)
			return r;
	}
	if (linkat(run->apply->trash, slot, s->dir, s->name, 0) == 0)
		return 0;
	return errno == EEXIST ? skip(run, s->journal->path) :
				 fail(errno, "link");
}

static int do_set(struct run *run, struct step *s)
{
	struct tree_entry entry;

	read_entry(s->journal, &entry);
	/* It was skipped, or others have replaced it. */
	if (s->dir < 0 || (s->now.mode ^ entry.mode) & S_IFMT)
		return 0;
	return copy_attributes(run->apply->arena, s->dir, s->name, &entry,
			       &s->journal->xattrs);
}

static int (*const doers[JOURNAL_KINDS])(struct run *, struct step *) = {
	[JOURNAL_PIN] = do_pin,	      [JOURNAL_INPLACE] = do_inplace,
	[JOURNAL_DETACH] = do_detach, [JOURNAL_ATTACH] = do_attach,
	[JOURNAL_ACCESS] = do_access, [JOURNAL_ACCESS_UPPER] = do_access_upper,
	[JOURNAL_DELETE] = do_delete, [JOURNAL_EXCHANGE] = do_exchange,
	[JOURNAL_ADD] = do_add,	      [JOURNAL_MKDIR] = do_mkdir,
	[JOURNAL_LINK] = do_link,     [JOURNAL_SET] = do_set,
};

static int do_step(struct run *run, const struct journal_step *journal)
{
	struct step s = { .journal = journal, .dir = -1 };
	int r = 0;

	if (!doers[journal->kind])
		return 0;
	if (journal->path && journal->kind != JOURNAL_ACCESS_UPPER) {
		s.dir = find_parent(&run->real, run->apply->lower,
				    journal->path, &s.name);
		if (s.dir < 0 && errno != ENOENT && errno != ENOTDIR &&
		    errno != ELOOP)
			return fail(errno, "open the directory of %s",
				    journal->path);
		r = s.dir < 0 ? 0 : look(s.dir, s.name, &s.now);
	}
	if (r >= 0)
		r = doers[journal->kind](run, &s);
	return r < 0 ? fail_in(r, "%s",
			       journal->path ? journal->path :
					       journal->source) :
		       0;
}

int apply_steps(struct apply *apply, const struct journal *journal)
{
	struct run run = { .apply = apply,
			   .real = { .fd = -1 },
			   .source = { .fd = -1 } };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < journal->n; i++)
		r = do_step(&run, &journal->steps[i]);
	forget(&run.real);
	forget(&run.source);
	return r;
}

void apply_clear_upper(const struct apply *apply, const struct journal *journal)
{
	for (size_t i = 0; i < journal->n; i++) {
		const struct journal_step *s = &journal->steps[i];
		struct tree_entry entry;
		const char *name;
		autoclose int dir = -1;

		if (s->kind != JOURNAL_EXCHANGE || s->source[0] != 'u')
			continue;
		dir = tree_open_parent(apply->upper, s->source + 2, &name);
		if (dir >= 0 && tree_stat(dir, name, &entry) == 0 &&
		    is_inode(&entry, s->numbers[NUMBER_OLD]))
			(void)remove_tree(dir, name);
	}
}
