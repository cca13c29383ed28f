#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/checkpoint.bats - a container to files, and back.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers
load criu

setup_file() {
	find_criu
}

setup() {
	sandlock_setup
	requires_criu
	IMAGES=$TMP/images
}

# What counts up in the file /count for as long as it lives.
COUNTING='i=0; while :; do
	i=$((i + 1)); echo $i >/new; mv /new /count; sleep 0.02
done'

with_criu() {
	sandlock --criu "$CRIU" "$@"
}

checkpoint() {
	with_criu checkpoint --image-path "$IMAGES" "$@"
}

# restore ID [OPTION...]: detached, from $BUNDLE; its output is $TMP/ID.out.
restore() {
	local id=$1

	shift
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		--pid-file "$TMP/$id.pid" "$@" "$id" \
		</dev/null >"$TMP/$id.out" 2>&1 || {
		local r=$?

		cat "$TMP/$id.out"
		return $r
	}
}

# The log of a container, a file, comes back as a file.
in_front() {
	with_criu restore --bundle "$BUNDLE" --image-path "$IMAGES" box \
		</dev/null >"$TMP/box.out" 2>&1
}

start_counting() {
	new_bundle "$1"
	args sh -c "$COUNTING"
	start_container "$1"
	wait_until [ -s "$BUNDLE/rootfs/count" ]
}

count() {
	cat "$BUNDLE/rootfs/count"
}

# counts_on [FROM]: it counts, and has not begun again.
counts_on() {
	local from=${1:-$(count)}

	wait_until more_than "$from"
}

more_than() {
	[ "$(count)" -gt "$1" ]
}

# refused_restore TEXT [OPTION...]: it fails, says so, and leaves nothing.
refused_restore() {
	local text=$1

	shift
	run_bad "$text" restore refused "$@"
	assert_gone refused
	[ -z "$(leftover_cgroups)" ]
	[ -z "$(leftover_processes)" ]
}

# field KEY PID: of /proc/PID/status.
field() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"
}

namespaces() {
	local ns

	for ns in "/proc/$1/ns/"*; do
		echo "${ns##*/} $(readlink "$ns")"
	done
}

# ---- there and back ----

@test "a container goes on where its checkpoint was made" {
	start_counting box
	run_ok checkpoint box
	[ "$output" = "" ]
	assert_gone box
	[ -z "$(leftover_cgroups)" ]
	[ -z "$(leftover_processes)" ]
	before=$(count)
	run_ok restore box
	assert_status box running
	counts_on "$before"
	[ "$(<"$TMP/box.pid")" = "$(pid_of box)" ]
	run_ok sandlock exec box cat /proc/1/cmdline
	assert_output_has "while :"
	run_ok sandlock kill box KILL
	wait_until has_status box stopped
	run_ok sandlock delete box
}

@test "with --leave-running it goes on, and there may be two of them" {
	start_counting box
	run_ok checkpoint --leave-running box
	assert_status box running
	counts_on
	first=$(pid_of box)
	new_bundle other
	run_ok restore other
	assert_status other running
	[ "$(pid_of other)" != "$first" ]
	[ "$(readlink "/proc/$(pid_of other)/ns/pid")" != \
		"$(readlink "/proc/$first/ns/pid")" ]
	counts_on 0
}

@test "a container can be saved and restored again and again" {
	start_counting box
	for _ in 1 2 3; do
		run_ok checkpoint box
		before=$(count)
		run_ok restore box
		counts_on "$before"
	done
}

@test "a paused container stays paused, and is not when restored" {
	requires root
	start_counting box
	sandlock pause box
	run_ok checkpoint --leave-running box
	assert_status box paused
	sandlock resume box
	counts_on
	sandlock delete --force box
	run_ok restore box
	assert_status box running
	counts_on
}

@test "a paused container ends with its checkpoint, too" {
	start_counting box
	sandlock pause box
	run_ok checkpoint box
	assert_gone box
	before=$(count)
	run_ok restore box
	counts_on "$before"
}

@test "restore in the foreground ends with the program's status" {
	new_bundle box
	args sh -c 'until [ -e /end ]; do sleep 0.02; done; exit 7'
	start_container box
	run_ok checkpoint box
	touch "$BUNDLE/rootfs/end"
	run in_front
	[ "$status" -eq 7 ]
	assert_gone box
}

