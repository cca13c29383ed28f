#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/console.bats - terminals: sent to a socket, or relayed in the foreground.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# terminal_bundle PROGRAM...: with process.terminal.
terminal_bundle() {
	new_bundle box
	config '.process.terminal = true'
	args "$@"
}

# to_socket OPTIONS...: with a receiver at $TMP/socket.
to_socket() {
	"$BATS_TEST_DIRNAME/terminal.py" receive "$TMP/socket" \
		"$SANDLOCK_OCI" --root "$ROOT" "$@" 3>&-
}

typed_to_socket() {
	local text=$1

	shift
	"$BATS_TEST_DIRNAME/terminal.py" type "$TMP/socket" "$text" \
		"$SANDLOCK_OCI" --root "$ROOT" "$@" 3>&-
}

# ---- to a socket ----

@test "create sends the terminal's master in one message with one descriptor" {
	requires root python3
	terminal_bundle sh -c 'tty; echo said'
	run_ok to_socket run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box
	[ "${lines[0]}" = "message /dev/ptmx descriptors 1 more 0" ]
	[ "${lines[1]}" = /dev/pts/0 ]
	[ "${lines[2]}" = said ]
	wait_until has_status box stopped
}

@test "create sends the terminal, and start lets the program use it" {
	requires root python3
	terminal_bundle sh -c 'echo ready; read line; echo "<$line>"'
	(
		wait_until has_status box created
		oci start box
	) >/dev/null 2>&1 &
	run_ok typed_to_socket 'hello\n' create \
		--console-socket "$TMP/socket" --bundle "$BUNDLE" box
	assert_output_has "<hello>"
	wait_until has_status box stopped
}

@test "create refuses a terminal without a console socket, and a console socket without a terminal" {
	requires root
	terminal_bundle true
	run_bad "cannot allocate tty if sandlock-oci will detach without setting console socket" \
		oci create --bundle "$BUNDLE" box
	run_bad "cannot allocate tty if sandlock-oci will detach without setting console socket" \
		oci run --detach --bundle "$BUNDLE" box
	config '.process.terminal = false'
	run_bad "cannot use console socket if sandlock-oci will not detach or allocate tty" \
		oci create --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box
	assert_gone box
}

@test "create fails and leaves nothing if nobody listens on the console socket" {
	requires root
	terminal_bundle true
	run_bad "console socket: " oci create \
		--console-socket "$TMP/no-socket" --bundle "$BUNDLE" box
	assert_gone box
}

@test "a console socket may have a longer path than a socket address" {
	requires root python3
	local deep
	deep=$TMP/$(printf 'd%.0s' {1..120})

	mkdir "$deep"
	terminal_bundle echo said
	cd "$deep"
	run_ok "$BATS_TEST_DIRNAME/terminal.py" receive socket \
		"$SANDLOCK_OCI" --root "$ROOT" run --detach \
		--console-socket "$deep/socket" --bundle "$BUNDLE" box
	assert_output_has said
	wait_until has_status box stopped
}

# ---- what the program sees ----

@test "a program on a terminal has a session, a controlling terminal and job control" {
	requires root python3
	# pid, process group, session, terminal, foreground group.
	terminal_bundle sh -c 'set -- $(sed "s/.*) //" /proc/self/stat)
		echo "session $4 group-in-front $6 tty $(($5 != 0))"
		exec 9</dev/tty && echo "has tty"; sleep 0 & wait $! && jobs'
	run_ok to_socket run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box
	assert_output_has "session 1 group-in-front 1 tty 1"
	assert_output_has "has tty"
	[[ $output != *"can't access tty"* ]]
	wait_until has_status box stopped
}

@test "/dev/console and descriptors 0 to 2 are the terminal, which belongs to the user" {
	requires root python3
	terminal_bundle sh -c 'for f in /dev/console /proc/self/fd/[012]; do
			stat -L -c "%t:%T %u" $f; done
		readlink /proc/self/fd/0'
	config '.process.user.uid = 1000'
	run_ok to_socket run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box
	[ "${lines[1]}" = "88:0 1000" ]
	[ "${lines[2]}" = "${lines[1]}" ]
	[ "${lines[3]}" = "${lines[1]}" ]
	[ "${lines[4]}" = "${lines[1]}" ]
	[ "${lines[5]}" = /dev/pts/0 ]
	wait_until has_status box stopped
}

@test "a container without a terminal has neither a controlling terminal nor /dev/console" {
	requires root python3
	new_bundle box
	args sh -c '[ ! -e /dev/console ] || stat -c %t /dev/console
		(: </dev/tty) || echo "no tty"'
	run_ok oci_on_pty 24x80 -- run --bundle "$BUNDLE" box
	assert_output_has "no tty"
	[[ $output != *88* ]]
}

@test "consoleSize is the size of the terminal" {
	requires root python3
	terminal_bundle stty size
	config '.process.consoleSize = {height: 33, width: 111}'
	run_ok to_socket run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box
	[ "${lines[1]}" = "33 111" ]
	wait_until has_status box stopped
}

@test "consoleSize is ignored without a terminal, and refused if too large" {
	requires root
	new_bundle box
	config '.process.consoleSize = {height: 33, width: 111}'
	run_ok oci run --bundle "$BUNDLE" box
	config '.process.terminal = true |
		.process.consoleSize = {height: 33, width: 70000}'
	run_bad "process.consoleSize: " oci run --bundle "$BUNDLE" box
}

