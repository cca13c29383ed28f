#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/containerd-checkpoint.bats - containerd saves and restores containers.
#
# The shell inside has dollars of its own.
# shellcheck disable=SC2016

load containerd
load ../criu

setup_file() {
	has_engine containerd ctr
	find_criu
	requires_criu
	room_open
	show_criu
	start_containerd
	engine "containerd, ctr," "$(containerd_version)"
	start_counting_task first
	ctr containers checkpoint --task first first
	remove_all
	room_settled
}

# start_counting_task ID [OPTION...]: one that counts in a file for as long as
# it lives.
start_counting_task() {
	local id=$1

	shift
	ctr run -d --runc-binary "$RUNTIME" "$@" "$IMAGE" "$id" sh -c \
		'i=0; while :; do
		i=$((i + 1)); echo $i >/new; mv /new /count; sleep 0.05; done'
	wait_until counts "$id"
}

remove_all() {
	local id

	for id in $(ctr tasks list -q); do
		ctr tasks kill -s KILL "$id" 2>/dev/null || true
		ctr tasks rm -f "$id" 2>/dev/null || true
	done
	for id in $(ctr containers list -q); do
		ctr containers rm "$id"
	done
}

counts() {
	task_exec "$1" test -s /count
}

task_counted_past() {
	[ "$(task_exec "$2" cat /count)" -gt "$1" ]
}

# bats test_tags=checkpoint
@test "ctr restores a container at the point of its checkpoint" {
	start_counting_task a
	before=$(task_exec a cat /count)
	expect 0 "" ctr containers checkpoint --task --rw a saved
	expect 0 RUNNING ctr tasks list
	ctr tasks kill -s KILL a
	wait_until has STOPPED ctr tasks list
	ctr tasks rm a
	ctr containers rm a
	expect 0 "" ctr containers restore --live --rw b saved
	expect 0 RUNNING ctr tasks list
	wait_until task_counted_past "$((before - 1))" b
	ctr tasks kill -s KILL b
	wait_until has STOPPED ctr tasks list
}

# bats test_tags=checkpoint
@test "ctr tasks checkpoint --exit ends the container" {
	start_counting_task a
	expect 0 "" ctr tasks checkpoint --exit --image-path "$ROOM/images" \
		--work-path "$ROOM" a
	wait_until has STOPPED ctr tasks list
	[ -s "$ROOM/images/inventory.img" ]
	rm -r "$ROOM/images"
}
