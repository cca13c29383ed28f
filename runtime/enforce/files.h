/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/files.h - enforce rules for files in a container's root, by
 * mounts and Landlock.
 *
 * They are decided once, when the container is created, and saved with the rest
 * of its enforcement: saved.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "confine/files.h"
#include "confine/unix_sockets.h"

struct arena;
struct covered;
struct landlock_plan;
struct masks;
struct mountinfo;
struct enforcement;
struct oci_process;
struct oci_spec;
struct view;

struct enforce_files {
	struct arena *arena;
	const struct enforcement *enforcement;
	const struct oci_process *process; /* its environment and directory */
	const struct oci_spec *spec;
	const char *rootfs; /* on the host */
	int proc;
	int root;	    /* the container's */
	int userns;	    /* to access its files in; -1: our own */
	int mntns;	    /* to mount in; -1: none */
	pid_t pid;	    /* a process in there, with the same root */
	int state;	    /* the state directory */
	bool own_pids;	    /* its pid namespace has no other processes */
	bool notifies;	    /* has a NOTIFY_SOCKET */
	bool has_console;   /* standard descriptors are a terminal inside */
	uint32_t *degraded; /* gets protections missing here; or NULL */
	/* Gets the names to watch; NULL: nobody stays to cover them again. */
	struct covered *covered;
	/* All that are visible, if the enforcement masks sockets. */
	const struct unix_processes *processes;
};

/*
 * Plan the rules for this kernel; fail if it lacks a protection that the policy
 * demands.
 */
int enforce_files_plan(struct arena *arena,
		       const struct enforcement *enforcement,
		       const struct files_rules *rules,
		       struct landlock_plan *ret);
/*
 * For a container that is being created: cover denied paths, and return a new
 * ruleset, close-on-exec, or -1 if none is needed; and its plan, to be saved.
 */
int enforce_files_create(const struct enforce_files *files, int *ret_ruleset,
			 struct landlock_plan *ret_plan);
/* Make the ruleset for another process from the saved plan. */
int enforce_files_open(const struct enforce_files *files);

/* The Unix sockets of processes outside, and the mounts they may be in. */
struct enforce_bound {
	struct unix_trees trees;
	struct unix_sockets sockets;
};

/* ---- cover.c: mounts that hide or protect a path ---- */

/*
 * Check before any effect: fail for denials that cannot be enforced; add those
 * that the policy permits to be missing to *ret_missing.
 */
int enforce_check_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 uint32_t *ret_missing);
/* True if there is something to cover, so that its mounts must be known. */
bool enforce_has_covers(const struct enforce_files *files,
			const struct files_carves *carves);
/*
 * Cover the paths and sockets; call this in the container's mount namespace,
 * with the right to mount. given: the mounts until now.
 */
int enforce_covers(const struct enforce_files *files,
		   const struct files_carves *carves,
		   const struct mountinfo *given,
		   const struct enforce_bound *bound);

/*
 * Watch the names that a process outside could replace, before they are covered.
 * mounts: those of the container.
 */
int enforce_watch_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 const struct mountinfo *mounts);

/* ---- unix_sockets.c: Unix sockets of processes outside, in mounts of the host ---- */

/*
 * Find the sockets that may be in these mounts of a container; call this
 * outside, with all rights of the caller.
 */
int enforce_find_sockets(struct arena *arena, int proc,
			 const struct unix_processes *processes,
			 const struct mountinfo *table,
			 struct enforce_bound *ret);
/* Return the mounts that a sandbox with this view will have. */
int enforce_view_mounts(struct arena *arena, int proc, const struct view *view,
			struct mountinfo *ret);
/* True if one of them may be in a mount, so that it must be covered. */
bool enforce_has_sockets(const struct enforce_bound *bound);
/* Return what is walked of a marked tree; NULL: nothing. */
const char *enforce_walked(const struct enforcement *enforcement,
			   const char *place);
/*
 * Cover all of them that network.unix does not list. given, table: the mounts
 * before carve-outs, and now.
 */
int enforce_sockets(const struct enforce_files *files, struct masks *masks,
		    const struct mountinfo *given,
		    const struct mountinfo *table,
		    const struct enforce_bound *bound);
/*
 * Allow connections to the listed sockets, and to those that may be the
 * workload's.
 */
int enforce_sockets_allow(const struct enforce_files *files,
			  const struct files_list *denied,
			  struct files_rules *rules);
