/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/verify.c - check that a restored container is confined as
 * config.json says.
 */
#include "runtime/checkpoint/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "confine/caps.h"
#include "runtime/container/create.h"

#define STATUS_MAX 65536
#define SECCOMP_FILTERS 2

static int read_inodes(int proc, const char *process,
		       uint64_t ret[OCI_NAMESPACES])
{
	for (int i = 0; i < OCI_NAMESPACES; i++) {
		char name[64];
		struct stat st = { 0 };

		snprintf(name, sizeof name, "%s/ns/%s", process,
			 oci_ns_kinds[i].proc);
		if (fstatat(proc, name, &st, 0) < 0 &&
		    !(errno == ENOENT && i == OCI_NS_TIME))
			return fail(errno,
				    "inspect /proc/%s to compare the "
				    "namespaces",
				    name);
		ret[i] = st.st_ino;
	}
	return 0;
}

int verify_inodes(int proc, pid_t pid, uint64_t ret[OCI_NAMESPACES])
{
	char process[16];

	snprintf(process, sizeof process, "%d", pid);
	return read_inodes(proc, process, ret);
}

/* A namespace that config.json lists must not be the runtime's; others must. */
static int check_namespaces(const struct creation *c, pid_t pid, bool is_init)
{
	const struct prepared *p = c->prepared;
	uint64_t own[OCI_NAMESPACES], its[OCI_NAMESPACES];
	int r;

	r = read_inodes(p->proc, "self", own);
	if (r >= 0)
		r = verify_inodes(p->proc, pid, its);
	if (r < 0)
		return r;
	for (int i = 0; i < OCI_NAMESPACES; i++) {
		const struct oci_namespace *ns = &p->spec.linux_.namespaces[i];
		int joined = p->join.fds[i];
		struct stat st;

		if (ns->listed && joined < 0 && its[i] == own[i])
			return fail(0,
				    "the restored process shares the host's %s "
				    "namespace, but config.json lists its own",
				    oci_ns_kinds[i].type);
		if (!is_init || (ns->listed && joined < 0))
			continue;
		/* criu makes a time namespace, so that clocks continue. */
		if (i == OCI_NS_TIME && joined < 0)
			continue;
		if (joined >= 0 && fstat(joined, &st) < 0)
			return fail(errno,
				    "inspect the %s namespace that config.json "
				    "names",
				    oci_ns_kinds[i].type);
		if (its[i] != (joined >= 0 ? st.st_ino : own[i]))
			return fail(0,
				    "the restored process is not in the %s "
				    "namespace that config.json names",
				    oci_ns_kinds[i].type);
	}
	return 0;
}

static uint64_t number_in(const char *status, const char *key, int base)
{
	const char *line = strstr(status, key);

	return line ? strtoull(line + strlen(key), NULL, base) : 0;
}

static int check_sets(struct arena *arena, const struct oci_process *process,
		      const char *status)
{
	static const char *const sets[] = { "\nCapInh:\t", "\nCapPrm:\t",
					    "\nCapEff:\t", "\nCapBnd:\t",
					    "\nCapAmb:\t" };
	struct caps most;
	int r = caps_read(arena, process->capabilities, &most);

	if (r < 0)
		return r;
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
		if (number_in(status, sets[i], 16) & ~most.bounding)
			return fail(0, "the restored process has capabilities "
				       "that are not in process.capabilities");
	if (process->no_new_privileges &&
	    number_in(status, "\nNoNewPrivs:\t", 10) != 1)
		return fail(0,
			    "the restored process does not have no_new_privs");
	return 0;
}

/* `exec` may relax some settings, so check those only for the first process. */
static int check_process(const struct creation *c, pid_t pid, bool is_init)
{
	const struct prepared *p = c->prepared;
	char name[64], *status;
	int r;

	snprintf(name, sizeof name, "%d/status", pid);

	autoclose int fd = proc_open_at(p->proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno,
			    "open /proc/%s to check the restored process",
			    name);
	r = io_read_all(p->arena, fd, STATUS_MAX, &status, NULL);
	if (r < 0)
		return fail_in(r, "/proc/%s", name);
	if (p->spec.linux_.seccomp &&
	    number_in(status, "\nSeccomp:\t", 10) != SECCOMP_FILTERS)
		return fail(0, "the restored process has no seccomp filter");
	if (is_init) {
		r = check_sets(p->arena, p->spec.process, status);
		if (r < 0)
			return r;
	}
	return check_namespaces(c, pid, is_init);
}

static int check_all(const struct creation *c)
{
	pid_t *pids = NULL;
	size_t n = 0;
	bool seen = false;
	int r;

	if (!c->container.record.own_cgroup)
		return check_process(c, c->launch.pid, /* is_init= */ true);
	r = cgroup_pids(c->prepared->arena, &c->cgroup, &pids, &n);
	for (size_t i = 0; r >= 0 && i < n; i++) {
		bool is_init = pids[i] == c->launch.pid;

		seen |= is_init;
		/* criu itself is in the cgroup, too. */
		if (pids[i] != c->restorer)
			r = check_process(c, pids[i], is_init);
	}
	if (r >= 0 && !seen)
		return fail(0, "the restored process is not in the container's "
			       "cgroup");
	return r;
}

int verify_restored(const struct creation *c)
{
	int r = check_all(c);

	return r < 0 ? fail_in(r, "the restored process does not match "
				  "config.json") :
		       0;
}
