/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/sandlock_oci.c - sandlock-oci for macOS: run bundles whose root is that
 * of the host.
 */
#include "base/util.h"
#include "darwin/commands.h"

static const struct command *const commands[] = {
	&darwin_command_bundle,
	&darwin_command_spec,
	&darwin_command_features,
};

static const struct command_set program = {
	.name = "sandlock-oci",
	.help = "run a bundle whose root is /, under its policy",
	.commands = commands,
	.ncommands = COUNT(commands),
};

int main(int argc, char **argv)
{
	return darwin_main(&program, 1, argc, argv);
}
