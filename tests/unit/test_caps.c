/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_caps.c - names of capabilities, and masks made of them. */
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/util.h"
#include "confine/caps.h"
#include "oci/oci.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

static void capabilities_both_ways(void **state)
{
	(void)state;
	assert_int_equal(caps_number("CAP_CHOWN"), CAP_CHOWN);
	assert_int_equal(caps_number("cap_net_admin"), CAP_NET_ADMIN);
	assert_int_equal(caps_number("Sys_Admin"), CAP_SYS_ADMIN);
	assert_int_equal(caps_number("MKNOD"), CAP_MKNOD);
	assert_int_equal(caps_number("SETFCAP"), CAP_SETFCAP);
	assert_int_equal(caps_number("SYSLOG"), CAP_SYSLOG);
	assert_int_equal(caps_number("CAP_CHECKPOINT_RESTORE"), 40);
	for (int n = 0; n <= CAP_LAST_CAP; n++) {
		assert_non_null(caps_name(n));
		assert_int_equal(caps_number(caps_name(n)), n);
		assert_memory_equal(caps_name(n), "CAP_", 4);
	}
	assert_int_equal(caps_number(""), -1);
	assert_int_equal(caps_number("CAP_"), -1);
	assert_int_equal(caps_number("CAP_CAP_KILL"), -1);
	assert_int_equal(caps_number("ALL"), -1);
	assert_int_equal(caps_number("5"), -1);
	assert_int_equal(caps_number("cap_5"), -1);
	assert_int_equal(caps_number("CAP_KILL=ep"), -1);
	assert_int_equal(caps_number("CAP_KILL,CAP_CHOWN"), -1);
	assert_int_equal(caps_number(" CAP_KILL"), -1);
	assert_null(caps_name(-1));
	assert_null(caps_name(64));
}

static void all_names_are_listed_by_number(void **state)
{
	struct strings known;

	assert_int_equal(caps_known(*state, &known), 0);
	assert_true(known.n >= 41);
	assert_string_equal(known.items[0], "CAP_CHOWN");
	assert_string_equal(known.items[40], "CAP_CHECKPOINT_RESTORE");
	assert_null(known.items[known.n]);
}

static const char *bounding[] = { "CAP_KILL", "CAP_CHOWN", NULL };
static const char *effective[] = { "cap_kill", "kill", NULL };
static const char *permitted[] = { "CAP_KILL", "CAP_NOT_YET", NULL };
static const char *inheritable[] = { "CAP_NOT_YET", NULL };
static const char *ambient[] = { "CAP_CHECKPOINT_RESTORE", NULL };
static const struct oci_capabilities names = {
	.bounding = { bounding, 2 },
	.effective = { effective, 2 },
	.inheritable = { inheritable, 1 },
	.permitted = { permitted, 2 },
	.ambient = { ambient, 1 },
};

static void names_become_masks(void **state)
{
	struct caps caps;

	assert_int_equal(caps_read(*state, &names, &caps), 0);
	assert_int_equal(caps.bounding, 1 << CAP_KILL | 1 << CAP_CHOWN);
	assert_int_equal(caps.effective, 1 << CAP_KILL);
	assert_int_equal(caps.inheritable, 0);
	assert_int_equal(caps.permitted, 1 << CAP_KILL);
	assert_true(caps.ambient == UINT64_C(1) << 40);
	assert_int_equal(caps.unknown.n, 1);
	assert_string_equal(caps.unknown.items[0], "CAP_NOT_YET");
	assert_int_equal(caps_read(*state, NULL, &caps), 0);
	assert_int_equal(caps.bounding | caps.effective | caps.permitted, 0);
	assert_int_equal(caps.unknown.n, 0);
}

static void a_drop_leaves_the_other_names(void **state)
{
	struct oci_process process = { .capabilities = &names };
	struct caps caps;

	assert_int_equal(caps_drop(*state, CAP_KILL, &process), 0);
	assert_int_equal(caps_read(*state, process.capabilities, &caps), 0);
	assert_int_equal(caps.bounding, 1 << CAP_CHOWN);
	assert_int_equal(caps.effective | caps.permitted, 0);
	assert_int_equal(caps.unknown.n, 1);
	assert_null(process.capabilities->effective.items[0]);
	assert_string_equal(bounding[0], "CAP_KILL");
	process.capabilities = NULL;
	assert_int_equal(caps_drop(*state, CAP_KILL, &process), 0);
	assert_null(process.capabilities);
}

static int setup(void **state)
{
	static struct arena arena;

	*state = &arena;
	return arena_open(&arena, 1 << 20);
}

static int teardown(void **state)
{
	arena_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(capabilities_both_ways),
		cmocka_unit_test(all_names_are_listed_by_number),
		cmocka_unit_test(names_become_masks),
		cmocka_unit_test(a_drop_leaves_the_other_names),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
