/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/check_cgroups.c - try limits on a cgroup that nobody is in. */
#include "runtime/diagnose/check_cgroups.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "runtime/diagnose/check.h"

#define REMOVE_MS 2000
#define SOME_MEMORY (1LL << 30)
#define SOME_TASKS 1000
#define PERIOD 100000

static const struct {
	const char *name;
	struct oci_resources resources;
} limits[CHECK_LIMITS] = {
	[CHECK_MEMORY] = { "memory",
			   { .memory.limit = { true, SOME_MEMORY } } },
	[CHECK_PIDS] = { "pids", { .pids_limit = { true, SOME_TASKS } } },
	[CHECK_CPU] = { "cpu",
			{ .cpu.quota = { true, PERIOD },
			  .cpu.period = { true, PERIOD } } },
	[CHECK_CPUSET] = { "cpuset", { .cpu.cpus = "0" } },
};

static int try(struct arena *arena, const struct cgroup_layout *layout,
	       const char *id, const struct oci_resources *resources)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	int r = cgroup_place(arena, layout, CGROUP_CGROUPFS, NULL, id, &cgroup);

	if (r < 0)
		return r;
	r = cgroup_create(layout, &cgroup, resources, geteuid() != 0);
	return r < 0 ? r : cgroup_remove(&cgroup, REMOVE_MS);
}

static const char *mode_name(enum cgroup_mode mode)
{
	static const char *const names[] = {
		[CGROUP_NONE] = "no cgroups are mounted",
		[CGROUP_V1] = "version 1",
		[CGROUP_HYBRID] = "version 1 beside version 2",
		[CGROUP_V2] = "version 2",
	};

	return names[mode];
}

static int add_name(struct arena *arena, const char *name, const char **list)
{
	*list = arena_printf(arena, "%s%s%s", *list, **list ? ", " : "", name);
	return *list ? 0 : -ENOMEM;
}

static int try_all(struct arena *arena, const struct cgroup_layout *layout,
		   struct check *ret, const char **ret_good,
		   const char **ret_bad)
{
	const char *id = arena_printf(arena, "sandlock-check-%d", getpid());

	if (!id)
		return -ENOMEM;
	for (unsigned int i = 0; i < CHECK_LIMITS; i++) {
		int r = try(arena, layout, id, &limits[i].resources);

		if (r == -ENOMEM)
			return r;
		if (r >= 0)
			ret->limits |= 1U << i;
		r = add_name(arena, limits[i].name, r < 0 ? ret_bad : ret_good);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *advice(const struct cgroup_layout *layout)
{
	if (layout->mode == CGROUP_NONE)
		return "mount cgroup2 on /sys/fs/cgroup";
	if (geteuid() == 0)
		return "the controllers are not in the cgroup we are in: see "
		       "/proc/self/cgroup, and the options of the container "
		       "around us";
	if (layout->mode != CGROUP_V2)
		return "plain users have them on cgroup version 2 alone "
		       "(systemd.unified_cgroup_hierarchy=1 on the kernel's "
		       "command line), or config.allow_degraded = "
		       "[\"cgroups\"]";
	return "start from `systemd-run --user --scope -p Delegate=yes "
	       "SHELL`, or config.allow_degraded = [\"cgroups\"]";
}

int check_cgroups(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_CGROUPS];
	struct cgroup_layout layout = { 0 };
	autoclose int proc = proc_open();
	const char *good = "", *bad = "";
	int r;

	if (proc < 0)
		return proc;
	r = cgroup_probe(arena, proc, &layout);
	if (r >= 0 && layout.mode != CGROUP_NONE)
		r = try_all(arena, &layout, ret, &good, &bad);
	if (r < 0)
		return r;
	part->state = !*good ? CHECK_MISSING : *bad ? CHECK_PARTLY : CHECK_OK;
	part->text = arena_printf(arena, "%s%s%s%s%s", mode_name(layout.mode),
				  *good ? "; limits can be had: " : "", good,
				  *bad ? "; not for this user: " : "", bad);
	if (part->state != CHECK_OK)
		part->advice = advice(&layout);
	return part->text ? 0 : -ENOMEM;
}
