/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_dns.c - messages of DNS, and names that stay pinned. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "network/dns.h"
#include "network/lookup.h"
#include "network/pins.h"
#include "network/rules.h"
#include "policy/policy.h"

#include <cmocka.h>

#define A_RECORD 16

static struct net_address address(const char *text)
{
	struct net_address a = { .family = strchr(text, ':') ? AF_INET6 :
							       AF_INET };

	assert_int_equal(inet_pton(a.family, text, a.bytes), 1);
	return a;
}

/* ---- messages ---- */

/* Ask for Www.Example.com, an address of IPv4. */
#define HEADER "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define HEADER_EXTRA "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01"
#define NAME          \
	"\x03"        \
	"Www"         \
	"\x07"        \
	"Example\x03" \
	"com\x00"
#define QUESTION NAME "\x00\x01\x00\x01"
#define EDNS "\x00\x00\x29\x04\xd0\x00\x00\x80\x00\x00\x00"

static int read_query(const char *bytes, size_t n, struct dns_query *ret)
{
	return dns_query_read((const uint8_t *)bytes, n, ret);
}

#define READ(bytes, ret) read_query(bytes, sizeof(bytes) - 1, ret)

static void reads_queries(void **state)
{
	struct dns_query query;

	(void)state;
	assert_int_equal(READ(HEADER QUESTION, &query), 0);
	assert_int_equal(query.id, 0x1234);
	assert_int_equal(query.code, DNS_NO_ERROR);
	assert_int_equal(query.type, DNS_A);
	assert_int_equal(query.class, DNS_IN);
	assert_string_equal(query.name, "www.example.com");
	assert_int_equal(query.question_len, sizeof(QUESTION) - 1);
	assert_false(query.has_edns);
	assert_int_equal(query.datagram, DNS_PLAIN);
	assert_int_equal(READ(HEADER_EXTRA QUESTION EDNS, &query), 0);
	assert_true(query.has_edns && query.wants_dnssec);
	assert_int_equal(query.datagram, 1232);
}

/* Each prefix of a message is malformed, and so is what points elsewhere. */
static void drops_malformed_queries(void **state)
{
	static const char good[] = HEADER_EXTRA QUESTION EDNS;
	struct dns_query query;
	char label[12 + 70] = HEADER;

	(void)state;
	for (size_t n = 0; n < sizeof good - 1; n++)
		assert_int_equal(read_query(good, n, &query), -EBADMSG);
	assert_int_equal(READ(HEADER "\xc0\x0c\x00\x01\x00\x01", &query),
			 -EBADMSG);
	assert_int_equal(
		READ("\x12\x34\x81\x00\x00\x01\x00\x00\x00\x00\x00\x00" QUESTION,
		     &query),
		-EBADMSG);
	memset(label + 12, 'a', 70);
	label[12] = 64;
	assert_int_equal(read_query(label, sizeof label, &query), -EBADMSG);
}

static void answers_odd_queries_with_a_code(void **state)
{
	struct dns_query query;
	char name[12 + 2 * 4 + 4 + 1];

	(void)state;
	assert_int_equal(
		READ("\x00\x01\x28\x00\x00\x01\x00\x00\x00\x00\x00\x00" QUESTION,
		     &query),
		0);
	assert_int_equal(query.code, DNS_NOT_IMPLEMENTED);
	assert_int_equal(
		READ("\x00\x01\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00" QUESTION
			     QUESTION,
		     &query),
		0);
	assert_int_equal(query.code, DNS_FORMAT_ERROR);
	assert_int_equal(READ(HEADER_EXTRA QUESTION
			      "\x00\x00\x29\x04\xd0\x00\x01\x00\x00\x00\x00",
			      &query),
			 0);
	assert_int_equal(query.code, DNS_BAD_VERSION);
	/* A dot within a label, and other bytes, are no host name. */
	memcpy(name,
	       HEADER "\x03"
		      "a.b"
		      "\x03"
		      "com",
	       20);
	memcpy(name + 20, "\x00\x00\x01\x00\x01", 5);
	assert_int_equal(read_query(name, sizeof name, &query), 0);
	assert_string_equal(query.name, "");
}

static size_t answer_many(const char *bytes, size_t len, size_t n, size_t limit,
			  uint8_t ret[static DNS_MOST])
{
	struct net_address all[NET_PINS_EACH];
	struct dns_answer answer = { .addresses = all, .n = n, .ttl = 77 };
	struct dns_query query;

	for (size_t i = 0; i < n; i++)
		all[i] = address("192.0.2.1");
	assert_int_equal(read_query(bytes, len, &query), 0);
	return dns_answer_write(&query, &answer, limit, ret);
}

