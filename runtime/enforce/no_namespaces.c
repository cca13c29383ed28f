/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/no_namespaces.c - what can be held without namespaces, and what cannot. */
#include "runtime/enforce/no_namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/sys.h"
#include "base/util.h"
#include "confine/host.h"

#define ROUNDS 1000

/* Some systems let it be made and allow nothing in it. */
bool no_namespaces_needed(void)
{
	struct kernel_clone_args args = {
		.flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID,
		.exit_signal = SIGCHLD,
	};
	pid_t pid = sys_clone3(&args);
	int status;

	if (pid == 0)
		_exit(mount(NULL, "/", NULL, MS_SLAVE | MS_REC, NULL) < 0);
	if (pid < 0)
		return true;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status != 0;
}

/* More than a protection: there is nothing to go without. */
static bool cannot_be_left(struct host *host, const struct policy *policy,
			   enum policy_key key)
{
	switch (key) {
	case KEY_UID:
	case KEY_GID:
	case KEY_CHROOT:
	case KEY_MOUNT:
		return true;
	case KEY_UNIX:
		return !landlock_judges_sockets(host_landlock(host));
	/* Only in a /dev of its own some are there and others are not. */
	case KEY_GPU_DEVICES:
		return policy->gpu_devices.n;
	case KEY_NET_MODE:
		return policy->mode == POLICY_MODE_LOOPBACK;
	default:
		return false;
	}
}

static bool is_limit(enum policy_key key)
{
	static const enum policy_key limits[] = { KEY_MEMORY, KEY_CPU,
						  KEY_CPU_CORES, KEY_PROCESSES,
						  KEY_TASKS };

	for (size_t i = 0; i < COUNT(limits); i++)
		if (limits[i] == key)
			return true;
	return false;
}

/* What holds limits elsewhere is a protection of its own. */
static bool may_lose_limits(const struct policy *policy)
{
	const uint32_t cgroups = 1U << PROTECT_CGROUPS;

	return policy->allow_degraded & (1U << PROTECT_NAMESPACES | cgroups) ||
	       policy->disable & cgroups;
}

static const char *lost_by(const struct policy *policy)
{
	return policy_disables(policy, PROTECT_CGROUPS) ?
		       "config.disable" :
		       "config.allow_degraded";
}

static int refuse(const struct policy *policy, const char *keys,
		  bool may_be_lost)
{
	if (policy_disables(policy, PROTECT_NAMESPACES))
		return fail(0,
			    "config.disable: %s cannot be held without "
			    "namespaces%s",
			    keys, may_be_lost ? ": list cgroups, too" : "");
	return fail(0,
		    "user namespaces are not to be had here (sandlock check "
		    "says why), and %s cannot be held without",
		    keys);
}

int no_namespaces_check(struct arena *arena, struct host *host,
			struct policy *policy, uint32_t *ret_missing)
{
	bool may_lack = may_lose_limits(policy);
	bool only_limits = true;
	const char *keys = "";

	*ret_missing |= 1U << PROTECT_NAMESPACES & ~policy->disable;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		if (!policy->set[key])
			continue;
		if (is_limit(key) && may_lack) {
			log_warning("%s: %s is not held without namespaces",
				    lost_by(policy), policy_key_name(key));
			policy->set[key] = false;
			*ret_missing |= 1U << PROTECT_CGROUPS &
					~policy->disable;
		} else if (is_limit(key) || cannot_be_left(host, policy, key)) {
			only_limits = only_limits && is_limit(key);
			keys = arena_printf(arena, "%s%s%s", keys,
					    *keys ? ", " : "",
					    policy_key_name(key));
		}
		if (!keys)
			return -ENOMEM;
	}
	return *keys ? refuse(policy, keys, only_limits) : 0;
}

const char *const no_namespaces_calls[] = {
	"chmod",	"fchmod",    "fchmodat",     "fchmodat2",
	"chown",	"fchown",    "lchown",	     "fchownat",
	"setxattr",	"lsetxattr", "fsetxattr",    "setxattrat",
	"removexattr",	"utime",     "lremovexattr", "fremovexattr",
	"utimes",	"futimesat", "utimensat",    "removexattrat",
	"file_setattr", "mq_open",   "mq_unlink",    NULL,
};

int no_namespaces_denied_calls(struct arena *arena, struct strings *calls)
{
	const size_t more = COUNT(no_namespaces_calls) - 1;
	const char **items = arena_grow(arena, calls->items, calls->n,
					calls->n + more + 1, sizeof *items);

	if (!items)
		return -ENOMEM;
	for (size_t i = 0; i < more; i++)
		items[calls->n + i] = no_namespaces_calls[i];
	*calls = (struct strings){ items, calls->n + more };
	return 0;
}

/* As many as one read tells of; a number that it cuts off is another's. */
static bool end_some(int proc)
{
	char name[64], text[4096], *next = text;
	autoclose int fd = -1;
	bool any = false;
	ssize_t n;

	snprintf(name, sizeof name, "self/task/%d/children", getpid());
	fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		return false;
	text[n] = '\0';
	for (char *end; *next; next = end) {
		long pid = strtol(next, &end, 10);

		if (end == next || *end != ' ')
			break;
		any = true;
		(void)kill((pid_t)pid, SIGKILL);
		(void)waitpid((pid_t)pid, NULL, __WALL);
	}
	return any;
}

/* Those of a process that ends become ours: we are their subreaper. */
void no_namespaces_end_children(int proc)
{
	for (int i = 0; i < ROUNDS && end_some(proc); i++)
		;
}
