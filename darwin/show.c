/* SPDX-License-Identifier: Apache-2.0 */
/*
 * darwin/show.c - explain, check and wrap: print what macOS enforces, and
 * command lines.
 */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/seatbelt.h"
#include "darwin/commands.h"
#include "darwin/process.h"
#include "oci/write.h"
#include "runtime/cli/quote.h"
#include "runtime/diagnose/explain_macos.h"
#include "runtime/sandlock/arguments.h"

static int explain(const struct session *session, const void *options, int argc,
		   char **argv)
{
	struct request_arguments args;
	int r;

	(void)options;
	r = arguments_take(session->arena, &darwin_command_explain, argc, argv,
			   &args);
	return r <= 0 ? r : explain_macos(session->arena, &args.request);
}

const struct command darwin_command_explain = {
	.name = "explain",
	.arguments = "[options] [policy] [--] [COMMAND [ARG...]]",
	.help = "show what would be enforced on macOS, and how",
	.options = arguments_options,
	.noptions = ARGUMENTS_EXPLAIN_NOPTIONS,
	.own_words = true,
	.run = explain,
	.failure = DARWIN_OUR_FAILURE,
};

struct check_options {
	bool json;
};

static const struct option_spec check_known[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct check_options, json), NULL,
	  "print a JSON object" },
};

/* macOS never has all protections, so the status is 1: some are missing. */
static int check(const struct session *session, const void *options, int argc,
		 char **argv)
{
	const struct check_options *o = options;
	struct writer w;
	int r = 0;

	(void)argc;
	(void)argv;
	writer_open(&w, session->arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "platform", "macos");
	put_array(&w, "missing");
	for (enum policy_protection i = 0; i < PROTECT_COUNT; i++) {
		const struct seatbelt_protection *row = seatbelt_protection(i);
		const char *name = policy_protection_name(i);

		if (!o->json)
			printf("%-26s  %-7s  %s\n", name,
			       row->held ? "yes" : "no", row->how);
		if (!row->held)
			put_string(&w, NULL, name);
	}
	put_end(&w);
	put_end(&w);
	if (o->json)
		r = writer_print(&w);
	else
		puts("some protections are not available on this host");
	return r < 0 ? r : 1;
}

const struct command darwin_command_check = {
	.name = "check",
	.arguments = "[--json]",
	.help = "show which protections macOS has",
	.options = check_known,
	.noptions = COUNT(check_known),
	.options_size = sizeof(struct check_options),
	.run = check,
	.failure = DARWIN_OUR_FAILURE,
};

/* Print "sandlock run ...", or with --backend seatbelt "sandbox-exec ...". */
static int wrap(const struct session *session, const void *options, int argc,
		char **argv)
{
	struct arena *arena = session->arena;
	struct request_arguments args;
	struct strings words;
	const char *line;
	int r;

	(void)options;
	r = arguments_take(arena, &darwin_command_wrap, argc, argv, &args);
	if (r <= 0)
		return r;
	r = args.macos ? wrap_seatbelt(arena, &args.request, &words) :
			 wrap_arguments(arena, &args, argv, &words);
	line = r < 0 ? NULL : quote_words(arena, &words);
	if (!line)
		return r < 0 ? r : -ENOMEM;
	puts(line);
	return 0;
}

const struct command darwin_command_wrap = {
	.name = "wrap",
	.arguments = "[options] [policy] [--] COMMAND [ARG...]",
	.help = "print the command line that runs a command in a sandbox",
	.min_args = 1,
	.options = arguments_options,
	.noptions = ARGUMENTS_WRAP_NOPTIONS,
	.own_words = true,
	.run = wrap,
	.failure = DARWIN_OUR_FAILURE,
};
