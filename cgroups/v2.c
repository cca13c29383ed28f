/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/v2.c - files and habits of cgroup v2. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define DEFAULT_PERIOD 100000
#define LIST_SIZE 512

static void memory_settings(const struct oci_resources *resources,
			    struct settings *ret)
{
	const struct oci_i64 *limit = &resources->memory.limit;
	const struct oci_i64 *reservation = &resources->memory.reservation;
	struct oci_i64 swap = resources_swap(resources);

	if (limit->set && limit->value != 0)
		settings_add_number(ret, "memory.limit", "memory.max",
				    limit->value, true);
	/* Here swap is counted alone; the file is absent without swap. */
	if (swap.set)
		settings_add_number(ret, "memory.swap", "memory.swap.max",
				    swap.value < 0 ? -1 :
						     swap.value - limit->value,
				    true);
	if (reservation->set && reservation->value != 0)
		settings_add_number(ret, "memory.reservation", "memory.low",
				    reservation->value, true);
}

static void cpu_settings(const struct oci_resources *resources,
			 struct settings *ret)
{
	const struct oci_u64 *shares = &resources->cpu.shares;
	const struct oci_u64 *period = &resources->cpu.period;
	const struct oci_i64 *quota = &resources->cpu.quota;
	bool has_quota = quota->set && quota->value != 0;
	bool has_period = period->set && period->value != 0;
	struct setting *max;

	if (shares->set && shares->value != 0)
		settings_add_number(ret, "cpu.shares", "cpu.weight",
				    shares_to_weight(shares->value), false);
	if (!has_quota && !has_period)
		return;
	settings_add_number(ret, "cpu.quota", "cpu.max",
			    has_quota ? quota->value : -1, true);
	max = &ret->items[ret->n - 1];
	snprintf(max->number + strlen(max->number),
		 sizeof max->number - strlen(max->number), " %" PRIu64,
		 has_period ? period->value : DEFAULT_PERIOD);
}

static void v2_settings(const struct oci_resources *resources,
			struct settings *ret)
{
	memory_settings(resources, ret);
	cpu_settings(resources, ret);
	if (is_set(resources->cpu.cpus))
		settings_add_text(ret, "cpu.cpus", "cpuset.cpus",
				  resources->cpu.cpus);
	if (is_set(resources->cpu.mems))
		settings_add_text(ret, "cpu.mems", "cpuset.mems",
				  resources->cpu.mems);
	if (resources->pids_limit.set)
		settings_add_number(ret, "pids.limit", "pids.max",
				    resources_pids(resources), true);
}

/* Which of wanted a directory has to give and does not give yet: "+cpu +io". */
static void missing_controllers(const char *path, const char *wanted, char *ret)
{
	char has[LIST_SIZE], gives[LIST_SIZE], *save;
	size_t len = 0;

	*ret = '\0';
	if (file_read(path, "cgroup.controllers", has, sizeof has) <= 0 ||
	    file_read(path, "cgroup.subtree_control", gives, sizeof gives) < 0)
		return;
	for (char *word = strtok_r(has, " ", &save); word;
	     word = strtok_r(NULL, " ", &save)) {
		if (list_has(gives, word) ||
		    (!streq(wanted, EVERY_CONTROLLER) &&
		     !list_has(wanted, word)) ||
		    len + strlen(word) + 3 > LIST_SIZE)
			continue;
		len += (size_t)sprintf(ret + len, "%s+%s", len ? " " : "",
				       word);
	}
}

/*
 * All at once, or those that can be. One that cannot (no right, processes in
 * the way) matters only to a limit, and that one then has no file to write.
 */
static void pass_on(const char *path, char *list)
{
	char *save;

	if (!*list || file_write(path, "cgroup.subtree_control", list) >= 0)
		return;
	for (char *word = strtok_r(list, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		if (file_write(path, "cgroup.subtree_control", word) < 0)
			log_debug("%s", err_text());
	err_clear();
}

static int v2_prepare(const struct cgroup_member *member, const char *wanted)
{
	char path[CGROUP_PATH_SIZE], list[LIST_SIZE];
	char *end = path + strlen(member->in->mount);
	char *leaf;

	if (!*wanted)
		return 0;
	memcpy(path, member->path, strlen(member->path) + 1);
	leaf = strrchr(path, '/');
	for (;;) {
		char next = *end;

		*end = '\0';
		missing_controllers(path, wanted, list);
		pass_on(path, list);
		*end = next;
		if (end == leaf)
			return 0;
		end += 1 + strcspn(end + 1, "/");
	}
}

static bool v2_frozen(const struct cgroup_member *member)
{
	char events[128];

	return file_read(member->path, "cgroup.events", events, sizeof events) >
		       0 &&
	       strstr(events, "frozen 1");
}

static int v2_freeze(const struct cgroup_member *member, bool on)
{
	return file_write(member->path, "cgroup.freeze", on ? "1" : "0");
}

const struct cgroup_backend cgroup_v2 = {
	.door = "cgroup.procs",
	.settings = v2_settings,
	.prepare = v2_prepare,
	.frozen = v2_frozen,
	.freeze = v2_freeze,
};
