/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_plan.c - a plan is made without a descriptor, and arming it
 * fills slots and changes nothing else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/kernel.h"
#include "base/util.h"
#include "cgroups/cgroup.h"
#include "runtime/plan/join.h"
#include "runtime/plan/make.h"
#include "runtime/plan/protocol.h"

/* Last: it makes a macro of fail. */
#include <cmocka.h>

enum { V1, V2, MEMBERS };

struct fixture {
	struct arena arena;
	struct facts facts;
	struct oci_spec spec;
	struct join join;
	struct cgroup_member members[MEMBERS];
	struct cgroup cgroup;
	struct make_input in;
	struct plan plan;
};

static int set_up(void **state)
{
	static struct fixture fixture;
	struct fixture *f = &fixture;

	memset(f, 0, sizeof *f);
	*state = f;
	f->join = (struct join)JOIN_NONE;
	f->spec.linux_.namespaces[OCI_NS_MOUNT].listed = true;
	f->spec.linux_.namespaces[OCI_NS_CGROUP].listed = true;
	f->members[V1] = (struct cgroup_member){ .controllers = "pids",
						 .path = "/c/pids/x",
						 .join = -1,
						 .dir = -1 };
	f->members[V2] = (struct cgroup_member){ .controllers = "",
						 .path = "/c/x",
						 .v2 = true,
						 .join = -1,
						 .dir = -1 };
	f->cgroup = (struct cgroup){ .items = f->members, .n = MEMBERS };
	f->facts.cgroups.mode = CGROUP_HYBRID;
	err_clear();
	if (arena_open(&f->arena, 4 << 20) < 0)
		return -1;
	f->in = (struct make_input){
		.arena = &f->arena,
		.facts = &f->facts,
		.spec = &f->spec,
		.join = &f->join,
		.cgroup = &f->cgroup,
	};
	return plan_open(&f->arena, &f->plan);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	arena_close(&f->arena);
	return 0;
}

/* The only step of this kind, or NULL. */
static const struct step *find(const struct fixture *f, enum step_op op)
{
	const struct step *found = NULL;

	for (size_t i = 0; i < f->plan.nsteps; i++)
		if (f->plan.steps[i].op == op) {
			assert_null(found);
			found = &f->plan.steps[i];
		}
	return found;
}

static void only_v2(struct fixture *f)
{
	f->facts.cgroups.mode = CGROUP_V2;
	f->cgroup.items = &f->members[V2];
	f->cgroup.n = 1;
}

static void make(struct fixture *f)
{
	assert_int_equal(make_namespaces(&f->in, &f->plan), 0);
	for (size_t i = 0; i < f->plan.nslots; i++)
		assert_int_equal(f->plan.slots[i], -1);
}

static void v2_alone_is_entered_by_clone(void **state)
{
	struct fixture *f = *state;

	only_v2(f);
	make(f);
	assert_true(f->plan.into_cgroup);
	assert_true(f->plan.clone_flags & CLONE_NEWCGROUP);
	assert_null(find(f, STEP_JOIN_CGROUP));
	assert_null(find(f, STEP_UNSHARE));
}

static void beside_v2_others_are_joined(void **state)
{
	struct fixture *f = *state;
	const struct step *join;

	make(f);
	assert_true(f->plan.into_cgroup);
	assert_false(f->plan.clone_flags & CLONE_NEWCGROUP);
	join = find(f, STEP_JOIN_CGROUP);
	assert_non_null(join);
	assert_string_equal(join->text, "/c/pids/x");
	assert_false(join->skip_missing);
	assert_non_null(find(f, STEP_UNSHARE));
}

static void one_that_may_be_missing_is_skipped(void **state)
{
	struct fixture *f = *state;

	f->facts.rootless = true;
	make(f);
	assert_true(find(f, STEP_JOIN_CGROUP)->skip_missing);
}

static void systemd_places_it_at_a_stop(void **state)
{
	struct fixture *f = *state;

	only_v2(f);
	f->in.settings.unplaced = true;
	make(f);
	assert_int_equal(f->plan.steps[0].op, STEP_STOP);
	assert_int_equal(f->plan.steps[0].number, WORD_UNPLACED);
	assert_false(f->plan.into_cgroup);
	assert_null(find(f, STEP_JOIN_CGROUP));
	assert_int_equal(find(f, STEP_UNSHARE)->flags, CLONE_NEWCGROUP);
}

