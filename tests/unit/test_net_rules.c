/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_net_rules.c - rules of destinations, and their segments. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "network/segments.h"
#include "policy/policy.h"

#include <cmocka.h>

#define MOST_ITEMS 8

static struct net_address address(const char *text)
{
	struct net_address a = { .family = strchr(text, ':') ? AF_INET6 :
							       AF_INET };

	assert_int_equal(inet_pton(a.family, text, a.bytes), 1);
	return a;
}

/* Split "a b c" into a list. */
static struct strings list_of(struct arena *arena, const char *text)
{
	const char **items = arena_array(arena, MOST_ITEMS, sizeof *items);
	char *rest = arena_strdup(arena, text), *item;
	struct strings list = { items, 0 };

	while ((item = strsep(&rest, " ")) != NULL)
		if (*item)
			items[list.n++] = item;
	return list;
}

/* Names are pinned to: good 93.184.215.14, inner 10.1.2.3, both to the two. */
static void pin_names(struct arena *arena, const struct net_rules *rules,
		      struct net_judge_rule *list, size_t n)
{
	struct net_address found[] = { address("93.184.215.14"),
				       address("10.1.2.3") };

	for (size_t i = 0; i < n; i++) {
		const char *name = list[i].rule.host.name;

		if (!name)
			continue;
		if (streq(name, "good.example"))
			net_rules_pin(arena, rules, &list[i], found, 1);
		else if (streq(name, "inner.example"))
			net_rules_pin(arena, rules, &list[i], found + 1, 1);
		else
			net_rules_pin(arena, rules, &list[i], found, 2);
	}
}

static void make_rules(struct arena *arena, const char *allow, const char *deny,
		       struct net_rules *ret)
{
	struct policy policy = { .net_allow = list_of(arena, allow),
				 .net_deny = list_of(arena, deny) };

	assert_int_equal(net_rules_read(arena, &policy, ret), 0);
	pin_names(arena, ret, ret->allow, ret->n_allow);
	pin_names(arena, ret, ret->deny, ret->n_deny);
}

static struct net_question ask(const char *text)
{
	struct net_question q = { .protocol = NET_TCP };
	char host[64];
	const char *colon;

	if (starts_with(text, "udp://"))
		q.protocol = NET_UDP;
	if (starts_with(text, "icmp://"))
		q.protocol = NET_ICMP;
	if (q.protocol != NET_TCP)
		text = strstr(text, "//") + 2;
	colon = q.protocol == NET_ICMP ? text + strlen(text) :
					 strrchr(text, ':');
	snprintf(host, sizeof host, "%.*s", (int)(colon - text), text);
	q.to.address = address(host);
	q.to.port = *colon ? (uint16_t)atoi(colon + 1) : 0;
	return q;
}

