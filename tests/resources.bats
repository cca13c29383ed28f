#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/resources.bats - every field of linux.resources, as the kernel has it.

# shellcheck disable=SC2016 # jq's dollars

load helpers
load limits

# refused_by_name FRAGMENT TEXT: create fails, names the field, leaves nothing.
refused_by_name() {
	[ -n "$BUNDLE" ] || new_bundle box
	config --argjson r "$1" '.linux.resources = $r'
	run_bad "linux.resources.$2" oci create --bundle "$BUNDLE" box
	assert_gone box
	[ -z "$(cgroup_dirs "$(cgroup_of box)")" ]
}

@test "memory: limit, reservation and swap are set" {
	requires root
	box_with '{"memory": {"limit": 67108864, "swap": 100663296,
		"reservation": 33554432}}'
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes 100663296 memory.swap.max 33554432
	limit_is memory.soft_limit_in_bytes 33554432 memory.low 33554432
}

@test "memory: swap can be none or unlimited" {
	local most=9223372036854771712

	requires root
	box_with '{"memory": {"limit": 67108864, "swap": 67108864}}'
	limit_is memory.memsw.limit_in_bytes 67108864 memory.swap.max 0
	no_box
	box_with '{"memory": {"limit": 67108864, "swap": -1}}'
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes $most memory.swap.max max
	no_box
	box_with '{"memory": {"limit": -1}}'
	limit_is memory.limit_in_bytes $most memory.max max
	limit_is memory.memsw.limit_in_bytes $most memory.swap.max max
}

@test "memory: swappiness and disableOOMKiller need cgroup v1" {
	local none="not supported on cgroup v2"

	requires root
	if on_v1 memory; then
		box_with '{"memory": {"swappiness": 7, "useHierarchy": true,
			"disableOOMKiller": true}}'
		limit_is memory.swappiness 7
		limit_is memory.use_hierarchy 1
		grep -qx "oom_kill_disable 1" "$(path_of memory.oom_control)"
	else
		refused_by_name '{"memory": {"swappiness": 7}}' \
			"memory.swappiness: $none"
		refused_by_name '{"memory": {"disableOOMKiller": true}}' \
			"memory.disableOOMKiller: $none"
		box_with '{"memory": {"useHierarchy": true,
			"disableOOMKiller": false}}'
	fi
}

@test "memory: without the OOM killer a process waits" {
	requires root
	on_v1 memory || skip "needs the memory controller on v1"
	new_bundle box
	config '.linux.resources.memory = {limit: 16777216, swap: 16777216,
		disableOOMKiller: true}'
	args awk 'BEGIN { x = "0123456789"; while (1) x = x x }'
	start_container box
	wait_until grep -qx "under_oom 1" "$(path_of memory.oom_control)"
	assert_status box running
}

@test "memory: kernel limits are accepted with a warning" {
	requires root
	new_bundle box
	config '.linux.resources.memory = {kernel: 16777216, kernelTCP: 16777216}'
	run_ok oci --debug run --bundle "$BUNDLE" box
	assert_output_has "linux.resources.memory.kernel: ignored"
	assert_output_has "linux.resources.memory.kernelTCP: ignored"
}

# SHARES => v2's weight.
@test "cpu: shares are set, or the weight that corresponds to them" {
	local shares weight

	requires root
	while IFS='=' read -r shares weight; do
		box_with "{\"cpu\": {\"shares\": $shares}}"
		limit_is cpu.shares "$shares" cpu.weight "$weight"
		no_box
	done <<-'EOF'
		2=1
		512=59
		1024=100
		262144=10000
	EOF
}

@test "cpu: shares that v1 would change silently are refused" {
	requires root
	on_v1 cpu || skip "needs the cpu controller on v1"
	refused_by_name '{"cpu": {"shares": 1}}' \
		"cpu.shares: 1: the minimum allowed cpu-shares is 2"
	refused_by_name '{"cpu": {"shares": 262145}}' \
		"cpu.shares: 262145: the maximum allowed cpu-shares is 262144"
}

@test "cpu: quota, period and burst are set" {
	requires root
	box_with '{"cpu": {"quota": 40000, "period": 50000, "burst": 10000}}'
	limit_is cpu.cfs_quota_us 40000 cpu.max "40000 50000"
	limit_is cpu.cfs_period_us 50000 cpu.max "40000 50000"
	limit_is cpu.cfs_burst_us 10000 cpu.max.burst 10000
	no_box
	refused_by_name '{"cpu": {"quota": 1000, "burst": 1001}}' \
		"cpu.burst: 1001 is greater than cpu.quota 1000"
}

