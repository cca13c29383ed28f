/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/presets_git.c - find the files that make git run programs: hooks, and
 * configurations with all that they include. In a worktree or submodule .git is
 * a file with the path of its git directory.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/glob.h"
#include "policy/presets.h"
#include "policy/presets_git.h"
#include "policy/presets_internal.h"

/* Git's own limit for nested includes. */
#define MOST_INCLUDES 10

struct git {
	struct preset_builder *b;
	bool hooks;	/* collect hooks; else configurations */
	int depth;	/* nesting of includes */
	bool elsewhere; /* core.worktree is set, or core.bare not false */
};

static int add_at(const struct git *git, const char *dir, const char *name)
{
	const char *path = preset_join(git->b->arena, dir, name);

	return path ? preset_add(git->b, path) : -ENOMEM;
}

/* Get the text of dir/name; NULL if it does not exist. */
static int read_at(const struct git *git, const char *dir, const char *name,
		   const char **ret)
{
	const struct policy_context *context = git->b->context;
	const char *path = preset_join(git->b->arena, dir, name);

	*ret = NULL;
	if (!path)
		return -ENOMEM;
	return context->read_file(context->user, git->b->arena, path, ret);
}

/* ---- configurations ---- */

static int add_config(struct git *git, const char *dir, const char *name);

/* Resolve a path from a configuration in dir; NULL if ~ is unknown. */
static int path_of(const struct git *git, const char *dir, const char *value,
		   const char **ret)
{
	const struct policy_context *context = git->b->context;

	*ret = NULL;
	if (starts_with(value, "~/")) {
		if (!context->home)
			return 0;
		dir = context->home;
		value += 2;
	}
	*ret = preset_join(git->b->arena, dir, value);
	return *ret ? 0 : -ENOMEM;
}

static int take_setting(struct git *git, const char *file,
			const struct git_setting *setting)
{
	const char *slash = strrchr(file, '/'), *dir, *path;
	int r;

	if (setting->kind == GIT_WORK_TREE || setting->kind == GIT_BARE) {
		git->elsewhere = git->elsewhere ||
				 setting->kind == GIT_WORK_TREE ||
				 strcasecmp(setting->value, "false") != 0;
		return 0;
	}
	if (setting->kind == GIT_HOOKS_PATH) {
		if (!git->hooks)
			return 0;
		r = path_of(git, git->b->context->project, setting->value,
			    &path);
		return r < 0 || !path ? r : preset_add(git->b, path);
	}
	if (git->depth == MOST_INCLUDES)
		return 0;
	dir = arena_strndup(git->b->arena, file, (size_t)(slash - file));
	if (!dir)
		return -ENOMEM;
	r = path_of(git, dir, setting->value, &path);
	if (r < 0 || !path)
		return r;
	git->depth++;
	r = add_config(git, "/", path);
	git->depth--;
	return r;
}

/* Add a configuration and the files that it names. */
static int add_config(struct git *git, const char *dir, const char *name)
{
	const char *file = preset_join(git->b->arena, dir, name);
	const char *text = NULL;
	struct git_reader reader;
	struct git_setting setting;
	int r = file ? 0 : -ENOMEM;

	if (r == 0 && !git->hooks)
		r = preset_add(git->b, file);
	if (r == 0)
		r = read_at(git, file, "", &text);
	if (r < 0 || !text)
		return r;
	reader = (struct git_reader){ .at = text };
	while ((r = git_config_next(git->b->arena, &reader, &setting)) > 0) {
		r = take_setting(git, file, &setting);
		if (r < 0)
			return r;
	}
	return r;
}

