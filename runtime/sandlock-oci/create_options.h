/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/create_options.h - the options and arguments of create and run. */
#pragma once

#include "runtime/cli/command.h"

struct arena;
struct create_options;

/* The options shared by the two commands, for their tables. */
extern const struct option_spec create_option_table[];
#define CREATE_OPTIONS 10 /* of create; run has two more */
#define RUN_OPTIONS 12

/* Get ID and bundle from the positionals: "ID", or only a bundle directory. */
int create_arguments(struct arena *arena, struct create_options *options,
		     int argc, char **argv, const char **ret_id);
