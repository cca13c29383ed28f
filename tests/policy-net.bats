#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/policy-net.bats - ports and Unix sockets that a bundle's policy leaves, to init, exec and hooks alike.
#
# Each test is a subshell on purpose.
# shellcheck disable=SC2030,SC2031

load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	new_bundle
	files=$BUNDLE/rootfs
	add_netprobe
}

teardown() {
	end_server
	sandlock_teardown
}

# Landlock judges TCP from version 4 on, and says so where it does not.
needs_landlock() {
	args true
	annotate_policy network.bind=80
	run run_bundle
	[[ $output != *"net_tcp: requires Landlock version"* ]] ||
		skip "needs version 4 of Landlock"
}

NO="Operation not permitted"

# ---- ports ----

@test "network.bind opens these TCP ports and no other" {
	needs_landlock
	annotate_policy 'network.bind=80;8000-8002'
	tells $'ok\nok\nok' 'netprobe bind 80; netprobe bind 8000
		netprobe bind 8002'
	tells "$DENIED"$'\n'"$DENIED"$'\n'"$DENIED" 'netprobe bind 81
		netprobe bind 8003; netprobe bind 0'
	annotate_policy network.mode=deny
	tells "$NO" 'netprobe bind 80'
	annotate_policy network.mode=open
	tells ok 'netprobe bind 81'
	annotate_policy network.mode=open 'network.bind=80;0'
	tells $'ok\nok\n'"$DENIED" 'netprobe bind 80; netprobe bind 0
		netprobe bind 81'
	annotate_policy network.mode=loopback network.bind=80
	tells $'ok\n'"$DENIED" 'netprobe bind 80; netprobe bind 81'
}

@test "network.bind allows no connection" {
	needs_landlock
	annotate_policy network.bind=80
	# shellcheck disable=SC2016 # for the shell inside
	tells $'80\n'"$DENIED" 'nc -l -p 80 & p=$!
		until netstat -ltn | grep -q :80; do :; done; echo 80
		netprobe connect 80; kill $p'
	tells "$NO" 'netprobe fastopen 80'
	tells "$NO" 'netprobe mptcp 80'
	tells "$NO" 'netprobe udp 80'
	annotate_policy network.mode=loopback network.bind=80
	tells ok 'nc -l -p 80 &
		until netstat -ltn | grep -q :80; do :; done
		netprobe connect 80'
}

@test "network.bind needs port 0 for a listen() without bind() (ephemeral port)" {
	needs_landlock
	config 'del(.linux.readonlyPaths)'
	annotate_policy network.bind=80
	tells "Address already in use" 'netprobe listen'
	tells "sh: can't create /proc/sys/net/ipv4/ip_local_reserved_ports: $READONLY" \
		'echo >/proc/sys/net/ipv4/ip_local_reserved_ports'
	annotate_policy 'network.bind=80;0'
	tells $'ok\nok' 'netprobe listen; netprobe bind 0'
	annotate_policy 'network.bind=*'
	tells $'ok\nok\nok' 'netprobe listen; netprobe bind 0
		netprobe bind 81'
}

@test "network.deny_bind forbids ports for every way to bind" {
	needs_landlock
	annotate_policy network.bind=8000-8010 network.deny_bind=8005
	tells $'ok\n'"$DENIED" 'netprobe bind 8004; netprobe bind 8005'
	annotate_policy 'network.bind=0;8000' 'network.deny_bind=32768-60999'
	tells $'ok\nAddress already in use' 'netprobe bind 8000
		netprobe bind 0'
	annotate_policy 'network.bind=*' network.deny_bind=22
	policy_fails "network.deny_bind: 65535 ports remain"
	annotate_policy network.bind=1-2000
	policy_fails "network.bind: 2000 ports remain"
}

