/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/enforce/files.c - make the Landlock rulesets of a container. */
#include "runtime/enforce/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/mountinfo.h"
#include "base/root.h"
#include "base/util.h"
#include "confine/covered.h"
#include "confine/files.h"
#include "confine/host.h"
#include "runtime/enforce/enforce.h"
#include "runtime/enforce/placeholders.h"
#include "runtime/enforce/policy_files.h"
#include "runtime/enforce/view.h"

/*
 * Matching recurses as deep as a path is long, in a tree that is not trusted.
 */
#define HELPER_STACK (16UL << 20)
#define GUARD 65536

static bool lacks_namespaces(const struct enforce_files *files)
{
	return files->enforcement->kind == ENFORCE_SANDBOX_NO_NAMESPACES;
}

/* The environment and directory of the process inside. */
static struct files_place place_of(const struct enforce_files *files,
				   struct files_open *open)
{
	const struct oci_process *process = files->process;

	return (struct files_place){
		.proc = files->proc,
		.root = files->root,
		.own_pids = files->own_pids,
		.home = files->enforcement->home ?
				files->enforcement->home :
				oci_env_get(&process->env, "HOME"),
		.project = is_set(process->cwd) && !streq(process->cwd, "/") ?
				   process->cwd :
				   NULL,
		.env = process->env,
		.open = open,
	};
}

/* ---- the ruleset ---- */

/* A path that is gone, or is another file now, gets no rule. */
static int allow_path(const struct enforce_files *files, int ruleset,
		      const struct landlock_rule *rule, int known)
{
	autoclose int own =
		known >= 0 ? -1 :
			     root_open_plain(files->root, rule->path,
					     O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int fd = known >= 0 ? known : own;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	if (fd < 0 || landlock_allow(ruleset, fd, &rule->access) < 0)
		return fail(errno,
			    "filesystem: allow access to %s with Landlock",
			    rule->path);
	return 0;
}

int enforce_files_plan(struct arena *arena,
		       const struct enforcement *enforcement,
		       const struct files_rules *rules,
		       struct landlock_plan *ret)
{
	const struct policy *policy = &enforcement->policy;
	const uint32_t others =
		enforce_by_namespaces(enforcement->kind, policy->mode);
	struct landlock_want want = enforcement->net;
	int r;

	want.files = files_wanted(policy);
	want.paths = rules->items;
	want.npaths = rules->n;
	want.allow_degraded = policy->allow_degraded | others;
	want.disable = policy->disable;
	r = landlock_plan(arena, &enforcement->landlock_host, &want, ret);
	if (r >= 0)
		ret->missing &= ~others;
	return r;
}

static int make_ruleset(const struct enforce_files *files,
			const struct files_open *open,
			const struct landlock_plan *plan)
{
	size_t next = 0;
	autoclose int ruleset = landlock_create(&plan->handled);
	int r;

	if (ruleset < 0)
		return fail(errno, "create the Landlock ruleset of the policy");
	for (size_t i = 0; i < plan->nrules; i++) {
		const struct landlock_rule *rule = &plan->rules[i];

		r = allow_path(files, ruleset, rule,
			       files_open_take(open, rule->path, &next));
		if (r < 0)
			return r;
	}
	if (files->enforcement->process.reopens_stdio && !files->has_console) {
		r = landlock_allow_stdio(ruleset, &plan->handled);
		if (r < 0)
			return r;
	}
	if (landlock_allow_ports(ruleset, plan->ports, plan->nports) < 0)
		return fail(errno,
			    "network.bind: allow the ports with Landlock");
	return take_fd(&ruleset);
}

/* A link may lead to a mount that was made read-only. */
static int check_writable(const struct enforce_files *files,
			  const struct files_list *allowed)
{
	const struct strings *closed = &files->enforcement->closed;

	for (size_t i = 0; i < allowed->n; i++) {
		const struct files_entry *a = &allowed->items[i];

		if (!(a->rights & LANDLOCK_MAY_WRITE))
			continue;
		for (size_t k = 0; k < closed->n; k++)
			if (files_is_at_or_below(a->path, closed->items[k]))
				return fail(0,
					    "%s '%s' leads to a read-only "
					    "mount: list %s instead",
					    a->key, a->item, a->path);
	}
	return 0;
}

static int add_rule(struct files_rules *rules, const char *path,
		    uint32_t rights)
{
	if (rules->n == rules->size)
		return fail(0,
			    "filesystem: a policy can have at most %zu "
			    "Landlock rules: list fewer paths",
			    rules->n);
	rules->items[rules->n++] = (struct landlock_path){
		.path = path,
		.rights = rights,
	};
	return 0;
}

/* A sandbox without namespaces has the host's devices. */
static int find_devices(const struct enforce_files *files,
			struct files_list *ret)
{
	const struct policy *all = &files->enforcement->policy;
	const struct policy policy = {
		.set[KEY_GPU_DEVICES] = all->set[KEY_GPU_DEVICES],
		.gpu_devices = all->gpu_devices,
	};
	const struct files_place place = place_of(files, NULL);
	struct files_list none;

	return files_resolve(files->arena, &policy, &place, ret, &none);
}

/* Its own /dev has only devices that it may use, and it may list all names. */
static int list_own(const struct enforce_files *files, struct files_list *ret)
{
	const struct files_entry own[] = {
		{ .path = "/", .rights = LANDLOCK_MAY_LIST },
		{ .path = "/dev", .rights = LANDLOCK_MAY_USE },
		{ .path = "/dev/shm",
		  .rights = LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE },
		{ .path = "/proc", .rights = LANDLOCK_MAY_USE },
	};
	size_t n = files->own_pids ? COUNT(own) : COUNT(own) - 1;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = files_add(files->arena, ret, &own[i]);
	return r;
}

/* The rules of a view exist already; add those of the sandbox's own files. */
static int settle_view(const struct enforce_files *files,
		       struct files_rules *ret)
{
	const struct files_rules *shown = &files->enforcement->view->rules;
	struct files_list own = { 0 };
	struct files_rules rules = *shown;
	int r = lacks_namespaces(files) ? find_devices(files, &own) :
					  list_own(files, &own);

	if (r < 0)
		return r;
	rules.size = shown->n + own.n;
	rules.items = arena_grow(files->arena, shown->items, shown->n,
				 rules.size, sizeof *rules.items);
	if (!rules.items)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < own.n; i++)
		r = add_rule(&rules, own.items[i].path, own.items[i].rights);
	*ret = rules;
	return r;
}

