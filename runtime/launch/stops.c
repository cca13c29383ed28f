/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/stops.c - run hooks, move interfaces and set limits while a
 * child waits.
 */
#include "runtime/launch/stops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/proc.h"
#include "hooks/hooks.h"
#include "network/network.h"
#include "runtime/launch/launch.h"
#include "runtime/plan/join.h"

static int move_interfaces(struct launch *launch)
{
	const struct oci_linux *l = &launch->spec->linux_;
	autoclose int netns = -1;
	char name[64];

	if (!l->nnet_devices)
		return 0;
	snprintf(name, sizeof name, "%d/ns/net", launch->pid);
	netns = openat(launch->proc, name, O_RDONLY | O_CLOEXEC);
	if (netns < 0)
		return fail(errno,
			    "open the container's network namespace /proc/%s",
			    name);
	return network_move_devices(l->net_devices, l->nnet_devices, netns);
}

int process_inner_pid(struct arena *arena, int proc, pid_t pid, pid_t *ret)
{
	char name[64], *text, *line, *space;

	snprintf(name, sizeof name, "%d/status", pid);

	autoclose int fd = proc_open_at(proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno,
			    "open /proc/%s to find the process ID inside the "
			    "container",
			    name);
	if (io_read_all(arena, fd, 65536, &text, NULL) < 0)
		return fail_in(-EIO, "/proc/%s", name);
	line = strstr(text, "\nNSpid:");
	if (!line)
		return fail(EINVAL,
			    "find the process ID inside the container: "
			    "/proc/%s has no line NSpid",
			    name);
	line[1 + strcspn(line + 1, "\n")] = '\0';
	space = strrchr(line, '\t');
	*ret = space ? atoi(space + 1) : pid;
	return 0;
}

static int run_hooks(struct launch *launch, enum hook_point point,
		     const struct hooks_place *place, pid_t pid)
{
	const char *json;
	int r;

	r = oci_state_for_hook(launch->arena, launch->record, OCI_CREATING, pid,
			       &json);
	if (r < 0)
		return r;
	return hooks_run(&launch->spec->hooks, point, place, json);
}

static int run_inside(struct launch *launch)
{
	AUTO(join_close) struct join join = JOIN_NONE;
	int fds[OCI_NAMESPACES], flags[OCI_NAMESPACES];
	struct hooks_place place = {
		.namespaces = fds,
		.ns_flags = flags,
		.cwd = launch->in->settings.rootfs,
	};
	pid_t pid;
	int r;

	if (!launch->spec->hooks.at[HOOK_CREATE_CONTAINER].n)
		return 0;
	r = join_of_process(launch->proc, launch->pid, &join);
	if (r < 0)
		return r;
	r = process_inner_pid(launch->arena, launch->proc, launch->pid, &pid);
	if (r < 0)
		return r;
	place.n = join_in_order(&join, fds, flags);
	return run_hooks(launch, HOOK_CREATE_CONTAINER, &place, pid);
}

int stops_answer_mounted(struct launch *launch)
{
	struct hooks_place here = {
		.cwd = launch->in->settings.bundle,
	};
	int r;

	r = move_interfaces(launch);
	if (r < 0)
		return r;
	if (launch->before_hooks) {
		r = launch->before_hooks(launch);
		if (r < 0)
			return r;
	}
	r = run_hooks(launch, HOOK_PRESTART, &here, launch->pid);
	if (r < 0)
		return r;
	r = run_hooks(launch, HOOK_CREATE_RUNTIME, &here, launch->pid);
	if (r < 0)
		return r;
	r = run_inside(launch);
	if (r < 0)
		return r;
	return launch_go(launch);
}

int process_oom_score(const struct launch *launch)
{
	const struct oci_i64 *score = &launch->in->process->oom_score_adj;
	char name[64], text[32];
	int n;

	if (!score->set)
		return 0;
	snprintf(name, sizeof name, "%d/oom_score_adj", launch->pid);
	n = snprintf(text, sizeof text, "%lld", (long long)score->value);

	autoclose int fd = proc_open_at(launch->proc, name, O_WRONLY);

	if (fd >= 0 && write(fd, text, (size_t)n) == n)
		return 0;
	if (launch->in->facts->rootless &&
	    (errno == EACCES || errno == EPERM)) {
		log_warning("process.oomScoreAdj: setting %s is not permitted",
			    text);
		return 0;
	}
	return fail(errno, "process.oomScoreAdj: write %s to oom_score_adj",
		    text);
}

int process_rlimits(const struct launch *launch)
{
	const struct oci_process *p = launch->in->process;

	if (!make_has_userns(launch->in))
		return 0;
	for (size_t i = 0; i < p->nrlimits; i++) {
		struct rlimit value;

		if (!make_early_limit(&p->rlimits[i], &value))
			continue;
		if (prlimit(launch->pid, p->rlimits[i].type, &value, NULL) < 0)
			return fail(errno,
				    "process.rlimits[%zu]: set soft %llu, "
				    "hard %llu",
				    i, (unsigned long long)p->rlimits[i].soft,
				    (unsigned long long)p->rlimits[i].hard);
	}
	return 0;
}
