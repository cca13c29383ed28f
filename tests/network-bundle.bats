#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-bundle.bats - network.allow and network.deny in a container.

# The dollars are those of jq.
# shellcheck disable=SC2016
bats_require_minimum_version 1.5.0
load helpers
load world

setup_file() {
	make_world
}

teardown_file() {
	end_world
}

setup() {
	sandlock_setup
	requires root
	# sandlock-resolve is beside the programs.
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

# with_client: $BUNDLE can run world.py, with the python3 of the host.
with_client() {
	local dir

	cp "$WORLD_PY" "$BUNDLE/rootfs/world.py"
	for dir in bin lib lib64; do
		[ -d "/usr/$dir" ] || continue
		[ "$dir" = bin ] || ln -s "usr/$dir" "$BUNDLE/rootfs/$dir"
		config --arg dir "/usr/$dir" '.mounts += [{destination: $dir,
			type: "bind", source: $dir, options: ["bind", "ro"]}]'
	done
}

# client_bundle: a fresh bundle with the client.
client_bundle() {
	new_bundle
	with_client
}

# user_bundle: the same for the user, with a network of its own.
user_bundle() {
	new_user
	new_user_bundle
	config '.linux.namespaces |= (map(select(.type != "network")) + [{type: "network"}])'
	with_client
	chown -R "$USER_ID:$USER_ID" "$BUNDLE"
}

# says OUTPUT WORD...: the client in $BUNDLE prints this.
says() {
	local wanted=$1

	shift
	args python3 /world.py "$@"
	run_ok "${RUN:-world_oci}" run --bundle "$BUNDLE" box
	[ "$output" = "$wanted" ]
}

# the_rules: what they allow and deny, in $BUNDLE.
the_rules() {
	annotate_policy network.allow='198.51.100.1:7000;udp://198.51.100.1:7001;icmp://198.51.100.1;[2001:db8::1]:7000;127.0.0.1:5432'
	says hello tcp 198.51.100.1 7000
	says hello tcp 2001:db8::1 7000
	says hello udp 198.51.100.1 7001
	says alive ping 198.51.100.1 1
	says hello tcp 127.0.0.1 5432
	says EACCES tcp 198.51.100.1 7003
	says EACCES tcp 198.51.100.9 7000
	says EACCES udp 198.51.100.1 7002
	annotate_policy network.deny=198.51.100.1
	says EACCES tcp 198.51.100.1 7000
	says hello tcp 198.51.100.9 7000
	says ECONNREFUSED tcp 198.51.100.9 7003
}

@test "a container reaches what network.allow names, and nothing else" {
	client_bundle
	the_rules
}

@test "the same in a user namespace of its own" {
	client_bundle
	with_userns
	the_rules
}

@test "the same for a user without privileges" {
	user_bundle
	RUN=world_user_oci the_rules
}

@test "a profile has the rules, as well" {
	printf '[network]\nallow = ["198.51.100.1:7000"]\n' >"$TMP/rules.toml"
	client_bundle
	args python3 /world.py tcp 198.51.100.1 7000
	run_ok world_oci --profile "$TMP/rules.toml" run --bundle "$BUNDLE" box
	[ "$output" = hello ]
	args python3 /world.py tcp 198.51.100.9 7000
	run_ok world_oci --profile "$TMP/rules.toml" run --bundle "$BUNDLE" box
	[ "$output" = EACCES ]
}

# field NAME: of the record of box.
field() {
	jq -r ".$1 // empty" "$ROOT/box/state.json"
}

# start_ruled: box sleeps, with one rule.
start_ruled() {
	annotate_policy network.allow='198.51.100.1:7000;udp://198.51.100.1:7001'
	args sleep 1000
	world_oci create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1 || {
		cat "$TMP/out"
		return 1
	}
	world_oci start box
	PID=$(pid_of box)
}

@test "create, start and exec: a confined supervisor relays, and exec is ruled, too" {
	local super

	client_bundle
	start_ruled
	run_ok world_oci exec box python3 /world.py tcp 198.51.100.1 7000
	[ "$output" = hello ]
	run_ok world_oci exec box python3 /world.py udp 198.51.100.1 7001
	[ "$output" = hello ]
	run_ok world_oci exec box python3 /world.py tcp 198.51.100.9 7000
	[ "$output" = EACCES ]
	super=$(field supervisor)
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$super/status"
	# CAP_KILL, CAP_SYS_PTRACE; CAP_NET_ADMIN and CAP_NET_BIND_SERVICE
	grep -q '^CapEff:[[:space:]]*0000000000081420' "/proc/$super/status"
	world_oci delete --force box
	nothing_left
}

@test "the supervisor of a user namespace has no capability for the network" {
	client_bundle
	with_userns
	start_ruled
	grep -q '^CapEff:[[:space:]]*0000000000080020' "/proc/$(field supervisor)/status"
	run_ok world_oci exec box python3 /world.py tcp 198.51.100.1 7000
	[ "$output" = hello ]
	run_ok world_oci exec box python3 /world.py udp 198.51.100.1 7001
	[ "$output" = hello ]
}

@test "create and exec by a user" {
	user_bundle
	annotate_policy network.allow=198.51.100.1:7000
	args sleep 1000
	chown -R "$USER_ID:$USER_ID" "$BUNDLE"
	world_user_oci create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1 || {
		cat "$TMP/out"
		return 1
	}
	world_user_oci start box
	run_ok world_user_oci exec box python3 /world.py tcp 198.51.100.1 7000
	[ "$output" = hello ]
	run_ok world_user_oci exec box python3 /world.py tcp 198.51.100.9 7000
	[ "$output" = EACCES ]
	world_user_oci delete --force box
}

