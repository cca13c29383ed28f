/* SPDX-License-Identifier: Apache-2.0 */
/* policy/env.c - decide which variables the workload gets. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/keys.h"
#include "policy/presets.h"

static const char *const basic[] = {
	"PATH", "HOME", "USER", "TERM", "LANG", NULL,
};

static const char *const standard[] = {
	"PATH",
	"HOME",
	"USER",
	"LOGNAME",
	"SHELL",
	"PWD",
	"LANG",
	"LANGUAGE",
	"LC_*",
	"TZ",
	"TERM",
	"TERMINFO",
	"COLORTERM",
	"COLUMNS",
	"LINES",
	"TMPDIR",
	"TMP",
	"TEMP",
	"EDITOR",
	"VISUAL",
	"PAGER",
	"VIRTUAL_ENV",
	"PYTHONPATH",
	"PYTHONHOME",
	"PYTHONUNBUFFERED",
	"PYTHONDONTWRITEBYTECODE",
	"PYTHONHASHSEED",
	"XDG_*",
	"NO_COLOR",
	"FORCE_COLOR",
	"CLICOLOR",
	"CLICOLOR_FORCE",
	"CI",
	"SSL_CERT_FILE",
	"SSL_CERT_DIR",
	NULL,
};

static const char *const known_secrets[] = {
	"AWS_SECRET_ACCESS_KEY",
	"AWS_SESSION_TOKEN",
	"GITHUB_TOKEN",
	"GH_TOKEN",
	"GITLAB_TOKEN",
	"OPENAI_API_KEY",
	"ANTHROPIC_API_KEY",
	"GOOGLE_API_KEY",
	"GOOGLE_APPLICATION_CREDENTIALS",
	"AZURE_CLIENT_SECRET",
	"HF_TOKEN",
	"NPM_TOKEN",
	"PYPI_TOKEN",
	"UV_PUBLISH_TOKEN",
	"TWINE_PASSWORD",
	"DOCKER_PASSWORD",
	"DATABASE_URL",
	"PGPASSWORD",
	"MYSQL_PWD",
	"REDIS_URL",
	"MONGODB_URI",
	"STRIPE_SECRET_KEY",
	"TWILIO_AUTH_TOKEN",
	"SENDGRID_API_KEY",
	"SLACK_TOKEN",
	"SLACK_BOT_TOKEN",
	"VAULT_TOKEN",
	"DIGITALOCEAN_TOKEN",
	"CLOUDFLARE_API_TOKEN",
	NULL,
};

static const struct {
	const char *name;
	const char *const *members;
} presets[] = {
	{ "standard", standard },
	{ "known-secrets", known_secrets },
};

const char *policy_env_preset_name(size_t index)
{
	return index < COUNT(presets) ? presets[index].name : NULL;
}

const char *const *policy_env_preset(const char *name)
{
	for (size_t i = 0; i < COUNT(presets); i++)
		if (streq(presets[i].name, name))
			return presets[i].members;
	return NULL;
}

bool policy_is_env_preset(const char *name)
{
	return policy_env_preset(name) != NULL;
}

static bool is_variable(const char *entry, const char *name)
{
	size_t len = strlen(name);

	return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

/* True if NAME or PREFIX_* matches the variable of an entry. */
static bool names_entry(const char *pattern, const char *entry)
{
	size_t len = strlen(pattern);

	if (len > 0 && pattern[len - 1] == '*')
		return strncmp(entry, pattern, len - 1) == 0;
	return is_variable(entry, pattern);
}

/* "*" is a prefix of every name. */
static bool any_names(const struct strings *patterns, const char *entry)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (names_entry(patterns->items[i], entry))
			return true;
	return false;
}

static int add_all(struct arena *arena, const char *const *names,
		   struct strings *ret)
{
	int r = 0;

	for (; r == 0 && names && *names; names++)
		r = strings_add(arena, ret, *names);
	return r;
}

static int add_names(struct arena *arena, const struct policy_names *given,
		     struct strings *ret)
{
	int r = given->all ? strings_add(arena, ret, "*") : 0;

	for (size_t i = 0; r == 0 && i < given->names.n; i++) {
		const char *name = given->names.items[i];

		r = name[0] == '@' ?
			    add_all(arena, policy_env_preset(name + 1), ret) :
			    strings_add(arena, ret, name);
	}
	return r;
}

static int find_kept(struct arena *arena, const struct policy *policy,
		     enum policy_env_base base, struct strings *ret)
{
	const struct policy_names *allow = &policy->allow_env;
	bool chosen = policy->set[KEY_ALLOW_ENV];
	int r = 0;

	if (chosen && !allow->all && allow->names.n == 0)
		return 0;
	if (chosen)
		r = add_names(arena, allow, ret);
	if (r == 0 && (policy->clean_env || base == POLICY_ENV_BASIC))
		r = add_all(arena, basic, ret);
	else if (r == 0 && base == POLICY_ENV_ALL && !chosen)
		r = strings_add(arena, ret, "*");
	return r;
}

