/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_spec_refused.c - what config.json must not say, and why. */
#include "tests/unit/spec_attempts.h"

static const struct attempt top_level_attempts[] = {
	{ "'root': {'path': 'r'}, " PROCESS, "ociVersion: required" },
	{ "'ociVersion': '1.0.0', " PROCESS, "root: required" },
	{ "'ociVersion': '1.0.0', 'root': {}, " PROCESS,
	  "root.path: required" },
	{ "'ociVersion': '1.0.0', 'root': {'path': ''}, " PROCESS,
	  "root.path: must not be empty" },
	{ "'ociVersion': '1.0.0', 'root': {'path': 'r'}", "process: required" },
	{ "'ociVersion': '1.0.0', 'root': {'path': 'r'}, 'process': "
	  "null",
	  "process: required" },
};

static void top_level(void **state)
{
	(void)state;
	EXPECT("{", "}", top_level_attempts);
}

static const struct attempt versions_attempts[] = {
	{ "1.0.0", NULL },
	{ "1.0.2-dev", NULL },
	{ "1.99.0+x.01", NULL },
	{ "1.1.0-rc.1-x.10+2", NULL },
	{ "0.9.0",
	  "ociVersion: version 0.9.0 is not supported (supported: 1.x)" },
	{ "2.0.0",
	  "ociVersion: version 2.0.0 is not supported (supported: 1.x)" },
	{ "10.0.0",
	  "ociVersion: version 10.0.0 is not supported (supported: 1.x)" },
	{ "", "ociVersion: '' is not a semantic version (such as 1.2.0)" },
	{ "1.0",
	  "ociVersion: '1.0' is not a semantic version (such as 1.2.0)" },
	{ "1.0.",
	  "ociVersion: '1.0.' is not a semantic version (such as 1.2.0)" },
	{ "1.0.0.",
	  "ociVersion: '1.0.0.' is not a semantic version (such as 1.2.0)" },
	{ "01.0.0",
	  "ociVersion: '01.0.0' is not a semantic version (such as 1.2.0)" },
	{ "1.0.0-",
	  "ociVersion: '1.0.0-' is not a semantic version (such as 1.2.0)" },
	{ "1.0.0-01",
	  "ociVersion: '1.0.0-01' is not a semantic version (such as 1.2.0)" },
	{ "1.0.0-a..b",
	  "ociVersion: '1.0.0-a..b' is not a semantic version (such as "
	  "1.2.0)" },
	{ "1.0.0+a+b",
	  "ociVersion: '1.0.0+a+b' is not a semantic version (such as 1.2.0)" },
	{ "v1.0.0",
	  "ociVersion: 'v1.0.0' is not a semantic version (such as 1.2.0)" },
};

static void versions(void **state)
{
	(void)state;
	EXPECT("{'ociVersion': '", "', 'root': {'path': 'r'}, " PROCESS "}",
	       versions_attempts);
}

static const struct attempt required_of_process_attempts[] = {
	{ "'cwd': '/'", "process.args: required" },
	{ "'cwd': '/', 'args': []",
	  "process.args: must have at least one entry" },
	{ "'cwd': '/', 'args': ['']",
	  "process.args[0]: must not be empty (it names the program)" },
	{ "'cwd': '/', 'args': ['a', null]",
	  "process.args[1]: must be a string, not null" },
	{ "'args': ['a']", "process.cwd: required" },
	{ "'args': ['a'], 'cwd': ''", "process.cwd: must not be empty" },
	{ "'args': ['a'], 'cwd': 'srv'",
	  "process.cwd: 'srv' is not an absolute path" },
};

static void required_of_process(void **state)
{
	(void)state;
	EXPECT(TOP "'process': {", "}}", required_of_process_attempts);
}

