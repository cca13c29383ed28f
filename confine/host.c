/* SPDX-License-Identifier: Apache-2.0 */
/* confine/host.c - find facts about the host, each once. */
#include "confine/host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/caps.h"

/* True if the fact was not requested before. */
static bool is_new(struct host *host, enum host_fact fact)
{
	bool known = host->asked & fact;

	host->asked |= fact;
	return !known;
}

const struct landlock_host *host_landlock(struct host *host)
{
	if (is_new(host, HOST_LANDLOCK))
		host->landlock = landlock_probe();
	return &host->landlock;
}

int host_in_userns(struct host *host, int proc, bool *ret)
{
	if (!(host->asked & HOST_IN_USERNS)) {
		int r = proc_in_userns(proc, &host->in_userns);

		if (r < 0)
			return r;
		host->asked |= HOST_IN_USERNS;
	}
	*ret = host->in_userns;
	return 0;
}

bool host_may_mount(struct host *host)
{
	struct caps own;

	if (is_new(host, HOST_MAY_MOUNT))
		host->may_mount = caps_own(&own) == 0 &&
				  own.effective & CAPS_BIT(CAP_SYS_ADMIN);
	return host->may_mount;
}

/* ---- traces of container engines ---- */

static ssize_t read_some(const char *path, char *ret, size_t size)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, size - 1);

	ret[n < 0 ? 0 : n] = '\0';
	return n;
}

/* systemd and engines set container=NAME for the first process. */
static int told_to_init(struct arena *arena, const char **ret)
{
	char env[65536];
	ssize_t n = read_some("/proc/1/environ", env, sizeof env);

	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(env + at) + 1)
		if (starts_with(env + at, "container=")) {
			*ret = arena_printf(arena,
					    "%s in the environment of process 1",
					    env + at);
			return *ret ? 0 : -ENOMEM;
		}
	return 0;
}

static int find_mark(struct arena *arena, struct host *host, const char **ret)
{
	static const char *const marks[] = { "/run/.containerenv",
					     "/.dockerenv" };
	bool in_userns;
	int r;

	*ret = NULL;
	for (size_t i = 0; i < COUNT(marks); i++)
		if (access(marks[i], F_OK) == 0) {
			*ret = marks[i];
			return 0;
		}
	r = told_to_init(arena, ret);
	if (r < 0 || *ret)
		return r;
	r = host_in_userns(host, -1, &in_userns);
	if (r >= 0 && in_userns)
		*ret = "a user namespace other than the initial one";
	return r;
}

int host_container(struct arena *arena, struct host *host, const char **ret)
{
	if (!(host->asked & HOST_CONTAINER)) {
		int r = find_mark(arena, host, &host->container);

		if (r < 0)
			return r;
		host->asked |= HOST_CONTAINER;
	}
	*ret = host->container;
	return 0;
}
