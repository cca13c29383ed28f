#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/streams.bats - no process reads messages, or accepts what is sent: the
# status is the same, and no command waits for ever.

load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
	args sleep 1000
}

# A command that fails, and says so in a line.
failing_state() {
	timeout -k 1 15 "$SANDLOCK_OCI" --root "$ROOT" "$@" state none 3>&-
}

# exits_with STATUS COMMAND...
exits_with() {
	local r=0

	"${@:2}" || r=$?
	[ $r -eq "$1" ] || {
		echo "status $r from: ${*:2}"
		return 1
	}
}

@test "a command whose error cannot be written still fails" {
	exits_with 1 failing_state 2>&-
	exits_with 1 failing_state 2>/dev/full
	exits_with 1 failing_state <&- >&- 2>&-
	exits_with 1 failing_state 2> >(exec true)
	exits_with 1 failing_state --log /dev/full
	assert_gone none
}

@test "a command whose output cannot be written fails" {
	requires mkfifo
	create c1
	run_bad "no space left on device" sh -c '"$@" >/dev/full' sh \
		"$SANDLOCK_OCI" --root "$ROOT" list
	mkfifo "$TMP/fifo"
	# It is open for reading, and then it is not.
	# shellcheck disable=SC2016 # for the inner shell
	run_bad "broken pipe" sh -c 'exec 4<>"$0" 5>"$0" 4<&-; "$@" >&5' \
		"$TMP/fifo" "$SANDLOCK_OCI" --root "$ROOT" state c1
}

# full COMMAND...: with descriptor 4 a pipe that is full.
full() {
	# shellcheck disable=SC2016 # for the inner shell
	bash -c 'mkfifo "$0" && exec 4<>"$0" &&
		! timeout 0.2 cat /dev/zero >&4; exec "$@"' "$TMP/full" "$@"
}

@test "a command does not wait for a log or standard error that nobody reads" {
	requires mkfifo
	mkfifo "$TMP/unread"
	run_bad "open log file $TMP/unread: no such device or address" \
		failing_state --log "$TMP/unread"
	export -f failing_state
	export SANDLOCK_OCI ROOT
	# shellcheck disable=SC2016 # for the inner shell
	run_bad "none: container does not exist" full bash -c \
		'failing_state --debug --log /dev/fd/4 2>&1 | tail -n 1
		exit "${PIPESTATUS[0]}"'
	rm "$TMP/full"
	# shellcheck disable=SC2016
	exits_with 1 full bash -c 'failing_state --debug --log "$0" 2>&4' "$TMP/log"
	grep -q "none: container does not exist" "$TMP/log"
}

# peer MODE COMMAND...: with a socket $TMP/socket that accepts no connection, or
# whose other end closes each connection at once.
peer() {
	python3 -c '
import socket, subprocess, sys, threading

path, mode = sys.argv[1:3]
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen(0)

def close_all():
    while True:
        server.accept()[0].close()

if mode == "closes":
    threading.Thread(target=close_all, daemon=True).start()
else:
    waiting = socket.socket(socket.AF_UNIX)
    waiting.connect(path)
sys.exit(subprocess.call(sys.argv[3:]))' "$TMP/socket" "$@" 3>&-
	local r=$?

	rm "$TMP/socket"
	return $r
}

@test "create fails and leaves nothing if nobody accepts at a socket" {
	local option

	requires python3
	for option in console pidfd; do
		[ $option = pidfd ] || config '.process.terminal = true'
		run_bad "$option socket: connect to $TMP/socket: connection timed out" \
			peer busy timeout -k 1 15 "$SANDLOCK_OCI" --root "$ROOT" \
			create --bundle "$BUNDLE" --$option-socket "$TMP/socket" c1
		[ "${#lines[@]}" -eq 1 ]
		assert_gone c1
		[ -z "$(leftovers)" ]
		config '.process.terminal = false'
	done
	start_container c1
	run peer busy timeout -k 1 15 "$SANDLOCK_OCI" --root "$ROOT" exec \
		--detach --tty --console-socket "$TMP/socket" c1 true
	[ "$status" -eq 255 ]
	assert_output_has "connection timed out"
	assert_status c1 running
}

# It may be told of that in time, or not: the terminal is hung up then.
@test "create survives a console socket that is closed at once" {
	local r

	requires python3
	config '.process.terminal = true'
	for _ in {1..5}; do
		r=0
		peer closes timeout -k 1 15 "$SANDLOCK_OCI" --root "$ROOT" create \
			--bundle "$BUNDLE" --console-socket "$TMP/socket" c1 \
			</dev/null >"$TMP/said" 2>&1 || r=$?
		case $r in
		0) oci delete c1 ;;
		1) grep -q "console socket: send the descriptor of /dev/ptmx" "$TMP/said" ;;
		*) echo "status $r" && return 1 ;;
		esac
		[ -z "$(leftovers)" ]
	done
}
