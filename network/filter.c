/* SPDX-License-Identifier: Apache-2.0 */
/* network/filter.c - write nf_tables rules. */
#include "network/filter.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <string.h>

#include "network/batch.h"
#include "network/routes.h"

#define TABLE "sandlock"
#define PRIO_HOLD 0
#define PRIO_REJECT 10
#define PRIO_LISTENER (-150)

#define TCP_FLAGS 13	   /* offsets in the headers */
#define TCP_FLAG_MASK 0x17 /* FIN, SYN, RST, ACK */
#define TCP_SYN 0x02
#define DPORT 2
#define ECHO_REQUEST_V4 8
#define ECHO_REQUEST_V6 128

struct filter {
	struct netlink_batch *batch;
	const struct net_filter *want;
	uint8_t family;
	size_t rule, element, data; /* open attributes */
};

static void begin(struct filter *f, uint16_t type, uint16_t flags)
{
	struct nfgenmsg m = { .nfgen_family = f->family };

	batch_begin(f->batch, NFNL_SUBSYS_NFTABLES << 8 | type,
		    NLM_F_CREATE | flags, &m, sizeof m);
}

static void put_edge(struct filter *f, uint16_t type)
{
	struct nfgenmsg m = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	batch_begin(f->batch, type, 0, &m, sizeof m);
}

static void put_chain(struct filter *f, const char *name, uint32_t hook,
		      int priority)
{
	size_t place;

	begin(f, NFT_MSG_NEWCHAIN, 0);
	batch_put_text(f->batch, NFTA_CHAIN_TABLE, TABLE);
	batch_put_text(f->batch, NFTA_CHAIN_NAME, name);
	place = batch_down(f->batch, NFTA_CHAIN_HOOK);
	batch_put_be32(f->batch, NFTA_HOOK_HOOKNUM, hook);
	batch_put_be32(f->batch, NFTA_HOOK_PRIORITY, (uint32_t)priority);
	batch_up(f->batch, place);
	batch_put_text(f->batch, NFTA_CHAIN_TYPE, "filter");
}

static void open_rule(struct filter *f, const char *chain)
{
	begin(f, NFT_MSG_NEWRULE, NLM_F_APPEND);
	batch_put_text(f->batch, NFTA_RULE_TABLE, TABLE);
	batch_put_text(f->batch, NFTA_RULE_CHAIN, chain);
	f->rule = batch_down(f->batch, NFTA_RULE_EXPRESSIONS);
}

static void close_rule(struct filter *f)
{
	batch_up(f->batch, f->rule);
}

static void open_expr(struct filter *f, const char *name)
{
	f->element = batch_down(f->batch, NFTA_LIST_ELEM);
	batch_put_text(f->batch, NFTA_EXPR_NAME, name);
	f->data = batch_down(f->batch, NFTA_EXPR_DATA);
}

static void close_expr(struct filter *f)
{
	batch_up(f->batch, f->data);
	batch_up(f->batch, f->element);
}

static void put_value(struct filter *f, uint16_t type, const void *value,
		      size_t len)
{
	size_t place = batch_down(f->batch, type);

	batch_put(f->batch, NFTA_DATA_VALUE, value, len);
	batch_up(f->batch, place);
}

/* ---- expressions, with register 1 ---- */

static void load_meta(struct filter *f, uint32_t key)
{
	open_expr(f, "meta");
	batch_put_be32(f->batch, NFTA_META_DREG, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_META_KEY, key);
	close_expr(f);
}

static void load_payload(struct filter *f, uint32_t base, uint32_t offset,
			 uint32_t len)
{
	open_expr(f, "payload");
	batch_put_be32(f->batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_PAYLOAD_BASE, base);
	batch_put_be32(f->batch, NFTA_PAYLOAD_OFFSET, offset);
	batch_put_be32(f->batch, NFTA_PAYLOAD_LEN, len);
	close_expr(f);
}

static void mask(struct filter *f, const void *bits, size_t len)
{
	static const uint8_t zero[16];

	open_expr(f, "bitwise");
	batch_put_be32(f->batch, NFTA_BITWISE_SREG, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_BITWISE_DREG, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_BITWISE_LEN, (uint32_t)len);
	put_value(f, NFTA_BITWISE_MASK, bits, len);
	put_value(f, NFTA_BITWISE_XOR, zero, len);
	close_expr(f);
}

static void compare(struct filter *f, uint32_t op, const void *value,
		    size_t len)
{
	open_expr(f, "cmp");
	batch_put_be32(f->batch, NFTA_CMP_SREG, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_CMP_OP, op);
	put_value(f, NFTA_CMP_DATA, value, len);
	close_expr(f);
}

