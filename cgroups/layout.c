/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/layout.c - which hierarchies there are, and where a container lies in each. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define MOUNTINFO_MAX (64UL << 20)
#define OWN_MAX (64UL << 10)

/* A cgroup line of mountinfo(5). */
struct cgroup_mount {
	unsigned long id;
	char *root;
	char *path;
	char *options;
	bool v2;
};

struct mount_list {
	struct cgroup_mount *items;
	size_t n;
};

/* Spaces and the like are written as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; to++) {
		unsigned int n = 0;

		if (p[0] != '\\' || strspn(p + 1, "01234567") < 3) {
			*to = *p++;
			continue;
		}
		for (int i = 1; i <= 3; i++)
			n = n << 3 | (unsigned int)(p[i] - '0');
		*to = (char)n;
		p += 4;
	}
	*to = '\0';
}

/* 31 23 0:28 ROOT PATH rw,relatime shared:1 - TYPE SOURCE OPTIONS */
static bool parse_mount(char *line, struct cgroup_mount *ret)
{
	char *tail = strstr(line, " - cgroup");
	char *field = line, *save;

	if (!tail)
		return false;
	ret->id = strtoul(line, NULL, 10);
	*tail = '\0';
	tail += strlen(" - cgroup");
	ret->v2 = *tail == '2';
	tail += ret->v2;
	tail = *tail == ' ' ? strchr(tail + 1, ' ') : NULL;
	if (!tail)
		return false;
	ret->options = tail + 1;
	for (int i = 0; i < 3 && field; i++)
		field = strchr(field + 1, ' ');
	if (!field)
		return false;
	ret->root = strtok_r(field, " ", &save);
	ret->path = strtok_r(NULL, " ", &save);
	if (!ret->root || !ret->path)
		return false;
	unescape(ret->root);
	unescape(ret->path);
	return true;
}

/* Something else was mounted over its top: what is below is out of reach. */
static void drop_covered(const char *line, struct mount_list *mounts)
{
	char *end;

	(void)strtoul(line, &end, 10);

	unsigned long parent = strtoul(end, NULL, 10);
	const char *root = strchr(line, '/');
	const char *path = root ? strchr(root, ' ') : NULL;

	for (size_t i = 0; path && i < mounts->n; i++) {
		size_t len = strlen(mounts->items[i].path);

		if (mounts->items[i].id == parent &&
		    strncmp(path + 1, mounts->items[i].path, len) == 0 &&
		    path[1 + len] == ' ') {
			mounts->items[i] = mounts->items[--mounts->n];
			return;
		}
	}
}

static int parse_mounts(struct arena *arena, char *mountinfo,
			struct mount_list *ret)
{
	size_t lines = 0;
	char *save;

	for (const char *p = mountinfo; (p = strstr(p, " - cgroup")); p++)
		lines++;
	ret->items = arena_array(arena, lines, sizeof *ret->items);
	if (!ret->items)
		return -ENOMEM;
	for (char *line = strtok_r(mountinfo, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		drop_covered(line, ret);
		if (ret->n < lines && parse_mount(line, &ret->items[ret->n]))
			ret->n++;
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
 * The mount of a hierarchy through which our own cgroup can be seen: others
 * may be there, of the same hierarchy, for containers.
 */
static const struct cgroup_mount *find_mount(const struct mount_list *mounts,
					     const char *controllers,
					     const char *own)
{
	const struct cgroup_mount *any = NULL;
	size_t len = strcspn(controllers, ",");

	for (size_t i = 0; i < mounts->n; i++) {
		const struct cgroup_mount *m = &mounts->items[i];

		if (m->v2 != (len == 0) ||
		    (!m->v2 && !list_has_n(m->options, controllers, len)))
			continue;
		if (is_below(own, m->root))
			return m;
		if (!any)
			any = m;
	}
	return any;
}

/* As seen through the mount; a place outside of it is taken for its top. */
static const char *own_below(const char *own, const char *root)
{
	if (*own != '/' || !is_below(own, root) || is_below(own, "/.."))
		return "/";
	if (!streq(root, "/"))
		own += strlen(root);
	return *own ? own : "/";
}

/* 4:memory:/user.slice */
static bool parse_own(char *line, const struct mount_list *mounts,
		      struct cgroup_hierarchy *ret)
{
	char *controllers = strchr(line, ':');
	char *own = controllers ? strchr(controllers + 1, ':') : NULL;
	const struct cgroup_mount *mount;

	if (!own)
		return false;
	*controllers++ = '\0';
	*own++ = '\0';
	mount = find_mount(mounts, controllers, own);
	if (!mount)
		return false;
	*ret = (struct cgroup_hierarchy){
		.controllers = controllers,
		.mount = mount->path,
		.own = own_below(own, mount->root),
		.v2 = mount->v2,
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
	struct mount_list mounts = { 0 };
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
		return fail(errno, "open /proc/%s", path);
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
