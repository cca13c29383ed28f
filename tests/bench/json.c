/* SPDX-License-Identifier: Apache-2.0 */
/* tests/bench/json.c - figures as JSON. */
#include <stdlib.h>

#include "tests/bench/bench.h"

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double median(double *values, size_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof *values, compare);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

void json_text(const char *text)
{
	putchar('"');
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < ' ')
			putchar(' ');
		else
			putchar(*text);
	putchar('"');
}

void json_figures(const struct bench_case *bench, struct contender *c,
		  bool with_gaps, bool *first)
{
	double middle = median(c->us, c->n);

	printf("%s\n  {\"case\": ", *first ? "" : ",");
	*first = false;
	json_text(bench->name);
	printf(", \"mode\": \"%s\", \"by\": ",
	       with_gaps ? "gaps" : "back to back");
	json_text(c->name);
	if (c->unable) {
		printf(", \"unable\": ");
		json_text(c->unable);
	} else {
		printf(", \"rounds\": %zu, \"median_us\": %.1f, "
		       "\"min_us\": %.1f, \"p90_us\": %.1f, "
		       "\"peak_kib\": %ld",
		       c->n, middle, c->us[0], c->us[c->n * 9 / 10],
		       c->peak_kib);
	}
	putchar('}');
}
