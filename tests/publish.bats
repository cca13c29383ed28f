#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/publish.bats - ports of a sandbox on the host's loopback.

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
	requires_landlock 4
	enter_work
	new_user
	BEGUN=()
	cp "$WORLD_PY" "$BATS_TEST_DIRNAME/publish.py" "$USER_HOME/"
	cp "$WORLD_PY" "$BATS_TEST_DIRNAME/publish.py" .
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

teardown() {
	local pid

	for pid in "${BEGUN[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
		wait "$pid" || true
	done
	sandlock_teardown
}

# choose WHO: SANDBOX is the command line of sandlock as root or as the user, on
# the host of the world, and HERE its directory.
choose() {
	local enter=(nsenter --target "$(cat "$BATS_FILE_TMPDIR/world.pid")" --net --mount)

	if [ "$1" = root ]; then
		HERE=$PWD
		SANDBOX=("${enter[@]}" "--wd=$HERE" env PATH=/usr/sbin:/usr/bin:/sbin:/bin
			"$SANDLOCK" --root "$ROOT")
	else
		HERE=$USER_HOME
		SANDBOX=("${enter[@]}" "--wd=$HERE" env -i PATH=/usr/bin:/bin HOME="$USER_HOME"
			SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" XDG_RUNTIME_DIR="$USER_HOME/run"
			setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups
			"$USER_HOME/sandlock")
	fi
}

# as_who WHO WORD...: sandlock with these words.
as_who() {
	choose "$1"
	"${SANDBOX[@]}" "${@:2}"
}

# begin WHO WORD...: run publish.py in a sandbox of its own, in the background;
# words before "--" are options of run.
begin() {
	local who=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	choose "$who"
	start "${SANDBOX[@]}" run -r @system -r . "${options[@]}" -- \
		python3 publish.py "$@"
}

# start WORD...: the words of SANDBOX do not fork, so it is sandlock itself.
start() {
	# What an earlier one said must not be taken for this.
	: >"$TMP/said"
	: >"$TMP/erred"
	"$@" >"$TMP/said" 2>"$TMP/erred" 3>&- &
	BEGUN+=($!)
}

# end: end the last one.
end() {
	kill -TERM "${BEGUN[-1]}"
	wait "${BEGUN[-1]}" || true
	unset 'BEGUN[-1]'
}

ask_port() {
	in_world python3 "$WORLD_PY" tcp "$@"
}

answers() {
	[ "$(ask_port "$@")" = hello ]
}

refuses() {
	[ "$(ask_port "$@")" = ECONNREFUSED ]
}

# refuses_not PORT: something accepts connections.
refuses_not() {
	in_world python3 -c 'import socket, sys
socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)' "$1" 2>/dev/null
}

@test "a port of network.bind is reachable on the host's loopback, and nowhere else" {
	local pair

	for pair in root/127.0.0.1 user/0.0.0.0 root/::1 user/::; do
		begin "${pair%/*}" --net-bind 8080 -- serve "${pair#*/}" 8080
		wait_until answers 127.0.0.1 8080
		answers ::1 8080
		refuses 198.51.100.1 8080
		refuses 2001:db8::1 8080
		end
		refuses 127.0.0.1 8080
	done
}

@test "a published port works beside rules" {
	local who

	for who in root user; do
		begin "$who" --net-bind 8080 --net-allow 198.51.100.1:7000 -- \
			serve 0.0.0.0 8080
		wait_until answers 127.0.0.1 8080
		end
	done
}

@test "the host refuses connections while nothing listens inside" {
	begin root --name quiet --net-bind 8080 -- wait 8080 "$PWD/go"
	wait_until grep -q waiting "$TMP/said"
	refuses 127.0.0.1 8080
	touch go
	wait_until answers 127.0.0.1 8080
	touch stop
	wait_until refuses 127.0.0.1 8080
	# The port stays taken.
	run -125 as_who root run -r @system --net-bind 8080 --cwd / -- true
	assert_output_has "publish port 8080: it is in use on the host's loopback"
}

@test "a port that is in use is an error before anything runs, or gets another number" {
	local port

	for who in root user; do
		run -125 as_who "$who" run -r @system -w . --net-bind 5432 -- touch ran
		assert_output_has "network.bind: publish port 5432: it is in use"
		[ ! -e ran ] && [ ! -e "$USER_HOME/ran" ]
		begin "$who" --name other --net-bind 5432 --network-port-remap -- \
			serve 0.0.0.0 5432
		wait_until grep -q 'port 5432 is port' "$TMP/erred"
		port=$(sed -n 's/.*port 5432 is port \([0-9]*\) .*/\1/p' "$TMP/erred")
		[ "$port" != 5432 ]
		wait_until answers 127.0.0.1 "$port"
		answers ::1 "$port"
		run_ok as_who "$who" ports other
		[[ ${lines[1]} = "tcp"*"5432"*"$port" ]]
		run_ok as_who "$who" ports --json other
		jq -e ".[0].port == 5432 and .[0].host_port == $port and .[0].protocol == \"tcp\"" \
			<<<"$output"
		run_ok as_who "$who" inspect other
		jq -e ".ports[0].host_port == $port" <<<"$output"
		run_ok as_who "$who" ps --json
		jq -e ".[0].ports[0].host_port == $port" <<<"$output"
		run_ok as_who "$who" ps
		[[ ${lines[1]} = *"5432->$port"* ]]
		end
	done
}