@test "run in the foreground ends with the checkpoint" {
	new_bundle box
	args sh -c "$COUNTING"
	(sandlock run --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1 ||
		echo "status $?" >>"$TMP/out") 3>&- &
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	wait_until grep -q status "$TMP/out"
	[ "$(<"$TMP/out")" = "status 137" ]
	assert_gone box
}

@test "what is restored detached is left to the nearest subreaper" {
	requires python3
	start_counting box
	run_ok checkpoint box
	run_ok python3 - "$SANDLOCK" --root "$ROOT" --criu "$CRIU" restore \
		--detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		--pid-file "$TMP/box.pid" -no-subreaper box <<-'END'
		import ctypes, os, subprocess, sys
		ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
		pid_file = sys.argv[-3]
		with open(pid_file[:-3] + "out", "w") as out:
		    subprocess.run(sys.argv[1:], stdout=out, stderr=out,
		                   check=True)
		with open(pid_file) as file:
		    pid = int(file.read())
		os.kill(pid, 9)
		print(os.waitpid(pid, 0)[1])
	END
	[ "$output" = 9 ]
	wait_until has_status box stopped
	run_ok sandlock delete box
}

@test "all processes of a container are restored" {
	new_bundle box
	args sh -c 'sleep 1000 & sleep 1001 & echo up >/up; wait'
	start_container box
	wait_until [ -e "$BUNDLE/rootfs/up" ]
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock ps --format json box
	[ "$(jq length <<<"$output")" -eq 3 ]
}

# ---- confinement ----

@test "capabilities, seccomp and no_new_privs are what they were" {
	new_bundle box
	config '.process.noNewPrivileges = true |
		.process.capabilities |= map_values(["CAP_KILL"]) |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
			{names: ["mkdir"], action: "SCMP_ACT_ERRNO"}]}'
	args sleep 1000
	start_container box
	pid=$(pid_of box)
	before=$(grep -E '^(Cap|NoNewPrivs|Seccomp)' "/proc/$pid/status")
	run_ok checkpoint box
	run_ok restore box
	pid=$(pid_of box)
	diff <(echo "$before") \
		<(grep -E '^(Cap|NoNewPrivs|Seccomp)' "/proc/$pid/status")
	run sandlock exec box mkdir /tmp/no
	[ "$status" -eq 1 ]
	assert_output_has "Operation not permitted"
}

@test "exec is in all namespaces of a restored container" {
	start_counting box
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock exec box sh -c 'for ns in /proc/1/ns/*; do
		[ $(readlink $ns) = $(readlink /proc/self/ns/${ns##*/}) ] ||
			echo $ns; done'
	assert_lines ""
}

@test "limits, processes and device rules are in the restored cgroups" {
	new_bundle box
	config '.linux.resources.memory.limit = 67108864 |
		.linux.resources.pids.limit = 50 |
		.linux.resources.devices = [{allow: false, access: "rwm"}]'
	args sh -c 'sleep 1000 & wait'
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock ps --format json box
	[ "$(jq length <<<"$output")" -eq 2 ]
	grep -q "$CGROUP_PARENT/box" "/proc/$(pid_of box)/cgroup"
	[ "$(cat /sys/fs/cgroup{,/memory}"$CGROUP_PARENT"/box/memory.{max,limit_in_bytes} \
		2>/dev/null)" = 67108864 ]
	[ "$(cat /sys/fs/cgroup{,/pids}"$CGROUP_PARENT"/box/pids.max \
		2>/dev/null)" = 50 ]
	run sandlock exec box sh -c 'mknod /tmp/mem c 1 1 && cat /tmp/mem'
	assert_output_has "Operation not permitted"
	run_ok sandlock update --pids-limit 40 box
}

@test "a restored container may lie in another cgroup than before" {
	start_counting box
	run_ok checkpoint box
	config --arg path "$CGROUP_PARENT/elsewhere" '.linux.cgroupsPath = $path'
	run_ok restore box
	counts_on
	grep -q "$CGROUP_PARENT/elsewhere" "/proc/$(pid_of box)/cgroup"
	run grep "$CGROUP_PARENT/box" "/proc/$(pid_of box)/cgroup"
	[ "$status" -eq 1 ]
	run_ok sandlock exec box cat /proc/1/cgroup
	[[ $output != *elsewhere* ]]
}

@test "images with less confinement than config.json are refused" {
	new_bundle box
	config '.process.noNewPrivileges = false'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config '.process.noNewPrivileges = true'
	refused_restore "it lacks no_new_privs"
	config '.process.noNewPrivileges = false |
		.process.capabilities.bounding -= ["CAP_KILL"] |
		.process.capabilities.effective -= ["CAP_KILL"] |
		.process.capabilities.permitted -= ["CAP_KILL"]'
	refused_restore "it has capabilities that are not in process.capabilities"
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
			{names: ["mkdir"], action: "SCMP_ACT_ERRNO"}]}'
	refused_restore "it has no seccomp filter"
}

@test "images from other namespaces than config.json's are refused" {
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "ipc"))'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config '.linux.namespaces += [{type: "ipc"}]'
	refused_restore "its ipc namespace is the host's"
}

