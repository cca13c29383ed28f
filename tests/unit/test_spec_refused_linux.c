/* SPDX-License-Identifier: Apache-2.0 */
/* tests/unit/test_spec_refused_linux.c - what linux of config.json must not say, and why. */
#include "tests/unit/spec_attempts.h"

#define ALL_NS                                                            \
	"'namespaces': [{'type': 'user'}, {'type': 'network'}, {'type': " \
	"'mount'}, {'type': 'time'}, {'type': 'ipc'}, {'type': 'uts'}], "

static const struct attempt namespaces_attempts[] = {
	{ "'namespaces': [{'path': '/x'}]",
	  "linux.namespaces[0].type: required" },
	{ "'namespaces': [{'type': 'x'}]",
	  "linux.namespaces[0].type: unknown namespace 'x' "
	  "(known: user, cgroup, ipc, uts, network, pid, mount, time)" },
	{ "'namespaces': [{'type': 'pid'}, {'type': 'pid'}]",
	  "linux.namespaces[1].type: pid is given twice: remove one" },
	{ "'namespaces': [{'type': 'pid', 'path': 'x'}]",
	  "linux.namespaces[0].path: 'x' is not an absolute path" },
	{ "'namespaces': [{'type': 'pid', 'path': ''}]", NULL },
	{ "'namespaces': [{'type': 'user'}]", NULL },
	{ "'uidMappings': [{'containerID': 0, 'hostID': 0, 'size': "
	  "1}]",
	  "linux.uidMappings: requires a user namespace in "
	  "linux.namespaces" },
	{ "'timeOffsets': {'monotonic': {'secs': 1}}",
	  "linux.timeOffsets: requires a new time namespace in "
	  "linux.namespaces" },
	{ "'namespaces': [{'type': 'time', 'path': '/t'}], "
	  "'timeOffsets': {'monotonic': {'secs': 1}}",
	  "linux.timeOffsets: requires a new time namespace in "
	  "linux.namespaces" },
	{ "'netDevices': {'eth0': {}}",
	  "linux.netDevices: requires a network namespace in "
	  "linux.namespaces" },
	{ "'netDevices': {}", NULL },
	{ "'maskedPaths': ['/a']",
	  "linux.maskedPaths: requires a mount namespace in "
	  "linux.namespaces" },
	{ "'readonlyPaths': ['/a']",
	  "linux.readonlyPaths: requires a mount namespace in "
	  "linux.namespaces" },
	{ "'sysctl': {'net.core.somaxconn': '1'}",
	  "linux.sysctl.net.core.somaxconn: requires a namespace of type "
	  "network in "
	  "linux.namespaces" },
	{ "'sysctl': {'kernel.sem': '1'}",
	  "linux.sysctl.kernel.sem: requires a namespace of type ipc in "
	  "linux.namespaces" },
	{ "'sysctl': {'fs.mqueue.msg_max': '1'}",
	  "linux.sysctl.fs.mqueue.msg_max: requires a namespace of type ipc in "
	  "linux.namespaces" },
	{ "'sysctl': {'kernel.domainname': '1'}",
	  "linux.sysctl.kernel.domainname: requires a namespace of type uts in "
	  "linux.namespaces" },
	{ "'sysctl': {'user.max_mnt_namespaces': '1'}",
	  "linux.sysctl.user.max_mnt_namespaces: requires a namespace of type "
	  "user in "
	  "linux.namespaces" },
};

static void namespaces(void **state)
{
	(void)state;
	EXPECT(IN_LINUX, "}}", namespaces_attempts);
}

#define MAP(c, h, n) "{'containerID': " c ", 'hostID': " h ", 'size': " n "}"
#define NO_SYSCTL "not a sysctl name such as net.ipv4.ip_forward"

