/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files.h - resolve [filesystem] of a policy in one root.
 *
 * Landlock can only add rights. So a denied path below an allowed directory is
 * left out: the present entries of the directory get separate rules. Rules
 * apply to files, not to names, so a new file under a denied name has none.
 */
#pragma once

#include <limits.h>

#include "confine/landlock.h"
#include "policy/policy.h"
#include "policy/presets.h"

#define FILES_MOST_RULES 10000

/*
 * A link, or a directory that ".." leaves. If the workload could replace it,
 * the path would lead elsewhere.
 */
struct files_step {
	const char *path;   /* without links before it */
	const char *target; /* NULL: a directory */
};

struct files_way {
	struct files_step *steps;
	size_t n;
	const char *end;      /* where it ends, without links */
	bool missing;	      /* end does not exist */
	bool occupied;	      /* end exists, but leads no further */
	bool leaf;	      /* end is the last component */
	const char *rest;     /* the components after end, or "" */
	unsigned int mode;    /* of end, if it exists */
	unsigned long nlinks; /* likewise */
};

/* The commondir that makes git treat a repository as complete. */
#define FILES_COMMONDIR ".\n"

/* One path of the policy, without links. */
struct files_entry {
	const char *path;
	uint32_t rights;    /* granted or denied: enum landlock_right */
	const char *key;    /* for messages: "filesystem.read" */
	const char *item;   /* as written in the policy */
	const char *named;  /* before links were resolved; NULL: same as path */
	unsigned int scope; /* 0: for all; else only for the same preset */
	bool directory;	    /* true also if the type is unknown */
	bool missing;	    /* denied but missing */
	bool of_preset;	    /* from a preset, so missing is expected */
	bool leaf;	    /* nothing may exist below it */
	bool occupied;	    /* missing, because another file is in the way */
	bool absent;	    /* missing, and must stay invisible */
	const char *text;   /* content while it is missing; or NULL */
	bool implied;	    /* denied without a key of the policy */
	bool carved;	    /* denied by a mount, as a parent is writable */
	bool loader;	    /* implied: a listed program needs it */
	bool left_out;	    /* cannot be created: split the directory above */
	struct files_step *steps; /* denied: the links that lead to it */
	size_t nsteps;
};

struct files_list {
	struct files_entry *items;
	size_t n, size;
};

/* A link beside entries that have separate rules. */
struct files_link {
	const char *path;
	const char *target;
};

struct files_rules {
	struct landlock_path *items;
	size_t n, size;
	struct files_link *links;
	size_t nlinks;
};

/* A mount that denies rights; without any, it only keeps its mount point. */
struct files_carve {
	const char *path;
	uint32_t rights;
	bool missing, leaf;
	bool absent;	  /* must stay invisible */
	const char *text; /* of a missing file; or NULL */
	bool unmade;	  /* missing, cannot be created */
	bool on_way;	  /* a step towards a denied path */
	bool link;
	const struct files_entry *above;  /* a writable parent; or NULL */
	const struct files_entry *denied; /* the reason */
};

struct files_carves {
	struct files_carve *items; /* parents come first */
	size_t n;
};

/* A pattern with "**", for which a whole tree was walked. */
struct files_walk {
	const char *key;
	const char *pattern;
	int64_t us; /* how long it took */
};

struct files_walks {
	struct files_walk *items;
	size_t n, size;
};

/* Files that are open for their rules, in the order of these. */
#define FILES_MOST_OPEN 128
struct files_open {
	struct {
		const char *path; /* as in the entry */
		int fd;
	} items[FILES_MOST_OPEN];
	size_t n;
};

/* Take the descriptor, if there is room; open may be NULL. */
void files_open_put(struct files_open *open, const char *path, int *fd);
/* Return the descriptor of a rule's path, or -1; *next begins at 0. */
int files_open_take(const struct files_open *open, const char *path,
		    size_t *next);
void files_open_close(struct files_open *open);

