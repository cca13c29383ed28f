/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine/landlock.h - plan Landlock rules as values in the parent, and apply
 * them in the child after its mounts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/kernel.h"

struct arena;

/* Landlock needs one rule for each port. */
#define LANDLOCK_MOST_PORTS 1000

enum landlock_right {
	LANDLOCK_MAY_READ = 1 << 0,    /* files, and names in directories */
	LANDLOCK_MAY_WRITE = 1 << 1,   /* also create, remove, rename */
	LANDLOCK_MAY_EXECUTE = 1 << 2, /* also for files that may be read */
	LANDLOCK_MAY_IOCTL = 1 << 3,   /* devices opened from now on */
	LANDLOCK_MAY_MKNOD = 1 << 4,   /* device nodes */
	LANDLOCK_MAY_CONNECT = 1 << 5, /* to Unix sockets outside */
	LANDLOCK_MAY_LIST = 1 << 6,    /* only names in directories */
	LANDLOCK_MAY_USE = 1 << 7,     /* only existing files and devices */
};

/* The rights on a path and everything below it. */
struct landlock_path {
	const char *path;
	uint32_t rights;
	bool directory; /* if known; the kernel does not need it */
};

struct landlock_ports {
	uint16_t first, last;
};

/* What to restrict; of that, everything that is not listed is denied. */
struct landlock_want {
	bool files;
	const struct landlock_path *paths;
	size_t npaths;
	bool unix_sockets;    /* if the kernel supports it */
	bool binds, connects; /* of TCP */
	const struct landlock_ports *bind, *connect;
	size_t nbind, nconnect;
	/* To processes outside; false if a namespace separates them already. */
	bool signals, abstract_sockets;
	bool log; /* denials to the audit log, if the kernel can */
	uint32_t allow_degraded, disable; /* 1 << enum policy_protection */
};

/* The kernel refuses rights for directories in the rule of another file. */
struct landlock_access {
	uint64_t directory;
	uint64_t other;
};

struct landlock_rule {
	const char *path;
	struct landlock_access access;
};

struct landlock_plan {
	bool needed; /* there is something to enforce */
	struct kernel_landlock_ruleset handled;
	const struct landlock_rule *rules;
	size_t nrules;
	const struct kernel_landlock_port *ports;
	size_t nports;
	uint32_t flags;	   /* of landlock_restrict */
	uint32_t missing;  /* wanted protections that this kernel lacks */
	uint32_t disabled; /* protections that the policy disables */
};

/* The rights that a kernel enforces; tests use other kernels. */
struct landlock_host {
	int abi; /* version of Landlock; 0: not available */
	struct kernel_landlock_ruleset rights;
	uint32_t flags; /* of landlock_restrict */
};

/*
 * Probe this kernel: try all rights of its version at once, and if it refuses
 * them, one by one; then the flags in the same way.
 */
struct landlock_host landlock_probe(void);
/* Like landlock_probe, by `try`, which returns 0 or an error. */
void landlock_try_rights(struct landlock_host *host,
			 int (*try)(const struct kernel_landlock_ruleset *));
/* Likewise for the flags of landlock_restrict. */
void landlock_try_flags(struct landlock_host *host, int (*try)(uint32_t));
/* Return all rights and flags of this version. */
struct landlock_host landlock_of_version(int abi);
/* True if this kernel restricts connections to Unix sockets by path. */
bool landlock_judges_sockets(const struct landlock_host *host);

/*
 * Plan what to request of this kernel. Fails with the name of a protection that
 * is not available and not in allow_degraded.
 */
int landlock_plan(struct arena *arena, const struct landlock_host *host,
		  const struct landlock_want *want, struct landlock_plan *ret);

/* ---- in the child: no allocation, no error text; -1 and errno ---- */

/* Create a ruleset, close-on-exec. */
int landlock_create(const struct kernel_landlock_ruleset *handled);
/* Allow what is below an O_PATH descriptor, opened after the last mount. */
int landlock_allow(int ruleset, int place,
		   const struct landlock_access *access);
int landlock_allow_ports(int ruleset, const struct kernel_landlock_port *ports,
			 size_t n);
/* Set no_new_privs and enforce the ruleset, for all descendants, too. */
int landlock_restrict(int ruleset, uint32_t flags);

/*
 * Let a process reopen the standard descriptors as /dev/stdout with their
 * present access mode; records an error.
 */
int landlock_allow_stdio(int ruleset,
			 const struct kernel_landlock_ruleset *handled);
