/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/spec.c - apply a policy to config.json. */
#include "runtime/enforce/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "confine/caps.h"
#include "policy/presets.h"

#define CPU_PERIOD 100000
#define LONG_BITS (8 * sizeof(unsigned long))
#define ONLINE "/sys/devices/system/cpu/online"

/* ---- limits ---- */

/* 0 and below mean no limit. */
static void lower(struct oci_i64 *limit, uint64_t most)
{
	int64_t value = most > INT64_MAX ? INT64_MAX : (int64_t)most;

	if (!limit->set || limit->value <= 0 || limit->value > value)
		*limit = (struct oci_i64){ true, value };
}

/* Lower quota/period to a percentage of one core. */
static void lower_cpu(struct oci_resources *res, uint64_t percent)
{
	uint64_t period = res->cpu.period.set && res->cpu.period.value ?
				  res->cpu.period.value :
				  CPU_PERIOD;
	uint64_t quota = 1;

	/* A quota of 0 would mean no limit; the kernel refuses such periods. */
	if (period > UINT64_MAX / percent)
		quota = INT64_MAX;
	else if (period * percent >= 100)
		quota = period * percent / 100;
	res->cpu.period = (struct oci_u64){ true, period };
	lower(&res->cpu.quota, quota);
}

static bool has_bit(const unsigned long *bits, size_t i)
{
	return bits[i / LONG_BITS] >> i % LONG_BITS & 1;
}

/* Write "0,2,5": the cores of the policy that the bundle has, too. */
static int lower_cores(struct arena *arena, struct oci_resources *res,
		       const struct policy_numbers *cores)
{
	unsigned long allowed[OCI_MAX_CPUS / LONG_BITS] = { 0 };
	const char *list = "";
	int r;

	if (!is_set(res->cpu.cpus))
		memset(allowed, 0xff, sizeof allowed);
	else if ((r = oci_bit_list(res->cpu.cpus, allowed, OCI_MAX_CPUS)) < 0)
		return fail_in(r, "linux.resources.cpu.cpus");
	for (size_t i = 0; i < cores->n; i++) {
		if (cores->items[i] >= OCI_MAX_CPUS ||
		    !has_bit(allowed, cores->items[i]))
			continue;
		list = arena_printf(arena, "%s%s%u", list, *list ? "," : "",
				    cores->items[i]);
		if (!list)
			return -ENOMEM;
	}
	if (!*list)
		return fail(0,
			    "limits.cpu_cores: none of the cores is in "
			    "linux.resources.cpu.cpus '%s'",
			    res->cpu.cpus);
	res->cpu.cpus = list;
	return 0;
}

int enforce_limits(struct arena *arena, const struct enforce_limits *limits,
		   struct oci_resources *res)
{
	if (limits->memory.set)
		lower(&res->memory.limit, limits->memory.value);
	if (limits->tasks.set)
		lower(&res->pids_limit, limits->tasks.value);
	if (limits->cpu.set)
		lower_cpu(res, limits->cpu.value);
	return limits->cores.n ? lower_cores(arena, res, &limits->cores) : 0;
}

static struct oci_u64 optional(bool set, uint64_t value)
{
	return set ? (struct oci_u64){ true, value } : (struct oci_u64){ 0 };
}

/* The kernel also counts threads, so both keys set the same limit. */
static struct oci_u64 find_tasks(const struct policy *policy)
{
	bool processes = policy->set[KEY_PROCESSES];
	bool tasks = policy->set[KEY_TASKS];

	if (processes && (!tasks || policy->processes < policy->tasks))
		return optional(true, policy->processes);
	return optional(tasks, policy->tasks);
}

struct enforce_limits enforce_find_limits(const struct policy *policy,
					  enum enforce_kind kind)
{
	/* A sandbox also has other means, and chooses among them itself. */
	if (policy_disables(policy, PROTECT_CGROUPS) && kind == ENFORCE_BUNDLE)
		return (struct enforce_limits){ 0 };
	return (struct enforce_limits){
		.memory = optional(policy->set[KEY_MEMORY], policy->memory),
		.tasks = find_tasks(policy),
		.cpu = optional(policy->set[KEY_CPU], policy->cpu),
		.cores = policy->set[KEY_CPU_CORES] ?
				 policy->cpu_cores :
				 (struct policy_numbers){ 0 },
	};
}

#define LONG_BITS (8 * sizeof(unsigned long))
/* If the kernel does not list them, it checks when the limit is set. */
int enforce_check_cores(const struct policy_numbers *cores)
{
	autoclose int fd = open(ONLINE, O_RDONLY | O_CLOEXEC);
	unsigned long bits[OCI_MAX_CPUS / LONG_BITS] = { 0 };
	char text[4096];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (oci_bit_list(text, bits, OCI_MAX_CPUS) < 0) {
		err_clear();
		return 0;
	}
	for (size_t i = 0; i < cores->n; i++) {
		uint32_t core = cores->items[i];

		if (!(bits[core / LONG_BITS] >> core % LONG_BITS & 1))
			return fail(0,
				    "limits.cpu_cores: core %u does not exist "
				    "(online: %s)",
				    core, text);
	}
	return 0;
}

