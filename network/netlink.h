/* SPDX-License-Identifier: Apache-2.0 */
/* network/netlink.h - requests to the kernel's routing socket (rtnetlink). */
#pragma once

#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETLINK_REQUEST_SIZE 512

struct netlink_request {
	union {
		struct nlmsghdr header;
		char bytes[NETLINK_REQUEST_SIZE];
	};
	bool full; /* an attribute did not fit */
};

/* Begin a request with its fixed part (ifinfomsg, ifaddrmsg). */
void netlink_begin(struct netlink_request *request, uint16_t type,
		   uint16_t flags, const void *fixed, size_t len);
void netlink_put(struct netlink_request *request, uint16_t type,
		 const void *data, size_t len);
void netlink_put_text(struct netlink_request *request, uint16_t type,
		      const char *text);

/* Open a routing socket in the caller's network namespace. */
int netlink_open(void);
/*
 * Send a request, wait for the acknowledgement: 0 or -errno. Records no error.
 */
int netlink_call(int sock, struct netlink_request *request);
/*
 * Send a request, and pass each answer to take(), which returns 0, or -errno to
 * stop. Returns 0 or -errno; records no error.
 */
int netlink_ask(int sock, struct netlink_request *request,
		int (*take)(const struct nlmsghdr *answer, void *context),
		void *context);
