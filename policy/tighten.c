/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/tighten.c - a policy under a floor: whatever the policy says, it can
 * only allow less than the floor does.
 */
#include "policy/tighten.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/util.h"

static POLICY_TIGHTENER((*const tighteners[KEY_COUNT])) = {
	[KEY_WORKDIR] = tighten_place,
	[KEY_FS_STORAGE] = tighten_same,
	[KEY_HTTP_CA] = tighten_same,
	[KEY_HTTP_KEY] = tighten_same,
	[KEY_HTTP_INJECT_CA] = tighten_same,
	[KEY_HTTP_CA_OUT] = tighten_same,
	[KEY_ALLOW_DEGRADED] = tighten_subset,
	[KEY_DISABLE] = tighten_subset,
	[KEY_STRICT] = tighten_sum,
	[KEY_SUPERVISOR] = tighten_same,

	[KEY_RANDOM_SEED] = tighten_same,
	[KEY_TIME_START] = tighten_same,
	[KEY_DETERMINISTIC_DIRS] = tighten_same,
	[KEY_NO_RANDOMIZE_MEMORY] = tighten_same,

	[KEY_EXEC] = tighten_same,
	[KEY_ARGS] = tighten_same,
	[KEY_CWD] = tighten_same,
	[KEY_ENV] = tighten_env,
	[KEY_UID] = tighten_same,
	[KEY_GID] = tighten_same,
	[KEY_CLEAN_ENV] = tighten_true,
	[KEY_ALLOW_ENV] = tighten_names,
	[KEY_DENY_ENV] = tighten_sum,
	[KEY_NO_COREDUMP] = tighten_true,
	[KEY_NO_HUGE_PAGES] = tighten_true,
	[KEY_EXCLUDED] = tighten_subset,
	[KEY_ALLOW_UNSANDBOXED] = tighten_false,
	[KEY_WEAKER_NESTED] = tighten_false,

	[KEY_READ] = tighten_files,
	[KEY_WRITE] = tighten_files,
	[KEY_WRITE_ONLY] = tighten_files,
	[KEY_EXECUTE] = tighten_files,
	[KEY_DENY] = tighten_sum,
	[KEY_DENY_READ] = tighten_sum,
	[KEY_DENY_WRITE] = tighten_sum,
	[KEY_DENY_EXECUTE] = tighten_sum,
	[KEY_CHROOT] = tighten_place,
	[KEY_MOUNT] = tighten_mounts,
	[KEY_TMPFS] = tighten_tmpfs,
	[KEY_ON_EXIT] = tighten_same,
	[KEY_ON_ERROR] = tighten_same,

	[KEY_NET_MODE] = tighten_mode,
	[KEY_NET_ALLOW] = tighten_net_rules,
	[KEY_NET_DENY] = tighten_sum,
	[KEY_NET_BIND] = tighten_ports,
	[KEY_NET_DENY_BIND] = tighten_sum,
	[KEY_PUBLISH] = tighten_publish,
	[KEY_PORT_REMAP] = tighten_same,
	[KEY_UNIX] = tighten_sockets,
	[KEY_HTTP_PROXY_PORT] = tighten_proxy,
	[KEY_SOCKS_PROXY_PORT] = tighten_proxy,
	[KEY_ALLOW_LOCAL_BINDING] = tighten_false,

	[KEY_HTTP_ALLOW] = tighten_http_rules,
	[KEY_HTTP_DENY] = tighten_sum,
	[KEY_HTTP_PORTS] = tighten_http_ports,
	[KEY_HTTP_CREDENTIALS] = tighten_same,

	[KEY_EXTRA_ALLOW] = tighten_subset,
	[KEY_EXTRA_DENY] = tighten_sum,

	[KEY_MEMORY] = tighten_smaller,
	[KEY_PROCESSES] = tighten_smaller,
	[KEY_TASKS] = tighten_smaller,
	[KEY_FORKS] = tighten_smaller,
	[KEY_OPEN_FILES] = tighten_smaller,
	[KEY_CPU] = tighten_smaller,
	[KEY_DISK] = tighten_smaller,
	[KEY_GPU_DEVICES] = tighten_gpus,
	[KEY_CPU_CORES] = tighten_numbers,
	[KEY_NUM_CPUS] = tighten_smaller,
};

POLICY_TIGHTENER((*policy_tightener(enum policy_key key)))
{
	return tighteners[key];
}

/* ---- what all of them use ---- */

void tighten_take(const struct tighten *t, enum policy_key key)
{
	const struct policy *floor = &t->floor->policy;
	enum policy_type type = policy_key_info(key)->type;

	memcpy(policy_member(t->ret, key), policy_value(floor, key),
	       policy_type_info(type)->size);
	t->ret->set[key] = floor->set[key];
	t->ret->origin[key] = floor->origin[key];
}

