/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/create.c - make the directories, set the limits, open the join files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define MAKE_TRIES 3
#define ROOM_MEMORY (16UL << 20)

/* by_systemd: the parents are slices of systemd, whoever made them. */
static int make_parents(struct cgroup_member *member, bool by_systemd)
{
	char path[CGROUP_PATH_SIZE];
	char *end = path + strlen(member->in->mount);

	memcpy(path, member->path, strlen(member->path) + 1);
	while (*end) {
		size_t parent = (size_t)(end - path);
		char next;

		end += 1 + strcspn(end + 1, "/");
		next = *end;
		*end = '\0';
		if (mkdir(path, 0755) < 0) {
			if (errno != EEXIST)
				return fail(errno, "create cgroup %s", path);
		} else {
			if (parent < member->kept)
				member->kept = parent;
			if (next && !by_systemd)
				mark_made(path);
		}
		*end = next;
	}
	return 0;
}

/*
 * Another process may remove a parent at the same time; in that case try again.
 */
static int make_path(struct cgroup_member *member, const struct cgroup *cgroup)
{
	int r = -ENOENT;

	if (mkdir(member->path, 0755) == 0) {
		member->kept =
			(size_t)(strrchr(member->path, '/') - member->path);
		return 0;
	}
	if (errno == EEXIST)
		return 0;
	if (errno != ENOENT || cgroup->alone)
		return fail(errno, "create cgroup %s", member->path);
	for (int i = 0; i < MAKE_TRIES && r == -ENOENT; i++)
		r = make_parents(member, cgroup->by_systemd);
	return r;
}

static int check_empty(const char *path)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct pid_list list = { .arena = &arena };
	int r;

	r = arena_open(&arena, ROOM_MEMORY);
	if (r < 0)
		return r;
	r = pid_list_add(&list, path);
	if (r < 0)
		return r;
	if (list.n > 0)
		return fail(0,
			    "container's cgroup is not empty: %zu "
			    "process(es) found in %s (end them, or change "
			    "linux.cgroupsPath)",
			    list.n, path);
	return 0;
}

static int open_door(struct cgroup_member *member, const char *path)
{
	const char *name = backend_of(member)->door;
	char file[CGROUP_PATH_SIZE];

	if (snprintf(file, sizeof file, "%s/%s", path, name) >=
	    (int)sizeof file)
		return fail(ENAMETOOLONG, "open the control files of cgroup %s",
			    path);
	member->join = open(file, O_WRONLY | O_CLOEXEC);
	if (member->join < 0)
		return fail(errno, "open %s to move processes into the cgroup",
			    file);
	if (!member->v2)
		return 0;
	member->dir = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (member->dir < 0)
		return fail(errno, "open cgroup %s to start the process inside",
			    path);
	return 0;
}

/* by_systemd: the first process is in the cgroup already. */
static int make_member(struct cgroup_member *member, const char *wanted,
		       const struct cgroup *cgroup)
{
	const struct cgroup_backend *backend = backend_of(member);
	int r;

	r = make_path(member, cgroup);
	if (r < 0)
		return r;
	if (member->kept == strlen(member->path) && !cgroup->by_systemd) {
		r = check_empty(member->path);
		if (r < 0)
			return r;
	}
	/*
	 * A new cgroup below a frozen one is frozen, too, and joining it
	 * blocks.
	 */
	if (backend->frozen(AT_FDCWD, member))
		return fail(0,
			    "container's cgroup unexpectedly frozen: %s "
			    "(thaw it, or change linux.cgroupsPath)",
			    member->path);
	r = backend->prepare(member, wanted);
	if (r < 0)
		return r;
	r = open_door(member, member->path);
	if (r < 0)
		return r;
	member->made = true;
	return 0;
}

static void close_member(struct cgroup_member *member)
{
	closep(&member->join);
	closep(&member->dir);
}

static void unmake_member(struct cgroup_member *member)
{
	close_member(member);
	remove_made(member->path, member->kept);
	member->kept = strlen(member->path);
	member->made = false;
}

/* Remove members that we were not allowed to make from the set. */
static void drop_unmade(struct cgroup *cgroup)
{
	size_t n = 0;

	for (size_t i = 0; i < cgroup->n; i++)
		if (cgroup->items[i].made)
			cgroup->items[n++] = cgroup->items[i];
	cgroup->n = n;
}

static int make_members(const struct cgroup_layout *layout,
			struct cgroup *cgroup, struct settings *v2,
			bool rootless)
{
	const char *wanted = settings_controllers(cgroup, v2);

	/* systemd decides about controllers that no limit needs. */
	if (layout->mode == CGROUP_V2 && !cgroup->by_systemd)
		wanted = EVERY_CONTROLLER;
	for (size_t i = 0; i < cgroup->n; i++) {
		struct cgroup_member *member = &cgroup->items[i];
		int r = make_member(member, wanted, cgroup);

		if (r < 0 && !(rootless && is_denied(r)))
			return r;
		if (r < 0)
			unmake_member(member);
	}
	drop_unmade(cgroup);
	return 0;
}