static int check_cores(const struct policy *policy)
{
	if (policy_disables(policy, PROTECT_CGROUPS))
		return 0;
	if (policy->set[KEY_CPU_CORES] && !policy->cpu_cores.n)
		return fail(0, "limits.cpu_cores: list at least one core, or "
			       "remove the key");
	return enforce_check_cores(&policy->cpu_cores);
}

/* True if the limit that failed is the policy's, and not the bundle's own. */
static bool asks_for(const struct enforcement *enforcement,
		     const struct oci_resources *held, enum policy_key key)
{
	const struct oci_resources *own = &enforcement->resources;

	if (!enforcement->policy.set[key])
		return false;
	switch (key) {
	case KEY_MEMORY:
		return held->memory.limit.value != own->memory.limit.value;
	case KEY_CPU:
		return held->cpu.quota.value != own->cpu.quota.value;
	case KEY_CPU_CORES:
		return held->cpu.cpus != own->cpu.cpus;
	default:
		return held->pids_limit.value != own->pids_limit.value;
	}
}

/* A sandbox has cgroups only for its limits, so any failure concerns them. */
static const char *after_field(const struct enforcement *enforcement,
			       const char *field, const char *text)
{
	if (starts_with(text, field))
		return text + strlen(field);
	return enforcement->kind != ENFORCE_BUNDLE &&
			       !starts_with(text, "linux.resources.") ?
		       text :
		       NULL;
}

int enforce_limit_error(struct arena *arena,
			const struct enforcement *enforcement,
			const struct oci_resources *held, int r)
{
	static const struct {
		const char *field;
		enum policy_key key;
	} names[] = {
		{ "linux.resources.memory.limit: ", KEY_MEMORY },
		{ "linux.resources.cpu.quota: ", KEY_CPU },
		{ "linux.resources.cpu.period: ", KEY_CPU },
		{ "linux.resources.cpu.cpus: ", KEY_CPU_CORES },
		{ "linux.resources.pids.limit: ", KEY_PROCESSES },
		{ "linux.resources.pids.limit: ", KEY_TASKS },
	};
	const char *text = enforcement->kind == ENFORCE_NOTHING ?
				   NULL :
				   arena_strdup(arena, err_text());
	/* If the kernel refuses a value, cgroups are available. */
	bool lacks = r != -EINVAL && r != -ERANGE;
	const char *advice = enforcement->kind != ENFORCE_BUNDLE ?
				     ": use --config-allow-degraded cgroups to "
				     "run without it" :
				     ": list cgroups in config.allow_degraded "
				     "to run without it";

	for (size_t i = 0; text && i < COUNT(names); i++) {
		const char *rest =
			after_field(enforcement, names[i].field, text);

		if (!rest || !asks_for(enforcement, held, names[i].key))
			continue;
		fail(0, "%s: %s%s", policy_key_name(names[i].key), rest,
		     lacks ? advice : "");
		break;
	}
	return r;
}

/* ---- the process ---- */

static int lower_rlimit(struct arena *arena, struct oci_process *process,
			int type, uint64_t most)
{
	struct oci_rlimit *limits =
		arena_grow(arena, process->rlimits, process->nrlimits,
			   process->nrlimits + 1, sizeof *limits);
	size_t i = 0;

	if (!limits)
		return -ENOMEM;
	while (i < process->nrlimits && limits[i].type != type)
		i++;
	if (i == process->nrlimits) {
		limits[i] = (struct oci_rlimit){ type, most, most };
		process->nrlimits++;
	}
	if (limits[i].hard > most)
		limits[i].hard = most;
	if (limits[i].soft > limits[i].hard)
		limits[i].soft = limits[i].hard;
	process->rlimits = limits;
	return 0;
}

static int drop_capabilities(struct arena *arena, uint64_t dropped,
			     struct oci_process *process)
{
	int r = 0;

	for (int i = 0; r == 0 && i < 64; i++)
		if (dropped & CAPS_BIT(i))
			r = caps_drop(arena, i, process);
	return r;
}

/* The variables of exec --env come after the filter. */
static int add_env(struct arena *arena, const struct env_rules *rules,
		   const struct strings *env, struct oci_process *process)
{
	const char *held = env_held(rules, env);

	if (held)
		return fail(0,
			    "--env %.*s: the enforced profile denies or sets "
			    "this variable: remove the option",
			    (int)strcspn(held, "="), held);
	return env_put(arena, env, &process->env, &process->env);
}

