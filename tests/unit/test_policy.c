/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy.c - every key through every door; whole policies. */
#include "base/util.h"
#include "tests/unit/policy_equal.h"
#include "tests/unit/policy_samples.h"
#include "tests/unit/policy_state.h"

static void from_toml(const char *text, struct policy *ret)
{
	*ret = (struct policy){ 0 };
	takes(policy_from_toml(&arena, text, strlen(text), "x.toml", &at_home,
			       ret),
	      text);
}

static void only_this_is_set(const struct policy *policy, enum policy_key key)
{
	for (enum policy_key i = 0; i < KEY_COUNT; i++)
		if (policy->set[i] != (i == key))
			fail_msg("%s, not %s", policy_key_name(i),
				 policy_key_name(key));
}

static void every_key_through_every_door(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct sample *sample = &samples[key];
		const char *name = policy_key_name(key);
		struct policy toml = { 0 }, flags = { 0 }, notes = { 0 };

		if (!sample->toml)
			fail_msg("no sample of %s", name);
		takes(by_toml(&arena, name, sample->toml, &nowhere, &toml),
		      name);
		only_this_is_set(&toml, key);
		assert_string_equal(toml.origin[key], "x.toml");
		takes(by_flags(&arena, name, sample->flags, &nowhere, &flags),
		      name);
		only_this_is_set(&flags, key);
		assert_true(policy_equal(&toml, &flags));
		if (policy_key_info(key)->bundle == POLICY_BUNDLE_NEVER) {
			refused(by_annotation(&arena, name, sample->annotation,
					      &nowhere, &notes),
				"cannot be set for a bundle");
			refused(policy_check(&toml, /* bundle= */ true), name);
			continue;
		}
		takes(by_annotation(&arena, name, sample->annotation, &nowhere,
				    &notes),
		      name);
		only_this_is_set(&notes, key);
		if (!policy_equal(&toml, &notes))
			fail_msg("%s: %s is not %s", name, sample->toml,
				 sample->annotation);
	}
}

/* Keys and sections are in one table; each has its words. */
static void the_table_is_complete(void **state)
{
	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		const struct policy_key_info *info = policy_key_info(key);
		const char *section = policy_section_name(info->section);

		assert_true(starts_with(info->name, section));
		assert_int_equal(info->name[strlen(section)], '.');
		assert_non_null(info->about);
		assert_int_equal(policy_key_find(info->name), key);
		assert_int_equal(policy_key_find_in(info->section,
						    key_of(info->name)),
				 key);
		assert_non_null(policy_type_info(info->type)->read);
		for (enum policy_key i = 0; i < key; i++) {
			const struct policy_key_info *other =
				policy_key_info(i);

			assert_string_not_equal(info->name, other->name);
			assert_int_not_equal(info->offset, other->offset);
			assert_false(info->letter &&
				     info->letter == other->letter);
		}
	}
	assert_int_equal(policy_key_find("network.allow_bind"), KEY_NET_BIND);
	assert_int_equal(policy_key_find("network.bin"), -1);
	assert_int_equal(policy_key_find("bind"), -1);
	assert_int_equal(policy_section_find("net"), -1);
	assert_int_equal(policy_key_find_in(SECTION_HTTP, "bind"), -1);
}

/* A key in the wrong section of the table would hide another one. */
static void an_empty_list_is_not_absent(void **state)
{
	struct policy none = { 0 }, empty;

	(void)state;
	from_toml("[filesystem]\nexecute = []\n", &empty);
	assert_true(empty.set[KEY_EXECUTE]);
	assert_int_equal(empty.execute.n, 0);
	assert_false(policy_equal(&none, &empty));
	assert_true(policy_has_section(&empty, SECTION_FILESYSTEM));
	assert_false(policy_has_section(&empty, SECTION_NETWORK));
}

