#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/smoke.bats - a container's life in short: what still works when one
# defence is taken out. A runtime that runs nothing would pass any attack.
# shellcheck disable=SC2016 # the dollars are the container's
load ../helpers

setup() {
	sandlock_setup
	requires root
}

@test "smoke: a container runs, and its status is passed on" {
	new_bundle
	args sh -c 'hostname; exit 7'
	run oci run --bundle "$BUNDLE" box
	[ "$status" -eq 7 ]
	assert_lines sandlock
}

@test "smoke: create, start, exec, kill, delete" {
	start_sleeping box
	assert_status box running
	run_ok oci exec box sh -c 'id -u; echo $PPID'
	assert_lines $'0\n0'
	run_ok oci kill box KILL
	wait_until has_status box stopped
	run_ok oci delete box
	assert_gone box
}
