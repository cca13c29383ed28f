/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/explain_how.c - which mechanism holds a key, in one sentence. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/landlock.h"
#include "policy/keys.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/unix_sockets.h"
#include "runtime/enforce/view.h"

static const char *landlock_text(struct arena *arena,
				 const struct explanation *all)
{
	if (!all->landlock)
		return "";
	return arena_printf(arena, "; Landlock (version %d)", landlock_probe());
}

/* ---- files ---- */

static const char *mount_text(enum policy_key key)
{
	switch (key) {
	case POLICY_READ:
		return "read-only bind mounts";
	case POLICY_WRITE:
	case POLICY_WRITE_ONLY:
		return "writable bind mounts";
	case POLICY_DENY:
		return "left out of the root";
	case POLICY_DENY_WRITE:
		return "read-only bind mounts";
	case POLICY_EXECUTE:
		return "shown as read says; memfd_create is blocked by "
		       "seccomp, and the loaders of listed programs are "
		       "added";
	default:
		return "left to Landlock";
	}
}

/* Landlock cannot deny access below a path that the workload may write. */
static bool is_open_below(const struct explanation *all, enum policy_key key)
{
	const struct view *view = all->creation.policed.view;

	for (size_t i = 0; view && i < view->denied.n; i++)
		if (view->denied.items[i].carved &&
		    streq(view->denied.items[i].key, policy_key_name(key)))
			return true;
	return false;
}

static int explain_files(struct arena *arena, const struct explanation *all,
			 enum policy_key key, struct explain_line *line)
{
	bool only_landlock = key == POLICY_EXECUTE || key == POLICY_DENY_READ ||
			     key == POLICY_DENY_EXECUTE ||
			     key == POLICY_WRITE_ONLY;
	const char *landlock = landlock_text(arena, all);

	if (!landlock)
		return -ENOMEM;
	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "not settled";
		return 0;
	}
	if ((only_landlock || all->creation.policed.bare) && !all->landlock) {
		line->state = EXPLAIN_REFUSED;
		line->how = "Landlock is needed, and this kernel has none "
			    "that can";
		return 0;
	}
	if (all->creation.policed.bare && is_open_below(all, key)) {
		line->state = all->request->policy.disable &
					      1U << POLICY_NAMESPACES ?
				      EXPLAIN_DISABLED :
				      EXPLAIN_DEGRADED;
		line->how = "not held below what may be written, without "
			    "namespaces";
	} else if (all->creation.policed.bare)
		line->how = landlock + strlen("; ");
	else
		line->how =
			arena_printf(arena, "%s%s", mount_text(key), landlock);
	return line->how ? 0 : -ENOMEM;
}

/* ---- limits ---- */

static int explain_cgroup(struct arena *arena, const struct explanation *all,
			  enum doctor_limit limit, struct explain_line *line)
{
	static const char *const names[DOCTOR_LIMITS] = {
		[DOCTOR_MEMORY] = "memory",
		[DOCTOR_PIDS] = "pids",
		[DOCTOR_CPU] = "cpu",
		[DOCTOR_CPUSET] = "cpuset",
	};
	const struct policy *policy = &all->request->policy;
	uint32_t bit = 1U << POLICY_CGROUPS;

	if (policy->disable & bit) {
		line->state = EXPLAIN_DISABLED;
		line->how = "config.disable has cgroups";
		return 0;
	}
	if (all->without.namespaces) {
		line->state = all->planned ? EXPLAIN_DEGRADED : EXPLAIN_REFUSED;
		line->how = "not held without namespaces";
		return 0;
	}
	if (all->doctor.limits & 1U << limit && !all->without.cgroups) {
		line->how = arena_printf(arena, "cgroup: the %s controller",
					 names[limit]);
		return line->how ? 0 : -ENOMEM;
	}
	line->state = policy->allow_degraded & bit ? EXPLAIN_DEGRADED :
						     EXPLAIN_REFUSED;
	if (all->doctor.limits & 1U << limit)
		line->how = "cgroup: none, since another limit cannot be had";
	else
		line->how = arena_printf(
			arena,
			"cgroup: this user cannot have the %s controller (%s), "
			"see sandlock check",
			names[limit], all->doctor.parts[DOCTOR_CGROUPS].text);
	return line->how ? 0 : -ENOMEM;
}

