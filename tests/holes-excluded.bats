#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-excluded.bats - program.excluded applies to programs of the
# caller, never to files that a workload could have written.
# shellcheck disable=SC2016 # the dollars are the scripts'

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	BIN=$TMP/bin
	OPEN=$TMP/open
	mkdir "$BIN" "$OPEN"
	echo sekrit >"$TMP/secret"
	cd "$OPEN" || return
	PATH=$BIN:$PATH
}

# tool FILE [INTERPRETER]: write a script that prints a file that no sandbox
# here may read.
tool() {
	mkdir -p "$(dirname "$1")"
	printf '#!%s\ncat %s || true\n' "${2:-/bin/sh}" "$TMP/secret" >"$1"
	chmod 0755 "$1"
}

# excluding ENTRY WORD...: `sandlock run` with that entry, and only $OPEN
# writable.
excluding() {
	local entry=$1

	shift
	sandlock run -r /usr -r "$BIN" -w "$OPEN" --program-excluded "$entry" "$@"
}

# runs_plainly ENTRY COMMAND: the command runs without a sandbox.
runs_plainly() {
	run_ok excluding "$1" -- "$2"
	assert_output_has "$2 runs without a sandbox (program.excluded '$1'"
	assert_output_has sekrit
}

# stays_inside ENTRY COMMAND [WHY]: it runs in a sandbox; a line says WHY.
# shellcheck disable=SC2154 # bats sets output
stays_inside() {
	output=$(excluding "$1" -- "$2" 2>&1) || true
	if [[ $output = *sekrit* || $output = *"without a sandbox"* ]]; then
		echo "runs plainly: $output"
		return 1
	fi
	[ -z "${3:-}" ] || assert_output_has "$3"
	run_ok sandlock wrap -w "$OPEN" --program-excluded "$1" -- "$2"
	[[ $output = *"sandlock run "* ]]
}

@test "program.excluded does not match a program that a workload wrote by the last part of its name" {
	tool "$OPEN/docker"
	stays_inside docker ./docker
	stays_inside docker "$OPEN/docker"
	stays_inside docker ../open/docker
}

@test "an entry of program.excluded without a slash means a command without a slash that PATH finds" {
	tool "$BIN/docker"
	runs_plainly docker docker
	stays_inside docker "$BIN/docker"
	stays_inside docker dockerd
}

@test "an entry of program.excluded with a slash means that path alone" {
	tool "$BIN/docker"
	runs_plainly "$BIN/docker" "$BIN/docker"
	stays_inside "$BIN/docker" docker
	stays_inside "$BIN/docker" "$BIN/../bin/docker"
	stays_inside "$BIN/docker" ../bin/docker
}

@test "an entry of program.excluded with a slash never means a file below a writable path" {
	tool "$OPEN/docker"
	stays_inside "$OPEN/docker" "$OPEN/docker" \
		"reached through $OPEN, which is writable inside the sandbox"
	stays_inside ./docker ./docker
	mkdir "$OPEN/sub"
	tool "$BIN/docker"
	stays_inside "$OPEN/sub/../../bin/docker" "$OPEN/sub/../../bin/docker"
}

@test "a directory of PATH that is writable finds nothing for program.excluded" {
	tool "$BIN/docker"
	tool "$OPEN/docker"
	PATH=$OPEN:$PATH stays_inside docker docker \
		"reached through $OPEN, which is writable inside the sandbox"
	PATH=$TMP/bin/../open:$PATH stays_inside docker docker
}

@test "a link in PATH that leads below a writable path finds nothing for program.excluded" {
	tool "$OPEN/tool"
	ln -s "$OPEN/tool" "$BIN/docker"
	stays_inside docker docker "$BIN/docker is reached through $OPEN, which"
	ln -sfn ../open/tool "$BIN/docker"
	stays_inside docker docker
	stays_inside "$BIN/docker" "$BIN/docker"
}

@test "a directory of PATH behind a writable link finds nothing for program.excluded" {
	tool "$BIN/docker"
	ln -s "$BIN" "$OPEN/link"
	PATH=$OPEN/link:/usr/bin:/bin stays_inside docker docker
	ln -s "$OPEN/link" "$TMP/outer"
	PATH=$TMP/outer:/usr/bin:/bin stays_inside docker docker
}

