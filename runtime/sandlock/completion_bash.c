/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/completion_bash.c - a script for bash, without bash-completion. */
#include "base/text.h"
#include "base/util.h"
#include "runtime/sandlock/completion.h"

/* _sandlock_value FLAG: complete what follows it; fails if nothing does. */
static void put_value_case(const struct completion_flag *flag,
			   struct policy_text *out)
{
	static const char *const ways[] = {
		[COMPLETE_ANYTHING] = "COMPREPLY=()",
		[COMPLETE_FILE] = "_sandlock_files f",
		[COMPLETE_FOLDER] = "_sandlock_files d",
		[COMPLETE_PROGRAM] = "_sandlock_reply -c",
		[COMPLETE_VARIABLE] = "_sandlock_reply -v",
		[COMPLETE_PROFILE] = "_sandlock_profiles",
		[COMPLETE_SANDBOX] = "_sandlock_sandboxes",
		[COMPLETE_WORDS] = "COMPREPLY=()",
	};

	text_put(out, "\t");
	if (flag->letter)
		text_put(out, "-%c | ", flag->letter);
	text_put(out, "--%s)\n\t\t%s", flag->name, ways[flag->kind]);
	if (*flag->words) {
		text_put(out, "\n\t\t_sandlock_words ");
		completion_quote(out, flag->words);
	}
	text_put(out, " ;;\n");
}

static void put_values(const struct completion_flags *flags,
		       struct policy_text *out)
{
	for (size_t i = 0; i < flags->n; i++)
		if (flags->items[i].kind != COMPLETE_SWITCH)
			put_value_case(&flags->items[i], out);
}

static void put_names(const struct completion_flags *flags,
		      struct policy_text *out)
{
	for (size_t i = 0; i < flags->n; i++) {
		if (flags->items[i].letter)
			text_put(out, "-%c ", flags->items[i].letter);
		text_put(out, "--%s%s", flags->items[i].name,
			 i + 1 < flags->n ? " " : "");
	}
}

static void put_command(const struct completion *all,
			const struct completion_command *command,
			struct policy_text *out)
{
	bool request = completion_is_request(command);

	text_put(out, "\t%s)\n\t\tflags='", command->name);
	put_names(request ? &all->request : &command->flags, out);
	text_put(out, "'\n");
	if (request)
		text_put(out, "\t\tfirst=program\n");
	else if (command->first == COMPLETE_SANDBOX)
		text_put(out, "\t\tfirst=sandbox\n");
	else if (command->first == COMPLETE_WORDS)
		text_put(out, "\t\tfirst=words words='%s'\n", command->words);
	text_put(out, "\t\t;;\n");
}

static const char before[] =
	"# bash completion for sandlock, by `sandlock completion bash`\n"
	"\n"
	"_sandlock_reply() {\n"
	"\tlocal IFS=$'\\n'\n"
	"\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_sandlock_words() {\n"
	"\tlocal word\n"
	"\n"
	"\tfor word in $1; do\n"
	"\t\t[[ $word != \"$cur\"* ]] || COMPREPLY+=(\"$word\")\n"
	"\tdone\n"
	"}\n"
	"\n"
	"_sandlock_files() {\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\t_sandlock_reply \"-$1\"\n"
	"}\n"
	"\n"
	"_sandlock_profiles() {\n"
	"\t[[ $cur != */* ]] || { _sandlock_files f; return; }\n"
	"\t_sandlock_words \"$(sandlock profile list 2>/dev/null |\n"
	"\t\tawk '{ print $1 }')\"\n"
	"}\n"
	"\n"
	"_sandlock_sandboxes() {\n"
	"\t_sandlock_words \"$(sandlock ps 2>/dev/null |\n"
	"\t\tawk 'NR > 1 { print $1 }')\"\n"
	"}\n"
	"\n"
	"# What follows a flag; fails where nothing does.\n"
	"_sandlock_value() {\n"
	"\tcase $1 in\n";

static const char middle[] = "\t*) return 1 ;;\n"
			     "\tesac\n"
			     "}\n"
			     "\n"
			     "# Sets flags, first and words.\n"
			     "_sandlock_command() {\n"
			     "\tflags='' first='' words=''\n"
			     "\tcase $1 in\n";

static const char after[] =
	"\tesac\n"
	"}\n"
	"\n"
	"_sandlock() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"\tlocal command='' flags first words i word plain=0\n"
	"\n"
	"\tCOMPREPLY=()\n"
	"\tif [[ $cur == = ]]; then\n"
	"\t\tcur=''\n"
	"\telif [[ $prev == = ]]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"\tfi\n"
	"\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $word == -- ]]; then\n"
	"\t\t\t((plain++))\n"
	"\t\t\t[[ -z $command ]] || { ((i++)); break; }\n"
	"\t\telif [[ $word == -* ]]; then\n"
	"\t\t\tif [[ ${COMP_WORDS[i+1]} == = ]]; then\n"
	"\t\t\t\t((i += 2))\n"
	"\t\t\telif _sandlock_value \"$word\"; then\n"
	"\t\t\t\t((i++))\n"
	"\t\t\tfi\n"
	"\t\telif [[ -z $command ]]; then\n"
	"\t\t\tcommand=$word\n"
	"\t\t\t_sandlock_command \"$command\"\n"
	"\t\telse\n"
	"\t\t\tplain=1\n"
	"\t\t\tbreak\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tCOMPREPLY=()\n"
	"\tif ((!plain)) && { ((i > COMP_CWORD)) || [[ $prev == -* ]]; } &&\n"
	"\t\t_sandlock_value \"$prev\"; then\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ -z $command ]]; then\n"
	"\t\t_sandlock_words \"$_sandlock_top\"\n"
	"\telif [[ $first == program ]] && ((plain)); then\n"
	"\t\tif ((i >= COMP_CWORD)); then\n"
	"\t\t\t_sandlock_reply -c\n"
	"\t\telse\n"
	"\t\t\t_sandlock_files f\n"
	"\t\tfi\n"
	"\telif [[ $cur == -* ]]; then\n"
	"\t\t_sandlock_words \"$flags\"\n"
	"\telif [[ $first == program ]]; then\n"
	"\t\t_sandlock_reply -c\n"
	"\telif [[ $first == sandbox ]] && ((!plain)); then\n"
	"\t\t_sandlock_sandboxes\n"
	"\telif [[ $first == words ]] && ((!plain)); then\n"
	"\t\t_sandlock_words \"$words\"\n"
	"\telif [[ $command == profile && $prev == show ]]; then\n"
	"\t\t_sandlock_profiles\n"
	"\telif [[ $command == profile && $prev == validate ]]; then\n"
	"\t\t_sandlock_files f\n"
	"\tfi\n"
	"}\n"
	"\n"
	"complete -F _sandlock sandlock\n";

void completion_bash(const struct completion *all, struct policy_text *out)
{
	text_put(out, "%s", before);
	put_values(&all->flags, out);
	put_values(&all->request, out);
	text_put(out, "%s", middle);
	for (size_t i = 0; i < all->n; i++)
		put_command(all, &all->commands[i], out);
	text_put(out, "%s\n_sandlock_top='", after);
	for (size_t i = 0; i < all->n; i++)
		text_put(out, "%s ", all->commands[i].name);
	put_names(&all->flags, out);
	text_put(out, "'\n");
}
