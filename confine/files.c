/* SPDX-License-Identifier: Apache-2.0 */
/* confine/files.c - compute rules for allowed paths without the denied ones. */
#include "confine/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/root.h"
#include "base/sys.h"
#include "base/util.h"
#include "policy/glob.h"

#define READ LANDLOCK_MAY_READ
#define WRITE (LANDLOCK_MAY_WRITE | LANDLOCK_MAY_IOCTL)
#define EXECUTE LANDLOCK_MAY_EXECUTE

bool files_wanted(const struct policy *policy)
{
	for (enum policy_key key = KEY_READ; key <= KEY_EXECUTE; key++)
		if (policy->set[key])
			return true;
	return false;
}

bool files_only_denied(const struct policy *policy)
{
	if (files_wanted(policy))
		return false;
	for (enum policy_key key = KEY_DENY; key <= KEY_DENY_EXECUTE; key++)
		if (policy->set[key])
			return true;
	return false;
}

/* The kernel must be able to read a file to execute it. */
uint32_t files_rights(const struct policy *policy, enum policy_key key)
{
	uint32_t read = READ | (policy->set[KEY_EXECUTE] ? 0 : EXECUTE);

	switch (key) {
	case KEY_READ:
		return read;
	case KEY_WRITE:
		return read | WRITE;
	case KEY_WRITE_ONLY:
	case KEY_DENY_WRITE:
		return WRITE;
	case KEY_EXECUTE:
		return READ | EXECUTE;
	case KEY_DENY:
		return READ | WRITE | EXECUTE;
	case KEY_DENY_READ:
		return READ;
	case KEY_DENY_EXECUTE:
		return EXECUTE;
	default:
		return 0;
	}
}

bool files_is_at_or_below(const char *path, const char *dir)
{
	size_t n = streq(dir, "/") ? 0 : strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}

int files_add(struct arena *arena, struct files_list *list,
	      const struct files_entry *entry)
{
	struct files_entry *items = arena_room(arena, list->items, list->n,
					       &list->size, sizeof *items);

	if (!items)
		return -ENOMEM;
	list->items = items;
	list->items[list->n++] = *entry;
	return 0;
}

struct split {
	struct arena *arena;
	int root;
	const struct files_entry *allowed; /* the current one */
	const struct files_list *denied;
	struct files_rules *rules;
};

static bool applies(const struct split *s, const struct files_entry *denied)
{
	return !denied->scope || denied->scope == s->allowed->scope;
}

static int add_rule(struct split *s, const char *path, uint32_t rights,
		    bool directory)
{
	struct files_rules *rules = s->rules;
	struct landlock_path *items;

	if (!rights)
		return 0;
	if (rules->n == FILES_MOST_RULES)
		return fail(0,
			    "%s '%s': excluding the denied paths takes more "
			    "than %d Landlock rules (deny fewer paths below "
			    "it)",
			    s->allowed->key, s->allowed->item,
			    FILES_MOST_RULES);
	items = arena_room(s->arena, rules->items, rules->n, &rules->size,
			   sizeof *items);
	if (!items)
		return -ENOMEM;
	rules->items = items;
	rules->items[rules->n++] =
		(struct landlock_path){ path, rights, directory };
	return 0;
}

static bool is_carved(const struct split *s, const struct files_entry *denied)
{
	return denied->carved && s->allowed->rights & LANDLOCK_MAY_WRITE;
}

/* The rights denied here or above, and strictly below. */
struct verdict {
	uint32_t here, below;
	bool listable;			 /* no denied directory below */
	const struct files_entry *first; /* the first denied entry below */
};

static struct verdict judge(const struct split *s, const char *path,
			    uint32_t rights)
{
	struct verdict v = { .listable = true };

	for (size_t i = 0; i < s->denied->n; i++) {
		const struct files_entry *d = &s->denied->items[i];

		if (!applies(s, d) || !(d->rights & rights))
			continue;
		if (files_is_at_or_below(path, d->path)) {
			v.here |= d->rights;
		} else if (files_is_at_or_below(d->path, path) &&
			   !is_carved(s, d)) {
			v.below |= d->rights & rights;
			if (d->rights & READ && d->directory)
				v.listable = false;
			if (!v.first)
				v.first = d;
		}
	}
	return v;
}

static int split_path(struct split *s, const char *path, uint32_t rights,
		      bool directory);

static int add_link(struct split *s, int dir, const char *name,
		    const char *path)
{
	struct files_rules *rules = s->rules;
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, name, target, sizeof target);
	struct files_link *grown;

	if (n < 0 || n == sizeof target)
		return 0;
	/* Double the allocation at each power of two. */
	if ((rules->nlinks & (rules->nlinks - 1)) == 0) {
		grown = arena_grow(s->arena, rules->links, rules->nlinks,
				   2 * rules->nlinks + 1, sizeof *grown);
		if (!grown)
			return -ENOMEM;
		rules->links = grown;
	}
	rules->links[rules->nlinks] = (struct files_link){
		path, arena_strndup(s->arena, target, (size_t)n)
	};
	return rules->links[rules->nlinks++].target ? 0 : -ENOMEM;
}

