/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/run.c - run: execute a command in a sandbox. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/nested.h"
#include "runtime/container/attached.h"
#include "runtime/diagnose/denials.h"
#include "runtime/diagnose/limits_hit.h"
#include "runtime/diagnose/trace.h"
#include "runtime/enforce/no_namespaces.h"
#include "runtime/launch/foreground.h"
#include "runtime/sandbox/collect.h"
#include "runtime/sandbox/env_file.h"
#include "runtime/sandbox/readable.h"
#include "runtime/sandbox/request.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/sandbox/unsandboxed.h"
#include "runtime/sandlock/arguments.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/result.h"

#define TIMED_OUT 124

static bool is_about_program(const struct creation *c)
{
	return c->launch.failed_op == STEP_FIND_PROGRAM ||
	       c->launch.failed_op == STEP_EXEC;
}

/* Return the status of a shell: program not found, or not executable. */
static int status_of_failure(const struct creation *c, int r)
{
	if (!is_about_program(c))
		return r;
	log_error(err_text());
	return r == -ENOENT || r == -ENOTDIR ? FOREGROUND_NOT_FOUND :
					       FOREGROUND_CANNOT_EXECUTE;
}

/* Send GO and wait for exec; traces: trace the child, without audit. */
static int let_go(struct creation *c, struct trace *trace, bool traces)
{
	int r = traces ? trace_attach(trace, c) :
			 audit_prepare(&trace->audit, &c->launch);

	if (r >= 0)
		r = create_keep(c);
	if (r >= 0 && traces)
		r = trace_follow(trace);
	return r < 0 ? r : launch_until(&c->launch, WORD_EXEC);
}

/* Say where the command starts, if not in the current directory. */
static void tell_cwd(const struct prepared *c, const struct request *request)
{
	const char *cwd = c->spec.process->cwd;

	if (!request->policy.set[KEY_CWD] && !streq(cwd, request->cwd))
		log_hint("%s is not allowed; starting in %s (add -r . or --cwd "
			 "DIR)",
			 request->cwd, cwd);
}

static int start(struct creation *c, const struct request *request,
		 struct attached *attached, struct trace *trace)
{
	int r;

	r = attached_prepare(c->prepared, attached);
	if (r < 0)
		return r;
	r = sandbox_make_room(c->prepared, request->name);
	if (r < 0)
		return r;
	r = create_build(c);
	if (r < 0)
		return r;
	r = attached_open_console(c, attached);
	if (r < 0)
		return r;
	tell_cwd(c->prepared, request);
	r = let_go(c, trace, request->why);
	if (r < 0)
		return r;
	create_hand_over(c);
	return 0;
}

/*
 * The start has failed, so determine the facts that the decision assumed.
 * *ret_again: they lead to another sandbox. If nothing can be determined, the
 * error of the start remains.
 */
static void reconsider(const struct creation *c, const struct request *request,
		       struct decision *decision, bool *ret_again)
{
	struct decision sure;
	struct err_kept kept;

	if (!decision->assumed || is_about_program(c))
		return;
	err_keep(&kept);
	if (decide_surely(c->prepared->arena, &request->policy,
			  c->prepared->session->host, &sure) >= 0 &&
	    !decision_is_same(decision, &sure)) {
		*decision = sure;
		*ret_again = true;
	}
	err_restore(&kept);
}

static int look_on(struct prepared *c, const struct request *request,
		   struct attached *attached, struct trace *trace,
		   struct result *result)
{
	int r = trace_open(trace, c, result->denials);

	if (r < 0)
		return r;
	if (!request->why) {
		audit_attribute(&trace->audit, &trace->attribution);
		attached->on_readable = trace->audit.fd < 0 ? NULL : audit_read;
		attached->ctx = &trace->audit;
		attached->fd = trace->audit.fd;
		return 0;
	}
	attached->traced = trace_traced;
	attached->user = trace;
	result->denials_known = true;
	return 0;
}

/*
 * Decide before the plan how denials are observed. To ask whether auditing is
 * on takes an answer of a kernel thread, so ask only if a person or a program
 * reads the report.
 */
static struct enforce_wishes find_wishes(const struct request *request,
					 struct host *host, struct trace *trace)
{
	if (request->why)
		return (struct enforce_wishes){ .watch = trace_calls_names() };
	return (struct enforce_wishes){
		.log_denials = (request->json || isatty(STDERR_FILENO)) &&
			       audit_open(&trace->audit, host),
	};
}

/* Warn once, however many attempts; these two are reported with their keys. */
static void tell_missing(uint32_t missing, struct result *result)
{
	const uint32_t told = 1U << PROTECT_NAMESPACES | 1U << PROTECT_CGROUPS;

	enforce_tell_missing(missing & ~told & ~result->degraded);
	result->degraded = missing;
}

/* Read the counters of its cgroups before they are removed. */
static int wait_and_ask(struct creation *c, struct attached *attached,
			const struct request *request, struct result *result)
{
	int status = attached_stay(c, attached), hit = 0, r;

	if (status < 0)
		return status;
	if (status > 0 || request->json || request->why)
		hit = limits_hit(c, result->denials);
	r = attached_clear(c);
	if (r < 0 || hit < 0)
		return r < 0 ? r : hit;
	return status;
}

