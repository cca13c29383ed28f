/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/network.c - enforce [network] of a policy in a bundle.
 *
 * Without a network, the filter denies socket(). With ports to bind, Landlock
 * restricts bind and connect of TCP. It does not see the ephemeral port of
 * listen() without bind(), so denied ports are reserved, in a network namespace
 * of the container's own.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/host.h"
#include "policy/net_rule.h"
#include "runtime/enforce/spec.h"

#define PORTS 65536
#define LAST_PORT (PORTS - 1)
#define RESERVED "net/ipv4/ip_local_reserved_ports"
#define UNPRIVILEGED "net/ipv4/ip_unprivileged_port_start"
#define FIRST_FREE 1024 /* the default of the kernel */
/* The maximum that a sysctl accepts in one write. */
#define MOST_TEXT 4000

struct ports {
	bool has[PORTS];
};

static int mark(struct ports *ports, const struct strings *list, bool has)
{
	for (size_t i = 0; i < list->n; i++) {
		struct net_ports range = { 0, LAST_PORT };

		if (!streq(list->items[i], "*")) {
			int r = net_ports_parse(list->items[i], 0, &range);

			if (r < 0)
				return r;
		}
		memset(ports->has + range.first, has,
		       (size_t)(range.last - range.first) + 1);
	}
	return 0;
}

/* Get the next range of ports in the set, from *at on. */
static bool next_range(const struct ports *ports, size_t *at,
		       struct landlock_ports *ret)
{
	size_t first = *at, end;

	while (first < PORTS && !ports->has[first])
		first++;
	for (end = first; end < PORTS && ports->has[end];)
		end++;
	*at = end;
	if (first == PORTS)
		return false;
	*ret = (struct landlock_ports){ (uint16_t)first, (uint16_t)(end - 1) };
	return true;
}

static bool is_mode(const struct policy *policy, enum policy_mode mode)
{
	return policy_has_section(policy, SECTION_NETWORK) &&
	       policy->mode == mode;
}

static bool is_own(const struct oci_spec *spec, enum oci_ns ns)
{
	const struct oci_namespace *n = &spec->linux_.namespaces[ns];

	return n->listed && !n->path;
}

/* True if hooks or netDevices may move interfaces into its network. */
static bool receives_interfaces(const struct oci_spec *spec)
{
	return spec->hooks.at[HOOK_PRESTART].n ||
	       spec->hooks.at[HOOK_CREATE_RUNTIME].n ||
	       spec->hooks.at[HOOK_CREATE_CONTAINER].n ||
	       spec->linux_.nnet_devices;
}

/*
 * Use a network namespace with only lo, not the one into which hooks move
 * interfaces.
 */
static int isolate(struct enforcement *enforcement, const struct oci_spec *spec,
		   const char *key)
{
	const struct oci_namespace *net =
		&spec->linux_.namespaces[OCI_NS_NETWORK];

	if (!is_own(spec, OCI_NS_NETWORK))
		return fail(0,
			    "%s requires its own network namespace: not "
			    "enforced by this build in one that is %s (list "
			    "the type network in linux.namespaces without a "
			    "path, or remove this key)",
			    key, net->path ? "given by a path" : "the host's");
	enforcement->own_network = receives_interfaces(spec);
	return 0;
}

/* There every address is on loopback. */
static int bind_locally(struct enforcement *enforcement,
			const struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;

	if (policy->mode == POLICY_MODE_OPEN &&
	    (policy->set[KEY_NET_BIND] || policy->set[KEY_NET_DENY_BIND]))
		return fail(0, "network.allow_local_binding: not enforced by "
			       "this build with network.mode 'open' and ports "
			       "in network.bind");
	if (policy->mode != POLICY_MODE_DENY)
		return 0;
	if (policy->bind.n && receives_interfaces(spec))
		return fail(0, "network.allow_local_binding: not enforced by "
			       "this build with network.bind in a network that "
			       "hooks set up");
	return isolate(enforcement, spec, "network.allow_local_binding");
}

