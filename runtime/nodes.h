/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/nodes.h - device nodes for a user namespace, which may make none. */
#pragma once

struct arena;
struct oci_device;
struct plan;

/* A file system of nodes, made for the first one. */
struct nodes {
	int tree;
	unsigned int n;
};

#define NODES_NONE          \
	{                   \
		.tree = -1, \
	}

/*
 * A detached mount of a node with these numbers, this mode and owner: a new
 * one, or the host's where the caller may make none. Called in a mount
 * namespace that nobody else sees and that ends with them: they cover its root.
 */
int nodes_make(struct nodes *nodes, struct arena *arena,
	       const struct oci_device *device);
void nodes_close(struct nodes *nodes);

/*
 * Where the host has a device: the path itself, or the kernel's name for it
 * below /dev. The path again when it has none; NULL when memory is out.
 */
const char *nodes_find(struct arena *arena, const struct oci_device *device);
/* Let the steps that bind listed nodes of the host name what nodes_find does. */
int nodes_locate(struct plan *plan);
