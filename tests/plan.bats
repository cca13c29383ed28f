#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/plan.bats - the plan exists before the first effect: what `create
# --dump-plan` prints is the plan handed to the child.
#
# The dollars in single quotes are those of jq and of another shell.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0
load helpers
load hooks

teardown() {
	local dir

	for dir in ${SLICE:+$(cgroup_dirs "/$SLICE")}; do
		rmdir "$dir"
	done
	[ -z "${LISTENER:-}" ] || kill "$LISTENER" 2>/dev/null || true
	[ -z "${OTHER:-}" ] || kill "$OTHER" 2>/dev/null || true
	sandlock_teardown
}

# dumped COMMAND...: the lines of the plan, with the numbers of the steps.
dumped() {
	"$@" create --dump-plan --bundle "$BUNDLE" box | sed 's/^ *//'
}

# handed LOG: the same, from the debug messages of a run. Hooks inside the
# container have plans of their own, which follow.
handed() {
	jq -r .msg "$1" |
		sed -n 's/^step \([0-9]*\): /\1  /p; /^clone /p; /^policy: /p' |
		awk '/^(clone|policy:) / && n { exit } /^clone / { n++ } { print }'
}

# unnumbered FILE: without the numbers of steps.
unnumbered() {
	sed -E 's/^[0-9]+//; s/, (if denied|then) step [0-9]+//g' "$1"
}

# assert_same_plan COMMAND...: the plan that is printed, and the one that a
# `create` after it hands to the child. A container without a gate has one step less.
assert_same_plan() {
	local log=$TMP/log

	[ -z "$USER_HOME" ] || log=$USER_HOME/log
	dumped "$@" >"$TMP/dumped"
	[ "$(wc -l <"$TMP/dumped")" -gt 20 ]
	grep -q "clone with new namespaces: " "$TMP/dumped"
	grep -q "wait for start" "$TMP/dumped"
	"$@" --debug --log "$log" --log-format json create \
		--bundle "$BUNDLE" box 2>"$TMP/errors" || {
		cat "$TMP/errors"
		return 1
	}
	handed "$log" >"$TMP/handed"
	"$@" delete --force box
	diff -u "$TMP/dumped" "$TMP/handed"
	rm -f "$log"
	"$@" --debug --log "$log" --log-format json run \
		--bundle "$BUNDLE" box 2>"$TMP/errors" || {
		cat "$TMP/errors"
		return 1
	}
	handed "$log" >"$TMP/handed"
	diff -u <(unnumbered "$TMP/dumped" | grep -v "wait for start") \
		<(unnumbered "$TMP/handed")
}

# full_bundle: something of everything that a plan depends on.
full_bundle() {
	new_bundle box
	mkdir "$TMP/source" "$TMP/other"
	echo here >"$TMP/file"
	add_mount /data bind "$TMP/source" rbind ro
	add_mount /file bind "$TMP/file" bind rslave
	add_mount /scratch tmpfs tmpfs nosuid size=1m mode=0700
	add_mount /later "" "$TMP/other" bind
	add_mount /cgroups cgroup cgroup ro
	add_device '{"path": "/dev/extra", "type": "c", "major": 1, "minor": 3,
		"fileMode": 438, "uid": 0, "gid": 0}'
	config '.linux.maskedPaths += ["/etc"] |
		.linux.readonlyPaths += ["/bin"] |
		.linux.sysctl = {"net.ipv4.ip_forward": "1"} |
		.linux.resources.memory.limit = 67108864 |
		.linux.resources.pids.limit = 50 |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
			syscalls: [{names: ["reboot"],
				    action: "SCMP_ACT_ERRNO"}]} |
		.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 512,
				     hard: 1024}] |
		.process.noNewPrivileges = true |
		.process.user.additionalGids = [7, 8] |
		.process.env += ["TOKEN=hunter2"] |
		.hostname = "rich" | .root.readonly = true'
	hook createRuntime true
	hook createContainer true
	hook startContainer true
	hook poststop true
}

# open_manager: a socket for the messages of NOTIFY_SOCKET, until it is killed.
open_manager() {
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
time.sleep(1000)' "$TMP/manager" 3>&- &
	LISTENER=$!
	wait_until [ -S "$TMP/manager" ]
}

@test "the plan that --dump-plan prints is the one that runs" {
	requires root
	full_bundle
	assert_same_plan oci
	grep -q "join cgroup" "$TMP/dumped" || grep -q "into the cgroup" "$TMP/dumped"
}

