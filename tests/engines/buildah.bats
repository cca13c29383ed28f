#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/buildah.bats - buildah run, while an image is built.

load podman

setup_file() {
	has_engine buildah
	room_open
	write_podman_configuration
	write_places
	buildah from --name base "docker-archive:$ROOM/image.tar"
	engine buildah "$(buildah --version)"
	run_in true
	buildah run --runtime "$RUNTIME" --isolation oci --network private \
		base -- true
	room_settled
}

buildah() {
	podman_environment buildah "$@"
}
export -f buildah

# buildah_with OPTION... -- PROGRAM...: run it with these.
buildah_with() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	buildah run --runtime "$RUNTIME" --isolation oci --network none \
		"${options[@]}" base -- "$@"
}
export -f buildah_with

run_in() {
	buildah_with -- "$@"
}

remove_all() {
	:
}

# bats test_tags=run,exit-codes
@test "buildah runs a program and exits with its status" {
	expect 0 hello run_in echo hello
	expect 7 "" run_in sh -c 'exit 7'
	expect 143 "" run_in sh -c 'sh -c "kill -TERM \$\$"; exit $?'
}

# bats test_tags=exit-codes
@test "buildah names the program it cannot run, and why" {
	expect 1 "executable file not found in \$PATH" run_in nosuch
	expect 1 "permission denied" run_in /etc/passwd
	assert_output_has /etc/passwd
}

# bats test_tags=tty
@test "buildah gives a program a terminal" {
	expect 0 /dev/pts/ terminal buildah_with --terminal -- tty
}

# bats test_tags=run,hostname
@test "buildah runs a program with a user, a working directory, a variable and a host name" {
	expect 0 "uid=1(daemon)" buildah_with --user daemon -- id
	expect 0 /tmp buildah_with --workingdir /tmp -- pwd
	expect 0 WORD=here buildah_with --env WORD=here -- env
	expect 0 inside buildah_with --hostname inside -- hostname
}

# Later mounts of the host cannot arrive: buildah is in a mount namespace.
# bats test_tags=propagation
@test "buildah binds a directory with shared or private mounts" {
	expect 0 " /dir " buildah_with -v "$TMP:/dir:rshared" -- \
		grep 'shared:' /proc/self/mountinfo
	expect 1 "" buildah_with -v "$TMP:/dir:rprivate" -- \
		grep ' /dir .*shared:' /proc/self/mountinfo
}

# bats test_tags=volumes
@test "buildah bud keeps the files of a cache" {
	local run='RUN --mount=type=cache,target=/kept'

	build "$run echo kept >/kept/file" --layers=false
	expect 0 kept build "$run cat /kept/file" --layers=false
}

# bats test_tags=sysctl
@test "buildah run lets everyone send pings in a network of its own" {
	expect 0 "" buildah run --runtime "$RUNTIME" --isolation oci \
		--network private base -- \
		cat /proc/sys/net/ipv4/ping_group_range
	assert_lines "0	0"
}

# bats test_tags=binds
@test "buildah mounts the file systems that a program needs" {
	echo kept >"$TMP/file"
	expect 0 "Read-only file system" buildah_with -v "$TMP:/dir:ro" -- \
		sh -c '! touch /dir/new && cat /dir/file'
	assert_output_has kept
}

# bats test_tags=capabilities,seccomp
@test "buildah takes capabilities away and filters system calls" {
	expect 1 "Operation not permitted" buildah_with --cap-drop CAP_CHOWN -- \
		chown 1 /tmp
	expect 0 "Seccomp:	2" run_in grep Seccomp /proc/self/status
}

# bats test_tags=host-namespaces
@test "buildah run --network host and its like share the caller's namespaces" {
	local ns

	for ns in pid uts ipc; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" \
			buildah_with --$ns host -- readlink /proc/self/ns/$ns
	done
	expect 0 "$(room readlink /proc/self/ns/net)" buildah run \
		--runtime "$RUNTIME" --isolation oci --network host base -- \
		readlink /proc/self/ns/net
}

