#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-env.bats - values of variables are secrets: other users cannot see
# how they are passed, and no output shows them.
# shellcheck disable=SC2016 # the dollars are the sandbox's

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	export TOKEN=sekrit
}

# shellcheck disable=SC2154 # bats sets status and output
shows_no_value() {
	if [[ $output == *sekrit* ]]; then
		echo "shows the value: $output"
		return 1
	fi
}

# command_line PID: the words of its command line, as ps shows them.
command_line() {
	tr '\0' ' ' <"/proc/$1/cmdline"
}

# sleeping WORD...: start a sandbox called box, and wait for its output.
sleeping() {
	mkfifo "$TMP/hold"
	"$SANDLOCK" --root "$ROOT" run --name box -r /usr -w "$TMP" \
		"$@" -- sh -c 'echo here; read -r _ <"$0"' "$TMP/hold" \
		>"$TMP/out" 2>&1 3>&- &
	CALLER=$!
	wait_until grep -qs here "$TMP/out"
}

release_caller() {
	echo >"$TMP/hold"
	wait "$CALLER"
}

# ---- where values come from ----

@test "sandlock run --env NAME takes the value from the caller's environment" {
	run_ok sandlock run --cwd / -r /usr --env TOKEN --env B=2 -- sh -c 'echo $TOKEN $B'
	assert_lines "sekrit 2"
	TOKEN='' run_ok sandlock run --cwd / -r /usr --program-env TOKEN -- \
		sh -c 'echo ${TOKEN-unset}.'
	assert_lines "."
}

@test "sandlock run --env NAME names a variable that is not set" {
	unset TOKEN
	sandlock_bad "'TOKEN' is not set in the caller's environment" \
		run -r /usr --env TOKEN -- true
	sandlock_bad "TOKEN=VALUE" explain -r /usr --env TOKEN -- true
	sandlock_bad "KEY=VALUE" run -r /usr --env '' -- true
	sandlock_bad "the name before '=' is empty" run -r /usr --env =x -- true
}

@test "--env-file sets the variables of its lines without any expansion" {
	printf '%s\n' '# a comment' '' '  #another' 'A=1 two  ' \
		"B='quoted' # no comment" '  C==' 'D=' TOKEN >"$TMP/env"
	printf 'E=dos\r\nF=last' >>"$TMP/env"
	run_ok sandlock run --cwd / -r /usr --env-file "$TMP/env" -- \
		sh -c 'printf "<%s>" "$A" "$B" "$C" "$D" "$TOKEN" "$E" "$F"'
	assert_lines "<1 two  ><'quoted' # no comment><=><><sekrit><dos><last>"
	run_ok sandlock run --cwd / -r /usr --env-file <(echo A=pipe) -- sh -c 'echo $A'
	assert_lines pipe
}

@test "nobody inside adds a name to the file of --env-file, whose value the next run would reveal" {
	mkdir "$TMP/w"
	echo A=1 >"$TMP/w/env"
	ln -s env "$TMP/w/link"
	cd "$TMP/w"
	for change in 'echo TOKEN >>env' 'mv link old' \
		'echo TOKEN >new; mv -f new link' 'rm env'; do
		run sandlock run -r /usr -w . --env-file link \
			--config-allow-degraded deny_replace -- sh -c "$change"
		[ "$status" -ne 0 ]
		[ "$(cat link)" = A=1 ]
	done
	# The workload may write a file that is not given as --env-file.
	run_ok sandlock run -r /usr -w . -- sh -c 'echo TOKEN >>env'
}

@test "--env wins over --env-file, a later file over an earlier one, and a file over a profile" {
	echo A=1 >"$TMP/one"
	printf 'A=2\nB=2\n' >"$TMP/two"
	printf '[program]\nenv = { "A" = "0", "P" = "0" }\n' >"$TMP/p.toml"
	run_ok sandlock run --cwd / -r /usr --env-file "$TMP/one" --env-file="$TMP/two" -- \
		sh -c 'echo $A $B'
	assert_lines "2 2"
	run_ok sandlock run --cwd / --policy "$TMP/p.toml" -r /usr --env A=3 \
		--env-file "$TMP/two" -- sh -c 'echo $A $B ${P-none}'
	assert_lines "3 2 none"
}

@test "--env-file reports the file and line of a bad line, and not the value" {
	local bad

	for bad in '=sekrit' 'A B=sekrit' 'no name sekrit' UNSET_SEKRIT \
		$'A\001=sekrit' $'\xff=sekrit'; do
		printf 'X=1\n%s\n' "$bad" >"$TMP/env"
		sandlock_bad "--env-file $TMP/env:2: " run -r /usr \
			--env-file "$TMP/env" -- true
		shows_no_value
	done
	printf 'A=1\nB=2\nA=sekrit\n' >"$TMP/env"
	sandlock_bad "$TMP/env:3: an earlier line of this file sets the same variable: remove one" run -r /usr \
		--env-file "$TMP/env" -- true
	printf 'A=%0131072d\n' 0 >"$TMP/env"
	sandlock_bad "$TMP/env:1: the line is longer than" run -r /usr \
		--env-file "$TMP/env" -- true
}

