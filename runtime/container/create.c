/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/container/create.c - perform the effects of a creation in order;
 * leaving the scope undoes them until the container is kept.
 */
#include "runtime/container/create.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/date.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/pid_file.h"
#include "base/proc.h"
#include "base/util.h"
#include "hooks/hooks.h"
#include "network/bundle.h"
#include "network/network.h"
#include "runtime/container/start.h"
#include "runtime/container/systemd.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/saved.h"
#include "runtime/launch/console.h"
#include "runtime/launch/sd_notify.h"
#include "runtime/launch/stops.h"

#define REMOVE_MS 10000

static const char *now_text(struct arena *arena)
{
	struct timespec now;
	char day[DATE_SIZE];

	clock_gettime(CLOCK_REALTIME, &now);
	date_text(now.tv_sec, day);
	return arena_printf(arena, "%s.%09ldZ", day, now.tv_nsec);
}

static int write_record(struct creation *c)
{
	struct arena *arena = c->prepared->arena;
	int r = cgroup_to_record(arena, &c->cgroup, &c->container.record);

	return r < 0 ? r : state_dir_save(arena, &c->container);
}

/* Write the record before the first effect; it names all effects to come. */
static int write_intent(struct creation *c)
{
	const struct prepared *p = c->prepared;
	struct oci_record *record = &c->container.record;
	char state;
	int r;

	*record = (struct oci_record){
		.version = p->spec.version,
		.id = p->settings.id,
		.bundle = p->settings.bundle,
		.rootfs = p->settings.rootfs,
		.created = now_text(p->arena),
		.owner = p->facts.euid,
		.maker = getpid(),
		.annotations = p->spec.annotations,
		.sandbox = p->settings.dies_with_parent,
		.enforced = p->enforcement.kind != ENFORCE_NOTHING,
		.own_cgroup = c->cgroup.n > 0,
		.systemd_scope = p->unit.name,
		.systemd_user = p->unit.name && p->facts.rootless,
		.rdt_group = p->rdt.own_group ? p->rdt.group : NULL,
		.rdt_monitor = p->rdt.monitor,
	};
	r = state_dir_boot_id(p->arena, p->proc, &record->boot_id);
	if (r < 0)
		return r;
	c->container.of_this_boot = true;
	/* `delete --force` may kill this process if it gets stuck. */
	r = proc_stat(p->proc, record->maker, &record->maker_start, &state);
	if (r < 0)
		return r;
	r = create_record_supervisor(c);
	return r < 0 ? r : write_record(c);
}

static int open_gate(struct creation *c)
{
	struct sockaddr_un addr;

	if (!c->prepared->settings.has_gate)
		return 0;
	c->gate = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (c->gate < 0)
		return fail(errno,
			    "create the socket on which the container waits "
			    "for start");
	container_gate(&c->container, &addr);
	if (bind(c->gate, (struct sockaddr *)&addr, sizeof addr) < 0 ||
	    listen(c->gate, SOMAXCONN) < 0)
		return fail(errno,
			    "bind the socket on which the container waits "
			    "for start");
	return 0;
}

/* Apply device rules after the child has made its nodes, before hooks run. */
int create_apply_devices(struct creation *c)
{
	const struct prepared *p = c->prepared;

	if (c->devices_done || !create_has_device_rules(p))
		return 0;
	c->devices_done = true;
	return cgroup_apply_devices(&c->cgroup, &c->resources,
				    p->facts.rootless);
}

static int before_hooks(struct launch *launch)
{
	struct creation *c = launch->owner;
	int r = create_apply_devices(c);

	if (r < 0)
		return r;
	c->container.record.hooks_begun = true;
	return state_dir_save(c->prepared->arena, &c->container);
}

static bool is_own(const struct prepared *p, enum oci_ns ns)
{
	const struct oci_namespace *n = &p->spec.linux_.namespaces[ns];

	return n->listed && !n->path;
}

/* A sandbox needs no cgroup: all its processes die with its first one. */
static void warn_of_missing_cgroups(const struct creation *c, size_t wanted)
{
	const struct prepared *p = c->prepared;
	const char *path = p->spec.linux_.cgroups_path;

	if (!p->facts.rootless || p->enforcement.kind >= ENFORCE_SANDBOX)
		return;
	if (is_set(path) && c->cgroup.n < wanted)
		log_notice("linux.cgroupsPath: '%s' is ignored in %zu of %zu "
			   "hierarchies: permission denied (have a cgroup "
			   "delegated, or remove cgroupsPath)",
			   path, wanted - c->cgroup.n, wanted);
	if (c->cgroup.n == 0 && !is_own(p, OCI_NS_PID))
		log_notice("rootless container without a cgroup and without "
			   "its own pid namespace: not all of its processes "
			   "can be killed (add a pid namespace)");
}

