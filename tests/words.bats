#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/words.bats - if a process dies at any system call, the other side
# notices and reports it, and nothing is left.
#
# By default each sweep takes a sample of the system calls, another one in each
# run; with SANDLOCK_EVERY=1 it takes all of them.

load helpers

EVERY=${SANDLOCK_EVERY:-29}

setup_file() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 \
		-o "$BATS_FILE_TMPDIR/inject" "$BATS_TEST_DIRNAME/inject.c"
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	AFTER_KEEP=0
}

# A bundle with every word in it: user and time namespace, hooks, a filter.
rich_bundle() {
	new_bundle
	config '.linux.namespaces += [{"type": "user"}, {"type": "time"}] |
		.linux.uidMappings =
			[{"containerID": 0, "hostID": 0, "size": 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.linux.timeOffsets = {"monotonic": {"secs": 10}} |
		.linux.resources.pids = {"limit": 20} |
		.linux.seccomp = {"defaultAction": "SCMP_ACT_ALLOW"} |
		.hooks.createRuntime = [{"path": "/bin/true"}] |
		.hooks.createContainer = [{"path": "/bin/true"}] |
		.hooks.poststop = [{"path": "/bin/true"}]'
}

# inject WHO N COMMAND...: with the output in $TMP/said.
inject() {
	local who=$1 n=$2

	shift 2
	timeout -k 1 20 "$BATS_FILE_TMPDIR/inject" "$who" "$n" \
		"$SANDLOCK_OCI" --root "$ROOT" "$@" \
		</dev/null >"$TMP/said" 2>&1 3>&-
}

# at_every_call FUNCTION: called with a number until it returns 99.
at_every_call() {
	local n r points=0

	for ((n = 1 + RANDOM % EVERY; ; n += EVERY)); do
		r=0
		"$1" "$n" || r=$?
		[ $r -ne 99 ] || break
		if [ $r -ne 0 ]; then
			echo "at system call $n"
			return 1
		fi
		points=$((points + 1))
	done
	echo "# $BATS_TEST_DESCRIPTION: $points points" >&3
}

# expect_death_said STATUS: what `create` or `run` does when its child is gone.
expect_death_said() {
	case $1 in
	99) return 99 ;;
	1) ;;
	*)
		echo "status $1: $(cat "$TMP/said")"
		return 1
		;;
	esac
	if ! grep -q '^sandlock-oci: ..*' "$TMP/said" ||
		[ "$(wc -l <"$TMP/said")" -ne 1 ]; then
		echo "not one sentence: $(cat "$TMP/said")"
		return 1
	fi
	if ! wait_until nothing_left; then
		leftovers
		return 1
	fi
}

# clear_container ID: by force, after whatever happened to it.
clear_container() {
	if ! oci delete --force "$1" || ! wait_until nothing_left; then
		cat "$TMP/said"
		leftovers
		return 1
	fi
}

# ---- the child dies ----

# Between KEEP and the gate there are a few calls that create does not wait for.
MOST_AFTER_KEEP=10

kill_child_of_create() {
	local r=0

	inject child "$1" create --bundle "$BUNDLE" c1 || r=$?
	[ $r -ne 99 ] || clear_container c1
	if [ $r -eq 0 ] && [ $((AFTER_KEEP += 1)) -le $MOST_AFTER_KEEP ]; then
		wait_until has_status c1 stopped && oci delete c1 &&
			wait_until nothing_left
		return
	fi
	expect_death_said $r
}

@test "create reports the death of its child at any system call" {
	new_bundle
	at_every_call kill_child_of_create
	run_ok create c1
}

@test "create with every namespace, hook and filter reports the death of its child at any system call" {
	requires userns timens
	rich_bundle
	at_every_call kill_child_of_create
	run_ok create c1
}

kill_child_of_run() {
	local r=0

	inject child "$1" run --bundle "$BUNDLE" c1 || r=$?
	expect_death_said $r
}

@test "run reports the death of its child at any system call" {
	new_bundle
	at_every_call kill_child_of_run
	run_ok oci run --bundle "$BUNDLE" c1
}

has_only_init() {
	oci ps --format json c1 | jq -e 'length == 1' >/dev/null
}

