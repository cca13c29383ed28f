#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/scheduling.bats - when and where the program runs: CPUs, priorities, memory nodes, personality.

load helpers

# start_scheduled [JQ]: a sleeping container; its pid is printed by pid_of box.
start_scheduled() {
	new_bundle box
	args sleep 1000
	[ $# -eq 0 ] || config "$1"
	start_container box
}

# exec_program: one more process in it, detached; its pid.
exec_program() {
	oci exec --detach --pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1
	cat "$TMP/exec.pid"
}

# ---- scheduler ----

@test "the scheduling policy and nice value are set for init and exec" {
	requires root chrt
	local pid

	start_scheduled '.process.scheduler = {policy: "SCHED_BATCH", nice: 7}'
	for pid in "$(pid_of box)" "$(exec_program)"; do
		run_ok chrt -p "$pid"
		assert_output_has "SCHED_BATCH"
		[ "$(ps -o ni= -p "$pid" | tr -d ' ')" = 7 ]
	done
}

@test "a scheduling policy may be SCHED_IDLE, or SCHED_OTHER with a flag" {
	requires root chrt
	start_scheduled '.process.scheduler = {policy: "SCHED_IDLE"}'
	run_ok chrt -p "$(pid_of box)"
	assert_output_has "SCHED_IDLE"
	oci delete --force box
	rm -rf "$BUNDLE"
	start_scheduled '.process.scheduler = {policy: "SCHED_OTHER", nice: 3,
		flags: ["SCHED_FLAG_RESET_ON_FORK"]}'
	run_ok chrt -p "$(pid_of box)"
	assert_output_has "SCHED_OTHER|SCHED_RESET_ON_FORK"
}

# On v1 a cgroup begins without any realtime; the container's may exist.
give_realtime_budget() {
	local dir=/sys/fs/cgroup/cpu

	[ -e "$dir/cpu.rt_runtime_us" ] || return 0
	for dir in "$dir$CGROUP_PARENT" "$dir$(cgroup_of box)"; do
		mkdir "$dir"
		echo 10000 >"$dir/cpu.rt_runtime_us"
	done
}

@test "a realtime scheduling policy gets its priority" {
	requires root chrt sys_nice
	give_realtime_budget
	start_scheduled '.process.scheduler = {policy: "SCHED_FIFO",
		priority: 12}'
	run_ok chrt -p "$(pid_of box)"
	assert_output_has "SCHED_FIFO"
	assert_output_has "priority: 12"
}

@test "create explains a realtime scheduling policy that the caller may not set" {
	requires root setpriv
	new_bundle box
	config '.process.scheduler = {policy: "SCHED_RR", priority: 1}'
	run_bad "process.scheduler: set scheduler: requires CAP_SYS_NICE" \
		setpriv --bounding-set -sys_nice -- "$SANDLOCK_OCI" --root "$ROOT" \
		run --bundle "$BUNDLE" box
	assert_output_has "operation not permitted"
	assert_gone box
}

@test "create names an invalid scheduler setting" {
	requires root
	new_bundle box
	config_fails "process.scheduler.nice: 20 is not in the range -20 to 19" \
		'.process.scheduler = {policy: "SCHED_OTHER", nice: 20}'
	config_fails "process.scheduler.priority: allowed only for SCHED_FIFO and SCHED_RR" \
		'.process.scheduler = {policy: "SCHED_BATCH", priority: 1}'
	config_fails "process.scheduler: runtime, deadline and period are allowed only" \
		'.process.scheduler = {policy: "SCHED_OTHER", runtime: 1}'
	config_fails "process.scheduler.policy: " \
		'.process.scheduler = {policy: "SCHED_FOO"}'
	config_fails "process.scheduler.policy" '.process.scheduler = {nice: 1}'
	config_fails "process.scheduler.flags[0]: " \
		'.process.scheduler = {policy: "SCHED_OTHER", flags: ["X"]}'
}

@test "create fails and leaves nothing if the kernel refuses the scheduling policy" {
	requires root
	new_bundle box
	config '.process.scheduler = {policy: "SCHED_ISO"}'
	run_bad "process.scheduler: " create box
	assert_gone box
}

# ---- I/O priority ----

@test "the I/O priority is set for init and exec" {
	requires root ionice
	local pid

	start_scheduled '.process.ioPriority =
		{class: "IOPRIO_CLASS_BE", priority: 6}'
	for pid in "$(pid_of box)" "$(exec_program)"; do
		[ "$(ionice -p "$pid")" = "best-effort: prio 6" ]
	done
}

@test "the I/O class may be idle" {
	requires root ionice
	start_scheduled '.process.ioPriority = {class: "IOPRIO_CLASS_IDLE"}'
	[ "$(ionice -p "$(pid_of box)")" = idle ]
}

@test "create names an I/O priority out of range" {
	requires root
	new_bundle box
	config_fails "process.ioPriority.priority: 8 is not in the range 0 to 7" \
		'.process.ioPriority = {class: "IOPRIO_CLASS_BE", priority: 8}'
	config_fails "process.ioPriority.class: " \
		'.process.ioPriority = {class: "IOPRIO_CLASS_NONE"}'
}

# ---- personality ----