struct files_place {
	int proc;      /* the runtime's own /proc */
	int root;      /* not trusted */
	bool own_pids; /* its /proc shows only its own processes */
	bool new_dev;  /* its /dev is made later, with the usual devices */
	/* For presets in files_resolve: as in policy_context. */
	const char *home, *project;
	struct strings env;
	struct files_walks *walks; /* gets what was walked; or NULL */
	/*
	 * The name of the floor whose paths these are, in a bundle; then no link
	 * leads from the root file system to another mount.
	 */
	const char *floor;
	struct files_open *open; /* gets allowed files; or NULL */
};

/* True if this allowed file is reached by links to another mount. */
bool files_leaves_floor(const struct files_place *place,
			const struct files_entry *entry, int fd);
/* The environment for the presets of a floor. */
extern const struct strings files_floor_env;

/* True if the policy lists files to allow; all others are denied. */
bool files_wanted(const struct policy *policy);
/*
 * True if the policy and its floors list nothing but absolute paths to allow,
 * so that no directory is searched.
 */
bool files_are_plain(const struct policy *policy);
/* True if it only denies files; the rest stays as config.json has it. */
bool files_only_denied(const struct policy *policy);

/* Return the rights of a key, for files_resolve. */
uint32_t files_rights(const struct policy *policy, enum policy_key key);
/*
 * Resolve presets and patterns to the paths that exist now. A path is allowed
 * only if the policy and each floor of it allow it.
 */
int files_resolve(struct arena *arena, const struct policy *policy,
		  const struct files_place *place,
		  struct files_list *ret_allowed,
		  struct files_list *ret_denied);
/* Like files_resolve, without the floors. */
int files_resolve_layer(struct arena *arena, const struct policy *policy,
			const struct files_place *place,
			struct files_list *ret_allowed,
			struct files_list *ret_denied);
/* The allowed and denied paths of a policy. */
struct files_lists {
	struct files_list allowed, denied;
};
/* Make the lists that allow what both allow, and deny what either denies. */
int files_meet(struct arena *arena, const struct files_lists *one,
	       const struct files_lists *other, struct files_lists *ret);
/*
 * List the directories that denials treat as the project: the project, and each
 * directory above it with a marker, up to the home; the outermost is last.
 */
int files_projects(struct arena *arena, const struct files_place *place,
		   struct strings *ret);
/* Resolve all links of a path; NULL if it does not exist. */
int files_real_path(struct arena *arena, const struct files_place *place,
		    const char *path, const char **ret);
/*
 * Find every link of a path, and where the path ends. With -EACCES, it ends at
 * the directory that the caller may not search.
 */
int files_way(struct arena *arena, int root, const char *path,
	      struct files_way *ret);
/*
 * True if it is certain that no part of an absolute path is a link, also if the
 * rest of the path is missing.
 */
bool files_has_no_links(int root, const char *path, bool *ret_missing);
/*
 * Read a link in `dir`, which is the root; false if its target is missing, or
 * contains links itself.
 */
bool files_top_link(int root, int dir, const char *name,
		    char target[static PATH_MAX],
		    char end[static PATH_MAX + 1]);
/* Find the denials that need mounts, and mark them as carved. */
int files_carve(struct arena *arena, const struct files_list *allowed,
		struct files_list *denied, struct files_carves *ret);
/* Add one and the directories between it and `above`; sort them afterwards. */
int files_carve_add(struct arena *arena, struct files_carves *carves,
		    const struct files_carve *carve);
void files_carve_sort(struct files_carves *carves);
/* Compute the rules for what is allowed and not denied. */
int files_split(struct arena *arena, int root, const struct files_list *allowed,
		const struct files_list *denied, struct files_rules *ret);

/* True if path is dir, or below it. */
bool files_is_at_or_below(const char *path, const char *dir);
int files_add(struct arena *arena, struct files_list *list,
	      const struct files_entry *entry);