/* Try once; *ret_again: try again with the new *decision. */
static int try_sandbox(const struct session *session,
		       const struct request *request, struct decision *decision,
		       struct result *result, bool *ret_again)
{
	const struct create_options options = { 0 };
	autoprepared struct prepared p = PREPARED_NONE;
	autocreation struct creation c = CREATION_NONE;
	autoattached struct attached attached = ATTACHED_NONE;
	AUTO(trace_close) struct trace trace = TRACE_NONE;
	struct enforce_wishes wishes;
	int r;

	if (decision->refusal)
		return fail(0, "%s", decision->refusal);
	p.arena = session->arena;
	p.session = session;
	p.options = &options;
	c.prepared = &p;
	attached.timeout_ms = request->timeout_ms;
	attached.forward_tstp = !request->terminal;
	attached.no_input = !request->interactive;
	attached.signal = result->signal;
	wishes = find_wishes(request, session->host, &trace);
	r = sandbox_plan(&p, request, decision, &wishes);
	if (r >= 0)
		r = readable_check(&p, request);
	if (r < 0)
		return r;
	decision_tell_lost(&request->policy, decision);
	tell_missing(p.enforcement.missing, result);
	p.settings.end_signal = result->signal;
	r = look_on(&p, request, &attached, &trace, result);
	if (r < 0)
		return r;
	r = create_plan(&p);
	if (r >= 0)
		r = start(&c, request, &attached, &trace);
	/* Clean up only now, so that it does not delay the start. */
	collect_some(session, c.container.root, p.settings.id);
	result->degraded |= c.degraded;
	if (r < 0)
		reconsider(&c, request, decision, ret_again);
	if (*ret_again)
		return r;
	if (r < 0) {
		trace_not_begun(&trace, &c);
		return status_of_failure(&c, r);
	}
	audit_begin(&trace.audit, &c);
	r = wait_and_ask(&c, &attached, request, result);
	if (r != 0 || request->json)
		audit_end(&trace.audit);
	if (decision->no_namespaces)
		no_namespaces_end_children(p.proc);
	result->timed_out = r == FOREGROUND_TIMEOUT;
	return result->timed_out ? TIMED_OUT : r;
}

static int run_sandbox(const struct session *session,
		       const struct request *request, struct result *result)
{
	struct decision decision;
	bool again;
	int r = decide(session->arena, &request->policy, session->host,
		       &decision);

	if (r < 0)
		return r;
	/* Two attempts at most: after that nothing is assumed. */
	do {
		again = false;
		r = try_sandbox(session, request, &decision, result, &again);
	} while (again);
	return r;
}

static int run_plainly(const struct request *request,
		       const struct unsandboxed *decided, struct result *result)
{
	int r;

	result->sandboxed = false;
	r = unsandboxed_run(request, decided, result->signal);
	result->timed_out = r == FOREGROUND_TIMEOUT;
	return result->timed_out ? TIMED_OUT : r;
}

static int run_somehow(const struct session *session,
		       const struct request *request, struct result *result)
{
	struct unsandboxed decided;
	int r = policy_refuse_unenforced(&request->policy);

	if (r >= 0)
		r = unsandboxed_decide(session->arena, request, &decided);
	if (r < 0)
		return r;
	unsandboxed_tell(request, &decided);
	if (decided.why == UNSANDBOXED_NO)
		return run_sandbox(session, request, result);
	return run_plainly(request, &decided, result);
}

/* The result is the last line, even if nothing could be run: taken < 0. */
static int run_and_tell(const struct session *session,
			const struct request *request, int taken)
{
	struct denials denials = { .arena = session->arena };
	struct result result = { .denials = &denials };
	int r = result_open(&result);

	if (r >= 0)
		r = taken < 0 ? taken : run_somehow(session, request, &result);
	if (r < 0) {
		if (!request->json || !result.signal)
			return r;
		result.error = arena_strdup(session->arena, err_text());
		log_error(err_text());
		r = sandlock_run.failure;
	}
	result.status = r;
	r = result_tell(session->arena, request, &result);
	return r < 0 ? r : result.status;
}

/* Return 1 like request_take, or an error. */
static int weaken(const struct session *session, struct request *request)
{
	int r = nested_weaken(session->arena, session->host, &request->policy);

	return r < 0 ? r : 1;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct request_arguments args;
	struct request *request = &args.request;
	int r;

	(void)options;
	r = arguments_take(session->arena, &sandlock_run, argc, argv, &args);
	if (r > 0)
		r = weaken(session, request);
	if (r > 0 && session->command_line &&
	    env_hide_words(session->arena, session->command_line,
			   session->command_line_size, &request->policy) < 0)
		return -ENOMEM;
	if (r == 0 || (r < 0 && !request->json))
		return r;
	return run_and_tell(session, request, r);
}

const struct command sandlock_run = {
	.name = "run",
	.arguments = "[options] [policy] [--] COMMAND [ARG...]",
	.help = "run a command with only what its policy allows",
	.min_args = 1,
	.options = arguments_options,
	.noptions = ARGUMENTS_NOPTIONS,
	.own_words = true,
	.run = run,
	.failure = 125,
};
