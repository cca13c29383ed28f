#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/seccomp.bats - linux.seccomp, as the program meets it. Profiles with a
# listener are in seccomp-notify.bats.

# shellcheck disable=SC2016,SC2030 # the dollars are the shell's inside and jq's
load helpers
load seccomp

# 128 + SIGSYS
KILLED=159

setup_file() {
	build_calls
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	new_calls_bundle
}

killed_by() {
	calls "$@"
	if [ "$status" -ne "$KILLED" ]; then
		echo "status $status: $output"
		return 1
	fi
}

# ---- actions ----

@test "SCMP_ACT_ERRNO returns errnoRet, or EPERM" {
	seccomp_profile ALLOW "$(rule getppid ERRNO)"
	assert_calls "getppid EPERM
getpid ok" getppid getpid
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"errnoRet": 88}')"
	assert_calls "getppid ENOTSOCK" getppid
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"errnoRet": 0}')"
	assert_calls "getppid ok" getppid
}

@test "a default action of ERRNO returns defaultErrnoRet, or EPERM" {
	local but

	but=$(jq -cn --argjson names "$(all_calls_but getppid)" \
		'[{names: $names, action: "SCMP_ACT_ALLOW"}]')
	seccomp_profile ERRNO "$but"
	assert_calls "getppid EPERM" getppid
	seccomp_profile ERRNO "$but" '{"defaultErrnoRet": 88}'
	assert_calls "getppid ENOTSOCK" getppid
}

@test "SCMP_ACT_KILL ends one thread, KILL_PROCESS all threads" {
	local action

	for action in KILL KILL_THREAD; do
		seccomp_profile ALLOW "$(rule getppid "$action")"
		assert_calls "getppid ECANCELED
getpid ok" thread:getppid getpid
		killed_by getppid
	done
	seccomp_profile ALLOW "$(rule getppid KILL_PROCESS)"
	killed_by thread:getppid getpid
	[ -z "$output" ]
}

@test "SCMP_ACT_TRAP sends a signal that can be caught" {
	seccomp_profile ALLOW "$(rule getppid TRAP)"
	calls signal getppid
	[ "$status" -eq 0 ]
	[[ $output = "signal from getppid"* ]]
	killed_by getppid
}

@test "SCMP_ACT_LOG and ALLOW allow a call, TRACE without a tracer is ENOSYS" {
	seccomp_profile ALLOW "$(rule getppid LOG)"
	assert_calls "getppid ok" getppid
	seccomp_profile LOG "$(rule getppid ALLOW)"
	assert_calls "getppid ok
getpid ok" getppid getpid
	seccomp_profile ALLOW "$(rule getppid TRACE '{"errnoRet": 7}')"
	assert_calls "getppid ENOSYS" getppid
}

@test "create names an invalid seccomp action or errnoRet" {
	seccomp_profile ALLOW "$(rule getppid NOTHING)"
	run_bad "linux.seccomp.syscalls[0].action: " create web
	seccomp_profile ALLOW "$(rule getppid KILL '{"errnoRet": 1}')"
	run_bad "linux.seccomp.syscalls[0].errnoRet: " create web
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"errnoRet": 5000}')"
	run_bad "linux.seccomp.syscalls[0].errnoRet: " create web
	seccomp_profile ALLOW '[]' '{"defaultErrnoRet": 1}'
	run_bad "linux.seccomp.defaultErrnoRet: " create web
	config '.linux.seccomp = {syscalls: [{names: ["read"],
		action: "SCMP_ACT_ALLOW"}]}'
	run_bad "linux.seccomp.defaultAction: required" create web
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"names": []}')"
	run_bad "linux.seccomp.syscalls[0].names: " create web
	assert_gone web
}

# ---- arguments ----

