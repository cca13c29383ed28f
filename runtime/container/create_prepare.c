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
#include "network/bundle.h"
#include "network/network.h"
#include "runtime/container/create.h"
#include "runtime/launch/console.h"
#include "runtime/launch/device_nodes.h"
#include "runtime/launch/idmap.h"
#include "runtime/launch/inherited.h"
#include "runtime/launch/sd_notify.h"

struct make_input create_input(const struct prepared *p)
{
	return (struct make_input){
		.arena = p->arena,
		.facts = &p->facts,
		.spec = &p->spec,
		.process = p->spec.process,
		.cgroup = &p->cgroup,
		.join = &p->join,
		.enforcement = &p->enforcement,
		.filter = p->spec.linux_.seccomp ? &p->filter : NULL,
		.settings = p->settings,
	};
}

/* Return the path of an open directory without symbolic links, or NULL. */
static const char *real_path(struct prepared *p, int dir, const char *path)
{
	char found[PATH_MAX];

	if (!proc_path_of(p->proc, dir, found) && !realpath(path, found))
		return NULL;
	return arena_strdup(p->arena, found);
}

static int load_spec(struct prepared *p)
{
	const char *bundle = p->options->bundle ? p->options->bundle : ".";
	const char *config = p->options->config;
	autoclose int dir = open(bundle, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (dir >= 0)
		p->settings.bundle = real_path(p, dir, bundle);
	if (dir < 0 || !p->settings.bundle)
		return fail(errno, "bundle %s", bundle);
	return oci_spec_load(p->arena, config ? AT_FDCWD : dir,
			     config ? config : "config.json", &p->spec);
}

static int fail_root_path(const char *path, int error)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return fail(0,
			    "root.path: %s is a symbolic link, but must be a "
			    "directory",
			    path);
	return fail(error, "root.path: %s", path);
}

static int find_rootfs(struct prepared *p)
{
	const char *path = p->spec.root_path;
	autoclose int dir = -1;

	if (path[0] != '/')
		path = arena_printf(p->arena, "%s/%s", p->settings.bundle,
				    path);
	if (!path)
		return -ENOMEM;
	dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return fail_root_path(path, errno);
	p->settings.rootfs = real_path(p, dir, path);
	if (!p->settings.rootfs)
		return fail(errno, "root.path: %s", path);
	if (streq(p->settings.rootfs, "/"))
		return fail(0, "root.path: / is the host's own root: give a "
			       "directory that contains the container's files");
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
	return fail(0, "--preserve-fds %u: descriptor %u is not open", n,
		    3 + session->given_fds);
}

static int check_descriptors(struct prepared *p)
{
	struct inherited passed = {
		.stdio = !p->settings.has_console,
		.any_network = !enforce_restricts_network(&p->enforcement),
	};
	int r = count_listen_fds(&p->settings.listen_fds);

	if (r < 0)
		return r;
	p->settings.preserve_fds = p->options->preserve_fds;
	if (p->settings.preserve_fds > 4096 || p->settings.listen_fds > 4096)
		return fail(0,
			    "--preserve-fds %u, LISTEN_FDS %u: each can be "
			    "at most 4096",
			    p->settings.preserve_fds, p->settings.listen_fds);
	passed.preserved = p->settings.preserve_fds + p->settings.listen_fds;
	r = create_check_fds(p->session, passed.preserved);
	return r == 0 && p->enforcement.kind != ENFORCE_NOTHING ?
		       inherited_check(&passed) :
		       r;
}

static int check_user_namespace(const struct prepared *p)
{
	if (p->facts.euid != 0 && !p->settings.no_namespaces &&
	    !p->spec.linux_.namespaces[OCI_NS_USER].listed)
		return fail(EPERM,
			    "linux.namespaces: without root, a user namespace "
			    "is required (spec --rootless writes one)");
	return 0;
}

/* Fill in the mappings of the user namespace in config.json. */
static int settle_mappings(struct prepared *p)
{
	struct oci_linux *l = &p->spec.linux_;
	int joined = p->join.fds[OCI_NS_USER];

	if (joined >= 0)
		return idmap_of_joined(p->arena, p->proc, joined,
				       &l->uid_mappings, &l->gid_mappings);
	if (!l->namespaces[OCI_NS_USER].listed)
		return 0;
	return idmap_default(p->arena, p->proc, p->facts.euid, p->facts.egid,
			     &l->uid_mappings, &l->gid_mappings);
}

