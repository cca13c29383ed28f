/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/v1.c - files and rules of cgroup v1. */
#include <errno.h>
#include <inttypes.h>
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
	const struct oci_u64 *swappiness = &resources->memory.swappiness;
	const struct oci_bool *no_killer =
		&resources->memory.disable_oom_killer;
	const struct oci_bool *tree = &resources->memory.use_hierarchy;
	struct oci_i64 swap = resources_swap(resources);
	struct setting *s;

	if (tree->set && tree->value)
		settings_add(ret, "memory.useHierarchy", "memory.use_hierarchy",
			     false, "1");
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
	if (swappiness->set)
		settings_add(ret, "memory.swappiness", "memory.swappiness",
			     true, "%" PRIu64, swappiness->value);
	if (no_killer->set) {
		s = settings_add(ret, "memory.disableOOMKiller",
				 "memory.oom_control", no_killer->value, "%d",
				 no_killer->value);
		s->key = "oom_kill_disable";
		s->bare = true;
	}
}

static void cpu_settings(const struct oci_resources *resources,
			 struct settings *ret)
{
	const struct oci_u64 *period = &resources->cpu.period;
	const struct oci_u64 *burst = &resources->cpu.burst;
	const struct oci_i64 *quota = &resources->cpu.quota;
	const struct oci_i64 *idle = &resources->cpu.idle;

	if (resources_has_shares(resources))
		settings_add_number(ret, "cpu.shares", "cpu.shares",
				    (int64_t)resources->cpu.shares.value,
				    false);
	if (idle->set)
		settings_add_number(ret, "cpu.idle", "cpu.idle", idle->value,
				    false);
	if (period->set && period->value != 0)
		settings_add(ret, "cpu.period", "cpu.cfs_period_us", false,
			     "%" PRIu64, period->value);
	if (quota->set && quota->value != 0)
		settings_add_number(ret, "cpu.quota", "cpu.cfs_quota_us",
				    quota->value < 0 ? -1 : quota->value,
				    false);
	if (burst->set)
		settings_add(ret, "cpu.burst", "cpu.cfs_burst_us",
			     burst->value > 0, "%" PRIu64, burst->value);
}

static void realtime_settings(const struct oci_resources *resources,
			      struct settings *ret)
{
	const struct oci_u64 *period = &resources->cpu.realtime_period;
	const struct oci_i64 *runtime = &resources->cpu.realtime_runtime;

	if (period->set && period->value != 0)
		settings_add(ret, "cpu.realtimePeriod", "cpu.rt_period_us",
			     true, "%" PRIu64, period->value);
	if (runtime->set && runtime->value != 0)
		settings_add_number(ret, "cpu.realtimeRuntime",
				    "cpu.rt_runtime_us", runtime->value, false);
}

/* The first name is for kernels with bfq, the second for older ones. */
static void weight_settings(const struct oci_resources *resources,
			    struct settings *ret)
{
	const struct oci_u64 *weight = &resources->block_io.weight;
	const struct oci_u64 *leaf = &resources->block_io.leaf_weight;

	if (weight->set && weight->value != 0) {
		settings_add(ret, "blockIO.weight", "blkio.bfq.weight", true,
			     "%" PRIu64, weight->value);
		settings_add(ret, "blockIO.weight", "blkio.weight", true,
			     "%" PRIu64, weight->value)
			->fallback = true;
	}
	if (leaf->set && leaf->value != 0)
		settings_add(ret, "blockIO.leafWeight", "blkio.leaf_weight",
			     true, "%" PRIu64, leaf->value);
}

static struct setting *add_device(struct settings *ret, const char *field,
				  const char *file, const char *device,
				  uint64_t value)
{
	struct setting *s = settings_add(ret, field, file, value > 0,
					 "%s %" PRIu64, device, value);

	s->key = device;
	s->none = settings_printf(ret, "%s 0", device);
	return s;
}

