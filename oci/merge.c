/* SPDX-License-Identifier: Apache-2.0 */
/* oci/merge.c - merge linux.resources of config.json with a change, as text. */
#include <stdlib.h>
#include <strings.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "oci/parse.h"
#include "oci/write.h"

void put_value(struct writer *w, const char *key, const struct json_value *v)
{
	switch (v->type) {
	case JSON_NULL:
		put_string(w, key, NULL);
		break;
	case JSON_BOOL:
		put_bool(w, key, v->truth);
		break;
	case JSON_NUMBER:
		put_number(w, key, v->text);
		break;
	case JSON_STRING:
		put_string(w, key, v->text);
		break;
	case JSON_ARRAY:
		put_array(w, key);
		json_each (member, v)
			put_value(w, NULL, member);
		put_end(w);
		break;
	case JSON_OBJECT:
		put_object(w, key);
		json_each (member, v)
			put_value(w, member->key, member);
		put_end(w);
		break;
	}
}

/* In these objects the number 0 means unset, with a few exceptions. */
static bool is_unset(const char *object, const struct json_value *v)
{
	static const char *const objects[] = { "memory", "cpu", "blockIO" };
	static const char *const levels[] = { "swappiness", "idle", "burst" };
	bool unset = false;

	if (v->type == JSON_STRING)
		return !*v->text;
	if (v->type != JSON_NUMBER || !object ||
	    strtoull(v->text, NULL, 10) != 0)
		return false;
	for (size_t i = 0; i < COUNT(objects); i++)
		unset |= strcasecmp(object, objects[i]) == 0;
	for (size_t i = 0; i < COUNT(levels); i++)
		unset &= strcasecmp(v->key, levels[i]) != 0;
	return unset;
}

/* Return the value of a key in a change; a change cannot set device rules. */
static const struct json_value *said(const struct json_value *change,
				     const char *object, const char *key)
{
	const struct json_value *v = json_find(change, key);

	if (!v || is_unset(object, v) ||
	    (!object && strcasecmp(key, "devices") == 0))
		return NULL;
	return v;
}

/*
 * True if two members of a list are about the same device, page size or name.
 */
static bool same_thing(const struct json_value *a, const struct json_value *b)
{
	static const char *const names[] = { "major", "minor", "pageSize",
					     "name" };
	bool same = false;

	if (a->type != JSON_OBJECT || b->type != JSON_OBJECT)
		return false;
	for (size_t i = 0; i < COUNT(names); i++) {
		const struct json_value *x = json_find(a, names[i]);
		const struct json_value *y = json_find(b, names[i]);

		if (!x && !y)
			continue;
		if (!x || !y || x->type != y->type ||
		    (x->type != JSON_NUMBER && x->type != JSON_STRING) ||
		    !streq(x->text, y->text))
			return false;
		same = true;
	}
	return same;
}

static bool has_thing(const struct json_value *list,
		      const struct json_value *thing)
{
	json_each (member, list)
		if (same_thing(member, thing))
			return true;
	return false;
}

static void put_merged(struct writer *w, const char *key,
		       const struct json_value *old,
		       const struct json_value *change)
{
	if (old->type != change->type ||
	    (old->type != JSON_OBJECT && old->type != JSON_ARRAY)) {
		put_value(w, key, change);
		return;
	}
	if (old->type == JSON_ARRAY) {
		put_array(w, key);
		json_each (member, old)
			if (!has_thing(change, member))
				put_value(w, NULL, member);
		json_each (member, change)
			put_value(w, NULL, member);
		put_end(w);
		return;
	}
	put_object(w, key);
	json_each (member, old) {
		const struct json_value *v = said(change, key, member->key);

		if (v && member->type != JSON_NULL)
			put_merged(w, member->key, member, v);
		else if (member->type != JSON_NULL)
			put_value(w, member->key, member);
	}
	json_each (member, change)
		if (!json_find(old, member->key) &&
		    said(change, key, member->key) == member)
			put_value(w, member->key, member);
	put_end(w);
}

int oci_resources_merge(struct arena *arena, const char *old,
			const char *change, const char **ret)
{
	const struct json_value *a, *b;
	struct writer w;
	int r;

	if ((r = json_parse(arena, old, strlen(old), &a)) < 0 ||
	    (r = json_parse(arena, change, strlen(change), &b)) < 0 ||
	    (r = json_expect(b, JSON_OBJECT)) < 0)
		return r;
	writer_open(&w, arena, WRITE_LINE);
	put_merged(&w, NULL, a, b);
	return writer_close(&w, ret, NULL);
}

int oci_resources_of(struct arena *arena, const struct oci_spec *spec,
		     const char **ret)
{
	const struct json_value *v;
	struct writer w;
	int r = json_parse(arena, spec->json, spec->json_len, &v);

	if (r < 0)
		return r;
	v = json_find(v, "linux");
	if (v)
		v = json_find(v, "resources");
	if (!v) {
		*ret = "{}";
		return 0;
	}
	writer_open(&w, arena, WRITE_LINE);
	put_value(&w, NULL, v);
	return writer_close(&w, ret, NULL);
}

int oci_resources_parse(struct arena *arena, const char *text,
			struct oci_resources *ret)
{
	struct oci_resources resources = { 0 };
	const struct json_value *v;
	int r;

	if ((r = json_parse(arena, text, strlen(text), &v)) < 0 ||
	    (r = oci_read_resources(arena, v, &resources)) < 0)
		return r;
	*ret = resources;
	return 0;
}