@test "cpu: a container at its quota is throttled" {
	requires root
	new_bundle box
	config '.linux.resources.cpu = {quota: 5000, period: 50000}'
	args sh -c 'while :; do :; done'
	start_container box
	wait_until grep -q '^nr_throttled [1-9]' "$(path_of cpu.stat)"
}

@test "cpu: idle is set, with the share that applies afterwards" {
	requires root
	box_with '{"cpu": {"idle": 1, "shares": 512}}'
	limit_is cpu.idle 1
	run_ok oci update --cpu-idle 0 box
	limit_is cpu.idle 0
	limit_is cpu.shares 512 cpu.weight 59
}

@test "cpu: realtime needs cgroup v1 and a parent with realtime to give" {
	local parent

	requires root
	if ! on_v1 cpu; then
		refused_by_name '{"cpu": {"realtimeRuntime": 1000}}' \
			"cpu.realtimeRuntime: not supported on cgroup v2"
		refused_by_name '{"cpu": {"realtimePeriod": 1000}}' \
			"cpu.realtimePeriod: not supported on cgroup v2"
		return
	fi
	parent=$(v1_mount cpu)$CGROUP_PARENT
	[ -e "${parent%/*}/cpu.rt_runtime_us" ] || skip "needs realtime groups"
	refused_by_name '{"cpu": {"realtimeRuntime": 1000}}' \
		"cpu.realtimeRuntime: write '1000'"
	mkdir -p "$parent"
	echo 5000 >"$parent/cpu.rt_runtime_us"
	box_with '{"cpu": {"realtimeRuntime": 1000, "realtimePeriod": 500000}}'
	limit_is cpu.rt_runtime_us 1000
	limit_is cpu.rt_period_us 500000
}

@test "cpu: a container can use its CPUs and memory nodes only" {
	requires root
	box_with '{"cpu": {"cpus": "0", "mems": "0"}}'
	limit_is cpuset.cpus 0
	limit_is cpuset.mems 0
	run_ok oci exec box nproc
	[ "$output" = 1 ]
}

@test "pids: limit takes any number, and a negative one means no limit" {
	requires root
	box_with '{"pids": {"limit": 17}}'
	limit_is pids.max 17
	no_box
	box_with '{"pids": {"limit": -1}}'
	limit_is pids.max max
}

# Which file it is depends on the kernel, too.
@test "blockIO: weight is set" {
	local bfq

	requires root
	requires_controller blkio
	new_bundle box
	config '.linux.resources = {}'
	args sleep 1000
	start_container box
	bfq=$(path_of blkio.bfq.weight io.bfq.weight)
	[ -e "$bfq" ] || bfq=
	[ -n "$bfq" ] || [ -e "$(path_of blkio.weight io.weight)" ] ||
		skip "needs weights of block I/O"
	no_box
	box_with '{"blockIO": {"weight": 100}}'
	if [ -n "$bfq" ]; then
		limit_is blkio.bfq.weight 100 io.bfq.weight "default 100"
	else
		limit_is blkio.weight 100 io.weight "default 910"
	fi
}

@test "blockIO: leaf weights need an old cgroup v1" {
	requires root
	requires_controller blkio
	if on_v1 blkio; then
		refused_by_name '{"blockIO": {"leafWeight": 100}}' \
			"blockIO.leafWeight: open "
	else
		refused_by_name '{"blockIO": {"leafWeight": 100}}' \
			"blockIO.leafWeight: not supported on cgroup v2"
	fi
}

@test "blockIO: throttles are set" {
	local disk list

	requires root
	requires_controller blkio
	disk=$(some_disk) || skip "needs a disk"
	list=$(jq -cn --arg d "$disk" '[{major: ($d | split(":")[0] | tonumber),
		minor: ($d | split(":")[1] | tonumber), rate: 1048576}]')
	box_with "{\"blockIO\": {\"throttleReadBpsDevice\": $list,
		\"throttleWriteBpsDevice\": $list,
		\"throttleReadIOPSDevice\": $list,
		\"throttleWriteIOPSDevice\": $list}}"
	for file in read_bps write_bps read_iops write_iops; do
		limit_is "blkio.throttle.${file}_device" "$disk 1048576" io.max \
			"$disk rbps=1048576 wbps=1048576 riops=1048576 wiops=1048576"
	done
	no_box
	box_with "{\"blockIO\": {\"throttleReadBpsDevice\":
		$(jq -c '.[0].rate = 0' <<<"$list")}}"
}

