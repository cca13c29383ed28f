/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_tighten.c - a policy under a floor allows no more than it. */
#include "base/err.h"
#include "base/text.h"
#include "base/util.h"
#include "policy/tighten.h"
#include "tests/unit/policy_samples.h"
#include "tests/unit/policy_state.h"

static struct policy read_toml(const char *text, const char *name)
{
	struct policy policy = { 0 };

	assert_true(policy_from_toml(&arena, text, strlen(text), name, &at_home,
				     &policy) >= 0);
	return policy;
}

static int tighten(const char *base, const char *floor, bool bundle,
		   struct policy *ret)
{
	struct policy_floor *held = arena_alloc(&arena, sizeof *held);
	const struct policy policy = read_toml(base, "base.toml");

	assert_non_null(held);
	*held = (struct policy_floor){ .name = "floor.toml", .bundle = bundle };
	held->policy = read_toml(floor, "floor.toml");
	err_clear();
	return policy_tighten(&arena, &policy, held, ret);
}

static const char *shown(const struct policy *policy, enum policy_key key)
{
	struct text out = { .arena = &arena };
	const char *text;

	policy_show_key(&out, policy, key);
	assert_int_equal(text_close(&out, &text), 0);
	return text;
}

/* ---- every key ---- */

static void every_key_has_a_rule(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++)
		if (!policy_tightener(key))
			fail_msg("%s: add it to policy/tighten.c",
				 policy_key_name(key));
}

/* Values of a policy that has the floor's own value stay as they are. */
static void every_key_meets_itself(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *text = profile_of(&arena, policy_key_name(key),
					      samples[key].toml);
		struct policy whole = read_toml(text, "base.toml");
		struct policy ret;

		for (int bundle = 0; bundle < 2; bundle++) {
			if (tighten(text, text, bundle, &ret) < 0)
				fail_msg("%s: %s", policy_key_name(key),
					 err_text());
			if (!ret.set[key])
				fail_msg("%s: lost", policy_key_name(key));
			/* Presets of variables are spelled out. */
			if (key != KEY_ALLOW_ENV)
				assert_string_equal(shown(&ret, key),
						    shown(&whole, key));
			else
				assert_true(ret.allow_env.names.n > 3);
		}
	}
}

/* In a bundle, a policy without the key gets the floor's value. */
static void every_key_of_the_floor_holds(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *text = profile_of(&arena, policy_key_name(key),
					      samples[key].toml);
		struct policy whole = read_toml(text, "floor.toml");
		struct policy ret;

		if (tighten("", text, /* bundle= */ true, &ret) < 0)
			fail_msg("%s: %s", policy_key_name(key), err_text());
		if (!ret.set[key])
			fail_msg("%s: not taken", policy_key_name(key));
		assert_string_equal(shown(&ret, key), shown(&whole, key));
	}
}

/* What a floor with one other key of each section leaves to the policy. */
static void every_key_without_its_own_floor(void **state)
{
	static const char floor[] =
		"[filesystem]\nread = [\"/usr\"]\n[network]\nmode = \"deny\"\n"
		"[limits]\nopen_files = 7\n";
	const bool refused[KEY_COUNT] = {
		[KEY_WORKDIR] = true,
		[KEY_ALLOW_DEGRADED] = true,
		[KEY_DISABLE] = true,
		[KEY_EXCLUDED] = true,
		[KEY_WEAKER_NESTED] = true,
		[KEY_WRITE] = true,
		[KEY_WRITE_ONLY] = true,
		[KEY_CHROOT] = true,
		[KEY_MOUNT] = true,
		[KEY_TMPFS] = true,
		[KEY_NET_MODE] = true,
		[KEY_NET_ALLOW] = true,
		[KEY_NET_BIND] = true,
		[KEY_UNIX] = true,
		[KEY_HTTP_PROXY_PORT] = true,
		[KEY_SOCKS_PROXY_PORT] = true,
		[KEY_ALLOW_LOCAL_BINDING] = true,
		[KEY_HTTP_ALLOW] = true,
		[KEY_EXTRA_ALLOW] = true,
	};

	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *name = policy_key_name(key);
		const char *text = profile_of(&arena, name, samples[key].toml);
		struct policy ret;
		int r = tighten(text, floor, /* bundle= */ true, &ret);

		if ((r < 0) != refused[key])
			fail_msg("%s: %s", name, r < 0 ? err_text() : "taken");
		if (r < 0 && (!strstr(err_text(), name) ||
			      !strstr(err_text(), "base.toml") ||
			      !strstr(err_text(), "floor.toml")))
			fail_msg("%s: does not name both: %s", name,
				 err_text());
	}
}

