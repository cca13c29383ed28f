#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/mounts.bats - what is mounted where: sources, places, kinds, order.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
}

@test "a container has the seven mounts of spec, in their order" {
	run_inside 'cut -d" " -f5 /proc/self/mountinfo |
		grep -vE "^/(sys/fs/cgroup/|proc/|sys/firmware)"'
	assert_lines "/
/proc
/dev
/dev/pts
/dev/shm
/dev/mqueue
/sys
/sys/fs/cgroup"
}

@test "a container sees no mount of the host" {
	run_inside 'ls /; cd /; cd ..; ls -d /host* 2>/dev/null; cut -d" " -f4,5 /proc/self/mountinfo | grep " /$"'
	[[ $output != *"$TMP"*"$TMP"* ]]
	# As its file system names it: the test's directory may be a mount.
	[[ $(echo "$output" | tail -n 1) = *"/${BUNDLE##*/}/rootfs /" ]]
}

@test "a bind mount shows a directory, a file, a socket or a device" {
	requires python3
	mkdir "$TMP/dir"
	echo text | tee "$TMP/dir/file" >"$TMP/file"
	python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$TMP/sock"
	add_mount /m/dir "" "$TMP/dir" bind
	add_mount /m/file "" "$TMP/file" bind
	add_mount /m/sock "" "$TMP/sock" bind
	add_mount /m/null bind /dev/null
	run_inside 'cat /m/dir/file /m/file; stat -c "%n %F" /m/*'
	assert_lines "text
text
/m/dir directory
/m/file regular file
/m/null character special file
/m/sock socket"
	[ "$(stat -c '%F %a' "$BUNDLE/rootfs/m/dir")" = "directory 755" ]
	[ "$(stat -c '%F %a %s' "$BUNDLE/rootfs/m/file")" = \
		"regular empty file 644 0" ]
	[ "$(stat -c '%F' "$BUNDLE/rootfs/m/sock")" = "regular empty file" ]
}

@test "created mount points have their modes whatever the umask is" {
	add_mount /new/dir tmpfs tmpfs mode=700
	add_mount /new/file "" /dev/null bind
	umask 077
	run_inside true
	[ "$(stat -c %a "$BUNDLE/rootfs/new")" = 755 ]
	[ "$(stat -c %a "$BUNDLE/rootfs/new/dir")" = 755 ]
	[ "$(stat -c %a "$BUNDLE/rootfs/new/file")" = 644 ]
}

@test "create names a missing source with its mount" {
	add_mount /m "" "$TMP/nowhere" bind
	create_fails "mounts[7]: "
	assert_output_has "$TMP/nowhere: no such file or directory"
	config 'del(.mounts[7].source)'
	create_fails "mounts[7].source: required for a bind mount"
}

@test "create refuses a mount without a type" {
	add_mount /m "" tmpfs
	create_fails "mounts[7].type: required"
	add_mount /m nosuchfs none
	config 'del(.mounts[7])'
	create_fails "mounts[7]: mount nosuchfs on /m: no such device"
}

@test "a relative source of a mount is below the bundle" {
	mkdir -p "$BUNDLE/data/deep"
	echo text >"$BUNDLE/data/deep/file"
	echo other >"$TMP/outside"
	add_mount /m/0 "" data/deep bind
	add_mount /m/1 "" ./data//deep/file bind
	add_mount /m/2 "" ../outside bind
	cd /
	run_inside 'cat /m/0/file /m/1 /m/2'
	assert_lines "text
text
other"
}

@test "a mount's source inside the rootfs may be an earlier mount" {
	mkdir "$TMP/data"
	echo text >"$TMP/data/file"
	add_mount /first "" "$TMP/data" bind
	add_mount /second "" "$BUNDLE/rootfs/first/file" bind
	add_mount /third "" rootfs/first bind
	run_inside 'cat /second /third/file'
	assert_lines "text
text"
}

@test "a mount's source inside the rootfs cannot lead outside" {
	mkdir "$TMP/secret"
	echo secret >"$TMP/secret/file"
	ln -s "$TMP/secret" "$BUNDLE/rootfs/link"
	add_mount /m "" "$BUNDLE/rootfs/link/file" bind
	create_fails "mounts[7]: "
	mkdir -p "$BUNDLE/rootfs/$TMP/secret"
	echo inside >"$BUNDLE/rootfs/$TMP/secret/file"
	run_inside 'cat /m'
	assert_lines inside
}