/* Collect the ports that may be bound; all if no key is set. */
static int gather(const struct policy *policy, struct ports *ret)
{
	static const char *const all[] = { "*", NULL };
	const struct strings any = STRINGS_OF(all);
	bool free = policy->set[KEY_NET_BIND] ?
			    false :
			    policy->mode != POLICY_MODE_DENY;
	int r;

	if (policy->allow_local_binding && policy->mode != POLICY_MODE_OPEN)
		free = true;
	r = mark(ret, free ? &any : &policy->bind, true);
	return r < 0 ? r : mark(ret, &policy->deny_bind, false);
}

static int restrict_ports(struct arena *arena, struct enforcement *enforcement,
			  const struct ports *ports)
{
	struct landlock_want *want = &enforcement->net;
	struct landlock_ports *ranges, range;
	size_t n = 0, sum = 0, at = 0;

	while (next_range(ports, &at, &range)) {
		sum += (size_t)(range.last - range.first) + 1;
		n++;
	}
	want->binds = sum < PORTS;
	if (!want->binds)
		return 0;
	if (sum > LANDLOCK_MOST_PORTS)
		return fail(0,
			    "%s: %zu ports remain, but Landlock rules are "
			    "limited to %d",
			    enforcement->policy.set[KEY_NET_DENY_BIND] ?
				    "network.deny_bind" :
				    "network.bind",
			    sum, LANDLOCK_MOST_PORTS);
	ranges = arena_array(arena, n + 1, sizeof *ranges);
	if (!ranges)
		return -ENOMEM;
	for (at = 0; next_range(ports, &at, &range);)
		ranges[want->nbind++] = range;
	want->bind = ranges;
	return 0;
}

/* ---- ephemeral ports ---- */

/* Write "22,8000-8080" after the ports of the bundle. */
static int write_ports(struct arena *arena, const struct ports *ports,
		       const char *before, const char **ret)
{
	struct landlock_ports range;
	const char *text = before;

	for (size_t at = 1; next_range(ports, &at, &range);) {
		text = arena_printf(arena, "%s%s%u-%u", text, *text ? "," : "",
				    range.first, range.last);
		if (!text)
			return -ENOMEM;
		if (strlen(text) > MOST_TEXT)
			return fail(0,
				    "network.deny_bind: the ports that "
				    "remain form too many ranges: deny fewer "
				    "ranges");
	}
	*ret = text;
	return 0;
}

static int reserve(struct arena *arena, struct oci_spec *spec,
		   const struct ports *ports)
{
	struct oci_linux *l = &spec->linux_;
	struct oci_sysctl *all = arena_grow(arena, l->sysctls, l->nsysctls,
					    l->nsysctls + 1, sizeof *all);
	const char *before = "", *text = NULL;
	size_t i = 0;
	int r;

	if (!all)
		return -ENOMEM;
	while (i < l->nsysctls && !streq(all[i].path, RESERVED))
		i++;
	if (i < l->nsysctls)
		before = all[i].value;
	else
		l->nsysctls++;
	r = write_ports(arena, ports, before, &text);
	if (r < 0)
		return r;
	all[i] = (struct oci_sysctl){ RESERVED, RESERVED, text };
	l->sysctls = all;
	/* Otherwise the workload could write there itself. */
	return strings_add(arena, &l->readonly_paths, "/proc/sys");
}

static bool is_empty(const struct ports *ports)
{
	return !memchr(ports->has + 1, 1, PORTS - 1);
}

/*
 * Keep the kernel from choosing denied ports, or any port unless 0 is allowed.
 */