static void what_differs_is_not_equal(void **state)
{
	static const char *const pairs[][3] = {
		{ "program.clean_env", "true", "false" },
		{ "limits.cpu", "1", "2" },
		{ "limits.memory", "1", "2" },
		{ "determinism.time_start", "1", "1.5" },
		{ "program.exec", "\"a\"", "\"b\"" },
		{ "filesystem.read", "[\"/a\"]", "[\"/b\"]" },
		{ "filesystem.read", "[\"/a\"]", "[\"/a\", \"/b\"]" },
		{ "filesystem.read", "[\"/b\", \"/a\"]", "[\"/a\", \"/b\"]" },
		{ "program.allow_env", "true", "false" },
		{ "program.allow_env", "[\"A\"]", "[]" },
		{ "program.env", "{ A = \"1\" }", "{ A = \"2\" }" },
		{ "program.env", "{ A = \"1\" }", "{ B = \"1\" }" },
		{ "program.env", "{ A = \"1\" }", "{}" },
		{ "http.ports", "[1]", "[2]" },
		{ "http.ports", "[1]", "[1, 2]" },
		{ "config.disable", "[]", "[\"net_tcp\"]" },
		{ "network.mode", "\"open\"", "\"deny\"" },
		{ "filesystem.on_exit", "\"keep\"", "\"abort\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct policy a = { 0 }, b = { 0 };

		takes(by_toml(&arena, pairs[i][0], pairs[i][1], &nowhere, &a),
		      pairs[i][0]);
		takes(by_toml(&arena, pairs[i][0], pairs[i][2], &nowhere, &b),
		      pairs[i][0]);
		assert_true(policy_equal(&a, &a));
		assert_false(policy_equal(&a, &b));
		assert_false(policy_equal(&b, &a));
	}
}

static void wrong_profiles_are_refused(void **state)
{
	static const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "[filesistem]\nread = []\n",
		  "x.toml: line 1: unknown section \"filesistem\" "
		  "(known: config, determinism, program, filesystem, "
		  "network, http, syscalls, limits)" },
		{ "[filesystem]\n\nreed = []\n",
		  "x.toml: line 3: [filesystem]: unknown key \"reed\" = "
		  "[] (known: read, write, " },
		{ "[http]\ncredential = { \"* a/b\" = \"X: secret\" }\n",
		  "unknown key \"credential\", a table (known: allow, " },
		{ "filesystem = 1\n",
		  "x.toml: line 1: 'filesystem' is not a section" },
		{ "profile = \"x\"\n", "unknown section \"profile\"" },
		{ "[[filesystem]]\nread = []\n",
		  "'filesystem' is not a section" },
		{ "[filesystem]\nread = [\n", "x.toml: " },
		{ "[network]\nbind = [1]\nallow_bind = [1]\n",
		  "x.toml: line 3: network.bind is given twice" },
		{ "[limits]\nmemory = \"1\"\ncpu = 0\n",
		  "x.toml: line 3: limits.cpu: 0 is not a number" },
		{ "[program.env]\nA = 1\n",
		  "program.env: A: the value must be a string" },
		{ "[[filesystem.mount]]\na = 1\n",
		  "must be VIRTUAL:HOST[:ro], not a table" },
		{ "[filesystem.read]\na = 1\n",
		  "must be a list such as [\"a\", \"b\"], not a table" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy policy = { 0 };
		const struct policy nothing = { 0 };

		refused(policy_from_toml(&arena, cases[i].text,
					 strlen(cases[i].text), "x.toml",
					 &nowhere, &policy),
			cases[i].why);
		assert_memory_equal(&policy, &nothing, sizeof policy);
	}
}

