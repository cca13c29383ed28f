/* SPDX-License-Identifier: Apache-2.0 */
/* base/utf8.h - find characters in UTF-8 text. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Return the bytes of the character at text, 0 if it is not UTF-8. */
size_t utf8_length(const char *text, size_t left);
/* True if the whole text is UTF-8. */
bool utf8_is(const char *text);
