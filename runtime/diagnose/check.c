/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/check.c - check each mechanism of the kernel that a sandbox
 * needs.
 */
#include "runtime/diagnose/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/host.h"
#include "policy/policy.h"
#include "runtime/sandbox/probe.h"

static const char *const part_names[CHECK_PARTS] = {
	[CHECK_SECCOMP] = "seccomp",   [CHECK_NAMESPACES] = "namespaces",
	[CHECK_LANDLOCK] = "landlock", [CHECK_CGROUPS] = "cgroups",
	[CHECK_NESTED] = "nested",     [CHECK_MAPPERS] = "newuidmap",
};

static const char *const state_names[] = {
	[CHECK_OK] = "ok",
	[CHECK_PARTLY] = "partly",
	[CHECK_MISSING] = "missing",
	[CHECK_NOTE] = "note",
};

const char *check_part_name(enum check_part part)
{
	return part_names[part];
}

const char *check_state_name(enum check_state state)
{
	return state_names[state];
}

/* ---- namespaces ---- */

/* Return the number in a file of one line; -1 if there is none. */
static long number_in(const char *path)
{
	AUTO(freep) char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t size = 0;
	long value = -1;

	if (!file)
		return -1;
	if (getline(&line, &size, file) > 0)
		value = strtol(line, NULL, 10);
	(void)fclose(file);
	return value;
}

/* True if an outer seccomp filter applies to us. */
static bool is_filtered(void)
{
	AUTO(freep) char *line = NULL;
	FILE *file = fopen("/proc/self/status", "re");
	size_t size = 0;
	int mode = 0;

	while (file && getline(&line, &size, file) > 0)
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			break;
	if (file)
		(void)fclose(file);
	return mode == 2;
}

/* Return advice for the first known obstacle. */
static const char *namespace_advice(const struct host_probe *probe)
{
	static const struct {
		const char *path;
		long value;
		const char *advice;
	} switches[] = {
		{ "/proc/sys/user/max_user_namespaces", 0,
		  "sysctl user.max_user_namespaces=15000" },
		{ "/proc/sys/kernel/unprivileged_userns_clone", 0,
		  "sysctl kernel.unprivileged_userns_clone=1" },
		{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
		  "AppArmor denies them to unprivileged users: load a profile "
		  "with `userns,` for sandlock, or sysctl "
		  "kernel.apparmor_restrict_unprivileged_userns=0" },
	};

	if (geteuid() == 0 && is_filtered())
		return "the surrounding container forbids it: start it with "
		       "CAP_SYS_ADMIN and without its seccomp profile, or run "
		       "sandlock as an unprivileged user";
	for (size_t i = 0; geteuid() != 0 && i < COUNT(switches); i++)
		if (number_in(switches[i].path) == switches[i].value)
			return switches[i].advice;
	if (is_filtered())
		return "the seccomp profile of the surrounding container "
		       "forbids it: start the container without it";
	if (probe->err == ENOSPC)
		return "raise /proc/sys/user/max_*_namespaces";
	if (streq(probe->step, "mount /proc"))
		return "the surrounding container covers parts of /proc: start "
		       "it with /proc unmasked";
	return geteuid() == 0 ?
		       "requires CAP_SYS_ADMIN, or an unprivileged user" :
		       "requires a kernel with CONFIG_USER_NS";
}

static int look_at_namespaces(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_NAMESPACES];
	bool users = !host_may_mount(ret->host);
	const struct host_probe *probe = users ? &ret->host->user_namespaces :
						 &ret->host->namespaces;
	int r = probe_host(arena, ret->host,
			   users ? HOST_USER_NAMESPACES : HOST_NAMESPACES);

	if (r < 0)
		return r;
	if (probe->works) {
		part->text = users ? "user, mount, pid, network, ipc, uts and "
				     "cgroup namespaces can be created" :
				     "mount, pid, network, ipc, uts and cgroup "
				     "namespaces can be created (as root: "
				     "without a user namespace)";
		return 0;
	}
	part->state = CHECK_MISSING;
	part->text = arena_printf(arena, "cannot %s: %s", probe->step,
				  errno_text(probe->err));
	part->advice = namespace_advice(probe);
	return part->text ? 0 : -ENOMEM;
}

static int look_at_seccomp(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_SECCOMP];
	const struct host_probe *probe = &ret->host->seccomp;
	int r = probe_host(arena, ret->host, HOST_SECCOMP);

	if (r < 0)
		return r;
	part->text = "the system-call filter can be installed";
	if (probe->works)
		return 0;
	part->state = CHECK_MISSING;
	part->text = arena_printf(arena, "cannot %s: %s", probe->step,
				  errno_text(probe->err));
	part->advice = "requires a kernel with CONFIG_SECCOMP_FILTER, and a "
		       "surrounding container that allows seccomp(2)";
	return part->text ? 0 : -ENOMEM;
}

/* ---- Landlock ---- */

