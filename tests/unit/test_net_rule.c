/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_net_rule.c - the rules of [network] and [http]. */
#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "policy/http_rule.h"
#include "policy/net_rule.h"
#include "policy/syscalls.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static struct arena arena;

static int open_arena(void **state)
{
	(void)state;
	return arena_open(&arena, 16 << 20);
}

static int close_arena(void **state)
{
	(void)state;
	arena_close(&arena);
	return 0;
}

static const char *host_text(const struct net_host *host)
{
	char address[INET6_ADDRSTRLEN];

	switch (host->kind) {
	case NET_HOST_ANY:
		return "any";
	case NET_HOST_NAME:
		return host->name;
	case NET_HOST_BELOW:
		return arena_printf(&arena, "below %s", host->name);
	default:
		inet_ntop(host->kind == NET_HOST_IPV4 ? AF_INET : AF_INET6,
			  host->address, address, sizeof address);
		return arena_printf(&arena, "%s/%u", address, host->prefix);
	}
}

/* "udp example.com 1-65535": what was understood. */
static const char *rule_text(const struct net_rule *rule)
{
	static const char *const protocols[] = { "tcp", "udp", "icmp" };
	char *text = arena_printf(&arena, "%s %s", protocols[rule->protocol],
				  host_text(&rule->host));

	for (size_t i = 0; i < rule->n_ports; i++) {
		const struct net_ports *p = &rule->ports[i];

		text = p->first == p->last ?
			       arena_printf(&arena, "%s %u", text, p->first) :
			       arena_printf(&arena, "%s %u-%u", text, p->first,
					    p->last);
	}
	return text;
}

