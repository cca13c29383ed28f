/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/global_options.c - fill struct session from the global
 * options.
 */
#include "runtime/sandlock-oci/global_options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "base/util.h"
#include "oci/state_root.h"
#include "policy/keys.h"
#include "policy/system_config.h"

#define FIELD(field) offsetof(struct global_options, field)

static const struct option_spec options_known[] = {
	{ "root", 0, OPTION_TEXT, FIELD(root), "DIR",
	  "directory for the state of containers" },
	{ "log", 0, OPTION_TEXT, FIELD(log), "FILE",
	  "append errors to this file as well" },
	{ "log-format", 0, OPTION_TEXT, FIELD(log_format), "FORMAT",
	  "text (default) or json" },
	{ "log-level", 0, OPTION_TEXT, FIELD(log_level), "LEVEL",
	  "error (default), warning or debug" },
	{ "debug", 0, OPTION_FLAG, FIELD(debug), NULL,
	  "same as --log-level debug" },
	{ "systemd-cgroup", 0, OPTION_FLAG, FIELD(systemd_cgroup), NULL,
	  "same as --cgroup-manager systemd" },
	{ "cgroup-manager", 0, OPTION_TEXT, FIELD(cgroup_manager), "MANAGER",
	  "cgroupfs (default), systemd or disabled" },
	{ "rootless", 0, OPTION_TEXT, FIELD(rootless), "WHEN",
	  "true, false or auto (default)" },
	{ "criu", 0, OPTION_TEXT, FIELD(criu), "PATH",
	  "criu program for checkpoint and restore" },
	{ "config", 0, OPTION_TEXT, FIELD(config), "FILE",
	  "read this file instead of " SYSTEM_CONFIG " (only root)" },
	{ "profile", 0, OPTION_TEXT, FIELD(profile), "NAME",
	  "profile for containers whose annotations name none" },
	{ "enforce", 0, OPTION_TEXT, FIELD(enforce), "NAME",
	  "profile that the policy of a container can only tighten" },
	{ "allow-annotations", 0, OPTION_LIST, FIELD(allow_annotations), "KEYS",
	  "comma-separated policy keys that affect the host and that "
	  "annotations may set" },
	{ "version", 'v', OPTION_FLAG, FIELD(version), NULL,
	  "print the version" },
};

const struct option_table global_options_table = {
	.items = options_known,
	.n = COUNT(options_known),
	.stop_at_args = true,
};

struct choice {
	const char *word;
	int value;
};

static const struct choice log_formats[] = {
	{ "text", LOG_TEXT },
	{ "json", LOG_JSON },
	{ NULL, 0 },
};
static const struct choice log_levels[] = {
	{ "error", false },
	{ "warning", true },
	{ "debug", true },
	{ NULL, 0 },
};
static const struct choice cgroup_managers[] = {
	{ "cgroupfs", CGROUP_CGROUPFS },
	{ "systemd", CGROUP_SYSTEMD },
	{ "disabled", CGROUP_DISABLED },
	{ NULL, 0 },
};
static const struct choice rootless_words[] = {
	{ "auto", -1 },
	{ "false", 0 },
	{ "true", 1 },
	{ NULL, 0 },
};

static int fail_choice(const char *option, const char *word,
		       const struct choice *choices)
{
	char words[128] = "";
	size_t len = 0;

	for (const struct choice *c = choices; c->word; c++)
		len += (size_t)snprintf(words + len, sizeof words - len, "%s%s",
					len ? ", " : "", c->word);
	return fail(0, "--%s: unknown value '%s' (known: %s)", option, word,
		    words);
}

/* An option that is not given has the first of its choices. */
static int choose(const char *option, const char *word,
		  const struct choice *choices, int *ret)
{
	const struct choice *c = choices;

	while (word && c->word && !streq(c->word, word))
		c++;
	if (!c->word)
		return fail_choice(option, word, choices);
	*ret = c->value;
	return 0;
}

static int open_log(const struct global_options *options)
{
	int format, debug, r;

	r = choose("log-format", options->log_format, log_formats, &format);
	if (r < 0)
		return r;
	r = choose("log-level", options->log_level, log_levels, &debug);
	if (r < 0)
		return r;
	return log_open(&(struct log_options){
		.file = is_set(options->log) ? options->log : NULL,
		.format = (enum log_format)format,
		.debug = debug || options->debug,
	});
}

/* Remove empty and "." components, and resolve ".." in the text only. */
static void clean(char *path)
{
	size_t out = 0;

	for (const char *p = path; *p;) {
		size_t len = strcspn(p, "/");
		size_t rest = len + (p[len] == '/');

		if (len == 2 && p[0] == '.' && p[1] == '.') {
			while (out > 0 && path[--out] != '/')
				;
		} else if (len > 0 && !(len == 1 && p[0] == '.')) {
			path[out++] = '/';
			memmove(path + out, p, len);
			out += len;
		}
		p += rest;
	}
	path[out] = '\0';
}

