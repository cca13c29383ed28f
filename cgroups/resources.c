/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/resources.c - the table of the fields of linux.resources, and their
 * checks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define SHARES_MIN 2
#define SHARES_MAX 262144

static bool weight_devices_ask(const struct oci_resources *resources)
{
	for (size_t i = 0; i < resources->block_io.nweight_devices; i++) {
		const struct oci_weight_device *d =
			&resources->block_io.weight_devices[i];

		if ((d->weight.set && d->weight.value > 0) ||
		    (d->leaf_weight.set && d->leaf_weight.value > 0))
			return true;
	}
	return false;
}

static bool throttle_asks(const struct oci_throttle_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].rate > 0)
			return true;
	return false;
}

static bool read_bps_asks(const struct oci_resources *resources)
{
	return throttle_asks(&resources->block_io.read_bps);
}

static bool write_bps_asks(const struct oci_resources *resources)
{
	return throttle_asks(&resources->block_io.write_bps);
}

static bool read_iops_asks(const struct oci_resources *resources)
{
	return throttle_asks(&resources->block_io.read_iops);
}

static bool write_iops_asks(const struct oci_resources *resources)
{
	return throttle_asks(&resources->block_io.write_iops);
}

/* The kubelet sends a limit of 0 for every possible size. */
static bool hugepages_ask(const struct oci_resources *resources)
{
	for (size_t i = 0; i < resources->nhugepage_limits; i++)
		if (resources->hugepage_limits[i].limit > 0)
			return true;
	return false;
}

static bool priorities_ask(const struct oci_resources *resources)
{
	for (size_t i = 0; i < resources->network.npriorities; i++)
		if (resources->network.priorities[i].priority > 0)
			return true;
	return false;
}

#define AT(member) offsetof(struct oci_resources, member)
#define APPLIED(files)                \
	{                             \
		ANSWER_APPLIED, files \
	}
#define HINT(files)                \
	{                          \
		ANSWER_HINT, files \
	}
#define HOLDS(how)                \
	{                         \
		ANSWER_HOLDS, how \
	}
#define WARNING                      \
	{                            \
		ANSWER_WARNING, NULL \
	}
#define ERROR                      \
	{                          \
		ANSWER_ERROR, NULL \
	}

