/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/make.h - from a specification and the host's facts to a plan.
 *
 * Pure: values in, steps out. Each function adds the steps of one part; the
 * order of the parts is decided in make.c alone.
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

struct make_input {
	struct arena *arena;
	const struct facts *facts;
	const struct oci_spec *spec;
	const struct oci_process *process;
	const char *program; /* NULL: args[0], by PATH */
	bool only_env;	     /* no HOME unless it is given */
	const char *id;
	const char *bundle; /* absolute */
	const char *rootfs; /* absolute, cleaned */
	bool fresh_root; /* a new file system covers rootfs; binds are real paths */
	bool no_namespaces; /* no namespace at all, and the caller's user */
	const struct cgroup *cgroup; /* as placed: it need not exist */
	bool unplaced; /* the parent puts the child into its cgroup */
	const struct join *join;
	bool no_new_namespaces; /* all that spec lists exist: join them */
	const struct enforcement *enforcement;
	const struct confine_filter *filter; /* NULL: none */
	bool mounts_present; /* no new mount namespace: checked */
	bool no_pivot;
	bool no_new_keyring;
	bool has_console; /* terminal asked for */
	bool has_gate;	  /* wait for `start` */
	bool dies_with_parent;
	bool has_reaper;    /* process 1 is ours, the program its child */
	char *command_line; /* what was typed: not for those inside */
	size_t command_line_size;
	int *end_signal;		/* shared with the reaper; or NULL */
	unsigned int preserve_fds;	/* 3 to 2+this */
	unsigned int listen_fds;	/* of these, passed on by LISTEN_FDS */
	const struct files_link *links; /* to be made, with what leads to them */
	size_t nlinks;
	const struct own_file *own_files; /* to be made before mounts */
	size_t nown_files;
	const char *notify_socket; /* host path to bind at /run/notify, or NULL */
};

/* The container's user namespace is not the runtime's: new or joined. */
bool make_has_userns(const struct make_input *in);
/*
 * It may be looked at before its program runs: hooks and `exec` enter through
 * its /proc, and a caller without privileges is refused there otherwise. In a
 * new pid namespace nobody inside can do the same.
 */
bool make_is_open(const struct make_input *in);
/* Its mount namespace is new, so that what is mounted is its own. */
bool make_has_mountns(const struct make_input *in);

/* make.c: everything `create` does. */
int make_create(const struct make_input *in, struct plan *ret);
/* make.c: everything `exec` does. */
int make_exec(const struct make_input *in, struct plan *ret);

/* namespaces.c: clone flags, join, maps, offsets. */
int make_namespaces(const struct make_input *in, struct plan *plan);
/* process.c: never the caller's CPUs: these, or all of the cpuset's (NULL). */
int make_affinity(const struct make_input *in, struct plan *plan,
		  const char *list);
/* process.c: from the container's view of files to the word CREATED. */
int make_process(const struct make_input *in, struct plan *plan);
/* process.c: a limit until exec, false: none; files must suffice to get there. */
bool make_early_limit(const struct oci_rlimit *limit, struct rlimit *ret);
/* process.c: what follows, up to exec. */
int make_last_steps(const struct make_input *in, struct plan *plan);

/*
 * mounts.c: propagation of /, the rootfs, every mount, devices and links, up
 * to the point where hooks may look at it.
 */
int make_mounts(const struct make_input *in, struct plan *plan);
/*
 * mounts.c: from there to the container's final view: root switched, masked
 * and read-only paths, read-only root, propagation. sysctls are written before
 * readonly paths apply.
 */
int make_root(const struct make_input *in, struct plan *plan);
