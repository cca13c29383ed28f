#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016,SC2030,SC2031 # for other shells; run
# tests/stale.bats - records that are not true any more: no process outside the
# container ever gets a signal because of them.

load helpers

setup() {
	sandlock_setup
	export SANDLOCK_OCI BUNDLE
	requires root
	BYSTANDER=
}

teardown() {
	[ -z "$BYSTANDER" ] || end_bystander
	sandlock_teardown
}

# An innocent process; $BYSTANDER.
start_bystander() {
	sleep 1000 3>&- &
	BYSTANDER=$!
}

end_bystander() {
	kill -KILL "$BYSTANDER"
	wait "$BYSTANDER" || true
	BYSTANDER=
}

assert_bystander_lives() {
	if ! kill -0 "$BYSTANDER"; then
		echo "the bystander was killed"
		return 1
	fi
}

# edit_record EXPRESSION: edit the record of c1.
edit_record() {
	jq --argjson pid "$BYSTANDER" "$1" "$ROOT/c1/state.json" >"$TMP/forged"
	cat "$TMP/forged" >"$ROOT/c1/state.json"
}

# End the container behind the back of its record.
end_c1() {
	kill -KILL "$(cat "$TMP/c1.pid")"
	wait_until has_status c1 stopped
}

start_time() {
	sed 's/.*) //' "/proc/$1/stat" | cut -d ' ' -f 20
}

# It is stopped; the bystander survives every command that could signal.
harmless() {
	assert_status c1 stopped || return 1
	run oci kill c1 KILL
	[ "$status" -ne 0 ]
	assert_output_has "container not running"
	run oci kill --all c1 KILL
	run oci exec c1 true
	[ "$status" -ne 0 ]
	assert_bystander_lives || return 1
	run_ok oci delete c1
	assert_bystander_lives && assert_gone c1
}

@test "every command refuses a state directory of somebody else" {
	requires root
	new_bundle
	mkdir "$TMP/foreign"
	chown "$USER_ID" "$TMP/foreign"
	run_bad "cannot be used for state because it is owned by user $USER_ID" \
		"$SANDLOCK_OCI" --root "$TMP/foreign" create --bundle "$BUNDLE" box
	[ -z "$(ls "$TMP/foreign")" ]
	chown 0 "$TMP/foreign"
	run_ok "$SANDLOCK_OCI" --root "$TMP/foreign" run --bundle "$BUNDLE" box
}

@test "a pid that was given to another process is not signalled" {
	start_sleeping c1
	start_bystander
	end_c1
	# shellcheck disable=SC2016 # $pid is jq's
	edit_record '.pid = $pid'
	harmless
}

@test "a pid that was given to another process is not signalled in the host's pid namespace" {
	new_bundle c1
	config '.linux.namespaces |= map(select(.type != "pid")) |
		.mounts |= map(select(.type != "proc")) |
		del(.linux.maskedPaths, .linux.readonlyPaths)'
	args sleep 1000
	start_container c1
	end_c1
	start_bystander
	# shellcheck disable=SC2016
	edit_record '.pid = $pid'
	harmless
}

@test "a pid that was given to another process with an equal start time is not signalled" {
	start_sleeping c1
	start_bystander
	end_c1
	# shellcheck disable=SC2016
	edit_record ".pid = \$pid | .startTime = $(start_time "$BYSTANDER")"
	harmless
}

@test "a record of another boot signals nobody and removes no cgroup" {
	local dir

	start_sleeping c1
	start_bystander
	end_c1
	# In this boot the paths of the record belong to other containers.
	for dir in $(cgroup_dirs "$CGROUP_PARENT/c1"); do
		echo "$BYSTANDER" >"$dir/cgroup.procs"
	done
	# shellcheck disable=SC2016
	edit_record ".pid = \$pid | .startTime = $(start_time "$BYSTANDER") |
		.bootId = \"00000000-0000-0000-0000-000000000000\""
	harmless
	for dir in $(cgroup_dirs "$CGROUP_PARENT/c1"); do
		grep -qx "$BYSTANDER" "$dir/cgroup.procs"
	done
	end_bystander
	remove_test_cgroups
}

