/* SPDX-License-Identifier: Apache-2.0 */
/* tests/fuzz/enforcement.c - any enforcement.json: what is read is what would be written. */
#include <string.h>

#include "runtime/enforce/saved.h"
#include "tests/fuzz/fuzz.h"

static struct enforcement enforcement;

static int parse(struct arena *arena, const char *text, size_t len)
{
	return saved_parse(arena, text, len, &enforcement);
}

/* What exec and update do with it. */
static void demand_use(struct arena *arena)
{
	static const char *env[] = { "PATH=/bin", "A", "=", NULL };
	struct oci_process process = { .env = { env, 3 } };
	struct oci_resources resources = { 0 };

	demand(enforce_process(arena, &enforcement, NULL, &process) == 0);
	demand(process.no_new_privileges);
	for (size_t i = 0; i < process.env.n; i++)
		demand(process.env.items[i]);
	if (enforce_limits(arena, &enforcement.process.limits, &resources) < 0)
		return;
	demand(!enforcement.process.limits.cpu.set ||
	       resources.cpu.quota.value > 0);
}

static void accepted(struct arena *arena)
{
	const struct landlock_plan *plan = &enforcement.process.landlock;
	struct enforcement again;
	const char *first, *second;
	size_t len, len2;

	demand(enforcement.kind != ENFORCE_NOTHING);
	demand(enforcement.process.blocklist.len > 0);
	for (size_t i = 0; i < plan->nrules; i++)
		demand(plan->rules[i].path[0] == '/');
	demand(saved_write(arena, &enforcement, &first, &len) == 0);
	demand(saved_parse(arena, first, len, &again) == 0);
	demand(saved_write(arena, &again, &second, &len2) == 0);
	demand(len == len2 && memcmp(first, second, len) == 0);
	demand_use(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
