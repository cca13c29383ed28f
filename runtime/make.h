/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/make.h - from a specification and the host's facts to a plan.
 *
 * Pure: values in, steps out. Each function adds the steps of one part; the
 * order of the parts is decided in make.c alone.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"
#include "confine/confine.h"
#include "oci/oci.h"
#include "runtime/plan.h"

/* What is true of this host and this call, asked once. */
struct facts {
	uid_t euid;
	gid_t egid;
	bool rootless;		/* not root, or root of a user namespace only */
	bool in_userns;		/* our own user namespace is not the initial one */
	uint64_t caps;		/* our own permitted set */
	int last_cap;
	dev_t own_dev;		/* our own binary */
	ino_t own_ino;
	struct cgroup_layout cgroups;
};

struct make_input {
	struct arena *arena;
	const struct facts *facts;
	const struct oci_spec *spec;
	const struct oci_process *process;
	const char *id;
	const char *bundle;		/* absolute */
	const char *rootfs;		/* absolute, cleaned */
	const struct cgroup *cgroup;
	const struct confine_filter *filter;	/* NULL: none */
	bool no_pivot;
	bool no_new_keyring;
	bool has_console;		/* terminal asked for */
	unsigned int preserve_fds;	/* 3 to 2+this */
	const char *notify_socket;	/* host path to bind at /run/notify, or NULL */
};

/* Own mount namespace: new user namespace or not, joined or new. */
bool make_has_userns(const struct make_input *in);

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

/* mount_options.c: one parsed option list. */
struct mount_options {
	bool bind, rbind, remount;
	unsigned int attr_set, attr_clr;	/* MOUNT_ATTR_… named in the list */
	unsigned int rec_set, rec_clr;		/* the r… forms */
	unsigned long propagation[8];		/* MS_… (| MS_REC), in order */
	size_t npropagation;
	const struct oci_annotation *params;	/* for the file system; value NULL: flag */
	size_t nparams;
	bool tmpcopyup, idmap, ridmap;
	bool copy_symlink, src_nofollow, dest_nofollow;
	const char *idmap_uids, *idmap_gids;	/* idmap=uids=…;gids=… */
	bool readonly;
};
/* The failure names "options[2]". */
int mount_options_parse(struct arena *arena, const struct oci_strings *options,
			struct mount_options *ret);
/* Every word it knows that is not a file system's own, for `features`. */
struct oci_strings mount_options_known(void);