@test "a container in a user namespace goes on as its users" {
	requires userns
	new_bundle box
	config '.process.user = {uid: 1, gid: 2, additionalGids: [7]} |
		.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100001:100000 "$BUNDLE/rootfs"
	chmod 0755 "$TMP"
	args sh -c "$COUNTING"
	sandlock run --detach --bundle "$BUNDLE" box </dev/null 2>&1 | cat &
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	before=$(count)
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box </dev/null 2>&1 | cat &
	counts_on "$before"
	[[ $(field Uid "$(pid_of box)") = 100001* ]]
	[[ $(field Gid "$(pid_of box)") = 100002* ]]
	[ "$(field Groups "$(pid_of box)")" = "100007 " ]
	run_ok sandlock exec box id -u
	[ "$output" = 1 ]
}

# ---- what stays with the host ----

@test "binds show the host's files again, those of the bundle that is restored" {
	new_bundle box
	mkdir -p "$TMP/one/below" "$TMP/two/below"
	echo one >"$TMP/one/file"
	echo two >"$TMP/two/file"
	add_mount /data bind "$TMP/one" rbind
	add_mount /file bind "$TMP/one/file" bind ro
	args sleep 1000
	start_container box
	run_ok sandlock exec box cat /data/file /file
	assert_lines $'one\none'
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock exec box cat /data/file /file
	assert_lines $'one\none'
	sandlock delete --force box
	config --arg to "$TMP/two" '(.mounts[] | select(.destination ==
		"/data")).source = $to | (.mounts[] | select(.destination ==
		"/file")).source = $to + "/file"'
	run_ok restore box
	run_ok sandlock exec box cat /data/file /file
	assert_lines $'two\ntwo'
	run sandlock exec box sh -c 'echo no >/file'
	assert_output_has "Read-only file system"
}

@test "what is mounted below a recursive bind is there again" {
	new_bundle box
	mkdir -p "$TMP/tree/sub"
	add_mount /data bind "$TMP/tree" rbind
	args sleep 1000
	privately "$BASH" -c 'mount -t tmpfs tmpfs "$1/tree/sub" &&
		echo seen >"$1/tree/sub/file" && shift && exec "$@"' bash \
		"$TMP" "$SANDLOCK" --root "$ROOT" run --detach --bundle \
		"$BUNDLE" box </dev/null >"$TMP/box.out" 2>&1
	run_ok sandlock exec box cat /data/sub/file
	run_ok checkpoint --leave-running box
	sandlock delete --force box
	privately "$BASH" -c 'mount -t tmpfs tmpfs "$1/tree/sub" &&
		echo again >"$1/tree/sub/file" && shift && exec "$@"' bash \
		"$TMP" "$SANDLOCK" --root "$ROOT" --criu "$CRIU" restore \
		--detach --bundle "$BUNDLE" --image-path "$IMAGES" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_ok sandlock exec box cat /data/sub/file
	assert_lines again
}

@test "binds on a host with shared mounts are slaves of them again" {
	new_bundle box
	mkdir "$TMP/shared"
	add_mount /data bind "$TMP/shared" rbind rslave
	args sleep 1000
	run_ok unshare --mount --propagation shared "$BASH" -c '
		set -e
		out=$1 dir=$2 sandlock="$3 --root $4 --criu $5" bundle=$6
		$sandlock run --detach --bundle "$bundle" box \
			</dev/null >"$out" 2>&1
		before=$(wc -l </proc/self/mountinfo)
		$sandlock checkpoint --image-path "$dir/../images" box
		$sandlock restore --detach --bundle "$bundle" \
			--image-path "$dir/../images" box </dev/null >"$out" 2>&1
		[ "$(wc -l </proc/self/mountinfo)" = "$before" ]
		echo new >"$dir/new"
		$sandlock exec box cat /data/new
		mkdir "$dir/mount"
		mount -t tmpfs tmpfs "$dir/mount"
		touch "$dir/mount/spread"
		$sandlock exec box ls /data/mount
		umount "$dir/mount"
		$sandlock delete --force box' bash "$TMP/box.out" "$TMP/shared" "$SANDLOCK" \
		"$ROOT" "$CRIU" "$BUNDLE" 3>&-
	assert_lines $'new\nspread'
}

