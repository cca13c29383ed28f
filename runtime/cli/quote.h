/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/quote.h - make untrusted text safe for a shell or a terminal. */
#pragma once

struct arena;
struct strings;

/* Quote a word so that every shell reads it back; NULL if out of memory. */
const char *quote_word(struct arena *arena, const char *word);
/* Quote all words and join them with spaces. */
const char *quote_words(struct arena *arena, const struct strings *words);
/* Replace bytes that a terminal would interpret by \xNN. */
const char *quote_shown(struct arena *arena, const char *text);
/* Also replace a backslash by \x5c, so that no other text looks the same. */
const char *quote_exactly(struct arena *arena, const char *text);
