#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/effects.bats - limits at work, and limits of devices.

# shellcheck disable=SC2016 # jq's dollars

load helpers
load limits

# disk_below PATH: numbers of the whole disk its file system is on, "254:0".
disk_below() {
	local dir

	dir=$(readlink -f "/sys/dev/block/$(stat -c '%Hd:%Ld' "$1")")
	[ ! -e "$dir/partition" ] || dir=${dir%/*}
	cat "$dir/dev" 2>/dev/null
}

# rates DISK RATE: as a list of devices in config.json.
rates() {
	jq -cn --arg d "$1" --argjson rate "$2" '($d / ":" | map(tonumber)) |
		[{major: .[0], minor: .[1], rate: $rate}]'
}

# hundredths SCRIPT: of a second that it takes inside box.
hundredths() {
	local from to

	read -r from _ </proc/uptime
	oci exec box sh -c "$1"
	read -r to _ </proc/uptime
	echo $((${to/./} - ${from/./}))
}

# Limits here are to make it three seconds; the kernel lets a part of it go at
# once, another one on each machine. Without a limit it is some hundredths.
assert_slow() {
	[ "$1" -ge 100 ] || {
		echo "took $1 hundredths of a second"
		return 1
	}
}

@test "a throttle slows writing down to its rate" {
	local disk

	requires root
	requires_controller blkio
	new_bundle box
	disk=$(disk_below "$BUNDLE") || skip "needs a disk"
	box_with "{\"blockIO\": {\"throttleWriteBpsDevice\":
		$(rates "$disk" 1048576)}}"
	assert_slow "$(hundredths 'dd if=/dev/zero of=/file bs=128k count=24 \
		oflag=direct status=none')"
}

@test "a throttle slows reading down, until it is lifted" {
	local disk slow

	requires root
	requires_controller blkio
	new_bundle box
	disk=$(disk_below "$BUNDLE") || skip "needs a disk"
	dd if=/dev/zero of="$BUNDLE/rootfs/file" bs=128k count=24 conv=fsync
	box_with "{\"blockIO\": {\"throttleReadIOPSDevice\":
		$(rates "$disk" 8)}}"
	slow=$(hundredths 'dd if=/file of=/dev/null bs=128k count=24 \
		iflag=direct status=none')
	assert_slow "$slow"
	oci update --resources - box <<-EOF
		{"blockIO": {"throttleReadIOPSDevice": $(rates "$disk" 0)}}
	EOF
	[ "$(hundredths 'dd if=/file of=/dev/null bs=128k count=24 \
		iflag=direct status=none')" -lt "$slow" ]
}

# free_huge_pages N: whether N huge pages of 2 MB are free.
free_huge_pages() {
	local file=/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages

	[ -e "$file" ] && [ "$(cat "$file")" -ge "$1" ]
}

@test "the kernel refuses a huge page above the limit, and events counts it" {
	requires root
	requires_controller hugetlb
	free_huge_pages 4 || skip "needs huge pages of 2 MB"
	new_bundle box
	add_mount /huge hugetlbfs hugetlbfs pagesize=2M
	box_with '{"hugepageLimits": [{"pageSize": "2MB", "limit": 4194304}]}'
	run_ok oci exec box fallocate -l 4M /huge/a
	run_bad "No space left on device" oci exec box \
		fallocate -l 2M /huge/b
	run_ok oci events --stats box
	jq -e '.data.hugetlb["2MB"] | .usage == 4194304 and
		(.max // .usage) == 4194304' <<<"$output"
	# v1 counts it where it refused, at the reservation.
	[ -e /sys/fs/cgroup/hugetlb ] ||
		jq -e '.data.hugetlb["2MB"].failcnt >= 1' <<<"$output"
	run_ok oci exec box rm /huge/a
	run_ok oci exec box fallocate -l 2M /huge/b
}

@test "update moves the processes of a container to other CPUs" {
	requires root two_cpus
	requires_controller cpuset
	box_with '{"cpu": {"cpus": "1"}}'
	grep -qx $'Cpus_allowed_list:\t1' "/proc/$(pid_of box)/status"
	run_ok oci update --cpuset-cpus 0 box
	grep -qx $'Cpus_allowed_list:\t0' "/proc/$(pid_of box)/status"
}

# bfq_disk: numbers of a disk whose scheduler knows weights.
bfq_disk() {
	local dir

	for dir in /sys/block/*; do
		grep -qs '\[bfq\]' "$dir/queue/scheduler" || continue
		cat "$dir/dev"
		return
	done
	return 1
}

# weights DISK WEIGHT: as a list of devices in config.json.
weights() {
	rates "$@" | jq -c 'map(.weight = .rate | del(.rate))'
}

# expect_weights DEFAULT DISK WEIGHT: of box.
expect_weights() {
	limit_is blkio.bfq.weight "$1" io.bfq.weight "default $1"$'\n'"$2 $3"
	if on_v1 blkio; then
		limit_is blkio.bfq.weight_device "default $1"$'\n'"$2 $3"
	fi
}

@test "blockIO sets the weight of one disk and that of the others" {
	local disk

	requires root
	requires_controller blkio
	disk=$(bfq_disk) || skip "needs weights of block I/O"
	box_with "{\"blockIO\": {\"weight\": 300,
		\"weightDevice\": $(weights "$disk" 200)}}"
	expect_weights 300 "$disk" 200
	oci update --resources - box <<-EOF
		{"blockIO": {"weightDevice": $(weights "$disk" 500)}}
	EOF
	expect_weights 300 "$disk" 500
}

# expect_rdma LINE: among those of box, as the kernel ends them.
expect_rdma() {
	grep -x "$1 *" "$(path_of rdma.max)" || {
		cat "$(path_of rdma.max)"
		return 1
	}
}

@test "an RDMA device can have limits of handles, of objects, or of handles and objects" {
	local device

	requires root
	requires_controller rdma
	device=$(find /sys/class/infiniband -mindepth 1 -printf '%f\n' \
		-quit 2>/dev/null) || true
	[ -n "$device" ] || skip "needs an RDMA device"
	box_with "{\"rdma\": {\"$device\": {\"hcaHandles\": 3}}}"
	expect_rdma "$device hca_handle=3 hca_object=max"
	oci update --resources - box <<-EOF
		{"rdma": {"$device": {"hcaObjects": 1000}}}
	EOF
	expect_rdma "$device hca_handle=3 hca_object=1000"
	no_box
	box_with "{\"rdma\": {\"$device\": {\"hcaHandles\": 0,
		\"hcaObjects\": 7}}}"
	expect_rdma "$device hca_handle=0 hca_object=7"
}
