/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/trace.h - trace a sandbox to learn what it is refused.
 *
 * What holds the sandbox is the same as without: namespaces, mounts, Landlock,
 * the policy's filter. On top of it comes a second filter (confine_watch), by
 * which
 *	a call of the blocklist	raises SIGSYS instead of EPERM or ENOSYS; we
 *				suppress the signal and return that error
 *	a call with a path	stops before and after; when it failed, the
 *				policy is asked whether it is the reason
 * Either way the kernel has decided; nothing here can allow anything. A process
 * that gets away from its tracer (CLONE_UNTRACED) is ended by the first of
 * these signals, and its calls with paths fail with ENOSYS.
 *
 * Not seen: what fails without an error of these calls (a name that is missing
 * from a listing), operations on descriptors that were opened before, ioctls on
 * devices, signals and abstract sockets across a namespace; limits are for
 * runtime/diagnose/limits_hit.h. A program that ignores or blocks SIGSYS finds it back at its
 * default after a refusal. What a program does to its own memory while it is
 * looked at may change what is told of it, and no more.
 */
#pragma once

#include <signal.h>
#include <sys/types.h>

#include "runtime/container/create.h"
#include "runtime/diagnose/attribute.h"
#include "runtime/diagnose/audit.h"
#include "runtime/diagnose/denials.h"
#include "runtime/diagnose/trace_calls.h"

struct trace_pending; /* a thread between the two stops of a call */

struct trace {
	struct arena *arena;
	struct attribution attribution;
	struct audit audit; /* what is there to be known without tracing */
	int proc;
	int root;
	pid_t child;	/* who was cloned first */
	bool is_reaper; /* let go of as soon as the program is there */
	struct trace_map map;
	struct trace_pending *pending;
	size_t npending, size;
	bool executed;	/* the program has begun */
	bool over;	/* somebody has ended */
	bool signalled; /* we passed a SIGSYS on to the sandbox */
};

#define TRACE_NONE                                           \
	{                                                    \
		.audit = AUDIT_NONE, .proc = -1, .root = -1, \
	}

/* Begin to attribute; there is no process yet. */
int trace_open(struct trace *why, const struct prepared *prepared,
	       struct denials *denials);
/* While the child waits at CREATED: it and all that come from it are traced. */
int trace_attach(struct trace *why, const struct creation *creation);
/* Let the child go before; until its program runs, or one has ended. */
int trace_follow(struct trace *why);
/* After a failure: a program that was not found needs no tracer. */
void trace_not_begun(const struct trace *why, const struct creation *creation);
/* For struct foreground_job: everything after that. */
void trace_traced(void *why, const siginfo_t *info);
void trace_close(struct trace *why);
