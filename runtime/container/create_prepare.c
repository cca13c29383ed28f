/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/create_prepare.c - the part of a creation that has no effect. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/num.h"
#include "base/proc.h"
#include "base/util.h"
#include "runtime/container/create.h"
#include "runtime/launch/device_nodes.h"
#include "runtime/launch/idmap.h"
#include "runtime/launch/inherited.h"
#include "runtime/launch/sd_notify.h"

static int load_spec(struct creation *c)
{
	const char *bundle = c->options->bundle ? c->options->bundle : ".";
	const char *config = c->options->config;
	autofree char *real = realpath(bundle, NULL);
	autoclose int dir = -1;
	int r;

	if (!real)
		return fail(errno, "bundle %s", bundle);
	c->in.bundle = arena_strdup(c->arena, real);
	if (!c->in.bundle)
		return -ENOMEM;
	dir = config ? AT_FDCWD : open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 && dir != AT_FDCWD)
		return fail(errno, "bundle %s", bundle);
	r = oci_spec_load(c->arena, dir, config ? config : "config.json",
			  &c->spec);
	if (dir == AT_FDCWD)
		dir = -1;
	return r;
}

static int find_rootfs(struct creation *c)
{
	const char *path = c->spec.root_path;
	autofree char *real = NULL;
	struct stat st;

	if (path[0] != '/')
		path = arena_printf(c->arena, "%s/%s", c->in.bundle, path);
	if (!path)
		return -ENOMEM;
	if (lstat(path, &st) < 0)
		return fail(errno, "root.path: %s", path);
	if (S_ISLNK(st.st_mode))
		return fail(0, "root.path: %s is a symbolic link", path);
	if (!S_ISDIR(st.st_mode))
		return fail(ENOTDIR, "root.path: %s", path);
	real = realpath(path, NULL);
	if (!real)
		return fail(errno, "root.path: %s", path);
	if (streq(real, "/"))
		return fail(0, "root.path: / is the host's own root");
	c->in.rootfs = arena_strdup(c->arena, real);
	return c->in.rootfs ? 0 : -ENOMEM;
}

static int check_terminal(const struct creation *c)
{
	bool detached = c->in.has_gate || c->options->detach;
	bool terminal = c->in.process->terminal;

	if (terminal && detached && !c->options->console_socket)
		return fail(0, "cannot allocate tty if sandlock-oci will "
			       "detach without setting console socket");
	if (c->options->console_socket && !(terminal && detached))
		return fail(0, "cannot use console socket if sandlock-oci "
			       "will not detach or allocate tty");
	return 0;
}

static int count_listen_fds(unsigned int *ret)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	uint32_t number;

	if (!fds || !pid || num_u32(pid, &number) < 0 ||
	    (pid_t)number != getpid()) {
		err_clear();
		return 0;
	}
	if (num_u32(fds, ret) < 0)
		return fail_in(-EINVAL, "LISTEN_FDS");
	return 0;
}

int create_check_fds(const struct session *session, unsigned int n)
{
	if (n <= session->given_fds)
		return 0;
	return fail(EBADF, "--preserve-fds %u: descriptor %u", n,
		    3 + session->given_fds);
}

static int check_descriptors(struct creation *c)
{
	int r = count_listen_fds(&c->in.listen_fds);

	if (r < 0)
		return r;
	if (c->enforcement.active && !c->in.has_console &&
	    (r = inherited_check_stdio()) < 0)
		return r;
	c->in.preserve_fds = c->options->preserve_fds;
	if (c->in.preserve_fds > 4096 || c->in.listen_fds > 4096)
		return fail(EINVAL, "--preserve-fds %u", c->in.preserve_fds);
	return create_check_fds(c->session,
				c->in.preserve_fds + c->in.listen_fds);
}

static int check_user_namespace(const struct creation *c)
{
	if (c->facts.euid != 0 && !c->in.no_namespaces &&
	    !c->spec.linux_.namespaces[OCI_NS_USER].listed)
		return fail(EPERM, "linux.namespaces: without root, a user "
				   "namespace is needed (spec --rootless "
				   "writes one)");
	return 0;
}

/* From here on config.json has the mappings of its user namespace. */
static int settle_mappings(struct creation *c)
{
	struct oci_linux *l = &c->spec.linux_;
	int joined = c->join.fds[OCI_NS_USER];

	if (joined >= 0)
		return idmap_of_joined(c->arena, c->proc, joined,
				       &l->uid_mappings, &l->gid_mappings);
	if (!l->namespaces[OCI_NS_USER].listed)
		return 0;
	return idmap_default(c->arena, c->proc, c->facts.euid, c->facts.egid,
			     &l->uid_mappings, &l->gid_mappings);
}

static int check_mounts(struct creation *c)
{
	if (c->in.no_namespaces || !c->spec.nmounts || make_has_mountns(&c->in))
		return 0;
	c->in.mounts_present = true;
	return mount_check(&c->in, c->proc);
}

