/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/checkpoint/protobuf.c - write and read the fields of a message. */
#include "runtime/checkpoint/protobuf.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"

enum kind {
	KIND_NUMBER = 0,
	KIND_FIXED64 = 1,
	KIND_BYTES = 2,
	KIND_FIXED32 = 5
};

#define MAX_VARINT 10

static void append(struct pb *pb, const void *data, size_t len)
{
	size_t size = pb->size ? pb->size : 256;
	uint8_t *more;

	if (pb->failed || len == 0)
		return;
	while (size - pb->len < len)
		size *= 2;
	if (size != pb->size) {
		more = arena_grow(pb->arena, pb->data, pb->len, size, 1);
		if (!more) {
			pb->failed = true;
			return;
		}
		pb->data = more;
		pb->size = size;
	}
	memcpy(pb->data + pb->len, data, len);
	pb->len += len;
}

static void put_varint(struct pb *pb, uint64_t value)
{
	uint8_t bytes[MAX_VARINT];
	size_t n = 0;

	do {
		bytes[n] = (uint8_t)(value & 0x7f);
		value >>= 7;
		if (value)
			bytes[n] |= 0x80;
		n++;
	} while (value);
	append(pb, bytes, n);
}

static void put_key(struct pb *pb, unsigned int field, enum kind kind)
{
	put_varint(pb, (uint64_t)field << 3 | kind);
}

void pb_number(struct pb *pb, unsigned int field, uint64_t value)
{
	put_key(pb, field, KIND_NUMBER);
	put_varint(pb, value);
}

void pb_bytes(struct pb *pb, unsigned int field, const void *data, size_t len)
{
	put_key(pb, field, KIND_BYTES);
	put_varint(pb, len);
	append(pb, data, len);
}

void pb_text(struct pb *pb, unsigned int field, const char *text)
{
	if (text)
		pb_bytes(pb, field, text, strlen(text));
}

void pb_message(struct pb *pb, unsigned int field, const struct pb *inner)
{
	pb->failed |= inner->failed;
	pb_bytes(pb, field, inner->data, inner->len);
}

static int get_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; shift < 7 * MAX_VARINT; shift += 7) {
		if (*at == end)
			return -EPROTO;
		value |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80)) {
			*ret = value;
			return 0;
		}
	}
	return -EPROTO;
}

static int get_bytes(const uint8_t **at, const uint8_t *end, uint64_t len,
		     struct pb_field *ret)
{
	if (len > (uint64_t)(end - *at))
		return -EPROTO;
	ret->data = *at;
	ret->len = (size_t)len;
	*at += len;
	return 1;
}

int pb_next(const uint8_t **at, const uint8_t *end, struct pb_field *ret)
{
	uint64_t key, len;

	if (*at == end)
		return 0;
	if (get_varint(at, end, &key) < 0 || key >> 3 == 0 ||
	    key >> 3 > UINT32_MAX >> 3)
		return -EPROTO;
	*ret = (struct pb_field){ .number = (unsigned int)(key >> 3) };
	switch (key & 7) {
	case KIND_NUMBER:
		return get_varint(at, end, &ret->value) < 0 ? -EPROTO : 1;
	case KIND_BYTES:
		if (get_varint(at, end, &len) < 0)
			return -EPROTO;
		return get_bytes(at, end, len, ret);
	case KIND_FIXED64:
		return get_bytes(at, end, 8, ret);
	case KIND_FIXED32:
		return get_bytes(at, end, 4, ret);
	default:
		return -EPROTO;
	}
}