static void weight_device_settings(const struct oci_resources *resources,
				   struct settings *ret)
{
	for (size_t i = 0; i < resources->block_io.nweight_devices; i++) {
		const struct oci_weight_device *d =
			&resources->block_io.weight_devices[i];
		const char *field =
			settings_index(ret, "blockIO.weightDevice", i);
		const char *device = settings_printf(ret,
						     "%" PRId64 ":%" PRId64,
						     d->major, d->minor);

		if (d->weight.set && d->weight.value != 0) {
			add_device(ret, field, "blkio.bfq.weight_device",
				   device, d->weight.value);
			add_device(ret, field, "blkio.weight_device", device,
				   d->weight.value)
				->fallback = true;
		}
		if (d->leaf_weight.set && d->leaf_weight.value != 0)
			add_device(ret, field, "blkio.leaf_weight_device",
				   device, d->leaf_weight.value);
	}
}

static void throttle_settings(const struct oci_resources *resources,
			      struct settings *ret)
{
	const struct {
		const char *field, *file;
		const struct oci_throttle_list *list;
	} kinds[] = {
		{ "blockIO.throttleReadBpsDevice",
		  "blkio.throttle.read_bps_device",
		  &resources->block_io.read_bps },
		{ "blockIO.throttleWriteBpsDevice",
		  "blkio.throttle.write_bps_device",
		  &resources->block_io.write_bps },
		{ "blockIO.throttleReadIOPSDevice",
		  "blkio.throttle.read_iops_device",
		  &resources->block_io.read_iops },
		{ "blockIO.throttleWriteIOPSDevice",
		  "blkio.throttle.write_iops_device",
		  &resources->block_io.write_iops },
	};

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t i = 0; i < kinds[k].list->n; i++) {
			const struct oci_throttle_device *d =
				&kinds[k].list->items[i];

			add_device(ret, settings_index(ret, kinds[k].field, i),
				   kinds[k].file,
				   settings_printf(ret, "%" PRId64 ":%" PRId64,
						   d->major, d->minor),
				   d->rate);
		}
}

static void network_settings(const struct oci_resources *resources,
			     struct settings *ret)
{
	const struct oci_u64 *id = &resources->network.class_id;

	if (id->set)
		settings_add(ret, "network.classID", "net_cls.classid",
			     id->value > 0, "%" PRIu64, id->value);
	for (size_t i = 0; i < resources->network.npriorities; i++) {
		const struct oci_net_priority *p =
			&resources->network.priorities[i];
		struct setting *s =
			settings_add(ret,
				     settings_index(ret, "network.priorities",
						    i),
				     "net_prio.ifpriomap", p->priority > 0,
				     "%s %u", p->name, p->priority);

		s->key = p->name;
	}
}

static void v1_settings(const struct oci_resources *resources,
			struct settings *ret)
{
	memory_settings(resources, ret);
	cpu_settings(resources, ret);
	realtime_settings(resources, ret);
	shared_settings(resources, ret);
	weight_settings(resources, ret);
	weight_device_settings(resources, ret);
	throttle_settings(resources, ret);
	hugepage_settings(resources, "limit_in_bytes", ret);
	network_settings(resources, ret);
}

/*
 * Put the first len bytes of the member's path into path, and the text of the
 * file there into ret.
 */
static ssize_t read_above(const struct cgroup_member *member, size_t len,
			  const char *file, char *path, char *ret)
{
	memcpy(path, member->path, strlen(member->path) + 1);
	path[len] = '\0';
	return file_read(path, file, ret, CPUSET_SIZE);
}

/*
 * Copy the value of the parent to every directory down to the leaf. Those that
 * we made are empty; of the others, the nearest one with a value is the start.
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

/* A new cpuset has no CPUs and no memory, and so accepts no process. */
static int v1_prepare(const struct cgroup_member *member, const char *wanted)
{
	int r;

	(void)wanted;
	if (!list_has(member->controllers, "cpuset"))
		return 0;
	r = fill_down(member, "cpuset.cpus");
	return r < 0 ? r : fill_down(member, "cpuset.mems");
}

static bool v1_frozen(int dir, const struct cgroup_member *member)
{
	char state[32];

	return list_has(member->controllers, "freezer") &&
	       file_read_at(dir, member->path, "freezer.state", state,
			    sizeof state) > 0 &&
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
