/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/bench/pure.c - the parts without effects, for a count of instructions.
 *
 * Usage: pure plan|policy|seccomp|state
 *
 * Each runs its part once. callgrind counts from the call of bench_NAME to its
 * end; what it is given is the same on every machine.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/confine.h"
#include "confine/host.h"
#include "oci/oci.h"
#include "runtime/cli/command.h"
#include "runtime/enforce/enforce.h"
#include "runtime/plan/join.h"
#include "runtime/plan/make.h"
#include "tests/unit/engine_profile.h"

#define NOT_INLINED __attribute__((noinline))
#define ANNOTATIONS                                                       \
	"\"annotations\": {"                                              \
	"\"io.sandlock.filesystem.read\": \"/usr;/etc;/lib;/opt;/srv\", " \
	"\"io.sandlock.filesystem.write\": \"/tmp;/var/tmp\", "           \
	"\"io.sandlock.filesystem.deny\": \"/etc/shadow\"}, "

int bench_plan(struct arena *arena, const char *json);
int bench_policy(struct arena *arena, const char *json);
int bench_seccomp(struct arena *arena, const struct oci_seccomp *profile);
int bench_state(struct arena *arena, const struct oci_record *record);

static int to_plan(struct arena *arena, const char *json)
{
	struct cgroup_hierarchy hierarchy = {
		.controllers = "",
		.mount = "/sys/fs/cgroup",
		.own = "/",
		.v2 = true,
	};
	const struct facts facts = {
		.caps = ~0ULL,
		.cgroups = { CGROUP_V2, &hierarchy, 1 },
	};
	const struct strings allowed = { 0 };
	const struct join join = JOIN_NONE;
	struct oci_spec spec;
	struct host host = { 0 };
	const struct enforce_bundle bundle = { .host = &host,
					       .allowed = &allowed };
	struct enforcement enforcement;
	struct cgroup cgroup = { 0 };
	struct plan plan;
	struct make_input in = {
		.arena = arena,
		.facts = &facts,
		.spec = &spec,
		.settings = { .id = "web1",
			      .bundle = "/b",
			      .rootfs = "/b/rootfs" },
		.join = &join,
		.cgroup = &cgroup,
		.enforcement = &enforcement,
	};
	int r;

	r = oci_spec_parse(arena, json, strlen(json), &spec);
	if (r < 0)
		return r;
	r = enforce_create(arena, &bundle, &spec, &enforcement);
	if (r < 0)
		return r;
	in.process = spec.process;
	r = cgroup_place(arena, &facts.cgroups, CGROUP_CGROUPFS, "/web1",
			 "web1", &cgroup);
	return r < 0 ? r : make_create(&in, &plan);
}

NOT_INLINED int bench_plan(struct arena *arena, const char *json)
{
	return to_plan(arena, json);
}

NOT_INLINED int bench_policy(struct arena *arena, const char *json)
{
	return to_plan(arena, json);
}

NOT_INLINED int bench_seccomp(struct arena *arena,
			      const struct oci_seccomp *profile)
{
	struct confine_filter filter;

	return confine_seccomp(arena, profile, &filter);
}

NOT_INLINED int bench_state(struct arena *arena,
			    const struct oci_record *record)
{
	struct oci_record again;
	const char *json;
	size_t len;
	int r;

	r = oci_record_write(arena, record, &json, &len);
	if (r < 0)
		return r;
	r = oci_record_parse(arena, json, len, &again);
	return r < 0 ? r : oci_state_print(arena, &again, OCI_RUNNING, &json);
}

/* The default bundle, and one with a policy. */
static const char *bundle(struct arena *arena, bool has_policy)
{
	const struct oci_template wanted = { .cgroup_namespace = true };
	const char *json;

	if (oci_spec_template(arena, &wanted, &json) < 0)
		return NULL;
	return has_policy ?
		       arena_printf(arena, "{ " ANNOTATIONS "%s", json + 1) :
		       json;
}

static int state(struct arena *arena)
{
	const struct oci_cgroup_path paths[] = {
		{ "cpu", "/sys/fs/cgroup/cpu/web1", "/sys/fs/cgroup/cpu", 7 },
		{ "pids", "/sys/fs/cgroup/pids/web1", "/sys/fs/cgroup/pids",
		  8 },
	};
	const struct oci_record record = {
		.version = "1.2.0",
		.id = "web1",
		.bundle = "/var/lib/bundles/web1",
		.rootfs = "/var/lib/bundles/web1/rootfs",
		.created = "2026-01-01T00:00:00.000000000Z",
		.boot_id = "00000000-0000-0000-0000-000000000000",
		.kept = true,
		.pid = 4711,
		.start_time = 123456,
		.cgroups = paths,
		.ncgroups = COUNT(paths),
		.own_cgroup = true,
	};

	return bench_state(arena, &record);
}

static int run(struct arena *arena, const char *name)
{
	if (streq(name, "plan"))
		return bench_plan(arena, bundle(arena, false));
	if (streq(name, "policy"))
		return bench_policy(arena, bundle(arena, true));
	if (streq(name, "seccomp")) {
		const struct oci_seccomp profile = engine_profile(arena);

		return bench_seccomp(arena, &profile);
	}
	if (streq(name, "state"))
		return state(arena);
	return fail(0, "unknown part '%s'", name);
}

int main(int argc, char **argv)
{
	struct arena arena;

	if (argc != 2 || arena_open(&arena, 48UL << 20) < 0)
		return 1;
	if (run(&arena, argv[1]) < 0) {
		fprintf(stderr, "pure: %s\n", err_text());
		return 1;
	}
	arena_close(&arena);
	return 0;
}
