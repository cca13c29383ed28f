#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/netdev.bats - interfaces of the host, moved into the container.
#
# The host of these tests is a network namespace of its own. jq has dollars of
# its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

setup() {
	sandlock_setup
	HOST=
}

teardown() {
	[ -z "$HOST" ] || kill "$HOST"
	sandlock_teardown
}

# make_host: a network namespace with the pair out0 and peer0.
make_host_with_pair() {
	unshare --net sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
	HOST=$!
	wait_until is_apart
	in_host_network ip link add out0 type veth peer name peer0 ||
		skip "needs veth"
	in_host_network ip link set peer0 up
}

is_apart() {
	[ "$(readlink "/proc/$HOST/ns/net" 2>/dev/null)" != \
		"$(readlink /proc/self/ns/net)" ]
}

# run_bundle_in_host: the bundle's program, called from that host.
run_bundle_in_host() {
	in_host_network "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
}

# config_fails_in_host TEXT JQ: netDevices that cannot be; out0 stays where it
# is.
config_fails_in_host() {
	config "$2"
	run_bad "$1" run_bundle_in_host
	assert_gone box
	in_host_network ip link show out0
}

@test "an interface of netDevices is moved, and is up inside" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config '.linux.netDevices = {out0: {}}'
	args cat /sys/class/net/out0/flags
	run_ok run_bundle_in_host
	((output & 1))
	run in_host_network ip link show out0
	[ "$status" -ne 0 ]
}

@test "an interface of netDevices keeps its address, MTU and MAC under its new name" {
	requires root ip nsenter
	make_host_with_pair
	in_host_network ip link set out0 mtu 1321 address 02:11:22:33:44:55
	in_host_network ip address add 10.11.12.13/24 dev out0
	in_host_network ip address add 10.11.12.14/32 dev out0
	in_host_network ip address add 2001:db8::5/64 dev out0 nodad || skip "needs ipv6"
	in_host_network ip address add 169.254.1.1/16 scope link dev out0
	in_host_network ip address add 10.9.9.9/24 dev out0 valid_lft 1000 \
		preferred_lft 1000
	new_bundle box
	config '.linux.netDevices = {out0: {name: "in0"}}'
	args ip address show dev in0
	run_ok run_bundle_in_host
	assert_output_has "mtu 1321"
	assert_output_has "02:11:22:33:44:55"
	assert_output_has "inet 10.11.12.13/24"
	assert_output_has "inet 10.11.12.14/32"
	assert_output_has "inet6 2001:db8::5/64"
	[[ $output != *169.254.1.1* ]]
	[[ $output != *10.9.9.9* ]]
}

@test "several interfaces of netDevices are moved, and the kernel may choose a name" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config '.linux.netDevices = {out0: {name: "eth%d"}, peer0: {name: "eth%d"}}'
	args ls /sys/class/net
	run_ok run_bundle_in_host
	[[ " ${lines[*]} " = *" eth0 "* ]]
	[[ " ${lines[*]} " = *" eth1 "* ]]
	run in_host_network ip link show peer0
	[ "$status" -ne 0 ]
}

@test "an interface of netDevices is moved before the createRuntime hooks" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	printf '#!/bin/sh\npid=$(sed "s/.*\\"pid\\": *\\([0-9]*\\).*/\\1/" | tr -dc 0-9)\nnsenter --net=/proc/$pid/ns/net ip -o link show in0 >%s\n' \
		"$TMP/hook.out" >"$TMP/hook"
	chmod +x "$TMP/hook"
	config --arg hook "$TMP/hook" '.linux.netDevices =
		{out0: {name: "in0"}} | .hooks.createRuntime = [{path: $hook}]'
	run_ok run_bundle_in_host
	grep -q in0 "$TMP/hook.out"
}

@test "create names an interface of netDevices that does not exist" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config_fails_in_host "nothere0" '.linux.netDevices = {nothere0: {}}'
	assert_output_has "linux.netDevices"
}

@test "create refuses a name of netDevices that is in use inside, and the interface stays" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config_fails_in_host "linux.netDevices" '.linux.netDevices = {out0: {name: "lo"}}'
	assert_output_has "lo"
}

@test "create reports the place of a name of netDevices that no interface can have" {
	requires root ip nsenter
	local name

	make_host_with_pair
	new_bundle box
	for name in . .. a/b a:b "a b" 1234567890123456; do
		config --arg name "$name" \
			'.linux.netDevices = {out0: {name: $name}}'
		run_bad "linux.netDevices.out0.name: " run_bundle_in_host
		config --arg name "$name" '.linux.netDevices = {($name): {}}'
		run_bad "linux.netDevices" run_bundle_in_host
	done
	in_host_network ip link show out0
}

@test "create refuses netDevices without a network namespace of the container" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config_fails_in_host "linux.netDevices" 'del(.linux.namespaces[] |
		select(.type == "network")) | .linux.netDevices = {out0: {}}'
}

@test "an empty netDevices is no error" {
	requires root ip nsenter
	make_host_with_pair
	new_bundle box
	config '.linux.netDevices = {}'
	run_ok run_bundle_in_host
}

@test "an interface of netDevices is moved into a joined network namespace" {
	requires root ip nsenter
	local other

	make_host_with_pair
	unshare --net sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
	other=$!
	new_bundle box
	wait_until differs_from_host "$other"
	config --arg path "/proc/$other/ns/net" '.linux.netDevices =
		{out0: {name: "in0"}} | (.linux.namespaces[] |
		select(.type == "network")).path = $path'
	run_ok run_bundle_in_host
	nsenter --net="/proc/$other/ns/net" ip link show in0
	kill "$other"
}

differs_from_host() {
	[ "$(readlink "/proc/$1/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}
