#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-rules.bats - network.allow and network.deny in `sandlock run`.

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
	enter_work
	cp "$WORLD_PY" .
	# sandlock-resolve is beside the programs.
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

teardown() {
	sandlock_teardown
}

# client WORD...: run the client in a sandbox with these options, up to "--",
# and these arguments.
client() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	in_world "$SANDLOCK" --root "$ROOT" run -r @system -r . "${options[@]}" \
		-- python3 world.py "$@"
}

# user_client WORD...: the same, by a user without any privilege.
user_client() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	cp "$WORLD_PY" "$USER_HOME/"
	cd "$USER_HOME" || return
	in_world env -i PATH=/usr/bin:/bin HOME="$USER_HOME" SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" \
		XDG_RUNTIME_DIR="$USER_HOME/run" setpriv --reuid "$USER_ID" \
		--regid "$USER_ID" --clear-groups \
		"$USER_HOME/sandlock" run -r @system -r . "${options[@]}" \
		-- python3 world.py "$@"
}

# bad TEXT WORD...: the sandbox does not start, for this reason.
bad() {
	local text=$1

	shift
	run -125 client "$@"
	assert_output_has "$text"
}

# both OUTPUT WORD...: as root and as a user, the client prints this.
both() {
	local wanted=$1

	shift
	[ -n "$USER_HOME" ] || new_user
	run_ok client "$@"
	[ "$output" = "$wanted" ]
	run_ok user_client "$@"
	[ "$output" = "$wanted" ] || {
		echo "user: $output"
		return 1
	}
}

@test "network.allow lets a program reach what a rule names" {
	both hello --net-allow 198.51.100.1:7000 -- tcp 198.51.100.1 7000
	both hello --net-allow 198.51.100.0/24:6999-7001 -- tcp 198.51.100.1 7000
	both hello --net-allow :7000 -- tcp 198.51.100.1 7000
	both hello --net-allow '[2001:db8::]/32:7000' -- tcp 2001:db8::1 7000
	both hello --net-allow '*' -- tcp 198.51.100.1 7000
}

@test "what no rule of network.allow names fails with EACCES" {
	both EACCES --net-allow 198.51.100.1:7000 -- tcp 198.51.100.1 5432
	both EACCES --net-allow 198.51.100.1:7000 -- tcp 198.51.100.3 7000
	both EACCES --net-allow 198.51.100.1:7000 -- tcp 2001:db8::1 7000
	both EACCES --net-allow 198.51.100.1:7000 -- tcp 169.254.169.254 7000
	both EACCES --net-allow :7000 -- tcp 169.254.169.254 7000
}

@test "an allowed destination that refuses or cannot be reached gives its own error" {
	both ECONNREFUSED --net-allow 198.51.100.1 -- tcp 198.51.100.1 7003
	both EHOSTUNREACH --net-allow 198.51.100.0/24 -- tcp 198.51.100.3 7000
	both ECONNREFUSED --net-allow '[2001:db8::1]' -- tcp 2001:db8::1 7003
}

@test "on a host without IPv6, what no rule allows fails with EACCES" {
	no_ipv6() {
		# shellcheck disable=SC2016 # for the inner shell
		unshare --net sh -ec '
			ip link set lo up
			ip address add 198.51.100.1/32 dev lo
			exec "$@"' sh "$SANDLOCK" --root "$ROOT" run -r @system \
			-r . --net-allow "$1" -- python3 world.py tcp \
			2001:db8::1 7000
	}

	run_ok no_ipv6 198.51.100.1:7000
	[ "$output" = EACCES ]
	run_ok no_ipv6 :7001
	[ "$output" = EACCES ]
	run_ok no_ipv6 :7000
	[ "$output" = EHOSTUNREACH ]
}

@test "network.deny takes destinations away, whatever is more specific" {
	both EACCES --net-allow 198.51.100.1:7000 --net-deny 198.51.100.0/24 \
		-- tcp 198.51.100.1 7000
	both EACCES --net-allow 198.51.100.0/24 --net-deny 198.51.100.1:7000 \
		-- tcp 198.51.100.1 7000
	both ECONNREFUSED --net-allow 198.51.100.0/24 --net-deny 198.51.100.1:7000 \
		-- tcp 198.51.100.1 7003
	both ECONNREFUSED --net-allow 198.51.100.1:65535 -- tcp 198.51.100.1 65535
	both EACCES --net-allow 198.51.100.1:65535 -- tcp 198.51.100.1 65534
}

@test "network.deny alone leaves everything else open" {
	both EACCES --net-deny 198.51.100.1 -- tcp 198.51.100.1 7000
	both hello --net-deny 198.51.100.2 -- tcp 198.51.100.1 7000
	both hello --net-deny 198.51.100.2 -- udp 198.51.100.1 7001
}

# reaches_nothing WORD...: the client reaches nothing.
reaches_nothing() {
	local said

	said=$(client "$@" -- tcp 198.51.100.1 7000 2>&1) || return 0
	[ "$said" != hello ]
}

