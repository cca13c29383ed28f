/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/enter.c - start a process in the namespaces and the
 * confinement of a container.
 */
#include "runtime/container/enter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "cgroups/rdt.h"
#include "control/client.h"
#include "runtime/container/systemd.h"
#include "runtime/enforce/files.h"
#include "runtime/launch/inherited.h"
#include "runtime/launch/stops.h"

void enter_close(struct enter *enter)
{
	launch_close(&enter->launch);
	cgroup_close(&enter->cgroup);
	join_close(&enter->join);
	closep(&enter->ruleset);
	closep(&enter->root);
	closep(&enter->proc);
}

/* A namespace that is not joined is our own: it must be the recorded one. */
static bool is_on_record(const struct enter *e, uint64_t inode, int ns)
{
	/* Init may have made another mount namespace for itself. */
	return e->join.inodes[ns] == inode ||
	       (e->join.fds[ns] >= 0 && ns == OCI_NS_MOUNT);
}

/*
 * Check that the descriptors belong to the recorded process: it lived when
 * pidfd was made, and its namespaces are those in the record.
 */
static int check_identity(const struct enter *e,
			  const struct container *container)
{
	const struct oci_record *record = &container->record;
	autoclose int pidfd = container_pidfd(container);

	if (pidfd < 0)
		return pidfd;
	for (int i = 0; i < OCI_NAMESPACES; i++)
		if (record->ns_inodes[i] &&
		    !is_on_record(e, record->ns_inodes[i], i))
			return fail(0,
				    "%s: process %d no longer belongs to the "
				    "container",
				    container->id, record->pid);
	return 0;
}

