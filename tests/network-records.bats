#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-records.bats - every destination that was judged is a record.

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
	enter_work
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

# Three allowed ones, and one that only the relay denies: programs that ping
# first connect UDP to port 1025 of the host, so the routes lead there.
RULES=(good.test:7000 icmp://198.51.100.1 udp://198.51.100.1:7001)
CLIENT='
import socket
def tcp(port):
    try:
        c = socket.create_connection(("good.test", port), 10)
        c.sendall(b"hello")
        c.shutdown(socket.SHUT_WR)
        while c.recv(100):
            pass
    except OSError as e:
        print(e.errno)
tcp(7000)
u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
u.sendto(b"secret", ("198.51.100.1", 1025))
u.sendto(b"hello", ("198.51.100.1", 7001))
u.recv(100)'

# the_records FILE: it has JSON lines with all eight members of both.
the_records() {
	jq -se 'map(select(.type == "connection")) |
		any(.protocol == "tcp" and .destination == "198.51.100.9:7000" and
			.name == "good.test" and .rule == "good.test:7000" and
			.verdict == "allowed" and .bytes == {sent: 5, received: 5} and
			.errno == 0 and (.time | test("^2.*Z$"))) and
		any(.protocol == "udp" and .destination == "198.51.100.1:1025" and
			has("name") and .name == null and has("rule") and .rule == null and
			.verdict == "denied" and .bytes == {sent: 0, received: 0} and
			.errno == 13 and (.time | test("^2.*Z$")))' "$1"
}

@test "--json of sandlock run has a record of each connection" {
	local rule options=()

	for rule in "${RULES[@]}"; do
		options+=(--net-allow "$rule")
	done
	run -0 --separate-stderr in_world env SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" "$SANDLOCK" \
		--root "$ROOT" run --json -r @system --cwd / "${options[@]}" -- python3 -c "$CLIENT"
	# shellcheck disable=SC2154 # bats sets it
	tail -n 1 <<<"$stderr" | jq -c '.events[]' >"$TMP/records"
	cat "$TMP/records"
	the_records "$TMP/records"
	# The datagrams that were answered, when the sandbox has ended.
	jq -se 'any(.protocol == "udp" and .destination == "198.51.100.1:7001" and
		.verdict == "allowed" and .bytes == {sent: 5, received: 5})' "$TMP/records"
}

@test "an allowed destination that refuses is a record with its error" {
	run -0 --separate-stderr in_world env SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" "$SANDLOCK" \
		--root "$ROOT" run --json -r @system --cwd / --net-allow 198.51.100.1:7003 -- \
		python3 -c 'import socket; print(socket.socket().connect_ex(("198.51.100.1", 7003)))'
	[ "$output" = 111 ]
	# shellcheck disable=SC2154 # bats sets it
	tail -n 1 <<<"$stderr" | jq -e '.events | any(.type == "connection" and
		.destination == "198.51.100.1:7003" and .verdict == "allowed" and .errno == 111)'
}

@test "events and --log of sandlock-oci have a record of each connection" {
	local dir pid

	new_bundle
	for dir in bin lib lib64; do
		[ -d "/usr/$dir" ] || continue
		[ "$dir" = bin ] || ln -s "usr/$dir" "$BUNDLE/rootfs/$dir"
		# shellcheck disable=SC2016 # the dollars are jq's
		config --arg dir "/usr/$dir" '.mounts += [{destination: $dir,
			type: "bind", source: $dir, options: ["bind", "ro"]}]'
	done
	annotate_policy network.allow="$(IFS=';' && echo "${RULES[*]}")"
	args sleep 1000
	world_oci --log "$TMP/log" create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1 || {
		cat "$TMP/out"
		return 1
	}
	world_oci start box
	run_ok world_oci exec box python3 -c "$CLIENT"
	# It ends with the container.
	world_oci events box >"$TMP/events" 2>"$TMP/errors" </dev/null 3>&- &
	pid=$!
	wait_until the_records "$TMP/events"
	world_oci delete --force box
	wait "$pid" || true
	cat "$TMP/log"
	grep -F 'connection: allowed tcp 198.51.100.9:7000 (name good.test, rule good.test:7000, sent 5, received 5, errno 0)' "$TMP/log" |
		grep -q '[0-9]T[0-9]'
	grep -F 'connection: denied udp 198.51.100.1:1025 (name none, rule none, sent 0, received 0, errno 13)' "$TMP/log" |
		grep -q '[0-9]T[0-9]'
}