@test "network.allow_local_binding allows any port, on loopback alone" {
	needs_landlock
	annotate_policy network.allow_local_binding=true
	tells $'ok\n'"$NO" 'netprobe bind 81; netprobe udp 81'
	hook createRuntime 'exit 0'
	annotate_policy network.allow_local_binding=true
	tells 1 'ip -o link | wc -l'
	annotate_policy network.allow_local_binding=true network.bind=80
	hook createRuntime 'exit 0'
	policy_fails "network.allow_local_binding: not enforced"
	annotate_policy network.allow_local_binding=true network.mode=open \
		network.bind=80
	policy_fails "network.allow_local_binding: not enforced"
	config 'del(.hooks) |
		del(.linux.namespaces[] | select(.type == "network"))'
	annotate_policy network.allow_local_binding=true
	policy_fails "network.allow_local_binding requires its own network namespace"
}

@test "a bind key that a shared network cannot enforce needs config.allow_degraded" {
	needs_landlock
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	annotate_policy network.bind=28080
	policy_fails "listen() without bind() (ephemeral port)"
	annotate_policy network.bind=28080 config.allow_degraded=net_tcp
	args netprobe bind 28081
	run_ok run_telling
	[[ $output = *"net_tcp is not enforced"*"$DENIED"* ]]
	annotate_policy 'network.bind=28080;0'
	tells $'ok\n'"$DENIED" 'netprobe bind 28080; netprobe bind 28081'
	annotate_policy network.mode=open network.bind=28080
	policy_fails "with network.mode 'open'"
}

@test "an older kernel is an error that names net_tcp, unless config.allow_degraded lists it" {
	args true
	annotate_policy network.bind=80
	run run_bundle
	[[ $output = *"net_tcp: requires Landlock version"* ]] ||
		skip "needs a kernel without version 4 of Landlock"
	annotate_policy network.bind=80 config.allow_degraded=net_tcp
	args netprobe bind 81
	run_ok run_telling
	[[ $output = *"net_tcp is not enforced"*ok* ]]
	annotate_policy network.bind=80 config.disable=net_tcp
	run_ok run_bundle
	[ "$output" = ok ]
}

@test "network keys forbid calls that make sockets past the filter" {
	annotate_policy network.bind=80 syscalls.extra_allow=raw_sockets
	policy_fails "network.bind cannot be enforced with 'raw_sockets'"
	annotate_policy network.mode=deny syscalls.extra_allow=io_uring
	policy_fails "network.mode 'deny' cannot be enforced with 'io_uring'"
}

# ---- Unix sockets ----

REFUSED=$DENIED

@test "mounts cover the sockets of the host unless network.unix lists them" {
	mkdir -p "$TMP/run/deep"
	serve "$TMP/run/deep/host.sock"
	add_mount /host bind "$TMP/run" bind ro
	annotations=limits.open_files=1000
	annotate_policy $annotations
	tells ok 'netprobe unix /host/deep/host.sock'
	annotate_policy network.mode=open
	tells ok 'netprobe unix /host/deep/host.sock'
	annotate_policy network.mode=deny
	tells "$REFUSED" 'netprobe unix /host/deep/host.sock'
	annotate_policy network.mode=open 'network.unix=[]'
	tells "$REFUSED" 'netprobe unix /host/deep/host.sock'
	annotate_policy network.mode=deny network.unix=/host/deep/host.sock
	tells ok 'netprobe unix /host/deep/host.sock'
	annotate_policy network.unix=/host
	tells ok 'netprobe unix /host/deep/host.sock'
	annotate_policy network.unix=/host/other.sock
	policy_fails "network.unix '/host/other.sock': no such file"
	annotate_policy network.unix=-/host/other.sock
	tells "$REFUSED" 'netprobe unix /host/deep/host.sock'
}

@test "a mount covers a socket that is a bind mount of its own" {
	serve "$TMP/host.sock"
	add_mount /run/host.sock bind "$TMP/host.sock" bind
	annotate_policy network.mode=loopback
	tells "$REFUSED" 'netprobe unix /run/host.sock'
	annotate_policy network.unix=/run/host.sock
	tells ok 'netprobe unix /run/host.sock'
}

