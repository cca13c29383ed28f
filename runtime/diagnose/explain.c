/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/explain.c - plan like `run`, and note what enforces each
 * key.
 */
#include "runtime/diagnose/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/mountinfo.h"
#include "base/proc.h"
#include "base/text.h"
#include "base/util.h"
#include "confine/covered.h"
#include "confine/host.h"
#include "policy/keys.h"
#include "policy/syscalls.h"
#include "runtime/enforce/files.h"
#include "runtime/enforce/view.h"
#include "runtime/sandbox/probe.h"
#include "runtime/sandbox/readable.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/unsandboxed.h"

static const char *const state_names[] = {
	[EXPLAIN_ENFORCED] = "enforced",
	[EXPLAIN_DEGRADED] = "degraded",
	[EXPLAIN_DISABLED] = "disabled",
	[EXPLAIN_REFUSED] = "refused",
	[EXPLAIN_UNENFORCED] = "not enforced by this build",
};

const char *explain_state_name(enum explain_state state)
{
	return state_names[state];
}

static int refuse(struct arena *arena, struct explanation *all,
		  const char *reason)
{
	if (all->refusal)
		return 0;
	all->refusal = arena_strdup(arena, reason);
	return all->refusal ? 0 : -ENOMEM;
}

/* An error of the policy is a result, not a failure of explain. */
int explain_note(struct arena *arena, struct explanation *all, int r)
{
	if (r >= 0 || r == -ENOMEM)
		return r;
	return refuse(arena, all, err_text());
}

struct explain_line *explain_next(struct explanation *all, const char *key)
{
	struct explain_line *line = &all->lines[all->n++];

	line->key = key;
	return line;
}

/* ---- lines without a key ---- */

const char *explain_namespace_names(struct arena *arena,
				    const struct oci_spec *spec)
{
	const char *text = "";

	for (int i = 0; text && i < OCI_NAMESPACES; i++)
		if (spec->linux_.namespaces[i].listed)
			text = arena_printf(arena, "%s%s%s", text,
					    *text ? ", " : "",
					    oci_ns_kinds[i].type);
	return text;
}

static bool disables_namespaces(const struct explanation *all)
{
	return policy_disables(&all->request->policy, PROTECT_NAMESPACES);
}

/*
 * Return the files that contain the sandbox's host name instead of the host's.
 */
static const char *own_names(const struct explanation *all)
{
	const struct view *view = all->prepared.enforcement.view;

	if (!view || view->nown == 0)
		return "";
	if (view->nown == 2)
		return "; its name is in its own /etc/hostname and /etc/hosts";
	return strstr(view->own[0].path, "hostname") ?
		       "; its name is in its own /etc/hostname" :
		       "; its name is in its own /etc/hosts";
}

static int explain_namespaces(struct arena *arena, struct explanation *all)
{
	struct explain_line *line = explain_next(all, "namespaces");
	const char *names = explain_namespace_names(arena, &all->prepared.spec);
	const struct host_probe *probe = all->decision.own_users ?
						 &all->host->user_namespaces :
						 &all->host->namespaces;

	if (!names)
		return -ENOMEM;
	if (disables_namespaces(all)) {
		line->state = EXPLAIN_DISABLED;
		line->how = "config.disable lists namespaces; Landlock and "
			    "seccomp remain, and the host's name is visible";
		return 0;
	}
	if (!all->decision.no_namespaces) {
		line->how = arena_printf(arena,
					 "own namespaces: %s; process 1 is a "
					 "reaper that ends with its caller%s",
					 names, own_names(all));
		return line->how ? 0 : -ENOMEM;
	}
	line->state = all->planned ? EXPLAIN_DEGRADED : EXPLAIN_REFUSED;
	line->how =
		arena_printf(arena,
			     "cannot %s: %s, see sandlock check; Landlock and "
			     "seccomp remain, and the host's name is visible",
			     probe->step, errno_text(probe->err));
	return line->how ? 0 : -ENOMEM;
}

int explain_calls(struct arena *arena, struct explanation *all)
{
	const struct policy *policy = &all->request->policy;
	struct explain_line *line = explain_next(all, "system calls");
	struct text how = { .arena = arena };
	const char *comma = "";
	int r;

	text_put(&how, "seccomp blocks ");
	for (unsigned int i = 0; i < SYSCALLS_GROUPS; i++) {
		const char *name = syscall_group_info(i)->name;

		if (strings_has(&policy->extra_allow, name) &&
		    !strings_has(&policy->extra_deny, name))
			continue;
		text_put(&how, "%s%s", comma, name);
		comma = ", ";
	}
	if (strings_has(&policy->extra_allow, "io_uring"))
		text_put(&how, "; io_uring opens files without the filter, so "
			       "suid is not enforced");
	text_put(&how, "; calls of other ABIs kill the process; no_new_privs");
	r = text_close(&how, &line->how);
	if (r < 0 || all->host->seccomp.works)
		return r;
	line->state = EXPLAIN_REFUSED;
	line->how = arena_printf(arena, "cannot %s: %s, see sandlock check",
				 all->host->seccomp.step,
				 errno_text(all->host->seccomp.err));
	return line->how ? refuse(arena, all, line->how) : -ENOMEM;
}

