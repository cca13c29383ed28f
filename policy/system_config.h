/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/system_config.h - the operator's configuration, for programs that
 * cannot pass options.
 */
#pragma once

#include "base/strings.h"

struct arena;

#define SYSTEM_CONFIG "/etc/sandlock/config.toml"

/* Each is NULL or empty if it is not given. */
struct system_config {
	const char *profile;
	const char *enforce;
	struct strings allow_annotations;
	/* [runtime] */
	const char *root;
	const char *log;
	const char *log_format;
	const char *log_level;
	const char *cgroup_manager;
	const char *rootless;
	const char *criu;
};

/*
 * Read a file that only root, or the caller, can have written; given: the value
 * of --config, which is for root, or NULL for SYSTEM_CONFIG, which may be
 * missing.
 */
int system_config_load(struct arena *arena, const char *given,
		       struct system_config *ret);
