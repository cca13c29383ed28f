/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/launch/child_error.c - turn the failure of a child into an error
 * text.
 *
 * Engines search for some of these texts, such as "executable file not found in
 * $PATH".
 */
#include "runtime/launch/child_error.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/proc.h"
#include "base/util.h"
#include "runtime/enforce/enforce.h"
#include "runtime/plan/make.h"
#include "runtime/plan/plan.h"

/* A sandbox of `sandlock run` is no container. */
static const char *before(const struct launch *l)
{
	const struct enforcement *e = l->in ? l->in->enforcement : NULL;

	return e && e->view ? "unable to start the command: " :
			      "unable to start container process: ";
}

static int not_found(const struct launch *l, int error)
{
	const char *name = l->program;

	if (error == ENOENT && !strchr(name, '/'))
		return fail(0,
			    "%sexec: \"%s\": executable file not found in $PATH",
			    before(l), name);
	if (error == ENOENT || error == ENOTDIR || error == ELOOP)
		return fail(error, "%sexec: \"%s\": stat %s", before(l), name,
			    name);
	return fail(error, "%sexec: \"%s\"", before(l), name);
}

static int about_program(const struct launch *l, const struct message *m)
{
	if (m->op == STEP_FIND_PROGRAM)
		return not_found(l, m->error);
	if (m->op == STEP_LAST_WORD && m->error == EXDEV)
		return fail(EPERM,
			    "%sexec: \"%s\": leads to the runtime's own "
			    "binary",
			    before(l), l->program);
	/* The file exists, so its interpreter is missing. */
	return fail_alone(m->error, "exec %s", l->program);
}

static int about_step(const struct launch *l, const struct message *m)
{
	const struct step *step = l->plan && m->step < l->plan->nsteps ?
					  &l->plan->steps[m->step] :
					  NULL;
	const char *what = step ? step_describe(l->arena, step) :
				  step_name((enum step_op)m->op);
	const char *place = step ? step->place : NULL;

	if (m->error == ECANCELED)
		return fail(
			0,
			"%s: the runtime that started this process ended first",
			what);
	if (m->op == STEP_SECCOMP && m->error == EBUSY)
		return fail(0,
			    "%s: a seccomp filter with a listener is needed, "
			    "but this process already has a listener, and the "
			    "kernel allows only one: run outside of the "
			    "container or sandbox that has it",
			    place ? place : "linux.seccomp");
	return fail(m->error, "%s%s%s%s%s", place ? place : "",
		    place ? ": " : "", what, *m->text ? ": " : "", m->text);
}

int child_error_failed(const struct launch *launch, const struct message *m)
{
	struct message copy = *m;
	int r;

	copy.text[sizeof copy.text - 1] = '\0';
	switch (copy.op) {
	case STEP_FIND_PROGRAM:
	case STEP_LAST_WORD:
	case STEP_EXEC:
		r = about_program(launch, &copy);
		break;
	default:
		r = about_step(launch, &copy);
	}
	return copy.error > 0 ? -copy.error : r;
}

/* A child killed this early most likely has too little memory. */
static int killed(const struct launch *launch)
{
	const struct oci_i64 *limit =
		&launch->spec->linux_.resources.memory.limit;

	if (limit->set && limit->value > 0)
		return fail(0,
			    "the container's process was killed by signal 9 "
			    "(KILL) before it ran its program: it exceeded its "
			    "memory limit of %" PRId64
			    " bytes, or something else killed it",
			    limit->value);
	return fail(0, "the container's process was killed by signal 9 (KILL) "
		       "before it ran its program: it ran out of memory, or "
		       "something else killed it");
}

int child_error_died(const struct launch *launch)
{
	siginfo_t info = { 0 };

	/* Another `start` was faster and closed the gate. */
	if (launch->pidfd < 0 && !proc_ends(launch->proc, launch->pid))
		return fail(0, "cannot start an already running container");
	if (launch->pidfd < 0 ||
	    waitid(P_PIDFD, (id_t)launch->pidfd, &info, WEXITED | WNOWAIT) < 0)
		return fail(0, "the container's process died before it ran its "
			       "program (--debug prints what it did last)");
	if (info.si_code == CLD_EXITED)
		return fail(0,
			    "the container's process exited with status %d "
			    "before it ran its program (--debug prints what "
			    "it did last)",
			    info.si_status);
	if (info.si_status == SIGKILL)
		return killed(launch);
	return fail(0,
		    "the container's process was killed by signal %d (%s) "
		    "before it ran its program (--debug prints what it did "
		    "last)",
		    info.si_status, oci_signal_name(info.si_status) ?: "?");
}
