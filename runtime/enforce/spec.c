/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/spec.c - say in config.json what a policy demands. */
#include "runtime/enforce/spec.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
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
#include "runtime/enforce/gpus.h"

#define CPU_PERIOD 100000
#define LONG_BITS (8 * sizeof(unsigned long))
#define ONLINE "/sys/devices/system/cpu/online"

/* ---- limits ---- */

/* 0 and below say that there is no limit. */
static void lower(struct oci_i64 *limit, uint64_t most)
{
	int64_t value = most > INT64_MAX ? INT64_MAX : (int64_t)most;

	if (!limit->set || limit->value <= 0 || limit->value > value)
		*limit = (struct oci_i64){ true, value };
}

/* Percent of one core, against quota/period. */
static void lower_cpu(struct oci_resources *res, uint32_t percent)
{
	uint64_t period = res->cpu.period.set && res->cpu.period.value ?
				  res->cpu.period.value :
				  CPU_PERIOD;
	uint64_t quota = 1;

	/* A quota of 0 would be none; the kernel refuses periods that odd. */
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

/* "0,2,5": those of the policy that the bundle has, too. */
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
			    "limits.cpu_cores: none of them is in "
			    "linux.resources.cpu.cpus '%s'",
			    res->cpu.cpus);
	res->cpu.cpus = list;
	return 0;
}

int enforce_limits(struct arena *arena, const struct enforcement *enforcement,
		   struct oci_resources *res)
{
	const struct policy *policy = &enforcement->policy;

	/* What else holds them, a sandbox settles by itself. */
	if (policy_disables(policy, PROTECT_CGROUPS) && !enforcement->view)
		return 0;
	if (policy->set[KEY_MEMORY])
		lower(&res->memory.limit, policy->memory);
	/* Threads count, too: nothing else is held by the kernel. */
	if (policy->set[KEY_PROCESSES])
		lower(&res->pids_limit, policy->processes);
	if (policy->set[KEY_TASKS])
		lower(&res->pids_limit, policy->tasks);
	if (policy->set[KEY_CPU])
		lower_cpu(res, policy->cpu);
	if (policy->set[KEY_CPU_CORES])
		return lower_cores(arena, res, &policy->cpu_cores);
	return 0;
}

#define LONG_BITS (8 * sizeof(unsigned long))
/* Where the kernel does not tell, it is asked when the limit is set. */
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
				    "limits.cpu_cores: there is no core %u "
				    "here, but %s",
				    core, text);
	}
	return 0;
}

static int check_cores(const struct policy *policy)
{
	return policy_disables(policy, PROTECT_CGROUPS) ?
		       0 :
		       enforce_check_cores(&policy->cpu_cores);
}

/* Whether the limit that failed is the policy's, and not the bundle's own. */
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

