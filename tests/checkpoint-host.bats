#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/checkpoint-host.bats - what of a saved container stays with the host.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load checkpoint

@test "restored bind mounts show the host's files, as the restored bundle names them" {
	new_bundle box
	mkdir -p "$TMP/one/below" "$TMP/two/below"
	echo one >"$TMP/one/file"
	echo two >"$TMP/two/file"
	add_mount /data bind "$TMP/one" rbind
	add_mount /file bind "$TMP/one/file" bind ro
	args sleep 1000
	start_container box
	run_ok oci exec box cat /data/file /file
	assert_lines $'one\none'
	run_ok checkpoint box
	run_ok restore box
	run_ok oci exec box cat /data/file /file
	assert_lines $'one\none'
	oci delete --force box
	config --arg to "$TMP/two" '(.mounts[] | select(.destination ==
		"/data")).source = $to | (.mounts[] | select(.destination ==
		"/file")).source = $to + "/file"'
	run_ok restore box
	run_ok oci exec box cat /data/file /file
	assert_lines $'two\ntwo'
	run oci exec box sh -c 'echo no >/file'
	assert_output_has "Read-only file system"
}

@test "restore brings back the mounts below a recursive bind" {
	new_bundle box
	mkdir -p "$TMP/tree/sub"
	add_mount /data bind "$TMP/tree" rbind
	args sleep 1000
	privately "$BASH" -c 'mount -t tmpfs tmpfs "$1/tree/sub" &&
		echo seen >"$1/tree/sub/file" && shift && exec "$@"' bash \
		"$TMP" "${PROGRAM[@]}" run --detach --bundle \
		"$BUNDLE" box </dev/null >"$TMP/box.out" 2>&1
	run_ok oci exec box cat /data/sub/file
	run_ok checkpoint --leave-running box
	oci delete --force box
	privately "$BASH" -c 'mount -t tmpfs tmpfs "$1/tree/sub" &&
		echo again >"$1/tree/sub/file" && shift && exec "$@"' bash \
		"$TMP" "${PROGRAM[@]}" restore \
		--detach --bundle "$BUNDLE" --image-path "$IMAGES" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_ok oci exec box cat /data/sub/file
	assert_lines again
}

@test "restored bind mounts are slaves of the host's shared mounts" {
	new_bundle box
	mkdir "$TMP/shared"
	add_mount /data bind "$TMP/shared" rbind rslave
	args sleep 1000
	run_ok unshare --mount --propagation shared "$BASH" -c '
		set -e
		out=$1 dir=$2 oci=$3 bundle=$4
		$oci run --detach --bundle "$bundle" box \
			</dev/null >"$out" 2>&1
		before=$(wc -l </proc/self/mountinfo)
		$oci checkpoint --image-path "$dir/../images" box
		$oci restore --detach --bundle "$bundle" \
			--image-path "$dir/../images" box </dev/null >"$out" 2>&1
		[ "$(wc -l </proc/self/mountinfo)" = "$before" ]
		echo new >"$dir/new"
		$oci exec box cat /data/new
		mkdir "$dir/mount"
		mount -t tmpfs tmpfs "$dir/mount"
		touch "$dir/mount/spread"
		$oci exec box ls /data/mount
		umount "$dir/mount"
		$oci delete --force box' bash "$TMP/box.out" \
		"$TMP/shared" "${PROGRAM[*]}" "$BUNDLE" 3>&-
	assert_lines $'new\nspread'
}

@test "restore creates the mount points that a new root lacks" {
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
	run_ok oci exec box cat /some/where/data/file /some/file
	assert_lines $'here\nhere'
}

@test "restore finds a mount destination behind a symbolic link" {
	new_bundle box
	mkdir "$TMP/data"
	echo here >"$TMP/data/file"
	ln -s /run "$BUNDLE/rootfs/var/run"
	add_mount /var/run/data bind "$TMP/data" bind
	args sleep 1000
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok oci exec box cat /run/data/file
	assert_lines here
}

@test "restore masks paths and makes paths read-only again" {
	new_bundle box
	args sleep 1000
	config '.linux.maskedPaths += ["/etc/passwd", "/var"] |
		.linux.readonlyPaths += ["/root"]'
	touch "$BUNDLE/rootfs/var/secret"
	start_container box
	run_ok checkpoint box
	run_ok restore box
	run_ok oci exec box sh -c \
		'cat /etc/passwd /proc/keys; ls -A /var /proc/acpi'
	[[ $output != *root* && $output != *secret* ]]
	run oci exec box sh -c 'echo 1 >/proc/sys/kernel/domainname'
	assert_output_has "Read-only file system"
	run oci exec box touch /root/file
	assert_output_has "Read-only file system"
}

