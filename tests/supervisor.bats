#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/supervisor.bats - the process that lives as long as a container with a policy that needs it.

load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
	args sleep 1000
	annotate_policy config.supervisor=true
}

# field NAME: of the record of box.
field() {
	jq -r ".$1 // empty" "$ROOT/box/state.json"
}

# parent_of PID
parent_of() {
	sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status"
}

# children_of PID
children_of() {
	cat "/proc/$1/task/$1/children"
}

# runtime_processes: how many processes of the runtime name this state directory.
runtime_processes() {
	# One process for all, as a busy machine has thousands, and not for itself.
	set -- /proc/[0-9]*/cmdline
	grep -lsaF -- "$ROOT" "$@" | wc -l
}

# wait_gone PID...: each of them ends, or is a zombie.
wait_gone() {
	local pid i

	for pid; do
		for ((i = 0; i < 500; i++)); do
			! grep -q '^State:[[:space:]]*[^ZX]' \
				"/proc/$pid/status" 2>/dev/null || {
				sleep 0.02
				continue
			}
			continue 2
		done
		echo "process $pid lives on: $(cat "/proc/$pid/status")"
		return 1
	done
}

# processes_inside PID: all pids of its pid namespace.
processes_inside() {
	find /proc/[0-9]*/ns/pid -lname "$(readlink "/proc/$1/ns/pid" |
		sed 's/[][]/\\&/g')" 2>/dev/null | cut -d / -f 3
}

# ---- which policy has one ----

@test "a policy without such a key starts no other process" {
	annotate_policy network.mode=deny
	start_box
	[ -z "$(field supervisor)" ]
	# The parent of init is not of the runtime.
	[[ "$(cat "/proc/$(parent_of "$PID")/comm")" != sandlock* ]]
	run_ok oci explain "$BUNDLE"
	[[ "$output" != *supervisor* ]]
}

@test "explain and the plan name the key that needs a supervisor" {
	run_ok oci explain "$BUNDLE"
	assert_output_has "because of config.supervisor"
	run_ok oci create --bundle "$BUNDLE" --dump-plan box
	assert_output_has "have a supervisor because of config.supervisor"
}

@test "config.supervisor = false with a key that needs one names the key" {
	annotate_policy config.supervisor=false filesystem.write=/tmp \
		filesystem.deny=/tmp/secret
	run_bad "config.supervisor is false, but filesystem.deny requires a supervisor" \
		run_bundle
	assert_gone box
}

@test "a supervisor requires the container's own pid namespace" {
	without_namespace pid
	run_bad "config.supervisor requires a supervisor, and that requires a new pid namespace" \
		create box
	assert_gone box
}

# ---- the process tree ----

@test "the supervisor is the parent of init, outside its namespaces and cgroup" {
	local super ns

	start_box
	super=$(field supervisor)
	[ "$super" -gt 1 ]
	[ "$(parent_of "$PID")" -eq "$super" ]
	[ "$(pid_of box)" -eq "$PID" ]
	[ "$(cut -d' ' -f22 "/proc/$super/stat")" = "$(field supervisorStart)" ]
	[ "$(wc -l <<<"$(ls "/proc/$super/task")")" -eq 1 ]
	for ns in mnt pid net ipc uts; do
		[ "$(readlink "/proc/$super/ns/$ns")" = "$(readlink "/proc/self/ns/$ns")" ]
	done
	# Not in the list of the container's processes.
	run_ok oci ps -f json box
	[ "$output" = "[$PID]" ]
}

@test "the supervisor keeps nothing of its caller open" {
	create box 9</dev/zero
	[ "$(readlink "/proc/$(field supervisor)/cwd")" = / ]
	for fd in 0 1 2; do
		[ "$(readlink "/proc/$(field supervisor)/fd/$fd")" = /dev/null ]
	done
	# The state directory, its two processes, the link to one of them, and
	# the control socket.
	run_ok ls "/proc/$(field supervisor)/fd"
	[ "${#lines[@]}" -eq 8 ]
}

