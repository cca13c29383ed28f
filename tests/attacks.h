/* SPDX-License-Identifier: Apache-2.0 */
/* tests/attacks.h - what the parts of tests/attacks.c know of each other. */
#pragma once

#include <sys/types.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FILE_OPEN "open"
#define CANARY "sandlock-canary"
#define QUEUE "/sandlock-attack"

struct attack {
	const char *name;
	long (*act)(void); /* negative, with errno: refused */
};

#define ATTACK(name)        \
	{                   \
#name, name \
	}

/* A file that the policy denies, and a process outside that has it open. */
struct target {
	const char *secret;
	pid_t other;
};

extern struct target target;
extern const struct attack outside_attacks[];
extern const size_t outside_nattacks;
long call(long nr, long a, long b, long c, long d);
