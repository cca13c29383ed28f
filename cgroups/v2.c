/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/v2.c - files and rules of cgroup v2. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

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
	/* v2 counts swap alone; without swap the file does not exist. */
	if (swap.set)
		settings_add_number(ret, "memory.swap", "memory.swap.max",
				    swap_alone(limit->value, swap.value), true);
	if (reservation->set && reservation->value != 0)
		settings_add_number(ret, "memory.reservation", "memory.low",
				    reservation->value, true);
}

static void cpu_settings(const struct oci_resources *resources,
			 struct settings *ret)
{
	const struct oci_u64 *burst = &resources->cpu.burst;
	const struct oci_i64 *quota = &resources->cpu.quota;
	const struct oci_i64 *idle = &resources->cpu.idle;
	char max[64];

	if (resources_has_shares(resources))
		settings_add_number(ret, "cpu.shares", "cpu.weight",
				    shares_to_weight(
					    resources->cpu.shares.value),
				    false);
	if (idle->set)
		settings_add_number(ret, "cpu.idle", "cpu.idle", idle->value,
				    false);
	if (cpu_max(quota, &resources->cpu.period, max, sizeof max))
		settings_add(ret,
			     quota->set && quota->value ? "cpu.quota" :
							  "cpu.period",
			     "cpu.max", quota->set && quota->value > 0, "%s",
			     max);
	if (burst->set)
		settings_add(ret, "cpu.burst", "cpu.max.burst",
			     burst->value > 0, "%" PRIu64, burst->value);
}

/* bfq uses the old numbers; otherwise io.weight is that of iocost. */
static void weight_settings(const struct oci_resources *resources,
			    struct settings *ret)
{
	const struct oci_u64 *weight = &resources->block_io.weight;
	struct setting *s;

	if (!weight->set || weight->value == 0)
		return;
	s = settings_add(ret, "blockIO.weight", "io.bfq.weight", true,
			 "default %" PRIu64, weight->value);
	s->key = "default";
	s = settings_add(ret, "blockIO.weight", "io.weight", true, "default %u",
			 blkio_to_io_weight(weight->value));
	s->key = "default";
	s->fallback = true;
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
		const char *none = settings_printf(ret, "%s default", device);
		struct setting *s;

		if (!d->weight.set || d->weight.value == 0)
			continue;
		s = settings_add(ret, field, "io.bfq.weight", true,
				 "%s %" PRIu64, device, d->weight.value);
		s->key = device;
		s->none = none;
		s = settings_add(ret, field, "io.weight", true, "%s %u", device,
				 blkio_to_io_weight(d->weight.value));
		s->key = device;
		s->none = none;
		s->fallback = true;
	}
}

static void add_throttle(struct settings *ret, const char *field,
			 const char *word, const struct oci_throttle_device *d)
{
	struct setting *s;
	char rate[24] = "max";

	if (d->rate > 0)
		snprintf(rate, sizeof rate, "%" PRIu64, d->rate);
	s = settings_add(ret, field, "io.max", d->rate > 0,
			 "%" PRId64 ":%" PRId64 " %s=%s", d->major, d->minor,
			 word, rate);
	s->key = settings_printf(ret, "%" PRId64 ":%" PRId64, d->major,
				 d->minor);
	s->none = settings_printf(ret,
				  "%s rbps=max wbps=max riops=max wiops=max",
				  s->key);
}

static void throttle_settings(const struct oci_resources *resources,
			      struct settings *ret)
{
	const struct {
		const char *field, *word;
		const struct oci_throttle_list *list;
	} kinds[] = {
		{ "blockIO.throttleReadBpsDevice", "rbps",
		  &resources->block_io.read_bps },
		{ "blockIO.throttleWriteBpsDevice", "wbps",
		  &resources->block_io.write_bps },
		{ "blockIO.throttleReadIOPSDevice", "riops",
		  &resources->block_io.read_iops },
		{ "blockIO.throttleWriteIOPSDevice", "wiops",
		  &resources->block_io.write_iops },
	};

	for (size_t k = 0; k < COUNT(kinds); k++)
		for (size_t i = 0; i < kinds[k].list->n; i++)
			add_throttle(ret,
				     settings_index(ret, kinds[k].field, i),
				     kinds[k].word, &kinds[k].list->items[i]);
}

/* Write these unchanged and last, so that they override other fields. */
static void unified_settings(const struct oci_resources *resources,
			     struct settings *ret)
{
	for (size_t i = 0; i < resources->nunified; i++) {
		const struct oci_annotation *u = &resources->unified[i];

		settings_add(ret, settings_printf(ret, "unified.%s", u->key),
			     u->key, true, "%s", u->value);
	}
}

static void v2_settings(const struct oci_resources *resources,
			struct settings *ret)
{
	memory_settings(resources, ret);
	cpu_settings(resources, ret);
	shared_settings(resources, ret);
	weight_settings(resources, ret);
	weight_device_settings(resources, ret);
	throttle_settings(resources, ret);
	hugepage_settings(resources, "max", ret);
	unified_settings(resources, ret);
}

/*
 * List controllers in `wanted` that a directory has but does not enable: "+cpu
 * +io".
 */
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
 * Enable all controllers at once, or else one by one. A failure (no permission,
 * processes in the cgroup) only matters to a limit, which then has no file to
 * write.
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

static bool v2_frozen(int dir, const struct cgroup_member *member)
{
	char events[128];

	return file_read_at(dir, member->path, "cgroup.events", events,
			    sizeof events) > 0 &&
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
