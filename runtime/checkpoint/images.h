/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/images.h - the files of a checkpoint, and what checkpoint and
 * restore are asked for.
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
	const char *log_path;	      /* for people */
};

#define IMAGES_NONE                   \
	{                             \
		.dir = -1, .work = -1 \
	}
#define autoimages AUTO(images_close)

/* Require root; refuse policies and idmapped mounts, which criu would lose. */
int images_check(const struct oci_spec *spec, bool enforced);
/* Open the directories; make those that are missing when asked to. */
int images_open(struct arena *arena, const struct image_options *options,
		const char *log, bool make, struct images *ret);
void images_close(struct images *images);
/* Let this group in: the root of a user namespace reads them, too. */
int images_admit(const struct images *images, gid_t group);
/* What both requests begin with; and where criu finds them. */
int images_put(const struct images *images, const struct image_options *options,
	       const struct oci_spec *spec, struct pb *request);
/* A failure of criu, with its reasons and the place of its log. */
int images_explain(struct arena *arena, int r, const struct images *images);
/* --manage-cgroups-mode ignore */
bool images_leave_cgroups(const struct image_options *options);
