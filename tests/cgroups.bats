#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cgroups.bats - where a container lies in the cgroups, and its limits.

# shellcheck disable=SC2016,SC2030,SC2031 # jq's dollars; bats sets status

load helpers

# A shell's cgroup, in which commands run, and its parent.
setup() {
	sandlock_setup
	LOGIN=$CGROUP_PARENT-login
}

teardown() {
	local dir

	sandlock_teardown
	for dir in $(cgroup_dirs "$LOGIN"); do
		find "$dir" -depth -type d -exec rmdir {} +
	done
}

# own_dir [CONTROLLER]: the container's directory in the hierarchy of one.
own_dir() {
	if meets cgroup2; then
		echo "/sys/fs/cgroup$(cgroup_of box)"
	else
		echo "/sys/fs/cgroup/${1:-systemd}$(cgroup_of box)"
	fi
}

# cgroup_limit CONTROLLER V1-FILE V2-FILE: what the kernel has.
cgroup_limit() {
	local file=$2

	! meets cgroup2 || file=$3
	cat "$(own_dir "$1")/$file"
}

# places PID: its path in every hierarchy that is mounted, each path once.
places() {
	local controllers path

	while IFS=: read -r _ controllers path; do
		[ -z "$controllers" ] ||
			[ -d "/sys/fs/cgroup/${controllers#name=}" ] ||
			continue
		echo "$path"
	done <"/proc/$1/cgroup" | sort -u
}