# compare OP VALUE [TWO]: kill's second argument, the signal; kill(2) of no
# process gets ESRCH, or E2BIG when the rule holds.
compare() {
	seccomp_profile ALLOW "$(rule kill ERRNO "{\"errnoRet\": 7, \"args\":
		[{\"index\": 1, \"op\": \"SCMP_CMP_$1\", \"value\": $2,
		  \"valueTwo\": ${3:-0}}]}")"
}

# signals TEXT: what kill gets with 1, 5, 6 and 7.
signals() {
	local pid=0x3fffff00 got

	calls kill,$pid,1 kill,$pid,5 kill,$pid,6 kill,$pid,7
	# shellcheck disable=SC2031 # set by run, just above
	got=${lines[*]#kill }
	[ "$got" = "$1" ] || {
		echo "got $got"
		return 1
	}
}

@test "every seccomp operator compares as it is defined" {
	compare EQ 5
	signals "ESRCH E2BIG ESRCH ESRCH"
	compare NE 5
	signals "E2BIG ESRCH E2BIG E2BIG"
	compare LT 5
	signals "E2BIG ESRCH ESRCH ESRCH"
	compare LE 5
	signals "E2BIG E2BIG ESRCH ESRCH"
	compare GT 5
	signals "ESRCH ESRCH E2BIG E2BIG"
	compare GE 5
	signals "ESRCH E2BIG E2BIG E2BIG"
	# The mask is value, what remains must be valueTwo.
	compare MASKED_EQ 6 4
	signals "ESRCH E2BIG ESRCH ESRCH"
}

@test "seccomp rules compare all 64 bits of an argument" {
	seccomp_profile ALLOW "$(rule lseek ERRNO '{"errnoRet": 7, "args":
		[{"index": 1, "op": "SCMP_CMP_EQ", "value": 4294967301}]}')"
	assert_calls "lseek E2BIG
lseek EBADF
lseek EBADF" lseek,99,0x100000005 lseek,99,5 lseek,99,0x200000005
	seccomp_profile ALLOW "$(rule lseek ERRNO '{"errnoRet": 7, "args":
		[{"index": 1, "op": "SCMP_CMP_GE", "value": 12345}]}')"
	args seccomp call lseek,99,0xffffffffffffffff lseek,99,0xfffffffffffffffe
	# jq has no number of this size.
	sed -i 's/12345/18446744073709551615/' "$BUNDLE/config.json"
	run_ok oci run --bundle "$BUNDLE" web
	[ "${lines[*]}" = "lseek E2BIG lseek EBADF" ]
}

@test "a seccomp rule applies if for each index one of its argument rules matches" {
	local one='{"index": 0, "op": "SCMP_CMP_EQ", "value": 99}'
	local two='{"index": 1, "op": "SCMP_CMP_EQ", "value": 5}'
	local again='{"index": 0, "op": "SCMP_CMP_EQ", "value": 98}'

	seccomp_profile ALLOW "$(rule lseek ERRNO \
		"{\"errnoRet\": 7, \"args\": [$one, $two]}")"
	assert_calls "lseek E2BIG
lseek EBADF
lseek EBADF" lseek,99,5 lseek,99,6 lseek,98,5
	seccomp_profile ALLOW "$(rule lseek ERRNO \
		"{\"errnoRet\": 7, \"args\": [$one, $again]}")"
	assert_calls "lseek E2BIG
lseek E2BIG
lseek EBADF" lseek,99,5 lseek,98,6 lseek,97,5
}

@test "create names an unknown seccomp operator or argument index" {
	compare XX 1
	run_bad "linux.seccomp.syscalls[0].args[0].op: " create web
	seccomp_profile ALLOW "$(rule lseek ERRNO '{"args":
		[{"index": 6, "op": "SCMP_CMP_EQ", "value": 1}]}')"
	run_bad "linux.seccomp.syscalls[0].args[0].index: " create web
}

# ---- architectures ----

@test "a call of another architecture is killed unless the profile lists it" {
	[ "$("$CALLS" call i386:20)" = "20 ok" ] || skip "needs i386 calls"
	# getpid is 20 there, and getppid 64.
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"errnoRet": 88}')" \
		'{"architectures": ["SCMP_ARCH_X86_64"]}'
	killed_by i386:20
	seccomp_profile ALLOW "$(rule getppid ERRNO '{"errnoRet": 88}')" \
		'{"architectures": ["SCMP_ARCH_X86"]}'
	# The native one is always there.
	assert_calls "20 ok
64 ENOTSOCK
getppid ENOTSOCK
getpid ok" i386:20 i386:64 getppid getpid
}

@test "calls with the x32 bit are killed unless the profile lists it" {
	[ "$(uname -m)" = x86_64 ] || skip "needs x86_64"
	seccomp_profile ALLOW
	killed_by 0x40000027
	seccomp_profile ALLOW '[]' '{"architectures":
		["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]}'
	calls 0x40000027
	[ "$status" -eq 0 ]
	[ "$output" = "$("$CALLS" call 0x40000027)" ]
}

@test "create names an unknown seccomp architecture" {
	seccomp_profile ALLOW '[]' '{"architectures":
		["SCMP_ARCH_X86_64", "SCMP_ARCH_PDP11"]}'
	run_bad "linux.seccomp.architectures[1]: " create web
}

# ---- flags ----

# installed_with: the flags of the filter, by strace.
installed_with() {
	strace -f -qq -e trace=seccomp -e signal=none -o "$TMP/trace" \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" web
	sed -n 's/.*SECCOMP_SET_MODE_FILTER, \([^,]*\), .*/\1/p' "$TMP/trace"
}

@test "a seccomp profile without flags has SPEC_ALLOW, one with an empty list none" {
	requires strace
	seccomp_profile ALLOW "$(rule getppid ERRNO)"
	[ "$(installed_with)" = SECCOMP_FILTER_FLAG_SPEC_ALLOW ]
	config '.linux.seccomp.flags = []'
	[ "$(installed_with)" = 0 ]
}