/* The arguments of the helper. */
struct work {
	const struct enforce_files *files;
	int (*part)(struct work *work);
	struct files_list allowed, denied;
	struct files_carves carves;
	struct mountinfo mounts; /* if something must be covered */
	struct enforce_bound bound;
	struct files_rules rules;
	struct landlock_plan plan;
	struct files_open open; /* only if nothing is mounted over them */
	int ruleset;		/* the result */
	int result;
};

/*
 * True if a privileged caller can resolve the policy through the descriptor of
 * the root, without a helper in the container's namespaces: the paths of a view
 * are known.
 */
static bool is_simple(const struct enforce_files *files)
{
	return files->userns < 0 && geteuid() == 0 &&
	       (files->enforcement->view ||
		files_are_plain(&files->enforcement->policy));
}

static bool has_files(const struct work *w)
{
	return files_wanted(&w->files->enforcement->policy);
}

/* The bundle allows everything, so that only mounts deny anything. */
static int allow_rest(struct work *w)
{
	const struct files_entry all = {
		.path = "/",
		.rights = LANDLOCK_MAY_READ | LANDLOCK_MAY_WRITE |
			  LANDLOCK_MAY_EXECUTE,
		.key = "config.json",
		.item = "root",
		.directory = true,
		.implied = true,
	};

	for (size_t i = 0; i < w->denied.n; i++)
		if (streq(w->denied.items[i].path, "/"))
			return fail(0,
				    "%s '%s': the whole root cannot be denied: "
				    "list what is allowed in filesystem.read",
				    w->denied.items[i].key,
				    w->denied.items[i].item);
	w->allowed = (struct files_list){ 0 };
	return files_add(w->files->arena, &w->allowed, &all);
}

/* Name only the first one; explain lists all. */
static void tell_kept(const struct enforcement *enforcement)
{
	const struct policy_kept *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < enforcement->kept.n; i++)
		if (!enforcement->kept.items[i].on_way) {
			first = first ? first : &enforcement->kept.items[i];
			n++;
		}
	if (first)
		log_warning("%s: the policy file '%s' of a later run is not "
			    "protected without namespaces, which this "
			    "setting accepts (%zu in all, see sandlock "
			    "explain)",
			    policy_disables(&enforcement->policy,
					    PROTECT_NAMESPACES) ?
				    "config.disable" :
				    "config.allow_degraded",
			    first->host, n);
}

