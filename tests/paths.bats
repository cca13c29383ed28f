#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/paths.bats - masked and read-only paths.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
	config '.linux.maskedPaths = [] | .linux.readonlyPaths = []'
}

# paths masked|readonly PATH...
paths() {
	config --arg key "$1Paths" \
		--argjson paths "$(jq -cn '$ARGS.positional' --args -- "${@:2}")" \
		'.linux[$key] = $paths'
}

@test "a masked file is the null device, a masked directory empty" {
	mkdir "$BUNDLE/rootfs/dir"
	echo secret | tee "$BUNDLE/rootfs/file" >"$BUNDLE/rootfs/dir/file"
	paths masked /file /dir
	run_inside 'cat /file; stat -c "%F %t:%T" /file; ls -A /dir
		touch /dir/x 2>&1; echo x >/file; cat /file
		chmod 666 /file 2>&1; true'
	assert_lines "character special file 1:3
touch: /dir/x: Read-only file system
chmod: /file: Read-only file system"
	[ "$(stat -c %a /dev/null)" = 666 ]
}

@test "a masked directory has no files and takes none" {
	mkdir "$BUNDLE/rootfs/dir"
	paths masked /dir
	run_inside 'sed -n "s|^.* /dir \([^ ]*\) .*- \(.*\)|\1 \2|p" /proc/self/mountinfo'
	assert_output_has "ro,nosuid,nodev,noexec,relatime tmpfs"
}

@test "a masked or read-only path that is missing is no error" {
	paths masked /nowhere /etc/nowhere/at/all
	paths readonly /nowhere /etc/passwd/no
	run create c1
	[ "$status" -eq 0 ] || assert_output_has "linux.readonlyPaths[1]"
	oci delete --force c1
	paths readonly /nowhere
	run_inside 'ls /nowhere 2>&1 || true'
	assert_output_has "No such file"
}

@test "a path that is masked or read-only twice in config.json is mounted once" {
	echo secret >"$BUNDLE/rootfs/file"
	mkdir "$BUNDLE/rootfs/dir"
	paths masked /file /file /dir /dir
	paths readonly /etc /etc
	run_inside 'cat /file; ls /dir
		grep -cE " /(file|dir) " /proc/self/mountinfo
		grep -c " /etc " /proc/self/mountinfo'
	assert_lines "2
1"
}

@test "masked and read-only paths follow links inside the rootfs only" {
	mkdir "$BUNDLE/rootfs/dir" "$TMP/host"
	echo secret | tee "$BUNDLE/rootfs/dir/file" >"$TMP/host/file"
	ln -s /dir "$BUNDLE/rootfs/link"
	ln -s "$TMP/host" "$BUNDLE/rootfs/out"
	paths masked /link/file /out
	run_inside 'cat /dir/file; grep -c " /dir/file " /proc/self/mountinfo'
	assert_lines 1
	[ "$(cat "$TMP/host/file")" = secret ]
	rm "$BUNDLE/rootfs/link"
	ln -s ../../../../dir/file "$BUNDLE/rootfs/link"
	paths masked /link
	paths readonly /out /link
	run_inside 'cat /dir/file'
	assert_lines ""
}

@test "a relative masked or read-only path is below /" {
	echo secret >"$BUNDLE/rootfs/file"
	paths masked file
	paths readonly etc/../root
	run_inside 'cat /file; touch /root/x 2>&1 || true'
	assert_lines "touch: /root/x: Read-only file system"
}

@test "devices, sockets and FIFOs can be masked" {
	mkfifo "$BUNDLE/rootfs/fifo"
	paths masked /fifo /dev/zero /dev/mqueue
	run_inside 'stat -c %t:%T /fifo /dev/zero; ls /dev/mqueue; head -c 1 /dev/zero'
	assert_lines "1:3
1:3"
}

@test "all masks but the first are clones of it" {
	mkdir "$BUNDLE/rootfs/a" "$BUNDLE/rootfs/b"
	touch "$BUNDLE/rootfs/c" "$BUNDLE/rootfs/d"
	paths masked /a /b /c /d
	run_inside 'stat -c %d /a /b | uniq | wc -l; stat -c "%d %i" /c /d | uniq | wc -l'
	assert_lines "1
1"
}

@test "a read-only path is read-only with all its other flags" {
	add_mount /m tmpfs tmpfs nosuid nodev noexec noatime
	mkdir "$BUNDLE/rootfs/data"
	paths readonly /m /data /etc/passwd
	run_inside 'sed -n "s|^.* /m \([^ ]*\) .*|\1|p" /proc/self/mountinfo | tail -n 1
		touch /m/x 2>&1; touch /data/x 2>&1; echo >>/etc/passwd; true'
	assert_output_has "ro,nosuid,nodev,noexec,noatime
touch: /m/x: Read-only file system
touch: /data/x: Read-only file system"
	assert_output_has "can't create /etc/passwd: Read-only file system"
}

@test "mounts below a read-only path stay there" {
	mkdir -p "$BUNDLE/rootfs/data"
	add_mount /data/sub tmpfs tmpfs
	paths readonly /data
	run_inside 'touch /data/sub/x && ls /data/sub'
	assert_lines x
}

@test "the masked paths of spec hide their files" {
	rm "$BUNDLE/config.json"
	oci spec --bundle "$BUNDLE"
	config '.process.terminal = false'
	run_inside 'cat /proc/keys; ls -A /sys/firmware; ls -A /proc/scsi 2>/dev/null
		echo x >/proc/sys/kernel/domainname; true'
	assert_lines "sh: can't create /proc/sys/kernel/domainname: Read-only file system"
}

@test "masked and read-only paths apply in a user namespace" {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	echo secret >"$BUNDLE/rootfs/file"
	mkdir "$BUNDLE/rootfs/dir"
	touch "$BUNDLE/rootfs/dir/file"
	chown -R 100000:100000 "$BUNDLE/rootfs"
	paths masked /file /dir /proc/keys
	paths readonly /proc/sys /etc
	run_inside 'cat /file /proc/keys; ls /dir; touch /etc/x 2>&1 || true'
	assert_lines "touch: /etc/x: Read-only file system"
}

@test "a program without privileges over mounts cannot remove a mask" {
	echo secret >"$BUNDLE/rootfs/file"
	paths masked /file
	run_inside 'umount /file 2>&1; cat /file'
	[[ $output != *secret* ]]
}

@test "masked and read-only paths need a mount namespace" {
	config 'del(.linux.namespaces[] | select(.type == "mount")) | .mounts = []'
	paths masked /file
	create_fails "linux.maskedPaths: "
	paths masked
	paths readonly /file
	create_fails "linux.readonlyPaths: "
}
