/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/landlock.h - what Landlock is to hold: planned as values by the
 * parent, applied by the child once its mounts are there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

struct arena;

/* Landlock takes one rule for each port. */
#define LANDLOCK_MOST_PORTS 1000

enum landlock_right {
	LANDLOCK_MAY_READ = 1 << 0,    /* files, and names in directories */
	LANDLOCK_MAY_WRITE = 1 << 1,   /* and make, remove, rename */
	LANDLOCK_MAY_EXECUTE = 1 << 2, /* what may be read, too */
	LANDLOCK_MAY_IOCTL = 1 << 3,   /* devices opened from now on */
	LANDLOCK_MAY_MKNOD = 1 << 4,   /* device nodes */
	LANDLOCK_MAY_CONNECT = 1 << 5, /* to Unix sockets of others */
	LANDLOCK_MAY_LIST = 1 << 6,    /* names in directories alone */
};

/* What may be done with a path and all below it. */
struct landlock_path {
	const char *path;
	uint32_t rights;
};

struct landlock_ports {
	uint16_t first, last;
};

/* Everything that is not listed is refused, in what is to be held. */
struct landlock_want {
	bool files;
	const struct landlock_path *paths;
	size_t npaths;
	bool unix_sockets;    /* where the kernel can */
	bool binds, connects; /* of TCP */
	const struct landlock_ports *bind, *connect;
	size_t nbind, nconnect;
	/* Of others outside; not where a namespace holds them already. */
	bool signals, abstract_sockets;
	bool log; /* refusals into the audit log, where the kernel can */
	uint32_t allow_degraded, disable; /* 1 << enum policy_protection */
};

/* The kernel refuses rights of directories in the rule of anything else. */
struct landlock_access {
	uint64_t directory;
	uint64_t other;
};

struct landlock_rule {
	const char *path;
	struct landlock_access access;
};

struct landlock_plan {
	bool needed; /* there is something to hold */
	struct kernel_landlock_ruleset handled;
	const struct landlock_rule *rules;
	size_t nrules;
	const struct kernel_landlock_port *ports;
	size_t nports;
	uint32_t flags;	   /* of landlock_restrict */
	uint32_t missing;  /* protections wanted that are not held here… */
	uint32_t disabled; /* …or anywhere */
};

/* What the kernel's Landlock enforces; a test may say so of another kernel. */
struct landlock_host {
	int abi; /* version of its interface; 0: there is no Landlock */
	struct kernel_landlock_ruleset rights;
	uint32_t flags; /* of landlock_restrict */
};

/*
 * Ask this kernel: try all rights of its version at once, and if it refuses
 * them, one by one.
 */
struct landlock_host landlock_probe(void);
/* The same with another kernel: 0, or the error that it gives. */
void landlock_try_rights(struct landlock_host *host,
			 int (*try)(const struct kernel_landlock_ruleset *));
/* All that came with this version or before. */
struct landlock_host landlock_of_version(int abi);
/* Whether this kernel decides by path who may connect to a Unix socket. */
bool landlock_judges_sockets(const struct landlock_host *host);

/*
 * What to ask of this kernel. Fails, naming the protection, if one is not
 * available there and not in allow_degraded.
 */
int landlock_plan(struct arena *arena, const struct landlock_host *host,
		  const struct landlock_want *want, struct landlock_plan *ret);

/* ---- the child's side: no memory, no message; -1 and errno ---- */

/* A new ruleset, closed on exec. */
int landlock_create(const struct kernel_landlock_ruleset *handled);
/* Allow what is below an O_PATH descriptor, opened after the last mount. */
int landlock_allow(int ruleset, int place,
		   const struct landlock_access *access);
int landlock_allow_ports(int ruleset, const struct kernel_landlock_port *ports,
			 size_t n);
/* No new privileges, and no more than the ruleset, until the last descendant. */
int landlock_restrict(int ruleset, uint32_t flags);
