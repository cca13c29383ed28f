/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/check_cgroups.c - check which limits are available, and
 * advise.
 */
#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "confine/host.h"
#include "runtime/diagnose/check.h"
#include "runtime/sandbox/probe.h"

static const char *const names[HOST_LIMITS_COUNT] = {
	[HOST_LIMIT_MEMORY] = "memory",
	[HOST_LIMIT_PIDS] = "pids",
	[HOST_LIMIT_CPU] = "cpu",
	[HOST_LIMIT_CPUSET] = "cpuset",
};

const char *check_limit_name(enum host_limit limit)
{
	return names[limit];
}

static const char *mode_name(enum cgroup_mode mode)
{
	static const char *const modes[] = {
		[CGROUP_NONE] = "no cgroups are mounted",
		[CGROUP_V1] = "version 1",
		[CGROUP_HYBRID] = "version 1 and version 2 (hybrid)",
		[CGROUP_V2] = "version 2",
	};

	return modes[mode];
}

static int add_name(struct arena *arena, const char *name, const char **list)
{
	*list = arena_printf(arena, "%s%s%s", *list, **list ? ", " : "", name);
	return *list ? 0 : -ENOMEM;
}

static const char *advice(enum cgroup_mode mode)
{
	if (mode == CGROUP_NONE)
		return "mount cgroup2 on /sys/fs/cgroup";
	if (geteuid() == 0)
		return "the controllers are not available in the current "
		       "cgroup: see /proc/self/cgroup, and the options of the "
		       "surrounding container";
	if (mode != CGROUP_V2)
		return "unprivileged users need cgroup v2 "
		       "(systemd.unified_cgroup_hierarchy=1 on the kernel "
		       "command line), or config.allow_degraded = "
		       "[\"cgroups\"]";
	return "start from `systemd-run --user --scope -p Delegate=yes "
	       "SHELL`, or config.allow_degraded = [\"cgroups\"]";
}

int check_cgroups(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_CGROUPS];
	const struct host *host = ret->host;
	const char *good = "", *bad = "";
	enum cgroup_mode mode;
	int r = probe_host(arena, ret->host, HOST_LIMITS);

	if (r < 0)
		return r;
	mode = (enum cgroup_mode)host->cgroup_mode;
	for (unsigned int i = 0; mode != CGROUP_NONE && i < COUNT(names); i++) {
		r = add_name(arena, names[i],
			     host->limits & 1U << i ? &good : &bad);
		if (r < 0)
			return r;
	}
	part->state = !*good ? CHECK_MISSING : *bad ? CHECK_PARTLY : CHECK_OK;
	part->text = arena_printf(arena, "%s%s%s%s%s", mode_name(mode),
				  *good ? "; limits available: " : "", good,
				  *bad ? "; not available to this user: " : "",
				  bad);
	if (part->state != CHECK_OK)
		part->advice = advice(mode);
	return part->text ? 0 : -ENOMEM;
}
