/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/container/delete.h - delete a container, for `delete` and `run`. */
#pragma once

#include "runtime/container/container.h"

struct arena;
struct oci_hooks;

/*
 * Kill its processes, remove its files and run the poststop hooks: those of its
 * config.json, or `hooks` if the caller has read them (else NULL).
 */
int delete_container(struct arena *arena, struct container *container,
		     const struct oci_hooks *hooks);
