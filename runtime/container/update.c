/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/update.c - change limits in the state directory and in the
 * kernel.
 */
#include "runtime/container/update.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/systemd.h"
#include "control/client.h"
#include "runtime/container/state_dir.h"
#include "runtime/container/systemd.h"
#include "runtime/enforce/saved.h"
#include "runtime/plan/facts.h"

/* linux.resources after updates, saved beside config.json. */
#define RESOURCES "resources.json"
#define MAX_RESOURCES (4UL << 20)

/* Get the present limits. */
static int old_text(struct arena *arena, const struct container *c,
		    const struct oci_spec *spec, const char **ret)
{
	char *text;
	int r;

	if (faccessat(c->dir, RESOURCES, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return oci_resources_of(arena, spec, ret);
	r = io_read_at(arena, c->dir, RESOURCES, MAX_RESOURCES, &text);
	if (r >= 0)
		*ret = text;
	return r;
}

static int save(const struct container *c, const char *text)
{
	return io_replace_at(c->dir, RESOURCES, text, strlen(text), 0600);
}

/* Restore the file after a failure, and keep the first error. */
static void save_quietly(const struct container *c, const char *text)
{
	struct err_kept why;

	err_keep(&why);
	(void)save(c, text);
	err_restore(&why);
}

struct limits {
	struct oci_resources old, change, merged;
};

static int parse_limits(struct arena *arena, const char *old,
			const char *change, const char *merged,
			struct limits *ret)
{
	int r;

	if ((r = oci_resources_parse(arena, old, &ret->old)) < 0 ||
	    (r = oci_resources_parse(arena, change, &ret->change)) < 0)
		return r;
	return oci_resources_parse(arena, merged, &ret->merged);
}

/*
 * Reduce the change to what the policy permits. A quota depends on its period.
 */
static int meet_policy(struct arena *arena, const struct enforce_limits *most,
		       struct limits *limits)
{
	struct oci_resources *change = &limits->change;
	const struct oci_resources *merged = &limits->merged;
	int r;

	if ((r = enforce_limits(arena, most, &limits->old)) < 0 ||
	    (r = enforce_limits(arena, most, &limits->merged)) < 0)
		return r;
	if (change->memory.limit.set)
		change->memory.limit = merged->memory.limit;
	if (change->pids_limit.set)
		change->pids_limit = merged->pids_limit;
	if (change->cpu.quota.set || change->cpu.period.set)
		change->cpu.quota = merged->cpu.quota;
	if (is_set(change->cpu.cpus))
		change->cpu.cpus = merged->cpu.cpus;
	return 0;
}

/* Restore the properties of a unit: the old values, or none. */
static void restore_unit(struct arena *arena, const struct container *c,
			 const struct facts *facts, const struct cgroup *cgroup,
			 const struct limits *limits)
{
	bool v2 = facts->cgroups.mode == CGROUP_V2;
	/* systemd rounds values, also when they are restored. */
	const struct oci_resources exact = { .cpu = limits->old.cpu };
	struct strings set, old, back;
	struct err_kept why;

	err_keep(&why);
	if (systemd_changes(arena, &limits->change, &limits->merged, v2,
			    &set) >= 0 &&
	    systemd_limits(arena, &limits->old, v2, &old) >= 0 &&
	    systemd_limits_back(arena, &set, &old, &back) >= 0 &&
	    systemd_set(arena, &c->record, &back) >= 0)
		(void)cgroup_update(arena, &facts->cgroups, cgroup, &exact,
				    &limits->old, facts->rootless);
	err_restore(&why);
}

/* Tell systemd first: it rounds, and then the exact values are written. */
static int apply_to_unit(struct arena *arena, const struct container *c,
			 const struct facts *facts, const struct cgroup *cgroup,
			 const struct limits *given)
{
	bool v2 = facts->cgroups.mode == CGROUP_V2;
	const struct oci_resources nothing = { 0 };
	struct limits limits = *given;
	struct oci_resources exact;
	struct strings set;
	int r;

	cgroup_keep_quota(cgroup, &limits.change, &limits.merged);
	cgroup_keep_quota(cgroup, &nothing, &limits.old);
	exact = systemd_rewrites(&limits.change, &limits.merged);
	r = cgroup_check_usage(cgroup, &limits.change, &limits.merged);
	if (r < 0 ||
	    (r = systemd_changes(arena, &limits.change, &limits.merged, v2,
				 &set)) < 0 ||
	    (r = systemd_set(arena, &c->record, &set)) < 0)
		return r;
	r = cgroup_update(arena, &facts->cgroups, cgroup, &exact,
			  &limits.merged, facts->rootless);
	if (r < 0)
		restore_unit(arena, c, facts, cgroup, &limits);
	return r;
}

static int apply(const struct session *session, const struct container *c,
		 const struct limits *limits)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	autoclose int proc = proc_open();
	struct arena *arena = session->arena;
	struct facts facts;
	int r;

	if (proc < 0)
		return proc;
	if ((r = facts_gather(proc, session->host, session->rootless, &facts)) <
		    0 ||
	    (r = facts_cgroups(arena, proc, &facts)) < 0 ||
	    (r = cgroup_check_resources(&limits->merged, &facts.cgroups)) < 0 ||
	    (r = cgroup_from_record(arena, &c->record, &cgroup)) < 0)
		return r;
	if (cgroup.n == 0 && cgroup_wants_limits(&limits->change))
		return fail(0,
			    "%s: the container has no cgroup of its own, so it "
			    "cannot be limited",
			    c->id);
	if (c->record.systemd_scope)
		return apply_to_unit(arena, c, &facts, &cgroup, limits);
	return cgroup_update(arena, &facts.cgroups, &cgroup, &limits->change,
			     &limits->merged, facts.rootless);
}

/* ---- policies ---- */

/* The reaper counts, too, but is not part of the workload. */
static void count_reaper(const struct update *u, struct oci_resources *res)
{
	if (u->enforcement.kind == ENFORCE_SANDBOX && res->pids_limit.set)
		res->pids_limit.value++;
}

/* A limit that neither a policy nor the bundle has any more is lifted. */
static void take(struct oci_i64 *merged, struct oci_i64 *change)
{
	if (!merged->set)
		*merged = (struct oci_i64){ .set = true, .value = -1 };
	*change = *merged;
}

/* Get the resources that hold under each of two limits of policies. */
static int find_change(const struct update *u,
		       const struct enforce_limits *from,
		       const struct enforce_limits *to, struct limits *ret)
{
	struct arena *arena = u->session->arena;
	struct oci_resources *change = &ret->change;
	const char *own;
	int r;

	if ((r = old_text(arena, u->container, &u->spec, &own)) < 0 ||
	    (r = parse_limits(arena, own, "{}", own, ret)) < 0 ||
	    (r = enforce_limits(arena, from, &ret->old)) < 0 ||
	    (r = enforce_limits(arena, to, &ret->merged)) < 0)
		return r;
	count_reaper(u, &ret->old);
	count_reaper(u, &ret->merged);
	if (from->memory.set || to->memory.set)
		take(&ret->merged.memory.limit, &change->memory.limit);
	if (from->tasks.set || to->tasks.set)
		take(&ret->merged.pids_limit, &change->pids_limit);
	if (from->cpu.set || to->cpu.set) {
		take(&ret->merged.cpu.quota, &change->cpu.quota);
		change->cpu.period = ret->merged.cpu.period;
	}
	if (to->cores.n)
		change->cpu.cpus = ret->merged.cpu.cpus;
	return 0;
}

static int save_limits(struct update *u, const struct enforce_limits *limits)
{
	struct enforcement *enforcement = &u->enforcement;

	enforcement->process.limits = *limits;
	return enforce_save_ruleset(u->session->arena, enforcement,
				    &enforcement->process.landlock,
				    u->container->dir);
}

/* Change the saved limits and the kernel together, or not at all. */
static int change_limits(struct update *u, const struct enforce_limits *to)
{
	const struct enforce_limits from = u->enforcement.process.limits;
	struct limits limits;
	struct err_kept why;
	int r = find_change(u, &from, to, &limits);

	if (r >= 0)
		r = save_limits(u, to);
	if (r < 0)
		return r;
	r = apply(u->session, u->container, &limits);
	if (r < 0) {
		err_keep(&why);
		(void)save_limits(u, &from);
		err_restore(&why);
	}
	return r;
}

/* Let the process that stays with the container read UPDATE_FILE. */
static int tell_supervisor(const struct update *u)
{
	AUTO(control_disconnect) struct control_link link = CONTROL_LINK_NONE;
	struct arena *arena = u->session->arena;
	const struct json_value *applied;
	int r = control_connect(arena, u->container->dir, &link);

	/* There is none, or it has just ended. */
	if (r == -ENOENT || r == -ECONNREFUSED) {
		err_clear();
		return 0;
	}
	if (r >= 0)
		r = control_ask(arena, &link, "update", NULL, &applied);
	return r < 0 ? fail_in(r, "tell the supervisor") : 0;
}

/*
 * Carry out what UPDATE_FILE says, or undo all of it. A killed update leaves that
 * file, and the next update, exec or start carries it out first.
 */
static int finish(struct update *u, const struct policy *policy)
{
	const struct enforce_limits to =
		enforce_find_limits(policy, u->enforcement.kind);
	const struct enforce_limits from = u->enforcement.process.limits;
	int dir = u->container->dir;
	struct err_kept why;
	int r = change_limits(u, &to);

	if (r >= 0)
		r = tell_supervisor(u);
	if (r < 0) {
		err_keep(&why);
		u->enforcement.process.limits = to;
		(void)change_limits(u, &from);
		(void)unlinkat(dir, UPDATE_FILE, 0);
		err_restore(&why);
		return r;
	}
	if (renameat(dir, UPDATE_FILE, dir, POLICY_FILE) < 0)
		return fail(errno, "rename " UPDATE_FILE " to " POLICY_FILE);
	return 0;
}

/* The limits of the old policy are those to return to. */
static int finish_killed(struct update *u)
{
	struct arena *arena = u->session->arena;
	struct policy policy, old;
	int r = enforce_load_update(arena, u->container->dir, &policy);

	if (r == -ENOENT)
		return 0;
	if (r >= 0)
		r = enforce_load_policy(arena, u->container->dir, &old);
	if (r >= 0) {
		u->enforcement.process.limits =
			enforce_find_limits(&old, u->enforcement.kind);
		r = finish(u, &policy);
	}
	return r < 0 ? fail_in(r, "finish an earlier update") : 0;
}

/* Say which of the new limits a profile makes smaller. */
static int tell_smaller(struct arena *arena, const struct policy *change,
			const struct policy *made)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		bool same = true;
		int r = 0;

		if (change->set[key])
			r = policy_same_value(arena, change, made, key, &same);
		if (r < 0)
			return r;
		if (!same)
			log_notice("%s: the enforced profile %s allows less, "
				   "and its value holds",
				   policy_key_name(key),
				   made->floor ? made->floor->name : "");
	}
	return 0;
}

