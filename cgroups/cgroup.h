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

/* A mounted hierarchy, and where the calling process stands in it. */
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
	const struct cgroup_hierarchy *in; /* NULL when read from a record */
	const char *controllers;
	const char *path; /* absolute, on the host */
	bool v2;
	size_t kept; /* so much of path was there before us */
	bool made;   /* by us, or taken over empty: ours to remove */
	int join;    /* open `tasks` or `cgroup.procs`; -1 */
	int dir;     /* O_PATH, v2 only, for CLONE_INTO_CGROUP; -1 */
};

struct cgroup {
	struct cgroup_member *items;
	size_t n;
	bool by_systemd; /* which makes most of them, with the unit */
};

/* Read /proc/self/mountinfo and /proc/self/cgroup (below our own /proc). */
int cgroup_probe(struct arena *arena, int proc, struct cgroup_layout *ret);

/*
 * Decide where the container's cgroups lie. Pure. A relative or absent
 * cgroupsPath is placed below the caller's own cgroup. With CGROUP_SYSTEMD it
 * is the unit's cgroup, absolute. With CGROUP_DISABLED the set is empty.
 */
int cgroup_place(struct arena *arena, const struct cgroup_layout *layout,
		 enum cgroup_manager manager, const char *cgroups_path,
		 const char *id, struct cgroup *ret);
/*
 * Leave out the v1 hierarchies in which nothing is limited: for those who have
 * a pid namespace, and look for no process elsewhere. Pure.
 */
int cgroup_narrow(struct arena *arena, const struct oci_resources *resources,
		  struct cgroup *cgroup);

/* Refuse, by name, what cannot be set here; values that ask for nothing pass. */
int cgroup_check_resources(const struct oci_resources *resources,
			   const struct cgroup_layout *layout);
/* True when resources ask for any limit besides device rules. */
bool cgroup_wants_limits(const struct oci_resources *resources);

/*
 * Make the directories (refusing one that holds processes or is frozen), fill
 * what the kernel wants filled (cpuset), enable v2 controllers, write limits,
 * and open the files the child joins through. rootless: a hierarchy we may not
 * write is left out, unless a limit needs it. On failure nothing is left.
 */
int cgroup_create(const struct cgroup_layout *layout, struct cgroup *cgroup,
		  const struct oci_resources *resources, bool rootless);
/* Move a process, which has one thread, into the cgroups just made. */
int cgroup_enter(const struct cgroup *cgroup, pid_t pid);
/* Of merged, make quota and period, as far as v2 has them, what they are now. */
void cgroup_keep_quota(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       struct oci_resources *merged);
/* memory.checkBeforeUpdate: refuse a limit below what is in use. */
int cgroup_check_usage(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       const struct oci_resources *merged);
/*
 * Other limits for cgroups in use: what change sets, and of merged (all that is
 * to hold then) what that depends on. On failure the old ones hold.
 */
int cgroup_update(struct arena *arena, const struct cgroup_layout *layout,
		  const struct cgroup *cgroup,
		  const struct oci_resources *change,
		  const struct oci_resources *merged, bool rootless);
/* Device rules: defaults of the runtime included. After the child's own nodes exist. */
int cgroup_apply_devices(struct cgroup *cgroup,
			 const struct oci_resources *resources, bool rootless);
/* v2 with a cgroup namespace and a writable mount: hand the directory to uid. */
int cgroup_delegate(const struct cgroup *cgroup, uid_t uid);

/* The set a record names, for another command. */
int cgroup_from_record(struct arena *arena, const struct oci_record *record,
		       struct cgroup *ret);
/*
 * The part of a record that names the set. Of one that is not made yet it names
 * only what is not there: another's must never be ended.
 */
int cgroup_to_record(struct arena *arena, const struct cgroup *cgroup,
		     struct oci_record *record);

/*
 * Every process of the container, sub-cgroups included, sorted. This and what
 * follows touch only members that are ours (made).
 */
int cgroup_pids(struct arena *arena, const struct cgroup *cgroup,
		pid_t **ret_pids, size_t *ret_n);
/* Whether what a record names is frozen. */
bool cgroup_frozen(const struct oci_record *record);
/* Freeze or thaw them all, and wait until it is so; undone when it cannot be. */
int cgroup_freeze(const struct cgroup *cgroup, bool on);
/* Signal every process; SIGKILL thaws, uses cgroup.kill, and repeats until empty. */
int cgroup_signal(struct arena *arena, const struct cgroup *cgroup, int sig);
/*
 * Remove them when nobody is in them and nothing is below them: they say so
 * themselves. The first that refuses ends it; what is left is for the two
 * below.
 */
bool cgroup_remove_empty(const struct cgroup *cgroup);
/* Remove directories and sub-directories, waiting while processes leave (up to timeout_ms). */
int cgroup_remove(const struct cgroup *cgroup, int timeout_ms);
/* Close what cgroup_create opened; removes nothing. */
void cgroup_close(struct cgroup *cgroup);
/* Open join files again for a process that is to enter (exec); sub: --cgroup, may be NULL. */
int cgroup_open_join(struct arena *arena, struct cgroup *cgroup,
		     const char *sub);
/*
 * The same where the container's v2 cgroup takes no process any more, since it
 * passes its controllers on: open what its first process has moved to.
 */
int cgroup_follow(struct arena *arena, struct cgroup *cgroup, pid_t pid);

/* Which sub-cgroup on v2 has been opened so: "/jobs", "/" for itself. */
int cgroup_sub(struct arena *arena, const struct cgroup *cgroup,
	       const char **ret);

/* Whether the kernel has ended somebody for the memory limit of these. */
bool cgroup_met_memory(const struct cgroup *cgroup);
/* Whether it has refused a process or thread for that of pids. */
bool cgroup_met_pids(const struct cgroup *cgroup, uint64_t limit);
/* The caller's cgroup, or one above it, whose pids.max is reached; or NULL. */
const char *cgroup_full_of_tasks(struct arena *arena,
				 const struct cgroup_layout *layout);

struct writer;
/* What the container uses, into the object of a document under way. */
void cgroup_put_stats(struct arena *arena, const struct cgroup *cgroup,
		      struct writer *w);

/* A watch on running out of memory; fd is readable when there is news. */
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
/* How often it happened since the last call; does not wait. */
uint64_t cgroup_oom_new(struct cgroup_oom *oom);
