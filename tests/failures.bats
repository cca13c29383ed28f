#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/failures.bats - whatever fails on the way, all of it is undone, and the
# same ID works at once.

load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
	cp "$BUNDLE/config.json" "$TMP/good.json"
}

undone() {
	local left

	left=$(leftovers) || true
	if [ -n "$left" ] || [ -e "$TMP/c1.pid" ]; then
		echo "left behind: $left $(ls "$TMP/c1.pid" 2>/dev/null)"
		return 1
	fi
}

# The ID is free, and the container works.
works_now() {
	cp "$TMP/good.json" "$BUNDLE/config.json"
	run_ok create c1
	run_ok oci start c1
	wait_until has_status c1 stopped
	run_ok oci delete c1
	rm -f "$TMP/c1.pid"
}

# create_and_run_fail TEXT [OPTION...]: create and run do, and undo what they
# did.
create_and_run_fail() {
	local text=$1

	shift
	run_bad "$text" create c1 "$@" || return 1
	undone || return 1
	run_bad "$text" oci run --bundle "$BUNDLE" "$@" c1 || return 1
	undone
}

@test "a failing hook undoes the creation" {
	local point

	for point in prestart createRuntime createContainer; do
		# shellcheck disable=SC2016 # $p is jq's
		config --arg p $point '.hooks = {} |
			.hooks[$p] = [{"path": "/bin/false"}]'
		create_and_run_fail "error running $point hook #0"
		works_now
	done
}

@test "create ends a hook that hangs, and undoes the creation" {
	config '.hooks.createRuntime = [{"path": "/bin/sleep",
		"args": ["sleep", "1000"], "timeout": 1}]'
	create_and_run_fail "error running createRuntime hook #0"
	works_now
}

@test "a failing mount undoes the creation" {
	config '.mounts += [{"destination": "/x", "source": "/absent",
		"options": ["bind"]}]'
	create_and_run_fail "mounts[7]: open mount source /absent: no such file or directory"
	[ ! -e "$BUNDLE/rootfs/x" ]
	config '.mounts[7] = {"destination": "/x", "type": "nosuchfs"}'
	create_and_run_fail "mounts[7]: mount nosuchfs on /x: no such device"
	config '.mounts[7] = {"destination": "/x", "type": "tmpfs",
		"options": ["size=much"]}'
	create_and_run_fail "mounts[7]"
	works_now
}

@test "a missing program undoes the creation" {
	args no-such-program
	# shellcheck disable=SC2016 # so it is said
	create_and_run_fail '"no-such-program": executable file not found in $PATH'
	args /etc/passwd
	create_and_run_fail 'exec: "/etc/passwd": permission denied'
	args /bin
	create_and_run_fail 'exec: "/bin": '
	works_now
}

@test "a file that is no program undoes a run, and fails start" {
	echo "no program" >"$BUNDLE/rootfs/bin/none"
	chmod 755 "$BUNDLE/rootfs/bin/none"
	args none
	run_bad "exec format error" oci run --bundle "$BUNDLE" c1
	undone
	run_ok create c1
	run_bad "exec format error" oci start c1
	wait_until has_status c1 stopped
	run_ok oci delete c1
	works_now
}

@test "a missing working directory undoes the creation" {
	config '.process.cwd = "/bin/busybox"'
	create_and_run_fail "process.cwd"
	works_now
}

@test "a missing console socket undoes the creation" {
	config '.process.terminal = true'
	run_bad "$TMP/absent" create c1 --console-socket "$TMP/absent"
	undone
	touch "$TMP/file"
	run_bad "$TMP/file" create c1 --console-socket "$TMP/file"
	undone
	run_bad "$TMP/absent" oci run --detach --bundle "$BUNDLE" \
		--console-socket "$TMP/absent" c1
	undone
	works_now
}

@test "a missing pidfd socket undoes the creation" {
	create_and_run_fail "$TMP/absent" --pidfd-socket "$TMP/absent"
	works_now
}

@test "a pid file that cannot be written undoes the creation" {
	create_and_run_fail "--pid-file: create $TMP/absent/pid" \
		--pid-file "$TMP/absent/pid"
	mkdir "$TMP/folder"
	create_and_run_fail "--pid-file: write $TMP/folder" --pid-file "$TMP/folder"
	[ -d "$TMP/folder" ]
	[ ! -e "$TMP/folder.tmp" ]
	works_now
}

