#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/events.bats - statistics and out-of-memory events.

load helpers
load limits

# A container that works a little, with a limit on processes.
start_working() {
	new_bundle web1
	# shellcheck disable=SC2016 # for the shell inside
	args sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done
		echo >/ready; sleep 1000'
	config '.linux.resources.pids = {"limit": 17} |
		.linux.resources.memory = {"limit": 33554432}'
	start_container web1
	wait_until [ -e "$BUNDLE/rootfs/ready" ]
}

@test "events --stats prints one line with what the container uses" {
	requires root
	start_working
	run_ok oci events --stats web1
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = '{"type":"stats","id":"web1","data":{'* ]]
	[ "$(jq .data.pids.current <<<"$output")" -ge 1 ]
	[ "$(jq .data.pids.limit <<<"$output")" -eq 17 ]
	[ "$(jq .data.memory.usage.limit <<<"$output")" -eq 33554432 ]
	[ "$(jq .data.memory.usage.usage <<<"$output")" -gt 0 ]
	[ "$(jq '.data.memory.raw | length' <<<"$output")" -gt 5 ]
	[ "$(jq .data.cpu.usage.total <<<"$output")" -gt 1000000 ]
	[ "$(jq '.data.cpuset.cpus | length' <<<"$output")" -ge 1 ]
	[ "$(jq '.data | length' <<<"$output")" -eq 8 ]
	[[ $output = *'"data":{"cpu":'*',"cpuset":'*',"memory":'*',"pids":'*','* ]]
	[[ $output = *',"blkio":'*',"hugetlb":'*',"intel_rdt":'*',"network_inter'* ]]
}

@test "events reports the interfaces of the container's own network" {
	requires root
	start_sleeping web1
	nsenter --net="/proc/$(pid_of web1)/ns/net" busybox ping -c 1 127.0.0.1
	run_ok oci events --stats web1
	jq -e '.data.network_interfaces | length == 1 and (.[0] |
		.Name == "lo" and .RxPackets == 2 and .TxPackets == 2 and
		.RxBytes > 100 and .TxBytes == .RxBytes and .RxErrors == 0 and
		.RxDropped == 0 and .TxErrors == 0 and .TxDropped == 0)' \
		<<<"$output"
}

@test "events reports no interface of the host" {
	requires root
	new_bundle web1
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	args sleep 1000
	start_container web1
	run_ok oci events --stats web1
	[ "$(jq -c .data.network_interfaces <<<"$output")" = "[]" ]
}

@test "events reports huge pages by their size" {
	requires root
	requires_controller hugetlb
	[ -d /sys/kernel/mm/hugepages/hugepages-2048kB ] ||
		skip "needs huge pages of 2 MB"
	box_with '{"hugepageLimits": [{"pageSize": "2MB", "limit": 4194304}]}'
	run_ok oci events --stats box
	jq -e '.data.hugetlb["2MB"] | .usage == 0 and .failcnt == 0' \
		<<<"$output"
	[ "$(jq -c .data.intel_rdt <<<"$output")" = "{}" ]
}

@test "events prints at its interval and ends with the container" {
	requires root
	start_working
	oci events --interval 50ms web1 >"$TMP/events" 3>&- &
	stream=$!
	wait_until enough_lines 3
	oci kill web1 KILL
	wait "$stream"
	[ "$(jq -r .type "$TMP/events" | sort -u)" = stats ]
}

enough_lines() {
	[ "$(wc -l <"$TMP/events")" -ge "$1" ]
}

@test "events reports an OOM kill as an event of its own" {
	requires root
	new_bundle web1
	# tail keeps a line that never ends; the shell outlives it.
	args sh -c 'while [ ! -e /go ]; do sleep 0.02; done
		tail /dev/zero; echo >/survived; sleep 1000'
	config '.linux.resources.memory = {"limit": 16777216, "swap": 16777216}'
	start_container web1
	oci events --interval 1h web1 >"$TMP/events" 3>&- &
	stream=$!
	sleep 0.2
	touch "$BUNDLE/rootfs/go"
	wait_until [ -e "$BUNDLE/rootfs/survived" ]
	wait_until enough_lines 1
	oci kill web1 KILL
	wait "$stream"
	[ "$(sort -u "$TMP/events")" = '{"type":"oom","id":"web1"}' ]
}

@test "events refuses a stopped container and an interval of zero" {
	requires root
	start_working
	run_bad "--interval 5: not a duration" oci events --interval 5 web1
	run_bad "not a duration" oci events --interval 0s web1
	oci kill web1 KILL
	wait_until has_status web1 stopped
	run_bad "container not running" oci events --stats web1
}

@test "events says once that denials are not reported, for a container with a policy only" {
	requires root
	requires_landlock 5
	! meets audit || skip "needs a kernel that does not audit"
	new_bundle box
	config '.annotations["io.sandlock.filesystem.read"] = "/"'
	args sleep 1000
	start_container box
	"$SANDLOCK_OCI" --root "$ROOT" events --interval 10ms box >"$TMP/events" 2>"$TMP/err" 3>&- &
	local job=$!

	wait_until test -s "$TMP/events"
	oci kill box KILL
	wait $job
	[ "$(grep -c "denials are not reported: that needs Linux 6.15" "$TMP/err")" -eq 1 ]
	oci delete box
	start_sleeping plain
	run_ok oci events --stats plain
	[[ $output != *"not reported"* ]]
}
