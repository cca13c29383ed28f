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
#include "oci/write.h"
#include "policy/profile_find.h"
#include "runtime/container/state_dir.h"
#include "runtime/container/update.h"
#include "runtime/sandlock-oci/commands.h"

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
	const char *policy;
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
	{ "policy", 0, OPTION_TEXT, FIELD(policy), "FILE",
	  "change the policy to the keys of this profile" },
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

/* The policy and other limits would be two updates, of which one can fail. */
static int check_alone(const struct update_options *o)
{
	struct update_options rest = *o;

	rest.policy = NULL;
	for (size_t i = 0; i < COUNT(update_options); i++) {
		const char *const *value =
			(const void *)((const char *)&rest +
				       update_options[i].offset);

		if (*value)
			return fail(0,
				    "--policy and --%s cannot be given "
				    "together: call update twice",
				    update_options[i].name);
	}
	return 0;
}

/* Paths mean the same as in the profile of a bundle. */
static int load_policy(struct arena *arena, const char *path,
		       struct policy *ret)
{
	static const char *const nowhere[] = { NULL };
	const struct policy_place place = { .home = "/", .bundle = true };
	const char *file =
		strchr(path, '/') ? path : arena_printf(arena, "./%s", path);
	int r = file ? profile_load(arena, file, nowhere, &place, ret, NULL) :
		       -ENOMEM;

	return r < 0 ? fail_in(r, "--policy") : 0;
}

struct wanted {
	const char *resources; /* the change of linux.resources, as JSON */
	struct policy policy;
};

/* Change the policy; or the schemas, then the limits. */
static int update_locked(const struct session *session,
			 const struct update_options *o, struct container *c,
			 const struct wanted *wanted)
{
	struct update update;
	int r = update_open(session, c, &update);

	if (r >= 0 && o->policy)
		return update_policy(&update, &wanted->policy);
	if (r >= 0)
		r = update_schemas(session->arena, c, o, &update.spec);
	return r < 0 ? r : update_resources(&update, wanted->resources);
}

static int find_wanted(struct arena *arena, const struct update_options *o,
		       struct wanted *ret)
{
	int r = o->policy ? check_alone(o) : 0;

	*ret = (struct wanted){ 0 };
	if (r >= 0 && o->policy)
		return load_policy(arena, o->policy, &ret->policy);
	return r < 0 ? r : change_text(arena, o, &ret->resources);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	const struct update_options *o = options;
	struct wanted wanted;
	int r;

	(void)argc;
	r = container_load_sound(session->arena, session->root, argv[0], &c);
	if (r < 0)
		return r;
	/* Do this before taking the lock: standard input may take long. */
	r = find_wanted(session->arena, o, &wanted);
	if (r < 0)
		return r;
	r = state_dir_lock(&c, STATE_DIR_LOCK_SECONDS);
	if (r < 0)
		return r;
	return update_locked(session, o, &c, &wanted);
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