static int open_container(struct enter *e, const struct container *container)
{
	pid_t pid = container->record.pid;
	char name[64];
	int r;

	r = join_of_process(e->proc, pid, &e->join);
	if (r < 0)
		return r;
	snprintf(name, sizeof name, "%d/root", pid);
	e->root = openat(e->proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (e->root < 0)
		return fail(errno,
			    "open the root directory of the container's "
			    "process, /proc/%s",
			    name);
	return check_identity(e, container);
}

static int open_cgroups(struct enter *e, const struct container *container,
			const char *sub)
{
	int r = cgroup_from_record(e->arena, &container->record, &e->cgroup);

	if (r < 0)
		return r;
	r = cgroup_open_join(e->arena, &e->cgroup, sub);
	if (r < 0 || sub)
		return r;
	return cgroup_follow(e->arena, &e->cgroup, container->record.pid);
}

/* A user may not move processes out of the cgroup of a login; systemd may. */
static int attach(struct launch *launch)
{
	struct enter *e = launch->owner;
	const char *sub;
	int r = cgroup_sub(e->arena, &e->cgroup, &sub);

	return r < 0 ? r :
		       systemd_attach(e->arena, launch->record, sub,
				      launch->pid);
}

static int gather(struct enter *e, const struct session *session,
		  struct container *container,
		  const struct enter_options *options)
{
	int r;

	/* The container's is ours, too, and verified. */
	e->proc = container->proc >= 0 ?
			  fcntl(container->proc, F_DUPFD_CLOEXEC, 3) :
			  proc_open();
	if (e->proc < 0)
		return container->proc >= 0 ? fail(errno, "open /proc again") :
					      e->proc;
	if (options->spec)
		e->spec = *options->spec;
	else if ((r = container_spec(e->arena, container, &e->spec)) < 0)
		return r;
	r = container_enforcement(e->arena, container, &e->enforcement);
	if (r < 0)
		return r;
	e->process = *options->process;
	r = enforce_process(e->arena, &e->enforcement, options->env,
			    &e->process);
	/* Records do not tell whether the policy restricts the network. */
	if (r == 0 && e->enforcement.kind != ENFORCE_NOTHING)
		r = inherited_check(&(struct inherited){
			.stdio = !e->process.terminal,
			.preserved = options->preserve_fds,
		});
	if (r < 0)
		return r;
	r = facts_gather(e->proc, session->host, session->rootless, &e->facts);
	if (r < 0)
		return r;
	r = open_container(e, container);
	if (r < 0)
		return r;
	r = open_cgroups(e, container, options->sub_cgroup);
	if (r < 0)
		return r;
	if (!e->spec.linux_.seccomp)
		return 0;
	return confine_seccomp(e->arena, e->spec.linux_.seccomp, &e->filter);
}

static void fill_input(struct enter *e, const struct container *container,
		       const struct enter_options *options)
{
	e->in = (struct make_input){
		.arena = e->arena,
		.facts = &e->facts,
		.spec = &e->spec,
		.process = &e->process,
		.cgroup = &e->cgroup,
		.join = &e->join,
		.enforcement = &e->enforcement,
		.filter = e->spec.linux_.seccomp ? &e->filter : NULL,
		.settings = {
			.program = options->program,
			.only_env = options->only_env,
			.id = container->id,
			.bundle = container->record.bundle,
			.rootfs = container->record.rootfs,
			.unplaced = container->record.systemd_user,
			.no_new_namespaces = true,
			.has_console = e->process.terminal,
			.preserve_fds = options->preserve_fds,
			.dies_with_parent = options->dies_with_us,
		},
	};
}

/* Join the resctrl group of the container's first process. */
static int join_rdt(const struct enter *e, const struct container *container)
{
	const struct oci_intel_rdt *asked = e->spec.linux_.intel_rdt;
	struct rdt rdt;
	int r;

	if (!asked)
		return 0;
	r = rdt_find(e->arena, e->proc, asked, container->id, &rdt);
	if (r < 0)
		return r;
	return rdt_join(&rdt, e->launch.pid);
}

/* The root exists already, so no stop is needed for the ruleset. */
static int hold_files(struct enter *e, const struct container *container)
{
	const struct enforce_files files = {
		.arena = e->arena,
		.enforcement = &e->enforcement,
		.process = &e->process,
		.proc = e->proc,
		.root = e->root,
		.userns = e->join.fds[OCI_NS_USER],
		.mntns = -1,
		.state = container->dir,
		.has_console = e->in.settings.has_console,
	};

	if (!e->enforcement.process.landlock.needed)
		return 0;
	e->ruleset = enforce_files_open(&files);
	if (e->ruleset < 0)
		return e->ruleset;
	return 0;
}

int enter_listen(struct launch *launch, int listener)
{
	const struct container *container = launch->listens;
	AUTO(control_disconnect) struct control_link link = CONTROL_LINK_NONE;
	int r = control_connect(launch->arena, container->dir, &link);

	if (r >= 0)
		r = control_give(launch->arena, &link, "listener", listener);
	return r < 0 ? fail_in(r,
			       "pass the seccomp listener of the process to "
			       "the supervisor of container %s",
			       container->id) :
		       0;
}

int enter_prepare(struct enter *e, const struct session *session,
		  struct container *container,
		  const struct enter_options *options)
{
	struct launch *l = &e->launch;
	int r;

	e->arena = session->arena;
	r = gather(e, session, container, options);
	if (r < 0)
		return r;
	fill_input(e, container, options);
	r = make_exec(&e->in, &e->plan);
	if (r < 0)
		return r;
	r = hold_files(e, container);
	if (r < 0)
		return r;
	plan_arm(&e->plan, &(struct plan_descriptors){
				   .join = &e->join,
				   .cgroup = &e->cgroup,
				   .gate = -1,
				   .root = e->root,
				   .ruleset = e->ruleset,
			   });
	l->arena = e->arena;
	l->spec = &e->spec;
	l->in = &e->in;
	l->plan = &e->plan;
	l->proc = e->proc;
	l->record = &container->record;
	l->agent_status = OCI_RUNNING;
	l->place = attach;
	l->listen = enter_listen;
	l->listens = container;
	l->owner = e;
	l->program = options->program ? options->program :
					options->process->args.items[0];
	r = launch_start(l);
	if (r < 0)
		return r;
	r = launch_until(l, WORD_CREATED);
	if (r < 0)
		return r;
	r = join_rdt(e, container);
	if (r < 0)
		return r;
	r = process_oom_score(l);
	if (r < 0)
		return r;
	return process_rlimits(l);
}

int enter_finish(struct enter *e)
{
	int r = launch_go(&e->launch);

	if (r < 0)
		return r;
	return launch_until(&e->launch, WORD_EXEC);
}
