/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/facts.c - ask the kernel about this process and this host. */
#include "runtime/plan/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "confine/caps.h"
#include "confine/host.h"

static bool apparmor_enabled(void)
{
	autoclose int fd = open("/sys/module/apparmor/parameters/enabled",
				O_RDONLY | O_CLOEXEC);
	char word = 0;

	return fd >= 0 && read(fd, &word, 1) == 1 && word == 'Y';
}

int facts_gather(int proc, struct host *host, int rootless, struct facts *ret)
{
	struct facts facts = { .euid = geteuid(), .egid = getegid() };
	struct caps own;
	struct stat st;
	int r;

	r = host_in_userns(host, proc, &facts.in_userns);
	if (r < 0)
		return r;
	r = caps_own(&own);
	if (r < 0)
		return r;
	facts.caps = own.permitted;
	if (fstatat(proc, "self/exe", &st, 0) < 0)
		return fail(errno,
			    "inspect the runtime's own binary (/proc/self/exe)");
	facts.own_dev = st.st_dev;
	facts.own_ino = st.st_ino;
	facts.rootless = rootless >= 0 ? rootless > 0 :
					 facts.euid != 0 || facts.in_userns;
	facts.apparmor = apparmor_enabled();
	facts.selinux = access("/sys/fs/selinux/enforce", F_OK) == 0;
	*ret = facts;
	return 0;
}

int facts_cgroups(struct arena *arena, int proc, struct facts *facts)
{
	return cgroup_probe(arena, proc, &facts->cgroups);
}