@test "the personality is set for init and exec" {
	requires root
	new_bundle box
	config '.linux.personality = {domain: "LINUX32"}'
	args uname -m
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" != "$(uname -m)" ]
	args sleep 1000
	start_container box
	[ "$(cat "/proc/$(pid_of box)/personality")" = 00000008 ]
	[ "$(cat "/proc/$(exec_program)/personality")" = 00000008 ]
}

@test "the personality of the caller is not the container's" {
	requires root setarch
	new_bundle box
	args sh -c 'uname -m'
	config '.linux.personality = {domain: "LINUX"}'
	run_ok setarch linux32 -- "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "$output" = "$(uname -m)" ]
}

@test "create names an unknown personality" {
	requires root
	new_bundle box
	config_fails "linux.personality.domain: " \
		'.linux.personality = {domain: "HPUX"}'
	config_fails "linux.personality" '.linux.personality = {}'
}

# ---- memory policy ----

# policy_of PID: the memory policy of its stack.
policy_of() {
	sed -n 's/^[^ ]* \([^ ]*\) .*stack.*/\1/p' "/proc/$1/numa_maps"
}

@test "the memory policy is set for init and exec" {
	requires root numa
	local pid

	start_scheduled '.linux.memoryPolicy =
		{mode: "MPOL_INTERLEAVE", nodes: "0"}'
	for pid in "$(pid_of box)" "$(exec_program)"; do
		[ "$(policy_of "$pid")" = interleave:0 ]
	done
}

@test "a memory policy may have flags, and be without nodes" {
	requires root numa
	start_scheduled '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0",
		flags: ["MPOL_F_STATIC_NODES"]}'
	[ "$(policy_of "$(pid_of box)")" = bind=static:0 ]
	oci delete --force box
	rm -rf "$BUNDLE"
	start_scheduled '.linux.memoryPolicy = {mode: "MPOL_LOCAL"}'
	[ "$(policy_of "$(pid_of box)")" = local ]
}

@test "create names an invalid memory policy" {
	requires root
	new_bundle box
	config_fails "linux.memoryPolicy.mode: " \
		'.linux.memoryPolicy = {mode: "MPOL_FOO"}'
	config_fails "linux.memoryPolicy.mode" '.linux.memoryPolicy = {nodes: "0"}'
	config_fails "linux.memoryPolicy.flags[0]: " \
		'.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0",
		flags: ["MPOL_F_FOO"]}'
	config_fails "linux.memoryPolicy" \
		'.linux.memoryPolicy = {mode: "MPOL_BIND"}'
	config_fails "linux.memoryPolicy" \
		'.linux.memoryPolicy = {mode: "MPOL_DEFAULT", nodes: "0"}'
	config_fails "linux.memoryPolicy.nodes: " \
		'.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0-"}'
	config_fails "linux.memoryPolicy.nodes: " '.linux.memoryPolicy =
		{mode: "MPOL_BIND", nodes: "99999999999"}'
}

@test "create fails and leaves nothing for a memory node that does not exist" {
	requires root numa
	new_bundle box
	config '.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "1000"}'
	run_bad "linux.memoryPolicy: " create box
	assert_gone box
}

# ---- CPUs ----

cpus_of() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$1/status"
}

@test "init and exec run on all CPUs, not on the caller's" {
	requires root taskset two_cpus
	local all

	all=$(cpus_of self)
	new_bundle box
	args sleep 1000
	taskset -c "${all%%[-,]*}" "$SANDLOCK_OCI" --root "$ROOT" run --detach \
		--bundle "$BUNDLE" box </dev/null >/dev/null 2>&1 3>&-
	[ "$(cpus_of "$(pid_of box)")" = "$all" ]
	taskset -c "${all%%[-,]*}" "$SANDLOCK_OCI" --root "$ROOT" exec --detach \
		--pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1 3>&-
	[ "$(cpus_of "$(cat "$TMP/exec.pid")")" = "$all" ]
}

@test "init and exec run on the CPUs of the container's cpuset" {
	requires root taskset two_cpus cgroup1
	start_scheduled '.linux.resources.cpu.cpus = "1"'
	[ "$(cpus_of "$(pid_of box)")" = 1 ]
	[ "$(cpus_of "$(exec_program)")" = 1 ]
}

@test "execCPUAffinity applies to exec, not to init" {
	requires root two_cpus
	start_scheduled '.process.execCPUAffinity = {final: "1"}'
	[ "$(cpus_of "$(pid_of box)")" = "$(cpus_of self)" ]
	[ "$(cpus_of "$(exec_program)")" = 1 ]
	jq '.process | .execCPUAffinity = {initial: "1", final: "0"} |
		.args = ["grep", "Cpus_allowed_list", "/proc/self/status"]' \
		"$BUNDLE/config.json" >"$TMP/process.json"
	run_ok oci exec --process "$TMP/process.json" box
	[ "$output" = $'Cpus_allowed_list:\t0' ]
}

@test "create names an execCPUAffinity without a list of CPUs" {
	requires root
	new_bundle box
	config_fails "process.execCPUAffinity.final: " \
		'.process.execCPUAffinity = {final: "0-x"}'
	config_fails "process.execCPUAffinity.initial: " \
		'.process.execCPUAffinity = {initial: "3-1"}'
}