/* A sandbox has cgroups for its limits alone: any failure is theirs. */
static const char *after_field(const struct enforcement *enforcement,
			       const char *field, const char *text)
{
	if (starts_with(text, field))
		return text + strlen(field);
	return enforcement->view && !starts_with(text, "linux.resources.") ?
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
	const char *text =
		enforcement->active ? arena_strdup(arena, err_text()) : NULL;
	/* A value that the kernel refuses is no lack of cgroups. */
	bool lacks = r != -EINVAL && r != -ERANGE;
	const char *advice = enforcement->view ?
				     ": --config-allow-degraded cgroups goes "
				     "on without" :
				     ": to go on without, list cgroups in "
				     "config.allow_degraded";

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

/* CAP_SETFCAP could give a file capabilities, which is as bad as S_ISUID. */
static int drop_file_capability(struct arena *arena,
				const struct enforcement *enforcement,
				struct oci_process *process)
{
	return enforce_shares_ids(enforcement) ?
		       caps_drop(arena, CAP_SETFCAP, process) :
		       0;
}

/* Who has these sets its limits, or the network of others, as it likes. */
static int drop_capabilities(struct arena *arena,
			     const struct enforcement *enforcement,
			     struct oci_process *process)
{
	const struct policy *policy = &enforcement->policy;
	bool limits = policy->set[KEY_OPEN_FILES] || policy->no_coredump;
	int r = 0;

	if (limits)
		r = caps_drop(arena, CAP_SYS_RESOURCE, process);
	if (r >= 0 && enforcement->denied_shared)
		r = caps_drop(arena, CAP_NET_ADMIN, process);
	if (r >= 0 && !enforcement->creating)
		r = drop_file_capability(arena, enforcement, process);
	return r;
}

static bool names_any(const struct strings *list, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	for (size_t i = 0; i < list->n; i++)
		if (strncmp(list->items[i], entry, name) == 0)
			return true;
	return false;
}

/* Those of more replace those of the same name. */
static int put_env(struct arena *arena, const struct strings *more,
		   struct strings *env)
{
	const char **items =
		arena_array(arena, env->n + more->n + 1, sizeof *items);
	size_t n = 0;

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < env->n; i++)
		if (!names_any(more, env->items[i]))
			items[n++] = env->items[i];
	for (size_t i = 0; i < more->n; i++)
		items[n++] = more->items[i];
	*env = (struct strings){ items, n };
	return 0;
}

int enforce_process(struct arena *arena, const struct enforcement *enforcement,
		    const struct strings *env, struct oci_process *process)
{
	const struct policy *policy = &enforcement->policy;
	struct strings gpus = { 0 };
	int r = 0;

	if (!enforcement->active)
		return 0;
	process->no_new_privileges = true;
	if (policy->set[KEY_OPEN_FILES])
		r = lower_rlimit(arena, process, RLIMIT_NOFILE,
				 policy->open_files);
	/* 0 would not keep a core from a program that takes them. */
	if (r >= 0 && policy->no_coredump)
		r = lower_rlimit(arena, process, RLIMIT_CORE, 1);
	if (r >= 0)
		r = drop_capabilities(arena, enforcement, process);
	if (r >= 0 &&
	    (enforcement->view || policy_has_section(policy, SECTION_PROGRAM)))
		r = policy_environment(arena, policy, enforcement->env_base,
				       &process->env, &process->env);
	if (r >= 0 && env)
		r = put_env(arena, env, &process->env);
	if (r >= 0 && policy_has_section(policy, SECTION_LIMITS))
		r = gpus_env(arena, policy, &gpus);
	return r < 0 ? r : put_env(arena, &gpus, &process->env);
}

int enforce_spec(struct arena *arena, struct enforcement *enforcement,
		 struct oci_spec *spec)
{
	const struct policy *policy = &enforcement->policy;
	struct oci_process *process = arena_alloc(arena, sizeof *process);
	struct oci_linux *linux_ = &spec->linux_;
	int r;

	if (!process)
		return -ENOMEM;
	*process = *spec->process;
	enforce_scope(enforcement, spec);
	r = enforce_process(arena, enforcement, NULL, process);
	if (r < 0)
		return r;
	spec->process = process;
	enforcement->resources = linux_->resources;
	r = enforce_limits(arena, enforcement, &linux_->resources);
	if (r < 0)
		return r;
	if (enforcement->creating || enforcement->view)
		r = check_cores(policy);
	if (r < 0)
		return r;
	if (policy_has_section(policy, SECTION_LIMITS)) {
		r = gpus_take_away(arena, policy, spec);
		if (r < 0)
			return r;
	}
	if (policy->no_randomize_memory) {
		linux_->has_personality = true;
		linux_->personality |= ADDR_NO_RANDOMIZE;
	}
	r = enforce_host_mounts(arena, enforcement, spec);
	if (r == 0)
		r = enforce_mounts(arena, enforcement, spec);
	if (r == 0)
		r = enforce_ids(arena, enforcement, spec);
	if (r == 0 && enforcement->creating)
		r = drop_file_capability(arena, enforcement, process);
	return r < 0 ? r : enforce_net(arena, enforcement, spec);
}
