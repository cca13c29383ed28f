#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/signals.bats - signals and exit statuses between the caller and the program.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# unruly COMMAND...: with signals ignored and blocked that a shell cannot reset.
unruly() {
	python3 -c '
import ctypes, os, signal, sys
for s in (signal.SIGPIPE, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD,
          signal.SIGTERM, signal.SIGRTMIN + 3):
    signal.signal(s, signal.SIG_IGN)
# The two that the C library keeps for itself: by the system call alone.
call = {"x86_64": 13, "aarch64": 134}[os.uname().machine]
for s in (32, 33):
    ctypes.CDLL(None).syscall(call, s, (ctypes.c_ulong * 4)(1), None, 8)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1,
    signal.SIGRTMAX])
os.execvp(sys.argv[1], sys.argv[1:])' "$@" 3>&-
}

# assert_exit JOB STATUS: it ends, and so.
assert_exit() {
	local r=0

	wait "$1" || r=$?
	[ "$r" -eq "$2" ]
}

# signals_of STATUS: those blocked, ignored and caught.
signals_of() {
	grep -E '^Sig(Blk|Ign|Cgt)' "$1" | cut -f2 | sort -u
}

# ---- what the program inherits ----

@test "the program begins with no signal blocked or ignored" {
	requires root python3
	new_bundle box
	args grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status
	run_ok unruly "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	[ "$(cut -f2 <<<"$output" | sort -u)" = 0000000000000000 ]
	args sleep 1000
	unruly "$SANDLOCK_OCI" --root "$ROOT" create --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	unruly "$SANDLOCK_OCI" --root "$ROOT" start box
	[ "$(signals_of "/proc/$(pid_of box)/status")" = 0000000000000000 ]
	run_ok unruly "$SANDLOCK_OCI" --root "$ROOT" exec box \
		grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status
	[ "$(cut -f2 <<<"$output" | sort -u)" = 0000000000000000 ]
}

@test "a program writing into a closed pipe ends by SIGPIPE" {
	requires root
	new_bundle box
	# Not as init: that one is spared signals of its own making.
	args sh -c 'yes; exit $?'
	run bash -c '"$0" --root "$1" run --bundle "$2" box | head -n 2
		exit "${PIPESTATUS[0]}"' "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	[ "$status" -eq $((128 + 13)) ]
}

# ---- exit statuses ----

@test "run and exec exit with the program's status" {
	requires root
	new_bundle box
	args sh -c 'exit 37'
	run run_bundle
	[ "$status" -eq 37 ]
	[ -z "$output" ]
	assert_gone box
	args sleep 1000
	start_container box
	run oci exec box sh -c 'exit 38'
	[ "$status" -eq 38 ]
}

@test "run and exec of a program killed by a signal exit with 128 and its number" {
	requires root
	start_sleeping box
	run oci exec box sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	run oci exec box sh -c 'kill -SEGV $$'
	[ "$status" -eq 139 ]
}

@test "run of an init killed from outside exits with 128 and the signal's number" {
	requires root
	local job

	new_bundle box
	args sleep 1000
	oci run --bundle "$BUNDLE" box </dev/null 3>&- &
	job=$!
	wait_until has_status box running
	oci kill box KILL
	assert_exit "$job" 137
	assert_gone box
}

# ---- passing signals on ----

# start_listening COMMAND...: it says "ready" to $TMP/out once its traps are
# set; $JOB is the runtime.
start_listening() {
	"$@" </dev/null >"$TMP/out" 2>&1 3>&- &
	JOB=$!
	wait_until grep -q ready "$TMP/out"
}

LISTENER='trap "echo got hup" HUP; trap "echo got usr1" USR1
trap "echo got winch" WINCH; trap "echo got int" INT
trap "echo got term; exit 9" TERM; echo ready
while :; do sleep 0.05; done'

@test "signals to run in the foreground reach the program" {
	requires root
	local name

	new_bundle box
	args sh -c "$LISTENER"
	start_listening exec_oci run --bundle "$BUNDLE" box
	for name in HUP USR1 WINCH INT; do
		kill -$name "$JOB"
		wait_until grep -q "got ${name,,}" "$TMP/out"
	done
	kill -TERM "$JOB"
	assert_exit "$JOB" 9
	grep -q "got term" "$TMP/out"
	assert_gone box
}

