/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create_unit.c - decide where a container's cgroups are;
 * make its unit.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "runtime/container/create.h"
#include "runtime/container/systemd.h"

#define OPTION "--systemd-cgroup"

static int place_unit(struct prepared *p)
{
	const char *root;
	int r;

	r = systemd_unit_of(p->arena, p->spec.linux_.cgroups_path,
			    p->settings.id, p->facts.rootless, &p->unit);
	if (r < 0)
		return r;
	r = systemd_properties(p->arena, &p->unit, &p->spec,
			       p->facts.cgroups.mode == CGROUP_V2,
			       p->facts.rootless, &p->unit_properties);
	if (r < 0)
		return r;
	/* Ask before the first effect, so that a missing systemd has none. */
	r = systemd_root(p->arena, p->facts.rootless, &root);
	if (r < 0)
		return fail_in(r, OPTION);
	p->unit_cgroup = arena_printf(p->arena, "%s%s", root, p->unit.path);
	p->settings.unplaced = true;
	return p->unit_cgroup ? 0 : -ENOMEM;
}

int create_place(struct prepared *p)
{
	enum cgroup_manager manager = p->cgroup_manager;
	const char *path = p->spec.linux_.cgroups_path;
	int r;

	if (manager == CGROUP_SYSTEMD) {
		r = place_unit(p);
		if (r < 0)
			return r;
		path = p->unit_cgroup;
	}
	r = cgroup_place(p->arena, &p->facts.cgroups, manager, path,
			 p->settings.id, &p->cgroup);
	/* A sandbox needs neither statistics nor pause. */
	if (r == 0 && p->enforcement.kind >= ENFORCE_SANDBOX)
		r = cgroup_narrow(p->arena, &p->spec.linux_.resources,
				  &p->cgroup);
	return r;
}

int create_start_unit(struct creation *c, pid_t pid)
{
	const struct prepared *p = c->prepared;
	struct strings properties = p->unit_properties;
	const char *description =
		systemd_description(p->arena, &c->container.record);
	int r;

	if (!description)
		return -ENOMEM;
	r = systemd_add(p->arena, &properties, "Description", "s", "%s",
			description);
	if (r < 0)
		return r;
	r = systemd_start(p->arena, &p->unit, p->facts.rootless, pid,
			  &properties, p->unit_cgroup);
	return r < 0 ? fail_in(r, OPTION) : 0;
}