static int absolute(struct arena *arena, const char *path, const char **ret)
{
	char cwd[PATH_MAX] = "";
	char *whole;

	if (path[0] != '/' && !getcwd(cwd, sizeof cwd))
		return fail(errno, "find the current directory");
	whole = arena_printf(arena, "%s/%s", cwd, path);
	if (!whole)
		return -ENOMEM;
	clean(whole);
	*ret = whole;
	return 0;
}

static int set_root(const char *given, struct session *session)
{
	char usual[PATH_MAX];
	int r;

	if (given && !*given)
		return fail(0, "--root: the path is empty");
	r = given ? 0 : state_root(STATE_CONTAINERS, usual);
	if (r >= 0)
		r = absolute(session->arena, given ? given : usual,
			     &session->root);
	if (r < 0)
		return r;
	if (!*session->root)
		return fail(0, "--root: '/' cannot be the state directory");
	session->root_given = given != NULL;
	return 0;
}

static bool needs_permission(enum policy_key key)
{
	return policy_key_info(key)->bundle == POLICY_BUNDLE_ASK;
}

static int refuse_key(struct arena *arena, const char *name)
{
	struct text out = { .arena = arena };
	const char *separator = "", *annotation, *known;
	int r;

	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		if (!needs_permission(key))
			continue;
		text_put(&out, "%s%s", separator, policy_key_name(key));
		separator = ", ";
	}
	for (size_t i = 0; (annotation = oci_annotation_of_host(i)); i++)
		text_put(&out, ", %s", annotation);
	r = text_close(&out, &known);
	return r < 0 ? r :
		       fail(0,
			    "--allow-annotations: '%s' is not a key that needs "
			    "this permission (such keys are %s)",
			    name, known);
}

/* Accept only keys that need permission, so that a typo is noticed. */
static int add_key(struct arena *arena, char *name, struct strings *keys)
{
	int key = policy_key_find(name);
	bool known = key >= 0 && needs_permission(key);

	if (!known && !oci_annotation_touches_host(name))
		return refuse_key(arena, name);
	return strings_add(arena, keys, known ? policy_key_name(key) : name);
}

static int split_keys(struct arena *arena, const struct strings *lists,
		      struct strings *ret)
{
	for (size_t i = 0; i < lists->n; i++) {
		char *list = arena_strdup(arena, lists->items[i]), *save;

		if (!list)
			return -ENOMEM;
		for (char *name = strtok_r(list, ",", &save); name;
		     name = strtok_r(NULL, ",", &save)) {
			int r = add_key(arena, name, ret);

			if (r < 0)
				return r;
		}
	}
	return 0;
}

void global_options_offer(const struct completion *c)
{
	static const struct {
		const char *option;
		const struct choice *choices;
	} known[] = {
		{ "log-format", log_formats },
		{ "log-level", log_levels },
		{ "cgroup-manager", cgroup_managers },
		{ "rootless", rootless_words },
	};

	for (size_t i = 0; i < COUNT(known); i++)
		if (streq(known[i].option, c->option))
			for (const struct choice *choice = known[i].choices;
			     choice->word; choice++)
				complete_with(c, choice->word, "");
}

/* Options of the command line replace those of the file. */
static int add_config(struct arena *arena, struct global_options *options,
		      struct session *session)
{
	struct system_config config;
	int r = system_config_load(arena, options->config, &config);

	if (r < 0)
		return r;

	const struct {
		const char **option;
		const char *value;
	} texts[] = {
		{ &options->root, config.root },
		{ &options->log, config.log },
		{ &options->log_format, config.log_format },
		{ &options->log_level, config.log_level },
		{ &options->cgroup_manager, config.cgroup_manager },
		{ &options->rootless, config.rootless },
		{ &options->criu, config.criu },
		{ &options->profile, config.profile },
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		if (!*texts[i].option)
			*texts[i].option = texts[i].value;
	if (!options->allow_annotations.n)
		options->allow_annotations = config.allow_annotations;
	/* But they do not replace what the file enforces. */
	if (config.enforce)
		r = strings_add(arena, &session->enforced, config.enforce);
	if (r == 0 && options->enforce)
		r = strings_add(arena, &session->enforced, options->enforce);
	return r;
}

int global_options_apply(const struct global_options *given,
			 struct session *session)
{
	struct global_options whole = *given;
	const struct global_options *options = &whole;
	struct err_kept kept;
	int manager, r, config;

	/* An error of the file must reach the log, too. */
	config = add_config(session->arena, &whole, session);
	err_keep(&kept);
	r = open_log(options);
	if (r < 0)
		return r;
	err_restore(&kept);
	if (config < 0)
		return config;
	r = set_root(options->root, session);
	if (r < 0)
		return r;
	r = choose("cgroup-manager", options->cgroup_manager, cgroup_managers,
		   &manager);
	if (r < 0)
		return r;
	session->cgroup_manager = options->systemd_cgroup ?
					  CGROUP_SYSTEMD :
					  (enum cgroup_manager)manager;
	session->criu = options->criu;
	session->profile = options->profile;
	r = split_keys(session->arena, &options->allow_annotations,
		       &session->allow_annotations);
	if (r < 0)
		return r;
	return choose("rootless", options->rootless, rootless_words,
		      &session->rootless);
}
