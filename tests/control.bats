#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/control.bats - the control socket: who may ask, what is answered.
#
# docs/control.md describes the protocol; the unit tests of control/ have more.

# shellcheck disable=SC2030,SC2031 # each test has its own SERVING
load helpers
load limits

HELLO='{"version":1}'

setup() {
	sandlock_setup
	requires python3
}

# serve_sandbox NAME [FLAG...]: a sandbox that sleeps, with a control socket.
serve_sandbox() {
	local name=$1

	shift
	# Not the function: its shell would have the pid.
	"$SANDLOCK" --root "$ROOT" run --name "$name" -r @system "$@" -- \
		sleep 1000 </dev/null >"$TMP/run.out" 2>&1 3>&- &
	SERVING=$!
	wait_until test -S "$ROOT/$name/control"
	wait_until has_started "$name"
}

# serving_ended_with STATUS: its sandlock.
serving_ended_with() {
	local r=0

	wait "$SERVING" || r=$?
	[ "$r" -eq "$1" ]
}

has_started() {
	sandlock ps --json | jq -e --arg name "$1" \
		'any(.[]; .name == $name and .status == "running")' >/dev/null
}

# ask NAME STEP...: what the client of control.py prints.
ask() {
	local name=$1

	shift
	python3 "$BATS_TEST_DIRNAME/control.py" "$ROOT/$name/control" "$@" 3>&-
}

@test "a sandbox with a name has a control socket for its owner, and others have none" {
	serve_sandbox web1
	[ "$(stat -c %a:%F "$ROOT/web1/control")" = 600:socket ]
	[ "$(stat -c %a "$ROOT/web1")" = 700 ]
	"$SANDLOCK" --root "$ROOT" run -r @system -- sleep 1000 \
		</dev/null >/dev/null 2>&1 3>&- &
	other=$!
	wait_until test -e "$ROOT/sandbox-$other/state.json"
	wait_until has_started "sandbox-$other"
	[ ! -e "$ROOT/sandbox-$other/control" ]
	kill "$other"
	sandlock kill web1 KILL
	serving_ended_with 137
	[ ! -e "$ROOT/web1" ]
}

@test "the control socket answers stats, ports and update" {
	serve_sandbox web1
	run_ok ask web1 "$HELLO" '{"id":1,"verb":"stats"}' \
		'{"id":2,"verb":"ports"}' '{"id":3,"verb":"update"}'
	[ "${lines[0]}" = '{"version":1}' ]
	jq -e --argjson pid "$SERVING" '.id == 1 and .ok.id == "web1" and
		.ok.pid == $pid and .ok.init > 0 and .ok.clients == 1' \
		<<<"${lines[1]}"
	[ "${lines[2]}" = '{"id":2,"ok":{"ports":[]}}' ]
	[ "${lines[3]}" = '{"id":3,"ok":{"applied":[]}}' ]
	run_ok sandlock ports web1
	[[ $output = PROTOCOL*PORT*HOST-PORT ]]
	run_ok sandlock ports --json web1
	[ "$output" = "[]" ]
	sandlock kill web1 KILL
}

@test "the control socket has one error for each kind of nonsense" {
	serve_sandbox web1
	run_ok ask web1 '{"version":2}' wait
	[[ ${lines[0]} = *'"code":"version"'*"use version 1"* ]]
	[ "${lines[1]}" = closed ]
	run_ok ask web1 "$HELLO" 'hex:000100017b7d' wait
	[[ ${lines[1]} = *'"code":"frame"'*"more than the maximum of 65536"* ]]
	[ "${lines[2]}" = closed ]
	run_ok ask web1 "$HELLO" 'stats' wait
	[[ ${lines[1]} = *'"code":"json"'* ]]
	[ "${lines[2]}" = closed ]
	run_ok ask web1 "$HELLO" '{"id":1,"verb":"nonsense"}' \
		'{"id":2,"verb":"stats","name":"web1"}' \
		'fd:{"id":3,"verb":"stats"}' '{"id":4,"verb":"ports"}'
	[[ ${lines[1]} = *'"code":"verb"'*"use stats, ports, events, update or listener"* ]]
	[[ ${lines[2]} = *'"code":"request"'*"name: is not a member"* ]]
	[[ ${lines[3]} = *'"code":"request"'*"takes 0 descriptors, not 1"* ]]
	[ "${lines[4]}" = '{"id":4,"ok":{"ports":[]}}' ]
	sandlock kill web1 KILL
}