@test "mount points that a new root lacks are made" {
	new_bundle box
	mkdir "$TMP/data"
	echo here >"$TMP/data/file"
	add_mount /some/where/data bind "$TMP/data" bind
	add_mount /some/file bind "$TMP/data/file" bind
	args sleep 1000
	start_container box
	run_ok checkpoint box
	rm -r "$BUNDLE/rootfs/some"
	run_ok restore box
	run_ok sandlock exec box cat /some/where/data/file /some/file
	assert_lines $'here\nhere'
}

@test "a destination behind a symbolic link is found" {
	new_bundle box
	mkdir "$TMP/data"
	echo here >"$TMP/data/file"
	ln -s /run "$BUNDLE/rootfs/var/run"
	add_mount /var/run/data bind "$TMP/data" bind
	args sleep 1000
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock exec box cat /run/data/file
	assert_lines here
}

@test "masked and read-only paths are so again" {
	new_bundle box
	args sleep 1000
	config '.linux.maskedPaths += ["/etc/passwd", "/var"] |
		.linux.readonlyPaths += ["/root"]'
	touch "$BUNDLE/rootfs/var/secret"
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok sandlock exec box sh -c \
		'cat /etc/passwd /proc/keys; ls -A /var /proc/acpi'
	[[ $output != *root* && $output != *secret* ]]
	run sandlock exec box sh -c 'echo 1 >/proc/sys/kernel/domainname'
	assert_output_has "Read-only file system"
	run sandlock exec box touch /root/file
	assert_output_has "Read-only file system"
}

@test "cgroup mounts without a cgroup namespace are those of the new place" {
	requires cgroup1
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config --arg path "$CGROUP_PARENT/other" '.linux.cgroupsPath = $path'
	run_ok restore box
	run_ok sandlock exec box grep -x 1 /sys/fs/cgroup/pids/cgroup.procs
}

# join_pod TYPE...: these namespaces of $BUNDLE are those of process $pod.
join_pod() {
	config --argjson pod "$pod" '.linux.namespaces |= map(
		if .type | IN($ARGS.positional[]) then .path =
			"/proc/\($pod)/ns/" + ({network: "net"}[.type] // .type)
		else . end)' --args -- "$@"
}

start_pod() {
	start_sleeping pod
	pod=$(pid_of pod)
	new_bundle box
}

@test "a network namespace that was joined is joined again" {
	start_pod
	join_pod network
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	before=$(count)
	run_ok restore box
	counts_on "$before"
	[ "$(readlink "/proc/$(pid_of box)/ns/net")" = \
		"$(readlink "/proc/$pod/ns/net")" ]
}

@test "a pid namespace that was joined is joined again" {
	new_bundle pod
	args sh -c 'while :; do sleep 0.1; done'
	start_container pod
	pod=$(pid_of pod)
	new_bundle box
	join_pod pid
	args sh -c 'sleep 1000; true'
	start_container box
	old=$(pid_of box)
	wait_until grep -q . "/proc/$old/task/$old/children"
	child=$(tr -d ' ' <"/proc/$old/task/$old/children")
	run_ok checkpoint box
	# They get the same pids: until they are reaped, those are not free.
	wait_until [ ! -e "/proc/$old" ] && wait_until [ ! -e "/proc/$child" ]
	run_ok restore box
	[ "$(readlink "/proc/$(pid_of box)/ns/pid")" = \
		"$(readlink "/proc/$pod/ns/pid")" ]
	run_ok sandlock exec box ps
	assert_output_has "sleep 1000"
}

@test "IPC and UTS namespaces that were joined are joined again" {
	start_pod
	config 'del(.hostname)'
	join_pod ipc uts
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	run_ok restore box
	counts_on
	for ns in ipc uts; do
		[ "$(readlink "/proc/$(pid_of box)/ns/$ns")" = \
			"$(readlink "/proc/$pod/ns/$ns")" ]
	done
}

