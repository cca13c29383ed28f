#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-mounts.bats - mounts and devices as other runtimes make them.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
}

# peer PATH, inside: s shared, m slave, u unbindable, - private.
peers='peer() {
	awk -v path="$1" "\$5 == path {
		s = \"\"
		for (i = 7; \$i != \"-\"; i++)
			s = s substr(\$i, 1, 1)
		print s == \"\" ? \"-\" : s }" /proc/self/mountinfo
}
'

# ---- propagation ----

# own_kinds ROOT WANT: the propagation of /, and of an rshared, an rprivate and
# an unspecified tmpfs, with a rootfsPropagation of ROOT.
own_kinds() {
	config --arg kind "$1" '.linux.rootfsPropagation = $kind'
	run_inside "$peers"'echo "$(peer /) $(peer /a) $(peer /b) $(peer /c)"'
	assert_lines "$2"
}

three_mounts() {
	add_mount /a tmpfs tmpfs rshared
	add_mount /b tmpfs tmpfs rprivate
	add_mount /c tmpfs tmpfs
}

@test "a mount's own rshared holds below a private or slave root" {
	three_mounts
	own_kinds rprivate "- s - -"
	own_kinds rslave "- s - -"
}

@test "a mount's own propagation holds below a shared or unbindable root" {
	three_mounts
	own_kinds rshared "s s - s"
	own_kinds runbindable "u s - u"
}

@test "a bind's own rshared holds below a private root in a user namespace" {
	with_userns
	mkdir "$TMP/tree"
	add_mount /a bind "$TMP/tree" rbind rshared
	add_mount /b bind "$TMP/tree" rbind
	config '.linux.rootfsPropagation = "rprivate"'
	args sh -c "$peers"'echo "$(peer /) $(peer /a) $(peer /b)"'
	run_ok unshare --mount --propagation shared "$SANDLOCK_OCI" --root "$ROOT" \
		run --bundle "$BUNDLE" inside 3>&-
	assert_lines "- s -"
}

@test "a remount's own propagation holds below a shared root" {
	add_mount /a tmpfs tmpfs
	add_mount /a "" "" remount slave
	config '.linux.rootfsPropagation = "rshared"'
	run_inside "$peers"'peer /a'
	assert_lines -
}

# ---- masked and read-only paths, nosymfollow ----

@test "a path that is masked or read-only twice is mounted once" {
	mkdir -p "$BUNDLE/rootfs/mask" "$BUNDLE/rootfs/only"
	touch "$BUNDLE/rootfs/file"
	config '.linux.maskedPaths = ["/mask", "/file", "/mask", "//mask/",
				      "/./file"] |
		.linux.readonlyPaths = ["/only", "/only", "/only/."]'
	run_inside 'for p in mask file only; do
		grep -c " /$p " /proc/self/mountinfo; done
		cat /file; touch /only/x || true'
	assert_lines "1
1
1
touch: /only/x: Read-only file system"
}

@test "a bind with options follows links of a nosymfollow source in a user namespace" {
	with_userns
	mkdir "$TMP/data"
	add_mount /m bind "$TMP/data" bind nodev
	add_mount /n bind "$TMP/data" bind nodev nosymfollow
	args sh -c 'cat /m/link; cat /n/link || true
		grep -o "/[mn] ro*.*,nosuid" /proc/self/mountinfo | wc -l'
	run_ok privately bash -c '
		mount -t tmpfs -o nosuid,nosymfollow tmpfs "$1" &&
		echo text >"$1/file" && ln -s file "$1/link" &&
		chmod 755 "$1" &&
		"$2" --root "$3" run --bundle "$4" inside' \
		sh "$TMP/data" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_output_has "text
cat: can't open '/n/link': Too many levels of symbolic links"
	# The host's nosuid stays, since it is locked.
	[ "${lines[-1]}" = 2 ]
}

# ---- devices in a user namespace ----

@test "a listed ptmx is the link to the container's own terminals" {
	add_device '{"type": "c", "path": "/dev/ptmx", "major": 5, "minor": 2}'
	run_inside 'readlink /dev/ptmx; exec 3<>/dev/ptmx && echo opened'
	assert_lines "pts/ptmx
opened"
	with_userns
	run_inside 'readlink /dev/ptmx; exec 3<>/dev/ptmx && echo opened'
	assert_lines "pts/ptmx
opened"
}

@test "a device in a user namespace is made from its numbers, with mode and owner" {
	with_userns
	add_device '{"type": "c", "path": "/dev/first", "major": 1, "minor": 5,
		 "fileMode": 420, "uid": 7, "gid": 8}'
	add_device '{"type": "c", "path": "/dev/zero", "major": 1, "minor": 3}'
	add_device '{"type": "b", "path": "/some/where", "major": 7, "minor": 300}'
	add_device '{"type": "u", "path": "/dev/nobody", "major": 1, "minor": 3,
		 "uid": 70000}'
	run_inside 'stat -c "%n %t:%T %a %u:%g" /dev/first /dev/zero /some/where \
			/dev/nobody
		head -c 2 /dev/first | od -An -tx1; wc -c </dev/zero'
	assert_lines "/dev/first 1:5 644 7:8
/dev/zero 1:3 666 0:0
/some/where 7:12c 666 0:0
/dev/nobody 1:3 666 65534:0
 00 00
0"
	[ "$(stat -c '%a %u:%g %t:%T' /dev/zero)" = "666 0:0 1:5" ]
}

