#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/exec.bats - one more program in a container: every option, every state.
# shellcheck disable=SC2016,SC2030,SC2031 # the dollars are the container's

load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle box
	args sleep 1000
	config '.process.env += ["COLOUR=red"]'
}

# exec_fails TEXT ARGUMENT...: exec's own failures are 255.
exec_fails() {
	local text=$1

	shift
	run oci exec "$@"
	if [ "$status" -ne 255 ] || [[ $output != *"$text"* ]]; then
		echo "expected status 255 and \"$text\" from: exec $*"
		echo "status $status: $output"
		return 1
	fi
}

# process_file JQ...: $TMP/process.json, from the container's own process.
process_file() {
	jq "$@" <(jq .process "$BUNDLE/config.json") >"$TMP/process.json"
}

# output_is LINE...: the output of the last `run` is exactly this.
output_is() {
	[ "$output" = "$(printf '%s\n' "$@")" ] || {
		echo "$output"
		return 1
	}
}

# ---- status ----

@test "exec ends with the program's status, or 128 and its signal" {
	start_container box
	run oci exec box sh -c 'exit 42'
	[ "$status" -eq 42 ]
	run oci exec box sh -c 'kill -KILL $$'
	[ "$status" -eq 137 ]
	run_ok oci exec box true
	[ -z "$output" ]
}

@test "a failure of exec itself is status 255 and one line" {
	start_container box
	exec_fails "does not exist" nobody true
	exec_fails 'exec: "no-such": executable file not found in $PATH' \
		box no-such
	exec_fails 'exec: "/no/such": stat /no/such: no such file or directory' \
		box /no/such
	exec_fails 'exec: "/etc/passwd": permission denied' box /etc/passwd
	exec_fails "unknown option" --no-such-option box true
	exec_fails "give a program or --process" box
	exec_fails "give a program or --process" box ""
	exec_fails "--process: open /no/such: no such file or directory" \
		--process /no/such box
	[ "${#lines[@]}" -eq 1 ]
}

@test "exec --detach of a missing program fails with 255" {
	start_container box
	exec_fails 'exec: "no-such": executable file not found in $PATH' \
		--detach --pid-file "$TMP/pid" box no-such
	[ ! -e "$TMP/pid" ]
}

@test "exec passes stdin, stdout and stderr" {
	start_container box
	[ "$(oci exec box cat <<<hello)" = hello ]
	[ "$(oci exec box sh -c 'echo out; echo err >&2' 2>/dev/null)" = out ]
	[ "$(oci exec box sh -c 'echo out; echo err >&2' 2>&1 >/dev/null)" = err ]
}

@test "exec passes every word after the ID to the program" {
	start_container box
	run_ok oci exec box echo --cwd -t --user x
	[ "$output" = "--cwd -t --user x" ]
}

# ---- states ----

@test "exec works in a container that is not started yet" {
	create box
	run_ok oci exec box echo early
	[ "$output" = early ]
	assert_status box created
	oci start box
	assert_status box running
}

@test "exec before start sees the container as it will be" {
	create box
	run_ok oci exec box sh -c 'hostname; ls /dev/null /etc/passwd'
	output_is sandlock /dev/null /etc/passwd
}

@test "exec refuses a stopped container" {
	args true
	start_container box
	wait_until has_status box stopped
	exec_fails "cannot exec in a stopped container" box true
}

# freeze FROZEN|THAWED: as pause and resume will do.
freeze() {
	echo "$1" >"/sys/fs/cgroup/freezer$(cgroup_of box)/freezer.state"
}

@test "exec refuses a paused container, or waits until it is resumed" {
	requires cgroup1
	start_container box
	freeze FROZEN
	wait_until has_status box paused
	exec_fails "cannot exec in a paused container (use --ignore-paused to override)" \
		box true
	oci exec --ignore-paused box sh -c 'echo done' >"$TMP/done" &
	# It has joined the frozen cgroup, and is stuck in there.
	wait_until eval '[ "$(wc -l <"/sys/fs/cgroup/freezer$(cgroup_of box)/tasks")" -ge 2 ]'
	[ ! -s "$TMP/done" ]
	freeze THAWED
	wait $!
	[ "$(cat "$TMP/done")" = "done" ]
}

# ---- options about the process ----

@test "exec --cwd sets the working directory" {
	start_container box
	run_ok oci exec --cwd /etc box pwd
	[ "$output" = /etc ]
	exec_fails "--cwd etc: must be an absolute path" --cwd etc box pwd
	exec_fails "no such file or directory" --cwd /no/such box pwd
}

@test "exec --env adds to the container's environment, and the last value wins" {
	start_container box
	run_ok oci exec --env A=1 -e B=2 -e A=3 -e COLOUR=blue box env
	[ "$(grep -c ^A= <<<"$output")" -eq 1 ]
	[ "$(grep -c ^COLOUR= <<<"$output")" -eq 1 ]
	grep -qx A=3 <<<"$output"
	grep -qx B=2 <<<"$output"
	grep -qx COLOUR=blue <<<"$output"
	grep -q ^PATH= <<<"$output"
	grep -qx HOME=/root <<<"$output"
	run_ok oci exec -e HOME= --user 1 box sh -c 'echo $HOME'
	[ "$output" = /tmp ]
	exec_fails "--env 'A': not of the form KEY=VALUE" --env A box env
	exec_fails "--env '=A': not of the form KEY=VALUE" --env =A box env
}