static void arm(struct fixture *f, const struct cgroup *made)
{
	plan_arm(&f->plan, &(struct plan_descriptors){
				   .join = &f->join,
				   .cgroup = made,
				   .gate = 20,
				   .root = 21,
				   .ruleset = 22,
			   });
}

static void arming_fills_the_slots_that_steps_name(void **state)
{
	struct fixture *f = *state;
	struct cgroup_member made[] = { f->members[V1], f->members[V2] };
	const struct cgroup cgroup = { .items = made, .n = COUNT(made) };
	const char *before, *after;

	made[V1].join = 10;
	made[V2].join = 11;
	made[V2].dir = 12;
	f->join.fds[OCI_NS_NETWORK] = 13;
	f->join.early[OCI_NS_NETWORK] = true;
	make(f);
	assert_int_equal(plan_print(&f->arena, &f->plan, &before), 0);
	arm(f, &cgroup);
	assert_int_equal(plan_print(&f->arena, &f->plan, &after), 0);
	assert_string_equal(before, after);
	assert_int_equal(f->plan.slots[find(f, STEP_JOIN_CGROUP)->in], 10);
	assert_int_equal(f->plan.slots[SLOT_CGROUP], 12);
	assert_int_equal(f->plan.slots[find(f, STEP_SETNS)->in], 13);
	assert_int_equal(f->plan.slots[SLOT_GATE], 20);
	assert_int_equal(f->plan.slots[SLOT_ROOT], 21);
	assert_int_equal(f->plan.slots[SLOT_RULESET], 22);
}

static void what_was_not_made_leaves_its_slot_empty(void **state)
{
	struct fixture *f = *state;
	struct cgroup_member made = f->members[V2];
	const struct cgroup cgroup = { .items = &made, .n = 1 };

	made.join = 11;
	made.dir = 12;
	f->facts.rootless = true;
	make(f);
	arm(f, &cgroup);
	assert_int_equal(f->plan.slots[find(f, STEP_JOIN_CGROUP)->in], -1);
	assert_int_equal(f->plan.slots[SLOT_CGROUP], 12);
}

static void arming_a_copy_leaves_the_plan_unarmed(void **state)
{
	struct fixture *f = *state;
	struct plan made;

	make(f);
	made = f->plan;
	assert_int_equal(plan_copy(&made, &f->plan), 0);
	arm(f, NULL);
	assert_int_equal(f->plan.slots[SLOT_GATE], 20);
	assert_int_equal(f->plan.nslots, made.nslots);
	for (size_t i = 0; i < made.nslots; i++)
		assert_int_equal(made.slots[i], -1);
}

static void a_printed_plan_has_the_numbers_of_its_steps(void **state)
{
	struct fixture *f = *state;
	const char *text;

	make(f);
	assert_int_equal(plan_print(&f->arena, &f->plan, &text), 0);
	assert_non_null(strstr(
		text,
		"      clone with new namespaces: mount; into the cgroup\n"));
	assert_non_null(strstr(text, "   0  set the dumpable attribute"));
	assert_non_null(
		strstr(text, "join cgroup /c/pids/x  [linux.cgroupsPath]"));
}

static void steps_and_words_have_names(void **state)
{
	(void)state;
	for (int op = 0; op < STEP_MAX; op++)
		assert_string_not_equal(step_name((enum step_op)op),
					"unknown step");
	for (uint32_t word = WORD_UNPLACED; word <= WORD_GO; word++)
		assert_string_not_equal(word_name(word), "?");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(v2_alone_is_entered_by_clone),
		TEST(beside_v2_others_are_joined),
		TEST(one_that_may_be_missing_is_skipped),
		TEST(systemd_places_it_at_a_stop),
		TEST(arming_fills_the_slots_that_steps_name),
		TEST(what_was_not_made_leaves_its_slot_empty),
		TEST(arming_a_copy_leaves_the_plan_unarmed),
		TEST(steps_and_words_have_names),
		TEST(a_printed_plan_has_the_numbers_of_its_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
