/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create_unit.c - decide where a container's cgroups are;
 * make its unit.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "hooks/hooks.h"
#include "runtime/container/create.h"
#include "runtime/container/systemd.h"

#define OPTION "--systemd-cgroup"
#define SUPERVISOR_SUFFIX ".supervisor"

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

/*
 * Beside the container's cgroup, so that its limits do not apply. With systemd
 * the supervisor stays in the caller's. On cgroup v1 only two hierarchies are
 * worth the time.
 */
static int place_supervisor(struct prepared *p)
{
	const char *path = p->spec.linux_.cgroups_path;
	struct cgroup *cgroup = &p->supervisor_cgroup;
	size_t n = 0;
	int r;

	if (!p->settings.supervised || p->cgroup_manager != CGROUP_CGROUPFS)
		return 0;
	path = arena_printf(p->arena, "%s" SUPERVISOR_SUFFIX,
			    is_set(path) ? path : p->settings.id);
	if (!path)
		return -ENOMEM;
	r = cgroup_place(p->arena, &p->facts.cgroups, p->cgroup_manager, path,
			 p->settings.id, cgroup);
	for (size_t i = 0; i < cgroup->n; i++)
		if (cgroup->items[i].v2 ||
		    strstr(cgroup->items[i].controllers, "memory") ||
		    strstr(cgroup->items[i].controllers, "pids"))
			cgroup->items[n++] = cgroup->items[i];
	cgroup->n = n;
	return r;
}

/*
 * A sandbox can open only the nodes of its own /dev: its other mounts are
 * nodev, and it has no CAP_MKNOD. Rules are for the GPUs that a policy names.
 */
bool create_has_device_rules(const struct prepared *p)
{
	return p->enforcement.kind != ENFORCE_SANDBOX ||
	       p->spec.linux_.resources.ndevices;
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
				  create_has_device_rules(p), &p->cgroup);
	return r < 0 ? r : place_supervisor(p);
}

/* Without a user namespace there are no mappings. */
static uid_t host_uid(const struct oci_linux *l, uid_t uid)
{
	for (size_t i = 0; i < l->uid_mappings.n; i++) {
		const struct oci_id_map *m = &l->uid_mappings.items[i];

		if (uid >= m->container_id && uid - m->container_id < m->size)
			return m->host_id + (uid - m->container_id);
	}
	return uid;
}

int create_delegate_cgroup(struct creation *c)
{
	const struct prepared *p = c->prepared;
	const struct oci_spec *spec = &p->spec;
	int r;

	if (p->facts.cgroups.mode != CGROUP_V2 || !create_manages_cgroup(spec))
		return 0;
	r = cgroup_delegate(&c->cgroup,
			    host_uid(&spec->linux_, spec->process->user.uid));
	/* An unprivileged user cannot change the owner to another user. */
	return r == -EPERM && p->facts.rootless ? 0 : r;
}

static int record_cgroups(struct creation *c)
{
	struct oci_record *record = &c->container.record, list = { 0 };
	int r = cgroup_to_record(c->prepared->arena, &c->supervisor_cgroup,
				 &list);

	record->supervisor_cgroups = list.cgroups;
	record->nsupervisor_cgroups = list.ncgroups;
	return r;
}

int create_record_supervisor(struct creation *c)
{
	struct oci_record *record = &c->container.record;

	if (!c->has_supervisor)
		return 0;
	record->supervisor = record->maker;
	record->supervisor_start = record->maker_start;
	c->supervisor_cgroup = c->prepared->supervisor_cgroup;
	return record_cgroups(c);
}

int create_make_supervisor(struct creation *c)
{
	const struct prepared *p = c->prepared;
	const struct oci_resources none = { 0 };
	int r = cgroup_create(p->arena, &p->facts.cgroups,
			      &c->supervisor_cgroup, &none, p->facts.rootless);

	return r < 0 ? fail_in(r, "supervisor") : record_cgroups(c);
}

void create_enter_supervisor(struct creation *c, pid_t pid)
{
	if (cgroup_enter(&c->supervisor_cgroup, pid) < 0)
		log_warning("the supervisor stays in the caller's cgroup: %s",
			    err_text());
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

int create_run_hooks(struct creation *c, enum hook_point point, pid_t pid)
{
	const struct prepared *p = c->prepared;
	struct hooks_place here = { .cwd = p->settings.bundle };
	const char *json;
	int r;

	r = oci_state_for_hook(p->arena, &c->container.record, OCI_CREATING,
			       pid, &json);
	return r < 0 ? r : hooks_run(&p->spec.hooks, point, &here, json);
}
