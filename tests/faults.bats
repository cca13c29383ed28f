#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/faults.bats - whatever system call fails, in whatever way, nothing is
# left, nothing hangs, nothing is opened, and something is said.
#
# A sample of the census, the same in each run; ./tests/run --faults takes all
# of it. SANDLOCK_EVERY is how much of it there is.

load helpers

EVERY=${SANDLOCK_EVERY:-29}

setup_file() {
	export FAULTS_PROGRAMS=$BATS_FILE_TMPDIR
	cd "$BATS_TEST_DIRNAME/faults" || return
	# shellcheck source=tests/faults/bundle.bash
	(. ./bundle.bash && build_faults)
}

setup() {
	sandlock_setup
	# Loaders and sanitizers have faults, and words, of their own.
	requires root "${CC:-cc}" static
	export SANDLOCK_OCI
}

# census COMMAND [OPTION...]: the sample of one command.
census() {
	TMPDIR=$TMP "$BATS_TEST_DIRNAME/faults/run" --every "$EVERY" \
		--only "$1" "${@:2}" 3>&-
}

# once_found COMMAND FAULT CALL: where one did harm, all calls of that kind.
once_found() {
	census "$1" --every 1 --fault "$2" --call "$3"
}

# Where one point is enough: kill fails there.
KILLING=(--every 1 --call pidfd_send_signal)

# faulty SCRIPT [OPTION...]: a runtime with a fault that the census must find.
faulty() {
	printf '#!/bin/sh\n%s\n' "$1" >"$TMP/faulty"
	chmod +x "$TMP/faulty"
	SANDLOCK_OCI=$TMP/faulty run census kill --every 7 --fault EIO \
		"${@:2}"
	[ "$status" -eq 1 ]
}

@test "create survives faults" {
	census create
}

@test "create with every namespace, hook and protection survives faults" {
	requires userns timens
	census create --rich --every $((2 * EVERY))
}

@test "create, start, exec, kill and delete with a supervisor survive faults" {
	local command

	census create --supervised
	for command in start exec kill delete; do
		census "$command" --supervised --every $((2 * EVERY))
	done
}

@test "run with a supervisor survives faults" {
	census run --supervised
}

@test "create survives the end of its supervisor and of the guard" {
	census create --supervised --every 3 --fault SIGKILL --call close
	census create --supervised --every 1 --fault SIGKILL --call poll
}

@test "a container ends with its supervisor or guard, whatever command runs meanwhile" {
	local command fault

	for command in start exec kill "delete --force"; do
		for fault in SUPERVISOR GUARD; do
			census "$command" --supervised --fault $fault \
				--every $((2 * EVERY))
		done
	done
}

@test "create reports a supervisor that cannot report that it is ready" {
	census create --supervised --every 1 --fault EIO --call write
}

@test "a supervisor does not keep the lock of its container" {
	census create --supervised --every 1 --call flock
}

@test "a guard that cannot wait ends its container" {
	census create --supervised --persistent --every 1 --fault EIO \
		--call poll
}

@test "start survives faults" {
	census start
}

@test "start with hooks and a policy survives faults" {
	requires userns timens
	census start --rich --every $((2 * EVERY))
}

@test "run survives faults" {
	census run
}

@test "create and run survive faults where only cgroup v1 is mounted" {
	requires hybrid
	census create --hide-unified
	census run --hide-unified
}

@test "exec survives faults" {
	census exec
}

@test "kill, pause, resume and update survive faults" {
	census kill
	census pause
	census resume
	census update
}

@test "a system call that fails for good does no more harm than one that fails once" {
	census create --persistent --every $((6 * EVERY))
	census run --persistent --every $((6 * EVERY))
	census exec --persistent --every $((6 * EVERY))
	census pause --persistent --every $((2 * EVERY))
	census "delete --force" --persistent --every $((4 * EVERY))
}

@test "pause does not wait for a file that it cannot read" {
	census pause --persistent --every 1 --fault EIO --call read
}

@test "delete survives faults" {
	census delete
	census "delete --force"
}

@test "create fails if the process that opens mount sources is killed" {
	requires userns timens
	census create --rich --every 1 --fault SIGKILL --call open_tree
}

@test "create fails if its child cannot reach the gate" {
	once_found create EINTR dup3
	once_found create EIO close_range
	once_found create EIO accept4
	once_found create SIGKILL close_range
}

@test "exec does not drop a capability that cannot be made ambient" {
	once_found exec EPERM prctl
}

@test "exec does not keep the host's null device" {
	once_found exec EIO openat
}

@test "create waits for a message that has not arrived yet" {
	once_found create EAGAIN recvmsg
}

@test "run and delete --force do not take a failed call for an answer" {
	once_found run EIO read
	once_found "delete --force" EPERM newfstatat
	once_found "delete --force" EPERM unlinkat
}