@test "the dumped plan of a bundle with a policy is the one that runs" {
	requires root
	full_bundle
	annotate_policy filesystem.read=/ \
		filesystem.write=/scratch \
		limits.memory=32M limits.open_files=64 \
		network.mode=deny
	assert_same_plan oci
	grep -q "syscalls" "$TMP/dumped"
	grep -qx "policy: allow reading /" "$TMP/dumped"
	grep -qx "policy: allow reading and writing /scratch" "$TMP/dumped"
	grep -qx "policy: mount read-only /later" "$TMP/dumped"
	grep -qx "policy: limit the memory to 33554432 bytes" "$TMP/dumped"
	grep -qx "policy: limit the open files to 64" "$TMP/dumped"
	grep -q "^policy: no network" "$TMP/dumped"
}

@test "a dumped plan names flags, limits and capabilities in words" {
	requires root
	full_bundle
	dumped oci >"$TMP/dumped"
	grep -q "^clone with new namespaces: .*mount" "$TMP/dumped"
	grep -q "RLIMIT_NOFILE to 512 (soft) and 1024 (hard)" "$TMP/dumped"
	grep -q "capabilities to .*CAP_KILL" "$TMP/dumped"
	grep -q "attributes: nosuid" "$TMP/dumped"
	grep -q "set read-only" "$TMP/dumped"
	run grep -E "[ =]0x[0-9a-f]+" "$TMP/dumped"
	[ "$output" = "" ]
}

@test "the dumped plan of a user namespace is the one that runs" {
	requires root
	full_bundle
	# The user of the container cannot reach the bundle from the host's root.
	config 'del(.hooks.createContainer)'
	with_userns
	assert_same_plan oci
	grep -q "wait for the runtime to write the user and group mappings" "$TMP/dumped"
}

@test "the dumped plan with a cgroup namespace is the one that runs" {
	requires root
	full_bundle
	cgroup_namespace
	assert_same_plan oci
}

# with_time: a time namespace with offsets; there, clone makes no namespace.
with_time() {
	config '.linux.namespaces += [{type: "time"}] |
		.linux.timeOffsets = {monotonic: {secs: 5}, boottime: {secs: 7}}'
}

@test "the dumped plan with a time namespace is the one that runs" {
	requires root
	full_bundle
	with_time
	assert_same_plan oci
	grep -q "set time offsets" "$TMP/dumped"
}

