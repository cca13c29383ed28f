/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/namespaces.c - plan the steps into the container's namespaces.
 *
 * If possible, one clone makes all new namespaces. The child enters them one by
 * one to join a user or pid namespace, to join others beside a new user
 * namespace, or if a time namespace needs offsets. The order keeps the right to
 * enter each of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/kernel.h"
#include "runtime/plan/join.h"
#include "runtime/plan/make.h"
#include "runtime/plan/protocol.h"

static bool is_new(const struct make_input *in, enum oci_ns ns)
{
	const struct oci_namespace *n = &in->spec->linux_.namespaces[ns];

	return !in->settings.no_new_namespaces && n->listed && !n->path;
}

bool make_has_userns(const struct make_input *in)
{
	return in->join->fds[OCI_NS_USER] >= 0 ||
	       (!in->settings.no_new_namespaces &&
		in->spec->linux_.namespaces[OCI_NS_USER].listed);
}

bool make_has_mountns(const struct make_input *in)
{
	return is_new(in, OCI_NS_MOUNT);
}

bool make_is_open(const struct make_input *in)
{
	/*
	 * Without namespaces it is an ordinary process of the caller, who may
	 * trace it.
	 */
	return in->settings.no_namespaces ||
	       (in->facts->euid != 0 && is_new(in, OCI_NS_PID));
}

static void join(struct plan *plan, int ns)
{
	struct step *step = plan_add(plan, STEP_SETNS);

	step->in = (uint16_t)(SLOT_NAMESPACE + ns);
	step->flags = (uint32_t)oci_ns_kinds[ns].flag;
	step->text = oci_ns_kinds[ns].type;
}

static void join_all(const struct make_input *in, struct plan *plan, bool early)
{
	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (i != OCI_NS_USER && in->join->fds[i] >= 0 &&
		    in->join->early[i] == early)
			join(plan, i);
}

static void wait_for_maps(struct plan *plan)
{
	plan_add(plan, STEP_STOP)->number = WORD_UNMAPPED;
}

static int time_offsets(const struct make_input *in, struct plan *plan)
{
	const struct oci_linux *l = &in->spec->linux_;
	struct step *step;

	if (!is_new(in, OCI_NS_TIME) || (!l->monotonic.set && !l->boottime.set))
		return 0;
	step = plan_add(plan, STEP_TIME_OFFSETS);
	step->place = "linux.timeOffsets";
	step->text = arena_printf(in->arena,
				  "monotonic %" PRId64 " %" PRIu32
				  "\nboottime %" PRId64 " %" PRIu32 "\n",
				  l->monotonic.secs, l->monotonic.nanosecs,
				  l->boottime.secs, l->boottime.nanosecs);
	return step->text ? 0 : -ENOMEM;
}

/* A cgroup namespace is rooted at the cgroup that its creator has joined. */
static int new_flags(const struct make_input *in, bool into_cgroup)
{
	int flags = 0;

	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (is_new(in, (enum oci_ns)i) && i != OCI_NS_TIME &&
		    (i != OCI_NS_CGROUP || into_cgroup))
			flags |= oci_ns_kinds[i].flag;
	return flags;
}

static bool one_clone_does(const struct make_input *in)
{
	if (is_new(in, OCI_NS_TIME) || in->join->fds[OCI_NS_USER] >= 0 ||
	    in->join->fds[OCI_NS_PID] >= 0 || in->join->fds[OCI_NS_TIME] >= 0)
		return false;
	return !is_new(in, OCI_NS_USER) || !join_any(in->join);
}

static int step_by_step(const struct make_input *in, struct plan *plan)
{
	int flags = new_flags(in, false) & ~CLONE_NEWUSER;
	bool forks = in->join->fds[OCI_NS_PID] >= 0 ||
		     in->join->fds[OCI_NS_TIME] >= 0 ||
		     is_new(in, OCI_NS_PID) || is_new(in, OCI_NS_TIME);
	int r;

	join_all(in, plan, /* early= */ true);
	if (in->join->fds[OCI_NS_USER] >= 0) {
		/* Root of that namespace may already see this process. */
		plan_add(plan, STEP_DUMPABLE)->number = 0;
		join(plan, OCI_NS_USER);
	} else if (is_new(in, OCI_NS_USER)) {
		plan_add(plan, STEP_UNSHARE)->flags = CLONE_NEWUSER;
		wait_for_maps(plan);
	}
	join_all(in, plan, /* early= */ false);
	if (is_new(in, OCI_NS_TIME))
		flags |= CLONE_NEWTIME;
	if (flags)
		plan_add(plan, STEP_UNSHARE)->flags = (uint32_t)flags;
	r = time_offsets(in, plan);
	if (r < 0)
		return r;
	/* Processes in the pid namespace see the next process at once. */
	plan_add(plan, STEP_DUMPABLE)->number = make_is_open(in);
	if (forks)
		plan_add(plan, STEP_FORK);
	return 0;
}

