/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/check.c - check: print what this host can enforce. */
#include <stdio.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/host.h"
#include "oci/write.h"
#include "policy/policy.h"
#include "runtime/diagnose/check.h"
#include "runtime/sandlock/commands.h"

struct check_options {
	bool json;
};

static const struct option_spec options_known[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct check_options, json), NULL,
	  "print a JSON object" },
};

static const char *const verdicts[] = {
	"all protections are available on this host",
	"some protections are not available on this host",
	"no sandbox is possible on this host",
};

static void print_text(const struct check *check)
{
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		const struct check_finding *part = &check->parts[i];

		printf("%-10s  %-7s  %s\n", check_part_name(i),
		       check_state_name(part->state), part->text);
		if (part->advice)
			printf("%-10s  %-7s  -> %s\n", "", "", part->advice);
	}
	puts(verdicts[check_verdict(check)]);
}

static int print_json(struct arena *arena, const struct check *check)
{
	struct writer w;

	writer_open(&w, arena, WRITE_PRETTY);
	put_object(&w, NULL);
	put_string(&w, "verdict", verdicts[check_verdict(check)]);
	put_i64(&w, "landlockAbi", host_landlock(check->host)->abi);
	put_array(&w, "missing");
	for (unsigned int i = 0; i < PROTECT_COUNT; i++)
		if (check->missing & 1U << i)
			put_string(&w, NULL, policy_protection_name(i));
	put_end(&w);
	put_object(&w, "parts");
	for (size_t i = 0; i < CHECK_PARTS; i++) {
		const struct check_finding *part = &check->parts[i];

		put_object(&w, check_part_name(i));
		put_string(&w, "state", check_state_name(part->state));
		put_string(&w, "found", part->text);
		put_string(&w, "advice", part->advice);
		put_end(&w);
	}
	put_end(&w);
	put_end(&w);
	return writer_print(&w);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct check_options *o = options;
	struct check check;
	int r;

	(void)argc;
	(void)argv;
	r = check_look(session->arena, session->host, &check);
	if (r < 0)
		return r;
	if (!o->json)
		print_text(&check);
	else if ((r = print_json(session->arena, &check)) < 0)
		return r;
	return check_verdict(&check);
}

const struct command sandlock_check = {
	.name = "check",
	.arguments = "[--json]",
	.help = "show which protections this host supports, and how to get the "
		"others",
	.options = options_known,
	.noptions = COUNT(options_known),
	.options_size = sizeof(struct check_options),
	.run = run,
	.failure = 125,
};