@test "exec --env PATH= decides where the program is found" {
	start_container box
	cp "$BUNDLE/rootfs/bin/busybox" "$BUNDLE/rootfs/tmp/busybox"
	run_ok oci exec --env PATH=/tmp box busybox echo found
	[ "$output" = found ]
	exec_fails "executable file not found" --env PATH=/tmp box echo
}

@test "exec --user takes two numbers and nothing else" {
	local bad

	start_container box
	run_ok oci exec --user 1 box sh -c 'id -u; id -g'
	[ "$output" = $'1\n0' ]
	run_ok oci exec -u 7:8 box sh -c 'id -u; id -g; id -G'
	[ "$output" = $'7\n8\n8' ]
	run_ok oci exec --user 4294967294:4294967294 box id -u
	[ "$output" = 4294967294 ]
	# CVE-2024-40635, CVE-2026-30892: never another user, never root.
	for bad in 4294967296 -1 4294967295 18446744073709551616 1:2:3 1x '' \
		' 1' 0x1 '1 ' 1: :1 root 1:daemon 1:4294967296 01x '+1'; do
		exec_fails "--user $bad: " --user="$bad" box id
	done
}

# CVE-2016-3697
@test "exec --additional-gids adds groups" {
	start_container box
	run_ok oci exec -u 1:2 -g 10 --additional-gids 20 box id -G
	[ "$output" = "2 10 20" ]
	exec_fails "--additional-gids x: " --additional-gids x box id
}

@test "exec --no-new-privs sets no_new_privs, which otherwise is the container's" {
	config '.process.noNewPrivileges = false'
	start_container box
	run_ok oci exec box grep NoNewPrivs /proc/self/status
	[ "$output" = $'NoNewPrivs:\t0' ]
	run_ok oci exec --no-new-privs box grep NoNewPrivs /proc/self/status
	[ "$output" = $'NoNewPrivs:\t1' ]
}

@test "exec --cap adds a capability, for root and for other users" {
	start_container box
	run_ok oci exec --cap CAP_SYS_TIME box grep CapEff /proc/self/status
	[[ $output = *0000000022000420 ]]
	run_ok oci exec -u 1 -c CAP_SYS_TIME box grep CapEff /proc/self/status
	[[ $output = *0000000002000000 ]]
	exec_fails "--cap 'CAP_FOO': unknown capability" --cap CAP_FOO box id
}

@test "exec --tty gives the program a terminal of the container" {
	requires script
	start_container box
	run_ok script -qec "$SANDLOCK_OCI --root $ROOT exec --tty box sh -c \
		'tty && stty -a | grep -o -- .onlcr'" /dev/null
	assert_output_has /dev/pts/0
	# One of both terminals adds CR to newlines, not both.
	assert_output_has onlcr
	[[ $output != *$'\r\r'* ]]
	exec_fails "cannot allocate tty if sandlock-oci will detach without setting console socket" \
		--tty --detach box true
	exec_fails "cannot use console socket if sandlock-oci will not detach or allocate tty" \
		--console-socket "$TMP/s" box true
}

@test "exec refuses --process-label and --apparmor where the host has neither" {
	start_container box
	meets selinux ||
		exec_fails "'a:b:c:d' requested, but SELinux is not enabled" \
			--process-label a:b:c:d box true
	meets apparmor ||
		exec_fails "'strict' requested, but AppArmor is not enabled" \
			--apparmor strict box true
}

# ---- --process ----

@test "exec --process reads the process from a file or a pipe, and nothing else" {
	start_container box
	process_file '.args = ["sh", "-c", "pwd; id -u; id -G; xargs -0 -n1 </proc/$$/environ"] |
		.cwd = "/etc" | .env = ["PATH=/bin", "ONLY=this"] |
		.user = {uid: 5, gid: 6, additionalGids: [7]}'
	run_ok oci exec --process "$TMP/process.json" box
	output_is /etc 5 "6 7" PATH=/bin ONLY=this HOME=/
	run_ok oci exec --process "$TMP/process.json" --cwd /tmp --user 1 \
		--env X=y --cap CAP_SYS_TIME box ignored
	output_is /etc 5 "6 7" PATH=/bin ONLY=this HOME=/
	run_ok oci exec --process /dev/stdin box <"$TMP/process.json"
	[ "${lines[0]}" = /etc ]
	mkfifo "$TMP/fifo"
	cat "$TMP/process.json" >"$TMP/fifo" 3>&- &
	run_ok oci exec -p "$TMP/fifo" box
	[ "${lines[0]}" = /etc ]
	run_ok oci exec -p <(cat "$TMP/process.json") box
	[ "${lines[0]}" = /etc ]
}

