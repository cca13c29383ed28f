/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/launch/device_nodes.h - device nodes for user namespaces, where mknod(2) fails. */
#pragma once

struct arena;
struct facts;
struct oci_device;
struct plan;

/* A file system of device nodes, made when the first node is needed. */
struct device_nodes {
	int tree;
	unsigned int n;
};

#define DEVICE_NODES_NONE   \
	{                   \
		.tree = -1, \
	}

/*
 * Return a detached mount of a device node: a new one, or the host's if the
 * caller may not make nodes. The caller must be in a mount namespace of its
 * own, as this mounts a file system on its root.
 */
int device_nodes_make(struct device_nodes *nodes, struct arena *arena,
		      const struct oci_device *device);
void device_nodes_close(struct device_nodes *nodes);

/*
 * Find a device on the host: at its path, or under the kernel's name below
 * /dev. Return the path itself if neither exists; NULL if out of memory.
 */
const char *device_nodes_find(struct arena *arena,
			      const struct oci_device *device);
/*
 * If the caller may not make nodes, put the paths that device_nodes_find
 * returns into the steps that bind host nodes. Part of making the plan.
 */
int device_nodes_locate(const struct facts *facts, struct plan *plan);