static int check_mounts(struct prepared *p)
{
	struct make_input in = create_input(p);

	if (in.settings.no_namespaces || !p->spec.nmounts ||
	    make_has_mountns(&in))
		return 0;
	p->settings.mounts_present = true;
	return mount_check(&in, p->proc);
}

static int place_rdt(struct prepared *p)
{
	const struct oci_intel_rdt *asked = p->spec.linux_.intel_rdt;
	int r;

	if (!asked)
		return 0;
	r = rdt_find(p->arena, p->proc, asked, p->settings.id, &p->rdt);
	if (r < 0)
		return r;
	/* Check this before the record names the group as ours. */
	if (p->rdt.own_group && access(p->rdt.group, F_OK) == 0)
		return fail(0,
			    "linux.intelRdt: the group %s, which the "
			    "container would create, exists already: remove "
			    "it",
			    p->rdt.group);
	return 0;
}

/* Without cgroups there are no limits, so a policy must allow that. */
static int settle_limits(struct prepared *p)
{
	struct oci_resources *resources = &p->spec.linux_.resources;
	bool disabled = p->cgroup_manager == CGROUP_DISABLED;
	int r;

	if (disabled && cgroup_wants_limits(resources) &&
	    enforce_may_lose_limits(&p->enforcement))
		enforce_lose_limits(&p->enforcement, resources);
	if (disabled && cgroup_wants_limits(resources))
		return fail(0, "linux.resources: limits require cgroups, but "
			       "--cgroup-manager is disabled");
	r = cgroup_check_resources(resources, &p->facts.cgroups);
	return r < 0 ? enforce_limit_error(p->arena, &p->enforcement, resources,
					   r) :
		       0;
}

static int gather(struct prepared *p)
{
	int r;

	if (p->proc < 0)
		p->proc = proc_open();
	if (p->proc < 0)
		return p->proc;
	r = facts_gather(p->proc, p->session->host, p->session->rootless,
			 &p->facts);
	if (r >= 0)
		r = facts_cgroups(p->arena, p->proc, &p->facts);
	if (r < 0)
		return r;
	r = check_user_namespace(p);
	if (r < 0)
		return r;
	r = join_open(&p->spec.linux_, &p->join);
	if (r < 0)
		return r;
	r = join_check_sysctls(&p->join, p->proc, &p->spec.linux_);
	if (r < 0)
		return r;
	r = settle_mappings(p);
	if (r < 0)
		return r;
	r = check_mounts(p);
	if (r < 0)
		return r;
	r = settle_limits(p);
	if (r < 0)
		return r;
	r = create_place(p);
	if (r < 0)
		return r;
	r = place_rdt(p);
	if (r < 0)
		return r;
	if (!p->spec.linux_.seccomp)
		return 0;
	return confine_seccomp(p->arena, p->spec.linux_.seccomp, &p->filter);
}

/*
 * The container must end when its supervisor does, and only the kernel can end
 * all processes of a container at once: by the end of its pid namespace.
 */
static int check_supervised(const struct prepared *p)
{
	const struct oci_namespace *pid =
		&p->spec.linux_.namespaces[OCI_NS_PID];

	enum policy_key key = policy_supervisor_key(&p->enforcement.policy);

	if (!p->settings.supervised || (pid->listed && !pid->path))
		return 0;
	return fail(0,
		    "%s requires a supervisor, and that requires a new pid "
		    "namespace: add one to linux.namespaces, without a path%s",
		    policy_key_name(key), policy_supervisor_advice(key));
}

int create_prepare_spec(struct prepared *p)
{
	int r = check_supervised(p);

	if (r < 0)
		return r;

	p->settings.no_pivot = p->options->no_pivot;
	p->settings.no_new_keyring = p->options->no_new_keyring;
	p->settings.has_console = p->spec.process->terminal;
	r = console_check(p->spec.process->terminal,
			  p->settings.has_gate || p->options->detach,
			  p->options->console_socket);
	if (r < 0)
		return r;
	r = check_descriptors(p);
	if (r < 0)
		return r;
	return gather(p);
}

int create_load(struct prepared *p)
{
	int r;

	p->proc = proc_open();
	if (p->proc < 0)
		return p->proc;
	r = load_spec(p);
	if (r < 0)
		return r;
	r = host_annotations_check(&p->session->allow_annotations, &p->spec);
	if (r < 0)
		return r;
	return find_rootfs(p);
}

