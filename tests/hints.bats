#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/hints.bats - what a denial suggests allows the call, and explain agrees with run.

bats_require_minimum_version 1.5.0
load helpers
load netprobe

setup() {
	sandlock_setup
	requires root
	enter_work
}

# pairs FIRST COUNT: see tests/hints.py.
pairs() {
	requires /usr/bin/python3 userns
	requires_landlock 4
	mkdir "$TMP/bin" project
	add_probe attempt "$TMP/bin"
	cd project || return
	run_ok /usr/bin/python3 "$BATS_TEST_DIRNAME/hints.py" "$SANDLOCK" \
		"$TMP/bin/attempt" "$1" "$2" --root "$ROOT"
	assert_output_has "$2 pairs, 0 bad"
}

@test "pairs 0 to 49: a call is denied, and with the hint of --why it succeeds" {
	pairs 0 50
}

@test "pairs 50 to 99: a call is denied, and with the hint of --why it succeeds" {
	pairs 50 50
}

@test "pairs 100 to 149: a call is denied, and with the hint of --why it succeeds" {
	pairs 100 50
}

@test "pairs 150 to 199: a call is denied, and with the hint of --why it succeeds" {
	pairs 150 50
}

@test "pairs 200 to 219: the hints help a user, too" {
	requires /usr/bin/python3 userns
	requires_landlock 4
	new_user
	mkdir "$USER_HOME/bin" "$USER_HOME/project"
	add_probe attempt "$USER_HOME/bin"
	cp "$BATS_TEST_DIRNAME/hints.py" "$USER_HOME/bin/"
	chown -R "$USER_ID" "$USER_HOME/project"
	run_ok as_user sh -c 'cd project && exec /usr/bin/python3 ../bin/hints.py \
		../sandlock ../bin/attempt 200 20'
	assert_output_has "20 pairs, 0 bad"
}

@test "--why reports nothing that modes and owners forbid" {
	requires userns
	new_user
	mkdir closed
	echo text >closed/file
	chmod 700 closed
	chmod 755 "$TMP" "$WORK"
	run --separate-stderr user_sandbox --why -r /usr -r /etc -- sh -c "
		cat $WORK/closed/file; touch $WORK/new /usr/new; rm $WORK/closed
		chmod 700 $WORK; :"
	# shellcheck disable=SC2154 # bats sets it
	run ! grep "^denied: [a-z]* [^ ]*\(closed\|new\)" <<<"$stderr"
	run ! grep "^denied: write $WORK " <<<"$stderr"
	# The program of a sandbox has no capabilities, even if its caller has.
	echo text >file
	chown 12345 file
	chmod 600 file
	run --separate-stderr -1 sandbox --why -r /usr -- cat "$WORK/file"
	run ! grep "^denied: read file" <<<"$stderr"
	chmod 644 file
	run --separate-stderr -1 sandbox --why -r /usr -- cat "$WORK/file"
	grep -x "denied: read file (not in filesystem.read); to allow it: -r file" \
		<<<"$stderr"
}