static int show(const struct tighten *t, const struct policy *policy,
		enum policy_key key, const char **ret)
{
	struct text out = { .arena = t->arena };

	policy_show_key(&out, policy, key);
	return text_close(&out, ret);
}

int tighten_refuse(const struct tighten *t, enum policy_key key)
{
	const char *name = policy_key_name(key), *given, *held;
	int r = show(t, t->base, key, &given);

	if (r == 0 && !t->floor->policy.set[key])
		return fail(0,
			    "%s = %s of %s would loosen the enforced profile "
			    "%s, which does not set it: remove this key",
			    name, given, t->base->origin[key], t->floor->name);
	if (r == 0)
		r = show(t, &t->floor->policy, key, &held);
	return r < 0 ? r :
		       fail(0,
			    "%s = %s of %s would loosen %s of the enforced "
			    "profile %s: remove this key",
			    name, given, t->base->origin[key], held,
			    t->floor->name);
}

int tighten_empty(const struct tighten *t, enum policy_key key)
{
	const char *name = policy_key_name(key), *given, *held;
	int r = show(t, t->base, key, &given);

	if (r == 0)
		r = show(t, &t->floor->policy, key, &held);
	return r < 0 ? r :
		       fail(0,
			    "%s = %s of %s has nothing in common with %s of "
			    "the enforced profile %s",
			    name, given, t->base->origin[key], held,
			    t->floor->name);
}

int tighten_origins(const struct tighten *t, enum policy_key key)
{
	const char *base = t->base->origin[key];
	const char *floor = t->floor->policy.origin[key];

	if (!base || !floor || streq(base, floor)) {
		t->ret->origin[key] = base ? base : floor;
		return 0;
	}
	t->ret->origin[key] = arena_printf(t->arena, "%s, and %s", base, floor);
	return t->ret->origin[key] ? 0 : -ENOMEM;
}

enum policy_mode tighten_mode_of(const struct policy *policy)
{
	if (policy->set[KEY_NET_MODE])
		return policy->mode;
	/* network.deny alone is everything but what it lists. */
	return policy->set[KEY_NET_DENY] && !tighten_allows_network(policy) ?
		       POLICY_MODE_OPEN :
		       POLICY_MODE_DENY;
}

bool tighten_allows_network(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (policy->set[key] &&
		    policy_key_info(key)->section == SECTION_NETWORK &&
		    key != KEY_NET_DENY)
			return true;
	return false;
}

/* ---- scalars ---- */

int policy_same_value(struct arena *arena, const struct policy *a,
		      const struct policy *b, enum policy_key key, bool *ret)
{
	void (*write)(struct text * out, const void *value) =
		policy_type_info(policy_key_info(key)->type)->write;
	struct text of_a = { .arena = arena }, of_b = of_a;
	const char *one, *other;
	int r;

	write(&of_a, policy_value(a, key));
	write(&of_b, policy_value(b, key));
	r = text_close(&of_a, &one);
	if (r == 0)
		r = text_close(&of_b, &other);
	if (r == 0)
		*ret = streq(one, other);
	return r;
}

POLICY_TIGHTENER(tighten_same)
{
	bool same = true;
	int r = 0;

	if (!t->floor->policy.set[key])
		return 0;
	if (t->base->set[key])
		r = policy_same_value(t->arena, t->base, &t->floor->policy, key,
				      &same);
	if (r == 0 && !same)
		return tighten_refuse(t, key);
	tighten_take(t, key);
	return r;
}

POLICY_TIGHTENER(tighten_place)
{
	const struct policy *floor = &t->floor->policy;

	/* The floor's paths would mean other files. */
	if (t->base->set[key] && !floor->set[key] &&
	    policy_has_section(floor, SECTION_FILESYSTEM))
		return tighten_refuse(t, key);
	return tighten_same(t, key);
}

static bool truth(const struct policy *policy, enum policy_key key)
{
	return policy->set[key] && *(const bool *)policy_value(policy, key);
}

POLICY_TIGHTENER(tighten_true)
{
	if (!truth(&t->floor->policy, key))
		return 0;
	if (t->base->set[key] && !truth(t->base, key))
		return tighten_refuse(t, key);
	tighten_take(t, key);
	return 0;
}

/* Ports are free where the floor does not restrict the network. */
static bool is_free(const struct policy *floor, enum policy_key key)
{
	return key == KEY_ALLOW_LOCAL_BINDING &&
	       (!policy_has_section(floor, SECTION_NETWORK) ||
		tighten_mode_of(floor) != POLICY_MODE_DENY);
}

