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
#include "control/sandbox.h"
#include "cow/workdirs.h"
#include "runtime/container/attached.h"
#include "runtime/denials/denials.h"
#include "runtime/denials/trace.h"
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
#include "runtime/supervisor/network.h"

#define TIMED_OUT 124
#define EVENT_ARENA (1UL << 20)

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

/* Tell those who listen what was denied. */
static void publish(void *ctx, const struct denial *denial)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct event event;

	if (arena_open(&arena, EVENT_ARENA) < 0)
		return;
	event = denial_event(&arena, denial);
	control_sandbox_publish(ctx, &event);
}

/* Where events of the sandbox go while it runs. */
struct readers {
	struct arena *arena;
	struct control_sandbox *control;
	struct result *result; /* NULL: without --json */
};

static void publish_event(void *ctx, const struct event *event)
{
	const struct readers *readers = ctx;

	control_sandbox_publish(readers->control, event);
	if (readers->result)
		result_add(readers->arena, readers->result, event);
}

static void put_ports(const void *of, struct writer *w)
{
	ports_put_items(w, of);
}

/* Only a sandbox with a name pays for a control socket. */
static int serve(const struct creation *c, const struct request *request,
		 struct loop *loop, struct control_sandbox *control,
		 struct result *result)
{
	struct denials *denials = result->denials;

	if (!request->named)
		return 0;
	control->id = request->name;
	control->ports = put_ports;
	control->ports_of = &result->ports;
	control->init = c->launch.pid;
	denials->added = publish;
	denials->ctx = control;
	return control_sandbox_open(control, loop, c->container.dir, geteuid());
}

/* What works beside the sandbox while it runs. */
struct companions {
	struct attached *attached;
	struct control_sandbox *control;
	struct network *network;
	struct trace *trace;
	struct result *result;
};

static int take_ports(struct arena *arena, const struct network *network,
		      struct ports *ret)
{
	const struct net_published *published = &network->published;
	struct port *items = arena_array(arena, published->n, sizeof *items);

	if (published->n && !items)
		return -ENOMEM;
	for (size_t i = 0; i < published->n; i++)
		items[i] = (struct port){ published->items[i].port,
					  published->items[i].host_port,
					  "tcp" };
	*ret = (struct ports){ items, published->n };
	return 0;
}

/* Start the relay, and tell which ports it publishes. */
static int connect_network(const struct creation *c,
			   const struct companions *with)
{
	struct arena *arena = c->prepared->arena;
	struct ports *ports = &with->result->ports;
	int r = network_start(with->network, c, &with->attached->loop);

	if (r >= 0)
		r = take_ports(arena, with->network, ports);
	if (r >= 0)
		r = ports_save(arena, c->container.dir, ports);
	for (size_t i = 0; r >= 0 && i < ports->n; i++)
		if (ports->items[i].port != ports->items[i].host_port)
			log_hint("port %u is port %u of the host's loopback",
				 ports->items[i].port,
				 ports->items[i].host_port);
	return r < 0 ? r : 0;
}

