/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandbox/sandbox.c - make the specification and the plan of a request.
 */
#include "runtime/sandbox/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "cow/workdirs.h"
#include "oci/write.h"
#include "runtime/container/delete.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"
#include "runtime/sandbox/gpus.h"
#include "runtime/sandbox/hide_state.h"
#include "runtime/sandbox/name.h"

#define DEFAULT_TASKS 4096

struct sandbox {
	struct prepared *prepared;
	struct arena *arena;
	const struct request *request;
	struct view *view;
	struct oci_spec *spec;
	const struct decision *decision;
	struct strings workdirs; /* without links */
};

/* ---- mounts ---- */

#define OPTIONS(...)                                              \
	{                                                         \
		(const char *[]){ __VA_ARGS__, NULL },            \
			sizeof((const char *[]){ __VA_ARGS__ }) / \
				sizeof(const char *)              \
	}

static const struct oci_mount own_mounts[] = {
	{ .destination = "/proc",
	  .type = "proc",
	  .source = "proc",
	  .options = OPTIONS("nosuid", "noexec", "nodev") },
	{ .destination = "/dev",
	  .type = "tmpfs",
	  .source = "tmpfs",
	  .options = OPTIONS("nosuid", "noexec", "mode=755", "size=64k") },
	{ .destination = "/dev/pts",
	  .type = "devpts",
	  .source = "devpts",
	  .options = OPTIONS("nosuid", "noexec", "newinstance", "ptmxmode=0666",
			     "mode=0620") },
	{ .destination = "/dev/shm",
	  .type = "tmpfs",
	  .source = "shm",
	  .options = OPTIONS("nosuid", "noexec", "nodev", "mode=1777",
			     "size=64m") },
};

/* The host's own flags stay: a read-only mount remains read-only. */
static const struct strings readable =
	OPTIONS("rbind", "rro", "rnosuid", "rnodev");
static const struct strings writable = OPTIONS("rbind", "rnosuid", "rnodev");

/* explain makes no branch, and so no mount of one. */
static struct oci_mount staged_mount(const struct sandbox *s,
				     const struct view_bind *bind)
{
	const struct workdir *workdir =
		workdirs_at(s->request->workdirs, bind->path);

	return (struct oci_mount){
		.destination = bind->path,
		.source = "overlay",
		.type = "overlay",
		.options = workdir ? workdir->options : (struct strings){ 0 },
	};
}

static int fill_mounts(struct sandbox *s)
{
	size_t n = COUNT(own_mounts);
	struct oci_mount *mounts =
		arena_array(s->arena, n + s->view->nbinds, sizeof *mounts);

	if (!mounts)
		return -ENOMEM;
	memcpy(mounts, own_mounts, sizeof own_mounts);
	for (size_t i = 0; i < s->view->nbinds; i++) {
		const struct view_bind *bind = &s->view->binds[i];

		mounts[n++] = (struct oci_mount){
			.destination = bind->path,
			.source = bind->source,
			.type = "bind",
			.options = bind->writable ? writable : readable,
			.is_directory = bind->directory,
		};
		if (bind->staged)
			mounts[n - 1] = staged_mount(s, bind);
		if (bind->tmpfs &&
		    enforce_tmpfs(s->arena, bind->path, bind->size,
				  &mounts[n - 1]) < 0)
			return -ENOMEM;
	}
	s->spec->mounts = mounts;
	s->spec->nmounts = n;
	s->spec->root_readonly = true;
	return 0;
}

/* Files in /proc about things outside of the sandbox. */
static const char *const masked[] = {
	"/proc/acpi",	       "/proc/asound",
	"/proc/kcore",	       "/proc/keys",
	"/proc/latency_stats", "/proc/timer_list",
	"/proc/timer_stats",   "/proc/sched_debug",
	"/proc/scsi",	       NULL,
};
static const char *const readonly[] = {
	"/proc/bus",	       "/proc/fs", "/proc/irq", "/proc/sys",
	"/proc/sysrq-trigger", NULL,
};

/* ---- the process ---- */

static int choose_cwd(const struct sandbox *s, const char **ret)
{
	const struct request *request = s->request;
	const struct policy *policy = &request->policy;

	*ret = policy->set[KEY_CWD] ? policy->cwd : request->cwd;
	if (view_has(s->view, *ret))
		return 0;
	if (policy->set[KEY_CWD])
		return fail(0,
			    "program.cwd '%s': does not exist in the "
			    "sandbox: list it in filesystem.read or "
			    "filesystem.write",
			    *ret);
	*ret = "/";
	return 0;
}