static int make_cgroups(struct creation *c)
{
	const struct prepared *p = c->prepared;
	struct oci_resources *resources = &c->resources;
	size_t wanted = c->cgroup.n;
	int r = cgroup_create(p->arena, &p->facts.cgroups, &c->cgroup,
			      resources, p->facts.rootless);

	if (r == -ENOENT && c->cgroup.alone) {
		/* Parents are missing: name them in the record, too. */
		err_clear();
		c->cgroup.alone = false;
		r = write_record(c);
		if (r < 0)
			return r;
		r = cgroup_create(p->arena, &p->facts.cgroups, &c->cgroup,
				  resources, p->facts.rootless);
	}
	if (r < 0 && enforce_may_lose_limits(&p->enforcement)) {
		enforce_lose_limits(&p->enforcement, resources);
		r = cgroup_create(p->arena, &p->facts.cgroups, &c->cgroup,
				  resources, p->facts.rootless);
	}
	if (r < 0)
		return enforce_limit_error(p->arena, &p->enforcement, resources,
					   r);
	warn_of_missing_cgroups(c, wanted);
	if (p->spec.linux_.intel_rdt) {
		r = rdt_make(&p->rdt, p->spec.linux_.intel_rdt);
		if (r < 0)
			return r;
	}
	return create_delegate_cgroup(c);
}

int create_make_cgroups(struct creation *c)
{
	int r = make_cgroups(c);

	/* Record only the cgroups that were made. */
	return r < 0 ? r :
		       cgroup_to_record(c->prepared->arena, &c->cgroup,
					&c->container.record);
}

int create_settle(struct creation *c)
{
	const struct prepared *p = c->prepared;
	int r = p->settings.unplaced ? 0 :
				       cgroup_to_record(p->arena, &c->cgroup,
							&c->container.record);

	if (r == 0)
		r = io_replace_at(c->container.dir, "config.json", p->spec.json,
				  p->spec.json_len, 0600);
	return r < 0 ? r :
		       enforce_save(p->arena, &p->enforcement,
				    c->container.dir);
}

/* systemd makes no scope without a process, so the child exists and waits. */
static int place_child(struct launch *launch)
{
	struct creation *c = launch->owner;
	int r = create_start_unit(c, launch->pid);

	if (r >= 0)
		r = create_make_cgroups(c);
	return r < 0 ? r : cgroup_enter(&c->cgroup, launch->pid);
}

/* True if a process waits until the container ends. */
static bool stays(const struct prepared *p)
{
	return p->settings.supervised ||
	       (!p->settings.has_gate && !p->options->detach);
}

static int rooted(struct launch *launch, int root, int *ret_ruleset)
{
	struct creation *c = launch->owner;
	const struct prepared *p = c->prepared;
	autoclose int mntns = -1;
	struct enforce_files files = {
		.arena = p->arena,
		.enforcement = &p->enforcement,
		.process = p->spec.process,
		.spec = &p->spec,
		.rootfs = p->settings.rootfs,
		.proc = p->proc,
		.root = root,
		.userns = launch->userns >= 0 ? launch->userns :
						p->join.fds[OCI_NS_USER],
		.mntns = -1,
		.pid = launch->pid,
		.state = c->container.dir,
		.own_pids = is_own(p, OCI_NS_PID),
		.notifies = p->settings.notify_socket,
		.has_console = p->settings.has_console,
		.degraded = &c->degraded,
		.processes = &c->processes,
		.covered = stays(p) ? &c->covered : NULL,
	};
	char name[64];

	if (is_own(p, OCI_NS_MOUNT)) {
		snprintf(name, sizeof name, "%d/ns/mnt", launch->pid);
		mntns = openat(p->proc, name, O_RDONLY | O_CLOEXEC);
		if (mntns < 0)
			return fail(errno,
				    "open the container's mount namespace "
				    "/proc/%s",
				    name);
	}
	files.mntns = mntns;
	return enforce_files_create(&files, ret_ruleset, &c->rules);
}

/* For exec; do this while the child goes on to CREATED. */
static int save_rules(struct launch *launch)
{
	struct creation *c = launch->owner;
	const struct prepared *p = c->prepared;

	if (!p->enforcement.process.landlock.needed)
		return 0;
	return enforce_save_ruleset(p->arena, &p->enforcement, &c->rules,
				    c->container.dir);
}