static int place_rdt(struct creation *c)
{
	const struct oci_intel_rdt *asked = c->spec.linux_.intel_rdt;
	int r;

	if (!asked)
		return 0;
	r = rdt_find(c->arena, c->proc, asked, c->in.id, &c->rdt);
	if (r < 0)
		return r;
	/* Before it stands on record as ours. */
	if (c->rdt.own_group && access(c->rdt.group, F_OK) == 0)
		return fail(EEXIST, "linux.intelRdt: %s", c->rdt.group);
	return 0;
}

/* Without cgroups there are no limits but those that a policy can go without. */
static int settle_limits(struct creation *c)
{
	struct oci_resources *resources = &c->spec.linux_.resources;
	bool disabled = c->cgroup_manager == CGROUP_DISABLED;
	int r;

	if (disabled && cgroup_wants_limits(resources) &&
	    enforce_may_lose_limits(&c->enforcement))
		enforce_lose_limits(&c->enforcement, resources);
	if (disabled && cgroup_wants_limits(resources))
		return fail(0, "linux.resources: limits need cgroups, and "
			       "--cgroup-manager is disabled");
	r = cgroup_check_resources(resources, &c->facts.cgroups);
	return r < 0 ? enforce_limit_error(c->arena, &c->enforcement, resources,
					   r) :
		       0;
}

static int gather(struct creation *c)
{
	int r;

	if (c->proc < 0)
		c->proc = proc_open();
	if (c->proc < 0)
		return c->proc;
	r = facts_gather(c->proc, c->session->host, c->session->rootless,
			 &c->facts);
	if (r >= 0)
		r = facts_cgroups(c->arena, c->proc, &c->facts);
	if (r < 0)
		return r;
	r = check_user_namespace(c);
	if (r < 0)
		return r;
	r = join_open(&c->spec.linux_, &c->join);
	if (r < 0)
		return r;
	r = join_check_sysctls(&c->join, c->proc, &c->spec.linux_);
	if (r < 0)
		return r;
	r = settle_mappings(c);
	if (r < 0)
		return r;
	r = check_mounts(c);
	if (r < 0)
		return r;
	r = settle_limits(c);
	if (r < 0)
		return r;
	r = create_place(c);
	if (r < 0)
		return r;
	r = place_rdt(c);
	if (r < 0)
		return r;
	if (!c->spec.linux_.seccomp)
		return 0;
	r = confine_seccomp(c->arena, c->spec.linux_.seccomp, &c->filter);
	c->in.filter = &c->filter;
	return r;
}

int create_prepare_spec(struct creation *c)
{
	int r;

	c->in.arena = c->arena;
	c->in.no_pivot = c->options->no_pivot;
	c->in.no_new_keyring = c->options->no_new_keyring;
	c->in.facts = &c->facts;
	c->in.spec = &c->spec;
	c->in.join = &c->join;
	c->in.cgroup = &c->placed;
	c->in.enforcement = &c->enforcement;
	c->in.process = c->spec.process;
	c->in.has_console = c->spec.process->terminal;
	r = check_terminal(c);
	if (r < 0)
		return r;
	r = check_descriptors(c);
	if (r < 0)
		return r;
	return gather(c);
}

int create_prepare(struct creation *c, const char *id, bool has_gate)
{
	int r;

	c->cgroup_manager = c->session->cgroup_manager;
	c->in.id = id;
	c->in.has_gate = has_gate;
	r = load_spec(c);
	if (r < 0)
		return r;
	r = host_annotations_check(&c->session->allow_annotations, &c->spec);
	if (r < 0)
		return r;
	r = find_rootfs(c);
	if (r < 0)
		return r;
	c->enforcement.host = c->session->host;
	c->enforcement.bundle = c->in.bundle;
	c->enforcement.rootfs = c->in.rootfs;
	r = enforce_create(c->arena, c->session->profile,
			   &c->session->allow_annotations, &c->spec,
			   &c->enforcement);
	if (r < 0)
		return r;
	return create_prepare_spec(c);
}

/* Where nobody listens, the program is not told of a socket. */
static int find_notify(struct creation *c)
{
	const char *host = getenv("NOTIFY_SOCKET");

	if (!is_set(host) || !make_has_mountns(&c->in) ||
	    !sd_notify_is_heard(host))
		return 0;
	c->notify_host = host;
	c->in.notify_socket = arena_printf(c->arena, "%s/%s/%s",
					   c->session->root, c->in.id,
					   NOTIFY_FOLDER);
	return c->in.notify_socket ? 0 : -ENOMEM;
}

int create_plan(struct creation *c)
{
	int r;

	r = find_notify(c);
	if (r < 0)
		return r;
	r = make_create(&c->in, &c->plan);
	return r < 0 ? r : device_nodes_locate(&c->facts, &c->plan);
}
