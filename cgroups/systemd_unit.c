/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/systemd_unit.c - map cgroupsPath to a unit and its cgroup. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/systemd.h"

#define SLICE ".slice"

static bool is_slice(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SLICE);

	return len > suffix && streq(name + len - suffix, SLICE);
}

/* "a-b.slice" is "/a.slice/a-b.slice"; "-.slice" is the root. */
static int slice_path(struct arena *arena, const char *slice, const char **ret)
{
	const char *path = "";
	size_t len = strlen(slice) - strlen(SLICE);

	*ret = path;
	if (streq(slice, "-" SLICE))
		return 0;
	if (!is_slice(slice) || strchr(slice, '/') || slice[0] == '-' ||
	    slice[len - 1] == '-' || strstr(slice, "--"))
		return fail(
			0,
			"linux.cgroupsPath: '%s' is not the name of a systemd "
			"slice (such as a.slice, or a-b.slice for one inside "
			"it)",
			slice);
	for (size_t i = 1; i <= len; i++) {
		if (i < len && slice[i] != '-')
			continue;
		path = arena_printf(arena, "%s/%.*s" SLICE, path, (int)i,
				    slice);
		if (!path)
			return -ENOMEM;
	}
	*ret = path;
	return 0;
}

static int name_scope(struct arena *arena, const char *prefix, const char *name,
		      struct systemd_unit *unit)
{
	const char *parent;
	int r = slice_path(arena, unit->slice, &parent);

	if (r < 0)
		return r;
	unit->name = arena_printf(arena, "%s%s%s.scope", prefix,
				  *prefix ? "-" : "", name);
	if (!unit->name)
		return -ENOMEM;
	unit->path = arena_printf(arena, "%s/%s", parent, unit->name);
	return unit->path ? 0 : -ENOMEM;
}

int systemd_unit_of(struct arena *arena, const char *cgroups_path,
		    const char *id, bool user, struct systemd_unit *ret)
{
	struct systemd_unit unit = { 0 };
	char *slice, *prefix, *name;
	int r;

	slice = is_set(cgroups_path) ? arena_strdup(arena, cgroups_path) :
				       arena_printf(arena, ":sandlock:%s", id);
	if (!slice)
		return -ENOMEM;
	prefix = strchr(slice, ':');
	name = prefix ? strchr(prefix + 1, ':') : NULL;
	if (!name || strchr(name + 1, ':') || !name[1] ||
	    strchr(cgroups_path ? cgroups_path : "", '/'))
		return fail(0,
			    "linux.cgroupsPath: '%s' is not of the form "
			    "slice:prefix:name, which --systemd-cgroup requires",
			    cgroups_path);
	*prefix++ = '\0';
	*name++ = '\0';
	if (is_slice(name)) {
		unit.name = name;
		r = slice_path(arena, name, &unit.path);
	} else {
		unit.slice = !*slice ? (user ? "user.slice" : "system.slice") :
			     streq(slice, "-") ? "-.slice" :
						 slice;
		r = name_scope(arena, prefix, name, &unit);
	}
	if (r >= 0)
		*ret = unit;
	return r;
}
