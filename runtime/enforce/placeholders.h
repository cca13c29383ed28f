/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/placeholders.h - empty files under denied names that do not exist.
 *
 * A mount needs something to lie on. What is made for that is shared by all
 * containers that deny the name, on record in a directory of its own, and
 * removed by the last of them if it is still empty.
 */
#pragma once

struct arena;
struct files_carves;
struct oci_spec;

struct placeholders {
	struct arena *arena;
	const struct oci_spec *spec; /* its mounts */
	const char *rootfs;	     /* on the host */
	int proc;		     /* our own */
	int root;		     /* the container's, with its mounts */
	int state;		     /* its state directory */
};

/* For those that are missing, and for those that others have made. */
int placeholders_make(const struct placeholders *p,
		      const struct files_carves *carves);
/* What the state directory says is ours no more. */
int placeholders_release(int state);
