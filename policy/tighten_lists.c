/* SPDX-License-Identifier: Apache-2.0 */
/* policy/tighten_lists.c - lists of a policy under those of a floor. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/http_rule.h"
#include "policy/net_rule.h"
#include "policy/presets.h"
#include "policy/tighten.h"

#define MAX_PORT 65535

static const struct strings *list_of(const struct policy *policy,
				     enum policy_key key)
{
	return policy_value(policy, key);
}

/* Set a list that has items of both. */
static int give(const struct tighten *t, enum policy_key key,
		const struct strings *list)
{
	*(struct strings *)policy_member(t->ret, key) = *list;
	t->ret->set[key] = true;
	return tighten_origins(t, key);
}

/* ---- denials ---- */

static int add_missing(struct arena *arena, const struct strings *from,
		       struct strings *to)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n; i++)
		if (!strings_has(to, from->items[i]))
			r = strings_add(arena, to, from->items[i]);
	return r;
}

static int sum_names(const struct tighten *t, enum policy_key key)
{
	const struct policy_names *held = &t->floor->policy.deny_env;
	struct policy_names *ret = &t->ret->deny_env;
	int r = add_missing(t->arena, &held->names, &ret->names);

	ret->all = ret->all || held->all;
	t->ret->set[key] = true;
	return r < 0 ? r : tighten_origins(t, key);
}

POLICY_TIGHTENER(tighten_sum)
{
	struct strings sum;
	int r;

	if (!t->floor->policy.set[key])
		return 0;
	if (policy_key_info(key)->type == POLICY_TYPE_PROTECTIONS) {
		*(uint32_t *)policy_member(t->ret, key) |=
			*(const uint32_t *)policy_value(&t->floor->policy, key);
		t->ret->set[key] = true;
		return tighten_origins(t, key);
	}
	if (policy_key_info(key)->type == POLICY_TYPE_NAMES)
		return sum_names(t, key);
	sum = *list_of(t->base, key);
	r = add_missing(t->arena, list_of(&t->floor->policy, key), &sum);
	return r < 0 ? r : give(t, key, &sum);
}

/* ---- exceptions ---- */

static bool is_subset(const struct tighten *t, enum policy_key key)
{
	const struct policy *floor = &t->floor->policy;
	const struct strings *own;

	if (policy_key_info(key)->type == POLICY_TYPE_PROTECTIONS)
		return !(*(const uint32_t *)policy_value(t->base, key) &
			 ~*(const uint32_t *)policy_value(floor, key));
	own = list_of(t->base, key);
	for (size_t i = 0; i < own->n; i++)
		if (!strings_has(list_of(floor, key), own->items[i]))
			return false;
	return true;
}

POLICY_TIGHTENER(tighten_subset)
{
	if (t->base->set[key])
		return is_subset(t, key) ? 0 : tighten_refuse(t, key);
	if (t->floor->policy.set[key])
		tighten_take(t, key);
	return 0;
}

static bool has_mount(const struct policy_mounts *all,
		      const struct policy_mount *wanted)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct policy_mount *m = &all->items[i];

		if (streq(m->inside, wanted->inside) &&
		    streq(m->host, wanted->host) &&
		    (wanted->readonly || !m->readonly))
			return true;
	}
	return false;
}

POLICY_TIGHTENER(tighten_mounts)
{
	const struct policy *floor = &t->floor->policy;

	if (policy_has_section(floor, SECTION_FILESYSTEM))
		for (size_t i = 0; i < t->base->mount.n; i++)
			if (!has_mount(&floor->mount, &t->base->mount.items[i]))
				return tighten_refuse(t, key);
	if (!t->base->set[key] && floor->set[key])
		tighten_take(t, key);
	return 0;
}

POLICY_TIGHTENER(tighten_tmpfs)
{
	if (t->base->set[key] &&
	    !policy_has_section(&t->floor->policy, SECTION_FILESYSTEM))
		return 0;
	return tighten_subset(t, key);
}

/* ---- files ---- */

bool policy_allows_files(const struct policy *policy)
{
	return policy->set[KEY_READ] || policy->set[KEY_WRITE] ||
	       policy->set[KEY_WRITE_ONLY] || policy->set[KEY_EXECUTE];
}

static bool may_write(const struct policy *policy)
{
	return policy->set[KEY_WRITE] || policy->set[KEY_WRITE_ONLY];
}

