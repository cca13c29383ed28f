/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/control.c - any bytes of a client on the control socket: frames,
 * then messages of both directions. The same bytes, however they are split,
 * are the same frames.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "control/frame.h"
#include "control/message.h"
#include "oci/json.h"
#include "tests/fuzz/fuzz.h"

struct message {
	size_t number; /* 0: the first one */
	const char *text;
	size_t len;
};

/* Calls what for each frame, until it fails. */
static int each_frame(struct arena *arena, const char *text, size_t len,
		      int (*what)(struct arena *arena, const struct message *m))
{
	size_t at = 0, size = 0;
	int r = 0;

	for (size_t number = 0; r >= 0; number++) {
		r = frame_find(text + at, len - at, FRAME_MAX_REQUEST, &size);
		if (r <= 0)
			break;
		demand(size > 0 && size <= FRAME_MAX_REQUEST &&
		       size <= len - at - FRAME_HEADER);
		at += FRAME_HEADER;
		r = what(arena, &(struct message){ number, text + at, size });
		at += size;
	}
	return r;
}

static int take(struct arena *arena, const struct message *m,
		struct control_request *request, enum control_code *code)
{
	if (m->number == 0)
		return control_parse_hello(arena, m->text, m->len, code);
	return control_parse_request(arena, m->text, m->len, request, code);
}

static int parse_message(struct arena *arena, const struct message *m)
{
	struct control_request request;
	enum control_code code;
	int r = take(arena, m, &request, &code);

	return r == -ENOMEM || (r < 0 && control_code_closes(code)) ? r : 0;
}

static int parse(struct arena *arena, const char *text, size_t len)
{
	return each_frame(arena, text, len, parse_message);
}

static void demand_same_request(struct arena *arena,
				const struct control_request *request)
{
	struct control_request again;
	enum control_code code;
	const char *text;
	size_t len;

	demand(*request->verb);
	demand(control_request(arena, request->id, request->verb,
			       request->arguments ? "{}" : NULL, &text,
			       &len) == 0);
	demand(control_parse_request(arena, text, len, &again, &code) == 0);
	demand(again.id == request->id && streq(again.verb, request->verb));
	demand(!again.arguments == !request->arguments);
}

/* What the server answers to a bad message is a good answer. */
static void demand_refusal(struct arena *arena, int r, enum control_code code)
{
	struct control_answer answer;
	const char *text;
	size_t len;

	demand_reason(r);
	demand(control_error(arena, 1, code, err_text(), &text, &len) == 0);
	demand(control_parse_answer(arena, text, len, &answer) == 0);
	demand(answer.kind == CONTROL_ERROR &&
	       streq(answer.code, control_code_name(code)));
}

/* A frame is found at its last byte, and not before. */
static void demand_end(const struct message *m)
{
	const char *start = m->text - FRAME_HEADER;
	unsigned char header[FRAME_HEADER];
	size_t size;

	frame_header(m->len, header);
	demand(memcmp(header, start, FRAME_HEADER) == 0);
	for (size_t n = 0; n < FRAME_HEADER + m->len; n++)
		demand(frame_find(start, n, FRAME_MAX_REQUEST, &size) == 0);
	demand(frame_find(start, FRAME_HEADER + m->len, FRAME_MAX_REQUEST,
			  &size) == 1);
}

static int check_message(struct arena *arena, const struct message *m)
{
	struct control_request request = { 0 };
	struct control_answer answer;
	enum control_code code;
	int r = take(arena, m, &request, &code);

	demand_end(m);
	if (r < 0)
		demand_refusal(arena, r, code);
	else if (m->number > 0)
		demand_same_request(arena, &request);
	if (control_parse_answer(arena, m->text, m->len, &answer) >= 0)
		demand((answer.kind == CONTROL_ERROR) == !!answer.code);
	return r < 0 && control_code_closes(code) ? r : 0;
}

static void accepted(struct arena *arena)
{
	(void)arena;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;

	demand(arena_open(&arena, 64 << 20) == 0);
	(void)each_frame(&arena, (const char *)data, size, check_message);
	arena_close(&arena);
	return fuzz(&(struct fuzz_target){ parse, accepted }, data, size);
}
