#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/checkpoint.bats - a container to files, and back.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load checkpoint
load limits

# ---- there and back ----

@test "a restored container goes on where its checkpoint was made" {
	start_counting box
	run_ok checkpoint box
	[ "$output" = "" ]
	assert_gone box
	[ -z "$(leftover_cgroups)" ]
	[ -z "$(leftover_processes)" ]
	before=$(box_count)
	run_ok restore box
	assert_status box running
	counts_on "$before"
	[ "$(<"$TMP/box.pid")" = "$(pid_of box)" ]
	run_ok oci exec box cat /proc/1/cmdline
	assert_output_has "while :"
	run_ok oci kill box KILL
	wait_until has_status box stopped
	run_ok oci delete box
}

@test "checkpoint --leave-running lets the container go on beside a restored copy" {
	start_counting box
	run_ok checkpoint --leave-running box
	assert_status box running
	counts_on
	first=$(pid_of box)
	new_bundle other
	cgroup_namespace
	run_ok restore other
	assert_status other running
	[ "$(pid_of other)" != "$first" ]
	[ "$(readlink "/proc/$(pid_of other)/ns/pid")" != \
		"$(readlink "/proc/$first/ns/pid")" ]
	counts_on 0
}

@test "a container can be saved and restored again and again" {
	start_counting box
	for _ in 1 2 3; do
		run_ok checkpoint box
		before=$(box_count)
		run_ok restore box
		counts_on "$before"
	done
}

@test "checkpoint --leave-running keeps a paused container paused, and restore starts the copy running" {
	requires root
	start_counting box
	oci pause box
	run_ok checkpoint --leave-running box
	assert_status box paused
	oci resume box
	counts_on
	oci delete --force box
	run_ok restore box
	assert_status box running
	counts_on
}

@test "checkpoint ends a paused container" {
	start_counting box
	oci pause box
	run_ok checkpoint box
	assert_gone box
	before=$(box_count)
	run_ok restore box
	counts_on "$before"
}

@test "restore in the foreground ends with the program's status" {
	new_bundle box
	args sh -c 'until [ -e /end ]; do sleep 0.02; done; exit 7'
	start_container box
	run_ok checkpoint box
	touch "$BUNDLE/rootfs/end"
	run in_foreground
	[ "$status" -eq 7 ]
	assert_gone box
}

@test "run in the foreground ends when a checkpoint ends the container" {
	new_bundle box
	args sh -c "$COUNTING"
	(oci run --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1 ||
		echo "status $?" >>"$TMP/out") 3>&- &
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	wait_until grep -q status "$TMP/out"
	[ "$(<"$TMP/out")" = "status 137" ]
	assert_gone box
}

@test "restore --detach leaves the container to the nearest subreaper" {
	requires python3
	start_counting box
	run_ok checkpoint box
	run_ok python3 - "${PROGRAM[@]}" restore \
		--detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		--pid-file "$TMP/box.pid" -no-subreaper box <<-'END'
		import ctypes, os, subprocess, sys
		ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
		pid_file = sys.argv[-3]
		with open(pid_file[:-3] + "out", "w") as out:
		    subprocess.run(sys.argv[1:], stdout=out, stderr=out,
		                   check=True)
		with open(pid_file) as file:
		    pid = int(file.read())
		os.kill(pid, 9)
		print(os.waitpid(pid, 0)[1])
	END
	[ "$output" = 9 ]
	wait_until has_status box stopped
	run_ok oci delete box
}

@test "restore brings back all processes of a container" {
	new_bundle box
	args sh -c 'sleep 1000 & sleep 1001 & echo up >/up; wait'
	start_container box
	wait_until [ -e "$BUNDLE/rootfs/up" ]
	run_ok checkpoint box
	run_ok restore box
	run_ok oci ps --format json box
	[ "$(jq length <<<"$output")" -eq 3 ]
}

# ---- confinement ----

@test "restore keeps capabilities, seccomp and no_new_privs" {
	new_bundle box
	config '.process.noNewPrivileges = true |
		.process.capabilities |= map_values(["CAP_KILL"]) |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
			{names: ["mkdir"], action: "SCMP_ACT_ERRNO"}]}'
	args sleep 1000
	start_container box
	pid=$(pid_of box)
	before=$(grep -E '^(Cap|NoNewPrivs|Seccomp)' "/proc/$pid/status")
	run_ok checkpoint box
	run_ok restore box
	pid=$(pid_of box)
	diff <(echo "$before") \
		<(grep -E '^(Cap|NoNewPrivs|Seccomp)' "/proc/$pid/status")
	run oci exec box mkdir /tmp/no
	[ "$status" -eq 1 ]
	assert_output_has "Operation not permitted"
}

