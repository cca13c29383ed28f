/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/exec_process.c - make the process of exec from its
 * options.
 */
#include "runtime/sandlock-oci/exec_process.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "confine/caps.h"

#define OPTION(field) offsetof(struct exec_options, field)

const struct option_spec exec_option_table[EXEC_OPTIONS] = {
	{ "console-socket", 0, OPTION_TEXT, OPTION(console_socket), "SOCKET",
	  "Unix socket that receives the terminal's master" },
	{ "pidfd-socket", 0, OPTION_TEXT, OPTION(pidfd_socket), "SOCKET",
	  "Unix socket that receives a pidfd of the process" },
	{ "pid-file", 0, OPTION_TEXT, OPTION(pid_file), "FILE",
	  "file to write the pid of the process to" },
	{ "process", 'p', OPTION_TEXT, OPTION(process_file), "FILE",
	  "file with a process object; other process options are ignored" },
	{ "cwd", 0, OPTION_TEXT, OPTION(cwd), "DIR", "working directory" },
	{ "user", 'u', OPTION_TEXT, OPTION(user), "UID[:GID]",
	  "numeric user and group id" },
	{ "process-label", 0, OPTION_TEXT, OPTION(process_label), "LABEL",
	  "SELinux label" },
	{ "apparmor", 0, OPTION_TEXT, OPTION(apparmor), "PROFILE",
	  "AppArmor profile" },
	{ "cgroup", 0, OPTION_TEXT, OPTION(cgroup), "PATH",
	  "existing sub-cgroup of the container's cgroup" },
	{ "env", 'e', OPTION_LIST, OPTION(env), "KEY=VALUE",
	  "add to the container's environment" },
	{ "cap", 'c', OPTION_LIST, OPTION(caps), "CAP", "add a capability" },
	{ "additional-gids", 'g', OPTION_LIST, OPTION(groups), "GID",
	  "add a group" },
	{ "tty", 't', OPTION_FLAG, OPTION(tty), NULL, "allocate a terminal" },
	{ "detach", 'd', OPTION_FLAG, OPTION(detach), NULL,
	  "do not wait for the program" },
	{ "no-new-privs", 0, OPTION_FLAG, OPTION(no_new_privs), NULL,
	  "set no_new_privs" },
	{ "ignore-paused", 0, OPTION_FLAG, OPTION(ignore_paused), NULL,
	  "enter a paused container; the program waits until it is resumed" },
	{ "no-subreaper", 0, OPTION_FLAG, OPTION(no_subreaper), NULL,
	  "accepted for compatibility; no subreaper is ever used" },
	{ "preserve-fds", 0, OPTION_NUMBER, OPTION(preserve_fds), "N",
	  "pass N more descriptors, starting at 3" },
};

static int read_file(struct arena *arena, const char *path,
		     struct oci_process *ret)
{
	/* It may be a pipe; a terminal must not become our controlling one. */
	autoclose int fd = open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return fail(errno, "--process: open %s", path);
	r = oci_process_read(arena, fd, ret);
	return r < 0 ? fail_in(r, "--process %s", path) : 0;
}

static int set_user(struct arena *arena, const char *text, struct oci_user *ret)
{
	char *copy = arena_strdup(arena, text), *colon;
	int r;

	if (!copy)
		return -ENOMEM;
	*ret = (struct oci_user){ .has_umask = ret->has_umask,
				  .umask = ret->umask };
	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	r = num_id(copy, &ret->uid);
	if (r >= 0 && colon)
		r = num_id(colon + 1, &ret->gid);
	return r < 0 ? fail_in(r, "--user %s", text) : 0;
}

static int add_groups(struct arena *arena, const struct strings *list,
		      struct oci_user *user)
{
	uint32_t *groups = arena_grow(arena, user->groups, user->ngroups,
				      user->ngroups + list->n, sizeof *groups);

	if (!groups)
		return -ENOMEM;
	for (size_t i = 0; i < list->n; i++) {
		int r = num_id(list->items[i], &groups[user->ngroups + i]);

		if (r < 0)
			return fail_in(r, "--additional-gids %s",
				       list->items[i]);
	}
	user->groups = groups;
	user->ngroups += list->n;
	return 0;
}

