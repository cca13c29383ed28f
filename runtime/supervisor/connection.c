/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/supervisor/connection.c - write the record of a connection. */
#include "runtime/supervisor/connection.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>

#include "oci/write.h"

static const char *protocol_text(const struct net_record *record)
{
	switch (record->protocol) {
	case NET_TCP:
		return "tcp";
	case NET_UDP:
		return "udp";
	case NET_ICMP:
		break;
	}
	return "icmp";
}

static const char *verdict_text(const struct net_record *record)
{
	return record->verdict.allowed ? "allowed" : "denied";
}

/* "192.0.2.1:443", "[2001:db8::1]:443", or the address alone. */
static void write_destination(const struct net_record *record, char *ret,
			      size_t size)
{
	bool v6 = record->to.address.family == AF_INET6;
	char address[NET_ADDRESS_TEXT];

	net_address_text(&record->to.address, address);
	if (record->protocol == NET_ICMP)
		snprintf(ret, size, "%s", address);
	else
		snprintf(ret, size, v6 ? "[%s]:%u" : "%s:%u", address,
			 record->to.port);
}

/* Each record has all members: what does not exist is null. */
static void put_record(struct writer *w, const void *ctx)
{
	const struct net_record *record = ctx;
	char destination[NET_ADDRESS_TEXT + 16];

	write_destination(record, destination, sizeof destination);
	put_string(w, "protocol", protocol_text(record));
	put_string(w, "destination", destination);
	put_string(w, "name", record->name);
	put_string(w, "rule", record->verdict.rule);
	put_string(w, "verdict", verdict_text(record));
	put_object(w, "bytes");
	put_u64(w, "sent", record->sent);
	put_u64(w, "received", record->received);
	put_end(w);
	put_i64(w, "errno", record->error);
}

struct event connection_event(const struct net_record *record,
			      struct connection_text *text)
{
	write_destination(record, text->path, sizeof text->path);
	snprintf(text->line, sizeof text->line,
		 "connection: %s %s %s (name %s, rule %s, sent %" PRIu64
		 ", received %" PRIu64 ", errno %d)",
		 verdict_text(record), protocol_text(record), text->path,
		 record->name ? record->name : "none",
		 record->verdict.rule ? record->verdict.rule : "none",
		 record->sent, record->received, record->error);
	return (struct event){
		.type = "connection",
		.put_more = put_record,
		.ctx = record,
		.line = text->line,
	};
}
