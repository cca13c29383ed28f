/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/systemd_limits.c - convert linux.resources to properties of a unit.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "cgroups/internal.h"
#include "cgroups/systemd.h"

/* "infinity", and for a weight "not set". */
#define NO_LIMIT UINT64_MAX
#define DEFAULT_PERIOD 100000
#define USEC_PER_SEC 1000000
#define USEC_PER_PERCENT 10000
#define MAX_BITS 8192

int systemd_add(struct arena *arena, struct strings *list, const char *name,
		const char *signature, const char *fmt, ...)
{
	const char *value;
	va_list ap;

	va_start(ap, fmt);
	value = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	if (!value)
		return -ENOMEM;
	return strings_add(arena, list,
			   arena_printf(arena, "%s=%s=%s", name, signature,
					value));
}

static int add_u64(struct arena *arena, struct strings *list, const char *name,
		   uint64_t value)
{
	return systemd_add(arena, list, name, "t", "%" PRIu64, value);
}

/* Add a limit: 0 asks for nothing, a negative value is unlimited. */
static int add_limit(struct arena *arena, struct strings *list,
		     const char *name, struct oci_i64 value)
{
	if (!value.set || value.value == 0)
		return 0;
	return add_u64(arena, list, name,
		       value.value < 0 ? NO_LIMIT : (uint64_t)value.value);
}

static int add_memory(struct arena *arena, const struct oci_resources *r,
		      bool v2, struct strings *ret)
{
	struct oci_i64 swap = resources_swap(r);
	int e;

	if (!v2)
		return add_limit(arena, ret, "MemoryLimit", r->memory.limit);
	e = add_limit(arena, ret, "MemoryMax", r->memory.limit);
	if (e >= 0)
		e = add_limit(arena, ret, "MemoryLow", r->memory.reservation);
	if (e < 0 || !swap.set)
		return e;
	swap.value = swap_alone(r->memory.limit.value, swap.value);
	return add_u64(arena, ret, "MemorySwapMax",
		       swap.value < 0 ? NO_LIMIT : (uint64_t)swap.value);
}

/*
 * systemd rounds to percents of a second. Round up, so that the exact value is
 * still within systemd's.
 */
static uint64_t quota_per_second(int64_t quota, uint64_t period)
{
	uint64_t usec;

	if (quota <= 0)
		return NO_LIMIT;
	if ((uint64_t)quota > UINT64_MAX / USEC_PER_SEC)
		return NO_LIMIT;
	usec = (uint64_t)quota * USEC_PER_SEC / period;
	return (usec + USEC_PER_PERCENT - 1) / USEC_PER_PERCENT *
	       USEC_PER_PERCENT;
}

static int add_quota(struct arena *arena, const struct oci_resources *r,
		     bool v2, struct strings *ret)
{
	const struct oci_i64 *quota = &r->cpu.quota;
	const struct oci_u64 *period = &r->cpu.period;
	bool has_period = period->set && period->value;
	int e = 0;

	if (quota->set && quota->value != 0)
		e = add_u64(arena, ret, "CPUQuotaPerSecUSec",
			    quota_per_second(quota->value,
					     has_period ? period->value :
							  DEFAULT_PERIOD));
	/* The systemd of a v1 host may be too old to know this property. */
	if (e >= 0 && has_period && v2)
		e = add_u64(arena, ret, "CPUQuotaPeriodUSec", period->value);
	return e;
}

/* Add a list such as 0-3,7 as bytes, lowest first. */
static int add_bits(struct arena *arena, struct strings *ret, const char *name,
		    const char *list)
{
	unsigned long bits[MAX_BITS / (8 * sizeof(unsigned long))];
	const size_t width = 8 * sizeof *bits;
	char hex[MAX_BITS / 4 + 1] = "";
	size_t used = 0;
	int r;

	if (!is_set(list))
		return 0;
	r = oci_bit_list(list, bits, MAX_BITS);
	if (r < 0)
		return fail_in(r, "linux.resources.cpu");
	for (size_t i = 0; i < MAX_BITS / 8; i++) {
		unsigned int byte = bits[i * 8 / width] >> i * 8 % width & 0xff;

		snprintf(hex + 2 * i, 3, "%02x", byte);
		if (byte)
			used = i + 1;
	}
	hex[2 * used] = '\0';
	return systemd_add(arena, ret, name, "ay", "%s", hex);
}

static int add_cpu(struct arena *arena, const struct oci_resources *r, bool v2,
		   struct strings *ret)
{
	const struct oci_i64 *idle = &r->cpu.idle;
	int e = 0;

