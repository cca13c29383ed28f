/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/resources.c - the fields of linux.resources: what asks for something, what we can give. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define SHARES_MIN 2
#define SHARES_MAX 262144
#define WEIGHT_MAX 10000

enum field_kind {
	FIELD_I64, /* 0 and negative values ask for nothing */
	FIELD_COUNT, /* the same, but 0 is a value */
	FIELD_U64,
	FIELD_LEVEL, /* the same, but 0 is a value */
	FIELD_BOOL,
	FIELD_TEXT,
	FIELD_LIST, /* its length */
};

enum field_use {
	USE_LIMIT, /* written, and an error when it cannot be */
	USE_HINT, /* written when it can be */
	USE_WARN, /* ignored, as the specification advises */
	USE_REFUSE,
};

struct field {
	const char *name;
	enum field_kind kind;
	enum field_use use;
	size_t offset;
};

#define AT(member) offsetof(struct oci_resources, member)

static const struct field fields[] = {
	{ "memory.limit", FIELD_I64, USE_LIMIT, AT(memory.limit) },
	{ "memory.reservation", FIELD_I64, USE_LIMIT, AT(memory.reservation) },
	{ "memory.swap", FIELD_I64, USE_LIMIT, AT(memory.swap) },
	{ "memory.kernel", FIELD_I64, USE_WARN, AT(memory.kernel) },
	{ "memory.kernelTCP", FIELD_I64, USE_WARN, AT(memory.kernel_tcp) },
	{ "memory.swappiness", FIELD_LEVEL, USE_REFUSE, AT(memory.swappiness) },
	{ "memory.disableOOMKiller", FIELD_BOOL, USE_REFUSE,
	  AT(memory.disable_oom_killer) },
	{ "cpu.shares", FIELD_U64, USE_LIMIT, AT(cpu.shares) },
	{ "cpu.quota", FIELD_I64, USE_LIMIT, AT(cpu.quota) },
	{ "cpu.period", FIELD_U64, USE_HINT, AT(cpu.period) },
	{ "cpu.burst", FIELD_U64, USE_REFUSE, AT(cpu.burst) },
	{ "cpu.realtimeRuntime", FIELD_I64, USE_REFUSE,
	  AT(cpu.realtime_runtime) },
	{ "cpu.realtimePeriod", FIELD_U64, USE_REFUSE,
	  AT(cpu.realtime_period) },
	{ "cpu.idle", FIELD_I64, USE_REFUSE, AT(cpu.idle) },
	{ "cpu.cpus", FIELD_TEXT, USE_LIMIT, AT(cpu.cpus) },
	{ "cpu.mems", FIELD_TEXT, USE_LIMIT, AT(cpu.mems) },
	{ "pids.limit", FIELD_COUNT, USE_LIMIT, AT(pids_limit) },
	{ "blockIO.weight", FIELD_U64, USE_REFUSE, AT(block_io.weight) },
	{ "blockIO.leafWeight", FIELD_U64, USE_REFUSE,
	  AT(block_io.leaf_weight) },
	{ "blockIO.weightDevice", FIELD_LIST, USE_REFUSE,
	  AT(block_io.nweight_devices) },
	{ "blockIO.throttleReadBpsDevice", FIELD_LIST, USE_REFUSE,
	  AT(block_io.read_bps.n) },
	{ "blockIO.throttleWriteBpsDevice", FIELD_LIST, USE_REFUSE,
	  AT(block_io.write_bps.n) },
	{ "blockIO.throttleReadIOPSDevice", FIELD_LIST, USE_REFUSE,
	  AT(block_io.read_iops.n) },
	{ "blockIO.throttleWriteIOPSDevice", FIELD_LIST, USE_REFUSE,
	  AT(block_io.write_iops.n) },
	{ "hugepageLimits", FIELD_LIST, USE_REFUSE, AT(nhugepage_limits) },
	{ "network.classID", FIELD_U64, USE_REFUSE, AT(network.class_id) },
	{ "network.priorities", FIELD_LIST, USE_REFUSE,
	  AT(network.npriorities) },
	{ "rdma", FIELD_LIST, USE_REFUSE, AT(nrdma) },
	{ "unified", FIELD_LIST, USE_REFUSE, AT(nunified) },
};

