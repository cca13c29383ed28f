/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/cgroup.h - the control groups of one container, on cgroup v1, hybrid
 * and v2: place, make, limit, list, signal, remove.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;

enum cgroup_manager { CGROUP_CGROUPFS, CGROUP_SYSTEMD, CGROUP_DISABLED };

/* A mounted hierarchy, and the cgroup of the calling process in it. */
struct cgroup_hierarchy {
	const char *controllers; /* "cpu,cpuacct", "name=systemd", "" for v2 */
	const char *mount;	 /* "/sys/fs/cgroup/cpu" */
	const char *own;	 /* "/user.slice", below the mount */
	bool v2;
};

enum cgroup_mode { CGROUP_NONE, CGROUP_V1, CGROUP_HYBRID, CGROUP_V2 };

struct cgroup_layout {
	enum cgroup_mode mode;
	struct cgroup_hierarchy *items;
	size_t n;
};

/* The container's directory in each hierarchy it has one in. */
struct cgroup_member {
	const struct cgroup_hierarchy *in; /* NULL if read from a record */
	const char *controllers;
	const char *path; /* absolute, on the host */
	bool v2;
	size_t kept; /* length of the part of path that existed before */
	bool made;   /* made by us, or empty when taken over: remove it */
	int join;    /* open `tasks` or `cgroup.procs`; -1 */
	int dir;     /* O_PATH, v2 only, for CLONE_INTO_CGROUP; -1 */
};

struct cgroup {
	struct cgroup_member *items;
	size_t n;
	bool by_systemd; /* systemd makes most of them with the unit */
	bool alone;	 /* assume that all parents exist; else -ENOENT */
};

/* Read mountinfo and cgroup of the calling process, below its own /proc. */
int cgroup_probe(struct arena *arena, int proc, struct cgroup_layout *ret);

/*
 * Decide where the container's cgroups are; no effects. A relative or absent
 * cgroupsPath is placed below the caller's own cgroup. With CGROUP_SYSTEMD it
 * is the unit's cgroup, absolute. With CGROUP_DISABLED the set is empty.
 */
int cgroup_place(struct arena *arena, const struct cgroup_layout *layout,
		 enum cgroup_manager manager, const char *cgroups_path,
		 const char *id, struct cgroup *ret);
/*
 * Leave out v1 hierarchies without limits; no effects. Only for containers with
 * a pid namespace, whose processes need not be found by cgroup. devices: device
 * rules will be applied.
 */
int cgroup_narrow(struct arena *arena, const struct oci_resources *resources,
		  bool devices, struct cgroup *cgroup);

/*
 * Fail with the field's name if a limit cannot be set on this host; ignore
 * values that ask for nothing.
 */
int cgroup_check_resources(const struct oci_resources *resources,
			   const struct cgroup_layout *layout);
/* True if resources contain any limit besides device rules. */
bool cgroup_wants_limits(const struct oci_resources *resources);

/*
 * Make the directories (refusing one that contains processes or is frozen),
 * fill in files that must not be empty (cpuset), enable v2 controllers, write
 * limits, and open the files by which the child will join. rootless: leave out
 * a hierarchy that the caller may not write, unless a limit needs it. On
 * failure everything is removed.
 */
int cgroup_create(struct arena *arena, const struct cgroup_layout *layout,
		  struct cgroup *cgroup, const struct oci_resources *resources,
		  bool rootless);
/* Move a process with a single thread into the new cgroups. */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid);
/*
 * Set quota and period of `merged` to their present values, where v2 has them.
 */
void cgroup_keep_quota(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       struct oci_resources *merged);
/* memory.checkBeforeUpdate: refuse a limit below the present usage. */
int cgroup_check_usage(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       const struct oci_resources *merged);
/*
 * Change the limits of cgroups in use: write what `change` sets, and the values
 * of `merged` (all limits after the change) that depend on it. On failure the
 * old limits stay.
 */
int cgroup_update(struct arena *arena, const struct cgroup_layout *layout,
		  const struct cgroup *cgroup,
		  const struct oci_resources *change,
		  const struct oci_resources *merged, bool rootless);
