#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cross/aarch64.bats - what a build for aarch64 says without a container,
# in an emulator: the same as the one of this machine.
#
# `make aarch64` runs it. SANDLOCK_OCI is the build for aarch64, and
# SANDLOCK_NATIVE the other one.
# shellcheck disable=SC2016 # the dollars are jq's

load ../helpers

# The emulator cannot execute it anew from a protected file, so it begins in
# one: a mount of its own that is read-only.
aarch64() {
	privately sh -c '
		mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit
		emulate=$2 program=$1
		shift 2
		exec "$emulate" "$program" "$@"
	' aarch64 "$SANDLOCK_OCI" "$(dirname "$SANDLOCK_OCI")/emulate" --root "$ROOT" \
		"$@"
}

native() {
	"$SANDLOCK_NATIVE" --root "$ROOT" "$@" 3>&-
}

setup() {
	sandlock_setup
	requires root
	BUNDLE=$TMP/bundle
	mkdir -p "$BUNDLE/rootfs"
	native spec --bundle "$BUNDLE"
	config '.process.terminal = false'
}

# same COMMAND...: both say the same, and succeed.
same() {
	native "$@" >"$TMP/native"
	aarch64 "$@" >"$TMP/aarch64"
	diff "$TMP/native" "$TMP/aarch64"
}

# same_plan EXPRESSION: for a config.json with this change.
same_plan() {
	config "$1"
	same create --dump-plan --bundle "$BUNDLE" web
	[ -s "$TMP/aarch64" ]
	assert_gone web
}

@test "the aarch64 program is static and position-independent" {
	run_ok readelf -hlW "$SANDLOCK_OCI"
	assert_output_has "AArch64"
	assert_output_has "DYN (Position-Independent Executable file)"
	[[ $output != *INTERP* ]]
}

@test "the aarch64 program prints the version, help and features of the native one" {
	same --version
	same --help
	same features
	jq -e '.linux.seccomp.archs | index("SCMP_ARCH_AARCH64")' \
		"$TMP/aarch64"
}

@test "spec of the aarch64 program writes the bundle of the native one" {
	mkdir "$TMP/one" "$TMP/two"
	native spec --bundle "$TMP/one"
	aarch64 spec --bundle "$TMP/two"
	cmp "$TMP/one/config.json" "$TMP/two/config.json"
}

@test "the aarch64 program makes the plan of the native one" {
	same_plan .
	same_plan '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.linux.sysctl = {"net.ipv4.ip_forward": "1"} |
		.linux.personality = {domain: "LINUX32"} |
		.process.rlimits = [{type: "RLIMIT_CORE", soft: 0, hard: 0}] |
		.process.scheduler = {policy: "SCHED_BATCH", nice: 3} |
		.process.ioPriority = {class: "IOPRIO_CLASS_IDLE"} |
		.mounts += [{destination: "/mnt", type: "bind", source: "/usr",
			options: ["rbind", "rro", "nosuid"]}]'
}

@test "the aarch64 program makes seccomp filters for aarch64" {
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		architectures: ["SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM"],
		syscalls: [{names: ["renameat"], action: "SCMP_ACT_KILL"}]}'
	run_ok aarch64 create --dump-plan --bundle "$BUNDLE" web
	assert_output_has seccomp
}

@test "the aarch64 program reports the errors of the native one" {
	local change

	for change in '.linux.seccomp = {defaultAction: "SCMP_ACT_NONE"}' \
		'.mounts = [{destination: "a"}]' '.process.args = []' \
		'.ociVersion = "0.1"'; do
		native spec --bundle "$TMP" && mv "$TMP/config.json" "$BUNDLE"
		config "$change"
		run native create --bundle "$BUNDLE" web
		[ "$status" -eq 1 ]
		run_bad "$output" aarch64 create --bundle "$BUNDLE" web
	done
}
