/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/plan/process.c - plan the steps that set the attributes of `process`.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/personality.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/caps.h"
#include "runtime/plan/make.h"
#include "runtime/plan/protocol.h"

#define DEFAULT_UMASK 0022
#define IOPRIO_CLASS_SHIFT 13
/* The child must still be able to accept at the gate and open the program. */
#define ENOUGH_FILES 64
#define LONG_BITS (8 * sizeof(unsigned long))

static int labels(const struct make_input *in, struct plan *plan)
{
	const struct oci_process *p = in->process;
	struct step *step;

	if (p->apparmor_profile) {
		if (!in->facts->apparmor)
			return fail(0,
				    "process.apparmorProfile: '%s' requested, "
				    "but AppArmor is not enabled",
				    p->apparmor_profile);
		step = plan_add(plan, STEP_WRITE_PROC);
		step->place = "process.apparmorProfile";
		step->text = "self/attr/apparmor/exec";
		step->text2 =
			arena_printf(in->arena, "exec %s", p->apparmor_profile);
		if (!step->text2)
			return -ENOMEM;
	}
	if (is_set(p->selinux_label)) {
		if (!in->facts->selinux)
			return fail(0,
				    "process.selinuxLabel: '%s' requested, but "
				    "SELinux is not enabled",
				    p->selinux_label);
		step = plan_add(plan, STEP_WRITE_PROC);
		step->place = "process.selinuxLabel";
		step->text = "self/attr/exec";
		step->text2 = p->selinux_label;
	}
	return 0;
}

static int add_bits(struct arena *arena, struct step *step, const char *list)
{
	unsigned long *bits =
		arena_array(arena, OCI_MAX_CPUS / LONG_BITS, sizeof *bits);

	if (!bits)
		return -ENOMEM;
	step->cpus.bits = bits;
	step->cpus.nbits = OCI_MAX_CPUS;
	if (list)
		return oci_bit_list(list, bits, OCI_MAX_CPUS);
	memset(bits, 0xff, OCI_MAX_CPUS / 8);
	return 0;
}

int make_affinity(const struct make_input *in, struct plan *plan,
		  const char *list)
{
	struct step *step = plan_add(plan, STEP_AFFINITY);

	step->text = list ? list : "to all CPUs";
	return add_bits(in->arena, step, list);
}

static int memory_policy(const struct make_input *in, struct plan *plan)
{
	const struct oci_memory_policy *m = in->spec->linux_.memory_policy;
	struct step *step;

	if (!m)
		return 0;
	step = plan_add(plan, STEP_MEMORY_POLICY);
	step->place = "linux.memoryPolicy";
	step->number = m->mode;
	step->text = m->nodes;
	if (!m->nodes)
		return 0;
	return add_bits(in->arena, step, m->nodes);
}

static int scheduling(const struct make_input *in, struct plan *plan)
{
	const struct oci_process *p = in->process;
	uint64_t personality = in->spec->linux_.personality;
	struct step *step;
	int r;

	if (p->scheduler) {
		step = plan_add(plan, STEP_SCHEDULER);
		step->place = "process.scheduler";
		step->sched = p->scheduler;
	}
	if (p->io_priority) {
		step = plan_add(plan, STEP_IO_PRIORITY);
		step->place = "process.ioPriority";
		step->number =
			(int64_t)p->io_priority->class << IOPRIO_CLASS_SHIFT |
			p->io_priority->priority;
	}
	r = memory_policy(in, plan);
	if (r < 0)
		return r;
	if (in->enforcement)
		personality |= in->enforcement->process.personality;
	if (in->spec->linux_.has_personality || personality) {
		step = plan_add(plan, STEP_PERSONALITY);
		step->place = "linux.personality";
		step->number = (int64_t)personality;
	}
	if (in->enforcement && in->enforcement->process.no_huge_pages)
		plan_add(plan, STEP_NO_HUGE_PAGES)->place =
			"program.no_huge_pages";
	return 0;
}

/*
 * Leave out capabilities that cannot be granted, with a warning, as version 1.1
 * of the specification demands.
 */