@test "--json of run shows published ports" {
	run_ok as_who root run --json -r @system --net-bind 8080 --net-bind 8081 \
		--cwd / -- true
	jq -e '[.ports[] | .port] == [8080, 8081]' <<<"${lines[-1]}"
	run_ok as_who root run --json -r @system --cwd / -- true
	jq -e 'has("ports") | not' <<<"${lines[-1]}"
}

@test "the control socket shows published ports" {
	begin root --name shown --net-bind 8080 -- serve 127.0.0.1 8080
	wait_until answers 127.0.0.1 8080
	run_ok python3 - "$ROOT"/*/control <<-'EOF'
		import json, socket, struct, sys
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		def ask(message):
		    text = json.dumps(message).encode()
		    s.sendall(struct.pack(">I", len(text)) + text)
		    size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
		    return json.loads(s.recv(size, socket.MSG_WAITALL))
		ask({"version": 1})
		print(ask({"id": 1, "verb": "ports"})["ok"])
	EOF
	[ "$output" = "{'ports': [{'port': 8080, 'host_port': 8080, 'protocol': 'tcp'}]}" ]
}

@test "publishing a port below 1024 as a user is an error that says what to do" {
	run -125 as_who user run -r @system --net-bind 80 --cwd / -- true
	assert_output_has "publish port 80: ports below 1024 require a privilege on the host: use a higher port, network.port_remap = true, or network.publish = false"
	run_ok as_who user run -r @system --net-bind 80 --network-publish=false --cwd / -- true
	begin user --net-bind 80 --network-port-remap -- serve 0.0.0.0 80
	wait_until grep -q 'port 80 is port' "$TMP/erred"
	wait_until answers 127.0.0.1 "$(sed -n 's/.*is port \([0-9]*\) .*/\1/p' "$TMP/erred")"
	begin root --net-bind 80 -- serve 0.0.0.0 80
	wait_until answers 127.0.0.1 80
}

@test "only single ports are published, and none without network.publish" {
	begin root --name none --net-bind 8080 --network-publish=false -- \
		serve 127.0.0.1 8080
	wait_until grep -q serving "$TMP/said"
	refuses 127.0.0.1 8080
	run_ok as_who root run --json -r @system --net-bind 8080-8081 --net-bind 8083 \
		--net-bind 8084 --network-deny-bind 8083 --cwd / -- true
	jq -e '[.ports[] | .port] == [8084]' <<<"${lines[-1]}"
	run_ok as_who root run --json -r @system --net-bind '*' --cwd / -- true
	jq -e 'has("ports") | not' <<<"${lines[-1]}"
	# Where it has the host's network, there is nothing to publish.
	run_ok as_who root run --json -r @system --network-mode open --net-bind 8080 \
		--net-bind 0 --config-allow-degraded net_tcp --cwd / -- true
	jq -e 'has("ports") | not' <<<"${lines[-1]}"
	run -125 as_who root run -r @system --network-mode open --net-bind 8080 \
		--network-port-remap --cwd / -- true
	assert_output_has "network.port_remap requires a network namespace"
}

@test "bytes of a published port arrive intact, after half a close, many at once" {
	begin root --net-bind 8080 -- serve 0.0.0.0 8080
	wait_until answers 127.0.0.1 8080
	run_ok in_world python3 "$BATS_TEST_DIRNAME/publish.py" load 8080 20 1048576
	[ "$output" = "20 intact" ]
}

@test "more clients than descriptors: some are reset, the sandbox goes on" {
	choose root
	start prlimit --nofile=96:96 "${SANDBOX[@]}" run -r @system -r . --net-bind 8080 \
		-- python3 publish.py serve 0.0.0.0 8080
	wait_until answers 127.0.0.1 8080
	run_ok in_world python3 "$BATS_TEST_DIRNAME/publish.py" crowd 8080 200
	[[ $output =~ ^[1-9][0-9]*\ served,\ [1-9][0-9]*\ reset$ ]]
	wait_until answers 127.0.0.1 8080
}

@test "network.publish is for sandboxes, and a floor can forbid it" {
	new_bundle
	annotate_policy network.publish=true
	run_bad "network.publish: cannot be set for a bundle" run_bundle
	annotate_policy network.port_remap=true
	run_bad "network.port_remap: cannot be set for a bundle" run_bundle
	printf '[network]\npublish = false\nbind = [8080]\n[filesystem]\nread = ["/"]\n' \
		>floor.toml
	chmod 644 floor.toml
	run_ok as_who root run --json --enforce "$PWD/floor.toml" -r @system \
		--net-bind 8080 --cwd / -- true
	jq -e 'has("ports") | not' <<<"${lines[-1]}"
	run -125 as_who root run --enforce "$PWD/floor.toml" -r @system \
		--network-publish --cwd / -- true
	assert_output_has "network.publish"
}

@test "the example of docs/network.md works" {
	choose root
	grep -q -- '--net-bind 8080 -- python3 -m http.server 8080' "$BATS_TEST_DIRNAME/../docs/network.md"
	start "${SANDBOX[@]}" run -r @system -r . --net-bind 8080 -- \
		python3 -m http.server 8080
	wait_until refuses_not 8080
	run_ok in_world python3 -c '
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8080/").status)'
	[ "$output" = 200 ]
}

@test "nothing is left when a sandbox with published ports has ended" {
	begin root --net-bind 8080 -- serve 127.0.0.1 8080
	wait_until answers 127.0.0.1 8080
	end
	[ -z "$(ls -A "$ROOT")" ]
	run pgrep --ns "$(cat "$BATS_FILE_TMPDIR/world.pid")" --nslist net -x sandlock
	[ "$status" -eq 1 ]
}