@test "the supervisor is confined" {
	local super

	start_box
	super=$(field supervisor)
	grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$super/status"
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$super/status"
	# CAP_KILL and CAP_SYS_PTRACE
	grep -q '^CapEff:[[:space:]]*0000000000080020' "/proc/$super/status"
	grep -q '^CapPrm:[[:space:]]*0000000000080020' "/proc/$super/status"
	# Another process of root needs CAP_SYS_PTRACE to look at it.
	run setpriv --bounding-set -sys_ptrace readlink "/proc/$super/exe"
	[ "$status" -ne 0 ]
	readlink "/proc/$super/exe"
}

@test "an idle supervisor has at most 1 MiB of private memory" {
	requires static
	local super kib

	start_box
	super=$(field supervisor)
	kib=$(awk '/^Private_/ { n += $2 } END { print n }' \
		"/proc/$super/smaps_rollup")
	echo "supervisor: $kib KiB"
	[ "$kib" -le 1024 ]
	for guard in $(children_of "$super"); do
		[ "$guard" -ne "$PID" ] || continue
		kib=$(awk '/^Private_/ { n += $2 } END { print n }' \
			"/proc/$guard/smaps_rollup")
		echo "guard: $kib KiB"
		[ "$kib" -le 1024 ]
	done
}

@test "the supervisor has a cgroup of its own, which delete removes" {
	local super cgroup

	requires cgroupfs
	start_box
	super=$(field supervisor)
	cgroup=$(jq -r '.supervisorCgroups[0].path' "$ROOT/box/state.json")
	grep -qx "$super" "$cgroup/cgroup.procs"
	[ "$(grep -cx "$PID" "$cgroup/cgroup.procs")" -eq 0 ]
	[ "$(dirname "$cgroup")" = \
		"$(dirname "$(jq -r '.cgroups[0].path' "$ROOT/box/state.json")")" ]
	oci delete --force box
	[ ! -e "$cgroup" ]
	wait_gone "$super"
}

# ---- the exit status ----

# shim SCRIPT: what a subreaper learns of a container that runs it.
shim() {
	args sh -c "$1"
	run_ok "$TESTS/subreaper.py" "$TMP/box.pid" "
		'$SANDLOCK_OCI' --root '$ROOT' create --bundle '$BUNDLE' \
			--pid-file '$TMP/box.pid' box </dev/null >'$TMP/out' 2>&1 &&
		'$SANDLOCK_OCI' --root '$ROOT' start box"
	oci delete box
}

@test "the subreaper gets the status of init" {
	shim 'exit 0'
	[ "$output" = "exited 0" ]
	shim 'exit 7'
	[ "$output" = "exited 7" ]
	# Process 1 gets no signal that it does not handle, so from outside.
	shim 'sleep 0.1; exit 255'
	[ "$output" = "exited 255" ]
}

@test "the subreaper gets the signal that killed init" {
	args sleep 1000
	run_ok "$TESTS/subreaper.py" "$TMP/box.pid" "
		'$SANDLOCK_OCI' --root '$ROOT' create --bundle '$BUNDLE' \
			--pid-file '$TMP/box.pid' box </dev/null >'$TMP/out' 2>&1 &&
		'$SANDLOCK_OCI' --root '$ROOT' start box &&
		'$SANDLOCK_OCI' --root '$ROOT' kill box KILL"
	[ "$output" = "killed 9" ]
	oci delete box
}

@test "run in the foreground and run --detach give the status as without it" {
	requires static
	args sh -c 'exit 7'
	run run_bundle
	[ "$status" -eq 7 ]
	assert_gone box
	args sleep 1000
	oci run --detach --bundle "$BUNDLE" --pid-file "$TMP/box.pid" box \
		</dev/null >"$TMP/out" 2>&1
	[ "$(parent_of "$(cat "$TMP/box.pid")")" -eq "$(field supervisor)" ]
}

@test "create reports its error once, and leaves nothing" {
	config '.mounts += [{destination: "/x", type: "bind",
		source: "/no/such", options: ["bind"]}]'
	run oci create --bundle "$BUNDLE" box
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	assert_output_has /no/such
	assert_gone box
	[ "$(runtime_processes)" -eq 0 ]
}

