/* SPDX-License-Identifier: Apache-2.0 */
/* network/dns.c - the messages of DNS (RFC 1035, RFC 6891). */
#include "network/dns.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/util.h"

#define HEADER 12
#define LABEL 63
#define NAME 255  /* bytes of a name, with lengths and the root */
#define RECORD 10 /* of a record after its name */

#define FLAG_ANSWER 0x8000
#define FLAGS_OPCODE 0x7800
#define FLAG_TRUNCATED 0x0200
#define FLAG_RECURSE 0x0100
#define FLAG_RECURSES 0x0080
#define FLAG_UNCHECKED 0x0010
#define POINTER 0xc0	     /* a name that continues elsewhere */
#define QUESTION_NAME 0xc00c /* a pointer to the name of the question */
#define EDNS_DNSSEC 0x8000

/* Bytes that are left to read; at NULL: they were not enough. */
struct reader {
	const uint8_t *at;
	size_t n;
};

static const uint8_t *take(struct reader *r, size_t n)
{
	const uint8_t *at = r->at;

	if (!at || n > r->n) {
		r->at = NULL;
		return NULL;
	}
	r->at += n;
	r->n -= n;
	return at;
}

static uint16_t take_16(struct reader *r)
{
	const uint8_t *at = take(r, 2);

	return at ? (uint16_t)(at[0] << 8 | at[1]) : 0;
}

/* ---- queries ---- */