static uint64_t grantable(const char *set, uint64_t wanted, uint64_t have)
{
	uint64_t missing = wanted & ~have;

	for (int cap = 0; missing >> cap; cap++)
		if (missing >> cap & 1)
			log_warning(
				"process.capabilities.%s: %s cannot be granted "
				"(the caller does not have it)",
				set, caps_name(cap));
	return wanted & have;
}

/* At exec root gets the bounding set, so it needs no ambient capabilities. */
static bool is_missed(const struct make_input *in, const struct step_caps *caps,
		      uint64_t missing)
{
	return in->process->user.uid != 0 || caps->inheritable ||
	       missing & ~(caps->bounding & caps->permitted);
}

/* Only permitted and inheritable capabilities can be ambient. */
static uint64_t raisable(const struct make_input *in, uint64_t wanted,
			 const struct step_caps *caps)
{
	uint64_t missing = wanted & ~(caps->permitted & caps->inheritable);

	if (!is_missed(in, caps, missing))
		return wanted & ~missing;
	for (int cap = 0; missing >> cap; cap++)
		if (missing >> cap & 1)
			log_notice("can't raise ambient capability %s: "
				   "operation not permitted (it must be "
				   "permitted and inheritable)",
				   caps_name(cap));
	return wanted & ~missing;
}

static const struct step_caps *capabilities(const struct make_input *in)
{
	uint64_t have = make_has_userns(in) ? ~0ULL : in->facts->caps;
	struct step_caps *caps = arena_alloc(in->arena, sizeof *caps);
	struct caps c;

	if (!caps || caps_read(in->arena, in->process->capabilities, &c) < 0)
		return NULL;
	for (size_t i = 0; i < c.unknown.n; i++)
		log_warning("process.capabilities: unknown capability %s",
			    c.unknown.items[i]);
	caps->bounding = grantable("bounding", c.bounding, have);
	caps->effective = grantable("effective", c.effective, have);
	caps->inheritable = grantable("inheritable", c.inheritable, have);
	caps->permitted = grantable("permitted", c.permitted, have);
	caps->ambient = raisable(in, c.ambient, caps);
	/*
	 * A filter without no_new_privs needs CAP_SYS_ADMIN. exec takes it
	 * away again: it is neither in the bounding set nor inheritable.
	 */
	caps->keep_admin = in->filter && !in->process->no_new_privileges;
	return caps;
}

static bool is_mapped(const struct oci_id_maps *maps, uint32_t id)
{
	if (maps->n == 0)
		return true;
	for (size_t i = 0; i < maps->n; i++)
		if (id >= maps->items[i].container_id &&
		    id - maps->items[i].container_id < maps->items[i].size)
			return true;
	return false;
}

static int check_ids(const struct make_input *in)
{
	const struct oci_linux *l = &in->spec->linux_;
	const struct oci_user *u = &in->process->user;

	if (!make_has_userns(in))
		return 0;
	if (!is_mapped(&l->uid_mappings, u->uid))
		return fail(0,
			    "process.user.uid: %u is not mapped by "
			    "linux.uidMappings",
			    u->uid);
	if (!is_mapped(&l->gid_mappings, u->gid))
		return fail(0,
			    "process.user.gid: %u is not mapped by "
			    "linux.gidMappings",
			    u->gid);
	for (size_t i = 0; i < u->ngroups; i++)
		if (!is_mapped(&l->gid_mappings, u->groups[i]))
			return fail(0,
				    "process.user.additionalGids[%zu]: %u "
				    "is not mapped by linux.gidMappings",
				    i, u->groups[i]);
	return 0;
}

/* True if the runtime sets this variable itself. */
static bool is_replaced(const struct make_input *in, const char *entry)
{
	if (in->settings.listen_fds && (starts_with(entry, "LISTEN_FDS=") ||
					starts_with(entry, "LISTEN_PID=")))
		return true;
	if (in->settings.notify_socket && starts_with(entry, "NOTIFY_SOCKET="))
		return true;
	return streq(entry, "HOME=");
}

/* Make argv, envp with HOME, and a buffer for the program's path. */
static int exec_step(const struct make_input *in, struct plan *plan,
		     struct step_exec **ret)
{
	const struct strings *env = &in->process->env;
	struct step_exec *exec = arena_alloc(in->arena, sizeof *exec);
	size_t n = 0;