static int fill_process(struct sandbox *s)
{
	const struct policy *policy = &s->request->policy;
	struct oci_process *process = arena_alloc(s->arena, sizeof *process);
	int r;

	if (!process)
		return -ENOMEM;
	process->terminal = s->request->terminal;
	process->args = s->request->command;
	process->user.uid = policy->set[KEY_UID] ? policy->uid : geteuid();
	process->user.gid = policy->set[KEY_GID] ? policy->gid : getegid();
	process->user.has_umask = true;
	process->user.umask = umask(0);
	(void)umask((mode_t)process->user.umask);
	/* The enforcement filters the environment later. */
	process->env = s->request->env;
	r = choose_cwd(s, &process->cwd);
	s->spec->process = process;
	return r;
}

/* ---- namespaces ---- */

static int map_id(struct arena *arena, uint32_t inside, uint32_t outside,
		  struct oci_id_maps *ret)
{
	struct oci_id_map *map = arena_alloc(arena, sizeof *map);

	if (!map)
		return -ENOMEM;
	*map = (struct oci_id_map){ inside, outside, 1 };
	*ret = (struct oci_id_maps){ map, 1 };
	return 0;
}

static int fill_namespaces(struct sandbox *s)
{
	static const enum oci_ns always[] = { OCI_NS_MOUNT, OCI_NS_PID,
					      OCI_NS_IPC, OCI_NS_UTS,
					      OCI_NS_CGROUP };
	struct oci_linux *l = &s->spec->linux_;
	const struct oci_user *user = &s->spec->process->user;
	int r;

	for (size_t i = 0; i < COUNT(always); i++)
		l->namespaces[always[i]].listed = true;
	if (s->request->policy.mode != POLICY_MODE_OPEN ||
	    policy_has_rules(&s->request->policy))
		l->namespaces[OCI_NS_NETWORK].listed = true;
	if (!s->decision->own_users)
		return 0;
	l->namespaces[OCI_NS_USER].listed = true;
	r = map_id(s->arena, user->uid, geteuid(), &l->uid_mappings);
	return r < 0 ? r :
		       map_id(s->arena, user->gid, getegid(), &l->gid_mappings);
}

/* ---- the record ---- */

