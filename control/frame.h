/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control/frame.h - frames of the control protocol: the length of a JSON text
 * in four bytes, the highest first, and the text. No effects.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER 4
/* Longer frames are refused before they are read. */
#define FRAME_MAX_REQUEST (64U << 10)
#define FRAME_MAX_ANSWER (1U << 20)

/*
 * Look for a whole frame at the beginning of these bytes, with a text of at
 * most max bytes. 1: *ret_len is the length of its text, which follows the
 * header; 0: more bytes are needed. Fails for an empty or too long text.
 */
int frame_find(const void *data, size_t len, size_t max, size_t *ret_len);
/* Write the header of a text of this length. */
void frame_header(size_t len, unsigned char ret[FRAME_HEADER]);