# ---- commands ----

@test "exec, pause, resume, ps and kill work as without a supervisor" {
	start_box
	run_ok oci exec box echo inside
	[ "$output" = inside ]
	oci pause box
	[ "$(oci state box | jq -r .status)" = paused ]
	oci resume box
	oci kill box KILL
	wait_gone "$PID" "$(field supervisor)"
	[ "$(oci state box | jq -r .status)" = stopped ]
	oci delete box
	assert_gone box
}

# ---- its death ----

@test "SIGKILL of the supervisor kills all processes of the container" {
	local inside

	start_box sh -c 'sleep 1000 & sleep 1000 & wait'
	oci exec --detach box sleep 1000
	inside=$(processes_inside "$PID")
	[ "$(wc -l <<<"$inside")" -ge 4 ]
	kill -KILL "$(field supervisor)"
	# shellcheck disable=SC2086 # a list
	wait_gone $inside
	[ "$(oci state box | jq -r .status)" = stopped ]
	oci delete box
	assert_gone box
	[ "$(runtime_processes)" -eq 0 ]
}

@test "SIGKILL of the supervisor of a created container kills its init" {
	local pid

	create box
	pid=$(pid_of box)
	kill -KILL "$(field supervisor)"
	wait_gone "$pid"
	oci delete --force box
	assert_gone box
}

@test "a program that changes its user dies with the supervisor" {
	# That switches off the signal at the death of the parent.
	config '.process.capabilities[] += ["CAP_SETUID", "CAP_SETGID"]'
	start_box su -s /bin/sh daemon -c 'exec sleep 1000'
	until grep -q '^Uid:[[:space:]]*1[[:space:]]' "/proc/$PID/status"; do
		sleep 0.02
	done
	kill -KILL "$(field supervisor)"
	wait_gone "$PID"
}

# run_box ARG...: in the foreground of RUNS; PID is its init, a new user's.
run_box() {
	config '.process.capabilities[] += ["CAP_SETUID", "CAP_SETGID"]'
	args su -s /bin/sh daemon -c "$*"
	setsid "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box \
		</dev/null >"$TMP/run.out" 2>&1 3>&- &
	RUNS=$!
	wait_until test -e "$ROOT/box/state.json"
	wait_until has_user daemon
}

# has_user NAME: init of box is a process of this user.
has_user() {
	PID=$(field pid) && [ "$(stat -c %U "/proc/$PID")" = "$1" ]
}

@test "a program that changes its user dies with run in the foreground" {
	local inside

	run_box 'sleep 1000 & sleep 1000 & wait'
	oci exec --detach box sleep 1000
	inside=$(processes_inside "$PID")
	[ "$(wc -l <<<"$inside")" -ge 4 ]
	kill -KILL "$RUNS"
	wait "$RUNS" || true
	# shellcheck disable=SC2086 # a list
	wait_gone $inside
	oci delete --force box
	assert_gone box
	[ "$(runtime_processes)" -eq 0 ]
}

@test "SIGKILL of the process group of run in the foreground ends the container" {
	run_box 'exec sleep 1000'
	kill -KILL -- "-$(ps -o pgid= -p "$RUNS" | tr -d ' ')"
	wait "$RUNS" || true
	wait_gone "$PID"
	oci delete --force box
	[ "$(runtime_processes)" -eq 0 ]
}

@test "run in the foreground ends if its guard is killed, and leaves none" {
	local guard status=0

	run_box 'exec sleep 1000'
	for guard in $(children_of "$RUNS"); do
		[ "$guard" -eq "$PID" ] || break
	done
	[ "$guard" -ne "$PID" ]
	# It has nothing of the caller.
	[ "$(find "/proc/$guard/fd" -lname "$TMP/run.out" | wc -l)" -eq 0 ]
	kill -KILL "$guard"
	wait "$RUNS" || status=$?
	[ "$status" -eq 137 ]
	grep -F "the supervisor's guard was killed" "$TMP/run.out"
	[ "$(runtime_processes)" -eq 0 ]
	args sh -c 'exit 7'
	run oci run --bundle "$BUNDLE" box
	[ "$status" -eq 7 ]
	[ -z "$output" ]
	[ "$(runtime_processes)" -eq 0 ]
}

