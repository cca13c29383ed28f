/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/view.h - the files of the host that a sandbox shows; others
 * are not present.
 *
 * A denied name in a directory that may only be read is left out by showing the
 * other entries one by one: a file that is put under the name later is not
 * present either.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "confine/files.h"

struct arena;
struct policy;

/* The input for a view: a policy, and the environment of its caller. */
struct view_input {
	const struct policy *policy;
	const char *name;     /* of the sandbox */
	const char *hosts;    /* lines to put first in /etc/hosts; NULL: none */
	const char *resolver; /* /etc/resolv.conf; NULL: the host's */
	const char *home;     /* NULL: unknown */
	const char *project;
	const char *cwd;
	struct strings env;
	const char *source; /* the policy's file, or NULL */
	struct strings env_files;
	struct strings workdirs; /* whose changes are staged; without links */
};

struct view_bind {
	const char *path;   /* inside */
	const char *source; /* on the host; of a tmpfs: SOURCE_TMPFS */
	bool writable;
	bool directory;
	bool staged;	  /* config.workdir: an overlay, not a bind mount */
	bool tmpfs;	  /* filesystem.tmpfs: nothing of the host */
	const char *size; /* of a tmpfs, in bytes; or NULL */
};

/* No path of the host, and above or below none. */
#define SOURCE_TMPFS "tmpfs"

/*
 * A private file of a sandbox: /etc/hostname with its name, /etc/hosts with a
 * line for that name, and /etc/resolv.conf if we answer DNS.
 */
struct own_file {
	const char *path; /* inside, without links */
	const char *text;
	bool covers; /* it is mounted over a host file that the view shows */
};

struct view {
	struct files_rules rules; /* rights of each path, for Landlock */
	struct files_list allowed, denied; /* their origin */
	struct files_carves carves;	   /* denials that need mounts */
	struct files_walks walks;	   /* patterns that were costly */
	struct files_open open;	 /* until the rules are made; see there */
	struct view_bind *binds; /* in the order of mounting */
	size_t nbinds;
	struct files_link *links;
	size_t nlinks;
	struct own_file own[3];
	size_t nown;
	const char *prefix; /* of sources: "", or the directory to enter */
};

/* Make the view of the host's present files. */
int view_make(struct arena *arena, const struct view_input *input, int proc,
	      struct view *ret);
/* True if a path is below a writable one. */
bool view_may_write(const struct view *view, const char *path);
/* True if a bind shows the host's file at this path. */
bool view_shows(const struct view *view, const char *path);
/* Allow reading another path, of a file that is not the host's. */
int view_let_read(struct arena *arena, struct view *view, const char *path);
/* True if no bind after binds[i] covers the path. */
bool view_is_on_top(const struct view_bind *binds, size_t nbinds, size_t i,
		    const char *path);
/* True if a directory of this name will exist. */
bool view_has(const struct view *view, const char *path);

/*
 * own_files.c: add the private files to a view, except for one that is denied,
 * that a mount of the policy provides, or that is missing in a directory that
 * the view shows.
 */
int own_files_add(struct arena *arena, const struct view_input *input, int proc,
		  struct view *view);
/*
 * own_files.c: add an overlay for each workdir; fail if the policy denies
 * writing there.
 */
int view_add_staged(const struct strings *dirs, struct view_bind *all,
		    size_t *n);
/* Fail if a bind shows a workdir at another path, where nothing is staged. */
int view_check_staged(const struct view *view, const struct strings *dirs);
