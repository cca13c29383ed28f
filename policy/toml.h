/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/toml.h - a TOML 1.0 text as a tree in the arena.
 *
 * Tables, inline tables and dotted keys all become tables; arrays of tables
 * become arrays. Members keep the order of the text. Each value knows the line
 * it began on, for messages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum toml_type {
	TOML_STRING,
	TOML_INTEGER,
	TOML_FLOAT,
	TOML_BOOL,
	TOML_DATETIME, /* with an offset */
	TOML_LOCAL_DATETIME,
	TOML_LOCAL_DATE,
	TOML_LOCAL_TIME,
	TOML_ARRAY,
	TOML_TABLE,
};

struct toml_datetime {
	int16_t year; /* 0 in a local time */
	uint8_t month, day, hour, minute, second;
	uint32_t nanosecond;
	int16_t offset; /* minutes east of UTC, of TOML_DATETIME */
};

struct toml_value {
	enum toml_type type;
	unsigned line;
	const char *key;	 /* in a table; may contain any byte but NUL */
	struct toml_value *next; /* member of the same parent */
	union {
		struct {
			const char *text; /* contains no NUL */
			size_t len;
		};
		int64_t integer;
		double real;
		bool truth;
		struct toml_datetime time;
		struct {
			struct toml_value *first;
			size_t n;
		};
	};
};

#define toml_each(member, parent)                                       \
	for (const struct toml_value *member = (parent)->first; member; \
	     member = member->next)

/*
 * Parse a whole text to a table. An error names line, column and reason. Deeper
 * nesting than TOML_MAX_DEPTH is an error, and so is a NUL, which TOML allows
 * as \u0000.
 */
#define TOML_MAX_DEPTH 64
int toml_parse(struct arena *arena, const char *text, size_t len,
	       const struct toml_value **ret);
/* Return the member with this key, or NULL. */
const struct toml_value *toml_find(const struct toml_value *table,
				   const char *key);