@test "a namespace that criu cannot join is an error" {
	start_pod
	args sleep 1000
	start_container box
	run_ok checkpoint box
	join_pod cgroup
	run_bad "linux.namespaces (cgroup): criu cannot restore into" \
		restore refused
	assert_gone refused
}

@test "standard streams are those of the restore, pipes" {
	new_bundle box
	args sh -c 'while read -r line; do echo "<$line>"; done'
	mkfifo "$TMP/in" "$TMP/in2"
	exec 7<>"$TMP/in" 8<>"$TMP/in2"
	(sandlock run --detach --bundle "$BUNDLE" box 7>&- 8>&- <"$TMP/in" |
		cat >"$TMP/first") &
	wait_until has_status box running
	echo one >&7
	wait_until grep -q one "$TMP/first"
	run_ok checkpoint box
	(with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box 7>&- 8>&- <"$TMP/in2" | cat >"$TMP/second") 2>"$TMP/err" &
	wait_until has_status box running
	echo two >&8
	wait_until grep -q '<two>' "$TMP/second"
	[ "$(<"$TMP/first")" = "<one>" ]
	sandlock delete --force box
	exec 7>&- 8>&-
}

@test "standard streams are those of the restore, files" {
	new_bundle box
	args sh -c 'i=0; while :; do i=$((i + 1)); echo $i; sleep 0.02; done'
	sandlock run --detach --bundle "$BUNDLE" box </dev/null >>"$TMP/first"
	wait_until [ -s "$TMP/first" ]
	run_ok checkpoint box
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box </dev/null >>"$TMP/second"
	wait_until [ -s "$TMP/second" ]
	[ "$(grep -m 1 . "$TMP/second" | tr -d '\0')" -gt \
		"$(tail -n 1 "$TMP/first")" ]
}

@test "standard streams are those of the restore, terminals of the caller" {
	requires script
	new_bundle box
	args sh -c 'i=0; while :; do i=$((i + 1)); echo $i; sleep 0.02; done'
	mkfifo "$TMP/silence"
	script -qec "$SANDLOCK --root $ROOT run --bundle $BUNDLE box" \
		/dev/null <>"$TMP/silence" >"$TMP/first" 3>&- &
	wait_until grep -q 5 "$TMP/first"
	run_ok checkpoint box
	script -qec "$SANDLOCK --root $ROOT --criu $CRIU restore --bundle \
		$BUNDLE --image-path $IMAGES box" /dev/null \
		<>"$TMP/silence" >"$TMP/second" 3>&- &
	wait_until [ -s "$TMP/second" ]
	[ "$(head -n 1 "$TMP/second" | tr -d '\r')" -ge \
		"$(tail -n 1 "$TMP/first" | tr -d '\r')" ]
	sandlock delete --force box
}

@test "a terminal is sent to the new console socket" {
	requires python3
	new_bundle box
	config '.process.terminal = true'
	args sh -c 'touch /up
		until [ "$line" = end ]; do
			echo ready; read -r -t 1 line && echo "<$line>"
		done'
	"$BATS_TEST_DIRNAME/terminal.py" receive "$TMP/socket" "$SANDLOCK" \
		--root "$ROOT" run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box >"$TMP/first" 2>&1 3>&- &
	wait_until [ -e "$BUNDLE/rootfs/up" ]
	run_ok checkpoint box
	run_bad "cannot allocate tty" restore box
	run_ok timeout 20 "$BATS_TEST_DIRNAME/terminal.py" type "$TMP/socket2" \
		'hello\nend\n' "$SANDLOCK" --root "$ROOT" --criu "$CRIU" restore \
		--detach --console-socket "$TMP/socket2" --bundle "$BUNDLE" \
		--image-path "$IMAGES" box
	assert_output_has "message /dev/ptmx descriptors 1 more 0"
	assert_output_has "<hello>"
}

# ---- options ----

# A container that holds a lock.
start_locking() {
	requires cc
	cc -static -o "$BUNDLE/rootfs/bin/locker" \
		"$BATS_TEST_DIRNAME/locker.c"
	args locker /lock /held
	start_container box
	wait_until [ -e "$BUNDLE/rootfs/held" ]
}

@test "file locks need --file-locks, and are held again then" {
	new_bundle box
	start_locking
	run_bad "(log file: $IMAGES/dump.log)" checkpoint box
	assert_output_has "criu: "
	assert_output_has "--file-locks"
	assert_status box running
	run_ok checkpoint --file-locks box
	run_ok flock --nonblock "$BUNDLE/rootfs/lock" true
	run_ok restore box --file-locks
	run flock --nonblock "$BUNDLE/rootfs/lock" true
	[ "$status" -eq 1 ]
}

