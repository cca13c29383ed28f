#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/terminals.bats - sandlock run on a terminal: the command gets one of its own.
#
# The shells have dollars of their own.
# shellcheck disable=SC2016,SC2086 # words of $RUN are words

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root python3
	enter_work
	RUN="$SANDLOCK --root $ROOT run --cwd / -r @system"
}

# talk STEP... -- COMMAND...: see tests/terminal.py.
talk() {
	run timeout 60 "$BATS_TEST_DIRNAME/terminal.py" talk 24x80 "$@" 3>&-
}

# at_shell STEP...: talk to an interactive shell; its status must be 0.
at_shell() {
	talk '?PROMPT> ' "$@" -- env PS1='PROMPT> ' bash --norc --noediting -i
	[ "$status" -eq 0 ] || {
		echo "$output"
		return 1
	}
	assert_output_has "settings restored"
}

@test "on a terminal the command gets one of its own, with input and the caller's size" {
	talk '?ready' '!hello\n' -- $RUN -- sh -c \
		'tty; stty size; echo ready; read -r word; echo "got $word"'
	[ "$status" -eq 0 ]
	assert_output_has "/dev/pts/0^M"
	assert_output_has "24 80^M"
	assert_output_has "got hello^M"
	assert_output_has "settings restored"
	# The number is of the sandbox's own devpts; the caller's is not there.
	talk -- $RUN -- sh -c 'ls /dev/pts; stat -c %t:%T /dev/console || :'
	assert_output_has "0  ptmx"
}

@test "a command with a terminal of its own sees changes of the window size" {
	talk '?ready' 'size 33x99' '?33 99' '!\x03' -- $RUN -- sh -c '
		trap "stty size" WINCH; echo ready; while :; do sleep 0.05; done'
	[ "$status" -eq 130 ]
	assert_output_has "settings restored"
}

@test "run --no-tty, pipes and files get no terminal" {
	local tty='test -t 0 && echo in; test -t 1 && echo out; tty; :'

	talk -- $RUN --no-tty -- sh -c 'readlink /proc/self/fd/0; ls /dev/pts'
	[[ $output != *"0  ptmx"* ]]
	talk -- sh -c "$RUN -- sh -c '$tty' | cat"
	assert_output_has "in^M"
	[[ $output != *out^M* ]]
	[[ $output != */dev/pts/0* ]]
	talk -- sh -c "$RUN -- sh -c '$tty' </dev/null"
	assert_output_has "out^M"
	[[ $output != */dev/pts/0* ]]
	talk -- sh -c "$RUN -- sh -c 'echo error >&2; tty' 2>errors"
	[ "$(head -n 1 errors)" = error ]
	talk -- sh -c "$RUN -t -- sh -c tty 2>errors | cat"
	assert_output_has "/dev/pts/0^M"
	sandlock_bad "--tty and --no-tty: give one of them" run --tty --no-tty -r /usr -- true
}

@test "a pager beside a sandbox has the keyboard for itself" {
	requires less
	talk '?(END)' '!q' -- sh -c "$RUN -- echo text | less"
	[ "$status" -eq 0 ]
	assert_output_has "settings restored"
}

@test "Ctrl-C ends a command, with and without -t and input" {
	talk '?ready' '!\x03' -- $RUN -- sh -c 'echo ready; exec sleep 1000'
	[ "$status" -eq 130 ]
	talk '?ready' '!\x03' -- $RUN -t -- sh -c 'echo ready; exec sleep 1000'
	[ "$status" -eq 130 ]
	talk '?ready' '!\x03' -- sh -c "exec $RUN -t -- sh -c 'echo ready; exec sleep 1000' </dev/null"
	[ "$status" -eq 130 ]
	talk '?ready' '!\x03' -- $RUN --no-tty -- sh -c 'echo ready; exec sleep 1000'
	[ "$status" -eq 130 ]
	talk '?ready' '!\x03' -- $RUN --config-disable namespaces -- sh -c 'echo ready; exec sleep 1000'
	[ "$status" -eq 130 ]
	assert_output_has "settings restored"
}

@test "a shell in a sandbox has job control" {
	at_shell "!$RUN -- bash --norc --noediting -i\\n" '?bash-' '!sh -c "echo \x27u\x27p; exec sleep 1000"\n' '?up' raw '!\x1a' \
		'?Stopped' '!jobs; echo "a"lso\n' '?also' '!disown -a; exit\n' \
		'?PROMPT> ' '!exit 0\n'
	[[ $output != *"no job control"* ]]
	[[ $output != *"cannot set terminal process group"* ]]
}