/* The example of seed 001: the whole schema. */
static void a_whole_profile(void **state)
{
	static const char text[] =
		"[config]\n"
		"http_ca = \"/path/to/ca.pem\"\n"
		"http_key = \"/path/to/ca.key\"\n"
		"fs_storage = \"/var/lib/sandlock\"\n"
		"workdir = \"/opt/project\"\n"
		"[determinism]\n"
		"random_seed = 42\n"
		"time_start = \"2026-01-01T00:00:00Z\"\n"
		"deterministic_dirs = true\n"
		"no_randomize_memory = true\n"
		"[program]\n"
		"exec = \"/usr/bin/make\"\n"
		"args = [\"-j4\"]\n"
		"env = { CC = \"gcc\" }\n"
		"cwd = \"/work\"\n"
		"uid = 0\n"
		"gid = 0\n"
		"clean_env = true\n"
		"no_coredump = true\n"
		"no_huge_pages = true\n"
		"[filesystem]\n"
		"read = [\"/usr\", \"/lib\"]\n"
		"write = [\"/tmp\"]\n"
		"deny = [\"/proc/kcore\"]\n"
		"chroot = \"/opt/rootfs\"\n"
		"mount = [\"/work:/host/sandbox/work\"]\n"
		"on_exit = \"commit\" # \"commit\" | \"abort\" | \"keep\"\n"
		"on_error = \"abort\"\n"
		"[network]\n"
		"bind = [8080]\n"
		"allow = [\"api.example.com:443\", \"udp://1.1.1.1:53\"]\n"
		"port_remap = false\n"
		"[http]\n"
		"ports = [80]\n"
		"allow = [\"POST api.openai.com/v1/*\"]\n"
		"deny = [\"* */admin/*\"]\n"
		"[syscalls]\n"
		"extra_allow = [\"sysv_ipc\"]\n"
		"extra_deny = []\n"
		"[limits]\n"
		"memory = \"512M\"\n"
		"processes = 64\n"
		"open_files = 256\n"
		"cpu = 50\n"
		"disk = \"1G\"\n"
		"gpu_devices = [0]\n"
		"cpu_cores = [0, 1]\n"
		"num_cpus = 2\n";
	struct policy policy;

	(void)state;
	from_toml(text, &policy);
	takes(policy_check(&policy, /* bundle= */ false), "whole");
	assert_int_equal(policy.memory, 512 << 20);
	assert_int_equal(policy.time_start.seconds, 1767225600);
	assert_string_equal(policy.mount.items[0].inside, "/work");
	assert_string_equal(policy.mount.items[0].host, "/host/sandbox/work");
	assert_string_equal(policy.bind.items[0], "8080");
	assert_string_equal(policy.env.items[0].value, "gcc");
	assert_null(policy.read.items[2]);
	refused(policy_check(&policy, /* bundle= */ true), "program.exec");
}

static void later_layers_win_key_by_key(void **state)
{
	struct policy base, over, expected;

	(void)state;
	from_toml("[filesystem]\nread = [\"/a\", \"/b\"]\nwrite = [\"/w\"]\n"
		  "[limits]\ncpu = 1\n",
		  &base);
	from_toml("[filesystem]\nread = []\n[limits]\ntasks = 2\n", &over);
	from_toml("[filesystem]\nread = []\nwrite = [\"/w\"]\n"
		  "[limits]\ncpu = 1\ntasks = 2\n",
		  &expected);
	over.origin[KEY_READ] = "over";
	policy_layer(&base, &over);
	assert_true(policy_equal(&base, &expected));
	assert_string_equal(base.origin[KEY_READ], "over");
	assert_string_equal(base.origin[KEY_WRITE], "x.toml");
}

