/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock-oci/restore.c - restore: run a container from the files of a
 * checkpoint.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/io.h"
#include "base/proc.h"
#include "base/sys.h"
#include "base/util.h"
#include "network/network.h"
#include "runtime/checkpoint/criu.h"
#include "runtime/checkpoint/external.h"
#include "runtime/checkpoint/protobuf.h"
#include "runtime/checkpoint/verify.h"
#include "runtime/container/attached.h"
#include "runtime/container/create.h"
#include "runtime/launch/sd_notify.h"
#include "runtime/sandlock-oci/commands.h"
#include "runtime/sandlock-oci/shared_options.h"

#define LOG "restore.log"
/* Mount point of the root for criu, below the container's directory. */
#define ROOT_POINT "root"
#define CGROUP_MAX 65536

struct restore_options {
	struct image_options images;
	const char *bundle;
	bool detach;
	const char *pid_file;
	const char *console_socket;
	bool no_subreaper;
	bool no_pivot;
	bool tcp_close;
	const char *lsm_profile;
	const char *lsm_mount_context;
};

/* ---- notifications of criu ---- */

/* The namespaces exist, and are still empty. */
static int on_namespaces(struct creation *c, pid_t pid)
{
	const struct prepared *p = c->prepared;
	const struct oci_linux *l = &p->spec.linux_;
	int r;

	if (l->nnet_devices) {
		autoclose int netns = -1;
		char name[64];

		snprintf(name, sizeof name, "%d/ns/net", pid);
		netns = openat(p->proc, name, O_RDONLY | O_CLOEXEC);
		if (netns < 0)
			return fail(errno,
				    "open the network namespace of the "
				    "restored process, /proc/%s",
				    name);
		r = network_restore_devices(l->net_devices, l->nnet_devices,
					    netns,
					    p->join.fds[OCI_NS_NETWORK] >= 0);
		if (r < 0)
			return r;
	}
	c->container.record.hooks_begun = true;
	r = state_dir_save(p->arena, &c->container);
	if (r >= 0)
		r = create_run_hooks(c, HOOK_PRESTART, pid);
	return r < 0 ? r : create_run_hooks(c, HOOK_CREATE_RUNTIME, pid);
}

/* Everything is restored except for the last steps; criu can still undo it. */
static int on_restored(struct creation *c, pid_t pid)
{
	const struct prepared *p = c->prepared;
	int r;

	c->launch.pid = pid;
	c->launch.pidfd = sys_pidfd_open(pid);
	if (c->launch.pidfd < 0)
		return fail(errno, "open a pidfd of the restored process %d",
			    pid);
	if (p->options->console_socket && c->launch.console < 0)
		return fail(0,
			    "--console-socket: the checkpoint images contain "
			    "no terminal: leave the option out");
	r = create_apply_devices(c);
	if (r >= 0)
		r = verify_inodes(p->proc, pid, c->launch.ns_inodes);
	return r < 0 ? r : create_record(c);
}

/*
 * Credentials and filters are restored last, and criu would continue even if
 * they were wrong. It traces every process, so kill it together with them, and
 * do not wait for one of them.
 */
static int on_resume(struct creation *c)
{
	struct err_kept why;
	int r = verify_restored(c);

	if (r >= 0)
		return r;
	err_keep(&why);
	(void)sys_pidfd_send_signal(c->launch.pidfd, SIGKILL);
	if (c->container.record.own_cgroup)
		(void)cgroup_signal(c->prepared->arena, &c->cgroup, SIGKILL);
	(void)kill(c->restorer, SIGKILL);
	err_restore(&why);
	return r;
}

static int on_news(struct criu *criu, const char *news, pid_t pid, int *fd)
{
	struct creation *c = criu->owner;

	if (streq(news, "setup-namespaces"))
		return on_namespaces(c, pid);
	if (streq(news, "orphan-pts-master")) {
		closep(&c->launch.console);
		c->launch.console = take_fd(fd);
		return 0;
	}
	if (streq(news, "post-restore"))
		return on_restored(c, pid);
	return streq(news, "pre-resume") ? on_resume(c) : 0;
}

/* ---- the request ---- */

