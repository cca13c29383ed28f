/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/images.h - the files of a checkpoint, and the options checkpoint and
 * restore share.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "oci/oci.h"
#include "runtime/cli/command.h"

struct pb;
struct policed;

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
	struct oci_strings empty_ns;
	bool auto_dedup;
	const char *network_lock;
};

/* For the tables of the two; the struct is the first member of theirs. */
#define IMAGE_FIELD(name) offsetof(struct image_options, name)
#define IMAGE_OPTIONS                                                       \
	{ "image-path", 0, OPTION_TEXT, IMAGE_FIELD(image_path), "DIR",     \
	  "directory of the images (default: ./checkpoint)" },              \
	{ "work-path", 0, OPTION_TEXT, IMAGE_FIELD(work_path), "DIR",       \
	  "directory of the log (default: that of the images)" },           \
	{ "parent-path", 0, OPTION_TEXT, IMAGE_FIELD(parent_path), "DIR",   \
	  "earlier images, relative to image-path" },                       \
	{ "tcp-established", 0, OPTION_FLAG, IMAGE_FIELD(tcp_established),  \
	  NULL, "keep open TCP connections" },                              \
	{ "ext-unix-sk", 0, OPTION_FLAG, IMAGE_FIELD(ext_unix_sk), NULL,    \
	  "keep external Unix sockets" },                                   \
	{ "shell-job", 0, OPTION_FLAG, IMAGE_FIELD(shell_job), NULL,        \
	  "keep the session and terminal of the caller" },                  \
	{ "lazy-pages", 0, OPTION_FLAG, IMAGE_FIELD(lazy_pages), NULL,      \
	  "fetch memory on demand" },                                       \
	{ "file-locks", 0, OPTION_FLAG, IMAGE_FIELD(file_locks), NULL,      \
	  "keep file locks" },                                              \
	{ "manage-cgroups-mode", 0, OPTION_TEXT, IMAGE_FIELD(cgroups_mode), \
	  "MODE", "soft (default), full, strict or ignore" },               \
	{ "empty-ns", 0, OPTION_LIST, IMAGE_FIELD(empty_ns), "TYPE",        \
	  "leave the contents of this namespace out: network" },            \
	{ "auto-dedup", 0, OPTION_FLAG, IMAGE_FIELD(auto_dedup), NULL,      \
	  "drop memory that earlier images hold" },                         \
	{ "network-lock", 0, OPTION_TEXT, IMAGE_FIELD(network_lock),        \
	  "METHOD", "iptables (default), nftables or skip" }

struct images {
	int dir;
	int work;
	const char *path, *work_path;	/* absolute */
	const char *log;		/* its name in work */
	const char *log_path;		/* for people */
};

#define IMAGES_NONE { .dir = -1, .work = -1 }
#define autoimages AUTO(images_close)

/* Require root; refuse policies and idmapped mounts, which criu would lose. */
int images_check(const struct oci_spec *spec, const struct policed *policed);
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
