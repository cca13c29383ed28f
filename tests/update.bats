#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/update.bats - other limits for a container that is there.

load helpers
load limits

MOST=9223372036854771712

# update OPTION...: must succeed.
update() {
	run_ok oci update "$@" box
}

# with_input JSON COMMAND...: with that on standard input.
with_input() {
	local text=$1

	shift
	run_ok "$@" <<<"$text"
}

# freezer on|off: by hand, in the way of the layout.
freezer() {
	local dir word=THAWED bit=0

	[ "$1" = off ] || word=FROZEN bit=1
	dir=$(v1_mount freezer)
	if [ -n "$dir" ]; then
		echo "$word" >"$dir$(cgroup_of box)/freezer.state"
	else
		echo "$bit" >"$(v2_mount)$(cgroup_of box)/cgroup.freeze"
	fi
}

@test "update sets each limit by its option" {
	requires root
	box_with '{}'
	update --memory 64m --memory-swap 96M --memory-reservation 33554432
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes 100663296 memory.swap.max 33554432
	limit_is memory.soft_limit_in_bytes 33554432 memory.low 33554432
	update --cpu-share 512 --cpu-quota 30000 --cpu-period 60000 \
		--cpu-burst 10000
	limit_is cpu.shares 512 cpu.weight 59
	limit_is cpu.cfs_quota_us 30000 cpu.max "30000 60000"
	limit_is cpu.cfs_period_us 60000 cpu.max "30000 60000"
	limit_is cpu.cfs_burst_us 10000 cpu.max.burst 10000
	update --cpuset-cpus 0 --cpuset-mems 0 --pids-limit 20
	limit_is cpuset.cpus 0
	limit_is cpuset.mems 0
	limit_is pids.max 20
	update --kernel-memory 1g --kernel-memory-tcp=1g
}

@test "update takes options on both sides of the ID, and one dash" {
	requires root
	box_with '{}'
	run_ok oci update box --pids-limit 3
	limit_is pids.max 3
	run_ok oci update --pids-limit=4 box --cpu-period=50000
	limit_is pids.max 4
	run_ok oci update -pids-limit 5 box
	limit_is pids.max 5
	run_ok oci update box
	limit_is pids.max 5
}

@test "update reads resources from a file and from standard input" {
	requires root
	box_with '{}'
	echo '{"pids": {"limit": 30}, "memory": {"limit": 67108864},
		"cpu": null, "unknown": {"a": 1.5}}' >"$TMP/resources"
	update --resources "$TMP/resources"
	limit_is pids.max 30
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	with_input '{"pids": {"limit": 31}}' oci update --resources - box
	limit_is pids.max 31
	with_input '{"pids": {"limit": 32}}' oci update --resources=- box
	limit_is pids.max 32
	with_input '{"pids": {"limit": 33}}' oci update -r - box
	limit_is pids.max 33
	# An option goes over the file.
	update --resources "$TMP/resources" --pids-limit 34
	limit_is pids.max 34
}

@test "update changes the given limits, and keeps those of earlier updates" {
	requires root
	box_with '{"memory": {"limit": 134217728, "swap": 134217728},
		"cpu": {"shares": 256}, "pids": {"limit": 50}}'
	update --memory 64m
	update --pids-limit 20
	update --cpu-quota 20000
	update --cpu-period 40000
	update --resources - <<<'{"memory": {"limit": 0, "swap": 0},
		"cpu": {"shares": 0, "quota": 0, "cpus": ""}, "pids": {}}'
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes 134217728 memory.swap.max 67108864
	limit_is cpu.shares 256 cpu.weight 35
	limit_is cpu.cfs_quota_us 20000 cpu.max "20000 40000"
	limit_is pids.max 20
	[ "$(stat -c %a "$ROOT/box/resources.json")" = 600 ]
}