static void judges_destinations(void **state)
{
	static const struct {
		const char *allow, *deny, *to;
		bool allowed;
		const char *rule;
	} cases[] = {
		{ "1.2.3.4:80", "", "1.2.3.4:80", true, "1.2.3.4:80" },
		{ "1.2.3.4:80", "", "1.2.3.4:81", false, NULL },
		{ "1.2.3.4:80", "", "1.2.3.5:80", false, NULL },
		{ "1.2.3.4:80", "", "udp://1.2.3.4:80", false, NULL },
		{ "1.2.3.4:80,90-99", "", "1.2.3.4:95", true,
		  "1.2.3.4:80,90-99" },
		{ "1.2.3.4", "", "1.2.3.4:65535", true, "1.2.3.4" },
		{ "10.0.0.0/8:443", "", "10.255.0.1:443", true,
		  "10.0.0.0/8:443" },
		{ "[2001:db8::]/32:443", "", "2001:db8:1::1:443", true,
		  "[2001:db8::]/32:443" },
		{ "[2001:db8::]/32:443", "", "2001:db9::1:443", false, NULL },
		{ ":443", "", "9.9.9.9:443", true, ":443" },
		{ ":443", "", "2620:fe::9:443", true, ":443" },
		{ ":443", "", "127.0.0.1:443", true, ":443" },
		{ ":443", "", "10.0.0.1:443", true, ":443" },
		{ "udp://*:*", "", "udp://9.9.9.9:53", true, "udp://*:*" },
		{ "udp://*:*", "", "9.9.9.9:53", false, NULL },
		{ "icmp://9.9.9.9", "", "icmp://9.9.9.9", true,
		  "icmp://9.9.9.9" },
		{ "icmp://9.9.9.9", "", "icmp://9.9.9.8", false, NULL },
		{ "icmp://*", "", "icmp://169.254.169.254", false, NULL },
		/* A rule for everything does not contain metadata services. */
		{ ":80", "", "169.254.169.254:80", false, NULL },
		{ "0.0.0.0/0:80", "", "169.254.169.254:80", false, NULL },
		{ "160.0.0.0/4:80", "", "169.254.169.254:80", false, NULL },
		{ ":80 169.254.169.254:80", "", "169.254.169.254:80", true,
		  "169.254.169.254:80" },
		{ "169.254.0.0/16:80", "", "169.254.169.254:80", true,
		  "169.254.0.0/16:80" },
		{ ":80", "", "100.100.100.200:80", false, NULL },
		{ ":80", "", "fe80::1:80", false, NULL },
		{ ":80", "", "fd00:ec2::254:80", false, NULL },
		{ ":80", "", "ff02::1:80", false, NULL },
		/* Deny is stronger, whatever is more specific. */
		{ "1.2.3.4:80", "1.2.3.0/24", "1.2.3.4:80", false,
		  "1.2.3.0/24" },
		{ "1.2.3.0/24:80", "1.2.3.4", "1.2.3.4:80", false, "1.2.3.4" },
		{ "1.2.3.0/24:80", "1.2.3.4", "1.2.3.5:80", true,
		  "1.2.3.0/24:80" },
		{ "1.2.3.4", "1.2.3.4:25", "1.2.3.4:25", false, "1.2.3.4:25" },
		{ "1.2.3.4", "1.2.3.4:25", "1.2.3.4:26", true, "1.2.3.4" },
		{ "1.2.3.4", "*:25", "1.2.3.4:25", false, "*:25" },
		/* Deny alone: everything else. */
		{ "", "1.2.3.4", "1.2.3.4:80", false, "1.2.3.4" },
		{ "", "1.2.3.4", "1.2.3.5:80", true, NULL },
		{ "", "1.2.3.4", "udp://1.2.3.4:80", true, NULL },
		{ "", "1.2.3.4", "169.254.169.254:80", true, NULL },
		/* Names. */
		{ "good.example:443", "", "93.184.215.14:443", true,
		  "good.example:443" },
		{ "good.example:443", "", "93.184.215.15:443", false, NULL },
		{ "inner.example:443", "", "10.1.2.3:443", false, NULL },
		{ "inner.example:443 10.1.2.3:1", "", "10.1.2.3:443", true,
		  "inner.example:443" },
		{ "inner.example:443 10.0.0.0/8:1", "", "10.1.2.3:443", true,
		  "inner.example:443" },
		{ "inner.example:443 0.0.0.0/0:1", "", "10.1.2.3:443", false,
		  NULL },
		{ "both.example:443", "", "10.1.2.3:443", false, NULL },
		{ "both.example:443", "", "93.184.215.14:443", true,
		  "both.example:443" },
		{ ":443", "inner.example", "10.1.2.3:443", false,
		  "inner.example" },
	};
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 64 << 20), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct net_question q = ask(cases[i].to);
		struct net_segments segments;
		struct net_verdict verdict;
		struct net_rules rules;

		arena_clear(&arena);
		make_rules(&arena, cases[i].allow, cases[i].deny, &rules);
		verdict = net_rules_judge(&rules, &q);
		if (verdict.allowed != cases[i].allowed)
			fail_msg("allow '%s', deny '%s': %s is %d",
				 cases[i].allow, cases[i].deny, cases[i].to,
				 verdict.allowed);
		if (cases[i].rule)
			assert_string_equal(verdict.rule, cases[i].rule);
		else
			assert_null(verdict.rule);
		assert_int_equal(net_segments_make(&arena, &rules,
						   q.to.address.family,
						   &segments),
				 0);
		if (net_segments_allow(&segments, &q) != cases[i].allowed)
			fail_msg("segments: allow '%s', deny '%s': %s differs",
				 cases[i].allow, cases[i].deny, cases[i].to);
	}
	arena_close(&arena);
}

static void names_match_rules(void **state)
{
	static const struct {
		const char *rule, *name;
		bool matches;
	} cases[] = {
		{ "example.com:80", "example.com", true },
		{ "example.com:80", "EXAMPLE.com.", true },
		{ "example.com:80", "www.example.com", false },
		{ "*.example.com:80", "www.example.com", true },
		{ "*.example.com:80", "a.b.example.com.", true },
		{ "*.example.com:80", "example.com", false },
		{ "*.example.com:80", ".example.com", false },
		{ "*.example.com:80", "badexample.com", false },
		{ "1.2.3.4:80", "1.2.3.4", false },
	};
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct net_rule rule;

		assert_int_equal(net_rule_parse(&arena, cases[i].rule, &rule),
				 0);
		if (net_rule_has_name(&rule, cases[i].name) != cases[i].matches)
			fail_msg("%s, %s", cases[i].rule, cases[i].name);
	}
	arena_close(&arena);
}

static void a_name_does_not_lead_to_the_host(void **state)
{
	const struct net_address own = address("93.184.215.14");
	struct net_rules rules;
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 1 << 20), 0);
	make_rules(&arena, "any.example:80", "", &rules);
	assert_true(net_rules_may_pin(&rules, &own));
	rules.own = &own;
	rules.n_own = 1;
	assert_false(net_rules_may_pin(&rules, &own));
	make_rules(&arena, "any.example:80 93.184.215.14:22", "", &rules);
	rules.own = &own;
	rules.n_own = 1;
	assert_true(net_rules_may_pin(&rules, &own));
	arena_close(&arena);
}

