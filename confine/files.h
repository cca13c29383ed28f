/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/files.h - what [filesystem] of a policy means in one root.
 *
 * Landlock can only add rights. So what is denied below an allowed directory
 * is left out: the directory's entries get rules of their own, one by one, as
 * they are now. Rules belong to files, not to names, so that a new file under
 * a denied name has none.
 */
#pragma once

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

/* A commondir that tells git that the repository is a complete one. */
#define FILES_COMMONDIR ".\n"

/* One path of the policy, without links. */
struct files_entry {
	const char *path;
	uint32_t rights;    /* given, or taken: enum landlock_right */
	const char *key;    /* for messages: "filesystem.read" */
	const char *item;   /* as it was written */
	const char *named;  /* before links were followed; NULL: as path */
	unsigned int scope; /* 0: of all; else only of the same preset */
	bool directory;	    /* or not known to be none */
	bool missing;	    /* denied, and not there yet… */
	bool of_preset;	    /* …as nobody has said that it is */
	bool leaf;	    /* and nothing is to be below it */
	bool occupied;	    /* missing, as another file is in the way */
	bool absent;	    /* missing, and must not be visible either */
	const char *text;   /* content while it is missing; or NULL */
	bool implied;	    /* denied without a key of the policy */
	bool carved;	    /* denied by a mount, for who may write above */
	bool loader;	    /* not listed: what a listed program needs */
	bool left_out;	    /* nobody can make it: what is above is split */
	struct files_step *steps; /* denied: what leads to it */
	size_t nsteps;
};

struct files_list {
	struct files_entry *items;
	size_t n, size;
};

/* A link beside what got rules of its own. */
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

/* A mount that takes rights away; without any it only keeps its place. */
struct files_carve {
	const char *path;
	uint32_t rights;
	bool missing, leaf;
	bool absent;	  /* must not be visible either */
	const char *text; /* of a missing file; or NULL */
	bool unmade;	  /* missing, cannot be created */
	bool on_way;	  /* a step towards denied */
	bool link;
	const struct files_entry *above;  /* may be written; or NULL */
	const struct files_entry *denied; /* why */
};

struct files_carves {
	struct files_carve *items; /* what is above comes first */
	size_t n;
};

struct files_place {
	int proc;      /* our own */
	int root;      /* hostile */
	bool own_pids; /* its /proc shows nobody else */
	/* Of whom presets are, for files_resolve: as in policy_context. */
	const char *home, *project;
	struct strings env;
};

/* Whether the policy says anything about files. */
bool files_wanted(const struct policy *policy);

/* The rights of each key, for files_resolve. */
uint32_t files_rights(const struct policy *policy, enum policy_key key);
/* Presets and patterns become the paths that are there now. */
int files_resolve(struct arena *arena, const struct policy *policy,
		  const struct files_place *place,
		  struct files_list *ret_allowed,
		  struct files_list *ret_denied);
/*
 * The directories that count as the project in a denial: the project, and each
 * directory above it with a marker, up to the home; the outermost is last.
 */
int files_projects(struct arena *arena, const struct files_place *place,
		   struct strings *ret);
/* The path without links, NULL when there is none. */
int files_real_path(struct arena *arena, const struct files_place *place,
		    const char *path, const char **ret);
/*
 * Find every link on the way of a path, and where it ends. With -EACCES, it
 * ends at the directory that the caller may not enter.
 */
int files_way(struct arena *arena, int root, const char *path,
	      struct files_way *ret);
/* What of the denied is for mounts; it is marked as such. */
int files_carve(struct arena *arena, const struct files_list *allowed,
		struct files_list *denied, struct files_carves *ret);
/* Add one and the directories between it and above; sort them afterwards. */
int files_carve_add(struct arena *arena, struct files_carves *carves,
		    const struct files_carve *carve);
void files_carve_sort(struct files_carves *carves);
/* What is allowed without what is denied. */
int files_split(struct arena *arena, int root, const struct files_list *allowed,
		const struct files_list *denied, struct files_rules *ret);

/* Whether path is dir, or below it. */
bool files_is_at_or_below(const char *path, const char *dir);
int files_add(struct arena *arena, struct files_list *list,
	      const struct files_entry *entry);
