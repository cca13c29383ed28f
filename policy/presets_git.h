/* SPDX-License-Identifier: Apache-2.0 */
/* policy/presets_git.h - the settings of a configuration of git's that name files. */
#pragma once

struct arena;

enum git_section { GIT_OTHER, GIT_CORE, GIT_INCLUDE };

/* Where the reading of a text is; it begins with the text alone. */
struct git_reader {
	const char *at;
	enum git_section section;
};

enum git_setting_kind {
	GIT_HOOKS_PATH,
	GIT_INCLUDE_PATH,
	GIT_WORK_TREE,
	GIT_BARE,
};

struct git_setting {
	enum git_setting_kind kind;
	const char *value; /* never empty */
};

/*
 * The next core.hooksPath, core.worktree, core.bare, include.path or
 * includeIf.*.path: 1, or 0.
 */
int git_config_next(struct arena *arena, struct git_reader *reader,
		    struct git_setting *ret);
