/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/create_unit.c - where a container's cgroups lie, and its unit. */
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/container/create.h"
#include "runtime/container/systemd.h"

#define OPTION "--systemd-cgroup"

static int place_unit(struct creation *c)
{
	const char *root;
	int r;

	r = systemd_unit_of(c->arena, c->spec.linux_.cgroups_path, c->in.id,
			    c->facts.rootless, &c->unit);
	if (r < 0)
		return r;
	r = systemd_properties(c->arena, &c->unit, &c->spec,
			       c->facts.cgroups.mode == CGROUP_V2,
			       c->facts.rootless, &c->unit_properties);
	if (r < 0)
		return r;
	/* Asked before the first effect, so that none is without a systemd. */
	r = systemd_root(c->arena, c->facts.rootless, &root);
	if (r < 0)
		return fail_in(r, OPTION);
	c->unit_cgroup = arena_printf(c->arena, "%s%s", root, c->unit.path);
	c->in.unplaced = true;
	return c->unit_cgroup ? 0 : -ENOMEM;
}

/* Making them drops those that it may not make; the plan names them all. */
static int copy_members(struct creation *c)
{
	const struct cgroup *placed = &c->placed;

	c->cgroup = *placed;
	c->cgroup.items =
		arena_array(c->arena, placed->n, sizeof *c->cgroup.items);
	if (placed->n && !c->cgroup.items)
		return -ENOMEM;
	for (size_t i = 0; i < placed->n; i++)
		c->cgroup.items[i] = placed->items[i];
	return 0;
}

int create_place(struct creation *c)
{
	enum cgroup_manager manager = c->cgroup_manager;
	const char *path = c->spec.linux_.cgroups_path;
	int r;

	if (manager == CGROUP_SYSTEMD) {
		r = place_unit(c);
		if (r < 0)
			return r;
		path = c->unit_cgroup;
	}
	r = cgroup_place(c->arena, &c->facts.cgroups, manager, path, c->in.id,
			 &c->placed);
	/* Nobody asks a sandbox for figures, or to be paused. */
	if (r == 0 && c->enforcement.view)
		r = cgroup_narrow(c->arena, &c->spec.linux_.resources,
				  &c->placed);
	return r < 0 ? r : copy_members(c);
}

int create_start_unit(struct creation *c)
{
	const char *description =
		systemd_description(c->arena, &c->container.record);
	int r;

	if (!description)
		return -ENOMEM;
	r = systemd_add(c->arena, &c->unit_properties, "Description", "s", "%s",
			description);
	if (r < 0)
		return r;
	r = systemd_start(c->arena, &c->unit, c->facts.rootless, c->launch.pid,
			  &c->unit_properties, c->unit_cgroup);
	return r < 0 ? fail_in(r, OPTION) : 0;
}
