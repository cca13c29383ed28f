/* SPDX-License-Identifier: Apache-2.0 */
/* tests/faults/fair.h - which failures of which calls a kernel can produce. */
#pragma once

enum exception {
	FAIR,
	NEVER_RETURNS,
	NEVER_FAILS,
	NEVER_INTERRUPTED,
	NO_KEYRINGS,
	EXCEPTIONS,
};

/* Why this call does not fail like that; KILLED is never unfair. */
enum exception fair(long nr, int error);

/* The reason, for the report. */
const char *exception_text(enum exception why);
