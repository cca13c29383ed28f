/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_how.c - describe the mechanism that enforces a key.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/host.h"
#include "policy/keys.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/view.h"

static int landlock_of(const struct explanation *all)
{
	return all->host->landlock.abi;
}

static const char *landlock_text(struct arena *arena,
				 const struct explanation *all)
{
	if (!all->landlock)
		return "";
	return arena_printf(arena, "; Landlock (version %d)", landlock_of(all));
}

/* ---- files ---- */

static const char *mount_text(enum policy_key key)
{
	switch (key) {
	case KEY_READ:
		return "read-only bind mounts";
	case KEY_WRITE:
	case KEY_WRITE_ONLY:
		return "writable bind mounts";
	case KEY_DENY:
		return "not mounted in the root";
	case KEY_DENY_WRITE:
		return "read-only bind mounts";
	case KEY_EXECUTE:
		return "visible as filesystem.read says; seccomp blocks "
		       "memfd_create, and the loaders of listed programs are "
		       "added";
	default:
		return "left to Landlock";
	}
}

#define BEST_EFFORT                                                             \
	"; best effort below writable paths: after a process outside replaces " \
	"a name, it is covered again within milliseconds (config.strict = "     \
	"[\"deny_replace\"] refuses this)"

/* Landlock cannot deny access below a path that the workload may write. */
static bool is_open_below(const struct explanation *all, enum policy_key key)
{
	const struct view *view = all->prepared.enforcement.view;

	for (size_t i = 0; view && i < view->denied.n; i++)
		if (view->denied.items[i].carved &&
		    streq(view->denied.items[i].key, policy_key_name(key)))
			return true;
	return false;
}

static bool is_lost(const struct explanation *all)
{
	return policy_disables(&all->request->policy, PROTECT_DENY_REPLACE);
}

static int explain_files(struct arena *arena, const struct explanation *all,
			 enum policy_key key, struct explain_line *line)
{
	bool only_landlock = key == KEY_EXECUTE || key == KEY_DENY_READ ||
			     key == KEY_DENY_EXECUTE || key == KEY_WRITE_ONLY;
	const char *landlock = landlock_text(arena, all);

	if (!landlock)
		return -ENOMEM;
	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
		return 0;
	}
	if ((only_landlock ||
	     all->prepared.enforcement.kind == ENFORCE_SANDBOX_NO_NAMESPACES) &&
	    !all->landlock) {
		line->state = EXPLAIN_REFUSED;
		line->how = "requires Landlock, which this kernel lacks or "
			    "supports only in part";
		return 0;
	}
	if (all->prepared.enforcement.kind == ENFORCE_SANDBOX_NO_NAMESPACES &&
	    is_open_below(all, key)) {
		line->state = all->request->policy.disable &
					      1U << PROTECT_NAMESPACES ?
				      EXPLAIN_DISABLED :
				      EXPLAIN_DEGRADED;
		line->how =
			"not enforced below writable paths without namespaces";
	} else if (all->prepared.enforcement.kind ==
		   ENFORCE_SANDBOX_NO_NAMESPACES)
		line->how = landlock + strlen("; ");
	else
		line->how =
			arena_printf(arena, "%s%s%s", mount_text(key), landlock,
				     is_open_below(all, key) && !is_lost(all) ?
					     BEST_EFFORT :
					     "");
	return line->how ? 0 : -ENOMEM;
}

/* ---- limits ---- */

static int explain_cgroup(struct arena *arena, const struct explanation *all,
			  enum host_limit limit, struct explain_line *line)
{
	const char *name = check_limit_name(limit);
	bool available = all->host->limits & 1U << limit;
	const struct policy *policy = &all->request->policy;
	uint32_t bit = 1U << PROTECT_CGROUPS;

