/* SPDX-License-Identifier: Apache-2.0 */
/* base/nearest.c - compare misspelled words with known ones. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MOST 3 /* differences that a typo may have */

static int letter(char c)
{
	return c == '_' ? '-' : tolower((unsigned char)c);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t nearest_distance(const char *a, size_t a_len, const char *b,
			size_t b_len)
{
	size_t rows[3][NEAREST_MAX];
	size_t *before = rows[0], *last = rows[1], *row = rows[2];

	if (a_len >= NEAREST_MAX || b_len >= NEAREST_MAX)
		return NEAREST_MAX;
	for (size_t k = 0; k <= b_len; k++)
		last[k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			int x = letter(a[i - 1]), y = letter(b[k - 1]);

			row[k] = smaller(last[k], row[k - 1]) + 1;
			row[k] = smaller(row[k], last[k - 1] + (x != y));
			if (i > 1 && k > 1 && x == letter(b[k - 2]) &&
			    y == letter(a[i - 2]))
				row[k] = smaller(row[k], before[k - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[b_len];
}

struct nearest nearest_to(const char *word, size_t len)
{
	return (struct nearest){ .word = word, .len = len };
}

/* The shorter the word, the fewer differences are a typo. */
static size_t most_for(size_t len)
{
	return len < 2 ? 0 : len < 6 ? 1 : len < 9 ? 2 : MOST;
}

static int begins_alike(const struct nearest *n, const char *known)
{
	return letter(n->word[0]) == letter(known[0]);
}

void nearest_try(struct nearest *n, const char *known, const char *shown)
{
	size_t distance =
		nearest_distance(n->word, n->len, known, strlen(known));

	/* Two words of a few letters that share none are not similar. */
	if (distance > most_for(n->len) || strlen(shown) >= NEAREST_MAX)
		return;
	if (n->best[0] && (distance > n->distance || (distance == n->distance &&
						      !begins_alike(n, known))))
		return;
	/* Of two that are equally near, the first one stays. */
	if (n->best[0] && distance == n->distance &&
	    begins_alike(n, n->best + strspn(n->best, "-@")))
		return;
	n->distance = distance;
	snprintf(n->best, sizeof n->best, "%s", shown);
}

const char *nearest_found(const struct nearest *n)
{
	return n->best[0] ? n->best : NULL;
}
