/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/v1.c - files and habits of cgroup v1. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define CPUSET_SIZE 4096

static void memory_settings(const struct oci_resources *resources,
			    struct settings *ret)
{
	const struct oci_i64 *limit = &resources->memory.limit;
	const struct oci_i64 *reservation = &resources->memory.reservation;
	struct oci_i64 swap = resources_swap(resources);

	if (limit->set && limit->value != 0)
		settings_add_number(ret, "memory.limit",
				    "memory.limit_in_bytes", limit->value,
				    false);
	if (swap.set)
		settings_add_number(ret, "memory.swap",
				    "memory.memsw.limit_in_bytes", swap.value,
				    false);
	if (reservation->set && reservation->value != 0)
		settings_add_number(ret, "memory.reservation",
				    "memory.soft_limit_in_bytes",
				    reservation->value, false);
}

static void cpu_settings(const struct oci_resources *resources,
			 struct settings *ret)
{
	const struct oci_u64 *shares = &resources->cpu.shares;
	const struct oci_u64 *period = &resources->cpu.period;
	const struct oci_i64 *quota = &resources->cpu.quota;

	if (shares->set && shares->value != 0)
		settings_add_number(ret, "cpu.shares", "cpu.shares",
				    (int64_t)shares->value, false);
	if (period->set && period->value != 0) {
		settings_add_number(ret, "cpu.period", "cpu.cfs_period_us",
				    (int64_t)period->value, false);
		ret->items[ret->n - 1].needed = false;
	}
	if (quota->set && quota->value != 0)
		settings_add_number(ret, "cpu.quota", "cpu.cfs_quota_us",
				    quota->value < 0 ? -1 : quota->value,
				    false);
}

static void v1_settings(const struct oci_resources *resources,
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

/* Into path, the first len bytes of the member's; the file's text into ret. */
static ssize_t read_above(const struct cgroup_member *member, size_t len,
			  const char *file, char *path, char *ret)
{
	memcpy(path, member->path, strlen(member->path) + 1);
	path[len] = '\0';
	return file_read(path, file, ret, CPUSET_SIZE);
}

/*
 * Give every directory on the way to the leaf what the one above it has. Those
 * we made are empty; of those that were there the nearest will do, if it has
 * something to give.
 */
static int fill_down(const struct cgroup_member *member, const char *file)
{
	char path[CGROUP_PATH_SIZE], above[CPUSET_SIZE], here[CPUSET_SIZE];
	size_t len = member->kept;
	ssize_t n = read_above(member, len, file, path, above);
	int r;

	if (n == 0) {
		len = strlen(member->in->mount);
		n = read_above(member, len, file, path, above);
	}
	while (n >= 0 && len < strlen(member->path)) {
		path[len] = '/';
		len += 1 + strcspn(path + len + 1, "/");
		path[len] = '\0';
		n = 0;
		if (len <= member->kept)
			n = file_read(path, file, here, sizeof here);
		if (n > 0)
			memcpy(above, here, (size_t)n + 1);
		if (n != 0)
			continue;
		r = file_write(path, file, above);
		if (r < 0)
			return r;
	}
	return n < 0 ? fail((int)-n, "read %s/%s", path, file) : 0;
}

/* A new cpuset has no CPUs and no memory, and so takes no process. */
static int v1_prepare(const struct cgroup_member *member, const char *wanted)
{
	int r;

	(void)wanted;
	if (!list_has(member->controllers, "cpuset"))
		return 0;
	r = fill_down(member, "cpuset.cpus");
	return r < 0 ? r : fill_down(member, "cpuset.mems");
}

static bool v1_frozen(const struct cgroup_member *member)
{
	char state[32];

	return list_has(member->controllers, "freezer") &&
	       file_read(member->path, "freezer.state", state, sizeof state) >
		       0 &&
	       !streq(state, "THAWED");
}

static int v1_freeze(const struct cgroup_member *member, bool on)
{
	if (!list_has(member->controllers, "freezer"))
		return 0;
	return file_write(member->path, "freezer.state",
			  on ? "FROZEN" : "THAWED");
}

const struct cgroup_backend cgroup_v1 = {
	.door = "tasks",
	.settings = v1_settings,
	.prepare = v1_prepare,
	.frozen = v1_frozen,
	.freeze = v1_freeze,
};
