/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_merge.c - linux.resources alone, and one changed by another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/err.h"
#include "base/util.h"
#include "oci/oci.h"
#include "tests/unit/arena_state.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static char *quoted(const char *text)
{
	char *json = strdup(text);

	assert_non_null(json);
	for (char *p = json; *p; p++)
		if (*p == '\'')
			*p = '"';
	return json;
}

static void resources_are_read_alone(void **state)
{
	autofree char *good = quoted("{'CPU': {'Cpus': '0'}}");
	autofree char *bad = quoted("{'pids': {'limit': '1'}}");
	struct oci_resources r;

	assert_int_equal(oci_resources_parse(*state, good, &r), 0);
	assert_string_equal(r.cpu.cpus, "0");
	assert_true(oci_resources_parse(*state, bad, &r) < 0);
	assert_string_equal(err_text(),
			    "pids.limit: must be a number, not a string");
}

static void resources_merge(void **state)
{
	static const struct {
		const char *old, *change, *merged;
	} cases[] = {
		{ "{}", "{}", "{}" },
		{ "{'pids':{'limit':5}}", "{}", "{'pids':{'limit':5}}" },
		{ "{'pids':{'limit':5}}", "{'pids':{'limit':0}}",
		  "{'pids':{'limit':0}}" },
		{ "{'pids':null}", "{'pids':{'limit':-1}}",
		  "{'pids':{'limit':-1}}" },
		{ "{'memory':{'limit':5,'swap':9}}",
		  "{'memory':{'limit':7,'swap':0},'cpu':null}",
		  "{'memory':{'limit':7,'swap':9}}" },
		{ "{'memory':{'limit':5}}", "{'Memory':{'Limit':7}}",
		  "{'memory':{'limit':7}}" },
		{ "{'cpu':{'idle':1,'shares':4,'cpus':'0'}}",
		  "{'cpu':{'idle':0,'shares':0,'cpus':'','burst':0}}",
		  "{'cpu':{'idle':0,'shares':4,'cpus':'0','burst':0}}" },
		{ "{'devices':[1],'unified':{'a.b':'1','c.d':'2'}}",
		  "{'devices':[2],'unified':{'c.d':'3','e.f':''}}",
		  "{'devices':[1],'unified':{'a.b':'1','c.d':'3'}}" },
		{ "{'hugepageLimits':[{'pageSize':'2MB','limit':1},"
		  "{'pageSize':'1GB','limit':2}]}",
		  "{'hugepageLimits':[{'pageSize':'2MB','limit':0}]}",
		  "{'hugepageLimits':[{'pageSize':'1GB','limit':2},"
		  "{'pageSize':'2MB','limit':0}]}" },
		{ "{'blockIO':{'x':[{'major':8,'minor':0,'rate':1},"
		  "{'major':8,'minor':1,'rate':2}]}}",
		  "{'blockIO':{'x':[{'major':8,'minor':1,'rate':3}]}}",
		  "{'blockIO':{'x':[{'major':8,'minor':0,'rate':1},"
		  "{'major':8,'minor':1,'rate':3}]}}" },
		{ "{'memory':{'disableOOMKiller':true}}",
		  "{'memory':{'disableOOMKiller':false}}",
		  "{'memory':{'disableOOMKiller':false}}" },
		{ "{'more':[1,'a']}", "{'more':18446744073709551615}",
		  "{'more':18446744073709551615}" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		autofree char *old = quoted(cases[i].old);
		autofree char *change = quoted(cases[i].change);
		autofree char *merged = quoted(cases[i].merged);
		const char *text;

		assert_int_equal(oci_resources_merge(*state, old, change,
						     &text),
				 0);
		assert_int_equal(text[strlen(text) - 1], '\n');
		assert_int_equal(strlen(text), strlen(merged) + 1);
		assert_memory_equal(text, merged, strlen(merged));
	}
}

static void resources_of_a_spec(void **state)
{
	static const char with[] = "{\"linux\":{\"resources\":{\"pids\":"
				   "{\"limit\":5},\"x\":null}}}";
	static const char without[] = "{\"linux\":{}}";
	struct oci_spec spec = { .json = with, .json_len = strlen(with) };
	const char *text;

	assert_int_equal(oci_resources_of(*state, &spec, &text), 0);
	assert_string_equal(text, "{\"pids\":{\"limit\":5},\"x\":null}\n");
	spec.json = without;
	spec.json_len = strlen(without);
	assert_int_equal(oci_resources_of(*state, &spec, &text), 0);
	assert_string_equal(text, "{}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(resources_are_read_alone),
		cmocka_unit_test(resources_merge),
		cmocka_unit_test(resources_of_a_spec),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
