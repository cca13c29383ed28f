/* SPDX-License-Identifier: Apache-2.0 */
/* confine/caps.h - capabilities: names into numbers, sets of names into masks. */
#pragma once

#include <stdint.h>

#include "base/strings.h"

struct arena;
struct oci_capabilities;
struct oci_process;

#define CAPS_BIT(number) (UINT64_C(1) << (number))

/* One bit per capability number. */
struct caps {
	uint64_t bounding;
	uint64_t effective;
	uint64_t inheritable;
	uint64_t permitted;
	uint64_t ambient;
	struct strings unknown; /* each name once, left out of the sets */
};

/* "CAP_KILL" or "kill", in any case; -1 when libcap does not know the name. */
int caps_number(const char *name);
/* "CAP_KILL", valid until the next call; NULL when libcap has no name for it. */
const char *caps_name(int number);
/* The names of all capabilities, by number. */
int caps_known(struct arena *arena, struct strings *ret);
/* The sets of a process; all of them are empty where names is NULL. */
int caps_read(struct arena *arena, const struct oci_capabilities *names,
	      struct caps *ret);
/* Take a capability out of all sets of the process. */
int caps_drop(struct arena *arena, int number, struct oci_process *process);
/* Our own permitted and effective sets; the others stay empty. */
int caps_own(struct caps *ret);
