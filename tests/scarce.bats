#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/scarce.bats - what the runtime itself needs is not there: it says so in one
# line or is killed, nothing is left but for delete, and with more of it it works.

load helpers

setup() {
	sandlock_setup
	requires root cgroupfs
	new_bundle
	args sleep 1000
	FEW=
}

teardown() {
	sandlock_teardown
	[ -z "$FEW" ] || rmdir "$FEW"
}

# few CONTROLLER: $FEW is a cgroup for the runtime, not for its containers.
few() {
	local top=/sys/fs/cgroup

	if [ -e $top/cgroup.controllers ]; then
		grep -qw "$1" $top/cgroup.subtree_control ||
			echo "+$1" >$top/cgroup.subtree_control ||
			skip "needs the $1 controller"
	else
		top=$top/$1
		[ -d "$top" ] || skip "needs the $1 controller"
	fi
	FEW=$top$CGROUP_PARENT-few
	mkdir "$FEW"
}

# with_few COMMAND...: in $FEW. It works, is killed, or says one line.
with_few() {
	local r=0

	# shellcheck disable=SC2016 # for the inner shell
	timeout -k 1 20 sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' \
		"$FEW" "$SANDLOCK_OCI" --root "$ROOT" "$@" \
		</dev/null >"$TMP/said" 2>&1 3>&- || r=$?
	[ $r -ne 0 ] || return 0
	FAILED=$((FAILED + 1))
	if [ $r -ne 137 ] && { [ $r -eq 124 ] ||
		[ "$(grep -c '^sandlock-oci: ' "$TMP/said")" -ne 1 ] ||
		[ "$(wc -l <"$TMP/said")" -ne 1 ]; }; then
		echo "with $LITTLE, $*: status $r, said: $(cat "$TMP/said")"
		return 1
	fi
}

# cleared: by force, with enough of everything.
clear_scarce() {
	if ! oci delete --force c1 || ! wait_until nothing_left; then
		echo "left with $LITTLE: $(leftovers)"
		return 1
	fi
}

# every_command: with_few of each command, in a container with no defect.
every_command() {
	with_few create --bundle "$BUNDLE" c1
	clear_scarce
	start_container c1
	with_few exec c1 true
	with_few pause c1
	has_status c1 running || oci resume c1
	with_few update --pids-limit 50 c1
	assert_status c1 running
	with_few kill c1 KILL
	oci kill c1 KILL || true
	wait_until has_status c1 stopped
	with_few delete c1
	clear_scarce
	create c1
	with_few start c1
	with_few delete --force c1
	clear_scarce
}

works() {
	LITTLE="enough"
	FAILED=0
	every_command
	[ "$FAILED" -eq 0 ]
}

@test "a runtime with too little memory fails cleanly or is killed" {
	local file

	requires static
	few memory
	file=$FEW/memory.max
	[ -e "$file" ] || file=$FEW/memory.limit_in_bytes
	FAILED=0
	for LITTLE in 128K 256K 384K 512K 768K 1M 4M 8M 16M 32M; do
		echo $LITTLE >"$file"
		every_command
	done
	[ "$FAILED" -gt 3 ]
	works
}

@test "a runtime with too few processes says so, and leaves nothing" {
	requires static
	few pids
	FAILED=0
	for LITTLE in {1..12}; do
		echo "$LITTLE" >"$FEW/pids.max"
		every_command
	done
	[ "$FAILED" -gt 1 ]
	works
}

# In the hierarchy of version 2 alone: the other has no such limit.
@test "create reports a cgroup that may have no more descendants" {
	local dir=/sys/fs/cgroup limit

	[ -e $dir/cgroup.controllers ] || dir=$dir/unified
	[ -e $dir/cgroup.controllers ] || skip "needs a v2 hierarchy"
	dir=$dir$CGROUP_PARENT
	mkdir "$dir"
	for limit in descendants depth; do
		echo 0 >"$dir/cgroup.max.$limit"
		run_bad "create cgroup" create c1
		[ "${#lines[@]}" -eq 1 ]
		assert_output_has "resource temporarily unavailable"
		wait_until nothing_left
		echo max >"$dir/cgroup.max.$limit"
		create c1
		oci delete c1
	done
}

@test "run names a cgroup with as many tasks as pids.max allows" {
	few pids
	echo 1 >"$FEW/pids.max"
	for command in "$SANDLOCK_OCI --root $ROOT run --bundle $BUNDLE c1" \
		"$SANDLOCK --root $ROOT run -r /usr -- true"; do
		# shellcheck disable=SC2016,SC2086 # for the inner shell; words
		run sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$FEW" \
			$command 3>&-
		[ "$status" -ne 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output = *"cannot create a process: $FEW has reached"* ]]
	done
}

@test "a state directory that goes away in the middle undoes the creation" {
	local gone

	for gone in "$ROOT/c1" "$ROOT"; do
		# shellcheck disable=SC2016 # the dollars are jq's
		config --arg gone "$gone" '.hooks.createRuntime =
			[{"path": "/bin/rm", "args": ["rm", "-r", $gone]}]'
		run_bad "no such file or directory" create c1
		[ "${#lines[@]}" -eq 1 ]
		wait_until nothing_left
		run_bad "no such file or directory" \
			oci run --bundle "$BUNDLE" c1
		wait_until nothing_left
	done
	config 'del(.hooks)'
	create c1
}

# With cgroup v2 a frozen container can be killed.
@test "delete --force does not wait for a container frozen from above, and removes it when thawed" {
	local state=/sys/fs/cgroup/freezer$CGROUP_PARENT/freezer.state

	requires cgroup1
	start_container c1
	echo FROZEN >"$state"
	run_bad "have not ended: check whether a parent cgroup is frozen" \
		timeout 20 "$SANDLOCK_OCI" --root "$ROOT" delete --force c1
	[ "${#lines[@]}" -eq 1 ]
	run_ok oci list --quiet
	[ "$output" = c1 ]
	echo THAWED >"$state"
	run_ok oci delete --force c1
	assert_gone c1
}
