/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/update.c - update: change the limits of an existing
 * container.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/util.h"
#include "cgroups/rdt.h"
#include "cgroups/systemd.h"
#include "oci/write.h"
#include "runtime/container/state_dir.h"
#include "runtime/container/systemd.h"
#include "runtime/enforce/enforce.h"
#include "runtime/plan/facts.h"
#include "runtime/sandlock-oci/commands.h"

/* linux.resources after updates, saved beside config.json. */
#define RESOURCES "resources.json"
#define MAX_RESOURCES (4UL << 20)

enum limit {
	MEMORY_LIMIT,
	MEMORY_RESERVATION,
	MEMORY_SWAP,
	MEMORY_KERNEL,
	MEMORY_KERNEL_TCP,
	CPU_SHARES,
	CPU_QUOTA,
	CPU_PERIOD,
	CPU_BURST,
	CPU_RT_RUNTIME,
	CPU_RT_PERIOD,
	CPU_IDLE,
	CPU_CPUS,
	CPU_MEMS,
	PIDS_LIMIT,
	BLOCK_IO_WEIGHT,
	LIMITS,
};

struct update_options {
	const char *resources;
	const char *limits[LIMITS];
	const char *l3_cache_schema;
	const char *mem_bw_schema;
};

#define FIELD(member) offsetof(struct update_options, member)
#define LIMIT(name, limit, value, help)                                 \
	{                                                               \
		name, 0, OPTION_TEXT, FIELD(limits[limit]), value, help \
	}

static const struct option_spec update_options[] = {
	{ "resources", 'r', OPTION_TEXT, FIELD(resources), "FILE",
	  "read linux.resources from this file (-: standard input)" },
	LIMIT("blkio-weight", BLOCK_IO_WEIGHT, "N",
	      "share of block I/O, 10 to 1000"),
	LIMIT("cpu-period", CPU_PERIOD, "USEC", "length of a CPU period"),
	LIMIT("cpu-quota", CPU_QUOTA, "USEC",
	      "CPU time in a period (-1: no limit)"),
	LIMIT("cpu-burst", CPU_BURST, "USEC",
	      "CPU time that can be saved for later periods"),
	LIMIT("cpu-share", CPU_SHARES, "N", "share of CPU time"),
	LIMIT("cpu-rt-period", CPU_RT_PERIOD, "USEC",
	      "length of a realtime period"),
	LIMIT("cpu-rt-runtime", CPU_RT_RUNTIME, "USEC",
	      "realtime CPU time in a period"),
	LIMIT("cpu-idle", CPU_IDLE, "N", "1: run only when the CPU is idle"),
	LIMIT("cpuset-cpus", CPU_CPUS, "LIST", "CPUs to use"),
	LIMIT("cpuset-mems", CPU_MEMS, "LIST", "memory nodes to use"),
	LIMIT("memory", MEMORY_LIMIT, "SIZE", "memory limit (-1: none)"),
	LIMIT("memory-reservation", MEMORY_RESERVATION, "SIZE",
	      "memory soft limit"),
	LIMIT("memory-swap", MEMORY_SWAP, "SIZE",
	      "limit of memory plus swap (-1: none)"),
	LIMIT("kernel-memory", MEMORY_KERNEL, "SIZE",
	      "accepted, but has no effect"),
	LIMIT("kernel-memory-tcp", MEMORY_KERNEL_TCP, "SIZE",
	      "accepted, but has no effect"),
	LIMIT("pids-limit", PIDS_LIMIT, "N",
	      "number of processes (-1: no limit)"),
	{ "l3-cache-schema", 0, OPTION_TEXT, FIELD(l3_cache_schema), "SCHEMA",
	  "Intel RDT cache schema" },
	{ "mem-bw-schema", 0, OPTION_TEXT, FIELD(mem_bw_schema), "SCHEMA",
	  "Intel RDT memory bandwidth schema" },
};

enum limit_kind { KIND_SIZE, KIND_SIGNED, KIND_UNSIGNED, KIND_LIST };

/*
 * The place of an option in linux.resources; options of one object are
 * adjacent.
 */