static const struct attempt process_attempts[] = {
	{ "'env': ['A=1', 'B']",
	  "process.env[1]: 'B' is not of the form KEY=VALUE" },
	{ "'env': ['=1']",
	  "process.env[0]: '=1' is not of the form KEY=VALUE" },
	{ "'env': ['']", "process.env[0]: '' is not of the form KEY=VALUE" },
	{ "'user': {'gid': 0}", "process.user.uid: required" },
	{ "'user': {'uid': 0}", "process.user.gid: required" },
	{ "'user': {'uid': -1, 'gid': 0}",
	  "process.user.uid: -1 is not an unsigned 32-bit integer" },
	{ "'user': {'uid': 4294967295, 'gid': 0}",
	  "process.user.uid: 4294967295 is not an id (0 to "
	  "4294967294)" },
	{ "'user': {'uid': 0, 'gid': 0, 'umask': 512}",
	  "process.user.umask: 512 exceeds 0777 (511)" },
	{ "'consoleSize': {'height': 65536, 'width': 1}",
	  "process.consoleSize: 65536x1 is larger than 65535" },
	{ "'consoleSize': {'height': 1}",
	  "process.consoleSize.width: required" },
	{ "'rlimits': [{'type': 'RLIMIT_X', 'soft': 1, 'hard': 1}]",
	  "process.rlimits[0].type: unknown value 'RLIMIT_X'"
	  " (known: RLIMIT_AS, RLIMIT_CORE, RLIMIT_CPU, RLIMIT_DATA,"
	  " RLIMIT_FSIZE, RLIMIT_LOCKS, RLIMIT_MEMLOCK, RLIMIT_MSGQUEUE,"
	  " RLIMIT_NICE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_RSS,"
	  " RLIMIT_RTPRIO, RLIMIT_RTTIME, RLIMIT_SIGPENDING,"
	  " RLIMIT_STACK)" },
	{ "'rlimits': [{'type': 'RLIMIT_AS', 'soft': 2, 'hard': 1}]",
	  "process.rlimits[0].soft: 2 exceeds the hard limit 1" },
	{ "'rlimits': [{'type': 'RLIMIT_AS', 'soft': 2}]",
	  "process.rlimits[0].hard: required" },
	{ "'rlimits': [{'type': 'RLIMIT_AS', 'soft': 1, 'hard': 1}, "
	  "{'type': 'RLIMIT_AS', 'soft': 1, 'hard': 1}]",
	  "process.rlimits[1].type: the limit of this resource is given "
	  "twice: remove one" },
	{ "'capabilities': {'bounding': ['CAP_LATER']}", NULL },
	{ "'oomScoreAdj': 1001",
	  "process.oomScoreAdj: 1001 is not in the range -1000 to 1000" },
	{ "'scheduler': {}", "process.scheduler.policy: required" },
	{ "'scheduler': {'policy': 'SCHED_X'}",
	  "process.scheduler.policy: unknown value 'SCHED_X'"
	  " (known: SCHED_OTHER, SCHED_FIFO, SCHED_RR, SCHED_BATCH,"
	  " SCHED_ISO, SCHED_IDLE, SCHED_DEADLINE)" },
	{ "'scheduler': {'policy': 'SCHED_OTHER', 'nice': 20}",
	  "process.scheduler.nice: 20 is not in the range -20 to 19" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE', 'nice': 20}",
	  "process.scheduler.nice: 20 is not in the range -20 to 19" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE'}",
	  "process.scheduler.runtime: 0 ns is below 1024, the minimum for "
	  "SCHED_DEADLINE" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE', 'runtime': 3000, "
	  "'deadline': 2000}",
	  "process.scheduler.runtime: 3000 exceeds the deadline 2000" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE', 'runtime': 2000, "
	  "'deadline': 4000, 'period': 3000}",
	  "process.scheduler.deadline: 4000 exceeds the period 3000" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE', 'runtime': 2000, "
	  "'deadline': 9223372036854775808}",
	  "process.scheduler.deadline: 9223372036854775808 is too large" },
	{ "'scheduler': {'policy': 'SCHED_DEADLINE', 'runtime': 2000, "
	  "'deadline': 4000, 'period': 9223372036854775808}",
	  "process.scheduler.period: 9223372036854775808 is too large" },
	{ "'scheduler': {'policy': 'SCHED_FIFO', 'priority': 100}",
	  "process.scheduler.priority: 100 is not in the range 1 to 99" },
	{ "'scheduler': {'policy': 'SCHED_OTHER', 'priority': 1}",
	  "process.scheduler.priority: allowed only for SCHED_FIFO and "
	  "SCHED_RR" },
	{ "'scheduler': {'policy': 'SCHED_FIFO'}",
	  "process.scheduler.priority: 0 is not in the range 1 to 99" },
	{ "'scheduler': {'policy': 'SCHED_RR', 'priority': 1, "
	  "'period': 1}",
	  "process.scheduler: runtime, deadline and period are allowed only "
	  "for SCHED_DEADLINE" },
	{ "'scheduler': {'policy': 'SCHED_RR', 'flags': ['X']}",
	  "process.scheduler.flags[0]: unknown value 'X'"
	  " (known: SCHED_FLAG_RESET_ON_FORK, SCHED_FLAG_RECLAIM,"
	  " SCHED_FLAG_DL_OVERRUN, SCHED_FLAG_KEEP_POLICY,"
	  " SCHED_FLAG_KEEP_PARAMS, SCHED_FLAG_UTIL_CLAMP_MIN,"
	  " SCHED_FLAG_UTIL_CLAMP_MAX)" },
	{ "'ioPriority': {'priority': 1}",
	  "process.ioPriority.class: required" },
	{ "'ioPriority': {'class': 'IOPRIO_CLASS_RT', 'priority': 8}",
	  "process.ioPriority.priority: 8 is not in the range 0 to 7" },
	{ "'execCPUAffinity': {'initial': '0-'}",
	  "process.execCPUAffinity.initial: '0-' is not a list such as 0-3,7" },
	{ "'execCPUAffinity': {'final': '8192'}",
	  "process.execCPUAffinity.final: '8192' exceeds the maximum of 8191" },
};

