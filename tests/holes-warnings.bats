#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-warnings.bats - the runtime reports requests that it does not
# fully carry out, at the default level, in words that engines look for.

# shellcheck disable=SC2016 # the dollars are the hooks' and jq's
load helpers
load hooks

# stale_socket: create a socket on which no process listens.
stale_socket() {
	python3 -c '
import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind(sys.argv[1])' \
		"$TMP/manager"
}

# by_manager COMMAND...: run it as a service manager would.
by_manager() {
	NOTIFY_SOCKET=$TMP/manager "$@"
}

# ---- NOTIFY_SOCKET ----

@test "run warns of a stale NOTIFY_SOCKET and goes on without it" {
	requires root python3
	new_bundle web
	args sh -c 'echo "in $NOTIFY_SOCKET"; ls -d /run/notify'
	stale_socket
	run by_manager oci run --bundle "$BUNDLE" web
	assert_output_has "sandlock-oci: warning: NOTIFY_SOCKET is ignored: \
connect to $TMP/manager: connection refused"
	assert_output_has $'\nin \n'
	[ "$status" -eq 1 ]
	NOTIFY_SOCKET=$TMP/none run_ok oci run --detach \
		--bundle "$BUNDLE" web
	assert_output_has "warning: NOTIFY_SOCKET is ignored: "
}

@test "start warns of a NOTIFY_SOCKET that became stale, and goes on" {
	requires root python3
	local listener

	new_bundle web
	args sleep 1000
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
time.sleep(1000)' "$TMP/manager" 3>&- &
	listener=$!
	wait_until test -S "$TMP/manager"
	by_manager create web
	kill "$listener"
	wait "$listener" || true
	by_manager run_ok oci start web
	assert_lines "sandlock-oci: warning: NOTIFY_SOCKET is ignored: \
connect to $TMP/manager: connection refused"
	assert_status web running
}

# ---- without root ----

@test "a cgroupsPath that a user has no permission for is a warning" {
	requires root userns subids
	new_user
	new_user_bundle
	args echo ran
	run_ok user_run_bundle
	assert_lines ran
	config '.linux.cgroupsPath = "/holes/web"'
	run_ok user_run_bundle
	assert_output_has "sandlock-oci: warning: linux.cgroupsPath: \
'/holes/web' is ignored in "
	assert_output_has "permission denied"
	assert_output_has ran
	config '.linux.resources.pids.limit = 10'
	run_bad "linux.resources.pids.limit: " user_run_bundle
}

@test "a shared pid namespace without root and cgroup is a warning" {
	requires root userns subids
	new_user
	new_user_bundle
	args echo ran
	config '.linux.namespaces |= map(select(.type != "pid")) |
		.mounts |= map(if .type == "proc" then
			{destination: "/proc", source: "/proc", type: "bind",
			 options: ["rbind"]} else . end)'
	run_ok user_run_bundle
	assert_output_has "sandlock-oci: warning: rootless container without a \
cgroup and without its own pid namespace: "
	assert_output_has ran
}

# ---- capabilities, hooks ----

@test "an ambient capability that cannot be raised is a warning" {
	requires root
	new_bundle web
	args grep CapAmb /proc/self/status
	config '.process.capabilities = {
		bounding: ["CAP_CHOWN", "CAP_KILL"],
		effective: ["CAP_CHOWN", "CAP_KILL"],
		permitted: ["CAP_CHOWN", "CAP_KILL"],
		inheritable: ["CAP_KILL"],
		ambient: ["CAP_CHOWN", "CAP_KILL"]}'
	run_ok oci run --bundle "$BUNDLE" web
	assert_lines "sandlock-oci: warning: can't raise ambient capability \
CAP_CHOWN: operation not permitted (it must be permitted and inheritable)
CapAmb:	0000000000000020"
}

@test "no warning comes where root has all its capabilities without ambient ones" {
	requires root
	new_bundle web
	args grep CapPrm /proc/self/status
	config '.process.capabilities = {
		bounding: ["CAP_CHOWN", "CAP_KILL"],
		effective: ["CAP_CHOWN", "CAP_KILL"],
		permitted: ["CAP_CHOWN", "CAP_KILL"],
		ambient: ["CAP_CHOWN", "CAP_KILL"]}'
	run_ok oci run --bundle "$BUNDLE" web
	assert_lines "CapPrm:	0000000000000021"
	config '.process.capabilities.bounding = ["CAP_KILL"]'
	run_ok oci run --bundle "$BUNDLE" web
	assert_output_has "can't raise ambient capability CAP_CHOWN: "
	config '.process.user.uid = 1000'
	run_ok oci run --bundle "$BUNDLE" web
	assert_output_has "can't raise ambient capability CAP_KILL: "
}

@test "a poststop hook that fails is a warning at the default level" {
	requires root
	new_bundle web
	hook poststop 'exit 7'
	run_ok oci run --bundle "$BUNDLE" web
	assert_lines "sandlock-oci: warning: error running poststop hook #0: \
exit status 7, stdout: , stderr: "
}

@test "a hook that a filter ends says that its system call was bad" {
	requires root
	new_bundle web
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		syscalls: [{names: ["mkdir", "mkdirat"],
			    action: "SCMP_ACT_KILL"}]}'
	hook startContainer 'mkdir /new; exit $?'
	run_bad "error running startContainer hook #0: exit status 159 \
(bad system call), " oci run --bundle "$BUNDLE" web
	config '.hooks.startContainer[0] = {path: "/bin/mkdir",
		args: ["mkdir", "/new"]}'
	run_bad "error running startContainer hook #0: exit status 159 \
(bad system call), " oci run --bundle "$BUNDLE" web
	config '.hooks = {}'
	hook createRuntime 'kill -SYS $$'
	run_bad "error running createRuntime hook #0: killed by signal 31 \
(bad system call), " oci run --bundle "$BUNDLE" web
}

# ---- seccomp, log ----

@test "a seccomp profile that notifies write is refused in runc's words" {
	requires root
	new_bundle web
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		listenerPath: "/nobody", syscalls: [{names: ["write"],
		action: "SCMP_ACT_NOTIFY"}]}'
	run_bad "SCMP_ACT_NOTIFY cannot be used for the write syscall" \
		oci run --bundle "$BUNDLE" web
}

@test "create reports a missing seccomp agent in runc's words" {
	requires root
	new_bundle web
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		listenerPath: "/nobody", syscalls: [{names: ["mkdir"],
		action: "SCMP_ACT_NOTIFY"}]}'
	run_bad "failed to connect with seccomp agent" \
		oci run --bundle "$BUNDLE" web
}

@test "debug lines on standard error begin with their level" {
	requires root
	new_bundle web
	run_ok oci --debug run --bundle "$BUNDLE" web
	[[ ${lines[0]} =~ ^time=\"[0-9T:-]+Z\"\ level=debug\ msg=\".*\"$ ]]
	[ "$(grep -c ' level=debug msg="' <<<"$output")" -gt 3 ]
}