static const struct limit_place {
	const char *object, *key;
	enum limit_kind kind;
} places[LIMITS] = {
	[MEMORY_LIMIT] = { "memory", "limit", KIND_SIZE },
	[MEMORY_RESERVATION] = { "memory", "reservation", KIND_SIZE },
	[MEMORY_SWAP] = { "memory", "swap", KIND_SIZE },
	[MEMORY_KERNEL] = { "memory", "kernel", KIND_SIZE },
	[MEMORY_KERNEL_TCP] = { "memory", "kernelTCP", KIND_SIZE },
	[CPU_SHARES] = { "cpu", "shares", KIND_UNSIGNED },
	[CPU_QUOTA] = { "cpu", "quota", KIND_SIGNED },
	[CPU_PERIOD] = { "cpu", "period", KIND_UNSIGNED },
	[CPU_BURST] = { "cpu", "burst", KIND_UNSIGNED },
	[CPU_RT_RUNTIME] = { "cpu", "realtimeRuntime", KIND_SIGNED },
	[CPU_RT_PERIOD] = { "cpu", "realtimePeriod", KIND_UNSIGNED },
	[CPU_IDLE] = { "cpu", "idle", KIND_SIGNED },
	[CPU_CPUS] = { "cpu", "cpus", KIND_LIST },
	[CPU_MEMS] = { "cpu", "mems", KIND_LIST },
	[PIDS_LIMIT] = { "pids", "limit", KIND_SIGNED },
	[BLOCK_IO_WEIGHT] = { "blockIO", "weight", KIND_UNSIGNED },
};

static int put_limit(struct writer *w, const struct limit_place *place,
		     const char *text)
{
	uint64_t u64 = 0;
	int64_t i64 = 0;
	int r = 0;

	switch (place->kind) {
	case KIND_SIZE:
		r = num_size(text, &i64);
		put_i64(w, place->key, i64);
		break;
	case KIND_SIGNED:
		r = num_i64(text, &i64);
		put_i64(w, place->key, i64);
		break;
	case KIND_UNSIGNED:
		r = num_u64(text, &u64);
		put_u64(w, place->key, u64);
		break;
	case KIND_LIST:
		put_string(w, place->key, text);
		break;
	}
	return r;
}

static const char *option_name(enum limit limit)
{
	for (size_t i = 0; i < COUNT(update_options); i++)
		if (update_options[i].offset == FIELD(limits[limit]))
			return update_options[i].name;
	return "";
}

/* Convert the options to text, so that they are processed like a file. */
static int options_text(struct arena *arena, const struct update_options *o,
			const char **ret)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	for (enum limit i = 0; i < LIMITS; i++) {
		const char *object = places[i].object;
		int r = 0;

		if (i == 0 || !streq(places[i - 1].object, object))
			put_object(&w, object);
		if (o->limits[i])
			r = put_limit(&w, &places[i], o->limits[i]);
		if (r < 0)
			return fail_in(r, "--%s", option_name(i));
		if (i + 1 == LIMITS || !streq(places[i + 1].object, object))
			put_end(&w);
	}
	put_end(&w);
	return writer_close(&w, ret, NULL);
}

/* Without a path, ret is unchanged. */
static int file_text(struct arena *arena, const char *path, const char **ret)
{
	autoclose int fd = -1;
	size_t len;
	char *text;
	int r;

	if (!path)
		return 0;
	fd = streq(path, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) :
				open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "open %s", path);
	r = io_read_all(arena, fd, MAX_RESOURCES, &text, &len);
	if (r < 0)
		return fail_in(r, "%s", path);
	if (strlen(text) != len)
		return fail(0, "%s: contains a NUL byte, so it is not JSON",
			    path);
	*ret = text;
	return 0;
}

/* Get the whole change: the file, and the options over it. */
static int change_text(struct arena *arena, const struct update_options *o,
		       const char **ret)
{
	const char *file = "{}", *options;
	struct oci_resources check;
	int r;

	r = file_text(arena, o->resources, &file);
	if (r >= 0)
		r = oci_resources_parse(arena, file, &check);
	if (r < 0)
		return fail_in(r, "--resources");
	r = options_text(arena, o, &options);
	if (r < 0)
		return r;
	r = oci_resources_merge(arena, file, options, ret);
	if (r < 0)
		return r;
	r = oci_resources_parse(arena, *ret, &check);
	if (r < 0)
		return r;
	/*
	 * Unlimited memory implies that memory and swap together are unlimited.
	 */
	if (check.memory.limit.set && check.memory.limit.value == -1 &&
	    (!check.memory.swap.set || check.memory.swap.value == 0))
		r = oci_resources_merge(arena, *ret,
					"{\"memory\":{\"swap\":-1}}", ret);
	return r;
}

