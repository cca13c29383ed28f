/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/delete.h - the end of a container, for `delete` and for `run`. */
#pragma once

#include "runtime/container/container.h"

struct arena;
struct oci_hooks;

/*
 * End what still runs, remove what was made, run the poststop hooks: those of
 * its config.json, or these when the caller has read it (NULL: it has not).
 */
int delete_container(struct arena *arena, struct container *container,
		     const struct oci_hooks *hooks);
