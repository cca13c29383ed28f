#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/parity.bats - an exec'd program is confined as the container's first
# one: compared from /proc, field by field.
# shellcheck disable=SC2016 # the dollars are jq's and the container's

load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle box
	args sleep 1000
}

# confinement PID: what the kernel reports about a process, except its IDs.
confinement() {
	local proc=/proc/$1 ns

	grep -E '^(Umask|Uid|Gid|Groups|NoNewPrivs|Seccomp|Cap|Sig(Blk|Ign|Cgt)|(Cpus|Mems)_allowed_list|Spec|CoreDumping|THP)' \
		"$proc/status"
	for ns in "$proc"/ns/*; do
		echo "ns ${ns##*/} $(readlink "$ns")"
	done
	sed 's/^/cgroup /' "$proc/cgroup"
	sed 's/^/limit /' "$proc/limits"
	echo "oom_score_adj $(cat "$proc/oom_score_adj")"
	echo "personality $(cat "$proc/personality")"
	echo "root $(stat -Lc %d:%i "$proc/root") $(readlink "$proc/root")"
	echo "cwd $(stat -Lc %d:%i "$proc/cwd") $(readlink "$proc/cwd")"
	echo "exe $(readlink "$proc/exe")"
	echo "fds $(find "$proc/fd" -type l -printf '%f\n' | sort | xargs)"
	# nice, priority and policy
	sed 's/^.*) //' "$proc/stat" | cut -d' ' -f17,38,39 | sed 's/^/sched /'
	echo "ioprio $(ionice -p "$1")"
	echo "mempolicy $(head -n 1 "$proc/numa_maps" | cut -d' ' -f2)"
	echo "core $(cat "$proc/coredump_filter")"
	echo "attr $(tr -d '\0' <"$proc/attr/current" 2>/dev/null)"
	tr '\0' '\n' <"$proc/environ" | sort | sed 's/^/env /'
}

# same_as_init OPTION...: start the container, exec the same program, compare.
same_as_init() {
	start_container box
	confinement "$(pid_of box)" >"$TMP/init"
	oci exec --detach --pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1
	confinement "$(cat "$TMP/exec.pid")" >"$TMP/exec"
	diff "$TMP/init" "$TMP/exec"
	jq .process "$BUNDLE/config.json" >"$TMP/process.json"
	oci exec --detach --pid-file "$TMP/exec.pid" \
		--process "$TMP/process.json" box </dev/null >/dev/null 2>&1
	confinement "$(cat "$TMP/exec.pid")" >"$TMP/exec"
	diff "$TMP/init" "$TMP/exec"
}

@test "exec is confined as init by what spec writes" {
	same_as_init
	# The comparison is of something.
	grep -q '^NoNewPrivs:.*1' "$TMP/init"
	grep -q '^cgroup .*/box$' "$TMP/init"
	grep -q 'env HOME=/root' "$TMP/init"
}

@test "exec is confined as init in a user and a time namespace" {
	requires userns timens
	config '.linux.namespaces += [{type: "user"}, {type: "time"}] |
		.linux.timeOffsets = {boottime: {secs: 1000}} |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.process.user = {uid: 5, gid: 6, additionalGids: [7, 8]} |
		.process.oomScoreAdj = 111'
	same_as_init
	grep -q $'^Uid:\t100005' "$TMP/init"
	grep -q '^oom_score_adj 111' "$TMP/init"
}

@test "exec is confined as init in the host's namespaces" {
	config 'del(.hostname) | .linux.namespaces = [{type: "mount"}]'
	same_as_init
}

@test "exec is confined as init by a filter, with no_new_privs and without" {
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
		{names: ["getcwd", "chmod"], action: "SCMP_ACT_ERRNO"}]}'
	same_as_init
	grep -q $'^Seccomp:\t2' "$TMP/init"
	oci delete --force box
	config '.process.noNewPrivileges = false'
	same_as_init
	grep -q $'^Seccomp:\t2' "$TMP/init"
	grep -q $'^NoNewPrivs:\t0' "$TMP/init"
}

