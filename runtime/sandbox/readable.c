/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandbox/readable.c - refuse a policy under which nothing can run. */
#include "runtime/sandbox/readable.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/enforce/view.h"
#include "runtime/sandbox/sandbox.h"

/* True if a key other than filesystem.write makes anything readable. */
static bool is_readable(const struct policy *policy, const struct view *view)
{
	const struct policy_mounts *mounts = &policy->mount;

	for (size_t i = 0; i < mounts->n; i++)
		if (!policy_mount_is_absent(&mounts->items[i]))
			return true;
	for (size_t i = 0; i < view->allowed.n; i++) {
		const struct files_entry *entry = &view->allowed.items[i];

		if (streq(entry->key, policy_key_name(KEY_READ)) ||
		    streq(entry->key, policy_key_name(KEY_EXECUTE)))
			return true;
	}
	return false;
}

struct search {
	struct arena *arena;
	const struct view *view;
	struct files_place place;
};

/* Return 1 if this file exists and may be read. */
static int is_shown(const struct search *s, const char *path)
{
	const struct files_list *allowed = &s->view->allowed;
	const char *real;
	int r = path ? files_real_path(s->arena, &s->place, path, &real) :
		       -ENOMEM;

	for (size_t i = 0; r == 0 && real && i < allowed->n; i++)
		r = allowed->items[i].rights & LANDLOCK_MAY_READ &&
		    files_is_at_or_below(real, allowed->items[i].path);
	return r;
}

/* Return 1 if the command can be read, in its PATH if it has no slash. */
static int is_found(const struct search *s, const struct oci_process *process)
{
	const char *name = process->args.items[0];
	const char *path = oci_env_get(&process->env, "PATH");
	char *left, *dir;
	int r = 0;

	if (strchr(name, '/'))
		return is_shown(s, name[0] == '/' ?
					   name :
					   arena_printf(s->arena, "%s/%s",
							process->cwd, name));
	left = arena_strdup(s->arena, path ? path : OCI_DEFAULT_PATH);
	if (!left)
		return -ENOMEM;
	while (r == 0 && (dir = strsep(&left, ":")))
		if (dir[0] == '/')
			r = is_shown(s, arena_printf(s->arena, "%s/%s", dir,
						     name));
	return r;
}

int readable_check(const struct prepared *c, const struct request *request)
{
	const struct policy *policy = &request->policy;
	const struct view *view = c->enforcement.view;
	autoclose int root = open(policy->chroot ? policy->chroot : "/",
				  O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct search search = {
		.arena = c->arena,
		.view = view,
		.place = { .proc = c->proc, .root = root },
	};
	int r;

	if (is_readable(policy, view))
		return 0;
	if (root < 0)
		return fail(errno, "open the root of the sandbox");
	r = is_found(&search, c->spec.process);
	if (r != 0)
		return r < 0 ? r : 0;
	return fail(0, "nothing is readable; add -r @system");
}
