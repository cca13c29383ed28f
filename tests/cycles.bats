#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cycles.bats - five hundred lives, fifty at a time.

load helpers

ROUNDS=${SANDLOCK_ROUNDS:-10}
AT_ONCE=50

# cycle ID: one whole life; its complaints go to $TMP/complaints.
cycle() {
	local id=$1

	{
		oci create --bundle "$BUNDLE" \
			--config "$TMP/$id.json" "$id" </dev/null &&
			oci start "$id" &&
			oci kill "$id" KILL &&
			wait_until has_status "$id" stopped &&
			oci delete "$id"
	} >>"$TMP/complaints" 2>&1 || echo "$id failed" >>"$TMP/complaints"
}

@test "500 create, start, kill and delete cycles, 50 at a time, leave nothing" {
	local i round pids

	requires root static
	new_bundle web
	args sleep 1000
	for ((i = 0; i < AT_ONCE; i++)); do
		sed "s|$(cgroups_path web)\"|$(cgroups_path "web$i")\"|" \
			"$BUNDLE/config.json" >"$TMP/web$i.json"
	done
	for ((round = 0; round < ROUNDS; round++)); do
		pids=()
		for ((i = 0; i < AT_ONCE; i++)); do
			cycle "web$i" 3>&- &
			pids+=($!)
		done
		wait "${pids[@]}"
		[ ! -s "$TMP/complaints" ] || {
			cat "$TMP/complaints"
			return 1
		}
	done
	[ -z "$(ls "$ROOT")" ]
}
