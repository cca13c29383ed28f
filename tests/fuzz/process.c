/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/process.c - any process object of `exec --process`: what config.json
 * would make of it, up to the plan.
 */
#include <string.h>

#include "base/err.h"
#include "oci/parse.h"
#include "tests/fuzz/plan_check.h"

static struct oci_process process;
static const char *given;
static size_t given_len;

static int parse(struct arena *arena, const char *text, size_t len)
{
	const struct json_value *root;
	int r = json_parse(arena, text, len, &root);

	given = text;
	given_len = len;
	process = (struct oci_process){ 0 };
	return r < 0 ? r : oci_read_process(arena, root, &process);
}

static void demand_same_list(const struct strings *a, const struct strings *b)
{
	demand(a->n == b->n);
	for (size_t i = 0; i < a->n; i++)
		demand(streq(a->items[i], b->items[i]));
}

static void demand_same_in_config(struct arena *arena)
{
	const char *text = arena_printf(arena,
					"{\"ociVersion\":\"1.0.0\",\"root\":"
					"{\"path\":\"x\"},\"process\":%.*s}",
					(int)given_len, given);
	const struct oci_process *p;
	struct oci_spec spec;

	if (oci_spec_parse(arena, text, strlen(text), &spec) < 0) {
		/* One level more. */
		demand(starts_with(err_text(),
				   "arrays and objects are nested deeper"));
		return;
	}
	p = spec.process;
	demand_same_list(&p->args, &process.args);
	demand_same_list(&p->env, &process.env);
	demand(streq(p->cwd, process.cwd));
	demand(p->user.uid == process.user.uid &&
	       p->user.gid == process.user.gid &&
	       p->user.ngroups == process.user.ngroups);
	demand(p->terminal == process.terminal &&
	       p->no_new_privileges == process.no_new_privileges);
	demand(!p->capabilities == !process.capabilities);
	if (p->capabilities) {
		demand_same_list(&p->capabilities->ambient,
				 &process.capabilities->ambient);
		demand_same_list(&p->capabilities->bounding,
				 &process.capabilities->bounding);
	}
}

static void try_plan(struct arena *arena)
{
	const struct cgroup cgroup = { 0 };
	const struct join join = JOIN_NONE;
	const struct facts facts = { .caps = ~0ULL };
	const struct oci_spec spec = { 0 };
	const struct make_input in = {
		.arena = arena,
		.facts = &facts,
		.spec = &spec,
		.process = &process,
		.cgroup = &cgroup,
		.join = &join,
		.settings = { .id = "x", .has_console = process.terminal },
	};
	struct plan plan;
	int r = make_exec(&in, &plan);

	if (r < 0)
		demand_reason(r);
	else
		demand_plan(arena, &plan);
}

static void accepted(struct arena *arena)
{
	demand(process.args.n > 0 && process.cwd[0] == '/');
	demand_same_in_config(arena);
	try_plan(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
