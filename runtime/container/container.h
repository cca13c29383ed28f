/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/container.h - a container on disk: find it, load it, get
 * its status.
 *
 * <root>/<id>/ contains
 * 	state.json		the record; without it there is no container
 * 	config.json		the saved copy of the bundle's
 * 	resources.json		linux.resources, once `update` has changed them
 * 	enforcement.json	what confines each process, of a container with
 * 				a policy: runtime/enforce/saved.h
 * 	policy.toml		that policy, for users and `inspect`
 * 	update.toml		the policy that takes its place while `update`
 * 				runs, or when the next command finishes an
 * 				update that was killed
 * 	floors.toml		the profiles that it can only tighten
 * 	placeholders		empty files and directories to remove from the
 * 				host: runtime/enforce/placeholders.h
 * 	control			the socket of the process that stays with it:
 * 				control/server.h
 * 	gate			the socket on which its init waits
 * 	notify			the directory of its readiness socket
 * A flock on the directory means that a create or delete is running.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"
#include "oci/oci.h"

struct arena;
struct enforcement;
struct sockaddr_un;

#define BOOT_ID_SIZE 64

struct container {
	int root; /* the directory of all containers, -1 if loaded with them */
	int dir;  /* its own directory, locked when reserved */
	int proc; /* own_proc, or that of struct containers; -1: none */
	int own_proc;		  /* closed with the container; -1: none */
	struct cgroup_near *near; /* of struct containers, or NULL */
	const char *id;
	struct oci_record record;
	bool broken;	   /* the record is unreadable or not ours */
	bool of_this_boot; /* its boot_id was read just now */
};

#define CONTAINER_NONE                                            \
	{                                                         \
		.root = -1, .dir = -1, .proc = -1, .own_proc = -1 \
	}
#define autocontainer AUTO(container_close)

/* Check an ID: letters, digits, _ + - . ; not . or .. ; at most 1024 bytes. */
int container_check_id(const char *id);
/* Load a container; else fail with "container does not exist". */
int container_load(struct arena *arena, const char *root, const char *id,
		   struct container *ret);
/* Like container_load, but fail with the reason if it is broken. */
int container_load_sound(struct arena *arena, const char *root, const char *id,
			 struct container *ret);
void container_close(struct container *container);

/* What the containers below one root share, read once to load many. */
struct containers {
	const char *path;
	int root;
	int proc; /* -1 if /proc cannot be read */
	char boot_id[BOOT_ID_SIZE];
	struct cgroup_near near;
};

#define CONTAINERS_NONE                                      \
	{                                                    \
		.root = -1, .proc = -1, .near = {.dir = -1 } \
	}

#define autocontainers AUTO(containers_close)

/* Open a root; -ENOENT if it does not exist. */
int containers_open(const char *root, struct containers *ret);
/*
 * Like container_load, for an ID of container_ids; `all` must stay open. The
 * container cannot be locked or held, only looked at.
 */
int containers_load(struct arena *arena, struct containers *all, const char *id,
		    struct container *ret);
void containers_close(struct containers *all);

/*
 * 1, or 0: pids and cgroups in the record of an earlier boot are meaningless.
 */
int container_this_boot(const struct container *container);
/* True if a create or delete has the lock (perhaps the caller itself). */
bool container_locked(const struct container *container);
/*
 * True if the directory has no record, and only files that a killed create or
 * delete leaves. With any other file in it, it belongs to another program.
 */
bool container_is_rest(const struct container *container);
/*
 * While the process that calls container_hold lives, container_held returns
 * true to every caller, in any pid namespace.
 */
int container_hold(const struct container *container);
bool container_held(const struct container *container);
/* Get the status by facts of the kernel: pid, start time, gate, freezer. */
int container_status(const struct container *container, enum oci_status *ret);
/*
 * Get the address on which init listens until `start`; only the owner can reach
 * it.
 */
void container_gate(const struct container *container, struct sockaddr_un *ret);
/*
 * Open a pidfd of its init, verified against the record; -ESRCH if it is gone.
 */
int container_pidfd(const struct container *container);
/* Freeze or thaw all its processes. */
int container_freeze(struct arena *arena, const struct container *container,
		     bool on);
/* Load the saved copy of its config.json. */
int container_spec(struct arena *arena, const struct container *container,
		   struct oci_spec *ret);

/*
 * 1 if a policy is enforced, 0 if not. Fails if the record does not say so and a
 * policy is there, as in the state of an earlier version.
 */
int container_is_enforced(const struct container *container);
/*
 * Load the enforcement of its processes, as decided when it was created; empty
 * if it was created without a policy.
 */
int container_enforcement(struct arena *arena,
			  const struct container *container,
			  struct enforcement *ret);

/* List all IDs below root, sorted; -ENOENT if root does not exist. */
int container_ids(struct arena *arena, const char *root, struct strings *ret);