#define MOST_NAMES 20

static const char *search_reason(enum unix_state state)
{
	switch (state) {
	case UNIX_LINKED:
		return "has hard links";
	case UNIX_CLOSED:
		return "bound in a directory that the caller cannot enter";
	default:
		return "not found";
	}
}

/* Name the sockets that may have unknown names, and what is walked for them. */
static void put_walks(struct text *how, const struct explanation *all)
{
	const struct unix_trees *trees = &all->bound.trees;
	const struct unix_sockets *sockets = &all->bound.sockets;
	const char *before = "; walked for them: ";
	size_t n = 0, ntrees = 0;

	for (size_t i = 0; i < trees->n; i++) {
		const struct unix_tree *tree = &trees->items[i];
		const char *walked =
			enforce_walked(&all->prepared.enforcement, tree->place);

		if (!tree->walked || (walked && ntrees++ >= MOST_NAMES))
			continue;
		if (walked)
			text_put(how, "%s%s", before, walked);
		else
			text_put(how, "%snot %s", before, tree->place);
		before = ", ";
	}
	if (ntrees > MOST_NAMES)
		text_put(how, " and %zu more", ntrees - MOST_NAMES);
	before = ", because of the sockets ";
	for (size_t i = 0; i < sockets->n; i++) {
		const struct unix_socket *socket = &sockets->items[i];

		if (!socket->searched_for || n++ >= MOST_NAMES)
			continue;
		text_put(how, "%s'%s' (%s)", before, socket->name,
			 search_reason(socket->state));
		before = ", ";
	}
	if (n > MOST_NAMES)
		text_put(how, " and %zu more", n - MOST_NAMES);
}

static void put_sockets(struct text *how, const struct explanation *all)
{
	const struct enforcement *enforcement = &all->prepared.enforcement;

	if (enforcement->net.unix_sockets)
		text_put(how, "; Landlock denies Unix sockets outside the "
			      "sandbox that are not listed");
	if (!enforcement->masks_sockets)
		return;
	text_put(how, "; Unix sockets outside the sandbox that exist now are "
		      "covered; open are those that are created later, and "
		      "those of network namespaces without a visible process");
	put_walks(how, all);
}

static int explain_root(struct arena *arena, struct explanation *all)
{
	const struct view *view = all->prepared.enforcement.view;
	struct explain_line *line = explain_next(all, "root");
	struct text how = { .arena = arena };

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
		return 0;
	}
	if (all->prepared.enforcement.kind == ENFORCE_SANDBOX_NO_NAMESPACES) {
		line->state = disables_namespaces(all) ? EXPLAIN_DISABLED :
							 EXPLAIN_DEGRADED;
		line->how = arena_printf(
			arena,
			"the host's own root: forbidden files are visible but "
			"not accessible%s",
			all->prepared.enforcement.net.unix_sockets ?
				"; Landlock restricts Unix sockets to those of "
				"the sandbox and those that are allowed" :
				"");
		return line->how ? 0 : -ENOMEM;
	}
	text_put(&how,
		 "a new root: %zu bind mounts, a private /proc and /dev; "
		 "unlisted paths do not exist",
		 view->nbinds);
	put_sockets(&how, all);
	return text_close(&how, &line->how);
}

int explain_environment(struct arena *arena, struct explanation *all)
{
	const struct oci_process *process = all->prepared.spec.process;
	struct explain_line *line = explain_next(all, "environment");
	struct text how = { .arena = arena };

	if (!all->planned) {
		line->state = EXPLAIN_REFUSED;
		line->how = "unknown";
		return 0;
	}
	text_put(&how, "%s", process->env.n ? "" : "empty");
	for (size_t i = 0; i < process->env.n; i++)
		text_put(&how, "%s%.*s", i ? " " : "",
			 (int)strcspn(process->env.items[i], "="),
			 process->env.items[i]);
	return text_close(&how, &line->how);
}

/* ---- keys ---- */