@test "a user who is neither root nor the owner gets nothing from a control socket" {
	requires root
	new_user
	serve_sandbox web1
	# As if an administrator had opened the directory.
	chmod 711 "$ROOT/web1"
	chmod 666 "$ROOT/web1/control"
	client=$(cat "$BATS_TEST_DIRNAME/control.py")
	run_ok as_user env PATH=/usr/bin:/bin python3 -c "$client" \
		/proc/self/fd/9/control "$HELLO" '{"id":1,"verb":"stats"}' \
		9<"$ROOT/web1"
	[ "$output" = closed ]
	run_ok ask web1 "$HELLO"
	sandlock kill web1 KILL
}

@test "events of a sandbox end when it ends, whatever other clients do" {
	serve_sandbox web1
	sandlock events web1 >"$TMP/events" 2>&1 &
	reader=$!
	wait_until clients_are 2
	# One that never says anything, and one in the middle of a frame.
	python3 -c '
import os, socket, sys, time
where = os.open(sys.argv[1], os.O_PATH)
silent, half = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
for sock in silent, half:
    sock.connect("/proc/self/fd/%d/control" % where)
half.sendall(b"\0\0")
print("there", flush=True)
time.sleep(100)' "$ROOT/web1" >"$TMP/silent" 3>&- &
	silent=$!
	wait_until grep -q there "$TMP/silent"
	run_ok ask web1 "$HELLO" '{"id":1,"verb":"stats"}'
	sandlock kill web1 KILL
	serving_ended_with 137
	wait "$reader"
	[ ! -s "$TMP/events" ]
	kill "$silent"
}

@test "events of a sandbox are what it is denied, in the format of --json" {
	mkdir "$TMP/data"
	echo public >"$TMP/data/file"
	mkfifo "$TMP/data/go"
	# shellcheck disable=SC2016 # for the inner shell
	"$SANDLOCK" --root "$ROOT" run --name web1 --why --json -r @system \
		-r "$TMP/data" -- sh -c 'read -r x <"$0/go"; echo >"$0/file"
			cat "$0/file"' "$TMP/data" \
		</dev/null >"$TMP/run.out" 2>"$TMP/run.err" 3>&- &
	SERVING=$!
	wait_until test -S "$ROOT/web1/control"
	sandlock events web1 >"$TMP/events" 2>&1 &
	reader=$!
	wait_until clients_are 2
	echo go >"$TMP/data/go"
	serving_ended_with 0
	wait "$reader"
	tail -1 "$TMP/run.err" | jq -c '.denied[]' >"$TMP/denied"
	[ -s "$TMP/denied" ]
	jq -e '.id == "web1" and .type == "denied" and .what == "write"' \
		"$TMP/events"
	jq -c 'del(.id)' "$TMP/events" | diff - "$TMP/denied"
}

# clients_are N: with this one.
clients_are() {
	ask web1 "$HELLO" '{"id":1,"verb":"stats"}' |
		jq -e --argjson n "$1" 'select(.id) | .ok.clients == $n' >/dev/null
}

@test "events of a sandbox without a control socket say how to get one" {
	"$SANDLOCK" --root "$ROOT" run -r @system -- sleep 1000 \
		</dev/null >/dev/null 2>&1 3>&- &
	pid=$!
	wait_until has_started "sandbox-$pid"
	sandlock_bad "the sandbox 'sandbox-$pid' has no control socket: start it with --name" \
		events "sandbox-$pid"
	# Its ports are in its state.
	run_ok sandlock ports "sandbox-$pid"
	sandlock_bad "there is no sandbox named 'none'" events none
	kill "$pid"
}

