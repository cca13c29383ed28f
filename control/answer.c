/* SPDX-License-Identifier: Apache-2.0 */
/* control/answer.c - answer one message of a client. */
#include <errno.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "control/client_state.h"
#include "oci/json.h"
#include "oci/write.h"

#define ARENA_SIZE (16UL << 20)

static const struct control_verb *find_verb(const struct control_setup *setup,
					    const char *name)
{
	for (size_t i = 0; i < setup->nverbs; i++)
		if (streq(setup->verbs[i].name, name))
			return &setup->verbs[i];
	return NULL;
}

/* "stats, ports or update" */
static const char *list_verbs(struct arena *arena,
			      const struct control_setup *setup)
{
	const char *list = "";

	for (size_t i = 0; list && i < setup->nverbs; i++)
		list = arena_printf(arena, "%s%s%s", list,
				    i == 0		   ? "" :
				    i + 1 == setup->nverbs ? " or " :
							     ", ",
				    setup->verbs[i].name);
	return list;
}

static int check_call(const struct control_setup *setup,
		      const struct control_call *call,
		      const struct control_verb *verb, enum control_code *code)
{
	const struct control_request *request = call->request;
	const char *verbs;

	*code = CONTROL_VERB;
	if (!verb) {
		verbs = list_verbs(call->arena, setup);
		return verbs ? fail(0, "there is no verb '%.64s': use %s",
				    request->verb, verbs) :
			       -ENOMEM;
	}
	*code = CONTROL_REQUEST;
	if (request->arguments && request->arguments->n &&
	    !verb->takes_arguments)
		return fail(0, "%s: takes no arguments", verb->name);
	if (call->nfds != verb->nfds)
		return fail(0, "%s: takes %zu descriptors, not %zu", verb->name,
			    verb->nfds, call->nfds);
	return 0;
}

static int make_result(const struct control_setup *setup,
		       const struct control_call *call,
		       const struct control_verb *verb, const char **ret,
		       size_t *ret_len)
{
	const char *value;
	struct writer w;
	int r;

	writer_open(&w, call->arena, WRITE_COMPACT);
	put_object(&w, NULL);
	r = verb->answer(setup->user, call, &w);
	if (r < 0)
		return r;
	put_end(&w);
	r = writer_close(&w, &value, NULL);
	if (r >= 0)
		r = control_answer(call->arena, CONTROL_OK, call->request->id,
				   value, ret, ret_len);
	if (r >= 0 && *ret_len > FRAME_MAX_ANSWER)
		r = fail(0,
			 "%s: the answer has %zu bytes, more than the "
			 "maximum of %u",
			 verb->name, *ret_len, FRAME_MAX_ANSWER);
	return r;
}

static void answer_error(struct control_client *client, struct arena *arena,
			 uint64_t id, enum control_code code)
{
	const char *text;
	size_t len;

	client->leaves |= control_code_closes(code);
	if (control_error(arena, id, code, err_text(), &text, &len) < 0 ||
	    !client_put(client, text, len))
		client->leaves = true;
}

/* What happened before comes first. */
static void begin_stream(struct control_client *client, struct arena *arena,
			 uint64_t id)
{
	const struct recent *recent = &client->server->recent;

	client->streams = true;
	client->stream = id;
	client->lost = recent->dropped;
	for (const char *event = recent_next(recent, NULL); event;
	     event = recent_next(recent, event))
		client_put_event(client, arena, event);
}

static void answer_request(struct control_client *client, struct arena *arena,
			   const char *text, size_t len)
{
	const struct control_setup *setup = &client->server->setup;
	const struct control_verb *verb;
	struct control_request request;
	struct control_call call = {
		.request = &request,
		.arena = arena,
		.fds = client->fds,
		.nfds = client->nfds,
	};
	enum control_code code;
	int r = control_parse_request(arena, text, len, &request, &code);

	verb = r < 0 ? NULL : find_verb(setup, request.verb);
	if (r >= 0)
		r = check_call(setup, &call, verb, &code);
	if (r >= 0) {
		code = CONTROL_FAILED;
		r = make_result(setup, &call, verb, &text, &len);
	}
	if (r < 0) {
		answer_error(client, arena, request.id, code);
		return;
	}
	if (!client_put(client, text, len))
		client->leaves = true;
	if (verb->streams)
		begin_stream(client, arena, request.id);
}

static void answer_hello(struct control_client *client, struct arena *arena,
			 const char *text, size_t len)
{
	enum control_code code;
	int r = control_parse_hello(arena, text, len, &code);

	if (r >= 0)
		r = control_hello(arena, &text, &len);
	if (r < 0)
		answer_error(client, arena, 0, code);
	else if (!client_put(client, text, len))
		client->leaves = true;
	client->greeted = r >= 0;
}

void client_answer(struct control_client *client, const char *text, size_t len)
{
	AUTO(arena_close) struct arena arena = { 0 };

	err_clear();
	if (arena_open(&arena, ARENA_SIZE) < 0)
		client->leaves = true;
	else if (client->greeted)
		answer_request(client, &arena, text, len);
	else
		answer_hello(client, &arena, text, len);
	for (size_t i = 0; i < client->nfds; i++)
		closep(&client->fds[i]);
	client->nfds = 0;
	err_clear();
}