/* What the floors deny and set is not for others to set. */
static int find_held(struct arena *arena, const struct policy *policy,
		     struct strings *ret)
{
	const struct policy_floor *floor;
	int r = 0;

	for (floor = policy->floor; r == 0 && floor;
	     floor = floor->policy.floor) {
		const struct policy_map *env = &floor->policy.env;

		if (floor->policy.set[KEY_DENY_ENV])
			r = add_names(arena, &floor->policy.deny_env, ret);
		for (size_t i = 0; r == 0 && i < env->n; i++)
			r = strings_add(arena, ret, env->items[i].key);
	}
	return r;
}

static int add_twice(struct arena *arena, struct strings *list,
		     const char *upper, const char *lower, const char *value)
{
	int r = value ? strings_add(arena, list,
				    arena_printf(arena, "%s=%s", upper,
						 value)) :
			-ENOMEM;

	if (r == 0)
		r = strings_add(arena, list,
				arena_printf(arena, "%s=%s", lower, value));
	return r;
}

static int add_proxies(struct arena *arena, const struct policy *policy,
		       struct strings *ret)
{
	const char *http, *socks;
	int r = 0;

	if (policy->set[KEY_HTTP_PROXY_PORT]) {
		http = arena_printf(arena, "http://127.0.0.1:%" PRIu32,
				    policy->http_proxy_port);
		r = add_twice(arena, ret, "HTTP_PROXY", "http_proxy", http);
		if (r == 0)
			r = add_twice(arena, ret, "HTTPS_PROXY", "https_proxy",
				      http);
	}
	if (r == 0 && policy->set[KEY_SOCKS_PROXY_PORT]) {
		socks = arena_printf(arena, "socks5://127.0.0.1:%" PRIu32,
				     policy->socks_proxy_port);
		r = add_twice(arena, ret, "ALL_PROXY", "all_proxy", socks);
	}
	if (r == 0 && ret->n)
		r = add_twice(arena, ret, "NO_PROXY", "no_proxy",
			      "localhost,127.0.0.1,::1");
	return r;
}

int policy_env_rules(struct arena *arena, const struct policy *policy,
		     enum policy_env_base base, struct env_rules *ret)
{
	const struct policy_map *env = &policy->env;
	struct env_rules rules = { 0 };
	struct strings proxies = { 0 };
	int r = find_kept(arena, policy, base, &rules.keep);

	if (r == 0 && policy->set[KEY_DENY_ENV])
		r = add_names(arena, &policy->deny_env, &rules.deny);
	if (r == 0)
		r = find_held(arena, policy, &rules.held);
	for (size_t i = 0; r == 0 && i < env->n; i++) {
		const char *text = arena_printf(arena, "%s=%s",
						env->items[i].key,
						env->items[i].value);

		r = text ? strings_add(arena, &rules.put, text) : -ENOMEM;
	}
	if (r == 0)
		r = add_proxies(arena, policy, &proxies);
	if (r == 0 && proxies.n)
		r = env_put(arena, &proxies, &rules.put, &rules.put);
	if (r == 0)
		*ret = rules;
	return r;
}

/* An entry without a name matches no rule. */
static bool is_kept(const struct env_rules *rules, const char *entry)
{
	if (entry[0] == '=' || !strchr(entry, '='))
		return false;
	return any_names(&rules->keep, entry) &&
	       !any_names(&rules->deny, entry);
}

const char *env_held(const struct env_rules *rules, const struct strings *given)
{
	for (size_t i = 0; i < given->n; i++)
		if (any_names(&rules->held, given->items[i]))
			return given->items[i];
	return NULL;
}

static bool is_replaced(const struct strings *put, const char *entry)
{
	size_t len = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < put->n; i++)
		if (strncmp(put->items[i], entry, len) == 0)
			return true;
	return false;
}

int env_put(struct arena *arena, const struct strings *put,
	    const struct strings *given, struct strings *ret)
{
	const char **items =
		arena_array(arena, given->n + put->n + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < given->n; i++)
		if (!is_replaced(put, given->items[i]))
			items[n++] = given->items[i];
	for (size_t i = 0; i < put->n; i++)
		items[n++] = put->items[i];
	*ret = (struct strings){ .items = items, .n = n };
	return 0;
}

int env_filter(struct arena *arena, const struct env_rules *rules,
	       const struct strings *given, struct strings *ret)
{
	const char **items = arena_array(arena, given->n + 1, sizeof *items);
	struct strings kept = { .items = items };

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < given->n; i++)
		if (is_kept(rules, given->items[i]))
			items[kept.n++] = given->items[i];
	return env_put(arena, &rules->put, &kept, ret);
}