	if (resources_has_shares(r) && v2)
		e = add_u64(arena, ret, "CPUWeight",
			    shares_to_weight(r->cpu.shares.value));
	else if (resources_has_shares(r))
		e = add_u64(arena, ret, "CPUShares", r->cpu.shares.value);
	else if (v2 && idle->set && idle->value > 0)
		e = add_u64(arena, ret, "CPUWeight", 0);
	if (e >= 0)
		e = add_quota(arena, r, v2, ret);
	if (e >= 0 && v2)
		e = add_bits(arena, ret, "AllowedCPUs", r->cpu.cpus);
	if (e >= 0 && v2)
		e = add_bits(arena, ret, "AllowedMemoryNodes", r->cpu.mems);
	return e;
}

static int add_pids(struct arena *arena, const struct oci_resources *r,
		    struct strings *ret)
{
	int64_t limit = resources_pids(r);

	if (!r->pids_limit.set)
		return 0;
	return add_u64(arena, ret, "TasksMax",
		       limit < 0 ? NO_LIMIT : (uint64_t)limit);
}

static int add_io(struct arena *arena, const struct oci_resources *r, bool v2,
		  struct strings *ret)
{
	const struct oci_u64 *weight = &r->block_io.weight;

	if (!weight->set || weight->value == 0)
		return 0;
	if (!v2)
		return add_u64(arena, ret, "BlockIOWeight", weight->value);
	return add_u64(arena, ret, "IOWeight",
		       blkio_to_io_weight(weight->value));
}

/* Add the files of linux.resources.unified that have an equivalent property. */
static int add_unified(struct arena *arena, const struct oci_resources *r,
		       struct strings *ret)
{
	static const struct {
		const char *file, *property;
	} known[] = {
		{ "memory.min", "MemoryMin" },
		{ "memory.low", "MemoryLow" },
		{ "memory.high", "MemoryHigh" },
		{ "memory.max", "MemoryMax" },
		{ "memory.swap.max", "MemorySwapMax" },
		{ "pids.max", "TasksMax" },
		{ "cpu.weight", "CPUWeight" },
	};

	for (size_t i = 0; i < r->nunified; i++)
		for (size_t k = 0; k < COUNT(known); k++) {
			const char *text = r->unified[i].value;
			uint64_t value = NO_LIMIT;
			int e;

			if (!streq(r->unified[i].key, known[k].file))
				continue;
			/* The kernel checks values that are not numbers. */
			if (!streq(text, "max") && num_u64(text, &value) < 0) {
				err_clear();
				continue;
			}
			e = add_u64(arena, ret, known[k].property, value);
			if (e < 0)
				return e;
		}
	return 0;
}

int systemd_limits(struct arena *arena, const struct oci_resources *resources,
		   bool v2, struct strings *ret)
{
	struct strings list = { 0 };
	int r;

	if ((r = add_memory(arena, resources, v2, &list)) < 0 ||
	    (r = add_cpu(arena, resources, v2, &list)) < 0 ||
	    (r = add_pids(arena, resources, &list)) < 0 ||
	    (r = add_io(arena, resources, v2, &list)) < 0 ||
	    (v2 && (r = add_unified(arena, resources, &list)) < 0))
		return r;
	*ret = list;
	return 0;
}

int systemd_changes(struct arena *arena, const struct oci_resources *change,
		    const struct oci_resources *merged, bool v2,
		    struct strings *ret)
{
	struct oci_resources all = resources_complete(change, merged);

	return systemd_limits(arena, &all, v2, ret);
}

/*
 * When one property of the cpu controller changes, systemd writes all its
 * files, with a rounded quota.
 */
struct oci_resources systemd_rewrites(const struct oci_resources *change,
				      const struct oci_resources *merged)
{
	struct oci_resources all = *change;

	if (!change->cpu.quota.set && !change->cpu.period.set) {
		all.cpu.quota = merged->cpu.quota;
		all.cpu.period = merged->cpu.period;
	}
	return all;
}

static const char *find_property(const struct strings *list,
				 const char *property)
{
	size_t len = strcspn(property, "=") + 1;

	for (size_t i = 0; i < list->n; i++)
		if (strncmp(list->items[i], property, len) == 0)
			return list->items[i];
	return NULL;
}

/* Add the default of a property that was never set. */
static int add_default(struct arena *arena, struct strings *ret,
		       const char *property)
{
	const char *name =
		arena_strndup(arena, property, strcspn(property, "="));

	if (!name)
		return -ENOMEM;
	if (starts_with(name, "Allowed"))
		return systemd_add(arena, ret, name, "ay", "%s", "");
	if (streq(name, "MemoryLow") || streq(name, "MemoryMin"))
		return add_u64(arena, ret, name, 0);
	return add_u64(arena, ret, name, NO_LIMIT);
}

int systemd_limits_back(struct arena *arena, const struct strings *set,
			const struct strings *old, struct strings *ret)
{
	struct strings list = { 0 };
	int r = 0;

	for (size_t i = 0; r >= 0 && i < set->n; i++) {
		const char *before = find_property(old, set->items[i]);

		r = before ? strings_add(arena, &list, before) :
			     add_default(arena, &list, set->items[i]);
	}
	if (r >= 0)
		*ret = list;
	return r;
}
