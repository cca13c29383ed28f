/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/images.h - the files of a checkpoint, and the options of
 * checkpoint and restore.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"

struct pb;

struct image_options {
	const char *image_path;
	const char *work_path;
	const char *parent_path;
	bool tcp_established;
	bool ext_unix_sk;
	bool shell_job;
	bool lazy_pages;
	bool file_locks;
	const char *cgroups_mode;
	struct strings empty_ns;
	bool auto_dedup;
	const char *network_lock;
};

struct images {
	int dir;
	int work;
	const char *path, *work_path; /* absolute */
	const char *log;	      /* its name in work */
	const char *log_path;	      /* for messages */
};

#define IMAGES_NONE                   \
	{                             \
		.dir = -1, .work = -1 \
	}
#define autoimages AUTO(images_close)

/* Require root; refuse policies and idmapped mounts, which criu would lose. */
int images_check(const struct oci_spec *spec, bool enforced);
/* Open the directories; create missing ones if `make` is set. */
int images_open(struct arena *arena, const struct image_options *options,
		const char *log, bool make, struct images *ret);
void images_close(struct images *images);
/* Let this group read them: the root of a user namespace does. */
int images_admit(const struct images *images, gid_t group);
/* Add the options that both requests need, and the directories. */
int images_put(const struct images *images, const struct image_options *options,
	       const struct oci_spec *spec, struct pb *request);
/* Add the errors of criu's log, and its path, to a failure of criu. */
int images_explain(struct arena *arena, int r, const struct images *images);
/* True for --manage-cgroups-mode ignore. */
bool images_leave_cgroups(const struct image_options *options);
