#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/containerd.bats - containerd, by its own client.

load containerd

setup_file() {
	requires containerd ctr
	room_open
	start_containerd
	ctr_run first true
	room_settled
}

# ctr_run ID [PROGRAM...]: and remove it.
ctr_run() {
	ctr run --rm --runc-binary "$RUNTIME" "$IMAGE" "$@"
}

# start ID [OPTION...]: one that sleeps until it is stopped.
start() {
	local id=$1

	shift
	ctr run -d --runc-binary "$RUNTIME" "$@" "$IMAGE" "$id" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait'
}

remove_all() {
	local id

	for id in $(ctr tasks list -q); do
		ctr tasks kill -s KILL "$id" 2>/dev/null || true
		ctr tasks rm -f "$id" 2>/dev/null || true
	done
	for id in $(ctr containers list -q); do
		ctr containers rm "$id"
	done
}

is_stopped() {
	has STOPPED ctr tasks list
}

@test "ctr runs a program and ends as it does" {
	expect 0 hello ctr_run a echo hello
	expect 7 "" ctr_run a sh -c 'exit 7'
	expect 137 "" ctr run --rm --runc-binary "$RUNTIME" \
		--memory-limit 16777216 "$IMAGE" a tail /dev/zero
}

@test "ctr says which program it cannot run, and why" {
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		ctr_run a nosuch
	expect 1 'exec: "/etc/passwd": permission denied' ctr_run a /etc/passwd
	expect 0 "" ctr_run a true
}

@test "ctr runs a plain directory" {
	expect 0 hello ctr run --rm --runc-binary "$RUNTIME" \
		--rootfs "$ROOM/image/rootfs" a /bin/echo hello
}

# The client sets the size of the terminal later, and may come too late.
@test "ctr gives a program a terminal" {
	expect 5 /dev/pts/ terminal ctr run --rm -t --runc-binary "$RUNTIME" \
		"$IMAGE" a sh -c 'tty; exit 5'
}

@test "ctr task exec runs a program beside the first" {
	start a
	expect 9 "uid=0(root)" ctr tasks exec --exec-id e a sh -c 'id; exit 9'
	expect 0 "/tmp" ctr tasks exec --exec-id e --cwd /tmp a pwd
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		ctr tasks exec --exec-id e a nosuch
	expect 5 /dev/pts/ terminal ctr tasks exec -t --exec-id e a \
		sh -c 'tty; exit 5'
}

@test "ctr task kill, ps and rm see a container to its end" {
	start a
	expect 0 RUNNING ctr tasks list
	expect 0 "$(room pgrep -xf "sleep 1000")" ctr tasks ps a
	ctr tasks kill -s TERM a
	wait_until is_stopped
	expect 0 "exit code 3" ctr tasks rm a
	ctr containers rm a
}

@test "ctr task kill --all reaches every process" {
	start a
	ctr tasks exec -d --fifo-dir "$TMP/fifo" --exec-id e a sleep 2000
	wait_until room pgrep -xf "sleep 2000"
	ctr tasks kill -s KILL --all a
	wait_until is_stopped
	expect 1 "" room pgrep -xf "sleep 2000"
}


@test "ctr sets a limit of memory" {
	start a --memory-limit 67108864
	expect 0 67108864 room find /sys/fs/cgroup -path '*/default/a/*' \
		'(' -name memory.max -o -name memory.limit_in_bytes ')' \
		-exec cat {} +
}

@test "ctr mounts, and keeps the root read-only" {
	echo kept >"$TMP/file"
	expect 0 kept ctr run --rm --runc-binary "$RUNTIME" --read-only \
		--mount "type=bind,src=$TMP/file,dst=/file,options=rbind:ro" \
		"$IMAGE" a sh -c '! touch /new && ! touch /file && cat /file'
	assert_output_has "Read-only file system"
}

@test "ctr filters system calls, or gives all privileges" {
	expect 0 "Seccomp:	2" ctr run --rm --runc-binary "$RUNTIME" \
		--seccomp "$IMAGE" a grep Seccomp /proc/self/status
	expect 0 "CapEff:	$(sed -n 's/CapEff:	//p' /proc/self/status)" \
		ctr run --rm --runc-binary "$RUNTIME" --privileged "$IMAGE" a \
		grep Cap /proc/self/status
}
