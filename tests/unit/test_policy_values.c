/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_policy_values.c - each type takes its values and no other. */
#include "base/util.h"
#include "tests/unit/policy_doors.h"
#include "tests/unit/policy_state.h"

struct value {
	const char *key;
	const char *given;
	const char *taken; /* as written back in TOML */
};

struct refusal {
	const char *key;
	const char *given;
	const char *why; /* after "section.key: " */
};

static void takes_values(DOOR((*door)), const struct policy_place *place,
			 const struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct policy policy = { 0 };
		const char *text;

		if (door(&arena, values[i].key, values[i].given, place,
			 &policy) < 0)
			fail_msg("%s = %s: %s", values[i].key, values[i].given,
				 err_text());
		assert_int_equal(policy_to_toml(&arena, &policy, &text), 0);
		assert_string_equal(text, profile_of(&arena, values[i].key,
						     values[i].taken));
	}
}

static void refuses(DOOR((*door)), const struct policy_place *place,
		    const struct refusal *refusals, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct policy policy = { 0 };
		const struct policy nothing = { 0 };
		const char *why = refusals[i].why;

		if (door(&arena, refusals[i].key, refusals[i].given, place,
			 &policy) >= 0)
			fail_msg("%s = %s is taken", refusals[i].key,
				 refusals[i].given);
		if (!strstr(err_text(), why) ||
		    !strstr(err_text(), refusals[i].key))
			fail_msg("%s = %s: '%s', not '%s'", refusals[i].key,
				 refusals[i].given, err_text(), why);
		assert_memory_equal(&policy, &nothing, sizeof policy);
	}
}

#define TAKES(door, place, values) \
	takes_values(door, place, values, COUNT(values))
#define REFUSES(door, place, values) refuses(door, place, values, COUNT(values))