/*
 * Do this while the child makes its namespaces and first mounts. They end with
 * it, so they need no record.
 */
static int send_late_cgroups(struct creation *c)
{
	int r = write_intent(c);

	if (r >= 0)
		r = make_cgroups(c);
	if (r >= 0 && create_devices_early(&c->prepared->spec))
		r = create_apply_devices(c);
	if (r < 0)
		return r;
	plan_arm_cgroups(&c->plan, &c->cgroup);
	return launch_send_cgroups(&c->launch);
}

/* Do this while the child is working. */
static int work_beside_child(struct creation *c)
{
	const struct prepared *p = c->prepared;
	char state;
	int r = c->plan.late_cgroups ? send_late_cgroups(c) : 0;

	if (r >= 0)
		r = create_settle(c);
	if (r >= 0 && p->enforcement.masks_sockets)
		r = unix_survey(p->arena, p->proc,
				is_own(p, OCI_NS_NETWORK) ? c->launch.pid : 0,
				&c->processes);
	if (r < 0)
		return r;
	/* If it has died, its error is reported later. */
	if (proc_stat(p->proc, c->launch.pid, &c->child_start, &state) >= 0)
		c->child = c->launch.pid;
	else
		err_clear();
	return 0;
}

static int start_child(struct creation *c)
{
	const struct prepared *p = c->prepared;
	struct launch *l = &c->launch;
	autoclose int network = network_wait(p->network);
	int r = plan_copy(&p->plan, &c->plan);

	if (r < 0)
		return r;
	plan_arm(&c->plan, &(struct plan_descriptors){
				   .join = &p->join,
				   .cgroup = &c->cgroup,
				   .gate = c->gate,
				   .root = -1,
				   .ruleset = -1,
			   });
	if (c->plan.early_network)
		c->plan.slots[SLOT_NAMESPACE + OCI_NS_NETWORK] = network;
	l->arena = p->arena;
	l->spec = &p->spec;
	l->in = &c->in;
	l->plan = &c->plan;
	l->proc = p->proc;
	l->record = &c->container.record;
	l->agent_status = OCI_CREATING;
	l->program = p->spec.process->args.items[0];
	l->place = place_child;
	l->before_hooks = before_hooks;
	l->rooted = rooted;
	l->after_rooted = save_rules;
	l->owner = c;
	r = launch_start(l);
	/* With it, the namespace would outlive the container. */
	closep(&network);
	if (r < 0)
		return r;
	r = work_beside_child(c);
	return r < 0 ? r : launch_until(l, WORD_CREATED);
}

/* Copy the members, as making them drops some, and the plan names all. */
static int copy_members(struct creation *c)
{
	const struct prepared *p = c->prepared;
	const struct cgroup *placed = &p->cgroup;

	c->resources = p->spec.linux_.resources;
	c->cgroup = *placed;
	c->cgroup.alone = !p->settings.unplaced;
	c->cgroup.items =
		arena_array(p->arena, placed->n, sizeof *placed->items);
	if (placed->n && !c->cgroup.items)
		return -ENOMEM;
	for (size_t i = 0; i < placed->n; i++)
		c->cgroup.items[i] = placed->items[i];
	return 0;
}

int create_reserve(struct creation *c)
{
	const struct prepared *p = c->prepared;
	int r = copy_members(c);

	if (r < 0)
		return r;
	c->in = create_input(p);
	r = state_dir_reserve(p->arena, p->session->root, p->settings.id,
			      &c->container);
	if (r < 0)
		return r;
	c->reserved = true;
	r = p->settings.dies_with_parent ? container_hold(&c->container) : 0;
	if (r < 0 || p->plan.late_cgroups)
		return r;
	r = write_intent(c);
	return r < 0 || p->settings.unplaced ? r : make_cgroups(c);
}

/* Its mount needs this file. */
static int write_hosts(struct creation *c)
{
	const struct net_bundle *rules = c->prepared->rules;
	int r;

	if (!rules || !rules->hosts)
		return 0;
	r = io_replace_at(c->container.dir, HOSTS_FILE, rules->hosts,
			  strlen(rules->hosts), 0644);
	/* Whatever the umask: every process of the container reads it. */
	if (r >= 0 && fchmodat(c->container.dir, HOSTS_FILE, 0644, 0) < 0)
		r = fail(errno, "change the mode of " HOSTS_FILE);
	return r;
}

int create_build(struct creation *c)
{
	int r;

	r = create_reserve(c);
	if (r < 0)
		return r;
	r = open_gate(c);
	if (r < 0)
		return r;
	r = c->prepared->notify_host ? sd_notify_make(c->container.dir) : 0;
	if (r >= 0)
		r = write_hosts(c);
	return r < 0 ? r : start_child(c);
}

