/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/sandlock/lookup.h - sandboxes by their names, for ps, inspect and kill. */
#pragma once

#include "runtime/container/container.h"
#include "runtime/container/session.h"

struct sandbox_row {
	const char *name;
	enum oci_status status;
	pid_t pid;    /* 0: stopped */
	uint64_t age; /* seconds since its first process */
	const char *created;
	struct strings command; /* n 0: not known */
};

/* "no sandbox is called" otherwise; a broken one is an error that says why. */
int sandlock_find(const struct session *session, const char *name,
		  struct container *ret);
/* What is to be told of it. */
int sandlock_describe(struct arena *arena, const struct container *container,
		      struct sandbox_row *ret);
