/* SPDX-License-Identifier: Apache-2.0 */
/* policy/presets_git.h - read the settings of git that name files. */
#pragma once

struct arena;

enum git_section { GIT_OTHER, GIT_CORE, GIT_INCLUDE };

/* The state of a reader; initialize only .at, with the text. */
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
 * Read the next core.hooksPath, core.worktree, core.bare, include.path or
 * includeIf.*.path; returns 1, or 0 at the end.
 */
int git_config_next(struct arena *arena, struct git_reader *reader,
		    struct git_setting *ret);