@test "update of memory and swap can raise and lower the limits" {
	requires root
	box_with '{"memory": {"limit": 33554432, "swap": 33554432}}'
	update --memory 128m --memory-swap 256m
	limit_is memory.limit_in_bytes 134217728 memory.max 134217728
	limit_is memory.memsw.limit_in_bytes 268435456 memory.swap.max 134217728
	update --memory-swap 64m --memory 64m
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes 67108864 memory.swap.max 0
	update --memory-swap -1
	limit_is memory.memsw.limit_in_bytes $MOST memory.swap.max max
	run_bad "memory.swap: 1048576 (memory plus swap) is less than memory.limit 67108864" \
		oci update --memory-swap 1m box
	limit_is memory.memsw.limit_in_bytes $MOST memory.swap.max max
}

@test "update of memory to -1 lifts swap as well" {
	requires root
	box_with '{"memory": {"limit": 33554432, "swap": 67108864}}'
	update --memory -1
	limit_is memory.limit_in_bytes $MOST memory.max max
	limit_is memory.memsw.limit_in_bytes $MOST memory.swap.max max
	update --memory 32m
	limit_is memory.limit_in_bytes 33554432 memory.max 33554432
	limit_is memory.memsw.limit_in_bytes $MOST memory.swap.max max
}

@test "update of a quota alone keeps the period, and update of a period the quota" {
	requires root
	box_with '{"cpu": {"quota": 50000, "period": 100000}}'
	update --cpu-quota 30000
	limit_is cpu.cfs_quota_us 30000 cpu.max "30000 100000"
	update --cpu-period 50000
	limit_is cpu.cfs_quota_us 30000 cpu.max "30000 50000"
	limit_is cpu.cfs_period_us 50000 cpu.max "30000 50000"
	update --cpu-quota -1
	limit_is cpu.cfs_quota_us -1 cpu.max "max 50000"
	no_box
	box_with '{}'
	update --cpu-period 50000
	limit_is cpu.cfs_quota_us -1 cpu.max "max 50000"
	update --cpu-quota 5000
	limit_is cpu.cfs_quota_us 5000 cpu.max "5000 50000"
}

@test "update of a share leaves the quota alone, to the microsecond" {
	requires root
	box_with '{"cpu": {"shares": 1024, "quota": 33333, "period": 70000}}'
	update --cpu-share 512
	limit_is cpu.shares 512 cpu.weight 59
	limit_is cpu.cfs_quota_us 33333 cpu.max "33333 70000"
	limit_is cpu.cfs_period_us 70000 cpu.max "33333 70000"
	run_bad "linux.resources.cpu.cpus: " oci update --cpu-share 256 \
		--cpuset-cpus 4095 box
	limit_is cpu.shares 512 cpu.weight 59
	limit_is cpu.cfs_quota_us 33333 cpu.max "33333 70000"
}

@test "update writes quota and burst in the order in which they depend on each other" {
	requires root
	box_with '{"cpu": {"quota": 10000, "burst": 5000}}'
	update --cpu-quota 40000 --cpu-burst 30000
	limit_is cpu.cfs_burst_us 30000 cpu.max.burst 30000
	update --cpu-quota 4000 --cpu-burst 3000
	limit_is cpu.cfs_burst_us 3000 cpu.max.burst 3000
	run_bad "cpu.burst: 3000 is greater than cpu.quota 2000" \
		oci update --cpu-quota 2000 box
	update --cpu-burst 0
	limit_is cpu.cfs_burst_us 0 cpu.max.burst 0
	update --cpu-quota 2000
	limit_is cpu.cfs_quota_us 2000 cpu.max "2000 100000"
}

@test "update to idle and back restores the share" {
	requires root
	box_with '{"cpu": {"shares": 512}}'
	update --cpu-idle 1
	limit_is cpu.idle 1
	update --cpu-share 256
	limit_is cpu.idle 1
	update --cpu-idle 0
	limit_is cpu.shares 256 cpu.weight 35
	run_bad "cpu.idle: 2 is neither 0 nor 1" oci update --cpu-idle 2 box
}

