/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/audit.h - collect the kernel's audit records of one sandbox.
 *
 * This only works if audit is enabled and we may listen; it changes no setting
 * of the host. Landlock's records name the domain that denied access (Linux
 * 6.15), and once for each domain the process that made it, which is the
 * sandbox's program. Records of seccomp only contain a process: they count if
 * that is in the sandbox's pid namespace while it lives, or is the program
 * itself. There are no records of what mounts hide, and calls of children that
 * exit before we have looked for them are not reported.
 */
#pragma once

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AUDIT_TRUSTED_APP 1121 /* messages of programs; in no kernel header */

struct attribution;
struct creation;
struct host;
struct launch;

enum audit_kind {
	AUDIT_OTHER,
	AUDIT_REFUSED, /* by Landlock: domain; rights, path; call, address */
	AUDIT_DOMAIN,  /* a domain and who made it: domain, pid */
	AUDIT_CALL,    /* by seccomp: pid, arch, number */
	AUDIT_MARK,    /* a message of a program: pid */
};

/* Family and port have the same offset in both. */
union audit_address {
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

struct audit_event {
	enum audit_kind kind;
	uint64_t domain;
	uint32_t rights; /* enum landlock_right; 0: not about files */
	pid_t pid;
	uint32_t arch;
	uint64_t number;
	char path[PATH_MAX]; /* "": none */
	const char *call;    /* "bind", "connect"; NULL: not about an address */
	union audit_address address;
};

/* The program has one, and so has each process that exec starts. */
#define AUDIT_DOMAINS 64

struct audit_refusal; /* a denial of a domain that may be ours */

struct audit {
	const struct attribution *attribution;
	int fd; /* -1: not available */
	int proc;
	pid_t program;
	uint64_t pid_ns;
	uint64_t domains[AUDIT_DOMAINS]; /* of its processes, the first ones */
	size_t ndomains;
	struct audit_refusal *refusals;
	size_t n;
	bool has_ended; /* no more records will arrive */
};

#define AUDIT_NONE        \
	{                 \
		.fd = -1, \
	}

/* Parse one record; type as in linux/audit.h. No effects. */
void audit_parse(uint16_t type, const char *text, struct audit_event *ret);

/* Listen, if that is possible; then denials should be logged. */
bool audit_open(struct audit *audit, struct host *host);
/* Set how to attribute records, once there is a plan. */
void audit_attribute(struct audit *audit,
		     const struct attribution *attribution);
/* Call this before the child continues to its program. */
int audit_prepare(const struct audit *audit, const struct launch *launch);
/* The program runs: select its records. */
void audit_begin(struct audit *audit, const struct creation *creation);
/* Process the records that have arrived; for loop_add. */
int audit_readable(void *audit, short revents);
/* Select the records of a container: its first process and pid namespace. */
void audit_select(struct audit *audit, int proc, pid_t program,
		  uint64_t pid_ns);
/* Attribute the records that have arrived; those of unknown domains wait. */
void audit_attribute_read(struct audit *audit);
/* The sandbox has ended: attribute the remaining records. */
void audit_end(struct audit *audit);
void audit_close(struct audit *audit);
