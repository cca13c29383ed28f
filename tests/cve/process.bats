#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/process.bats - known ways out of a container other than through
# mounts (paths.bats) and the runtime's own binary (self.bats).
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load ../helpers

setup_file() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -static \
		-o "$BATS_FILE_TMPDIR/typist" "$BATS_TEST_DIRNAME/typist.c"
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -static \
		-o "$BATS_FILE_TMPDIR/tracer" "$BATS_TEST_DIRNAME/tracer.c"
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	BYSTANDER=
	new_bundle box
}

teardown() {
	[ -z "$BYSTANDER" ] || kill -KILL "$BYSTANDER"
	sandlock_teardown
}

CAPABILITIES='grep ^Cap /proc/self/status | tr "\t" " "'

@test "CVE-2016-8649: a program gets no inherited descriptor of the host's /proc" {
	exec 7</proc 8</
	run_inside 'ls /proc/self/fd/7/1/root /proc/self/fd/8/; :'
	assert_output_has "/proc/self/fd/7/1/root: No such file"
	assert_output_has "/proc/self/fd/8/: No such file"
	args sleep 1000
	start_container box
	run oci exec box ls /proc/self/fd/7/1/root /proc/self/fd/8/
	exec 7<&- 8<&-
	assert_output_has "/proc/self/fd/7/1/root: No such file"
	assert_output_has "/proc/self/fd/8/: No such file"
}

@test "CVE-2022-29162, CVE-2022-27650, CVE-2025-27612: a program has no inheritable capability" {
	local kill=0000000000000020 none=0000000000000000

	config '["CAP_KILL"] as $kill | .process.capabilities =
		{bounding: $kill, permitted: $kill, effective: $kill}'
	args sleep 1000
	start_container box
	run_ok oci exec box sh -c "$CAPABILITIES"
	assert_lines "CapInh: $none
CapPrm: $kill
CapEff: $kill
CapBnd: $kill
CapAmb: $none"
	run_ok oci exec --user 1000 box sh -c "$CAPABILITIES"
	assert_lines "CapInh: $none
CapPrm: $none
CapEff: $none
CapBnd: $kill
CapAmb: $none"
	run_ok oci exec --cap CAP_CHOWN box sh -c \
		'grep -E "Cap(Inh|Amb)" /proc/self/status | grep -v "	0*$"; :'
	assert_lines ""
}

@test "CVE-2021-43784: create writes many id mappings completely, or refuses their number" {
	requires userns
	config 'def maps($n): [range($n) | {containerID: ., size: 1,
			hostID: (100000 + .)}];
		.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = maps(300) | .linux.gidMappings = maps(300)'
	chown 100000:100000 "$BUNDLE/rootfs"
	run_inside 'wc -l </proc/self/uid_map; tail -n 1 /proc/self/gid_map'
	[ "$(tr -s ' ' <<<"$output")" = $'300\n 299 100299 1' ]
	config '.linux.uidMappings = [range(5000) | {containerID: ., size: 1,
		hostID: (100000 + .)}]'
	create_fails "linux.uidMappings: has 5000 entries, but the kernel allows 340"
}

@test "CVE-2021-43784: a container has all of its many mounts" {
	config '.mounts += [range(1500) | {type: "tmpfs", source: "tmpfs",
		destination: "/mnt/\(.)", options: ["size=4k"]}]'
	run_inside 'grep -c " /mnt/" /proc/self/mountinfo'
	assert_lines 1500
}