static int restrict_port_choice(struct arena *arena,
				struct enforcement *enforcement,
				struct oci_spec *spec,
				const struct ports *allowed)
{
	const uint32_t bit = 1U << PROTECT_NET_TCP;
	const struct policy *policy = &enforcement->policy;
	struct ports *closed = arena_alloc(arena, sizeof *closed);
	bool any = allowed->has[0];
	int r;

	if (!closed)
		return -ENOMEM;
	r = mark(closed, &policy->deny_bind, true);
	if (r < 0)
		return r;
	/*
	 * In mode loopback and with rules, connections need ephemeral ports;
	 * they stay inside.
	 */
	if (!any && policy->mode != POLICY_MODE_LOOPBACK &&
	    !policy_has_rules(policy))
		memset(closed->has, true, sizeof closed->has);
	if (is_empty(closed) || policy->disable & bit)
		return 0;
	if (is_own(spec, OCI_NS_NETWORK) && is_own(spec, OCI_NS_MOUNT) &&
	    (any || policy->mode != POLICY_MODE_OPEN))
		return reserve(arena, spec, closed);
	if (!(policy->allow_degraded & bit))
		return fail(0,
			    "network.bind: listen() without bind() (ephemeral "
			    "port) cannot be restricted %s: list %s net_tcp in "
			    "config.allow_degraded",
			    policy->mode == POLICY_MODE_OPEN && !any ?
				    "with network.mode 'open'" :
				    "in a shared network namespace",
			    any ? "" : "port 0 in network.bind, or");
	enforcement->missing |= bit;
	return 0;
}

/* No process of a sandbox has the capability for listed ports below 1024. */
static int open_low_ports(struct arena *arena,
			  const struct enforcement *enforcement,
			  struct oci_spec *spec, const struct ports *ports)
{
	struct oci_linux *l = &spec->linux_;
	struct oci_sysctl *all;
	unsigned int first = 1;
	const char *text;

	while (first < FIRST_FREE && !ports->has[first])
		first++;
	if (enforcement->kind == ENFORCE_BUNDLE ||
	    !is_own(spec, OCI_NS_NETWORK) || first == FIRST_FREE)
		return 0;
	text = arena_printf(arena, "%u", first);
	all = arena_grow(arena, l->sysctls, l->nsysctls, l->nsysctls + 1,
			 sizeof *all);
	if (!text || !all)
		return -ENOMEM;
	all[l->nsysctls++] =
		(struct oci_sysctl){ UNPRIVILEGED, UNPRIVILEGED, text };
	l->sysctls = all;
	return 0;
}

static int restrict_tcp(struct arena *arena, struct enforcement *enforcement,
			struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;
	struct ports *ports = arena_alloc(arena, sizeof *ports);
	struct landlock_want *want = &enforcement->net;
	int r;

	if (!ports)
		return -ENOMEM;
	r = gather(policy, ports);
	if (r < 0)
		return r;
	enforcement->tcp_only = policy->mode == POLICY_MODE_DENY &&
				!policy_has_rules(policy);
	want->connects = enforcement->tcp_only;
	r = restrict_ports(arena, enforcement, ports);
	if (r == 0)
		r = open_low_ports(arena, enforcement, spec, ports);
	if (r < 0)
		return r;
	return want->binds ?
		       restrict_port_choice(arena, enforcement, spec, ports) :
		       0;
}

/* False if the policy does not restrict sockets in visible directories. */
static bool restricts_sockets(const struct policy *policy)
{
	return policy_has_section(policy, SECTION_NETWORK) &&
	       (policy->mode != POLICY_MODE_OPEN || policy->set[KEY_UNIX]);
}

/*
 * A sandbox is one Landlock domain, and may connect to its own sockets. A
 * process of exec is in another domain: where mounts cover foreign sockets,
 * allow both to connect in directories where they may create sockets.
 */
static void judge_sockets(struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;

	if (!landlock_judges_sockets(&enforcement->landlock_host))
		return;
	enforcement->net.unix_sockets = !enforcement->masks_sockets ||
					files_wanted(policy);
	if (enforcement->masks_sockets && enforcement->kind == ENFORCE_BUNDLE)
		enforcement->connects = LANDLOCK_MAY_WRITE;
	if (!restricts_sockets(policy))
		enforcement->connects = LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE;
}

/*
 * Masks need a mount namespace of the container's own. Where Landlock denies
 * all sockets to a sandbox, nobody needs to find them.
 */