@test "--env-file refuses a directory, a NUL byte, a large file and one that is missing" {
	sandlock_bad "--env-file $TMP: " run -r /usr --env-file "$TMP" -- true
	sandlock_bad "--env-file $TMP/none: " run -r /usr --env-file "$TMP/none" -- true
	sandlock_bad "flag needs an argument: --env-file" run -r /usr --env-file
	printf 'A=1\0B\n' >"$TMP/env"
	sandlock_bad "$TMP/env: contains a NUL byte" run -r /usr --env-file "$TMP/env" -- true
	truncate -s 2M "$TMP/env"
	sandlock_bad "larger than" run -r /usr --env-file "$TMP/env" -- true
	assert_gone box
}

# ---- where they do not show ----

@test "no command line of a sandbox's processes has a value of --env NAME" {
	local inside

	echo FILE=sekrit >"$TMP/env"
	sleeping --env TOKEN --env-file "$TMP/env"
	inside=$(sandlock inspect box | sed -n 's/^  "pid": \([0-9]*\).*/\1/p')
	run command_line "$CALLER"
	assert_output_has "--env TOKEN"
	shows_no_value
	run command_line "$inside"
	shows_no_value
	release_caller
}

@test "a value on the command line of sandlock is erased before the command runs" {
	sleeping --env A=sekrit --env=B=sekrit --env LAST=sekrit
	run command_line "$CALLER"
	assert_output_has "--env A="
	assert_output_has "LAST="
	shows_no_value
	release_caller
	run_ok sandlock run --cwd / -r /usr --env A=sekrit --env TOKEN -- \
		sh -c 'echo $A $TOKEN'
	assert_lines "sekrit sekrit"
}

@test "inspect and ps show names of variables only, and inspect --show-values the values" {
	sleeping --env A=sekrit --env TOKEN
	run_ok sandlock inspect box
	shows_no_value
	[ "$(sandlock inspect box | jq -c .policy.program.env)" = '["A","TOKEN"]' ]
	run_ok sandlock inspect box --toml
	shows_no_value
	assert_output_has 'env = ["A", "TOKEN"]'
	run_ok sandlock ps
	shows_no_value
	run_ok sandlock ps --json
	shows_no_value
	run_ok oci state box
	shows_no_value
	run_ok oci list --format json
	shows_no_value
	[ "$(sandlock inspect box --show-values | jq -r .policy.program.env.A)" = sekrit ]
	run_ok sandlock inspect --show-values --toml box
	assert_output_has 'env = { "A" = "sekrit", "TOKEN" = "sekrit" }'
	release_caller
}

@test "only the owner of a sandbox can read its record" {
	sleeping --env A=sekrit
	[ "$(stat -c %a "$ROOT/box")" = 700 ]
	for file in "$ROOT"/box/*; do
		[ "$(stat -c %a "$file")" = 600 ]
	done
	release_caller
}

@test "a profile that inspect printed without values is refused, not run without its variables" {
	sleeping --env A=sekrit
	sandlock inspect box --toml >"$TMP/p.toml"
	sandlock_bad "program.env" run --policy "$TMP/p.toml" -- true
	release_caller
}

@test "explain, --json, --why and --debug show names of variables only" {
	echo FILE=sekrit >"$TMP/env"
	for words in "explain" "explain --json" "run --json" "run --why" \
		"--debug run"; do
		# shellcheck disable=SC2086 # words
		run_ok sandlock $words -r /usr --env A=sekrit --env TOKEN \
			--env-file "$TMP/env" -- true
		shows_no_value
	done
	run_ok sandlock explain -r /usr --env A=sekrit -- true
	assert_output_has 'program.env = ["A"]'
}

@test "wrap prints --env NAME without the value of the variable" {
	echo FILE=sekrit >"$TMP/env"
	run_ok sandlock wrap -r /usr --env TOKEN --env-file "$TMP/env" -- true
	assert_lines "sandlock run -r /usr --env TOKEN --env-file $TMP/env -- true"
}

@test "no error of sandlock shows the value of a variable" {
	run ! sandlock run -r /usr --env "A=sekrit$(printf '\xff')" -- true
	assert_output_has "the value of 'A' is not valid UTF-8"
	shows_no_value
	printf '[program]\nenv = { A = ["sekrit"] }\n' >"$TMP/p.toml"
	run ! sandlock run --policy "$TMP/p.toml" -- true
	shows_no_value
	requires root
	new_bundle
	annotate 'io.sandlock.program.env="sekrit"'
	run_bad "is not a JSON object" create refused
	shows_no_value
	annotate 'io.sandlock.program.env={"A":["sekrit"]}'
	run_bad "A: the value must be a string" create refused
	shows_no_value
}
