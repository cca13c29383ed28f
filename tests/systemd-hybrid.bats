#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The systemd driver where controllers are on cgroup v1.

load helpers
load systemd

# hybrid_unit_limit_is ID FILE VALUE: does the kernel, in the hierarchy the
# file begins with?
hybrid_unit_limit_is() {
	local dir=/sys/fs/cgroup/${2%%.*} value

	value=$(cat "$dir/slice.slice/slice-$1.slice/web-$1.scope/$2")
	[ "$value" = "$3" ] || {
		echo "$1: $2 is $value, not $3"
		return 1
	}
}

@test "limits on cgroup v1 are set as properties of the unit and in the kernel" {
	requires root systemd hybrid
	start_unit x1 '.linux.resources += {memory: {limit: 67108864},
		pids: {limit: 33}, cpu: {shares: 512, quota: 25000,
			period: 50000, cpus: "0"}}'
	unit_property_is web-x1.scope MemoryLimit 67108864
	unit_property_is web-x1.scope TasksMax 33
	unit_property_is web-x1.scope CPUShares 512
	unit_property_is web-x1.scope CPUQuotaPerSecUSec 500ms
	hybrid_unit_limit_is x1 memory.limit_in_bytes 67108864
	hybrid_unit_limit_is x1 pids.max 33
	hybrid_unit_limit_is x1 cpu.shares 512
	hybrid_unit_limit_is x1 cpu.cfs_quota_us 25000
	hybrid_unit_limit_is x1 cpu.cfs_period_us 50000
	hybrid_unit_limit_is x1 cpuset.cpus 0
	oci update --memory 40m x1
	unit_property_is web-x1.scope MemoryLimit 41943040
	hybrid_unit_limit_is x1 memory.limit_in_bytes 41943040
}

@test "a scope exists in every hierarchy, and delete removes it from all" {
	requires root systemd hybrid
	start_unit x1
	run grep -v ':/slice.slice/slice-x1.slice/web-x1.scope$' \
		"/proc/$(pid_of x1)/cgroup"
	[ -z "$output" ]
	oci pause x1
	assert_status x1 paused
	oci resume x1
	oci delete --force x1
	no_unit web-x1.scope
	[ -z "$(find /sys/fs/cgroup -name 'web-x1*')" ]
	# The runtime made the slices of hierarchies that systemd does not use.
	[ ! -e /sys/fs/cgroup/freezer/slice.slice ]
}
