/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/attribute.h - find the line of a policy that denied an
 * operation. What the policy allows, and what would have failed without it, is
 * not reported.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct creation;
struct denial;
struct denials;
struct landlock_plan;
struct policy;
struct view;

struct attribution {
	const struct policy *policy;
	const struct view *view;
	struct denials *denials;
	int root;			 /* the host's, or filesystem.chroot */
	const char *prefix;		 /* its path on the host; "" */
	bool no_namespaces;		 /* without namespaces */
	bool judges_sockets;		 /* Landlock restricts them by path */
	const struct landlock_plan *net; /* restricts TCP; NULL: nothing does */
	/* The caller's, for hints; NULL: unknown. */
	const char *cwd, *home, *project;
	bool bundle; /* annotations set its keys; permissions are not asked */
};

/* An absolute path in the sandbox, and the requested access. */
struct attribute_path {
	const char *path;
	uint32_t rights; /* enum landlock_right */
	int error;	 /* of the kernel */
	bool makes;	 /* it creates a new name */
	bool link;	 /* the link itself, not its target */
	bool name;	 /* it changes the directory: makes or removes a name */
	bool permitted;	 /* modes and owners were checked by the kernel */
	int access;	 /* R_OK, W_OK, X_OK: what its mode must permit */
	bool owner;	 /* only the owner may do it */
	bool chown;	 /* uid and gid: the new ones */
	uint32_t uid, gid;
};

/*
 * Evaluate the policy for a path without links; false if it is allowed. No
 * effects. rights: one of enum landlock_right.
 */
bool attribute_judge(const struct attribution *attribution, const char *real,
		     uint32_t rights, struct denial *ret);
int attribute_file(const struct attribution *attribution,
		   const struct attribute_path *wanted);
/* permitted.c: true if modes and owners of the host do not forbid it. */
bool attribute_is_permitted(const struct attribution *attribution,
			    const struct attribute_path *wanted,
			    const char *real, bool exists);
/* Likewise for a path that may have links: only wanted->access. */
bool attribute_follows(const struct attribution *attribution,
		       const struct attribute_path *wanted);
/* True if only a capability that the caller has would permit it. */
bool attribute_lacks_capability(const struct attribution *attribution,
				const struct attribute_path *wanted,
				const char *real, bool exists);
/*
 * Get the interpreter or loader of a program, as far as the program is
 * readable; "" if there is none. ret has ELF_INTERPRETER bytes.
 */
void attribute_interpreter(const struct attribution *attribution,
			   const char *path, char *ret);
/* Report a program that was not found or not executed, or its interpreter. */
int attribute_program(const struct attribution *attribution, const char *path,
		      int error);
/* Report a call of the blocklist; args: for socket, UINT64_MAX: unknown. */
int attribute_call(const struct attribution *attribution, uint32_t arch,
		   uint64_t number, const uint64_t args[6]);
/* Report a process that was killed for a system call of another ABI. */
int attribute_abi(const struct attribution *attribution);
/*
 * Report an address that could not be reached; operation: the name of the call.
 */
int attribute_address(const struct attribution *attribution,
		      const char *operation, const void *address, uint64_t size,
		      int error);
/* Report a Unix socket with a path. */
int attribute_unix(const struct attribution *attribution, const char *operation,
		   const char *path, int error);
/* Report a TCP port that was denied with EACCES. */
int attribute_port(const struct attribution *attribution, const char *operation,
		   const void *address, uint64_t size);
/*
 * limits_hit.c: report limits that a sandbox has reached; its cgroups must
 * still exist.
 */
int limits_hit(const struct creation *creation,
	       const struct attribution *attribution);
