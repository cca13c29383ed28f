/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_names.c - every word has its number, and no other. */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void signals_by_number_and_name(void **state)
{
	static const struct {
		const char *text;
		int number;
	} cases[] = {
		{ "0", 0 },
		{ "9", SIGKILL },
		{ "09", SIGKILL },
		{ "64", 64 },
		{ "KILL", SIGKILL },
		{ "sigkill", SIGKILL },
		{ "SigTerm", SIGTERM },
		{ "IOT", SIGABRT },
		{ "poll", SIGIO },
		{ "SIGCLD", SIGCHLD },
		{ "STKFLT", SIGSTKFLT },
		{ "RTMIN", 34 },
		{ "SIGRTMIN+0", 34 },
		{ "rtmin+3", 37 },
		{ "RTMIN+30", 64 },
		{ "RTMAX", 64 },
		{ "SIGRTMAX-30", 34 },
		{ "", -1 },
		{ "-1", -1 },
		{ "65", -1 },
		{ "+9", -1 },
		{ " 9", -1 },
		{ "9 ", -1 },
		{ "9x", -1 },
		{ "0x9", -1 },
		{ "99999999999999999999", -1 },
		{ "SIG", -1 },
		{ "SIG9", -1 },
		{ "SIGSIGKILL", -1 },
		{ "FOO", -1 },
		{ "RTMIN+31", -1 },
		{ "RTMIN+", -1 },
		{ "RTMIN-1", -1 },
		{ "RTMIN+999", -1 },
		{ "RTMAX-31", -1 },
		{ "RTMAX+1", -1 },
		{ "RTMIN+-1", -1 },
		{ "RTMINx", -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (oci_signal(cases[i].text) != cases[i].number)
			fail_msg("'%s' is %d, not %d", cases[i].text,
				 oci_signal(cases[i].text), cases[i].number);
}

static void every_standard_signal_has_a_name(void **state)
{
	(void)state;
	for (int n = 1; n < 32; n++) {
		assert_non_null(oci_signal_name(n));
		assert_int_equal(oci_signal(oci_signal_name(n)), n);
	}
	assert_string_equal(oci_signal_name(SIGKILL), "KILL");
	assert_string_equal(oci_signal_name(SIGSYS), "SYS");
	assert_null(oci_signal_name(0));
	assert_null(oci_signal_name(40));
}

static void lists_become_bits(void **state)
{
	static const struct {
		const char *text;
		unsigned long low, high;
	} cases[] = {
		{ "0", 1, 0 },		{ "0-3,7", 0x8f, 0 },
		{ "3-3", 8, 0 },	{ "63-64", 1UL << 63, 1 },
		{ "99", 0, 1UL << 35 }, { " 1 , 2 ", 6, 0 },
		{ "1,,2,", 6, 0 },	{ ",5\n", 0x20, 0 },
		{ "2,0-2", 7, 0 },	{ "007", 0x80, 0 },
	};
	unsigned long bits[2];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bits[0] = bits[1] = ~0UL;
		if (oci_bit_list(cases[i].text, bits, 100) < 0)
			fail_msg("%s", err_text());
		assert_int_equal(bits[0], cases[i].low);
		assert_int_equal(bits[1], cases[i].high);
	}
}

static void bad_lists_are_named(void **state)
{
	static const char *const shapes[] = {
		"a", "1-", "-1", "3-1", "1 2", "1-2-3", "1;2", "0x1", "1 -2",
	};
	static const char *const too_large[] = {
		"100",
		"0-100",
		"99999999999999999999999",
	};
	unsigned long bits[2];

	(void)state;
	for (size_t i = 0; i < COUNT(shapes); i++) {
		assert_int_equal(oci_bit_list(shapes[i], bits, 100), -EINVAL);
		assert_non_null(strstr(err_text(), "is not a list"));
	}
	for (size_t i = 0; i < COUNT(too_large); i++) {
		assert_int_equal(oci_bit_list(too_large[i], bits, 100),
				 -EINVAL);
		assert_non_null(
			strstr(err_text(), "exceeds the maximum of 99"));
	}
	assert_int_equal(oci_bit_list("", bits, 100), -EINVAL);
	assert_int_equal(oci_bit_list(" , ", bits, 100), -EINVAL);
	assert_non_null(strstr(err_text(), "is an empty list"));
}

static void tables_are_complete(void **state)
{
	(void)state;
	for (int i = 0; i < OCI_NAMESPACES; i++) {
		assert_non_null(oci_ns_kinds[i].type);
		assert_non_null(oci_ns_kinds[i].proc);
		assert_int_not_equal(oci_ns_kinds[i].flag, 0);
	}
	assert_string_equal(oci_ns_kinds[OCI_NS_NETWORK].proc, "net");
	assert_int_equal(oci_ns_kinds[OCI_NS_MOUNT].flag, CLONE_NEWNS);
	for (int i = 0; i < HOOK_POINTS; i++)
		assert_non_null(oci_hook_point_name(i));
	assert_string_equal(oci_hook_point_name(HOOK_POSTSTOP), "poststop");
	for (int i = 0; i <= OCI_STOPPED; i++)
		assert_non_null(oci_status_name(i));
	assert_string_equal(oci_status_name(OCI_PAUSED), "paused");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signals_by_number_and_name),
		cmocka_unit_test(every_standard_signal_has_a_name),
		cmocka_unit_test(lists_become_bits),
		cmocka_unit_test(bad_lists_are_named),
		cmocka_unit_test(tables_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
