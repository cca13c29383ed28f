/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/attribute.h - which line of a policy refused something. What the policy
 * allows, and what would have failed without it, is nobody's fault here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arena;
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
	const char *prefix;		 /* how the host calls it; "" */
	bool no_namespaces;		 /* without namespaces */
	bool judges_sockets;		 /* Landlock does, by path */
	const struct landlock_plan *net; /* who judges TCP; NULL: nobody */
};

/* An absolute path as the sandbox has it, and what was wanted. */
struct attribute_path {
	const char *path;
	uint32_t rights; /* enum landlock_right */
	int error;	 /* as the kernel gave it */
	bool makes;	 /* a new name */
	bool link;	 /* itself, not what it leads to */
};

/*
 * The policy's answer for a path without links; false: it is allowed. Pure.
 * rights: one of enum landlock_right.
 */
bool attribute_judge(const struct attribution *attribution, const char *real,
		     uint32_t rights, struct denial *ret);
int attribute_file(const struct attribution *attribution,
		   const struct attribute_path *wanted);
/* A program that was not found or not executed, and who loads it. */
int attribute_program(const struct attribution *attribution, const char *path,
		      int error);
/* A call of the blocklist; args: for socket, UINT64_MAX: not known. */
int attribute_call(const struct attribution *attribution, uint32_t arch,
		   uint64_t number, const uint64_t args[6]);
/* Report a process that was killed for a system call of another ABI. */
int attribute_abi(const struct attribution *attribution);
/* An address that could not be reached; operation: the call's name. */
int attribute_address(const struct attribution *attribution,
		      const char *operation, const void *address, uint64_t size,
		      int error);
/* The same of a Unix socket with a path. */
int attribute_unix(const struct attribution *attribution, const char *operation,
		   const char *path, int error);
/* The same of a TCP socket that was refused with EACCES. */
int attribute_port(const struct attribution *attribution, const char *operation,
		   const void *address, uint64_t size);
