#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/descriptors.bats - descriptors of the program, pid files, pidfd sockets.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# open_fds PID: their numbers, in order.
open_fds() {
	find "/proc/$1/fd" -mindepth 1 -printf '%f\n' | sort -n | tr '\n' ' '
}

# with_fds N COMMAND...: with N pipes and directories open from 3 on.
with_fds() (
	local fd last=$((2 + $1))

	shift
	for ((fd = 3; fd <= last; fd++)); do
		if ((fd % 2)); then
			eval "exec $fd</"
		else
			eval "exec $fd<>'$TMP/fifo'"
		fi
	done
	"$@"
)

# ---- what reaches the program ----

@test "a caller that leaks fifty descriptors passes only 0, 1 and 2 to the program" {
	requires root mkfifo
	mkfifo "$TMP/fifo"
	new_bundle box
	args sleep 1000
	with_fds 50 "$SANDLOCK_OCI" --root "$ROOT" run --detach \
		--bundle "$BUNDLE" box </dev/null >/dev/null 2>&1
	[ "$(open_fds "$(pid_of box)")" = "0 1 2 " ]
	with_fds 50 "$SANDLOCK_OCI" --root "$ROOT" exec --detach \
		--pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1
	[ "$(open_fds "$(cat "$TMP/exec.pid")")" = "0 1 2 " ]
}

holds_gate_and_signals() {
	local fds

	read -ra fds <<<"$(open_fds "$1")"
	[ "${#fds[@]}" -eq 5 ] && [ "${fds[*]:0:3}" = "0 1 2" ] &&
		[[ $(readlink "/proc/$1/fd/${fds[3]}") = socket:* ]] &&
		[ "$(readlink "/proc/$1/fd/${fds[4]}")" = \
			"anon_inode:[signalfd]" ]
}

@test "the child that waits for start has 0, 1, 2, the gate and its signals open, and nothing else" {
	requires root mkfifo
	mkfifo "$TMP/fifo"
	new_bundle box
	args sleep 1000
	with_fds 50 "$SANDLOCK_OCI" --root "$ROOT" create --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	wait_until holds_gate_and_signals "$(pid_of box)"
	oci start box
	[ "$(open_fds "$(pid_of box)")" = "0 1 2 " ]
}

@test "--preserve-fds passes exactly the descriptors it counts, for create, run and exec" {
	requires root mkfifo
	local pid

	mkfifo "$TMP/fifo"
	new_bundle box
	args sleep 1000
	with_fds 20 "$SANDLOCK_OCI" --root "$ROOT" create --preserve-fds 3 \
		--bundle "$BUNDLE" box </dev/null >/dev/null 2>&1
	oci start box
	pid=$(pid_of box)
	[ "$(open_fds "$pid")" = "0 1 2 3 4 5 " ]
	[ "$(readlink "/proc/$pid/fd/4")" = "$TMP/fifo" ]
	with_fds 20 "$SANDLOCK_OCI" --root "$ROOT" exec --preserve-fds 2 \
		--detach --pid-file "$TMP/exec.pid" box sleep 1000 \
		</dev/null >/dev/null 2>&1
	[ "$(open_fds "$(cat "$TMP/exec.pid")")" = "0 1 2 3 4 " ]
}

@test "a preserved descriptor can be read by the program" {
	requires root
	new_bundle box
	args cat /proc/self/fd/3
	echo through >"$TMP/file"
	run_ok "$SANDLOCK_OCI" --root "$ROOT" run --preserve-fds 1 \
		--bundle "$BUNDLE" box 3<"$TMP/file"
	[ "$output" = through ]
	args sleep 1000
	start_container box
	run_ok "$SANDLOCK_OCI" --root "$ROOT" exec --preserve-fds 1 box \
		cat /proc/self/fd/3 3<"$TMP/file"
	[ "$output" = through ]
}

@test "--preserve-fds reports a descriptor that is not open" {
	requires root
	new_bundle box
	run_bad "--preserve-fds 2: descriptor 4 is not open" \
		"$SANDLOCK_OCI" --root "$ROOT" run --preserve-fds 2 \
		--bundle "$BUNDLE" box 3</dev/null 4<&-
	assert_gone box
	run_bad "--preserve-fds" oci run --preserve-fds many \
		--bundle "$BUNDLE" box
	run_bad "--preserve-fds" oci run --preserve-fds 4294967295 \
		--bundle "$BUNDLE" box
	args sleep 1000
	start_container box
	run oci exec --preserve-fds 1 box true
	[ "$status" -eq 255 ]
	assert_output_has "--preserve-fds 1: descriptor 3 is not open"
}

@test "run passes the sockets of LISTEN_FDS on, before the preserved descriptors" {
	requires root
	new_bundle box
	config '.process.env += ["LISTEN_FDS=9", "LISTEN_PID=9"]'
	args sh -c 'echo "$LISTEN_FDS $LISTEN_PID"
		for f in 3 4 5 6 7; do [ ! -e /proc/$$/fd/$f ] || echo $f; done'
	# LISTEN_PID must be the runtime's own.
	run_ok bash -c 'LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"' bash \
		"$SANDLOCK_OCI" --root "$ROOT" run --preserve-fds 1 \
		--bundle "$BUNDLE" box 3</dev/null 4</dev/null 5</dev/null \
		6</dev/null
	[ "$output" = $'2 1\n3\n4\n5' ]
}

@test "run passes no LISTEN_FDS on that are meant for another process" {
	requires root
	new_bundle box
	args sh -c 'echo "<$LISTEN_FDS>"; [ ! -e /proc/$$/fd/3 ]'
	LISTEN_PID=1 LISTEN_FDS=1 run_ok "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box 3</dev/null
	[ "$output" = "<>" ]
}

