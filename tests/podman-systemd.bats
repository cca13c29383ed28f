#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/podman-systemd.bats - podman with cgroup v2 and systemd, by root and by
# a user: what it has there only, or differently.

load helpers
load podman

setup_file() {
	[ -z "$(lacks)" ] || return 0
	make_rootfs "$BATS_FILE_TMPDIR/rootfs"
	write_test_configuration
	by_root
	load_image
	start_user
	load_image
}

# What ends, may take a moment.
teardown() {
	[ -z "$(lacks)" ] || return 0
	podman rm -f -a -t 0 >/dev/null
	wait_until no_container_left || {
		left_of_containers
		return 1
	}
}

# The user's podman keeps a process, for its namespaces.
teardown_file() {
	[ -z "$(lacks)" ] || return 0
	by_user
	podman system migrate
}

# ---- the tests, for either caller ----

runs_a_program() {
	run -0 podman_run_rm "$IMAGE" echo hello
	[ "$output" = hello ]
	run -7 podman_run_rm "$IMAGE" sh -c 'exit 7'
	run -127 podman_run_rm "$IMAGE" nosuch
	run -0 podman info --format \
		'{{.Host.OCIRuntime.Name}} {{.Host.CgroupManager}} {{.Host.CgroupsVersion}}'
	[ "$output" = "sandlock systemd v2" ]
}

executes_beside() {
	start_in_scope
	run -0 podman exec a cat /proc/self/cgroup
	[ "$output" = 0::/ ]
	[ "$(wc -l <"$SCOPE/cgroup.procs")" -eq 2 ]
	run -9 podman exec a sh -c 'exit 9'
	podman exec -d a sleep 1000
	[ "$(wc -l <"$SCOPE/cgroup.procs")" -eq 3 ]
}