# make_cgroup PATH: in every hierarchy, fit for processes.
make_cgroup() {
	local top dir part

	for top in /sys/fs/cgroup /sys/fs/cgroup/*/; do
		top=${top%/}
		[ -e "$top/cgroup.procs" ] || continue
		! [[ $top = /sys/fs/cgroup/* ]] || ! meets cgroup2 || continue
		dir=$top
		for part in ${1//\// }; do
			mkdir -p "$dir/$part"
			[ ! -e "$dir/cpuset.sched_load_balance" ] || {
				cat "$dir/cpuset.cpus" >"$dir/$part/cpuset.cpus"
				cat "$dir/cpuset.mems" >"$dir/$part/cpuset.mems"
			}
			dir=$dir/$part
		done
	done
}

# in_cgroup PATH COMMAND...: from a process in it, in every hierarchy.
in_cgroup() {
	local path=$1

	shift
	make_cgroup "$path"
	(
		for dir in $(cgroup_dirs "$path"); do
			echo "$BASHPID" >"$dir/cgroup.procs"
		done
		"$@"
	)
}

# A process in this cgroup, that is not a container's.
put_stranger() {
	make_cgroup "$1"
	sleep 1000 3>&- &
	STRANGER=$!
	for dir in $(cgroup_dirs "$1"); do
		echo "$STRANGER" >"$dir/cgroup.procs"
	done
}

remove_stranger() {
	kill -KILL "$STRANGER"
	wait "$STRANGER" || true
}

process_is_gone() {
	[ ! -e "/proc/$1" ] || [ "$(ps -o stat= -p "$1" | cut -c 1)" = Z ]
}

# ---- place ----

# hide_unified WORD...: a command of the runtime where only cgroup v1 is mounted.
hide_unified() {
	unshare --mount --propagation private sh -c '
		mount -t tmpfs none /sys/fs/cgroup/unified && exec "$@"' - \
		"$SANDLOCK_OCI" --root "$ROOT" "$@"
}

@test "where only v1 is mounted, the cgroups are made beside the namespaces" {
	requires root hybrid cgroupfs
	new_bundle box
	args sleep 1000
	run_ok hide_unified create --bundle "$BUNDLE" --dump-plan box
	assert_output_has "wait for the runtime to create the cgroup"
	hide_unified create --bundle "$BUNDLE" box </dev/null >/dev/null 2>&1
	[ "$(places "$(pid_of box)" | grep -vx /)" = "$(cgroup_of box)" ]
	run_ok hide_unified delete --force box
	config '.linux.resources.cpu.cpus = "4095"'
	run_bad "linux.resources.cpu.cpus" hide_unified create --bundle "$BUNDLE" box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
	[ ! -e "$ROOT/box" ]
}

@test "a container has a cgroup of its own in every hierarchy" {
	requires root
	start_sleeping box
	[ "$(places "$(pid_of box)")" = "$(cgroup_of box)" ]
	run_ok oci delete --force box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

@test "a relative cgroupsPath lies below the caller's cgroup, on v2 beside it" {
	local place=$LOGIN/shell/some/box

	requires root cgroupfs
	! meets cgroup2 || place=$LOGIN/some/box
	new_bundle box
	args sleep 1000
	config '.linux.cgroupsPath = "some//./box"'
	in_cgroup "$LOGIN/shell" start_container box
	[ "$(places "$(pid_of box)")" = "$place" ]
	run_ok oci delete --force box
	[ -z "$(cgroup_dirs "${place%/box}")" ]
}

@test "without a cgroupsPath the cgroup has the name of the container" {
	local place=$LOGIN/shell/box

	requires root cgroupfs
	! meets cgroup2 || place=$LOGIN/box
	new_bundle box
	args sleep 1000
	config 'del(.linux.cgroupsPath)'
	in_cgroup "$LOGIN/shell" start_container box
	[ "$(places "$(pid_of box)")" = "$place" ]
}

@test "create refuses a cgroup that contains a process, and the process lives" {
	requires root cgroupfs
	new_bundle box
	put_stranger "$(cgroup_of box)"
	run_bad "container's cgroup is not empty: 1 process(es) found" \
		oci run --bundle "$BUNDLE" box
	assert_gone box
	run_ok oci delete --force box
	kill -0 "$STRANGER"
	remove_stranger
	remove_test_cgroups
}

@test "create refuses a cgroup with a process in a sub-cgroup" {
	requires root cgroupfs
	new_bundle box
	put_stranger "$(cgroup_of box)/below"
	run_bad "container's cgroup is not empty: 1 process(es) found" \
		oci run --bundle "$BUNDLE" box
	assert_gone box
	remove_stranger
	remove_test_cgroups
}

@test "create refuses a frozen cgroup at once" {
	local dir

	requires root cgroupfs
	new_bundle box
	make_cgroup "$(cgroup_of box)"
	dir=$(own_dir freezer)
	if meets cgroup2; then
		echo 1 >"$dir/cgroup.freeze"
	else
		echo FROZEN >"$dir/freezer.state"
	fi
	run_bad "container's cgroup unexpectedly frozen: $dir" \
		timeout 10 "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	assert_gone box
	remove_test_cgroups
}

@test "create takes over an empty cgroup" {
	requires root cgroupfs
	new_bundle box
	make_cgroup "$(cgroup_of box)"
	run_ok oci run --bundle "$BUNDLE" box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

@test "the last container below a created parent cgroup removes the parent" {
	local id

	requires root cgroupfs
	for id in first second; do
		new_bundle "$id"
		args sleep 1000
		config --arg path "$CGROUP_PARENT/pod/$id" \
			'.linux.cgroupsPath = $path'
		start_container "$id"
	done
	oci delete --force first
	[ -n "$(cgroup_dirs "$CGROUP_PARENT/pod/second")" ]
	oci delete --force second
	[ -z "$(cgroup_dirs "$CGROUP_PARENT")" ]
}

@test "delete keeps a parent cgroup that existed before" {
	local before

	requires root cgroupfs
	new_bundle
	make_cgroup "$CGROUP_PARENT"
	before=$(cgroup_dirs "$CGROUP_PARENT")
	run_ok oci run --bundle "$BUNDLE" one
	[ "$(cgroup_dirs "$CGROUP_PARENT")" = "$before" ]
}

@test "with cgroups disabled a container stays where its caller is" {
	requires root
	new_bundle box
	args sleep 1000
	in_cgroup "$LOGIN/shell" \
		oci --cgroup-manager disabled create --bundle "$BUNDLE" \
		box >"$TMP/out" 2>&1
	[ "$(places "$(pid_of box)")" = "$LOGIN/shell" ]
	run_ok oci start box
	run_ok oci exec box true
	run_ok oci delete --force box
}

@test "with cgroups disabled create refuses limits, and accepts resources that ask for none" {
	requires root
	new_bundle box
	config '.linux.resources.memory = {limit: -1, swap: 0} |
		.linux.resources.cpu = {shares: 0, quota: -1}'
	run_ok oci --cgroup-manager disabled run --bundle "$BUNDLE" box
	config '.linux.resources.pids.limit = 10'
	run_bad "linux.resources: limits require cgroups, but --cgroup-manager is disabled" \
		oci --cgroup-manager disabled run --bundle "$BUNDLE" box
}

# ---- limits ----

@test "create sets the limits of config.json in the kernel" {
	requires root
	new_bundle box
	config '.linux.resources += {
		memory: {limit: 67108864, swap: 100663296, reservation: 33554432},
		cpu: {shares: 512, quota: 50000, period: 200000,
		      cpus: "0", mems: "0"},
		pids: {limit: 50}}'
	start_box sleep 1000
	[ "$(cgroup_limit memory memory.limit_in_bytes memory.max)" = 67108864 ]
	[ "$(cgroup_limit memory memory.soft_limit_in_bytes memory.low)" = 33554432 ]
	[ "$(cgroup_limit pids pids.max pids.max)" = 50 ]
	[ "$(cgroup_limit cpuset cpuset.cpus cpuset.cpus)" = 0 ]
	[ "$(cgroup_limit cpuset cpuset.mems cpuset.mems)" = 0 ]
	if meets cgroup2; then
		[ "$(cgroup_limit memory '' memory.swap.max)" = 33554432 ]
		[ "$(cgroup_limit cpu '' cpu.weight)" = 59 ]
		[ "$(cgroup_limit cpu '' cpu.max)" = "50000 200000" ]
	else
		[ "$(cgroup_limit memory memory.memsw.limit_in_bytes '')" = 100663296 ]
		[ "$(cgroup_limit cpu cpu.shares '')" = 512 ]
		[ "$(cgroup_limit cpu cpu.cfs_quota_us '')" = 50000 ]
		[ "$(cgroup_limit cpu cpu.cfs_period_us '')" = 200000 ]
	fi
}

@test "create sets a CPU period alone and a CPU quota alone" {
	requires root
	new_bundle box
	config '.linux.resources.cpu = {period: 50000}'
	start_box sleep 1000
	if meets cgroup2; then
		[ "$(cgroup_limit cpu '' cpu.max)" = "max 50000" ]
	else
		[ "$(cgroup_limit cpu cpu.cfs_period_us '')" = 50000 ]
	fi
	oci delete --force box
	config '.linux.resources.cpu = {quota: 30000}'
	start_box sleep 1000
	if meets cgroup2; then
		[ "$(cgroup_limit cpu '' cpu.max)" = "30000 100000" ]
	else
		[ "$(cgroup_limit cpu cpu.cfs_quota_us '')" = 30000 ]
	fi
}

# FRAGMENT => the value of pids.max.
@test "pids.limit takes any number, and a negative one means no limit" {
	local fragment value

	requires root
	new_bundle box
	while IFS='=' read -r fragment value; do
		config --argjson n "$fragment" '.linux.resources.pids.limit = $n'
		start_box sleep 1000
		[ "$(cgroup_limit pids pids.max pids.max)" = "$value" ]
		oci delete --force box
	done <<-'EOF'
		1=1
		0=1
		-1=max
		2048=2048
	EOF
}

@test "a container that takes too much memory is killed, with status 137" {
	requires root
	new_bundle box
	config '.linux.resources.memory = {limit: 16777216, swap: 16777216}'
	args tail /dev/zero
	run oci run --bundle "$BUNDLE" box
	[ "$status" -eq 137 ]
}

@test "the kernel refuses one process more than pids.limit" {
	requires root
	new_bundle box
	config '.linux.resources.pids.limit = 3'
	args sh -c 'sleep 1000 & sleep 1000 & sleep 1000 & echo not reached'
	run oci run --bundle "$BUNDLE" box
	[ "$status" -ne 0 ]
	assert_output_has "can't fork"
	[[ $output != *"not reached"* ]]
}

@test "a pids.limit of 1 is enough to run a program" {
	requires root
	new_bundle box
	config '.linux.resources.pids.limit = 1'
	args echo here
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = here ]
}

@test "create names a limit that the machine cannot meet" {
	requires root
	new_bundle box
	config '.linux.resources.cpu.cpus = "4095"'
	run_bad "linux.resources.cpu.cpus: " oci run --bundle "$BUNDLE" box
	assert_gone box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

@test "a user to whom a cgroup is delegated sets limits in it" {
	local top=/sys/fs/cgroup$LOGIN

	requires root cgroup2 userns setpriv
	new_user
	new_user_bundle
	make_cgroup "$LOGIN/user/shell"
	echo "+memory +pids" >"$top/cgroup.subtree_control"
	chown -R "$USER_ID" "$top/user/shell"
	chown "$USER_ID" "$top/user" \
		"$top/user"/cgroup.{procs,threads,subtree_control}
	config '.linux.resources = {memory: {limit: 33554432},
		pids: {limit: 20}}'
	args sleep 1000
	in_cgroup "$LOGIN/user/shell" as_user ./sandlock-oci create \
		--bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1
	[ "$(cat "$top/user/box/memory.max")" = 33554432 ]
	[ "$(cat "$top/user/box/pids.max")" = 20 ]
	as_user ./sandlock-oci start box
	in_cgroup "$LOGIN/user/shell" as_user ./sandlock-oci exec box true
	as_user ./sandlock-oci delete --force box
	[ ! -e "$top/user/box" ]
}

# FRAGMENT of linux.resources => what the refusal says.
@test "create names a limit with an invalid value" {
	local fragment text

	requires root
	new_bundle box
	while IFS='=' read -r fragment text; do
		config --argjson r "$fragment" '.linux.resources = $r'
		run_bad "linux.resources.$text" \
			oci run --bundle "$BUNDLE" box
		assert_gone box
	done <<-'EOF'
		{"memory": {"limit": -2}}=memory.limit: -2 is below -1
		{"memory": {"swap": 100}}=memory.swap: 100 requires memory.limit
		{"memory": {"limit": 200, "swap": 100}}=memory.swap: 100 (memory plus swap) is less than memory.limit 200
		{"cpu": {"cpus": "none"}}=cpu.cpus: 
		{"cpu": {"mems": "99"}}=cpu.mems: 
		{"cpu": {"period": 1, "quota": 1}}=cpu.
	EOF
}

# As podman, containerd, CRI-O and docker send them.
@test "create accepts resources whose values ask for nothing" {
	local fragment

	requires root
	new_bundle box
	while read -r fragment; do
		config --argjson r "$fragment" '.linux.resources = $r'
		run_ok oci run --bundle "$BUNDLE" box
	done <<-'EOF'
		{}
		{"memory": {}, "cpu": {}, "pids": {"limit": 0}, "blockIO": {}}
		{"memory": {"limit": 0, "swap": 0, "reservation": 0, "kernel": 0, "kernelTCP": 0}}
		{"memory": {"limit": -1, "swap": -1, "reservation": -1, "kernel": -1}}
		{"memory": {"disableOOMKiller": false}}
		{"cpu": {"shares": 0, "quota": 0, "period": 0, "cpus": "", "mems": "", "realtimeRuntime": 0, "realtimePeriod": 0, "burst": 0, "idle": 0}}
		{"cpu": {"quota": -1, "period": 100000}}
		{"blockIO": {"weight": 0, "leafWeight": 0, "weightDevice": [], "throttleReadBpsDevice": null}}
		{"hugepageLimits": [], "network": {"classID": 0, "priorities": []}, "rdma": {}, "unified": {}}
		{"devices": [{"allow": false, "access": "rwm"}], "network": {}, "unified": null}
		{"memory": {"limit": 67108864, "swap": 0}, "cpu": {"shares": 1024}, "pids": {"limit": -1}}
		{"memory": {"limit": 67108864, "kernel": 33554432, "useHierarchy": true}}
	EOF
}

# ---- devices ----

# /dev/kmsg (1:11) may be opened for writing by anyone whom rules let.
kmsg_bundle() {
	new_bundle box
	config '.linux.devices = [{path: "/dev/message", type: "c", major: 1,
		minor: 11, fileMode: 438}]'
	args sh -c '(: >/dev/message) && echo opened; (: </dev/zero) && echo zero'
}

@test "a container cannot open a device that no rule allows" {
	requires root
	kmsg_bundle
	config '.linux.resources.devices = [{allow: false, access: "rwm"}]'
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has "Operation not permitted"
	[[ $output != *opened* ]]
	assert_output_has zero
}

@test "a container may access a device only in the ways that its rules allow" {
	requires root
	kmsg_bundle
	config '.linux.resources.devices = [{allow: false, access: "rwm"},
		{allow: true, type: "c", major: 1, minor: 11, access: "w"}]'
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has opened
	config '.linux.resources.devices[1].access = "rm"'
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has "Operation not permitted"
	[[ $output != *opened* ]]
}

@test "a later device rule that denies wins over an earlier one that allows" {
	requires root
	kmsg_bundle
	config '.linux.resources.devices = [{allow: false, access: "rwm"},
		{allow: true, type: "c", major: 1, minor: 11, access: "rw"},
		{allow: false, type: "c", major: 1, minor: 11, access: "w"}]'
	run_ok oci run --bundle "$BUNDLE" box
	[[ $output != *opened* ]]
}

@test "a device rule can allow all devices" {
	requires root
	kmsg_bundle
	config '.linux.resources.devices = [{allow: true, access: "rwm"}]'
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has opened
}

@test "the device rules of a container apply to exec" {
	requires root
	kmsg_bundle
	config '.linux.resources.devices = [{allow: false, access: "rwm"}]'
	start_box sleep 1000
	run oci exec box sh -c ': >/dev/message && echo opened'
	assert_output_has "Operation not permitted"
}

# ---- every process ----

# A container in the host's pid namespace, whose init started another process.
start_with_stray() {
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "pid"))'
	start_box sh -c 'setsid sleep 1000 & exec sleep 1000'
	wait_until test "$(oci ps --format json box | jq length)" = 2
	STRAY=$(oci ps --format json box | jq ".[] | select(. != $PID)")
}

@test "ps lists every process of the cgroup, sub-cgroups included" {
	requires root
	new_bundle box
	start_box sh -c 'sleep 1000 & exec sleep 1000'
	oci exec --detach box sleep 1000
	for dir in $(cgroup_dirs "$(cgroup_of box)"); do
		! meets cgroup2 || mkdir "$dir/below"
	done
	wait_until test "$(oci ps --format json box | jq length)" = 3
	! meets cgroup2 ||
		echo "$PID" >"$(own_dir)/below/cgroup.procs"
	[ "$(oci ps --format json box | jq length)" = 3 ]
	oci ps --format json box | jq -e "index($PID) != null"
}

@test "kill KILL ends all processes where the pid namespace is the host's" {
	requires root
	start_with_stray
	run_ok oci kill box KILL
	wait_until process_is_gone "$STRAY"
	wait_until process_is_gone "$PID"
	run_ok oci delete box
}

@test "kill --all signals every process and TERM alone only init" {
	requires root
	start_with_stray
	run_ok oci kill box TERM
	wait_until has_status box stopped
	kill -0 "$STRAY"
	run_ok oci kill --all box TERM
	wait_until process_is_gone "$STRAY"
	run_ok oci kill --all box KILL
	run_ok oci delete box
}

@test "delete ends the processes that outlived init" {
	requires root
	start_with_stray
	run_ok oci kill box TERM
	wait_until has_status box stopped
	run_ok oci delete box
	process_is_gone "$STRAY"
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

@test "kill KILL ends a frozen container" {
	local dir

	requires root
	new_bundle box
	start_box sleep 1000
	dir=$(own_dir freezer)
	if meets cgroup2; then
		echo 1 >"$dir/cgroup.freeze"
	else
		echo FROZEN >"$dir/freezer.state"
	fi
	wait_until has_status box paused
	run_ok oci kill box KILL
	wait_until has_status box stopped
	run_ok oci delete box
}

@test "delete removes the cgroups made inside a container, with their processes" {
	local controller=pids/

	requires root
	! meets cgroup2 || controller=
	new_bundle box
	config '(.mounts[] | select(.type == "cgroup") | .options) -= ["ro"]'
	start_box sh -c "cd /sys/fs/cgroup/$controller && mkdir -p a/b &&
		sleep 1000 & sleep 1000"
	wait_until test -d "$(own_dir pids)/a/b"
	echo "$PID" >"$(own_dir pids)/a/b/cgroup.procs"
	run_ok oci delete --force box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

# ---- exec ----

# run_exec_bad TEXT ARGUMENT...: exec must fail before its program and say TEXT.
run_exec_bad() {
	local text=$1

	shift
	run oci exec "$@"
	[ "$status" -eq 255 ]
	assert_output_has "$text"
}

@test "exec joins the cgroups of the container" {
	requires root
	start_sleeping box
	oci exec --detach --pid-file "$TMP/exec.pid" box sleep 1000
	[ "$(places "$(cat "$TMP/exec.pid")")" = "$(cgroup_of box)" ]
}

@test "exec --cgroup enters a sub-cgroup that exists, and no other" {
	requires root
	start_sleeping box
	run_exec_bad "open " --cgroup below box true
	make_cgroup "$(cgroup_of box)/below/there"
	oci exec --detach --pid-file "$TMP/exec.pid" \
		--cgroup below/there box sleep 1000
	[ "$(places "$(cat "$TMP/exec.pid")")" = "$(cgroup_of box)/below/there" ]
	run_exec_bad "--cgroup ../box2: bad sub cgroup path: it leads out of the container's cgroup" \
		--cgroup ../box2 box true
	run_exec_bad "--cgroup nothing:below: the container has no such cgroup" \
		--cgroup nothing:below box true
}

@test "exec --cgroup with controllers enters the sub-cgroup of these controllers only" {
	requires root cgroup1
	start_sleeping box
	make_cgroup "$(cgroup_of box)/below"
	oci exec --detach --pid-file "$TMP/exec.pid" \
		--cgroup pids,cpu:below box sleep 1000
	run cat "/proc/$(cat "$TMP/exec.pid")/cgroup"
	grep -qE ":pids:$(cgroup_of box)/below$" <<<"$output"
	grep -qE ":cpu[^:]*:$(cgroup_of box)/below$" <<<"$output"
	grep -qE ":memory:$(cgroup_of box)$" <<<"$output"
}

@test "exec follows an init that moved and passed its controllers on" {
	requires root cgroup2
	new_bundle box
	config '(.mounts[] | select(.type == "cgroup") | .options) -= ["ro"]'
	start_box sh -c 'cd /sys/fs/cgroup && mkdir init &&
		echo 1 >init/cgroup.procs &&
		echo +pids >cgroup.subtree_control && exec sleep 1000'
	wait_until grep -q pids "$(own_dir)/cgroup.subtree_control"
	oci exec --detach --pid-file "$TMP/exec.pid" box sleep 1000
	[ "$(places "$(cat "$TMP/exec.pid")")" = "$(cgroup_of box)/init" ]
	[ "$(oci ps --format json box | jq length)" = 2 ]
}

# ---- what the container sees ----

@test "a container in a cgroup namespace sees its cgroup as the root" {
	requires root
	new_bundle box
	cgroup_namespace
	args sh -c 'cut -d : -f 3 /proc/self/cgroup | sort -u'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = / ]
}

@test "a cgroup mount with a cgroup namespace shows only the container's own cgroup" {
	requires root cgroup2
	new_bundle box
	args sh -c 'cat /sys/fs/cgroup/cgroup.procs; mkdir /sys/fs/cgroup/x'
	run oci run --bundle "$BUNDLE" box
	[[ ${lines[0]} = 1 ]]
	assert_output_has "Read-only file system"
}

@test "a cgroup mount without a cgroup namespace shows all of the host's cgroups, read-only" {
	requires root cgroup2
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	args sh -c "ls -d /sys/fs/cgroup$(cgroup_of box)
		mkdir /sys/fs/cgroup/x"
	run oci run --bundle "$BUNDLE" box
	assert_output_has "/sys/fs/cgroup$(cgroup_of box)"
	assert_output_has "Read-only file system"
}

@test "a writable cgroup in a cgroup namespace belongs to the container's user" {
	requires root cgroup2 userns
	new_bundle box
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.process.user.uid = 5 |
		(.mounts[] | select(.type == "cgroup") | .options) -= ["ro"]'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	start_box sh -c 'cd /sys/fs/cgroup && mkdir a && echo 1 >a/cgroup.procs &&
		echo +pids >cgroup.subtree_control && exec sleep 1000'
	wait_until test -d "$(own_dir)/a"
	[ "$(stat -c %u "$(own_dir)")" = 100005 ]
	[ "$(stat -c %u "$(own_dir)/cgroup.procs")" = 100005 ]
	[ "$(stat -c %u "$(own_dir)/cgroup.subtree_control")" = 100005 ]
	[ "$(stat -c %u "$(own_dir)/memory.max")" = 0 ]
	[ "$(stat -c %u "$(own_dir)/..")" = 0 ]
	wait_until grep -q pids "$(own_dir)/cgroup.subtree_control"
}

@test "a read-only cgroup in a cgroup namespace does not belong to the container's user" {
	requires root cgroup2
	new_bundle box
	config '.process.user.uid = 5'
	start_box sleep 1000
	[ "$(stat -c %u "$(own_dir)")" = 0 ]
	[ "$(stat -c %u "$(own_dir)/cgroup.procs")" = 0 ]
}
