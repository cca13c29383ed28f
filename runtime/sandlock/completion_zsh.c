/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion_zsh.c - a script for zsh. */
#include "base/text.h"
#include "base/util.h"
#include "runtime/sandlock/completion.h"

/* Inside of '…[help]…' and of 'name:help'. */
static void put_help(struct policy_text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			text_put(out, "'\\''");
			continue;
		}
		text_put(out, "%s%c",
			 *text == '[' || *text == ']' || *text == ':' ||
					 *text == '\\' ?
				 "\\" :
				 "",
			 *text);
	}
}

static void put_way(const struct completion_flag *flag, struct policy_text *out)
{
	static const char *const ways[] = {
		[COMPLETE_ANYTHING] = " ",
		[COMPLETE_FILE] = "_files",
		[COMPLETE_FOLDER] = "_files -/",
		[COMPLETE_PROGRAM] = "_command_names -e",
		[COMPLETE_VARIABLE] = "_parameters -g \"*export*\"",
		[COMPLETE_PROFILE] = "_sandlock_profiles",
		[COMPLETE_SANDBOX] = "_sandlock_sandboxes",
		[COMPLETE_WORDS] = "",
	};

	if (flag->kind == COMPLETE_WORDS)
		text_put(out, "(%s)", flag->words);
	else if (*flag->words)
		text_put(out, "{compadd -- %s; %s}", flag->words,
			 ways[flag->kind]);
	else
		text_put(out, "%s", ways[flag->kind]);
}

static void put_spec(const struct completion_flag *flag, bool letter,
		     struct policy_text *out)
{
	bool value = flag->kind != COMPLETE_SWITCH;

	if (letter)
		text_put(out, "\t\t'*-%c%s[", flag->letter, value ? "+" : "");
	else
		text_put(out, "\t\t'*--%s%s[", flag->name, value ? "=" : "");
	put_help(out, flag->help);
	text_put(out, "]");
	if (value) {
		text_put(out, ":value:");
		put_way(flag, out);
	}
	text_put(out, "' \\\n");
}

static void put_specs(const struct completion_flags *flags,
		      struct policy_text *out)
{
	for (size_t i = 0; i < flags->n; i++) {
		if (flags->items[i].letter)
			put_spec(&flags->items[i], true, out);
		put_spec(&flags->items[i], false, out);
	}
}

static void put_command(const struct completion_command *command,
			struct policy_text *out)
{
	text_put(out, "\t%s)\n\t\t_arguments -s : \\\n", command->name);
	put_specs(&command->flags, out);
	if (streq(command->name, "profile"))
		text_put(out,
			 "\t\t'1:word:(%s)' '2:profile:_sandlock_either' ;;\n",
			 command->words);
	else if (command->first == COMPLETE_SANDBOX)
		text_put(out, "\t\t'1:sandbox:_sandlock_sandboxes' "
			      "'2:signal:_signals -s' ;;\n");
	else if (command->first == COMPLETE_WORDS)
		text_put(out, "\t\t'1:word:(%s)' ;;\n", command->words);
	else
		text_put(out, "\t\t;;\n");
}

static const char before[] =
	"#compdef sandlock\n"
	"# zsh completion for sandlock, by `sandlock completion zsh`\n"
	"\n"
	"_sandlock_profiles() {\n"
	"\tlocal -a names\n"
	"\n"
	"\tnames=(${${(f)\"$(_call_program profiles sandlock profile list "
	"2>/dev/null)\"}%% *})\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n"
	"_sandlock_either() {\n"
	"\t_sandlock_profiles\n"
	"\t_files\n"
	"}\n"
	"\n"
	"_sandlock_sandboxes() {\n"
	"\tlocal -a names\n"
	"\n"
	"\tnames=(${${(f)\"$(_call_program sandboxes sandlock ps "
	"2>/dev/null)\"}%% *})\n"
	"\tshift names\n"
	"\tcompadd -a names\n"
	"}\n"
	"\n"
	"_sandlock_request() {\n"
	"\t_arguments -s -S -A '-*' : \\\n";

static const char middle[] = "\t\t'(-)1:command:_command_names -e' \\\n"
			     "\t\t'*::arguments:_normal'\n"
			     "}\n"
			     "\n"
			     "_sandlock() {\n"
			     "\tlocal curcontext=$curcontext state line\n"
			     "\tlocal -a commands\n"
			     "\n"
			     "\tcommands=(\n";

static const char after[] = "\t\t'1:command:->command' '*::words:->words'\n"
			    "\tcase $state in\n"
			    "\tcommand) _describe command commands ;;\n"
			    "\twords) _sandlock_command ;;\n"
			    "\tesac\n"
			    "}\n"
			    "\n"
			    "_sandlock_command() {\n"
			    "\tcase $words[1] in\n";

void completion_zsh(const struct completion *all, struct policy_text *out)
{
	text_put(out, "%s", before);
	put_specs(&all->request, out);
	text_put(out, "%s", middle);
	for (size_t i = 0; i < all->n; i++) {
		text_put(out, "\t\t'%s:", all->commands[i].name);
		put_help(out, all->commands[i].help);
		text_put(out, "'\n");
	}
	text_put(out, "\t)\n\t_arguments -C : \\\n");
	put_specs(&all->flags, out);
	text_put(out, "%s", after);
	for (size_t i = 0; i < all->n; i++)
		if (completion_is_request(&all->commands[i]))
			text_put(out, "\t%s) _sandlock_request ;;\n",
				 all->commands[i].name);
		else
			put_command(&all->commands[i], out);
	text_put(out, "\tesac\n}\n\n_sandlock \"$@\"\n");
}