static void rules_are_understood(void **state)
{
	static const struct {
		const char *rule;
		const char *meaning;
	} cases[] = {
		{ "api.example.com:443", "tcp api.example.com 443" },
		{ "tcp://api.example.com:443", "tcp api.example.com 443" },
		{ "API.Example.COM:443", "tcp api.example.com 443" },
		{ "example.com.:443", "tcp example.com 443" },
		{ "host:80,443", "tcp host 80 443" },
		{ "host:80,8000-8080", "tcp host 80 8000-8080" },
		{ "host:1-65535", "tcp host 1-65535" },
		{ "host", "tcp host" },
		{ "host:*", "tcp host" },
		{ "localhost:8080", "tcp localhost 8080" },
		{ "my_host-1:80", "tcp my_host-1 80" },
		{ "0a:80", "tcp 0a 80" },
		{ "*.example.com:443", "tcp below example.com 443" },
		{ "*.example.com", "tcp below example.com" },
		{ ":8080", "tcp any 8080" },
		{ "*:8080", "tcp any 8080" },
		{ "*", "tcp any" },
		{ "*:*", "tcp any" },
		{ ":*", "tcp any" },
		{ "udp://1.1.1.1:53", "udp 1.1.1.1/32 53" },
		{ "udp://*:*", "udp any" },
		{ "udp://:53", "udp any 53" },
		{ "icmp://example.com", "icmp example.com" },
		{ "icmp://*", "icmp any" },
		{ "icmp://10.0.0.0/8", "icmp 10.0.0.0/8" },
		{ "icmp://[::1]", "icmp ::1/128" },
		{ "icmp://::1", "icmp ::1/128" },
		{ "10.0.0.0/8", "tcp 10.0.0.0/8" },
		{ "10.0.0.0/8:443", "tcp 10.0.0.0/8 443" },
		{ "10.1.2.3/8:443", "tcp 10.0.0.0/8 443" },
		{ "192.168.1.77/31", "tcp 192.168.1.76/31" },
		{ "0.0.0.0/0:80", "tcp 0.0.0.0/0 80" },
		{ "::1", "tcp ::1/128" },
		{ "::", "tcp ::/128" },
		{ "::/0", "tcp ::/0" },
		{ "[::1]:80", "tcp ::1/128 80" },
		{ "[::1]", "tcp ::1/128" },
		{ "2001:db8::/32", "tcp 2001:db8::/32" },
		{ "[2001:db8::]/32:443", "tcp 2001:db8::/32 443" },
		{ "[2001:db8::/32]:443", "tcp 2001:db8::/32 443" },
		{ "[2001:db8::ff/32]:*", "tcp 2001:db8::/32" },
		/* Reached by either name: one form of it. */
		{ "[::ffff:1.2.3.4]:80", "tcp 1.2.3.4/32 80" },
		{ "::ffff:10.1.0.0/112", "tcp 10.1.0.0/16" },
		{ "::ffff:0:0/96", "tcp 0.0.0.0/0" },
		{ "xn--bcher-kva.example:443",
		  "tcp xn--bcher-kva.example 443" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct net_rule rule;

		if (net_rule_parse(&arena, cases[i].rule, &rule) < 0)
			fail_msg("%s: %s", cases[i].rule, err_text());
		assert_string_equal(rule_text(&rule), cases[i].meaning);
	}
}

static void wrong_rules_are_refused(void **state)
{
	static const struct {
		const char *rule;
		const char *why;
	} cases[] = {
		{ "", "the host is missing" },
		{ "tcp://", "the host is missing" },
		{ ":", "'' is not a port" },
		{ "host:", "'' is not a port" },
		{ "host:0", "'0' is not a port" },
		{ "host:65536", "'65536' is not a port" },
		{ "host:99999999999999999999", "is not a port" },
		{ "host:http", "'http' is not a port" },
		{ "host:80,", "'' is not a port" },
		{ "host:,80", "'' is not a port" },
		{ "host:80,*", "'*' must stand alone" },
		{ "host:*,80", "'*' must stand alone" },
		{ "host:8*", "'*' must stand alone" },
		{ "host:90-80", "'90-80': the range ends before it begins" },
		{ "host:0-80", "'0' is not a port" },
		{ "host:80-", "'' is not a port" },
		{ "host:-80", "'' is not a port" },
		{ "host:80-90-100", "'90-100' is not a port" },
		{ "host:+80", "'+80' is not a port" },
		{ "host: 80", "' 80' is not a port" },
		{ "icmp://host:80", "icmp does not take a port" },
		{ "icmp://*:*", "icmp does not take a port" },
		{ "icmp://[::1]:7", "icmp does not take a port" },
		{ "http://host", "unknown scheme 'http' (tcp, udp, icmp)" },
		{ "TCP://host", "unknown scheme 'TCP'" },
		{ "://host", "unknown scheme ''" },
		{ "sctp://host:1", "unknown scheme 'sctp'" },
		{ "10.0.0.0/33", "'/33' is not a prefix length (0 to 32)" },
		{ "10.0.0.0/", "'/' is not a prefix length" },
		{ "10.0.0.0/-1", "'/-1' is not a prefix length" },
		{ "10.0.0.0/8/8", "'/8/8' is not a prefix length" },
		{ "10.0.0.0/0008", "'/0008' is not a prefix length" },
		{ "10.0.0.0/255.0.0.0", "is not a prefix length" },
		{ "::/129", "'/129' is not a prefix length (0 to 128)" },
		{ "host/8", "'host/8' is not an address" },
		{ "tcp://host/path", "'host/path' is not an address" },
		{ "1.2.3", "'1.2.3' is not an address" },
		{ "1.2.3.4.5", "is not an address" },
		{ "256.1.1.1", "is not an address" },
		{ "010.0.0.1", "is not an address" },
		{ "0x7f000001", "is not an address" },
		{ "0x7f.1", "is not an address" },
		{ "0X7F", "is not an address" },
		{ "2130706433", "is not an address" },
		{ "443", "is not an address" },
		{ "example.123", "is not an address" },
		{ "*.1", "is not an address" },
		{ "fe80::1%eth0", "is not an address" },
		{ "[fe80::1%eth0]:80", "is not an address" },
		{ "[::1", "is not an address" },
		{ "[::]1", "is not an address" },
		{ "[::]1:80", "is not an address" },
		{ "[]:80", "is not an address" },
		{ "[1.2.3.4]:80", "is not an address" },
		{ "[host]:80", "is not an address" },
		{ "::1]:80", "is not an address" },
		{ "1:2:3", "is not an address" },
		{ "a..b:80", "is not a host name" },
		{ ".example.com", "is not a host name" },
		{ "example.com..", "is not a host name" },
		{ ".", "is not a host name" },
		{ "-a.example", "is not a host name" },
		{ "a-.example", "is not a host name" },
		{ "ex ample.com", "is not a host name" },
		{ "b\xc3\xbc"
		  "cher.example",
		  "is not a host name" },
		{ "user@host:22", "is not a host name" },
		{ "*.*", "is not a host name" },
		{ "*.", "is not a host name" },
		{ "**", "is not a host name" },
		{ "a.*.com", "is not a host name" },
		{ "*example.com", "is not a host name" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
		  "aaaaaa.com",
		  "is not a host name" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct net_rule rule = { .n_ports = 77 };

		if (net_rule_parse(&arena, cases[i].rule, &rule) >= 0)
			fail_msg("'%s' is %s", cases[i].rule, rule_text(&rule));
		assert_int_equal(rule.n_ports, 77);
		if (!strstr(err_text(), cases[i].why) ||
		    !strstr(err_text(), cases[i].rule))
			fail_msg("'%s': %s", cases[i].rule, err_text());
	}
}

static void long_names_are_refused(void **state)
{
	struct net_rule rule;
	char name[300];

	(void)state;
	for (size_t i = 0; i < sizeof name; i++)
		name[i] = i % 50 == 49 ? '.' : 'a';
	name[253] = '\0';
	assert_int_equal(net_rule_parse(&arena, name, &rule), 0);
	name[253] = 'a';
	name[254] = '\0';
	assert_true(net_rule_parse(&arena, name, &rule) < 0);
}

static void http_rules_are_understood(void **state)
{
	static const struct {
		const char *rule;
		const char *method;
		const char *host;
		const char *path;
	} cases[] = {
		{ "POST api.openai.com/v1/*", "POST", "api.openai.com",
		  "/v1/*" },
		{ "* */admin/*", NULL, "any", "/admin/*" },
		{ "M h/", "M", "h", "/" },
		{ "GET *.example.com/", "GET", "below example.com", "/" },
		{ "GET  Example.COM/A", "GET", "example.com", "/A" },
		{ "M-SEARCH host/*", "M-SEARCH", "host", "/*" },
		{ "GET 127.0.0.1/x", "GET", "127.0.0.1/32", "/x" },
		{ "GET [::1]/x", "GET", "::1/128", "/x" },
		{ "GET host/a..b/.c/..d", "GET", "host", "/a..b/.c/..d" },
		{ "GET host/100%/x", "GET", "host", "/100%/x" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_rule rule;

		if (http_rule_parse(&arena, cases[i].rule, &rule) < 0)
			fail_msg("%s", err_text());
		if (cases[i].method)
			assert_string_equal(rule.method, cases[i].method);
		else
			assert_null(rule.method);
		assert_string_equal(host_text(&rule.host), cases[i].host);
		assert_string_equal(rule.path, cases[i].path);
	}
}

static void wrong_http_rules_are_refused(void **state)
{
	static const struct {
		const char *rule;
		const char *why;
	} cases[] = {
		{ "", "not of the form METHOD host/path" },
		{ "example.com/x", "not of the form" },
		{ " GET example.com/x", "not of the form" },
		{ "GET", "not of the form" },
		{ "GET ", "the path is missing" },
		{ "GET example.com",
		  "the path is missing; write host/* for all paths" },
		{ "GET /x", "the host is missing" },
		{ "get example.com/", "method 'get' must be in capitals" },
		{ "GE(T h/", "'GE(T' is not an HTTP method" },
		{ "G* h/", "'G*' is not an HTTP method" },
		{ "** h/", "'**' is not an HTTP method" },
		{ "GET h:80/", "'h:80' is not an address" },
		{ "GET http://h/", "'http:' is not an address" },
		{ "GET h/a b", "contains a blank or a control byte" },
		{ "GET h/a\tb", "contains a blank or a control byte" },
		{ "GET h/a?b", "'?' is not allowed in a path" },
		{ "GET h/a#b", "'#' is not allowed in a path" },
		{ "GET h/%61dmin", "'%61' must be written in decoded form" },
		{ "GET h//x", "'//' never matches" },
		{ "GET h/a/../b", "'/..' never matches" },
		{ "GET h/..", "'/..' never matches" },
		{ "GET h/a/./b", "'/.' never matches" },
		{ "GET h/a/.", "'/.' never matches" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct http_rule rule;

		if (http_rule_parse(&arena, cases[i].rule, &rule) >= 0)
			fail_msg("'%s' is a rule", cases[i].rule);
		if (!strstr(err_text(), cases[i].why))
			fail_msg("'%s': %s", cases[i].rule, err_text());
	}
}

/* Every call is in one group only, or allowing one would not allow it. */
static void groups_do_not_overlap(void **state)
{
	const char *seen[128];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < SYSCALLS_GROUPS; i++) {
		const struct syscall_group_info *group = syscall_group_info(i);
		const char *const *lists[] = { group->calls, group->filtered };

		assert_int_equal(syscall_group_find(group->name), i);
		assert_true(*group->calls || *group->filtered);
		for (size_t l = 0; l < 2; l++)
			for (const char *const *call = lists[l]; *call;
			     call++) {
				assert_true(syscall_is_name(*call));
				for (size_t j = 0; j < n; j++)
					assert_string_not_equal(seen[j], *call);
				assert_true(n < COUNT(seen));
				seen[n++] = *call;
			}
	}
	assert_int_equal(syscall_group_find("sysv"), -1);
	assert_int_equal(syscall_group_find(""), -1);
	assert_false(syscall_is_name(""));
	assert_false(syscall_is_name("Open"));
	assert_false(syscall_is_name("open at"));
	assert_false(syscall_is_name("9p"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_are_understood),
		cmocka_unit_test(wrong_rules_are_refused),
		cmocka_unit_test(long_names_are_refused),
		cmocka_unit_test(http_rules_are_understood),
		cmocka_unit_test(wrong_http_rules_are_refused),
		cmocka_unit_test(groups_do_not_overlap),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