/* True for keys that were given, or that are enforced by default. */
static bool is_told(const struct explanation *all, enum policy_key key)
{
	return all->request->policy.set[key] ||
	       (key == KEY_NET_MODE && !all->bundle) ||
	       (key == KEY_TASKS &&
		all->prepared.enforcement.policy.set[KEY_TASKS]);
}

static int explain_one(struct arena *arena, struct explanation *all,
		       enum policy_key key)
{
	const struct policy_key_info *info = policy_key_info(key);
	const struct policy *policy = &all->request->policy;
	struct explain_line *line = explain_next(all, info->name);
	struct text value = { .arena = arena };
	int r;

	line->origin = policy->set[key] ? policy->origin[key] : "default";
	if (policy->set[key]) {
		policy_show_key(&value, policy, key);
		r = text_close(&value, &line->value);
		if (r < 0)
			return r;
	}
	if (!policy_is_enforced(policy, key)) {
		line->state = EXPLAIN_UNENFORCED;
		line->how = info->about;
		return 0;
	}
	r = all->bundle ? explain_bundle_key(arena, all, key, line) :
			  explain_key(arena, all, key, line);
	if (r < 0 || line->state != EXPLAIN_REFUSED)
		return r;
	line->how = line->how ? line->how : "cannot be enforced on this host";
	return refuse(arena, all,
		      arena_printf(arena, "%s: %s", info->name, line->how));
}

int explain_keys(struct arena *arena, struct explanation *all)
{
	int r = 0;

	for (enum policy_key key = 0; r >= 0 && key < KEY_COUNT; key++)
		if (is_told(all, key))
			r = explain_one(arena, all, key);
	return r < 0 ? r : 0;
}

int explain_floors(struct arena *arena, struct explanation *all)
{
	static const enum policy_key lists[] = { KEY_READ, KEY_WRITE,
						 KEY_WRITE_ONLY, KEY_EXECUTE,
						 KEY_UNIX };
	const struct policy_floor *floor;
	int r = 0;

	for (floor = all->request->policy.floor; r >= 0 && floor;
	     floor = floor->policy.floor) {
		struct explain_line *line =
			explain_next(all, "enforced profile");
		struct text how = { .arena = arena };

		line->value = floor->name;
		text_put(&how, "the policy can only tighten it");
		for (size_t i = 0; i < COUNT(lists); i++) {
			if (!floor->policy.set[lists[i]])
				continue;
			text_put(&how, "; only files in its %s ",
				 policy_key_name(lists[i]));
			policy_show_key(&how, &floor->policy, lists[i]);
		}
		r = text_close(&how, &line->how);
	}
	return r < 0 ? r : 0;
}

/* ---- the whole explanation ---- */

/* Report keys that this build refuses; plan the rest without them. */
static int settle(struct arena *arena, struct explanation *all,
		  struct request **ret)
{
	static const char *const any[] = { "/", NULL };
	struct request *request = arena_alloc(arena, sizeof *request);
	struct policy *policy;

	if (!request)
		return -ENOMEM;
	*request = *all->request;
	/* A plan has a program, but none is started here. */
	if (!request->command.n)
		request->command = STRINGS_OF(any);
	policy = &request->policy;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);

		if (!policy->set[key] || policy_is_enforced(policy, key))
			continue;
		policy->set[key] = false;
		memset(policy_member(policy, key), 0,
		       policy_type_info(info->type)->size);
	}
	*ret = request;
	return explain_note(arena, all,
			    policy_refuse_unenforced(&all->request->policy));
}

static int plan(struct arena *arena, const struct session *session,
		struct explanation *all, const struct request *request)
{
	static const struct create_options options = { 0 };
	struct prepared *c = &all->prepared;
	int r;

	c->arena = arena;
	c->session = session;
	c->options = &options;
	r = sandbox_plan(c, request, &all->decision,
			 &(struct enforce_wishes){ 0 });
	all->planned = r >= 0;
	if (r >= 0 && all->request->command.n &&
	    all->unsandboxed.why == UNSANDBOXED_NO)
		r = readable_check(c, request);
	if (r >= 0)
		r = create_plan(c);
	return explain_note(arena, all, r);
}

/* Report what exists, even if a limit is not available. */
static int look_at_limits(struct arena *arena, struct explanation *all)
{
	return all->host->asked & HOST_LIMITS ?
		       check_cgroups(arena, &all->check) :
		       0;
}

