/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/check.h - check what this host can enforce, by the functions
 * that enforce it, and advise what to do about the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "confine/host.h"
#include "runtime/sandbox/decide.h"

struct arena;

enum check_state {
	CHECK_OK,
	CHECK_PARTLY,
	CHECK_MISSING,
	CHECK_NOTE, /* for information; nothing depends on it */
};

enum check_part {
	CHECK_SECCOMP,
	CHECK_NAMESPACES,
	CHECK_LANDLOCK,
	CHECK_CGROUPS,
	CHECK_NESTED,
	CHECK_MAPPERS,
	CHECK_PARTS,
};

struct check_finding {
	enum check_state state;
	const char *text;   /* what was found */
	const char *advice; /* what to do; NULL: nothing */
};

struct check {
	struct host *host;
	struct check_finding parts[CHECK_PARTS];
	struct decision decision; /* for a policy that demands everything */
	uint32_t missing;	  /* protections that are not available */
};

/* Check everything. */
int check_look(struct arena *arena, struct host *host, struct check *ret);
/* 0: everything works, 1: a part, 2: no sandbox is possible. */
int check_verdict(const struct check *check);
const char *check_part_name(enum check_part part);
const char *check_state_name(enum check_state state);
/* "fs_refer, net_tcp" */
const char *check_names(struct arena *arena, uint32_t bits);

/* ---- check_cgroups.c: limits that this user can set ---- */

/* "memory" */
const char *check_limit_name(enum host_limit limit);
int check_cgroups(struct arena *arena, struct check *ret);
