/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/help.h - print the help of a program or a command. */
#pragma once

#include <stddef.h>

#include "runtime/cli/dispatch.h"
#include "runtime/cli/options.h"

void help_program(const struct command_set *program);
void help_command(const struct command_set *program,
		  const struct command *command);
/* Print a table of options, with --help added. */
void help_options(const struct option_spec *items, size_t n);
