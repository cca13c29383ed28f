/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec_process.c - read the process object of config.json and of exec. */
#include "oci/parse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/linux.h"
#include "oci/oci.h"

/* The least runtime in nanoseconds: the kernel counts in units of 1024. */
#define MIN_RUNTIME 1024

/* With one of these flags, the kernel ignores some of the parameters. */
#define KEEP_FLAGS (SCHED_FLAG_KEEP_POLICY | SCHED_FLAG_KEEP_PARAMS)

/* Reserved by the kernel, without a name in its headers. */
#define KERNEL_SCHED_ISO 4

static JSON_READER(read_console_size)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("height", json_u32, struct oci_process,
			      console_height),
		JSON_REQUIRED("width", json_u32, struct oci_process,
			      console_width),
	};
	struct oci_process *p = ret;
	int r = json_object(arena, v, fields, COUNT(fields), p);

	if (r < 0)
		return r;
	if (p->console_height > UINT16_MAX || p->console_width > UINT16_MAX)
		return json_fail(v, "%ux%u is larger than 65535",
				 p->console_height, p->console_width);
	p->has_console_size = true;
	return 0;
}

static JSON_READER(read_umask)
{
	struct oci_user *user = ret;
	uint32_t mask = 0;
	int r = json_u32(arena, v, &mask);

	if (r < 0)
		return r;
	if (mask > 0777)
		return json_fail(v, "%s exceeds 0777 (511)", v->text);
	user->has_umask = true;
	user->umask = mask;
	return 0;
}

static JSON_READER(read_groups)
{
	struct oci_user *user = ret;

	return json_array(arena, v, json_id, sizeof *user->groups,
			  &user->groups, &user->ngroups);
}

static JSON_READER(read_user)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("uid", json_id, struct oci_user, uid),
		JSON_REQUIRED("gid", json_id, struct oci_user, gid),
		JSON_WHOLE("umask", read_umask),
		JSON_WHOLE("additionalGids", read_groups),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_args)
{
	struct strings *args = ret;
	int r = json_strings(arena, v, args);

	if (r < 0)
		return r;
	if (args->n == 0)
		return json_fail(v, "must have at least one entry");
	if (!*args->items[0])
		return json_fail_index(
			fail(0, ": must not be empty (it names the program)"),
			0);
	return 0;
}

struct variable {
	const char *text;
	size_t key_len;
	size_t index;
};

