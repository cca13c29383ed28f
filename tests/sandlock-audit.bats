#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-audit.bats - what the kernel's audit says of a sandbox.
# shellcheck disable=SC2154 # bats sets status and output

bats_require_minimum_version 1.5.0
load helpers
load netprobe

teardown() {
	end_server
	sandlock_teardown
}

# sandbox_on_pty WORD...: `sandlock run` on a terminal, which gets the report.
sandbox_on_pty() {
	SHELL=$BASH script -qec "$(printf '%q ' "$SANDLOCK" --root "$ROOT" \
		run "$@")" /dev/null </dev/null 3>&-
}

@test "run reports Landlock's denials without --why, by their keys" {
	requires root audit script
	local sh env

	sh=$(realpath "$(command -v sh)")
	env=$(realpath "$(command -v env)")
	run sandbox_on_pty -r / -x "$sh" -- "$sh" -c "exec $env"
	[ "$status" -eq 126 ]
	[[ $output = *"denied: execute $env (not in filesystem.execute)"* ]]
	# No denials are reported after a success, nor those of other processes.
	run sandbox_on_pty -r / -x "$sh" -- "$sh" -c "$env; :"
	[ "$status" -eq 0 ]
	[[ $output != *"denied: "* ]]
	run sandbox_on_pty -r / -- "$sh" -c "$env >/dev/null; exit 3"
	[ "$status" -eq 3 ]
	[[ $output != *"denied: "* ]]
}

@test "run reports denied ports without --why" {
	requires root audit script
	add_netprobe "$TMP"
	run sandbox_on_pty -r / --net-bind 80 --network-publish=false -- sh -c "$NETPROBE bind 8080; exit 3"
	[ "$status" -eq 3 ]
	[[ $output = *"denied: bind 127.0.0.1:8080 (not in network.bind)"* ]]
}

@test "run reports denied sockets of other programs without --why" {
	requires root audit script
	requires_landlock 9
	add_netprobe "$TMP"
	mkdir "$TMP/sync"
	sandbox_on_pty -r / -w "$TMP/sync" -- sh -c "
		echo >$TMP/sync/ready
		until [ -e $TMP/sync/go ]; do :; done
		$NETPROBE unix $TMP/later; exit 3" >"$TMP/out" 2>&1 3>&- &
	local job=$! status=0

	wait_until [ -e "$TMP/sync/ready" ]
	serve "$TMP/later"
	echo >"$TMP/sync/go"
	wait $job || status=$?
	[ "$status" -eq 3 ]
	grep -F "denied: connect $TMP/later (not in network.unix)" \
		"$TMP/out"
}

@test "run reports denied calls without --why, by their groups" {
	requires root audit script
	run sandbox_on_pty -r / -- unshare --user true
	[ "$status" -eq 1 ]
	[[ $output = *"denied: call unshare (syscalls: namespaces); to allow it: --syscalls-extra-allow namespaces"* ]]
}

@test "run without a terminal reports denials with --json only" {
	requires root audit script
	run sandbox -r / -- unshare --user true
	[ "$status" -eq 1 ]
	[[ $output != *"denied: "* ]]
	run sandbox -r / --json -- unshare --user true
	[ "$status" -eq 1 ]
	[[ $output = *'"denied":[{'*unshare* ]]
}

@test "run reports no denials of another sandbox" {
	requires root audit script
	mkdir "$TMP/sync"
	"$SANDLOCK" --root "$ROOT" run -r / -w "$TMP/sync" --name other -- \
		sh -c "until [ -e $TMP/sync/end ]; do
			unshare --user true
			echo >$TMP/sync/refused
		done" 2>/dev/null 3>&- &
	local other=$!

	wait_until [ -e "$TMP/sync/refused" ]
	rm "$TMP/sync/refused"
	run sandbox_on_pty -r / -w "$TMP/sync" -- sh -c "
		until [ -e $TMP/sync/refused ]; do :; done
		exit 5"
	[ "$status" -eq 5 ]
	touch "$TMP/sync/end"
	wait $other
	[[ $output != *"denied: "* ]]
}

# ---- containers ----

# denied_bundle PROGRAM...: that may read all but /opt, and write /tmp.
denied_bundle() {
	new_bundle box
	mkdir -p "$BUNDLE/rootfs/opt"
	echo secret >"$BUNDLE/rootfs/opt/secret"
	config '.root.readonly = false |
		.annotations["io.sandlock.filesystem.read"] = "/bin;-/lib;-/lib64;-/usr;/etc;/proc;/dev" |
		.annotations["io.sandlock.filesystem.write"] = "/tmp"'
	args "$@"
}

@test "events prints what a container is denied, with the annotation to change, and --log has a line" {
	requires root audit jq
	denied_bundle sh -c 'until [ -e /tmp/go ]; do sleep 0.1; done
		cat /opt/secret; exec sleep 1000'
	create box
	"$SANDLOCK_OCI" --root "$ROOT" --log "$TMP/log" events --interval 1h box \
		>"$TMP/events" 2>"$TMP/err" 3>&- &
	local job=$!

	oci start box
	wait_until events_listen "$job"
	echo >"$BUNDLE/rootfs/tmp/go"
	wait_until grep -q '"what":"read"' "$TMP/events"
	oci kill box KILL
	wait $job
	jq -es 'any(.[]; .type == "denied" and .id == "box" and .what == "read" and
		.path == "/opt/secret" and .key == "filesystem.read" and
		.hint == "add /opt/secret to the annotation io.sandlock.filesystem.read" and
		(.time | test("^20.*Z$")))' "$TMP/events"
	grep -F "denied: read /opt/secret (not in filesystem.read); to allow it: add /opt/secret" "$TMP/log"
	run ! grep "not reported" "$TMP/err"
}

# events_listen PID: it has opened the socket of the audit records.
events_listen() {
	find "/proc/$1/fd" -lname "socket:*" 2>/dev/null | grep -q .
}
