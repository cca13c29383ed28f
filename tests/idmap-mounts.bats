#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/idmap-mounts.bats - mounts that show other owners than the disk has.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root idmap
	new_bundle
	mkdir "$TMP/data"
	touch "$TMP/data/root" "$TMP/data/user"
	chown 0:0 "$TMP/data/root"
	chown 1000:1001 "$TMP/data/user"
}

with_two_mappings() {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 65536}] |
		.linux.gidMappings = [{containerID: 0, hostID: 200000,
				       size: 65536}]'
	chown -R 100000:200000 "$BUNDLE/rootfs"
}

# mapped HOST-UID HOST-GID: mappings of the last mount, for a hundred ids
# from the disk's 1000 and 1001 on.
mapped() {
	config --argjson uid "$1" --argjson gid "$2" '
		.mounts[-1] += {
			uidMappings: [{containerID: 1000, hostID: $uid, size: 100}],
			gidMappings: [{containerID: 1001, hostID: $gid, size: 100}]}'
}

owners='cd /m; stat -c "%n %u:%g" *'

@test "idmap without mappings takes the container's user namespace" {
	with_two_mappings
	add_mount /m "" "$TMP/data" bind idmap
	run_inside "$owners; touch new"
	assert_lines "root 0:0
user 1000:1001"
	[ "$(stat -c %u:%g "$TMP/data/new")" = 0:0 ]
}

@test "files of a bind mount without idmap belong to nobody" {
	with_two_mappings
	add_mount /m "" "$TMP/data" bind
	run_inside "$owners"
	assert_lines "root 65534:65534
user 65534:65534"
}

@test "idmap with mappings uses the mappings of the mount" {
	add_mount /m "" "$TMP/data" bind idmap
	mapped 5000 6000
	run_inside "$owners"
	assert_lines "root 65534:65534
user 5000:6000"
}

@test "mappings of a mount without the option idmap mean idmap" {
	add_mount /m "" "$TMP/data" bind
	mapped 5000 6000
	run_inside "$owners"
	assert_output_has "user 5000:6000"
}

@test "mappings of a mount in a user namespace combine with those of the namespace" {
	with_two_mappings
	add_mount /m "" "$TMP/data" bind idmap
	mapped 100007 200008
	run_inside "$owners"
	assert_lines "root 65534:65534
user 7:8"
}

@test "several idmapped mounts have mappings of their own" {
	local i

	for i in 1 2 3; do
		add_mount "/m/$i" "" "$TMP/data" rbind idmap
		mapped "${i}000" "${i}001"
	done
	run_inside 'stat -c "%u:%g" /m/*/user'
	assert_lines "1000:1001
2000:2001
3000:3001"
}

@test "a mount with a relative source and destination is idmapped" {
	mkdir "$BUNDLE/data"
	touch "$BUNDLE/data/user"
	chown 1000:1001 "$BUNDLE/data/user"
	add_mount m "" data bind idmap
	mapped 5000 6000
	run_inside "$owners"
	assert_lines "user 5000:6000"
}

@test "a source in the rootfs and a single file can be idmapped" {
	mkdir "$BUNDLE/rootfs/data"
	touch "$BUNDLE/rootfs/data/user"
	chown 1000:1001 "$BUNDLE/rootfs/data/user"
	add_mount /m/dir "" "$BUNDLE/rootfs/data" bind idmap
	mapped 5000 6000
	add_mount /m/file "" "$TMP/data/user" bind idmap
	mapped 5002 6003
	run_inside 'stat -c "%n %u:%g" /m/dir/user /m/file /data/user'
	assert_lines "/m/dir/user 5000:6000
/m/file 5002:6003
/data/user 1000:1001"
}

@test "idmap maps the top mount, and ridmap the mounts below as well" {
	local word

	requires idmap_tmpfs
	for word in idmap ridmap; do
		config 'del(.mounts[7])'
		add_mount /m "" "$TMP/tree" rbind "$word"
		mapped 5000 6000
		args stat -c %u:%g /m /m/sub
		run_ok privately bash -c '
			mkdir -p "$1/tree"
			mount -t tmpfs -o uid=1000,gid=1001,mode=755 x "$1/tree"
			mkdir "$1/tree/sub"
			mount -t tmpfs -o uid=1000,gid=1001 x "$1/tree/sub"
			exec "$2" --root "$3" run --bundle "$4" tree' \
			tree "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
		case $word in
		idmap) assert_lines "5000:6000
1000:1001" ;;
		ridmap) assert_lines "5000:6000
5000:6000" ;;
		esac
	done
}

@test "crun's idmap= names mappings of host and container" {
	with_two_mappings
	add_mount /m/0 "" "$TMP/data" bind \
		"idmap=uids=1000-100007-1;gids=1001-200008-1"
	add_mount /m/1 "" "$TMP/data" bind \
		"idmap=uids=@1000-7-1;gids=@1001-8-1"
	run_inside 'stat -c "%u:%g" /m/*/user'
	assert_lines "7:8
7:8"
}

@test "idmap with neither mappings nor a user namespace is refused" {
	add_mount /m "" "$TMP/data" bind idmap
	create_fails "mounts[7]: idmap requires uidMappings and gidMappings of the mount, or a user namespace"
}

@test "create refuses uidMappings of a mount without gidMappings" {
	add_mount /m "" "$TMP/data" bind idmap
	mapped 5000 6000
	config 'del(.mounts[7].gidMappings)'
	create_fails "mounts[7].uidMappings: requires gidMappings as well"
}

@test "create refuses idmap for a mount that is no bind" {
	add_mount /m tmpfs tmpfs idmap
	create_fails "mounts[7]: only a bind mount can be idmapped"
}

@test "create names a file system that cannot be idmapped" {
	add_mount /m "" /proc/self bind idmap
	mapped 5000 6000
	create_fails "mounts[7]: map the ids of the mount source /proc/self: "
}

@test "an idmapped mount can be read-only and nosuid" {
	add_mount /m "" "$TMP/data" bind idmap ro nosuid
	mapped 5000 6000
	run_inside 'sed -n "s|^.* /m \([^ ]*\) .*|\1|p" /proc/self/mountinfo
		stat -c %u:%g /m/user'
	assert_lines "ro,nosuid,relatime,idmapped
5000:6000"
}
