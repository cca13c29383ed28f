/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/presets_git.c - the directories that git may run hooks from.
 *
 * Files that a configuration includes are not looked at.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/util.h"
#include "policy/presets.h"
#include "policy/presets_internal.h"

#define BLANKS " \t\r\n"

/*
 * The value at *p up to the end of its line: quotes and backslashes taken
 * away, a comment and blanks at the end left out.
 */
static const char *read_value(struct arena *arena, const char **p)
{
	char *value = arena_alloc(arena, strlen(*p) + 1);
	size_t n = 0, keep = 0;
	bool quoted = false;

	*p += strspn(*p, " \t");
	for (; value && **p && **p != '\n'; ++*p) {
		char c = **p;

		if (!quoted && (c == '#' || c == ';')) {
			*p += strcspn(*p, "\n");
			break;
		}
		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\\' && (*p)[1]) {
			c = *++*p;
			if (c == '\n')
				continue;
		} else if (!quoted && strchr(BLANKS, c)) {
			value[n++] = c;
			continue;
		}
		value[n++] = c;
		keep = n;
	}
	if (value)
		value[keep] = '\0';
	return value;
}

static int add_hooks_path(struct preset_builder *b, const char *value)
{
	const struct policy_context *context = b->context;

	if (starts_with(value, "~/") && context->home)
		value = preset_join(b->arena, context->home, value + 2);
	else
		value = preset_join(b->arena, context->project, value);
	return value ? preset_add(b, value) : -ENOMEM;
}

/* "[core" at p, or another section: whether what follows belongs to core. */
static bool is_core(const char *p)
{
	p += strspn(p, " \t");
	if (strncasecmp(p, "core", 4) != 0)
		return false;
	p += 4;
	p += strspn(p, " \t");
	return *p == ']';
}

static int add_hooks_paths(struct preset_builder *b, const char *config)
{
	static const char key[] = "hookspath";
	const char *p = config, *value;
	bool core = false;
	int r;

	for (p += strspn(p, BLANKS); *p; p += strspn(p, BLANKS)) {
		if (*p == '[') {
			core = is_core(p + 1);
			p += strcspn(p, "]\n");
			p += *p == ']';
			continue;
		}
		if (!core || strncasecmp(p, key, strlen(key)) != 0) {
			p += strcspn(p, "\n");
			continue;
		}
		p += strlen(key);
		p += strspn(p, " \t");
		if (*p != '=')
			continue;
		p++;
		value = read_value(b->arena, &p);
		r = !value ? -ENOMEM : *value ? add_hooks_path(b, value) : 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* The text of dir/name; NULL when there is none. */
static int read_at(struct preset_builder *b, const char *dir, const char *name,
		   const char **ret)
{
	const struct policy_context *context = b->context;
	const char *path = preset_join(b->arena, dir, name);

	*ret = NULL;
	if (!path)
		return -ENOMEM;
	return context->read_file(context->user, b->arena, path, ret);
}

static int add_config(struct preset_builder *b, const char *dir,
		      const char *name)
{
	const char *config;
	int r = read_at(b, dir, name, &config);

	return r < 0 || !config ? r : add_hooks_paths(b, config);
}

static int add_user_configs(struct preset_builder *b)
{
	static const char *const dirs[][2] = {
		{ "~", ".gitconfig" },
		{ "~", ".config/git/config" },
		{ "$XDG_CONFIG_HOME", "git/config" },
		{ "/etc", "gitconfig" },
	};
	const char *dir;
	int r;

	for (size_t i = 0; i < COUNT(dirs); i++) {
		if (dirs[i][0][0] == '~' && !b->context->home)
			continue;
		r = preset_member(b, dirs[i][0], &dir);
		if (r > 0)
			r = add_config(b, dir, dirs[i][1]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One line of a file of git's as a path below base; base when NULL. */
static int follow(struct preset_builder *b, const char *base, const char *line,
		  const char **ret)
{
	const struct policy_context *context = b->context;
	const char *name, *path, *real = NULL;
	int r;

	*ret = base;
	if (!line)
		return 0;
	line += strspn(line, " \t");
	name = arena_strndup(b->arena, line, strcspn(line, "\r\n"));
	path = name ? preset_join(b->arena, base, name) : NULL;
	if (!path)
		return -ENOMEM;
	r = context->real_path(context->user, b->arena, path, &real);
	*ret = real ? real : path;
	return r;
}

static int add_hooks(struct preset_builder *b, const char *dir)
{
	const char *hooks = preset_join(b->arena, dir, "hooks");

	return hooks ? preset_add(b, hooks) : -ENOMEM;
}

/* Of a worktree, .git is a file and the hooks are in the common directory. */
int preset_git_hooks(struct preset_builder *b)
{
	const char *git, *dir, *common, *text;
	int r = preset_member(b, "./.git", &git);

	if (r < 0 || (r = read_at(b, git, "", &text)) < 0)
		return r;
	dir = git;
	if (text && starts_with(text, "gitdir:"))
		r = follow(b, b->context->project, text + strlen("gitdir:"),
			   &dir);
	if (r < 0 || (r = read_at(b, dir, "commondir", &text)) < 0 ||
	    (r = follow(b, dir, text, &common)) < 0 ||
	    (r = add_hooks(b, dir)) < 0 || (r = add_hooks(b, common)) < 0 ||
	    (r = add_config(b, common, "config")) < 0 ||
	    (r = add_config(b, dir, "config.worktree")) < 0)
		return r;
	return add_user_configs(b);
}