static int record_child(struct creation *c)
{
	struct oci_record *record = &c->container.record;
	char state;

	record->pid = c->launch.pid;
	memcpy(record->ns_inodes, c->launch.ns_inodes,
	       sizeof record->ns_inodes);
	record->start_time = c->child_start;
	if (record->pid == c->child)
		return 0;
	return proc_stat(c->prepared->proc, record->pid, &record->start_time,
			 &state);
}

static int tell_callers(struct creation *c)
{
	const struct create_options *o = c->prepared->options;
	int r = 0;

	if (o->console_socket)
		r = console_send(o->console_socket, c->launch.console);
	if (r >= 0 && o->pidfd_socket)
		r = console_send_pidfd(o->pidfd_socket, c->launch.pidfd);
	if (r >= 0 && o->pid_file) {
		r = pid_file_write(o->pid_file, c->launch.pid);
		c->pid_file_written = r >= 0;
	}
	return r;
}

int create_record(struct creation *c)
{
	int r;

	r = record_child(c);
	if (r < 0)
		return r;
	r = tell_callers(c);
	if (r < 0)
		return r;
	c->container.record.kept = true;
	return state_dir_save(c->prepared->arena, &c->container);
}

int create_keep(struct creation *c)
{
	const struct prepared *p = c->prepared;
	int r;

	r = create_apply_devices(c);
	if (r < 0)
		return r;
	if (!make_has_userns(&c->in)) {
		r = process_oom_score(&c->launch);
		if (r < 0)
			return r;
	}
	r = process_rlimits(&c->launch);
	if (r < 0)
		return r;
	if (p->spec.linux_.intel_rdt) {
		r = rdt_join(&p->rdt, c->launch.pid);
		if (r < 0)
			return r;
	}
	r = create_record(c);
	if (r < 0)
		return r;
	if (!p->settings.has_gate) {
		/* No `start` will follow to run these hooks. */
		r = start_hooks_before(p->session, &c->container, &p->spec);
		if (r < 0)
			return r;
	}
	r = c->covered.events < 0 ? 0 : covered_check(&c->covered);
	if (r < 0)
		return r;
	r = launch_go(&c->launch);
	if (r < 0)
		return r;
	if (!p->settings.has_gate)
		return 0;
	r = launch_until_gate(&c->launch);
	if (r < 0)
		return r;
	create_hand_over(c);
	return 0;
}

void create_hand_over(struct creation *c)
{
	c->kept = true;
	c->launch.kept = true;
	state_dir_unlock(&c->container);
	cgroup_close(&c->cgroup);
}

/* Undo everything after a failure; ignore errors while doing so. */
static void undo(struct creation *c)
{
	const struct prepared *p = c->prepared;
	struct hooks_place here = {
		.cwd = p->settings.bundle,
	};
	struct err_kept why;
	const char *json;

	/* Keep the first error, which is the one to print. */
	err_keep(&why);
	if (c->container.record.own_cgroup)
		(void)cgroup_signal(p->arena, &c->cgroup, SIGKILL);
	if (c->container.record.systemd_scope &&
	    systemd_stop(p->arena, &c->container.record) < 0)
		log_warning("%s", err_text());
	if (c->container.record.own_cgroup &&
	    cgroup_remove(&c->cgroup, REMOVE_MS) < 0)
		log_warning("%s", err_text());
	if (cgroup_remove(&c->supervisor_cgroup, REMOVE_MS) < 0)
		log_warning("%s", err_text());
	if (rdt_remove(&p->rdt) < 0)
		log_warning("%s", err_text());
	if (c->pid_file_written)
		(void)unlink(p->options->pid_file);
	if ((c->container.record.hooks_begun || c->container.record.kept) &&
	    oci_state_for_hook(p->arena, &c->container.record, OCI_STOPPED, 0,
			       &json) == 0)
		(void)hooks_run(&p->spec.hooks, HOOK_POSTSTOP, &here, json);
	if (state_dir_release(&c->container) < 0)
		log_warning("%s", err_text());
	err_restore(&why);
}

void create_close(struct creation *c)
{
	launch_close(&c->launch);
	cgroup_close(&c->cgroup);
	cgroup_close(&c->supervisor_cgroup);
	closep(&c->gate);
	covered_close(&c->covered);
	/*
	 * Do this last: undoing may need descriptors, if these were too many.
	 */
	if (c->reserved && !c->kept)
		undo(c);
	container_close(&c->container);
}
