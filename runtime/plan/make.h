/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/make.h - make a plan from a specification and facts of the host.
 *
 * These functions have no effects: they take values and add steps. Each adds
 * the steps of one part; make.c alone decides the order of the parts.
 */
#pragma once

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"
#include "confine/confine.h"
#include "confine/files.h"
#include "oci/mount_options.h"
#include "oci/oci.h"
#include "runtime/enforce/enforce.h"
#include "runtime/plan/facts.h"
#include "runtime/plan/plan.h"

/* The part of the input that is neither in config.json nor of the host. */
struct make_settings {
	const char *program; /* NULL: args[0], looked up in PATH */
	bool only_env;	     /* do not set HOME unless it is given */
	const char *id;
	const char *bundle; /* absolute */
	const char *rootfs; /* absolute, cleaned */
	bool fresh_root; /* a new file system covers rootfs; binds are real paths */
	bool no_namespaces;	/* no namespaces, and the caller's user */
	bool unplaced;		/* the parent puts the child into its cgroup */
	bool no_new_namespaces; /* all that spec lists exist: join them */
	bool mounts_present;	/* no new mount namespace; only check mounts */
	bool no_pivot;
	bool no_new_keyring;
	bool has_console; /* terminal asked for */
	bool has_gate;	  /* wait for `start` */
	bool dies_with_parent;
	bool supervised;    /* its parent is its supervisor: dies with it */
	bool has_reaper;    /* process 1 is the reaper, the program its child */
	char *command_line; /* the runtime's arguments, hidden inside */
	size_t command_line_size;
	int *end_signal;		/* shared with the reaper; or NULL */
	unsigned int preserve_fds;	/* 3 to 2+this */
	unsigned int listen_fds;	/* how many are LISTEN_FDS */
	const struct files_link *links; /* links to create in the new root */
	size_t nlinks;
	const struct own_file *own_files; /* to create before the mounts */
	size_t nown_files;
	const char *notify_socket; /* host path to bind at /run/notify, or NULL */
};

/*
 * Everything that a plan is made from. It owns nothing, so keep it no longer
 * than what it points to.
 */
struct make_input {
	struct arena *arena;
	const struct facts *facts;
	const struct oci_spec *spec;
	const struct oci_process *process;
	const struct cgroup *cgroup; /* where it will be; it need not exist */
	const struct join *join;
	const struct enforcement *enforcement;
	const struct confine_filter *filter; /* NULL: none */
	struct make_settings settings;
};

/*
 * True if the container's user namespace, new or joined, is not the runtime's.
 */
bool make_has_userns(const struct make_input *in);
/*
 * True if the child is dumpable before its program runs: hooks and `exec` of an
 * unprivileged caller need that to enter through its /proc. In a new pid
 * namespace no process inside can use it.
 */
bool make_is_open(const struct make_input *in);
/*
 * True if the mount namespace is new, so that mounts affect only the container.
 */
bool make_has_mountns(const struct make_input *in);

/* make.c: the plan of `create`. */
int make_create(const struct make_input *in, struct plan *ret);
/* make.c: the plan of `exec`. */
int make_exec(const struct make_input *in, struct plan *ret);

/* namespaces.c: clone flags, joined namespaces, maps, offsets. */
int make_namespaces(const struct make_input *in, struct plan *plan);
/*
 * namespaces.c: join the cgroups now, if the plan has put it off. The child
 * must not wait for another answer before.
 */
int make_late_join(const struct make_input *in, struct plan *plan);
/*
 * process.c: set these CPUs, or all of the cpuset (NULL); never the caller's.
 */
int make_affinity(const struct make_input *in, struct plan *plan,
		  const char *list);
/* process.c: from the final root to the word CREATED. */
int make_process(const struct make_input *in, struct plan *plan);
/*
 * process.c: the limit to set before exec; false if there is none. The number
 * of files stays high enough to reach exec.
 */
bool make_early_limit(const struct oci_rlimit *limit, struct rlimit *ret);
/* process.c: the steps after that, up to exec. */
int make_last_steps(const struct make_input *in, struct plan *plan);

/*
 * mounts.c: propagation of /, the rootfs, every mount, devices and links, up to
 * the point where hooks run.
 */
int make_mounts(const struct make_input *in, struct plan *plan);
/*
 * root.c: from there to the container's final view: root switched, masked and
 * read-only paths, read-only root, propagation. sysctls are written before
 * readonly paths apply.
 */
int make_root(const struct make_input *in, struct plan *plan);
