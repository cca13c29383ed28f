/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_command.c - explain whether the command of a sandbox
 * can be found, read and executed, with its interpreter and loader.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/elf.h"
#include "base/err.h"
#include "base/root.h"
#include "base/util.h"
#include "runtime/denials/trace.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/view.h"

#define MAX_INTERPRETERS 5

struct finder {
	struct arena *arena;
	struct denials denials;
	struct attribution attribution;
};

/* Files in a mount or tmpfs of the policy are not where the host has them. */
static bool is_elsewhere(const struct finder *f, const char *path)
{
	const struct policy_mounts *mount = &f->attribution.policy->mount;
	const struct view *view = f->attribution.view;

	for (size_t i = 0; i < mount->n; i++)
		if (files_is_at_or_below(path, mount->items[i].inside))
			return true;
	for (size_t i = 0; i < view->nbinds; i++)
		if (view->binds[i].tmpfs &&
		    files_is_at_or_below(path, view->binds[i].path))
			return true;
	return false;
}

/* Return 0 if it is a file that may be executed, else its error. */
static int look_at(const struct finder *f, const char *path)
{
	const struct attribute_path wanted = { .path = path, .access = X_OK };
	autoclose int fd =
		root_open(f->attribution.root, path, O_PATH | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return EACCES;
	return attribute_follows(&f->attribution, &wanted) ? 0 : EACCES;
}

/* False in a directory that the caller may not enter. */
static bool can_find(const struct finder *f, const char *path)
{
	autoclose int fd =
		root_open(f->attribution.root, path, O_PATH | O_CLOEXEC);

	return fd >= 0;
}

/* Return the first reason why it cannot be executed; NULL if there is none. */
static const char *find_problem(struct finder *f, const char *path)
{
	char next[ELF_INTERPRETER] = "";
	int error;

	f->denials.n = 0;
	if (attribute_program(&f->attribution, path, ENOENT) < 0)
		return NULL;
	if (f->denials.n)
		return denial_text(&f->denials, &f->denials.items[0]);
	for (int i = 0; i < MAX_INTERPRETERS; i++) {
		attribute_interpreter(&f->attribution, i ? next : path, next);
		if (next[0] != '/')
			return NULL;
		error = look_at(f, next);
		if (error)
			return arena_printf(f->arena,
					    "the interpreter of %s, %s: %s",
					    path, next, errno_text(error));
	}
	return NULL;
}

static int set_program(struct finder *f, const char *path,
		       struct explanation *all)
{
	char next[ELF_INTERPRETER] = "";

	attribute_interpreter(&f->attribution, path, next);
	all->program = arena_strdup(f->arena, path);
	all->interpreter = next[0] ? arena_strdup(f->arena, next) : NULL;
	return all->program && (!next[0] || all->interpreter) ? 0 : -ENOMEM;
}

/* Try the candidates in order, as the child does. */
static int find_command(struct finder *f, const struct strings *candidates,
			struct explanation *all)
{
	bool is_searched = !strchr(all->request->command.items[0], '/');
	const char *reason = NULL;

	for (size_t i = 0; i < candidates->n; i++) {
		const char *path = candidates->items[i], *problem;
		int error;

		/* It is not known what will be there. */
		if (is_elsewhere(f, path))
			return 0;
		error = look_at(f, path);
		if (error == ENOENT || error == ENOTDIR ||
		    (error == EACCES && is_searched && !can_find(f, path)))
			continue;
		problem = error ? arena_printf(f->arena, "%s: %s", path,
					       errno_text(error)) :
				  find_problem(f, path);
		if (!problem)
			return set_program(f, path, all);
		reason = reason ? reason : problem;
	}
	if (!reason)
		reason = is_searched ? "not found in PATH" :
				       "it does not exist";
	return explain_note(f->arena, all,
			    fail(0, "the command %s would not start: %s",
				 all->request->command.items[0], reason));
}

int explain_command(struct arena *arena, struct explanation *all)
{
	const struct policy *policy = &all->prepared.enforcement.policy;
	struct finder finder = { .arena = arena, .denials.arena = arena };
	struct strings candidates;
	autoclose int root = -1;
	int r;

	if (!all->planned || !all->request->command.n ||
	    all->unsandboxed.why != UNSANDBOXED_NO)
		return 0;
	root = open(policy->chroot ? policy->chroot : "/",
		    O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail(errno, "open the root of the sandbox");
	trace_attribution(&all->prepared, all->request, root, &finder.denials,
			  &finder.attribution);
	r = trace_candidates(arena, all->prepared.spec.process, &candidates);
	return r < 0 ? r : find_command(&finder, &candidates, all);
}
