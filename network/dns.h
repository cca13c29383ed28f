/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network/dns.h - read queries of DNS, write answers.
 *
 * Only what a stub resolver needs: one question, addresses as answers, and
 * EDNS, without extensions.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "network/address.h"

#define DNS_PORT 53
#define DNS_NAME 254	  /* a name as text, with its NUL */
#define DNS_QUESTION 260  /* the bytes of a question */
#define DNS_PLAIN 512	  /* of an answer over UDP without EDNS */
#define DNS_DATAGRAM 1232 /* the most that we send over UDP */
#define DNS_MOST 4096	  /* of a message that we read or write */

enum dns_type {
	DNS_A = 1,
	DNS_PTR = 12,
	DNS_AAAA = 28,
	DNS_OPT = 41,
};

#define DNS_IN 1 /* the class of the internet */

enum dns_code {
	DNS_NO_ERROR = 0,
	DNS_FORMAT_ERROR = 1,
	DNS_FAILED = 2,
	DNS_NO_NAME = 3,
	DNS_NOT_IMPLEMENTED = 4,
	DNS_REFUSED = 5,
	DNS_BAD_VERSION = 16,
};

struct dns_query {
	uint16_t id;
	uint16_t flags;	    /* those that an answer repeats */
	enum dns_code code; /* not DNS_NO_ERROR: the only possible answer */
	uint16_t type, class;
	/*
	 * Lower case, without a final dot; "" if it has other bytes than a host
	 * name may have.
	 */
	char name[DNS_NAME];
	uint8_t question[DNS_QUESTION]; /* as it was, to be repeated */
	size_t question_len;
	bool has_edns, wants_dnssec;
	uint16_t datagram; /* the most that the client takes over UDP */
};

struct dns_answer {
	enum dns_code code;
	const struct net_address *addresses; /* of the type of the question */
	size_t n;
	uint32_t ttl; /* seconds */
};

/* Read a query; -EBADMSG if it deserves no answer. Records no error. */
int dns_query_read(const uint8_t *bytes, size_t n, struct dns_query *ret);
/*
 * Write an answer of at most limit bytes, which is at least DNS_PLAIN: one that
 * does not fit is marked as truncated and has no addresses. Returns its size.
 */
size_t dns_answer_write(const struct dns_query *query,
			const struct dns_answer *answer, size_t limit,
			uint8_t ret[static DNS_MOST]);