static void equal_ports_share_a_segment(void **state)
{
	struct net_segments segments;
	struct net_rules rules;
	struct arena arena;

	(void)state;
	assert_int_equal(arena_open(&arena, 8 << 20), 0);
	make_rules(&arena, "1.1.1.1:80-89 2.2.2.2:80-84 2.2.2.2:85-89", "",
		   &rules);
	assert_int_equal(net_segments_make(&arena, &rules, AF_INET, &segments),
			 0);
	assert_int_equal(segments.n, 1);
	assert_int_equal(segments.items[0].ports.first, 80);
	assert_int_equal(segments.items[0].ports.last, 89);
	assert_int_equal(segments.items[0].n, 2);
	assert_int_equal(net_segments_make(&arena, &rules, AF_INET6, &segments),
			 0);
	assert_int_equal(segments.n, 0);
	arena_close(&arena);
}

/* ---- random rules: the segments decide as the rules do ---- */

static const char *random_host(struct arena *arena)
{
	static const char *const hosts[] = {
		"*",
		"10.0.0.0/8",
		"10.1.0.0/16",
		"10.1.2.3",
		"10.1.2.4",
		"169.254.0.0/16",
		"169.254.1.1",
		"169.254.169.254",
		"168.0.0.0/7",
		"100.0.0.0/8",
		"100.100.100.200",
		"0.0.0.0/0",
		"good.example",
		"inner.example",
		"both.example",
		"224.0.0.0/8",
	};

	(void)arena;
	return hosts[(size_t)rand() % COUNT(hosts)];
}

static const char *random_list(struct arena *arena, unsigned int most)
{
	static const char *const schemes[] = { "", "udp://", "icmp://" };
	char *text = arena_strdup(arena, "");

	for (unsigned int n = (unsigned int)rand() % (most + 1); n; n--) {
		unsigned int kind = (unsigned int)rand() % 3;
		unsigned int first = 1 + (unsigned int)rand() % 6;
		const char *host = random_host(arena);

		if (kind == 2 || rand() % 4 == 0)
			text = arena_printf(arena, "%s %s%s", text,
					    schemes[kind], host);
		else
			text = arena_printf(arena, "%s %s%s:%u-%u", text,
					    schemes[kind], host, first,
					    first + (unsigned int)rand() % 4);
	}
	return text;
}

static void segments_decide_as_the_rules_do(void **state)
{
	static const char *const to[] = {
		"10.1.2.3",	   "10.1.2.4",	    "10.1.9.9",
		"10.9.9.9",	   "169.254.1.1",   "169.254.169.254",
		"169.254.9.9",	   "169.9.9.9",	    "100.100.100.200",
		"100.1.1.1",	   "93.184.215.14", "8.8.8.8",
		"255.255.255.255", "224.0.0.1",
	};
	struct arena arena;
	unsigned int allowed = 0;

	(void)state;
	srand(7);
	assert_int_equal(arena_open(&arena, 64 << 20), 0);
	for (unsigned int round = 0; round < 2000; round++) {
		const char *allow, *deny;
		struct net_segments segments;
		struct net_rules rules;

		arena_clear(&arena);
		allow = random_list(&arena, 5);
		deny = random_list(&arena, 3);
		make_rules(&arena, allow, deny, &rules);
		assert_int_equal(net_segments_make(&arena, &rules, AF_INET,
						   &segments),
				 0);
		for (unsigned int i = 0; i < 60; i++) {
			struct net_question q = {
				.protocol = (enum net_protocol)(rand() % 3),
				.to.address =
					address(to[(size_t)rand() % COUNT(to)]),
			};
			struct net_verdict verdict;

			if (q.protocol != NET_ICMP)
				q.to.port = (uint16_t)(1 + rand() % 10);
			verdict = net_rules_judge(&rules, &q);
			allowed += verdict.allowed;
			if (verdict.allowed !=
			    net_segments_allow(&segments, &q))
				fail_msg("allow '%s', deny '%s', protocol %d, "
					 "%u.%u.%u.%u:%u: rules say %d",
					 allow, deny, q.protocol,
					 q.to.address.bytes[0],
					 q.to.address.bytes[1],
					 q.to.address.bytes[2],
					 q.to.address.bytes[3], q.to.port,
					 verdict.allowed);
		}
	}
	assert_in_range(allowed, 10000, 100000);
	arena_close(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(judges_destinations),
		cmocka_unit_test(names_match_rules),
		cmocka_unit_test(a_name_does_not_lead_to_the_host),
		cmocka_unit_test(equal_ports_share_a_segment),
		cmocka_unit_test(segments_decide_as_the_rules_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