	if (policy->disable & bit) {
		line->state = EXPLAIN_DISABLED;
		line->how = "config.disable lists cgroups";
		return 0;
	}
	if (all->decision.no_namespaces) {
		line->state = all->planned ? EXPLAIN_DEGRADED : EXPLAIN_REFUSED;
		line->how = "not enforced without namespaces";
		return 0;
	}
	if (available && all->decision.cgroups) {
		line->how =
			arena_printf(arena, "cgroup: the %s controller", name);
		return line->how ? 0 : -ENOMEM;
	}
	line->state = policy->allow_degraded & bit ? EXPLAIN_DEGRADED :
						     EXPLAIN_REFUSED;
	if (available)
		line->how =
			"cgroup: none, because another limit is not available";
	else
		line->how = arena_printf(
			arena,
			"cgroup: the %s controller is not available to this "
			"user (%s), see sandlock check",
			name, all->check.parts[CHECK_CGROUPS].text);
	return line->how ? 0 : -ENOMEM;
}

/* The pids controller and RLIMIT_NPROC do not tell threads from processes. */
static int explain_tasks(struct arena *arena, const struct explanation *all,
			 enum policy_key key, struct explain_line *line)
{
	const struct prepared *c = &all->prepared;
	const char *threads = key == KEY_PROCESSES ? "; threads count as well" :
						     "";
	int r;

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
		return 0;
	}
	if (!line->value) {
		line->value =
			arena_printf(arena, "%u", c->enforcement.policy.tasks);
		if (!line->value)
			return -ENOMEM;
	}
	if (all->decision.cgroups) {
		r = explain_cgroup(arena, all, HOST_LIMIT_PIDS, line);
		if (r < 0 || line->state != EXPLAIN_ENFORCED)
			return r;
		line->how = arena_printf(arena, "%s%s", line->how, threads);
	} else if (!all->decision.own_users) {
		return explain_cgroup(arena, all, HOST_LIMIT_PIDS, line);
	} else {
		line->how =
			arena_printf(arena,
				     "RLIMIT_NPROC in its own user namespace%s",
				     threads);
	}
	return line->how ? 0 : -ENOMEM;
}

/* ---- other keys ---- */

static const char *mode_text(const struct enforcement *enforcement)
{
	switch (enforcement->policy.mode) {
	case POLICY_MODE_DENY:
		if (enforcement->kind == ENFORCE_SANDBOX_NO_NAMESPACES)
			return enforcement->tcp_only ?
				       "seccomp: only TCP sockets, for bind()" :
				       "seccomp: no IPv4 and IPv6 sockets";
		if (policy_has_rules(&enforcement->policy))
			return "a network namespace without external "
			       "interfaces; see the rules";
		if (enforcement->tcp_only)
			return "a network namespace without external "
			       "interfaces; seccomp: only TCP sockets, for "
			       "bind()";
		return "a network namespace without external interfaces; "
		       "seccomp: no IPv4 and IPv6 sockets";
	case POLICY_MODE_LOOPBACK:
		return "a network namespace with only lo, which is up";
	case POLICY_MODE_OPEN:
		break;
	}
	return "the host's own network, unrestricted";
}

static const char *unix_text(struct arena *arena,
			     const struct enforcement *enforcement)
{
	const char *masks = enforcement->masks_sockets ?
				    "mounts cover the unlisted Unix sockets "
				    "outside the sandbox" :
				    "";

	if (enforcement->net.unix_sockets)
		return arena_printf(
			arena, "%s%sLandlock (version %d) denies %s", masks,
			*masks ? "; " : "", enforcement->landlock_host.abi,
			*masks ? "those created later" :
				 "unlisted Unix sockets outside the sandbox");
	if (!*masks)
		return "Unix sockets outside the sandbox are not restricted";
	return "mounts cover the unlisted Unix sockets outside the sandbox "
	       "that exist now, see root";
}

static const char *publish_text(const struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;

	if (enforcement->kind == ENFORCE_SANDBOX_NO_NAMESPACES ||
	    (policy->mode == POLICY_MODE_OPEN && !policy_has_rules(policy)))
		return "it binds ports of the host's own network";
	if (!policy_publishes(policy))
		return "no port is published";
	return policy->port_remap ?
		       "sandlock listens on the host's loopback, on another "
		       "port if the same one is in use" :
		       "sandlock listens on the same port of the host's "
		       "loopback";
}