@test "a restored cgroup mount without a cgroup namespace shows the new cgroup" {
	requires cgroup1
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	config --arg path "$(cgroups_path other)" '.linux.cgroupsPath = $path'
	run_ok restore box
	run_ok oci exec box grep -x 1 /sys/fs/cgroup/pids/cgroup.procs
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
	cgroup_namespace
}

@test "restore joins the network namespace that the container had joined" {
	start_pod
	join_pod network
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	before=$(box_count)
	run_ok restore box
	counts_on "$before"
	[ "$(readlink "/proc/$(pid_of box)/ns/net")" = \
		"$(readlink "/proc/$pod/ns/net")" ]
}

@test "restore joins the pid namespace that the container had joined" {
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
	run_ok oci exec box ps
	assert_output_has "sleep 1000"
}

@test "restore joins the IPC and UTS namespaces that the container had joined" {
	start_pod
	config 'del(.hostname)'
	join_pod ipc uts
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint box
	run_ok restore box
	counts_on
	for ns in ipc uts; do
		[ "$(readlink "/proc/$(pid_of box)/ns/$ns")" = \
			"$(readlink "/proc/$pod/ns/$ns")" ]
	done
}

@test "restore reports a namespace that criu cannot join" {
	start_pod
	args sleep 1000
	start_container box
	run_ok checkpoint box
	join_pod cgroup
	run_bad "linux.namespaces (cgroup): criu cannot restore into" \
		restore refused
	assert_gone refused
}

@test "restore gives the container its own standard streams: pipes" {
	new_bundle box
	args sh -c 'while read -r line; do echo "<$line>"; done'
	mkfifo "$TMP/in" "$TMP/in2"
	exec 7<>"$TMP/in" 8<>"$TMP/in2"
	(oci run --detach --bundle "$BUNDLE" box 7>&- 8>&- <"$TMP/in" \
		2>&1 | cat >"$TMP/first") &
	wait_until has_status box running
	echo one >&7
	wait_until grep -q one "$TMP/first"
	run_ok checkpoint box
	(with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box 7>&- 8>&- <"$TMP/in2" 2>&1 | cat >"$TMP/second") &
	wait_until has_status box running
	echo two >&8
	wait_until grep -q '<two>' "$TMP/second"
	[ "$(<"$TMP/first")" = "<one>" ]
	oci delete --force box
	exec 7>&- 8>&-
}

@test "restore gives the container its own standard streams: files" {
	new_bundle box
	args sh -c 'i=0; while :; do i=$((i + 1)); echo $i; sleep 0.02; done'
	oci run --detach --bundle "$BUNDLE" box </dev/null >>"$TMP/first"
	wait_until [ -s "$TMP/first" ]
	run_ok checkpoint box
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box </dev/null >>"$TMP/second"
	wait_until [ -s "$TMP/second" ]
	[ "$(grep -m 1 . "$TMP/second" | tr -d '\0')" -gt \
		"$(tail -n 1 "$TMP/first")" ]
}

@test "restore gives the container its own standard streams: terminals of the caller" {
	requires script
	new_bundle box
	args sh -c 'i=0; while :; do i=$((i + 1)); echo $i; sleep 0.02; done'
	mkfifo "$TMP/silence"
	script -qec "${PROGRAM[*]} run --bundle $BUNDLE box" \
		/dev/null <>"$TMP/silence" >"$TMP/first" 3>&- &
	wait_until grep -q 5 "$TMP/first"
	run_ok checkpoint box
	script -qec "${PROGRAM[*]} restore --bundle $BUNDLE \
		--image-path $IMAGES box" /dev/null \
		<>"$TMP/silence" >"$TMP/second" 3>&- &
	wait_until [ -s "$TMP/second" ]
	[ "$(head -n 1 "$TMP/second" | tr -d '\r')" -ge \
		"$(tail -n 1 "$TMP/first" | tr -d '\r')" ]
	oci delete --force box
}

@test "restore sends a terminal to the new console socket" {
	requires python3
	new_bundle box
	config '.process.terminal = true'
	args sh -c 'touch /up
		until [ "$line" = end ]; do
			echo ready; read -r -t 1 line && echo "<$line>"
		done'
	"$BATS_TEST_DIRNAME/terminal.py" receive "$TMP/socket" \
		"${PROGRAM[@]}" run --detach --console-socket "$TMP/socket" \
		--bundle "$BUNDLE" box >"$TMP/first" 2>&1 3>&- &
	wait_until [ -e "$BUNDLE/rootfs/up" ]
	run_ok checkpoint box
	run_bad "cannot allocate tty" restore box
	run_ok timeout 20 "$BATS_TEST_DIRNAME/terminal.py" type "$TMP/socket2" \
		'hello\nend\n' "${PROGRAM[@]}" restore \
		--detach --console-socket "$TMP/socket2" --bundle "$BUNDLE" \
		--image-path "$IMAGES" box
	assert_output_has "message /dev/ptmx descriptors 1 more 0"
	assert_output_has "<hello>"
}