static bool is_host_byte(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* Append a label; false if a host name cannot have it. */
static bool append(char name[DNS_NAME], size_t *len, const uint8_t *label,
		   size_t n)
{
	if (*len + n + 2 > DNS_NAME || label[0] == '-')
		return false;
	if (*len > 0)
		name[(*len)++] = '.';
	for (size_t i = 0; i < n; i++) {
		if (!is_host_byte(label[i]))
			return false;
		name[(*len)++] = (char)tolower(label[i]);
	}
	name[*len] = '\0';
	return true;
}

/* The question's name is written out: nothing precedes it to point to. */
static void take_name(struct reader *r, char ret[DNS_NAME])
{
	const uint8_t *start = r->at;
	bool plain = true;
	size_t len = 0;

	ret[0] = '\0';
	for (;;) {
		const uint8_t *size = take(r, 1);
		const uint8_t *label;

		if (!size || *size == 0)
			break;
		if (*size > LABEL || r->at + *size - start > NAME - 1) {
			r->at = NULL;
			break;
		}
		label = take(r, *size);
		if (!label)
			break;
		plain = plain && append(ret, &len, label, *size);
	}
	if (!plain)
		ret[0] = '\0';
}

static void take_question(struct reader *r, struct dns_query *query)
{
	const uint8_t *start = r->at;

	take_name(r, query->name);
	query->type = take_16(r);
	query->class = take_16(r);
	if (!r->at)
		return;
	query->question_len = (size_t)(r->at - start);
	memcpy(query->question, start, query->question_len);
}

static void skip_name(struct reader *r)
{
	for (;;) {
		const uint8_t *size = take(r, 1);

		if (!size || *size == 0)
			return;
		if ((*size & POINTER) == POINTER) {
			(void)take(r, 1);
			return;
		}
		if (*size > LABEL)
			r->at = NULL;
		else
			(void)take(r, *size);
	}
}

static void take_edns(const uint8_t *record, struct dns_query *query)
{
	query->has_edns = true;
	query->datagram = (uint16_t)(record[2] << 8 | record[3]);
	query->wants_dnssec = record[6] & EDNS_DNSSEC >> 8;
	if (record[5] != 0)
		query->code = DNS_BAD_VERSION;
}

/* Records after the question: one may be that of EDNS. */
static void take_additional(struct reader *r, struct dns_query *query)
{
	const uint8_t *record;

	skip_name(r);
	record = take(r, RECORD);
	if (!record)
		return;
	(void)take(r, (size_t)(record[8] << 8 | record[9]));
	if (record[0] != 0 || record[1] != DNS_OPT)
		return;
	if (query->has_edns)
		query->code = DNS_FORMAT_ERROR;
	else
		take_edns(record, query);
}

int dns_query_read(const uint8_t *bytes, size_t n, struct dns_query *ret)
{
	struct reader r = { bytes, n };
	struct dns_query query = { .id = take_16(&r), .datagram = DNS_PLAIN };
	uint16_t flags = take_16(&r), questions = take_16(&r);
	uint16_t answers = take_16(&r), authorities = take_16(&r);
	uint16_t additional = take_16(&r);

	if (!r.at || flags & FLAG_ANSWER)
		return -EBADMSG;
	query.flags = flags & (FLAGS_OPCODE | FLAG_RECURSE | FLAG_UNCHECKED);
	if (flags & FLAGS_OPCODE)
		query.code = DNS_NOT_IMPLEMENTED;
	else if (questions != 1 || answers || authorities)
		query.code = DNS_FORMAT_ERROR;
	if (query.code != DNS_NO_ERROR) {
		*ret = query;
		return 0;
	}
	take_question(&r, &query);
	for (uint16_t i = 0; i < additional && r.at; i++)
		take_additional(&r, &query);
	if (!r.at)
		return -EBADMSG;
	*ret = query;
	return 0;
}

/* ---- answers ---- */

struct output {
	uint8_t *at;
	size_t n;
};

static void put(struct output *out, const void *bytes, size_t n)
{
	memcpy(out->at + out->n, bytes, n);
	out->n += n;
}

static void put_16(struct output *out, unsigned int value)
{
	uint8_t bytes[] = { (uint8_t)(value >> 8), (uint8_t)value };

	put(out, bytes, sizeof bytes);
}

static void put_32(struct output *out, uint32_t value)
{
	put_16(out, value >> 16);
	put_16(out, value & 0xffff);
}

static size_t address_size(const struct dns_query *query)
{
	return query->type == DNS_A ? 4 : 16;
}

static void put_address(struct output *out, const struct dns_query *query,
			const struct net_address *address, uint32_t ttl)
{
	put_16(out, QUESTION_NAME);
	put_16(out, query->type);
	put_16(out, DNS_IN);
	put_32(out, ttl);
	put_16(out, (unsigned int)address_size(query));
	put(out, address->bytes, address_size(query));
}

static void put_edns(struct output *out, const struct dns_query *query,
		     enum dns_code code)
{
	put(out, "", 1);
	put_16(out, DNS_OPT);
	put_16(out, DNS_DATAGRAM);
	put_16(out, ((unsigned int)code >> 4) << 8);
	put_16(out, query->wants_dnssec ? EDNS_DNSSEC : 0);
	put_16(out, 0);
}

size_t dns_answer_write(const struct dns_query *query,
			const struct dns_answer *answer, size_t limit,
			uint8_t ret[static DNS_MOST])
{
	struct output out = { .at = ret };
	size_t one = 2 + RECORD + address_size(query);
	size_t fixed = HEADER + query->question_len +
		       (query->has_edns ? 1 + RECORD : 0);
	size_t n = answer->n;
	unsigned int flags = FLAG_ANSWER | FLAG_RECURSES | query->flags |
			     ((unsigned int)answer->code & 0xf);

	if (limit > DNS_MOST)
		limit = DNS_MOST;
	if (n > (limit - fixed) / one) {
		flags |= FLAG_TRUNCATED;
		n = 0;
	}
	put_16(&out, query->id);
	put_16(&out, flags);
	put_16(&out, query->question_len > 0);
	put_16(&out, (unsigned int)n);
	put_16(&out, 0);
	put_16(&out, query->has_edns);
	put(&out, query->question, query->question_len);
	for (size_t i = 0; i < n; i++)
		put_address(&out, query, &answer->addresses[i], answer->ttl);
	if (query->has_edns)
		put_edns(&out, query, answer->code);
	return out.n;
}
