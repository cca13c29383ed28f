/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/create_options.c - the options and arguments of create and run. */
#include "runtime/sandlock-oci/shared_options.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "runtime/container/create.h"

#define OPTION(field) offsetof(struct create_options, field)

const struct option_spec create_option_table[] = {
	{ "bundle", 'b', OPTION_TEXT, OPTION(bundle), "DIR",
	  "bundle directory (default: the current directory)" },
	{ "config", 'f', OPTION_TEXT, OPTION(config), "FILE",
	  "use this file instead of the bundle's config.json" },
	{ "console-socket", 0, OPTION_TEXT, OPTION(console_socket), "SOCKET",
	  "Unix socket that receives the terminal's master" },
	{ "pidfd-socket", 0, OPTION_TEXT, OPTION(pidfd_socket), "SOCKET",
	  "Unix socket that receives a pidfd of the container's process" },
	{ "pid-file", 0, OPTION_TEXT, OPTION(pid_file), "FILE",
	  "file to write the pid of the container's process to" },
	{ "no-pivot", 0, OPTION_FLAG, OPTION(no_pivot), NULL,
	  "switch the root by moving the mount, not by pivot_root" },
	{ "no-new-keyring", 0, OPTION_FLAG, OPTION(no_new_keyring), NULL,
	  "keep the caller's session keyring" },
	{ "no-subreaper", 0, OPTION_FLAG, OPTION(no_subreaper), NULL,
	  "do not become a subreaper for orphans of the program" },
	{ "preserve-fds", 0, OPTION_NUMBER, OPTION(preserve_fds), "N",
	  "pass N more descriptors, starting at 3" },
	{ "dump-plan", 0, OPTION_FLAG, OPTION(dump_plan), NULL,
	  "print the steps of the plan and do nothing" },
	{ "detach", 'd', OPTION_FLAG, OPTION(detach), NULL,
	  "do not wait for the program" },
	{ "keep", 0, OPTION_FLAG, OPTION(keep), NULL,
	  "do not delete the container when its program exits" },
};

static bool is_bundle(const char *path)
{
	char config[PATH_MAX];

	return (size_t)snprintf(config, sizeof config, "%s/config.json", path) <
		       sizeof config &&
	       access(config, F_OK) == 0;
}

/*
 * Make an ID of the bundle's name ("bundles/web/" is web); replace invalid
 * characters.
 */
static int id_of_bundle(struct arena *arena, const char *path, const char **ret)
{
	autofree char *real = realpath(path, NULL);
	char *id;

	if (!real)
		return fail(errno, "bundle %s", path);
	id = arena_strdup(arena, basename(real));
	if (!id)
		return -ENOMEM;
	for (char *p = id; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
			    "WXYZ0123456789_+-.",
			    *p))
			*p = '_';
	*ret = id;
	return 0;
}

/* Get ID and bundle from the argument. */
static int read_name(struct arena *arena, const char *name,
		     struct create_options *options, const char **ret_id)
{
	if (!options->bundle && is_bundle(name)) {
		options->bundle = name;
		return id_of_bundle(arena, name, ret_id);
	}
	*ret_id = name;
	return container_check_id(name);
}

int create_prepare_named(const struct session *session, const char *name,
			 bool has_gate, struct create_options *options,
			 struct prepared *p)
{
	const char *id = NULL;
	int r = read_name(session->arena, name, options, &id);

	if (r < 0)
		return r;
	p->arena = session->arena;
	p->session = session;
	p->options = options;
	return create_prepare(p, id, has_gate);
}

int create_dump_plan(const struct prepared *p)
{
	struct strings rules;
	const char *text;
	int r = plan_print(p->arena, &p->plan, &text);

	if (r >= 0)
		r = plan_policy_lines(p->arena, &p->enforcement, &rules);
	if (r < 0)
		return r;
	for (size_t i = 0; i < rules.n; i++)
		printf("      policy: %s\n", rules.items[i]);
	fputs(text, stdout);
	return 0;
}