@test "create mounts a source that the root of the user namespace cannot reach" {
	with_userns
	mkdir -p "$TMP/closed/data"
	echo text >"$TMP/closed/data/file"
	chmod 700 "$TMP/closed"
	add_mount /m "" "$TMP/closed/data" bind
	run_inside 'cat /m/file'
	assert_lines text
}

@test "a relative destination of a mount is below /" {
	config '.mounts += [{destination: "m/./x/../y", type: "tmpfs",
			     source: "tmpfs"}]'
	run_inside 'grep -c " /m/y " /proc/self/mountinfo'
	assert_lines 1
}

@test "links in a mount's destination stay inside the rootfs" {
	mkdir "$TMP/host" "$BUNDLE/rootfs/real"
	ln -s ../../../../../../../../real "$BUNDLE/rootfs/up"
	ln -s /real "$BUNDLE/rootfs/abs"
	ln -s "$TMP/host" "$BUNDLE/rootfs/host"
	ln -s deep/er/new "$BUNDLE/rootfs/dangling"
	ln -s /new/file "$BUNDLE/rootfs/dangling-file"
	add_mount /up/a tmpfs tmpfs
	add_mount /abs/b tmpfs tmpfs
	add_mount /host/c tmpfs tmpfs
	add_mount /dangling tmpfs tmpfs
	add_mount /dangling-file "" /etc/hostname bind
	run_inside 'cut -d" " -f5 /proc/self/mountinfo | tail -n +9 |
		grep -vE "^/(proc|sys)/"'
	assert_lines "/real/a
/real/b
$TMP/host/c
/deep/er/new
/new/file"
	[ -z "$(ls "$TMP/host")" ]
	[ -d "$BUNDLE/rootfs/$TMP/host/c" ]
}

@test "create refuses a mount's destination that is a loop of links" {
	ln -s b "$BUNDLE/rootfs/a"
	ln -s a "$BUNDLE/rootfs/b"
	add_mount /a/m tmpfs tmpfs
	create_fails "mounts[7]: "
	assert_output_has "too many levels of symbolic links"
}

@test "a mount's destination may be sixty missing directories deep" {
	local path=

	for i in $(seq 60); do
		path+=/d$i
	done
	add_mount "$path" tmpfs tmpfs
	run_inside "grep -c ' $path ' /proc/self/mountinfo"
	assert_lines 1
}

@test "create mounts no directory on a file, and no file on a directory" {
	mkdir "$TMP/dir" "$BUNDLE/rootfs/dir"
	touch "$TMP/file" "$BUNDLE/rootfs/file"
	add_mount /file "" "$TMP/dir" bind
	create_fails "mounts[7]: "
	config 'del(.mounts[7])'
	add_mount /dir "" "$TMP/file" bind
	create_fails "mounts[7]: "
}

@test "create refuses a mount on /" {
	local path

	ln -s . "$BUNDLE/rootfs/self"
	for path in / /. /etc/.. ""; do
		config 'del(.mounts[7])'
		add_mount "$path" tmpfs tmpfs
		[ -n "$path" ] || config '.mounts[7].destination = ""'
		create_fails "mounts[7]"
	done
	config '.mounts[7].destination = "/"'
	create_fails "mounts[7].destination: cannot mount over /, which root.path provides: remove this mount"
	config '.mounts[7].destination = "/self"'
	create_fails "mounts[7]: "
	assert_output_has "cannot mount over /, which root.path provides"
}

@test "create refuses mounts below /proc" {
	local path

	for path in /proc/sys /proc/self/attr /proc/1 /proc/nosuch \
		/proc/../proc/fs; do
		config 'del(.mounts[7])'
		add_mount "$path" tmpfs tmpfs
		create_fails "mounts[7]"
		assert_output_has "cannot be mounted because it is inside /proc"
	done
	ln -s proc/sys "$BUNDLE/rootfs/link"
	config 'del(.mounts[7])'
	add_mount /link/net tmpfs tmpfs
	create_fails "cannot be mounted because it is inside /proc"
}

