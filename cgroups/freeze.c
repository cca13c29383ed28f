/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/freeze.c - freeze or thaw all processes of a container. */
#include <errno.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define FREEZE_MS 10000

/* Return the member whose freezer has all processes; NULL if there is none. */
static const struct cgroup_member *freezer_of(const struct cgroup *cgroup)
{
	const struct cgroup_member *v1 = member_with(cgroup, "freezer", 7);

	return v1 ? v1 : member_v2(cgroup);
}

/*
 * v1 reports FREEZING for a while; v2 is frozen when cgroup.events says so.
 * Return 1 if done, 0 if not yet.
 */
static int has_settled(const struct cgroup_member *member, bool on)
{
	const char *file = member->v2 ? "cgroup.events" : "freezer.state";
	char text[256];
	ssize_t n = file_read(member->path, file, text, sizeof text);

	if (n == -EINTR)
		return 0;
	if (n < 0)
		return fail((int)-n, "read %s/%s", member->path, file);
	if (!member->v2)
		return streq(text, on ? "FROZEN" : "THAWED");
	return strstr(text, on ? "frozen 1" : "frozen 0") != NULL;
}

int cgroup_freeze(const struct cgroup *cgroup, bool on)
{
	const struct cgroup_member *member = freezer_of(cgroup);
	int64_t deadline = now_ms() + FREEZE_MS;
	struct err_kept why;
	int r;

	if (!member)
		return fail(EOPNOTSUPP,
			    "the container has no cgroup with a freezer, "
			    "which pause and resume need");
	for (unsigned int attempt = 0;; attempt++) {
		/*
		 * Repeat the write: on v1 a fork in between prevents
		 * completion.
		 */
		r = backend_of(member)->freeze(member, on);
		if (r >= 0)
			r = has_settled(member, on);
		if (r < 0)
			break;
		if (r > 0)
			return 0;
		if (!wait_a_little(attempt, deadline))
			break;
	}
	err_keep(&why);
	if (on)
		(void)backend_of(member)->freeze(member, false);
	if (r < 0) {
		err_restore(&why);
		return r;
	}
	return fail(EBUSY, "cgroup %s: %s", member->path,
		    on ? "some processes cannot be frozen" :
			 "still frozen by a parent cgroup");
}