static int by_key_then_index(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;
	size_t len = x->key_len < y->key_len ? x->key_len : y->key_len;
	int order = memcmp(x->text, y->text, len);

	if (order)
		return order;
	if (x->key_len != y->key_len)
		return x->key_len < y->key_len ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

/* Of entries with the same key keep only the last, in its place. */
static void drop_overridden(struct strings *env, struct variable *sorted)
{
	size_t kept = 0;

	qsort(sorted, env->n, sizeof *sorted, by_key_then_index);
	for (size_t i = 1; i < env->n; i++)
		if (sorted[i - 1].key_len == sorted[i].key_len &&
		    memcmp(sorted[i - 1].text, sorted[i].text,
			   sorted[i].key_len) == 0)
			env->items[sorted[i - 1].index] = NULL;
	for (size_t i = 0; i < env->n; i++)
		if (env->items[i])
			env->items[kept++] = env->items[i];
	env->items[kept] = NULL;
	env->n = kept;
}

JSON_READER(oci_read_env)
{
	struct strings *env = ret;
	struct variable *variables;
	int r = json_strings(arena, v, env);

	if (r < 0)
		return r;
	variables = arena_array(arena, env->n, sizeof *variables);
	if (!variables)
		return -ENOMEM;
	for (size_t i = 0; i < env->n; i++) {
		const char *text = env->items[i];
		size_t len = strcspn(text, "=");

		if (len == 0 || !text[len])
			return json_fail_index(
				fail(0,
				     ": '%.200s' is not of the form KEY=VALUE",
				     text),
				i);
		variables[i] = (struct variable){ text, len, i };
	}
	drop_overridden(env, variables);
	return 0;
}

static JSON_READER(read_capabilities)
{
	static const struct {
		const char *key;
		size_t offset;
	} sets[] = {
		{ "bounding", offsetof(struct oci_capabilities, bounding) },
		{ "effective", offsetof(struct oci_capabilities, effective) },
		{ "inheritable",
		  offsetof(struct oci_capabilities, inheritable) },
		{ "permitted", offsetof(struct oci_capabilities, permitted) },
		{ "ambient", offsetof(struct oci_capabilities, ambient) },
	};
	struct oci_capabilities *caps = arena_alloc(arena, sizeof *caps);
	int r;

	if (!caps)
		return -ENOMEM;
	r = json_expect(v, JSON_OBJECT);
	if (r < 0)
		return r;
	for (size_t i = 0; i < COUNT(sets); i++) {
		const struct json_value *set = json_find(v, sets[i].key);
		void *names = (char *)caps + sets[i].offset;

		if (set)
			r = json_strings(arena, set, names);
		if (r < 0)
			return json_fail_member(r, v, sets[i].key);
	}
	*(const struct oci_capabilities **)ret = caps;
	return 0;
}

static const struct json_choice limits[] = {
	{ "RLIMIT_AS", RLIMIT_AS },
	{ "RLIMIT_CORE", RLIMIT_CORE },
	{ "RLIMIT_CPU", RLIMIT_CPU },
	{ "RLIMIT_DATA", RLIMIT_DATA },
	{ "RLIMIT_FSIZE", RLIMIT_FSIZE },
	{ "RLIMIT_LOCKS", RLIMIT_LOCKS },
	{ "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK },
	{ "RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE },
	{ "RLIMIT_NICE", RLIMIT_NICE },
	{ "RLIMIT_NOFILE", RLIMIT_NOFILE },
	{ "RLIMIT_NPROC", RLIMIT_NPROC },
	{ "RLIMIT_RSS", RLIMIT_RSS },
	{ "RLIMIT_RTPRIO", RLIMIT_RTPRIO },
	{ "RLIMIT_RTTIME", RLIMIT_RTTIME },
	{ "RLIMIT_SIGPENDING", RLIMIT_SIGPENDING },
	{ "RLIMIT_STACK", RLIMIT_STACK },
};

const char *oci_rlimit_name(int type)
{
	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i].number == (uint64_t)type)
			return limits[i].word;
	return "RLIMIT_?";
}

static JSON_READER(read_rlimit_type)
{
	uint64_t type = 0;
	int r = json_choose(v, limits, COUNT(limits), &type);

	(void)arena;
	*(int *)ret = (int)type;
	return r;
}

static JSON_READER(read_rlimit)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("type", read_rlimit_type, struct oci_rlimit,
			      type),
		JSON_REQUIRED("soft", json_u64, struct oci_rlimit, soft),
		JSON_REQUIRED("hard", json_u64, struct oci_rlimit, hard),
	};
	struct oci_rlimit *limit = ret;
	int r = json_object(arena, v, fields, COUNT(fields), limit);

	if (r < 0)
		return r;
	if (limit->soft > limit->hard)
		return json_fail_key(v, "soft",
				     "%llu exceeds the hard limit %llu",
				     (unsigned long long)limit->soft,
				     (unsigned long long)limit->hard);
	return 0;
}

static JSON_READER(read_rlimits)
{
	struct oci_process *p = ret;
	uint64_t seen = 0;
	int r = json_array(arena, v, read_rlimit, sizeof *p->rlimits,
			   &p->rlimits, &p->nrlimits);

	if (r < 0)
		return r;
	for (size_t i = 0; i < p->nrlimits; i++) {
		uint64_t bit = UINT64_C(1) << p->rlimits[i].type;

		if (seen & bit)
			return json_fail_index(
				fail(0, ".type: the limit of this resource is "
					"given twice: remove one"),
				i);
		seen |= bit;
	}
	return 0;
}

static JSON_READER(read_policy)
{
	static const struct json_choice policies[] = {
		{ "SCHED_OTHER", SCHED_NORMAL },
		{ "SCHED_FIFO", SCHED_FIFO },
		{ "SCHED_RR", SCHED_RR },
		{ "SCHED_BATCH", SCHED_BATCH },
		{ "SCHED_ISO", KERNEL_SCHED_ISO },
		{ "SCHED_IDLE", SCHED_IDLE },
		{ "SCHED_DEADLINE", SCHED_DEADLINE },
	};
	uint64_t policy = 0;
	int r = json_choose(v, policies, COUNT(policies), &policy);

	(void)arena;
	*(uint32_t *)ret = (uint32_t)policy;
	return r;
}

