/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/diagnose/audit.h - what the kernel says to those who audit, of one sandbox.
 *
 * Only where it is switched on already and we may listen: nothing of the host's
 * settings is changed. Landlock names the domain that refused (Linux 6.15), and
 * once for each domain the process that made it, which is the sandbox's
 * program. Records of seccomp have no more than a process: they count if it is
 * seen in the sandbox's pid namespace while it lives, or is the program itself.
 * What mounts hide is in no record, and of the program's children that end
 * before we have looked for them no call is told.
 */
#pragma once

#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define AUDIT_TRUSTED_APP 1121 /* of those for programs; in no kernel header */

struct attribution;
struct creation;
struct host;
struct launch;

enum audit_kind {
	AUDIT_OTHER,
	AUDIT_REFUSED, /* by Landlock: domain; rights, path; call, address */
	AUDIT_DOMAIN,  /* a domain and who made it: domain, pid */
	AUDIT_CALL,    /* by seccomp: pid, arch, number */
	AUDIT_MARK,    /* what a program said by itself: pid */
};

/* The family and the port are in the same place. */
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

struct audit_refusal; /* of a domain that may still turn out to be ours */

struct audit {
	const struct attribution *attribution;
	int fd; /* -1: there is nothing to hear */
	int proc;
	pid_t program;
	uint64_t pid_ns;
	uint64_t domain; /* 0: not known yet */
	struct audit_refusal *refusals;
	size_t n;
	bool has_ended; /* no record is under way any more */
};

#define AUDIT_NONE        \
	{                 \
		.fd = -1, \
	}

/* One record; type as in linux/audit.h. Pure. */
void audit_parse(uint16_t type, const char *text, struct audit_event *ret);

/* Listen, if that is possible: then denials are to be logged. */
bool audit_open(struct audit *audit, struct host *host);
/* How to attribute what is logged, once there is a plan. */
void audit_attribute(struct audit *audit,
		     const struct attribution *attribution);
/* Before the child goes on to its program. */
int audit_prepare(const struct audit *audit, const struct launch *launch);
/* The program runs: these are the records to look for. */
void audit_begin(struct audit *audit, const struct creation *creation);
/* What has come; for struct foreground_job. */
void audit_read(void *audit);
/* The sandbox has ended: attribute what is left. */
void audit_end(struct audit *audit);
void audit_close(struct audit *audit);