	if (!exec)
		return -ENOMEM;
	exec->envp = arena_array(in->arena, env->n + 5, sizeof *exec->envp);
	exec->found = arena_alloc(in->arena, PATH_MAX);
	if (!exec->envp || !exec->found)
		return -ENOMEM;
	for (size_t i = 0; i < env->n; i++)
		if (!is_replaced(in, env->items[i]))
			exec->envp[n++] = (char *)env->items[i];
	if (!in->settings.only_env && !is_set(oci_env_get(env, "HOME"))) {
		struct step *step = plan_add(plan, STEP_HOME);

		step->number = in->process->user.uid;
		step->buffer.size = PATH_MAX;
		step->buffer.text = arena_alloc(in->arena, PATH_MAX);
		if (!step->buffer.text)
			return -ENOMEM;
		exec->envp[n++] = step->buffer.text;
	}
	if (in->settings.listen_fds) {
		exec->envp[n++] = arena_printf(in->arena, "LISTEN_FDS=%u",
					       in->settings.listen_fds);
		if (!exec->envp[n - 1])
			return -ENOMEM;
		exec->envp[n++] = (char *)"LISTEN_PID=1";
	}
	if (in->settings.notify_socket)
		exec->envp[n++] = (char *)NOTIFY_ENV;
	exec->name = in->settings.program ? in->settings.program :
					    in->process->args.items[0];
	exec->path = oci_env_get(env, "PATH");
	exec->argv = (char *const *)in->process->args.items;
	exec->own_dev = in->facts->own_dev;
	exec->own_ino = in->facts->own_ino;
	*ret = exec;
	return 0;
}

bool make_early_limit(const struct oci_rlimit *limit, struct rlimit *ret)
{
	*ret = (struct rlimit){ limit->soft, limit->hard };
	if (limit->type != RLIMIT_NOFILE)
		return true;
	if (ret->rlim_cur < ENOUGH_FILES)
		ret->rlim_cur = ENOUGH_FILES;
	return ret->rlim_max >= ENOUGH_FILES;
}

static void add_limit(const struct make_input *in, struct plan *plan, size_t i,
		      struct rlimit value)
{
	struct step *step = plan_add(plan, STEP_RLIMIT);

	step->place = arena_printf(in->arena, "process.rlimits[%zu]", i);
	step->rlimit.type = in->process->rlimits[i].type;
	step->rlimit.value = value;
}

/*
 * Raising a limit needs the caller's rights, so do it before the change of
 * user. In a user namespace no process may raise one; the parent does it from
 * outside.
 */
static void limits(const struct make_input *in, struct plan *plan)
{
	struct rlimit value;

	if (make_has_userns(in))
		return;
	for (size_t i = 0; i < in->process->nrlimits; i++)
		if (make_early_limit(&in->process->rlimits[i], &value))
			add_limit(in, plan, i, value);
}

static void identity(const struct make_input *in, struct plan *plan,
		     const struct step_caps *caps)
{
	const struct oci_process *p = in->process;
	struct step *step;

	plan_add(plan, STEP_UMASK)->number = p->user.has_umask ? p->user.umask :
								 DEFAULT_UMASK;
	/*
	 * Without namespaces the child has no capability for these two steps,
	 * and no_new_privs keeps it from gaining any.
	 */
	if (!in->settings.no_namespaces) {
		step = plan_add(plan, STEP_BOUNDING);
		step->place = "process.capabilities.bounding";
		step->caps = caps;
	}
	if (p->no_new_privileges)
		plan_add(plan, STEP_NO_NEW_PRIVS);
	step = plan_add(plan, STEP_CWD);
	step->place = "process.cwd";
	step->text = p->cwd;
	step->flags = CWD_TRY;
	if (!in->settings.no_namespaces) {
		step = plan_add(plan, STEP_USER);
		step->place = "process.user";
		step->user = &p->user;
		step->flags = in->spec->keep_groups ? KEEP_GROUPS : 0;
	}
	step = plan_add(plan, STEP_CAPS);
	step->place = "process.capabilities";
	step->caps = caps;
	/* The change of user has cleared the dumpable flag. */
	if (make_is_open(in))
		plan_add(plan, STEP_DUMPABLE)->number = 1;
	step = plan_add(plan, STEP_CWD);
	step->place = "process.cwd";
	step->text = p->cwd;
}