/*
 * Apply device rules, defaults of the runtime included, after the child has
 * made its own nodes.
 */
int cgroup_apply_devices(struct cgroup *cgroup,
			 const struct oci_resources *resources, bool rootless);
/*
 * v2 with a cgroup namespace and a writable mount: give the directory to uid.
 */
int cgroup_delegate(const struct cgroup *cgroup, uid_t uid);

/* Get the cgroups that a record names. */
int cgroup_from_record(struct arena *arena, const struct oci_record *record,
		       struct cgroup *ret);
/*
 * Put the cgroups into a record. Before they are made, the record names only
 * those that do not exist yet, so that `delete` cannot kill processes in
 * others. If cgroup->alone is set, it names no parents.
 */
int cgroup_to_record(struct arena *arena, const struct cgroup *cgroup,
		     struct oci_record *record);

/*
 * List every process of the container, sub-cgroups included, sorted. This and
 * the following functions only use members that are ours (made).
 */
int cgroup_pids(struct arena *arena, const struct cgroup *cgroup,
		pid_t **ret_pids, size_t *ret_n);
/*
 * The directory that is above the cgroup of the last record, and often above
 * that of the next one.
 */
struct cgroup_near {
	int dir; /* -1: none yet */
	char path[512];
};

/* True if the cgroup of a record is frozen; near may be NULL. */
bool cgroup_frozen(const struct oci_record *record, struct cgroup_near *near);
/* Freeze or thaw all processes and wait until they are; undo it on failure. */
int cgroup_freeze(const struct cgroup *cgroup, bool on);
/*
 * Signal every process; SIGKILL also thaws, uses cgroup.kill, and repeats until
 * no process is left.
 */
int cgroup_signal(struct arena *arena, const struct cgroup *cgroup, int sig);
/*
 * Remove the cgroups if they contain no processes and no sub-cgroups, which
 * rmdir checks. Stop at the first that cannot be removed; the functions below
 * deal with the rest.
 */
bool cgroup_remove_empty(const struct cgroup *cgroup);
/*
 * Remove directories and sub-directories; wait up to timeout_ms for processes
 * to exit.
 */
int cgroup_remove(const struct cgroup *cgroup, int timeout_ms);
/* Close the files that cgroup_create opened; remove nothing. */
void cgroup_close(struct cgroup *cgroup);
/*
 * Open the join files for a process that enters (exec); sub: --cgroup, or NULL.
 */
int cgroup_open_join(struct arena *arena, struct cgroup *cgroup,
		     const char *sub);
/*
 * Open the join files of the cgroup that the container's first process is in
 * now. On v2 the container's own cgroup accepts no processes once it has
 * enabled controllers for its children.
 */
int cgroup_follow(struct arena *arena, struct cgroup *cgroup, pid_t pid);

/*
 * Get the v2 sub-cgroup opened that way: "/jobs", or "/" for the container's
 * own.
 */
int cgroup_sub(struct arena *arena, const struct cgroup *cgroup,
	       const char **ret);

/* True if the kernel has killed a process because of this memory limit. */
bool cgroup_met_memory(const struct cgroup *cgroup);
/* True if the kernel has denied a fork because of this pids limit. */
bool cgroup_met_pids(const struct cgroup *cgroup, uint64_t limit);
/*
 * Return the caller's cgroup, or one above it, whose pids.max is reached; or
 * NULL.
 */
const char *cgroup_full_of_tasks(struct arena *arena,
				 const struct cgroup_layout *layout);

struct writer;
/* Write the usage of the container as an object of a JSON document. */
void cgroup_put_stats(struct arena *arena, const struct cgroup *cgroup,
		      struct writer *w);

/* A watch for out-of-memory events; fd is readable when there is one. */
struct cgroup_oom {
	int fd;
	const char *path;
	bool v2;
	uint64_t seen;
};

#define CGROUP_OOM_NONE  \
	{                \
		.fd = -1 \
	}

int cgroup_oom_open(const struct cgroup *cgroup, struct cgroup_oom *ret);
void cgroup_oom_close(struct cgroup_oom *oom);
/* Return the number of events since the last call; do not wait. */
uint64_t cgroup_oom_new(struct cgroup_oom *oom);