/* Get the present limits. */
static int old_text(struct arena *arena, const struct container *c,
		    const struct oci_spec *spec, const char **ret)
{
	char *text;
	int r;

	if (faccessat(c->dir, RESOURCES, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return oci_resources_of(arena, spec, ret);
	r = io_read_at(arena, c->dir, RESOURCES, MAX_RESOURCES, &text);
	if (r >= 0)
		*ret = text;
	return r;
}

static int update_schemas(struct arena *arena, const struct container *c,
			  const struct update_options *o,
			  const struct oci_spec *spec)
{
	const struct oci_intel_rdt change = {
		.l3_cache_schema = o->l3_cache_schema,
		.mem_bw_schema = o->mem_bw_schema,
	};
	autoclose int proc = -1;
	struct rdt rdt;
	int r;

	if (!o->l3_cache_schema && !o->mem_bw_schema)
		return 0;
	if (!spec->linux_.intel_rdt)
		return fail(0,
			    "--%s: linux.intelRdt is not set for this "
			    "container",
			    o->l3_cache_schema ? "l3-cache-schema" :
						 "mem-bw-schema");
	proc = proc_open();
	if (proc < 0)
		return proc;
	r = rdt_find(arena, proc, spec->linux_.intel_rdt, c->id, &rdt);
	if (r < 0)
		return r;
	return rdt_update(&rdt, &change);
}

static int save(const struct container *c, const char *text)
{
	return io_replace_at(c->dir, RESOURCES, text, strlen(text), 0600);
}

/* Restore the file after a failure, and keep the first error. */
static void save_quietly(const struct container *c, const char *text)
{
	struct err_kept why;

	err_keep(&why);
	(void)save(c, text);
	err_restore(&why);
}

struct limits {
	struct oci_resources old, change, merged;
};

static int parse_limits(struct arena *arena, const char *old,
			const char *change, const char *merged,
			struct limits *ret)
{
	int r;

	if ((r = oci_resources_parse(arena, old, &ret->old)) < 0 ||
	    (r = oci_resources_parse(arena, change, &ret->change)) < 0)
		return r;
	return oci_resources_parse(arena, merged, &ret->merged);
}

/*
 * Reduce the change to what the policy permits. A quota depends on its period.
 */
static int meet_policy(struct arena *arena, const struct enforce_limits *most,
		       struct limits *limits)
{
	struct oci_resources *change = &limits->change;
	const struct oci_resources *merged = &limits->merged;
	int r;

	if ((r = enforce_limits(arena, most, &limits->old)) < 0 ||
	    (r = enforce_limits(arena, most, &limits->merged)) < 0)
		return r;
	if (change->memory.limit.set)
		change->memory.limit = merged->memory.limit;
	if (change->pids_limit.set)
		change->pids_limit = merged->pids_limit;
	if (change->cpu.quota.set || change->cpu.period.set)
		change->cpu.quota = merged->cpu.quota;
	if (is_set(change->cpu.cpus))
		change->cpu.cpus = merged->cpu.cpus;
	return 0;
}

/* Restore the properties of a unit: the old values, or none. */
static void restore_unit(struct arena *arena, const struct container *c,
			 const struct facts *facts, const struct cgroup *cgroup,
			 const struct limits *limits)
{
	bool v2 = facts->cgroups.mode == CGROUP_V2;
	/* systemd rounds values, also when they are restored. */
	const struct oci_resources exact = { .cpu = limits->old.cpu };
	struct strings set, old, back;
	struct err_kept why;

	err_keep(&why);
	if (systemd_changes(arena, &limits->change, &limits->merged, v2,
			    &set) >= 0 &&
	    systemd_limits(arena, &limits->old, v2, &old) >= 0 &&
	    systemd_limits_back(arena, &set, &old, &back) >= 0 &&
	    systemd_set(arena, &c->record, &back) >= 0)
		(void)cgroup_update(arena, &facts->cgroups, cgroup, &exact,
				    &limits->old, facts->rootless);
	err_restore(&why);
}

/* Tell systemd first: it rounds, and then the exact values are written. */
static int apply_to_unit(struct arena *arena, const struct container *c,
			 const struct facts *facts, const struct cgroup *cgroup,
			 const struct limits *given)
{
	bool v2 = facts->cgroups.mode == CGROUP_V2;
	const struct oci_resources nothing = { 0 };
	struct limits limits = *given;
	struct oci_resources exact;
	struct strings set;
	int r;

	cgroup_keep_quota(cgroup, &limits.change, &limits.merged);
	cgroup_keep_quota(cgroup, &nothing, &limits.old);
	exact = systemd_rewrites(&limits.change, &limits.merged);
	r = cgroup_check_usage(cgroup, &limits.change, &limits.merged);
	if (r < 0 ||
	    (r = systemd_changes(arena, &limits.change, &limits.merged, v2,
				 &set)) < 0 ||
	    (r = systemd_set(arena, &c->record, &set)) < 0)
		return r;
	r = cgroup_update(arena, &facts->cgroups, cgroup, &exact,
			  &limits.merged, facts->rootless);
	if (r < 0)
		restore_unit(arena, c, facts, cgroup, &limits);
	return r;
}

static int apply(const struct session *session, const struct container *c,
		 const struct limits *limits)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	autoclose int proc = proc_open();
	struct arena *arena = session->arena;
	struct facts facts;
	int r;

	if (proc < 0)
		return proc;
	if ((r = facts_gather(proc, session->host, session->rootless, &facts)) <
		    0 ||
	    (r = facts_cgroups(arena, proc, &facts)) < 0 ||
	    (r = cgroup_check_resources(&limits->merged, &facts.cgroups)) < 0 ||
	    (r = cgroup_from_record(arena, &c->record, &cgroup)) < 0)
		return r;
	if (cgroup.n == 0 && cgroup_wants_limits(&limits->change))
		return fail(0,
			    "%s: the container has no cgroup of its own, so it "
			    "cannot be limited",
			    c->id);
	if (c->record.systemd_scope)
		return apply_to_unit(arena, c, &facts, &cgroup, limits);
	return cgroup_update(arena, &facts.cgroups, &cgroup, &limits->change,
			     &limits->merged, facts.rootless);
}

/* Change the file and the kernel together, or not at all. */
static int update_locked(const struct session *session,
			 const struct update_options *o, struct container *c,
			 const char *change)
{
	struct arena *arena = session->arena;
	const char *old, *merged;
	enum oci_status status;
	struct enforcement enforcement;
	struct limits limits;
	struct oci_spec spec;
	int r;

	r = container_status(c, &status);
	if (r < 0)
		return r;
	if (status == OCI_STOPPED || status == OCI_CREATING)
		return fail(0, "%s: container not running", c->id);
	if ((r = container_spec(arena, c, &spec)) < 0 ||
	    (r = container_enforcement(arena, c, &enforcement)) < 0 ||
	    (r = update_schemas(arena, c, o, &spec)) < 0 ||
	    (r = old_text(arena, c, &spec, &old)) < 0 ||
	    (r = oci_resources_merge(arena, old, change, &merged)) < 0 ||
	    (r = parse_limits(arena, old, change, merged, &limits)) < 0 ||
	    (r = meet_policy(arena, &enforcement.process.limits, &limits)) <
		    0 ||
	    (r = save(c, merged)) < 0)
		return r;
	r = apply(session, c, &limits);
	if (r < 0)
		save_quietly(c, old);
	return r;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	const struct update_options *o = options;
	const char *change;
	int r;

	(void)argc;
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	/* Do this before taking the lock: standard input may take long. */
	r = change_text(session->arena, o, &change);
	if (r < 0)
		return r;
	r = state_dir_lock(&c, STATE_DIR_LOCK_SECONDS);
	if (r < 0)
		return r;
	return update_locked(session, o, &c, change);
}

const struct command command_update = {
	.name = "update",
	.arguments = "[options] ID",
	.help = "change the limits of a container",
	.options = update_options,
	.noptions = COUNT(update_options),
	.options_size = sizeof(struct update_options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
	.failure = 1,
};