/* The pids controller and RLIMIT_NPROC do not tell threads from processes. */
static int explain_tasks(struct arena *arena, const struct explanation *all,
			 enum policy_key key, struct explain_line *line)
{
	const struct creation *c = &all->creation;
	const char *threads = key == POLICY_PROCESSES ? "; threads count, too" :
							"";
	int r;

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "not settled";
		return 0;
	}
	if (!line->value) {
		line->value =
			arena_printf(arena, "%u", c->policed.policy.tasks);
		if (!line->value)
			return -ENOMEM;
	}
	if (c->session->cgroup_manager != CGROUP_DISABLED) {
		r = explain_cgroup(arena, all, DOCTOR_PIDS, line);
		if (r < 0 || line->state != EXPLAIN_HELD)
			return r;
		line->how = arena_printf(arena, "%s%s", line->how, threads);
	} else if (!c->spec.linux_.namespaces[OCI_NS_USER].listed) {
		return explain_cgroup(arena, all, DOCTOR_PIDS, line);
	} else {
		line->how = arena_printf(arena,
					 "RLIMIT_NPROC in a user namespace of "
					 "its own%s",
					 threads);
	}
	return line->how ? 0 : -ENOMEM;
}

/* ---- the rest ---- */

static const char *mode_text(const struct policed *policed)
{
	switch (policed->policy.mode) {
	case POLICY_MODE_DENY:
		if (policed->bare)
			return policed->tcp_only ?
				       "seccomp: TCP sockets alone, to bind" :
				       "seccomp: no sockets of IPv4 and IPv6";
		if (policed->tcp_only)
			return "a network namespace without a way out; "
			       "seccomp: TCP sockets alone, to bind";
		return "a network namespace without a way out; seccomp: no "
		       "sockets of IPv4 and IPv6";
	case POLICY_MODE_LOOPBACK:
		return "a network namespace with nothing but lo, which is up";
	case POLICY_MODE_OPEN:
		break;
	}
	return "the host's own network, unrestricted";
}

static const char *unix_text(struct arena *arena, const struct policed *policed)
{
	const char *masks = policed->masks_sockets ?
				    "mounts cover the sockets of others that "
				    "are not listed" :
				    "";

	if (policed->net.unix_sockets)
		return arena_printf(arena,
				    "%s%sLandlock (version %d) refuses %s",
				    masks, *masks ? "; " : "", landlock_probe(),
				    *masks ? "those that come later" :
					     "the sockets of others that are "
					     "not listed");
	if (!*masks)
		return "sockets of others are as they are";
	return "mounts cover the sockets of others that are there now and not "
	       "listed; they are not looked for in " SOCKETS_UNSEARCHED;
}

static int explain_network(struct arena *arena, const struct explanation *all,
			   enum policy_key key, struct explain_line *line)
{
	const struct policed *policed = &all->creation.policed;

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "not settled";
	} else if (key == POLICY_NET_MODE) {
		line->how = mode_text(policed);
	} else if (key == POLICY_UNIX) {
		line->how = unix_text(arena, policed);
	} else if (policed->missing & 1U << POLICY_NET_TCP) {
		line->state = EXPLAIN_DEGRADED;
		line->how = "this kernel does not judge bind()";
	} else if (policed->net.binds) {
		line->how = arena_printf(arena,
					 "Landlock (version %d) judges the "
					 "ports of TCP",
					 landlock_probe());
	} else {
		line->how = "in this network any port may be bound";
	}
	if (key == POLICY_NET_MODE && !line->value)
		line->value = "\"deny\"";
	return line->how ? 0 : -ENOMEM;
}

/* Whoever is apart from others is so, whatever Landlock is to hold. */
static int explain_disable(struct arena *arena, const struct explanation *all,
			   struct explain_line *line)
{
	const struct policed *policed = &all->creation.policed;
	uint32_t held = doctor_by_namespaces & policed->policy.disable;
	const char *names;