/* A path of one may be a link, or a pattern, so the paths meet later. */
POLICY_TIGHTENER(tighten_files)
{
	const struct policy *floor = &t->floor->policy;

	if (!policy_allows_files(floor))
		return 0;
	if (!policy_allows_files(t->base)) {
		if (t->floor->bundle && floor->set[key])
			tighten_take(t, key);
		return 0;
	}
	if ((key == KEY_WRITE || key == KEY_WRITE_ONLY) &&
	    list_of(t->base, key)->n && !may_write(floor))
		return tighten_refuse(t, key);
	return 0;
}

/* ---- variables ---- */

/* True if NAME or PREFIX_* includes the other. */
static bool includes(const char *pattern, const char *other)
{
	size_t len = strlen(pattern);

	if (len > 0 && pattern[len - 1] == '*')
		return strncmp(pattern, other, len - 1) == 0;
	return streq(pattern, other);
}

bool tighten_names_has(const struct policy_names *names, const char *variable)
{
	for (size_t i = 0; i < names->names.n; i++) {
		const char *item = names->names.items[i];
		const char *const *members =
			item[0] == '@' ? policy_env_preset(item + 1) : NULL;

		if (!members && includes(item, variable))
			return true;
		for (; members && *members; members++)
			if (includes(*members, variable))
				return true;
	}
	return names->all;
}

/* Replace presets by their members. */
static int spell_out(struct arena *arena, const struct policy_names *names,
		     struct strings *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < names->names.n; i++) {
		const char *item = names->names.items[i];
		const char *const *members =
			item[0] == '@' ? policy_env_preset(item + 1) : NULL;

		if (!members)
			r = strings_add(arena, ret, item);
		for (; r == 0 && members && *members; members++)
			r = strings_add(arena, ret, *members);
	}
	return r;
}

/* Add those of `from` that `in` includes. */
static int add_included(struct arena *arena, const struct strings *from,
			const struct policy_names *in, struct strings *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n; i++)
		if (tighten_names_has(in, from->items[i]) &&
		    !strings_has(ret, from->items[i]))
			r = strings_add(arena, ret, from->items[i]);
	return r;
}

static bool is_nothing(const struct policy_names *names)
{
	return !names->all && names->names.n == 0;
}

POLICY_TIGHTENER(tighten_names)
{
	const struct policy_names *own = &t->base->allow_env;
	const struct policy_names *held = &t->floor->policy.allow_env;
	struct strings mine = { 0 }, theirs = { 0 }, both = { 0 };
	int r;

	if (!t->floor->policy.set[key])
		return 0;
	if (!t->base->set[key]) {
		/* Elsewhere only a few variables are passed on by default. */
		if (t->floor->bundle || is_nothing(held))
			tighten_take(t, key);
		return 0;
	}
	if (held->all)
		return 0;
	if (own->all) {
		tighten_take(t, key);
		return tighten_origins(t, key);
	}
	r = spell_out(t->arena, own, &mine);
	if (r == 0)
		r = spell_out(t->arena, held, &theirs);
	if (r == 0)
		r = add_included(t->arena, &mine, held, &both);
	if (r == 0)
		r = add_included(t->arena, &theirs, own, &both);
	t->ret->allow_env = (struct policy_names){ .names = both };
	return r < 0 ? r : tighten_origins(t, key);
}

/* ---- numbers ---- */

static bool has_number(const struct policy_numbers *list, uint32_t number)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i] == number)
			return true;
	return false;
}

POLICY_TIGHTENER(tighten_numbers)
{
	const struct policy_numbers *own = policy_value(t->base, key);
	const struct policy_numbers *held =
		policy_value(&t->floor->policy, key);
	uint32_t *items;
	size_t n = 0;

	if (!t->floor->policy.set[key])
		return 0;
	if (!t->base->set[key]) {
		tighten_take(t, key);
		return 0;
	}
	items = arena_array(t->arena, own->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < own->n; i++)
		if (has_number(held, own->items[i]))
			items[n++] = own->items[i];
	if (n == 0)
		return tighten_empty(t, key);
	*(struct policy_numbers *)policy_member(t->ret, key) =
		(struct policy_numbers){ items, n };
	return tighten_origins(t, key);
}

