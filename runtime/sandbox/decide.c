/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/decide.c - decide how a policy is enforced on a host. */
#include "runtime/sandbox/decide.h"

#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/host.h"
#include "runtime/enforce/enforce.h"
#include "runtime/sandbox/probe.h"

static const struct {
	enum policy_key key;
	enum host_limit limit;
	const char *controller;
} limits[] = {
	{ KEY_MEMORY, HOST_LIMIT_MEMORY, "memory" },
	{ KEY_CPU, HOST_LIMIT_CPU, "cpu" },
	{ KEY_CPU_CORES, HOST_LIMIT_CPUSET, "cpuset" },
};

/* ---- without namespaces ---- */

/* True for a key that cannot be enforced without namespaces. */
static bool needs_namespaces(struct host *host, const struct policy *policy,
			     enum policy_key key)
{
	switch (key) {
	case KEY_WORKDIR:
	case KEY_UID:
	case KEY_GID:
	case KEY_CHROOT:
	case KEY_MOUNT:
	case KEY_TMPFS:
	case KEY_NET_ALLOW:
	case KEY_NET_DENY:
	case KEY_HTTP_PROXY_PORT:
	case KEY_SOCKS_PROXY_PORT:
		return true;
	case KEY_PORT_REMAP:
		return policy->port_remap;
	case KEY_UNIX:
		return !landlock_judges_sockets(host_landlock(host));
	/* Only a /dev of its own can contain some of them and not others. */
	case KEY_GPU_DEVICES:
		return policy->gpu_devices.n;
	case KEY_NET_MODE:
		return policy->mode == POLICY_MODE_LOOPBACK;
	default:
		return false;
	}
}