@test "network.deny opens nothing next to a mode or a list that allows less" {
	printf '[network]\nallow = []\ndeny = ["198.51.100.2"]\n' >"$TMP/none.toml"
	printf '[network]\nallow = ["*:443"]\n[filesystem]\nread = ["/"]\n' \
		>"$TMP/floor.toml"
	chmod 644 "$TMP"/*.toml
	reaches_nothing --network-mode deny --net-deny 198.51.100.2
	reaches_nothing --network-mode loopback --net-deny 198.51.100.2
	reaches_nothing -p "$TMP/none.toml"
	reaches_nothing --enforce "$TMP/floor.toml" --net-deny 198.51.100.2
	reaches_nothing --enforce "$TMP/floor.toml" --net-allow '*:80' \
		--net-deny 198.51.100.2
}

@test "UDP goes only where a rule for UDP says" {
	both hello --net-allow udp://198.51.100.1:7001 -- udp 198.51.100.1 7001
	both hello --net-allow 'udp://[2001:db8::1]:7001' -- udp 2001:db8::1 7001
	both EACCES --net-allow udp://198.51.100.1:7001 -- udp 198.51.100.1 7002
	both ECONNREFUSED --net-allow udp://198.51.100.1 -- udp 198.51.100.1 7002
	both ECONNREFUSED --net-allow 'udp://[2001:db8::1]' -- udp 2001:db8::1 7002
	# Without such a rule there is no UDP socket.
	both EPERM --net-allow 198.51.100.1:7000 -- udp 198.51.100.1 7001
}

@test "an echo request goes only where a rule says, and the real host answers" {
	both alive --net-allow icmp://198.51.100.1 -- ping 198.51.100.1 1
	both alive --net-allow 'icmp://[2001:db8::1]' -- ping 2001:db8::1 1
	both EACCES --net-allow icmp://198.51.100.1 -- ping 198.51.100.9 1
	both EPERM --net-allow 198.51.100.1:7000 -- ping 198.51.100.1 1
}

@test "a rule for ping without ping sockets of the host is an error" {
	in_world sh -c 'echo 1 0 >/proc/sys/net/ipv4/ping_group_range'
	bad "net.ipv4.ping_group_range" --net-allow icmp://198.51.100.1 \
		-- ping 198.51.100.1 1
	in_world sh -c 'echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range'
}

@test "a rule for a loopback address leads to the host's" {
	both hello --net-allow 127.0.0.1:5432 -- tcp 127.0.0.1 5432
	both hello --net-allow localhost:5432 -- tcp localhost 5432
	both ECONNREFUSED --net-allow 127.0.0.1:5432 -- tcp 127.0.0.1 5433
	both ECONNREFUSED --net-allow 198.51.100.1:7000 -- tcp 127.0.0.1 5432
}

@test "names are resolved by the host and pinned in /etc/hosts" {
	both hello --net-allow good.test:7000 -- tcp good.test 7000
	both EACCES --net-allow good.test:7000 -- tcp good.test 7001
	run_ok in_world "$SANDLOCK" --root "$ROOT" run -r @system \
		--net-allow good.test:7000 --cwd / -- head -n 1 /etc/hosts
	[ "$output" = "$(printf '198.51.100.9\tgood.test')" ]
}

@test "a name does not lead to a private address unless a rule names it" {
	bad "inner.test leads to 10.1.2.3, a private address" \
		--net-allow inner.test:7000 -- tcp inner.test 7000
	both ENETUNREACH --net-allow inner.test:7000 --net-allow 10.1.2.3:1 \
		-- tcp inner.test 7000
}

@test "a rule that cannot be enforced is an error before anything runs" {
	bad "'none.invalid' cannot be resolved" \
		--net-allow none.invalid:80 -- tcp 127.0.0.1 1
	bad "only TCP ports of the host's loopback" \
		--net-allow 127.0.0.1 -- tcp 127.0.0.1 1
	bad "'h:0'" --net-allow h:0 -- tcp 127.0.0.1 1
	[ -z "$(ls -A "$ROOT" 2>/dev/null)" ]
}

@test "a sandbox with rules binds no port that network.bind does not list" {
	run_ok client --net-allow 198.51.100.1:7000 -- tcp 198.51.100.1 7000
	run in_world "$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--net-allow 198.51.100.1:7000 -- python3 -c '
import socket
socket.socket().bind(("127.0.0.1", 8080))'
	[ "$status" -ne 0 ]
	assert_output_has "Permission denied"
	run_ok in_world "$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--net-allow 198.51.100.1:7000 --net-bind 8080 -- python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 8080))
s.listen()
c = socket.create_connection(("127.0.0.1", 8080))
s.accept()[0].sendall(b"own")
print(c.recv(3).decode())'
	[ "$output" = own ]
}

@test "a megabyte arrives intact, both ways, after half a close" {
	run_ok in_world "$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--net-allow 198.51.100.1:7000 -- python3 -c '
import hashlib, os, socket, threading
data = os.urandom(1 << 20)
c = socket.create_connection(("198.51.100.1", 7000))
def send():
    c.sendall(data)
    c.shutdown(socket.SHUT_WR)
t = threading.Thread(target=send)
t.start()
got = b""
while part := c.recv(65536):
    got += part
t.join()
print(len(got), got == data)'
	[ "$output" = "1048576 True" ]
}

@test "more connections than descriptors: some fail, the sandbox goes on" {
	run_ok in_world sh -c 'ulimit -n 64 && exec "$@"' sh \
		"$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--net-allow 198.51.100.1:7000 -- python3 -c '
import socket, time
held, failed = [], 0
for _ in range(100):
    s = socket.socket()
    s.settimeout(5)
    try:
        s.connect(("198.51.100.1", 7000))
        s.sendall(b"x")
        assert s.recv(1) == b"x"
        held.append(s)
    except OSError:
        failed += 1
        s.close()
    if failed == 5:
        break
for s in held:
    s.close()
for _ in range(500):
    try:
        s = socket.create_connection(("198.51.100.1", 7000), 5)
        break
    except OSError:
        time.sleep(0.01)
s.sendall(b"y")
print(len(held) > 5, failed, s.recv(1).decode())'
	[ "$output" = "True 5 y" ]
}

@test "the relay ends with the sandbox" {
	run_ok client --net-allow 198.51.100.1:7000 -- tcp 198.51.100.1 7000
	run pgrep --ns "$(cat "$BATS_FILE_TMPDIR/world.pid")" --nslist net -x sandlock
	[ "$status" -eq 1 ]
}