@test "exec --process has capabilities, limits and no_new_privs of its own" {
	start_container box
	process_file '.args = ["sh", "-c",
		"grep -E ^Cap\\|^NoNew /proc/self/status; ulimit -n"] |
		.capabilities = {bounding: ["CAP_KILL", "CAP_CHOWN"],
			permitted: ["CAP_KILL"], effective: ["CAP_KILL"]} |
		.noNewPrivileges = false |
		.rlimits = [{type: "RLIMIT_NOFILE", soft: 99, hard: 100}]'
	run_ok oci exec --process "$TMP/process.json" box
	output_is $'CapInh:\t0000000000000000' \
		$'CapPrm:\t0000000000000021' $'CapEff:\t0000000000000021' \
		$'CapBnd:\t0000000000000021' $'CapAmb:\t0000000000000000' \
		$'NoNewPrivs:\t0' 99
}

@test "exec --process reports the place of an error in the file" {
	start_container box
	process_file 'del(.cwd)'
	exec_fails cwd --process "$TMP/process.json" box
	process_file '.args = []'
	exec_fails args --process "$TMP/process.json" box
	process_file '.user.uid = 4294967296'
	exec_fails user.uid --process "$TMP/process.json" box
	echo '{' >"$TMP/process.json"
	exec_fails "--process $TMP/process.json: line 2, column 1" \
		--process "$TMP/process.json" box
}

# ---- detached, descriptors, cgroups ----

@test "exec --detach returns at once, and --pid-file has the pid on the host" {
	local pid

	start_container box
	cd "$TMP"
	oci exec --detach --pid-file exec.pid box sleep 1001 \
		</dev/null >/dev/null 2>&1
	pid=$(cat exec.pid)
	[ "$(wc -c <exec.pid)" -eq "${#pid}" ]
	[ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" = "sleep 1001 " ]
	[ "$(readlink "/proc/$pid/ns/pid")" = \
		"$(readlink "/proc/$(pid_of box)/ns/pid")" ]
}

@test "exec --preserve-fds passes the descriptors it counts, and no others" {
	start_container box
	echo third >"$TMP/third"
	echo fourth >"$TMP/fourth"
	run_ok exec_with_fds --preserve-fds 2 box sh -c 'cat <&3; cat <&4; ls /proc/self/fd'
	output_is third fourth 0 1 2 3 4 5
	run_ok exec_with_fds --preserve-fds 1 box sh -c 'cat <&3; ls /proc/self/fd'
	output_is third 0 1 2 3 4
	run_ok exec_with_fds box ls /proc/self/fd
	output_is 0 1 2 3
	run exec_with_fds --preserve-fds 3 box true
	[ "$status" -eq 255 ]
	assert_output_has "--preserve-fds 3: descriptor 5 is not open"
	run exec_with_fds --log "$TMP/log" --preserve-fds 3 box true
	[ "$status" -eq 255 ]
}

# exec_with_fds [--log FILE] ARGUMENT...: 3 and 4 are open, and 9.
exec_with_fds() {
	local log=()

	if [ "$1" = --log ]; then
		log=(--log "$2")
		shift 2
	fi
	"$SANDLOCK_OCI" --root "$ROOT" "${log[@]}" exec "$@" \
		3<"$TMP/third" 4<"$TMP/fourth" 9<"$TMP/third" 5<&- 6<&- 7<&- 8<&-
}

@test "exec leaves no descriptor of the runtime in the program" {
	create box 9<"$BUNDLE/config.json"
	oci start box
	[ "$(find "/proc/$(pid_of box)/fd" -type l | wc -l)" -eq 3 ]
}

@test "exec --cgroup puts the program into a sub-cgroup that exists" {
	local dir

	start_container box
	for dir in $(cgroup_dirs "$(cgroup_of box)"); do
		mkdir "$dir/sub"
		[ ! -e "$dir/sub/cpuset.cpus" ] || {
			cat "$dir/cpuset.cpus" >"$dir/sub/cpuset.cpus"
			cat "$dir/cpuset.mems" >"$dir/sub/cpuset.mems"
		}
	done
	oci exec --detach --pid-file "$TMP/pid" --cgroup sub box \
		sleep 1000 </dev/null >/dev/null 2>&1
	[ "$(grep -c "$(cgroup_of box)/sub$" "/proc/$(cat "$TMP/pid")/cgroup")" \
		-eq "$(cgroup_dirs "$(cgroup_of box)" | wc -l)" ]
	if meets cgroup1; then
		run_ok oci exec --cgroup pids,freezer:/sub box \
			grep -c "/sub$" /proc/self/cgroup
		[ "$output" -eq 2 ]
	fi
	exec_fails cgroup --cgroup nowhere box true
	exec_fails cgroup --cgroup ../.. box true
	exec_fails cgroup --cgroup sub/../.. box true
	kill "$(cat "$TMP/pid")"
}

@test "concurrent execs do not disturb each other" {
	local i pids=()

	start_container box
	for i in {1..20}; do
		oci exec box sh -c "echo $i" >"$TMP/out.$i" &
		pids+=($!)
	done
	wait "${pids[@]}"
	for i in {1..20}; do
		[ "$(cat "$TMP/out.$i")" = "$i" ]
	done
}
