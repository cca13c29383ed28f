/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create.h - create a container from a bundle, up to a
 * process that waits; for `create` and `run`.
 */
#pragma once

#include <stdbool.h>

#include "cgroups/rdt.h"
#include "cgroups/systemd.h"
#include "confine/unix_sockets.h"
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
	struct enforcement enforcement;
	struct confine_filter filter;
	struct rdt rdt;		 /* only with linux.intelRdt */
	const char *notify_host; /* NOTIFY_SOCKET of the caller, or NULL */
	struct make_settings settings;
	struct plan plan;
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
	struct make_input in;		/* as the plan was made */
	struct plan plan;		/* armed */
	struct container container;
	struct launch launch;
	uint32_t degraded; /* 1 << enum policy_protection: not enforced here */
	struct unix_processes processes; /* to search for their sockets */
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
		.gate = -1,                                         \
	}
#define autocreation AUTO(create_close)

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
/* Decide where the cgroups will be. */
int create_place(struct prepared *prepared);
/* Make the plan; the last call before the first effect. */
int create_plan(struct prepared *prepared);
/* Return the input of the plan; it points into `prepared`. */
struct make_input create_input(const struct prepared *prepared);
void create_forget(struct prepared *prepared);

/* ---- effects ---- */

/* Make the unit, with process pid in it. */
int create_start_unit(struct creation *creation, pid_t pid);
/* Reserve the ID, and make the cgroups unless they need a process first. */
int create_reserve(struct creation *creation);
int create_make_cgroups(struct creation *creation);
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

/*
 * Refuse annotations that affect the host in a container of a Kubernetes pod:
 * engines pass on annotations of the pod's author.
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