static int start(struct creation *c, const struct request *request,
		 const struct companions *with)
{
	struct attached *attached = with->attached;
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
	r = connect_network(c, with);
	if (r < 0)
		return r;
	/* Before the terminal is raw. */
	tell_cwd(c->prepared, request);
	r = attached_open_console(c, attached);
	if (r < 0)
		return r;
	r = serve(c, request, &attached->loop, with->control, with->result);
	if (r < 0)
		return r;
	r = let_go(c, with->trace, request->why);
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
	int r = trace_open(trace, c, request, result->denials);

	if (r < 0)
		return r;
	if (!request->why) {
		audit_attribute(&trace->audit, &trace->attribution);
		if (trace->audit.fd >= 0)
			r = loop_add(&attached->loop, trace->audit.fd, POLLIN,
				     audit_readable, &trace->audit);
		return r < 0 ? r : 0;
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
		.log_denials = (request->json || request->named ||
				isatty(STDERR_FILENO)) &&
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
static int wait_and_ask(struct creation *c, const struct companions *with,
			const struct request *request)
{
	int status = attached_stay(c, with->attached), hit = 0, r;

	/* Connections that are open end here, and are reported. */
	network_stop(with->network);
	if (status < 0)
		return status;
	if (status > 0 || request->json || request->why)
		hit = limits_hit(c, &with->trace->attribution);
	control_sandbox_withdraw(with->control);
	r = attached_clear(c, with->attached);
	if (r < 0 || hit < 0)
		return r < 0 ? r : hit;
	return status;
}

/* Prepare to wait, and to send events of the sandbox to its readers. */
static int set_attached(const struct companions *with,
			const struct request *request, struct arena *arena,
			struct result *result)
{
	struct attached *attached = with->attached;
	struct readers *readers = arena_alloc(arena, sizeof *readers);

	if (!readers)
		return -ENOMEM;
	*readers = (struct readers){ arena, with->control,
				     request->json ? result : NULL };
	with->network->publish = publish_event;
	with->network->ctx = readers;
	attached->timeout_ms = request->timeout_ms;
	attached->forward_tstp = !request->terminal;
	attached->no_input = !request->interactive;
	attached->signal = result->signal;
	attached->publish = publish_event;
	attached->ctx = readers;
	return 0;
}

/* The command runs, and may have changed its workdirs. */
static void begin(const struct creation *c, struct trace *trace,
		  struct result *result)
{
	audit_begin(&trace->audit, c);
	workdirs_begin(result->workdirs);
	result->began_staged = true;
}

/* Try once; *ret_again: try again with the new *decision. */
static int try_sandbox(const struct session *session,
		       const struct request *request, struct decision *decision,
		       struct network *network, struct result *result,
		       bool *ret_again)
{
	const struct create_options options = { 0 };
	autoprepared struct prepared p = PREPARED_NONE;
	autocreation struct creation c = CREATION_NONE;
	autoattached struct attached attached = ATTACHED_NONE;
	AUTO(trace_close) struct trace trace = TRACE_NONE;
	AUTO(control_sandbox_close)
	struct control_sandbox control = CONTROL_SANDBOX_NONE;
	const struct companions with = { &attached, &control, network, &trace,
					 result };
	struct enforce_wishes wishes;
	int r;

	if (decision->refusal)
		return fail(0, "%s", decision->refusal);
	p.arena = session->arena;
	p.session = session;
	p.options = &options;
	c.prepared = &p;
	wishes = find_wishes(request, session->host, &trace);
	if (sandbox_has_network(request, decision))
		create_begin_network(&p);
	r = set_attached(&with, request, session->arena, result);
	if (r >= 0)
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
		r = start(&c, request, &with);
	/* Clean up only now, so that it does not delay the start. */
	collect_some(session, c.container.root, p.settings.id);
	result->degraded |= c.degraded;
	if (r < 0) {
		network_stop(network);
		reconsider(&c, request, decision, ret_again);
	}
	if (*ret_again)
		return r;
	if (r < 0) {
		trace_not_begun(&trace, &c);
		return status_of_failure(&c, r);
	}
	begin(&c, &trace, result);
	r = wait_and_ask(&c, &with, request);
	if (r != 0 || request->json)
		audit_end(&trace.audit);
	if (decision->no_namespaces)
		no_namespaces_end_children(p.proc);
	result->timed_out = r == FOREGROUND_TIMEOUT;
	return result->timed_out ? TIMED_OUT : r;
}

/* ---- config.workdir ---- */

/*
 * If a signal or a timeout ended the command, or its status is unknown, its
 * changes may be incomplete: keep them, so that the user can decide.
 */
static enum workdirs_end choose_end(const struct policy *policy,
				    const struct result *result, int status)
{
	static const enum workdirs_end ends[] = {
		[BRANCH_COMMIT] = WORKDIRS_COMMIT,
		[BRANCH_ABORT] = WORKDIRS_ABORT,
		[BRANCH_KEEP] = WORKDIRS_KEEP,
	};

	if (status < 0 || result->timed_out || *result->signal)
		return WORKDIRS_KEEP;
	if (status == 0)
		return ends[policy->on_exit];
	return policy->set[KEY_ON_ERROR] ? ends[policy->on_error] :
					   WORKDIRS_ABORT;
}

/* The status is the command's, unless its changes could not be applied. */
static int end_workdirs(const struct policy *policy, struct result *result,
			int status)
{
	struct err_kept kept;
	int r;

	if (!result->workdirs->n || !result->began_staged)
		return status;
	err_keep(&kept);
	r = workdirs_finish(result->workdirs,
			    choose_end(policy, result, status));
	if (status < 0)
		err_restore(&kept);
	return status ? status : r;
}

static int run_sandbox(const struct session *session,
		       const struct request *request, struct result *result)
{
	AUTO(network_close) struct network network = NETWORK_NONE;
	struct request named = *request;
	struct decision decision;
	bool again;
	int r = decide(session->arena, &request->policy, session->host,
		       &decision);

	if (r == 0)
		r = sandbox_open_workdirs(session->arena, &request->policy,
					  &decision, result->workdirs);
	if (r == 0 && !decision.refusal)
		r = network_prepare(session->arena, &request->policy, &network);
	if (r < 0)
		return r;
	named.hosts = network.plan.hosts;
	named.resolver = network.plan.resolver;
	named.workdirs = result->workdirs;
	/* Two attempts at most: after that nothing is assumed. */
	do {
		again = false;
		network_stop(&network);
		r = try_sandbox(session, &named, &decision, &network, result,
				&again);
		result->denials->added = NULL;
	} while (again);
	return end_workdirs(&request->policy, result, r);
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

/* Settings of other tools, which the policy has no key for. */
static void tell_ignored(const struct policy *policy)
{
	for (size_t i = 0; i < policy->ignored.n; i++)
		log_warning("%s has no effect in this sandbox",
			    policy->ignored.items[i]);
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
	tell_ignored(&request->policy);
	if (decided.why == UNSANDBOXED_NO)
		return run_sandbox(session, request, result);
	return run_plainly(request, &decided, result);
}

/* The result is the last line, even if nothing could be run: taken < 0. */
static int run_and_tell(const struct session *session,
			const struct request *request, int taken)
{
	struct denials denials = { .arena = session->arena };
	AUTO(workdirs_close) struct workdirs workdirs = { 0 };
	struct result result = { .denials = &denials, .workdirs = &workdirs };
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

/* On a terminal the command gets one of its own, unless it is one of a pipe. */
static void choose_terminal(struct request *request)
{
	if (request->terminal || request->no_terminal)
		return;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (!isatty(fd))
			return;
	request->terminal = request->interactive = true;
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct request_arguments args;
	struct request *request = &args.request;
	int r;

	(void)options;
	r = arguments_take(session->arena, &sandlock_run, argc, argv, &args);
	if (r > 0) {
		choose_terminal(request);
		r = weaken(session, request);
	}
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