POLICY_TIGHTENER(tighten_gpus)
{
	const struct policy *floor = &t->floor->policy;

	if (!floor->set[key])
		return 0;
	/* Elsewhere there is no GPU by default. */
	if (!t->base->set[key] && !t->floor->bundle)
		return 0;
	if (t->base->set[key] && floor->gpu_devices.n == 0)
		return 0;
	if (t->base->set[key] && t->base->gpu_devices.n > 0)
		return tighten_numbers(t, key);
	tighten_take(t, key);
	return 0;
}

/* ---- the network ---- */

/* True if the floor leaves this key of the network to the policy. */
static bool is_open(const struct tighten *t, enum policy_mode least)
{
	const struct policy *floor = &t->floor->policy;

	return !policy_has_section(floor, SECTION_NETWORK) ||
	       tighten_mode_of(floor) >= least;
}

/* Get the floor's list, in a bundle that says nothing about the network. */
static bool takes_all(const struct tighten *t, enum policy_key key)
{
	if (!t->floor->bundle || tighten_allows_network(t->base))
		return false;
	if (t->floor->policy.set[key])
		tighten_take(t, key);
	return true;
}

static struct net_ports ports_of(const char *item)
{
	struct net_ports all = { 0, MAX_PORT };

	/* The reader has checked the item. */
	if (!streq(item, "*"))
		(void)net_ports_parse(item, /* min= */ 0, &all);
	return all;
}

static int add_common(struct arena *arena, const char *one, const char *other,
		      struct strings *ret)
{
	struct net_ports a = ports_of(one), b = ports_of(other);
	unsigned int first = a.first > b.first ? a.first : b.first;
	unsigned int last = a.last < b.last ? a.last : b.last;

	if (first > last)
		return 0;
	if (streq(one, "*") || streq(other, "*"))
		return strings_add(arena, ret, streq(one, "*") ? other : one);
	return strings_add(arena, ret,
			   first == last ?
				   arena_printf(arena, "%u", first) :
				   arena_printf(arena, "%u-%u", first, last));
}

POLICY_TIGHTENER(tighten_ports)
{
	const struct strings *own = list_of(t->base, key);
	const struct strings *held = list_of(&t->floor->policy, key);
	struct strings both = { 0 };
	int r = 0;

	if (is_open(t, POLICY_MODE_LOOPBACK) || takes_all(t, key) ||
	    !t->base->set[key])
		return 0;
	if (own->n && !t->floor->policy.set[key])
		return tighten_refuse(t, key);
	for (size_t i = 0; i < own->n; i++)
		for (size_t k = 0; r == 0 && k < held->n; k++)
			r = add_common(t->arena, own->items[i], held->items[k],
				       &both);
	return r < 0 ? r : give(t, key, &both);
}

/* The paths may be links, so they meet when they are resolved. */
POLICY_TIGHTENER(tighten_sockets)
{
	if (!policy_has_section(&t->floor->policy, SECTION_NETWORK) ||
	    takes_all(t, key) || !t->base->set[key])
		return 0;
	if (list_of(t->base, key)->n && !t->floor->policy.set[key])
		return tighten_refuse(t, key);
	return 0;
}

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned int bits)
{
	unsigned int rest = bits % 8;

	return memcmp(a, b, bits / 8) == 0 &&
	       (!rest ||
		a[bits / 8] >> (8 - rest) == b[bits / 8] >> (8 - rest));
}

/* A rule for any host does not include these; another one must name them. */
static bool is_named_only(const struct net_host *host)
{
	static const struct net_host kept[] = {
		{ .kind = NET_HOST_IPV4, .address = { 169, 254 }, .prefix = 16 },
		{ .kind = NET_HOST_IPV6,
		  .address = { 0xfe, 0x80 },
		  .prefix = 10 },
		/* A server of metadata. */
		{ .kind = NET_HOST_IPV6,
		  .address = { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54 },
		  .prefix = 128 },
	};

	for (size_t i = 0; i < COUNT(kept); i++)
		if (kept[i].kind == host->kind &&
		    same_bits(kept[i].address, host->address,
			      kept[i].prefix < host->prefix ? kept[i].prefix :
							      host->prefix))
			return true;
	return false;
}

static bool host_includes(const struct net_host *a, const struct net_host *b)
{
	if (a->kind == NET_HOST_ANY)
		return !is_named_only(b);
	if (a->kind == NET_HOST_IPV4 || a->kind == NET_HOST_IPV6)
		return a->kind == b->kind && a->prefix <= b->prefix &&
		       same_bits(a->address, b->address, a->prefix);
	if (b->kind != NET_HOST_NAME && b->kind != NET_HOST_BELOW)
		return false;
	if (a->kind == b->kind && streq(a->name, b->name))
		return true;
	return a->kind == NET_HOST_BELOW && ends_with(b->name, a->name) &&
	       strlen(b->name) > strlen(a->name) &&
	       b->name[strlen(b->name) - strlen(a->name) - 1] == '.';
}