@test "a failed creation leaves a pid file of somebody else alone" {
	echo 1 >"$TMP/other.pid"
	args no-such-program
	create_and_run_fail "not found" --pid-file "$TMP/other.pid"
	[ "$(cat "$TMP/other.pid")" = 1 ]
}

@test "a limit that cannot be set undoes the creation" {
	config '.linux.resources.cpu.cpus = "4000-4001"'
	create_and_run_fail "linux.resources.cpu.cpus: "
	works_now
}

@test "create reports a memory limit that is too low for a process" {
	config '.linux.resources.memory = {"limit": 4096}'
	create_and_run_fail "was killed by signal 9 (KILL) before it ran its program: \
it exceeded its memory limit of 4096 bytes"
	works_now
}

@test "a limit of one process is enough to create and run a container" {
	config '.linux.resources.pids = {"limit": 1}'
	run_ok oci run --bundle "$BUNDLE" c1
	args sh -c 'true & echo forked'
	run oci run --bundle "$BUNDLE" c1
	[ "$status" -ne 0 ]
	undone
	works_now
}

@test "a joined namespace of the wrong kind undoes the creation" {
	config '.linux.namespaces |= map(if .type == "ipc" then
		.path = "/proc/self/ns/net" else . end)'
	create_and_run_fail "/proc/self/ns/net"
	works_now
}

# with_state OPTIONS COMMAND...: $ROOT is a tmpfs like that, for this only.
with_state() {
	mkdir -p "$ROOT"
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c '
		options=$1 root=$2
		shift 2
		mount -t tmpfs -o "$options" none "$root" || exit 9
		"$@"
		r=$?
		# Leftovers in there could not be seen from outside.
		[ $r -ne 0 ] || exit 0
		[ -z "$(ls -A "$root")" ] || ls -lA "$root"/* >&2
		exit $r
	' with_state "$1" "$ROOT" "${@:2}" 3>&-
}

@test "a full state directory undoes the creation" {
	local n failed=0

	for n in 2 3 4 5 6; do
		run with_state "mode=700,nr_inodes=$n" "$SANDLOCK_OCI" \
			--root "$ROOT" run --bundle "$BUNDLE" c1
		[ "$status" -lt 2 ]
		if [ "$status" -eq 1 ]; then
			failed=$((failed + 1))
			[ "${#lines[@]}" -eq 1 ]
			assert_output_has "no space left on device"
		fi
		undone
	done
	[ $failed -gt 1 ]
	# One page holds the record, and not the configuration, too.
	run_bad "no space left on device" with_state "mode=700,size=4k" \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" c1
	[ "${#lines[@]}" -eq 1 ]
	undone
	works_now
}

@test "create reports a state directory that it cannot write" {
	run_bad "read-only file system" with_state "mode=700,ro" \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" c1
	[ "${#lines[@]}" -eq 1 ]
	rmdir "$ROOT"
	touch "$ROOT"
	run_bad "not a directory" oci run --bundle "$BUNDLE" c1
	rm "$ROOT"
	mkdir -m 777 "$ROOT"
	run_bad "writable by everyone" oci run --bundle "$BUNDLE" c1
	chmod 700 "$ROOT"
	works_now
}

@test "create reports that it has too few descriptors" {
	local n failed=0

	# The loader of a dynamic one has limits of its own.
	requires static
	for n in 3 4 5 6 8 10 12 16 20 24 28 32 40 64; do
		run bash -c "ulimit -n $n && exec \"\$@\"" limited "$SANDLOCK_OCI" \
			--root "$ROOT" run --bundle "$BUNDLE" c1
		if [ "$status" -ne 0 ]; then
			failed=$((failed + 1))
			[ "$status" -eq 1 ]
			[ "${#lines[@]}" -eq 1 ]
		fi
		undone
	done
	[ $failed -gt 3 ]
	works_now
}

@test "create reports that it has too little memory" {
	local n failed=0

	# The loader of a dynamic one has limits of its own.
	requires static
	for n in 8000 16000 32000 50000 52000 60000; do
		run bash -c "ulimit -v $n && exec \"\$@\"" limited "$SANDLOCK_OCI" \
			--root "$ROOT" run --bundle "$BUNDLE" c1
		if [ "$status" -ne 0 ]; then
			failed=$((failed + 1))
			[ "$status" -eq 1 ]
			[ "${#lines[@]}" -eq 1 ]
		fi
		undone
	done
	[ $failed -gt 1 ]
	works_now
}
