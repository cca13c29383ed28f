/* SPDX-License-Identifier: Apache-2.0 */
/* policy/layers.c - combine policies, and check keys against each other. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/strings.h"
#include "base/util.h"
#include "policy/keys.h"

void policy_take_key(struct policy *to, const struct policy *from,
		     enum policy_key key)
{
	enum policy_type type = policy_key_info(key)->type;

	memcpy(policy_member(to, key), policy_value(from, key),
	       policy_type_info(type)->size);
	to->set[key] = from->set[key];
	to->origin[key] = from->origin[key];
}

void policy_layer(struct policy *base, const struct policy *over)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (over->set[key])
			policy_take_key(base, over, key);
	if (over->auto_allow_bash.set)
		base->auto_allow_bash = over->auto_allow_bash;
	if (over->ignored.n)
		base->ignored = over->ignored;
}

static bool is_private(const struct policy *policy, const char *item)
{
	const char *path = item + (item[0] == '-');

	for (size_t i = 0; i < policy->tmpfs.n; i++) {
		const char *given = policy->tmpfs.items[i];
		size_t len = strcspn(given, ":");

		if (strlen(path) == len && strncmp(path, given, len) == 0)
			return true;
	}
	return false;
}

int policy_make_private(struct arena *arena, const struct policy *over,
			struct policy *base)
{
	static const enum policy_key keys[] = { KEY_READ, KEY_WRITE,
						KEY_WRITE_ONLY };

	for (size_t k = 0; over->set[KEY_TMPFS] && k < COUNT(keys); k++) {
		struct strings *list = policy_member(base, keys[k]);
		struct strings left = { 0 };

		for (size_t i = 0; i < list->n; i++)
			if (!is_private(over, list->items[i]) &&
			    strings_add(arena, &left, list->items[i]) < 0)
				return -ENOMEM;
		*list = left;
	}
	return 0;
}

bool policy_has_section(const struct policy *policy,
			enum policy_section section)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key] &&
		    policy_key_info(key)->section == section)
			return true;
	return false;
}

/* Allowed files are for the program of a container, and no other key. */
static bool is_for_infra(const struct policy_floor *floor, enum policy_key key)
{
	return floor && floor->policy.set[key] && key != KEY_READ &&
	       key != KEY_WRITE && key != KEY_WRITE_ONLY && key != KEY_EXECUTE;
}

void policy_for_infra(struct policy *policy)
{
	const struct policy whole = *policy;

	*policy = (struct policy){ 0 };
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy_key_info(key)->section == SECTION_NETWORK ||
		    key == KEY_ALLOW_DEGRADED || key == KEY_DISABLE ||
		    key == KEY_STRICT)
			policy_take_key(policy, &whole, key);
		else if (is_for_infra(whole.floor, key))
			policy_take_key(policy, &whole.floor->policy, key);
}

void policy_take_files(struct policy *policy, const struct policy *from)
{
	policy_take_key(policy, from, KEY_READ);
	policy_take_key(policy, from, KEY_WRITE);
	policy_take_key(policy, from, KEY_WRITE_ONLY);
	policy_take_key(policy, from, KEY_EXECUTE);
}

bool policy_has_proxy(const struct policy *policy)
{
	return policy->set[KEY_HTTP_PROXY_PORT] ||
	       policy->set[KEY_SOCKS_PROXY_PORT];
}

bool policy_denies_alone(const struct policy *policy)
{
	return policy->net_deny.n > 0 && !policy->set[KEY_NET_ALLOW] &&
	       !policy_has_proxy(policy) &&
	       (!policy->set[KEY_NET_MODE] || policy->mode == POLICY_MODE_OPEN);
}

bool policy_has_rules(const struct policy *policy)
{
	return policy->net_allow.n > 0 || policy_has_proxy(policy) ||
	       policy_denies_alone(policy);
}

bool policy_publishes(const struct policy *policy)
{
	return policy->bind.n > 0 &&
	       (!policy->set[KEY_PUBLISH] || policy->publish) &&
	       (policy->mode != POLICY_MODE_OPEN || policy_has_rules(policy));
}

bool policy_is_enforced(const struct policy *policy, enum policy_key key)
{
	(void)policy;
	return policy_key_info(key)->enforced;
}

bool policy_is_for_later(enum policy_key key)
{
	return policy_key_info(key)->bundle == POLICY_BUNDLE_LATER;
}

int policy_refuse_unenforced(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key] && !policy_is_enforced(policy, key))
			return fail(0,
				    "not enforced by this build: %s (remove "
				    "this key)",
				    policy_key_name(key));
	return 0;
}

