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
	docker_once "$IMAGE" true
	room_settled
}

docker_count() {
	docker exec "$1" cat /count
}

docker_counted_past() {
	[ "$(docker_count "$2")" -gt "$1" ]
}

# docker_start_counting NAME: one that counts in a file for as long as it lives.
docker_start_counting() {
	docker_run -d --name "$1" "$IMAGE" sh -c 'i=0; while :; do
		i=$((i + 1)); echo $i >/new; mv /new /count; sleep 0.05
		done' >/dev/null
	wait_until docker exec "$1" test -s /count
}

# docker_content: the blobs that the containerd of docker stores.
docker_content() {
	room env PATH="$DOCKER:$PATH" ctr --namespace moby \
		--address /run/docker/containerd/containerd.sock content ls --quiet
}

# docker_collected: whether containerd has removed the blob of the checkpoint.
# Its garbage collector runs after `checkpoint create` has returned. A start
# that comes first uploads the same bytes and fails: "already exists".
docker_collected() {
	local blobs

	blobs=$(docker_content) && [ -z "$blobs" ]
}

# bats test_tags=checkpoint
@test "docker restores a container at the point of its checkpoint" {
	local before

	docker_start_counting one
	before=$(docker_count one)
	expect 0 saved docker checkpoint create one saved
	wait_until has exited docker_state one
	wait_until docker_collected
	expect 0 "" docker start --checkpoint saved one
	expect 0 running docker_state one
	docker_counted_past "$((before - 1))" one
	wait_until docker_counted_past "$((before + 5))" one
}

# bats test_tags=checkpoint
@test "docker checkpoint create --leave-running leaves the container running" {
	docker_start_counting one
	expect 0 saved docker checkpoint create --leave-running one saved
	expect 0 running docker_state one
	wait_until docker_counted_past "$(docker_count one)" one
	expect 0 saved docker checkpoint ls one
}