static const struct field fields[] = {
	{ "memory.limit", "memory", FIELD_I64, AT(memory.limit), NULL,
	  APPLIED("memory.limit_in_bytes"), APPLIED("memory.max") },
	{ "memory.reservation", "memory", FIELD_I64, AT(memory.reservation),
	  NULL, APPLIED("memory.soft_limit_in_bytes"), APPLIED("memory.low") },
	{ "memory.swap", "memory", FIELD_I64, AT(memory.swap), NULL,
	  APPLIED("memory.memsw.limit_in_bytes"), APPLIED("memory.swap.max") },
	{ "memory.kernel", "memory", FIELD_I64, AT(memory.kernel), NULL,
	  WARNING, WARNING },
	{ "memory.kernelTCP", "memory", FIELD_I64, AT(memory.kernel_tcp), NULL,
	  WARNING, WARNING },
	{ "memory.swappiness", "memory", FIELD_LEVEL, AT(memory.swappiness),
	  NULL, APPLIED("memory.swappiness"), ERROR },
	{ "memory.disableOOMKiller", "memory", FIELD_BOOL,
	  AT(memory.disable_oom_killer), NULL, APPLIED("memory.oom_control"),
	  ERROR },
	{ "memory.useHierarchy", "memory", FIELD_BOOL, AT(memory.use_hierarchy),
	  NULL, HINT("memory.use_hierarchy"), HOLDS("always so") },
	{ "memory.checkBeforeUpdate", "memory", FIELD_BOOL,
	  AT(memory.check_before_update), NULL, HOLDS("the kernel does"),
	  HOLDS("the runtime does") },
	{ "cpu.shares", "cpu", FIELD_U64, AT(cpu.shares), NULL,
	  APPLIED("cpu.shares"), APPLIED("cpu.weight") },
	{ "cpu.quota", "cpu", FIELD_I64, AT(cpu.quota), NULL,
	  APPLIED("cpu.cfs_quota_us"), APPLIED("cpu.max") },
	{ "cpu.period", "cpu", FIELD_U64, AT(cpu.period), NULL,
	  HINT("cpu.cfs_period_us"), HINT("cpu.max") },
	{ "cpu.burst", "cpu", FIELD_U64, AT(cpu.burst), NULL,
	  APPLIED("cpu.cfs_burst_us"), APPLIED("cpu.max.burst") },
	{ "cpu.realtimeRuntime", "cpu", FIELD_I64, AT(cpu.realtime_runtime),
	  NULL, APPLIED("cpu.rt_runtime_us"), ERROR },
	{ "cpu.realtimePeriod", "cpu", FIELD_U64, AT(cpu.realtime_period), NULL,
	  APPLIED("cpu.rt_period_us"), ERROR },
	{ "cpu.idle", "cpu", FIELD_I64, AT(cpu.idle), NULL, APPLIED("cpu.idle"),
	  APPLIED("cpu.idle") },
	{ "cpu.cpus", "cpuset", FIELD_TEXT, AT(cpu.cpus), NULL,
	  APPLIED("cpuset.cpus"), APPLIED("cpuset.cpus") },
	{ "cpu.mems", "cpuset", FIELD_TEXT, AT(cpu.mems), NULL,
	  APPLIED("cpuset.mems"), APPLIED("cpuset.mems") },
	{ "pids.limit", "pids", FIELD_COUNT, AT(pids_limit), NULL,
	  APPLIED("pids.max"), APPLIED("pids.max") },
	{ "blockIO.weight", "blkio", FIELD_U64, AT(block_io.weight), NULL,
	  APPLIED("blkio.bfq.weight, blkio.weight"),
	  APPLIED("io.bfq.weight, io.weight") },
	{ "blockIO.leafWeight", "blkio", FIELD_U64, AT(block_io.leaf_weight),
	  NULL, APPLIED("blkio.leaf_weight"), ERROR },
	{ "blockIO.weightDevice", "blkio", FIELD_LIST,
	  AT(block_io.nweight_devices), weight_devices_ask,
	  APPLIED("blkio.bfq.weight_device, blkio.weight_device, "
		  "blkio.leaf_weight_device"),
	  APPLIED("io.bfq.weight, io.weight") },
	{ "blockIO.throttleReadBpsDevice", "blkio", FIELD_LIST,
	  AT(block_io.read_bps.n), read_bps_asks,
	  APPLIED("blkio.throttle.read_bps_device"), APPLIED("io.max") },
	{ "blockIO.throttleWriteBpsDevice", "blkio", FIELD_LIST,
	  AT(block_io.write_bps.n), write_bps_asks,
	  APPLIED("blkio.throttle.write_bps_device"), APPLIED("io.max") },
	{ "blockIO.throttleReadIOPSDevice", "blkio", FIELD_LIST,
	  AT(block_io.read_iops.n), read_iops_asks,
	  APPLIED("blkio.throttle.read_iops_device"), APPLIED("io.max") },
	{ "blockIO.throttleWriteIOPSDevice", "blkio", FIELD_LIST,
	  AT(block_io.write_iops.n), write_iops_asks,
	  APPLIED("blkio.throttle.write_iops_device"), APPLIED("io.max") },
	{ "hugepageLimits", "hugetlb", FIELD_LIST, AT(nhugepage_limits),
	  hugepages_ask,
	  APPLIED("hugetlb.SIZE.limit_in_bytes, "
		  "hugetlb.SIZE.rsvd.limit_in_bytes"),
	  APPLIED("hugetlb.SIZE.max, hugetlb.SIZE.rsvd.max") },
	{ "network.classID", "net_cls", FIELD_U64, AT(network.class_id), NULL,
	  APPLIED("net_cls.classid"), ERROR },
	{ "network.priorities", "net_prio", FIELD_LIST, AT(network.npriorities),
	  priorities_ask, APPLIED("net_prio.ifpriomap"), ERROR },
	{ "rdma", "rdma", FIELD_LIST, AT(nrdma), NULL, APPLIED("rdma.max"),
	  APPLIED("rdma.max") },
	{ "unified", "", FIELD_LIST, AT(nunified), NULL, ERROR,
	  APPLIED("as named") },
};

const struct field *resources_fields(size_t *ret_n)
{
	*ret_n = COUNT(fields);
	return fields;
}