static const struct attempt linux_fields_attempts[] = {
	{ "'uidMappings': [" MAP("0", "0", "0") "]",
	  "linux.uidMappings[0].size: must be at least 1" },
	{ "'uidMappings': [" MAP("1", "0", "4294967295") "]",
	  "linux.uidMappings[0].size: 4294967295 exceeds the highest possible "
	  "id" },
	{ "'gidMappings': [" MAP("0", "0", "10") ", " MAP("9", "100", "1") "]",
	  "linux.gidMappings[1]: its ids overlap those of entry 0" },
	{ "'gidMappings': [" MAP("0", "100", "10") ", " MAP("10", "99",
							    "2") "]",
	  "linux.gidMappings[1]: its ids overlap those of entry 0" },
	{ "'gidMappings': [" MAP("0", "100", "10") ", " MAP("10", "110",
							    "2") "]",
	  NULL },
	{ "'timeOffsets': {'realtime': {}}",
	  "linux.timeOffsets.realtime: unknown clock (monotonic or boottime)" },
	{ "'timeOffsets': {'boottime': {'nanosecs': 1000000000}}",
	  "linux.timeOffsets.boottime.nanosecs: 1000000000 is not "
	  "below 1000000000" },
	{ "'devices': [{'path': '/d'}]", "linux.devices[0].type: required" },
	{ "'devices': [{'type': 'x', 'path': '/d'}]",
	  "linux.devices[0].type: unknown value 'x'"
	  " (known: c, b, u, p)" },
	{ "'devices': [{'type': 'c', 'path': 'd'}]",
	  "linux.devices[0].path: 'd' is not an absolute path" },
	{ "'devices': [{'type': 'u', 'path': '/d', 'minor': 1}]",
	  "linux.devices[0].major: required" },
	{ "'devices': [{'type': 'b', 'path': '/d', 'major': 1}]",
	  "linux.devices[0].minor: required" },
	{ "'devices': [{'type': 'b', 'path': '/d', 'major': 4096, "
	  "'minor': 1}]",
	  "linux.devices[0].major: 4096 is not in the range 0 to 4095" },
	{ "'netDevices': {'a/b': {}}",
	  "linux.netDevices.a/b: not a network device name (1 to 15 bytes "
	  "without / : or blanks)" },
	{ "'netDevices': {'eth0': {'name': 'sixteen-bytes-ab'}}",
	  "linux.netDevices.eth0.name: 'sixteen-bytes-ab' is not a network "
	  "device name (1 to 15 bytes without / : or blanks)" },
	{ "'netDevices': {'eth0': {'name': 'c%d'}}", NULL },
	{ "'cgroupsPath': 'a/../b'",
	  "linux.cgroupsPath: 'a/../b' must not contain '..'" },
	{ "'rootfsPropagation': 'x'",
	  "linux.rootfsPropagation: unknown value 'x'"
	  " (known: shared, slave, private, unbindable, rshared, rslave,"
	  " rprivate, runbindable)" },
	{ "'maskedPaths': ['']",
	  "linux.maskedPaths[0]: must not be empty (write a path)" },
	{ "'sysctl': {'kernel.hostname': 'a'}",
	  "linux.sysctl.kernel.hostname: use the field hostname instead" },
	{ "'sysctl': {'vm.swappiness': '1'}",
	  "linux.sysctl.vm.swappiness: would change the whole host (no "
	  "namespace has its own value)" },
	{ "'sysctl': {'net': '1'}",
	  "linux.sysctl.net: would change the whole host (no namespace has its "
	  "own value)" },
	{ "'sysctl': {'net/../vm/swappiness': '1'}",
	  "linux.sysctl.net/../vm/swappiness: " NO_SYSCTL },
	{ "'sysctl': {'net.//.vm.swappiness': '1'}",
	  "linux.sysctl.net.//.vm.swappiness: " NO_SYSCTL },
	{ "'sysctl': {'net..ipv4': '1'}",
	  "linux.sysctl.net..ipv4: " NO_SYSCTL },
	{ "'sysctl': {'/net/core': '1'}",
	  "linux.sysctl./net/core: " NO_SYSCTL },
	{ "'sysctl': {'net.core.x': '1\\n2'}",
	  "linux.sysctl.net.core.x: must not contain a newline" },
	{ "'sysctl': {'net.core.x': 1}",
	  "linux.sysctl.net.core.x: must be a string, not a number" },
	{ "'personality': {}", "linux.personality.domain: required" },
	{ "'personality': {'domain': 'SVR4'}",
	  "linux.personality.domain: unknown value 'SVR4'"
	  " (known: LINUX, LINUX32)" },
	{ "'memoryPolicy': {}",
	  "linux.memoryPolicy.mode: invalid memory policy mode: required" },
	{ "'memoryPolicy': {'mode': 'MPOL_BIND'}",
	  "linux.memoryPolicy.nodes: invalid memory policy: this mode "
	  "needs at least one node" },
	{ "'memoryPolicy': {'mode': 'MPOL_LOCAL', 'nodes': '0'}",
	  "linux.memoryPolicy.nodes: invalid memory policy: '0' must be "
	  "empty with this mode" },
	{ "'memoryPolicy': {'mode': 'MPOL_BIND', 'nodes': '1024'}",
	  "linux.memoryPolicy.nodes: invalid memory policy nodes: '1024' "
	  "exceeds the maximum of 1023" },
	{ "'memoryPolicy': {'mode': 'MPOL_PREFERRED', 'flags': "
	  "['MPOL_F_STATIC_NODES', 'MPOL_F_RELATIVE_NODES']}",
	  "linux.memoryPolicy.flags: invalid memory policy: static and "
	  "relative nodes exclude each other" },
	{ "'intelRdt': {'closID': 'a/b'}",
	  "linux.intelRdt.closID: 'a/b' is not the name of a resctrl group (no "
	  "slashes, not . or ..)" },
	{ "'intelRdt': {'closID': '..'}",
	  "linux.intelRdt.closID: '..' is not the name of a resctrl group (no "
	  "slashes, not . or ..)" },
	{ "'intelRdt': {'closID': '/'}", NULL },
	{ "'intelRdt': {'memBwSchema': 'L3:0=f'}",
	  "linux.intelRdt.memBwSchema: 'L3:0=f' does not begin with "
	  "MB:" },
	{ "'intelRdt': {'l3CacheSchema': 'a\\nb'}",
	  "linux.intelRdt.l3CacheSchema: must not contain a newline" },
	{ "'intelRdt': {'schemata': ['a', 'a\\nb']}",
	  "linux.intelRdt.schemata[1]: must not contain a newline" },
};

