/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/fair.h - which failures of which calls a kernel can produce. */
#pragma once

#include <stdbool.h>

enum exception {
	FAIR,
	NEVER_RETURNS,
	NEVER_FAILS,
	NEVER_INTERRUPTED,
	NEVER_STAYS,
	HELD,
	ARRIVED,
	NO_KEYRINGS,
	EXCEPTIONS,
};

struct call;

/*
 * Why this call does not fail like that, or not each time from then on; or why
 * its failure says nothing about the command.
 */
enum exception fair(const struct call *call, int error, bool stays);

/* The reason, for the report. */
const char *exception_text(enum exception why);