/* Fail if `one` is set and `other` is not. */
static int needs(const struct policy *policy, enum policy_key one,
		 enum policy_key other)
{
	if (policy->set[one] && !policy->set[other])
		return fail(0, "%s requires %s", policy_key_name(one),
			    policy_key_name(other));
	return 0;
}

static int needs_http_rule(const struct policy *policy, enum policy_key key)
{
	if (policy->set[key] && policy->http_allow.n == 0 &&
	    policy->http_deny.n == 0)
		return fail(0, "%s requires http.allow or http.deny",
			    policy_key_name(key));
	return 0;
}

/* Fail if a protection is in both lists. */
static int check_lists(const struct policy *policy, enum policy_key one,
		       enum policy_key other)
{
	uint32_t both = *(const uint32_t *)policy_value(policy, one) &
			*(const uint32_t *)policy_value(policy, other);

	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (both & 1U << i)
			return fail(0, "%s and %s: '%s' is in both",
				    policy_key_name(one),
				    policy_key_name(other),
				    policy_protection_name(i));
	return 0;
}

static int check_protections(const struct policy *policy)
{
	int r = check_lists(policy, KEY_ALLOW_DEGRADED, KEY_DISABLE);

	if (r == 0)
		r = check_lists(policy, KEY_STRICT, KEY_ALLOW_DEGRADED);
	return r < 0 ? r : check_lists(policy, KEY_STRICT, KEY_DISABLE);
}

static int check_network(const struct policy *policy)
{
	if (policy->set[KEY_NET_MODE] && policy->mode == POLICY_MODE_OPEN &&
	    policy->set[KEY_NET_ALLOW])
		return fail(
			0,
			"network.allow has no effect with network.mode 'open': "
			"remove one of them");
	if (policy->set[KEY_NET_MODE] && policy->mode == POLICY_MODE_OPEN &&
	    policy_has_proxy(policy))
		return fail(0,
			    "%s: a proxy cannot be the only way out with "
			    "network.mode 'open': remove one of them",
			    policy_key_name(policy->set[KEY_HTTP_PROXY_PORT] ?
						    KEY_HTTP_PROXY_PORT :
						    KEY_SOCKS_PROXY_PORT));
	if (policy->port_remap && policy->mode == POLICY_MODE_OPEN &&
	    !policy_has_rules(policy))
		return fail(0, "network.port_remap requires a network "
			       "namespace of its own, but network.mode 'open' "
			       "is the host's network: remove one of them");
	return 0;
}

static int check_cpus(const struct policy *policy)
{
	if (policy->set[KEY_NUM_CPUS] && policy->set[KEY_CPU_CORES] &&
	    policy->num_cpus > policy->cpu_cores.n)
		return fail(0,
			    "limits.num_cpus: %u is more than the %zu cores of "
			    "limits.cpu_cores",
			    policy->num_cpus, policy->cpu_cores.n);
	return 0;
}

static int check_bundle(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key] &&
		    policy_key_info(key)->bundle == POLICY_BUNDLE_NEVER)
			return fail(0,
				    "%s cannot be set for a bundle: only "
				    "sandlock run uses this key",
				    policy_key_name(key));
	return 0;
}

int policy_check(const struct policy *policy, bool bundle)
{
	int r;

	if ((r = needs(policy, KEY_HTTP_CA, KEY_HTTP_KEY)) < 0 ||
	    (r = needs(policy, KEY_HTTP_KEY, KEY_HTTP_CA)) < 0 ||
	    (r = needs(policy, KEY_FS_STORAGE, KEY_WORKDIR)) < 0 ||
	    (r = needs(policy, KEY_DISK, KEY_WORKDIR)) < 0 ||
	    (r = needs(policy, KEY_UID, KEY_GID)) < 0 ||
	    (r = needs(policy, KEY_GID, KEY_UID)) < 0 ||
	    (r = needs(policy, KEY_ARGS, KEY_EXEC)) < 0 ||
	    (r = needs_http_rule(policy, KEY_HTTP_INJECT_CA)) < 0 ||
	    (r = needs_http_rule(policy, KEY_HTTP_CA_OUT)) < 0 ||
	    (r = check_protections(policy)) < 0 ||
	    (r = check_network(policy)) < 0 || (r = check_cpus(policy)) < 0 ||
	    (r = policy_check_supervisor(policy)) < 0)
		return r;
	return bundle ? check_bundle(policy) : 0;
}
