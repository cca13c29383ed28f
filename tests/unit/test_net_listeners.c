/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_net_listeners.c - servers in the tables of sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/util.h"
#include "network/listeners.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

#define TITLE \
	"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when\n"
#define REST " 00000000:00000000 00:00000000 00000000     0        0 1 1\n"
#define NOBODY " 00000000:0000"
#define NOBODY6 " 00000000000000000000000000000000:0000"
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOCAL "0100007F"
#define OTHER "6401A8C0"
#define LOCAL6 "00000000000000000000000001000000"
#define MAPPED "0000000000000000FFFF00000100007F"
#else
#define LOCAL "7F000001"
#define OTHER "C0A80164"
#define LOCAL6 "00000000000000000000000000000001"
#define MAPPED "00000000000000000000FFFF7F000001"
#endif
#define ANY6 "00000000000000000000000000000000"

/* "": none. */
static void check(const char *lines, sa_family_t family, const char *wanted,
		  bool wanted_more)
{
	struct net_endpoint at = { 0 };
	char text[NET_ADDRESS_TEXT] = "";
	bool more;

	if (net_listeners_find(lines, strlen(lines), family, 8080, &at,
			       &more)) {
		net_address_text(&at.address, text);
		assert_int_equal(at.port, 8080);
	} else {
		assert_int_equal(more, wanted_more);
	}
	assert_string_equal(text, wanted);
}

static void servers_are_found(void **state)
{
	(void)state;
	check(TITLE "   0: " LOCAL ":1F90" NOBODY " 0A" REST, AF_INET,
	      "127.0.0.1", true);
	check(TITLE "   0: 00000000:1F90" NOBODY " 0A" REST, AF_INET,
	      "127.0.0.1", true);
	check(TITLE "   0: 00000000:1F91" NOBODY " 0A" REST
		    "  11: 00000000:1F90" NOBODY " 0A" REST,
	      AF_INET, "127.0.0.1", true);
	check(TITLE "   0: " ANY6 ":1F90" NOBODY6 " 0A" REST, AF_INET6, "::1",
	      true);
	check(TITLE "   0: " LOCAL6 ":1F90" NOBODY6 " 0A" REST, AF_INET6, "::1",
	      true);
	check(TITLE "   0: " MAPPED ":1F90" NOBODY6 " 0A" REST, AF_INET6,
	      "127.0.0.1", true);
}

static void others_are_not(void **state)
{
	(void)state;
	check("", AF_INET, "", true);
	check(TITLE, AF_INET, "", true);
	check(TITLE "   0: " LOCAL ":1F91" NOBODY " 0A" REST, AF_INET, "",
	      true);
	/* Not of a loopback address: a rule leads there, if anything. */
	check(TITLE "   0: " OTHER ":1F90" NOBODY " 0A" REST, AF_INET, "",
	      true);
	/* Connections come after the servers. */
	check(TITLE "   0: " LOCAL ":1F90 " LOCAL ":0050 01" REST "   1: " LOCAL
		    ":1F90" NOBODY " 0A" REST,
	      AF_INET, "", false);
	check(TITLE "   0: " LOCAL ":1F90" NOBODY " 0A" REST, AF_INET6, "",
	      true);
	check("\n\n   0: nonsense\n", AF_INET, "", true);
	check("   0: " LOCAL ":1F90" NOBODY, AF_INET, "", true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servers_are_found),
		cmocka_unit_test(others_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
