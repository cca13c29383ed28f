/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/flag_words.h - a policy from a command line, by the parser of the programs. */
#pragma once

#include "base/err.h"
#include "base/util.h"
#include "policy/policy.h"
#include "runtime/cli/options.h"

/* items: options that are not a policy's. *ret_used: arguments before "--". */
static inline int policy_from_words(struct arena *arena, char **argv, int argc,
				    const struct policy_place *place,
				    const struct option_spec *items, size_t n,
				    void *options, struct policy *ret,
				    int *ret_used)
{
	struct policy_flags *flags = policy_flags_open(arena, place);
	const struct flag_owner owner = policy_flags_owner(flags);
	const struct option_table table = {
		.program = "sandlock",
		.command = "run",
		.items = items,
		.n = n,
		.stop_at_args = true,
		.letters = true,
		.owner = &owner,
	};
	struct arguments args;
	int used, r;

	if (!flags)
		return -1;
	r = options_parse(arena, &table, argc, argv, options, &args);
	if (r >= 0 && args.help)
		r = fail_at(-1, "the arguments ask for help");
	if (r >= 0)
		r = policy_flags_close(flags, ret);
	if (r < 0)
		return r;
	used = argc - args.argc;
	*ret_used = used - (used > 0 && streq(argv[used - 1], "--"));
	return 0;
}
