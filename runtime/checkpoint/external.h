/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/external.h - resources of the host that are not part of a
 * checkpoint: binds, masks, device nodes, joined namespaces, standard streams.
 *
 * Each has a name in the images, and at restore config.json says which resource
 * that is: images contain no path of the host.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "oci/oci.h"

struct arena;
struct criu;
struct cgroup;
struct make_input;
struct mountinfo;
struct mountinfo_line;
struct pb;

enum external_kind {
	EXTERNAL_BIND,	 /* with the mounts below it */
	EXTERNAL_CGROUP, /* cgroup file systems below */
	EXTERNAL_NODE,	 /* this mount only, if not a whole fs */
	EXTERNAL_NOT,	 /* criu saves it */
};

/*
 * A path where a resource of the host may be mounted, and its name in the
 * images.
 */
struct external_place {
	const char *path; /* as the kernel shows it */
	const char *name;
	enum external_kind kind;
};

struct external_places {
	struct external_place *items;
	size_t n;
};

/* Return the rest of a path below the directory, "" for itself; else NULL. */
const char *external_below(const char *path, const char *directory);
/* Return the name of a mount in the images, or NULL; no effects. */
const char *external_name(struct arena *arena,
			  const struct external_places *places,
			  const struct mountinfo_line *mount);

/* Checkpoint: name all external resources of process pid. */
int external_put_dump(struct arena *arena, int proc, pid_t pid,
		      const struct oci_spec *spec, struct pb *request);
/* Name its standard streams, and save the names beside the images. */
int external_put_streams(struct arena *arena, int proc, pid_t pid, int images,
			 struct pb *request);

/*
 * Restore: assign resources of this host to the names. cgroup is as made;
 * notify is a directory.
 */
int external_put_restore(const struct make_input *in,
			 const struct cgroup *cgroup, const char *notify,
			 struct pb *request);
/* Assign the joined namespaces, by descriptors for criu or by their files. */
int external_put_namespaces(struct criu *criu, const struct make_input *in,
			    struct pb *request);
/* Replace the saved standard streams by those of this process. */
int external_inherit_streams(struct arena *arena, int images,
			     struct pb *request);
/* Create missing mount points in the rootfs. */
int external_make_points(const struct make_input *in);