# As sandlock, without a shell between: $! is the runtime's pid.
exec_oci() {
	exec "$SANDLOCK_OCI" --root "$ROOT" "$@"
}

@test "signals to exec in the foreground reach the program" {
	requires root
	local name

	start_sleeping box
	start_listening exec_oci exec box sh -c "$LISTENER"
	for name in HUP USR1 INT; do
		kill -$name "$JOB"
		wait_until grep -q "got ${name,,}" "$TMP/out"
	done
	kill -TERM "$JOB"
	assert_exit "$JOB" 9
	grep -q "got term" "$TMP/out"
	assert_status box running
}

@test "run passes the status on to a caller that ignores SIGCHLD" {
	requires root python3
	new_bundle box
	args sh -c 'exit 12'
	run unruly "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	[ "$status" -eq 12 ]
	assert_gone box
}

# ---- run --detach and --keep ----

@test "run --detach returns at once and leaves the container" {
	requires root
	new_bundle box
	args sleep 1000
	oci run --detach --pid-file "$TMP/pid" --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	assert_status box running
	[ "$(cat "$TMP/pid")" = "$(pid_of box)" ]
}

@test "run --detach reports a program that cannot run, and leaves nothing" {
	requires root
	new_bundle box
	args /no/such
	run_bad 'exec: "/no/such"' oci run --detach --bundle "$BUNDLE" box
	assert_gone box
	printf '#!/no/interpreter\n' >"$BUNDLE/rootfs/run.sh"
	chmod 0755 "$BUNDLE/rootfs/run.sh"
	args /run.sh
	run_bad "exec /run.sh: no such file" oci run --detach \
		--pid-file "$TMP/pid" --bundle "$BUNDLE" box
	assert_gone box
	[ ! -e "$TMP/pid" ]
}

@test "run --keep leaves a stopped container, which delete removes" {
	requires root
	new_bundle box
	args sh -c 'exit 3'
	run oci run --keep --bundle "$BUNDLE" box
	[ "$status" -eq 3 ]
	assert_status box stopped
	run_bad "already exists" run_bundle
	oci delete box
	assert_gone box
}

@test "delete --force ends a run in the foreground" {
	requires root
	new_bundle box
	args sleep 1000
	exec_oci run --bundle "$BUNDLE" box </dev/null 3>&- &
	JOB=$!
	wait_until has_status box running
	run_bad "cannot delete container box that is not stopped: running" \
		oci delete box
	oci delete --force box
	assert_exit "$JOB" 137
	assert_gone box
}

@test "run reaps orphans of the program, unless --no-subreaper is given" {
	requires root
	new_bundle box
	# The host's pid namespace: orphans go to the next subreaper.
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sh -c '(sleep 1000 & echo $! >/tmp/orphan); sleep 1000'
	start_listening_orphan() {
		exec_oci run "$@" --bundle "$BUNDLE" box </dev/null \
			>/dev/null 2>&1 3>&- &
		JOB=$!
		wait_until [ -s "$BUNDLE/rootfs/tmp/orphan" ]
		wait_until has_new_parent
	}
	has_new_parent() {
		PARENT=$(ps -o ppid= -p "$(cat "$BUNDLE/rootfs/tmp/orphan")" |
			tr -d ' ')
		[ "$PARENT" != "$(pid_of box)" ]
	}
	start_listening_orphan
	[ "$PARENT" = "$JOB" ]
	oci kill box KILL
	assert_exit "$JOB" 137
	rm "$BUNDLE/rootfs/tmp/orphan"
	start_listening_orphan --no-subreaper
	[ "$PARENT" != "$JOB" ]
	oci kill box KILL
	assert_exit "$JOB" 137
	assert_gone box
}

@test "create, start, exec, kill and delete print nothing on success" {
	requires root
	new_bundle box
	args sleep 1000
	{
		oci create --bundle "$BUNDLE" box
		oci start box
		oci exec --detach box sleep 1000
		oci exec box true
		oci kill box KILL
		wait_until has_status box stopped
		oci delete box
	} </dev/null >"$TMP/out" 2>&1
	[ ! -s "$TMP/out" ]
}
