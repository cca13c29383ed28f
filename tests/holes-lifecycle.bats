#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-lifecycle.bats - a container between create and delete: signals
# before start, hooks that fail, commands that meet.

# shellcheck disable=SC2016 # the dollars are the hooks' and jq's
load helpers
load hooks

setup() {
	sandlock_setup
	requires root
	new_bundle web
	args sleep 1000
}

without_pid_namespace() {
	config '.linux.namespaces |= map(select(.type != "pid"))'
}

fails() {
	! "$@"
}

# ends_by SIGNAL: a container that was created and not started.
ends_by() {
	create web
	sandlock kill web "$1"
	wait_until has_status web stopped || {
		echo "after signal $1"
		return 1
	}
	sandlock delete web
}

@test "every signal that ends a process by default ends a created container" {
	local sig

	for sig in {1..64}; do
		case $sig in
		# KILL and STOP are the kernel's; the others end nobody.
		9 | 1[789] | 2[0123] | 28) ;;
		*) ends_by "$sig" ;;
		esac
	done
}

@test "a signal ends a created container that shares the pid namespace" {
	without_pid_namespace
	ends_by TERM
	ends_by HUP
	ends_by USR1
}

@test "a created container outlives the signals that end no process" {
	local sig

	create web
	for sig in CHLD CONT TSTP TTIN TTOU URG WINCH; do
		sandlock kill web "$sig"
	done
	assert_status web created
	sandlock start web
	assert_status web running
}

@test "a signal ends a created container while its startContainer hook runs" {
	local job

	hook startContainer 'echo in >/hook; exec sleep 1000'
	create web
	sandlock start web >"$TMP/start" 2>&1 &
	job=$!
	wait_until test -s "$BUNDLE/rootfs/hook"
	sandlock kill web TERM
	wait_until has_status web stopped
	fails wait "$job"
}
