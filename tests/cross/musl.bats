#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cross/musl.bats - a build with musl does what the one with glibc does.
#
# `make musl` runs it. SANDLOCK_OCI is the build with musl, and SANDLOCK_NATIVE
# the other one.

load ../helpers

setup() {
	sandlock_setup
	requires root
	BUNDLE=$TMP/bundle
	mkdir -p "$BUNDLE/rootfs"
	"$SANDLOCK_OCI" spec --bundle "$BUNDLE"
	config '.process.terminal = false'
}

# alike COMMAND...: both print the same, and succeed.
alike() {
	"$SANDLOCK_NATIVE" --root "$ROOT" "$@" >"$TMP/native"
	"$SANDLOCK_OCI" --root "$ROOT" "$@" >"$TMP/musl"
	# They may have been configured at different commits.
	diff -I '"io.sandlock.commit"' "$TMP/native" "$TMP/musl"
}

@test "the program with musl is static and position-independent" {
	local program

	for program in "$SANDLOCK_OCI" "$SANDLOCK"; do
		run_ok readelf -hlW "$program"
		assert_output_has "DYN (Position-Independent Executable file)"
		[[ $output != *INTERP* ]]
		[[ $output == *GNU_RELRO* ]]
	done
	# glibc's own settings: a program with musl has none of them.
	run grep -q GLIBC_TUNABLES "$SANDLOCK_OCI"
	[ "$status" -eq 1 ]
	grep -q GLIBC_TUNABLES "$SANDLOCK_NATIVE"
}

@test "the program with musl prints the help and features of the other one" {
	alike --help
	alike features
}

@test "the program with musl makes the plan of the other one" {
	alike create --dump-plan --bundle "$BUNDLE" web
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.process.rlimits = [{type: "RLIMIT_CORE", soft: 0, hard: 0}] |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
			syscalls: [{names: ["ptrace"], action: "SCMP_ACT_KILL"}]}'
	alike create --dump-plan --bundle "$BUNDLE" web
	assert_gone web
}

@test "the program with musl reports the errors of the other one" {
	local change

	for change in '.linux.seccomp = {defaultAction: "SCMP_ACT_NONE"}' \
		'.mounts = [{destination: "a"}]' '.process.args = []' \
		'.root.path = "missing"'; do
		"$SANDLOCK_OCI" spec --bundle "$TMP" &&
			mv "$TMP/config.json" "$BUNDLE"
		config "$change"
		run "$SANDLOCK_NATIVE" --root "$ROOT" create --bundle "$BUNDLE" web
		[ "$status" -eq 1 ]
		run_bad "$output" "$SANDLOCK_OCI" --root "$ROOT" create \
			--bundle "$BUNDLE" web
	done
}
