/* SPDX-License-Identifier: Apache-2.0 */
/* policy/layers.c - combine policies, and check keys against each other. */
#include <string.h>

#include "base/err.h"
#include "policy/keys.h"

static void copy_key(struct policy *to, const struct policy *from,
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
			copy_key(base, over, key);
	if (over->auto_allow_bash.set)
		base->auto_allow_bash = over->auto_allow_bash;
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
		    key == KEY_ALLOW_DEGRADED || key == KEY_DISABLE)
			copy_key(policy, &whole, key);
		else if (is_for_infra(whole.floor, key))
			copy_key(policy, &whole.floor->policy, key);
}

void policy_take_files(struct policy *policy, const struct policy *from)
{
	copy_key(policy, from, KEY_READ);
	copy_key(policy, from, KEY_WRITE);
	copy_key(policy, from, KEY_WRITE_ONLY);
	copy_key(policy, from, KEY_EXECUTE);
}

bool policy_is_enforced(const struct policy *policy, enum policy_key key)
{
	/* Only false can be enforced: there is no supervisor yet. */
	if (key == KEY_SUPERVISOR)
		return !policy->supervisor;
	return policy_key_info(key)->enforced;
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

static int check_protections(const struct policy *policy)
{
	uint32_t both = policy->allow_degraded & policy->disable;

	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (both & 1U << i)
			return fail(0,
				    "config.allow_degraded and "
				    "config.disable: '%s' is in both",
				    policy_protection_name(i));
	return 0;
}

static int check_network(const struct policy *policy)
{
	if (policy->set[KEY_NET_MODE] && policy->mode == POLICY_MODE_OPEN &&
	    policy->set[KEY_NET_ALLOW])
		return fail(
			0,
			"network.allow has no effect with network.mode 'open': "
			"remove one of them");
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
	    (r = check_network(policy)) < 0 || (r = check_cpus(policy)) < 0)
		return r;
	return bundle ? check_bundle(policy) : 0;
}
