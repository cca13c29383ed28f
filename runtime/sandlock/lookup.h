/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/sandlock/lookup.h - find sandboxes by name, for ps, inspect and kill.
 */
#pragma once

#include "runtime/container/container.h"
#include "runtime/container/session.h"
#include "runtime/diagnose/ports.h"

struct sandbox_row {
	const char *name;
	enum oci_status status;
	pid_t pid;    /* 0: stopped */
	uint64_t age; /* seconds since its first process */
	const char *created;
	struct strings command; /* n 0: not known */
	struct ports ports;
};

/*
 * Find a sandbox; fail with "no sandbox is called", or the reason if it is
 * broken.
 */
int sandlock_find(const struct session *session, const char *name,
		  struct container *ret);
/* Get what ps and inspect print about it. */
int sandlock_describe(struct arena *arena, const struct container *container,
		      struct sandbox_row *ret);
