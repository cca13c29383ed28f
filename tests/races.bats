#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/races.bats - many commands at once: one of each kind wins, and nothing
# is left.

load helpers

setup() {
	sandlock_setup
	requires root static
}

# at_once N FUNCTION: in N processes; their statuses go to $TMP/statuses, what
# they say to $TMP/said.
at_once() {
	local n=$1 i pids=()

	rm -f "$TMP/statuses"
	for ((i = 1; i <= n; i++)); do
		{
			local r=0

			"$2" "$i" </dev/null >"$TMP/said.$i" 2>&1 || r=$?
			echo $r >>"$TMP/statuses"
		} 3>&- &
		pids+=($!)
	done
	wait "${pids[@]}"
	cat "$TMP"/said.* >"$TMP/said"
	rm -f "$TMP"/said.*
}

# count_status N: how many ended like that.
count_status() {
	grep -cx "$1" "$TMP/statuses" || true
}

create_c1() {
	oci create --bundle "$BUNDLE" c1
}

@test "exactly one of several creates that race for an ID wins" {
	local _

	new_bundle
	for _ in {1..10}; do
		at_once 6 create_c1
		[ "$(count_status 0)" -eq 1 ]
		[ "$(count_status 1)" -eq 5 ]
		[ "$(grep -c "^sandlock-oci: c1: container with given ID already exists$" \
			"$TMP/said")" -eq 5 ]
		assert_status c1 created
		run_ok oci delete c1
		nothing_left
	done
}

start_c1() {
	oci start c1
}

@test "exactly one of several racing starts wins, and the others say why" {
	local _

	new_bundle
	args sleep 1000
	for _ in {1..10}; do
		run_ok create c1
		at_once 5 start_c1
		[ "$(count_status 0)" -eq 1 ]
		[ "$(count_status 1)" -eq 4 ]
		[ "$(grep -c "^sandlock-oci: cannot start an already running container$" \
			"$TMP/said")" -eq 4 ]
		assert_status c1 running
		run_ok oci delete --force c1
		nothing_left
	done
}

create_or_delete_c1() {
	if (($1 % 2)); then
		create_c1
	else
		oci delete --force c1
	fi
}

@test "create and delete --force may race for an ID" {
	local _

	new_bundle
	args sleep 1000
	for _ in {1..15}; do
		at_once 6 create_or_delete_c1
		# The last command decides whether the container exists.
		[ ! -e "$ROOT/c1" ] || assert_status c1 created
		[ "$(count_status 0)" -ge 4 ]
		run_ok oci delete --force c1
		if ! wait_until nothing_left; then
			leftovers
			cat "$TMP/said"
			return 1
		fi
	done
}

kill_or_delete_c1() {
	case $1 in
	1 | 2) oci delete --force c1 ;;
	3) oci delete c1 ;;
	4) oci kill c1 KILL ;;
	5) oci exec c1 true ;;
	*) oci state c1 ;;
	esac
}

@test "a container is deleted once, whatever other commands run" {
	local _

	new_bundle
	args sleep 1000
	for _ in {1..10}; do
		run_ok start_container c1
		at_once 7 kill_or_delete_c1
		wait_until nothing_left
		assert_gone c1
	done
}

# The whole life of one of many.
live() {
	oci create --bundle "$BUNDLE.$1" "many$1" &&
		oci start "many$1" &&
		oci kill "many$1" KILL &&
		wait_until has_status "many$1" stopped &&
		oci delete "many$1"
}

@test "fifty containers live and die side by side" {
	local i

	new_bundle
	args sleep 1000
	for i in {1..50}; do
		mkdir "$BUNDLE.$i"
		jq --arg path "$CGROUP_PARENT/many$i" --arg root "$BUNDLE/rootfs" \
			'.linux.cgroupsPath = $path | .root.path = $root' \
			"$BUNDLE/config.json" >"$BUNDLE.$i/config.json"
	done
	at_once 50 live
	if [ "$(count_status 0)" -ne 50 ] || ! nothing_left; then
		cat "$TMP/said"
		leftovers
		return 1
	fi
}