static void keys_demand_others(void **state)
{
	static const struct {
		const char *text;
		const char *why; /* NULL: nothing */
	} cases[] = {
		{ "[config]\nhttp_ca = \"/a\"\n",
		  "config.http_ca requires config.http_key" },
		{ "[config]\nhttp_key = \"/a\"\n",
		  "config.http_key requires config.http_ca" },
		{ "[config]\nhttp_ca = \"/a\"\nhttp_key = \"/b\"\n", NULL },
		{ "[config]\nfs_storage = \"/a\"\n",
		  "config.fs_storage requires config.workdir" },
		{ "[limits]\ndisk = 1\n",
		  "limits.disk requires config.workdir" },
		{ "[config]\nworkdir = \"/a\"\n[limits]\ndisk = 1\n", NULL },
		{ "[program]\nargs = [\"-j\"]\n",
		  "program.args requires program.exec" },
		{ "[program]\nexec = \"make\"\nargs = [\"-j\"]\n", NULL },
		{ "[program]\nuid = 0\n", "program.uid requires program.gid" },
		{ "[program]\ngid = 0\n", "program.gid requires program.uid" },
		{ "[program]\nuid = 0\ngid = 0\n", NULL },
		{ "[config]\nhttp_inject_ca = [\"/a\"]\n",
		  "config.http_inject_ca requires http.allow or http.deny" },
		{ "[config]\nhttp_ca_out = \"/a\"\n[http]\nallow = []\n",
		  "config.http_ca_out requires http.allow or http.deny" },
		{ "[config]\nhttp_ca_out = \"/a\"\n[http]\n"
		  "deny = [\"* */\"]\n",
		  NULL },
		{ "[config]\nallow_degraded = [\"net_tcp\", \"cgroups\"]\n"
		  "disable = [\"cgroups\"]\n",
		  "'cgroups' is in both" },
		{ "[config]\nallow_degraded = [\"net_tcp\"]\n"
		  "strict = [\"net_tcp\"]\n",
		  "config.strict and config.allow_degraded: 'net_tcp' is in "
		  "both" },
		{ "[config]\nstrict = [\"deny_replace\"]\n"
		  "disable = [\"deny_replace\"]\n",
		  "config.strict and config.disable: 'deny_replace' is in "
		  "both" },
		{ "[config]\nallow_degraded = [\"net_tcp\"]\n"
		  "strict = [\"deny_replace\"]\n",
		  NULL },
		{ "[config]\nallow_degraded = [\"net_tcp\"]\n"
		  "disable = [\"cgroups\"]\n",
		  NULL },
		{ "[network]\nmode = \"open\"\nallow = []\n",
		  "network.allow has no effect with network.mode 'open'" },
		{ "[network]\nmode = \"open\"\ndeny = [\"h\"]\n", NULL },
		{ "[network]\nmode = \"deny\"\nallow = [\"h\"]\n", NULL },
		{ "[limits]\ncpu_cores = [0]\nnum_cpus = 2\n",
		  "limits.num_cpus: 2 is more than the 1" },
		{ "[limits]\ncpu_cores = [0, 1]\nnum_cpus = 2\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct policy policy;

		from_toml(cases[i].text, &policy);
		if (cases[i].why)
			refused(policy_check(&policy, false), cases[i].why);
		else
			takes(policy_check(&policy, false), cases[i].text);
	}
}

static void what_is_not_enforced_is_refused(void **state)
{
	/* What the kernel cannot do alone, at least. */
	static const enum policy_key refusals[] = {
		KEY_HTTP_CA,
		KEY_HTTP_KEY,
		KEY_HTTP_INJECT_CA,
		KEY_HTTP_CA_OUT,
		KEY_RANDOM_SEED,
		KEY_TIME_START,
		KEY_DETERMINISTIC_DIRS,
		KEY_HTTP_ALLOW,
		KEY_HTTP_DENY,
		KEY_HTTP_PORTS,
		KEY_HTTP_CREDENTIALS,
		KEY_FORKS,
		KEY_DISK,
		KEY_NUM_CPUS,
	};
	size_t n = 0;

	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		struct policy policy = { 0 };

		policy.set[key] = true;
		if (policy_key_info(key)->enforced) {
			takes(policy_refuse_unenforced(&policy),
			      policy_key_name(key));
			continue;
		}
		n += n < COUNT(refusals) && refusals[n] == key;
		refused(policy_refuse_unenforced(&policy),
			arena_printf(&arena, "not enforced by this build: %s",
				     policy_key_name(key)));
	}
	assert_int_equal(n, COUNT(refusals));
}