# has_own_network PID: it is not in the network namespace of this shell.
has_own_network() {
	[ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

@test "the dumped plan with a network namespace to join is the one that runs" {
	requires root
	full_bundle
	unshare --net sleep 1000 3>&- &
	OTHER=$!
	wait_until has_own_network "$OTHER"
	config --arg path "/proc/$OTHER/ns/net" '(.linux.namespaces[] |
		select(.type == "network")).path = $path'
	assert_same_plan oci
	grep -q "join namespace network" "$TMP/dumped"
}

@test "the dumped plan with NOTIFY_SOCKET is the one that runs" {
	requires root python3
	local -x NOTIFY_SOCKET=$TMP/manager

	full_bundle
	config 'del(.hooks)'
	open_manager
	dumped oci >"$TMP/dumped"
	grep -q NOTIFY_SOCKET "$TMP/dumped"
	oci --debug --log "$TMP/log" --log-format json create \
		--bundle "$BUNDLE" box
	handed "$TMP/log" | diff -u "$TMP/dumped" -
}

# oci_with_units WORD...: `sandlock-oci --systemd-cgroup`, with a helper that
# makes no unit and says that it has.
oci_with_units() {
	printf '#!/bin/sh\n[ "$1" = root ] && echo / || echo "%s"\n' \
		"/$SLICE/box-box.scope" >"$TMP/sandlock-systemd"
	chmod +x "$TMP/sandlock-systemd"
	SANDLOCK_LIBEXEC=$TMP oci --systemd-cgroup "$@"
}

@test "the dumped plan with --systemd-cgroup is the one that runs" {
	requires root cgroupfs
	SLICE=sandlocktest$BASHPID.slice
	full_bundle
	config --arg path "$SLICE:box:box" '.linux.cgroupsPath = $path'
	assert_same_plan oci_with_units
	grep -q "wait for the runtime to create the cgroup" "$TMP/dumped"
}

@test "the dumped plan of a user is the one that runs" {
	requires root userns
	new_user
	new_user_bundle
	add_mount /cgroups cgroup cgroup
	config '.linux.cgroupsPath = "/sandlock-test-of-nobody"'
	chown "$USER_ID" "$BUNDLE/config.json"
	assert_same_plan user_oci
	grep -q "look for the cgroup to mount on" "$TMP/dumped" ||
		grep -q "into the cgroup" "$TMP/dumped"
}

# plan_of FILTER: the plan of the bundle after this change of config.json, with
# one line for each step.
plan_of() {
	local saved

	saved=$(cat "$BUNDLE/config.json")
	config "$@"
	dumped oci | tee "$TMP/plan"
	echo "$saved" >"$BUNDLE/config.json"
	# The first line is the clone; the others count from 0.
	[ "$(sed 1d "$TMP/plan" | awk '$1 != NR - 1')" = "" ]
}

@test "each step of a dumped plan is one line, whatever the texts contain" {
	requires root
	full_bundle
	with_time
	plan_of . >"$TMP/one"
	grep -q 'set time offsets .*\\x0a' "$TMP/one"
	plan_of '.hostname = "a\n   1  forged" |
		.mounts += [{destination: "/x\n9999  forged\u001b[2J",
			     type: "tmpfs", source: "tmpfs"}]' >"$TMP/two"
	run grep -c '^[0-9]*  forged' "$TMP/two"
	[ "$output" = 0 ]
	grep -qF 'a\x0a   1  forged' "$TMP/two"
	grep -qF '/x\x0a9999  forged\x1b[2J' "$TMP/two"
	run grep -c "$(printf '\033')" "$TMP/two"
	[ "$output" = 0 ]
	# A backslash in the bundle does not look like an escape.
	plan_of '.hostname = "a\\x0a"' >"$TMP/three"
	grep -qF 'a\x5cx0a' "$TMP/three"
}

# differs FILTER: the plan of the bundle after this change is another one.
differs() {
	plan_of "$@" >"$TMP/changed"
	! diff "$TMP/one" "$TMP/changed"
}

@test "bundles that differ in options, capabilities, arguments or variables dump differently" {
	requires root
	full_bundle
	plan_of . >"$TMP/one"
	differs '(.mounts[] | select(.destination == "/scratch").options) |=
		map(sub("size=1m"; "size=2m"))'
	grep -q "size=2m" "$TMP/changed"
	differs '.process.capabilities.effective = []'
	differs '.process.capabilities.permitted = []'
	differs '.process.capabilities.inheritable = ["CAP_KILL"]'
	differs '.process.args += ["more"]'
	differs '.process.user.additionalGids = [7]'
	differs '.process.env += ["OTHER=1"]'
	grep -q " OTHER" "$TMP/changed"
	# A value may be a secret.
	grep -q TOKEN "$TMP/one"
	run grep -c hunter2 "$TMP/one"
	[ "$output" = 0 ]
}

@test "--dump-plan leaves no state directory, cgroup or process" {
	requires root
	full_bundle
	annotate_policy filesystem.read=/ limits.memory=32M
	run_ok oci create --dump-plan --bundle "$BUNDLE" box
	[ ! -e "$ROOT" ]
	nothing_left
	[ -z "$(cgroup_dirs "$CGROUP_PARENT")" ]
	[ -z "$(find "$TMP/source" "$TMP/other" "$BUNDLE/rootfs/data" \
		"$BUNDLE/rootfs/later" -mindepth 0 -newer "$BUNDLE/config.json")" ]
}

@test "run --dump-plan prints the plan and runs nothing" {
	new_bundle
	args sh -c 'echo ran'
	run_ok oci create --dump-plan --bundle "$BUNDLE" box
	planned=$(grep -c clone <<<"$output")
	run_ok oci run --dump-plan --bundle "$BUNDLE" box
	[ "$planned" -ge 1 ]
	[ "$(grep -c clone <<<"$output")" -eq "$planned" ]
	run ! grep -x ran <<<"$output"
	assert_gone box
}

@test "an error of the plan is found before the first effect" {
	requires root
	full_bundle
	config '.process.apparmorProfile = "none-such" |
		.process.selinuxLabel = "a:b:c"'
	run_bad "is not enabled" oci create --bundle "$BUNDLE" box
	[ ! -e "$ROOT" ]
	[ -z "$(cgroup_dirs "$CGROUP_PARENT")" ]
}
