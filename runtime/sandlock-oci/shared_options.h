/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/shared_options.h - the options of two commands each: create
 * and run, checkpoint and restore.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "runtime/checkpoint/images.h"
#include "runtime/cli/command.h"

struct create_options;
struct prepared;
struct session;

/* The options shared by the two commands, for their tables. */
extern const struct option_spec create_option_table[];
#define CREATE_OPTIONS 10 /* of create; run has two more */
#define RUN_OPTIONS 12

/*
 * Prepare the container that the argument names: an ID, or only a bundle
 * directory, which is then stored in options.
 */
int create_prepare_named(const struct session *session, const char *name,
			 bool has_gate, struct create_options *options,
			 struct prepared *prepared);

/* Print what --dump-plan promises. */
int create_dump_plan(const struct prepared *prepared);

/* For the tables of checkpoint and restore; the struct is the first member of theirs. */
#define IMAGE_FIELD(name) offsetof(struct image_options, name)
#define IMAGE_OPTIONS                                                         \
	{ "image-path", 0,                                                    \
	  OPTION_TEXT,	IMAGE_FIELD(image_path),                              \
	  "DIR",	"directory for the images (default: ./checkpoint)" }, \
		{ "work-path",                                                \
		  0,                                                          \
		  OPTION_TEXT,                                                \
		  IMAGE_FIELD(work_path),                                     \
		  "DIR",                                                      \
		  "directory for the log (default: that of the images)" },    \
		{ "parent-path",                                              \
		  0,                                                          \
		  OPTION_TEXT,                                                \
		  IMAGE_FIELD(parent_path),                                   \
		  "DIR",                                                      \
		  "directory of earlier images, relative to --image-path" },  \
		{ "tcp-established",                                          \
		  0,                                                          \
		  OPTION_FLAG,                                                \
		  IMAGE_FIELD(tcp_established),                               \
		  NULL,                                                       \
		  "keep open TCP connections" },                              \
		{ "ext-unix-sk", 0,                                           \
		  OPTION_FLAG,	 IMAGE_FIELD(ext_unix_sk),                    \
		  NULL,		 "keep connected external Unix sockets" },    \
		{ "shell-job", 0,                                             \
		  OPTION_FLAG, IMAGE_FIELD(shell_job),                        \
		  NULL,	       "keep the caller's session and terminal" },    \
		{ "lazy-pages", 0,                                            \
		  OPTION_FLAG,	IMAGE_FIELD(lazy_pages),                      \
		  NULL,		"fetch memory on demand" },                   \
		{ "file-locks", 0,                                            \
		  OPTION_FLAG,	IMAGE_FIELD(file_locks),                      \
		  NULL,		"keep file locks" },                          \
		{ "manage-cgroups-mode",                                      \
		  0,                                                          \
		  OPTION_TEXT,                                                \
		  IMAGE_FIELD(cgroups_mode),                                  \
		  "MODE",                                                     \
		  "soft (default), full, strict or ignore" },                 \
		{ "empty-ns",                                                 \
		  0,                                                          \
		  OPTION_LIST,                                                \
		  IMAGE_FIELD(empty_ns),                                      \
		  "TYPE",                                                     \
		  "do not save the contents of this namespace: network" },    \
		{ "auto-dedup", 0,                                            \
		  OPTION_FLAG,	IMAGE_FIELD(auto_dedup),                      \
		  NULL,		"drop memory that earlier images contain" },  \
	{                                                                     \
		"network-lock", 0, OPTION_TEXT, IMAGE_FIELD(network_lock),    \
			"METHOD", "iptables (default), nftables or skip"      \
	}