int make_process(const struct make_input *in, struct plan *plan)
{
	const struct step_caps *caps = capabilities(in);
	struct step_exec *exec;
	int r;

	if (!caps)
		return -ENOMEM;
	r = check_ids(in);
	if (r < 0)
		return r;
	r = labels(in, plan);
	if (r < 0)
		return r;
	r = scheduling(in, plan);
	if (r < 0)
		return r;
	if (!in->settings.has_console) {
		plan_add(plan, STEP_STDIO_NULL);
		plan_add(plan, STEP_STDIO_OWNER)->user = &in->process->user;
	}
	r = exec_step(in, plan, &exec);
	if (r < 0)
		return r;
	limits(in, plan);
	identity(in, plan, caps);
	plan_add(plan, STEP_FIND_PROGRAM)->exec = exec;
	if (in->settings.dies_with_parent || in->settings.supervised)
		plan_add(plan, STEP_DEATH_SIGNAL);
	plan_add(plan, STEP_STOP)->number = WORD_CREATED;
	return 0;
}

static const struct step_exec *found_program(const struct plan *plan)
{
	for (size_t i = plan->nsteps; i-- > 0;)
		if (plan->steps[i].op == STEP_FIND_PROGRAM)
			return plan->steps[i].exec;
	return NULL;
}

/* Any process may lower a limit; raising was done before. */
static void descriptor_limit(const struct make_input *in, struct plan *plan)
{
	for (size_t i = 0; i < in->process->nrlimits; i++) {
		const struct oci_rlimit *l = &in->process->rlimits[i];

		if (l->type == RLIMIT_NOFILE)
			add_limit(in, plan, i,
				  (struct rlimit){ l->soft, l->hard });
	}
}

static struct step *add_filter(struct plan *plan,
			       const struct confine_filter *filter,
			       const char *place)
{
	struct step *step = plan_add(plan, STEP_SECCOMP);

	step->place = place;
	step->filter.code = filter->code;
	step->filter.len = filter->len;
	step->filter.flags = filter->flags;
	step->filter.notifies = filter->notifies;
	return step;
}

int make_last_steps(const struct make_input *in, struct plan *plan)
{
	const struct step_exec *exec = found_program(plan);
	unsigned int kept = in->settings.preserve_fds + in->settings.listen_fds;
	struct step *step;

	if (in->settings.has_gate) {
		step = plan_add(plan, STEP_GATE);
		step->in = SLOT_GATE;
		step->number = kept;
	}
	if (kept)
		plan_add(plan, STEP_PRESERVE_FDS)->number = kept;
	if (in->settings.has_reaper) {
		step = plan_add(plan, STEP_REAPER);
		step->reaper.command_line = in->settings.command_line;
		step->reaper.size = in->settings.command_line_size;
		step->reaper.terminal = in->spec->process->terminal;
		step->reaper.signal = in->settings.end_signal;
	}
	plan_add(plan, STEP_LAST_WORD)->exec = exec;
	descriptor_limit(in, plan);
	if (in->enforcement && in->enforcement->process.landlock.needed) {
		step = plan_add(plan, STEP_LANDLOCK);
		step->place = "Landlock";
		step->in = SLOT_RULESET;
		step->flags = in->enforcement->process.landlock.flags;
	}
	if (in->enforcement && in->enforcement->kind != ENFORCE_NOTHING)
		add_filter(plan, &in->enforcement->process.blocklist,
			   "syscalls");
	if (in->enforcement && in->enforcement->process.notify.len)
		add_filter(plan, &in->enforcement->process.notify, "supervisor")
			->filter.notifies = true;
	if (in->enforcement && in->enforcement->watch.len)
		add_filter(plan, &in->enforcement->watch, "--why");
	if (in->filter)
		add_filter(plan, in->filter, "linux.seccomp");
	plan_add(plan, STEP_EXEC)->exec = exec;
	return 0;
}
