/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/limits.c - limits of a policy that fail, in its own words. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/enforce/spec.h"

#define LONG_BITS (8 * sizeof(unsigned long))
#define ONLINE "/sys/devices/system/cpu/online"

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