@test "create names a terminal without devpts" {
	requires root
	terminal_bundle true
	config 'del(.mounts[] | select(.destination == "/dev/pts"))'
	run_bad "process.terminal: " oci run --bundle "$BUNDLE" box
	assert_output_has "a terminal requires devpts at /dev/pts"
	assert_gone box
}

# ---- in the foreground ----

@test "run in the foreground ends lines as the caller's terminal does" {
	requires root python3
	terminal_bundle printf 'one\ntwo\n'
	run_ok oci_on_pty 24x80 -- run --bundle "$BUNDLE" box
	[ "${lines[0]}" = one^M ]
	[ "${lines[1]}" = two^M ]
	[ "${lines[2]}" = "settings restored" ]
	assert_gone box
}

@test "a relayed terminal adds no CR on a pipe" {
	requires root
	terminal_bundle sh -c 'tty; printf "one\ntwo\n"'
	run_ok oci run --bundle "$BUNDLE" box </dev/null
	[ "$output" = $'/dev/pts/0\none\ntwo' ]
}

@test "a container's window size follows the caller's" {
	requires root python3
	terminal_bundle sh -c 'stty size; trap "stty size; exit" WINCH
		echo ready; while :; do sleep 0.05; done'
	run_ok oci_on_pty 25x81 'size 30x100' -- run --bundle "$BUNDLE" box
	[ "${lines[0]}" = "25 81^M" ]
	[ "${lines[2]}" = "30 100^M" ]
}

@test "typed characters reach the program, also as signals" {
	requires root python3
	terminal_bundle sh -c 'trap "echo interrupted; exit 5" INT
		echo ready; while :; do sleep 0.05; done'
	run oci_on_pty 24x80 '\x03' -- run --bundle "$BUNDLE" box
	[ "$status" -eq 5 ]
	assert_output_has "interrupted^M"
	assert_output_has "settings restored"
}

@test "run takes the window size from another descriptor when stdin is no terminal" {
	requires root python3
	terminal_bundle sh -c 'stty size; echo said'
	run_ok "$BATS_TEST_DIRNAME/terminal.py" pty 26x82 -- sh -c \
		'"$@" </dev/null' sh "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "${lines[0]}" = "26 82^M" ]
	assert_output_has "settings restored"
	run_ok "$BATS_TEST_DIRNAME/terminal.py" pty 26x82 -- sh -c \
		'"$@" </dev/null 2>&1 | cat' sh "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "${lines[0]}" = "26 82^M" ]
	assert_output_has "settings restored"
}

@test "run restores the settings of the caller's terminal after a failure" {
	requires root python3
	terminal_bundle /no/such/program
	run oci_on_pty 24x80 -- run --bundle "$BUNDLE" box
	[ "$status" -eq 1 ]
	assert_output_has 'stat /no/such/program: no such file'
	assert_output_has "settings restored"
	printf '#!/no/interpreter\n' >"$BUNDLE/rootfs/run.sh"
	chmod 0755 "$BUNDLE/rootfs/run.sh"
	args /run.sh
	run oci_on_pty 24x80 -- run --bundle "$BUNDLE" box
	[ "$status" -eq 1 ]
	assert_output_has "settings restored"
}

@test "a terminal passes a lot of output completely" {
	requires root
	terminal_bundle sh -c 'seq 1 20000; exit 4'
	run oci run --bundle "$BUNDLE" box </dev/null
	[ "$status" -eq 4 ]
	[ "$output" = "$(seq 1 20000)" ]
}

@test "a terminal passes a lot of input completely" {
	requires root
	terminal_bundle sh -c 'stty -echo; sum=0
		while read -r n && [ "$n" != end ]; do sum=$((sum + n)); done
		echo; echo "sum $sum"'
	run_ok oci run --bundle "$BUNDLE" box \
		< <(seq 1 5000; echo end)
	[ "${lines[-1]}" = "sum 12502500" ]
}

# ---- exec ----

@test "exec -t gives the program a terminal of the container, of the caller's size" {
	requires root python3
	start_sleeping box
	run_ok oci_on_pty 27x83 -- exec -t box sh -c 'tty; stty size; : </dev/tty'
	[ "${lines[0]}" = /dev/pts/0^M ]
	[ "${lines[1]}" = "27 83^M" ]
	[ "${lines[2]}" = "settings restored" ]
}

@test "exec -t gives the program job control, and typed signals end the program" {
	requires root python3
	start_sleeping box
	run oci_on_pty 24x80 '\x03' -- exec -t box sh -c 'trap "exit 6" INT
		echo ready; while :; do sleep 0.05; done'
	[ "$status" -eq 6 ]
	assert_status box running
}

@test "exec --detach sends its terminal to the console socket" {
	requires root python3
	start_sleeping box
	run_ok to_socket exec --detach -t --console-socket "$TMP/socket" \
		--user 1000 box sh -c 'stat -L -c "%t:%T %u" /proc/self/fd/0'
	[ "${lines[0]}" = "message /dev/ptmx descriptors 1 more 0" ]
	[ "${lines[1]}" = "88:0 1000" ]
	run oci exec --detach -t box true
	[ "$status" -eq 255 ]
	assert_output_has "without setting console socket"
}

@test "exec takes terminal and size from a process file" {
	requires root python3
	start_sleeping box
	jq '.process | .terminal = true | .args = ["stty", "size"] |
		.consoleSize = {height: 12, width: 34}' \
		"$BUNDLE/config.json" >"$TMP/process.json"
	run_ok to_socket exec --detach --process "$TMP/process.json" \
		--console-socket "$TMP/socket" box
	[ "${lines[1]}" = "12 34" ]
}
