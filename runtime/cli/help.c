/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/help.c - print help from the tables of commands and options. */
#include "runtime/cli/help.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static const struct option_spec help_option = {
	.name = "help",
	.letter = 'h',
	.help = "print this help",
};

static int option_width(const struct option_spec *spec)
{
	return (int)(strlen(spec->name) +
		     (spec->value ? strlen(spec->value) + 1 : 0));
}

static void print_option(const struct option_spec *spec, int width)
{
	int pad = width - option_width(spec);

	if (spec->letter)
		printf("  -%c, --%s", spec->letter, spec->name);
	else
		printf("      --%s", spec->name);
	printf("%s%s%*s  %s\n", spec->value ? " " : "",
	       spec->value ? spec->value : "", pad, "", spec->help);
}

void help_options(const struct option_spec *items, size_t n)
{
	int width = option_width(&help_option);

	for (size_t i = 0; i < n; i++)
		if (option_width(&items[i]) > width)
			width = option_width(&items[i]);
	for (size_t i = 0; i < n; i++)
		print_option(&items[i], width);
	print_option(&help_option, width);
}

void help_command(const struct command_set *program,
		  const struct command *command)
{
	printf("usage: %s %s %s\n\n%s\n\noptions:\n", program->name,
	       command->name, command->arguments, command->help);
	help_options(command->options, command->noptions);
}

void help_program(const struct command_set *program)
{
	const struct command *const *commands = program->commands;
	int width = 0;

	for (size_t i = 0; i < program->ncommands; i++)
		if ((int)strlen(commands[i]->name) > width)
			width = (int)strlen(commands[i]->name);
	printf("usage: %s [global options] COMMAND [options] ARGS\n\n%s\n\n"
	       "commands:\n",
	       program->name, program->help);
	for (size_t i = 0; i < program->ncommands; i++)
		printf("  %-*s  %s\n", width, commands[i]->name,
		       commands[i]->help);
	printf("\nglobal options:\n");
	help_options(program->options->items, program->options->n);
	printf("\nRun `%s COMMAND --help` for the options of a command\n",
	       program->name);
}