bool field_asks(const struct field *field,
		const struct oci_resources *resources)
{
	const void *at = (const char *)resources + field->offset;
	const struct oci_i64 *i64 = at;
	const struct oci_u64 *u64 = at;
	const struct oci_bool *flag = at;

	switch (field->kind) {
	case FIELD_I64:
		return i64->set && i64->value > 0;
	case FIELD_COUNT:
		return i64->set && i64->value >= 0;
	case FIELD_U64:
		return u64->set && u64->value > 0;
	case FIELD_LEVEL:
		return u64->set;
	case FIELD_BOOL:
		return flag->set && flag->value;
	case FIELD_TEXT:
		return is_set(*(const char *const *)at);
	case FIELD_LIST:
		return field->list_asks ? field->list_asks(resources) :
					  *(const size_t *)at > 0;
	}
	return true;
}

bool cgroup_wants_limits(const struct oci_resources *resources)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if ((fields[i].v1.answer == ANSWER_APPLIED ||
		     fields[i].v2.answer == ANSWER_APPLIED) &&
		    field_asks(&fields[i], resources))
			return true;
	return false;
}

static int check_memory(const struct oci_resources *resources)
{
	const struct oci_i64 *limit = &resources->memory.limit;
	const struct oci_i64 *swap = &resources->memory.swap;
	const struct {
		const char *name;
		const struct oci_i64 *value;
	} sizes[] = {
		{ "limit", limit },
		{ "reservation", &resources->memory.reservation },
		{ "swap", swap },
	};

	for (size_t i = 0; i < COUNT(sizes); i++)
		if (sizes[i].value->set && sizes[i].value->value < -1)
			return fail(0,
				    "linux.resources.memory.%s: %" PRId64
				    " is neither a size nor -1",
				    sizes[i].name, sizes[i].value->value);
	if (!swap->set || swap->value <= 0)
		return 0;
	if (!limit->set || limit->value <= 0)
		return fail(0,
			    "linux.resources.memory.swap: %" PRId64
			    " requires memory.limit",
			    swap->value);
	if (swap->value < limit->value)
		return fail(0,
			    "linux.resources.memory.swap: %" PRId64
			    " (memory plus swap) is less than memory.limit "
			    "%" PRId64,
			    swap->value, limit->value);
	return 0;
}

static bool on_v1(const struct cgroup_layout *layout, const char *controller,
		  size_t len)
{
	for (size_t i = 0; i < layout->n; i++)
		if (!layout->items[i].v2 &&
		    list_has_n(layout->items[i].controllers, controller, len))
			return true;
	return false;
}

/* v1 would silently use the nearest value; v2 has other units. */
static int check_shares(const struct oci_u64 *shares,
			const struct cgroup_layout *layout)
{
	if (!shares->set || shares->value == 0 || !on_v1(layout, "cpu", 3))
		return 0;
	if (shares->value < SHARES_MIN)
		return fail(0,
			    "linux.resources.cpu.shares: %" PRIu64
			    ": the minimum allowed cpu-shares is %d",
			    shares->value, SHARES_MIN);
	if (shares->value > SHARES_MAX)
		return fail(0,
			    "linux.resources.cpu.shares: %" PRIu64
			    ": the maximum allowed cpu-shares is %d",
			    shares->value, SHARES_MAX);
	return 0;
}

static int check_burst(const struct oci_resources *resources)
{
	const struct oci_u64 *burst = &resources->cpu.burst;
	const struct oci_i64 *quota = &resources->cpu.quota;

	if (!burst->set || !quota->set || quota->value <= 0 ||
	    burst->value <= (uint64_t)quota->value)
		return 0;
	return fail(0,
		    "linux.resources.cpu.burst: %" PRIu64
		    " is greater than cpu.quota %" PRId64,
		    burst->value, quota->value);
}

static int check_leaf_weights(const struct oci_resources *resources,
			      const struct cgroup_layout *layout)
{
	if (on_v1(layout, "blkio", 5))
		return 0;
	for (size_t i = 0; i < resources->block_io.nweight_devices; i++)
		if (resources->block_io.weight_devices[i].leaf_weight.value > 0)
			return fail(0,
				    "linux.resources.blockIO.weightDevice[%zu]."
				    "leafWeight: not supported on cgroup v2",
				    i);
	return 0;
}

