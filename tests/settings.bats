#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/settings.bats - what is set in the container's own namespaces: names, sysctls, clocks, keys, labels.
#
# jq has dollars of its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# ---- names ----

@test "hostname and domainname are the container's, the host keeps its own" {
	requires root
	local before

	before=$(cat /proc/sys/kernel/{host,domain}name)
	new_bundle box
	args cat /proc/sys/kernel/hostname /proc/sys/kernel/domainname
	config '.hostname = "inside" | .domainname = "example.org"'
	run_ok run_bundle
	[ "$output" = $'inside\nexample.org' ]
	[ "$(cat /proc/sys/kernel/{host,domain}name)" = "$before" ]
}

@test "a container without a hostname has the host's" {
	requires root
	new_bundle box
	args hostname
	config 'del(.hostname)'
	run_ok run_bundle
	[ "$output" = "$(cat /proc/sys/kernel/hostname)" ]
	config '.hostname = ""'
	run_ok run_bundle
	[ "$output" = "$(cat /proc/sys/kernel/hostname)" ]
}

@test "create refuses a hostname without an own uts namespace" {
	requires root
	new_bundle box
	without_namespace uts
	config_fails "hostname" '.hostname = "x"'
	config_fails "domainname" 'del(.hostname) | .domainname = "x"'
}

@test "create refuses a hostname longer than the kernel's 64 bytes" {
	requires root
	new_bundle box
	config_fails "hostname: " '.hostname = ("a" * 65)'
	config '.hostname = ("a" * 64)'
	run_ok run_bundle
}

# ---- sysctl ----

@test "sysctls are set in the container's namespaces, and not on the host" {
	requires root
	local names=(net/ipv4/ip_forward kernel/shm_rmid_forced kernel/msgmax
		fs/mqueue/msg_max) before

	before=$(cd /proc/sys && cat "${names[@]}")
	new_bundle box
	config '.linux.sysctl = {"net.ipv4.ip_forward": "1",
		"kernel.shm_rmid_forced": "1", "kernel/msgmax": "4321",
		"fs.mqueue.msg_max": "7"}'
	args cat "${names[@]/#//proc/sys/}"
	run_ok run_bundle
	[ "$output" = $'1\n1\n4321\n7' ]
	[ "$(cd /proc/sys && cat "${names[@]}")" = "$before" ]
}

@test "a sysctl is written before its path becomes read-only" {
	requires root
	new_bundle box
	config '.linux.sysctl = {"kernel.msgmax": "4321"} |
		.linux.readonlyPaths = ["/proc/sys"]'
	args cat /proc/sys/kernel/msgmax
	run_ok run_bundle
	[ "$output" = 4321 ]
}

@test "a sysctl may have a dot in the name of an interface" {
	requires root
	new_bundle box
	config '.linux.sysctl = {"net/ipv4/conf/lo/forwarding": "1",
		"net.ipv6.conf.lo.disable_ipv6": "1"}'
	args cat /proc/sys/net/ipv4/conf/lo/forwarding \
		/proc/sys/net/ipv6/conf/lo/disable_ipv6
	[ -e /proc/sys/net/ipv6/conf/lo ] || skip "needs ipv6"
	run_ok run_bundle
	[ "$output" = $'1\n1' ]
}

@test "create names a sysctl of the whole machine" {
	requires root
	local name

	new_bundle box
	for name in kernel.core_pattern kernel.panic vm.swappiness \
		fs.file-max kernel.shmfoo.bar/../../core_pattern \
		net/../kernel/core_pattern netfoo.bar fs.mqueuefoo; do
		config --arg name "$name" '.linux.sysctl = {($name): "1"}'
		run_bad "linux.sysctl.$name: " run_bundle
	done
	config_fails "linux.sysctl.kernel.hostname: use the field hostname instead" \
		'.linux.sysctl = {"kernel.hostname": "x"}'
	assert_gone box
}

@test "create names a sysctl of a namespace that is the host's" {
	requires root
	new_bundle box
	without_namespace network
	config_fails "linux.sysctl.net.ipv4.ip_forward: requires a namespace of type network" \
		'.linux.sysctl = {"net.ipv4.ip_forward": "1"}'
	without_namespace ipc
	config_fails "linux.sysctl.kernel.msgmax: requires a namespace of type ipc in linux.namespaces" \
		'.linux.sysctl = {"kernel.msgmax": "4321"}'
	config_fails "linux.sysctl.fs.mqueue.msg_max: requires a namespace of type ipc in linux.namespaces" \
		'.linux.sysctl = {"fs.mqueue.msg_max": "5"}'
	config_fails "linux.sysctl.user.max_user_namespaces: requires a namespace of type user" \
		'.linux.sysctl = {"user.max_user_namespaces": "5"}'
}

@test "create refuses a sysctl of a joined namespace that is the host's" {
	requires root
	new_bundle box
	config '(.linux.namespaces[] | select(.type == "ipc")).path =
		"/proc/self/ns/ipc"'
	# The value it has anyway, for the day this fails.
	config --arg value "$(cat /proc/sys/kernel/msgmax)" \
		'.linux.sysctl = {"kernel.msgmax": $value}'
	run_bad "linux.sysctl.kernel.msgmax: the joined ipc namespace is the host's" \
		run_bundle
}