@test "create mounts the files below /proc that a host may replace" {
	local name n=7

	echo text >"$TMP/file"
	for name in cpuinfo diskstats meminfo stat swaps uptime loadavg \
		slabinfo sys/kernel/ns_last_pid; do
		[ -e "/proc/$name" ] || continue
		add_mount "/proc/$name" "" "$TMP/file" bind
		n=$((n + 1))
	done
	run_inside 'cat /proc/meminfo /proc/uptime'
	assert_lines "text
text"
	[ "$n" -gt 12 ]
}

@test "create refuses a mount on /proc that is no procfs" {
	mkdir "$TMP/fake"
	config 'del(.mounts[0])'
	add_mount /proc "" "$TMP/fake" bind
	create_fails "mounts[6]"
	assert_output_has "cannot be mounted because it is not of type proc"
	config '.mounts[6] = {destination: "/proc", type: "tmpfs", source: "x"}'
	create_fails "cannot be mounted because it is not of type proc"
	config '.mounts[6] = {destination: "/proc", source: "/proc/self",
			      options: ["bind"]}'
	create_fails "cannot be mounted because it is not of type proc"
	config '.mounts[6] = {destination: "/proc", source: "/proc",
			      options: ["rbind"]}'
	run_inside 'cat /proc/version'
	assert_output_has Linux
}

@test "create mounts proc and sysfs on an ordinary directory only" {
	rmdir "$BUNDLE/rootfs/proc" "$BUNDLE/rootfs/sys"
	mkdir "$BUNDLE/rootfs/other"
	ln -s other "$BUNDLE/rootfs/proc"
	mkdir "$BUNDLE/rootfs/sys"
	create_fails 'filesystem "proc" must be mounted on ordinary directory'
	rm "$BUNDLE/rootfs/proc"
	mkdir "$BUNDLE/rootfs/proc"
	rmdir "$BUNDLE/rootfs/sys"
	ln -s /other "$BUNDLE/rootfs/sys"
	create_fails 'filesystem "sysfs" must be mounted on ordinary directory'
	rm "$BUNDLE/rootfs/sys"
	touch "$BUNDLE/rootfs/sys"
	create_fails 'filesystem "sysfs" must be mounted on ordinary directory'
}

@test "create makes a missing /proc and /sys" {
	rmdir "$BUNDLE/rootfs/proc" "$BUNDLE/rootfs/sys"
	run_inside 'ls /sys/kernel >/dev/null && cat /proc/self/comm'
	assert_lines cat
}

@test "an mqueue mount shows the container's queues, not the host's" {
	run_inside 'cat /dev/mqueue/* 2>/dev/null; stat -f -c %T /dev/mqueue
		touch /dev/mqueue/ours && ls /dev/mqueue'
	[ "$(echo "$output" | tail -n 1)" = ours ]
}

@test "a sysfs mount shows the container's interfaces" {
	run_inside 'ls /sys/class/net'
	assert_lines lo
}

@test "a sysfs mount without a network namespace falls back to the host's sysfs" {
	with_userns
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	run_inside 'test -d /sys/kernel
		sed -n "s|^.* / /sys \([^ ]*\) .*|\1|p" /proc/self/mountinfo
		touch /sys/kernel/x || true'
	assert_output_has ro,nosuid,nodev,noexec
}

