/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/ask.c - events and ports of a sandbox that runs.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "control/client.h"
#include "runtime/diagnose/ask.h"
#include "runtime/diagnose/ports.h"
#include "runtime/sandbox/collect.h"
#include "runtime/sandlock/commands.h"
#include "runtime/sandlock/lookup.h"

static int connect_to(const struct session *session, const char *name,
		      struct control_link *ret)
{
	autocontainer struct container c = CONTAINER_NONE;
	int r;

	collect_all(session);
	r = sandlock_find(session, name, &c);
	if (r < 0)
		return r;
	r = control_connect(session->arena, c.dir, ret);
	if (r == -ENOENT || r == -ECONNREFUSED)
		return fail(0,
			    "the sandbox '%s' has no control socket: start it "
			    "with --name",
			    name);
	return r;
}

struct ports_options {
	bool json;
};

static int run_ports(const struct session *session, const void *options,
		     int argc, char **argv)
{
	autocontainer struct container c = CONTAINER_NONE;
	const struct ports_options *o = options;
	struct ports ports;
	int r;

	(void)argc;
	collect_all(session);
	r = sandlock_find(session, argv[0], &c);
	if (r == 0)
		r = ports_load(session->arena, c.dir, &ports);
	return r < 0 ? r : ports_print(session->arena, &ports, o->json);
}

static int run_events(const struct session *session, const void *options,
		      int argc, char **argv)
{
	AUTO(control_disconnect) struct control_link link = CONTROL_LINK_NONE;
	const struct json_value *answer;
	int r = connect_to(session, argv[0], &link);

	(void)argc;
	(void)options;
	if (r >= 0)
		r = control_ask(session->arena, &link, "events", NULL, &answer);
	if (r < 0)
		return r;
	do
		r = ask_print_event(&link, -1);
	while (r > 0);
	return r;
}

static const struct option_spec ports_options[] = {
	{ "json", 0, OPTION_FLAG, offsetof(struct ports_options, json), NULL,
	  "print a JSON array" },
};

const struct command sandlock_ports = {
	.name = "ports",
	.arguments = "[--json] NAME",
	.help = "list the ports of a sandbox on the host's loopback",
	.options = ports_options,
	.noptions = COUNT(ports_options),
	.options_size = sizeof(struct ports_options),
	.min_args = 1,
	.max_args = 1,
	.run = run_ports,
	.failure = 125,
};

const struct command sandlock_events = {
	.name = "events",
	.arguments = "NAME",
	.help = "print what a sandbox is denied, while it runs",
	.min_args = 1,
	.max_args = 1,
	.run = run_events,
	.failure = 125,
};