static int mask_sockets(struct enforcement *enforcement,
			const struct oci_spec *spec)
{
	const uint32_t bit = 1U << PROTECT_NAMESPACES;
	const struct policy *policy = &enforcement->policy;
	bool no_namespaces = enforcement->kind == ENFORCE_SANDBOX_NO_NAMESPACES;

	if (!no_namespaces && !restricts_sockets(policy))
		return 0;
	enforcement->masks_sockets =
		is_own(spec, OCI_NS_MOUNT) &&
		!(enforcement->kind == ENFORCE_SANDBOX &&
		  landlock_judges_sockets(&enforcement->landlock_host));
	judge_sockets(enforcement);
	if (enforcement->masks_sockets || no_namespaces ||
	    enforcement->net.unix_sockets)
		return 0;
	if (!(policy->allow_degraded & bit))
		return fail(
			0,
			"network.unix: Unix sockets outside the sandbox cannot "
			"be restricted without a mount namespace: list "
			"namespaces in config.allow_degraded to accept this");
	enforcement->missing |= bit;
	return 0;
}

bool enforce_scope(struct enforcement *enforcement, const struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;
	bool shared = !is_own(spec, OCI_NS_NETWORK);

	enforcement->net.signals = !is_own(spec, OCI_NS_PID);
	enforcement->net.abstract_sockets =
		shared && (enforcement->kind != ENFORCE_BUNDLE ||
			   (policy_has_section(policy, SECTION_NETWORK) &&
			    policy->mode != POLICY_MODE_OPEN));
	return shared && is_mode(policy, POLICY_MODE_DENY);
}

bool enforce_restricts_network(const struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;

	if (enforcement->kind == ENFORCE_NOTHING ||
	    (enforcement->kind == ENFORCE_BUNDLE &&
	     !policy_has_section(policy, SECTION_NETWORK)))
		return false;
	return policy->mode != POLICY_MODE_OPEN || policy_has_rules(policy);
}

/* Find out which sockets the rules need; without network.allow, all. */
static int note_protocols(struct arena *arena, struct enforcement *enforcement)
{
	const struct strings *rules = &enforcement->policy.net_allow;

	if (!policy_has_rules(&enforcement->policy))
		return 0;
	enforcement->rules_udp = enforcement->rules_icmp =
		policy_denies_alone(&enforcement->policy);
	for (size_t i = 0; i < rules->n; i++) {
		struct net_rule rule;
		int r = net_rule_parse(arena, rules->items[i], &rule);

		if (r < 0)
			return fail_in(r, "network.allow");
		if (rule.protocol == NET_UDP)
			enforcement->rules_udp = true;
		if (rule.protocol == NET_ICMP)
			enforcement->rules_icmp = true;
	}
	if (enforcement->rules_udp)
		return 0;
	return policy_answers_dns(arena, &enforcement->policy,
				  &enforcement->rules_udp);
}

/*
 * The relay of the rules is the only way out of the namespace. A sandbox has
 * one, or decide() has refused it.
 */
static int isolate_rules(struct enforcement *enforcement,
			 const struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;

	if (!policy_has_rules(policy) || enforcement->kind != ENFORCE_BUNDLE)
		return 0;
	return isolate(enforcement, spec,
		       policy_denies_alone(policy) ? "network.deny" :
						     "network.allow");
}

int enforce_net(struct arena *arena, struct enforcement *enforcement,
		struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;
	bool rules = policy_has_rules(policy) && !policy_denies_alone(policy);
	bool ports =
		policy->allow_local_binding || policy->bind.n ||
		policy->deny_bind.n || rules ||
		(policy->set[KEY_NET_BIND] && policy->mode != POLICY_MODE_DENY);
	int r;

	r = mask_sockets(enforcement, spec);
	if (r == 0)
		r = note_protocols(arena, enforcement);
	if (r == 0 && is_mode(policy, POLICY_MODE_LOOPBACK))
		r = isolate(enforcement, spec, "network.mode 'loopback'");
	if (r == 0)
		r = isolate_rules(enforcement, spec);
	if (r == 0 && policy->allow_local_binding)
		r = bind_locally(enforcement, spec);
	/* Without a network, an empty list of ports needs no rule. */
	if (r == 0 && ports &&
	    (!is_mode(policy, POLICY_MODE_DENY) ||
	     policy->allow_local_binding || policy->bind.n || rules))
		r = restrict_tcp(arena, enforcement, spec);
	return r;
}