static void writes_answers(void **state)
{
	static const char query[] = HEADER QUESTION;
	static const char edns[] = HEADER_EXTRA QUESTION EDNS;
	uint8_t out[DNS_MOST];
	size_t n;

	(void)state;
	n = answer_many(query, sizeof query - 1, 2, DNS_PLAIN, out);
	assert_int_equal(n, sizeof query - 1 + 2 * A_RECORD);
	assert_memory_equal(
		out,
		"\x12\x34\x81\x80\x00\x01\x00\x02\x00\x00\x00\x00" QUESTION
		"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x4d\x00\x04"
		"\xc0\x00\x02\x01",
		sizeof query - 1 + A_RECORD);
	n = answer_many(edns, sizeof edns - 1, 0, DNS_PLAIN, out);
	assert_int_equal(n, sizeof edns - 1);
	assert_memory_equal(out + n - 11, EDNS, 11);
}

static void truncates_answers_that_do_not_fit(void **state)
{
	static const char query[] = HEADER QUESTION;
	size_t fixed = sizeof query - 1;
	size_t most = (DNS_PLAIN - fixed) / A_RECORD;
	uint8_t out[DNS_MOST];

	(void)state;
	assert_int_equal(answer_many(query, fixed, most, DNS_PLAIN, out),
			 fixed + most * A_RECORD);
	assert_false(out[2] & 0x02);
	assert_int_equal(answer_many(query, fixed, most + 1, DNS_PLAIN, out),
			 fixed);
	assert_true(out[2] & 0x02);
	assert_int_equal(out[7], 0);
	assert_int_equal(answer_many(query, fixed, NET_PINS_EACH, DNS_MOST,
				     out),
			 fixed + NET_PINS_EACH * A_RECORD);
}

/* ---- pins ---- */

struct gone {
	size_t n;
	struct net_address last;
};

static void note_gone(void *ctx, const struct net_address *a)
{
	struct gone *gone = ctx;

	gone->n++;
	gone->last = *a;
}

static void pin(struct net_pins *pins, const char *name, const char *text,
		int64_t expires, struct gone *gone)
{
	struct net_address a = address(text);
	struct net_pinned pinned = { .name = name,
				     .exists = true,
				     .addresses = &a,
				     .n = 1,
				     .expires = expires };

	assert_int_equal(net_pins_put(pins, &pinned, note_gone, gone), 0);
}

static bool leads(struct arena *arena, const struct net_pins *pins,
		  const char *rule, const char *text)
{
	struct net_address a = address(text);
	struct net_rule parsed;

	assert_int_equal(net_rule_parse(arena, rule, &parsed), 0);
	return net_pins_match(pins, &parsed, &a);
}

static void pins_end_with_their_ttl(void **state)
{
	struct net_pins *pins = net_pins_open();
	struct gone gone = { 0 };
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	assert_non_null(pins);
	pin(pins, "a.test", "192.0.2.1", 2000, &gone);
	pin(pins, "b.test", "192.0.2.1", 1000, &gone);
	pin(pins, "c.test", "2001:db8::1", 3000, &gone);
	assert_true(leads(&arena, pins, "*.test", "192.0.2.1"));
	assert_true(leads(&arena, pins, "b.test", "192.0.2.1"));
	assert_false(leads(&arena, pins, "b.test", "2001:db8::1"));
	assert_false(leads(&arena, pins, "*.b.test", "192.0.2.1"));
	assert_int_equal(net_pins_expire(pins, 999, note_gone, &gone), 1000);
	assert_int_equal(gone.n, 0);
	assert_int_equal(net_pins_expire(pins, 1000, note_gone, &gone), 2000);
	assert_int_equal(gone.n, 1);
	assert_null(net_pins_find(pins, "b.test"));
	assert_false(leads(&arena, pins, "b.test", "192.0.2.1"));
	assert_true(leads(&arena, pins, "a.test", "192.0.2.1"));
	/* A new answer replaces the old one. */
	pin(pins, "a.test", "192.0.2.9", 5000, &gone);
	assert_int_equal(gone.n, 2);
	assert_false(leads(&arena, pins, "*.test", "192.0.2.1"));
	assert_int_equal(net_pins_expire(pins, 5000, note_gone, &gone), 0);
	assert_int_equal(gone.n, 4);
	net_pins_close(pins);
	arena_close(&arena);
}

