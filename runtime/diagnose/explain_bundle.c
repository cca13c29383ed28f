/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain_bundle.c - explain what enforces the policy of a
 * bundle, or of a container that exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "confine/files.h"
#include "confine/host.h"
#include "policy/keys.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/explain.h"
#include "runtime/enforce/saved.h"

#define BEST_EFFORT                                                             \
	"; best effort below writable paths: after a process outside replaces " \
	"a name, the supervisor covers it again within milliseconds "           \
	"(config.strict = [\"deny_replace\"] refuses this)"

/* ---- keys ---- */

static int explain_list(struct arena *arena, const struct explanation *all,
			enum policy_key key, struct explain_line *line)
{
	bool denies = key >= KEY_DENY;
	bool writes = key == KEY_WRITE || key == KEY_WRITE_ONLY;
	const struct policy *policy = &all->request->policy;
	bool best_effort = denies && (files_only_denied(policy) ||
				      policy->write.n || policy->write_only.n);

	line->how = arena_printf(arena, "%sLandlock (version %d)%s%s",
				 denies ? "mounts cover the paths, or " : "",
				 all->host->landlock.abi,
				 denies ? " has no rule for them" :
				 writes ? "; everything else is mounted "
					  "read-only" :
					  "",
				 best_effort ? BEST_EFFORT : "");
	return line->how ? 0 : -ENOMEM;
}

static int explain_limit(const struct explanation *all, const char *how,
			 struct explain_line *line)
{
	const struct policy *policy = &all->request->policy;

	if (policy_disables(policy, PROTECT_CGROUPS)) {
		line->state = EXPLAIN_DISABLED;
		line->how = "config.disable lists cgroups";
	} else if (all->prepared.cgroup_manager == CGROUP_DISABLED) {
		line->state = policy_may_lack(policy, PROTECT_CGROUPS) ?
				      EXPLAIN_DEGRADED :
				      EXPLAIN_REFUSED;
		line->how = "cgroups are disabled";
	} else {
		line->how = how;
	}
	return 0;
}

static const char *mode_text(const struct enforcement *enforcement)
{
	switch (enforcement->policy.mode) {
	case POLICY_MODE_DENY:
		if (enforcement->tcp_only)
			return enforcement->own_network ?
				       "a new, empty network namespace; "
				       "seccomp: only TCP sockets, for bind()" :
				       "seccomp: only TCP sockets, for bind()";
		return enforcement->own_network ?
			       "a new, empty network namespace; seccomp: no "
			       "IPv4 and IPv6 sockets" :
			       "seccomp: no IPv4 and IPv6 sockets";
	case POLICY_MODE_LOOPBACK:
		return "a network namespace with only lo, which is up";
	case POLICY_MODE_OPEN:
		break;
	}
	return "the bundle's own network, unrestricted";
}

int explain_bundle_key(struct arena *arena, const struct explanation *all,
		       enum policy_key key, struct explain_line *line)
{
	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
		return 0;
	}
	switch (key) {
	case KEY_READ:
	case KEY_WRITE:
	case KEY_WRITE_ONLY:
	case KEY_EXECUTE:
	case KEY_DENY:
	case KEY_DENY_READ:
	case KEY_DENY_WRITE:
	case KEY_DENY_EXECUTE:
		return explain_list(arena, all, key, line);
	case KEY_MEMORY:
		return explain_limit(all, "cgroup: the memory controller",
				     line);
	case KEY_CPU:
		return explain_limit(all, "cgroup: the cpu controller", line);
	case KEY_CPU_CORES:
		return explain_limit(all, "cgroup: the cpuset controller",
				     line);
	case KEY_TASKS:
		return explain_limit(all, "cgroup: the pids controller", line);
	case KEY_PROCESSES:
		return explain_limit(all,
				     "cgroup: the pids controller; threads "
				     "count as well",
				     line);
	case KEY_NET_MODE:
		line->how = mode_text(&all->prepared.enforcement);
		return 0;
	case KEY_GPU_DEVICES:
		line->how = "device nodes, device rules and variables";
		return 0;
	default:
		return explain_key(arena, all, key, line);
	}
}