@test "SIGKILL of the guard ends the container" {
	local guard super

	start_box
	super=$(field supervisor)
	for guard in $(children_of "$super"); do
		[ "$guard" -eq "$PID" ] || break
	done
	[ "$guard" -ne "$PID" ]
	kill -KILL "$guard"
	wait_gone "$PID" "$super"
}

@test "a stopped supervisor stalls nothing, and delete --force removes it" {
	local super

	start_box sh -c 'while :; do echo x >>/tmp/now; sleep 0.02; done'
	super=$(field supervisor)
	kill -STOP "$super"
	run_ok oci exec box cat /tmp/now
	sleep 0.2
	[ "$(oci exec box cat /tmp/now)" != "$output" ]
	oci pause box
	oci resume box
	oci delete --force box
	wait_gone "$super" "$PID"
	assert_gone box
}

# ---- seccomp listeners ----

# pass_calls: processes of exec get a filter whose calls a supervisor answers,
# as if a key of the policy asked for it. Its first instruction is a return.
pass_calls() {
	local saved=$ROOT/box/enforcement.json

	# RET USER_NOTIF for getpgid, ALLOW for all others.
	jq -c --arg nr "$(printf %08x "$(getpgid_number)")" '
		.filter.program = "000600007fff0000" |
		.notify = {architecture: .filter.architecture, flags: 0,
			program: ("0020000000000000" + "00150001" + $nr +
				"000600007fc00000" + "000600007fff0000")}' \
		"$saved" >"$TMP/saved"
	cat "$TMP/saved" >"$saved"
}

getpgid_number() {
	case $(uname -m) in
	x86_64) echo 121 ;;
	aarch64) echo 155 ;;
	*) skip "the number of getpgid is not known here" ;;
	esac
}

# Runs a program as a task that has a seccomp listener already.
WITH_LISTENER='import ctypes, os, platform, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
code = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7fff0000))
prog = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(code)))
number = 317 if platform.machine() == "x86_64" else 277
libc.prctl(38, 1, 0, 0, 0)
fd = libc.syscall(number, 1, 8, prog)
if fd < 0:
    sys.exit("no listener: " + os.strerror(ctypes.get_errno()))
# The listener must stay open as long as the program runs.
sys.exit(subprocess.run(sys.argv[1:]).returncode)'

@test "exec passes its listener to the supervisor, and runs nothing if that refuses" {
	requires root jq
	start_container box
	run_ok oci exec box true
	pass_calls
	run oci exec box sh -c 'echo ran'
	[ "$status" -eq 255 ]
	assert_output_has "pass the seccomp listener of the process to the supervisor of container box" \
		"no key of the policy needs a seccomp listener"
	[[ $output != *ran* ]]
	# Nobody answers without a supervisor.
	kill -STOP "$(jq .supervisor "$ROOT/box/state.json")"
	mv "$ROOT/box/control" "$ROOT/box/other"
	run oci exec box sh -c 'echo ran'
	[ "$status" -eq 255 ]
	assert_output_has "connect to the control socket"
	kill -CONT "$(jq .supervisor "$ROOT/box/state.json")"
}

@test "a task that has a seccomp listener already is refused by name" {
	requires root jq python3
	start_container box
	run_ok python3 -c "$WITH_LISTENER" "$SANDLOCK_OCI" --root "$ROOT" exec box true
	pass_calls
	run python3 -c "$WITH_LISTENER" "$SANDLOCK_OCI" --root "$ROOT" exec box \
		sh -c 'echo ran'
	[ "$status" -eq 255 ]
	assert_output_has "supervisor: a seccomp filter with a listener is needed" \
		"already has a listener, and the kernel allows only one"
	[[ $output != *ran* ]]
}