@test "create refuses an unknown sysctl and a bad value" {
	requires root
	new_bundle box
	config_fails "linux.sysctl" '.linux.sysctl = {"net.ipv4.no_such": "1"}'
	assert_output_has "net/ipv4/no_such"
	assert_output_has "no such file or directory"
	config_fails "linux.sysctl" '.linux.sysctl = {"kernel.shm_rmid_forced": "x"}'
	assert_output_has "invalid argument"
}

# ---- clocks ----

@test "time offsets move the clocks of a time namespace" {
	requires root timens
	local inside

	new_bundle box
	args cut -d. -f1 /proc/uptime
	config '.linux.namespaces += [{type: "time"}] | .linux.timeOffsets =
		{boottime: {secs: 1000000, nanosecs: 5},
		monotonic: {secs: 1000, nanosecs: 7}}'
	run_ok run_bundle
	inside=$(($(cut -d. -f1 /proc/uptime) - output))
	[ "$inside" -le -999990 ] && [ "$inside" -ge -1000000 ]
	args sleep 1000
	start_container box
	[ "$(tr -s ' ' </proc/"$(pid_of box)"/timens_offsets)" = \
		$'monotonic 1000 7\nboottime 1000000 5' ]
	run_ok oci exec box cut -d. -f1 /proc/uptime
	[ "$output" -ge 1000000 ]
}

@test "a time namespace needs no offsets" {
	requires root timens
	new_bundle box
	args sleep 1000
	config '.linux.namespaces += [{type: "time"}]'
	start_container box
	[ "$(readlink "/proc/$(pid_of box)/ns/time")" != \
		"$(readlink /proc/self/ns/time)" ]
}

@test "create refuses time offsets without a new time namespace, and accepts them with one" {
	requires root
	new_bundle box
	config_fails "linux.timeOffsets" '.linux.timeOffsets = {boottime: {secs: 1}}'
	config_fails "linux.timeOffsets" '.linux.namespaces +=
		[{type: "time", path: "/proc/self/ns/time"}]'
}

@test "create names an unknown clock and too many nanoseconds" {
	requires root timens
	new_bundle box
	config '.linux.namespaces += [{type: "time"}]'
	config_fails "linux.timeOffsets.realtime: " \
		'.linux.timeOffsets = {realtime: {secs: 1}}'
	config_fails "linux.timeOffsets.boottime.nanosecs: " \
		'.linux.timeOffsets = {boottime: {secs: 1, nanosecs: 1000000000}}'
}

# ---- keys ----

# session_keys: the names of the named session keyrings the caller can see,
# with their serial numbers. What is masked by default is needed here.
session_keys() {
	sed -n 's/^\([0-9a-f]*\) .* keyring *\(_ses[^:]*\):.*/\1 \2/p' \
		<<<"$output"
}

@test "a container has a session keyring of its own, which exec joins" {
	requires root keyrings
	local id=box$$

	new_bundle box
	args sleep 1000
	config '.linux.maskedPaths = []'
	start_container "$id"
	run_ok oci exec "$id" cat /proc/keys
	[ "$(session_keys | grep -c " _ses.$id$")" -eq 1 ]
	run_ok oci exec "$id" cat /proc/keys
	[ "$(session_keys | grep -c " _ses.$id$")" -eq 1 ]
}

@test "--no-new-keyring keeps the caller's session keyring" {
	requires root keyrings
	new_bundle box
	args cat /proc/keys
	config '.linux.maskedPaths = []'
	run_ok oci run --bundle "$BUNDLE" "box$$"
	[[ $(session_keys) = *" _ses.box$$"* ]]
	run_ok oci run --no-new-keyring --bundle "$BUNDLE" "other$$"
	[[ $(session_keys) != *" _ses.other$$"* ]]
}

# ---- labels ----

@test "create refuses an AppArmor profile where AppArmor is off" {
	requires root
	! meets apparmor || skip "needs AppArmor off"
	new_bundle box
	config_fails "process.apparmorProfile: 'some-profile' requested, but AppArmor is not enabled" \
		'.process.apparmorProfile = "some-profile"'
	config '.process.apparmorProfile = "unconfined"'
	run_ok run_bundle
	config '.process.apparmorProfile = ""'
	run_ok run_bundle
	args sleep 1000
	start_container box
	run oci exec --apparmor some-profile box true
	[ "$status" -eq 255 ]
	assert_output_has "AppArmor is not enabled"
}

@test "create refuses a SELinux label where SELinux is off" {
	requires root
	! meets selinux || skip "needs SELinux off"
	new_bundle box
	config_fails "process.selinuxLabel: 'system_u:object_r:x_t:s0' requested, but SELinux is not enabled" \
		'.process.selinuxLabel = "system_u:object_r:x_t:s0"'
	config '.process.selinuxLabel = ""'
	run_ok run_bundle
	args sleep 1000
	start_container box
	run oci exec --process-label a:b:c:s0 box true
	[ "$status" -eq 255 ]
	assert_output_has "SELinux is not enabled"
}