static int explain_network(struct arena *arena, const struct explanation *all,
			   enum policy_key key, struct explain_line *line)
{
	const struct enforcement *enforcement = &all->prepared.enforcement;

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
	} else if (key == KEY_NET_MODE) {
		line->how = mode_text(enforcement);
	} else if (key == KEY_NET_ALLOW || key == KEY_NET_DENY) {
		line->how =
			enforcement->kind == ENFORCE_BUNDLE ?
				"a network namespace whose routes lead only to "
				"what the rules allow; the supervisor relays "
				"it" :
				"a network namespace whose routes lead only to "
				"what the rules allow; sandlock relays it";
	} else if (key == KEY_HTTP_PROXY_PORT || key == KEY_SOCKS_PROXY_PORT) {
		line->how = "this port of 127.0.0.1 is the host's; sandlock "
			    "relays it";
	} else if (key == KEY_PUBLISH || key == KEY_PORT_REMAP) {
		line->how = publish_text(enforcement);
	} else if (key == KEY_UNIX) {
		line->how = unix_text(arena, enforcement);
	} else if (enforcement->missing & 1U << PROTECT_NET_TCP) {
		line->state = EXPLAIN_DEGRADED;
		line->how = "Landlock of this kernel does not restrict bind()";
	} else if (enforcement->net.binds) {
		line->how =
			arena_printf(arena,
				     "Landlock (version %d) restricts TCP ports",
				     landlock_of(all));
	} else {
		line->how = "any port may be bound in this network";
	}
	if (key == KEY_NET_MODE && !line->value)
		line->value = "\"deny\"";
	return line->how ? 0 : -ENOMEM;
}

/* Namespaces still separate the sandbox, even if Landlock is disabled. */
static int explain_disable(struct arena *arena, const struct explanation *all,
			   struct explain_line *line)
{
	const struct enforcement *enforcement = &all->prepared.enforcement;
	const struct policy *policy = &enforcement->policy;
	uint32_t others =
		enforce_by_namespaces(enforcement->kind, policy->mode);
	const char *names;

	if (!all->planned)
		others = 0;
	names = check_names(arena, others & policy->disable);
	if (!names)
		return -ENOMEM;
	line->state = EXPLAIN_DISABLED;
	line->how = arena_printf(
		arena, "never enforced%s%s",
		*names ? "; its own mounts and namespaces still enforce " : "",
		names);
	return line->how ? 0 : -ENOMEM;
}

static int explain_open_files(struct arena *arena,
			      const struct explanation *all,
			      struct explain_line *line)
{
	uint32_t limit = all->prepared.enforcement.policy.open_files;

	line->how = "RLIMIT_NOFILE";
	if (all->planned && limit < all->request->policy.open_files)
		line->how = arena_printf(
			arena,
			"RLIMIT_NOFILE; it stays at the caller's own %" PRIu32,
			limit);
	return line->how ? 0 : -ENOMEM;
}

/* Keys whose sentence is always the same. */
static const char *const fixed[KEY_COUNT] = {
	[KEY_ALLOW_DEGRADED] = "protections that may be missing",
	[KEY_STRICT] = "a start fails if one of these is only best effort",
	[KEY_NO_RANDOMIZE_MEMORY] =
		"personality: no address space layout randomization",
	[KEY_EXEC] = "the command to run when none is given",
	[KEY_ARGS] = "the command to run when none is given",
	[KEY_CWD] = "working directory of the command",
	[KEY_ENV] = "environment passed to execve, see above",
	[KEY_CLEAN_ENV] = "environment passed to execve, see above",
	[KEY_ALLOW_ENV] = "environment passed to execve, see above",
	[KEY_DENY_ENV] = "environment passed to execve, see above",
	[KEY_UID] = "a user namespace with only this id",
	[KEY_GID] = "a user namespace with only this id",
	[KEY_NO_COREDUMP] = "RLIMIT_CORE is 1, and seccomp blocks ptrace",
	[KEY_NO_HUGE_PAGES] = "prctl: PR_SET_THP_DISABLE",
	[KEY_EXCLUDED] = "run outside the sandbox, if allowed",
	[KEY_ALLOW_UNSANDBOXED] =
		"whether anything may run outside the sandbox",
	[KEY_MOUNT] = "bind mounts in the root",
	[KEY_TMPFS] = "tmpfs mounts in the root, counted by limits.memory",
	[KEY_CHROOT] = "the root in which paths are looked up",
	[KEY_EXTRA_ALLOW] = "seccomp",
	[KEY_EXTRA_DENY] = "seccomp",
	[KEY_GPU_DEVICES] = "device nodes in the private /dev, and variables",
};