@test "a device that a user lists is the host's of the same numbers" {
	new_user
	new_user_bundle
	add_device '{"type": "c", "path": "/dev/first", "major": 1, "minor": 5}'
	args sh -c 'head -c 2 /dev/first | od -An -tx1'
	chown "$USER_ID:$USER_ID" "$BUNDLE/config.json"
	run_ok as_user ./sandlock-oci run --bundle "$BUNDLE" first
	assert_lines " 00 00"
	add_device '{"type": "c", "path": "/dev/never", "major": 511, "minor": 7}'
	run_bad "linux.devices[1]: open mount source /dev/never: the host has no such device node" \
		as_user ./sandlock-oci run --bundle "$BUNDLE" never
}

# ---- sources that an earlier mount makes ----

idmapped() {
	config '.mounts[-1] += {
		uidMappings: [{containerID: 1000, hostID: 100005, size: 100}],
		gidMappings: [{containerID: 1000, hostID: 100006, size: 100}]}'
}

new_data() {
	mkdir "$TMP/data"
	touch "$TMP/data/file"
	chown 1000:1000 "$TMP/data/file"
}

@test "an earlier mount may be the source of an idmapped one" {
	requires idmap
	new_data
	add_mount /data bind "$TMP/data" bind
	add_mount /m bind "$BUNDLE/rootfs/data" bind
	idmapped
	run_inside 'stat -c "%n %u:%g" /data/file /m/file'
	assert_lines "/data/file 1000:1000
/m/file 100005:100006"
	with_userns
	run_inside 'stat -c "%n %u:%g" /data/file /m/file'
	assert_lines "/data/file 65534:65534
/m/file 5:6"
}

@test "an idmapped mount by the container's own namespace may have an earlier mount as its source" {
	requires idmap
	new_data
	add_mount /data bind "$TMP/data" bind
	add_mount /m bind "$BUNDLE/rootfs/data" bind idmap
	with_userns
	run_inside 'stat -c "%n %u:%g" /m/file'
	assert_lines "/m/file 1000:1000"
}

@test "a bind in a user namespace may have a source that an earlier mount makes" {
	with_userns
	mkdir "$TMP/host"
	chown 100000:100000 "$TMP/host"
	add_mount /host bind "$TMP/host" bind
	add_mount /host/made tmpfs tmpfs
	add_mount /m bind "$TMP/host/made" bind
	run_inside 'touch /m/file; ls /host/made'
	assert_lines ""
	[ -e "$TMP/host/made/file" ]
	add_mount /n bind "$TMP/host/never" bind
	create_fails "open $TMP/host/never: no such file or directory"
	assert_output_has "mounts[$(($(jq '.mounts | length' \
		"$BUNDLE/config.json") - 1))]: "
}

# ---- without a mount namespace ----

# on_mounts COMMAND...: run it in a mount namespace whose rootfs has a tmpfs on
# /tmp, nosuid and from "mine", and $TMP/data on /data, read-only.
on_mounts() {
	mkdir -p "$TMP/data" "$BUNDLE/rootfs/data"
	echo text >"$TMP/data/file"
	privately bash -c '
		mount -t tmpfs -o nosuid mine "$1/rootfs/tmp" &&
		mount --bind "$2" "$1/rootfs/data" &&
		mount -o remount,bind,ro "$1/rootfs/data" &&
		touch "$1/rootfs/tmp/here" || exit
		shift 2
		exec "$@"' sh "$BUNDLE" "$TMP/data" "$@"
}

run_mounted() {
	on_mounts "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" mounted
}

@test "without a mount namespace create accepts listed mounts that exist already" {
	without_mount_namespace
	add_mount /tmp tmpfs mine nosuid rw
	add_mount /data bind "$TMP/data" rbind ro
	args sh -c 'ls /tmp; cat /data/file'
	run_ok run_mounted
	assert_lines "here
text"
}

@test "in a joined mount namespace create accepts listed mounts that exist already" {
	local holder job

	without_mount_namespace
	add_mount /tmp tmpfs mine
	args ls /tmp
	run_bad "mounts[0]: /tmp is not mounted" oci run \
		--bundle "$BUNDLE" joined
	mkfifo "$TMP/ready"
	on_mounts sh -c 'echo $$ >"$1"; exec sleep 1000' sh "$TMP/ready" 3>&- &
	job=$!
	read -r holder <"$TMP/ready"
	config --arg path "/proc/$holder/ns/mnt" \
		'.linux.namespaces += [{type: "mount", path: $path}]'
	run oci run --bundle "$BUNDLE" joined
	kill "$holder"
	wait "$job" || true
	[ "$status" -eq 0 ]
	assert_lines here
}

@test "without a mount namespace every other mount is refused, by index and destination" {
	local mount text

	without_mount_namespace
	add_mount /tmp tmpfs mine
	while IFS='|' read -r mount text; do
		# shellcheck disable=SC2086 # the words are many
		add_mount ${mount//DATA/$TMP/data}
		run_bad "mounts[1]: $text" run_mounted
		assert_output_has "requires the container's own mount namespace"
		[ "${#lines[@]}" -eq 1 ]
		config 'del(.mounts[1])'
	done <<-'END'
		/proc proc proc|/proc is not mounted
		/never tmpfs mine|/never is not mounted
		/etc bind DATA bind|/etc is not mounted
		/tmp ramfs mine|/tmp is a mount of type tmpfs from mine
		/tmp tmpfs other|/tmp is a mount of type tmpfs from mine
		/data bind DATA/file bind|/data is a mount of type
		/data bind DATA bind rw|/data is mounted with other flags
		/tmp tmpfs mine nodev|/tmp is mounted with other flags
		/tmp tmpfs mine remount|/tmp is already mounted
		/tmp tmpfs mine rro|/tmp is already mounted
	END
}
