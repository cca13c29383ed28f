/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/sandlock.c - sandlock for macOS: run commands in a sandbox. */
#include "base/util.h"
#include "darwin/commands.h"
#include "darwin/process.h"
#include "runtime/sandlock/commands.h"

static const struct command *const commands[] = {
	&darwin_command_run, &darwin_command_explain, &darwin_command_check,
	&sandlock_profile,   &darwin_command_wrap,    &sandlock_seatbelt,
};

static const struct command_set program = {
	.name = "sandlock",
	.help = "run programs that may do only what a policy allows",
	.commands = commands,
	.ncommands = COUNT(commands),
};

int main(int argc, char **argv)
{
	return darwin_main(&program, DARWIN_OUR_FAILURE, argc, argv);
}
