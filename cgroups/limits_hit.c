/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroups/limits_hit.c - tell which limits were reached, by counters of the
 * kernel.
 *
 * A counter also counts events of a limit higher up: a process killed, or
 * denied a fork, because of that one. So report it only if the container's own
 * limit was reached, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "cgroups/internal.h"

#define TEXT_SIZE 1024

/* Return the number after a word at the start of a line; 0 if there is none. */
static uint64_t value_of(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, word, len) == 0 && line[len] == ' ')
			return strtoull(line + len + 1, NULL, 10);
	}
	return 0;
}

static uint64_t count(const struct cgroup_member *member, const char *file,
		      const char *word)
{
	char text[TEXT_SIZE];

	if (file_read(member->path, file, text, sizeof text) < 0)
		return 0;
	return word ? value_of(text, word) : strtoull(text, NULL, 10);
}

bool cgroup_met_memory(const struct cgroup *cgroup)
{
	const struct cgroup_member *v1 = member_with(cgroup, "memory", 6);
	const struct cgroup_member *v2 = member_v2(cgroup);

	if (v1)
		return count(v1, "memory.oom_control", "oom_kill") &&
		       count(v1, "memory.failcnt", NULL);
	return v2 && count(v2, "memory.events", "oom_kill") &&
	       count(v2, "memory.events", "oom");
}

/* Older kernels have no file for the maximum number of tasks. */
static bool was_full(const struct cgroup_member *member, uint64_t limit)
{
	char text[TEXT_SIZE];

	return file_read(member->path, "pids.peak", text, sizeof text) < 0 ||
	       strtoull(text, NULL, 10) >= limit;
}

bool cgroup_met_pids(const struct cgroup *cgroup, uint64_t limit)
{
	const struct cgroup_member *member = member_with(cgroup, "pids", 4);

	if (!member)
		member = member_v2(cgroup);
	return member && count(member, "pids.events", "max") &&
	       was_full(member, limit);
}
