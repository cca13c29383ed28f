/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/placeholders.h - empty files under denied names that do not
 * exist.
 *
 * A mount needs a mount point. All containers that deny the name share the
 * placeholder, a registry records which ones, and the last one removes it if it
 * is still empty.
 */
#pragma once

#include <stdbool.h>

struct arena;
struct files_carves;
struct oci_spec;
struct statx;

struct placeholders {
	struct arena *arena;
	const struct oci_spec *spec; /* its mounts */
	const char *rootfs;	     /* on the host */
	int proc;		     /* our own /proc */
	int root;		     /* the container's, with its mounts */
	int state;		     /* its state directory */
};

/*
 * Make those that are missing, and share those that other containers have made.
 */
int placeholders_make(const struct placeholders *p,
		      const struct files_carves *carves);
/* Release the placeholders that the state directory lists. */
int placeholders_release(int state);

/* ---- placeholder_registry.c: which containers need which placeholder ---- */

#define PLACEHOLDER_ID 96

/* Call statx(2) on a descriptor; -1 and errno on failure. */
int placeholder_look(int fd, struct statx *ret);
/* Make an ID of device, inode and birth time, as inode numbers are reused. */
void placeholder_id(const struct statx *st, char ret[static PLACEHOLDER_ID]);
/*
 * Make an ID of the device and inode of its directory, without the birth time,
 * which an overlay may change.
 */
void placeholder_place(const struct statx *st, char ret[static PLACEHOLDER_ID]);

/*
 * In a workdir it is made through the overlay, so that the kernel copies the
 * directories above it. Return the directory's path in the branch; NULL if it
 * is in no workdir, or out of memory.
 */
const char *placeholder_upper(struct arena *arena, const struct oci_spec *spec,
			      const char *dir);
/* Find it in the branch, when it was made: its parent's ID and itself. */
int placeholder_staged(const char *upper, const char *name,
		       char ret_parent[static PLACEHOLDER_ID],
		       struct statx *ret);

/* Make the registry if missing, and lock it; only the caller may access it. */
int placeholder_registry_open(void);
bool placeholder_registry_has(int registry, const char *id);
/* Record that a container needs it; fresh: drop earlier records of this ID. */
int placeholder_registry_take(int registry, const char *id, int state,
			      bool fresh);
/* Remove that record; true if no other container needs the placeholder. */
bool placeholder_registry_drop(int registry, const char *id, int state);
void placeholder_registry_forget(int registry, const char *id);