static bool ports_include(const struct net_rule *a, const struct net_rule *b)
{
	if (a->n_ports == 0)
		return true;
	for (size_t i = 0; i < b->n_ports; i++) {
		bool found = false;

		for (size_t k = 0; k < a->n_ports; k++)
			found = found ||
				(a->ports[k].first <= b->ports[i].first &&
				 a->ports[k].last >= b->ports[i].last);
		if (!found)
			return false;
	}
	return b->n_ports > 0;
}

/* True if rule a includes rule b. */
static bool net_includes(struct arena *arena, const char *a, const char *b)
{
	struct net_rule one, other;

	return net_rule_parse(arena, a, &one) == 0 &&
	       net_rule_parse(arena, b, &other) == 0 &&
	       one.protocol == other.protocol &&
	       host_includes(&one.host, &other.host) &&
	       ports_include(&one, &other);
}

static bool http_includes(struct arena *arena, const char *a, const char *b)
{
	struct http_rule one, other;

	return http_rule_parse(arena, a, &one) == 0 &&
	       http_rule_parse(arena, b, &other) == 0 &&
	       (!one.method ||
		(other.method && streq(one.method, other.method))) &&
	       host_includes(&one.host, &other.host) &&
	       (streq(one.path, "/*") || streq(one.path, other.path));
}

/* Add the rules of `from` that a rule of `in` includes. */
static int add_rules(struct arena *arena, const struct strings *from,
		     const struct strings *in,
		     bool (*is_included)(struct arena *arena, const char *a,
					 const char *b),
		     struct strings *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < from->n; i++) {
		bool found = false;

		for (size_t k = 0; !found && k < in->n; k++)
			found = is_included(arena, in->items[k],
					    from->items[i]);
		if (found && !strings_has(ret, from->items[i]))
			r = strings_add(arena, ret, from->items[i]);
	}
	return r;
}

static int meet_rules(const struct tighten *t, enum policy_key key,
		      bool (*is_included)(struct arena *arena, const char *a,
					  const char *b))
{
	const struct strings *own = list_of(t->base, key);
	const struct strings *held = list_of(&t->floor->policy, key);
	struct strings both = { 0 };
	int r;

	if (!t->base->set[key])
		return 0;
	if (own->n && !t->floor->policy.set[key])
		return tighten_refuse(t, key);
	r = add_rules(t->arena, own, held, is_included, &both);
	if (r == 0)
		r = add_rules(t->arena, held, own, is_included, &both);
	return r < 0 ? r : give(t, key, &both);
}

POLICY_TIGHTENER(tighten_net_rules)
{
	if (is_open(t, POLICY_MODE_OPEN))
		return 0;
	/* Everything but some destinations is more than the floor allows. */
	if (policy_denies_alone(t->base))
		return give(t, key, list_of(&t->floor->policy, key));
	if (takes_all(t, key))
		return 0;
	return meet_rules(t, key, net_includes);
}

POLICY_TIGHTENER(tighten_http_rules)
{
	const struct policy *floor = &t->floor->policy;

	/* Rules of http.allow also extend network.allow. */
	if (!floor->set[key])
		return t->base->set[key] && !is_open(t, POLICY_MODE_OPEN) ?
			       tighten_refuse(t, key) :
			       0;
	if (!t->base->set[key]) {
		if (t->floor->bundle)
			tighten_take(t, key);
		return 0;
	}
	return meet_rules(t, key, http_includes);
}

POLICY_TIGHTENER(tighten_proxy)
{
	if (t->base->set[key] && !t->floor->policy.set[key] &&
	    !is_open(t, POLICY_MODE_OPEN))
		return tighten_refuse(t, key);
	return tighten_same(t, key);
}

POLICY_TIGHTENER(tighten_http_ports)
{
	const struct policy *floor = &t->floor->policy;

	/* Rules of http.allow also allow connections to these ports. */
	if (t->base->set[key] && !floor->set[key] && floor->set[KEY_HTTP_ALLOW])
		return tighten_refuse(t, key);
	return tighten_same(t, key);
}