# children_of PID
children_of() {
	cat "/proc/$1/task/$1/children"
}

@test "killing the supervisor ends the container, its helper and its connections" {
	local super helpers pid

	client_bundle
	start_ruled
	super=$(field supervisor)
	helpers=$(children_of "$super")
	# init, the guard, the process in the namespace
	[ "$(wc -w <<<"$helpers")" -eq 3 ]
	kill -9 "$super"
	for pid in $helpers; do
		wait_until ended_with_it "$pid"
	done
	wait_until has_status box stopped
	world_oci delete box
	nothing_left
}

ended_with_it() {
	! grep -q '^State:[[:space:]]*[^ZX]' "/proc/$1/status" 2>/dev/null
}

@test "killing the process in the namespace opens nothing" {
	local helper

	client_bundle
	start_ruled
	for helper in $(children_of "$(field supervisor)"); do
		[ "$(readlink "/proc/$helper/ns/net")" = "$(readlink "/proc/$PID/ns/net")" ] &&
			[ "$helper" != "$PID" ] || continue
		kill -9 "$helper"
	done
	run_ok world_oci exec box python3 /world.py tcp 198.51.100.9 7000
	[ "$output" = EACCES ]
	run_ok world_oci exec box python3 /world.py tcp 198.51.100.1 7000
	[ "$output" = hello ]
}

@test "all processes of the supervisor are in its cgroup, none in the container's" {
	local helper

	client_bundle
	start_ruled
	for helper in $(children_of "$(field supervisor)"); do
		[ "$helper" != "$PID" ] || continue
		cmp "/proc/$helper/cgroup" "/proc/$(field supervisor)/cgroup"
	done
	run_ok world_oci ps -f json box
	[ "$output" = "[$PID]" ]
}

@test "names of rules are in /etc/hosts of the container, before its own" {
	client_bundle
	echo 192.0.2.7 other.test >"$BUNDLE/rootfs/etc/hosts"
	annotate_policy network.allow=good.test:7000
	says hello tcp good.test 7000
	args cat /etc/hosts
	run_ok world_oci run --bundle "$BUNDLE" box
	[ "${lines[0]}" = "$(printf '198.51.100.9\tgood.test')" ]
	[ "${lines[1]}" = "192.0.2.7 other.test" ]
	# As an engine brings it.
	echo 192.0.2.8 engine.test >"$TMP/hosts"
	config --arg hosts "$TMP/hosts" '.mounts += [{destination: "/etc/hosts", type: "bind", source: $hosts, options: ["bind"]}]'
	args sh -c 'cat /etc/hosts; echo 192.0.2.9 x >>/etc/hosts'
	run world_oci run --bundle "$BUNDLE" box
	[ "$status" -ne 0 ]
	[ "${lines[1]}" = "192.0.2.8 engine.test" ]
	assert_output_has "Read-only file system"
	[ "$(cat "$TMP/hosts")" = "192.0.2.8 engine.test" ]
	[ "$(cat "$BUNDLE/rootfs/etc/hosts")" = "192.0.2.7 other.test" ]
}

@test "a container with rules has no other way out, whatever hooks bring" {
	client_bundle
	annotate_policy network.allow=198.51.100.1:7000
	cat >"$TMP/hook" <<-'END'
		#!/bin/sh
		pid=$(sed 's/.*"pid": *\([0-9]*\).*/\1/')
		ip link add sandlock-t type veth peer name sandlock-u
		ip link set sandlock-t netns "$pid"
	END
	chmod 755 "$TMP/hook"
	config --arg hook "$TMP/hook" '.hooks.createRuntime = [{path: $hook}]'
	args sh -c 'cat /proc/net/dev; python3 /world.py tcp 198.51.100.1 7000'
	run_ok world_oci run --bundle "$BUNDLE" box
	[[ "$output" != *sandlock-t* ]]
	assert_output_has hello
}

@test "a network that is not the container's own is an error that names the key" {
	client_bundle
	annotate_policy network.allow=198.51.100.1:7000
	without_namespace network
	run_bad "network.allow requires its own network namespace: not enforced by this build in one that is the host's (list the type network in linux.namespaces without a path, or remove this key)" \
		world_oci run --bundle "$BUNDLE" box
	config '.linux.namespaces += [{type: "network", path: "/proc/self/ns/net"}]'
	run_bad "in one that is given by a path" world_oci run --bundle "$BUNDLE" box
	annotate_policy network.deny=198.51.100.1
	run_bad "network.deny requires its own network namespace" world_oci run --bundle "$BUNDLE" box
	assert_gone box
}

@test "rules that cannot be used are an error before anything runs" {
	client_bundle
	annotate_policy network.allow=none.invalid:80
	run_bad "'none.invalid' cannot be resolved" world_oci run --bundle "$BUNDLE" box
	annotate_policy network.allow=good.test:7000 config.supervisor=false
	run_bad "config.supervisor is false, but network.allow requires a supervisor" \
		world_oci run --bundle "$BUNDLE" box
	annotate_policy network.allow=198.51.100.1:7000
	without_namespace pid
	run_bad "network.allow requires a supervisor, and that requires a new pid namespace" \
		world_oci run --bundle "$BUNDLE" box
	assert_gone box
}

@test "explain says what enforces the rules of a container" {
	client_bundle
	annotate_policy network.allow=198.51.100.1:7000
	run_ok world_oci explain "$BUNDLE"
	assert_output_has "the supervisor relays it" "because of network.allow"
}