/* ---- values ---- */

struct row {
	enum policy_key key;
	const char *base, *floor;
	const char *want; /* NULL: refused; "": not set */
	bool sandbox;	  /* not for a bundle */
};

static const struct row rows[] = {
	{ KEY_MEMORY, "\"1G\"", "\"2G\"", "1073741824", 0 },
	{ KEY_MEMORY, "\"2G\"", "\"1G\"", "1073741824", 0 },
	{ KEY_PROCESSES, "10", "20", "10", 0 },
	{ KEY_PROCESSES, "30", "20", "20", 0 },
	{ KEY_FORKS, "5", "0", "0", 0 },
	{ KEY_CPU_CORES, "[0, 1, 2]", "[1, 2, 3]", "[1, 2]", 0 },
	{ KEY_CPU_CORES, "[0]", "[1]", NULL, 0 },
	{ KEY_GPU_DEVICES, "[0, 1]", "[]", "[0, 1]", 0 },
	{ KEY_GPU_DEVICES, "[]", "[0]", "[0]", 0 },
	{ KEY_GPU_DEVICES, "[0, 1]", "[1]", "[1]", 0 },
	{ KEY_GPU_DEVICES, "[0]", "[1]", NULL, 0 },
	{ KEY_GPU_DEVICES, NULL, "[1]", "", true },
	{ KEY_NET_MODE, "\"open\"", "\"loopback\"", NULL, 0 },
	{ KEY_NET_MODE, "\"deny\"", "\"loopback\"", "\"deny\"", 0 },
	{ KEY_NET_MODE, NULL, "\"loopback\"", "\"loopback\"", 0 },
	{ KEY_NET_MODE, NULL, "\"loopback\"", "", true },
	{ KEY_NET_BIND, "[80, \"90-99\"]", "[\"85-95\"]", "[\"90-95\"]", 0 },
	{ KEY_NET_BIND, "[\"*\"]", "[80]", "[\"80\"]", 0 },
	{ KEY_NET_BIND, "[22]", "[80]", "[]", 0 },
	{ KEY_NET_ALLOW, "[\"a.example.com:443\", \"b.org:443\"]",
	  "[\"*.example.com:443\"]", "[\"a.example.com:443\"]", 0 },
	{ KEY_NET_ALLOW, "[\"*:443\"]", "[\"10.0.0.0/8:443\"]",
	  "[\"10.0.0.0/8:443\"]", 0 },
	{ KEY_NET_ALLOW, "[\"10.1.0.0/16\"]", "[\"10.0.0.0/8:443\"]", "[]", 0 },
	/* "*" does not include what a rule must name. */
	{ KEY_NET_ALLOW, "[\"169.254.169.254:80\", \"10.0.0.1:80\"]",
	  "[\"*:80\"]", "[\"10.0.0.1:80\"]", 0 },
	{ KEY_NET_ALLOW, "[\"0.0.0.0/0:80\", \"[fe80::1]:80\"]", "[\"*:80\"]",
	  "[]", 0 },
	{ KEY_NET_ALLOW, "[\"[fd00:ec2::254]:80\", \"[fd00::1]:80\"]",
	  "[\"*:80\"]", "[\"[fd00::1]:80\"]", 0 },
	{ KEY_NET_ALLOW, "[\"169.254.1.1:80\"]", "[\"169.254.0.0/16:80\"]",
	  "[\"169.254.1.1:80\"]", 0 },
	{ KEY_HTTP_ALLOW, "[\"POST h/x\", \"GET h/x\"]", "[\"GET */*\"]",
	  "[\"GET h/x\"]", 0 },
	{ KEY_NET_DENY_BIND, "[22]", "[23]", "[\"22\", \"23\"]", 0 },
	{ KEY_DENY, "[\"/a\"]", "[\"/b\", \"/a\"]", "[\"/a\", \"/b\"]", 0 },
	{ KEY_EXTRA_DENY, "[\"io\"]", "[\"openat\"]", "[\"io\", \"openat\"]",
	  0 },
	{ KEY_EXTRA_ALLOW, "[\"sysv_ipc\"]", "[\"ptrace\"]", NULL, 0 },
	{ KEY_EXTRA_ALLOW, "[]", "[\"ptrace\"]", "[]", 0 },
	{ KEY_ALLOW_DEGRADED, "[\"cgroups\"]", "[\"namespaces\"]", NULL, 0 },
	{ KEY_STRICT, "[\"cgroups\"]", "[\"namespaces\"]",
	  "[\"namespaces\", \"cgroups\"]", 0 },
	{ KEY_ALLOW_ENV, "[\"LC_ALL\", \"HOME\"]", "[\"LC_*\"]", "[\"LC_ALL\"]",
	  0 },
	{ KEY_ALLOW_ENV, "true", "[\"PATH\"]", "[\"PATH\"]", 0 },
	{ KEY_ALLOW_ENV, "[\"PATH\"]", "true", "[\"PATH\"]", 0 },
	{ KEY_ALLOW_ENV, "[\"PATH\", \"AWS_SECRET_ACCESS_KEY\"]",
	  "[\"@standard\"]", "[\"PATH\"]", 0 },
	{ KEY_ALLOW_ENV, NULL, "[\"PATH\"]", "", true },
	{ KEY_ALLOW_ENV, NULL, "[]", "[]", true },
	{ KEY_DENY_ENV, "[\"A\"]", "[\"B\"]", "[\"A\", \"B\"]", 0 },
	{ KEY_DENY_ENV, "[\"A\"]", "true", "true", 0 },
	{ KEY_ENV, "{ A = \"1\" }", "{ B = \"2\" }", "[\"B\", \"A\"]", 0 },
	{ KEY_ENV, "{ A = \"1\" }", "{ A = \"2\" }", NULL, 0 },
	{ KEY_CLEAN_ENV, "false", "true", NULL, 0 },
	{ KEY_CLEAN_ENV, "true", "false", "true", 0 },
	{ KEY_NO_COREDUMP, NULL, "true", "true", 0 },
	{ KEY_WEAKER_NESTED, "true", "false", NULL, 0 },
	{ KEY_WEAKER_NESTED, "false", "true", "false", 0 },
	{ KEY_ALLOW_UNSANDBOXED, "true", "false", NULL, true },
	{ KEY_EXCLUDED, "[\"docker\"]", "[\"git\"]", NULL, true },
	{ KEY_UID, "0", "1000", NULL, true },
	{ KEY_MOUNT, "[\"/a:/b\"]", "[\"/a:/b:ro\"]", NULL, 0 },
	{ KEY_MOUNT, "[\"/a:/b:ro\"]", "[\"/a:/b\"]", "{ \"/a\" = \"/b:ro\" }",
	  0 },
	/* Lists of files meet when they are resolved. */
	{ KEY_READ, "[\"/srv/x\"]", "[\"/srv\"]", "[\"/srv/x\"]", 0 },
	{ KEY_READ, NULL, "[\"/srv\"]", "[\"/srv\"]", 0 },
	{ KEY_READ, NULL, "[\"/srv\"]", "", true },
};

