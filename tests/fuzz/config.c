/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/config.c - any config.json, up to the plan of its container.
 *
 * Nothing has an effect: a plan is examined, not executed.
 */
#include <string.h>

#include "base/err.h"
#include "confine/confine.h"
#include "confine/host.h"
#include "runtime/cli/command.h"
#include "tests/fuzz/plan_check.h"

static struct oci_spec spec;

static int parse(struct arena *arena, const char *text, size_t len)
{
	return oci_spec_parse(arena, text, len, &spec);
}

static bool is_clean(const char *path)
{
	size_t len = strlen(path);

	return path[0] == '/' && !strstr(path, "//") && !strstr(path, "/./") &&
	       !strstr(path, "/../") && (len == 1 || path[len - 1] != '/') &&
	       (len < 2 || !streq(path + len - 2, "/.")) &&
	       (len < 3 || !streq(path + len - 3, "/.."));
}

static void demand_promises(void)
{
	const struct oci_process *p = spec.process;

	demand(p && p->args.n > 0 && !p->args.items[p->args.n]);
	demand(p->cwd[0] == '/');
	demand(spec.root_path && *spec.root_path);
	for (size_t i = 0; i < spec.nmounts; i++)
		demand(is_clean(spec.mounts[i].destination));
	for (size_t i = 0; i < spec.linux_.masked_paths.n; i++)
		demand(is_clean(spec.linux_.masked_paths.items[i]));
	for (size_t i = 0; i < spec.linux_.nsysctls; i++)
		demand(!strstr(spec.linux_.sysctls[i].path, ".."));
	for (size_t i = 0; i < p->env.n; i++) {
		size_t key = strcspn(p->env.items[i], "=") + 1;

		for (size_t j = 0; j < i; j++)
			demand(strncmp(p->env.items[i], p->env.items[j], key) !=
			       0);
	}
}

/* What `update` starts from, and that changing nothing changes nothing. */
static void demand_resources(struct arena *arena)
{
	const char *text, *once, *twice;
	struct oci_resources resources;

	demand(oci_resources_of(arena, &spec, &text) == 0);
	demand(oci_resources_parse(arena, text, &resources) == 0);
	demand(resources.pids_limit.set ==
	       spec.linux_.resources.pids_limit.set);
	demand(resources.memory.limit.value ==
	       spec.linux_.resources.memory.limit.value);
	demand(oci_resources_merge(arena, text, "{}", &once) == 0);
	demand(oci_resources_parse(arena, once, &resources) == 0);
	demand(oci_resources_merge(arena, once, "{}", &twice) == 0);
	demand(streq(once, twice));
}

static void demand_limits(const struct enforcement *enforcement)
{
	const struct policy *policy = &enforcement->policy;
	const struct oci_resources *res = &spec.linux_.resources;

	if (policy->set[KEY_MEMORY])
		demand(res->memory.limit.set && res->memory.limit.value > 0 &&
		       (uint64_t)res->memory.limit.value <= policy->memory);
	if (policy->set[KEY_PROCESSES] || policy->set[KEY_TASKS])
		demand(res->pids_limit.set && res->pids_limit.value > 0);
	if (policy->set[KEY_CPU])
		demand(res->cpu.quota.set && res->cpu.quota.value > 0);
	demand(enforcement->process.blocklist.len > 0);
}

static void try_plan(struct arena *arena)
{
	const struct strings allowed = { 0 };
	const struct cgroup cgroup = { 0 };
	const struct join join = JOIN_NONE;
	struct facts facts = { .caps = ~0ULL,
			       .apparmor = true,
			       .selinux = true };
	struct host host = { 0 };
	const struct enforce_bundle bundle = { .host = &host,
					       .allowed = &allowed };
	struct enforcement enforcement;
	struct confine_filter filter;
	struct make_input in = {
		.arena = arena,
		.facts = &facts,
		.spec = &spec,
		.cgroup = &cgroup,
		.join = &join,
		.enforcement = &enforcement,
		.settings = { .id = "x",
			      .bundle = "/b",
			      .rootfs = "/b/rootfs",
			      .has_gate = true },
	};
	struct plan plan;
	int r = enforce_create(arena, &bundle, &spec, &enforcement);

	if (r >= 0 && enforcement.kind != ENFORCE_NOTHING)
		demand_limits(&enforcement);
	if (r >= 0 && spec.linux_.seccomp) {
		r = confine_seccomp(arena, spec.linux_.seccomp, &filter);
		in.filter = &filter;
	}
	in.process = spec.process;
	in.settings.has_console = spec.process->terminal;
	if (r >= 0)
		r = make_create(&in, &plan);
	if (r < 0) {
		demand_reason(r);
		return;
	}
	demand_plan(arena, &plan);
	demand(plan_has(&plan, STEP_SECCOMP) ==
	       (in.filter || enforcement.kind != ENFORCE_NOTHING));
	demand(plan_has(&plan, STEP_USER) && plan_has(&plan, STEP_CAPS));
}

static void accepted(struct arena *arena)
{
	demand_promises();
	demand_resources(arena);
	try_plan(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
