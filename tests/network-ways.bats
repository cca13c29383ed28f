#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-ways.bats - no way to send leads around network.allow; what is
# allowed arrives whole.

bats_require_minimum_version 1.5.0
load helpers
load world

WAYS_PY=$BATS_TEST_DIRNAME/ways.py
# TCP 7000 and 7103 and UDP 7001 are allowed; a witness listens at 7100.
RULES=(--net-allow "198.51.100.1:7000,7103" --net-allow udp://198.51.100.1:7001)

setup_file() {
	make_world
	in_world python3 "$WAYS_PY" witness "$BATS_FILE_TMPDIR/contacts" \
		"$BATS_FILE_TMPDIR/witness.pid" >/dev/null 2>&1 3>&- &
	disown
	wait_until test -e "$BATS_FILE_TMPDIR/witness.pid"
}

teardown_file() {
	[ ! -e "$BATS_FILE_TMPDIR/witness.pid" ] ||
		kill -9 "$(cat "$BATS_FILE_TMPDIR/witness.pid")" || true
	end_world
}

setup() {
	sandlock_setup
	enter_work
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

teardown() {
	sandlock_teardown
}

# way WORD...: ways.py with these arguments, in a sandbox with the rules.
way() {
	in_world "$SANDLOCK" --root "$ROOT" run -r @system -r "$WAYS_PY" \
		"${RULES[@]}" --cwd / -- python3 "$WAYS_PY" "$@"
}

# user_way WORD...: the same, by a user without any privilege.
user_way() {
	[ -n "$USER_HOME" ] || new_user
	cp "$WAYS_PY" "$USER_HOME/"
	cd "$USER_HOME" || return
	in_world env -i PATH=/usr/bin:/bin HOME="$USER_HOME" SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" \
		XDG_RUNTIME_DIR="$USER_HOME/run" setpriv --reuid "$USER_ID" \
		--regid "$USER_ID" --clear-groups \
		"$USER_HOME/sandlock" run -r @system -r "$USER_HOME/ways.py" \
		"${RULES[@]}" --cwd / -- python3 "$USER_HOME/ways.py" "$@"
}

# prints PATTERN WORD...: root's and the user's program print this.
prints() {
	local wanted=$1 as

	shift
	for as in way user_way; do
		run_ok "$as" "$@"
		# shellcheck disable=SC2053 # it is a pattern
		[[ "$output" = $wanted ]] || {
			echo "$as $*: $output"
			return 1
		}
	done
}

# nothing_arrived: the witness was not contacted; it is there.
nothing_arrived() {
	[ ! -s "$BATS_FILE_TMPDIR/contacts" ] || {
		cat "$BATS_FILE_TMPDIR/contacts"
		return 1
	}
}

@test "each way to send reaches what is allowed" {
	local name

	for name in connect nonblocking mapped fastopen disconnect-first on-device; do
		prints hello "$name" 7000
	done
	for name in sendto sendmsg sendto-while-connected; do
		prints hello "$name" 7001
	done
	prints 3 sendmmsg 7001
}

@test "no way to send reaches what no rule allows" {
	local name

	for name in connect nonblocking mapped fastopen disconnect-first \
		sendto sendmsg sendto-while-connected; do
		prints EACCES "$name" 7100
	done
	# As the kernel does: what came before the refused one was sent.
	prints 1 sendmmsg 7100
	# Its own loopback, where nothing listens.
	for name in host-loopback any-address; do
		prints ECONNREFUSED "$name" 7100
	done
	prints EACCES from-address 7100
	# The kernel does not ask the routes for a socket that is bound to a device.
	prints EHOSTUNREACH on-device 7100
	nothing_arrived
}

@test "sockets that no rule can judge do not exist" {
	local name

	for name in mptcp sctp udplite raw packet vsock netfilter io_uring marked \
		source-route; do
		prints 'E@(PERM|PROTONOSUPPORT|AFNOSUPPORT|NOSYS|SOCKTNOSUPPORT)' "$name" 7100
	done
	nothing_arrived
}

@test "a thread that changes the address while it is judged wins nothing" {
	prints '*EACCES*' race tcp 10000
	prints '*EACCES*sent*' race udp 10000
	nothing_arrived
}

@test "the witness of these tests notices a contact" {
	local contacts=$BATS_FILE_TMPDIR/contacts

	run_ok in_world python3 "$WAYS_PY" connect 7100
	[ "$output" = witness ]
	run_ok in_world python3 "$WAYS_PY" sendto 7100
	[ "$output" = witness ]
	[ "$(sort "$contacts")" = $'datagram\nstream' ]
	: >"$contacts"
}

@test "bytes arrive whole in both directions, also after half a close" {
	prints '100000000 equal' data all 100000000
	prints '1000000 equal' data half 1000000
}

@test "a reset by either end reaches the other" {
	prints ECONNRESET reset server
	prints closed reset client
	wait_until test "$(wc -l <"$BATS_FILE_TMPDIR/contacts.resets")" = 2
}

@test "a full table of descriptors ends single connections, not the sandbox" {
	local many='
import socket
kept = []
errors = 0
for _ in range(200):
    client = socket.socket()
    try:
        client.connect(("198.51.100.1", 7000))
        kept.append(client)
    except OSError:
        errors += 1
print(len(kept) > 50, errors > 50)
kept = None
while True:
    try:
        client = socket.create_connection(("198.51.100.1", 7000))
        break
    except OSError:
        pass
client.sendall(b"again")
print(client.recv(5).decode())'

	run_ok in_world prlimit --nofile=256:256 "$SANDLOCK" --root "$ROOT" run \
		-r @system "${RULES[@]}" --cwd / -- python3 -c "$many"
	[ "$output" = $'True True\nagain' ]
}
