/* SPDX-License-Identifier: Apache-2.0 */
/* oci/spec_resources.c - read linux.resources, also for update. */
#include "oci/parse.h"

#include <ctype.h>
#include <errno.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

#define FIELD(key, read, member) \
	JSON_FIELD(key, read, struct oci_resources, member)

/* -1 means any, or no limit. */
static JSON_READER(read_from_minus_one)
{
	int64_t *number = ret;
	int r = json_i64(arena, v, number);

	if (r < 0 || *number >= -1)
		return r;
	return json_fail(v, "%s is below -1", v->text);
}

static JSON_READER(read_limit)
{
	struct oci_i64 *limit = ret;

	limit->set = true;
	return read_from_minus_one(arena, v, &limit->value);
}

static JSON_READER(read_device_type)
{
	static const struct json_choice types[] = {
		{ "", 'a' },
		{ "a", 'a' },
		{ "b", 'b' },
		{ "c", 'c' },
	};
	uint64_t type = 'a';
	int r = json_choose(v, types, COUNT(types), &type);

	(void)arena;
	*(char *)ret = (char)type;
	return r;
}

static JSON_READER(read_access)
{
	struct oci_device_rule *rule = ret;
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0)
		return r;
	if (v->text[strspn(v->text, "rwm")])
		return json_fail(v, "'%.200s' may contain only r, w and m",
				 v->text);
	rule->r = strchr(v->text, 'r');
	rule->w = strchr(v->text, 'w');
	rule->m = strchr(v->text, 'm');
	return 0;
}

static JSON_READER(read_device_rule)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("allow", json_bool, struct oci_device_rule,
			      allow),
		JSON_FIELD("type", read_device_type, struct oci_device_rule,
			   type),
		JSON_FIELD("major", read_from_minus_one, struct oci_device_rule,
			   major),
		JSON_FIELD("minor", read_from_minus_one, struct oci_device_rule,
			   minor),
		JSON_WHOLE("access", read_access),
	};
	struct oci_device_rule *rule = ret;
	int r;

	*rule = (struct oci_device_rule){ .type = 'a',
					  .major = -1,
					  .minor = -1 };
	r = json_object(arena, v, fields, COUNT(fields), rule);
	if (r < 0 || rule->r || rule->w || rule->m)
		return r;
	if (rule->type != 'a')
		return json_fail_key(v, "access", "must not be empty");
	rule->r = rule->w = rule->m = true;
	return 0;
}

static JSON_READER(read_device_rules)
{
	struct oci_resources *res = ret;

	return json_array(arena, v, read_device_rule, sizeof *res->devices,
			  &res->devices, &res->ndevices);
}

/* -1 means unset, and so does -1 converted to unsigned. */
static JSON_READER(read_swappiness)
{
	struct oci_u64 *swappiness = ret;
	int r;

	if (v->type == JSON_NUMBER &&
	    (streq(v->text, "-1") || streq(v->text, "18446744073709551615")))
		return 0;
	r = json_optional_u64(arena, v, swappiness);
	if (r < 0 || swappiness->value <= 100)
		return r;
	return json_fail(v, "%s is not in the range 0 to 100", v->text);
}

