/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/convert.c - convert values of linux.resources to values of the
 * kernel.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cgroups/internal.h"

#define SHARES_MIN 2
#define SHARES_MAX 262144
#define WEIGHT_MAX 10000

struct oci_i64 resources_swap(const struct oci_resources *resources)
{
	const struct oci_i64 *limit = &resources->memory.limit;
	const struct oci_i64 *swap = &resources->memory.swap;

	if (swap->set && swap->value != 0)
		return *swap;
	/*
	 * Unlimited memory implies that memory and swap together are unlimited.
	 */
	return (struct oci_i64){ .set = limit->set && limit->value == -1,
				 .value = -1 };
}

int64_t swap_alone(int64_t limit, int64_t together)
{
	return together < 0 ? -1 : together - limit;
}

int64_t resources_pids(const struct oci_resources *resources)
{
	/* 0 would still admit the first process, so it is the same as 1. */
	return resources->pids_limit.value ? resources->pids_limit.value : 1;
}

/* Binary logarithm of x >= 1, bit by bit, to about 1e-12; avoids libm. */
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

/*
 * ceil(10^((l*l + 125*l) / 612 - 7/34)), l is the binary logarithm of shares.
 */
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

unsigned int blkio_to_io_weight(uint64_t weight)
{
	if (weight <= 10)
		return 1;
	if (weight >= 1000)
		return WEIGHT_MAX;
	return (unsigned int)(1 + (weight - 10) * (WEIGHT_MAX - 1) / 990);
}

bool cpu_max(const struct oci_i64 *quota, const struct oci_u64 *period,
	     char *ret, size_t size)
{
	bool has_quota = quota->set && quota->value != 0;
	bool has_period = period->set && period->value != 0;
	char word[24] = "max";

	if (!has_quota && !has_period)
		return false;
	if (has_quota && quota->value > 0)
		snprintf(word, sizeof word, "%" PRId64, quota->value);
	/* If only the quota is written, the period stays: 100000 at first. */
	if (has_period)
		snprintf(ret, size, "%s %" PRIu64, word, period->value);
	else
		snprintf(ret, size, "%s", word);
	return true;
}

bool resources_has_shares(const struct oci_resources *resources)
{
	const struct oci_i64 *idle = &resources->cpu.idle;

	return resources->cpu.shares.set && resources->cpu.shares.value > 0 &&
	       !(idle->set && idle->value > 0);
}

struct oci_resources resources_complete(const struct oci_resources *change,
					const struct oci_resources *merged)
{
	struct oci_resources all = *change;

	if (change->memory.limit.set || change->memory.swap.set) {
		all.memory.limit = merged->memory.limit;
		all.memory.swap = merged->memory.swap;
	}
	if (change->cpu.quota.set || change->cpu.period.set ||
	    change->cpu.burst.set) {
		all.cpu.quota = merged->cpu.quota;
		all.cpu.period = merged->cpu.period;
		all.cpu.burst = merged->cpu.burst;
	}
	/* Leaving idle mode resets the weight. */
	if (change->cpu.shares.set || change->cpu.idle.set) {
		all.cpu.shares = merged->cpu.shares;
		all.cpu.idle = merged->cpu.idle;
	}
	return all;
}
