/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/layout.c - find the mounted hierarchies, and the caller's cgroup in
 * each.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define MOUNTINFO_MAX (64UL << 20)
#define OWN_MAX (64UL << 10)

static bool is_v2(const struct mountinfo_line *mount)
{
	return streq(mount->type, "cgroup2");
}

/* Drop a mount that another one covers: it cannot be reached. */
static void drop_covered(const struct mountinfo_line *line,
			 struct mountinfo *mounts)
{
	for (size_t i = 0; i < mounts->n; i++)
		if (mounts->items[i].id == line->parent &&
		    streq(mounts->items[i].point, line->point)) {
			mounts->items[i] = mounts->items[--mounts->n];
			return;
		}
}

/* Keep only cgroup file systems that can be reached, in place. */
static int parse_mounts(struct arena *arena, char *text, struct mountinfo *ret)
{
	struct mountinfo all;
	int r = mountinfo_split(arena, text, &all);

	if (r < 0)
		return r;
	*ret = (struct mountinfo){ .items = all.items };
	for (size_t i = 0; i < all.n; i++) {
		const struct mountinfo_line line = all.items[i];

		drop_covered(&line, ret);
		if (streq(line.type, "cgroup") || is_v2(&line))
			ret->items[ret->n++] = line;
	}
	return 0;
}

static bool is_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	return streq(root, "/") || (starts_with(path, root) &&
				    (path[len] == '/' || path[len] == '\0'));
}

/*
 * Find the mount of a hierarchy that shows the caller's own cgroup; others of
 * the same hierarchy may exist for containers.
 */
static const struct mountinfo_line *find_mount(const struct mountinfo *mounts,
					       const char *controllers,
					       const char *own)
{
	const struct mountinfo_line *any = NULL;
	size_t len = strcspn(controllers, ",");

	for (size_t i = 0; i < mounts->n; i++) {
		const struct mountinfo_line *m = &mounts->items[i];

		if (is_v2(m) != (len == 0) ||
		    (!is_v2(m) && !list_has_n(m->options, controllers, len)))
			continue;
		if (is_below(own, m->root))
			return m;
		if (!any)
			any = m;
	}
	return any;
}

/*
 * Return the path below the mount; a path outside of it is treated as its root.
 */
static const char *own_below(const char *own, const char *root)
{
	if (*own != '/' || !is_below(own, root) || is_below(own, "/.."))
		return "/";
	if (!streq(root, "/"))
		own += strlen(root);
	return *own ? own : "/";
}

/* 4:memory:/user.slice */
static bool parse_own(char *line, const struct mountinfo *mounts,
		      struct cgroup_hierarchy *ret)
{
	char *controllers = strchr(line, ':');
	char *own = controllers ? strchr(controllers + 1, ':') : NULL;
	const struct mountinfo_line *mount;

	if (!own)
		return false;
	*controllers++ = '\0';
	*own++ = '\0';
	mount = find_mount(mounts, controllers, own);
	if (!mount)
		return false;
	*ret = (struct cgroup_hierarchy){
		.controllers = controllers,
		.mount = mount->point,
		.own = own_below(own, mount->root),
		.v2 = is_v2(mount),
	};
	return true;
}

static enum cgroup_mode layout_mode(const struct cgroup_layout *layout)
{
	size_t v2 = 0;

	for (size_t i = 0; i < layout->n; i++)
		v2 += layout->items[i].v2;
	if (layout->n == 0)
		return CGROUP_NONE;
	if (v2 == 0)
		return CGROUP_V1;
	return v2 == layout->n ? CGROUP_V2 : CGROUP_HYBRID;
}

int layout_parse(struct arena *arena, char *mountinfo, char *own,
		 struct cgroup_layout *ret)
{
	struct cgroup_layout layout = { 0 };
	struct mountinfo mounts = { 0 };
	size_t lines = 1;
	char *save;
	int r;

	r = parse_mounts(arena, mountinfo, &mounts);
	if (r < 0)
		return r;
	for (const char *p = own; (p = strchr(p, '\n')); p++)
		lines++;
	layout.items = arena_array(arena, lines, sizeof *layout.items);
	if (!layout.items)
		return -ENOMEM;
	for (char *line = strtok_r(own, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (parse_own(line, &mounts, &layout.items[layout.n]))
			layout.n++;
	layout.mode = layout_mode(&layout);
	*ret = layout;
	return 0;
}

static int read_proc(struct arena *arena, int proc, const char *path,
		     size_t max, char **ret)
{
	autoclose int fd = proc_open_at(proc, path, O_RDONLY);
	int r;

	if (fd < 0)
		return fail(errno, "open /proc/%s to find the cgroups", path);
	r = io_read_all(arena, fd, max, ret, NULL);
	return r < 0 ? fail_in(r, "/proc/%s", path) : 0;
}

int cgroup_probe(struct arena *arena, int proc, struct cgroup_layout *ret)
{
	char *mountinfo, *own;
	int r;

	r = read_proc(arena, proc, "self/mountinfo", MOUNTINFO_MAX, &mountinfo);
	if (r < 0)
		return r;
	r = read_proc(arena, proc, "self/cgroup", OWN_MAX, &own);
	if (r < 0)
		return r;
	return layout_parse(arena, mountinfo, own, ret);
}