static int fill_json(struct sandbox *s)
{
	const struct oci_process *process = s->spec->process;
	struct writer w;

	writer_open(&w, s->arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_string(&w, "ociVersion", OCI_VERSION);
	put_object(&w, "process");
	put_strings(&w, "args", &process->args);
	put_string(&w, "cwd", process->cwd);
	put_end(&w);
	put_object(&w, "root");
	put_string(&w, "path", "/");
	put_end(&w);
	put_end(&w);
	return writer_close(&w, &s->spec->json, &s->spec->json_len);
}

static int fill_spec(struct sandbox *s)
{
	struct oci_spec *spec = s->spec;
	int r;

	spec->version = OCI_VERSION;
	spec->root_path = "/";
	r = fill_process(s);
	if (r < 0)
		return r;
	if (s->decision->no_namespaces)
		return fill_json(s);
	spec->hostname = s->request->name;
	/* Names are unique only in one state directory; cgroups are shared. */
	spec->linux_.cgroups_path =
		arena_printf(s->arena, "sandlock-%d", getpid());
	if (!spec->linux_.cgroups_path)
		return -ENOMEM;
	spec->linux_.masked_paths = STRINGS_OF(masked);
	spec->linux_.readonly_paths = STRINGS_OF(readonly);
	if ((r = fill_mounts(s)) < 0 || (r = fill_namespaces(s)) < 0)
		return r;
	if (s->request->policy.set[KEY_GPU_DEVICES]) {
		r = gpus_of_host(s->arena, spec);
		if (r < 0)
			return r;
	}
	return fill_json(s);
}

static const char *find_tmpfs(const struct view *view)
{
	for (size_t i = 0; i < view->nbinds; i++)
		if (view->binds[i].tmpfs)
			return view->binds[i].path;
	return NULL;
}

/* The host's directory for temporary files may not exist inside. */
static int point_tmpdir(struct sandbox *s)
{
	const char *inside = find_tmpfs(s->view);
	const char *given = oci_env_get(&s->spec->process->env, "TMPDIR");
	const struct strings *env = &s->spec->process->env;
	struct oci_process *process;

	if (!inside || view_has(s->view, given ? given : "/tmp"))
		return 0;
	process = arena_alloc(s->arena, sizeof *process);
	if (!process)
		return -ENOMEM;
	*process = *s->spec->process;
	s->spec->process = process;
	process->env = (struct strings){ 0 };
	for (size_t i = 0; i < env->n; i++)
		if (!starts_with(env->items[i], "TMPDIR=") &&
		    strings_add(s->arena, &process->env, env->items[i]) < 0)
			return -ENOMEM;
	return strings_add(s->arena, &process->env,
			   arena_printf(s->arena, "TMPDIR=%s", inside));
}

/* If the caller has a lower limit already, keep that. */
static void limit_open_files(struct policy *policy)
{
	struct rlimit now;

	if (policy->set[KEY_OPEN_FILES] &&
	    getrlimit(RLIMIT_NOFILE, &now) == 0 &&
	    now.rlim_max < policy->open_files)
		policy->open_files = (uint32_t)now.rlim_max;
}

/* Enforce all sections, also those without a key. */
static void fill_policy(struct sandbox *s, struct enforce_input *input)
{
	struct policy *policy = &input->policy;

	limit_open_files(policy);
	policy->set[KEY_READ] = true;
	if (!policy_denies_alone(policy))
		policy->set[KEY_NET_MODE] = true;
	for (enum policy_key key = 0;
	     s->decision->no_namespaces && key < KEY_COUNT; key++)
		if (s->decision->lost[key])
			policy->set[key] = false;
	if (!s->decision->no_namespaces && !policy->set[KEY_TASKS]) {
		policy->set[KEY_TASKS] = true;
		policy->tasks = DEFAULT_TASKS;
	}
}

/* ---- limits ---- */

/*
 * A user namespace of its own has its own count of processes, so RLIMIT_NPROC
 * limits it. If the caller has a lower limit already, keep that.
 */
static int limit_processes(struct sandbox *s)
{
	uint64_t most = (uint64_t)s->spec->linux_.resources.pids_limit.value;
	struct rlimit now;
	struct oci_process *process = arena_alloc(s->arena, sizeof *process);
	struct oci_rlimit *limits;

	if (!process)
		return -ENOMEM;
	*process = *s->spec->process;
	if (getrlimit(RLIMIT_NPROC, &now) == 0 && now.rlim_max < most)
		most = now.rlim_max;
	limits = arena_grow(s->arena, process->rlimits, process->nrlimits,
			    process->nrlimits + 1, sizeof *limits);
	if (!limits)
		return -ENOMEM;
	limits[process->nrlimits++] =
		(struct oci_rlimit){ RLIMIT_NPROC, most, most };
	process->rlimits = limits;
	s->spec->process = process;
	return 0;
}

static int choose_cgroups(struct sandbox *s)
{
	struct oci_resources *res = &s->spec->linux_.resources;
	int r = 0;

	/* The reaper counts, too, but is not part of the workload. */
	if (res->pids_limit.set && !s->decision->no_namespaces)
		res->pids_limit.value++;
	s->prepared->cgroup_manager = s->decision->cgroups ? CGROUP_CGROUPFS :
							     CGROUP_DISABLED;
	if (s->decision->cgroups)
		return 0;
	if (s->decision->own_users && res->pids_limit.set)
		r = limit_processes(s);
	*res = (struct oci_resources){ 0 };
	return r;
}

/* ---- names ---- */

int sandbox_make_room(const struct prepared *c, const char *name)
{
	autocontainer struct container old = CONTAINER_NONE;
	enum oci_status status = OCI_STOPPED;
	int r = container_load(c->arena, c->session->root, c->settings.id,
			       &old);

	if (r == -ENOENT) {
		err_clear();
		return 0;
	}
	if (r >= 0 && !old.broken)
		r = container_status(&old, &status);
	if (r < 0)
		return r;
	if (old.record.sandbox && !container_held(&old))
		status = OCI_STOPPED;
	if (container_locked(&old) || status != OCI_STOPPED)
		return fail(0,
			    "--name: a sandbox named '%s' is already "
			    "running: choose another name",
			    name);
	r = state_dir_lock(&old, STATE_DIR_LOCK_SECONDS);
	if (r == -ENOENT) {
		err_clear();
		return 0;
	}
	return r < 0 ? r : delete_container(c->arena, &old, NULL);
}

/* Fill in the input of the plan besides the specification. */
static int fill_settings(struct sandbox *s)
{
	const struct session *session = s->prepared->session;
	struct make_settings *how = &s->prepared->settings;

	how->bundle = "/";
	how->dies_with_parent = true;
	how->only_env = true;
	how->no_namespaces = s->decision->no_namespaces;
	if (how->no_namespaces) {
		how->rootfs = "/";
		return 0;
	}
	how->rootfs = arena_printf(s->arena, "%s/%s", session->root, how->id);
	how->fresh_root = true;
	how->links = s->view->links;
	how->nlinks = s->view->nlinks;
	how->own_files = s->view->own;
	how->nown_files = s->view->nown;
	how->has_reaper = true;
	how->command_line = session->command_line;
	how->command_line_size = session->command_line_size;
	return how->rootfs ? 0 : -ENOMEM;
}

/* Make the view, the protected and hidden paths, and config.json. */
static int gather(struct sandbox *s, struct view *view,
		  struct enforce_input *input)
{
	const struct request *request = s->request;
	const struct view_input shown = {
		.policy = &request->policy,
		.name = request->name,
		.hosts = request->hosts,
		.resolver = request->resolver,
		.home = request->home,
		.project = request->project,
		.cwd = request->cwd,
		.env = request->env,
		.source = request->source,
		.env_files = request->env_files,
		.workdirs = s->workdirs,
	};
	struct prepared *c = s->prepared;
	int r;

	if ((r = sandbox_name_to_id(c->arena, request->name, &c->settings.id)) <
		    0 ||
	    (r = view_make(c->arena, &shown, c->proc, view)) < 0 ||
	    (!s->decision->no_namespaces &&
	     (r = own_files_add(c->arena, &shown, c->proc, view)) < 0) ||
	    (r = policy_files_of_sandbox(c->arena, &shown, c->proc, view,
					 &input->kept)) < 0 ||
	    (r = sandbox_hide_state(c->arena, c->session->root, input)) < 0)
		return r;
	return fill_spec(s);
}

/* Where the changes are staged; run has found and opened them. */
static int find_workdirs(struct sandbox *s)
{
	const struct policy *policy = &s->request->policy;
	const struct workdirs_wishes wishes = {
		.paths = &policy->workdir,
		.proc = s->prepared->proc,
	};
	const struct workdirs *found = s->request->workdirs;
	struct workdirs now = { 0 };
	int r = 0;

	if (policy->workdir.n && policy->chroot)
		return fail(0,
			    "config.workdir and filesystem.chroot cannot be "
			    "used together in this build: remove one of them");
	if (!found) {
		r = workdirs_find(s->arena, &wishes, &now);
		found = &now;
	}
	for (size_t i = 0; r == 0 && i < found->n; i++)
		r = strings_add(s->arena, &s->workdirs, found->items[i].path);
	return r;
}

bool sandbox_has_network(const struct request *request,
			 const struct decision *decision)
{
	return !decision->no_namespaces && !decision->own_users &&
	       request->policy.mode != POLICY_MODE_OPEN;
}

int sandbox_plan(struct prepared *c, const struct request *request,
		 const struct decision *decision,
		 const struct enforce_wishes *wishes)
{
	struct view *view = arena_alloc(c->arena, sizeof *view);
	struct sandbox s = {
		.prepared = c,
		.arena = c->arena,
		.request = request,
		.view = view,
		.spec = &c->spec,
		.decision = decision,
	};
	struct enforce_input input = {
		.kind = decision->no_namespaces ?
				ENFORCE_SANDBOX_NO_NAMESPACES :
				ENFORCE_SANDBOX,
		.policy = request->policy,
		.missing = decision->missing,
		.env_base = request->env_base,
		.host = c->session->host,
		.view = view,
		.wishes = *wishes,
	};
	int r;

	if (!view)
		return -ENOMEM;
	fill_policy(&s, &input);
	if (c->proc < 0)
		c->proc = proc_open();
	if (c->proc < 0)
		return c->proc;
	r = find_workdirs(&s);
	if (r >= 0)
		r = gather(&s, view, &input);
	if (r >= 0)
		r = enforce_make(c->arena, &input, &c->spec, &c->enforcement);
	if (r >= 0)
		r = point_tmpdir(&s);
	if (r < 0) {
		c->enforcement = enforce_given(&input);
		return r;
	}
	if ((r = choose_cgroups(&s)) < 0 || (r = fill_settings(&s)) < 0)
		return r;
	return create_prepare_spec(c);
}
