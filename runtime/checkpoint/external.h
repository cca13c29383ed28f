/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/external.h - what of a container belongs to the host and is not in a
 * checkpoint: binds, masks, device nodes, joined namespaces, standard streams.
 *
 * Each has a name in the images that only config.json gives a meaning to when
 * they are restored: images name no path of the host.
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
	EXTERNAL_BIND,	 /* and what is mounted below */
	EXTERNAL_CGROUP, /* cgroup file systems below */
	EXTERNAL_NODE,	 /* this mount only, if not a whole fs */
	EXTERNAL_NOT,	 /* left to criu */
};

/* Where something of the host may be mounted, by its name in the images. */
struct external_place {
	const char *path; /* as the kernel has it */
	const char *name;
	enum external_kind kind;
};

struct external_places {
	struct external_place *items;
	size_t n;
};

/* What follows the directory in a path below it, "" for itself; else NULL. */
const char *external_below(const char *path, const char *directory);
/* The name of a mount in the images, or NULL; pure. */
const char *external_name(struct arena *arena,
			  const struct external_places *places,
			  const struct mountinfo_line *mount);

/* Checkpoint: name everything that is external of process pid. */
int external_put_dump(struct arena *arena, int proc, pid_t pid,
		      const struct oci_spec *spec, struct pb *request);
/* Its standard streams; written to the images, too. */
int external_put_streams(struct arena *arena, int proc, pid_t pid, int images,
			 struct pb *request);

/* Restore: give every name its meaning here; cgroup: as made; notify is a directory. */
int external_put_restore(const struct make_input *in,
			 const struct cgroup *cgroup, const char *notify,
			 struct pb *request);
/* The namespaces joined, by descriptors criu gets or by their files. */
int external_put_namespaces(struct criu *criu, const struct make_input *in,
			    struct pb *request);
/* Our own standard streams in the place of those that were. */
int external_inherit_streams(struct arena *arena, int images,
			     struct pb *request);
/* The places of mounts in the rootfs, made where they are missing. */
int external_make_points(const struct make_input *in);
