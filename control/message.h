/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/message.h - the messages of the control protocol, as JSON texts and
 * as C values. No effects. docs/control.md describes the protocol.
 *
 * 	client				server
 * 	{"version":1}			{"version":1}
 * 	{"id":7,"verb":"stats"}		{"id":7,"ok":{…}}
 * 	{"id":8,"verb":"events"}	{"id":8,"ok":{}}
 * 					{"id":8,"event":{…}} …
 * 					{"id":8,"end":true}
 * 	{"id":9,"verb":"nonsense"}	{"id":9,"error":{"code":…,"message":…}}
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct json_value;
struct writer;

#define CONTROL_VERSION 1

/* Why a request was refused; control_code_name has the word for each. */
enum control_code {
	CONTROL_FRAME,	  /* the length is not allowed; the server closes */
	CONTROL_JSON,	  /* the text is not a JSON object; the server closes */
	CONTROL_MISMATCH, /* another version; the server closes */
	CONTROL_REQUEST,  /* a member is missing, unknown or wrong */
	CONTROL_VERB,	  /* no such verb */
	CONTROL_FAILED,	  /* the request was understood, but failed */
	CONTROL_BUSY,	  /* too many clients; the server closes */
	CONTROL_TIMEOUT,  /* the client was silent; the server closes */
	CONTROL_CODES,
};

const char *control_code_name(enum control_code code);
/* True if the server closes the connection after such an error. */
bool control_code_closes(enum control_code code);

struct control_request {
	uint64_t id; /* chosen by the client, repeated in each answer */
	const char *verb;
	const struct json_value *arguments; /* an object, or NULL */
};

/* Parse the first message of either side; fail for another version. */
int control_parse_hello(struct arena *arena, const char *text, size_t len,
			enum control_code *ret_code);
/*
 * Parse a request. After a failure *ret_code says what is wrong, and id is that
 * of the request, or 0 if it cannot be told.
 */
int control_parse_request(struct arena *arena, const char *text, size_t len,
			  struct control_request *ret,
			  enum control_code *ret_code);

enum control_kind {
	CONTROL_OK,
	CONTROL_EVENT,
	CONTROL_LOST, /* events that a slow client did not get */
	CONTROL_END,  /* of a stream of events */
	CONTROL_ERROR,
};

struct control_answer {
	enum control_kind kind;
	uint64_t id;
	const struct json_value *value; /* of OK and EVENT: an object */
	uint64_t lost;
	const char *code, *message; /* of ERROR */
};

int control_parse_answer(struct arena *arena, const char *text, size_t len,
			 struct control_answer *ret);

/* ---- texts; without the header of a frame ---- */

int control_hello(struct arena *arena, const char **ret_text, size_t *ret_len);
/* arguments: a JSON object as text, or NULL. */
int control_request(struct arena *arena, uint64_t id, const char *verb,
		    const char *arguments, const char **ret_text,
		    size_t *ret_len);
int control_error(struct arena *arena, uint64_t id, enum control_code code,
		  const char *message, const char **ret_text, size_t *ret_len);
/* value: a JSON object as text, for OK and EVENT. */
int control_answer(struct arena *arena, enum control_kind kind, uint64_t id,
		   const char *value, const char **ret_text, size_t *ret_len);
int control_lost(struct arena *arena, uint64_t id, uint64_t lost,
		 const char **ret_text, size_t *ret_len);