@test "every known seccomp flag reaches the kernel" {
	local flag

	requires strace
	seccomp_profile ALLOW "$(rule getppid ERRNO)"
	for flag in TSYNC LOG SPEC_ALLOW; do
		config --arg flag "SECCOMP_FILTER_FLAG_$flag" \
			'.linux.seccomp.flags = [$flag]'
		[ "$(installed_with)" = "SECCOMP_FILTER_FLAG_$flag" ]
	done
	config '.linux.seccomp.flags = ["SECCOMP_FILTER_FLAG_LOG",
		"SECCOMP_FILTER_FLAG_SPEC_ALLOW"]'
	[ "$(installed_with)" = \
		"SECCOMP_FILTER_FLAG_LOG|SECCOMP_FILTER_FLAG_SPEC_ALLOW" ]
	# For the kernel it makes sense with a listener only.
	config '.linux.seccomp.flags =
		["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"]'
	[ "$(installed_with)" = 0 ]
}

@test "create names an unknown seccomp flag" {
	seccomp_profile ALLOW '[]' '{"flags": ["SECCOMP_FILTER_FLAG_LOG",
		"SECCOMP_FILTER_FLAG_NEW_LISTENER"]}'
	run_bad "linux.seccomp.flags[1]: " create web
}

# ---- names ----

@test "CVE-2021-41133: calls newer than the profile are ENOSYS, older ones the default" {
	local names

	names=$(all_calls_but getppid)
	seccomp_profile ERRNO "[{\"names\": $names, \"action\": \"SCMP_ACT_ALLOW\"}]"
	assert_calls "getppid EPERM
1000 ENOSYS" getppid 1000
	# Not with a default that is no error.
	seccomp_profile KILL_PROCESS \
		"[{\"names\": $names, \"action\": \"SCMP_ACT_ALLOW\"}]"
	killed_by 1000
}

@test "create skips unknown system calls of a seccomp profile" {
	seccomp_profile ALLOW '[{"names": ["no_such_call", "getppid", "nor_this"],
		"action": "SCMP_ACT_ERRNO", "errnoRet": 88}]'
	assert_calls "getppid ENOTSOCK" getppid
}

@test "a seccomp profile without default action and rules is no filter" {
	config '.linux.seccomp = {}'
	args grep '^Seccomp:' /proc/self/status
	run_ok oci run --bundle "$BUNDLE" web
	[[ $output = *0 ]]
}

# ---- the program's own state ----

STATE='grep -E "^(Cap...|NoNewPrivs|Seccomp|Seccomp_filters|Uid)" \
	/proc/self/status'

# program_state: of /proc inside, in one line.
program_state() {
	args sh -c "$STATE"
	oci run --bundle "$BUNDLE" web | tr '\n\t' '  '
}

@test "a seccomp filter without no_new_privs leaves no capability behind" {
	local caps with without uid

	caps='{bounding: $few, permitted: $few, effective: $few}'
	for uid in 0 1; do
		config --argjson few '["CAP_KILL"]' --argjson uid "$uid" \
			".process.noNewPrivileges = false |
			 .process.user.uid = \$uid |
			 .process.capabilities = $caps | del(.linux.seccomp)"
		without=$(program_state)
		seccomp_profile ALLOW "$(rule getppid ERRNO)"
		with=$(program_state)
		[[ $with = *"NoNewPrivs: 0 Seccomp: 2 Seccomp_filters: 1"* ]]
		[[ $with = *"CapBnd: 0000000000000020"* ]]
		[ "${with%%NoNew*}" = "${without%%NoNew*}" ]
	done
	[[ $with = *"CapPrm: 0000000000000000 CapEff: 0000000000000000"* ]]
}

@test "a seccomp filter gives a user with ambient capabilities no more of them" {
	config --argjson few '["CAP_KILL", "CAP_NET_RAW"]' \
		'.process.noNewPrivileges = false |
		 .process.user = {uid: 7, gid: 7} |
		 .process.capabilities = {bounding: $few, permitted: $few,
		  effective: $few, inheritable: $few, ambient: $few}'
	seccomp_profile ALLOW "$(rule getppid ERRNO)"
	state=$(program_state)
	for set in Inh Prm Eff Bnd Amb; do
		[[ $state = *"Cap$set: 0000000000002020"* ]]
	done
}

@test "a seccomp filter with no_new_privs needs no capability" {
	config '.process.noNewPrivileges = true | .process.user.uid = 5 |
		.process.capabilities = {}'
	seccomp_profile ALLOW "$(rule getppid ERRNO)"
	state=$(program_state)
	[[ $state = *"NoNewPrivs: 1 Seccomp: 2 Seccomp_filters: 1"* ]]
	[[ $state = *"CapBnd: 0000000000000000"* ]]
}

