#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker-userns.bats - docker with its containers in a user namespace.

load docker

setup_file() {
	has_engine containerd runc iptables
	room_open
	room_user
	start_docker --userns-remap "$USER_NAME"
	docker_once "$IMAGE" true
	room_settled
}

# bats test_tags=user-namespaces
@test "docker --userns-remap runs containers as an unprivileged user outside" {
	docker_start_sleeping one
	expect 0 "0     300000      65536" docker exec one \
		cat /proc/self/uid_map
	[ "$(room stat -c %u "/proc/$(docker_pid one)")" -eq 300000 ]
	expect 0 "0 0 755" docker exec one stat -c '%u %g %a' /etc
}

# bats test_tags=user-namespaces
@test "docker run --userns host runs a container as root outside" {
	expect 0 "4294967295" docker_once --userns host "$IMAGE" \
		cat /proc/self/uid_map
}

# bats test_tags=user-namespaces,binds
@test "docker --userns-remap writes to a bound directory as the mapped user" {
	mkdir "$TMP/dir"
	chmod 0777 "$TMP/dir"
	docker_once -v "$TMP/dir:/dir" "$IMAGE" touch /dir/new
	[ "$(stat -c %u "$TMP/dir/new")" -eq 300000 ]
}