@test "open TCP connections need --tcp-established, and go on then" {
	new_bundle box
	args sh -c 'nc -l -p 4000 <>/back >/got &
		until nc 127.0.0.1 4000; do sleep 0.02; done <>/pipe'
	mkfifo "$BUNDLE/rootfs/pipe" "$BUNDLE/rootfs/back"
	start_container box
	exec 7>"$BUNDLE/rootfs/pipe"
	echo one >&7
	wait_until grep -qs one "$BUNDLE/rootfs/got"
	run_bad "log file: $IMAGES/dump.log" checkpoint box
	assert_output_has "--tcp-established"
	assert_status box running
	echo two >&7
	wait_until grep -qs two "$BUNDLE/rootfs/got"
	exec 7>&-
	run checkpoint --tcp-established box
	if [[ $output = *"Can't get 1:16 opt"* ]]; then
		# criu 4.1 cannot save any of Linux 6.16's sockets.
		assert_status box running
		return
	fi
	[ "$status" -eq 0 ]
	run_ok restore box --tcp-established
	echo three >"$BUNDLE/rootfs/pipe"
	wait_until grep -qs three "$BUNDLE/rootfs/got"
}

@test "an empty network namespace is left to whoever restores it" {
	start_counting box
	run_ok checkpoint --empty-ns network box
	run_ok restore box --empty-ns network
	counts_on
	run_ok sandlock exec box cat /sys/class/net/lo/operstate
	assert_lines down
}

@test "the log goes to the work path" {
	start_counting box
	mkdir "$TMP/logs"
	run_ok checkpoint --work-path "$TMP/logs" --leave-running box
	[ -s "$TMP/logs/dump.log" ]
	[ ! -e "$IMAGES/dump.log" ]
	sandlock delete --force box
	run_ok restore box --work-path "$TMP/logs"
	[ -s "$TMP/logs/restore.log" ]
}

@test "memory is saved ahead of time where the kernel can track it" {
	start_counting box
	if ! "$CRIU" check --feature mem_dirty_track >/dev/null 2>&1; then
		run_bad "--pre-dump: this kernel or criu cannot track changes" \
			checkpoint --pre-dump box
		assert_status box running
		return
	fi
	mkdir "$TMP/first" "$TMP/second"
	IMAGES=$TMP/first
	run_ok checkpoint --pre-dump box
	assert_status box running
	IMAGES=$TMP/second
	run_ok checkpoint --parent-path ../first --auto-dedup box
	before=$(count)
	run_ok restore box
	counts_on "$before"
}

@test "--status-fd and --page-server are told to criu" {
	start_counting box
	run_bad "--status-fd 9: bad file descriptor" checkpoint --status-fd 9 box
	run_bad "--status-fd 4: bad file descriptor" checkpoint --status-fd 4 box
	for text in nonsense 127.0.0.1 127.0.0.1:0 :4000 127.0.0.1:70000; do
		run_bad "--page-server: '$text' is not ADDRESS:PORT" \
			checkpoint --page-server "$text" box
	done
	# Nobody listens there: criu has tried.
	run_bad "criu: " checkpoint --page-server 127.0.0.1:1 box
	assert_status box running
	counts_on
}

@test "a page server has the memory" {
	start_counting box
	mkdir "$IMAGES"
	run_ok unshare --net "$BASH" -c '
		ip link set lo up
		"$1" page-server --images-dir "$3" --port 4000 >"$3/server" 2>&1 &
		for _ in {1..200}; do
			grep -q ":0FA0 " /proc/net/tcp* && break
			sleep 0.02
		done
		exec "$2" --root "$ROOT" --criu "$1" checkpoint --image-path \
			"$3" --page-server 127.0.0.1:4000 box' bash "$CRIU" \
		"$SANDLOCK" "$IMAGES" 3>&-
	ls "$IMAGES"/pages-*.img
	before=$(count)
	run_ok restore box
	counts_on "$before"
}