static void single_values_in_profiles(void **state)
{
	static const struct value values[] = {
		{ "program.clean_env", "true", "true" },
		{ "program.clean_env", "false", "false" },
		{ "limits.memory", "\"512M\"", "536870912" },
		{ "limits.memory", "\"512m\"", "536870912" },
		{ "limits.memory", "\"1K\"", "1024" },
		{ "limits.memory", "\"1g\"", "1073741824" },
		{ "limits.memory", "\"2T\"", "2199023255552" },
		{ "limits.memory", "\"1\"", "1" },
		{ "limits.memory", "4096", "4096" },
		{ "limits.memory", "\"8388607T\"", "9223370937343148032" },
		{ "limits.memory", "9223372036854775807",
		  "9223372036854775807" },
		{ "limits.cpu", "1", "1" },
		{ "limits.cpu", "100", "100" },
		{ "limits.forks", "0", "0" },
		{ "program.uid", "4294967294", "4294967294" },
		{ "network.http_proxy_port", "65535", "65535" },
		{ "determinism.random_seed", "0", "0" },
		{ "determinism.random_seed", "9223372036854775807",
		  "9223372036854775807" },
		{ "determinism.random_seed", "\"18446744073709551615\"",
		  "\"18446744073709551615\"" },
		{ "filesystem.on_exit", "\"keep\"", "\"keep\"" },
		{ "filesystem.on_error", "\"commit\"", "\"commit\"" },
		{ "network.mode", "\"loopback\"", "\"loopback\"" },
		{ "program.exec", "\"make\"", "\"make\"" },
		{ "program.exec", "\"/usr//bin/make\"", "\"/usr/bin/make\"" },
	};
	static const struct refusal refusals[] = {
		{ "program.clean_env", "\"true\"",
		  "'true' is not true or false" },
		{ "program.clean_env", "1", "1 is not true or false" },
		{ "limits.memory", "0", "0 is not a size" },
		{ "limits.memory", "\"0\"", "'0' is not a size" },
		{ "limits.memory", "-1", "-1 is not a size" },
		{ "limits.memory", "\"1.5\"", "'1.5' is not a size" },
		{ "limits.memory", "1.5", "1.5 (a float) is not a size" },
		{ "limits.memory", "\"\"", "'' is not a size" },
		{ "limits.memory", "\"G\"", "'G' is not a size" },
		{ "limits.memory", "\"1GG\"", "'1GG' is not a size" },
		{ "limits.memory", "\"1 G\"", "'1 G' is not a size" },
		{ "limits.memory", "\"1P\"", "'1P' is not a size" },
		{ "limits.memory", "\"-1\"", "'-1' is not a size" },
		{ "limits.memory", "\"0x10\"", "'0x10' is not a size" },
		{ "limits.memory", "\"8388608T\"", "is not a size" },
		{ "limits.memory", "\"99999999999999999999\"",
		  "is not a size" },
		{ "limits.memory", "[1]",
		  "must be a size (such as 512M, 64MiB or 1.5G; not 0), not a "
		  "list" },
		{ "limits.memory", "true", "true is not a size" },
		{ "limits.cpu", "0", "0 is not a number from 1 to 102400" },
		{ "limits.cpu", "102401",
		  "102401 is not a number from 1 to 102400" },
		{ "limits.cpu", "\"50\"", "'50' is not a number" },
		{ "limits.cpu", "50.0", "50 (a float) is not a" },
		{ "limits.processes", "0", "0 is not a number from 1" },
		{ "limits.processes", "-1", "-1 is not a number" },
		{ "limits.tasks", "4294967296", "4294967296 is not a number" },
		{ "limits.tasks", "0", "0 is not a number from 1" },
		{ "limits.open_files", "0", "0 is not a number from 1" },
		{ "limits.num_cpus", "0", "0 is not a number from 1 to 8192" },
		{ "limits.num_cpus", "8193", "8193 is not a number" },
		{ "network.http_proxy_port", "0", "0 is not a number from 1" },
		{ "program.uid", "4294967295", "4294967295 is not a number" },
		{ "network.socks_proxy_port", "0", "0 is not a number from 1" },
		{ "network.socks_proxy_port", "65536", "65536 is not" },
		{ "determinism.random_seed", "-1",
		  "-1 is not an unsigned 64-bit number" },
		{ "determinism.random_seed", "\"18446744073709551616\"",
		  "is not an unsigned 64-bit number" },
		{ "determinism.random_seed", "\"0x1\"", "'0x1' is not" },
		{ "filesystem.on_exit", "\"Commit\"",
		  "'Commit' is not commit, abort or keep" },
		{ "network.mode", "\"none\"",
		  "'none' is not deny, loopback or open" },
		{ "network.mode", "true", "true is not deny" },
		{ "program.exec", "\"\"", "'' is not a program" },
		{ "program.exec", "\"a\\u0001\"", "control byte (0x01)" },
		{ "program.exec", "[\"a\"]", "must be a program, not a list" },
	};

	(void)state;
	TAKES(by_toml, &nowhere, values);
	REFUSES(by_toml, &nowhere, refusals);
}

static void single_values_in_annotations(void **state)
{
	static const struct value values[] = {
		{ "program.clean_env", "true", "true" },
		{ "limits.memory", "512M", "536870912" },
		{ "limits.cpu", "50", "50" },
		{ "determinism.random_seed", "18446744073709551615",
		  "\"18446744073709551615\"" },
		{ "network.mode", "open", "\"open\"" },
		{ "config.workdir", "/a b", "\"/a b\"" },
	};
	static const struct refusal refusals[] = {
		{ "program.clean_env", "True", "'True' is not true or false" },
		{ "program.clean_env", "1", "'1' is not true or false" },
		{ "program.clean_env", "yes", "'yes' is not true or false" },
		{ "program.clean_env", " true", "' true' is not true" },
		{ "program.clean_env", "", "is empty" },
		{ "limits.cpu", "+50", "'+50' is not a number" },
		{ "limits.cpu", "50%", "'50%' is not a number" },
		{ "limits.cpu", "fifty", "'fifty' is not a number" },
		{ "limits.memory", "512M\n", "control byte (0x0a)" },
		{ "limits.memory", "512\tM", "control byte (0x09)" },
		{ "network.mode", "open\x7f", "control byte (0x7f)" },
		{ "config.workdir", "dir", "'dir' is not an absolute path" },
		{ "config.workdir", "~/dir", "home directory is unknown" },
	};

	(void)state;
	TAKES(by_annotation, &nowhere, values);
	REFUSES(by_annotation, &nowhere, refusals);
}

