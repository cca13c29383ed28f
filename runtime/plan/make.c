/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/plan/make.c - put the parts of a plan in their order. */
#include "runtime/plan/make.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "runtime/plan/join.h"
#include "runtime/plan/protocol.h"

#define SETUP_UMASK 0022

static bool is_new(const struct make_input *in, enum oci_ns ns)
{
	const struct oci_namespace *n = &in->spec->linux_.namespaces[ns];

	return n->listed && !n->path;
}

static int names_and_session(const struct make_input *in, struct plan *plan)
{
	struct step *step;

	plan_add(plan, STEP_SETSID);
	if (!in->settings.no_new_keyring) {
		step = plan_add(plan, STEP_KEYRING);
		step->text =
			arena_printf(in->arena, "_ses.%s", in->settings.id);
		if (!step->text)
			return -ENOMEM;
	}
	if (is_new(in, OCI_NS_NETWORK))
		plan_add(plan, STEP_LOOPBACK)->in =
			SLOT_NAMESPACE + OCI_NS_NETWORK;
	if (is_set(in->spec->hostname)) {
		step = plan_add(plan, STEP_HOSTNAME);
		step->text = in->spec->hostname;
		step->place = "hostname";
	}
	if (is_set(in->spec->domainname)) {
		step = plan_add(plan, STEP_DOMAINNAME);
		step->text = in->spec->domainname;
		step->place = "domainname";
	}
	return 0;
}

/* Hooks run, and interfaces move, after the mounts and before the pivot. */
static bool needs_stop_when_mounted(const struct oci_spec *spec)
{
	return spec->hooks.at[HOOK_PRESTART].n ||
	       spec->hooks.at[HOOK_CREATE_RUNTIME].n ||
	       spec->hooks.at[HOOK_CREATE_CONTAINER].n ||
	       spec->linux_.nnet_devices;
}

static void console(const struct make_input *in, struct plan *plan, bool mount)
{
	const struct oci_process *p = in->process;
	struct step *step;

	if (!in->settings.has_console)
		return;
	step = plan_add(plan, STEP_CONSOLE);
	step->place = "process.terminal";
	step->console.has_size = p->has_console_size;
	step->console.height = (uint16_t)p->console_height;
	step->console.width = (uint16_t)p->console_width;
	step->console.uid = p->user.uid;
	step->console.mount = mount;
}

/*
 * The parent sends trees that need the new user namespace with its answers to
 * UNMAPPED.
 */
static void expect_late_sources(struct plan *plan)
{
	size_t late = 0;

	for (size_t i = 0; i < plan->nsources; i++)
		late += plan->sources[i].late;
	if (late <= MESSAGE_SLOTS)
		return;
	for (size_t i = 0; i < plan->nsteps; i++)
		if (plan->steps[i].op == STEP_STOP &&
		    plan->steps[i].number == WORD_UNMAPPED)
			plan->steps[i].flags =
				(uint32_t)((late - 1) / MESSAGE_SLOTS);
}

static int root_and_mounts(const struct make_input *in, struct plan *plan)
{
	int r;

	r = make_mounts(in, plan);
	if (r >= 0)
		r = make_late_join(in, plan);
	if (r < 0)
		return r;
	expect_late_sources(plan);
	if (needs_stop_when_mounted(in->spec))
		plan_add(plan, STEP_STOP)->number = WORD_MOUNTED;
	if (in->enforcement && in->enforcement->own_network) {
		plan_add(plan, STEP_UNSHARE)->flags = CLONE_NEWNET;
		plan_add(plan, STEP_LOOPBACK);
	}
	console(in, plan, make_has_mountns(in));
	return make_root(in, plan);
}

int make_create(const struct make_input *in, struct plan *ret)
{
	struct plan plan;
	int r;

	r = plan_open(in->arena, &plan);
	if (r < 0)
		return r;
	plan_add(&plan, STEP_UMASK)->number = SETUP_UMASK;
	r = make_namespaces(in, &plan);
	if (r < 0)
		return r;
	if (!plan.late_cgroups)
		r = make_affinity(in, &plan, NULL);
	if (r < 0)
		return r;
	r = names_and_session(in, &plan);
	if (r < 0)
		return r;
	if (!in->settings.no_namespaces)
		r = root_and_mounts(in, &plan);
	if (r < 0)
		return r;
	if (in->enforcement && enforce_has_root_work(in->enforcement))
		plan_add(&plan, STEP_STOP)->number = WORD_ROOTED;
	r = make_process(in, &plan);
	if (r < 0)
		return r;
	r = make_last_steps(in, &plan);
	if (r < 0)
		return r;
	*ret = plan;
	return plan_close(ret);
}

/* execCPUAffinity: set it before the cgroup is joined, and after. */
static int join_on_cpus(const struct make_input *in, struct plan *plan)
{
	const char *initial = in->process->affinity_initial;
	const char *final = in->process->affinity_final;
	int r = 0;

	if (initial)
		r = make_affinity(in, plan, initial);
	if (r >= 0)
		r = make_namespaces(in, plan);
	/* If only the initial one is given, the kernel sets the final one. */
	if (r >= 0 && (final || !initial))
		r = make_affinity(in, plan, final);
	return r;
}

int make_exec(const struct make_input *in, struct plan *ret)
{
	struct plan plan;
	struct step *step;
	int r;

	r = plan_open(in->arena, &plan);
	if (r < 0)
		return r;
	/*
	 * In a shared pid namespace other processes see this one from the
	 * start.
	 */
	plan_add(&plan, STEP_DUMPABLE)->number = 0;
	r = join_on_cpus(in, &plan);
	if (r < 0)
		return r;
	plan_add(&plan, STEP_ENTER_ROOT)->in = SLOT_ROOT;
	if (make_has_userns(in))
		plan_add(&plan, STEP_BECOME_ROOT)->flags =
			in->spec->keep_groups ? KEEP_GROUPS : 0;
	plan_add(&plan, STEP_SETSID);
	if (!in->settings.no_new_keyring) {
		step = plan_add(&plan, STEP_KEYRING);
		step->text =
			arena_printf(in->arena, "_ses.%s", in->settings.id);
		if (!step->text)
			return -ENOMEM;
	}
	console(in, &plan, /* mount= */ false);
	r = make_process(in, &plan);
	if (r < 0)
		return r;
	r = make_last_steps(in, &plan);
	if (r < 0)
		return r;
	*ret = plan;
	return plan_close(ret);
}