@test "words that criu would not know are refused before it is asked" {
	start_counting box
	run_bad "--manage-cgroups-mode: 'hard' is not known" \
		checkpoint --manage-cgroups-mode hard box
	run_bad "--network-lock: 'magic' is not known" \
		checkpoint --network-lock magic box
	run_bad "--empty-ns: 'pid' cannot be left empty" \
		checkpoint --empty-ns pid box
	run_bad "--parent-path: /first: must be relative" \
		checkpoint --parent-path /first box
	run_bad "--parent-path: first: no such file" \
		checkpoint --parent-path first box
	run_bad "--no-pivot: criu has no other way" restore other --no-pivot
	assert_gone other
}

@test "cgroups and the network can be left alone" {
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint --manage-cgroups-mode ignore --network-lock skip box
	before=$(count)
	run_ok restore box --manage-cgroups-mode ignore --network-lock skip
	counts_on "$before"
	grep -q "$CGROUP_PARENT/box" "/proc/$(pid_of box)/cgroup"
}

@test "a cgroup namespace cannot be left alone" {
	start_counting box
	run_ok checkpoint box
	refused_restore "its cgroup namespace is the host's" \
		--manage-cgroups-mode ignore
}

@test "the annotation org.criu.config has more options for criu" {
	new_bundle box
	config --arg file "$TMP/criu.conf" \
		'.annotations."org.criu.config" = $file'
	echo file-locks >"$TMP/criu.conf"
	start_locking
	run_ok checkpoint box
	run_ok restore box
}

# ---- hooks ----

@test "restore runs prestart and createRuntime hooks, and delete poststop" {
	new_bundle box
	args sleep 1000
	config --arg log "$TMP/log" '.hooks = (["prestart", "createRuntime",
		"createContainer", "startContainer", "poststart", "poststop"] |
		map({(.): [{path: "/bin/sh", args: ["sh", "-c",
			"echo \(.) $(jq -c \"[.id, .status]\") >>\($log)"],
			env: ["PATH=/usr/bin:/bin"]}]}) | add) |
		del(.hooks.createContainer, .hooks.startContainer)'
	start_container box
	run_ok checkpoint --leave-running box
	sandlock delete --force box
	: >"$TMP/log"
	run_ok restore again
	[ "$(<"$TMP/log")" = 'prestart ["again","creating"]
createRuntime ["again","creating"]' ]
	sandlock delete --force again
	[ "$(tail -n 1 "$TMP/log")" = 'poststop ["again","stopped"]' ]
}

@test "a hook that fails ends the restore, and nothing is left" {
	start_counting box
	run_ok checkpoint box
	config '.hooks.createRuntime = [{path: "/bin/false"}]'
	refused_restore "error running createRuntime hook #0"
}

# ---- refusals ----

@test "only a container that runs can be saved" {
	run_bad "box: container does not exist" checkpoint box
	new_bundle box
	args sleep 1000
	create box
	run_bad "box: cannot checkpoint a container that is created" \
		checkpoint box
	sandlock start box
	sandlock kill box KILL
	wait_until has_status box stopped
	run_bad "box: cannot checkpoint a container that is stopped" \
		checkpoint box
	[ ! -e "$IMAGES" ]
}

@test "an ID that is taken, and images that are not there, are errors" {
	start_counting box
	run_bad "--image-path: open $IMAGES: no such file" restore other
	run_ok checkpoint --leave-running box
	run_bad "box: container with given ID already exists" restore box
	counts_on
}

