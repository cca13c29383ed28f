/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/diagnose/ask.c - print what a supervisor answers. */
#include "runtime/diagnose/ask.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/write.h"
#include "runtime/container/container.h"
#include "runtime/diagnose/ports.h"

#define EVENT_ARENA (8UL << 20)

int ask_ports(struct arena *arena, struct control_link *link, bool json)
{
	static const struct json_field fields[] = {
		{ "ports", ports_read, 0, true },
	};
	const struct json_value *answer;
	struct ports ports = { 0 };
	int r = 0;

	if (link->fd >= 0)
		r = control_ask(arena, link, "ports", NULL, &answer);
	if (r >= 0 && link->fd >= 0)
		r = json_object(arena, answer, fields, COUNT(fields), &ports);
	return r < 0 ? r : ports_print(arena, &ports, json);
}

/* A container without a supervisor has no socket. */
static int connect_to(struct arena *arena, const struct container *c,
		      struct control_link *ret)
{
	int r = control_connect(arena, c->dir, ret);

	if (r != -ENOENT)
		return r < 0 ? fail_in(r, "ask the supervisor of container %s",
				       c->id) :
			       0;
	err_clear();
	return 0;
}

int ask_container_ports(struct arena *arena, const struct container *c,
			bool json)
{
	AUTO(control_disconnect) struct control_link link = CONTROL_LINK_NONE;
	int r = connect_to(arena, c, &link);

	return r < 0 ? r : ask_ports(arena, &link, json);
}

/* If the supervisor ends meanwhile, the container does, too. */
int ask_events(struct arena *arena, const struct container *c,
	       struct control_link *ret)
{
	const struct json_value *answer;
	int r = connect_to(arena, c, ret);

	if (r >= 0 && ret->fd >= 0)
		r = control_ask(arena, ret, "events", NULL, &answer);
	if (r != -ECONNREFUSED && r != -ECONNRESET && r != -EPIPE)
		return r;
	control_disconnect(ret);
	err_clear();
	return 0;
}

/* The stream may never end, so each event has an arena of its own. */
int ask_print_event(struct control_link *link, int timeout_ms)
{
	AUTO(arena_close) struct arena arena = { 0 };
	const char *text;
	int r = arena_open(&arena, EVENT_ARENA);

	if (r >= 0)
		r = control_next_event(&arena, link, timeout_ms, &text);
	if (r == -ECONNRESET)
		r = 0;
	if (r == 0 || r == -ETIMEDOUT)
		err_clear();
	if (r <= 0)
		return r;
	if (puts(text) == EOF || fflush(stdout) == EOF)
		return fail(errno, "write an event to stdout");
	return 1;
}
