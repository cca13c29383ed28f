/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/kill.c - find the processes to signal, and verify them. */
#include "runtime/container/kill.h"

#include <errno.h>
#include <signal.h>

#include "base/auto.h"
#include "base/err.h"
#include "base/sys.h"
#include "oci/oci.h"

int kill_parse(const char *text)
{
	int sig = oci_signal(*text == '-' ? text + 1 : text);

	if (sig < 0)
		return fail(0,
			    "unknown signal \"%s\" (give a number, or a name "
			    "such as TERM)",
			    text);
	return sig;
}

static int signal_init(const struct container *c, int sig)
{
	autoclose int pidfd = container_pidfd(c);

	if (pidfd < 0)
		return pidfd;
	if (sys_pidfd_send_signal(pidfd, sig) == 0)
		return 0;
	if (errno != ESRCH)
		return fail(errno,
			    "%s: send signal %d to the container's process %d",
			    c->id, sig, c->record.pid);
	fail(0, "%s: container not running", c->id);
	return -ESRCH;
}

/*
 * Without a pid namespace, the end of init ends no other process. If
 * config.json cannot be read, killing the whole cgroup is right, too.
 */
static bool init_takes_all(struct arena *arena, const struct container *c)
{
	const struct oci_namespace *pid;
	struct oci_spec spec;

	if (container_spec(arena, c, &spec) < 0)
		return false;
	pid = &spec.linux_.namespaces[OCI_NS_PID];
	return pid->listed && !pid->path;
}

/* A process frozen by cgroup v1 cannot even be killed, so thaw them all. */
static bool needs_all(struct arena *arena, const struct container *c, int sig)
{
	return sig == SIGKILL &&
	       (cgroup_frozen(&c->record, NULL) || !init_takes_all(arena, c));
}

/* 0 if the cgroup does not exist, or the record is of another boot. */
static int has_processes(struct arena *arena, const struct container *c,
			 const struct cgroup *cgroup)
{
	pid_t *pids;
	size_t n = 0;
	int r = cgroup->n > 0 ? container_this_boot(c) : 0;

	if (r <= 0)
		return r;
	r = cgroup_pids(arena, cgroup, &pids, &n);
	return r < 0 ? r : n > 0;
}

int kill_signal(struct arena *arena, const struct container *c, int sig,
		bool all)
{
	AUTO(cgroup_close) struct cgroup cgroup = { 0 };
	int r = cgroup_from_record(arena, &c->record, &cgroup);

	if (r < 0)
		return r;
	if (all || needs_all(arena, c, sig)) {
		r = has_processes(arena, c, &cgroup);
		if (r < 0)
			return r;
		if (r > 0)
			return cgroup_signal(arena, &cgroup, sig);
	}
	return signal_init(c, sig);
}
