/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/fuzz/dns.c - any message that a sandbox sends to our DNS: what is read
 * lies within it, and every answer to it fits and can be walked to its end.
 */
#include <string.h>

#include "base/err.h"
#include "network/dns.h"
#include "tests/fuzz/fuzz.h"

#define HEADER 12
#define MOST_ADDRESSES 64

static struct dns_query query;
static const char *given;
static size_t given_len;

static int parse(struct arena *arena, const char *text, size_t len)
{
	(void)arena;
	given = text;
	given_len = len;
	if (dns_query_read((const uint8_t *)text, len, &query) < 0)
		return fail(0, "malformed");
	return 0;
}

static unsigned int read_16(const uint8_t *at)
{
	return (unsigned int)at[0] << 8 | at[1];
}

/* The name as text has the bytes of its labels, or none. */
static void demand_name(void)
{
	const uint8_t *at = query.question;
	char text[DNS_NAME + 2] = "";
	size_t n = 0;

	while (*at) {
		if (n > 0)
			text[n++] = '.';
		for (uint8_t i = 1; i <= *at; i++)
			text[n++] = (char)(at[i] >= 'A' && at[i] <= 'Z' ?
						   at[i] + 'a' - 'A' :
						   at[i]);
		at += *at + 1;
		demand(n < sizeof text);
	}
	demand(at + 5 == query.question + query.question_len);
	demand(!*query.name || streq(query.name, text));
	for (const char *p = query.name; *p; p++)
		demand((*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') ||
		       *p == '-' || *p == '_' || *p == '.');
}

/* Walk over an answer as a client does. */
static void demand_answer(const uint8_t *out, size_t n, size_t wanted,
			  size_t limit)
{
	size_t at = HEADER + query.question_len;
	unsigned int answers = read_16(out + 6);

	demand(n <= limit && n >= HEADER && read_16(out) == query.id);
	demand(out[2] & 0x80 && !(out[2] & 0x04));
	demand(answers == wanted || (answers == 0 && out[2] & 0x02));
	demand(memcmp(out + HEADER, query.question, query.question_len) == 0);
	for (unsigned int i = 0; i < answers; i++) {
		demand(n - at >= 12 && read_16(out + at) == 0xc00c);
		demand(read_16(out + at + 2) == query.type);
		at += 12 + read_16(out + at + 10);
	}
	at += query.has_edns ? 11 : 0;
	demand(at == n && read_16(out + 10) == query.has_edns);
}

static void accepted(struct arena *arena)
{
	static const size_t counts[] = { 0, 1, 20, MOST_ADDRESSES };
	static const size_t limits[] = { DNS_PLAIN, DNS_DATAGRAM, DNS_MOST };
	static struct net_address addresses[MOST_ADDRESSES];
	uint8_t out[DNS_MOST];

	(void)arena;
	demand(given_len >= HEADER && query.question_len <= DNS_QUESTION);
	if (query.question_len > 0)
		demand_name();
	for (size_t i = 0; i < COUNT(counts); i++)
		for (size_t k = 0; k < COUNT(limits); k++) {
			struct dns_answer answer = { .code = query.code,
						     .addresses = addresses,
						     .n = counts[i],
						     .ttl = 60 };
			size_t n = dns_answer_write(&query, &answer, limits[k],
						    out);

			if (query.question_len > 0 || counts[i] == 0)
				demand_answer(out, n, counts[i], limits[k]);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fuzz_target target = { parse, accepted };

	return fuzz(&target, data, size);
}
