/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/probe_limits.c - try limits on an empty cgroup. */
#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "cgroups/cgroup.h"
#include "confine/host.h"
#include "runtime/sandbox/probe.h"

#define REMOVE_MS 2000
#define SOME_MEMORY (1LL << 30)
#define SOME_TASKS 1000
#define PERIOD 100000

static const struct oci_resources limits[HOST_LIMITS_COUNT] = {
	[HOST_LIMIT_MEMORY] = { .memory.limit = { true, SOME_MEMORY } },
	[HOST_LIMIT_PIDS] = { .pids_limit = { true, SOME_TASKS } },
	[HOST_LIMIT_CPU] = { .cpu.quota = { true, PERIOD },
			     .cpu.period = { true, PERIOD } },
	[HOST_LIMIT_CPUSET] = { .cpu.cpus = "0" },
};

static int try(struct arena *arena, const struct cgroup_layout *layout,
	       const char *id, const struct oci_resources *resources)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	int r = cgroup_place(arena, layout, CGROUP_CGROUPFS, NULL, id, &cgroup);

	if (r < 0)
		return r;
	r = cgroup_create(arena, layout, &cgroup, resources, geteuid() != 0);
	return r < 0 ? r : cgroup_remove(&cgroup, REMOVE_MS);
}

int probe_limits(struct arena *arena, struct host *host)
{
	const char *id = arena_printf(arena, "sandlock-check-%d", getpid());
	struct cgroup_layout layout = { 0 };
	autoclose int proc = proc_open();
	int r;

	if (!id)
		return -ENOMEM;
	if (proc < 0)
		return proc;
	r = cgroup_probe(arena, proc, &layout);
	if (r < 0)
		return r;
	host->cgroup_mode = (int)layout.mode;
	host->limits = 0;
	for (unsigned int i = 0;
	     layout.mode != CGROUP_NONE && i < HOST_LIMITS_COUNT; i++) {
		r = try(arena, &layout, id, &limits[i]);
		if (r == -ENOMEM)
			return r;
		if (r >= 0)
			host->limits |= 1U << i;
	}
	err_clear();
	return 0;
}