@test "a cgroup that another has made anew is not taken for the container's" {
	local dirs dir

	start_sleeping c1
	end_c1
	start_bystander
	dirs=$(cgroup_dirs "$CGROUP_PARENT/c1")
	for dir in $dirs; do
		rmdir "$dir"
		mkdir "$dir"
		# A new one has no CPUs of its own.
		cat "$dir/../cpuset.cpus" >"$dir/cpuset.cpus" || true
		cat "$dir/../cpuset.mems" >"$dir/cpuset.mems" || true
		echo "$BYSTANDER" >"$dir/cgroup.procs"
	done 2>/dev/null
	[ "$(oci ps --format json c1)" = "[]" ]
	harmless
	for dir in $dirs; do
		grep -qx "$BYSTANDER" "$dir/cgroup.procs"
	done
	end_bystander
	remove_test_cgroups
}

@test "create does not end the processes of an existing cgroup" {
	local dir

	new_bundle
	start_bystander
	for dir in /sys/fs/cgroup/{pids,freezer,unified}; do
		[ -d "$dir" ] || continue
		mkdir -p "$dir$CGROUP_PARENT/bundle"
		echo "$BYSTANDER" >"$dir$CGROUP_PARENT/bundle/cgroup.procs"
	done
	run_bad "container's cgroup is not empty: 1 process(es) found" create c1
	assert_gone c1
	assert_bystander_lives
	run_ok oci delete --force c1
	assert_bystander_lives
	end_bystander
	# Those that were there before stay, the others were undone.
	[ "$(cgroup_dirs "$CGROUP_PARENT/bundle" | wc -l)" -le 3 ]
	remove_test_cgroups
}

@test "a killed create records no cgroup that existed before" {
	local dir=/sys/fs/cgroup/pids$CGROUP_PARENT/bundle

	# A dynamic one begins with hundreds of calls of its loader.
	requires cgroup1 static "${CC:-cc}"
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -o "$TMP/inject" \
		"$BATS_TEST_DIRNAME/inject.c"
	new_bundle
	start_bystander
	mkdir -p "$dir"
	kill_create_before_cgroups || return 1
	# Only now it is used: the dead create must not have claimed it.
	echo "$BYSTANDER" >"$dir/cgroup.procs"
	run_ok oci delete --force c1
	assert_gone c1
	assert_bystander_lives
	end_bystander
	remove_test_cgroups
}

# The first system call after which the intent is on disk.
kill_create_before_cgroups() {
	local n

	for ((n = 20; n < 200; n++)); do
		"$TMP/inject" self $n "$SANDLOCK_OCI" --root "$ROOT" create \
			--bundle "$BUNDLE" c1 </dev/null >"$TMP/said" 2>&1 3>&- ||
			true
		[ ! -e "$ROOT/c1/state.json" ] || return 0
		oci delete --force c1
	done
	return 1
}

@test "list shows a record that cannot be read, and delete --force removes it" {
	local text

	start_sleeping c1
	end_c1
	for text in '' '{' '{"id": "c1"}' 'x' '{"id": "c2", "pid": 1}'; do
		printf '%s' "$text" >"$ROOT/c1/state.json"
		run_ok oci list
		[[ ${lines[1]} =~ ^c1\ +0\ +broken\  ]]
		run_bad "c1: container is broken" oci delete c1
		run_bad "c1: container is broken" oci state c1
		run_bad "c1: container is broken" oci kill c1 KILL
		run_bad "c1: container is broken" oci start c1
		run_bad "container with given ID already exists" create c1
	done
	run_ok oci delete --force c1
	assert_gone c1
	remove_test_cgroups
	run_ok create c1
}

# broken_c1: it is listed as that, and no command takes it for a container.
broken_c1() {
	run_ok timeout 5 "$SANDLOCK_OCI" --root "$ROOT" list
	[[ ${lines[1]} =~ ^c1\ +0\ +broken\  ]] || {
		echo "$output"
		return 1
	}
	run_bad "c1: container is broken" oci kill c1 KILL
	run oci exec c1 true
	[ "$status" -eq 255 ]
	assert_output_has "c1: container is broken"
}

@test "a record cut at any byte is broken, and delete --force removes it" {
	local size n

	start_sleeping c1
	end_c1
	cp "$ROOT/c1/state.json" "$TMP/whole"
	size=$(stat -c %s "$TMP/whole")
	for ((n = RANDOM % 50; n < size - 2; n += 50)); do
		head -c "$n" "$TMP/whole" >"$ROOT/c1/state.json"
		broken_c1
	done
	run_ok oci delete --force c1
	assert_gone c1
	remove_test_cgroups
}