/* Keep the container's entries except those given again, then add these. */
static int add_env(struct arena *arena, const struct strings *more,
		   struct strings *env)
{
	const char **items =
		arena_array(arena, env->n + more->n + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < env->n + more->n; i++) {
		const char *entry = i < env->n ? env->items[i] :
						 more->items[i - env->n];
		size_t key = strcspn(entry, "=");

		if (entry[key] != '=' || key == 0)
			return fail(0, "--env '%s': not of the form KEY=VALUE",
				    entry);
		for (size_t k = 0; k < n; k++)
			if (strncmp(items[k], entry, key + 1) == 0) {
				memmove(&items[k], &items[k + 1],
					(n - k - 1) * sizeof *items);
				n--;
				break;
			}
		items[n++] = entry;
	}
	items[n] = NULL;
	env->items = items;
	env->n = n;
	return 0;
}

/*
 * Across execve, a user other than root keeps capabilities that are inheritable
 * and ambient. Root gets an ambient bit only if the container's processes have
 * the inheritable one.
 */
static int add_cap(struct arena *arena, const char *name, uint32_t uid,
		   struct oci_capabilities *caps)
{
	int number = caps_number(name), r;
	struct caps now;

	if (number < 0)
		return fail(0,
			    "--cap '%s': unknown capability (see "
			    "capabilities(7) for the names)",
			    name);
	r = strings_add(arena, &caps->bounding, name);
	if (r == 0)
		r = strings_add(arena, &caps->effective, name);
	if (r == 0)
		r = strings_add(arena, &caps->permitted, name);
	if (r == 0 && uid != 0)
		r = strings_add(arena, &caps->inheritable, name);
	if (r == 0)
		r = caps_read(arena, caps, &now);
	if (r == 0 && now.inheritable & CAPS_BIT(number))
		r = strings_add(arena, &caps->ambient, name);
	return r;
}

static int add_caps(struct arena *arena, const struct strings *list,
		    struct oci_process *process)
{
	struct oci_capabilities *caps = arena_alloc(arena, sizeof *caps);

	if (!caps)
		return -ENOMEM;
	if (process->capabilities)
		*caps = *process->capabilities;
	for (size_t i = 0; i < list->n; i++) {
		int r = add_cap(arena, list->items[i], process->user.uid, caps);

		if (r < 0)
			return r;
	}
	process->capabilities = caps;
	return 0;
}

static int apply_lists(struct arena *arena, const struct exec_options *o,
		       struct oci_process *p)
{
	int r = 0;

	if (o->groups.n)
		r = add_groups(arena, &o->groups, &p->user);
	if (r >= 0 && o->env.n)
		r = add_env(arena, &o->env, &p->env);
	if (r >= 0 && o->caps.n)
		r = add_caps(arena, &o->caps, p);
	return r;
}

static int from_flags(struct arena *arena, const struct oci_process *base,
		      const struct exec_options *o, int argc, char **argv,
		      struct oci_process *ret)
{
	struct oci_process p = *base;
	int r;

	if (argc < 1 || !*argv[0])
		return fail(0, "the program to run is missing: give a program "
			       "or --process");
	p.args.items = (const char **)argv;
	p.args.n = (size_t)argc;
	p.terminal = o->tty;
	p.has_console_size = false;
	if (o->cwd) {
		if (o->cwd[0] != '/')
			return fail(0, "--cwd %s: must be an absolute path",
				    o->cwd);
		p.cwd = o->cwd;
	}
	if (o->user) {
		r = set_user(arena, o->user, &p.user);
		if (r < 0)
			return r;
	}
	if (o->no_new_privs)
		p.no_new_privileges = true;
	if (o->process_label)
		p.selinux_label = o->process_label;
	if (o->apparmor)
		p.apparmor_profile = o->apparmor;
	r = apply_lists(arena, o, &p);
	if (r < 0)
		return r;
	*ret = p;
	return 0;
}

int exec_process_make(struct arena *arena, const struct oci_spec *spec,
		      const struct exec_options *options, int argc, char **argv,
		      struct oci_process *ret)
{
	if (is_set(options->process_file))
		return read_file(arena, options->process_file, ret);
	return from_flags(arena, spec->process, options, argc, argv, ret);
}
