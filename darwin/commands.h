/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/commands.h - the commands of both programs that macOS has. */
#pragma once

#include "runtime/cli/command.h"
#include "runtime/cli/dispatch.h"
#include "runtime/container/session.h"

/* Those of sandlock that are not Linux's; others are in runtime/sandlock. */
extern const struct command darwin_command_run, darwin_command_explain,
	darwin_command_check, darwin_command_wrap;
/* Those of sandlock-oci. */
extern const struct command darwin_command_bundle, darwin_command_spec,
	darwin_command_features;

/*
 * The start of both programs: parse the options before the command, and run it.
 */
int darwin_main(const struct command_set *program, int failure, int argc,
		char **argv);
