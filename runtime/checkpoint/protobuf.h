/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/checkpoint/protobuf.h - encode and decode criu's messages (protobuf).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* A message being written; out of memory is reported once, at the end. */
struct pb {
	struct arena *arena;
	uint8_t *data;
	size_t len, size;
	bool failed;
};

void pb_number(struct pb *pb, unsigned int field, uint64_t value);
void pb_bytes(struct pb *pb, unsigned int field, const void *data, size_t len);
/* NULL is skipped. */
void pb_text(struct pb *pb, unsigned int field, const char *text);
void pb_message(struct pb *pb, unsigned int field, const struct pb *inner);

/* A field that was read; data is NULL for a number. */
struct pb_field {
	unsigned int number;
	uint64_t value;
	const uint8_t *data;
	size_t len;
};

/* Read the field at *at: 1, 0 at the end, -EPROTO; records no error. */
int pb_next(const uint8_t **at, const uint8_t *end, struct pb_field *ret);
