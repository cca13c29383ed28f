#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/checkpoint-refusals.bats - what cannot be saved or restored.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load checkpoint

@test "checkpoint refuses a container that is not running" {
	run_bad "box: container does not exist" checkpoint box
	new_bundle box
	args sleep 1000
	create box
	run_bad "box: cannot checkpoint a container that is created" \
		checkpoint box
	oci start box
	oci kill box KILL
	wait_until has_status box stopped
	run_bad "box: cannot checkpoint a container that is stopped" \
		checkpoint box
	[ ! -e "$IMAGES" ]
}

@test "restore refuses an ID that is in use, and images that do not exist" {
	start_counting box
	run_bad "--image-path: open $IMAGES: no such file" restore other
	run_ok checkpoint --leave-running box
	run_bad "box: container with given ID already exists" restore box
	counts_on
}

@test "restore refuses broken images" {
	start_counting box
	run_ok checkpoint box
	mkdir "$TMP/good"
	cp "$IMAGES"/* "$TMP/good/"
	for image in "$TMP"/good/{core-1,inventory,mm-1,mountpoints-*,pstree}.img; do
		truncate -s 20 "$IMAGES/${image##*/}"
		refused_restore "(log file: $IMAGES/restore.log)"
		printf 'nonsense nonsense nonsense' >"$IMAGES/${image##*/}"
		refused_restore "criu: "
		cp "$image" "$IMAGES/"
	done
	echo '["pipe:[1]", 7]' >"$IMAGES/descriptors.json"
	refused_restore "descriptors.json"
	rm "$IMAGES/descriptors.json"
	rm "$IMAGES"/*.img
	refused_restore "(log file: $IMAGES/restore.log)"
}

@test "a checkpoint on a full disk leaves the container running" {
	start_counting box
	mkdir "$IMAGES"
	run privately "$BASH" -c 'mount -t tmpfs -o size=64k tmpfs "$1" &&
		shift && exec "$@"' bash "$IMAGES" "${PROGRAM[@]}" \
		checkpoint --image-path "$IMAGES" box
	[ "$status" -eq 1 ]
	assert_output_has "criu: "
	assert_status box running
	counts_on
}

@test "checkpoint names a criu that is missing or too old" {
	requires python3
	start_counting box
	run_bad "execute $TMP/none: no such file" \
		oci --criu "$TMP/none" checkpoint --image-path "$IMAGES" box
	run_bad "none is not in PATH" \
		oci --criu none checkpoint --image-path "$IMAGES" box
	printf '#!/bin/sh\n' >"$TMP/mute"
	cat >"$TMP/old" <<-'END'
		#!/usr/bin/env python3
		import socket
		link = socket.socket(fileno=3)
		link.recv(4096)
		link.send(bytes([0x08, 10, 0x10, 1, 0x52, 4, 8, 3, 16, 11]))
		link.recv(4096)
	END
	chmod 0755 "$TMP/mute" "$TMP/old"
	run_bad "$TMP/mute does not report its version: 3.16 or later is required" \
		oci --criu "$TMP/mute" checkpoint --image-path "$IMAGES" box
	run_bad "$TMP/old is version 3.11: 3.16 or later is required" \
		oci --criu "$TMP/old" checkpoint --image-path "$IMAGES" box
	counts_on
}

@test "a killed checkpoint leaves the container running" {
	start_counting box
	for delay in 0.03 0.06 0.09 0.12 0.15 0.2 0.25; do
		run timeout --signal KILL "$delay" "${PROGRAM[@]}" \
			checkpoint --image-path "$IMAGES" --leave-running box
		wait_until has_status box running
		counts_on
	done
}

# killed_at N: the container goes on, or is in the images as a whole. criu ends
# what it has begun, and holds the container until then.
killed_at() {
	local r=0

	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	timeout -k 1 30 "$BATS_FILE_TMPDIR/inject" self "$1" "${PROGRAM[@]}" \
		checkpoint --image-path "$IMAGES" box >"$TMP/said" 2>&1 || r=$?
	[ ! -d "$ROOT/box" ] || flock "$ROOT/box" true
	if [ $r -eq 99 ]; then
		assert_gone box
		return 99
	fi
	WHOLE=yes
	if [ -d "$ROOT/box" ] && has_status box running; then
		WHOLE=maybe
		counts_on
	fi
	oci delete --force box
	[ $r -eq 137 ]
}

# The images of a container that went on may be complete, too, if any.
restored_or_refused() {
	local r=0

	restore box >"$TMP/said" 2>&1 || r=$?
	if [ $r -eq 0 ]; then
		counts_on
		oci delete --force box
	else
		cat "$TMP/said"
		[ "$WHOLE" = maybe ] && [ "$(wc -l <"$TMP/said")" -eq 1 ]
	fi
	[ -z "$(leftovers)" ]
	rm -rf "$IMAGES" "$BUNDLE/rootfs/count"
}

@test "a checkpoint killed at any system call loses no container" {
	local n r every=${SANDLOCK_EVERY:-29}

	requires static "${CC:-cc}" flock
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/inject" \
		"$BATS_TEST_DIRNAME/inject.c"
	new_bundle box
	args sh -c "$COUNTING"
	for ((n = 1 + RANDOM % every; ; n += every)); do
		r=0
		killed_at "$n" || r=$?
		[ $r -ne 99 ] || break
		echo "at system call $n"
		[ $r -eq 0 ]
		restored_or_refused
	done
}

@test "a criu that dies during a restore leaves nothing behind" {
	requires python3
	start_counting box
	run_ok checkpoint box
	cat >"$TMP/dying" <<-'END'
		#!/usr/bin/env python3
		import socket
		link = socket.socket(fileno=3)
		link.recv(65536)
		link.send(bytes([0x08, 10, 0x10, 1, 0x52, 4, 8, 4, 16, 1]))
		link.recv(65536)
	END
	chmod 0755 "$TMP/dying"
	run_bad "criu ended without an answer" oci --criu \
		"$TMP/dying" restore --detach --bundle "$BUNDLE" \
		--image-path "$IMAGES" box
	assert_gone box
	[ -z "$(leftover_cgroups)" ]
}

@test "checkpoint and restore refuse a container with a policy" {
	new_bundle box
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	config '.annotations."io.sandlock.limits.open_files" = "100"'
	refused_restore "checkpoint is not supported for containers with a policy"
	start_container box
	run_bad "checkpoint is not supported for containers with a policy" checkpoint box
	assert_status box running
}

@test "checkpoint and restore refuse a policy that needs a supervisor, and change nothing" {
	local super

	new_bundle box
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	annotate_policy config.supervisor=true
	refused_restore "checkpoint is not supported for containers with a policy"
	assert_gone box
	[ -z "$(leftover_cgroups)" ]
	start_container box
	super=$(jq .supervisor "$ROOT/box/state.json")
	run_bad "checkpoint is not supported for containers with a policy" checkpoint box
	assert_status box running
	kill -0 "$super"
	run_ok oci exec box true
}

@test "checkpoint names the idmapped mounts that it cannot save" {
	start_counting box
	cp "$ROOT/box/config.json" "$TMP/config.json"
	jq '.mounts += [{destination: "/x", type: "bind", source: "/tmp",
		options: ["bind", "idmap"]}]' "$TMP/config.json" \
		>"$ROOT/box/config.json"
	run_bad "criu cannot restore an idmapped mount" checkpoint box
}

@test "checkpoint and restore refuse a caller that is not root" {
	new_user
	new_user_bundle
	config '.process.args = ["sleep", "1000"]'
	as_user ./sandlock-oci run --detach --bundle "$BUNDLE" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_bad "checkpoint and restore require root" as_user ./sandlock-oci --criu "$CRIU" \
		checkpoint --image-path "$USER_HOME/images" box
	[ ! -e "$USER_HOME/images" ]
}