int update_policy(struct update *u, const struct policy *change)
{
	struct arena *arena = u->session->arena;
	const struct container *c = u->container;
	bool bundle = u->enforcement.kind == ENFORCE_BUNDLE;
	struct policy old, made;
	int r;

	if (u->enforcement.kind == ENFORCE_NOTHING)
		return fail(0,
			    "%s was created without a policy, so there is none "
			    "to change (for limits use the other options)",
			    c->id);
	if ((r = enforce_load_policy(arena, c->dir, &old)) < 0 ||
	    (r = policy_change(arena, &old, change, bundle, &made)) < 0 ||
	    (r = tell_smaller(arena, change, &made)) < 0 ||
	    (r = enforce_save_update(arena, &made, c->dir)) < 0)
		return r;
	return finish(u, &made);
}

/* ---- both ---- */

int update_open(const struct session *session, const struct container *c,
		struct update *ret)
{
	struct arena *arena = session->arena;
	enum oci_status status;
	int r = container_status(c, &status);

	if (r < 0)
		return r;
	if (status == OCI_STOPPED || status == OCI_CREATING)
		return fail(0, "%s: container not running", c->id);
	*ret = (struct update){ .session = session, .container = c };
	r = container_spec(arena, c, &ret->spec);
	if (r >= 0)
		r = container_enforcement(arena, c, &ret->enforcement);
	if (r >= 0 && ret->enforcement.kind != ENFORCE_NOTHING)
		r = finish_killed(ret);
	return r;
}

int update_finish_killed(const struct session *session,
			 const struct container *c)
{
	struct update update;
	int r;

	if (!c->record.enforced || c->broken ||
	    faccessat(c->dir, UPDATE_FILE, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	r = state_dir_lock(c, STATE_DIR_LOCK_SECONDS);
	if (r < 0)
		return r;
	r = update_open(session, c, &update);
	state_dir_unlock(c);
	return r;
}

int update_resources(const struct update *u, const char *change)
{
	struct arena *arena = u->session->arena;
	const struct container *c = u->container;
	const char *old, *merged;
	struct limits limits;
	int r;

	if ((r = old_text(arena, c, &u->spec, &old)) < 0 ||
	    (r = oci_resources_merge(arena, old, change, &merged)) < 0 ||
	    (r = parse_limits(arena, old, change, merged, &limits)) < 0 ||
	    (r = meet_policy(arena, &u->enforcement.process.limits, &limits)) <
		    0 ||
	    (r = save(c, merged)) < 0)
		return r;
	r = apply(u->session, c, &limits);
	if (r < 0)
		save_quietly(c, old);
	return r;
}
