#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-state.bats - sandboxes that run: ps, inspect, kill.

load helpers

# start_sandbox NAME [FLAG...]: a sandbox that sleeps until it is killed.
start_sandbox() {
	local name=$1

	shift
	sandlock run --name "$name" -r @system "$@" -- sleep 1000 \
		</dev/null >"$TMP/run.out" 2>&1 &
	RUNNING=$!
	wait_until runs "$name"
}

runs() {
	sandlock ps --json | jq -e --arg name "$1" \
		'any(.[]; .name == $name and .status == "running")' >/dev/null
}

is_listed() {
	sandlock ps --json | jq -e --arg name "$1" 'any(.[]; .name == $name)' \
		>/dev/null
}

is_not_listed() {
	! is_listed "$1"
}

# run_ended_with STATUS: the one that was started has ended so.
run_ended_with() {
	local r=0

	wait "$RUNNING" || r=$?
	[ "$r" -eq "$1" ] || {
		echo "status $r, not $1"
		cat "$TMP/run.out"
		return 1
	}
}

@test "ps lists nothing where nothing runs" {
	run_ok sandlock ps
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = NAME*PID*AGE*PORTS*COMMAND ]]
	run_ok sandlock ps --json
	assert_lines "[]"
}

@test "ps lists a sandbox by its name, with its command" {
	start_sandbox "web one"
	run_ok sandlock ps
	[ "${#lines[@]}" -eq 2 ]
	[[ ${lines[1]} =~ ^"web one  "\ +[0-9]+\ +[0-9]+[smh]\ +-\ +"sleep 1000"$ ]]
	sandlock ps --json >"$TMP/ps"
	jq -e '.[0] | .name == "web one" and .status == "running" and
		.command == ["sleep", "1000"] and .age < 100' "$TMP/ps"
	pid=$(jq '.[0].pid' "$TMP/ps")
	[ "$(cut -d' ' -f1 "/proc/$pid/comm")" ]
	run_ok sandlock kill "web one" KILL
	run_ended_with 137
	is_not_listed "web one"
}

@test "ps escapes control characters in names and commands" {
	start_sandbox $'a\e[31mb'
	run_ok sandlock ps
	[[ $output != *$'\e'* ]]
	assert_output_has 'a\x1b[31mb'
	run_ok sandlock kill $'a\e[31mb' KILL
	run_ended_with 137
}

@test "sandlock kill sends TERM, or the named signal" {
	start_sandbox one
	run_ok sandlock kill one
	run_ended_with 143
	start_sandbox one
	run_ok sandlock kill one INT
	run_ended_with 130
	sandlock_bad "there is no sandbox named 'one', see sandlock ps" kill one
	sandlock_bad "there is no sandbox named ''" kill ''
	sandlock_bad 'unknown signal "NONE"' kill one NONE
}

@test "inspect prints the record of a sandbox, with its final policy" {
	start_sandbox two --limits-open-files 77
	run_ok sandlock inspect two
	jq -e '.name == "two" and .status == "running" and .pid > 0 and
		.command == ["sleep", "1000"] and
		.policy.limits.open_files == 77 and
		.policy.filesystem.read == ["@system"]' <<<"$output"
	run_ok sandlock inspect two --toml
	assert_output_has "open_files = 77"
	echo "$output" >"$TMP/two.toml"
	run_ok sandlock profile validate "$TMP/two.toml"
	sandlock_bad "there is no sandbox named 'three'" inspect three
	run_ok sandlock kill two KILL
	run_ended_with 137
}

@test "ps warns of a state that cannot be read, and lists the others" {
	start_sandbox one
	mkdir "$ROOT/broken"
	run_ok sandlock ps
	assert_output_has "warning: broken: open the container's state.json"
	assert_output_has "one "
	sandlock_bad "broken" inspect broken
	run_ok sandlock kill one KILL
	run_ended_with 137
	rmdir "$ROOT/broken"
}

@test "a user's ps and kill act on their own sandboxes" {
	requires root userns
	new_user
	as_user ./sandlock run --name mine -r @system -- sleep 1000 \
		</dev/null >"$TMP/run.out" 2>&1 &
	RUNNING=$!
	wait_until listed_by_user
	run_ok as_user ./sandlock inspect mine
	jq -e ".owner == $USER_ID" <<<"$output"
	is_not_listed mine
	run_ok as_user ./sandlock kill mine KILL
	run_ended_with 137
}

listed_by_user() {
	as_user ./sandlock ps | grep -q '^mine '
}
