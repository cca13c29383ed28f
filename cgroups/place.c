/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/place.c - map cgroupsPath to one directory in each hierarchy, and
 * convert these to and from a record.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Clean "/a//./b" to "/a/b"; refuse components that leave the hierarchy. */
static char *clean_path(struct arena *arena, const char *path)
{
	char *clean = arena_alloc(arena, strlen(path) + 2), *to = clean;

	if (!clean)
		return NULL;
	for (const char *p = path; *p;) {
		size_t len;

		p += strspn(p, "/");
		len = strcspn(p, "/");
		if (len == 2 && strncmp(p, "..", 2) == 0) {
			fail(0, "linux.cgroupsPath: '%s' must not contain '..'",
			     path);
			return NULL;
		}
		if (len > 0 && !(len == 1 && *p == '.')) {
			*to++ = '/';
			memcpy(to, p, len);
			to += len;
		}
		p += len;
	}
	if (to == clean) {
		fail(0,
		     "linux.cgroupsPath: '%s' is the root of the hierarchy: "
		     "name a cgroup below it",
		     path);
		return NULL;
	}
	return clean;
}

/*
 * The length of the cgroup that a relative path starts from. On v2 the caller's
 * own cgroup has processes and may not enable controllers for children, so use
 * its parent.
 */
static size_t base_len(const struct cgroup_layout *layout,
		       const struct cgroup_hierarchy *in)
{
	size_t len = strlen(in->own);

	if (layout->mode == CGROUP_V2)
		len = (size_t)(strrchr(in->own, '/') - in->own);
	return len == 1 ? 0 : len;
}

/*
 * The order in which a child enters them. It enters devices and freezer as late
 * as possible: until then it can open all device nodes, and cannot be frozen in
 * between.
 */
static int join_rank(const struct cgroup_hierarchy *in)
{
	if (list_has(in->controllers, "freezer"))
		return 3;
	if (list_has(in->controllers, "devices"))
		return 2;
	return in->v2 ? 0 : 1;
}

static int place_in(struct arena *arena, const struct cgroup_layout *layout,
		    const struct cgroup_hierarchy *in, const char *path,
		    bool absolute, struct cgroup_member *ret)
{
	int base = absolute ? 0 : (int)base_len(layout, in);
	const char *full =
		arena_printf(arena, "%s%.*s%s", in->mount, base, in->own, path);

	if (!full)
		return -ENOMEM;
	if (strlen(full) + CGROUP_NAME_SIZE > CGROUP_PATH_SIZE)
		return fail(ENAMETOOLONG,
			    "linux.cgroupsPath: the path %.64s...", path);
	*ret = (struct cgroup_member){
		.in = in,
		.controllers = in->controllers,
		.path = full,
		.kept = strlen(full),
		.v2 = in->v2,
		.join = -1,
		.dir = -1,
	};
	return 0;
}

int cgroup_place(struct arena *arena, const struct cgroup_layout *layout,
		 enum cgroup_manager manager, const char *cgroups_path,
		 const char *id, struct cgroup *ret)
{
	bool absolute = is_set(cgroups_path) && *cgroups_path == '/';
	struct cgroup placed = { 0 };
	const char *path;

	*ret = placed;
	if (manager == CGROUP_DISABLED)
		return 0;
	placed.by_systemd = manager == CGROUP_SYSTEMD;
	path = clean_path(arena, is_set(cgroups_path) ? cgroups_path : id);
	if (!path)
		return -EINVAL;
	placed.items = arena_array(arena, layout->n, sizeof *placed.items);
	if (!placed.items)
		return -ENOMEM;
	for (int rank = 0; rank <= 3; rank++)
		for (size_t i = 0; i < layout->n; i++) {
			const struct cgroup_hierarchy *in = &layout->items[i];
			int r;

			if (join_rank(in) != rank)
				continue;
			r = place_in(arena, layout, in, path, absolute,
				     &placed.items[placed.n]);
			if (r < 0)
				return r;
			placed.n++;
		}
	*ret = placed;
	return 0;
}

static bool is_limited(const struct cgroup_member *member,
		       const struct settings *settings)
{
	const struct cgroup alone = { .items = (struct cgroup_member *)member,
				      .n = 1 };

	for (size_t i = 0; i < settings->n; i++)
		if (member_v1_of(&alone, settings->items[i].file))
			return true;
	return member->v2;
}

int cgroup_narrow(struct arena *arena, const struct oci_resources *resources,
		  bool devices, struct cgroup *cgroup)
{
	struct settings settings = { .arena = arena };
	size_t n = 0;

	cgroup_v1.settings(resources, &settings);
	for (size_t i = 0; i < cgroup->n; i++)
		if (is_limited(&cgroup->items[i], &settings) ||
		    (devices &&
		     list_has(cgroup->items[i].controllers, "devices")))
			cgroup->items[n++] = cgroup->items[i];
	cgroup->n = n;
	return settings.error;
}

/* Only a parent of the path can have existed before. */
static size_t kept_len(const struct oci_cgroup_path *from)
{
	size_t len = strlen(from->below);
	bool is_parent = starts_with(from->path, from->below) &&
			 (from->path[len] == '/' || !from->path[len]);

	return is_parent ? len : strlen(from->path);
}

/* Return 0 if it does not exist. */
static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