static JSON_READER(read_sched_flags)
{
	static const struct json_choice flags[] = {
		{ "SCHED_FLAG_RESET_ON_FORK", SCHED_FLAG_RESET_ON_FORK },
		{ "SCHED_FLAG_RECLAIM", SCHED_FLAG_RECLAIM },
		{ "SCHED_FLAG_DL_OVERRUN", SCHED_FLAG_DL_OVERRUN },
		{ "SCHED_FLAG_KEEP_POLICY", SCHED_FLAG_KEEP_POLICY },
		{ "SCHED_FLAG_KEEP_PARAMS", SCHED_FLAG_KEEP_PARAMS },
		{ "SCHED_FLAG_UTIL_CLAMP_MIN", SCHED_FLAG_UTIL_CLAMP_MIN },
		{ "SCHED_FLAG_UTIL_CLAMP_MAX", SCHED_FLAG_UTIL_CLAMP_MAX },
	};

	(void)arena;
	return json_choose_all(v, flags, COUNT(flags), ret);
}

/*
 * Check what sched_setattr(2) checks, because its EINVAL does not name the
 * member.
 */
static int check_deadline(const struct json_value *v,
			  const struct oci_scheduler *s)
{
	uint64_t period = s->period ? s->period : s->deadline;

	if (s->runtime < MIN_RUNTIME)
		return json_fail_key(
			v, "runtime",
			"%" PRIu64
			" ns is below %d, the minimum for SCHED_DEADLINE",
			s->runtime, MIN_RUNTIME);
	if (s->deadline > INT64_MAX)
		return json_fail_key(v, "deadline", "%" PRIu64 " is too large",
				     s->deadline);
	if (s->period > INT64_MAX)
		return json_fail_key(v, "period", "%" PRIu64 " is too large",
				     s->period);
	if (s->runtime > s->deadline)
		return json_fail_key(v, "runtime",
				     "%" PRIu64
				     " exceeds the deadline %" PRIu64,
				     s->runtime, s->deadline);
	if (s->deadline > period)
		return json_fail_key(v, "deadline",
				     "%" PRIu64 " exceeds the period %" PRIu64,
				     s->deadline, period);
	return 0;
}

/* Any policy may have a nice value; the kernel decides whether it applies. */
static int check_scheduler(const struct json_value *v,
			   const struct oci_scheduler *s)
{
	bool real_time = s->policy == SCHED_FIFO || s->policy == SCHED_RR;

	if (s->nice < -20 || s->nice > 19)
		return json_fail_key(v, "nice",
				     "%d is not in the range -20 to 19",
				     s->nice);
	if (s->priority && !real_time)
		return json_fail_key(v, "priority",
				     "allowed only for SCHED_FIFO and SCHED_RR");
	if (real_time && (s->priority < 1 || s->priority > 99))
		return json_fail_key(v, "priority",
				     "%d is not in the range 1 to 99",
				     s->priority);
	if (s->policy == SCHED_DEADLINE)
		return s->flags & KEEP_FLAGS ? 0 : check_deadline(v, s);
	if (s->runtime || s->deadline || s->period)
		return json_fail(v, "runtime, deadline and period are allowed "
				    "only for SCHED_DEADLINE");
	return 0;
}

static JSON_READER(read_scheduler)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("policy", read_policy, struct oci_scheduler,
			      policy),
		JSON_FIELD("nice", json_i32, struct oci_scheduler, nice),
		JSON_FIELD("priority", json_i32, struct oci_scheduler,
			   priority),
		JSON_FIELD("flags", read_sched_flags, struct oci_scheduler,
			   flags),
		JSON_FIELD("runtime", json_u64, struct oci_scheduler, runtime),
		JSON_FIELD("deadline", json_u64, struct oci_scheduler,
			   deadline),
		JSON_FIELD("period", json_u64, struct oci_scheduler, period),
	};
	struct oci_scheduler *s = arena_alloc(arena, sizeof *s);
	int r;

	if (!s)
		return -ENOMEM;
	if ((r = json_object(arena, v, fields, COUNT(fields), s)) < 0 ||
	    (r = check_scheduler(v, s)) < 0)
		return r;
	*(const struct oci_scheduler **)ret = s;
	return 0;
}

