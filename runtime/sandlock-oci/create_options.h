/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock-oci/create_options.h - the options and arguments of create and run. */
#pragma once

#include <stdbool.h>

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
