/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/help.h - the tables of the command line, as text on stdout. */
#pragma once

#include <stddef.h>

#include "runtime/commands.h"
#include "runtime/options.h"

void help_program(const struct option_table *globals,
		  const struct command *const *commands, size_t n);
void help_command(const struct command *command);
