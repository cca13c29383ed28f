/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/enforce/policy_files.h - keep the workload from writing policies of later runs.
 *
 * A workload that could write such a file would choose what the next run may
 * do. So these names are treated as if they were in filesystem.deny_write, even
 * if the files do not exist.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "confine/files.h"

struct arena;
struct oci_spec;
struct enforce_files;
struct enforce_input;
struct policy_kept_list;
struct view;
struct view_input;

#define POLICY_FILES_KEY "policy of a later run"

/* One path, below a mount that shows it. */
struct policy_kept {
	const char *host; /* the policy to keep, on the host */
	const char *top;  /* inside: the mount */
	const char *rest; /* "", or "/…" without links */
	bool on_way;	  /* a link or directory that leads to it */
	bool link;
	bool missing;
	bool file;   /* if missing: a file, not a directory */
	bool absent; /* a file that the workload must not see */
};

/* For a sandbox: add to kept, and to view->denied for explain and --why. */
int policy_files_of_sandbox(struct arena *arena, const struct view_input *input,
			    int proc, struct view *view,
			    struct policy_kept_list *kept);
/* Keep the workload from replacing links of the way to a hidden path. */
int policy_files_hold_links(struct arena *arena, const struct view *view,
			    const char *path, const struct files_way *way,
			    struct policy_kept_list *kept);
/* For a bundle, whose bind mounts show directories of the host. */
int policy_files_of_bundle(struct arena *arena,
			   const struct enforce_input *input,
			   const struct oci_spec *spec,
			   struct policy_kept_list *kept);
/* Add the mounts that protect them, in the container's root. */
int policy_files_carve(const struct enforce_files *files,
		       struct files_carves *carves);
