/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/denials/audit.c - read the kernel's audit records, and select those
 * of a sandbox.
 */
#include "runtime/denials/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/kernel.h"
#include "confine/calls.h"
#include "confine/host.h"
#include "runtime/container/create.h"
#include "runtime/denials/attribute.h"
#include "runtime/denials/denials.h"

#define MOST 1000
#define MOST_ROUNDS 1000
#define ANSWER_MS 1000 /* time for a kernel thread on a busy machine */
#define BUFFER (1 << 20)
#define MAX_RECORD 8970 /* MAX_AUDIT_MESSAGE_LENGTH */

#ifndef SECCOMP_FILTER_FLAG_LOG
#define SECCOMP_FILTER_FLAG_LOG (1UL << 1)
#endif

struct audit_refusal {
	uint64_t domain;
	uint32_t rights;
	const char *path;
	const char *call; /* NULL: the record is about the path */
	union audit_address address;
};

/* ---- is audit available and enabled? ---- */

/*
 * Request the audit state, which needs CAP_AUDIT_CONTROL. A kernel thread sends
 * the answer some time later; a refusal comes at once.
 */
static bool is_on(void)
{
	autoclose int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	struct pollfd p = { .fd = fd, .events = POLLIN };
	const struct nlmsghdr ask = {
		.nlmsg_len = sizeof ask,
		.nlmsg_type = AUDIT_GET,
		.nlmsg_flags = NLM_F_REQUEST,
	};
	struct {
		struct nlmsghdr header;
		struct audit_status status;
	} answer = { 0 };

	if (fd < 0 || send(fd, &ask, sizeof ask, 0) != sizeof ask ||
	    poll(&p, 1, ANSWER_MS) <= 0 ||
	    recv(fd, &answer, sizeof answer, MSG_DONTWAIT) <
		    (ssize_t)(sizeof ask + offsetof(struct audit_status, pid)))
		return false;
	return answer.header.nlmsg_type == AUDIT_GET && answer.status.enabled;
}

static int listen_in(void)
{
	const struct sockaddr_nl group = {
		.nl_family = AF_NETLINK,
		.nl_groups = 1U << (AUDIT_NLGRP_READLOG - 1),
	};
	autoclose int fd = socket(AF_NETLINK,
				  SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
				  NETLINK_AUDIT);
	const int size = BUFFER;

	if (fd < 0)
		return -1;
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
	if (bind(fd, (const void *)&group, sizeof group) < 0)
		return -1;
	return take_fd(&fd);
}

static bool logs(struct host *host)
{
	return host_landlock(host)->flags &
	       LANDLOCK_RESTRICT_SELF_LOG_NEW_EXEC_ON;
}

bool audit_open(struct audit *audit, struct host *host)
{
	if (geteuid() != 0 || !logs(host) || !is_on())
		return false;
	audit->fd = listen_in();
	return audit->fd >= 0;
}

void audit_attribute(struct audit *audit, const struct attribution *attribution)
{
	audit->attribution = attribution;
}

/* ---- which process is it? ---- */

/* The sender of the last message is the program, even if it exits soon. */
int audit_prepare(const struct audit *audit, const struct launch *launch)
{
	const int on = 1;

	if (audit->fd >= 0 && setsockopt(launch->link, SOL_SOCKET, SO_PASSCRED,
					 &on, sizeof on) < 0)
		return fail(errno, "find out the process ID of the sandboxed "
				   "program, to report its denials");
	return 0;
}

void audit_begin(struct audit *audit, const struct creation *c)
{
	if (audit->fd < 0)
		return;
	audit_select(audit, c->prepared->proc, c->launch.speaker,
		     c->launch.ns_inodes[OCI_NS_PID]);
}

void audit_select(struct audit *audit, int proc, pid_t program, uint64_t pid_ns)
{
	audit->proc = proc;
	audit->program = program;
	audit->pid_ns = pid_ns;
}

static bool is_inside(const struct audit *audit, pid_t pid)
{
	struct stat st;
	char name[64];

	if (pid == audit->program)
		return true;
	snprintf(name, sizeof name, "%d/ns/pid", pid);
	return fstatat(audit->proc, name, &st, 0) == 0 &&
	       st.st_ino == audit->pid_ns;
}

/* ---- records ---- */

static void keep(struct audit *audit, const struct audit_event *event)
{
	struct arena *arena = audit->attribution->denials->arena;

	if ((!event->call && (!event->path[0] || !event->rights)) ||
	    audit->n == MOST)
		return;
	if (!audit->refusals)
		audit->refusals =
			arena_array(arena, MOST, sizeof *audit->refusals);
	if (!audit->refusals)
		return;
	audit->refusals[audit->n] = (struct audit_refusal){
		event->domain, event->rights,  arena_strdup(arena, event->path),
		event->call,   event->address,
	};
	audit->n += audit->refusals[audit->n].path != NULL;
}