/*
 * A rootless runtime leaves out a hierarchy that the caller may not write: its
 * slot stays empty, and the step does nothing.
 */
static void join_cgroups(const struct make_input *in, struct plan *plan)
{
	for (size_t i = 0; i < in->cgroup->n; i++) {
		const struct cgroup_member *m = &in->cgroup->items[i];
		struct step *step;

		if (m->v2 && plan->into_cgroup)
			continue;
		step = plan_add(plan, STEP_JOIN_CGROUP);
		step->in = (uint16_t)(plan->cgroup_slot + i);
		step->text = m->path;
		step->place = "linux.cgroupsPath";
		step->skip_missing = in->facts->rootless;
	}
}

static void add_cgroup_slots(const struct make_input *in, struct plan *plan)
{
	plan->cgroup = in->cgroup;
	plan->cgroup_slot = (uint16_t)plan->nslots;
	for (size_t i = 0; i < in->cgroup->n; i++)
		(void)plan_slot(plan);
}

static bool has_v2(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->n; i++)
		if (cgroup->items[i].v2)
			return true;
	return false;
}

/*
 * The kernel takes as long to make the namespaces, above all the network, as
 * the parent takes to make a cgroup in each hierarchy of v1. Do both at the
 * same time: the child makes its namespaces itself, and works on until it needs
 * the cgroups. On v2 there is one cgroup, which clone3 enters.
 */
static bool makes_cgroups_late(const struct make_input *in)
{
	return in->facts->cgroups.mode == CGROUP_V1 && in->cgroup->n > 1 &&
	       !in->settings.unplaced && !in->facts->rootless &&
	       !is_new(in, OCI_NS_USER) && !join_any(in->join) &&
	       is_new(in, OCI_NS_NETWORK) && one_clone_does(in);
}

int make_late_join(const struct make_input *in, struct plan *plan)
{
	struct step *step;

	if (!plan->awaits_cgroups)
		return 0;
	plan->awaits_cgroups = false;
	step = plan_add(plan, STEP_STOP);
	step->flags = (uint32_t)((in->cgroup->n - 1) / MESSAGE_SLOTS);
	join_cgroups(in, plan);
	if (is_new(in, OCI_NS_CGROUP))
		plan_add(plan, STEP_UNSHARE)->flags = CLONE_NEWCGROUP;
	return make_affinity(in, plan, NULL);
}

/*
 * The caller has begun to make the network namespace, in a thread, before the
 * plan was made. It must be owned by the caller's user namespace.
 */
static bool has_early_network(const struct make_input *in)
{
	return is_new(in, OCI_NS_NETWORK) && !is_new(in, OCI_NS_USER) &&
	       !join_any(in->join) && one_clone_does(in);
}

static void add_unshare(struct plan *plan, uint64_t flags)
{
	struct step *step = plan_add(plan, STEP_UNSHARE);

	step->flags = (uint32_t)flags;
	step->in = SLOT_NAMESPACE + OCI_NS_NETWORK;
	plan->early_network = true;
}

static void unshare_early(const struct make_input *in, struct plan *plan)
{
	uint64_t flags = (uint64_t)new_flags(in, false);

	plan->awaits_cgroups = true;
	/* Only a child of a process is in a new pid namespace. */
	plan->clone_flags = flags & CLONE_NEWPID;
	plan_add(plan, STEP_DUMPABLE)->number = make_is_open(in);
	add_unshare(plan, flags & ~(uint64_t)CLONE_NEWPID);
}

int make_namespaces(const struct make_input *in, struct plan *plan)
{
	bool v2 = !in->settings.unplaced && has_v2(in->cgroup);
	bool v2_only = in->facts->cgroups.mode == CGROUP_V2 && v2;
	bool direct = one_clone_does(in);
	int r = 0;

	add_cgroup_slots(in, plan);
	if (in->settings.unplaced)
		plan_add(plan, STEP_STOP)->number = WORD_UNPLACED;
	plan->late_cgroups = makes_cgroups_late(in);
	if (plan->late_cgroups) {
		unshare_early(in, plan);
		return 0;
	}
	if (direct) {
		plan->clone_flags = (uint64_t)new_flags(in, v2_only);
		plan->into_cgroup = v2;
		if (has_early_network(in)) {
			plan->clone_flags &= ~(uint64_t)CLONE_NEWNET;
			add_unshare(plan, CLONE_NEWNET);
		}
		if (is_new(in, OCI_NS_USER))
			wait_for_maps(plan);
		plan_add(plan, STEP_DUMPABLE)->number = make_is_open(in);
		join_all(in, plan, /* early= */ true);
	} else {
		r = step_by_step(in, plan);
		if (r < 0)
			return r;
	}
	if (!in->settings.unplaced)
		join_cgroups(in, plan);
	if (is_new(in, OCI_NS_CGROUP) && !(direct && v2_only))
		plan_add(plan, STEP_UNSHARE)->flags = CLONE_NEWCGROUP;
	return 0;
}
