/* SPDX-License-Identifier: Apache-2.0 */
/* cgroups/full.c - find the cgroup whose pids.max prevents a fork. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "cgroups/internal.h"

#define NUMBER_SIZE 32

static bool is_full(const char *dir)
{
	char max[NUMBER_SIZE], now[NUMBER_SIZE];

	if (file_read(dir, "pids.max", max, sizeof max) < 0 ||
	    file_read(dir, "pids.current", now, sizeof now) < 0)
		return false;
	return !streq(max, "max") &&
	       strtoull(now, NULL, 10) >= strtoull(max, NULL, 10);
}

/* Search from the caller's own cgroup up to the mount. */
static const char *full_in(struct arena *arena,
			   const struct cgroup_hierarchy *h)
{
	char *dir = arena_printf(arena, "%s%s", h->mount,
				 streq(h->own, "/") ? "" : h->own);

	while (dir && !is_full(dir)) {
		char *slash = strrchr(dir + strlen(h->mount), '/');

		if (!slash)
			return NULL;
		*slash = '\0';
	}
	return dir;
}

const char *cgroup_full_of_tasks(struct arena *arena,
				 const struct cgroup_layout *layout)
{
	const char *full = NULL;

	for (size_t i = 0; !full && i < layout->n; i++)
		if (layout->items[i].v2 ||
		    list_has(layout->items[i].controllers, "pids"))
			full = full_in(arena, &layout->items[i]);
	return full;
}