# bats test_tags=shared-namespaces
@test "buildah run joins a namespace by its path" {
	local pid

	room unshare --uts sh -c \
		'echo other >/proc/sys/kernel/hostname; exec sleep 1000' &
	wait_until room pgrep -xf "sleep 1000"
	pid=$(room pgrep -xf "sleep 1000")
	expect 0 other buildah_with --uts "/proc/$pid/ns/uts" -- hostname
	room kill "$pid"
}

# bats test_tags=tmpfs
@test "buildah mounts a tmpfs" {
	expect 0 "tmpfs /scratch" buildah_with \
		--mount type=tmpfs,destination=/scratch -- cat /proc/mounts
}

# bats test_tags=cgroup-namespace
@test "buildah run gives a program a cgroup namespace, or the caller's" {
	expect 1 "" buildah_with --cgroupns private -- grep -v ':/$' /proc/self/cgroup
	expect 0 "$(room readlink /proc/self/ns/cgroup)" \
		buildah_with --cgroupns host -- readlink /proc/self/ns/cgroup
}

# build INSTRUCTION [OPTION...]: on top of the image.
build() {
	printf '%s\n' "FROM docker-archive:$ROOM/image.tar" "$1" \
		>"$TMP/Containerfile"
	shift
	buildah bud --runtime "$RUNTIME" --isolation oci --network none \
		--file "$TMP/Containerfile" "$@" "$TMP"
}

# bats test_tags=memory,cpus,cpuset
@test "buildah bud sets limits for the programs it runs" {
	expect 0 67108864 memory_limit build_cat --memory 64m
	expect 0 50000 cpu_quota build_cat --cpu-quota 50000 \
		--cpu-period 100000
	expect 0 $'\n0\n' cpuset build_cat --cpuset-cpus 0
}

# build_cat OPTION... FILE: what it is while an image is built.
build_cat() {
	build "RUN cat ${*: -1}" "${@:1:$#-1}"
}

# bats test_tags=oom-kill
@test "buildah bud fails if a program exceeds its memory limit" {
	expect 1 "exited on killed" build "RUN tail /dev/zero" --memory 16m \
		--memory-swap 16m
}

# bats test_tags=ulimits,devices,cgroup-parent
@test "buildah bud gives its programs the limits, devices and cgroup of its options" {
	expect 0 123 build "RUN ulimit -n" --ulimit nofile=123:123
	expect 0 crw-rw-rw- build "RUN ls -l /dev/nought" \
		--device /dev/zero:/dev/nought
	expect 0 :/given build "RUN cat /proc/self/cgroup" \
		--cgroup-parent /given --cgroupns host
	remove_cgroup given
}

# bats test_tags=user-namespaces
@test "buildah bud runs programs in a user namespace" {
	expect 0 "0     300000      65536" build "RUN cat /proc/self/uid_map" \
		--userns-uid-map 0:300000:65536 --userns-gid-map 0:300000:65536
}

# bats test_tags=seccomp
@test "buildah bud takes a seccomp profile of the caller's, or none" {
	no_mkdir >"$TMP/profile.json"
	expect 1 "Operation not permitted" build "RUN mkdir /tmp/new" \
		--security-opt "seccomp=$TMP/profile.json"
	expect 0 "Seccomp:	0" build "RUN grep Seccomp /proc/self/status" \
		--security-opt seccomp=unconfined
}

# bats test_tags=secrets
@test "buildah bud hands a secret to a program" {
	echo whispered >"$TMP/secret"
	expect 0 whispered build \
		"RUN --mount=type=secret,id=word cat /run/secrets/word" \
		--secret "id=word,src=$TMP/secret"
}

# bats test_tags=network
@test "buildah runs a program in a network of its own" {
	expect 0 eth0 buildah run --runtime "$RUNTIME" --isolation oci \
		--network private base -- ls /sys/class/net
}

# bats test_tags=run
@test "an image has the files that programs of buildah run wrote" {
	run_in sh -c 'echo made >/made'
	expect 0 made run_in cat /made
}
