/* SPDX-License-Identifier: Apache-2.0 */
/* network/resolve.c - run sandlock-resolve and read its output. */
#include "network/resolve.h"

#include <errno.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "hooks/program.h"
#include "network/lookup.h"

int net_resolve_helper(struct arena *arena, const char **ret)
{
	return program_find_helper(arena, "sandlock-resolve", "names in rules",
				   "write addresses instead of names", ret);
}

int net_resolve(struct arena *arena, const char *name, struct net_address **ret,
		size_t *ret_n)
{
	const char *argv[] = { NULL, name, NULL };
	struct program program = { .argv = (char *const *)argv,
				   .envp = environ,
				   .timeout = NET_LOOKUP_SECONDS };
	struct net_lookup_result *result;
	struct program_end end;
	int r = net_resolve_helper(arena, &program.path);

	if (r < 0)
		return r;
	argv[0] = program.path;
	r = program_run(&program, &end);
	if (r < 0)
		return r;
	if (end.timed_out)
		return fail(0,
			    "'%s' was not resolved within %d s: check the "
			    "host's resolver, or write its address",
			    name, NET_LOOKUP_SECONDS);
	if (end.status != 0)
		return fail(0, "'%s' cannot be resolved: %s", name,
			    end.err.len ? end.err.text : "unknown reason");
	result = arena_alloc(arena, sizeof *result);
	if (!result)
		return -ENOMEM;
	net_lookup_parse(end.out.text, result);
	if (result->n == 0)
		return fail(0, "'%s' cannot be resolved: it has no address",
			    name);
	*ret = result->addresses;
	*ret_n = result->n;
	return 0;
}
