#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker-settings.bats - docker: what a container is given.

load docker

setup_file() {
	has_engine containerd runc iptables
	room_open
	start_docker
	docker run --rm --runtime sandlock --network host "$IMAGE" true
	room_settled
}

# bats test_tags=memory,pids
@test "docker sets limits of memory and processes" {
	docker_start_sleeping one --memory 64m --pids-limit 50
	[ "$(memory_limit docker exec one cat)" -eq 67108864 ]
	[ "$(pids_limit docker exec one cat)" -eq 50 ]
}

# bats test_tags=cpus,cpuset
@test "docker sets the CPU quota and the CPUs" {
	docker_start_sleeping one --cpus 0.5 --cpuset-cpus 0
	expect 0 50000 cpu_quota docker exec one cat
	expect 0 "" cpuset docker exec one cat
	[ "$output" = 0 ]
}

# bats test_tags=update
@test "docker update changes a limit of a running container" {
	docker_start_sleeping one --memory 64m --memory-swap 64m
	docker update --memory 32m --memory-swap 32m one
	[ "$(memory_limit docker exec one cat)" -eq 33554432 ]
}

# bats test_tags=oom-kill
@test "docker reports an OOM kill" {
	expect 137 "" docker_run --name one --memory 16m --memory-swap 16m \
		"$IMAGE" tail /dev/zero
	expect 0 true docker inspect --format '{{.State.OOMKilled}}' one
}

# bats test_tags=read-only,tmpfs,binds
@test "docker run mounts a tmpfs and a directory, and keeps the root read-only" {
	mkdir "$TMP/dir"
	expect 0 "Read-only file system" docker_once --read-only \
		--tmpfs /scratch -v "$TMP/dir:/dir" "$IMAGE" \
		sh -c '! touch /new && touch /scratch/new /dir/new'
	[ -e "$TMP/dir/new" ]
}

# bats test_tags=volumes
@test "docker keeps the files of a volume" {
	docker_once -v named:/named "$IMAGE" sh -c 'echo kept >/named/file'
	expect 0 kept docker_once -v named:/named:ro "$IMAGE" cat /named/file
}

# bats test_tags=propagation
@test "docker binds a directory with or without later mounts of the host" {
	local dir=$ROOM/propagation

	mkdir -p "$dir/later"
	room mount --bind "$dir" "$dir"
	room mount --make-shared "$dir"
	docker_start_sleeping slave -v "$dir:/dir:rslave"
	docker_start_sleeping private -v "$dir:/dir:rprivate"
	room mount -t tmpfs tmpfs "$dir/later"
	expect 0 /dir/later docker exec slave cat /proc/mounts
	expect 1 "" docker exec private grep /dir/later /proc/mounts
	room umount "$dir/later"
	docker_start_sleeping shared -v "$dir:/dir:rshared"
	mounts_back "$(docker_pid shared)" "$dir"
	docker rm -f slave private shared
	room umount "$dir"
}

# bats test_tags=capabilities
@test "docker drops capabilities, and adds one" {
	expect 0 "CapBnd:	0000000000000000" docker_once --cap-drop all "$IMAGE" \
		grep Cap /proc/self/status
	expect 0 "CapEff:	0000000000001000" docker_once --cap-drop all \
		--cap-add net_admin "$IMAGE" grep Cap /proc/self/status
}

# bats test_tags=seccomp,no-new-privileges
@test "docker sets a seccomp filter and no_new_privs" {
	expect 0 "Seccomp:	2" docker_once --security-opt no-new-privileges \
		"$IMAGE" grep -E 'Seccomp|NoNewPrivs' /proc/self/status
	assert_output_has "NoNewPrivs:	1"
	expect 0 "Seccomp:	0" docker_once --security-opt seccomp=unconfined \
		"$IMAGE" grep Seccomp /proc/self/status
}

# bats test_tags=seccomp
@test "docker takes a seccomp profile of the caller's" {
	no_mkdir >"$TMP/profile.json"
	expect 1 "Operation not permitted" docker_once \
		--security-opt "seccomp=$TMP/profile.json" "$IMAGE" \
		mkdir /tmp/new
}