/*
 * A cgroup that was removed and made again has the same path, but belongs to
 * another container. The kernel never reuses the inode of a cgroup.
 */
static bool is_recorded_one(const struct oci_cgroup_path *path)
{
	uint64_t now = path->inode ? inode_of(path->path) : 0;

	return now == 0 || now == path->inode;
}

/*
 * Return the path below near, and near itself; or the whole path. A lookup from
 * the root takes twice the time.
 */
static const char *path_below(const struct oci_cgroup_path *from,
			      struct cgroup_near *near, int *ret_dir)
{
	size_t len = strlen(from->below);

	*ret_dir = AT_FDCWD;
	if (!near || len >= sizeof near->path ||
	    strncmp(from->path, from->below, len) != 0 ||
	    from->path[len] != '/')
		return from->path;
	if (near->dir < 0 || !streq(near->path, from->below)) {
		closep(&near->dir);
		near->dir = open(from->below, O_PATH | O_DIRECTORY | O_CLOEXEC);
		memcpy(near->path, from->below, len + 1);
	}
	if (near->dir < 0)
		return from->path;
	*ret_dir = near->dir;
	return from->path + len + 1;
}

static bool is_frozen(const struct oci_cgroup_path *from,
		      struct cgroup_near *near)
{
	struct cgroup_member member = {
		.controllers = from->controllers,
		.v2 = !*from->controllers,
	};
	int dir;

	/* Skip hierarchies without a freezer. */
	if (!member.v2 && !list_has(from->controllers, "freezer"))
		return false;
	member.path = path_below(from, near, &dir);
	return strlen(from->path) + CGROUP_NAME_SIZE <= CGROUP_PATH_SIZE &&
	       backend_of(&member)->frozen(dir, &member) &&
	       is_recorded_one(from);
}

bool cgroup_frozen(const struct oci_record *record, struct cgroup_near *near)
{
	for (size_t i = 0; i < record->ncgroups; i++)
		if (is_frozen(&record->cgroups[i], near))
			return true;
	return false;
}

int cgroup_from_record(struct arena *arena, const struct oci_record *record,
		       struct cgroup *ret)
{
	struct cgroup_member *items =
		arena_array(arena, record->ncgroups, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < record->ncgroups; i++) {
		const struct oci_cgroup_path *from = &record->cgroups[i];

		if (strlen(from->path) + CGROUP_NAME_SIZE > CGROUP_PATH_SIZE)
			return fail(ENAMETOOLONG,
				    "the container's state.json has a cgroup "
				    "path of %zu bytes",
				    strlen(from->path));
		if (!is_recorded_one(from))
			continue;
		items[n++] = (struct cgroup_member){
			.controllers = from->controllers,
			.path = from->path,
			.kept = kept_len(from),
			.v2 = !*from->controllers,
			.made = record->own_cgroup,
			.join = -1,
			.dir = -1,
		};
	}
	*ret = (struct cgroup){ .items = items, .n = n };
	return 0;
}

/* Return the length of the part of its path that exists. */
static size_t existing_len(const struct cgroup_member *member, bool alone)
{
	char path[CGROUP_PATH_SIZE];
	char *end;

	if (alone && access(member->path, F_OK) < 0)
		return (size_t)(strrchr(member->path, '/') - member->path);
	memcpy(path, member->path, strlen(member->path) + 1);
	while (access(path, F_OK) < 0 && (end = strrchr(path, '/')) != path)
		*end = '\0';
	return strlen(path);
}

/* True for hierarchies in which systemd makes slices, and keeps them. */
static bool has_slices(const struct cgroup_member *member)
{
	static const char *const known[] = { "cpu",	    "cpuacct",
					     "memory",	    "pids",
					     "blkio",	    "devices",
					     "name=systemd" };

	for (size_t i = 0; i < COUNT(known); i++)
		if (list_has(member->controllers, known[i]))
			return true;
	return member->v2;
}

/* Return the length of the part of the path that is not ours to remove. */
static size_t foreign_len(const struct cgroup *cgroup,
			  const struct cgroup_member *member)
{
	size_t parent = (size_t)(strrchr(member->path, '/') - member->path);
	size_t kept = member->made ? member->kept :
				     existing_len(member, cgroup->alone);

	return cgroup->by_systemd && has_slices(member) && kept < parent ?
		       parent :
		       kept;
}

/*
 * Before the cgroups are made, the record names only those that do not exist
 * yet: if the runtime dies then, `delete` must not kill processes of others.
 */
int cgroup_to_record(struct arena *arena, const struct cgroup *cgroup,
		     struct oci_record *record)
{
	struct oci_cgroup_path *paths =
		arena_array(arena, cgroup->n, sizeof *paths);
	size_t n = 0;

	if (!paths)
		return -ENOMEM;
	for (size_t i = 0; i < cgroup->n; i++) {
		const struct cgroup_member *member = &cgroup->items[i];
		size_t kept = foreign_len(cgroup, member);

		if (!member->made && !member->path[kept])
			continue;
		paths[n].controllers = member->controllers;
		paths[n].path = member->path;
		paths[n].inode = member->made ? inode_of(member->path) : 0;
		paths[n].below = arena_strndup(arena, member->path, kept);
		if (!paths[n++].below)
			return -ENOMEM;
	}
	record->cgroups = paths;
	record->ncgroups = n;
	record->own_cgroup = n > 0;
	return 0;
}