static int check_carves(const struct work *w)
{
	const struct enforce_files *files = w->files;
	const struct files_carves *carves = &w->carves;
	uint32_t missing = 0;
	int r = enforce_check_covers(files, carves, &missing);

	if (r < 0)
		return r;
	for (size_t i = 0; lacks_namespaces(files) && i < carves->n; i++)
		if (carves->items[i].rights)
			log_warning("%s: %s '%s' is not enforced without "
				    "namespaces, which this setting accepts",
				    files->enforcement->policy.disable &
						    1U << PROTECT_NAMESPACES ?
					    "config.disable" :
					    "config.allow_degraded",
				    carves->items[i].denied->key,
				    carves->items[i].denied->item);
	if (lacks_namespaces(files))
		tell_kept(files->enforcement);
	enforce_tell_missing(missing & ~files->enforcement->missing);
	if (files->degraded)
		*files->degraded |= missing;
	return 0;
}

/* A bundle's own tmpfs may be written, and nothing in it can be denied. */
static int allow_tmpfs(struct work *w)
{
	const struct enforce_files *files = w->files;
	const struct policy *policy = &files->enforcement->policy;

	for (size_t i = 0; i < policy->tmpfs.n; i++) {
		struct files_entry entry = {
			.rights = files_rights(policy, KEY_WRITE),
			.key = policy_key_name(KEY_TMPFS),
			.directory = true,
		};
		struct policy_tmpfs tmpfs;
		int r = policy_tmpfs(files->arena, policy->tmpfs.items[i],
				     &tmpfs);

		for (size_t k = 0; r == 0 && k < w->denied.n; k++)
			if (files_is_at_or_below(w->denied.items[k].path,
						 tmpfs.path) ||
			    files_is_at_or_below(tmpfs.path,
						 w->denied.items[k].path))
				r = fail(0,
					 "%s '%s' and filesystem.tmpfs '%s': a "
					 "private directory cannot be denied: "
					 "remove one of them",
					 w->denied.items[k].key,
					 w->denied.items[k].item, tmpfs.path);
		entry.path = entry.item = tmpfs.path;
		if (r == 0)
			r = files_add(files->arena, &w->allowed, &entry);
		if (r < 0)
			return r;
	}
	return 0;
}

static int settle_files(struct work *w)
{
	const struct enforce_files *files = w->files;
	const struct files_place place =
		place_of(files, is_simple(files) ? &w->open : NULL);
	int r;

	if (!has_files(w) && !files_only_denied(&files->enforcement->policy))
		return 0;
	if (files->enforcement->view) {
		w->carves = files->enforcement->view->carves;
		w->open = files->enforcement->view->open;
		return settle_view(files, &w->rules);
	}
	r = files_resolve(files->arena, &files->enforcement->policy, &place,
			  &w->allowed, &w->denied);
	if (r == 0)
		r = allow_tmpfs(w);
	if (r == 0 && !has_files(w))
		r = allow_rest(w);
	else if (r == 0)
		r = check_writable(files, &w->allowed);
	if (r == 0)
		r = files_carve(files->arena, &w->allowed, &w->denied,
				&w->carves);
	return r;
}

/* Find the rules and mounts, without making anything. */
static int settle(struct work *w)
{
	int r = settle_files(w);

	if (r == 0)
		r = check_carves(w);
	if (r < 0 || w->files->mntns < 0)
		return r;
	return policy_files_carve(w->files, &w->carves);
}

/* The mounts are the container's; settle may have run outside. */
static int read_mounts(struct work *w)
{
	const struct enforce_files *files = w->files;
	char name[32];

	if (!enforce_has_covers(files, &w->carves))
		return 0;
	snprintf(name, sizeof name, "%d", files->pid);
	return mountinfo_read(files->arena, files->proc, name, &w->mounts);
}

/* In the namespaces of the caller, who sees more processes than a container. */
static int find_sockets(struct work *w)
{
	const struct enforce_files *files = w->files;
	int r = read_mounts(w);

	if (r < 0 || files->mntns < 0 || !files->enforcement->masks_sockets)
		return r;
	return enforce_find_sockets(files->arena, files->proc, files->processes,
				    &w->mounts, &w->bound);
}

static int allow_sockets(struct work *w)
{
	const struct enforcement *enforcement = w->files->enforcement;

	if (!enforcement->net.unix_sockets)
		return 0;
	return enforce_sockets_allow(w->files,
				     enforcement->view ?
					     &enforcement->view->denied :
					     &w->denied,
				     &w->rules);
}

