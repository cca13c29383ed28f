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

# faulty SCRIPT [OPTION...]: a runtime that does this and is to be found out.
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

@test "exec survives faults" {
	census exec
}

@test "kill, pause, resume and update survive faults" {
	census kill
	census pause
	census resume
	census update
}

@test "what fails and goes on failing does no more harm" {
	census create --persistent --every $((6 * EVERY))
	census run --persistent --every $((6 * EVERY))
	census exec --persistent --every $((6 * EVERY))
	census pause --persistent --every $((2 * EVERY))
	census "delete --force" --persistent --every $((4 * EVERY))
}

@test "what cannot be read is not waited for" {
	census pause --persistent --every 1 --fault EIO --call read
}

@test "delete survives faults" {
	census delete
	census "delete --force"
}

@test "a child that cannot come to the gate fails create" {
	once_found create EINTR dup3
	once_found create EIO close_range
	once_found create EIO accept4
	once_found create SIGKILL close_range
}

@test "a capability that cannot be made ambient is not left out" {
	once_found exec EPERM prctl
}

@test "the null device of the host is not kept" {
	once_found exec EIO openat
}

@test "a message that is not there yet is waited for" {
	once_found create EAGAIN recvmsg
}

@test "what cannot be read is not taken for the answer" {
	once_found run EIO read
	once_found "delete --force" EPERM newfstatat
	once_found "delete --force" EPERM unlinkat
}

@test "a process that goes on as another is waited for, too" {
	requires userns timens
	census run --rich --every 1 --fault EPERM --call pidfd_open
	census run --rich --every 1 --fault EIO --call sendmsg
}

@test "a delete that failed can be done again" {
	once_found delete ENOSYS unlinkat
}

@test "what cannot be frozen goes on" {
	once_found pause ENOSPC write
}

@test "root of the host never gets the sysfs of the host" {
	once_found run EPERM fsmount
}

@test "a keyring has its rights" {
	once_found exec EIO keyctl
}

@test "the census finds a runtime that fails without a word" {
	faulty "exec $SANDLOCK_OCI \"\$@\" 2>/dev/null"
	assert_output_has "no word"
}

@test "the census finds a runtime that only says it worked" {
	faulty "$SANDLOCK_OCI \"\$@\" || exit 0"
	assert_output_has "silent"
}

@test "the census finds a runtime that leaves something behind" {
	faulty "$SANDLOCK_OCI \"\$@\" || { touch \$2/left; exit 1; }"
	assert_output_has "leaks"
}

@test "the census finds a runtime that tries again for ever" {
	faulty "until $SANDLOCK_OCI \"\$@\" 2>/dev/null; do sleep 1; done" \
		--persistent "${KILLING[@]}"
	assert_output_has "hangs: "
}

@test "the census finds what the kernel keeps without a process" {
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

@test "the census finds a core" {
	faulty "$SANDLOCK_OCI \"\$@\" || { touch core \$2/../rootfs/core; exit 1; }" \
		"${KILLING[@]}"
	assert_output_has "here/core"
	assert_output_has "rootfs/core"
}

@test "the census finds a keyring" {
	requires keyrings
	faulty "$SANDLOCK_OCI \"\$@\" ||
		{ $FAULTS_PROGRAMS/probe key _ses.\$4; exit 1; }" "${KILLING[@]}"
	[[ $output =~ "leaks: "[^$'\n']*"key "[0-9a-f]+" _ses." ]]
}

@test "the census finds a loop device" {
	requires losetup
	losetup --find >/dev/null || skip "needs a loop device"
	faulty "$SANDLOCK_OCI \"\$@\" || { truncate -s 1M \$2/../disk
		losetup --find \$2/../disk; exit 1; }" "${KILLING[@]}"
	assert_output_has "device loop"
}

@test "the census finds a descriptor too many" {
	# Who lives as long as the container opens one when exec fails.
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

@test "a hundred callers at once get what they ask for, once" {
	TMPDIR=$TMP "$BATS_TEST_DIRNAME/faults/run" --storm --each 6 3>&-
}