@test "the program's seccomp filter applies to exec" {
	deny fchmodat
	args sleep 1000
	start_container web
	run_ok oci exec web seccomp call fchmodat,-100,/tmp,0755 getpid
	[ "$output" = "fchmodat EPROTONOSUPPORT
getpid ok" ]
	run_ok oci exec --user 7 web grep Seccomp /proc/self/status
	[[ $output = *"Seccomp:	2"*"Seccomp_filters:	1"* ]]
	# A process of its own need not have no_new_privs, nor capabilities.
	jq '.process | .args = ["grep", "-E", "NoNew|Seccomp|CapP",
		"/proc/self/status"] | .noNewPrivileges = false |
		.user = {uid: 7, gid: 7} | .capabilities = {}' \
		"$BUNDLE/config.json" >"$TMP/process.json"
	run_ok oci exec --process "$TMP/process.json" web
	[ "$(tr '\n\t' '  ' <<<"$output")" = "CapPrm: 0000000000000000 \
NoNewPrivs: 0 Seccomp: 2 Seccomp_filters: 1 " ]
}

# ---- our own last steps ----

@test "a seccomp profile may deny every call that the runtime itself needs" {
	local nnp

	deny getcwd accept accept4 recvmsg sendmsg openat2 capset capget prctl \
		chdir fchdir close close_range stat newfstatat access faccessat \
		faccessat2 setuid setresuid setgroups clone clone3 fcntl \
		sigaltstack seccomp prlimit64 setsid keyctl sched_yield dup3 \
		getppid poll
	for nnp in true false; do
		config --argjson nnp "$nnp" '.process.noNewPrivileges = $nnp |
			.process.user.uid = 3'
		assert_calls "getppid EPROTONOSUPPORT
chdir EPROTONOSUPPORT" getppid chdir,/
		create web
		run_ok oci start web
		wait_until has_status web stopped
		oci delete web
	done
	args sleep 1000
	config '.linux.seccomp.syscalls[0].names -= ["prctl", "clone"]'
	start_container web
	run_ok oci exec web seccomp call getppid
	[ "$output" = "getppid EPROTONOSUPPORT" ]
}

@test "create reports a seccomp profile that denies execve, and leaves nothing" {
	deny execve
	run_bad "exec seccomp: " \
		oci run --bundle "$BUNDLE" web
	assert_gone web
	create web
	run_bad "exec seccomp: " \
		oci start web
	wait_until has_status web stopped
	oci delete web
	# Without a way to tell.
	deny execve sendmsg
	run_bad "before it ran its program" oci run --bundle "$BUNDLE" web
	seccomp_profile KILL_PROCESS
	run_bad "killed by signal 31 (SYS) before it ran its program" \
		oci run --bundle "$BUNDLE" web
}

# ---- as engines do it ----

@test "a shell runs under a seccomp profile of an engine's size" {
	local names

	names=$(all_calls_but acct add_key bpf clone clone3 create_module \
		delete_module finit_module fsconfig fsmount fsopen init_module \
		kexec_file_load kexec_load keyctl mount mount_setattr \
		move_mount open_by_handle_at open_tree perf_event_open \
		personality pivot_root ptrace quotactl reboot request_key \
		setdomainname sethostname setns settimeofday swapoff swapon \
		syslog umount2 unshare userfaultfd vhangup)
	seccomp_profile ERRNO "[
		{\"names\": $names, \"action\": \"SCMP_ACT_ALLOW\"},
		{\"names\": [\"personality\"], \"action\": \"SCMP_ACT_ALLOW\",
		 \"args\": [{\"index\": 0, \"value\": 4294967295,
			     \"op\": \"SCMP_CMP_EQ\"}]},
		{\"names\": [\"clone\"], \"action\": \"SCMP_ACT_ALLOW\",
		 \"args\": [{\"index\": 0, \"value\": 2114060288,
			     \"valueTwo\": 0, \"op\": \"SCMP_CMP_MASKED_EQ\"}]},
		{\"names\": [\"clone3\"], \"action\": \"SCMP_ACT_ERRNO\",
		 \"errnoRet\": 38}]" '{"defaultErrnoRet": 1, "architectures":
		["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]}'
	args sh -c 'ls / | wc -l; (echo sub) | cat; mkdir /new && rmdir /new
		unshare -m true 2>&1; seccomp call personality,0xffffffff \
		personality,8 435 1000'
	run_ok oci run --bundle "$BUNDLE" web
	[ "${lines[1]}" = sub ]
	[[ ${lines[2]} = *"not permitted"* ]]
	[ "${lines[*]:3}" = "personality ok personality EPERM 435 ENOSYS \
1000 ENOSYS" ]
}
