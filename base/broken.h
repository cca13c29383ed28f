/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/broken.h - defences that a test can take out, to see that it fails.
 *
 * Only what `make breakable` builds has them: there SANDLOCK_BROKEN=NAME takes
 * out the one of that name (tests/cve/mutants.list). Everywhere else this is
 * the constant false, and neither the name nor the code behind it is compiled.
 */
#pragma once

#include <stdbool.h>

#ifdef BREAKABLE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline bool broken(const char *name)
{
	const char *chosen = getenv("SANDLOCK_BROKEN");

	return chosen && strcmp(chosen, name) == 0;
}

/* The same, and so late that whoever races for it is first. */
static inline bool broken_late(const char *name)
{
	return broken(name) && usleep(20000) == 0;
}
#else
#define broken(name) false
#define broken_late(name) false
#endif