static void linux_fields(void **state)
{
	(void)state;
	EXPECT(IN_LINUX ALL_NS, "}}", linux_fields_attempts);
}

#define RES "linux.resources."

static const struct attempt resources_attempts[] = {
	{ "'devices': [{'allow': false}]", NULL },
	{ "'devices': [{'access': 'r'}]", RES "devices[0].allow: required" },
	{ "'devices': [{'allow': true, 'type': 'c'}]",
	  RES "devices[0].access: must not be empty" },
	{ "'devices': [{'allow': true, 'access': 'rx'}]",
	  RES "devices[0].access: 'rx' may contain only r, w and m" },
	{ "'devices': [{'allow': true, 'type': 'p'}]",
	  RES "devices[0].type: unknown value 'p'"
	      " (known: a, b, c)" },
	{ "'devices': [{'allow': true, 'major': -2}]",
	  RES "devices[0].major: -2 is below -1" },
	{ "'memory': {'limit': 1e309}",
	  RES "memory.limit: 1e309 is not a 64-bit integer" },
	{ "'memory': {'limit': -2}", RES "memory.limit: -2 is below -1" },
	{ "'memory': {'swappiness': 101}",
	  RES "memory.swappiness: 101 is not in the range 0 to 100" },
	{ "'cpu': {'shares': -1}",
	  RES "cpu.shares: -1 is not an unsigned 64-bit integer" },
	{ "'cpu': {'idle': 2}", RES "cpu.idle: 2 is neither 0 nor 1" },
	{ "'cpu': {'cpus': 'a'}",
	  RES "cpu.cpus: 'a' is not a list such as 0-3,7" },
	{ "'cpu': {'cpus': '', 'mems': ''}", NULL },
	{ "'pids': {'limit': -7}", NULL },
	{ "'blockIO': {'weight': 9}",
	  RES "blockIO.weight: 9 is not in the range 10 to 1000" },
	{ "'blockIO': {'weight': 0, 'leafWeight': null}", NULL },
	{ "'blockIO': {'weightDevice': [{'major': 8}]}",
	  RES "blockIO.weightDevice[0].minor: required" },
	{ "'blockIO': {'throttleReadBpsDevice': [{'major': 8, "
	  "'minor': 0}]}",
	  RES "blockIO.throttleReadBpsDevice[0].rate: required" },
	{ "'hugepageLimits': [{'pageSize': '2MB'}]",
	  RES "hugepageLimits[0].limit: required" },
	{ "'hugepageLimits': [{'pageSize': '2MB/..', 'limit': 1}]",
	  RES "hugepageLimits[0].pageSize: '2MB/..' is not a size "
	      "such as 2MB" },
	{ "'hugepageLimits': [{'pageSize': '2', 'limit': 1}]",
	  RES "hugepageLimits[0].pageSize: '2' is not a size such as "
	      "2MB" },
	{ "'network': {'classID': 4294967296}",
	  RES "network.classID: 4294967296 is not an unsigned 32-bit "
	      "integer" },
	{ "'network': {'priorities': [{'name': 'a b', 'priority': "
	  "1}]}",
	  RES "network.priorities[0].name: 'a b' is not a network device name "
	      "(1 to 15 bytes without / : or blanks)" },
	{ "'rdma': {'mlx': {}}",
	  RES "rdma.mlx: requires hcaHandles or hcaObjects" },
	{ "'rdma': {'a b': {'hcaHandles': 1}}",
	  RES "rdma.a b: not a device name (blanks are not allowed)" },
	{ "'unified': {'../x': '1'}", RES
	  "unified.../x: not the name of a cgroup file such as memory.high" },
};

