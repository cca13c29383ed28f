/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/hide_state.c - hide records of the runtime that a sandbox
 * would show.
 *
 * A process that could write them would control what the runtime removes,
 * signals and trusts; one that could read them would learn what others run.
 */
#include "runtime/sandbox/hide_state.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/state_root.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"

/*
 * The directory need not exist yet; NULL if its parent does not exist either.
 */
static const char *find_real(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	char real[PATH_MAX], parent[PATH_MAX];

	if (realpath(path, real))
		return arena_strdup(arena, real);
	if (!slash || !slash[1] || slash - path >= PATH_MAX - 1)
		return NULL;
	memcpy(parent, path, (size_t)(slash - path) + 1);
	parent[slash - path + 1] = '\0';
	if (!realpath(parent, real))
		return NULL;
	return arena_printf(arena, "%s%s", streq(real, "/") ? "" : real, slash);
}

/* Return the path where a bind shows it, or NULL. */
static const char *find_inside(struct arena *arena,
			       const struct view_bind *bind, const char *real)
{
	if (files_is_at_or_below(bind->source, real))
		return bind->path;
	if (!files_is_at_or_below(real, bind->source))
		return NULL;
	if (!streq(bind->source, "/"))
		real += strlen(bind->source);
	return arena_printf(arena, "%s%s",
			    streq(bind->path, "/") ? "" : bind->path, real);
}

static int add(struct arena *arena, struct strings *to, const char *path)
{
	return strings_has(to, path) ? 0 : strings_add(arena, to, path);
}

static int hide(struct arena *arena, struct enforce_input *input,
		const char *path)
{
	const struct view *view = input->view;
	const char *real = path ? find_real(arena, path) : NULL;
	int r = real && path[0] == '/' ?
			policy_files_hold_links(arena, view, path,
						&input->kept) :
			0;

	for (size_t i = 0; real && r == 0 && i < view->nbinds; i++) {
		const char *inside = find_inside(arena, &view->binds[i], real);

		if (!inside ||
		    !view_is_on_top(view->binds, view->nbinds, i, inside))
			continue;
		/*
		 * Without mounts it cannot be covered, only protected from
		 * changes.
		 */
		if (input->kind == ENFORCE_SANDBOX ||
		    view_may_write(view, inside))
			r = add(arena, &input->hidden, inside);
	}
	return r;
}

/* A directory of another user contains no state of ours. */
static bool is_of_others(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid != geteuid();
}

static bool is_missing(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 && errno == ENOENT;
}

/*
 * A workload that could make these could forge records for later commands. If
 * the directory of the usual ones is missing, hide it as a whole.
 */
static int hide_elsewhere(struct arena *arena, struct enforce_input *input,
			  const char *usual)
{
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && state_elsewhere(i, path); i++)
		if ((!files_is_at_or_below(usual, path) || is_missing(path)) &&
		    !is_of_others(path))
			r = hide(arena, input, path);
	return r;
}

int sandbox_hide_state(struct arena *arena, const char *root,
		       struct enforce_input *input)
{
	static const enum state_kind kinds[] = { STATE_SANDBOXES,
						 STATE_CONTAINERS,
						 STATE_PLACEHOLDERS };
	char usual[PATH_MAX] = "";
	int r;

	r = hide(arena, input, root);
	for (size_t i = 0; r == 0 && i < COUNT(kinds); i++) {
		if (state_root(kinds[i], usual) == 0)
			r = hide(arena, input, usual);
		else
			err_clear(); /* There is no state of ours. */
	}
	return r < 0 ? r : hide_elsewhere(arena, input, usual);
}