static void values(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		const char *name = policy_key_name(row->key);
		const char *base =
			row->base ? profile_of(&arena, name, row->base) : "";
		struct policy ret;
		int r = tighten(base, profile_of(&arena, name, row->floor),
				!row->sandbox, &ret);

		if (!row->want) {
			if (r >= 0)
				fail_msg("row %zu: %s is taken", i, name);
			continue;
		}
		if (r < 0)
			fail_msg("row %zu: %s", i, err_text());
		if (!*row->want)
			assert_false(ret.set[row->key]);
		else
			assert_string_equal(shown(&ret, row->key), row->want);
	}
}

static void a_denied_variable_is_not_set(void **state)
{
	struct policy ret;

	(void)state;
	assert_true(tighten("[program]\nenv = { LD_PRELOAD = \"/x\" }\n",
			    "[program]\ndeny_env = [\"LD_*\"]\n", true,
			    &ret) < 0);
	assert_non_null(strstr(err_text(), "LD_PRELOAD"));
}

static void ports_of_rules_are_those_of_the_floor(void **state)
{
	static const char base[] = "[http]\nports = [22]\n";
	struct policy ret;

	(void)state;
	assert_true(tighten(base, "[http]\nallow = [\"GET h/*\"]\n", true,
			    &ret) < 0);
	assert_non_null(strstr(err_text(), "http.ports"));
	assert_int_equal(tighten(base, "[limits]\ntasks = 9\n", true, &ret), 0);
}