@test "--why says that root has no capabilities in a sandbox" {
	local why="owner and mode do not permit it without a capability, and a sandbox has none"
	local hint="no flag allows it"

	mkdir other
	echo text >other/file
	echo text >mine
	chmod 600 other/file
	chown -R 12345 other
	run --separate-stderr -0 sandbox --why -r @system -w . -- sh -c '
		cat other/file; touch other/new; chown 12345 mine; echo more >mine'
	# shellcheck disable=SC2154 # bats sets it
	[ "$(grep ^denied <<<"$stderr")" = "denied: read other/file ($why); $hint: run as the owner, or change the owner
denied: write other/new ($why); $hint: run as the owner, or change the owner
denied: write mine ($why); $hint" ]
	# A user has no capabilities outside, either.
	requires userns
	new_user
	cp -a other "$USER_HOME/"
	run --separate-stderr user_sandbox --why -r @system -r other -- cat "$USER_HOME/other/file"
	[ "$status" -eq 1 ]
	run ! grep ^denied <<<"$stderr"
}

@test "--why names a link that is missing on the way to an allowed file" {
	mkdir links
	echo text >target
	ln -s ../target links/link
	run --separate-stderr -1 sandbox --why -r /usr -r target -- cat "$WORK/links/link"
	grep -x "denied: read links/link (not in filesystem.read); to allow it: -r links/link" \
		<<<"$stderr"
	run_ok sandbox -r /usr -r target -r links/link -- cat "$WORK/links/link"
	[ "$output" = text ]
}

# shellcheck disable=SC2030 # bats sets status anew
@test "--why says which file to change if a profile has the list" {
	printf '[filesystem]\nread = ["@system"]\n' >box.toml
	echo text >file
	run --separate-stderr -1 sandbox --why -p ./box.toml -- cat "$WORK/file"
	grep -Fx "denied: read file (not in filesystem.read); to allow it: add \"$WORK/file\" to filesystem.read in ./box.toml" \
		<<<"$stderr"
	# A list that the file does not have can be given by a flag.
	run --separate-stderr -2 sandbox --why -p ./box.toml -- sh -c ": >$WORK/file"
	grep -Fx "denied: write file (not in filesystem.write); to allow it: -w file" \
		<<<"$stderr"
}

# ---- explain ----

# shellcheck disable=SC2031 # bats sets status anew
# refused_by_both STATUS TEXT WORD...: explain says TEXT and ends with 1, run with STATUS.
refused_by_both() {
	local status_wanted=$1 text=$2

	shift 2
	run sandlock explain "$@"
	[ "$status" -eq 1 ]
	assert_output_has "$text"
	run -"$status_wanted" sandbox "$@"
}

@test "explain says which program would be executed, and by which loader" {
	run_ok sandlock explain -r @system -- sh
	grep -E "^program: /.*/sh, loaded by /.*ld" <<<"$output"
	printf '#!/bin/sh\nexit 3\n' >script
	chmod 755 script
	run_ok sandlock explain --json -r @system -r . -- ./script
	jq -e --arg path "$WORK/./script" '.program == $path and
		.interpreter == "/bin/sh" and .verdict == "runs"' <<<"$output"
}

@test "explain skips directories of PATH that the caller may not enter, as run does" {
	requires userns
	local closed=$WORK/closed

	mkdir -m 0 "$closed"
	new_user
	run as_user env PATH="$closed:$PATH" ./sandlock explain -r . -- ls
	[ "$status" -eq 1 ]
	grep -E "would not start: execute /.*/ls \(not in filesystem.read\); to allow it: -r @system" <<<"$output"
	run as_user env PATH="$closed:$PATH" ./sandlock explain -r @system -- no-such-program
	[ "$status" -eq 1 ]
	assert_output_has "the command no-such-program would not start: not found in PATH"
	run_ok as_user env PATH="$closed:$PATH" ./sandlock explain -r @system -- ls
}

@test "what to remove from a file and to add to it is one sentence" {
	requires userns
	new_user
	mkdir "$USER_HOME/.ssh"
	echo secret >"$USER_HOME/.ssh/id"
	printf '[filesystem]\nread = ["@system"]\ndeny = ["@known-secrets"]\n' >"$USER_HOME/box.toml"
	run --separate-stderr as_user ./sandlock run --why -p ./box.toml -- cat "$USER_HOME/.ssh/id"
	[ "$status" -eq 1 ]
	[[ $stderr = *'to allow it: remove "@known-secrets" from filesystem.deny in ./box.toml, and add "'*'" to filesystem.read in ./box.toml'* ]]
}

@test "explain ends with 1 where the command would not start, and says why" {
	local sh would="would not start"

	sh=$(realpath "$(command -v sh)")
	refused_by_both 127 "the command no-such-program $would: not found in PATH" \
		-r @system -- no-such-program
	refused_by_both 127 "the command ./none $would: it does not exist" -r @system -r . -- ./none
	refused_by_both 127 "$would: execute $sh (not in filesystem.read); to allow it: -r @system" \
		-r /etc -- "$sh"
	touch file
	refused_by_both 126 "the command ./file $would: $WORK/./file: permission denied" \
		-r @system -r . -- ./file
	printf '#!%s/none\n' "$WORK" >script
	chmod 755 script
	refused_by_both 127 "$WORK/none: no such file or directory" -r @system -r . -- ./script
	printf '#!%s\nexit 3\n' "$sh" >script
	refused_by_both 127 "$would: execute $sh (not in filesystem.read)" -r script -- "$WORK/script"
	cp "$sh" program
	refused_by_both 127 "(not in filesystem.read); to allow it: -r @system" -r program -- "$WORK/program"
	requires_landlock 1
	refused_by_both 126 "$would: execute $sh (not in filesystem.execute); to allow it: -x $sh" \
		-r @system -x "$(realpath "$(command -v env)")" -- "$sh"
	# What the policy itself brings along is not looked up on the host.
	mkdir programs
	cp "$sh" programs/
	run_ok sandlock explain -r @system --mount "/opt/own:$WORK/programs" -- /opt/own/sh
}
