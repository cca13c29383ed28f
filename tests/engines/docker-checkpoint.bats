#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker-checkpoint.bats - docker saves and restores containers.
#
# The shell inside has dollars of its own.
# shellcheck disable=SC2016

load docker
load ../criu

setup_file() {
	has_engine containerd runc iptables
	find_criu
	requires_criu
	room_open
	show_criu
	start_docker --experimental
	once "$IMAGE" true
	room_settled
}

count() {
	docker exec "$1" cat /count
}

more_than() {
	[ "$(count "$2")" -gt "$1" ]
}

# counting NAME: one that counts in a file for as long as it lives.
counting() {
	docker_run -d --name "$1" "$IMAGE" sh -c 'i=0; while :; do
		i=$((i + 1)); echo $i >/new; mv /new /count; sleep 0.05
		done' >/dev/null
	wait_until docker exec "$1" test -s /count
}

# bats test_tags=checkpoint
@test "docker restores a container where its checkpoint was made" {
	local before

	counting one
	before=$(count one)
	expect 0 saved docker checkpoint create one saved
	wait_until has exited state_of one
	expect 0 "" docker start --checkpoint saved one
	expect 0 running state_of one
	more_than "$((before - 1))" one
	wait_until more_than "$((before + 5))" one
}

# bats test_tags=checkpoint
@test "docker checkpoint create --leave-running leaves it running" {
	counting one
	expect 0 saved docker checkpoint create --leave-running one saved
	expect 0 running state_of one
	wait_until more_than "$(count one)" one
	expect 0 saved docker checkpoint ls one
}
