#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-dns.bats - names that are resolved inside of a sandbox: rules
# with "*.", and rules for any host.

bats_require_minimum_version 1.5.0
load helpers
load world

DNS_PY=$BATS_TEST_DIRNAME/dns.py

# A world in which a server at 198.51.100.53 answers DNS.
setup_file() {
	make_world
	# The resolver gives up after ten seconds by default, as the program does;
	# here it waits longer, so that the program is always the first.
	printf '%s\n' "nameserver 198.51.100.53" "options timeout:4 attempts:5" \
		>"$BATS_FILE_TMPDIR/resolv.conf"
	# shellcheck disable=SC2016 # for the inner shell
	in_world sh -ec '
		mount --bind "$1" "$(realpath /etc/resolv.conf)"
		ip address add 198.51.100.53/32 dev lo
		ip route add local 198.51.100.10 dev lo
		ip -6 route add local 2001:db8::9 dev lo' sh "$BATS_FILE_TMPDIR/resolv.conf"
	in_world python3 "$DNS_PY" serve "$BATS_FILE_TMPDIR/dns.pid" \
		"$BATS_FILE_TMPDIR/asked" >"$BATS_FILE_TMPDIR/dns.out" 2>&1 3>&- &
	disown
	wait_until test -e "$BATS_FILE_TMPDIR/dns.pid"
}

teardown_file() {
	[ ! -s "$BATS_FILE_TMPDIR/dns.pid" ] ||
		kill -9 "$(cat "$BATS_FILE_TMPDIR/dns.pid")" || true
	end_world
}

setup() {
	sandlock_setup
	enter_work
	cp "$WORLD_PY" "$DNS_PY" .
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

teardown() {
	sandlock_teardown
}

# with_names WORD...: run a command in a sandbox, with options up to "--".
with_names() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	in_world "$SANDLOCK" --root "$ROOT" run -r @system -r . "${options[@]}" -- "$@"
}

