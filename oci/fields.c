/* SPDX-License-Identifier: Apache-2.0 */
/* oci/fields.c - convert objects of the JSON tree to structs, by table. */
#include "oci/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/util.h"
#include "oci/oci.h"

static const char *const type_names[] = {
	[JSON_NULL] = "null",	    [JSON_BOOL] = "a boolean",
	[JSON_NUMBER] = "a number", [JSON_STRING] = "a string",
	[JSON_ARRAY] = "an array",  [JSON_OBJECT] = "an object",
};

int json_fail(const struct json_value *v, const char *fmt, ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	return fail(0, "%s%s", v->root ? "" : ": ", why);
}

int json_fail_key(const struct json_value *v, const char *key, const char *fmt,
		  ...)
{
	char why[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	return json_fail_member(fail(0, ": %s", why), v, key);
}

int json_fail_in(int r, const struct json_value *v)
{
	return r == -ENOMEM ? r : fail_at(r, "%s", v->root ? "" : ": ");
}

/* The value is not the reason if memory is out. */
int json_fail_member(int r, const struct json_value *parent, const char *key)
{
	if (r == -ENOMEM)
		return r;
	return fail_at(r, "%s%.200s", parent->root ? "" : ".", key);
}

int json_fail_index(int r, size_t index)
{
	return r == -ENOMEM ? r : fail_at(r, "[%zu]", index);
}

int json_expect(const struct json_value *v, enum json_type type)
{
	if (v->type == type)
		return 0;
	return json_fail(v, "must be %s, not %s", type_names[type],
			 type_names[v->type]);
}

const struct json_value *json_find(const struct json_value *object,
				   const char *key)
{
	const struct json_value *found = NULL;

	json_each (member, object) {
		/* Letters that differ in case differ in this bit. */
		if ((*member->key ^ *key) & ~0x20)
			continue;
		if (streq(member->key, key)) {
			found = member;
			break;
		}
		if (strcasecmp(member->key, key) == 0)
			found = member;
	}
	return found && found->type != JSON_NULL ? found : NULL;
}

/* Like json_find; most objects have their members in the order of the table. */
static const struct json_value *find_next(const struct json_value *object,
					  const struct json_value *next,
					  const char *key)
{
	return next && next->type != JSON_NULL && streq(next->key, key) ?
		       next :
		       json_find(object, key);
}

int json_object(struct arena *arena, const struct json_value *v,
		const struct json_field *fields, size_t n, void *ret)
{
	const struct json_value *next;
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	next = v->first;
	for (const struct json_field *f = fields; f < fields + n; f++) {
		const struct json_value *member = find_next(v, next, f->key);

		if (!member && f->required)
			return json_fail_key(v, f->key, "required");
		if (!member)
			continue;
		next = member->next;
		r = f->read(arena, member, (char *)ret + f->offset);
		if (r < 0)
			return json_fail_member(r, v, f->key);
	}
	return 0;
}

int json_array(struct arena *arena, const struct json_value *v,
	       JSON_READER((*read)), size_t size, void *ret_items,
	       size_t *ret_n)
{
	size_t i = 0;
	char *items;
	int r = json_expect(v, JSON_ARRAY);

	if (r < 0)
		return r;
	items = arena_array(arena, v->n, size);
	if (!items)
		return -ENOMEM;
	json_each (member, v) {
		r = read(arena, member, items + i * size);
		if (r < 0)
			return json_fail_index(r, i);
		i++;
	}
	memcpy(ret_items, &items, sizeof items);
	*ret_n = i;
	return 0;
}

int json_members(struct arena *arena, const struct json_value *v,
		 JSON_READER((*read)), size_t size, void *ret_items,
		 size_t *ret_n)
{
	size_t n = 0;
	char *items;
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	items = arena_array(arena, v->n, size);
	if (!items)
		return -ENOMEM;
	json_each (member, v) {
		if (member->type == JSON_NULL)
			continue;
		r = read(arena, member, items + n * size);
		if (r < 0)
			return json_fail_member(r, v, member->key);
		n++;
	}
	memcpy(ret_items, &items, sizeof items);
	*ret_n = n;
	return 0;
}

/* Report a wrong word together with the right ones. */
static int fail_choice(const struct json_value *v,
		       const struct json_choice *choices, size_t n)
{
	char words[640] = "";
	size_t len = 0;

	for (size_t i = 0; i < n && len < sizeof words; i++)
		if (*choices[i].word)
			len += (size_t)snprintf(words + len, sizeof words - len,
						"%s%s", len ? ", " : "",
						choices[i].word);
	return json_fail(v, "unknown value '%.200s' (known: %s)", v->text,
			 words);
}

int json_choose(const struct json_value *v, const struct json_choice *choices,
		size_t n, uint64_t *ret)
{
	int r = json_expect(v, JSON_STRING);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		if (streq(choices[i].word, v->text)) {
			*ret = choices[i].number;
			return 0;
		}
	return fail_choice(v, choices, n);
}

int json_choose_all(const struct json_value *v,
		    const struct json_choice *choices, size_t n, uint64_t *ret)
{
	uint64_t all = 0, one = 0;
	size_t i = 0;
	int r = json_expect(v, JSON_ARRAY);

	if (r < 0)
		return r;
	json_each (member, v) {
		r = json_choose(member, choices, n, &one);
		if (r < 0)
			return json_fail_index(r, i);
		all |= one;
		i++;
	}
	*ret = all;
	return 0;
}

JSON_READER(json_bool)
{
	int r = json_expect(v, JSON_BOOL);

	(void)arena;
	if (r < 0)
		return r;
	*(bool *)ret = v->truth;
	return 0;
}

JSON_READER(json_string)
{
	int r = json_expect(v, JSON_STRING);

	(void)arena;
	if (r < 0)
		return r;
	*(const char **)ret = v->text;
	return 0;
}

JSON_READER(json_filled)
{
	int r = json_string(arena, v, ret);

	return r < 0 || *v->text ? r : json_fail(v, "must not be empty");
}

JSON_READER(json_word)
{
	int r = json_string(arena, v, ret);

	if (r == 0 && !*v->text)
		*(const char **)ret = NULL;
	return r;
}

JSON_READER(json_absolute)
{
	int r = json_filled(arena, v, ret);

	if (r < 0 || v->text[0] == '/')
		return r;
	return json_fail(v, "'%.200s' is not an absolute path", v->text);
}

static int signed_number(const struct json_value *v, int bits, int64_t *ret)
{
	int64_t n, max = bits == 32 ? INT32_MAX : INT64_MAX;
	int r = json_expect(v, JSON_NUMBER);

	if (r < 0)
		return r;
	if (num_i64(v->text, &n) < 0 || n > max || n < -max - 1)
		return json_fail(v, "%.100s is not a %d-bit integer", v->text,
				 bits);
	*ret = n;
	return 0;
}

static int unsigned_number(const struct json_value *v, int bits, uint64_t *ret)
{
	uint64_t n, max = bits == 32 ? UINT32_MAX : UINT64_MAX;
	int r = json_expect(v, JSON_NUMBER);

	if (r < 0)
		return r;
	if (num_u64(v->text, &n) < 0 || n > max)
		return json_fail(v, "%.100s is not an unsigned %d-bit integer",
				 v->text, bits);
	*ret = n;
	return 0;
}

JSON_READER(json_i32)
{
	int64_t n = 0;
	int r = signed_number(v, 32, &n);

	(void)arena;
	if (r == 0)
		*(int32_t *)ret = (int32_t)n;
	return r;
}

JSON_READER(json_u32)
{
	uint64_t n = 0;
	int r = unsigned_number(v, 32, &n);

	(void)arena;
	if (r == 0)
		*(uint32_t *)ret = (uint32_t)n;
	return r;
}

JSON_READER(json_id)
{
	uint32_t id = 0;
	int r = json_u32(arena, v, &id);

	if (r < 0)
		return r;
	if (id == UINT32_MAX)
		return json_fail(v, "%s is not an id (0 to 4294967294)",
				 v->text);
	*(uint32_t *)ret = id;
	return 0;
}

JSON_READER(json_i64)
{
	(void)arena;
	return signed_number(v, 64, ret);
}

JSON_READER(json_u64)
{
	(void)arena;
	return unsigned_number(v, 64, ret);
}

JSON_READER(json_optional_i64)
{
	struct oci_i64 *n = ret;

	n->set = true;
	return json_i64(arena, v, &n->value);
}

JSON_READER(json_optional_u64)
{
	struct oci_u64 *n = ret;

	n->set = true;
	return json_u64(arena, v, &n->value);
}

JSON_READER(json_optional_bool)
{
	struct oci_bool *b = ret;

	b->set = true;
	return json_bool(arena, v, &b->value);
}

JSON_READER(json_strings)
{
	struct strings *list = ret;
	const char **items;
	size_t n = 0;
	int r = json_expect(v, JSON_ARRAY);

	if (r < 0)
		return r;
	items = arena_array(arena, (size_t)v->n + 1, sizeof *items);
	if (!items)
		return -ENOMEM;
	json_each (member, v) {
		r = json_string(arena, member, &items[n]);
		if (r < 0)
			return json_fail_index(r, n);
		n++;
	}
	*list = (struct strings){ .items = items, .n = n };
	return 0;
}

JSON_READER(json_annotations)
{
	struct oci_annotations *map = ret;
	struct oci_annotation *items;
	size_t n = 0;
	int r = json_expect(v, JSON_OBJECT);

	if (r < 0)
		return r;
	items = arena_array(arena, v->n, sizeof *items);
	if (!items)
		return -ENOMEM;
	json_each (member, v) {
		if (member->type == JSON_NULL)
			continue;
		r = json_string(arena, member, &items[n].value);
		if (r < 0)
			return json_fail_member(r, v, member->key);
		items[n++].key = member->key;
	}
	*map = (struct oci_annotations){ .items = items, .n = n };
	return 0;
}
