/* SPDX-License-Identifier: Apache-2.0 */
/* confine/covered_report.c - which names were covered again. */
#include "confine/covered.h"

const struct covered_name *covered_report(struct covered *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct covered_name *name = &c->names[i];

		if (name->reported == name->times)
			continue;
		name->reported = name->times;
		return name;
	}
	return NULL;
}