static bool asks(const struct field *field,
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
		return *(const size_t *)at > 0;
	}
	return true;
}

bool cgroup_wants_limits(const struct oci_resources *resources)
{
	for (size_t i = 0; i < COUNT(fields); i++)
		if (fields[i].use == USE_LIMIT && asks(&fields[i], resources))
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
			    " needs a memory.limit beside it",
			    swap->value);
	if (swap->value < limit->value)
		return fail(0,
			    "linux.resources.memory.swap: %" PRId64
			    " is memory and swap together, and less than "
			    "memory.limit %" PRId64,
			    swap->value, limit->value);
	return 0;
}

/* v1 would take the nearest value and say nothing; v2 has other units. */
static int check_shares(const struct oci_u64 *shares,
			const struct cgroup_layout *layout)
{
	if (!shares->set || shares->value == 0 || layout->mode == CGROUP_V2)
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

int cgroup_check_resources(const struct oci_resources *resources,
			   const struct cgroup_layout *layout)
{
	int r;

	for (size_t i = 0; i < COUNT(fields); i++) {
		const struct field *field = &fields[i];

		if (field->use == USE_LIMIT || field->use == USE_HINT ||
		    !asks(field, resources))
			continue;
		if (field->use == USE_REFUSE)
			return fail(0,
				    "linux.resources.%s: not supported by "
				    "this build",
				    field->name);
		log_warning("linux.resources.%s: ignored, as the kernel no "
			    "longer has it",
			    field->name);
	}
	r = check_memory(resources);
	if (r < 0)
		return r;
	return check_shares(&resources->cpu.shares, layout);
}

struct oci_i64 resources_swap(const struct oci_resources *resources)
{
	const struct oci_i64 *limit = &resources->memory.limit;
	const struct oci_i64 *swap = &resources->memory.swap;

	if (swap->set && swap->value != 0)
		return *swap;
	/* No limit on memory means none on both together, too. */
	return (struct oci_i64){ .set = limit->set && limit->value == -1,
				 .value = -1 };
}

int64_t resources_pids(const struct oci_resources *resources)
{
	/* A limit of 0 would still let the first process in: 1 is the same. */
	return resources->pids_limit.value ? resources->pids_limit.value : 1;
}

/* Binary logarithm of x >= 1, bit by bit, to about 1e-12: spares us libm. */
static double log2_of(double x)
{
	double result = 0, bit = 1;

	for (; x >= 2; x /= 2)
		result++;
	for (int i = 0; i < 44; i++) {
		bit /= 2;
		x *= x;
		if (x >= 2) {
			x /= 2;
			result += bit;
		}
	}
	return result;
}

/* ceil(10^((l*l + 125*l) / 612 - 7/34)), l the binary logarithm of shares. */
unsigned int shares_to_weight(uint64_t shares)
{
	const double rounding = 1e-11;
	unsigned int low = 1, high = WEIGHT_MAX;
	double l, exponent;

	if (shares <= SHARES_MIN)
		return 1;
	if (shares >= SHARES_MAX)
		return WEIGHT_MAX;
	l = log2_of((double)shares);
	exponent = ((l * l + 125 * l) / 612 - 7.0 / 34) * log2_of(10);
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (log2_of(middle) + rounding < exponent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct setting *settings_add(struct settings *settings,
				    const char *field, const char *file)
{
	struct setting *s = &settings->items[settings->n++];

	*s = (struct setting){ .field = field, .file = file };
	return s;
}

void settings_add_text(struct settings *settings, const char *field,
		       const char *file, const char *text)
{
	struct setting *s = settings_add(settings, field, file);

	s->text = text;
	s->needed = true;
}

void settings_add_number(struct settings *settings, const char *field,
			 const char *file, int64_t value, bool has_max)
{
	struct setting *s = settings_add(settings, field, file);

	if (value < 0 && has_max)
		snprintf(s->number, sizeof s->number, "max");
	else
		snprintf(s->number, sizeof s->number, "%" PRId64, value);
	s->text = s->number;
	s->needed = value > 0;
}