/*
 * The names are those of v2 files; on v1 they have no meaning, or another one.
 */
static int check_unified(const struct oci_resources *resources,
			 const struct cgroup_layout *layout)
{
	for (size_t i = 0; i < resources->nunified; i++) {
		const char *file = resources->unified[i].key;
		size_t len = strcspn(file, ".");

		if (layout->mode == CGROUP_V1)
			return fail(0,
				    "linux.resources.unified.%s: requires "
				    "cgroup v2",
				    file);
		if (starts_with(file, "io.") ? on_v1(layout, "blkio", 5) :
					       on_v1(layout, file, len))
			return fail(0,
				    "linux.resources.unified.%s: the %.*s "
				    "controller is mounted as cgroup v1 on "
				    "this host",
				    file, (int)len, file);
	}
	return 0;
}

static int check_field(const struct field *field,
		       const struct cgroup_layout *layout)
{
	bool v1 = on_v1(layout, field->controller, strlen(field->controller));
	const struct field_place *place = v1 ? &field->v1 : &field->v2;

	if (place->answer == ANSWER_WARNING)
		log_warning("linux.resources.%s: ignored because the kernel no "
			    "longer supports it",
			    field->name);
	if (place->answer != ANSWER_ERROR)
		return 0;
	if (layout->mode == CGROUP_V2)
		return fail(0, "linux.resources.%s: not supported on cgroup v2",
			    field->name);
	return fail(0,
		    "linux.resources.%s: the %s controller is not in any "
		    "mounted cgroup hierarchy",
		    field->name, field->controller);
}

int cgroup_check_resources(const struct oci_resources *resources,
			   const struct cgroup_layout *layout)
{
	int r;

	for (size_t i = 0; i < COUNT(fields); i++) {
		if (!field_asks(&fields[i], resources))
			continue;
		r = check_field(&fields[i], layout);
		if (r < 0)
			return r;
	}
	if ((r = check_unified(resources, layout)) < 0 ||
	    (r = check_leaf_weights(resources, layout)) < 0 ||
	    (r = check_memory(resources)) < 0 ||
	    (r = check_burst(resources)) < 0)
		return r;
	return check_shares(&resources->cpu.shares, layout);
}

static void rdma_settings(const struct oci_resources *resources,
			  struct settings *ret)
{
	for (size_t i = 0; i < resources->nrdma; i++) {
		const struct oci_rdma *d = &resources->rdma[i];
		char handles[40] = "", objects[40] = "";
		struct setting *s;

		if (d->handles.set)
			snprintf(handles, sizeof handles,
				 " hca_handle=%" PRIu64, d->handles.value);
		if (d->objects.set)
			snprintf(objects, sizeof objects,
				 " hca_object=%" PRIu64, d->objects.value);
		s = settings_add(ret,
				 settings_printf(ret, "rdma.%s", d->device),
				 "rdma.max", true, "%s%s%s", d->device, handles,
				 objects);
		s->key = d->device;
	}
}

void shared_settings(const struct oci_resources *resources,
		     struct settings *ret)
{
	if (is_set(resources->cpu.mems))
		settings_add(ret, "cpu.mems", "cpuset.mems", true, "%s",
			     resources->cpu.mems);
	if (is_set(resources->cpu.cpus))
		settings_add(ret, "cpu.cpus", "cpuset.cpus", true, "%s",
			     resources->cpu.cpus);
	if (resources->pids_limit.set)
		settings_add_number(ret, "pids.limit", "pids.max",
				    resources_pids(resources), true);
	rdma_settings(resources, ret);
}

void hugepage_settings(const struct oci_resources *resources, const char *word,
		       struct settings *ret)
{
	for (size_t i = 0; i < resources->nhugepage_limits; i++) {
		const struct oci_hugepage_limit *l =
			&resources->hugepage_limits[i];
		const char *field = settings_index(ret, "hugepageLimits", i);

		settings_add(ret, field,
			     settings_printf(ret, "hugetlb.%s.%s", l->page_size,
					     word),
			     l->limit > 0, "%" PRIu64, l->limit);
		settings_add(ret, field,
			     settings_printf(ret, "hugetlb.%s.rsvd.%s",
					     l->page_size, word),
			     false, "%" PRIu64, l->limit);
	}
}
