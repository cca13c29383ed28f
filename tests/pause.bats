#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/pause.bats - pause and resume.

load helpers

# A container that counts in /count, for as long as it runs.
start_counting_quickly() {
	new_bundle "$1"
	# shellcheck disable=SC2016 # for the shell inside
	args sh -c 'i=0; while :; do i=$((i + 1)); echo $i >/count; sleep 0.01; done'
	start_container "$1"
	wait_until [ -s "$BUNDLE/rootfs/count" ]
}

paused_count() {
	cat "$BUNDLE/rootfs/count"
}

counted_past() {
	[ -n "$(paused_count)" ] && [ "$(paused_count)" -gt "$1" ]
}

@test "pause stops every process, resume lets them go on" {
	requires root
	start_counting_quickly web1
	run_ok oci pause web1
	[ -z "$output" ]
	assert_status web1 paused
	before=$(paused_count)
	sleep 0.2
	[ "$(paused_count)" = "$before" ]
	run_ok oci resume web1
	[ -z "$output" ]
	assert_status web1 running
	wait_until counted_past "${before:-0}"
}

@test "a created container can be paused, and started once resumed" {
	requires root
	new_bundle
	create web1
	run_ok oci pause web1
	assert_status web1 paused
	run_bad "cannot start a container that is paused" oci start web1
	run_ok oci resume web1
	assert_status web1 created
	oci start web1
}

@test "pause refuses a paused or stopped container" {
	requires root
	start_counting_quickly web1
	oci pause web1
	run_bad "container already paused" oci pause web1
	assert_status web1 paused
	oci resume web1
	oci kill web1 KILL
	wait_until has_status web1 stopped
	run_bad "container not running" oci pause web1
}

@test "resume refuses a running or stopped container" {
	requires root
	start_counting_quickly web1
	run_bad "container not paused" oci resume web1
	oci kill web1 KILL
	wait_until has_status web1 stopped
	run_bad "container not paused" oci resume web1
}

@test "kill KILL ends a paused container" {
	requires root
	start_counting_quickly web1
	oci pause web1
	oci kill web1 KILL
	wait_until has_status web1 stopped
}

@test "delete --force removes a paused container" {
	requires root
	start_counting_quickly web1
	oci pause web1
	run_bad "cannot delete container web1 that is not stopped: paused" \
		oci delete web1
	# A frozen process does not die, however long one waits for it.
	run_ok timeout "$((${SANDLOCK_PATIENCE:-10} / 2))" "$SANDLOCK_OCI" \
		--root "$ROOT" delete --force web1
	assert_gone web1
}

@test "exec refuses a paused container, or waits with --ignore-paused" {
	requires root
	start_counting_quickly web1
	oci pause web1
	run oci exec web1 true
	[ "$status" -eq 255 ]
	assert_output_has "cannot exec in a paused container"
	oci exec --ignore-paused web1 sh -c 'echo in >/entered' 3>&- &
	entered=$!
	sleep 0.2
	[ ! -e "$BUNDLE/rootfs/entered" ]
	oci resume web1
	wait "$entered"
	[ "$(cat "$BUNDLE/rootfs/entered")" = in ]
}

@test "pause of a container without a cgroup says what is missing" {
	requires root
	new_bundle
	args sleep 1000
	config 'del(.linux.cgroupsPath) | del(.linux.resources)'
	"$SANDLOCK_OCI" --root "$ROOT" --cgroup-manager disabled run --detach \
		--bundle "$BUNDLE" web1 </dev/null >/dev/null 2>&1 3>&-
	run_bad "no cgroup with a freezer" oci pause web1
}