void create_begin_network(struct prepared *p)
{
	if (p->proc < 0)
		p->proc = proc_open();
	if (p->proc >= 0 && geteuid() == 0)
		p->network = network_begin(p->proc);
}

/* The owner of a user namespace must own the network namespace, too. */
static bool has_own_network(const struct prepared *p)
{
	const struct oci_namespace *ns = p->spec.linux_.namespaces;

	return ns[OCI_NS_NETWORK].listed && !ns[OCI_NS_NETWORK].path &&
	       !ns[OCI_NS_USER].listed;
}

int create_enforce(struct prepared *p)
{
	const struct enforce_bundle bundle = {
		.host = p->session->host,
		.path = p->settings.bundle,
		.rootfs = p->settings.rootfs,
		.profile = p->session->profile,
		.allowed = &p->session->allow_annotations,
		.enforced = p->session->enforced,
	};

	int r = enforce_create(p->arena, &bundle, &p->spec, &p->enforcement);

	if (r < 0)
		return r;
	p->settings.supervised =
		policy_supervisor_key(&p->enforcement.policy) != KEY_COUNT;
	return 0;
}

/* Resolve names before anything starts, and show them inside. */
static int plan_rules(struct prepared *p)
{
	struct net_bundle_want want = {
		.policy = &p->enforcement.policy,
		.path = p->settings.bundle,
		.rootfs = p->settings.rootfs,
	};

	if (!policy_has_rules(want.policy))
		return 0;
	want.hosts = arena_printf(p->arena, "%s/%s/" HOSTS_FILE,
				  p->session->root, p->settings.id);
	return want.hosts ?
		       net_bundle_make(p->arena, &want, &p->spec, &p->rules) :
		       -ENOMEM;
}

int create_prepare(struct prepared *p, const char *id, bool has_gate)
{
	int r;

	p->cgroup_manager = p->session->cgroup_manager;
	p->settings.id = id;
	p->settings.has_gate = has_gate;
	r = create_load(p);
	if (r < 0)
		return r;
	if (has_own_network(p) && !p->options->dump_plan)
		create_begin_network(p);
	r = create_enforce(p);
	if (r >= 0)
		r = plan_rules(p);
	return r < 0 ? r : create_prepare_spec(p);
}

bool create_manages_cgroup(const struct oci_spec *spec)
{
	const struct oci_namespace *ns =
		&spec->linux_.namespaces[OCI_NS_CGROUP];
	bool writable = false;

	for (size_t i = 0; i < spec->nmounts; i++) {
		const struct oci_mount *m = &spec->mounts[i];

		if (!m->type || !streq(m->type, "cgroup") ||
		    !streq(m->destination, "/sys/fs/cgroup"))
			continue;
		writable = true;
		for (size_t k = 0; k < m->options.n; k++)
			if (streq(m->options.items[k], "ro"))
				writable = false;
	}
	return writable && ns->listed && !ns->path;
}

bool create_devices_early(const struct oci_spec *spec)
{
	static const char *const plain[] = { "proc",   "tmpfs",	 "devpts",
					     "mqueue", "sysfs",	 "cgroup",
					     "bind",   "overlay" };

	for (size_t i = 0; i < spec->nmounts; i++) {
		const char *type = spec->mounts[i].type;
		bool known = oci_mount_is_bind(&spec->mounts[i]);

		for (size_t k = 0; type && k < COUNT(plain); k++)
			known |= streq(type, plain[k]);
		if (!known)
			return false;
	}
	return !spec->linux_.ndevices;
}

/* If nobody listens, do not set NOTIFY_SOCKET for the program. */
static int find_notify(struct prepared *p)
{
	const struct make_input in = create_input(p);
	const char *host = getenv("NOTIFY_SOCKET");

	if (!is_set(host) || !make_has_mountns(&in) ||
	    !sd_notify_is_heard(host))
		return 0;
	p->notify_host = host;
	p->settings.notify_socket = arena_printf(p->arena, "%s/%s/%s",
						 p->session->root,
						 p->settings.id, NOTIFY_FOLDER);
	return p->settings.notify_socket ? 0 : -ENOMEM;
}

int create_plan(struct prepared *p)
{
	struct make_input in;
	int r;

	r = find_notify(p);
	if (r < 0)
		return r;
	in = create_input(p);
	r = make_create(&in, &p->plan);
	return r < 0 ? r : device_nodes_locate(&p->facts, &p->plan);
}

void create_forget(struct prepared *p)
{
	join_close(&p->join);
	closep(&p->proc);
	net_bundle_close(p->rules);
}