static JSON_READER(read_io_class)
{
	static const struct json_choice classes[] = {
		{ "IOPRIO_CLASS_RT", IOPRIO_CLASS_RT },
		{ "IOPRIO_CLASS_BE", IOPRIO_CLASS_BE },
		{ "IOPRIO_CLASS_IDLE", IOPRIO_CLASS_IDLE },
	};
	uint64_t class = 0;
	int r = json_choose(v, classes, COUNT(classes), &class);

	(void)arena;
	*(int *)ret = (int)class;
	return r;
}

static JSON_READER(read_io_level)
{
	int32_t level = 0;
	int r = json_i32(arena, v, &level);

	if (r < 0)
		return r;
	if (level < 0 || level > 7)
		return json_fail(v, "%s is not in the range 0 to 7", v->text);
	*(int *)ret = level;
	return 0;
}

static JSON_READER(read_io_priority)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("class", read_io_class, struct oci_io_priority,
			      class),
		JSON_FIELD("priority", read_io_level, struct oci_io_priority,
			   priority),
	};
	struct oci_io_priority *io = arena_alloc(arena, sizeof *io);
	int r;

	if (!io)
		return -ENOMEM;
	r = json_object(arena, v, fields, COUNT(fields), io);
	if (r < 0)
		return r;
	*(const struct oci_io_priority **)ret = io;
	return 0;
}

static JSON_READER(read_cpus)
{
	(void)arena;
	return oci_read_list(v, OCI_MAX_CPUS, ret);
}

static JSON_READER(read_affinity)
{
	static const struct json_field fields[] = {
		JSON_FIELD("initial", read_cpus, struct oci_process,
			   affinity_initial),
		JSON_FIELD("final", read_cpus, struct oci_process,
			   affinity_final),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_profile)
{
	const char *name = NULL;
	int r = json_word(arena, v, &name);

	if (r < 0)
		return r;
	if (name && streq(name, "unconfined"))
		name = NULL;
	*(const char **)ret = name;
	return 0;
}

static JSON_READER(read_oom_score_adj)
{
	struct oci_i64 *score = ret;
	int r = json_optional_i64(arena, v, score);

	if (r < 0)
		return r;
	if (score->value < -1000 || score->value > 1000)
		return json_fail(v, "%s is not in the range -1000 to 1000",
				 v->text);
	return 0;
}

JSON_READER(oci_read_process)
{
	static const struct json_field fields[] = {
		JSON_FIELD("terminal", json_bool, struct oci_process, terminal),
		JSON_WHOLE("consoleSize", read_console_size),
		JSON_FIELD("user", read_user, struct oci_process, user),
		JSON_REQUIRED("args", read_args, struct oci_process, args),
		JSON_FIELD("env", oci_read_env, struct oci_process, env),
		JSON_REQUIRED("cwd", json_absolute, struct oci_process, cwd),
		JSON_FIELD("capabilities", read_capabilities,
			   struct oci_process, capabilities),
		JSON_WHOLE("rlimits", read_rlimits),
		JSON_FIELD("noNewPrivileges", json_bool, struct oci_process,
			   no_new_privileges),
		JSON_FIELD("apparmorProfile", read_profile, struct oci_process,
			   apparmor_profile),
		JSON_FIELD("selinuxLabel", json_word, struct oci_process,
			   selinux_label),
		JSON_FIELD("oomScoreAdj", read_oom_score_adj,
			   struct oci_process, oom_score_adj),
		JSON_FIELD("scheduler", read_scheduler, struct oci_process,
			   scheduler),
		JSON_FIELD("ioPriority", read_io_priority, struct oci_process,
			   io_priority),
		JSON_WHOLE("execCPUAffinity", read_affinity),
	};
	struct oci_process *p = ret;

	p->env.items = arena_alloc(arena, sizeof *p->env.items);
	if (!p->env.items)
		return -ENOMEM;
	return json_object(arena, v, fields, COUNT(fields), p);
}
