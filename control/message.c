/* SPDX-License-Identifier: Apache-2.0 */
/* control/message.c - read and write the messages of the control protocol. */
#include "control/message.h"

#include <errno.h>

#include "base/err.h"
#include "base/util.h"
#include "oci/json.h"
#include "oci/write.h"

static const struct {
	const char *name;
	bool closes;
} codes[CONTROL_CODES] = {
	[CONTROL_FRAME] = { "frame", true },
	[CONTROL_JSON] = { "json", true },
	[CONTROL_MISMATCH] = { "version", true },
	[CONTROL_REQUEST] = { "request", false },
	[CONTROL_VERB] = { "verb", false },
	[CONTROL_FAILED] = { "failed", false },
	[CONTROL_BUSY] = { "busy", true },
	[CONTROL_TIMEOUT] = { "timeout", true },
};

const char *control_code_name(enum control_code code)
{
	return codes[code].name;
}

bool control_code_closes(enum control_code code)
{
	return codes[code].closes;
}

/* ---- read ---- */

static int parse_object(struct arena *arena, const char *text, size_t len,
			const struct json_value **ret)
{
	const struct json_value *root;
	int r = json_parse(arena, text, len, &root);

	if (r >= 0)
		r = json_expect(root, JSON_OBJECT);
	if (r >= 0)
		*ret = root;
	return r;
}

/* A misspelled member must not be ignored. */
static int refuse_others(const struct json_value *object,
			 const struct json_field *fields, size_t n)
{
	json_each (member, object) {
		size_t i = 0;

		while (i < n && !streq(fields[i].key, member->key))
			i++;
		if (i == n)
			return json_fail_key(object, member->key,
					     "is not a member of this message");
	}
	return 0;
}

static int read_strictly(struct arena *arena, const struct json_value *object,
			 const struct json_field *fields, size_t n, void *ret)
{
	int r = refuse_others(object, fields, n);

	return r < 0 ? r : json_object(arena, object, fields, n, ret);
}

int control_parse_hello(struct arena *arena, const char *text, size_t len,
			enum control_code *ret_code)
{
	static const struct json_field fields[] = {
		{ "version", json_u32, 0, true },
	};
	const struct json_value *root;
	uint32_t version = 0;
	int r = parse_object(arena, text, len, &root);

	*ret_code = CONTROL_JSON;
	if (r < 0)
		return r;
	*ret_code = CONTROL_MISMATCH;
	/* A later version may have more members, but it has its number. */
	r = json_object(arena, root, fields, COUNT(fields), &version);
	if (r < 0)
		return fail_in(r, "the first message must be {\"version\":%d}",
			       CONTROL_VERSION);
	if (version != CONTROL_VERSION)
		return fail(0,
			    "version %u of the control protocol is not "
			    "supported: use version %d",
			    version, CONTROL_VERSION);
	return 0;
}

static JSON_READER(read_object)
{
	int r = json_expect(v, JSON_OBJECT);

	(void)arena;
	if (r >= 0)
		*(const struct json_value **)ret = v;
	return r;
}

int control_parse_request(struct arena *arena, const char *text, size_t len,
			  struct control_request *ret,
			  enum control_code *ret_code)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("id", json_u64, struct control_request, id),
		JSON_REQUIRED("verb", json_filled, struct control_request,
			      verb),
		JSON_FIELD("arguments", read_object, struct control_request,
			   arguments),
	};
	const struct json_value *root;
	int r = parse_object(arena, text, len, &root);

	*ret = (struct control_request){ 0 };
	*ret_code = CONTROL_JSON;
	if (r < 0)
		return r;
	*ret_code = CONTROL_REQUEST;
	return read_strictly(arena, root, fields, COUNT(fields), ret);
}

struct members {
	uint64_t id, lost;
	const struct json_value *ok, *event, *error;
	bool end;
};

static JSON_READER(read_answer_error)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("code", json_filled, struct control_answer, code),
		JSON_REQUIRED("message", json_string, struct control_answer,
			      message),
	};
	int r = json_expect(v, JSON_OBJECT);

	return r < 0 ? r : json_object(arena, v, fields, COUNT(fields), ret);
}

static int find_kind(struct arena *arena, const struct members *m,
		     const struct json_value *root, struct control_answer *ret)
{
	int kinds = !!m->ok + !!m->event + !!m->error + m->end + !!m->lost;

	if (kinds != 1)
		return json_fail(root, "must have one of ok, event, lost, end "
				       "and error");
	ret->id = m->id;
	ret->lost = m->lost;
	ret->value = m->ok ? m->ok : m->event;
	ret->kind = m->ok    ? CONTROL_OK :
		    m->event ? CONTROL_EVENT :
		    m->end   ? CONTROL_END :
		    m->lost  ? CONTROL_LOST :
			       CONTROL_ERROR;
	return m->error ?
		       json_fail_member(read_answer_error(arena, m->error, ret),
					root, "error") :
		       0;
}

int control_parse_answer(struct arena *arena, const char *text, size_t len,
			 struct control_answer *ret)
{
	static const struct json_field fields[] = {
		JSON_REQUIRED("id", json_u64, struct members, id),
		JSON_FIELD("ok", read_object, struct members, ok),
		JSON_FIELD("event", read_object, struct members, event),
		JSON_FIELD("lost", json_u64, struct members, lost),
		JSON_FIELD("end", json_bool, struct members, end),
		JSON_FIELD("error", read_object, struct members, error),
	};
	struct control_answer answer = { 0 };
	const struct json_value *root;
	struct members members = { 0 };
	int r = parse_object(arena, text, len, &root);

	if (r >= 0)
		r = read_strictly(arena, root, fields, COUNT(fields), &members);
	if (r >= 0)
		r = find_kind(arena, &members, root, &answer);
	if (r >= 0)
		*ret = answer;
	return r;
}

/* ---- write ---- */

int control_hello(struct arena *arena, const char **ret_text, size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "version", CONTROL_VERSION);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}

int control_request(struct arena *arena, uint64_t id, const char *verb,
		    const char *arguments, const char **ret_text,
		    size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "id", id);
	put_string(&w, "verb", verb);
	if (arguments)
		put_json(&w, "arguments", arguments);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}

int control_error(struct arena *arena, uint64_t id, enum control_code code,
		  const char *message, const char **ret_text, size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "id", id);
	put_object(&w, "error");
	put_string(&w, "code", control_code_name(code));
	put_string(&w, "message", message);
	put_end(&w);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}

int control_answer(struct arena *arena, enum control_kind kind, uint64_t id,
		   const char *value, const char **ret_text, size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "id", id);
	if (kind == CONTROL_END)
		put_bool(&w, "end", true);
	else
		put_json(&w, kind == CONTROL_OK ? "ok" : "event", value);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}

int control_lost(struct arena *arena, uint64_t id, uint64_t lost,
		 const char **ret_text, size_t *ret_len)
{
	struct writer w;

	writer_open(&w, arena, WRITE_COMPACT);
	put_object(&w, NULL);
	put_u64(&w, "id", id);
	put_u64(&w, "lost", lost);
	put_end(&w);
	return writer_close(&w, ret_text, ret_len);
}