static void times(void **state)
{
	static const struct value values[] = {
		{ "determinism.time_start", "0", "1970-01-01T00:00:00Z" },
		{ "determinism.time_start", "1767225600",
		  "2026-01-01T00:00:00Z" },
		{ "determinism.time_start", "1767225600.25",
		  "2026-01-01T00:00:00.250000000Z" },
		{ "determinism.time_start", "2026-01-01T00:00:00Z",
		  "2026-01-01T00:00:00Z" },
		{ "determinism.time_start", "2026-01-01T00:00:00",
		  "2026-01-01T00:00:00Z" },
		{ "determinism.time_start", "2026-01-01T02:00:00.5+01:30",
		  "2026-01-01T00:30:00.500000000Z" },
		{ "determinism.time_start", "2025-12-31T23:00:00-01:00",
		  "2026-01-01T00:00:00Z" },
		{ "determinism.time_start", "2024-02-29 12:34:56",
		  "2024-02-29T12:34:56Z" },
		{ "determinism.time_start", "2000-02-29t00:00:00z",
		  "2000-02-29T00:00:00Z" },
	};
	static const struct value texts[] = {
		{ "determinism.time_start", "1.123456789123",
		  "1970-01-01T00:00:01.123456789Z" },
		{ "determinism.time_start", "9223372035",
		  "2262-04-11T23:47:15Z" },
		{ "determinism.time_start", "2016-12-31T23:59:60Z",
		  "2017-01-01T00:00:00Z" },
	};
	static const struct refusal refusals[] = {
		{ "determinism.time_start", "-1", "is not a time" },
		{ "determinism.time_start", "1.", "'1.' is not a time" },
		{ "determinism.time_start", ".5", "'.5' is not a time" },
		{ "determinism.time_start", "1e3", "'1e3' is not a time" },
		{ "determinism.time_start", "9223372036", "is not a time" },
		{ "determinism.time_start", "99999999999999999999",
		  "is not a time" },
		{ "determinism.time_start", "now", "'now' is not a time" },
		{ "determinism.time_start", "2026-01-01", "is not a time" },
		{ "determinism.time_start", "2026-13-01T00:00:00Z",
		  "is not a time" },
		{ "determinism.time_start", "2025-02-29T00:00:00Z",
		  "is not a time" },
		{ "determinism.time_start", "1900-02-28T00:00:00Z",
		  "is not a time" },
		{ "determinism.time_start", "2026-01-01T24:00:00Z",
		  "is not a time" },
		{ "determinism.time_start", "2026-01-01T00:00:00.Z",
		  "is not a time" },
		{ "determinism.time_start", "2026-01-01T00:00:00+24:00",
		  "is not a time" },
		{ "determinism.time_start", "2026-01-01T00:00:00Zx",
		  "is not a time" },
	};
	static const struct refusal typed[] = {
		{ "determinism.time_start", "-1", "-1 is not a time" },
		{ "determinism.time_start", "-0.5", "-0.5 (a float) is not a" },
		{ "determinism.time_start", "nan", "is not a time" },
		{ "determinism.time_start", "inf", "is not a time" },
		{ "determinism.time_start", "1e10", "is not a time" },
		{ "determinism.time_start", "2026-01-01",
		  "must be a time (seconds since 1970, or "
		  "2026-01-31T12:00:00Z), not a date without a time" },
		{ "determinism.time_start", "12:00:00",
		  "must be a time (seconds since 1970, or "
		  "2026-01-31T12:00:00Z), not a time without a date" },
		{ "determinism.time_start", "1960-01-01T00:00:00Z",
		  "must be a time (seconds since 1970, or "
		  "2026-01-31T12:00:00Z), not a date before 1970" },
	};

	(void)state;
	TAKES(by_toml, &nowhere, values);
	TAKES(by_annotation, &nowhere, values);
	TAKES(by_annotation, &nowhere, texts);
	REFUSES(by_annotation, &nowhere, refusals);
	REFUSES(by_toml, &nowhere, typed);
}