static void pins_are_bounded(void **state)
{
	struct net_pins *pins = net_pins_open();
	struct gone gone = { 0 };
	char name[32], text[32];

	(void)state;
	assert_non_null(pins);
	for (int i = 0; i < NET_PINS_NAMES + 10; i++) {
		snprintf(name, sizeof name, "n%d.test", i);
		snprintf(text, sizeof text, "10.0.%d.%d", i / 256, i % 256);
		pin(pins, name, text, 1000 + i, &gone);
	}
	assert_int_equal(gone.n, 10);
	assert_null(net_pins_find(pins, "n9.test"));
	assert_non_null(net_pins_find(pins, "n10.test"));
	/* The newest stays, although it ends first. */
	pin(pins, "brief.test", "192.0.2.1", 1, &gone);
	assert_non_null(net_pins_find(pins, "brief.test"));
	net_pins_close(pins);
}

static void ttl_stays_within_bounds(void **state)
{
	(void)state;
	assert_int_equal(net_pins_ttl(-1), NET_TTL_UNKNOWN);
	assert_int_equal(net_pins_ttl(0), NET_TTL_LEAST);
	assert_int_equal(net_pins_ttl(300), 300);
	assert_int_equal(net_pins_ttl(INT64_MAX), NET_TTL_MOST);
}

/* ---- lookups ---- */

static void reads_the_output_of_the_resolver(void **state)
{
	char good[] = "192.0.2.1\n2001:db8::1\n::ffff:10.1.2.3\nttl 60\n";
	char none[] = "none\n", nothing[] = "", junk[] = "192.0.2\nttl x\n";
	struct net_lookup_result result;
	struct net_address inner = address("10.1.2.3");

	(void)state;
	net_lookup_parse(good, &result);
	assert_int_equal(result.found, NET_FOUND);
	assert_int_equal(result.n, 3);
	assert_int_equal(result.ttl, 60);
	assert_true(net_address_equal(&result.addresses[2], &inner));
	net_lookup_parse(none, &result);
	assert_int_equal(result.found, NET_FOUND_NO_NAME);
	net_lookup_parse(nothing, &result);
	assert_int_equal(result.found, NET_FOUND_NOTHING);
	net_lookup_parse(junk, &result);
	assert_int_equal(result.found, NET_FOUND_NOTHING);
	assert_int_equal(result.ttl, -1);
}

/* ---- rules ---- */

static struct strings list_of(struct arena *arena, const char *text)
{
	struct strings list = { 0 };
	char *rest = arena_strdup(arena, text), *word;

	while ((word = strsep(&rest, " ")) != NULL)
		if (*word)
			assert_int_equal(strings_add(arena, &list, word), 0);
	return list;
}

static void answers_names_that_rules_allow(void **state)
{
	static const struct {
		const char *allow, *deny, *name;
		bool answers;
	} cases[] = {
		{ "*.a.test:80", "", "x.a.test", true },
		{ "*.a.test:80", "", "a.test", false },
		{ "*.a.test:80", "", "xa.test", false },
		{ "*.a.test:80", "", "x.a.test.evil", false },
		{ "*.a.test:80", "x.a.test", "x.a.test", false },
		{ "*.a.test:80", "x.a.test", "y.a.test", true },
		{ "*.a.test:80", "x.a.test:81", "x.a.test", true },
		{ "*.a.test:80", "x.a.test:79-81", "x.a.test", false },
		{ "*.a.test", "x.a.test:80", "x.a.test", true },
		{ "udp://*.a.test:80", "x.a.test", "x.a.test", true },
		{ "b.test", "", "b.test", true },
		{ ":443", "", "anything", true },
		{ ":443", "*.b.test", "x.b.test", false },
		{ "1.2.3.4", "", "b.test", false },
		{ "", "b.test", "b.test", false },
		{ "", "b.test", "c.test", true },
	};
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy policy = {
			.net_allow = list_of(&arena, cases[i].allow),
			.net_deny = list_of(&arena, cases[i].deny),
		};
		struct net_rules rules;

		assert_int_equal(net_rules_read(&arena, &policy, &rules), 0);
		if (net_rules_answer(&rules, cases[i].name) != cases[i].answers)
			fail_msg("case %zu: %s", i, cases[i].name);
	}
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_queries),
		cmocka_unit_test(drops_malformed_queries),
		cmocka_unit_test(answers_odd_queries_with_a_code),
		cmocka_unit_test(writes_answers),
		cmocka_unit_test(truncates_answers_that_do_not_fit),
		cmocka_unit_test(pins_end_with_their_ttl),
		cmocka_unit_test(pins_are_bounded),
		cmocka_unit_test(ttl_stays_within_bounds),
		cmocka_unit_test(reads_the_output_of_the_resolver),
		cmocka_unit_test(answers_names_that_rules_allow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