static bool is_limit(enum policy_key key)
{
	static const enum policy_key keys[] = { KEY_MEMORY, KEY_CPU,
						KEY_CPU_CORES, KEY_PROCESSES,
						KEY_TASKS };

	for (size_t i = 0; i < COUNT(keys); i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* True if the policy permits missing limits. */
static bool may_lose_limits(const struct policy *policy)
{
	return policy_may_lack(policy, PROTECT_NAMESPACES) ||
	       policy_may_lack(policy, PROTECT_CGROUPS) ||
	       policy_disables(policy, PROTECT_CGROUPS);
}

static void lose(const struct policy *policy, enum policy_key key,
		 struct decision *d)
{
	d->lost[key] = true;
	d->missing |= 1U << PROTECT_CGROUPS & ~policy->disable;
}

static const char *refuse_keys(struct arena *arena, const struct policy *policy,
			       const char *keys, bool only_limits)
{
	if (policy_disables(policy, PROTECT_NAMESPACES))
		return arena_printf(arena,
				    "config.disable: %s cannot be enforced "
				    "without namespaces%s",
				    keys,
				    only_limits ? ": list cgroups as well" :
						  "");
	return arena_printf(
		arena,
		"user namespaces are not available (run sandlock check for the "
		"reason), and %s cannot be enforced without them",
		keys);
}

static int go_without_namespaces(struct arena *arena,
				 const struct policy *policy, struct host *host,
				 struct decision *d)
{
	bool may_lose = may_lose_limits(policy), only_limits = true;
	const char *keys = "";

	d->missing |= 1U << PROTECT_NAMESPACES & ~policy->disable;
	for (enum policy_key key = 0; keys && key < KEY_COUNT; key++) {
		if (!policy->set[key])
			continue;
		if (is_limit(key) && may_lose) {
			lose(policy, key, d);
		} else if (is_limit(key) ||
			   needs_namespaces(host, policy, key)) {
			only_limits = only_limits && is_limit(key);
			keys = arena_printf(arena, "%s%s%s", keys,
					    *keys ? ", " : "",
					    policy_key_name(key));
		}
	}
	if (!keys)
		return -ENOMEM;
	d->needs_namespaces = *keys;
	if (!*keys)
		return 0;
	d->refusal = refuse_keys(arena, policy, keys, only_limits);
	return d->refusal ? 0 : -ENOMEM;
}

/* ---- cgroups ---- */

static enum policy_key tasks_key(const struct policy *policy)
{
	return policy->set[KEY_PROCESSES] ? KEY_PROCESSES : KEY_TASKS;
}

/*
 * The number of tasks is limited by default, and a user namespace has its own
 * count, so RLIMIT_NPROC limits it there. A default that is disabled is not
 * reported as lost.
 */
static void lose_limits(const struct policy *policy, struct decision *d)
{
	enum policy_key tasks = tasks_key(policy);

	for (size_t i = 0; i < COUNT(limits); i++)
		if (policy->set[limits[i].key])
			lose(policy, limits[i].key, d);
	if (!d->own_users &&
	    (policy->set[tasks] || !policy_disables(policy, PROTECT_CGROUPS)))
		lose(policy, tasks, d);
}

static bool needs_cgroups(const struct policy *policy, const struct decision *d)
{
	for (size_t i = 0; i < COUNT(limits); i++)
		if (policy->set[limits[i].key])
			return true;
	return !d->own_users;
}

/* Return a key whose limit is not available here; KEY_COUNT if all are. */
static enum policy_key find_lacking(const struct policy *policy,
				    const struct host *host,
				    const char **ret_controller)
{
	for (size_t i = 0; i < COUNT(limits); i++) {
		*ret_controller = limits[i].controller;
		if (policy->set[limits[i].key] &&
		    !(host->limits & 1U << limits[i].limit))
			return limits[i].key;
	}
	*ret_controller = "pids";
	return host->limits & 1U << HOST_LIMIT_PIDS ? KEY_COUNT :
						      tasks_key(policy);
}

static int decide_cgroups(struct arena *arena, const struct policy *policy,
			  const struct host *host, struct decision *d)
{
	const char *controller;
	enum policy_key key;

	d->cgroups = needs_cgroups(policy, d) &&
		     !policy_disables(policy, PROTECT_CGROUPS);
	if (d->cgroups && !(host->asked & HOST_LIMITS)) {
		d->assumed |= HOST_LIMITS;
		return 0;
	}
	key = d->cgroups ? find_lacking(policy, host, &controller) : KEY_COUNT;
	if (key == KEY_COUNT || policy_may_lack(policy, PROTECT_CGROUPS)) {
		d->cgroups = d->cgroups && key == KEY_COUNT;
		if (!d->cgroups)
			lose_limits(policy, d);
		return 0;
	}
	d->refusal =
		arena_printf(arena,
			     "%s: the %s controller of cgroups is not "
			     "available (run sandlock check for the reason): use "
			     "--config-allow-degraded cgroups to run without it",
			     policy_key_name(key), controller);
	return d->refusal ? 0 : -ENOMEM;
}

/* ---- Landlock ---- */

/* enforce_net() plans the enforcement of ports. */
static int decide_landlock(struct arena *arena, const struct policy *policy,
			   struct host *host, struct decision *d)
{
	const struct landlock_host *landlock = host_landlock(host);
	const uint32_t others =
		enforce_by_namespaces(d->no_namespaces ?
					      ENFORCE_SANDBOX_NO_NAMESPACES :
					      ENFORCE_SANDBOX,
				      policy->mode);
	const struct landlock_want want = {
		.files = d->no_namespaces || landlock->abi > 0 ||
			 enforce_needs_landlock(policy),
		.signals = !(others & 1U << PROTECT_SIGNAL_SCOPE),
		.abstract_sockets = !(others & 1U << PROTECT_ABSTRACT_SCOPE),
		.allow_degraded = policy->allow_degraded | others,
		.disable = policy->disable,
	};
	struct landlock_plan plan;
	int r = landlock_plan(arena, landlock, &want, &plan);

	if (r == -ENOMEM)
		return r;
	d->landlock = want.files;
	if (r >= 0) {
		d->missing |= plan.missing & ~others;
		return 0;
	}
	d->refusal = arena_strdup(arena, err_text());
	err_clear();
	return d->refusal ? 0 : -ENOMEM;
}

/* ---- the whole decision ---- */

static bool lacks_namespaces(const struct host *host, struct decision *d)
{
	const struct host_probe *probe = d->own_users ? &host->user_namespaces :
							&host->namespaces;
	uint32_t fact = d->own_users ? HOST_USER_NAMESPACES : HOST_NAMESPACES;

	if (host->asked & fact)
		return !probe->works;
	d->assumed |= fact;
	return false;
}

int decide(struct arena *arena, const struct policy *policy, struct host *host,
	   struct decision *ret)
{
	struct decision d = {
		.own_users = !host_may_mount(host) || policy->set[KEY_UID],
	};
	int r;

	d.no_namespaces = policy_disables(policy, PROTECT_NAMESPACES) ||
			  lacks_namespaces(host, &d);
	r = d.no_namespaces ? go_without_namespaces(arena, policy, host, &d) :
			      decide_cgroups(arena, policy, host, &d);
	if (r >= 0 && !d.refusal)
		r = decide_landlock(arena, policy, host, &d);
	if (r >= 0)
		*ret = d;
	return r;
}

int decide_surely(struct arena *arena, const struct policy *policy,
		  struct host *host, struct decision *ret)
{
	int r = decide(arena, policy, host, ret);

	while (r >= 0 && ret->assumed) {
		r = probe_host(arena, host, ret->assumed);
		if (r >= 0)
			r = decide(arena, policy, host, ret);
	}
	return r;
}

bool decision_is_same(const struct decision *a, const struct decision *b)
{
	return a->no_namespaces == b->no_namespaces && a->cgroups == b->cgroups;
}

void decision_tell_lost(const struct policy *policy,
			const struct decision *decision)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (decision->lost[key])
			log_warning("config.%s: %s is not enforced without "
				    "%s, which this setting accepts",
				    policy_disables(policy, PROTECT_CGROUPS) ?
					    "disable" :
					    "allow_degraded",
				    policy_key_name(key),
				    decision->no_namespaces ? "namespaces" :
							      "cgroups");
}
