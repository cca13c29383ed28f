/* SPDX-License-Identifier: Apache-2.0 */
/* cow/report.h - show the changes of a branch. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "cow/changes.h"

struct branch;
struct writer;

/* How names are shown. */
struct report {
	struct arena *arena;
	FILE *out;
	const char *before; /* each path; NULL: nothing */
	bool escape;	    /* the diff goes to a terminal */
};

/* Print a line for each change: A, M or D, the path, what else differs. */
int report_list(const struct report *report, const struct changes *changes);
/* Print "conflict: PATH: reason" for each conflict. */
int report_conflicts(const struct report *report,
		     const struct changes *changes);
/* Print the changes as git does; `git apply` and patch understand it. */
int report_diff(const struct report *report, const struct branch *branch,
		const struct changes *changes);
/* Return how many seconds ago a branch was made. */
int64_t report_age(const struct branch *branch);
/* Write an array of objects. */
void report_json(struct writer *w, const char *key, const struct report *report,
		 const struct changes *changes);