@test "Ctrl-Z stops sandlock itself, and fg continues its command" {
	at_shell "!$RUN -- sh -c 'echo rea\"d\"y; read -r word; echo \"got \$word\"'\\n" \
		'?ready' raw '!\x1a' '?Stopped' cooked '!echo "shell" is here\n' '?shell is here' \
		'!fg\n' raw '!hello\n' '?got hello' '?PROMPT> ' cooked '!exit 0\n'
	# A script stops as a whole.
	printf '%s -- sleep 1000\necho "after"wards\n' "$RUN" >script
	at_shell '!sh script\n' raw '!\x1a' '?Stopped' cooked '!fg\n' raw '!\x03' \
		'?afterwards' '?PROMPT> ' '!exit 0\n'
	# Nobody could continue it, so it goes on.
	talk '?ready' raw '!\x1a' '!hello\n' '?got hello' -- $RUN -- \
		sh -c 'echo ready; read -r word; echo "got $word"'
	[ "$status" -eq 0 ]
}

@test "a sandbox in the background runs, and reads once it is in the foreground" {
	at_shell "!$RUN -- sh -c 'echo beg\"u\"n; read -r word; echo \"got \$word\"' &\\n" \
		'?begun' '!jobs\n' '?Running' '!echo "shell" reads\n' '?shell reads' \
		'!fg\n' raw '!hello\n' '?got hello' '?PROMPT> ' cooked '!exit 0\n'
	[[ $output != *Stopped* ]]
	at_shell "!$RUN -- sh -c 'echo beg\"u\"n' & wait\\n" '?begun' '?Done' '?PROMPT> ' '!exit 0\n'
}

@test "a stopped sandbox that continues in the background leaves the terminal alone" {
	at_shell "!$RUN -- sh -c 'echo rea\"d\"y; read -r word; echo \"got \$word\"'\\n" \
		'?ready' raw '!\x1a' '?Stopped' '!bg\n' cooked '!echo "shell" reads\n' '?shell reads' \
		'!fg\n' raw '!hello\n' '?got hello' '?PROMPT> ' '!exit 0\n'
}

@test "the terminal has its settings again however sandlock ends" {
	local signal

	mkdir sync
	for signal in TERM HUP QUIT KILL SEGV; do
		rm -f sync/ready
		talk '?cooked again' -- sh -c "
			(until [ -e sync/ready ]; do sleep 0.05; done; kill -$signal \$(cat pid)) &
			sh -c 'echo \$\$ >pid; exec $RUN -w $WORK/sync -- sh -c \"stty -icanon; echo >$WORK/sync/ready; exec sleep 1000\"'
			until stty -a | grep -q '[^-]icanon'; do sleep 0.05; done
			echo cooked again"
		[ "$status" -eq 0 ]
		assert_output_has "settings restored"
	done
	# Its own failures, too.
	talk -- $RUN -- /usr
	[ "$status" -eq 126 ]
	assert_output_has "settings restored"
	talk -- $RUN --timeout 0.3 -- sleep 1000
	[ "$status" -eq 124 ]
	assert_output_has "settings restored"
}

@test "a REPL and an editor work in a sandbox" {
	requires /usr/bin/python3 vim
	talk '?>>> ' '!print(6 * 7)\r' '?42' '!raise SystemExit(3)\r' -- \
		$RUN -- /usr/bin/python3 -ISq
	[ "$status" -eq 3 ]
	assert_output_has "settings restored"
	echo 'first line' >text
	talk '?first line' '!:%s/first/second/\r' '!:wq\r' -- \
		$RUN -w "$WORK" -- vim -u NONE -n "$WORK/text"
	[ "$status" -eq 0 ]
	[ "$(cat text)" = "second line" ]
	assert_output_has "settings restored"
}

@test "messages of sandlock end their lines on a terminal" {
	talk -- "$SANDLOCK" --root "$ROOT" run -r @system -- sh -c 'exit 3'
	[ "$status" -eq 3 ]
	assert_output_has "is not allowed; starting in / (add -r . or --cwd DIR)^M"
	assert_output_has "use --why to see whether anything was denied^M"
}