@test "sockets that the workload creates always work" {
	mkdir "$TMP/run"
	add_mount /host bind "$TMP/run" bind
	annotate_policy network.mode=deny
	# shellcheck disable=SC2016 # for the shell inside
	tells ok 'rm -f /tmp/served
		netprobe serve /host/own.sock >/tmp/served & p=$!
		until grep -qs serving /tmp/served; do :; done
		netprobe unix /host/own.sock; kill $p; rm /host/own.sock'
	args sh -c 'netprobe serve /host/own.sock'
	create box
	oci start box
	wait_until grep -q serving "$TMP/box.out"
	run_ok oci exec box netprobe unix /host/own.sock
	[ "$output" = ok ]
}

@test "the mask of a socket stays inside, and cannot be removed" {
	mkdir "$TMP/run"
	serve "$TMP/run/host.sock"
	add_mount /host bind "$TMP/run" bind
	annotate_policy network.mode=deny
	tells "rm: can't remove '/host/host.sock': Device or resource busy" \
		'rm /host/host.sock'
	tells "$REFUSED" 'mv /host /other 2>/dev/null
		netprobe unix /host/host.sock'
	[ "$("$files/bin/netprobe" unix "$TMP/run/host.sock")" = ok ]
}

@test "run refuses to mask a socket where the host would see the mask" {
	mkdir "$TMP/shared" "$TMP/shared/run"
	add_mount /host bind "$TMP/shared" bind shared
	args true
	annotate_policy network.mode=deny
	run_ok run_bundle
	serve "$TMP/shared/run/host.sock"
	# Only where there is a peer would it be seen.
	run run_bundle
	[ "$status" -eq 0 ] || [[ $output = *"on a shared mount"* ]]
	[ "$("$files/bin/netprobe" unix "$TMP/shared/run/host.sock")" = ok ]
}

@test "a bundle without a mount namespace needs config.allow_degraded for sockets of the host" {
	config 'del(.mounts, .linux.maskedPaths, .linux.readonlyPaths) |
		del(.linux.namespaces[] | select(.type == "mount"))'
	[ "$(landlock_version)" -lt 9 ] ||
		skip "needs a kernel without version 9 of Landlock"
	annotate_policy network.mode=deny
	policy_fails "list namespaces in config.allow_degraded"
	annotate_policy network.mode=deny config.allow_degraded=namespaces
	args true
	run_ok run_telling
	[[ $output = *"namespaces is not enforced"* ]]
}

# ---- scopes ----

# serve_abstract NAME: in the network of the host.
serve_abstract() {
	serve "@$1"
}

@test "a container in a shared network cannot reach abstract sockets of other programs" {
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	serve_abstract "sandlock-test-$$"
	args netprobe abstract "sandlock-test-$$"
	annotate_policy limits.open_files=1000
	run_ok run_bundle
	[ "$output" = ok ]
	annotate_policy network.mode=deny
	run run_bundle
	[[ $output != *"requires Landlock version 6"* ]] ||
		skip "needs version 6 of Landlock"
	tells "$NO" "netprobe abstract sandlock-test-$$"
	annotate_policy network.mode=deny config.disable=abstract_unix_socket_scope
	tells ok "netprobe abstract sandlock-test-$$"
}

@test "a container in a shared pid namespace cannot signal processes of others" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args netprobe kill $$
	config 'del(.annotations)'
	run_ok run_bundle
	[ "$output" = ok ]
	annotate_policy limits.open_files=1000
	run run_bundle
	[[ $output != *"requires Landlock version 6"* ]] ||
		skip "needs version 6 of Landlock"
	tells "$NO" "netprobe kill $$"
	annotate_policy limits.open_files=1000 config.disable=signal_scope
	tells ok "netprobe kill $$"
}