static void set_register(struct filter *f, uint32_t reg, const void *value,
			 size_t len)
{
	open_expr(f, "immediate");
	batch_put_be32(f->batch, NFTA_IMMEDIATE_DREG, reg);
	put_value(f, NFTA_IMMEDIATE_DATA, value, len);
	close_expr(f);
}

static void accept_packet(struct filter *f)
{
	size_t data, verdict;

	open_expr(f, "immediate");
	batch_put_be32(f->batch, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
	data = batch_down(f->batch, NFTA_IMMEDIATE_DATA);
	verdict = batch_down(f->batch, NFTA_DATA_VERDICT);
	batch_put_be32(f->batch, NFTA_VERDICT_CODE, NF_ACCEPT);
	batch_up(f->batch, verdict);
	batch_up(f->batch, data);
	close_expr(f);
}

static void queue_packet(struct filter *f)
{
	struct {
		uint16_t number, total, flags, unused;
	} target = { .number = NET_QUEUE, .total = 1 };

	if (!f->want->by_xtables) {
		open_expr(f, "queue");
		batch_put_be16(f->batch, NFTA_QUEUE_NUM, NET_QUEUE);
		batch_put_be16(f->batch, NFTA_QUEUE_TOTAL, 1);
		close_expr(f);
		return;
	}
	open_expr(f, "target");
	batch_put_text(f->batch, NFTA_TARGET_NAME, "NFQUEUE");
	batch_put_be32(f->batch, NFTA_TARGET_REV, 3);
	batch_put(f->batch, NFTA_TARGET_INFO, &target, sizeof target);
	close_expr(f);
}

static void reject_packet(struct filter *f, uint32_t type, uint8_t code)
{
	open_expr(f, "reject");
	batch_put_be32(f->batch, NFTA_REJECT_TYPE, type);
	batch_put_u8(f->batch, NFTA_REJECT_ICMP_CODE, code);
	close_expr(f);
}

/* ---- what rules are made of ---- */

static bool is_v6(const struct filter *f)
{
	return f->family == NFPROTO_IPV6;
}

static void match_protocol(struct filter *f, uint8_t protocol)
{
	load_meta(f, NFT_META_L4PROTO);
	compare(f, NFT_CMP_EQ, &protocol, sizeof protocol);
}

static void match_mark(struct filter *f, uint32_t mark)
{
	load_meta(f, NFT_META_MARK);
	compare(f, NFT_CMP_EQ, &mark, sizeof mark);
}

/* Compare the destination with a prefix of whole bytes. */
static void match_destination(struct filter *f, uint32_t op, const char *text,
			      size_t bytes)
{
	uint8_t address[16];

	(void)inet_pton(is_v6(f) ? AF_INET6 : AF_INET, text, address);
	load_payload(f, NFT_PAYLOAD_NETWORK_HEADER, is_v6(f) ? 24 : 16,
		     (uint32_t)bytes);
	compare(f, op, address, bytes);
}

static void match_loopback(struct filter *f, uint32_t op)
{
	if (is_v6(f))
		match_destination(f, op, "::1", 16);
	else
		match_destination(f, op, "127.0.0.0", 1);
}

static void match_own(struct filter *f, uint32_t op)
{
	if (is_v6(f))
		match_destination(f, op, NET_OWN_V6, 16);
	else
		match_destination(f, op, NET_OWN_V4, 4);
}

static void match_syn(struct filter *f)
{
	const uint8_t flags = TCP_FLAG_MASK, syn = TCP_SYN;

	match_protocol(f, IPPROTO_TCP);
	load_payload(f, NFT_PAYLOAD_TRANSPORT_HEADER, TCP_FLAGS, 1);
	mask(f, &flags, 1);
	compare(f, NFT_CMP_EQ, &syn, 1);
}

static void match_port(struct filter *f, uint16_t port)
{
	uint16_t value = htons(port);

	load_payload(f, NFT_PAYLOAD_TRANSPORT_HEADER, DPORT, sizeof value);
	compare(f, NFT_CMP_EQ, &value, sizeof value);
}

static void lead_to_listener(struct filter *f)
{
	uint16_t port = htons(NET_LISTEN_PORT);
	uint8_t address[16];

	(void)inet_pton(is_v6(f) ? AF_INET6 : AF_INET,
			is_v6(f) ? NET_LISTEN_V6 : NET_LISTEN_V4, address);
	set_register(f, NFT_REG_1, address, is_v6(f) ? 16 : 4);
	set_register(f, NFT_REG_2, &port, sizeof port);
	open_expr(f, "tproxy");
	batch_put_be32(f->batch, NFTA_TPROXY_FAMILY, f->family);
	batch_put_be32(f->batch, NFTA_TPROXY_REG_ADDR, NFT_REG_1);
	batch_put_be32(f->batch, NFTA_TPROXY_REG_PORT, NFT_REG_2);
	close_expr(f);
	accept_packet(f);
}

/* ---- the chains ---- */

static void put_hold(struct filter *f)
{
	const uint8_t echo = is_v6(f) ? ECHO_REQUEST_V6 : ECHO_REQUEST_V4;

	for (size_t i = 0; i < f->want->n_loopback; i++) {
		open_rule(f, "out");
		match_loopback(f, NFT_CMP_EQ);
		match_syn(f);
		match_port(f, f->want->loopback[i]);
		queue_packet(f);
		close_rule(f);
	}
	open_rule(f, "out");
	match_loopback(f, NFT_CMP_EQ);
	accept_packet(f);
	close_rule(f);
	open_rule(f, "out");
	match_own(f, NFT_CMP_EQ);
	accept_packet(f);
	close_rule(f);
	if (!is_v6(f) && f->want->answers_dns) {
		open_rule(f, "out");
		match_destination(f, NFT_CMP_EQ, NET_DNS_V4, 4);
		accept_packet(f);
		close_rule(f);
	}
	open_rule(f, "out");
	match_syn(f);
	queue_packet(f);
	close_rule(f);
	open_rule(f, "out");
	match_protocol(f, is_v6(f) ? IPPROTO_ICMPV6 : IPPROTO_ICMP);
	load_payload(f, NFT_PAYLOAD_TRANSPORT_HEADER, 0, 1);
	compare(f, NFT_CMP_EQ, &echo, 1);
	queue_packet(f);
	close_rule(f);
}

static void put_reject(struct filter *f)
{
	static const struct {
		uint32_t mark;
		uint8_t v4, v6; /* codes of ICMP */
	} answers[] = {
		{ NET_MARK_HOST_UNREACHABLE, 1, 3 },
		{ NET_MARK_NET_UNREACHABLE, 0, 0 },
		{ NET_MARK_PROHIBITED, 13, 1 },
	};

	open_rule(f, "reject");
	match_mark(f, 0);
	accept_packet(f);
	close_rule(f);
	open_rule(f, "reject");
	match_mark(f, NET_MARK_REFUSED);
	match_protocol(f, IPPROTO_TCP);
	reject_packet(f, NFT_REJECT_TCP_RST, 0);
	close_rule(f);
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		open_rule(f, "reject");
		match_mark(f, answers[i].mark);
		reject_packet(f, NFT_REJECT_ICMP_UNREACH,
			      is_v6(f) ? answers[i].v6 : answers[i].v4);
		close_rule(f);
	}
}