static void resources(void **state)
{
	(void)state;
	EXPECT(IN_LINUX "'resources': {", "}}}", resources_attempts);
}

#define SEC "linux.seccomp."
#define ALLOW "'defaultAction': 'SCMP_ACT_ALLOW', "

static const struct attempt seccomp_attempts[] = {
	{ "'architectures': ['SCMP_ARCH_X86']", NULL },
	{ "'syscalls': [{'names': ['a'], 'action': "
	  "'SCMP_ACT_ALLOW'}]",
	  SEC "defaultAction: required" },
	{ "'defaultAction': 'SCMP_ACT_X'",
	  SEC "defaultAction: unknown value 'SCMP_ACT_X'"
	      " (known: SCMP_ACT_KILL, SCMP_ACT_KILL_PROCESS,"
	      " SCMP_ACT_KILL_THREAD, SCMP_ACT_TRAP, SCMP_ACT_ERRNO,"
	      " SCMP_ACT_TRACE, SCMP_ACT_ALLOW, SCMP_ACT_LOG,"
	      " SCMP_ACT_NOTIFY)" },
	{ "'defaultAction': 'SCMP_ACT_NOTIFY', 'listenerPath': '/a'",
	  SEC "defaultAction: SCMP_ACT_NOTIFY cannot be the default" },
	{ ALLOW "'defaultErrnoRet': 1",
	  SEC "defaultErrnoRet: allowed only for SCMP_ACT_ERRNO and "
	      "SCMP_ACT_TRACE" },
	{ "'defaultAction': 'SCMP_ACT_ERRNO', 'defaultErrnoRet': 4096",
	  SEC "defaultErrnoRet: 4096 is not in the range 0 to 4095" },
	{ ALLOW "'architectures': ['x']",
	  SEC "architectures[0]: unknown value 'x'"
	      " (known: SCMP_ARCH_X86, SCMP_ARCH_X86_64, SCMP_ARCH_X32,"
	      " SCMP_ARCH_ARM, SCMP_ARCH_AARCH64, SCMP_ARCH_LOONGARCH64,"
	      " SCMP_ARCH_M68K, SCMP_ARCH_MIPS, SCMP_ARCH_MIPS64,"
	      " SCMP_ARCH_MIPS64N32, SCMP_ARCH_MIPSEL, SCMP_ARCH_MIPSEL64,"
	      " SCMP_ARCH_MIPSEL64N32, SCMP_ARCH_PARISC, SCMP_ARCH_PARISC64,"
	      " SCMP_ARCH_PPC, SCMP_ARCH_PPC64, SCMP_ARCH_PPC64LE,"
	      " SCMP_ARCH_RISCV64, SCMP_ARCH_S390, SCMP_ARCH_S390X,"
	      " SCMP_ARCH_SH, SCMP_ARCH_SHEB)" },
	{ ALLOW "'flags': ['x']",
	  SEC "flags[0]: unknown value 'x'"
	      " (known: SECCOMP_FILTER_FLAG_TSYNC, SECCOMP_FILTER_FLAG_LOG,"
	      " SECCOMP_FILTER_FLAG_SPEC_ALLOW,"
	      " SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)" },
	{ ALLOW "'flags': []", NULL },
	{ ALLOW "'listenerMetadata': 'x'",
	  SEC "listenerMetadata: requires listenerPath" },
	{ ALLOW "'syscalls': [{'action': 'SCMP_ACT_LOG'}]",
	  SEC "syscalls[0].names: required" },
	{ ALLOW "'syscalls': [{'names': [], 'action': "
		"'SCMP_ACT_LOG'}]",
	  SEC "syscalls[0].names: must have at least one entry" },
	{ ALLOW "'syscalls': [{'names': ['a']}]",
	  SEC "syscalls[0].action: required" },
	{ ALLOW "'syscalls': [{'names': ['a'], 'action': ''}]",
	  SEC "syscalls[0].action: must not be empty" },
	{ ALLOW "'syscalls': [{'names': ['a'], 'action': "
		"'SCMP_ACT_KILL', 'errnoRet': 1}]",
	  SEC "syscalls[0].errnoRet: allowed only for SCMP_ACT_ERRNO and "
	      "SCMP_ACT_TRACE" },
	{ ALLOW "'syscalls': [{'names': ['a'], 'action': "
		"'SCMP_ACT_NOTIFY'}]",
	  SEC "syscalls[0].action: SCMP_ACT_NOTIFY requires listenerPath" },
	{ ALLOW "'listenerPath': '/a', 'syscalls': [{'names': ['a', "
		"'write'], 'action': 'SCMP_ACT_NOTIFY'}]",
	  SEC "syscalls[0].action: SCMP_ACT_NOTIFY cannot be used for "
	      "the write syscall" },
	{ ALLOW "'syscalls': [{'names': ['a'], 'action': "
		"'SCMP_ACT_LOG', 'args': [{'index': 6, 'value': 1, 'op': "
		"'SCMP_CMP_EQ'}]}]",
	  SEC "syscalls[0].args[0].index: 6 is not in the range 0 to 5" },
	{ ALLOW "'syscalls': [{'names': ['a'], 'action': "
		"'SCMP_ACT_LOG', 'args': [{'index': 0, 'value': 1, 'op': "
		"'EQ'}]}]",
	  SEC "syscalls[0].args[0].op: unknown value 'EQ'"
	      " (known: SCMP_CMP_NE, SCMP_CMP_LT, SCMP_CMP_LE, SCMP_CMP_EQ,"
	      " SCMP_CMP_GE, SCMP_CMP_GT, SCMP_CMP_MASKED_EQ)" },
};

static void seccomp(void **state)
{
	(void)state;
	EXPECT(IN_LINUX "'seccomp': {", "}}}", seccomp_attempts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(namespaces),
		cmocka_unit_test(linux_fields),
		cmocka_unit_test(resources),
		cmocka_unit_test(seccomp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