@test "blockIO: a missing device is refused by its place" {
	requires root
	requires_controller blkio
	refused_by_name '{"blockIO": {"throttleReadBpsDevice":
		[{"major": 4095, "minor": 0, "rate": 1}]}}' \
		"blockIO.throttleReadBpsDevice[0]: write "
	box_with '{"blockIO": {"throttleReadBpsDevice":
		[{"major": 4095, "minor": 0, "rate": 0}]}}'
}

@test "hugepageLimits: limits of pages and reservations are set" {
	requires root
	requires_controller hugetlb
	[ -d /sys/kernel/mm/hugepages/hugepages-2048kB ] ||
		skip "needs huge pages of 2 MB"
	box_with '{"hugepageLimits": [{"pageSize": "2MB", "limit": 4194304}]}'
	limit_is hugetlb.2MB.limit_in_bytes 4194304 hugetlb.2MB.max 4194304
	limit_is hugetlb.2MB.rsvd.limit_in_bytes 4194304 \
		hugetlb.2MB.rsvd.max 4194304
	no_box
	box_with '{"hugepageLimits": [{"pageSize": "2MB", "limit": 0}]}'
	limit_is hugetlb.2MB.limit_in_bytes 0 hugetlb.2MB.max 0
	no_box
	refused_by_name '{"hugepageLimits": [{"pageSize": "3MB", "limit": 1}]}' \
		"hugepageLimits[0]: "
}

@test "hugepageLimits: 0 for every size there could be is no error" {
	requires root
	box_with '{"hugepageLimits": [{"pageSize": "64KB", "limit": 0},
		{"pageSize": "2MB", "limit": 0}, {"pageSize": "1GB", "limit": 0},
		{"pageSize": "16GB", "limit": 0}]}'
}

@test "network: class and priorities are set where v1 has them, and refused elsewhere" {
	local none="the net_cls controller is not in any mounted cgroup hierarchy"

	requires root
	if on_v1 net_cls && on_v1 net_prio; then
		box_with '{"network": {"classID": 1048577,
			"priorities": [{"name": "lo", "priority": 5}]}}'
		limit_is net_cls.classid 1048577
		grep -qx "lo 5" "$(path_of net_prio.ifpriomap)"
		return
	fi
	! meets cgroup2 || none="not supported on cgroup v2"
	refused_by_name '{"network": {"classID": 1048577}}' \
		"network.classID: $none"
	refused_by_name '{"network": {"priorities":
		[{"name": "lo", "priority": 5}]}}' "network.priorities: "
	box_with '{"network": {"classID": 0, "priorities":
		[{"name": "lo", "priority": 0}]}}'
}

@test "rdma: a missing device is refused by its name" {
	requires root
	refused_by_name '{"rdma": {"nonesuch": {"hcaHandles": 1}}}' \
		"rdma.nonesuch: "
}

@test "unified: files of v2 are written as they are, last" {
	requires root
	requires cgroup2
	box_with '{"memory": {"limit": 67108864}, "unified": {
		"memory.max": "33554432", "memory.high": "16777216",
		"cgroup.max.depth": "3"}}'
	limit_is memory.max 33554432
	limit_is memory.high 16777216
	limit_is cgroup.max.depth 3
}

@test "unified: a missing file is refused by its name" {
	requires root
	meets cgroup2 || meets hybrid || skip "needs a v2 hierarchy"
	refused_by_name '{"unified": {"nonesuch.max": "1"}}' \
		"unified.nonesuch.max: the nonesuch controller is not available in "
	refused_by_name '{"unified": {"cgroup.nonesuch": "1"}}' \
		"unified.cgroup.nonesuch: "
	refused_by_name '{"unified": {"cgroup.max.depth": "some"}}' \
		"unified.cgroup.max.depth: write 'some'"
	box_with '{"unified": {"cgroup.max.depth": "3"}}'
	[ "$(cat "$(v2_mount)$(cgroup_of box)/cgroup.max.depth")" = 3 ]
}

@test "unified: a controller that is on v1 has other files" {
	requires root
	on_v1 memory || skip "needs the memory controller on v1"
	meets hybrid || skip "needs hybrid"
	refused_by_name '{"unified": {"memory.high": "1000000"}}' \
		"unified.memory.high: the memory controller is mounted as cgroup v1 on this host"
}
