#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/seccomp-notify.bats - profiles that ask an agent: listenerPath and
# listenerMetadata, for the program, for exec and for hooks inside.

# shellcheck disable=SC2016 # the dollars are jq's
load helpers
load hooks
load seccomp

setup_file() {
	build_calls
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	AGENT=
	new_calls_bundle
	mkdir "$TMP/agent"
}

teardown() {
	stop_agent
	sandlock_teardown
}

# start_agent [ANSWER...]: what it gets is in $TMP/agent.
start_agent() {
	"$CALLS" agent "$TMP/socket" "$TMP/agent" "$@" 3>&- &
	AGENT=$!
	wait_until test -S "$TMP/socket"
}

stop_agent() {
	[ -z "$AGENT" ] || kill "$AGENT" 2>/dev/null || true
	AGENT=
}

# notify NAME...: ask the agent about these.
notify() {
	seccomp_profile ALLOW "$(jq -cn '[{names: $ARGS.positional,
		action: "SCMP_ACT_NOTIFY"}]' --args "$@")" \
		"$(jq -cn --arg path "$TMP/socket" \
			'{listenerPath: $path, listenerMetadata: "some words"}')"
}

was_asked() {
	grep -qx "$1" "$TMP/agent/calls"
}

# check_message N STATUS PID STATE_PID: what came with the n-th listener.
check_message() {
	wait_until test -s "$TMP/agent/$1.json"
	jq -e --arg status "$2" --argjson pid "$3" --argjson init "$4" \
		--arg bundle "$BUNDLE" '
		(.ociVersion | startswith("1.")) and .fds == ["seccompFd"] and
		.pid == $pid and .metadata == "some words" and
		.state.id == "web" and .state.status == $status and
		.state.pid == $init and .state.bundle == $bundle and
		.state.annotations == {"a": "b"} and
		.state.ociVersion == .ociVersion' "$TMP/agent/$1.json" || {
		cat "$TMP/agent/$1.json"
		return 1
	}
}

@test "a seccomp agent decides about the calls of the program" {
	start_agent mkdirat=95
	notify mkdirat fchmodat
	assert_calls "mkdirat EOPNOTSUPP
fchmodat ok
getpid ok" mkdirat,-100,/new,0755 fchmodat,-100,/tmp,0700 getpid
	[ ! -e "$BUNDLE/rootfs/new" ]
	[ "$(stat -c %a "$BUNDLE/rootfs/tmp")" = 700 ]
	[ "$(tr '\n' ' ' <"$TMP/agent/calls")" = "mkdirat fchmodat " ]
}

@test "a seccomp agent learns which process the program is, by run and by create and start" {
	start_agent mkdirat=95
	notify mkdirat
	config '.annotations = {"a": "b"}'
	args sh -c 'seccomp call mkdirat,-100,/new,0755 >/got; sleep 1000'
	start_container web
	wait_until test -s "$BUNDLE/rootfs/got"
	[ "$(cat "$BUNDLE/rootfs/got")" = "mkdirat EOPNOTSUPP" ]
	check_message 1 creating "$(pid_of web)" "$(pid_of web)"
	oci delete --force web
	oci run --detach --bundle "$BUNDLE" web >/dev/null 2>&1
	check_message 2 creating "$(pid_of web)" "$(pid_of web)"
}

@test "exec sends a seccomp listener of its own" {
	start_agent mkdirat=95
	notify mkdirat
	config '.annotations = {"a": "b"}'
	args sleep 1000
	start_container web
	run_ok oci exec --pid-file "$TMP/exec.pid" web \
		seccomp call mkdirat,-100,/new,0755
	[ "$output" = "mkdirat EOPNOTSUPP" ]
	check_message 2 running "$(cat "$TMP/exec.pid")" "$(pid_of web)"
}

@test "a startContainer hook sends a seccomp listener of its own" {
	start_agent mkdirat=95
	notify mkdirat
	config '.hooks.startContainer = [{path: "/bin/seccomp", args:
		["seccomp", "call", "mkdirat,-100,/new,0755"]}]'
	run_ok oci run --bundle "$BUNDLE" web
	was_asked mkdirat
	[ ! -e "$BUNDLE/rootfs/new" ]
	[ -s "$TMP/agent/2.json" ]
}

