/* SPDX-License-Identifier: Apache-2.0 */
/* darwin/run.c - run: execute a command under a Seatbelt profile. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/log.h"
#include "base/util.h"
#include "confine/seatbelt.h"
#include "darwin/commands.h"
#include "darwin/environment.h"
#include "darwin/process.h"
#include "oci/write.h"
#include "runtime/diagnose/explain_macos.h"
#include "runtime/sandlock/arguments.h"

#define MS_PER_S 1000
#define NS_PER_MS 1000000

struct outcome {
	struct darwin_end end;
	struct timespec began;
	bool sandboxed;
	const char *error; /* nothing was run; or NULL */
};

static int64_t milliseconds_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)(now.tv_sec - began->tv_sec) * MS_PER_S +
	       (now.tv_nsec - began->tv_nsec) / NS_PER_MS;
}

/* The members are those of Linux; Seatbelt does not report denials. */
static int tell_json(struct arena *arena, const struct request *request,
		     const struct outcome *outcome)
{
	int64_t ms = milliseconds_since(&outcome->began);
	const char *seconds = arena_printf(arena, "%lld.%03lld",
					   (long long)(ms / MS_PER_S),
					   (long long)(ms % MS_PER_S));
	const char *text;
	struct writer w;
	size_t len;
	int r;

	if (!seconds)
		return -ENOMEM;
	writer_open(&w, arena, WRITE_LINE);
	put_object(&w, NULL);
	put_string(&w, "name", request->name);
	put_i64(&w, "status", outcome->end.status);
	if (outcome->end.signal)
		put_i64(&w, "signal", outcome->end.signal);
	if (outcome->error)
		put_string(&w, "error", outcome->error);
	put_bool(&w, "timed_out", outcome->end.timed_out);
	put_bool(&w, "sandboxed", outcome->sandboxed);
	put_array(&w, "degraded");
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (seatbelt_loses(&request->policy, key))
			put_string(&w, NULL, policy_key_name(key));
	put_end(&w);
	put_number(&w, "duration", seconds);
	put_string(&w, "denied", NULL);
	put_end(&w);
	r = writer_close(&w, &text, &len);
	if (r < 0)
		return r;
	r = io_write_all(STDERR_FILENO, text, len);
	return r < 0 ? fail(-r, "write the result of --json to stderr") : 0;
}

static bool is_excluded(const struct request *request)
{
	return strings_has(&request->policy.excluded,
			   request->command.items[0]);
}

static int check_request(const struct request *request)
{
	const struct policy *policy = &request->policy;

	if (request->why)
		return fail(0, "--why is not available on macOS: Seatbelt does "
			       "not report denials to the program");
	if (request->terminal)
		return fail(0, "--tty is not available on macOS: the command "
			       "has the caller's terminal");
	if (!request->unsandboxed && is_excluded(request))
		return fail(0,
			    "%s: program.excluded in %s lists it, and macOS "
			    "runs no command without a sandbox by itself: use "
			    "--unsandboxed",
			    request->command.items[0],
			    policy->origin[KEY_EXCLUDED]);
	if (request->unsandboxed && policy->set[KEY_ALLOW_UNSANDBOXED] &&
	    !policy->allow_unsandboxed)
		return fail(0,
			    "--unsandboxed: denied by "
			    "program.allow_unsandboxed = false in %s",
			    policy->origin[KEY_ALLOW_UNSANDBOXED]);
	if (!request->unsandboxed && !policy_allows_files(policy))
		return fail(0, "nothing is readable; add -r @system");
	return 0;
}

static void tell_lost(const struct policy *policy)
{
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (seatbelt_loses(policy, key))
			log_warning("config.allow_degraded: %s is not enforced "
				    "on macOS, which this setting accepts",
				    policy_key_name(key));
}

static size_t list_limits(const struct policy *policy, struct oci_rlimit ret[2])
{
	size_t n = 0;

	if (policy->no_coredump)
		ret[n++] = (struct oci_rlimit){ .type = RLIMIT_CORE };
	if (policy->set[KEY_OPEN_FILES])
		ret[n++] = (struct oci_rlimit){ RLIMIT_NOFILE,
						policy->open_files,
						policy->open_files };
	return n;
}

static int run_request(struct arena *arena, const struct request *request,
		       struct outcome *outcome)
{
	const struct policy *policy = &request->policy;
	struct oci_rlimit limits[2];
	struct darwin_process process = {
		.command = request->command,
		.env = request->env,
		.cwd = policy->set[KEY_CWD] ? policy->cwd : request->cwd,
		.rlimits = limits,
		.timeout_ms = request->timeout_ms,
	};
	int r = check_request(request);

	if (r < 0)
		return r;
	outcome->sandboxed = !request->unsandboxed;
	if (outcome->sandboxed) {
		process.nrlimits = list_limits(policy, limits);
		tell_lost(policy);
		r = explain_macos_profile(arena, request, &process.profile);
		if (r == 0)
			r = darwin_environment(arena, policy, request->env_base,
					       &request->env, &process.env);
	} else {
		log_warning("%s runs without a sandbox (--unsandboxed)",
			    request->command.items[0]);
	}
	return r < 0 ? r : darwin_run(arena, &process, &outcome->end);
}

static int run(const struct session *session, const void *options, int argc,
	       char **argv)
{
	struct outcome outcome = { .end = { .status = DARWIN_OUR_FAILURE } };
	struct arena *arena = session->arena;
	struct request_arguments args;
	int r;

	(void)options;
	clock_gettime(CLOCK_MONOTONIC, &outcome.began);
	r = arguments_take(arena, &darwin_command_run, argc, argv, &args);
	if (r <= 0)
		return r;
	if (args.request.command.n == 0)
		return fail(0, "run: the command is missing");
	r = run_request(arena, &args.request, &outcome);
	if (r < 0)
		log_error(outcome.error = err_text());
	if (args.request.json && tell_json(arena, &args.request, &outcome) < 0)
		return -1;
	return outcome.end.status;
}

const struct command darwin_command_run = {
	.name = "run",
	.arguments = "[options] [policy] [--] [COMMAND [ARG...]]",
	.help = "run a command in a sandbox",
	.options = arguments_options,
	.noptions = ARGUMENTS_NOPTIONS,
	.own_words = true,
	.run = run,
	.failure = DARWIN_OUR_FAILURE,
};