# user_with_names WORD...: the same, by a user without any privilege.
user_with_names() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	cp ./*.py "$USER_HOME/"
	cd "$USER_HOME" || return
	in_world env -i PATH=/usr/bin:/bin HOME="$USER_HOME" SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" \
		XDG_RUNTIME_DIR="$USER_HOME/run" setpriv --reuid "$USER_ID" \
		--regid "$USER_ID" --clear-groups \
		"$USER_HOME/sandlock" run -r @system -r . "${options[@]}" -- "$@"
}

# both_print OUTPUT WORD...: as root and as a user, the command prints this.
both_print() {
	local wanted=$1

	shift
	[ -n "$USER_HOME" ] || new_user
	run with_names "$@"
	[ "$output" = "$wanted" ] || {
		echo "root: $output"
		return 1
	}
	run user_with_names "$@"
	[ "$output" = "$wanted" ] || {
		echo "user: $output"
		return 1
	}
}

# tcp OUTPUT HOST PORT OPTION...: the client prints this, as root and as a user.
tcp() {
	local wanted=$1 host=$2 port=$3

	shift 3
	both_print "$wanted" "$@" -- python3 world.py tcp "$host" "$port"
}

# asks OUTPUT WORD... -- OPTION...: a query by hand gets this answer.
asks() {
	local wanted=$1 words=()

	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	run with_names "$@" -- python3 dns.py ask "${words[@]}"
	[ "$output" = "$wanted" ] || {
		echo "${words[*]}: $output"
		return 1
	}
}

BELOW=(--net-allow '*.below.test:7000')

@test "a rule with *. reaches names below it, on its ports, and nothing else" {
	tcp hello ok.below.test 7000 "${BELOW[@]}"
	tcp hello deeper.down.below.test 7000 "${BELOW[@]}"
	tcp hello OK.Below.Test 7000 "${BELOW[@]}"
	tcp hello v6.below.test 7000 "${BELOW[@]}"
	tcp hello both.below.test 7000 "${BELOW[@]}"
	tcp EACCES ok.below.test 7001 "${BELOW[@]}"
	tcp "no such name" below.test 7000 "${BELOW[@]}"
	tcp "no such name" elsewhere.other.test 7000 "${BELOW[@]}"
	tcp "no such name" none.below.test 7000 "${BELOW[@]}"
	# An address counts only after its name has been asked for.
	tcp EACCES 198.51.100.9 7000 "${BELOW[@]}"
	# Nobody outside was asked for a name that no rule has.
	run ! grep -E 'other\.test|^below\.test' "$BATS_FILE_TMPDIR/asked"
}

@test "names that no rule has do not exist, and only addresses are told" {
	asks "ok 198.51.100.9" ok.below.test A -- "${BELOW[@]}"
	asks "ok" ok.below.test AAAA -- "${BELOW[@]}"
	asks "no-name" below.test A -- "${BELOW[@]}"
	asks "no-name" elsewhere.other.test A -- "${BELOW[@]}"
	asks "no-name" elsewhere.other.test HTTPS -- "${BELOW[@]}"
	asks "no-name" none.below.test A -- "${BELOW[@]}"
	asks "refused" 9.100.51.198.in-addr.arpa PTR -- "${BELOW[@]}"
	asks "refused" ok.below.test A class=3 -- "${BELOW[@]}"
	asks "failed" broken.below.test A -- "${BELOW[@]}"
	run ! grep -E 'PTR' "$BATS_FILE_TMPDIR/asked"
}

@test "records that may lead elsewhere are not told: HTTPS, SVCB, MX, TXT" {
	local type

	for type in HTTPS SVCB MX TXT SRV NS 255; do
		asks "ok" both.below.test "$type" -- "${BELOW[@]}"
	done
	run ! grep -E 'HTTPS|SVCB|MX|TXT|SRV|NS' "$BATS_FILE_TMPDIR/asked"
}

@test "a name never leads to loopback, link-local, private addresses or the host" {
	local name

	for name in loop meta inner own mapped; do
		asks "ok" "$name.below.test" A -- "${BELOW[@]}"
		asks "ok" "$name.below.test" AAAA -- "${BELOW[@]}"
		asks "ok" "$name.below.test" A -- --net-allow :7000
	done
	asks "ok 198.51.100.9" mixed.below.test A -- "${BELOW[@]}"
	tcp hello mixed.below.test 7000 "${BELOW[@]}"
	# A rule that names the address allows it; a larger range does not.
	asks "ok 10.1.2.3" inner.below.test A -- "${BELOW[@]}" --net-allow 10.1.2.3:1
	asks "ok" inner.below.test A -- "${BELOW[@]}" --net-allow 0.0.0.0/0:1
	asks "ok 198.51.100.1" own.below.test A -- "${BELOW[@]}" --net-allow 198.51.100.1:1
}

@test "a name that leads to the host's loopback later is refused" {
	run_ok with_names --net-allow '*.below.test' -- python3 -c '
import socket, subprocess, sys
def ask():
    return subprocess.check_output([sys.executable, "dns.py", "ask", "flip.below.test",
                                    "A"], text=True).strip()
first = ask()
print(first)
# The pin answers until it ends.
print(ask() == first)'
	[ "$output" = "$(printf 'ok 198.51.100.9\nTrue')" ]
	# Another sandbox asks again.
	asks "ok" flip.below.test A -- "${BELOW[@]}"
	asks "ok" flip.below.test AAAA -- "${BELOW[@]}"
}

@test "network.deny of a name is stronger than a rule with *." {
	tcp hello bad.below.test 7000 "${BELOW[@]}"
	tcp "no such name" bad.below.test 7000 "${BELOW[@]}" --net-deny bad.below.test
	tcp EACCES bad.below.test 7000 "${BELOW[@]}" --net-deny bad.below.test:6000-7000 \
		--net-allow '*.below.test:80'
	asks "no-name" bad.below.test A -- "${BELOW[@]}" --net-deny '*.below.test'
	tcp hello ok.below.test 7000 "${BELOW[@]}" --net-deny bad.below.test
	tcp EACCES ok.below.test 7000 "${BELOW[@]}" --net-deny 198.51.100.0/24
	asks "ok 198.51.100.9" ok.below.test A -- --net-deny bad.below.test
	asks "no-name" bad.below.test A -- --net-deny bad.below.test
}

@test "with a rule for any host, names resolve unless a rule allows DNS servers" {
	tcp hello ok.below.test 7000 --net-allow :7000
	tcp hello other.test 7000 --net-allow '*:7000'
	tcp EACCES ok.below.test 7001 --net-allow :7000
	tcp hello ok.below.test 7000 --net-deny 198.51.100.10
	run_ok with_names --net-allow :7000 --net-allow udp://198.51.100.53:53 -- \
		cat /etc/resolv.conf
	[ "$output" = "$(cat "$BATS_FILE_TMPDIR/resolv.conf")" ]
	tcp hello ok.below.test 7000 --net-allow :7000 --net-allow udp://198.51.100.53:53
}

@test "names of rules and of /etc/hosts work beside a rule with *." {
	tcp hello good.test 7000 "${BELOW[@]}" --net-allow good.test:7000
	asks "ok 198.51.100.9" good.test A -- "${BELOW[@]}" --net-allow good.test:7000
	# Nobody asks DNS for a name of /etc/hosts, which the rule covers, too.
	tcp hello good.test 7000 --net-allow '*.test:7000'
	tcp EACCES good.test 7001 --net-allow '*.test:7000'
	tcp EACCES inner.test 7000 --net-allow '*.test:7000'
}

@test "DNS inside answers over TCP, many queries in one connection" {
	asks "ok 198.51.100.9" ok.below.test A tcp -- "${BELOW[@]}"
	asks "ok 198.51.100.9 edns" ok.below.test A edns -- "${BELOW[@]}"
	run_ok with_names "${BELOW[@]}" -- python3 dns.py pipelined ok.below.test \
		none.below.test other.test both.below.test loop.below.test
	[ "$output" = "$(printf '%s\n' 'both.below.test ok 198.51.100.9' \
		'loop.below.test ok' 'none.below.test no-name' \
		'ok.below.test ok 198.51.100.9' 'other.test no-name')" ]
}

@test "an answer that is too large for a datagram is truncated, and whole over TCP" {
	asks "ok truncated" many.below.test A -- "${BELOW[@]}"
	run_ok with_names "${BELOW[@]}" -- python3 dns.py ask many.below.test A edns
	[ "$(wc -w <<<"$output")" -eq 62 ]
	run_ok with_names "${BELOW[@]}" -- python3 dns.py ask many.below.test A tcp
	[ "$(wc -w <<<"$output")" -eq 61 ]
	run_ok with_names "${BELOW[@]}" -- getent ahostsv4 many.below.test
	[ "$(grep -c STREAM <<<"$output")" -eq 60 ]
}

@test "malformed queries get no answer, and good ones do after them" {
	both_print "$(printf 'ok 198.51.100.9\nok 198.51.100.9')" "${BELOW[@]}" -- \
		python3 dns.py garbage
}

@test "more queries than can be resolved at a time all get an answer" {
	run_ok with_names "${BELOW[@]}" -- python3 dns.py flood flood.below.test 200
	[ "$output" = "200 answers" ]
}

@test "answers have the TTL of the name, within bounds" {
	# A second may pass between the lookup and the answer.
	run_ok with_names "${BELOW[@]}" -- python3 dns.py ask forever.below.test A ttl
	[[ $output = "ok 198.51.100.9 ttl="@(3600|3599) ]]
	run_ok with_names "${BELOW[@]}" -- python3 dns.py ask brief.below.test A ttl
	[[ $output = "ok 198.51.100.9 ttl="@(30|29) ]]
}

@test "a name ends with its TTL, and connections stay" {
	run_ok with_names "${BELOW[@]}" -- python3 -c '
import socket, time
def until_denied(address):
    deadline = time.monotonic() + 80
    while time.monotonic() < deadline:
        try:
            socket.create_connection((address, 7000), 10).close()
        except OSError as error:
            return type(error).__name__
        time.sleep(0.5)
    return "never"
name = socket.gethostbyname("brief.below.test")
other = socket.gethostbyname("brief2.below.test")
old = socket.create_connection((name, 7000), 10)
print(until_denied(other))
print(until_denied(name) != "never")
old.settimeout(10)
old.sendall(b"still")
print(old.recv(5).decode())
again = socket.gethostbyname("brief.below.test")
socket.create_connection((again, 7000), 10).close()
print("again")'
	[ "$output" = "$(printf 'PermissionError\nTrue\nstill\nagain')" ]
}

@test "a resolver that does not answer is a failure, inside and at the start" {
	both_print failed "${BELOW[@]}" -- python3 dns.py ask broken.below.test A
	# A lookup that hangs does not keep the others waiting.
	run_ok with_names "${BELOW[@]}" -- python3 dns.py pipelined ok.below.test \
		hang1.below.test hang2.below.test
	[ "$output" = "$(printf '%s\n' 'hang1.below.test failed' \
		'hang2.below.test failed' 'ok.below.test ok 198.51.100.9')" ]
	run -125 with_names --net-allow hang.test:80 -- true
	assert_output_has "'hang.test' was not resolved within 10 s"
	run -125 with_names --net-allow none.test:80 -- true
	assert_output_has "'none.test' cannot be resolved"
}

@test "without /etc/resolv.conf inside, a rule with *. is an error" {
	run -125 with_names "${BELOW[@]}" --deny-read /etc/resolv.conf -- true
	assert_output_has "require /etc/resolv.conf of the sandbox"
}

# static_client: compile a program that resolves names with musl.
static_client() {
	cat >"$TMP/names.c" <<-'END'
		#include <arpa/inet.h>
		#include <netdb.h>
		#include <stdio.h>

		int main(int argc, char **argv)
		{
			struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
			struct addrinfo *found;
			char text[100];

			if (argc != 2 || getaddrinfo(argv[1], "80", &hints, &found) != 0)
				return puts("no such name") < 0;
			getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text,
				    NULL, 0, NI_NUMERICHOST);
			return puts(text) < 0;
		}
	END
	musl-gcc -static -o names "$TMP/names.c"
}

@test "getent, curl, and what node and musl resolve with, find the same names" {
	both_print "198.51.100.9    ok.below.test" "${BELOW[@]}" -- getent hosts ok.below.test
	if command -v curl; then
		run with_names "${BELOW[@]}" -- curl -sS --max-time 20 -o /dev/null -w '%{remote_ip}' \
			http://ok.below.test:7000/
		assert_output_has 198.51.100.9
	fi
	if [ -x /usr/bin/node ]; then
		run_ok with_names "${BELOW[@]}" -- /usr/bin/node -e '
			const dns = require("dns");
			dns.resolve4("ok.below.test", (error, found) => {
				console.log(error ? error.code : found.join(" "));
				dns.resolve4("other.test", (error, found) =>
					console.log(error ? error.code : found.join(" ")));
			});'
		[ "$output" = "$(printf '198.51.100.9\nENOTFOUND')" ]
	fi
	if command -v musl-gcc; then
		static_client
		run_ok with_names "${BELOW[@]}" -- ./names ok.below.test
		[ "$output" = 198.51.100.9 ]
		run_ok with_names "${BELOW[@]}" -- ./names other.test
		[ "$output" = "no such name" ]
	fi
}

@test "on a host without IPv6, clients use IPv4" {
	in_world ip -6 address del 2001:db8::1/128 dev lo
	tcp hello both.below.test 7000 "${BELOW[@]}"
	run with_names "${BELOW[@]}" -- python3 -c '
import asyncio
async def main():
    reader, writer = await asyncio.open_connection("both.below.test", 7000,
                                                   happy_eyeballs_delay=0.25)
    writer.write(b"hello")
    print((await reader.read(5)).decode())
    writer.close()
asyncio.run(main())'
	in_world ip -6 address add 2001:db8::1/128 dev lo nodad
	[ "$output" = hello ]
}
