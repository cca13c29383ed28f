/* SPDX-License-Identifier: Apache-2.0 */
/* confine/nested.c - the traces that engines leave in their containers. */
#include "confine/nested.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/util.h"
#include "policy/policy.h"

#define WHOLE_RANGE 4294967295U

static ssize_t read_some(const char *path, char *ret, size_t size)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	ret[n < 0 ? 0 : n] = '\0';
	return n;
}

/* systemd and engines tell it to the first process: container=NAME. */
static int told_to_init(struct arena *arena, const char **ret)
{
	char env[65536];
	ssize_t n = read_some("/proc/1/environ", env, sizeof env);

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(env + at) + 1)
		if (starts_with(env + at, "container=")) {
			*ret = arena_printf(arena, "%s of process 1", env + at);
			return *ret ? 0 : -ENOMEM;
		}
	return 0;
}

static bool has_some_ids_only(void)
{
	unsigned int inside, outside, size;
	char line[128];

	return read_some("/proc/self/uid_map", line, sizeof line) > 0 &&
	       sscanf(line, "%u %u %u", &inside, &outside, &size) == 3 &&
	       (inside != 0 || outside != 0 || size != WHOLE_RANGE);
}

int nested_container(struct arena *arena, const char **ret)
{
	static const char *const marks[] = { "/run/.containerenv",
					     "/.dockerenv" };

	int r = 0;

	*ret = NULL;
	for (size_t i = 0; i < COUNT(marks) && !*ret; i++)
		if (access(marks[i], F_OK) == 0)
			*ret = marks[i];
	if (!*ret)
		r = told_to_init(arena, ret);
	if (r == 0 && !*ret && has_some_ids_only())
		*ret = "a user namespace that is not the first one";
	return r;
}

int nested_weaken(struct arena *arena, struct policy *policy)
{
	const uint32_t weaker = 1U << PROTECT_NAMESPACES |
				1U << PROTECT_CGROUPS;
	const char *mark;
	int r;

	if (!policy->weaker_nested)
		return 0;
	r = nested_container(arena, &mark);
	if (r < 0 || !mark)
		return r;
	if (!policy->set[KEY_ALLOW_DEGRADED])
		policy->origin[KEY_ALLOW_DEGRADED] =
			policy->origin[KEY_WEAKER_NESTED];
	policy->set[KEY_ALLOW_DEGRADED] = true;
	policy->allow_degraded |= weaker & ~policy->disable;
	return 0;
}