static void says_which_key_needs_a_supervisor(void **state)
{
	static const struct {
		const char *write, *deny;
		uint32_t allow_degraded;
		enum policy_key key;
	} rows[] = {
		{ "/home", "/home/.ssh", 0, KEY_DENY },
		{ "/home/", "/home/.ssh", 0, KEY_DENY },
		{ "/", "/etc/shadow", 0, KEY_DENY },
		{ "-/home", "/home/a/b", 0, KEY_DENY },
		{ "/home/*", "/home/a/.ssh", 0, KEY_DENY },
		{ "~", "~/.ssh", 0, KEY_DENY },
		{ "/home", "/home", 0, KEY_DENY },
		{ "/home", "/homes/.ssh", 0, KEY_COUNT },
		{ "/home/a", "/home/.ssh", 0, KEY_COUNT },
		/* They are resolved only in the container. */
		{ "@project", "@git-hooks", 0, KEY_DENY },
		{ "/home", "*.key", 0, KEY_DENY },
		/* What is not denied stays as config.json has it. */
		{ NULL, "/home/.ssh", 0, KEY_DENY },
		{ NULL, "/proc/sys", 0, KEY_COUNT },
		{ "/home", "/home/.ssh", 1U << PROTECT_DENY_REPLACE,
		  KEY_COUNT },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *write[] = { "/other", rows[i].write };
		const char *deny[] = { "/sys/nothing", rows[i].deny };
		struct policy policy = {
			.write = { write, rows[i].write ? 2 : 0 },
			.deny = { deny, 2 },
			.allow_degraded = rows[i].allow_degraded,
			.set = { [KEY_SUPERVISOR] = true,
				 [KEY_WRITE] = rows[i].write },
		};

		assert_int_equal(policy_supervisor_key(&policy), rows[i].key);
		if (rows[i].key == KEY_COUNT)
			takes(policy_check(&policy, true), rows[i].deny);
		else
			refused(policy_check(&policy, true),
				"config.supervisor is false, but "
				"filesystem.deny requires a supervisor");
		policy.supervisor = true;
		takes(policy_check(&policy, true), rows[i].deny);
		policy.allow_degraded = 1U << PROTECT_DENY_REPLACE;
		assert_int_equal(policy_supervisor_key(&policy),
				 KEY_SUPERVISOR);
		policy.allow_degraded = 0;
		policy.strict = 1U << PROTECT_DENY_REPLACE;
		assert_int_equal(policy_supervisor_key(&policy),
				 KEY_SUPERVISOR);
	}
}

/* The table says so, and this says it once more. */
static void some_keys_are_never_for_bundles(void **state)
{
	static const enum policy_key never[] = {
		KEY_EXEC,
		KEY_ARGS,
		KEY_CWD,
		KEY_UID,
		KEY_GID,
		KEY_EXCLUDED,
		KEY_ALLOW_UNSANDBOXED,
		KEY_CHROOT,
		KEY_PUBLISH,
		KEY_PORT_REMAP,
		KEY_HTTP_PROXY_PORT,
		KEY_SOCKS_PROXY_PORT,
	};
	size_t n = 0;

	(void)state;
	for (enum policy_key key = 0; key < KEY_COUNT; key++) {
		bool expected = n < COUNT(never) && never[n] == key;

		n += expected;
		if ((policy_key_info(key)->bundle == POLICY_BUNDLE_NEVER) !=
		    expected)
			fail_msg("%s", policy_key_name(key));
	}
	assert_int_equal(n, COUNT(never));
}

static void infra_containers_keep_the_network(void **state)
{
	struct policy policy, expected;

	(void)state;
	from_toml("[filesystem]\nread = [\"/a\"]\n[limits]\nmemory = 1\n"
		  "[config]\nallow_degraded = [\"net_tcp\"]\n"
		  "[network]\nmode = \"loopback\"\nbind = [80]\n",
		  &policy);
	from_toml("[config]\nallow_degraded = [\"net_tcp\"]\n"
		  "[network]\nmode = \"loopback\"\nbind = [80]\n",
		  &expected);
	policy_for_infra(&policy);
	assert_true(policy_equal(&policy, &expected));
	assert_int_equal(policy.memory, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_through_every_door),
		cmocka_unit_test(the_table_is_complete),
		cmocka_unit_test(an_empty_list_is_not_absent),
		cmocka_unit_test(what_differs_is_not_equal),
		cmocka_unit_test(wrong_profiles_are_refused),
		cmocka_unit_test(a_whole_profile),
		cmocka_unit_test(later_layers_win_key_by_key),
		cmocka_unit_test(keys_demand_others),
		cmocka_unit_test(what_is_not_enforced_is_refused),
		cmocka_unit_test(says_which_key_needs_a_supervisor),
		cmocka_unit_test(some_keys_are_never_for_bundles),
		cmocka_unit_test(infra_containers_keep_the_network),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
