/* SPDX-License-Identifier: Apache-2.0 */
/* control/frame.c - find the frames in a stream of bytes. */
#include "control/frame.h"

#include "base/err.h"

int frame_find(const void *data, size_t len, size_t max, size_t *ret_len)
{
	const unsigned char *bytes = data;
	size_t size = 0;

	if (len < FRAME_HEADER)
		return 0;
	for (size_t i = 0; i < FRAME_HEADER; i++)
		size = size << 8 | bytes[i];
	if (size == 0)
		return fail(0, "the frame is empty");
	if (size > max)
		return fail(0,
			    "the frame has %zu bytes, more than the maximum "
			    "of %zu",
			    size, max);
	if (len - FRAME_HEADER < size)
		return 0;
	*ret_len = size;
	return 1;
}

void frame_header(size_t len, unsigned char ret[FRAME_HEADER])
{
	for (size_t i = FRAME_HEADER; i-- > 0; len >>= 8)
		ret[i] = (unsigned char)len;
}