@test "images that are broken are refused" {
	start_counting box
	run_ok checkpoint box
	mkdir "$TMP/good"
	cp "$IMAGES"/* "$TMP/good/"
	for image in "$TMP"/good/{core-1,inventory,mm-1,mountpoints-*,pstree}.img; do
		truncate -s 20 "$IMAGES/${image##*/}"
		refused_restore "(log file: $IMAGES/restore.log)"
		printf 'nonsense nonsense nonsense' >"$IMAGES/${image##*/}"
		refused_restore "criu: "
		cp "$image" "$IMAGES/"
	done
	echo '["pipe:[1]", 7]' >"$IMAGES/descriptors.json"
	refused_restore "descriptors.json"
	rm "$IMAGES/descriptors.json"
	rm "$IMAGES"/*.img
	refused_restore "(log file: $IMAGES/restore.log)"
}

@test "a disk that is full leaves the container running" {
	start_counting box
	mkdir "$IMAGES"
	run privately "$BASH" -c 'mount -t tmpfs -o size=64k tmpfs "$1" &&
		shift && exec "$@"' bash "$IMAGES" "$SANDLOCK" --root "$ROOT" \
		--criu "$CRIU" checkpoint --image-path "$IMAGES" box
	[ "$status" -eq 1 ]
	assert_output_has "criu: "
	assert_status box running
	counts_on
}

@test "a criu that is not there, or too old, is named" {
	requires python3
	start_counting box
	run_bad "execute $TMP/none: no such file" \
		sandlock --criu "$TMP/none" checkpoint --image-path "$IMAGES" box
	run_bad "the program none is not in PATH" \
		sandlock --criu none checkpoint --image-path "$IMAGES" box
	printf '#!/bin/sh\n' >"$TMP/mute"
	cat >"$TMP/old" <<-'END'
		#!/usr/bin/env python3
		import socket
		link = socket.socket(fileno=3)
		link.recv(4096)
		link.send(bytes([0x08, 10, 0x10, 1, 0x52, 4, 8, 3, 16, 11]))
		link.recv(4096)
	END
	chmod 0755 "$TMP/mute" "$TMP/old"
	run_bad "$TMP/mute does not tell its version: 3.16 or later is needed" \
		sandlock --criu "$TMP/mute" checkpoint --image-path "$IMAGES" box
	run_bad "$TMP/old is version 3.11: 3.16 or later is needed" \
		sandlock --criu "$TMP/old" checkpoint --image-path "$IMAGES" box
	counts_on
}

@test "a checkpoint that is killed leaves the container running" {
	start_counting box
	for delay in 0.03 0.06 0.09 0.12 0.15 0.2 0.25; do
		run timeout --signal KILL "$delay" "$SANDLOCK" --root "$ROOT" \
			--criu "$CRIU" checkpoint --image-path "$IMAGES" \
			--leave-running box
		wait_until has_status box running
		counts_on
	done
}

@test "a criu that dies leaves nothing behind" {
	requires python3
	start_counting box
	run_ok checkpoint box
	cat >"$TMP/dying" <<-'END'
		#!/usr/bin/env python3
		import socket
		link = socket.socket(fileno=3)
		link.recv(65536)
		link.send(bytes([0x08, 10, 0x10, 1, 0x52, 4, 8, 4, 16, 1]))
		link.recv(65536)
	END
	chmod 0755 "$TMP/dying"
	run_bad "criu has ended without an answer" sandlock --criu \
		"$TMP/dying" restore --detach --bundle "$BUNDLE" \
		--image-path "$IMAGES" box
	assert_gone box
	[ -z "$(leftover_cgroups)" ]
}

@test "a container with a policy has no checkpoint, and is not restored" {
	new_bundle box
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -s "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	config '.annotations."io.sandlock.limits.open_files" = "100"'
	refused_restore "a container with a policy has no checkpoint"
	start_container box
	run_bad "a container with a policy has no checkpoint" checkpoint box
	assert_status box running
}

@test "idmapped mounts and interfaces of the host are named" {
	start_counting box
	cp "$ROOT/box/config.json" "$TMP/config.json"
	jq '.mounts += [{destination: "/x", type: "bind", source: "/tmp",
		options: ["bind", "idmap"]}]' "$TMP/config.json" \
		>"$ROOT/box/config.json"
	run_bad "criu cannot restore an idmapped mount" checkpoint box
	jq '.linux.netDevices = {eth9: {}}' "$TMP/config.json" \
		>"$ROOT/box/config.json"
	run_bad "linux.netDevices: criu cannot restore" checkpoint box
}

@test "without root it is an error" {
	new_user
	new_user_bundle
	config '.process.args = ["sleep", "1000"]'
	as_user ./sandlock-oci run --detach --bundle "$BUNDLE" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_bad "criu needs root" as_user ./sandlock-oci --criu "$CRIU" \
		checkpoint --image-path "$USER_HOME/images" box
	[ ! -e "$USER_HOME/images" ]
}

# ---- what engines look for ----

@test "features and --help tell engines that it is there" {
	run_ok sandlock features
	[ "$(jq -r '.annotations."org.opencontainers.runc.checkpoint.enabled"' \
		<<<"$output")" = true ]
	run_ok sandlock checkpoint --help
	for option in image-path work-path leave-running tcp-established \
		file-locks pre-dump parent-path; do
		assert_output_has "--$option"
	done
	run_ok sandlock restore --help
	for option in image-path detach pid-file console-socket no-pivot \
		no-subreaper lsm-profile lsm-mount-context tcp-close; do
		assert_output_has "--$option"
	done
}
