#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/unix-sockets.bats - sockets of other programs that Landlock refuses: what comes after the mounts, and where there are none.
#
# Each test is a subshell on purpose, and the shell inside has dollars of its own.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	requires_landlock 9
}

teardown() {
	end_server
	sandlock_teardown
}

# ---- sandlock run ----

work() {
	enter_work
	mkdir dir own sync
	add_netprobe .
}

# with_later_socket WORD...: what a sandbox says of a socket that is made
# after its start.
with_later_socket() {
	rm -f dir/sock sync/*
	"$SANDLOCK" --root "$ROOT" run -r /usr -r . -w sync "$@" -- sh -c '
		echo >sync/ready
		until [ -e sync/go ]; do :; done
		./netprobe unix dir/sock' >out 2>&1 3>&- &
	local job=$!

	wait_until [ -e sync/ready ]
	serve "$WORK/dir/sock"
	echo >sync/go
	wait $job
	[ "$("$NETPROBE" unix dir/sock)" = ok ]
	end_server
	[ "$(cat out)" = "$text" ] || {
		cat out
		return 1
	}
}

@test "a sandbox cannot connect to a socket that others create after its start" {
	work
	text=$DENIED with_later_socket
	text=ok with_later_socket --network-unix "$WORK/dir"
	text=ok with_later_socket --network-mode open
	text=$DENIED with_later_socket --network-mode open --network-unix "$WORK/own"
}

OWN='./netprobe serve own/sock >own/out & p=$!
	until [ -s own/out ]; do :; done
	./netprobe unix own/sock; kill $p; rm own/sock'

@test "a sandbox connects to its own sockets, and explain says what denies the others" {
	work
	run_ok sandbox -r /usr -r . -w own -- sh -c "$OWN"
	[ "$output" = ok ]
	run_ok sandlock explain --json -r /usr -r . --network-unix "$WORK/dir" -- \
		./netprobe
	[[ $output = *"Landlock (version "*") denies unlisted Unix sockets outside the sandbox"* ]]
}

@test "Landlock lets a sandbox without namespaces connect to the listed sockets" {
	requires userns
	work
	serve "$WORK/dir/sock"
	run_ok sandbox_without_userns -r /usr -r . -w own -- sh -c "$OWN"
	[ "$output" = ok ]
	run_ok sandbox_without_userns -r /usr -r . -- ./netprobe unix dir/sock
	[ "$output" = "$DENIED" ]
	run_ok sandbox_without_userns -r /usr -r . -w dir -- ./netprobe unix dir/sock
	[ "$output" = "$DENIED" ]
	for listed in dir dir/sock; do
		run_ok sandbox_without_userns -r /usr -r . --network-unix "$listed" -- \
			./netprobe unix dir/sock
		[ "$output" = ok ]
	done
	run_ok sandbox_without_userns -r /usr -r . --network-unix own -- \
		./netprobe unix dir/sock
	[ "$output" = "$DENIED" ]
	# Deny wins; of what is not denied the rest is left.
	run_ok sandbox_without_userns -r /usr -r netprobe --network-unix . \
		--filesystem-deny "$WORK/dir" -- ./netprobe unix dir/sock
	[ "$output" = "$DENIED" ]
	run_ok sandbox_without_userns -r /usr -r netprobe --network-unix . \
		--filesystem-deny "$WORK/own" -- ./netprobe unix dir/sock
	[ "$output" = ok ]
	run -125 sandbox_without_userns -r /usr --network-unix dir/none -- true
	assert_output_has "network.unix '$WORK/dir/none': no such file"
}

@test "an open network without namespaces allows the sockets below allowed paths" {
	requires userns
	work
	serve "$WORK/dir/sock"
	run_ok sandbox_without_userns -r /usr -r . --network-mode open -- \
		./netprobe unix dir/sock
	[ "$output" = ok ]
	run_ok sandbox_without_userns -r /usr -r netprobe --network-mode open -- \
		./netprobe unix dir/sock
	[ "$output" = "$DENIED" ]
	end_server
	serve @"sandlock-test-$$"
	run_ok sandbox_without_userns -r /usr -r . -- ./netprobe abstract "sandlock-test-$$"
	[ "$output" = "Operation not permitted" ]
}

@test "datagrams to a denied socket are refused like connections, and --why reports them" {
	requires userns
	work
	serve "$WORK/dir/sock" hear
	run --separate-stderr -0 sandbox_without_userns --why -r /usr -r . -- \
		./netprobe send "$WORK/dir/sock"
	[ "$output" = "$DENIED" ]
	[[ $stderr = *"denied: connect dir/sock (not in network.unix); to allow it: --network-unix dir/sock"* ]]
	run_ok sandbox_without_userns -r /usr -r . --network-unix dir -- \
		./netprobe send "$WORK/dir/sock"
	[ "$output" = ok ]
}

# ---- bundles ----

new_socket_bundle() {
	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$TMP/run"
	add_netprobe
	add_mount /host bind "$TMP/run" bind "$1"
}

# comes TEXT: init and exec say it of a socket that came after create.
comes() {
	args sh -c 'netprobe unix /host/sock; sleep 1000'
	create box
	serve "$TMP/run/sock"
	oci start box
	wait_until [ -s "$TMP/box.out" ]
	[ "$(cat "$TMP/box.out")" = "$1" ] || {
		cat "$TMP/box.out"
		return 1
	}
	run_ok oci exec box netprobe unix /host/sock
	[ "$output" = "$1" ]
	oci delete --force box
	end_server
	rm "$TMP/run/sock" "$TMP/box.out"
}

@test "a bundle cannot connect to a socket that appears later below a read-only path" {
	new_socket_bundle ro
	annotate_policy network.mode=deny filesystem.read=/
	comes "$DENIED"
	annotate_policy network.mode=deny filesystem.read=/ network.unix=/host
	comes ok
	annotate_policy network.mode=open filesystem.read=/
	comes ok
	annotate_policy filesystem.read=/
	comes ok
}

@test "init and exec connect to each other's sockets where both may write" {
	new_socket_bundle rw
	annotate_policy network.mode=deny filesystem.read=/ filesystem.write=/host
	args sh -c 'netprobe serve /host/init.sock &
		until [ -e /host/go ]; do sleep 0.1; done
		netprobe unix /host/exec.sock; sleep 1000'
	create box
	oci start box
	wait_until grep -q serving "$TMP/box.out"
	run_ok oci exec box netprobe unix /host/init.sock
	[ "$output" = ok ]
	oci exec --detach box sh -c \
		'netprobe serve /host/exec.sock >/host/served'
	wait_until grep -qs serving "$TMP/run/served"
	touch "$TMP/run/go"
	wait_until grep -q ok "$TMP/box.out"
}

@test "Landlock denies the sockets of other programs to a bundle without a mount namespace" {
	new_socket_bundle ro
	config 'del(.mounts, .linux.maskedPaths, .linux.readonlyPaths) |
		del(.linux.namespaces[] | select(.type == "mount"))'
	serve "$files/sock"
	annotate_policy network.mode=deny
	tells "$DENIED" 'netprobe unix /sock'
	annotate_policy network.unix=/sock
	tells ok 'netprobe unix /sock'
	annotate_policy network.mode=open
	tells ok 'netprobe unix /sock'
}

@test "a program that may not connect can still report readiness" {
	new_socket_bundle ro
	annotate_policy network.mode=deny filesystem.read=/
	args sh -c '[ "$(netprobe send $NOTIFY_SOCKET)" = ok ] && sleep 1000'
	serve "$TMP/manager" hear
	NOTIFY_SOCKET=$TMP/manager create box
	NOTIFY_SOCKET=$TMP/manager oci start box
	grep -q READY=1 "$TMP/served"
}