static JSON_READER(read_memory)
{
	static const struct json_field fields[] = {
		FIELD("limit", read_limit, memory.limit),
		FIELD("reservation", read_limit, memory.reservation),
		FIELD("swap", read_limit, memory.swap),
		FIELD("kernel", read_limit, memory.kernel),
		FIELD("kernelTCP", read_limit, memory.kernel_tcp),
		FIELD("swappiness", read_swappiness, memory.swappiness),
		FIELD("disableOOMKiller", json_optional_bool,
		      memory.disable_oom_killer),
		FIELD("useHierarchy", json_optional_bool, memory.use_hierarchy),
		FIELD("checkBeforeUpdate", json_optional_bool,
		      memory.check_before_update),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_cpu_list)
{
	(void)arena;
	return oci_read_list(v, OCI_MAX_CPUS, ret);
}

static JSON_READER(read_node_list)
{
	(void)arena;
	return oci_read_list(v, OCI_MAX_NODES, ret);
}

static JSON_READER(read_idle)
{
	struct oci_i64 *idle = ret;
	int r = json_optional_i64(arena, v, idle);

	if (r < 0 || idle->value == 0 || idle->value == 1)
		return r;
	return json_fail(v, "%s is neither 0 nor 1", v->text);
}

static JSON_READER(read_cpu)
{
	static const struct json_field fields[] = {
		FIELD("shares", json_optional_u64, cpu.shares),
		FIELD("quota", json_optional_i64, cpu.quota),
		FIELD("burst", json_optional_u64, cpu.burst),
		FIELD("period", json_optional_u64, cpu.period),
		FIELD("realtimeRuntime", json_optional_i64,
		      cpu.realtime_runtime),
		FIELD("realtimePeriod", json_optional_u64, cpu.realtime_period),
		FIELD("cpus", read_cpu_list, cpu.cpus),
		FIELD("mems", read_node_list, cpu.mems),
		FIELD("idle", read_idle, cpu.idle),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_pids)
{
	static const struct json_field fields[] = {
		FIELD("limit", json_optional_i64, pids_limit),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

/* Engines write 0 for "no weight". */
static JSON_READER(read_weight)
{
	struct oci_u64 *weight = ret;
	int r = json_optional_u64(arena, v, weight);

	if (r < 0 || weight->value == 0 ||
	    (weight->value >= 10 && weight->value <= 1000))
		return r;
	return json_fail(v, "%s is not in the range 10 to 1000", v->text);
}

static JSON_READER(read_device_number)
{
	uint32_t number = 0;
	int r = json_u32(arena, v, &number);

	*(int64_t *)ret = number;
	return r;
}

static JSON_READER(read_weight_device)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("major", read_device_number,
			      struct oci_weight_device, major),
		JSON_REQUIRED("minor", read_device_number,
			      struct oci_weight_device, minor),
		JSON_FIELD("weight", read_weight, struct oci_weight_device,
			   weight),
		JSON_FIELD("leafWeight", read_weight, struct oci_weight_device,
			   leaf_weight),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_weight_devices)
{
	struct oci_resources *res = ret;

	return json_array(arena, v, read_weight_device,
			  sizeof *res->block_io.weight_devices,
			  &res->block_io.weight_devices,
			  &res->block_io.nweight_devices);
}

static JSON_READER(read_throttle_device)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("major", read_device_number,
			      struct oci_throttle_device, major),
		JSON_REQUIRED("minor", read_device_number,
			      struct oci_throttle_device, minor),
		JSON_REQUIRED("rate", json_u64, struct oci_throttle_device,
			      rate),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_throttle)
{
	struct oci_throttle_list *list = ret;

	return json_array(arena, v, read_throttle_device, sizeof *list->items,
			  &list->items, &list->n);
}

static JSON_READER(read_block_io)
{
	static const struct json_field fields[] = {
		FIELD("weight", read_weight, block_io.weight),
		FIELD("leafWeight", read_weight, block_io.leaf_weight),
		JSON_WHOLE("weightDevice", read_weight_devices),
		FIELD("throttleReadBpsDevice", read_throttle,
		      block_io.read_bps),
		FIELD("throttleWriteBpsDevice", read_throttle,
		      block_io.write_bps),
		FIELD("throttleReadIOPSDevice", read_throttle,
		      block_io.read_iops),
		FIELD("throttleWriteIOPSDevice", read_throttle,
		      block_io.write_iops),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

/* The text becomes part of a file name. */
static JSON_READER(read_page_size)
{
	size_t digits = 0;
	int r = json_string(arena, v, ret);

	if (r < 0)
		return r;
	while (isdigit((unsigned char)v->text[digits]))
		digits++;
	if (digits == 0 || v->text[0] == '0' || !v->text[digits] ||
	    !strchr("KMG", v->text[digits]) ||
	    !streq(v->text + digits + 1, "B"))
		return json_fail(v, "'%.200s' is not a size such as 2MB",
				 v->text);
	return 0;
}

static JSON_READER(read_hugepage_limit)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("pageSize", read_page_size,
			      struct oci_hugepage_limit, page_size),
		JSON_REQUIRED("limit", json_u64, struct oci_hugepage_limit,
			      limit),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_hugepage_limits)
{
	struct oci_resources *res = ret;

	return json_array(arena, v, read_hugepage_limit,
			  sizeof *res->hugepage_limits, &res->hugepage_limits,
			  &res->nhugepage_limits);
}

static JSON_READER(read_class_id)
{
	struct oci_u64 *id = ret;
	uint32_t number = 0;
	int r = json_u32(arena, v, &number);

	*id = (struct oci_u64){ .set = true, .value = number };
	return r;
}

static JSON_READER(read_interface)
{
	int r = json_string(arena, v, ret);

	if (r < 0 || oci_is_interface_name(v->text))
		return r;
	return json_fail(
		v,
		"'%.200s' is not a network device name (1 to 15 bytes without "
		"/ : or blanks)",
		v->text);
}

static JSON_READER(read_net_priority)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("name", read_interface, struct oci_net_priority,
			      name),
		JSON_REQUIRED("priority", json_u32, struct oci_net_priority,
			      priority),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_net_priorities)
{
	struct oci_resources *res = ret;

	return json_array(arena, v, read_net_priority,
			  sizeof *res->network.priorities,
			  &res->network.priorities, &res->network.npriorities);
}

static JSON_READER(read_network)
{
	static const struct json_field fields[] = {
		FIELD("classID", read_class_id, network.class_id),
		JSON_WHOLE("priorities", read_net_priorities),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}

static JSON_READER(read_rdma_limit)
{
	struct oci_u64 *limit = ret;
	uint32_t number = 0;
	int r = json_u32(arena, v, &number);

	*limit = (struct oci_u64){ .set = true, .value = number };
	return r;
}

static JSON_READER(read_rdma_device)
{
	static const struct json_field fields[] = {
		JSON_FIELD("hcaHandles", read_rdma_limit, struct oci_rdma,
			   handles),
		JSON_FIELD("hcaObjects", read_rdma_limit, struct oci_rdma,
			   objects),
	};
	struct oci_rdma *device = ret;
	int r;

	if (!*v->key || v->key[strcspn(v->key, " \t\n")])
		return json_fail(v,
				 "not a device name (blanks are not allowed)");
	r = json_object(arena, v, fields, COUNT(fields), ret);
	if (r < 0)
		return r;
	if (!device->handles.set && !device->objects.set)
		return json_fail(v, "requires hcaHandles or hcaObjects");
	device->device = v->key;
	return 0;
}

static JSON_READER(read_rdma)
{
	struct oci_resources *res = ret;

	return json_members(arena, v, read_rdma_device, sizeof(struct oci_rdma),
			    &res->rdma, &res->nrdma);
}

static JSON_READER(read_unified)
{
	struct oci_resources *res = ret;
	struct oci_annotations files = { 0 };
	int r = json_annotations(arena, v, &files);

	if (r < 0)
		return r;
	for (size_t i = 0; i < files.n; i++) {
		const char *name = files.items[i].key;

		if (!*name || *name == '.' || strchr(name, '/'))
			return json_fail_key(
				v, name,
				"not the name of a cgroup file such as "
				"memory.high");
	}
	res->unified = files.items;
	res->nunified = files.n;
	return 0;
}

JSON_READER(oci_read_resources)
{
	static const struct json_field fields[] = {
		JSON_WHOLE("devices", read_device_rules),
		JSON_WHOLE("memory", read_memory),
		JSON_WHOLE("cpu", read_cpu),
		JSON_WHOLE("pids", read_pids),
		JSON_WHOLE("blockIO", read_block_io),
		JSON_WHOLE("hugepageLimits", read_hugepage_limits),
		JSON_WHOLE("network", read_network),
		JSON_WHOLE("rdma", read_rdma),
		JSON_WHOLE("unified", read_unified),
	};

	return json_object(arena, v, fields, COUNT(fields), ret);
}