@test "update of a throttle keeps the throttles of other devices" {
	local disk numbers

	requires root
	requires_controller blkio
	disk=$(some_disk) || skip "needs a disk"
	numbers="\"major\": ${disk%:*}, \"minor\": ${disk#*:}"
	box_with '{}'
	with_input "{\"blockIO\": {\"throttleReadBpsDevice\":
		[{$numbers, \"rate\": 1048576}]}}" oci update -r - box
	with_input "{\"blockIO\": {\"throttleWriteBpsDevice\":
		[{$numbers, \"rate\": 2097152}]}}" oci update -r - box
	limit_is blkio.throttle.read_bps_device "$disk 1048576" io.max \
		"$disk rbps=1048576 wbps=2097152 riops=max wiops=max"
	with_input "{\"blockIO\": {\"throttleReadBpsDevice\":
		[{$numbers, \"rate\": 0}]}}" oci update -r - box
	limit_is blkio.throttle.read_bps_device "" io.max \
		"$disk rbps=max wbps=2097152 riops=max wiops=max"
}

@test "update of a paused container leaves it paused" {
	requires root
	box_with '{}'
	freezer on
	wait_until has_status box paused
	update --pids-limit 7 --memory 64m --cpu-quota 10000
	assert_status box paused
	limit_is pids.max 7
	freezer off
	wait_until has_status box running
}

@test "update of a created container applies when it starts" {
	requires root
	new_bundle box
	args sleep 1000
	create box
	update --pids-limit 9
	assert_status box created
	run_ok oci start box
	limit_is pids.max 9
	run_ok oci exec box true
}

@test "update refuses a container that is not running or does not exist" {
	requires root
	start_sleeping box
	oci kill box KILL
	wait_until has_status box stopped
	run_bad "box: container not running" oci update --pids-limit 5 box
	run_bad "nonesuch: container does not exist" \
		oci update --pids-limit 5 nonesuch
}

@test "update of a container without cgroups says that the container has none" {
	requires root
	new_bundle box
	args sleep 1000
	oci --cgroup-manager disabled create --bundle "$BUNDLE" box \
		>"$TMP/out" 2>&1
	run_bad "box: the container has no cgroup of its own" \
		oci update --pids-limit 5 box
	update --pids-limit -1
}

# Its node is there, and it is denied.
@test "update leaves device rules alone" {
	requires root
	new_bundle box
	config '.linux.devices = [{path: "/dev/kmsg", type: "c", major: 1,
		minor: 11}]'
	args sleep 1000
	start_container box
	run oci exec box head -c 0 /dev/kmsg
	[ "$status" -ne 0 ]
	with_input '{"devices": [{"allow": true, "access": "rwm"}],
		"pids": {"limit": 40}}' oci update -r - box
	limit_is pids.max 40
	run oci exec box head -c 0 /dev/kmsg
	[ "$status" -ne 0 ]
	assert_output_has "Operation not permitted"
}

@test "update writes unified files of v2 as they are, and keeps their values" {
	requires root
	requires cgroup2
	box_with '{"unified": {"memory.high": "67108864"}}'
	with_input '{"unified": {"memory.low": "1048576", "cpu.max": "20000 100000"}}' \
		oci update -r - box
	limit_is memory.high 67108864
	limit_is memory.low 1048576
	# The options set only one half of cpu.max.
	update --cpu-period 50000
	limit_is cpu.max "20000 50000"
	update --cpu-share 512 --pids-limit 20
	limit_is cpu.max "20000 50000"
	[ "$(jq -r '.unified["memory.high"]' "$ROOT/box/resources.json")" = \
		67108864 ]
}

@test "update of huge pages enables a controller that was not needed before" {
	requires root
	requires_controller hugetlb
	[ -d /sys/kernel/mm/hugepages/hugepages-2048kB ] ||
		skip "needs huge pages of 2 MB"
	box_with '{}'
	with_input '{"hugepageLimits": [{"pageSize": "2MB", "limit": 2097152}]}' \
		oci update -r - box
	limit_is hugetlb.2MB.limit_in_bytes 2097152 hugetlb.2MB.max 2097152
}

@test "update refuses a memory limit below the usage with checkBeforeUpdate" {
	requires root
	new_bundle box
	add_mount /data tmpfs tmpfs
	config '.linux.resources.memory = {limit: 67108864, swap: 67108864,
		checkBeforeUpdate: true}'
	args sh -c 'dd if=/dev/zero of=/data/file bs=1M count=16 && touch /data/ready
		sleep 1000'
	start_container box
	wait_until oci exec box test -e /data/ready
	run_bad "linux.resources.memory.limit: " \
		oci update --memory 8m --memory-swap 8m box
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	assert_status box running
	update --memory 32m
	limit_is memory.limit_in_bytes 33554432 memory.max 33554432
}

@test "a failed update leaves every value as it was" {
	requires root
	box_with '{"memory": {"limit": 67108864, "swap": 67108864},
		"cpu": {"shares": 512, "quota": 30000, "burst": 20000}}'
	run_bad "linux.resources.cpu.cpus: write '4095'" oci update \
		--memory 128m --memory-swap 256m --cpu-share 1024 \
		--cpu-quota 10000 --cpu-burst 5000 --cpuset-cpus 4095 box
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is memory.memsw.limit_in_bytes 67108864 memory.swap.max 0
	limit_is cpu.shares 512 cpu.weight 59
	limit_is cpu.cfs_quota_us 30000 cpu.max "30000 100000"
	limit_is cpu.cfs_burst_us 20000 cpu.max.burst 20000
	# Nor is it remembered.
	update --memory-swap 96m --cpu-period 50000
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is cpu.cfs_quota_us 30000 cpu.max "30000 50000"
}

# OPTION VALUE => what is said.
@test "update names the option of a malformed value" {
	local option value text

	requires root
	box_with '{}'
	while read -r option value text; do
		run_bad "$text" oci update "$option" "$value" box
	done <<-'EOF'
		--memory 5x --memory: '5x' is not a size
		--memory -2 --memory: '-2' is not a size
		--pids-limit many --pids-limit: 'many' is not a number
		--cpu-share -1 --cpu-share: '-1' is not a number
		--cpu-quota 1k --cpu-quota: '1k' is not a number
		--cpuset-cpus 0-a cpu.cpus: 
		--blkio-weight 5 blockIO.weight: 5 is not in the range 10 to 1000
		--resources /nonesuch --resources: open /nonesuch: no such file
		--l3-cache-schema L3:0=f --l3-cache-schema: linux.intelRdt is not set for this container
		--mem-bw-schema MB:0=20 --mem-bw-schema: linux.intelRdt is not set for this container
	EOF
	run_bad "--resources: pids.limit: must be a number, not a string" \
		oci update -r - box <<<'{"pids": {"limit": "5"}}'
	run_bad "--resources: " oci update -r - box <<<'[]'
	run_bad "--resources: " oci update -r - box <<<'{'
	[ ! -e "$ROOT/box/resources.json" ]
}

@test "concurrent updates are all kept" {
	local pids=() pid

	requires root
	box_with '{}'
	oci update --pids-limit 11 box & pids+=($!)
	oci update --memory 64m box & pids+=($!)
	oci update --cpu-share 512 box & pids+=($!)
	oci update --cpu-period 50000 box & pids+=($!)
	oci update --cpu-quota 25000 box & pids+=($!)
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	limit_is pids.max 11
	limit_is memory.limit_in_bytes 67108864 memory.max 67108864
	limit_is cpu.cfs_quota_us 25000 cpu.max "25000 50000"
	[ "$(jq -c '[.pids.limit, .memory.limit, .cpu.shares]' \
		"$ROOT/box/resources.json")" = "[11,67108864,512]" ]
}
