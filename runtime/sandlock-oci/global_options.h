/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/global_options.h - the options before the command, and their defaults. */
#pragma once

#include <stdbool.h>

#include "runtime/cli/complete.h"
#include "runtime/cli/options.h"
#include "runtime/sandlock-oci/commands.h"

struct global_options {
	const char *root;
	const char *log;
	const char *log_format;
	const char *log_level;
	const char *cgroup_manager;
	const char *rootless;
	const char *criu;
	const char *config;
	const char *profile;
	const char *enforce;
	struct strings allow_annotations;
	bool debug;
	bool systemd_cgroup;
	bool version;
};

extern const struct option_table global_options_table;
/* Offer the words that an option accepts. */
void global_options_offer(const struct completion *c);
/* Open the log first, so that it gets every later error; then fill session. */
int global_options_apply(const struct global_options *options,
			 struct session *session);