/* A datagram of a flow that has a socket goes there, another to the listener. */
static void put_listener(struct filter *f)
{
	const uint8_t transparent = 1;

	open_rule(f, "in");
	match_mark(f, NET_MARK_RELAY);
	match_protocol(f, IPPROTO_TCP);
	lead_to_listener(f);
	close_rule(f);
	for (int first = 1; first >= 0; first--) {
		open_rule(f, "in");
		match_protocol(f, IPPROTO_UDP);
		match_loopback(f, NFT_CMP_NEQ);
		match_own(f, NFT_CMP_NEQ);
		if (!is_v6(f) && f->want->answers_dns)
			match_destination(f, NFT_CMP_NEQ, NET_DNS_V4, 4);
		if (first) {
			open_expr(f, "socket");
			batch_put_be32(f->batch, NFTA_SOCKET_KEY,
				       NFT_SOCKET_TRANSPARENT);
			batch_put_be32(f->batch, NFTA_SOCKET_DREG, NFT_REG_1);
			close_expr(f);
			compare(f, NFT_CMP_EQ, &transparent, 1);
			accept_packet(f);
		} else {
			lead_to_listener(f);
		}
		close_rule(f);
	}
}

static void put_family(struct filter *f, uint8_t family)
{
	f->family = family;
	begin(f, NFT_MSG_NEWTABLE, 0);
	batch_put_text(f->batch, NFTA_TABLE_NAME, TABLE);
	put_chain(f, "out", NF_INET_LOCAL_OUT, PRIO_HOLD);
	put_chain(f, "reject", NF_INET_LOCAL_OUT, PRIO_REJECT);
	put_chain(f, "in", NF_INET_PRE_ROUTING, PRIO_LISTENER);
	put_hold(f);
	put_reject(f);
	put_listener(f);
}

void net_filter_put(struct netlink_batch *batch,
		    const struct net_filter *filter)
{
	struct filter f = { .batch = batch, .want = filter };

	put_edge(&f, NFNL_MSG_BATCH_BEGIN);
	put_family(&f, NFPROTO_IPV4);
	if (filter->has_v6)
		put_family(&f, NFPROTO_IPV6);
	batch_ask(batch);
	put_edge(&f, NFNL_MSG_BATCH_END);
}
