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

with_userns() {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
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

# own_kinds ROOT WANT: of a tmpfs that is rshared, one that is rprivate and one
# that names nothing, below a rootfsPropagation of ROOT.
own_kinds() {
	config --arg kind "$1" '.linux.rootfsPropagation = $kind'
	inside "$peers"'echo "$(peer /) $(peer /a) $(peer /b) $(peer /c)"'
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
	run_ok unshare --mount --propagation shared "$SANDLOCK" --root "$ROOT" \
		run --bundle "$BUNDLE" inside 3>&-
	assert_lines "- s -"
}

@test "a remount's own propagation holds below a shared root" {
	add_mount /a tmpfs tmpfs
	add_mount /a "" "" remount slave
	config '.linux.rootfsPropagation = "rshared"'
	inside "$peers"'peer /a'
	assert_lines -
}

# ---- masked and read-only paths, nosymfollow ----

@test "a path that is masked or read-only twice is mounted once" {
	mkdir -p "$BUNDLE/rootfs/mask" "$BUNDLE/rootfs/only"
	touch "$BUNDLE/rootfs/file"
	config '.linux.maskedPaths = ["/mask", "/file", "/mask", "//mask/",
				      "/./file"] |
		.linux.readonlyPaths = ["/only", "/only", "/only/."]'
	inside 'for p in mask file only; do
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
		sh "$TMP/data" "$SANDLOCK" "$ROOT" "$BUNDLE"
	assert_output_has "text
cat: can't open '/n/link': Too many levels of symbolic links"
	# The host's nosuid stays, since it is locked.
	[ "${lines[-1]}" = 2 ]
}
