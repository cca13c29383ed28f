/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create.h - from a bundle to a process that waits: what `create` and
 * `run` have in common.
 */
#pragma once

#include <stdbool.h>

#include "cgroups/rdt.h"
#include "cgroups/systemd.h"
#include "runtime/container/session.h"
#include "runtime/container/state_dir.h"
#include "runtime/enforce/enforce.h"
#include "runtime/launch/launch.h"
#include "runtime/plan/join.h"

/* Options of create and run. */
struct create_options {
	const char *bundle;
	const char *config;
	const char *console_socket;
	const char *pidfd_socket;
	const char *pid_file;
	bool no_pivot;
	bool no_new_keyring;
	bool no_subreaper; /* accepted for compatibility */
	bool dump_plan;
	unsigned int preserve_fds;
	bool detach;
	bool keep;
};

/*
 * All that is decided before the first effect. Making it opens files and has no
 * effect on disk; nothing changes it afterwards.
 */
struct prepared {
	struct arena *arena;
	const struct create_options *options;
	const struct session *session;
	enum cgroup_manager cgroup_manager;
	int proc;
	struct facts facts;
	struct oci_spec spec;
	struct join join;
	struct cgroup cgroup;	  /* as placed */
	struct systemd_unit unit; /* name NULL: another driver */
	struct strings unit_properties;
	const char *unit_cgroup;
	struct enforcement enforcement;
	struct confine_filter filter;
	struct rdt rdt;		 /* only with linux.intelRdt */
	const char *notify_host; /* NOTIFY_SOCKET of the caller, or NULL */
	struct make_input in;
	struct plan plan;
};

#define PREPARED_NONE                         \
	{                                     \
		.proc = -1, .join = JOIN_NONE \
	}
#define autoprepared AUTO(create_forget)

/* The effects; leaving scope undoes what is not handed over. */
struct creation {
	const struct prepared *prepared;
	struct oci_resources resources; /* that its cgroups are to have */
	struct cgroup cgroup;		/* as made */
	struct plan plan;		/* armed */
	struct container container;
	struct launch launch;
	uint32_t degraded; /* 1 << enum policy_protection: not held here */
	int gate;
	pid_t restorer; /* criu, in the cgroups for a while */
	bool reserved;
	bool devices_done;
	bool pid_file_written;
	bool kept;
};

#define CREATION_NONE                                                      \
	{                                                                  \
		.container = CONTAINER_NONE, .launch = LAUNCH_NONE, .gate = -1, \
	}
#define autocreation AUTO(create_close)

/* Are 3 to 2+n the caller's? Otherwise they would be ours. */
int create_check_fds(const struct session *session, unsigned int n);

/* ---- without effects ---- */

/* Read the bundle, check it and decide. */
int create_prepare(struct prepared *prepared, const char *id, bool has_gate);
/* The same when the specification, its policy and rootfs are there already. */
int create_prepare_spec(struct prepared *prepared);
/* Where the cgroups will lie. */
int create_place(struct prepared *prepared);
/* Then make the plan: the last thing before the first effect. */
int create_plan(struct prepared *prepared);
void create_forget(struct prepared *prepared);

/* ---- effects ---- */

/* Make the unit, with process pid in it. */
int create_start_unit(struct creation *creation, pid_t pid);
/* Reserve the ID, and make the cgroups unless they wait for a process. */
int create_reserve(struct creation *creation);
int create_make_cgroups(struct creation *creation);
/* The copies that later commands read; before the first word is answered. */
int create_settle(struct creation *creation);
/* Once, when all nodes exist. */
int create_apply_devices(struct creation *creation);
/* The child is on record, and the callers know it. */
int create_record(struct creation *creation);
/* Everything up to the point where the child is to be kept. */
int create_build(struct creation *creation);
/* Write it down, tell the callers, let the child go on to its gate or program. */
int create_keep(struct creation *creation);
/* From here on the container stands on its own record: undo nothing, unlock it. */
void create_hand_over(struct creation *creation);
void create_close(struct creation *creation);

/* ---- host_annotations.c: annotations that the author of a pod may not set ---- */

/*
 * Refuse annotations that touch the host in a container of a Kubernetes pod:
 * engines pass on whatever the pod's author wrote.
 */
int host_annotations_check(const struct strings *allowed,
			   const struct oci_spec *spec);

/* ---- mount_check.c: mounts without a new mount namespace ---- */

/*
 * For a container without a new mount namespace, check that every mount of
 * config.json exists in the namespace that the container will run in. The error
 * names the first missing one by index and destination.
 */
int mount_check(const struct make_input *in, int proc);
