/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/trace.h - trace a sandbox to find out what it is denied.
 *
 * The sandbox is confined as without tracing: namespaces, mounts, Landlock, the
 * policy's filter. In addition it has a second filter (confine_watch), by which
 * 	a call of the blocklist	raises SIGSYS instead of EPERM or ENOSYS; we
 * 				suppress the signal and return that error
 * 	a call with a path	stops before and after; if it failed, we find
 * 				out whether the policy is the reason
 * In both cases the kernel has decided; the tracer cannot allow anything. The
 * first of these signals kills a process that escapes its tracer
 * (CLONE_UNTRACED), and its calls with paths fail with ENOSYS.
 *
 * The tracer does not see denials without an error of these calls (a name that
 * is missing in a listing), operations on descriptors that were opened before,
 * ioctls on devices, signals and abstract sockets across a namespace; for
 * limits see runtime/diagnose/limits_hit.h. If a program ignores or blocks
 * SIGSYS, the signal has its default action after a denial. A program that
 * changes its memory at the same time can only change what is reported about
 * it.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "runtime/container/create.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/audit.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/trace_calls.h"

struct request;
struct trace_pending; /* a thread between the two stops of a call */

struct trace {
	struct arena *arena;
	struct attribution attribution;
	struct audit audit; /* works without tracing */
	int proc;
	int root;
	pid_t child;	/* the process that was cloned first */
	bool is_reaper; /* detach as soon as the program runs */
	struct trace_map map;
	struct trace_pending *pending;
	size_t npending, size;
	bool executed;	/* the program has started */
	bool over;	/* a process has ended */
	bool signalled; /* we passed a SIGSYS on to the sandbox */
};

#define TRACE_NONE                                           \
	{                                                    \
		.audit = AUDIT_NONE, .proc = -1, .root = -1, \
	}

/* Fill in what attribution needs of a sandbox that is planned. */
void trace_attribution(const struct prepared *prepared,
		       const struct request *request, int root,
		       struct denials *denials, struct attribution *ret);
/* List the paths at which a program is looked for, in this order. */
int trace_candidates(struct arena *arena, const struct oci_process *process,
		     struct strings *ret);
/* Prepare the attribution; there is no process yet. */
int trace_open(struct trace *trace, const struct prepared *prepared,
	       const struct request *request, struct denials *denials);
/* While the child waits at CREATED: trace it and all its descendants. */
int trace_attach(struct trace *trace, const struct creation *creation);
/*
 * Follow the child, which must have been let go, until its program runs or a
 * process has ended.
 */
int trace_follow(struct trace *trace);
/* After a failure: report a program that was not found, without tracing. */
void trace_not_begun(const struct trace *trace,
		     const struct creation *creation);
/* Handle all later stops; for struct foreground_job. */
void trace_traced(void *trace, const siginfo_t *info);
void trace_close(struct trace *trace);