@test "a seccomp agent gets no metadata if config.json has none" {
	start_agent
	notify mkdirat
	config 'del(.linux.seccomp.listenerMetadata)'
	assert_calls "getpid ok" getpid
	jq -e 'has("metadata") | not' "$TMP/agent/1.json"
}

@test "a seccomp agent may decide about every call that the runtime itself needs" {
	local user

	start_agent
	notify execve execveat openat openat2 read close sendmsg recvmsg futex \
		exit exit_group sched_yield prctl capset mkdirat clone
	for user in 0 9; do
		config --argjson uid "$user" '.process.user.uid = $uid |
			.process.noNewPrivileges = ($uid == 0)'
		assert_calls "close EBADF" close,99
		create web
		run_ok oci start web
		wait_until has_status web stopped
		oci delete web
	done
	was_asked execve
	was_asked close
	args sleep 1000
	start_container web
	run_ok timeout 20 "$SANDLOCK_OCI" --root "$ROOT" exec web \
		seccomp call close,99
	[ "$output" = "close EBADF" ]
}

@test "start fails if the seccomp agent denies execve" {
	start_agent execve=95
	notify execve
	run_bad "exec seccomp: \
operation not supported" oci run --bundle "$BUNDLE" web
	assert_gone web
}

@test "calls return ENOSYS after the seccomp agent is gone" {
	start_agent quit
	notify mkdirat
	assert_calls "mkdirat ENOSYS
getpid ok" mkdirat,-100,/new,0755 getpid
}

@test "create fails and leaves nothing if nobody listens at listenerPath" {
	notify mkdirat
	run_bad "linux.seccomp.listenerPath: failed to connect with \
seccomp agent: connect to $TMP/socket: \
no such file or directory" oci run --bundle "$BUNDLE" web
	assert_gone web
	[ -z "$(leftovers)" ]
	# A socket that no process reads.
	start_agent
	stop_agent
	wait_until not_listening
	run_bad "linux.seccomp.listenerPath: failed to connect with \
seccomp agent: connect to $TMP/socket: \
connection refused" oci run --bundle "$BUNDLE" web
	assert_gone web
	create web
	run_bad "linux.seccomp.listenerPath: " oci start web
	wait_until has_status web stopped
	oci delete web
}

not_listening() {
	! grep -qF "$TMP/socket" /proc/net/unix
}

@test "exec fails without the seccomp agent, and the container stays" {
	start_agent
	notify mkdirat
	args sleep 1000
	start_container web
	stop_agent
	wait_until not_listening
	run oci exec web true
	[ "$status" -eq 255 ]
	assert_output_has "linux.seccomp.listenerPath: "
	assert_status web running
}

@test "create refuses SCMP_ACT_NOTIFY for write, as default, and without a listener" {
	notify write
	run_bad "linux.seccomp.syscalls[0].action: SCMP_ACT_NOTIFY cannot be \
used for the write syscall" create web
	notify mkdirat
	config '.linux.seccomp.defaultAction = "SCMP_ACT_NOTIFY"'
	run_bad "linux.seccomp.defaultAction: SCMP_ACT_NOTIFY cannot be the \
default" create web
	notify mkdirat
	config 'del(.linux.seccomp.listenerMetadata, .linux.seccomp.listenerPath)'
	run_bad "linux.seccomp.syscalls[0].action: SCMP_ACT_NOTIFY requires \
listenerPath" create web
	seccomp_profile ALLOW '[]' '{"listenerMetadata": "x"}'
	run_bad "linux.seccomp.listenerMetadata: requires listenerPath" create web
	assert_gone web
}

@test "create contacts no seccomp agent that no rule needs" {
	notify no_such_call
	assert_calls "getpid ok" getpid
}

@test "a notifying filter with WAIT_KILLABLE_RECV can be killed while it waits" {
	requires strace
	start_agent
	notify mkdirat
	config '.linux.seccomp.flags =
		["SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"]'
	run_ok strace -f -qq -e trace=seccomp -e signal=none -o "$TMP/trace" \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" web
	grep -Eq 'FLAG_NEW_LISTENER\|(SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV|0x20)' \
		"$TMP/trace"
}

@test "crun's annotation can name the seccomp listener" {
	start_agent mkdirat=95
	notify mkdirat
	config --arg path "$TMP/socket" 'del(.linux.seccomp.listenerPath) |
		.annotations["run.oci.seccomp.receiver"] = $path'
	assert_calls "mkdirat EOPNOTSUPP" mkdirat,-100,/new,0755
}