@test "a killed sandlock leaves a control socket that the next ps removes" {
	serve_sandbox web1
	kill -KILL "$SERVING"
	serving_ended_with 137
	wait_until is_cleared
}

is_cleared() {
	sandlock ps >/dev/null
	[ ! -e "$ROOT/web1" ]
}

@test "update reaches the sandlock of a sandbox" {
	requires root
	requires_controller memory
	serve_sandbox web1 -m 64M
	run_ok sandlock update -m 128M web1
	# A killed update happens wholly, once the next one runs.
	kill -STOP "$SERVING"
	timeout 3 "$SANDLOCK" --root "$ROOT" update -m 256M web1 3>&- || true
	kill -CONT "$SERVING"
	run_ok sandlock inspect --toml web1
	[[ $output = *"memory = 134217728"* ]]
	run_ok sandlock update --limits-tasks 100 web1
	run_ok sandlock inspect --toml web1
	[[ $output = *"memory = 268435456"*"tasks = 100"* ]]
	sandlock kill web1 KILL
}

# ---- containers ----

# supervise_box: a container with a supervisor.
supervise_box() {
	requires root
	new_bundle box
	args sleep 1000
	annotate_policy config.supervisor=true limits.memory=64M
	start_container box
}

@test "a container with a supervisor has a control socket until it ends" {
	supervise_box
	[ "$(stat -c %a:%F "$ROOT/box/control")" = 600:socket ]
	run_ok ask box "$HELLO" '{"id":1,"verb":"stats"}' \
		'{"id":2,"verb":"ports"}'
	jq -e --argjson init "$(jq .pid "$ROOT/box/state.json")" \
		--argjson pid "$(jq .supervisor "$ROOT/box/state.json")" \
		'.ok | .id == "box" and .init == $init and .pid == $pid' \
		<<<"${lines[1]}"
	[ "${lines[2]}" = '{"id":2,"ok":{"ports":[]}}' ]
	oci kill box KILL
	wait_until test ! -e "$ROOT/box/control"
}

@test "ports lists the ports of a container, with and without a supervisor" {
	supervise_box
	run_ok oci ports box
	[[ $output = PROTOCOL*PORT*HOST-PORT ]]
	run_ok oci ports --json box
	[ "$output" = "[]" ]
	start_sleeping plain
	run_ok oci ports --json plain
	[ "$output" = "[]" ]
	oci kill box KILL
	wait_until has_status box stopped
	run_bad "container not running" oci ports box
	run_bad "does not exist" oci ports other
}

@test "clients that say nothing, too much or nonsense do not harm a supervisor" {
	local i pids=()

	supervise_box
	for ((i = 0; i < 20; i++)); do
		head -c 200000 /dev/urandom |
			timeout 5 python3 "$BATS_TEST_DIRNAME/control.py" \
				"$ROOT/box/control" "hex:$(head -c 64 /dev/urandom |
					od -An -tx1 | tr -d ' \n')" \
				>/dev/null 2>&1 3>&- &
		pids+=("$!")
	done
	wait "${pids[@]}" || true
	wait_until ask box "$HELLO" '{"id":1,"verb":"stats"}'
	assert_status box running
	run_ok oci exec box true
}

@test "update --policy reaches the supervisor of a container" {
	supervise_box
	requires_controller memory
	printf '[limits]\nmemory = "128M"\n' >"$TMP/more.toml"
	run_ok oci update --policy "$TMP/more.toml" box
	limit_is memory.limit_in_bytes 134217728 memory.max 134217728
	printf '[config]\nsupervisor = false\n' >"$TMP/other.toml"
	run_bad "config.supervisor cannot change while the container runs" \
		oci update --policy "$TMP/other.toml" box
}