/* ---- lines without a key ---- */

static int explain_namespaces(struct arena *arena, struct explanation *all)
{
	struct explain_line *line = explain_next(all, "namespaces");
	const char *names = explain_namespace_names(arena, &all->prepared.spec);

	if (!names)
		return -ENOMEM;
	line->how = arena_printf(arena, "as config.json says: %s",
				 *names ? names : "none");
	return line->how ? 0 : -ENOMEM;
}

static int explain_root(struct arena *arena, struct explanation *all)
{
	const struct enforcement *enforcement = &all->prepared.enforcement;
	struct explain_line *line = explain_next(all, "root");

	line->how = arena_printf(
		arena, "%s%s%s%s",
		all->prepared.settings.rootfs ? all->prepared.settings.rootfs :
						"unknown",
		all->prepared.spec.root_readonly ? ", read-only" : "",
		enforcement->writable.n || enforcement->closed.n ?
			"; what the policy does not let it write is mounted "
			"read-only" :
			"",
		enforcement->masks_sockets ?
			"; Unix sockets of processes outside are covered" :
			"");
	return line->how ? 0 : -ENOMEM;
}

static int explain_supervisor(struct arena *arena, struct explanation *all)
{
	enum policy_key key =
		policy_supervisor_key(&all->prepared.enforcement.policy);
	struct explain_line *line;

	if (key == KEY_COUNT)
		return 0;
	line = explain_next(all, "supervisor");
	line->how = arena_printf(arena,
				 "one process of the runtime lives as long as "
				 "the container, because of %s",
				 policy_key_name(key));
	return line->how ? 0 : -ENOMEM;
}

/* ---- files ---- */

/* What lists mean in this root: of the bundle, or of the running container. */
static int resolve(struct arena *arena, struct explanation *all, int root)
{
	const struct prepared *p = &all->prepared;
	const struct oci_process *process = p->spec.process;
	const struct files_place place = {
		.proc = p->proc,
		.root = root,
		.own_pids = true,
		.home = p->enforcement.home,
		.project = all->request->project,
		.env = process->env,
		/* A bundle gets its devices later. */
		.new_dev = !all->id,
	};
	struct files_list *lists = arena_array(arena, 2, sizeof *lists);
	int r;

	if (!lists)
		return -ENOMEM;
	r = files_resolve(arena, &p->enforcement.policy, &place, &lists[0],
			  &lists[1]);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		all->unresolved = arena_strdup(arena, err_text());
		err_clear();
		return all->unresolved ? 0 : -ENOMEM;
	}
	all->allowed = &lists[0];
	all->denied = &lists[1];
	return all->path ? explain_path(arena, all, root) : 0;
}