@test "run waits for a child that continues as another process" {
	requires userns timens
	census run --rich --every 1 --fault EPERM --call pidfd_open
	census run --rich --every 1 --fault EIO --call sendmsg
}

@test "a failed delete can be repeated" {
	once_found delete ENOSYS unlinkat
}

@test "a container that pause cannot freeze goes on running" {
	once_found pause ENOSPC write
}

@test "run never gives root of the host the sysfs of the host" {
	once_found run EPERM fsmount
}

@test "exec fails if it cannot set the rights of the keyring" {
	once_found exec EIO keyctl
}

@test "the fault census finds a runtime that fails without a message" {
	faulty "exec $SANDLOCK_OCI \"\$@\" 2>/dev/null"
	assert_output_has "no word"
}

@test "the fault census finds a runtime that reports success falsely" {
	faulty "$SANDLOCK_OCI \"\$@\" || exit 0"
	assert_output_has "silent"
}

@test "the fault census finds a create that fails before its supervisor is ready" {
	faulty "$SANDLOCK_OCI \"\$@\" || exit 0" --only create --supervised \
		--every 1 --call dup2
	assert_output_has "silent: sandlock: create: EIO of dup2"
}

@test "the fault census finds a process that survives its supervisor" {
	faulty "case \$3 in
	create) $SANDLOCK_OCI \"\$@\" || exit
		sleep 1000 </dev/null >/dev/null 2>&1 &
		echo \$! >$TMP/pid ;;
	*) [ \$3 != delete ] || kill \$(cat $TMP/pid)
		exec $SANDLOCK_OCI \"\$@\" ;;
	esac" --only start --supervised --fault SUPERVISOR --call openat
	assert_output_has "open: sandlock: start: SUPERVISOR of"
}

@test "the fault census finds a runtime that leaves something behind" {
	faulty "$SANDLOCK_OCI \"\$@\" || { touch \$2/left; exit 1; }"
	assert_output_has "leaks"
}

@test "the fault census finds a runtime that retries for ever" {
	faulty "until $SANDLOCK_OCI \"\$@\" 2>/dev/null; do sleep 1; done" \
		--persistent "${KILLING[@]}"
	assert_output_has "hangs: "
}

@test "the fault census finds objects that the kernel keeps without a process" {
	requires ipcmk
	faulty "$SANDLOCK_OCI \"\$@\" || {
		ipcmk -M 4096 -S 1 -Q
		touch /dev/shm/left \$2/../queues/left
		exit 1; } >/dev/null" "${KILLING[@]}"
	assert_output_has "memory /proc/sysvipc/shm"
	assert_output_has "memory /proc/sysvipc/sem"
	assert_output_has "memory /proc/sysvipc/msg"
	assert_output_has "file /dev/shm/left"
	assert_output_has "queues/left"
}

@test "the fault census finds a core dump" {
	faulty "$SANDLOCK_OCI \"\$@\" || { touch core \$2/../rootfs/core; exit 1; }" \
		"${KILLING[@]}"
	assert_output_has "here/core"
	assert_output_has "rootfs/core"
}

@test "the fault census finds a keyring" {
	requires keyrings
	faulty "$SANDLOCK_OCI \"\$@\" ||
		{ $FAULTS_PROGRAMS/probe key _ses.\$4; exit 1; }" "${KILLING[@]}"
	[[ $output =~ "leaks: "[^$'\n']*"key "[0-9a-f]+" _ses." ]]
}

@test "the fault census finds a loop device" {
	requires losetup
	losetup --find >/dev/null || skip "needs a loop device"
	faulty "$SANDLOCK_OCI \"\$@\" || { truncate -s 1M \$2/../disk
		losetup --find \$2/../disk; exit 1; }" "${KILLING[@]}"
	assert_output_has "device loop"
}

@test "the fault census finds a leaked descriptor" {
	# A process that lives as long as the container opens one when exec
	# fails.
	mkfifo "$TMP/bell"
	faulty "case \$3 in
	create) $SANDLOCK_OCI \"\$@\" || exit
		(while read -r _; do exec 7</dev/null; done) \
			<>$TMP/bell >/dev/null &
		echo \$! >$TMP/pid ;;
	exec) $SANDLOCK_OCI \"\$@\" || { echo >$TMP/bell; exit 1; } ;;
	*) [ \$3 != delete ] || kill \$(cat $TMP/pid)
		exec $SANDLOCK_OCI \"\$@\" ;;
	esac" --only exec --every 1 --call keyctl
	[[ $output =~ "leaks: "[^$'\n']*"descriptors" ]]
}

@test "a hundred concurrent callers each get what they ask for, once" {
	TMPDIR=$TMP "$BATS_TEST_DIRNAME/faults/run" --storm --each 6 3>&-
}