@test "an overlay is mounted with its layers" {
	mkdir "$TMP"/{low,up,work}
	echo low >"$TMP/low/file"
	add_mount /m overlay overlay "lowerdir=$TMP/low" "upperdir=$TMP/up" \
		"workdir=$TMP/work"
	run_inside 'cat /m/file; echo new >/m/file'
	assert_lines low
	[ "$(cat "$TMP/low/file" "$TMP/up/file")" = "low
new" ]
}

@test "an overlay may have more layers than one option holds" {
	local layers="" long

	long=$(printf '%0100d' 0)
	for i in 1 2 3 4; do
		mkdir "$TMP/$i-$long"
		echo "$i" >"$TMP/$i-$long/file$i"
		layers+=:$TMP/$i-$long
	done
	add_mount /m overlay overlay ro "lowerdir=${layers#:}"
	if ! kernel_since 6.8; then
		create_fails "255 bytes require Linux 6.8"
		return
	fi
	run_inside 'cat /m/file*'
	assert_lines "1
2
3
4"
}

@test "create refuses linux.mountLabel without SELinux" {
	[ ! -e /sys/fs/selinux/enforce ] || skip "needs no selinux"
	config '.linux.mountLabel = "system_u:object_r:container_file_t:s0"'
	create_fails "linux.mountLabel"
}

@test "the option copy-symlink copies a link" {
	ln -s /etc/target "$TMP/link"
	echo text >"$TMP/file"
	add_mount /m/link "" "$TMP/link" bind copy-symlink
	add_mount /m/file "" "$TMP/file" bind copy-symlink
	run_inside 'readlink /m/link; cat /m/file'
	assert_lines "/etc/target
text"
	run_inside 'readlink /m/link'
	assert_lines /etc/target
	rm "$BUNDLE/rootfs/m/link"
	touch "$BUNDLE/rootfs/m/link"
	create_fails "mounts[7]: "
	assert_output_has "another file with this name exists"
}

@test "src-nofollow mounts a link itself, and dest-nofollow mounts on a link" {
	echo text >"$TMP/file"
	ln -s file "$TMP/link"
	ln -s /etc/passwd "$BUNDLE/rootfs/there"
	add_mount /there "" "$TMP/file" bind dest-nofollow
	run_inside 'cat /there; head -c 4 /etc/passwd'
	assert_lines "text
root"
	config 'del(.mounts[7])'
	add_mount /etc/link "" "$TMP/link" bind src-nofollow dest-nofollow
	run_inside 'readlink /etc/link || cat /etc/link'
	assert_lines file
}

@test "create refuses NUL bytes in every field of a mount" {
	local key

	for key in destination source type; do
		config '.mounts[7] = {destination: "/m", type: "tmpfs",
				      source: "tmpfs"} |
			.mounts[7].'"$key"' += "a\u0000b"'
		create_fails "mounts[7].$key"
	done
	config '.mounts[7] = {destination: "/m", type: "tmpfs",
			      source: "tmpfs", options: ["ro", "a\u0000b"]}'
	create_fails "mounts[7].options[1]"
}

@test "a later mount covers an earlier one at its destination" {
	mkdir "$TMP"/{one,two}
	echo 1 >"$TMP/one/file"
	echo 2 >"$TMP/two/file"
	add_mount /m "" "$TMP/one" bind
	add_mount /m "" "$TMP/two" bind
	add_mount /m/tmp tmpfs tmpfs
	run_inside 'cat /m/file; ls -d /m/tmp'
	assert_lines "2
/m/tmp"
	[ ! -e "$TMP/one/tmp" ]
	[ -d "$TMP/two/tmp" ]
}

@test "a container may have two hundred mounts" {
	config '.mounts += [range(200) | {destination: "/m/\(.)", type: "tmpfs",
		source: "tmpfs", options: ["ro", "size=4k"]}]'
	run_inside 'grep -c " /m/.* ro," /proc/self/mountinfo'
	assert_lines 200
}

@test "a container with a user namespace may have two hundred bind mounts" {
	with_userns
	mkdir "$TMP/from"
	config --arg from "$TMP/from" '.mounts += [range(200) |
		{destination: "/m/\(.)", source: $from, options: ["rbind"]}]'
	run_inside 'grep -c " /m/" /proc/self/mountinfo'
	assert_lines 200
}

without_mountns() {
	config 'del(.linux.namespaces[] | select(.type == "mount")) |
		.mounts = [] | .linux.maskedPaths = [] |
		.linux.readonlyPaths = []'
}

@test "a container without a mount namespace still has the bundle's root" {
	without_mountns
	config '.process.cwd = "/made/here"'
	run_inside 'pwd; ls /; ls /..; ls -d /../../../../etc/hostname || true'
	assert_output_has "/made/here"
	assert_output_has "No such file or directory"
	[ -d "$BUNDLE/rootfs/made/here" ]
	run grep -F "$BUNDLE" /proc/self/mountinfo
	[ "$status" -eq 1 ]
}

@test "create refuses settings that need a mount namespace without one" {
	without_mountns
	config '.root.readonly = true'
	create_fails "root.readonly: requires the container's own mount namespace"
	config '.root.readonly = false |
		.linux.devices = [{type: "p", path: "/p"}]'
	create_fails "linux.devices[0]: requires the container's own mount namespace"
	config '.linux.devices = [] | .linux.rootfsPropagation = "shared"'
	create_fails "linux.rootfsPropagation"
}

@test "a mount without a mount namespace is refused" {
	config 'del(.linux.namespaces[] | select(.type == "mount"))'
	run create none
	[ "$status" -eq 1 ]
	assert_output_has "requires a mount namespace"
}