@test "CVE-2020-15257: the runtime listens at no abstract socket" {
	local pid inode name

	config '.linux.namespaces |= map(select(.type != "network"))'
	args sleep 1000
	create box
	pid=$(pid_of box)
	inode=$(readlink "/proc/$pid/fd/"* | sed -n 's/socket:\[\(.*\)\]/\1/p')
	name=$(awk -v inode="$inode" '$7 == inode { print $8 }' /proc/net/unix)
	[[ $name == /*/gate ]]
	[ "$(stat -c %a "$ROOT/box")" = 700 ]
	run oci exec box sh -c 'ls "$1" "/proc/1/root$1"' - "$name"
	[ "$status" -ne 0 ]
	assert_output_has "$name: No such file"
}

@test "CVE-2022-0811: the value of one sysctl cannot set another" {
	config '.linux.sysctl = {"kernel.shm_rmid_forced":
		"1\nkernel.domainname=evil"}'
	create_fails "must not contain a newline"
	config '.linux.sysctl = {"kernel.shm_rmid_forced\nkernel.domainname":
		"1"}'
	create_fails "not a sysctl name"
	config '.linux.sysctl = {"kernel.shm_rmid_forced":
		"1+kernel.domainname=evil"}'
	create_fails "invalid argument"
	config '.linux.sysctl = {"kernel.shm_rmid_forced/../core_pattern":
		"evil"}'
	create_fails "linux.sysctl"
}

# A number that was given to another process, started in the same moment.
@test "CVE-2022-31214: exec enters no process but the recorded one" {
	config '.linux.namespaces |= map(select(.type != "pid")) |
		.mounts |= map(select(.type != "proc")) |
		del(.linux.maskedPaths, .linux.readonlyPaths)'
	args sleep 1000
	start_container box
	kill -KILL "$(pid_of box)"
	wait_until has_status box stopped
	sleep 1000 3>&- &
	BYSTANDER=$!
	jq --argjson pid "$BYSTANDER" --argjson start \
		"$(sed 's/.*) //' "/proc/$BYSTANDER/stat" | cut -d ' ' -f 20)" \
		'.pid = $pid | .startTime = $start' \
		"$ROOT/box/state.json" >"$TMP/forged"
	cat "$TMP/forged" >"$ROOT/box/state.json"
	run oci exec box touch "$TMP/escaped"
	[ ! -e "$TMP/escaped" ]
	[ "$status" -eq 255 ]
	assert_output_has "no longer belongs to the container"
	kill -KILL "$BYSTANDER"
	wait "$BYSTANDER" || true
	BYSTANDER=
}

# Into a file: a process that waits for the passwd would keep a pipe open.
home_is_root() {
	timeout 5 "$SANDLOCK_OCI" --root "$ROOT" exec box sh -c 'echo $HOME' \
		>"$TMP/home" 3>&- && [ "$(cat "$TMP/home")" = / ]
}

@test "CVE-2026-47262: exec does not wait for an endless passwd" {
	local passwd=$BUNDLE/rootfs/etc/passwd

	config 'del(.process.env[] | select(startswith("HOME=")))'
	args sleep 1000
	start_container box
	rm "$passwd"
	truncate -s 4G "$passwd"
	home_is_root
	rm "$passwd"
	mkfifo "$passwd"
	home_is_root
	rm "$passwd"
	ln -s /dev/zero "$passwd"
	home_is_root
}

@test "CVE-2023-25173: the program has no group of the caller's" {
	args grep ^Groups: /proc/self/status
	run_ok setpriv --groups 1234,5678 "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "$(tr -d '\t ' <<<"$output")" = Groups: ]
}

@test "CVE-2016-3697, CVE-2026-46680: a number is never looked up as a name" {
	config 'del(.process.env[] | select(startswith("HOME=")))'
	args sleep 1000
	start_container box
	echo '1000:x:0:0:trap:/root:/bin/sh' >>"$BUNDLE/rootfs/etc/passwd"
	echo '1000:x:0:' >>"$BUNDLE/rootfs/etc/group"
	run_ok oci exec --user 1000:1000 box sh -c 'id -u; id -g; echo $HOME'
	assert_lines $'1000\n1000\n/'
}

@test "CVE-2026-46680: a number that is too large is refused, not looked up as a name" {
	local id

	args sleep 1000
	start_container box
	for id in 4294967295 4294967296 18446744073709551616 \
		99999999999999999999 -1; do
		echo "$id:x:0:0:trap:/root:/bin/sh" >>"$BUNDLE/rootfs/etc/passwd"
		echo "$id:x:0:" >>"$BUNDLE/rootfs/etc/group"
		run oci exec --user "$id" box id -u
		[ "$status" -eq 255 ]
		assert_output_has "--user $id"
		run oci exec --user "1000:$id" box id -g
		[ "$status" -eq 255 ]
	done
}

@test "CVE-2026-46680: a user of the image with a too large number is not root" {
	local passwd=$BUNDLE/rootfs/etc/passwd id

	config 'del(.process.env[] | select(startswith("HOME=")))'
	for id in 4294967296 -0 00x0 18446744073709551616; do
		printf '%s\n' "trap:x:$id:0::/trap:/bin/sh" \
			'root:x:0:0:root:/root:/bin/sh' >"$passwd"
		run_inside 'echo $HOME'
		assert_lines /root
	done
}

@test "CVE-2026-30892: exec --user with a user alone sets that user" {
	local id

	args sleep 1000
	start_container box
	for id in 1 2 1000 65534; do
		run_ok oci exec -u "$id" box sh -c 'id -u; id -g'
		assert_lines "$id"$'\n'0
		run_ok oci exec "--user=$id" box id -u
		assert_lines "$id"
	done
	run_ok oci exec -u 1:5 box sh -c 'id -u; id -g'
	assert_lines $'1\n5'
}

# Each is the very number, or an error that has it in it.
@test "CVE-2024-40635, CVE-2026-30892: exec --user takes an id exactly or refuses it" {
	local id

	args sleep 1000
	start_container box
	for id in 1 1000 4294967294; do
		run_ok oci exec --user "$id:$id" box sh -c 'id -u; id -g'
		assert_lines "$id"$'\n'"$id"
	done
	for id in 4294967296 4294967295 -1 1:2:3 1x '' ' 1' '1 ' 0x1 +1 1: : \
		18446744073709551616; do
		run oci exec --user "$id" box id -u
		[ "$status" -eq 255 ]
		assert_output_has "--user $id"
	done
	oci delete --force box
	for id in 4294967296 4294967295 -1 1.5 '"1"'; do
		config --argjson id "$id" '.process.user.uid = $id'
		create_fails "process.user.uid"
	done
}

@test "CVE-2017-5226, CVE-2016-10124: a program cannot type into the caller's terminal" {
	requires python3
	cp "$BATS_FILE_TMPDIR/typist" "$BUNDLE/rootfs/bin/"
	args typist
	run oci_on_pty 24x80 -- run --bundle "$BUNDLE" box
	[ "$(grep -cE "(take|type) EPERM" <<<"$output")" -eq 3 ]
	args sleep 1000
	start_container box
	run oci_on_pty 24x80 -- exec box typist
	[ "$(grep -cE "(take|type) EPERM" <<<"$output")" -eq 3 ]
}

# as_container WORD...: run it as the user of the container's process, with no
# more rights than that process has.
as_container() {
	setpriv --reuid 3003 --regid 3003 --clear-groups --bounding-set -all \
		--inh-caps -all "$@"
}

of_a_user() {
	config '.process.user = {uid: 3003, gid: 3003} |
		.process.capabilities = {} | .root.readonly = false'
}

@test "CVE-2026-41163: a process of the same user cannot trace a container that is being created" {
	of_a_user
	args sleep 1000
	create box
	cp "$BATS_FILE_TMPDIR/tracer" "$TMP/tracer"
	chmod -R a+rX "$BATS_RUN_TMPDIR"
	[ "$(awk '/^Uid/ { print $2 }' "/proc/$(pid_of box)/status")" -eq 3003 ]
	run_ok as_container "$TMP/tracer" "$(pid_of box)"
	assert_lines none
	# Tracing works after start, so the test can fail.
	oci start box
	wait_until grep -q sleep "/proc/$(pid_of box)/cmdline"
	run_ok as_container "$TMP/tracer" "$(pid_of box)"
	assert_output_has fd
}

@test "CVE-2026-41163: a process of the same user inside cannot trace exec" {
	local i

	of_a_user
	chmod 0777 "$BUNDLE/rootfs"
	cp "$BATS_FILE_TMPDIR/tracer" "$BUNDLE/rootfs/bin/"
	args tracer
	start_container box
	for ((i = 0; i < ${SANDLOCK_TIMES:-50}; i++)); do
		oci exec --user 3003:3003 box true
	done
	touch "$BUNDLE/rootfs/ask"
	wait_until [ ! -e "$BUNDLE/rootfs/ask" ]
	[ ! -e "$BUNDLE/rootfs/found" ]
}

@test "CVE-2016-8659, CVE-2020-5291, CVE-2019-12439: only the owner can read and write the state" {
	args sleep 1000
	(umask 0 && create box)
	[ "$(stat -c '%a %u' "$ROOT" "$ROOT/box" "$ROOT/box/state.json" \
		"$ROOT/box/config.json")" = $'700 0\n700 0\n600 0\n600 0' ]
	chmod g+w "$ROOT/box"
	run_bad "state directory is writable by its group or by others" oci state box
	chmod g-w "$ROOT/box"
	chown 1000 "$ROOT/box"
	run_bad "state directory is owned by uid 1000" oci kill box KILL
	chown 0 "$ROOT/box"
	assert_status box created
}
