/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/cli/quote.h - words of others, made safe for a shell or for a terminal. */
#pragma once

struct arena;
struct strings;

/* One word that every shell reads back as it was; NULL when memory is out. */
const char *quote_word(struct arena *arena, const char *word);
/* All of them, with spaces between. */
const char *quote_words(struct arena *arena, const struct strings *words);
/* Nothing that a terminal would obey: such bytes become \xNN. */
const char *quote_shown(struct arena *arena, const char *text);
/* The same, and no other text looks like it: a backslash becomes \x5c. */
const char *quote_exactly(struct arena *arena, const char *text);