	if (policed->bare || !all->planned)
		held = 0;
	if (policed->net.abstract_sockets)
		held &= ~(1U << POLICY_ABSTRACT_SCOPE);
	names = doctor_names(arena, held);
	if (!names)
		return -ENOMEM;
	line->state = EXPLAIN_DISABLED;
	line->how = arena_printf(arena, "never enforced%s%s",
				 *names ? "; mounts and namespaces of its own "
					  "still hold " :
					  "",
				 names);
	return line->how ? 0 : -ENOMEM;
}

static int explain_open_files(struct arena *arena,
			      const struct explanation *all,
			      struct explain_line *line)
{
	uint32_t held = all->creation.policed.policy.open_files;

	line->how = "RLIMIT_NOFILE";
	if (all->planned && held < all->request->policy.open_files)
		line->how = arena_printf(arena,
					 "RLIMIT_NOFILE; it stays at %" PRIu32
					 ", the caller's own",
					 held);
	return line->how ? 0 : -ENOMEM;
}

/* Where one sentence is always true. */
static const char *const fixed[POLICY_KEYS] = {
	[POLICY_ALLOW_DEGRADED] = "protections that may be missing",
	[POLICY_SUPERVISOR] = "the kernel holds everything by itself",
	[POLICY_NO_RANDOMIZE_MEMORY] =
		"personality: no address space randomization",
	[POLICY_EXEC] = "the command when none is given",
	[POLICY_ARGS] = "the command when none is given",
	[POLICY_CWD] = "where the command starts",
	[POLICY_ENV] = "the environment that execve gets, see above",
	[POLICY_CLEAN_ENV] = "the environment that execve gets, see above",
	[POLICY_ALLOW_ENV] = "the environment that execve gets, see above",
	[POLICY_DENY_ENV] = "the environment that execve gets, see above",
	[POLICY_UID] = "a user namespace with this id alone",
	[POLICY_GID] = "a user namespace with this id alone",
	[POLICY_NO_COREDUMP] =
		"RLIMIT_CORE is 1, and ptrace is blocked by seccomp",
	[POLICY_NO_HUGE_PAGES] = "prctl: PR_SET_THP_DISABLE",
	[POLICY_EXCLUDED] = "run plainly, if that is allowed",
	[POLICY_ALLOW_UNSANDBOXED] =
		"whether anything may run outside of the sandbox",
	[POLICY_MOUNT] = "bind mounts in the root",
	[POLICY_CHROOT] = "the root that paths are looked for in",
	[POLICY_EXTRA_ALLOW] = "seccomp",
	[POLICY_EXTRA_DENY] = "seccomp",
	[POLICY_GPU_DEVICES] = "nodes in the private /dev, and variables",
};

int explain_key(struct arena *arena, const struct explanation *all,
		enum policy_key key, struct explain_line *line)
{
	switch (key) {
	case POLICY_READ:
	case POLICY_WRITE:
	case POLICY_WRITE_ONLY:
	case POLICY_EXECUTE:
	case POLICY_DENY:
	case POLICY_DENY_READ:
	case POLICY_DENY_WRITE:
	case POLICY_DENY_EXECUTE:
		return explain_files(arena, all, key, line);
	case POLICY_MEMORY:
		return explain_cgroup(arena, all, DOCTOR_MEMORY, line);
	case POLICY_CPU:
		return explain_cgroup(arena, all, DOCTOR_CPU, line);
	case POLICY_CPU_CORES:
		return explain_cgroup(arena, all, DOCTOR_CPUSET, line);
	case POLICY_PROCESSES:
	case POLICY_TASKS:
		return explain_tasks(arena, all, key, line);
	case POLICY_NET_MODE:
	case POLICY_NET_BIND:
	case POLICY_NET_DENY_BIND:
	case POLICY_ALLOW_LOCAL_BINDING:
	case POLICY_UNIX:
		return explain_network(arena, all, key, line);
	case POLICY_OPEN_FILES:
		return explain_open_files(arena, all, line);
	case POLICY_DISABLE:
		return explain_disable(arena, all, line);
	default:
		line->how = fixed[key] ? fixed[key] :
					 policy_key_info(key)->about;
		return 0;
	}
}
