/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_cgroup_systemd.c - names, places and properties of units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/util.h"
#include "cgroups/systemd.h"
#include "tests/unit/arena_state.h"

/* Last: it has a macro of the name of our fail(). */
#include <cmocka.h>

#define NO_LIMIT "18446744073709551615"

static void test_units(void **state)
{
	static const struct {
		const char *path;
		bool user;
		const char *name, *slice, *place;
	} cases[] = {
		{ NULL, false, "sandlock-web1.scope", "system.slice",
		  "/system.slice/sandlock-web1.scope" },
		{ "", true, "sandlock-web1.scope", "user.slice",
		  "/user.slice/sandlock-web1.scope" },
		{ "machine.slice:libpod:77", false, "libpod-77.scope",
		  "machine.slice", "/machine.slice/libpod-77.scope" },
		{ "a-b-c.slice:p:n", false, "p-n.scope", "a-b-c.slice",
		  "/a.slice/a-b.slice/a-b-c.slice/p-n.scope" },
		{ "-:p:n", false, "p-n.scope", "-.slice", "/p-n.scope" },
		{ "-.slice:p:n", false, "p-n.scope", "-.slice", "/p-n.scope" },
		{ "::n", false, "n.scope", "system.slice",
		  "/system.slice/n.scope" },
		{ "x.slice:p:a-b.slice", false, "a-b.slice", NULL,
		  "/a.slice/a-b.slice" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct systemd_unit unit;

		assert_int_equal(systemd_unit_of(*state, cases[i].path, "web1",
						 cases[i].user, &unit),
				 0);
		assert_string_equal(unit.name, cases[i].name);
		assert_string_equal(unit.path, cases[i].place);
		assert_int_equal(!unit.slice, !cases[i].slice);
		if (unit.slice)
			assert_string_equal(unit.slice, cases[i].slice);
	}
}

static void test_bad_units(void **state)
{
	static const struct {
		const char *path, *error;
	} cases[] = {
		{ "web1", "'web1' is not of the form slice:prefix:name" },
		{ "/a/b", "'/a/b' is not of the form slice:prefix:name" },
		{ "a.slice:b", "is not of the form slice:prefix:name" },
		{ "a.slice:b:", "is not of the form slice:prefix:name" },
		{ "a.slice:b:c:d", "is not of the form slice:prefix:name" },
		{ "a.slice:b:../c", "is not of the form slice:prefix:name" },
		{ "a:b:c", "'a' is not the name of a systemd slice" },
		{ "-a.slice:b:c",
		  "'-a.slice' is not the name of a systemd slice" },
		{ "a-.slice:b:c",
		  "'a-.slice' is not the name of a systemd slice" },
		{ "a--b.slice:b:c",
		  "'a--b.slice' is not the name of a systemd slice" },
		{ ".slice:b:c", "'.slice' is not the name of a systemd slice" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct systemd_unit unit;

		assert_true(systemd_unit_of(*state, cases[i].path, "web1",
					    false, &unit) < 0);
		assert_non_null(strstr(err_text(), "linux.cgroupsPath: "));
		assert_non_null(strstr(err_text(), cases[i].error));
	}
}

/* One line each. */
static const char *joined(struct arena *arena, const struct strings *list)
{
	const char *text = "";

	for (size_t i = 0; i < list->n; i++)
		text = arena_printf(arena, "%s%s\n", text, list->items[i]);
	return text;
}

static void test_limits(void **state)
{
	static const struct {
		const char *json, *v2, *v1;
	} cases[] = {
		{ "{}", "", "" },
		{ "{\"memory\":{\"limit\":0},\"cpu\":{\"shares\":0,"
		  "\"quota\":0}}",
		  "", "" },
		{ "{\"memory\":{\"limit\":1000,\"reservation\":500,"
		  "\"swap\":3000}}",
		  "MemoryMax=t=1000\nMemoryLow=t=500\nMemorySwapMax=t=2000\n",
		  "MemoryLimit=t=1000\n" },
		{ "{\"memory\":{\"limit\":-1}}",
		  "MemoryMax=t=" NO_LIMIT "\nMemorySwapMax=t=" NO_LIMIT "\n",
		  "MemoryLimit=t=" NO_LIMIT "\n" },
		{ "{\"cpu\":{\"shares\":1024}}", "CPUWeight=t=100\n",
		  "CPUShares=t=1024\n" },
		{ "{\"cpu\":{\"idle\":1,\"shares\":1024}}", "CPUWeight=t=0\n",
		  "" },
		{ "{\"cpu\":{\"quota\":33333,\"period\":100000}}",
		  "CPUQuotaPerSecUSec=t=340000\nCPUQuotaPeriodUSec=t=100000\n",
		  "CPUQuotaPerSecUSec=t=340000\n" },
		{ "{\"cpu\":{\"quota\":50000}}",
		  "CPUQuotaPerSecUSec=t=500000\n",
		  "CPUQuotaPerSecUSec=t=500000\n" },
		{ "{\"cpu\":{\"quota\":-1,\"period\":0}}",
		  "CPUQuotaPerSecUSec=t=" NO_LIMIT "\n",
		  "CPUQuotaPerSecUSec=t=" NO_LIMIT "\n" },
		{ "{\"cpu\":{\"cpus\":\"0-1,9\",\"mems\":\"0\"}}",
		  "AllowedCPUs=ay=0302\nAllowedMemoryNodes=ay=01\n", "" },
		{ "{\"pids\":{\"limit\":7}}", "TasksMax=t=7\n",
		  "TasksMax=t=7\n" },
		{ "{\"pids\":{\"limit\":0}}", "TasksMax=t=1\n",
		  "TasksMax=t=1\n" },
		{ "{\"pids\":{\"limit\":-1}}", "TasksMax=t=" NO_LIMIT "\n",
		  "TasksMax=t=" NO_LIMIT "\n" },
		{ "{\"blockIO\":{\"weight\":1000}}", "IOWeight=t=10000\n",
		  "BlockIOWeight=t=1000\n" },
		{ "{\"unified\":{\"memory.high\":\"5\",\"pids.max\":\"max\","
		  "\"cpu.weight\":\"no\",\"io.max\":\"1\"}}",
		  "MemoryHigh=t=5\nTasksMax=t=" NO_LIMIT "\n", "" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct oci_resources resources;
		struct strings list;

		assert_int_equal(oci_resources_parse(*state, cases[i].json,
						     &resources),
				 0);
		assert_int_equal(systemd_limits(*state, &resources, true,
						&list),
				 0);
		assert_string_equal(joined(*state, &list), cases[i].v2);
		assert_int_equal(systemd_limits(*state, &resources, false,
						&list),
				 0);
		assert_string_equal(joined(*state, &list), cases[i].v1);
	}
}

static void test_changes(void **state)
{
	struct oci_resources old, change, merged;
	struct strings set, before, back;

	assert_int_equal(oci_resources_parse(
				 *state,
				 "{\"memory\":{\"limit\":1000,\"swap\":1500},"
				 "\"pids\":{\"limit\":3}}",
				 &old),
			 0);
	assert_int_equal(oci_resources_parse(
				 *state,
				 "{\"memory\":{\"limit\":1200,"
				 "\"reservation\":9},\"cpu\":{\"cpus\":\"0\"},"
				 "\"blockIO\":{\"weight\":10}}",
				 &change),
			 0);
	merged = change;
	merged.memory.swap = old.memory.swap;
	merged.pids_limit = old.pids_limit;
	assert_int_equal(systemd_changes(*state, &change, &merged, true, &set),
			 0);
	assert_string_equal(joined(*state, &set),
			    "MemoryMax=t=1200\nMemoryLow=t=9\n"
			    "MemorySwapMax=t=300\nAllowedCPUs=ay=01\n"
			    "IOWeight=t=1\n");
	assert_int_equal(systemd_limits(*state, &old, true, &before), 0);
	assert_int_equal(systemd_limits_back(*state, &set, &before, &back), 0);
	assert_string_equal(joined(*state, &back),
			    "MemoryMax=t=1000\nMemoryLow=t=0\n"
			    "MemorySwapMax=t=500\nAllowedCPUs=ay=\n"
			    "IOWeight=t=" NO_LIMIT "\n");
}

/* A change takes the quota along, unless it has one. */
static void test_rewrites(void **state)
{
	struct oci_resources change, merged, all;

	assert_int_equal(oci_resources_parse(
				 *state, "{\"cpu\":{\"quota\":3,\"period\":7}}",
				 &merged),
			 0);
	assert_int_equal(oci_resources_parse(*state,
					     "{\"cpu\":{\"shares\":512}}",
					     &change),
			 0);
	all = systemd_rewrites(&change, &merged);
	assert_int_equal(all.cpu.shares.value, 512);
	assert_int_equal(all.cpu.quota.value, 3);
	assert_int_equal(all.cpu.period.value, 7);
	change.cpu.quota = (struct oci_i64){ true, 5 };
	all = systemd_rewrites(&change, &merged);
	assert_int_equal(all.cpu.quota.value, 5);
	assert_false(all.cpu.period.set);
}

#define ALWAYS                                                        \
	"char-* m\nblock-* m\n/dev/char/1:3 rwm\n/dev/char/1:5 rwm\n" \
	"/dev/char/1:7 rwm\n/dev/char/1:8 rwm\n/dev/char/1:9 rwm\n"   \
	"/dev/char/5:0 rwm\n/dev/char/5:1 rwm\n/dev/char/5:2 rwm\n"   \
	"char-136 rwm\n/dev/char/10:200 rwm\n"

static void test_devices(void **state)
{
	static const struct {
		const char *rules, *policy, *list;
	} cases[] = {
		{ "", "strict", ALWAYS },
		{ "{\"allow\":false,\"access\":\"rwm\"}", "strict", ALWAYS },
		{ "{\"allow\":false,\"access\":\"rwm\"},{\"allow\":true,"
		  "\"type\":\"b\",\"major\":8,\"minor\":1,\"access\":\"r\"}",
		  "strict", "/dev/block/8:1 r\n" ALWAYS },
		{ "{\"allow\":true,\"type\":\"a\",\"major\":9,"
		  "\"access\":\"rw\"}",
		  "strict", "block-9 rw\nchar-9 rw\n" ALWAYS },
		{ "{\"allow\":true,\"access\":\"rwm\"},{\"allow\":false,"
		  "\"type\":\"c\",\"major\":1,\"minor\":11,"
		  "\"access\":\"rwm\"}",
		  "auto", NULL },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct strings list = { 0 };
		struct oci_resources resources;

		assert_int_equal(
			oci_resources_parse(*state,
					    arena_printf(*state,
							 "{\"devices\":[%s]}",
							 cases[i].rules),
					    &resources),
			0);
		assert_int_equal(systemd_devices(*state, &resources, &list), 0);
		assert_int_equal(list.n, cases[i].list ? 3 : 2);
		assert_string_equal(list.items[0],
				    arena_printf(*state, "DevicePolicy=s=%s",
						 cases[i].policy));
		assert_string_equal(list.items[1], "DeviceAllow=a(ss)=");
		if (cases[i].list)
			assert_string_equal(list.items[2],
					    arena_printf(*state,
							 "DeviceAllow=a(ss)=%s",
							 cases[i].list));
	}
}

static void test_annotations(void **state)
{
	/* Without a property, the rest of the error. */
	static const struct {
		const char *name, *value, *property, *error;
	} cases[] = {
		{ "A", "5", "A=i=5", NULL },
		{ "A", "-5", "A=i=-5", NULL },
		{ "A", "uint64 5", "A=t=5", NULL },
		{ "A", "@t 5", "A=t=5", NULL },
		{ "A", "true", "A=b=true", NULL },
		{ "A", "'a b'", "A=s=a b", NULL },
		{ "A", "\"it's\"", "A=s=it's", NULL },
		{ "A", "'it\\'s'", "A=s=it's", NULL },
		{ "A", "['a', \"b\"]", "A=as=a\nb\n", NULL },
		{ "A", "@as []", "A=as=", NULL },
		{ "TimeoutStopSec", "uint64 5", "TimeoutStopUSec=t=5000000",
		  NULL },
		{ "TimeoutStopSec", "7", "TimeoutStopUSec=t=7000000", NULL },
		{ "TimeoutStopUSec", "uint64 5", "TimeoutStopUSec=t=5", NULL },
		{ "XSec", "'infinity'", "XSec=s=infinity", NULL },
		{ "TimeoutStopSec", "-1", NULL, "'-1'" },
		{ "A", "five", NULL, "'five' is not a value" },
		{ "A", "", NULL, "'' is not a value" },
		{ "A", "5 6", NULL, "'5 6' is not a value" },
		{ "A", "uint64 x", NULL, "'uint64 x' is not a value" },
		{ "A", "'a", NULL, "''a' is not a value" },
		{ "A", "'a' b", NULL, "is not a value" },
		{ "A", "['a'", NULL, "is not a value" },
		{ "A", "[1]", NULL, "is not a value" },
		{ "", "5", NULL,
		  "the key must end in the name of a systemd property" },
		{ "PIDs", "5", NULL,
		  "sandlock-oci sets this systemd property itself" },
		{ "Slice", "'a.slice'", NULL,
		  "sandlock-oci sets this systemd property itself" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct oci_annotation items[] = {
			{ "other", "x" },
			{ arena_printf(*state, "org.systemd.property.%s",
				       cases[i].name),
			  cases[i].value },
		};
		const struct oci_annotations annotations = { items, 2 };
		struct strings list = { 0 };
		int r = systemd_annotations(*state, &annotations, &list);

		if (cases[i].property) {
			assert_int_equal(r, 0);
			assert_int_equal(list.n, 1);
			assert_string_equal(list.items[0], cases[i].property);
		} else {
			assert_true(r < 0);
			assert_non_null(strstr(err_text(), items[1].key));
			assert_non_null(strstr(err_text(), cases[i].error));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_bad_units),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_rewrites),
		cmocka_unit_test(test_devices),
		cmocka_unit_test(test_annotations),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