static int look_at_landlock(struct arena *arena, struct explanation *all)
{
	struct landlock_plan *found = arena_alloc(arena, sizeof *found);
	struct prepared *c = &all->prepared;
	int r;

	if (!found)
		return -ENOMEM;
	if (!all->planned || !c->enforcement.process.landlock.needed)
		return 0;
	r = enforce_files_plan(arena, &c->enforcement,
			       &c->enforcement.view->rules, found);
	if (r >= 0)
		all->landlock = found;
	return explain_note(arena, all, r);
}

static int look_at_projects(struct arena *arena, struct explanation *all)
{
	const struct request *request = all->request;
	const char *top = request->policy.chroot;
	autoclose int root =
		open(top ? top : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	autoclose int proc = proc_open();
	const struct files_place place = {
		.proc = proc,
		.root = root,
		.home = request->home,
		.project = request->project,
	};

	if (proc < 0)
		return proc;
	/* Without that directory there is no plan. */
	return root < 0 ? 0 : files_projects(arena, &place, &all->projects);
}

/* Find denied paths below writable ones. */
static int look_at_carves(struct arena *arena, struct explanation *all)
{
	struct prepared *c = &all->prepared;
	const char *top = c->enforcement.policy.chroot;
	autoclose int root = -1;

	if (!all->planned)
		return 0;
	root = open(top ? top : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return fail(errno, "open the root of the sandbox, %s",
			    top ? top : "/");

	struct covered covered = COVERED_NONE; /* run stays to watch */
	const struct enforce_files files = {
		.arena = arena,
		.enforcement = &c->enforcement,
		.root = root,
		.covered = &covered,
		.mntns = c->enforcement.kind == ENFORCE_SANDBOX_NO_NAMESPACES ?
				 -1 :
				 root, /* there is one */
	};

	return explain_note(arena, all,
			    enforce_check_covers(&files,
						 &c->enforcement.view->carves,
						 &all->degraded));
}

/* Find the sockets that run would cover. */
static int look_at_sockets(struct arena *arena, struct explanation *all)
{
	const struct enforcement *enforcement = &all->prepared.enforcement;
	autoclose int proc = -1;
	struct unix_processes processes;
	struct mountinfo table;
	int r;

	if (!all->planned || !enforcement->masks_sockets)
		return 0;
	proc = proc_open();
	if (proc < 0)
		return proc;
	r = enforce_view_mounts(arena, proc, enforcement->view, &table);
	if (r == 0)
		r = unix_survey(arena, proc, 0, &processes);
	if (r == 0)
		r = enforce_find_sockets(arena, proc, &processes, &table,
					 &all->bound);
	return explain_note(arena, all, r);
}

static int look(struct arena *arena, const struct session *session,
		struct explanation *all)
{
	struct decision *decision = &all->decision;
	struct request *request;
	int r = settle(arena, all, &request);

	if (r >= 0)
		r = probe_host(arena, session->host, HOST_SECCOMP);
	if (r >= 0)
		r = decide_surely(arena, &request->policy, session->host,
				  decision);
	if (r >= 0 && decision->refusal)
		r = refuse(arena, all, decision->refusal);
	if (r < 0 || (r = look_at_projects(arena, all)) < 0 ||
	    (r = look_at_limits(arena, all)) < 0 || decision->needs_namespaces)
		return r;
	if ((r = plan(arena, session, all, request)) < 0 ||
	    (r = look_at_landlock(arena, all)) < 0)
		return r;
	r = look_at_carves(arena, all);
	return r < 0 ? r : look_at_sockets(arena, all);
}

int explain_make(struct arena *arena, const struct session *session,
		 const struct request *request, struct explanation *ret)
{
	int r;

	*ret = (struct explanation){
		.prepared = PREPARED_NONE,
		.request = request,
		.host = session->host,
		.check.host = session->host,
		.lines = arena_array(arena, EXPLAIN_LINES, sizeof *ret->lines),
	};
	if (!ret->lines)
		return -ENOMEM;
	r = explain_note(arena, ret,
			 unsandboxed_decide(arena, request, &ret->unsandboxed));
	if (r >= 0)
		r = look(arena, session, ret);
	if (r >= 0)
		r = explain_command(arena, ret);
	if (r >= 0)
		r = explain_namespaces(arena, ret);
	if (r >= 0)
		r = explain_root(arena, ret);
	if (r >= 0)
		r = explain_calls(arena, ret);
	if (r >= 0)
		r = explain_environment(arena, ret);
	if (r >= 0)
		r = explain_floors(arena, ret);
	if (ret->prepared.enforcement.view) {
		const struct view *view = ret->prepared.enforcement.view;

		ret->allowed = &view->allowed;
		ret->denied = &view->denied;
		ret->carves = &view->carves;
	}
	return r < 0 ? r : explain_keys(arena, ret);
}