static void paths(void **state)
{
	static const struct value values[] = {
		{ "config.workdir", "\"/\"", "\"/\"" },
		{ "config.workdir", "\"//a/./b//c/.\"", "\"/a/b/c\"" },
		{ "config.workdir", "\"/a/../b\"", "\"/a/../b\"" },
		{ "config.workdir", "\"/.a/..b\"", "\"/.a/..b\"" },
		{ "config.workdir", "\"x\"", "\"/srv/dir/x\"" },
		{ "config.workdir", "\".\"", "\"/srv/dir\"" },
		{ "config.workdir", "\"./x/\"", "\"/srv/dir/x\"" },
		{ "config.workdir", "\"../x\"", "\"/srv/dir/../x\"" },
		{ "config.workdir", "\"~/x\"", "\"/home/u/x\"" },
		{ "config.workdir", "\"~\"", "\"/home/u\"" },
		{ "config.workdir", "\"/a*b\\\\\"", "\"/a*b\\\\\"" },
		{ "filesystem.read", "[]", "[]" },
		{ "filesystem.read", "[\"/usr/\", \"-/opt//x\", \"-y\"]",
		  "[\"/usr\", \"-/opt/x\", \"-/srv/dir/y\"]" },
		{ "filesystem.read", "[\"@system\", \"@home\", \"@project\"]",
		  "[\"@system\", \"@home\", \"@project\"]" },
		{ "filesystem.read", "[\"~/*.txt\", \"**/[ab]?\"]",
		  "[\"/home/u/*.txt\", \"/srv/dir/**/[ab]?\"]" },
		{ "filesystem.read", "[\"*.py\", \"\\\\*\"]",
		  "[\"/srv/dir/*.py\", \"/srv/dir/\\\\*\"]" },
		{ "filesystem.deny", "[\"*.env\", \".env\", \"secrets/*\"]",
		  "[\"*.env\", \"/srv/dir/.env\", \"/srv/dir/secrets/*\"]" },
		{ "network.unix", "[\"/run/*.sock\", \"-~/a\"]",
		  "[\"/run/*.sock\", \"-/home/u/a\"]" },
		{ "program.excluded", "[\"docker\", \"./x\"]",
		  "[\"docker\", \"/srv/dir/x\"]" },
	};
	static const struct refusal refusals[] = {
		{ "config.workdir", "\"\"", "'' is not a path" },
		{ "config.workdir", "\"-/x\"", "'-/x': this path cannot be" },
		{ "config.workdir", "\"@home\"",
		  "presets are not allowed for" },
		{ "config.workdir", "\"~root/x\"", "only your own home" },
		{ "config.workdir", "\"$HOME/x\"",
		  "'$HOME/x' contains a variable" },
		{ "config.workdir", "\"/a/${X}\"", "contains a variable" },
		{ "config.workdir", "\"/a/$_\"", "contains a variable" },
		{ "config.workdir", "\"/a\\nb\"",
		  "'/a?b' contains a control byte" },
		{ "filesystem.read", "\"/usr\"", "'/usr' is not a list" },
		{ "filesystem.read", "[\"/usr\", \"\"]", "'' is not a path" },
		{ "filesystem.read", "[\"-\"]", "'-' is not a path" },
		{ "filesystem.read", "[\"--/x\"]", "'--/x' is not a path" },
		{ "filesystem.read", "[\"-@home\"]", "'-@home' is not a path" },
		{ "filesystem.read", "[\"@systen\"]",
		  "'@systen' is not a preset for paths (known: @project, " },
		{ "filesystem.read", "[\"@standard\"]", "not a preset" },
		{ "filesystem.read", "[\"@\"]", "'@' is not a preset" },
		{ "filesystem.read", "[\"@project/x\"]", "not a preset" },
		{ "filesystem.read", "[1]", "1 is not a path" },
		{ "filesystem.read", "[[\"/a\"]]",
		  "must be a path, not a list" },
		{ "filesystem.read", "[\"/a\\\\\"]",
		  "does not escape anything" },
		{ "filesystem.read", "[\"/a\\\\/b\"]",
		  "does not escape anything" },
		{ "filesystem.deny", "[\"*\\\\\"]",
		  "does not escape anything" },
		{ "filesystem.deny", "[\"*.$X\"]", "contains a variable" },
		{ "network.unix", "[\"@home\"]",
		  "presets are not allowed for" },
		{ "program.excluded", "[\"\"]", "'' is not a program" },
	};
	static const struct refusal in_bundles[] = {
		{ "filesystem.read", "usr", "'usr' is not an absolute path" },
		{ "filesystem.read", "*.py", "'*.py' is not an absolute path" },
		{ "filesystem.read", "/a;;/b",
		  "'/a;;/b' has an empty element" },
		{ "filesystem.read", "/a;", "has an empty element" },
		{ "filesystem.read", ";", "has an empty element" },
		{ "filesystem.read", "", "is empty" },
		{ "filesystem.read", "[\"\"]", "'' is not a path" },
		{ "filesystem.read", "[\"/a\\n\"]", "control byte (0x0a)" },
		{ "filesystem.read", "[1]", "1 is not a path" },
		{ "filesystem.read", "[null]", "must be a path, not null" },
		{ "filesystem.read", "[\"/a\"",
		  "'[\"/a\"' is not an absolute path" },
	};

	(void)state;
	TAKES(by_toml, &at_home, values);
	REFUSES(by_toml, &at_home, refusals);
	REFUSES(by_annotation, &nowhere, in_bundles);
}