static void process(void **state)
{
	(void)state;
	EXPECT(TOP "'process': {'args': ['a'], 'cwd': '/', ", "}}",
	       process_attempts);
}

static const struct attempt mounts_hooks_and_names_attempts[] = {
	{ "'mounts': [{}]", "mounts[0].destination: required" },
	{ "'mounts': [{'destination': ''}]",
	  "mounts[0].destination: must not be empty" },
	{ "'mounts': [{'destination': '/'}, {'destination': '/a', "
	  "'options': ['ro', 'bind', 5]}]",
	  "mounts[1].options[2]: must be a string, not a number" },
	{ "'mounts': [{'destination': '/a', 'uidMappings': "
	  "[{'containerID': 0, 'hostID': 0, 'size': 1}]}]",
	  "mounts[0].uidMappings: requires gidMappings as well" },
	{ "'mounts': [{'destination': '/a', 'gidMappings': "
	  "[{'containerID': 0, 'hostID': 0, 'size': 1}]}]",
	  "mounts[0].gidMappings: requires uidMappings as well" },
	{ "'hooks': {'poststop': [{'path': '/a'}, {}]}",
	  "hooks.poststop[1].path: required" },
	{ "'hooks': {'prestart': [{'path': 'a'}]}",
	  "hooks.prestart[0].path: 'a' is not an absolute path" },
	{ "'hooks': {'prestart': [{'path': '/a', 'timeout': 0}]}",
	  "hooks.prestart[0].timeout: 0 is not a number of seconds "
	  "above 0" },
	{ "'hooks': {'prestart': [{'path': '/a', 'env': ['A']}]}",
	  "hooks.prestart[0].env[0]: 'A' is not of the form KEY=VALUE" },
	{ "'hostname': 'a'",
	  "hostname: requires a uts namespace in linux.namespaces" },
	{ "'domainname': 'a'",
	  "domainname: requires a uts namespace in linux.namespaces" },
	{ "'hostname': '0123456789012345678901234567890123456789"
	  "0123456789012345678901234'",
	  "hostname: '0123456789012345678901234567890123456789"
	  "0123456789012345678901234' is longer than 64 bytes" },
	{ "'annotations': {'a': 1}",
	  "annotations.a: must be a string, not a number" },
	{ "'annotations': {'a': null}", NULL },
};

static void mounts_hooks_and_names(void **state)
{
	(void)state;
	EXPECT(TOP PROCESS ", ", "}", mounts_hooks_and_names_attempts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(top_level),
		cmocka_unit_test(versions),
		cmocka_unit_test(required_of_process),
		cmocka_unit_test(process),
		cmocka_unit_test(mounts_hooks_and_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
