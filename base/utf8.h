/* SPDX-License-Identifier: Apache-2.0 */
/* base/utf8.h - which bytes are a character. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at text, 0 when it is not UTF-8. */
size_t utf8_length(const char *text, size_t left);
/* Whether the whole text is UTF-8. */
bool utf8_is(const char *text);
