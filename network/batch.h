/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/batch.h - many netlink messages, sent with one system call.
 *
 * A message is begun, gets attributes, and ends where the next one begins. Only
 * the last one asks for an acknowledgement: the kernel reports errors of the
 * others without being asked.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

struct netlink_batch {
	struct arena *arena;
	char *bytes;
	size_t len, size;
	size_t message; /* where the last one begins */
	uint32_t n;	/* messages; their sequence numbers begin at 1 */
	bool full;	/* out of memory */
};

void batch_open(struct netlink_batch *batch, struct arena *arena);
/* Begin a message with its fixed part. */
void batch_begin(struct netlink_batch *batch, uint16_t type, uint16_t flags,
		 const void *fixed, size_t len);
void batch_put(struct netlink_batch *batch, uint16_t type, const void *data,
	       size_t len);
void batch_put_text(struct netlink_batch *batch, uint16_t type,
		    const char *text);
void batch_put_u8(struct netlink_batch *batch, uint16_t type, uint8_t value);
/* In the order of this machine, as routing has them. */
void batch_put_u32(struct netlink_batch *batch, uint16_t type, uint32_t value);
/* In network order, as nf_tables has them. */
void batch_put_be16(struct netlink_batch *batch, uint16_t type, uint16_t value);
void batch_put_be32(struct netlink_batch *batch, uint16_t type, uint32_t value);
/* Begin an attribute that contains others; returns its place for batch_up. */
size_t batch_down(struct netlink_batch *batch, uint16_t type);
void batch_up(struct netlink_batch *batch, size_t place);
/* Have the current message acknowledged. */
void batch_ask(struct netlink_batch *batch);
/*
 * Send all messages and wait for the acknowledgement: 0, or -errno of the first
 * message that failed, whose number is *ret_failed. Records no error.
 */
int batch_send(const struct netlink_batch *batch, int sock,
	       uint32_t *ret_failed);