/* Special characters of the directory itself are no pattern. */
static void a_directory_with_stars(void **state)
{
	const struct policy_place starry = { .cwd = "/a[b]*\\c",
					     .home = "/h?" };
	static const struct value values[] = {
		{ "filesystem.read", "[\"*.c\", \"~/x\"]",
		  "[\"/a\\\\[b]\\\\*\\\\\\\\c/*.c\", \"/h\\\\?/x\"]" },
		{ "config.workdir", "\"x\"", "\"/a[b]*\\\\c/x\"" },
	};

	(void)state;
	TAKES(by_toml, &starry, values);
}

/* Inside, ~ is the container's home; the host's paths have none. */
static void homes_of_bundles(void **state)
{
	const struct policy_place inside = { .home = "/root" };
	static const struct value values[] = {
		{ "filesystem.read", "~/x; /y ;-~/z",
		  "[\"/root/x\", \"/y\", \"-/root/z\"]" },
		{ "filesystem.deny", "*.key", "[\"*.key\"]" },
		{ "filesystem.read", "[\"/a;b\",\"/c \"]",
		  "[\"/a;b\", \"/c \"]" },
		{ "filesystem.read", "[]", "[]" },
		{ "filesystem.mount", "/a:/b:ro", "{ \"/a\" = \"/b:ro\" }" },
		{ "filesystem.mount", "{\"/a:c\": \"/b\"}",
		  "{ \"/a:c\" = \"/b\" }" },
	};
	static const struct refusal refusals[] = {
		{ "config.http_ca", "~/ca", "for a host path in a bundle" },
		{ "config.fs_storage", "~/s", "for a host path in a bundle" },
		{ "filesystem.mount", "/a:~/b", "for a host path in a bundle" },
		{ "filesystem.mount", "~/a:/b",
		  "the home directory is unknown" },
	};

	(void)state;
	TAKES(by_annotation, &inside, values);
	REFUSES(by_annotation, &inside, refusals);
}

