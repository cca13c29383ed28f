/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create.h - create a container from a bundle, up to a
 * process that waits; for `create` and `run`.
 */
#pragma once

#include <stdbool.h>

#include "cgroups/rdt.h"
#include "cgroups/systemd.h"
#include "confine/covered.h"
#include "confine/unix_sockets.h"
#include "runtime/container/session.h"
#include "runtime/container/state_dir.h"
#include "runtime/enforce/enforce.h"
#include "runtime/launch/launch.h"
#include "runtime/plan/join.h"

struct net_bundle;

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
 * Everything that is decided before the first effect. Making it opens files,
 * but writes none; later code does not change it.
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
	struct cgroup cgroup;	  /* as planned */
	struct systemd_unit unit; /* name NULL: not with systemd */
	struct strings unit_properties;
	const char *unit_cgroup;
	struct cgroup supervisor_cgroup; /* beside that of the container */
	struct enforcement enforcement;
	struct confine_filter filter;
	struct rdt rdt;		 /* only with linux.intelRdt */
	const char *notify_host; /* NOTIFY_SOCKET of the caller, or NULL */
	struct make_settings settings;
	struct plan plan;
	struct network_early *network; /* a namespace in the making, or NULL */
	struct net_bundle *rules;      /* of the network; NULL: none */
};

#define PREPARED_NONE                         \
	{                                     \
		.proc = -1, .join = JOIN_NONE \
	}
#define autoprepared AUTO(create_forget)

/* The effects; leaving the scope undoes them unless they are handed over. */
struct creation {
	const struct prepared *prepared;
	struct oci_resources resources; /* limits of its cgroups */
	struct cgroup cgroup;		/* as made */
	struct cgroup supervisor_cgroup;
	bool has_supervisor;  /* this process will be it */
	struct make_input in; /* as the plan was made */
	struct plan plan;     /* armed */
	struct container container;
	struct launch launch;
	uint32_t degraded; /* 1 << enum policy_protection: not enforced here */
	struct unix_processes processes; /* to search for their sockets */
	struct covered covered;		 /* denied names that may change */
	struct landlock_plan rules; /* for its root; known from ROOTED on */
	pid_t child;		    /* whose start time is known, or 0 */
	uint64_t child_start;
	int gate;
	pid_t restorer; /* criu, in the cgroups temporarily */
	bool reserved;
	bool devices_done;
	bool pid_file_written;
	bool kept;
};

#define CREATION_NONE                                               \
	{                                                           \
		.container = CONTAINER_NONE, .launch = LAUNCH_NONE, \
		.covered = COVERED_NONE, .gate = -1,                \
	}
#define autocreation AUTO(create_close)

#define HOSTS_FILE "hosts" /* in the state directory: its /etc/hosts */

/* Fail unless descriptors 3 to 2+n come from the caller. */
int create_check_fds(const struct session *session, unsigned int n);

/* ---- without effects ---- */

/* Read the bundle, and find its root. */
int create_load(struct prepared *prepared);
/* Decide what enforces its policy. */
int create_enforce(struct prepared *prepared);
/* Read the bundle, check it and decide everything. */
int create_prepare(struct prepared *prepared, const char *id, bool has_gate);
/* Like create_prepare, with specification, policy and rootfs given. */
int create_prepare_spec(struct prepared *prepared);
/* Begin to make a network namespace, if the caller can; it ends with us. */
void create_begin_network(struct prepared *prepared);
/* Decide where the cgroups will be. */
int create_place(struct prepared *prepared);
/* True if the container needs device rules. */
bool create_has_device_rules(const struct prepared *prepared);
/* Make the plan; the last call before the first effect. */
int create_plan(struct prepared *prepared);
/* True if the container may manage its part of cgroup v2. */
bool create_manages_cgroup(const struct oci_spec *spec);
/*
 * True if device rules can be set before the child has joined its cgroups: it
 * makes the default nodes, and opens no other device to mount it.
 */
bool create_devices_early(const struct oci_spec *spec);
/* Return the input of the plan; it points into `prepared`. */
struct make_input create_input(const struct prepared *prepared);
void create_forget(struct prepared *prepared);

/* ---- effects ---- */

/* Make the unit, with process pid in it. */
int create_start_unit(struct creation *creation, pid_t pid);
/* create_unit.c: run the hooks of this moment on the host, with this pid. */
int create_run_hooks(struct creation *creation, enum hook_point point,
		     pid_t pid);
/* create_unit.c: put the supervisor and its planned cgroups into the record. */
int create_record_supervisor(struct creation *creation);
/* Make the supervisor's cgroups, if it has any. */
int create_make_supervisor(struct creation *creation);
/* Put a process of the supervisor there. Warn if that fails. */
void create_enter_supervisor(struct creation *creation, pid_t pid);
/* Reserve the ID, and make the cgroups unless they need a process first. */
int create_reserve(struct creation *creation);
int create_make_cgroups(struct creation *creation);
/* Give a container that manages its cgroup of version 2 to its user. */
int create_delegate_cgroup(struct creation *creation);
/*
 * Save the files that later commands read; before the first message is
 * answered.
 */
int create_settle(struct creation *creation);
/* Apply device rules, once, after all nodes exist. */
int create_apply_devices(struct creation *creation);
/* Put the child into the record, and report it to the callers. */
int create_record(struct creation *creation);
/* Do everything up to the point where the child is kept. */
int create_build(struct creation *creation);
/*
 * Write the record, report to the callers, let the child continue to its gate
 * or program.
 */
int create_keep(struct creation *creation);
/* From now on the record describes the container: undo nothing, unlock it. */
void create_hand_over(struct creation *creation);
void create_close(struct creation *creation);

/* ---- host_annotations.c: annotations that the author of a pod may not set ---- */

/* ---- mount_check.c: mounts without a new mount namespace ---- */

/*
 * For a container without a new mount namespace, check that every mount of
 * config.json exists in the namespace that the container will run in. The error
 * names the first missing one by index and destination.
 */
int mount_check(const struct make_input *in, int proc);
