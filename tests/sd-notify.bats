#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sd-notify.bats - NOTIFY_SOCKET: the program says when it is ready.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# One that hears nothing would wait for ever, and bats for it.
teardown() {
	[ -z "${LISTENER:-}" ] || kill "$LISTENER" 2>/dev/null || true
	sandlock_teardown
}

# The program that says "READY=1", and the one that never does. busybox has no
# datagrams to Unix sockets, so python3 speaks for it through the container's
# own file.
teller() {
	new_bundle box
	args sh -c 'echo "$NOTIFY_SOCKET" >/tmp/socket; sleep 1000'
}

# listen: what a service manager would get, to $TMP/heard.
listen() {
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
print(s.recv(4096).decode(), end="", flush=True)' \
		"$TMP/manager" >"$TMP/heard" 2>&1 3>&- &
	LISTENER=$!
	wait_until grep -q listening "$TMP/heard"
}

# tell TEXT: as the program, through its own root.
tell() {
	python3 -c '
import os, socket, sys
os.chroot("/proc/%s/root" % sys.argv[1])
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(sys.argv[2])
s.send(sys.argv[3].encode())' "$(pid_of box)" \
		"$(cat "$BUNDLE/rootfs/tmp/socket")" "$1" 3>&-
}

@test "start waits until the program is ready, and passes only READY on" {
	requires root python3
	local job

	teller
	listen
	NOTIFY_SOCKET=$TMP/manager create box
	NOTIFY_SOCKET=$TMP/manager oci start box >"$TMP/start" 2>&1 &
	job=$!
	wait_until [ -s "$BUNDLE/rootfs/tmp/socket" ]
	[ "$(cat "$BUNDLE/rootfs/tmp/socket")" = /run/notify/notify.sock ]
	assert_status box running
	tell $'STATUS=loading\nMAINPID=1\nNOTREADY=1'
	kill -0 "$job"
	tell $'STATUS=up\nREADY=1\nFDSTORE=1'
	wait "$job"
	wait_until grep -q READY "$TMP/heard"
	[ "$(grep -v listening "$TMP/heard")" = \
		$'READY=1\nMAINPID='"$(pid_of box)" ]
}

@test "start does not wait for a program that has ended" {
	requires root python3
	new_bundle box
	listen
	NOTIFY_SOCKET=$TMP/manager create box
	NOTIFY_SOCKET=$TMP/manager oci start box
	wait_until has_status box stopped
}

@test "run in the foreground passes readiness on" {
	requires root python3
	local job

	teller
	listen
	NOTIFY_SOCKET=$TMP/manager oci run --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1 &
	job=$!
	wait_until [ -s "$BUNDLE/rootfs/tmp/socket" ]
	tell READY=1
	wait_until grep -q "MAINPID=$(pid_of box)" "$TMP/heard"
	oci kill box KILL
	wait "$job" || status=$?
	[ "$status" -eq 137 ]
	assert_gone box
}

@test "run --detach returns once the program is ready" {
	requires root python3
	local job

	teller
	listen
	NOTIFY_SOCKET=$TMP/manager oci run --detach --bundle "$BUNDLE" \
		box </dev/null >/dev/null 2>&1 &
	job=$!
	wait_until [ -s "$BUNDLE/rootfs/tmp/socket" ]
	kill -0 "$job"
	tell READY=1
	wait "$job"
	wait_until grep -q "MAINPID=$(pid_of box)" "$TMP/heard"
}

@test "a container has no NOTIFY_SOCKET if the runtime has none" {
	requires root
	new_bundle box
	args sh -c 'env; ls /run'
	run_ok env -u NOTIFY_SOCKET "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[[ $output != *otify* ]]
}

@test "NOTIFY_SOCKET is in the program's environment once" {
	requires root python3
	new_bundle box
	listen
	args env
	config '.process.env += ["NOTIFY_SOCKET=/elsewhere"]'
	NOTIFY_SOCKET=$TMP/manager run_ok oci run --bundle "$BUNDLE" box
	[ "$(grep NOTIFY_SOCKET <<<"$output")" = \
		NOTIFY_SOCKET=/run/notify/notify.sock ]
}

# A program that could write there would choose what the runtime binds and
# removes.
@test "the folder of the notify socket is read-only inside, and anyone may write to the socket" {
	requires root python3
	local job

	teller
	args sh -c 'touch /run/notify/x 2>/tmp/touch
		stat -c %a "$NOTIFY_SOCKET" >/tmp/mode
		echo "$NOTIFY_SOCKET" >/tmp/socket; sleep 1000'
	listen
	NOTIFY_SOCKET=$TMP/manager oci run --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1 &
	job=$!
	wait_until [ -s "$BUNDLE/rootfs/tmp/socket" ]
	grep "Read-only file system" "$BUNDLE/rootfs/tmp/touch"
	[ "$(cat "$BUNDLE/rootfs/tmp/mode")" = 777 ]
	tell READY=1
	wait_until grep -q READY "$TMP/heard"
	oci kill box KILL
	wait "$job" || true
}

@test "a program in a user namespace can report readiness" {
	requires root python3 userns
	local job

	teller
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	listen
	NOTIFY_SOCKET=$TMP/manager oci run --bundle "$BUNDLE" box \
		</dev/null >"$TMP/run" 2>&1 &
	job=$!
	wait_until [ -s "$BUNDLE/rootfs/tmp/socket" ]
	tell READY=1
	wait_until grep -q READY "$TMP/heard"
	oci kill box KILL
	wait "$job" || true
}