/* Missing protections were already reported, except those for files. */
static int plan_files(struct work *w)
{
	const struct enforce_files *files = w->files;
	int r = enforce_files_plan(files->arena, files->enforcement, &w->rules,
				   &w->plan);

	if (r < 0)
		return r;
	if (files->degraded)
		*files->degraded |= w->plan.missing;
	enforce_tell_missing(w->plan.missing & ~files->enforcement->missing);
	return 0;
}

static int open_ruleset(struct work *w)
{
	w->ruleset = make_ruleset(w->files, &w->open, &w->plan);
	return w->ruleset < 0 ? w->ruleset : 0;
}

/* Make rules after the last mount. */
static int hold(struct work *w)
{
	const struct enforce_files *files = w->files;
	int r = enforce_covers(files, &w->carves, &w->mounts, &w->bound);

	if (r == 0 && has_files(w) && !files->enforcement->view)
		r = files_split(files->arena, files->root, &w->allowed,
				&w->denied, &w->rules);
	if (r == 0)
		r = allow_sockets(w);
	if (r < 0 || !files->enforcement->process.landlock.needed)
		return r;
	r = plan_files(w);
	return r < 0 ? r : open_ruleset(w);
}

/*
 * An unprivileged caller may not access files of other ids of the container, so
 * that a pattern would miss files that a process inside can see. And mounts can
 * only be made in the container's mount namespace. So a helper that shares
 * memory and descriptors with us does this there.
 */
static int enter_and_work(void *arg)
{
	struct work *w = arg;

	if (w->files->userns >= 0 && setns(w->files->userns, CLONE_NEWUSER) < 0)
		w->result = fail(errno, "enter the container's user namespace");
	else if (w->files->mntns >= 0 &&
		 setns(w->files->mntns, CLONE_NEWNS) < 0)
		w->result =
			fail(errno, "enter the container's mount namespace");
	else
		w->result = w->part(w);
	return 0;
}

static int work_inside(struct work *w, int (*part)(struct work *work))
{
	char *stack;
	pid_t pid;

	if (w->files->userns < 0 && w->files->mntns < 0)
		return part(w);
	w->part = part;
	w->result = -EIO;
	stack = mmap(NULL, HELPER_STACK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE,
		     -1, 0);
	if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) < 0)
		return fail(errno, "allocate a stack for a process in the "
				   "container's namespaces");
	pid = clone(enter_and_work, stack + HELPER_STACK,
		    CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, w);
	if (pid < 0)
		return fail(errno,
			    "create a process in the container's namespaces");
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	(void)munmap(stack, HELPER_STACK);
	return w->result;
}

/* What is mounted there may cover a file that is open. */
static int hold_inside(struct work *w)
{
	files_open_close(&w->open);
	return work_inside(w, hold);
}

static int make_placeholders(const struct work *w)
{
	const struct placeholders places = {
		.arena = w->files->arena,
		.spec = w->files->spec,
		.rootfs = w->files->rootfs,
		.proc = w->files->proc,
		.root = w->files->root,
		.state = w->files->state,
	};

	return w->files->mntns < 0 ? 0 : placeholders_make(&places, &w->carves);
}

/* Only a process in the container's mount namespace can mount. */
static bool has_mounts(const struct work *w)
{
	const struct enforcement *enforcement = w->files->enforcement;

	return w->files->mntns >= 0 &&
	       (w->carves.n || enforcement->hidden.n ||
		(enforcement->masks_sockets && enforce_has_sockets(&w->bound)));
}

int enforce_files_create(const struct enforce_files *files, int *ret_ruleset,
			 struct landlock_plan *ret_plan)
{
	struct work work = { .files = files, .ruleset = -1 };
	autoclose int ruleset = -1;
	int r = is_simple(files) ? settle(&work) : work_inside(&work, settle);

	if (r == 0)
		r = make_placeholders(&work);
	if (r == 0)
		r = find_sockets(&work);
	if (r == 0 && files->covered)
		r = enforce_watch_covers(files, &work.carves, &work.mounts);
	if (r == 0 && is_simple(files) && !has_mounts(&work))
		r = hold(&work);
	else if (r == 0)
		r = hold_inside(&work);
	files_open_close(&work.open);
	if (r == 0 && files->covered)
		covered_note(files->covered);
	ruleset = work.ruleset;
	if (r < 0)
		return r;
	*ret_plan = work.plan;
	*ret_ruleset = take_fd(&ruleset);
	return 0;
}

int enforce_files_open(const struct enforce_files *files)
{
	struct work work = { .files = files,
			     .plan = files->enforcement->process.landlock,
			     .ruleset = -1 };
	int r = work_inside(&work, open_ruleset);

	return r < 0 ? r : work.ruleset;
}