static void lists(void **state)
{
	static const struct value values[] = {
		{ "network.bind", "[8080, \"443\", \"8000-8005\", \"*\", 0]",
		  "[\"8080\", \"443\", \"8000-8005\", \"*\", \"0\"]" },
		{ "network.bind", "[\"0080\", \"1-1\"]", "[\"80\", \"1-1\"]" },
		{ "http.ports", "[80, 65535]", "[80, 65535]" },
		{ "limits.gpu_devices", "[]", "[]" },
		{ "limits.cpu_cores", "[0, 8191]", "[0, 8191]" },
		{ "config.disable", "[\"net_tcp\", \"fs_refer\", \"net_tcp\"]",
		  "[\"fs_refer\", \"net_tcp\"]" },
		{ "config.disable", "[]", "[]" },
		{ "syscalls.extra_allow", "[\"sysv_ipc\", \"mount\"]",
		  "[\"sysv_ipc\", \"mount\"]" },
		{ "syscalls.extra_deny", "[\"openat\", \"mount\"]",
		  "[\"openat\", \"mount\"]" },
		{ "program.args", "[\"\", \"a\\nb\", \"-j4\"]",
		  "[\"\", \"a\\u000ab\", \"-j4\"]" },
		{ "program.allow_env", "true", "true" },
		{ "program.allow_env", "false", "[]" },
		{ "program.allow_env", "[\"PATH\", \"LC_*\", \"@standard\"]",
		  "[\"PATH\", \"LC_*\", \"@standard\"]" },
		{ "program.deny_env", "[\"true\"]", "[\"true\"]" },
	};
	static const struct refusal refusals[] = {
		{ "network.bind", "[65536]", "'65536' is not a port" },
		{ "network.bind", "[-1]", "'' is not a port" },
		{ "network.bind", "[\"0-5\"]", "'0' is not a port" },
		{ "network.bind", "[\"9-5\"]", "'9-5': the range ends before" },
		{ "network.bind", "[\"\"]", "'' is not a port" },
		{ "network.bind", "[1.5]", "1.5 (a float) is not a port" },
		{ "network.bind", "80", "80 is not a list" },
		{ "network.allow", "[\"h:0\"]", "'h:0': '0' is not a port" },
		{ "network.deny", "[\"ftp://h\"]", "unknown scheme 'ftp'" },
		{ "network.allow", "[\"\"]", "'' is not a rule" },
		{ "http.allow", "[\"GET h\"]", "'GET h': the path is missing" },
		{ "http.ports", "[]", "the list must not be empty" },
		{ "http.ports", "[0]", "0 is not a number from 1 to 65535" },
		{ "http.ports", "[\"80\"]", "'80' is not a number" },
		{ "limits.cpu_cores", "[]", "the list must not be empty" },
		{ "limits.cpu_cores", "[8192]", "8192 is not a number" },
		{ "limits.gpu_devices", "[-1]", "-1 is not a number" },
		{ "limits.gpu_devices", "[1024]", "1024 is not a number" },
		{ "limits.gpu_devices", "0", "0 is not a list" },
		{ "config.disable", "[\"net_udp\"]",
		  "'net_udp' is not a protection (known: fs_refer, " },
		{ "config.disable", "[\"\"]", "'' is not a protection" },
		{ "syscalls.extra_allow", "[\"openat\"]",
		  "'openat' is not a group of system calls, and single system "
		  "calls "
		  "cannot be allowed (known: sysv_ipc, mount, " },
		{ "syscalls.extra_allow", "[\"Bad name\"]",
		  "'Bad name' is not a group of system calls" },
		{ "syscalls.extra_deny", "[\"open at\"]",
		  "'open at' is not a system call" },
		{ "syscalls.extra_deny", "[\"\"]", "'' is not a system call" },
		{ "program.args", "[1]", "1 is not a string" },
		{ "program.allow_env", "\"PATH\"", "'PATH' is not a list" },
		{ "program.allow_env", "[\"\"]", "'' is not a variable" },
		{ "program.allow_env", "[\"*\"]", "'*' is not NAME" },
		{ "program.allow_env", "[\"A*B\"]", "'A*B' is not NAME" },
		{ "program.allow_env", "[\"A=B\"]", "'A=B' is not NAME" },
		{ "program.allow_env", "[\"@system\"]",
		  "'@system' is not a preset for variables (known: "
		  "@standard, @known-secrets)" },
	};

	(void)state;
	TAKES(by_toml, &nowhere, values);
	REFUSES(by_toml, &nowhere, refusals);
}

