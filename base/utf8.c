/* SPDX-License-Identifier: Apache-2.0 */
/* base/utf8.c - check UTF-8 (RFC 3629). */
#include "base/utf8.h"

#include <string.h>

size_t utf8_length(const char *text, size_t left)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n = *p < 0x80 ? 1 :
		   *p < 0xc2 ? 0 :
		   *p < 0xe0 ? 2 :
		   *p < 0xf0 ? 3 :
		   *p < 0xf5 ? 4 :
			       0;

	if (n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong, half of a surrogate pair, or beyond the last character. */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

bool utf8_is(const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t n = utf8_length(text, left);

		if (n == 0)
			return false;
		text += n;
		left -= n;
	}
	return true;
}
