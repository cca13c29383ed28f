/* SPDX-License-Identifier: Apache-2.0 */
/* control/client.h - talk to the server of the control protocol, and wait. */
#pragma once

#include <stdint.h>

#include "control/message.h"

struct arena;

struct control_link {
	int fd; /* -1: not connected */
	uint64_t next_id;
	char *in; /* bytes that have arrived; of the arena */
	size_t nin;
};

#define CONTROL_LINK_NONE \
	{                 \
		.fd = -1  \
	}

/*
 * Connect to the socket in this state directory and exchange versions.
 * -ENOENT or -ECONNREFUSED, with a recorded error: nobody listens.
 */
int control_connect(struct arena *arena, int dir, struct control_link *ret);
/*
 * Send a request and wait for its answer; an error of the server is a failure
 * with its message. arguments: a JSON object as text, or NULL.
 */
int control_ask(struct arena *arena, struct control_link *link,
		const char *verb, const char *arguments,
		const struct json_value **ret);
/* Send a request that carries a descriptor, and wait for its answer. */
int control_give(struct arena *arena, struct control_link *link,
		 const char *verb, int fd);
/*
 * Wait for the next event of a stream, at most timeout_ms (-1: for ever); 1:
 * *ret is its JSON text, 0: the stream has ended, -ETIMEDOUT: there is none.
 * Events that were lost are one {"type":"lost","events":N}.
 */
int control_next_event(struct arena *arena, struct control_link *link,
		       int timeout_ms, const char **ret);
/* Wait for the next message, at most timeout_ms (-1: for ever). */
int control_next(struct arena *arena, struct control_link *link, int timeout_ms,
		 struct control_answer *ret);
void control_disconnect(struct control_link *link);