/* A link needs no rule; the file it leads to does. */
static int split_entry(struct split *s, int dir, const char *above,
		       const char *name, uint32_t rights)
{
	const char *path = arena_printf(s->arena, "%s/%s",
					streq(above, "/") ? "" : above, name);
	struct stat st;

	if (!path)
		return -ENOMEM;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ?
			       0 :
			       fail(errno,
				    "inspect %s to find the files that the "
				    "policy allows",
				    path);
	if (S_ISLNK(st.st_mode))
		return add_link(s, dir, name, path);
	return split_path(s, path, rights, S_ISDIR(st.st_mode));
}

static int split_entries(struct split *s, const char *path, uint32_t rights)
{
	autoclose int fd = root_open_plain(s->root, path,
					   O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	autoclosedir DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int r = 0;

	if (!entries)
		return fail(errno, "%s '%s': open %s", s->allowed->key,
			    s->allowed->item, path);
	(void)take_fd(&fd);
	for (errno = 0; r == 0 && (entry = readdir(entries)); errno = 0)
		if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
			r = split_entry(s, dirfd(entries), path, entry->d_name,
					rights);
	if (r == 0 && errno)
		return fail(errno, "%s '%s': read %s", s->allowed->key,
			    s->allowed->item, path);
	return r;
}

static int split_path(struct split *s, const char *path, uint32_t rights,
		      bool directory)
{
	struct verdict v = judge(s, path, rights);
	int r;

	rights &= ~v.here;
	v.below &= rights;
	/*
	 * A workload with write access could put another file under that name.
	 */
	if (v.below && rights & LANDLOCK_MAY_WRITE && !v.first->left_out)
		return fail(0,
			    "%s '%s' lies below %s '%s', which is writable: "
			    "not enforced by this build",
			    v.first->key, v.first->item, s->allowed->key,
			    s->allowed->item);
	r = add_rule(s, path, rights & ~v.below, directory);
	if (r < 0 || !v.below || !directory)
		return r;
	/* The right to list applies to all directories below. */
	if (v.below & READ && v.listable) {
		r = add_rule(s, path, LANDLOCK_MAY_LIST, directory);
		if (r < 0)
			return r;
	}
	return split_entries(s, path, v.below);
}

int files_split(struct arena *arena, int root, const struct files_list *allowed,
		const struct files_list *denied, struct files_rules *ret)
{
	struct files_rules rules = { 0 };
	struct split s = {
		.arena = arena,
		.root = root,
		.denied = denied,
		.rules = &rules,
	};

	for (size_t i = 0; i < allowed->n; i++) {
		const struct files_entry *a = &allowed->items[i];
		int r;

		s.allowed = a;
		r = split_path(&s, a->path, a->rights, a->directory);
		if (r < 0)
			return r;
	}
	*ret = rules;
	return 0;
}

/* A pattern or a preset searches the tree. */
static bool has_search(const struct strings *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		const char *path = paths->items[i];

		path += path[0] == '-';
		if (path[0] != '/' || policy_is_glob(path))
			return true;
	}
	return false;
}

bool files_are_plain(const struct policy *policy)
{
	for (;; policy = &policy->floor->policy) {
		if (has_search(&policy->read) || has_search(&policy->write) ||
		    has_search(&policy->write_only) ||
		    has_search(&policy->execute) || policy->deny.n ||
		    policy->deny_read.n || policy->deny_write.n ||
		    policy->deny_execute.n)
			return false;
		if (!policy->floor)
			return true;
	}
}

void files_open_put(struct files_open *open, const char *path, int *fd)
{
	if (!open || open->n == FILES_MOST_OPEN)
		return;
	open->items[open->n].path = path;
	open->items[open->n++].fd = take_fd(fd);
}

/* The rules are in the order in which their files were opened. */
int files_open_take(const struct files_open *open, const char *path,
		    size_t *next)
{
	for (size_t i = *next; i < open->n; i++)
		if (open->items[i].path == path) {
			*next = i + 1;
			return open->items[i].fd;
		}
	return -1;
}

void files_open_close(struct files_open *open)
{
	for (size_t i = 0; i < open->n;) {
		size_t first = i++;

		while (i < open->n &&
		       open->items[i].fd == open->items[i - 1].fd + 1)
			i++;
		(void)sys_close_range((unsigned int)open->items[first].fd,
				      (unsigned int)open->items[i - 1].fd, 0);
	}
	open->n = 0;
}