@test "exec is confined as init by limits" {
	config '.process.rlimits = [
		{type: "RLIMIT_NOFILE", soft: 31, hard: 32},
		{type: "RLIMIT_CORE", soft: 0, hard: 0},
		{type: "RLIMIT_NPROC", soft: 1000, hard: 1001},
		{type: "RLIMIT_STACK", soft: 1048576, hard: 2097152}] |
		.linux.resources.pids = {limit: 20}'
	same_as_init
	grep -q '^limit Max open files *31 *32' "$TMP/init"
}

@test "exec is confined as init by capabilities of every set" {
	config '["CAP_KILL", "CAP_CHOWN", "CAP_SETUID"] as $caps |
		.process.capabilities = {bounding: $caps, permitted: $caps,
		effective: $caps, inheritable: $caps,
		ambient: ["CAP_KILL"]} | .process.user.uid = 1000 |
		.process.noNewPrivileges = false'
	same_as_init
	grep -q $'^CapAmb:\t0000000000000020' "$TMP/init"
}

@test "exec is confined as init by scheduler, priorities, policy and personality" {
	requires ionice
	config '.process.scheduler = {policy: "SCHED_BATCH", nice: 5} |
		.process.ioPriority = {class: "IOPRIO_CLASS_BE", priority: 6} |
		.linux.memoryPolicy = {mode: "MPOL_BIND", nodes: "0"} |
		.linux.personality = {domain: "LINUX32"} |
		.process.user.umask = 63 | .process.cwd = "/etc"'
	same_as_init
	grep -qx 'sched 5 0 3' "$TMP/init"
	grep -qx 'ioprio best-effort: prio 6' "$TMP/init"
	grep -qx 'mempolicy bind:0' "$TMP/init"
	grep -qx 'personality 00000008' "$TMP/init"
	grep -q $'^Umask:\t0077' "$TMP/init"
	grep -q '^cwd .* /etc$' "$TMP/init"
}

@test "exec is confined as init whatever the caller's own settings are" {
	requires ionice prlimit chrt
	start_container box
	confinement "$(pid_of box)" | grep -v ^env >"$TMP/init"
	(
		umask 0
		trap '' INT HUP USR1
		cd /
		taskset -c 0 env -i PATH="$PATH" HOME=/nowhere LD_PRELOAD=x \
			"$SANDLOCK_OCI" --root "$ROOT" exec --detach \
			--pid-file "$TMP/exec.pid" box sleep 1000 \
			</dev/null >/dev/null 2>&1 3>&- 9</dev/null
	)
	confinement "$(cat "$TMP/exec.pid")" | grep -v ^env >"$TMP/exec"
	diff "$TMP/init" "$TMP/exec"
	run cat "/proc/$(cat "$TMP/exec.pid")/environ"
	[[ $output != *nowhere* ]]
}

# keyring_uses ID: how many use it, one line for each keyring of that name.
keyring_uses() {
	sed -n "s/^[0-9a-f]* [^ ]* *\([0-9]*\) .* _ses\.$1: .*/\1/p" /proc/keys
}

@test "exec joins the session keyring of the container, and makes no other" {
	local id=keys$BASHPID$RANDOM before after

	start_container "$id"
	before=$(keyring_uses "$id")
	oci exec --detach "$id" sleep 1000 </dev/null >/dev/null 2>&1
	after=$(keyring_uses "$id")
	# More than one line would be no number.
	((before >= 1 && after > before))
}

@test "a program of exec leads a session of its own" {
	start_container box
	oci exec --detach --pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1
	[ "$(ps -o sid= -p "$(cat "$TMP/exec.pid")" | xargs)" = \
		"$(cat "$TMP/exec.pid")" ]
}