kill_child_of_exec() {
	local r=0

	inject child "$1" exec c1 true || r=$?
	[ $r -ne 99 ] || return 99
	if [ $r -ne 255 ] || [ "$(wc -l <"$TMP/said")" -ne 1 ] ||
		! grep -q '^sandlock-oci: ..*' "$TMP/said"; then
		echo "status $r: $(cat "$TMP/said")"
		return 1
	fi
	has_status c1 running
}

@test "exec reports the death of its child at any system call" {
	start_sleeping c1
	at_every_call kill_child_of_exec
	wait_until has_only_init
}

# The container exists: what is left is for delete, and it is stopped.
kill_init_at_gate() {
	local r=0

	create c1 || return 1
	inject "$(cat "$TMP/c1.pid")" "$1" start c1 || r=$?
	if [ $r -eq 1 ] && ! grep -Eq 'died before it ran its program|was killed|stopped' \
		"$TMP/said"; then
		echo "status $r: $(cat "$TMP/said")"
		return 1
	fi
	case $r in
	1) wait_until has_status c1 stopped && oci delete c1 &&
		nothing_left ;;
	99) clear_container c1 && return 99 ;;
	*) echo "status $r: $(cat "$TMP/said")" && return 1 ;;
	esac
}

@test "start reports the death of the container's process at any system call" {
	local EVERY=$((EVERY < 3 ? EVERY : 3))

	new_bundle
	args sleep 1000
	at_every_call kill_init_at_gate
}

# ---- the runtime dies ----

record_is_kept() {
	[ -e "$ROOT/c1/state.json" ] &&
		[ "$(jq .kept "$ROOT/c1/state.json")" = true ]
}

kill_create_then_delete() {
	local r=0

	inject self "$1" create --bundle "$BUNDLE" c1 || r=$?
	clear_container c1 || return 1
	[ $r -eq 137 ] || return $r
}

@test "delete --force removes the remains of a killed create" {
	new_bundle
	at_every_call kill_create_then_delete
}

@test "delete --force removes the remains of a killed create with every namespace, hook and filter" {
	requires userns timens
	rich_bundle
	at_every_call kill_create_then_delete
}

kill_create_then_create() {
	local r=0

	inject self "$1" create --bundle "$BUNDLE" c1 || r=$?
	if record_is_kept; then
		run_bad "c1: container with given ID already exists" create c1 ||
			return 1
	else
		create c1 || return 1
		assert_status c1 created || return 1
	fi
	clear_container c1 || return 1
	[ $r -eq 137 ] || return $r
}

@test "the ID of a killed create can be used at once" {
	new_bundle
	at_every_call kill_create_then_create
}

kill_run() {
	local r=0

	inject self "$1" run --bundle "$BUNDLE" c1 || r=$?
	clear_container c1 || return 1
	[ $r -eq 137 ] || return $r
}

@test "delete --force removes the remains of a killed run" {
	new_bundle
	at_every_call kill_run
}

kill_start() {
	local r=0

	create c1 || return 1
	inject self "$1" start c1 || r=$?
	if has_status c1 created; then
		# Nothing has happened yet: another start can do it.
		oci start c1 || return 1
	fi
	clear_container c1 || return 1
	[ $r -eq 137 ] || return $r
}

@test "a killed start leaves a container to start again or to delete" {
	new_bundle
	args sleep 1000
	at_every_call kill_start
}

kill_exec() {
	local r=0

	inject self "$1" exec c1 true || r=$?
	has_status c1 running || return 1
	[ $r -eq 137 ] || return $r
}

@test "a killed exec leaves the container as it was" {
	start_sleeping c1
	at_every_call kill_exec
	[ "$(oci exec c1 true && echo works)" = works ]
	clear_container c1
}

kill_delete() {
	local r=0

	start_container c1 || return 1
	inject self "$1" delete --force c1 || r=$?
	if [ -e "$ROOT/c1/state.json" ] && has_status c1 stopped; then
		# The record is the last to go, so this is not a broken one.
		oci delete c1 || return 1
	fi
	clear_container c1 || return 1
	[ $r -eq 137 ] || return $r
}

@test "delete --force finishes a killed delete" {
	new_bundle
	args sleep 1000
	at_every_call kill_delete
}