static void tables(void **state)
{
	static const struct value values[] = {
		{ "program.env", "{}", "{}" },
		{ "program.env", "{ CC = \"gcc\", E = \"\", N = \"a\\n\" }",
		  "{ \"CC\" = \"gcc\", \"E\" = \"\", \"N\" = \"a\\u000a\" }" },
		{ "filesystem.mount", "[\"/work:/host/work\"]",
		  "{ \"/work\" = \"/host/work\" }" },
		{ "filesystem.mount", "[\"/w/:h:ro\", \"/x:-~/x:rw\"]",
		  "{ \"/w\" = \"/srv/dir/h:ro\", \"/x\" = \"-/home/u/x\" }" },
		{ "filesystem.mount", "[\"/w:-/a:ro\", \"/x:-/b:ro:rw\"]",
		  "{ \"/w\" = \"-/a:ro\", \"/x\" = \"-/b:ro:rw\" }" },
		{ "filesystem.mount", "[\"/w:/a:b:ro\"]",
		  "{ \"/w\" = \"/a:b:ro\" }" },
		{ "filesystem.mount", "[\"/w:/a:ro/\"]",
		  "{ \"/w\" = \"/a:ro:rw\" }" },
		{ "filesystem.mount", "{ \"/a:b\" = \"/c:ro:rw\" }",
		  "{ \"/a:b\" = \"/c:ro:rw\" }" },
		{ "http.credentials", "{ \"GET h/*\" = \"X-Key: 1:2\" }",
		  "{ \"GET h/*\" = \"X-Key: 1:2\" }" },
	};
	static const struct refusal refusals[] = {
		{ "program.env", "[\"A=B\"]", "must be a table, not a list" },
		{ "program.env", "{ A = 1 }", "A: the value must be a string" },
		{ "program.env", "{ \"\" = \"x\" }", "'' is not" },
		{ "program.env", "{ \"A=B\" = \"x\" }",
		  "'A=B' is not the name of a variable" },
		{ "program.env", "{ \"A\\u0007\" = \"x\" }", "control byte" },
		{ "filesystem.mount", "[\"/work\"]",
		  "'/work' is not VIRTUAL:HOST[:ro]" },
		{ "filesystem.mount", "[\"/work:\"]", "is not VIRTUAL:HOST" },
		{ "filesystem.mount", "[\":/host\"]", "is not VIRTUAL:HOST" },
		{ "filesystem.mount", "[\"/a::ro\"]", "'' is not a path" },
		{ "filesystem.mount", "[\"a:/b\"]",
		  "'a' is not an absolute path" },
		{ "filesystem.mount", "[\"/a/../b:/c\"]",
		  "'/a/../b' is not a path without '..'" },
		{ "filesystem.mount", "[\"/a/..:/c\"]", "without '..'" },
		{ "filesystem.mount", "[\"/a:/b\", \"/a/:/c\"]",
		  "'/a' is given twice" },
		{ "filesystem.mount", "\"/a:/b\"", "is not a list or a table" },
		{ "http.credentials", "{ \"GET h\" = \"X: 1\" }",
		  "the path is missing" },
		{ "http.credentials", "{ \"GET h/\" = \"secret\" }",
		  "the value of 'GET h/' must be \"Header: value\"" },
		{ "http.credentials", "{ \"GET h/\" = \"X Y: 1\" }",
		  "must be \"Header: value\"" },
		{ "http.credentials", "{ \"GET h/\" = \"X: \" }",
		  "must be \"Header: value\"" },
	};

	(void)state;
	TAKES(by_toml, &at_home, values);
	REFUSES(by_toml, &at_home, refusals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_values_in_profiles),
		cmocka_unit_test(single_values_in_annotations),
		cmocka_unit_test(times),
		cmocka_unit_test(paths),
		cmocka_unit_test(a_directory_with_stars),
		cmocka_unit_test(homes_of_bundles),
		cmocka_unit_test(lists),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