POLICY_TIGHTENER(tighten_false)
{
	const struct policy *floor = &t->floor->policy;

	if (is_free(floor, key))
		return 0;
	if (truth(t->base, key))
		return truth(floor, key) ? 0 : tighten_refuse(t, key);
	if (t->base->set[key])
		return 0;
	if (floor->set[key] && (t->floor->bundle || !truth(floor, key)))
		tighten_take(t, key);
	/* Its default is true, for sandlock run. */
	if (key == KEY_ALLOW_UNSANDBOXED && !floor->set[key] &&
	    !t->floor->bundle) {
		t->ret->set[key] = true;
		t->ret->allow_unsandboxed = false;
		t->ret->origin[key] = t->floor->name;
	}
	return 0;
}

POLICY_TIGHTENER(tighten_publish)
{
	const struct policy *floor = &t->floor->policy;

	if (!floor->set[key])
		return 0;
	if (truth(t->base, key) && !truth(floor, key))
		return tighten_refuse(t, key);
	if (!t->base->set[key])
		tighten_take(t, key);
	return 0;
}

static uint64_t number(const struct policy *policy, enum policy_key key)
{
	const void *value = policy_value(policy, key);

	return policy_key_info(key)->type == POLICY_TYPE_SIZE ?
		       *(const uint64_t *)value :
		       *(const uint32_t *)value;
}

POLICY_TIGHTENER(tighten_smaller)
{
	const struct policy *floor = &t->floor->policy;

	if (floor->set[key] &&
	    (!t->base->set[key] || number(floor, key) < number(t->base, key)))
		tighten_take(t, key);
	return 0;
}

POLICY_TIGHTENER(tighten_mode)
{
	const struct policy *floor = &t->floor->policy;

	if (!policy_has_section(floor, SECTION_NETWORK))
		return 0;
	if (t->base->set[key])
		return t->base->mode > tighten_mode_of(floor) ?
			       tighten_refuse(t, key) :
			       0;
	/* In a bundle a section without a key leaves the network open. */
	if (t->floor->bundle && !tighten_allows_network(t->base))
		tighten_take(t, key);
	return 0;
}

/* ---- variables ---- */

static const struct policy_pair *find_pair(const struct policy_map *map,
					   const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (streq(map->items[i].key, name))
			return &map->items[i];
	return NULL;
}

/* A variable that the floor sets or denies is not the caller's to set. */
static int check_variables(const struct tighten *t)
{
	const struct policy *floor = &t->floor->policy;

	for (size_t i = 0; i < t->base->env.n; i++) {
		const struct policy_pair *own = &t->base->env.items[i];
		const struct policy_pair *held =
			find_pair(&floor->env, own->key);

		if (held && !streq(held->value, own->value))
			return fail(0,
				    "program.env of %s sets %s, which the "
				    "enforced profile %s sets to another "
				    "value: remove it",
				    t->base->origin[KEY_ENV], own->key,
				    t->floor->name);
		if (floor->set[KEY_DENY_ENV] &&
		    tighten_names_has(&floor->deny_env, own->key))
			return fail(0,
				    "program.env of %s sets %s, which "
				    "program.deny_env of the enforced profile "
				    "%s denies: remove it",
				    t->base->origin[KEY_ENV], own->key,
				    t->floor->name);
	}
	return 0;
}

POLICY_TIGHTENER(tighten_env)
{
	const struct policy_map *own = &t->base->env;
	const struct policy_map *held = &t->floor->policy.env;
	struct policy_pair *items;
	size_t n = held->n;
	int r = check_variables(t);

	if (r < 0 || !t->floor->policy.set[key])
		return r;
	items = arena_array(t->arena, own->n + held->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	if (held->n)
		memcpy(items, held->items, held->n * sizeof *items);
	for (size_t i = 0; i < own->n; i++)
		if (!find_pair(held, own->items[i].key))
			items[n++] = own->items[i];
	t->ret->env = (struct policy_map){ items, n };
	t->ret->set[key] = true;
	return tighten_origins(t, key);
}

/* ---- a whole policy ---- */

bool policy_has(const struct policy *policy, enum policy_key key)
{
	for (; policy; policy = policy->floor ? &policy->floor->policy : NULL)
		if (policy->set[key])
			return true;
	return false;
}

int policy_tighten(struct arena *arena, const struct policy *base,
		   const struct policy_floor *floor, struct policy *ret)
{
	struct policy made = *base;
	const struct tighten t = { arena, base, floor, &made };

	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		int r = tighteners[key](&t, key);

		if (r < 0)
			return r;
	}
	/* The policy may be stricter than the floor, which only permits. */
	made.allow_degraded &= ~made.strict;
	made.disable &= ~made.strict;
	made.floor = floor;
	*ret = made;
	return 0;
}
