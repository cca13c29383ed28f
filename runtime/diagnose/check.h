/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/check.h - what this host can hold, asked of the very functions that
 * hold it, and what to do about the rest.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_PARTLY,
	DOCTOR_MISSING,
	DOCTOR_NOTE,		/* good to know; nothing depends on it */
};

enum doctor_part {
	DOCTOR_SECCOMP,
	DOCTOR_NAMESPACES,
	DOCTOR_LANDLOCK,
	DOCTOR_CGROUPS,
	DOCTOR_NESTED,
	DOCTOR_MAPPERS,
	DOCTOR_PARTS,
};

struct doctor_finding {
	enum doctor_state state;
	const char *text;	/* what was found */
	const char *advice;	/* what to do; NULL: nothing */
};

struct doctor {
	struct doctor_finding parts[DOCTOR_PARTS];
	int landlock;		/* version; 0: none */
	uint32_t missing;	/* protections that nothing here holds */
	uint32_t limits;	/* 1 << enum doctor_limit that can be had */
};

enum doctor_limit {
	DOCTOR_MEMORY,
	DOCTOR_PIDS,
	DOCTOR_CPU,
	DOCTOR_CPUSET,
	DOCTOR_LIMITS,
};

/* Look at everything. */
int doctor_look(struct arena *arena, struct doctor *ret);
/* 0: all is well, 1: a part of it, 2: no sandbox is possible. */
int doctor_verdict(const struct doctor *doctor);
const char *doctor_part_name(enum doctor_part part);
const char *doctor_state_name(enum doctor_state state);
/* Protections that mounts and namespaces of a sandbox's own hold as well. */
extern const uint32_t doctor_by_namespaces;
/* "fs_refer, net_tcp" */
const char *doctor_names(struct arena *arena, uint32_t bits);