/* Only "**" walks a tree, and that takes as long as the tree is large. */
static int add_walks(struct arena *arena, const struct explanation *all,
		     struct explain_line *line)
{
	const struct view *view = all->prepared.enforcement.view;

	for (size_t i = 0; view && line->how && i < view->walks.n; i++) {
		const struct files_walk *walk = &view->walks.items[i];

		if (!streq(walk->key, line->key))
			continue;
		line->how = arena_printf(
			arena,
			"%s; each start walks all directories for the pattern "
			"'%s', which took %lld.%lld ms",
			line->how, walk->pattern, (long long)walk->us / 1000,
			(long long)walk->us / 100 % 10);
		if (!line->how)
			return -ENOMEM;
	}
	return 0;
}

static int explain_workdir(struct explain_line *line)
{
	line->how = geteuid() == 0 ?
			    "an overlay: changes go to a branch beside it, "
			    "until filesystem.on_exit and on_error say what "
			    "becomes of them" :
			    "an overlay: changes go to a branch beside it, "
			    "until filesystem.on_exit and on_error say what "
			    "becomes of them; for a user the kernel renames no "
			    "directory that is there already (EXDEV)";
	return 0;
}

static int explain_supervisor(const struct explanation *all,
			      struct explain_line *line)
{
	line->how = all->request->policy.supervisor ?
			    "a process of the runtime lives as long as the "
			    "container" :
			    "the kernel enforces everything by itself";
	return 0;
}

int explain_key(struct arena *arena, const struct explanation *all,
		enum policy_key key, struct explain_line *line)
{
	int r;

	switch (key) {
	case KEY_READ:
	case KEY_WRITE:
	case KEY_WRITE_ONLY:
	case KEY_EXECUTE:
	case KEY_DENY:
	case KEY_DENY_READ:
	case KEY_DENY_WRITE:
	case KEY_DENY_EXECUTE:
		r = explain_files(arena, all, key, line);
		return r < 0 ? r : add_walks(arena, all, line);
	case KEY_WORKDIR:
		return explain_workdir(line);
	case KEY_MEMORY:
		return explain_cgroup(arena, all, HOST_LIMIT_MEMORY, line);
	case KEY_CPU:
		return explain_cgroup(arena, all, HOST_LIMIT_CPU, line);
	case KEY_CPU_CORES:
		return explain_cgroup(arena, all, HOST_LIMIT_CPUSET, line);
	case KEY_PROCESSES:
	case KEY_TASKS:
		return explain_tasks(arena, all, key, line);
	case KEY_NET_MODE:
	case KEY_NET_ALLOW:
	case KEY_NET_DENY:
	case KEY_NET_BIND:
	case KEY_NET_DENY_BIND:
	case KEY_PUBLISH:
	case KEY_PORT_REMAP:
	case KEY_HTTP_PROXY_PORT:
	case KEY_SOCKS_PROXY_PORT:
	case KEY_ALLOW_LOCAL_BINDING:
	case KEY_UNIX:
		return explain_network(arena, all, key, line);
	case KEY_OPEN_FILES:
		return explain_open_files(arena, all, line);
	case KEY_DISABLE:
		return explain_disable(arena, all, line);
	case KEY_SUPERVISOR:
		return explain_supervisor(all, line);
	default:
		line->how = fixed[key] ? fixed[key] :
					 policy_key_info(key)->about;
		return 0;
	}
}
