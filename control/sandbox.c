/* SPDX-License-Identifier: Apache-2.0 */
/* control/sandbox.c - answer what docs/control.md describes. */
#include "control/sandbox.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/util.h"
#include "control/event.h"
#include "oci/write.h"

#define EVENT_ARENA (1UL << 20)

static int answer_stats(void *user, const struct control_call *call,
			struct writer *w)
{
	const struct control_sandbox *sandbox = user;

	(void)call;
	put_string(w, "id", sandbox->id);
	put_i64(w, "pid", getpid());
	put_i64(w, "init", sandbox->init);
	put_i64(w, "uptime", (now_ms() - sandbox->opened) / 1000);
	put_u64(w, "clients", control_clients(&sandbox->server));
	put_u64(w, "events", sandbox->server.published);
	return 0;
}

static int answer_ports(void *user, const struct control_call *call,
			struct writer *w)
{
	const struct control_sandbox *sandbox = user;

	(void)call;
	put_array(w, "ports");
	if (sandbox->ports)
		sandbox->ports(sandbox->ports_of, w);
	put_end(w);
	return 0;
}

static int answer_events(void *user, const struct control_call *call,
			 struct writer *w)
{
	(void)user;
	(void)call;
	(void)w;
	return 0;
}

static int answer_update(void *user, const struct control_call *call,
			 struct writer *w)
{
	const struct control_sandbox *sandbox = user;
	int r = 0;

	(void)call;
	put_array(w, "applied");
	if (sandbox->update)
		r = sandbox->update(sandbox->user, w);
	put_end(w);
	return r;
}

static int answer_listener(void *user, const struct control_call *call,
			   struct writer *w)
{
	const struct control_sandbox *sandbox = user;

	(void)w;
	if (!sandbox->listen)
		return fail(0, "no key of the policy needs a seccomp listener");
	return sandbox->listen(sandbox->listens, take_fd(&call->fds[0]));
}

int control_sandbox_open(struct control_sandbox *sandbox, struct loop *loop,
			 int dir, uid_t owner)
{
	static const struct control_verb verbs[] = {
		{ .name = "stats", .answer = answer_stats },
		{ .name = "ports", .answer = answer_ports },
		{ .name = "events", .answer = answer_events, .streams = true },
		{ .name = "update", .answer = answer_update },
		{ .name = "listener", .answer = answer_listener, .nfds = 1 },
	};
	const struct control_setup setup = {
		.loop = loop,
		.dir = dir,
		.owner = owner,
		.verbs = verbs,
		.nverbs = COUNT(verbs),
		.user = sandbox,
	};

	sandbox->opened = now_ms();
	return control_server_open(&setup, &sandbox->server);
}

void control_sandbox_publish(struct control_sandbox *sandbox,
			     const struct event *event)
{
	AUTO(arena_close) struct arena arena = { 0 };
	struct event with_id = *event;
	const char *text;
	struct writer w;

	if (sandbox->server.timer < 0 || arena_open(&arena, EVENT_ARENA) < 0)
		return;
	with_id.id = sandbox->id;
	writer_open(&w, &arena, WRITE_COMPACT);
	put_object(&w, NULL);
	event_put(&w, &with_id);
	put_end(&w);
	if (writer_close(&w, &text, NULL) >= 0)
		control_publish(&sandbox->server, text);
	err_clear();
}

void control_sandbox_close(struct control_sandbox *sandbox)
{
	control_server_close(&sandbox->server);
}

void control_sandbox_withdraw(struct control_sandbox *sandbox)
{
	control_server_withdraw(&sandbox->server);
}