@test "a record that is no regular file is broken, and no command waits for it" {
	local make

	start_sleeping c1
	end_c1
	for make in mkfifo mkdir "ln -s $TMP/c1.pid" "mknod PATH c 1 5" \
		"truncate -s 5M"; do
		rm -rf "$ROOT/c1/state.json"
		[[ $make == *PATH* ]] || make+=" PATH"
		${make//PATH/$ROOT/c1/state.json}
		broken_c1
	done
	rm "$ROOT/c1/state.json"
	broken_c1
	run_ok timeout 5 "$SANDLOCK_OCI" --root "$ROOT" delete --force c1
	assert_gone c1
	remove_test_cgroups
}

@test "the record of another container is not taken for a container's own" {
	start_sleeping c2
	start_sleeping c1
	end_c1
	cat "$ROOT/c2/state.json" >"$ROOT/c1/state.json"
	broken_c1
	run_ok oci delete --force c1
	assert_gone c1
	assert_status c2 running
	run_ok oci delete --force c2
	remove_test_cgroups
}

# read_only COMMAND...: with a state directory that nothing can change.
read_only() {
	privately bash -c '
		mount --bind "$ROOT" "$ROOT" &&
			mount -o remount,bind,ro "$ROOT" && exec "$@"' \
		read_only "$SANDLOCK_OCI" --root "$ROOT" "$@"
}

@test "a container whose state cannot be written stays listed until it can be deleted" {
	start_sleeping c1
	run_ok read_only state c1
	assert_output_has '"status": "running"'
	run_ok read_only exec c1 true
	run_bad "ead-only file system" read_only delete --force c1
	assert_output_has "c1"
	run_ok read_only list
	[[ ${lines[1]} =~ ^c1\  ]]
	run_bad "already exists" create c1
	run_ok oci delete --force c1
	assert_gone c1
}

# In a mount namespace of the test's own: what is there is gone with it.
@test "a full state directory does not keep a container from being killed and deleted" {
	new_bundle c1
	args sleep 1000
	mkdir "$ROOT"
	run_ok privately bash -c '
		set -e
		mount -t tmpfs -o mode=700,size=64k tmpfs "$ROOT"
		oci() { "$SANDLOCK_OCI" --root "$ROOT" "$@"; }
		oci create --bundle "$BUNDLE" c1 </dev/null >/dev/null 2>&1
		cat /dev/zero >"$ROOT/full" 2>/dev/null || true
		oci start c1
		oci state c1 | grep status
		if oci update --pids-limit 50 c1 2>&1; then exit 1; fi
		oci exec c1 true
		oci kill c1 KILL
		while oci delete c1 2>&1 | grep running; do :; done
		ls "$ROOT"' full
	assert_output_has '"status": "running"'
	assert_output_has "no space left on device"
	[ "${lines[-1]}" = full ]
}

@test "delete keeps a directory of somebody else's in the place of a record" {
	new_bundle
	mkdir -p "$ROOT/box/sub"
	: >"$ROOT/box/sub/file"
	run_bad "already exists" oci run --bundle "$BUNDLE" box
	run_bad "container is broken" oci delete box
	[ -e "$ROOT/box/sub/file" ]
	# Empty, it is what a create that was killed has left.
	rm -r "$ROOT/box/sub"
	args true
	run_ok oci run --bundle "$BUNDLE" box
}

@test "list shows the other containers beside a broken record" {
	start_sleeping c1
	mkdir -m 700 "$ROOT/c0"
	echo '{' >"$ROOT/c0/state.json"
	ln -s c1 "$ROOT/c2"
	touch "$ROOT/c3"
	run_ok oci list --quiet
	[ "$output" = $'c0\nc1' ]
	assert_status c1 running
	rm "$ROOT/c2" "$ROOT/c3"
	run_ok oci delete --force c0
}

@test "every command refuses a state directory that others can write" {
	start_sleeping c1
	chmod 777 "$ROOT/c1"
	run_bad "state directory is writable by its group or by others" oci kill c1 KILL
	chmod 700 "$ROOT/c1"
	assert_status c1 running
}

@test "a container of another boot is stopped, and delete removes it" {
	start_sleeping c1
	start_bystander
	end_c1
	edit_record '.bootId = "00000000-0000-0000-0000-000000000000"'
	assert_status c1 stopped
	run_bad "already exists" create c1
	run_ok oci delete c1
	remove_test_cgroups
	run_ok create c1
}