# bats test_tags=privileged
@test "docker run --privileged runs even where not all capabilities are available" {
	expect 0 "" docker_once --privileged "$IMAGE" mount -t tmpfs tmpfs /tmp
}

# bats test_tags=devices
@test "docker gives a container a device, and no other" {
	expect 0 "crw-rw-rw-" docker_once --device /dev/zero:/dev/nought "$IMAGE" \
		sh -c 'ls -l /dev/nought && head -c 1 /dev/nought'
	expect 1 "Operation not permitted" docker_once "$IMAGE" \
		sh -c 'mknod /tmp/mem c 1 1; head -c 1 /tmp/mem'
}

# bats test_tags=sysctl,ulimits,hostname
@test "docker sets sysctls, limits and the host name of the container alone" {
	expect 0 77 docker_once --sysctl kernel.msgmax=77 "$IMAGE" \
		cat /proc/sys/kernel/msgmax
	expect 0 123 docker_once --ulimit nofile=123:123 "$IMAGE" \
		sh -c 'ulimit -n'
	expect 0 inside docker_once --hostname inside "$IMAGE" hostname
}

# bats test_tags=host-namespaces
@test "docker run --pid host and its like share the daemon's namespaces" {
	local ns

	for ns in pid uts ipc; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" \
			docker_once --$ns host "$IMAGE" readlink /proc/self/ns/$ns
	done
	expect 0 "$(room readlink /proc/self/ns/net)" \
		docker run --rm --runtime sandlock --network host "$IMAGE" \
		readlink /proc/self/ns/net
}

# bats test_tags=shared-namespaces
@test "a docker container joins the namespaces of another" {
	docker_start_sleeping one --ipc shareable
	expect 0 "$(docker exec one readlink /proc/self/ns/net)" \
		docker run --rm --runtime sandlock --network container:one \
		"$IMAGE" readlink /proc/self/ns/net
	expect 0 "sleep 1000" docker_once --pid container:one --ipc container:one \
		"$IMAGE" ps
}

# bats test_tags=init
@test "docker run --init reaps orphans" {
	expect 0 docker-init docker_once --init "$IMAGE" ps
}

# bats test_tags=cgroup-parent,cgroup-namespace
@test "docker run --cgroup-parent puts a container into that cgroup" {
	expect 0 "" docker_run -d --name one --cgroup-parent /given \
		--cgroupns private "$IMAGE" sleep 1000
	room grep -q "/given/" "/proc/$(docker_pid one)/cgroup"
	expect 1 "" docker exec one grep -v ':/$' /proc/self/cgroup
	docker rm -f one
	expect 0 "$(room readlink /proc/self/ns/cgroup)" \
		docker_once --cgroupns host "$IMAGE" readlink /proc/self/ns/cgroup
}

# bats test_tags=annotations
@test "docker passes annotations on to the runtime" {
	[ -n "$ENGINE_SUITE" ] || skip "needs a docker with --annotation"
	docker_start_sleeping one --annotation io.example.word=here
	expect 0 here room find /run/docker/containerd -name config.json \
		-exec grep -o '"io.example.word":"here"' {} +
}

# bats test_tags=policy
@test "docker gets the status of a container with a supervisor" {
	local with=(--annotation io.sandlock.config.supervisor=true)

	[ -n "$ENGINE_SUITE" ] || skip "needs a docker with --annotation"
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 hello docker_once "${with[@]}" "$IMAGE" echo hello
	expect 7 "" docker_once "${with[@]}" "$IMAGE" sh -c 'exit 7'
	docker_start_sleeping one "${with[@]}"
	expect 9 "" docker exec one sh -c 'exit 9'
	docker pause one
	docker unpause one
	docker kill -s KILL one
	expect 0 137 docker wait one
	docker rm one
}

# bats test_tags=policy
@test "docker passes a policy on, and does not run a container with a wrong one" {
	[ -n "$ENGINE_SUITE" ] || skip "needs a docker with --annotation"
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 "Seccomp_filters:	2" docker_once \
		--annotation io.sandlock.network.mode=deny "$IMAGE" \
		grep Seccomp /proc/self/status
	expect 125 "io.sandlock.network.mode: 'none' is not" docker_once \
		--annotation io.sandlock.network.mode=none "$IMAGE" true
}