@test "exec enters all namespaces of a restored container" {
	start_counting box
	run_ok checkpoint box
	run_ok restore box
	run_ok oci exec box sh -c 'for ns in /proc/1/ns/*; do
		[ $(readlink $ns) = $(readlink /proc/self/ns/${ns##*/}) ] ||
			echo $ns; done'
	assert_lines ""
}

@test "restored cgroups have the limits, processes and device rules" {
	new_bundle box
	config '.linux.resources.memory.limit = 67108864 |
		.linux.resources.pids.limit = 50 |
		.linux.resources.devices = [{allow: false, access: "rwm"}]'
	args sh -c 'sleep 1000 & wait'
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok oci ps --format json box
	[ "$(jq length <<<"$output")" -eq 2 ]
	grep -q "$(cgroup_of box)" "/proc/$(pid_of box)/cgroup"
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is pids.max 50
	run oci exec box sh -c 'mknod /tmp/mem c 1 1 && cat /tmp/mem'
	assert_output_has "Operation not permitted"
	run_ok oci update --pids-limit 40 box
}

@test "a restored container may lie in another cgroup than before" {
	start_counting box
	run_ok checkpoint box
	config --arg path "$(cgroups_path elsewhere)" \
		'.linux.cgroupsPath = $path'
	run_ok restore box
	counts_on
	grep -q "$(cgroup_of elsewhere)" "/proc/$(pid_of box)/cgroup"
	run grep "$(cgroup_of box)" "/proc/$(pid_of box)/cgroup"
	[ "$status" -eq 1 ]
	run_ok oci exec box cat /proc/1/cgroup
	[[ $output != *elsewhere* ]]
}

@test "restore refuses images with less confinement than config.json" {
	new_bundle box
	config '.process.noNewPrivileges = false'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config '.process.noNewPrivileges = true'
	refused_restore "the restored process does not have no_new_privs"
	config '.process.noNewPrivileges = false |
		.process.capabilities.bounding -= ["CAP_KILL"] |
		.process.capabilities.effective -= ["CAP_KILL"] |
		.process.capabilities.permitted -= ["CAP_KILL"]'
	refused_restore "the restored process has capabilities that are not in process.capabilities"
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
			{names: ["mkdir"], action: "SCMP_ACT_ERRNO"}]}'
	refused_restore "the restored process has no seccomp filter"
}

@test "restore refuses images from other namespaces than config.json's" {
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "ipc"))'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config '.linux.namespaces += [{type: "ipc"}]'
	refused_restore "the restored process shares the host's ipc namespace"
}

@test "a restored container in a user namespace goes on as its users" {
	requires userns
	new_bundle box
	config '.process.user = {uid: 1, gid: 2, additionalGids: [7]} |
		.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100001:100000 "$BUNDLE/rootfs"
	chmod 0755 "$TMP"
	args sh -c "$COUNTING"
	oci run --detach --bundle "$BUNDLE" box </dev/null 2>&1 | cat &
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	before=$(box_count)
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box </dev/null 2>&1 | cat &
	counts_on "$before"
	[[ $(status_field Uid "$(pid_of box)") = 100001* ]]
	[[ $(status_field Gid "$(pid_of box)") = 100002* ]]
	[ "$(status_field Groups "$(pid_of box)")" = "100007 " ]
	run_ok oci exec box id -u
	[ "$output" = 1 ]
}

# ---- hooks ----

@test "restore runs prestart and createRuntime hooks, and delete poststop" {
	new_bundle box
	args sleep 1000
	config --arg log "$TMP/log" '.hooks = (["prestart", "createRuntime",
		"createContainer", "startContainer", "poststart", "poststop"] |
		map({(.): [{path: "/bin/sh", args: ["sh", "-c",
			"echo \(.) $(jq -c \"[.id, .status]\") >>\($log)"],
			env: ["PATH=/usr/bin:/bin"]}]}) | add) |
		del(.hooks.createContainer, .hooks.startContainer)'
	start_container box
	run_ok checkpoint --leave-running box
	oci delete --force box
	: >"$TMP/log"
	run_ok restore again
	[ "$(<"$TMP/log")" = 'prestart ["again","creating"]
createRuntime ["again","creating"]' ]
	oci delete --force again
	[ "$(tail -n 1 "$TMP/log")" = 'poststop ["again","stopped"]' ]
}

@test "a failing hook ends the restore, and nothing is left" {
	start_counting box
	run_ok checkpoint box
	config '.hooks.createRuntime = [{path: "/bin/false"}]'
	refused_restore "error running createRuntime hook #0"
}

# ---- what engines look for ----

@test "features and --help tell engines about checkpoint and restore" {
	run_ok oci features
	[ "$(jq -r '.annotations."org.opencontainers.runc.checkpoint.enabled"' \
		<<<"$output")" = true ]
	run_ok oci checkpoint --help
	for option in image-path work-path leave-running tcp-established \
		file-locks pre-dump parent-path; do
		assert_output_has "--$option"
	done
	run_ok oci restore --help
	for option in image-path detach pid-file console-socket no-pivot \
		no-subreaper lsm-profile lsm-mount-context tcp-close; do
		assert_output_has "--$option"
	done
}
