/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/supervisor.c - which keys need a process of the runtime that lives as
 * long as the container.
 */
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/policy.h"

/* The length of a path up to its first character of a pattern. */
static size_t literal_len(const char *path)
{
	size_t len = strcspn(path, "*?[{");

	while (len > 1 && path[len - 1] == '/')
		len--;
	return len;
}

/* Presets, ~ and names at any depth are resolved only in the container. */
static bool is_path(const char *item)
{
	return item[0] == '/';
}

static bool is_below(const char *path, const char *above)
{
	size_t len;

	path += *path == '-';
	above += *above == '-';
	if (!is_path(path) || !is_path(above))
		return true;
	len = literal_len(above);
	if (strncmp(path, above, len) != 0)
		return false;
	return path[len] == '/' || !path[len] || above[len] ||
	       (len > 0 && above[len - 1] == '/');
}

static bool any_is_below(const struct strings *paths,
			 const struct strings *above)
{
	for (size_t i = 0; i < paths->n; i++)
		for (size_t k = 0; k < above->n; k++)
			if (is_below(paths->items[i], above->items[k]))
				return true;
	return false;
}

/* False if it has only files of the kernel, which no process can replace. */
static bool has_files(const struct strings *denied)
{
	static const char *const names[] = { "/proc", "/sys", NULL };
	const struct strings kernel = STRINGS_OF(names);

	for (size_t i = 0; i < denied->n; i++) {
		const struct strings one = { &denied->items[i], 1 };

		if (!is_path(denied->items[i] + (*denied->items[i] == '-')) ||
		    !any_is_below(&one, &kernel))
			return true;
	}
	return false;
}

/*
 * A process outside can replace a denied name in a directory that is writable;
 * only a process that watches the directory can cover it again.
 */
static bool is_replaceable(const struct policy *policy,
			   const struct strings *denied)
{
	/* A strict policy that runs has no such name. */
	if (policy_may_lack(policy, PROTECT_DENY_REPLACE) ||
	    policy_disables(policy, PROTECT_DENY_REPLACE) ||
	    policy_is_strict(policy, PROTECT_DENY_REPLACE))
		return false;
	if (!policy_allows_files(policy))
		return has_files(denied);
	return any_is_below(denied, &policy->write) ||
	       any_is_below(denied, &policy->write_only);
}

static bool deny(const struct policy *policy)
{
	return is_replaceable(policy, &policy->deny);
}

static bool deny_read(const struct policy *policy)
{
	return is_replaceable(policy, &policy->deny_read);
}

static bool deny_write(const struct policy *policy)
{
	return is_replaceable(policy, &policy->deny_write);
}

static bool deny_execute(const struct policy *policy)
{
	return is_replaceable(policy, &policy->deny_execute);
}

static bool asked_for(const struct policy *policy)
{
	return policy->set[KEY_SUPERVISOR] && policy->supervisor;
}

/* A process relays what the rules allow. */
static bool net_allow(const struct policy *policy)
{
	return policy->net_allow.n > 0;
}

static const struct {
	enum policy_key key;
	bool (*needs)(const struct policy *policy);
} rows[] = {
	{ KEY_DENY, deny },
	{ KEY_DENY_READ, deny_read },
	{ KEY_DENY_WRITE, deny_write },
	{ KEY_DENY_EXECUTE, deny_execute },
	{ KEY_NET_ALLOW, net_allow },
	{ KEY_NET_DENY, policy_denies_alone },
	{ KEY_SUPERVISOR, asked_for },
};

enum policy_key policy_supervisor_key(const struct policy *policy)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].needs(policy))
			return rows[i].key;
	return KEY_COUNT;
}

const char *policy_supervisor_advice(enum policy_key key)
{
	return policy_key_info(key)->section == SECTION_FILESYSTEM ?
		       ", or list deny_replace in config.allow_degraded" :
		       "";
}

int policy_check_supervisor(const struct policy *policy)
{
	enum policy_key key = policy_supervisor_key(policy);

	if (!policy->set[KEY_SUPERVISOR] || policy->supervisor ||
	    key == KEY_COUNT)
		return 0;
	return fail(0,
		    "config.supervisor is false, but %s requires a supervisor: "
		    "remove one of them%s",
		    policy_key_name(key), policy_supervisor_advice(key));
}
