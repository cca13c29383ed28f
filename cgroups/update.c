/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/update.c - change the limits of cgroups in use: all of them, or none.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "cgroups/internal.h"

/* Read cpu.max; false if it is "max". */
static bool read_quota(const struct cgroup *cgroup, struct oci_i64 *ret_quota,
		       struct oci_u64 *ret_period)
{
	const struct cgroup_member *v2 = member_v2(cgroup);
	char max[64], *period;
	int64_t quota;
	uint64_t usec;

	if (!v2 || member_v1_of(cgroup, "cpu.max") ||
	    file_read(v2->path, "cpu.max", max, sizeof max) <= 0)
		return false;
	period = max + strcspn(max, " ");
	if (*period)
		*period++ = '\0';
	period[strcspn(period, "\n")] = '\0';
	if (streq(max, "max") || num_i64(max, &quota) < 0 ||
	    num_u64(period, &usec) < 0)
		return false;
	*ret_quota = (struct oci_i64){ true, quota };
	*ret_period = (struct oci_u64){ true, usec };
	return true;
}

/* A period alone is half of cpu.max; take the quota from the present value. */
static void add_quota(const struct cgroup *cgroup,
		      struct oci_resources *resources)
{
	struct oci_u64 period;

	if (!resources->cpu.quota.set && resources->cpu.period.set)
		(void)read_quota(cgroup, &resources->cpu.quota, &period);
}

void cgroup_keep_quota(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       struct oci_resources *merged)
{
	if (change->cpu.quota.set || change->cpu.period.set)
		add_quota(cgroup, merged);
	else
		(void)read_quota(cgroup, &merged->cpu.quota,
				 &merged->cpu.period);
}

/* v1 itself refuses a limit that it cannot reclaim to; v2 would kill. */
int cgroup_check_usage(const struct cgroup *cgroup,
		       const struct oci_resources *change,
		       const struct oci_resources *merged)
{
	const struct oci_bool *check = &merged->memory.check_before_update;
	const struct oci_i64 *limit = &change->memory.limit;
	const struct cgroup_member *v2 = member_v2(cgroup);
	char text[32];
	int64_t usage;

	if (!check->set || !check->value || !limit->set || limit->value <= 0 ||
	    !v2 || member_v1_of(cgroup, "memory.current") ||
	    file_read(v2->path, "memory.current", text, sizeof text) <= 0 ||
	    num_i64(text, &usage) < 0 || usage <= limit->value)
		return 0;
	return fail(0,
		    "linux.resources.memory.limit: %" PRId64
		    " is less than the %" PRId64
		    " bytes in use (set a higher limit, or set "
		    "checkBeforeUpdate to false)",
		    limit->value, usage);
}

/* A controller that no limit has needed so far may not be enabled yet. */
static int enable_controllers(const struct cgroup_layout *layout,
			      const struct cgroup *cgroup, const char *wanted)
{
	struct cgroup_member *v2 = member_v2(cgroup);

	for (size_t i = 0; v2 && i < layout->n; i++)
		if (layout->items[i].v2) {
			v2->in = &layout->items[i];
			return cgroup_v2.prepare(v2, wanted);
		}
	return 0;
}

static void undo(const struct cgroup *cgroup, struct settings *v1,
		 struct settings *v2)
{
	struct err_kept why;

	/* Keep the first error, which is the one to print. */
	err_keep(&why);
	settings_undo(cgroup, v2);
	settings_undo(cgroup, v1);
	err_restore(&why);
}

int cgroup_update(struct arena *arena, const struct cgroup_layout *layout,
		  const struct cgroup *cgroup,
		  const struct oci_resources *change,
		  const struct oci_resources *merged, bool rootless)
{
	struct settings v1 = { .arena = arena }, v2 = { .arena = arena };
	struct oci_resources all = resources_complete(change, merged);
	int r;

	r = cgroup_check_usage(cgroup, change, merged);
	if (r < 0)
		return r;
	add_quota(cgroup, &all);
	cgroup_v1.settings(&all, &v1);
	cgroup_v2.settings(&all, &v2);
	r = enable_controllers(layout, cgroup,
			       settings_controllers(cgroup, &v2));
	if (r < 0)
		return r;
	r = settings_write(cgroup, &v1, false, rootless, true);
	if (r >= 0)
		r = settings_write(cgroup, &v2, true, rootless, true);
	if (r < 0)
		undo(cgroup, &v1, &v2);
	return r;
}
