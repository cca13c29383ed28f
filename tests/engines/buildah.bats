#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/buildah.bats - buildah run, while an image is built.

load podman

setup_file() {
	has_engine buildah
	room_open
	write_configuration
	write_places
	buildah from --name base "docker-archive:$ROOM/image.tar"
	engine buildah "$(buildah --version)"
	run_in true
	room_settled
}

buildah() {
	podman_environment buildah "$@"
}
export -f buildah

# with OPTION... -- PROGRAM...: run it with these.
with() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	buildah run --runtime "$RUNTIME" --isolation oci --network none \
		"${options[@]}" base -- "$@"
}
export -f with

run_in() {
	with -- "$@"
}

remove_all() {
	:
}

# bats test_tags=run,exit-codes
@test "buildah runs a program and ends as it does" {
	expect 0 hello run_in echo hello
	expect 7 "" run_in sh -c 'exit 7'
	expect 1 "executable file not found in \$PATH" run_in nosuch
}

# bats test_tags=tty
@test "buildah gives a program a terminal" {
	expect 0 /dev/pts/ terminal with --terminal -- tty
}

# bats test_tags=run,hostname
@test "buildah runs a program as a user, in a place and by a name" {
	expect 0 "uid=1(daemon)" with --user daemon -- id
	expect 0 /tmp with --workingdir /tmp -- pwd
	expect 0 WORD=here with --env WORD=here -- env
	expect 0 inside with --hostname inside -- hostname
}

# bats test_tags=binds,volumes
@test "buildah mounts what a program needs" {
	echo kept >"$TMP/file"
	expect 0 "Read-only file system" with -v "$TMP:/dir:ro" -- \
		sh -c '! touch /dir/new && cat /dir/file'
	assert_output_has kept
}

# bats test_tags=capabilities,seccomp
@test "buildah takes capabilities away and filters system calls" {
	expect 1 "Operation not permitted" with --cap-drop CAP_CHOWN -- \
		chown 1 /tmp
	expect 0 "Seccomp:	2" run_in grep Seccomp /proc/self/status
}

# bats test_tags=host-namespaces
@test "buildah run --network host shares the caller's" {
	expect 0 "$(room readlink /proc/self/ns/net)" buildah run \
		--runtime "$RUNTIME" --isolation oci --network host base -- \
		readlink /proc/self/ns/net
}

# bats test_tags=memory
@test "buildah bud sets limits for the programs it runs" {
	cat >"$TMP/Containerfile" <<-END
		FROM docker-archive:$ROOM/image.tar
		RUN cat /sys/fs/cgroup/memory.max || \
			cat /sys/fs/cgroup/memory/memory.limit_in_bytes
	END
	expect 0 67108864 buildah bud --runtime "$RUNTIME" --isolation oci \
		--network none --memory 64m -f "$TMP/Containerfile" "$TMP"
}

# bats test_tags=run
@test "what buildah has run is in the image" {
	run_in sh -c 'echo made >/made'
	expect 0 made run_in cat /made
}
