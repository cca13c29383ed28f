/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/container.h - a container on disk: reserve, load, look, signal, remove.
 *
 * <root>/<id>/ holds
 *	state.json		the record; without it there is no container
 *	config.json		the private copy of the bundle's
 *	resources.json		linux.resources, once `update` has changed them
 *	enforcement.json	what holds each process, of a container with a
 *				policy: runtime/enforce/saved.h
 *	policy.toml		that policy, for people and `sandlock inspect`
 *	placeholders		empty files and directories to remove from the
 *				host: runtime/enforce/placeholders.h
 *	gate			the socket that its init waits on
 *	notify			the directory of its readiness socket
 * A flock on the directory says that a create or delete is at work.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "cgroups/cgroup.h"
#include "oci/oci.h"

struct arena;
struct enforcement;
struct sockaddr_un;

struct container {
	int root; /* the directory of all containers */
	int dir;  /* its own, locked when reserved */
	const char *id;
	struct oci_record record;
	bool broken;	   /* the record cannot be read, or is not ours */
	bool of_this_boot; /* its boot_id was read just now */
};

#define CONTAINER_NONE                \
	{                             \
		.root = -1, .dir = -1 \
	}
#define autocontainer AUTO(container_close)

/* Letters, digits, _ + - . ; not . or .. ; at most 1024 bytes. */
int container_check_id(const char *id);
/* Find it; "container does not exist" otherwise. */
int container_load(struct arena *arena, const char *root, const char *id,
		   struct container *ret);
/* The same, and a broken one is an error that says why. */
int container_load_sound(struct arena *arena, const char *root, const char *id,
			 struct container *ret);
void container_close(struct container *container);

/* 1, or 0: a record of an earlier boot names pids and cgroups that mean nothing now. */
int container_this_boot(const struct container *container);
/* A create or delete holds its lock (we may be that one). */
bool container_locked(const struct container *container);
/*
 * The directory has no record, and only files that a killed create or delete
 * leaves. With any other file in it, it belongs to another program.
 */
bool container_is_rest(const struct container *container);
/*
 * While this process lives, container_held is true for every caller, in any
 * pid namespace.
 */
int container_hold(const struct container *container);
bool container_held(const struct container *container);
/* Where it stands now, by the kernel's word: pid, start time, gate, freezer. */
int container_status(const struct container *container, enum oci_status *ret);
/* Where its init listens until `start`: a name that only its owner reaches. */
void container_gate(const struct container *container, struct sockaddr_un *ret);
/* A pidfd of its init, verified against the record; -ESRCH when it is gone. */
int container_pidfd(const struct container *container);
/* The private copy of its config.json. */
int container_spec(struct arena *arena, const struct container *container,
		   struct oci_spec *ret);

/*
 * What holds its processes, as it was decided when it was created; nothing
 * where it was created without a policy.
 */
int container_enforcement(struct arena *arena,
			  const struct container *container,
			  struct enforcement *ret);

/* All IDs below root, sorted; a missing root is -ENOENT. */
int container_ids(struct arena *arena, const char *root, struct strings *ret);
