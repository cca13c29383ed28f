/* SPDX-License-Identifier: Apache-2.0 */
/* policy/env.c - which variables reach the workload. */
#include <errno.h>
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

/* Whether NAME or PREFIX_* names the variable of an entry. */
static bool names_entry(const char *pattern, const char *entry)
{
	size_t len = strlen(pattern);

	if (len > 0 && pattern[len - 1] == '*')
		return strncmp(entry, pattern, len - 1) == 0;
	return is_variable(entry, pattern);
}

static bool any_names(const char *const *patterns, const char *entry)
{
	for (; patterns && *patterns; patterns++)
		if (names_entry(*patterns, entry))
			return true;
	return false;
}

static bool lists(const struct policy_names *given, const char *entry)
{
	if (given->all)
		return true;
	for (size_t i = 0; i < given->names.n; i++) {
		const char *name = given->names.items[i];
		const char *const one[] = {
			name,
			NULL,
		};

		if (any_names(name[0] == '@' ? policy_env_preset(name + 1) :
					       one,
			      entry))
			return true;
	}
	return false;
}

static bool is_wanted(const struct policy *policy, enum policy_env_base base,
		      const char *entry)
{
	const struct policy_names *allow = &policy->allow_env;
	bool chosen = policy->set[KEY_ALLOW_ENV];

	/* Without a name it cannot be judged. */
	if (entry[0] == '=' || !strchr(entry, '='))
		return false;
	if (policy->set[KEY_DENY_ENV] && lists(&policy->deny_env, entry))
		return false;
	if (chosen && !allow->all && allow->names.n == 0)
		return false;
	if (chosen && lists(allow, entry))
		return true;
	if (policy->clean_env || base == POLICY_ENV_BASIC)
		return any_names(basic, entry);
	return base == POLICY_ENV_ALL && !chosen;
}

static bool is_replaced(const struct policy *policy, const char *entry)
{
	for (size_t i = 0; i < policy->env.n; i++)
		if (is_variable(entry, policy->env.items[i].key))
			return true;
	return false;
}

int policy_environment(struct arena *arena, const struct policy *policy,
		       enum policy_env_base base, const struct strings *given,
		       struct strings *ret)
{
	const struct policy_map *env = &policy->env;
	const char **items =
		arena_array(arena, given->n + env->n + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < given->n; i++)
		if (is_wanted(policy, base, given->items[i]) &&
		    !is_replaced(policy, given->items[i]))
			items[n++] = given->items[i];
	for (size_t i = 0; i < env->n; i++) {
		items[n] = arena_printf(arena, "%s=%s", env->items[i].key,
					env->items[i].value);
		if (!items[n++])
			return -ENOMEM;
	}
	*ret = (struct strings){ .items = items, .n = n };
	return 0;
}
