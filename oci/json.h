/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oci/json.h - a JSON text as a tree in the arena, and a table-driven reader
 * from objects of that tree to C structs.
 *
 * Errors name the JSON path: the reader of a value records ": reason", and each
 * level above prepends its key or index. The root has no path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define JSON_MAX_DEPTH 64
#define JSON_MAX_STRING (1U << 20)
#define JSON_MAX_ENTRIES (1U << 17)

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	uint8_t type; /* enum json_type */
	bool truth;   /* of JSON_BOOL */
	bool root;
	uint32_t n; /* members of an array or object */
	union {
		const char *text;	  /* string, or number as written */
		struct json_value *first; /* member */
	};
	const char *key;	 /* in an object */
	struct json_value *next; /* member of the same parent */
};

#define json_each(member, parent)                                       \
	for (const struct json_value *member = (parent)->first; member; \
	     member = member->next)

/*
 * Parse one complete JSON text. UTF-8 only; NUL in a string, duplicate keys in
 * an object and too deep nesting are errors. An error names line and column.
 */
int json_parse(struct arena *arena, const char *text, size_t len,
	       const struct json_value **ret);

/*
 * Return the member with this key, else the last one that differs only in case;
 * NULL for null.
 */
const struct json_value *json_find(const struct json_value *object,
				   const char *key);

/* Record why v is invalid; return a negative errno. */
int json_fail(const struct json_value *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Like json_fail, for the member of v that has, or lacks, this key. */
int json_fail_key(const struct json_value *v, const char *key, const char *fmt,
		  ...) __attribute__((format(printf, 3, 4)));
/* Prefix an error of another room with the place of v; return r. */
int json_fail_in(int r, const struct json_value *v);
/* Fail unless v has this type. */
int json_expect(const struct json_value *v, enum json_type type);
/* Prefix a recorded error with the place of a member of parent. */
int json_fail_member(int r, const struct json_value *parent, const char *key);
int json_fail_index(int r, size_t index);

/* A reader checks one value and stores it where ret points. */
#define JSON_READER(name) \
	int name(struct arena *arena, const struct json_value *v, void *ret)

struct json_field {
	const char *key;
	JSON_READER((*read));
	size_t offset; /* in the struct given to json_object */
	bool required;
};

#define JSON_FIELD(key, read, type, member)              \
	{                                                \
		key, read, offsetof(type, member), false \
	}
#define JSON_REQUIRED(key, read, type, member)          \
	{                                               \
		key, read, offsetof(type, member), true \
	}
/* The reader gets the whole struct, because it sets several members. */
#define JSON_WHOLE(key, read)       \
	{                           \
		key, read, 0, false \
	}

/*
 * Fill in a struct from an object: each field that is present and not null goes
 * through its reader, unknown keys are ignored, absent fields stay as they are.
 */
int json_object(struct arena *arena, const struct json_value *v,
		const struct json_field *fields, size_t n, void *ret);
/* Read each member of an array by one reader to items of `size` bytes. */
int json_array(struct arena *arena, const struct json_value *v,
	       JSON_READER((*read)), size_t size, void *ret_items,
	       size_t *ret_n);
/* The same for an object; the reader finds the key in v->key, nulls are left out. */
int json_members(struct arena *arena, const struct json_value *v,
		 JSON_READER((*read)), size_t size, void *ret_items,
		 size_t *ret_n);

/* A word and the number it stands for. */
struct json_choice {
	const char *word;
	uint64_t number;
};

/* Convert a word to its number; any other word is an error. */
int json_choose(const struct json_value *v, const struct json_choice *choices,
		size_t n, uint64_t *ret);
/* Convert an array of words to the bitwise or of their numbers. */
int json_choose_all(const struct json_value *v,
		    const struct json_choice *choices, size_t n, uint64_t *ret);

JSON_READER(json_bool);		 /* bool */
JSON_READER(json_string);	 /* const char * */
JSON_READER(json_filled);	 /* const char *, not empty */
JSON_READER(json_word);		 /* const char *, NULL when empty */
JSON_READER(json_absolute);	 /* const char *, begins with a slash */
JSON_READER(json_i32);		 /* int32_t */
JSON_READER(json_u32);		 /* uint32_t */
JSON_READER(json_id);		 /* uint32_t, not the last (-1) */
JSON_READER(json_i64);		 /* int64_t */
JSON_READER(json_u64);		 /* uint64_t */
JSON_READER(json_optional_i64);	 /* struct oci_i64 */
JSON_READER(json_optional_u64);	 /* struct oci_u64 */
JSON_READER(json_optional_bool); /* struct oci_bool */
JSON_READER(json_strings);	 /* struct strings */
JSON_READER(json_annotations);	 /* struct oci_annotations */
