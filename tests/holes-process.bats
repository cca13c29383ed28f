#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-process.bats - what users of other runtimes expect of a process: programs, schedulers, capabilities, texts.

load helpers

# ---- a program that only a capability makes executable ----

# A script that only its owner, root, may execute.
only_for_root() {
	printf '#!/bin/sh\necho it runs\n' >"$BUNDLE/rootfs/bin/tool"
	chmod 0744 "$BUNDLE/rootfs/bin/tool"
}

# override SET...: put CAP_DAC_OVERRIDE into these sets, and empty all others.
# shellcheck disable=SC2016 # the dollars are jq's
override() {
	config '.process.user = {uid: 1000, gid: 1000} |
		.process.capabilities = (reduce $ARGS.positional[] as $set ({};
			.[$set] = ["CAP_DAC_OVERRIDE"]))' --args -- "$@"
}

@test "a program that only CAP_DAC_OVERRIDE makes executable runs" {
	requires root
	new_bundle box
	only_for_root
	override bounding effective permitted inheritable ambient
	args /bin/tool
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = "it runs" ]
	args tool
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = "it runs" ]
}

@test "exec runs a program that only CAP_DAC_OVERRIDE makes executable" {
	requires root
	new_bundle box
	only_for_root
	override bounding effective permitted inheritable ambient
	args sleep 1000
	start_container box
	run_ok oci exec box /bin/tool
	[ "$output" = "it runs" ]
	run_ok oci exec box tool
	[ "$output" = "it runs" ]
}

@test "create refuses a program that no effective capability makes executable" {
	requires root
	new_bundle box
	only_for_root
	args /bin/tool
	override bounding
	run_bad 'exec: "/bin/tool": permission denied' create box
	assert_gone box
	override bounding permitted
	run_bad 'exec: "/bin/tool": permission denied' create box
	assert_gone box
}

# ---- the scheduler ----

@test "a nice value is no error with SCHED_DEADLINE or any other scheduling policy" {
	requires root chrt sys_nice

	new_bundle box
	args sleep 1000
	start_container box
	jq '.process | .args = ["sleep", "1000"] | .scheduler = {
		policy: "SCHED_DEADLINE", flags: ["SCHED_FLAG_RESET_ON_FORK"],
		nice: 19, priority: 0, runtime: 42000, deadline: 100000,
		period: 1000000}' "$BUNDLE/config.json" >"$TMP/process.json"
	oci exec --detach --pid-file "$TMP/exec.pid" \
		--process "$TMP/process.json" box </dev/null >/dev/null 2>&1
	run_ok chrt -p "$(cat "$TMP/exec.pid")"
	assert_output_has "SCHED_DEADLINE|SCHED_RESET_ON_FORK"
	assert_output_has "42000/100000/1000000"
	jq '.process | .args = ["true"] | .scheduler = {
		policy: "SCHED_IDLE", nice: 5}' "$BUNDLE/config.json" \
		>"$TMP/process.json"
	run_ok oci exec --process "$TMP/process.json" box
}

@test "a parameter of the scheduler that the kernel would refuse is named by create" {
	requires root
	new_bundle box
	config_fails "process.scheduler.priority: 100 is not in the range 1 to 99" \
		'.process.scheduler = {policy: "SCHED_FIFO", priority: 100}'
	config_fails "process.scheduler.runtime: 0 ns is below 1024" \
		'.process.scheduler = {policy: "SCHED_DEADLINE"}'
	config_fails "process.scheduler.runtime: 3000 exceeds the deadline 2000" \
		'.process.scheduler = {policy: "SCHED_DEADLINE", runtime: 3000,
		deadline: 2000}'
	config_fails "process.scheduler.deadline: 4000 exceeds the period 3000" \
		'.process.scheduler = {policy: "SCHED_DEADLINE", runtime: 2000,
		deadline: 4000, period: 3000}'
	config_fails "process.scheduler: set scheduler: the kernel does not support this policy" \
		'.process.scheduler = {policy: "SCHED_ISO"}'
}

@test "create explains a SCHED_DEADLINE period that the kernel's limits do not allow" {
	requires root sys_nice
	new_bundle box
	config_fails "process.scheduler: set scheduler: the period is outside \
/proc/sys/kernel/sched_deadline_period_{min,max}_us" \
		'.process.scheduler = {policy: "SCHED_DEADLINE", runtime: 2000,
		deadline: 4000, period: 5000}'
}

# ---- exec --cap ----

# caps_inside LINE [OPTION...]: that line of /proc/self/status in an exec.
caps_inside() {
	oci exec "${@:2}" box sed -n "s/^$1:[[:space:]]*//p" \
		/proc/self/status
}

