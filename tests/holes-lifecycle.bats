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

# Kill a stopped create, which would stay forever if delete fails to end it.
teardown() {
	[ ! -s "$TMP/create" ] ||
		kill -KILL -- "-$(cat "$TMP/create")" 2>/dev/null || true
	[ -z "${LOCKER:-}" ] || kill -KILL -- "-$LOCKER" 2>/dev/null || true
	sandlock_teardown
}

without_pid_namespace() {
	config '.linux.namespaces |= map(select(.type != "pid"))'
}

fails() {
	! "$@"
}

# ends_by SIGNAL: the signal ends a container that was created, not started.
ends_by() {
	create web
	oci kill web "$1"
	wait_until has_status web stopped || {
		echo "after signal $1"
		return 1
	}
	oci delete web
}

@test "every signal that ends a process by default ends a created container" {
	local sig

	for sig in {1..64}; do
		case $sig in
		# The kernel handles KILL and STOP; the rest end no process.
		9 | 1[789] | 2[0123] | 28) ;;
		*) ends_by "$sig" ;;
		esac
	done
}

@test "a signal ends a created container that shares the host's pid namespace" {
	without_pid_namespace
	ends_by TERM
	ends_by HUP
	ends_by USR1
}

@test "a created container outlives the signals that end no process" {
	local sig

	create web
	for sig in CHLD CONT TSTP TTIN TTOU URG WINCH; do
		oci kill web "$sig"
	done
	assert_status web created
	oci start web
	assert_status web running
}

@test "a signal ends a created container while its startContainer hook runs" {
	local job

	hook startContainer 'echo in >/hook; exec sleep 1000'
	create web
	oci start web >"$TMP/start" 2>&1 &
	job=$!
	wait_until test -s "$BUNDLE/rootfs/hook"
	oci kill web TERM
	wait_until has_status web stopped
	fails wait "$job"
}

# stopped_create [ALL]: start a create, and stop it in its hook, where it holds
# the lock. $TMP/create has its pid. ALL stops its children, too, and uses no
# cgroups.
stopped_create() {
	hook createRuntime "echo \$PPID >$TMP/create; exec sleep 1000"
	setsid "$SANDLOCK_OCI" --root "$ROOT" ${1:+--cgroup-manager disabled} \
		create --bundle "$BUNDLE" web </dev/null >/dev/null 2>&1 3>&- &
	CREATE=$!
	wait_until test -s "$TMP/create"
	[ -z "${1:-}" ] || kill -STOP -- "-$(cat "$TMP/create")"
	kill -STOP "$(cat "$TMP/create")"
	wait_until process_is_stopped "$(cat "$TMP/create")"
}

process_is_stopped() {
	grep -q '^State:.T' "/proc/$1/status"
}

@test "delete --force ends a stopped create that holds the lock" {
	stopped_create
	run_ok oci delete --force web
	[ -z "$output" ]
	assert_gone web
	fails wait "$CREATE"
}

@test "delete --force ends a stopped create with stopped children" {
	config 'del(.linux.cgroupsPath)'
	stopped_create all
	run_ok oci --cgroup-manager disabled delete --force web
	assert_gone web
	fails wait "$CREATE"
}

@test "delete --force ends a stopped run that holds the lock" {
	hook poststart "echo \$PPID >$TMP/create; exec sleep 1000"
	setsid "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" web \
		</dev/null >/dev/null 2>&1 3>&- &
	CREATE=$!
	wait_until test -s "$TMP/create"
	kill -STOP "$(cat "$TMP/create")"
	wait_until process_is_stopped "$(cat "$TMP/create")"
	run_ok oci delete --force web
	assert_gone web
	fails wait "$CREATE"
}

@test "a user's delete --force ends a stopped create of that user" {
	requires userns subids
	new_user
	new_user_bundle
	hook createRuntime "echo \$PPID >$USER_HOME/run/create
		exec sleep 1000"
	as_user setsid ./sandlock-oci create --bundle "$BUNDLE" web \
		</dev/null >/dev/null 2>&1 &
	CREATE=$!
	wait_until test -s "$USER_HOME/run/create"
	cp "$USER_HOME/run/create" "$TMP/create"
	kill -STOP -- "-$(cat "$TMP/create")"
	wait_until process_is_stopped "$(cat "$TMP/create")"
	run_ok as_user ./sandlock-oci delete --force web
	[ -z "$(as_user ./sandlock-oci list --quiet)" ]
	fails wait "$CREATE"
}

@test "delete --force kills nobody that holds the lock but is not its creator" {
	local record

	create web
	record=$(cat "$ROOT/web/state.json")
	# The pid of the maker was reused by the process that holds the lock.
	setsid sh -c 'echo $$ >"$1/locker"; exec flock -F "$2" sleep 1000' \
		sh "$TMP" "$ROOT/web" 3>&- &
	wait_until test -s "$TMP/locker"
	LOCKER=$(cat "$TMP/locker")
	wait_until locked "$ROOT/web"
	jq -c ".maker = $LOCKER" <<<"$record" >"$ROOT/web/state.json"
	run_bad "process $LOCKER is working on web (kill it, or wait for it)" \
		oci delete --force web
	kill -0 "$LOCKER"
	kill "$LOCKER"
}

locked() {
	! flock --nonblock "$1" true
}

@test "start waits for a create that is under way" {
	local job

	hook createRuntime "until test -e $TMP/go; do sleep 0.02; done"
	create web &
	wait_until has_status web creating
	oci start web >"$TMP/start" 2>&1 3>&- &
	job=$!
	# A waiting start shows only by not ending.
	sleep 0.3
	kill -0 "$job"
	touch "$TMP/go"
	wait "$job"
	assert_status web running
}

@test "start waits for a create that fails, and fails" {
	local job

	hook createRuntime "until test -e $TMP/go; do sleep 0.02; done; exit 1"
	create web >/dev/null &
	wait_until has_status web creating
	oci start web >"$TMP/start" 2>&1 3>&- &
	job=$!
	sleep 0.3
	touch "$TMP/go"
	fails wait "$job"
	grep -q "web: container does not exist" "$TMP/start"
}

@test "start names the process of a create that takes too long" {
	stopped_create
	run_bad "process $(cat "$TMP/create") is working on web" oci start web
	oci delete --force web
}

@test "a poststart hook that fails is named even after the program has ended" {
	args true
	hook poststart 'pid=$(tr , "\n" | sed -n "s/.*\"pid\"://p")
		while [ -e /proc/$pid/exe ]; do :; done; exit 1'
	run_bad "error running poststart hook #0: exit status 1" \
		oci run --bundle "$BUNDLE" web
	assert_gone web
	create web
	run_bad "error running poststart hook #0: exit status 1" \
		oci start web
	assert_status web stopped
}