/* Put the path of each controller: the processes get criu's own cgroups. */
static int put_cgroup_roots(struct creation *c, pid_t pid, struct pb *request)
{
	const struct prepared *p = c->prepared;
	char name[64], *text, *line;
	int r;

	snprintf(name, sizeof name, "%d/cgroup", pid);

	autoclose int fd = proc_open_at(p->proc, name, O_RDONLY);

	if (fd < 0)
		return fail(errno, "read the cgroups of criu in /proc/%s",
			    name);
	r = io_read_all(p->arena, fd, CGROUP_MAX, &text, NULL);
	if (r < 0)
		return fail_in(r, "/proc/%s", name);
	while ((line = strsep(&text, "\n"))) {
		char *controllers, *controller;

		(void)strsep(&line, ":");
		controllers = strsep(&line, ":");
		while (line && (controller = strsep(&controllers, ","))) {
			struct pb root = { .arena = p->arena };

			pb_text(&root, 1, controller);
			pb_text(&root, 2, line);
			pb_message(request, CRIU_CGROUP_ROOT, &root);
		}
	}
	return 0;
}

/*
 * The restored processes inherit criu's cgroups, and its cgroup namespace if
 * criu does not create one.
 */
static int place(struct criu *criu)
{
	struct creation *c = criu->owner;
	const struct prepared *p = c->prepared;
	int r = 0;

	c->restorer = criu->pid;
	if (p->settings.unplaced) {
		r = create_start_unit(c, criu->pid);
		if (r >= 0)
			r = create_make_cgroups(c);
	}
	if (r >= 0)
		r = cgroup_enter(&c->cgroup, criu->pid);
	if (r >= 0 && p->spec.linux_.intel_rdt)
		r = rdt_join(&p->rdt, criu->pid);
	return r;
}

/*
 * criu needs a root whose parent mount is accessible, so bind it to a directory
 * of the container in criu's own mount namespace.
 */
static int make_places(struct creation *c, struct criu *criu,
		       const char **ret_notify)
{
	const struct prepared *p = c->prepared;
	autofree char *root = realpath(p->session->root, NULL);
	int r;

	if (!root)
		return fail(errno, "find the state directory %s",
			    p->session->root);
	criu->root = arena_printf(p->arena, "%s/%s/" ROOT_POINT, root,
				  p->settings.id);
	*ret_notify = arena_printf(p->arena, "%s/%s/" NOTIFY_FOLDER, root,
				   p->settings.id);
	if (!criu->root || !*ret_notify)
		return -ENOMEM;
	criu->rootfs = p->settings.rootfs;
	criu->own_mounts = true;
	if (mkdirat(c->container.dir, ROOT_POINT, 0700) < 0)
		return fail(errno,
			    "create the mount point of the container's root, "
			    "%s",
			    criu->root);
	r = sd_notify_make(c->container.dir);
	return r < 0 ? r : external_make_points(&c->in);
}

/* Processes that criu restores in a user namespace open images as its root. */
static int admit_root(const struct prepared *p, const struct images *images)
{
	const struct oci_id_maps *maps = &p->spec.linux_.gid_mappings;

	for (size_t i = 0; i < maps->n; i++)
		if (maps->items[i].container_id == 0)
			return images_admit(images, maps->items[i].host_id);
	return 0;
}

static int put_external(struct creation *c, struct criu *criu,
			const struct images *images, struct pb *request)
{
	const struct prepared *p = c->prepared;
	const char *notify = NULL;
	int r;

	if (make_has_mountns(&c->in)) {
		r = make_places(c, criu, &notify);
		if (r >= 0)
			r = external_put_restore(&c->in, &c->cgroup, notify,
						 request);
		if (r < 0)
			return r;
		pb_text(request, CRIU_ROOT, criu->root);
	}
	r = admit_root(p, images);
	if (r >= 0)
		r = external_put_namespaces(criu, &c->in, request);
	return r < 0 ? r :
		       external_inherit_streams(p->arena, images->dir, request);
}

static int put_options(const struct prepared *p, const struct images *images,
		       const struct restore_options *o, struct pb *request)
{
	pb_number(request, CRIU_RESTORE_SIBLING, 1);
	pb_number(request, CRIU_EVASIVE_DEVICES, 1);
	pb_number(request, CRIU_TCP_CLOSE, o->tcp_close);
	if (is_set(o->lsm_profile))
		pb_text(request, CRIU_LSM_PROFILE, o->lsm_profile);
	if (is_set(o->lsm_mount_context))
		pb_text(request, CRIU_LSM_MOUNT_CONTEXT, o->lsm_mount_context);
	return images_put(images, &o->images, &p->spec, request);
}