static int add_user_configs(struct git *git)
{
	static const char *const files[] = {
		"~/.gitconfig",
		"~/.config/git/config",
		"$XDG_CONFIG_HOME/git/config",
		"$GIT_CONFIG_GLOBAL",
		"/etc/gitconfig",
	};
	const char *path;
	int r;

	for (size_t i = 0; i < COUNT(files); i++) {
		if (files[i][0] == '~' && !git->b->context->home)
			continue;
		r = preset_member(git->b, files[i], &path);
		if (r > 0)
			r = add_config(git, "/", path);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- repositories ---- */

/* Resolve a line of a git file below base; base itself if line is NULL. */
static int follow(const struct git *git, const char *base, const char *line,
		  const char **ret)
{
	const struct policy_context *context = git->b->context;
	const char *name, *path, *real = NULL;
	int r;

	*ret = base;
	if (!line)
		return 0;
	line += strspn(line, " \t");
	name = arena_strndup(git->b->arena, line, strcspn(line, "\r\n"));
	path = name ? preset_join(git->b->arena, base, name) : NULL;
	if (!path)
		return -ENOMEM;
	r = context->real_path(context->user, git->b->arena, path, &real);
	*ret = real ? real : path;
	return r;
}

/* Add the git directory of one worktree, which has its HEAD. */
static int add_git_dir(struct git *git, const char *dir)
{
	static const char *const ways[] = { "commondir", "gitdir" };
	const char *text;
	int r = git->hooks ? add_at(git, dir, "hooks") : 0;

	/* Git fails on an empty one, so add it only if it exists. */
	for (size_t i = 0; r == 0 && !git->hooks && i < COUNT(ways); i++) {
		r = read_at(git, dir, ways[i], &text);
		if (r == 0 && text)
			r = add_at(git, dir, ways[i]);
	}
	return r < 0 ? r : add_config(git, dir, "config.worktree");
}

/* Call add for the directory of each file below dir that matches. */
static int add_all(struct git *git, const char *dir, const char *pattern,
		   int (*add)(struct git *git, const char *dir))
{
	const struct policy_context *context = git->b->context;
	struct arena *arena = git->b->arena;
	const char *quoted = policy_glob_quote(arena, dir);
	struct strings found = { 0 };
	int r = 0;

	pattern = quoted ? arena_printf(arena, "%s/%s", quoted, pattern) : NULL;
	if (!pattern)
		return -ENOMEM;
	if (context->find)
		r = context->find(context->user, arena, pattern, &found);
	for (size_t i = 0; r == 0 && i < found.n; i++) {
		const char *end = strrchr(found.items[i], '/');
		const char *at = arena_strndup(arena, found.items[i],
					       (size_t)(end - found.items[i]));

		r = at ? add(git, at) : -ENOMEM;
	}
	return r;
}

static int add_repository(struct git *git, const char *dir)
{
	int r;

	git->elsewhere = false;
	r = add_git_dir(git, dir);
	if (r == 0)
		r = add_config(git, dir, "config");
	/* With a commondir, git ignores core.worktree and core.bare. */
	if (r == 0 && !git->hooks &&
	    (!git->elsewhere || strstr(dir, "/modules/")))
		r = add_at(git, dir, "commondir");
	if (r == 0)
		r = add_all(git, dir, "worktrees/*/HEAD", add_git_dir);
	/* A workload can remove HEAD, but not commondir, which is denied. */
	return r < 0 ? r :
		       add_all(git, dir, "worktrees/*/commondir", add_git_dir);
}

/*
 * Skip directories below refs and logs that only look like repositories: git
 * would take a file that we add there for a branch.
 */
static int add_module(struct git *git, const char *dir)
{
	const char *config;
	int r = read_at(git, dir, "config", &config);

	if (r < 0 ||
	    (!config && (strstr(dir, "/refs/") || strstr(dir, "/logs"))))
		return r;
	return add_repository(git, dir);
}

/* Add all parts of a project's repository. */
static int add_project(struct git *git)
{
	const char *project = git->b->context->project;
	const char *own, *dir, *common, *text;
	int r = preset_member(git->b, "./.git", &own);

	if (r < 0 || (r = read_at(git, own, "", &text)) < 0)
		return r;
	dir = own;
	if (text && starts_with(text, "gitdir:")) {
		r = git->hooks ? 0 : preset_add(git->b, own);
		if (r == 0)
			r = follow(git, project, text + strlen("gitdir:"),
				   &dir);
	}
	if (r < 0 || (r = read_at(git, dir, "commondir", &text)) < 0 ||
	    (r = follow(git, dir, text, &common)) < 0)
		return r;
	if (!streq(dir, common) && (r = add_git_dir(git, dir)) < 0)
		return r;
	r = add_repository(git, common);
	if (r == 0 && !git->hooks)
		r = add_at(git, project, ".gitmodules");
	if (r == 0)
		r = add_all(git, common, "modules/**/HEAD", add_module);
	return r < 0 ? r :
		       add_all(git, common, "modules/**/config",
			       add_repository);
}

static int add_git(struct preset_builder *b, bool hooks)
{
	struct git git = { .b = b, .hooks = hooks };
	int r = add_project(&git);

	return r < 0 ? r : add_user_configs(&git);
}

int preset_git_hooks(struct preset_builder *b)
{
	return add_git(b, /* hooks= */ true);
}

int preset_git_config(struct preset_builder *b)
{
	return add_git(b, /* hooks= */ false);
}