/* Records do not contain the addresses of a socket. */
static void attribute_logged_call(const struct audit *audit,
				  const struct audit_event *event)
{
	static const uint64_t unknown[6] = { UINT64_MAX };

	/*
	 * clone3 gets ENOSYS, so that programs fall back: this is not a denial.
	 */
	if (call_number(event->arch, "clone3") == (int)event->number)
		return;
	if (is_inside(audit, event->pid))
		(void)attribute_call(audit->attribution, event->arch,
				     event->number, unknown);
}

static void take(struct audit *audit, uint16_t type, const char *text)
{
	struct audit_event event;

	audit_parse(type, text, &event);
	switch (event.kind) {
	case AUDIT_REFUSED:
		keep(audit, &event);
		break;
	case AUDIT_DOMAIN:
		if (is_inside(audit, event.pid) &&
		    audit->ndomains < AUDIT_DOMAINS)
			audit->domains[audit->ndomains++] = event.domain;
		break;
	case AUDIT_CALL:
		attribute_logged_call(audit, &event);
		break;
	case AUDIT_MARK:
		if (event.pid == getpid())
			audit->has_ended = true;
		break;
	case AUDIT_OTHER:
		break;
	}
}

static void read_records(struct audit *audit)
{
	_Alignas(struct nlmsghdr) char text[MAX_RECORD + 1];

	for (;;) {
		ssize_t n = recv(audit->fd, text, sizeof text - 1, 0);
		const struct nlmsghdr *header = (const void *)text;

		/* Records were lost, so the list may be incomplete. */
		if (n < 0 && errno == ENOBUFS)
			continue;
		if (n < (ssize_t)sizeof *header)
			return;
		text[n] = '\0';
		take(audit, header->nlmsg_type, text + sizeof *header);
	}
}

int audit_readable(void *audit, short revents)
{
	(void)revents;
	read_records(audit);
	return 0;
}

/* Send a record of our own: when it arrives, all earlier ones have. */
static void mark_end(void)
{
	static const char text[] = "op=sandbox-end exe=\"sandlock\"";
	autoclose int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_AUDIT);
	struct {
		struct nlmsghdr header;
		char text[sizeof text];
	} mark = {
		.header.nlmsg_len = sizeof mark,
		.header.nlmsg_type = AUDIT_TRUSTED_APP,
		.header.nlmsg_flags = NLM_F_REQUEST,
	};

	if (fd < 0)
		return;
	memcpy(mark.text, text, sizeof text);
	(void)send(fd, &mark, sizeof mark, 0);
}

static bool has_domain(const struct audit *audit, uint64_t domain)
{
	for (size_t i = 0; i < audit->ndomains; i++)
		if (audit->domains[i] == domain)
			return true;
	return false;
}

static void attribute_refusal(const struct audit *audit,
			      const struct audit_refusal *refusal)
{
	const struct attribute_path wanted = {
		.path = refusal->path,
		.rights = refusal->rights,
		.error = EACCES,
		.permitted = true,
	};

	if (refusal->call)
		(void)attribute_port(audit->attribution, refusal->call,
				     &refusal->address,
				     sizeof refusal->address);
	else if (refusal->rights & LANDLOCK_MAY_CONNECT)
		(void)attribute_unix(audit->attribution, "connect",
				     refusal->path, EACCES);
	else
		(void)attribute_file(audit->attribution, &wanted);
}

/* The kernel names a domain only after its first denial. */
void audit_attribute_read(struct audit *audit)
{
	size_t left = 0;

	for (size_t i = 0; i < audit->n; i++) {
		if (has_domain(audit, audit->refusals[i].domain))
			attribute_refusal(audit, &audit->refusals[i]);
		else
			audit->refusals[left++] = audit->refusals[i];
	}
	audit->n = left;
}

void audit_end(struct audit *audit)
{
	struct pollfd p = { .fd = audit->fd, .events = POLLIN };

	if (audit->fd < 0)
		return;
	mark_end();
	/* The record may be lost, and others may arrive without end. */
	for (int i = 0;
	     i < MOST_ROUNDS && !audit->has_ended && poll(&p, 1, ANSWER_MS) > 0;
	     i++)
		read_records(audit);
	audit_attribute_read(audit);
}

void audit_close(struct audit *audit)
{
	closep(&audit->fd);
}