static int restore(struct creation *c, const struct restore_options *o,
		   const struct images *images)
{
	const struct prepared *p = c->prepared;
	struct pb request = { .arena = p->arena };
	autocriu struct criu criu = CRIU_NONE;
	pid_t pid = 0;
	int r;

	r = create_reserve(c);
	if (r >= 0)
		r = create_settle(c);
	if (r < 0)
		return r;
	r = put_options(p, images, o, &request);
	if (r < 0)
		return r;
	r = put_external(c, &criu, images, &request);
	if (r < 0)
		return r;
	criu.images = images->path;
	criu.work = images->work_path;
	criu.on_news = on_news;
	criu.on_fork = place;
	criu.owner = c;
	criu.own_cgroups = p->spec.linux_.namespaces[OCI_NS_CGROUP].listed &&
			   images_leave_cgroups(&o->images);
	r = criu_start(&criu, p->arena, p->session->criu);
	if (r < 0)
		return r;
	r = put_cgroup_roots(c, criu.pid, &request);
	if (r < 0)
		return r;
	r = criu_call(&criu, CRIU_RESTORE, &request, &pid);
	if (r < 0)
		return images_explain(p->arena, r, images);
	if (pid != c->launch.pid)
		return fail(0,
			    "criu restored the container as process %d, but "
			    "then reported process %d",
			    c->launch.pid, pid);
	(void)unlinkat(c->container.dir, ROOT_POINT, AT_REMOVEDIR);
	return 0;
}

static int restore_bundle(struct prepared *p, const char *id,
			  const struct restore_options *o)
{
	autocreation struct creation c = CREATION_NONE;
	autoattached struct attached attached = ATTACHED_NONE;
	autoimages struct images images = IMAGES_NONE;
	int r;

	if (o->no_pivot)
		return fail(0, "--no-pivot: not supported, because criu always "
			       "uses pivot_root");
	/* criu does not use a plan. */
	r = create_prepare(p, id, /* has_gate= */ false);
	if (r < 0)
		return r;
	r = images_check(&p->spec, p->enforcement.kind != ENFORCE_NOTHING);
	if (r < 0)
		return r;
	r = images_open(p->arena, &o->images, LOG, /* make= */ false, &images);
	if (r < 0)
		return r;
	r = attached_prepare(p, &attached);
	if (r < 0)
		return r;
	c.prepared = p;
	r = restore(&c, o, &images);
	if (r < 0)
		return r;
	r = attached_open_console(&c, &attached);
	if (r < 0)
		return r;
	create_hand_over(&c);
	return o->detach ? 0 : attached_wait(&c, &attached);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	const struct restore_options *o = options;
	struct create_options common = {
		.bundle = o->bundle,
		.console_socket = o->console_socket,
		.pid_file = o->pid_file,
		.no_subreaper = o->no_subreaper,
		.detach = o->detach,
	};
	autoprepared struct prepared p = PREPARED_NONE;
	int r;

	(void)argc;
	r = container_check_id(argv[0]);
	if (r < 0)
		return r;
	p.arena = session->arena;
	p.session = session;
	p.options = &common;
	return restore_bundle(&p, argv[0], o);
}

#define FIELD(name) offsetof(struct restore_options, name)

static const struct option_spec restore_options[] = {
	IMAGE_OPTIONS,
	{ "bundle", 'b', OPTION_TEXT, FIELD(bundle), "DIR",
	  "bundle directory (default: the current directory)" },
	{ "detach", 'd', OPTION_FLAG, FIELD(detach), NULL,
	  "do not wait until the container ends" },
	{ "pid-file", 0, OPTION_TEXT, FIELD(pid_file), "FILE",
	  "file to write the pid of the container's process to" },
	{ "console-socket", 0, OPTION_TEXT, FIELD(console_socket), "SOCKET",
	  "Unix socket that receives the terminal's master" },
	{ "no-subreaper", 0, OPTION_FLAG, FIELD(no_subreaper), NULL,
	  "do not become a subreaper for orphans of the program" },
	{ "no-pivot", 0, OPTION_FLAG, FIELD(no_pivot), NULL,
	  "not supported: criu always uses pivot_root" },
	{ "tcp-close", 0, OPTION_FLAG, FIELD(tcp_close), NULL,
	  "restore TCP connections in closed state" },
	{ "lsm-profile", 0, OPTION_TEXT, FIELD(lsm_profile), "TYPE:NAME",
	  "use this LSM profile: apparmor:NAME or selinux:LABEL" },
	{ "lsm-mount-context", 0, OPTION_TEXT, FIELD(lsm_mount_context),
	  "LABEL", "use this label for mounts that have an LSM label" },
};

const struct command command_restore = {
	.name = "restore",
	.arguments = "[options] ID",
	.help = "restore a container from a checkpoint",
	.options = restore_options,
	.noptions = COUNT(restore_options),
	.options_size = sizeof(struct restore_options),
	.min_args = 1,
	.max_args = 1,
	.enters = true,
	.run = run,
	.failure = 1,
};