int cgroup_create(struct arena *arena, const struct cgroup_layout *layout,
		  struct cgroup *cgroup, const struct oci_resources *resources,
		  bool rootless)
{
	struct settings v1 = { .arena = arena }, v2 = { .arena = arena };
	int r;

	/* The set is empty on purpose, so there is nothing to limit. */
	if (cgroup->n == 0 && layout->mode != CGROUP_NONE)
		return 0;
	cgroup_v1.settings(resources, &v1);
	cgroup_v2.settings(resources, &v2);
	r = make_members(layout, cgroup, &v2, rootless);
	if (r >= 0)
		r = settings_write(cgroup, &v1, false, rootless, false);
	if (r >= 0)
		r = settings_write(cgroup, &v2, true, rootless, false);
	for (size_t i = 0; r < 0 && i < cgroup->n; i++)
		unmake_member(&cgroup->items[i]);
	return r;
}

int cgroup_enter(const struct cgroup *cgroup, pid_t pid)
{
	for (size_t i = 0; i < cgroup->n; i++)
		if (dprintf(cgroup->items[i].join, "%d", pid) < 0)
			return fail(errno, "move the process into cgroup %s",
				    cgroup->items[i].path);
	return 0;
}

/*
 * One call closes descriptors that were opened one after the other. Return how
 * many it closed, from this member on.
 */
static size_t close_in_a_row(struct cgroup *cgroup, size_t from)
{
	struct cgroup_member *items = cgroup->items;
	size_t n = from;
	int first = items[from].join;

	while (n < cgroup->n && items[n].join == first + (int)(n - from) &&
	       items[n].dir < 0)
		n++;
	if (first < 0 || n - from < 2 ||
	    sys_close_range((unsigned int)first,
			    (unsigned int)items[n - 1].join, 0) < 0)
		return 0;
	for (size_t i = from; i < n; i++)
		items[i].join = -1;
	return n - from;
}

void cgroup_close(struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->n;) {
		size_t n = close_in_a_row(cgroup, i);

		if (!n)
			close_member(&cgroup->items[i++]);
		i += n;
	}
}

/* "cpu,memory:jobs/a" is a sub-cgroup in these hierarchies, "jobs/a" in all. */
static const char *sub_path(const struct cgroup_member *member, const char *sub)
{
	const char *colon = strchr(sub, ':');
	size_t len;

	if (!colon)
		return sub;
	for (const char *p = sub; p < colon; p += len + 1) {
		len = strcspn(p, ",:");
		if (list_has_n(member->controllers, p, len))
			return colon + 1;
	}
	return NULL;
}

static int check_sub(const struct cgroup *cgroup, const char *sub)
{
	const char *colon = strchr(sub, ':');
	bool used = false;

	for (const char *p = colon ? colon + 1 : sub; *p;) {
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len == 2 && strncmp(p, "..", 2) == 0)
			return fail(0,
				    "--cgroup %s: bad sub cgroup path: it "
				    "leads out of the container's cgroup",
				    sub);
		p += len;
	}
	for (size_t i = 0; i < cgroup->n; i++)
		used |= sub_path(&cgroup->items[i], sub) != NULL;
	if (!used)
		return fail(0, "--cgroup %s: the container has no such cgroup",
			    sub);
	return 0;
}

int cgroup_open_join(struct arena *arena, struct cgroup *cgroup,
		     const char *sub)
{
	int r = sub ? check_sub(cgroup, sub) : 0;

	for (size_t i = 0; r >= 0 && i < cgroup->n; i++) {
		struct cgroup_member *member = &cgroup->items[i];
		const char *below = sub ? sub_path(member, sub) : NULL;
		const char *path = member->path;

		if (below)
			path = arena_printf(arena, "%s/%s", path, below);
		r = path ? open_door(member, path) : -ENOMEM;
	}
	if (r < 0)
		cgroup_close(cgroup);
	return r;
}

/* The files that a delegate may write if the kernel does not list them. */
static const char delegate_default[] =
	"cgroup.procs\ncgroup.threads\ncgroup.subtree_control\n";

int cgroup_delegate(const struct cgroup *cgroup, uid_t uid)
{
	struct cgroup_member *member = member_v2(cgroup);
	char names[4096], *save;

	if (!member || member->dir < 0)
		return 0;
	if (file_read("/sys/kernel/cgroup", "delegate", names, sizeof names) <=
	    0)
		strcpy(names, delegate_default);
	if (fchownat(member->dir, "", uid, (gid_t)-1, AT_EMPTY_PATH) < 0)
		return fail(errno, "change the owner of cgroup %s",
			    member->path);
	for (char *name = strtok_r(names, "\n", &save); name;
	     name = strtok_r(NULL, "\n", &save))
		if (fchownat(member->dir, name, uid, (gid_t)-1,
			     AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno != ENOENT)
			return fail(errno, "change the owner of %s/%s",
				    member->path, name);
	return 0;
}