int enforce_process(struct arena *arena, const struct enforcement *enforcement,
		    const struct strings *env, struct oci_process *process)
{
	const struct confinement *c = &enforcement->process;
	int r = 0;

	if (enforcement->kind == ENFORCE_NOTHING)
		return 0;
	process->no_new_privileges = true;
	if (c->open_files.set)
		r = lower_rlimit(arena, process, RLIMIT_NOFILE,
				 c->open_files.value);
	if (r >= 0 && c->core_size.set)
		r = lower_rlimit(arena, process, RLIMIT_CORE,
				 c->core_size.value);
	if (r >= 0)
		r = drop_capabilities(arena, c->dropped_caps, process);
	if (r >= 0 && c->filters_env)
		r = env_filter(arena, &c->env, &process->env, &process->env);
	if (r >= 0 && env)
		r = add_env(arena, &c->env, env, process);
	return r < 0 ? r :
		       env_put(arena, &c->last_env, &process->env,
			       &process->env);
}

/*
 * CAP_SYS_RESOURCE could raise the limits again, CAP_NET_ADMIN could
 * reconfigure the shared network.
 */
static uint64_t find_dropped(const struct policy *policy, bool denied_shared)
{
	uint64_t dropped = 0;

	if (policy->set[KEY_OPEN_FILES] || policy->no_coredump)
		dropped |= CAPS_BIT(CAP_SYS_RESOURCE);
	if (denied_shared)
		dropped |= CAPS_BIT(CAP_NET_ADMIN);
	return dropped;
}

static int find_env(struct arena *arena, const struct enforce_input *input,
		    const struct strings *env, struct confinement *ret)
{
	const struct policy *policy = &input->policy;
	int r = 0;

	ret->filters_env = input->kind != ENFORCE_BUNDLE ||
			   policy_has_section(policy, SECTION_PROGRAM);
	if (ret->filters_env)
		r = policy_env_rules(arena, policy, input->env_base, &ret->env);
	if (r == 0)
		r = gpus_env(arena, policy, &ret->last_env);
	if (r == 0 && input->kind == ENFORCE_BUNDLE)
		r = enforce_tmpdir(arena, policy, env, &ret->last_env);
	return r;
}

/* Decide the settings of each process, apart from calls and files. */
static int find_process(struct arena *arena, const struct enforce_input *input,
			const struct strings *env,
			struct enforcement *enforcement, bool denied_shared)
{
	const struct policy *policy = &enforcement->policy;
	struct confinement *c = &enforcement->process;

	c->open_files =
		optional(policy->set[KEY_OPEN_FILES], policy->open_files);
	/* With 0 the kernel would still pipe the core to a program. */
	c->core_size = optional(policy->no_coredump, 1);
	c->dropped_caps = find_dropped(policy, denied_shared);
	if (policy->no_randomize_memory)
		c->personality = ADDR_NO_RANDOMIZE;
	c->no_huge_pages = policy->no_huge_pages;
	c->limits =
		enforce_find_limits(&enforcement->policy, enforcement->kind);
	return find_env(arena, input, env, c);
}

/* CAP_SETFCAP could give a file capabilities, which is as bad as S_ISUID. */
static int drop_file_capability(struct arena *arena,
				struct enforcement *enforcement,
				struct oci_process *process)
{
	const uint64_t bit = CAPS_BIT(CAP_SETFCAP);

	if (!enforce_shares_ids(&enforcement->policy))
		return 0;
	enforcement->process.dropped_caps |= bit;
	return drop_capabilities(arena, bit, process);
}

int enforce_spec(struct arena *arena, const struct enforce_input *input,
		 struct enforcement *enforcement, struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;
	struct oci_process *process = arena_alloc(arena, sizeof *process);
	struct oci_linux *linux_ = &spec->linux_;
	int r;

	if (!process)
		return -ENOMEM;
	*process = *spec->process;
	r = find_process(arena, input, &process->env, enforcement,
			 enforce_scope(enforcement, spec));
	if (r == 0)
		r = enforce_process(arena, enforcement, NULL, process);
	if (r < 0)
		return r;
	spec->process = process;
	enforcement->resources = linux_->resources;
	r = enforce_limits(arena, &enforcement->process.limits,
			   &linux_->resources);
	if (r == 0)
		r = check_cores(policy);
	/* Without the key a bundle keeps its GPUs; a sandbox has none. */
	if (r == 0 &&
	    (input->kind != ENFORCE_BUNDLE || policy->set[KEY_GPU_DEVICES]))
		r = gpus_take_away(arena, policy, spec);
	if (r == 0)
		r = enforce_host_mounts(arena, enforcement, spec);
	if (r == 0)
		r = enforce_mounts(arena, input->rootfs, enforcement, spec);
	if (r == 0)
		r = enforce_ids(arena, enforcement, spec);
	if (r == 0)
		r = drop_file_capability(arena, enforcement, process);
	return r < 0 ? r : enforce_net(arena, enforcement, spec);
}