/* network.deny alone means everything but these: more than a floor allows. */
static void a_denied_destination_does_not_open_the_network(void **state)
{
	static const char base[] = "[network]\ndeny = [\"*:25\"]\n";
	static const struct {
		const char *floor, *allow;
	} floors[] = {
		{ "[network]\nallow = [\"*:443\"]\n", "[\"*:443\"]" },
		{ "[network]\nmode = \"deny\"\n", "[]" },
		{ "[network]\nmode = \"loopback\"\n", "[]" },
		{ "[network]\nbind = [80]\n", "[]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(floors); i++)
		for (int bundle = 0; bundle < 2; bundle++) {
			struct policy ret;

			assert_int_equal(tighten(base, floors[i].floor, bundle,
						 &ret),
					 0);
			assert_false(policy_denies_alone(&ret));
			assert_string_equal(shown(&ret, KEY_NET_ALLOW),
					    floors[i].allow);
		}
}

static void a_private_directory_is_free_without_files(void **state)
{
	static const char base[] = "[filesystem]\ntmpfs = [\"/tmp\"]\n";
	struct policy ret;

	(void)state;
	assert_int_equal(tighten(base, "[limits]\ntasks = 9\n", false, &ret),
			 0);
	assert_true(ret.set[KEY_TMPFS]);
	assert_true(tighten(base, "[filesystem]\ndeny = [\"/x\"]\n", false,
			    &ret) < 0);
}

static void no_sandbox_is_needed_only_if_the_floor_says_so(void **state)
{
	struct policy ret;

	(void)state;
	assert_int_equal(tighten("", "[limits]\ntasks = 9\n", false, &ret), 0);
	assert_true(ret.set[KEY_ALLOW_UNSANDBOXED]);
	assert_false(ret.allow_unsandboxed);
	assert_int_equal(tighten("", "[program]\nallow_unsandboxed = true\n",
				 false, &ret),
			 0);
	assert_false(ret.set[KEY_ALLOW_UNSANDBOXED]);
}

/* ---- a policy that changes while the workload runs ---- */

/* Each key can be changed, or is refused by its name; its own value is taken. */
static void every_key_changes_live_or_is_refused(void **state)
{
	const struct policy nothing = { 0 };
	struct policy ret;

	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const char *name = policy_key_name(key);
		const char *text = profile_of(&arena, name, samples[key].toml);
		const struct policy change = read_toml(text, "new.toml");
		int r;

		if (!policy_is_enforced(&change, key))
			continue;
		err_clear();
		r = policy_change(&arena, &nothing, &change, false, &ret);
		if (policy_is_live(key) != (r >= 0))
			fail_msg("%s: %s", name, err_text());
		if (r < 0 && !starts_with(err_text(), name))
			fail_msg("%s: %s", name, err_text());
		if (r < 0)
			assert_non_null(strstr(err_text(),
					       "cannot change while the "
					       "sandbox runs"));
		/* Others may need a second key. */
		if (policy_check(&change, false) < 0)
			continue;
		r = policy_change(&arena, &change, &change, false, &ret);
		if (r < 0)
			fail_msg("%s: %s", name, err_text());
	}
}

static void a_change_stays_within_every_floor(void **state)
{
	const struct policy_floor outer = {
		.name = "outer",
		.policy = read_toml("[limits]\nmemory = 100\ncpu = 50\n",
				    "outer"),
	};
	struct policy_floor inner = {
		.name = "inner",
		.policy = read_toml("[limits]\nmemory = 200\n", "inner"),
	};
	struct policy old = read_toml("[limits]\nmemory = 50\n", "old");
	const struct policy change =
		read_toml("[limits]\nmemory = 300\ncpu = 90\ntasks = 9\n",
			  "new");
	struct policy ret;

	(void)state;
	inner.policy.floor = &outer;
	old.floor = &inner;
	assert_int_equal(policy_change(&arena, &old, &change, true, &ret), 0);
	assert_int_equal(ret.memory, 100);
	assert_int_equal(ret.cpu, 50);
	assert_int_equal(ret.tasks, 9);
	assert_ptr_equal(ret.floor, &inner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_has_a_rule),
		cmocka_unit_test(every_key_meets_itself),
		cmocka_unit_test(every_key_of_the_floor_holds),
		cmocka_unit_test(every_key_without_its_own_floor),
		cmocka_unit_test(values),
		cmocka_unit_test(a_denied_variable_is_not_set),
		cmocka_unit_test(every_key_changes_live_or_is_refused),
		cmocka_unit_test(a_change_stays_within_every_floor),
		cmocka_unit_test(ports_of_rules_are_those_of_the_floor),
		cmocka_unit_test(
			a_denied_destination_does_not_open_the_network),
		cmocka_unit_test(a_private_directory_is_free_without_files),
		cmocka_unit_test(
			no_sandbox_is_needed_only_if_the_floor_says_so),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
