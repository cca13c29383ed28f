/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/protobuf.h - the encoding of criu's messages: numbers and bytes, each
 * with the number of its field.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* A message on its way out; memory that is out is told once, at the end. */
struct pb {
	struct arena *arena;
	uint8_t *data;
	size_t len, size;
	bool failed;
};

void pb_number(struct pb *pb, unsigned int field, uint64_t value);
void pb_bytes(struct pb *pb, unsigned int field, const void *data, size_t len);
/* NULL is left out. */
void pb_text(struct pb *pb, unsigned int field, const char *text);
void pb_message(struct pb *pb, unsigned int field, const struct pb *inner);

/* A field that came in: data is NULL for a number. */
struct pb_field {
	unsigned int number;
	uint64_t value;
	const uint8_t *data;
	size_t len;
};

/* The next field from *at on: 1, 0 at the end, -EPROTO; records nothing. */
int pb_next(const uint8_t **at, const uint8_t *end, struct pb_field *ret);
