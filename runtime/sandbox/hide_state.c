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
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "cow/branch.h"
#include "oci/state_root.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"

struct hider {
	struct arena *arena;
	struct enforce_input *input;
	int root; /* the host's */
};

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

/*
 * Find the directory without links, and hold the links that lead to it. *ret is
 * NULL if there is none.
 */
static int find(struct hider *h, const char *path, const char **ret)
{
	struct files_way way = { 0 };
	int r = path[0] == '/' ? files_way(h->arena, h->root, path, &way) : 0;

	*ret = r == 0 && way.end && !way.missing && !way.occupied ?
		       way.end :
		       find_real(h->arena, path);
	if (!*ret) {
		err_clear();
		return 0;
	}
	return r < 0 ? r :
		       policy_files_hold_links(h->arena, h->input->view, path,
					       &way, &h->input->kept);
}

/* True if no mount shows a part of the path; one call tells. */
static bool is_apart(const struct hider *h, const char *path)
{
	const struct view *view = h->input->view;
	bool missing;

	for (size_t i = 0; i < view->nbinds; i++) {
		const char *source = view->binds[i].source;

		if (files_is_at_or_below(path, source) ||
		    files_is_at_or_below(source, path))
			return false;
	}
	return files_has_no_links(h->root, path, &missing);
}

static int hide(struct hider *h, const char *path)
{
	struct arena *arena = h->arena;
	struct enforce_input *input = h->input;
	const struct view *view = input->view;
	const char *real;
	int r;

	if (is_apart(h, path))
		return 0;
	r = find(h, path, &real);
	for (size_t i = 0; r == 0 && real && i < view->nbinds; i++) {
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
static int hide_elsewhere(struct hider *h, const char *usual)
{
	char path[PATH_MAX];
	int r = 0;

	for (size_t i = 0; r == 0 && state_elsewhere(i, path); i++)
		if ((!files_is_at_or_below(usual, path) || is_missing(path)) &&
		    !is_of_others(path))
			r = hide(h, path);
	return r;
}

/*
 * What is in a branch becomes files of its workdir, and a journal there is
 * obeyed. Without a home there are no branches.
 */
static int hide_branches(struct hider *h)
{
	struct strings storages;
	int r = branch_storages(h->arena, &storages);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		err_clear();
		return 0;
	}
	for (size_t i = 0; r == 0 && i < storages.n; i++)
		r = hide(h, storages.items[i]);
	return r;
}

int sandbox_hide_state(struct arena *arena, const char *root,
		       struct enforce_input *input)
{
	static const enum state_kind kinds[] = { STATE_SANDBOXES,
						 STATE_CONTAINERS,
						 STATE_PLACEHOLDERS };
	autoclose int slash = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct hider h = { .arena = arena, .input = input, .root = slash };
	char usual[PATH_MAX] = "";
	int r;

	if (slash < 0)
		return fail(errno, "open / to find the state directories");
	r = root ? hide(&h, root) : 0;
	for (size_t i = 0; r == 0 && i < COUNT(kinds); i++) {
		if (state_root(kinds[i], usual) < 0)
			err_clear(); /* There is no state of ours. */
		else if (!root || !streq(usual, root))
			r = hide(&h, usual);
	}
	if (r == 0)
		r = hide_elsewhere(&h, usual);
	return r < 0 ? r : hide_branches(&h);
}