static int look_at_files(struct arena *arena, struct explanation *all,
			 const struct container *c)
{
	const struct prepared *p = &all->prepared;
	const struct policy *policy = &p->enforcement.policy;
	autoclose int root = -1;
	char path[64];

	if (!all->planned || (!files_wanted(policy) &&
			      !(all->path && files_only_denied(policy))))
		return 0;
	if (c && c->record.pid) {
		snprintf(path, sizeof path, "%d/root", c->record.pid);
		root = openat(p->proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (root < 0)
		root = open(p->settings.rootfs,
			    O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? 0 : resolve(arena, all, root);
}

/* ---- where the policy comes from ---- */

/* A saved policy does not say who set a key, but the annotations do. */
static void name_origins(struct arena *arena,
			 const struct oci_annotations *annotations,
			 struct policy *policy)
{
	const struct policy_place place = { .home = "/", .bundle = true };
	struct policy given = { 0 };
	struct strings all = { 0 };
	const char *profile;

	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (strings_add(arena, &all, policy_key_name(key)) < 0)
			return;
	if (policy_from_annotations(arena, annotations,
				    policy_container_name(annotations), &all,
				    &place, &given, &profile) < 0)
		err_clear();
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		policy->origin[key] = given.set[key] ? given.origin[key] :
						       "a profile";
}

/* Decide once more with the policy that create saved. */
static int decide_saved(struct arena *arena, const struct session *session,
			const struct container *c, struct prepared *p)
{
	struct enforce_input input = {
		.kind = ENFORCE_BUNDLE,
		.env_base = POLICY_ENV_ALL,
		.host = session->host,
		.bundle = c->record.bundle,
		.rootfs = c->record.rootfs,
	};
	int r = enforce_load_policy(arena, c->dir, &input.policy);

	if (r < 0)
		return r;
	name_origins(arena, &p->spec.annotations, &input.policy);
	input.home = oci_env_get(&p->spec.process->env, "HOME");
	return enforce_make(arena, &input, &p->spec, &p->enforcement);
}

static int prepare_container(const struct session *session,
			     const struct container *c, struct prepared *p)
{
	int r = container_is_enforced(c);

	p->settings.bundle = c->record.bundle;
	p->settings.rootfs = c->record.rootfs;
	p->proc = proc_open();
	if (p->proc < 0)
		return p->proc;
	if (r >= 0 && container_spec(session->arena, c, &p->spec) < 0)
		return -EINVAL;
	return r <= 0 ? r : decide_saved(session->arena, session, c, p);
}

static int make_request(struct arena *arena, struct explanation *all)
{
	const struct prepared *p = &all->prepared;
	struct request *request = arena_alloc(arena, sizeof *request);
	const struct oci_process *process = p->spec.process;

	if (!request)
		return -ENOMEM;
	*request = (struct request){ .policy = p->enforcement.policy,
				     .home = p->enforcement.home };
	if (process) {
		request->command = process->args;
		request->project = is_set(process->cwd) &&
						   !streq(process->cwd, "/") ?
					   process->cwd :
					   NULL;
	}
	all->request = request;
	return 0;
}

static int explain_lines(struct arena *arena, struct explanation *all)
{
	int r = explain_namespaces(arena, all);

	if (r >= 0)
		r = explain_root(arena, all);
	if (r >= 0 && all->prepared.enforcement.kind != ENFORCE_NOTHING)
		r = explain_calls(arena, all);
	if (r >= 0)
		r = explain_environment(arena, all);
	if (r >= 0)
		r = explain_supervisor(arena, all);
	if (r >= 0)
		r = explain_floors(arena, all);
	return r < 0 ? r : explain_keys(arena, all);
}

int explain_bundle(const struct session *session, const char *bundle,
		   const char *id, const char *path, struct explanation *ret)
{
	static const struct host_probe works = { .works = true };
	const struct create_options options = { .bundle = bundle };
	struct arena *arena = session->arena;
	autocontainer struct container c = CONTAINER_NONE;
	struct prepared *p = &ret->prepared;
	int r = 0;

	*ret = (struct explanation){
		.prepared = PREPARED_NONE,
		.id = id,
		.path = path,
		.host = session->host,
		.check.host = session->host,
		.lines = arena_array(arena, EXPLAIN_LINES, sizeof *ret->lines),
	};
	p->arena = arena;
	p->session = session;
	p->options = &options;
	p->cgroup_manager = session->cgroup_manager;
	if (!ret->lines)
		return -ENOMEM;
	/* A filter that cannot be loaded is an error of create. */
	session->host->seccomp = works;
	if (id)
		r = container_load_sound(arena, session->root, id, &c);
	if (r >= 0 && !id)
		r = create_load(p);
	if (r < 0)
		return r;
	r = id ? prepare_container(session, &c, p) : create_enforce(p);
	ret->bundle = p->settings.bundle;
	ret->planned = r >= 0;
	r = explain_note(arena, ret, r);
	if (r >= 0)
		r = make_request(arena, ret);
	if (r >= 0)
		r = look_at_files(arena, ret, id ? &c : NULL);
	if (r >= 0)
		r = explain_lines(arena, ret);
	p->options = NULL;
	return r;
}