@test "exec --cap sets the ambient bit of a capability that is inheritable" {
	requires root
	new_bundle box
	config '.process.capabilities = {bounding: ["CAP_KILL", "CAP_CHOWN"],
		inheritable: ["CAP_KILL"]}'
	args sleep 1000
	start_container box
	[ "$(caps_inside CapAmb --cap CAP_KILL)" = 0000000000000020 ]
	[ "$(caps_inside CapEff --cap CAP_KILL)" = 0000000000000020 ]
	[ "$(caps_inside CapAmb --cap CAP_CHOWN)" = 0000000000000000 ]
	[ "$(caps_inside CapInh --cap CAP_CHOWN)" = 0000000000000020 ]
	[ "$(caps_inside CapEff --cap CAP_CHOWN)" = 0000000000000001 ]
}

# ---- texts that other tools look for ----

@test "start reports a program that execve refuses alone on one line" {
	requires root
	new_bundle box
	printf '#!/no/interpreter\n' >"$BUNDLE/rootfs/run.sh"
	chmod +x "$BUNDLE/rootfs/run.sh"
	args /run.sh
	run_bad "" oci --log "$TMP/log" --log-format json run \
		--bundle "$BUNDLE" box
	assert_lines "exec /run.sh: no such file or directory"
	[ "$(jq -r .msg "$TMP/log")" = "$output" ]
	create box
	run_bad "" oci start box
	assert_lines "exec /run.sh: no such file or directory"
}

@test "exec reports a program that execve refuses alone on one line" {
	requires root
	new_bundle box
	printf '#!/no/interpreter\n' >"$BUNDLE/rootfs/run.sh"
	chmod +x "$BUNDLE/rootfs/run.sh"
	args sleep 1000
	start_container box
	run oci exec box /run.sh
	[ "$status" -eq 255 ]
	assert_lines "exec /run.sh: no such file or directory"
	run oci exec --tty box /run.sh
	[ "$status" -eq 255 ]
	assert_lines "exec /run.sh: no such file or directory"
}

@test "create reports a missing working directory as chdir to cwd" {
	requires root
	new_bundle box
	args sleep 1000
	start_container box
	run oci exec --cwd /not/there box true
	[ "$status" -eq 255 ]
	assert_output_has 'chdir to cwd ("/not/there"): no such file or directory'
}

@test "create reports a malformed memory policy as an invalid memory policy" {
	requires root
	new_bundle box
	config_fails "linux.memoryPolicy.mode: invalid memory policy mode: unknown value 'INTERLEAVE'" \
		'.linux.memoryPolicy = {mode: "INTERLEAVE", nodes: "0"}'
	config_fails "linux.memoryPolicy.mode: invalid memory policy mode: required" \
		'.linux.memoryPolicy = {nodes: "0-7"}'
	config_fails "linux.memoryPolicy.flags[1]: invalid memory policy flag: unknown value 'badflag'" \
		'.linux.memoryPolicy = {mode: "MPOL_PREFERRED", nodes: "0",
		flags: ["MPOL_F_RELATIVE_NODES", "badflag"]}'
	config_fails "linux.memoryPolicy.nodes: invalid memory policy node" \
		'.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0-9876543210"}'
	config_fails "linux.memoryPolicy.nodes: invalid memory policy: " \
		'.linux.memoryPolicy = {mode: "MPOL_DEFAULT", nodes: "0"}'
}

@test "create reports a memory policy that the kernel refuses as invalid" {
	requires root numa
	new_bundle box
	config_fails "linux.memoryPolicy: set memory policy 1000: invalid memory policy: the node does not exist" \
		'.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "1000"}'
}

@test "exec --cgroup reports a path that leads out as a bad sub cgroup path" {
	requires root cgroupfs
	new_bundle box
	args sleep 1000
	start_container box
	for path in .. ../box2 a/../..; do
		run oci exec --cgroup "$path" box true
		[ "$status" -eq 255 ]
		assert_output_has "--cgroup $path: bad sub cgroup path"
	done
}

# ---- spec ----

# written_namespaces [OPTION...]: the types that `spec` lists.
written_namespaces() {
	local dir

	dir=$(mktemp -d "$TMP/spec.XXXXXX")
	oci spec --bundle "$dir" "$@"
	jq -r '.linux.namespaces[].type' "$dir/config.json" | tr '\n' ' '
}

@test "spec lists a cgroup namespace only where all cgroups are version 2" {
	local more=

	[ ! -e /sys/fs/cgroup/cgroup.controllers ] || more="cgroup "
	[ "$(written_namespaces)" = "pid network ipc uts mount $more" ]
	[ "$(written_namespaces --rootless)" = "pid ipc uts mount ${more}user " ]
}

@test "the bundle that spec writes runs, and shows the host's cgroups" {
	requires root
	new_bundle box
	args sh -c 'cut -d : -f 3 /proc/self/cgroup | sort -u'
	run_ok oci run --bundle "$BUNDLE" box
	if meets cgroup2; then
		[ "$output" = / ]
	else
		assert_output_has "$(cgroup_of box)"
	fi
}