@test "an empty or relative directory of PATH finds nothing for program.excluded" {
	mkdir "$TMP/else"
	tool "$TMP/else/docker"
	cd "$TMP/else"
	PATH=:/usr/bin:/bin stays_inside docker docker "not absolute"
	PATH=.:/usr/bin:/bin stays_inside docker docker "not absolute"
	PATH=../else:/usr/bin:/bin stays_inside docker docker "not absolute"
	PATH=/usr/bin:/bin: stays_inside docker docker "not absolute"
}

@test "a script whose interpreter is writable is not excluded from the sandbox" {
	tool "$OPEN/interpreter"
	tool "$BIN/docker" "$OPEN/interpreter"
	stays_inside docker docker "reached through $OPEN, which is writable inside the sandbox"
	tool "$OPEN/interpreter"
	tool "$BIN/docker" "/usr/bin/env interpreter"
	PATH=$PATH:$OPEN stays_inside docker docker
	tool "$BIN/docker" "$BIN/second"
	tool "$BIN/second" "$OPEN/interpreter"
	stays_inside docker docker
	tool "$BIN/docker" "/usr/bin/env sh"
	runs_plainly docker docker
}

@test "program.excluded matches no file that a mount or a preset lets the workload write" {
	tool "$BIN/docker"
	run_ok sandlock run -r /usr --mount "/in:$BIN" --program-excluded docker -- \
		docker
	[[ $output = *"runs in the sandbox"* ]]
	run_ok sandlock run -r /usr --mount "/in:-$BIN" --program-excluded docker -- \
		docker
	[[ $output = *"runs in the sandbox"* ]]
	run_ok sandlock run -r /usr --mount "/in:$BIN:ro" --program-excluded docker \
		-- docker
	assert_output_has "runs without a sandbox"
	mkdir "$TMP/.git"
	run_ok sandlock wrap -r /usr -w @project --program-excluded docker -- docker
	[[ $output = "sandlock run "* ]]
}

@test "program.excluded matches no file that is writable under another name of a bind mount" {
	requires root
	tool "$OPEN/docker"
	mkdir "$TMP/other"
	run_ok privately sh -c '
		mount --bind "$1" "$2"
		PATH=$2:$PATH "$3" wrap -r /usr -w "$1" \
			--program-excluded docker -- docker' sh "$OPEN" \
		"$TMP/other" "$SANDLOCK"
	assert_output_has "sandlock run "
}

@test "an excluded command runs the file that was checked, not what PATH finds later" {
	tool "$BIN/docker"
	run_ok sandlock wrap -w "$OPEN" --program-excluded docker -- docker 'a b'
	assert_lines "$BIN/docker 'a b'"
	PATH=$OPEN:$PATH run_ok sandlock wrap -w "$OPEN" --program-excluded docker -- docker
	assert_lines "$BIN/docker"
}

@test "program.allow_unsandboxed = false refuses an excluded command, and sandboxes a planted one" {
	tool "$BIN/docker"
	tool "$OPEN/docker"
	sandlock_bad "program.allow_unsandboxed is false" run -r /usr -w "$OPEN" \
		--program-excluded docker --program-allow-unsandboxed=false \
		-- docker
	run_ok sandlock run -r /usr -w "$OPEN" --program-excluded docker \
		--program-allow-unsandboxed=false -- ./docker
	[[ $output != *sekrit* && $output != *"without a sandbox"* ]]
}

@test "excludedCommands of an agent's settings excludes no file that a workload wrote" {
	mkdir "$OPEN/.claude"
	echo '{"sandbox": {"enabled": true, "excludedCommands": ["docker *"]}}' \
		>"$OPEN/.claude/settings.json"
	tool "$OPEN/docker"
	run sandlock run --policy .claude/settings.json -- ./docker
	[[ $output != *"without a sandbox"* ]]
	PATH=$OPEN:$PATH run_ok sandlock wrap --policy .claude/settings.json -- docker
	[[ $output = "sandlock run "* ]]
}

@test "explain says why an entry of program.excluded does not apply" {
	tool "$OPEN/docker"
	PATH=$OPEN:$PATH run_ok sandlock explain -r /usr -w "$OPEN" \
		--program-excluded docker -- docker
	assert_output_has "run would use a sandbox"
	assert_output_has "program.excluded is ignored because $OPEN/docker is"
}