static int ask_landlock(struct arena *arena, const struct landlock_host *host,
			uint32_t *ret_missing)
{
	static const struct landlock_ports all = { 1, 1 };
	const struct landlock_want want = {
		.files = true,
		.binds = true,
		.connects = true,
		.bind = &all,
		.connect = &all,
		.nbind = 1,
		.nconnect = 1,
		.signals = true,
		.abstract_sockets = true,
		.allow_degraded = UINT32_MAX,
	};
	struct landlock_plan plan;
	int r = landlock_plan(arena, host, &want, &plan);

	if (r >= 0)
		*ret_missing = plan.missing;
	return r;
}

const char *check_names(struct arena *arena, uint32_t bits)
{
	const char *text = "";

	for (unsigned int i = 0; text && i < PROTECT_COUNT; i++)
		if (bits & 1U << i)
			text = arena_printf(arena, "%s%s%s", text,
					    *text ? ", " : "",
					    policy_protection_name(i));
	return text;
}

static int look_at_landlock(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_LANDLOCK];
	const struct landlock_host *host = host_landlock(ret->host);
	const char *others, *missing;
	uint32_t lacks = 0;
	int r;

	if (host->abi == 0) {
		part->state = CHECK_MISSING;
		part->text = "this kernel has no Landlock, or Landlock is "
			     "turned off";
		part->advice = "requires Linux 5.13 or later with `landlock` "
			       "in lsm= of the kernel command line; without it "
			       "filesystem.execute, deny_read, deny_execute "
			       "and write_only cannot be enforced";
		return 0;
	}
	r = ask_landlock(arena, host, &lacks);
	if (r < 0)
		return r;
	ret->missing |= lacks & 1U << PROTECT_NET_TCP;
	others = check_names(arena, lacks & ~ret->missing);
	missing = check_names(arena, lacks & ret->missing);
	if (!others || !missing)
		return -ENOMEM;
	part->state = *missing ? CHECK_PARTLY : CHECK_OK;
	part->text =
		arena_printf(arena, "version %d%s%s%s%s", host->abi,
			     *missing ? "; not enforced: " : "", missing,
			     *others ? "; enforced by namespaces and mounts: " :
				       "",
			     others);
	if (*missing)
		part->advice =
			"use a newer kernel, or list these names in "
			"config.allow_degraded of policies that need them";
	return part->text ? 0 : -ENOMEM;
}

/* ---- the environment ---- */

static int look_around(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_NESTED];
	const char *mark;
	int r = host_container(arena, ret->host, &mark);

	if (r < 0)
		return r;
	part->text = "not in a container";
	if (!mark)
		return 0;
	part->state = CHECK_NOTE;
	part->text = arena_printf(arena, "in a container: %s", mark);
	return part->text ? 0 : -ENOMEM;
}

static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(file, sizeof file, "%.*s/%s", (int)len, path, name);
		if (access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

static int look_for_mappers(struct arena *arena, struct check *ret)
{
	struct check_finding *part = &ret->parts[CHECK_MAPPERS];

	(void)arena;
	part->text = "newuidmap and newgidmap are installed";
	if (is_in_path("newuidmap") && is_in_path("newgidmap"))
		return 0;
	part->state = CHECK_NOTE;
	part->text = "newuidmap or newgidmap is not in PATH";
	part->advice = "needed only for bundles of unprivileged users with "
		       "more than one id: install uidmap (shadow-utils)";
	return 0;
}

/*
 * Decide as run would for a policy that needs everything: in the host's network
 * only Landlock restricts abstract sockets.
 */
static int decide_all(struct arena *arena, struct check *ret)
{
	const struct policy policy = {
		.allow_degraded = UINT32_MAX,
		.mode = POLICY_MODE_OPEN,
		.set = { [KEY_MEMORY] = true,
			 [KEY_CPU] = true,
			 [KEY_CPU_CORES] = true },
	};
	int r = decide_surely(arena, &policy, ret->host, &ret->decision);

	ret->missing |= ret->decision.missing;
	return r;
}

int check_look(struct arena *arena, struct host *host, struct check *ret)
{
	int (*const looks[])(struct arena *, struct check *) = {
		decide_all,	  look_at_seccomp, look_at_namespaces,
		look_at_landlock, check_cgroups,   look_around,
		look_for_mappers,
	};

	*ret = (struct check){ .host = host };
	for (size_t i = 0; i < COUNT(looks); i++) {
		int r = looks[i](arena, ret);

		if (r < 0)
			return r;
	}
	return 0;
}

int check_verdict(const struct check *check)
{
	const struct check_finding *parts = check->parts;

	if (parts[CHECK_SECCOMP].state == CHECK_MISSING ||
	    check->decision.refusal)
		return 2;
	for (size_t i = 0; i < CHECK_PARTS; i++)
		if (parts[i].state == CHECK_PARTLY ||
		    parts[i].state == CHECK_MISSING)
			return 1;
	return 0;
}
