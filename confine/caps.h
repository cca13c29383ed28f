/* SPDX-License-Identifier: Apache-2.0 */
/* confine/caps.h - convert names of capabilities to numbers and masks. */
#pragma once

#include <stdint.h>

#include "base/strings.h"

struct arena;
struct oci_capabilities;
struct oci_process;

#define CAPS_BIT(number) (UINT64_C(1) << (number))

/* One bit for each capability. */
struct caps {
	uint64_t bounding;
	uint64_t effective;
	uint64_t inheritable;
	uint64_t permitted;
	uint64_t ambient;
	struct strings unknown; /* each name once; not in the sets */
};

/* Convert "CAP_KILL" or "kill", in any case; -1 if libcap does not know it. */
int caps_number(const char *name);
/* Return "CAP_KILL", valid until the next call; NULL if libcap has no name. */
const char *caps_name(int number);
/* List the names of all capabilities, by number. */
int caps_known(struct arena *arena, struct strings *ret);
/* Convert the sets of a process; all are empty if names is NULL. */
int caps_read(struct arena *arena, const struct oci_capabilities *names,
	      struct caps *ret);
/* Remove a capability from all sets of the process. */
int caps_drop(struct arena *arena, int number, struct oci_process *process);
/* Get permitted and effective sets of this process; the others stay empty. */
int caps_own(struct caps *ret);
