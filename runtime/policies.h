/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/policies.h - whatever could be a policy of a later run, where a
 * workload would see it and could write it.
 *
 * Who chooses what the next run may do has no policy. So these names are as in
 * filesystem.deny_write, whether there is something under them or not.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "confine/files.h"

struct arena;
struct oci_spec;
struct policed;
struct policed_files;
struct request;
struct view;

#define POLICIES_KEY "policy of a later run"

/* One name, below a mount that shows it. */
struct policy_kept {
	const char *host;	/* why: the file, on the host */
	const char *top;	/* inside: the mount */
	const char *rest;	/* "", or "/…" without links */
	bool on_way;		/* leads there: it only stays what it is */
	bool link;
	bool missing;
	bool file;		/* or is to be a directory */
	bool absent;		/* a file that is not to be seen either */
};

/* For a sandbox: policed->kept, and view->denied for those who ask. */
int policies_of_request(struct arena *arena, const struct request *request,
			int proc, struct view *view, struct policed *policed);
/* Nobody replaces a link that leads to path, which is hidden itself. */
int policies_hold_links(struct arena *arena, const struct view *view,
			const char *path, struct policed *policed);
/* For a bundle, whose bind mounts show directories of the host. */
int policies_of_bundle(struct arena *arena, const struct oci_spec *spec,
		       struct policed *policed);
/* In the container's root: the mounts that keep them, on top of others. */
int policies_carve(const struct policed_files *files,
		   struct files_carves *carves);
