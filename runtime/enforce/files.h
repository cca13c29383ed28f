/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/files.h - what mounts and Landlock are to hold in a
 * container's root.
 *
 * Settled once, when the container is created, and saved with the rest of its
 * enforcement: saved.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "confine/files.h"

struct arena;
struct landlock_plan;
struct masks;
struct mountinfo;
struct enforcement;
struct oci_process;
struct oci_spec;

struct enforce_files {
	struct arena *arena;
	const struct enforcement *enforcement;
	const struct oci_process *process; /* its environment and directory */
	const struct oci_spec *spec;
	const char *rootfs; /* on the host */
	int proc;
	int root;	  /* the container's */
	int userns;	  /* -1: our own; else its files are seen from there */
	int mntns;	  /* its own, to mount in; -1: none */
	int state;	  /* the state directory */
	bool own_pids;	  /* nobody else is in that namespace */
	bool notifies;	  /* has a NOTIFY_SOCKET */
	bool has_console; /* standard descriptors are a terminal inside */
	uint32_t *degraded; /* gets what is missing here; or NULL */
};

/* What is to be asked of this kernel; what it lacks may be an error. */
int enforce_files_plan(struct arena *arena,
		       const struct enforcement *enforcement,
		       const struct files_rules *rules,
		       struct landlock_plan *ret);
/*
 * For a container that is being created: what is denied is covered, and
 * *ret_ruleset is a new ruleset, closed on exec, or -1 where none is needed.
 */
int enforce_files_create(const struct enforce_files *files, int *ret_ruleset);
/* The ruleset for one more process, of the plan that was saved. */
int enforce_files_open(const struct enforce_files *files);

/* ---- cover.c: mounts that hide or protect a path ---- */

/*
 * Before anything is done: fails for what cannot be held; what the policy lets
 * be missing is added to *ret_missing.
 */
int enforce_check_covers(const struct enforce_files *files,
			 const struct files_carves *carves,
			 uint32_t *ret_missing);
/* In the container's mount namespace, and as who may mount there. */
int enforce_covers(const struct enforce_files *files,
		   const struct files_carves *carves);

/* ---- unix_sockets.c: Unix sockets of others, in mounts of the host ---- */

/* Of a sandbox: is_of_system has the list. */
#define SOCKETS_UNSEARCHED                                 \
	"/usr, /bin, /sbin and /lib*, but for /usr/local " \
	"and what filesystem.mount shows"

/*
 * Cover all that network.unix does not list, in all mounts of table; given: as
 * it was before carve-outs.
 */
int enforce_sockets(const struct enforce_files *files, struct masks *masks,
		    const struct mountinfo *given,
		    const struct mountinfo *table);
/* Let those be connected to that it lists, and that may be the workload's. */
int enforce_sockets_allow(const struct enforce_files *files,
			  const struct files_list *denied,
			  struct files_rules *rules);