# ---- standard input and output ----

@test "closed standard descriptors become the null device, not the next file opened" {
	requires root
	new_bundle box
	args sleep 1000
	"$SANDLOCK_OCI" --root "$ROOT" run --detach --bundle "$BUNDLE" box \
		<&- >&- 2>&- 3>&-
	[ "$(open_fds "$(pid_of box)")" = "0 1 2 " ]
	for fd in 0 1 2; do
		[ "$(stat -L -c %t:%T "/proc/$(pid_of box)/fd/$fd")" = 1:3 ]
	done
}

@test "the null device of the program is the container's own" {
	requires root
	new_bundle box
	args sleep 1000
	start_container box
	[ "$(stat -L -c %d:%i "/proc/$(pid_of box)/fd/0")" = \
		"$(stat -c %d:%i "/proc/$(pid_of box)/root/dev/null")" ]
	[ "$(stat -L -c %d:%i "/proc/$(pid_of box)/fd/0")" != \
		"$(stat -c %d:%i /dev/null)" ]
}

@test "run and exec --user leave the owner of the host's null device unchanged" {
	requires root
	local before

	before=$(stat -c %u:%g:%a /dev/null)
	new_bundle box
	args sleep 1000
	config '.process.user.uid = 1234'
	start_container box
	run_ok oci exec --user 4321:4321 box true </dev/null
	[ "$(stat -c %u:%g:%a /dev/null)" = "$before" ]
	[ "$(stat -c %u "/proc/$(pid_of box)/root/dev/null")" = 0 ]
}

@test "the container's user owns the pipes and can open /dev/stdout again" {
	requires root
	new_bundle box
	args sh -c 'echo again >/dev/stdout'
	config '.process.user = {uid: 1234, gid: 1234} |
		del(.process.capabilities)'
	run_ok bash -c '"$@" | cat' bash "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "$output" = again ]
}

# ---- pids ----

@test "the pid file has the pid and nothing else, and belongs to the caller" {
	requires root
	new_bundle box
	args sleep 1000
	mkdir "$TMP/here"
	cd "$TMP/here"
	echo "something much longer than any pid" >relative.pid
	oci create --pid-file relative.pid --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	[ "$(od -An -c <relative.pid | tr -d ' \n')" = "$(pid_of box)" ]
	[ "$(stat -c %a relative.pid)" = 644 ]
	[ "$(find . -type f | wc -l)" -eq 1 ]
}

# without_tmpfile COMMAND...: as on a file system where each file has a name.
without_tmpfile() {
	strace -f -q -o "$TMP/trace" -P "$TMP" -e trace=openat \
		-e inject=openat:error=EOPNOTSUPP "$@"
}

@test "a pid file is written whole on a file system without O_TMPFILE" {
	requires root strace
	new_bundle box
	echo before >"$TMP/pid"
	without_tmpfile "$SANDLOCK_OCI" --root "$ROOT" run --detach \
		--bundle "$BUNDLE" --pid-file "$TMP/pid" box </dev/null 3>&-
	grep -q 'O_TMPFILE.*INJECTED' "$TMP/trace"
	[[ "$(cat "$TMP/pid")" =~ ^[0-9]+$ ]]
	[ "$(stat -c %a "$TMP/pid")" = 644 ]
	[ ! -e "$TMP/pid.tmp" ]
	oci delete --force box
}

@test "create follows no link beside the pid file on a file system without O_TMPFILE" {
	requires root strace
	new_bundle box
	echo sentinel >"$TMP/file"
	ln -s "$TMP/file" "$TMP/pid.tmp"
	run_bad "--pid-file: create $TMP/pid.tmp" without_tmpfile \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" \
		--pid-file "$TMP/pid" box
	[ "$(cat "$TMP/file")" = sentinel ]
	assert_gone box
}

@test "create fails and leaves nothing if the pid file cannot be written" {
	requires root
	new_bundle box
	run_bad "--pid-file: " oci create --pid-file /no/such/dir/pid \
		--bundle "$BUNDLE" box
	assert_gone box
}

@test "create sends a pidfd of the process in one message" {
	requires root python3
	new_bundle box
	args sleep 1000
	run_ok "$BATS_TEST_DIRNAME/terminal.py" receive "$TMP/socket" \
		bash -c '"$@" >/dev/null 2>&1 </dev/null' bash \
		"$SANDLOCK_OCI" --root "$ROOT" create \
		--pidfd-socket "$TMP/socket" --bundle "$BUNDLE" box
	[ "${lines[0]}" = "message pidfd descriptors 1 more 0" ]
	[ "${lines[1]}" = "pid $(pid_of box)" ]
	oci start box
	run_ok "$BATS_TEST_DIRNAME/terminal.py" receive "$TMP/socket2" \
		bash -c '"$@" >/dev/null 2>&1 </dev/null' bash \
		"$SANDLOCK_OCI" --root "$ROOT" exec --detach \
		--pid-file "$TMP/exec.pid" --pidfd-socket "$TMP/socket2" \
		box sleep 1000
	[ "${lines[0]}" = "message pidfd descriptors 1 more 0" ]
	[ "${lines[1]}" = "pid $(cat "$TMP/exec.pid")" ]
}

@test "create fails and leaves nothing if nobody listens on the pidfd socket" {
	requires root
	new_bundle box
	run_bad "pidfd socket: " oci create --bundle "$BUNDLE" \
		--pidfd-socket "$TMP/none" box
	assert_gone box
}