sets_limits() {
	start_in_scope --memory 64m --memory-reservation 32m --pids-limit 50 \
		--cpus 0.5 --cpuset-cpus 0
	podman_limit_is memory.max 67108864
	podman_limit_is memory.low 33554432
	podman_limit_is pids.max 50
	podman_limit_is cpu.max "50000 100000"
	podman_limit_is cpuset.cpus 0
	[ "$(manager show -P MemoryMax "${SCOPE##*/}")" = 67108864 ]
	run -0 podman exec a sh -c \
		'cd /sys/fs/cgroup && cat memory.max pids.max cpu.max cpuset.cpus'
	assert_lines $'67108864\n50\n50000 100000\n0'
	run -2 podman_run_rm --pids-limit 5 "$IMAGE" \
		sh -c 'for i in 1 2 3 4 5 6 7; do sleep 9 & done; wait'
	assert_output_has "can't fork"
}

updates_limits() {
	start_in_scope --memory 64m --pids-limit 50
	podman update --memory 32m --cpus 0.25 --cpuset-cpus 0 a
	podman_limit_is memory.max 33554432
	podman_limit_is cpu.max "25000 100000"
	podman_limit_is cpuset.cpus 0
	podman_limit_is pids.max 50
	manager daemon-reload
	podman_limit_is memory.max 33554432
}

pauses() {
	start_in_scope
	podman pause a
	podman_limit_is cgroup.freeze 1
	[ "$(podman inspect --format '{{.State.Status}}' a)" = paused ]
	podman unpause a
	podman_limit_is cgroup.freeze 0
	run -0 podman exec a true
}

shows_statistics() {
	start_in_scope --memory 64m
	run -0 podman stats --no-stream --no-reset \
		--format '{{.Name}} {{.PIDS}} {{.MemUsage}}' a
	assert_output_has "a 2 "
	assert_output_has "67.11MB"
}

# shellcheck disable=SC2016 # for the shell inside
# podman 4.3 calls none OOMKilled here, whatever the runtime.
kills_for_memory() {
	run -137 podman_run_rm --memory 16m --memory-swap 16m "$IMAGE" tail /dev/zero
	run -137 podman_run_rm --memory 16m --memory-swap 16m "$IMAGE" sh -c '
		tail /dev/zero
		code=$?
		cat /sys/fs/cgroup/memory.events
		exit $code'
	assert_output_has "oom_kill 1"
}

# A slice of the caller's manager, which may be new.
has_a_parent() {
	SLICE=user.slice/user-box.slice
	[ "$MANAGER" = --user ] || SLICE=box.slice
	start_in_scope --cgroup-parent "${SLICE##*/}"
	grep -q . "$SCOPE/cgroup.procs"
	[ "$(manager show -P Slice "${SCOPE##*/}")" = "${SLICE##*/}" ]
}

# A pod is a slice.
has_a_pod() {
	local id

	id=$(podman pod create --name p --network none)
	SLICE=$SLICE/${SLICE%.slice}-libpod_pod_$id.slice
	start_in_scope --pod p --pids-limit 50
	podman_limit_is pids.max 50
	[ "$(manager show -P Slice "${SCOPE##*/}")" = "${SLICE##*/}" ]
	podman pod rm -f -t 0 p
	wait_until no_container_left
}

# As a service of systemd would have it: all is below the service's cgroup.
splits_the_cgroup_of_a_service() {
	local payload

	write_service split --cgroups split --name a --pids-limit 50 \
		"$IMAGE" sleep 1000
	manager daemon-reload
	manager start split
	payload=/sys/fs/cgroup$(manager show -P ControlGroup split)
	wait_until compgen -G "$payload/libpod-payload-*/pids.max"
	SCOPE=$(compgen -G "$payload/libpod-payload-*")
	wait_until grep -q . "$SCOPE/cgroup.procs"
	podman_limit_is pids.max 50
	wait_until podman exec a true
	podman rm -f -t 0 a
	wait_until [ ! -e "$payload" ]
}

leaves_nothing() {
	start_in_scope
	grep -q . "$SCOPE/cgroup.procs"
	podman stop -t 20 a
	wait_until no_container_left
	[ "$(podman inspect --format '{{.State.ExitCode}}' a)" -eq 3 ]
	podman start a
	grep -q . "$SCOPE/cgroup.procs"
	podman rm -f -t 0 a
	wait_until no_container_left
	[ -z "$(podman ps -aq)" ]
}

# ---- by root ----

@test "podman of root runs a program and exits with its status" {
	by_root
	runs_a_program
}

@test "podman exec of root is in the scope of the container" {
	by_root
	executes_beside
}

@test "podman of root limits memory, processes and CPUs" {
	by_root
	sets_limits
}

@test "podman update of root changes the limits" {
	by_root
	updates_limits
}

@test "podman of root pauses a container and lets it go on" {
	by_root
	pauses
}

@test "podman stats of root looks at a container" {
	by_root
	shows_statistics
}

@test "podman of root sees that a program with too much memory is killed" {
	by_root
	kills_for_memory
}

@test "podman of root puts a container into the slice of --cgroup-parent" {
	by_root
	has_a_parent
}

@test "podman of root makes a pod a slice" {
	by_root
	has_a_pod
}

@test "podman of root splits the cgroup of a service" {
	by_root
	splits_the_cgroup_of_a_service
}

@test "podman of root leaves neither a unit nor a cgroup" {
	by_root
	leaves_nothing
}

# ---- by a user ----

@test "podman of a user runs a program and exits with its status" {
	by_user
	runs_a_program
}

@test "podman exec of a user is in the scope of the container" {
	by_user
	executes_beside
}

@test "podman of a user limits memory, processes and CPUs" {
	by_user
	sets_limits
}

@test "podman update of a user changes the limits" {
	by_user
	updates_limits
}

@test "podman of a user pauses a container and lets it go on" {
	by_user
	pauses
}

@test "podman stats of a user looks at a container" {
	by_user
	shows_statistics
}

@test "podman of a user sees that a program with too much memory is killed" {
	by_user
	kills_for_memory
}

@test "podman of a user puts a container into the slice of --cgroup-parent" {
	by_user
	has_a_parent
}

@test "podman of a user makes a pod a slice" {
	by_user
	has_a_pod
}

@test "podman of a user splits the cgroup of a service" {
	by_user
	splits_the_cgroup_of_a_service
}

@test "podman of a user leaves neither a unit nor a cgroup" {
	by_user
	leaves_nothing
}
