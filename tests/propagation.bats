#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/propagation.bats - which namespaces see a mount; the ways into the root.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
	config '.process.capabilities[] += ["CAP_SYS_ADMIN"]'
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

# shared_host SCRIPT...: in a mount namespace where the bundle and $TMP/vol are
# on shared mounts, run the container, then SCRIPT.
shared_host() {
	mkdir -p "$TMP/vol"
	run_ok privately bash -c '
		mount --bind "$1" "$1"
		mount --bind "$1/vol" "$1/vol"
		mount --make-rshared /
		"$2" --root "$3" run --bundle "$4" host || exit
		'"$1"'' \
		host "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
}

@test "each propagation option gives a mount its kind of propagation" {
	local words want all="" n=0

	while read -r words want; do
		# shellcheck disable=SC2086 # the words are many
		add_mount "/m/$n" tmpfs tmpfs ${words//,/ }
		all+="$want "
		n=$((n + 1))
	done <<-'END'
		nosuid -
		shared s
		rshared s
		slave -
		shared,slave -
		private -
		shared,rprivate -
		unbindable u
		runbindable u
	END
	run_inside "$peers"'for i in 0 1 2 3 4 5 6 7 8; do
		printf "%s " "$(peer /m/$i)"; done'
	assert_lines "$all"
}

@test "rslave and rshared on a bind apply to the mounts below" {
	mkdir "$TMP/tree"
	add_mount /m "" "$TMP/tree" rbind rshared
	add_mount /n "" "$TMP/tree" rbind rprivate
	args sh -c "$peers"'echo $(peer /m) $(peer /m/sub) $(peer /n) \
		$(peer /n/sub)'
	run_ok privately bash -c '
		mkdir "$1/tree/sub"
		mount -t tmpfs x "$1/tree/sub"
		exec "$2" --root "$3" run --bundle "$4" tree' \
		tree "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines "s s - -"
}

@test "a mount made inside does not appear on a shared host" {
	add_mount /vol "" "$TMP/vol" rbind
	args sh -c 'mount -t tmpfs x /vol && mount -t tmpfs x /tmp'
	shared_host 'grep -cE "$1/vol .* (x|tmpfs) |rootfs" /proc/self/mountinfo || true'
	assert_lines 0
}

@test "rshared and rootfsPropagation together send mounts to the host" {
	config '.linux.rootfsPropagation = "rshared"'
	add_mount /vol "" "$TMP/vol" rbind rshared
	args mount -t tmpfs sent /vol
	shared_host 'grep -c " $1/vol .* sent " /proc/self/mountinfo'
	assert_lines 1
}

@test "rootfsPropagation sets the propagation of the root" {
	local kind want

	while read -r kind want; do
		config --arg kind "$kind" '.linux.rootfsPropagation = $kind'
		run_inside "$peers"'peer /'
		assert_lines "$want"
	done <<-'END'
		private -
		rprivate -
		slave -
		rslave -
		shared s
		rshared s
		unbindable u
		runbindable u
	END
}

@test "a root without rootfsPropagation gets mounts of a shared host, and sends none" {
	args sh -c "$peers"'peer /; mount -t tmpfs x /mnt'
	mkdir "$BUNDLE/rootfs/mnt"
	shared_host 'grep -c rootfs /proc/self/mountinfo || true'
	assert_lines "m
0"
}

@test "create refuses an unknown rootfsPropagation" {
	config '.linux.rootfsPropagation = "sometimes"'
	create_fails "linux.rootfsPropagation"
	assert_output_has sometimes
}

@test "a mount made on the host reaches a slave inside" {
	mkdir "$TMP/vol" "$BUNDLE/rootfs/sync"
	mkfifo "$BUNDLE/rootfs/sync/go"
	add_mount /vol "" "$TMP/vol" rbind rslave
	args sh -c 'read x </sync/go; ls /vol'
	run_ok privately bash -c '
		mount --bind "$1" "$1"
		mount --make-rshared /
		"$2" --root "$3" run --bundle "$4" host & pid=$!
		exec 9>"$4/rootfs/sync/go"
		mount -t tmpfs x "$1/vol"
		touch "$1/vol/late"
		echo >&9
		wait $pid' host "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines late
}

@test "a container leaves the host's mounts unchanged, while it runs and after" {
	local before after

	before=$(cut -d' ' -f4- /proc/self/mountinfo | grep -v bats-run)
	start_sleeping web1
	after=$(cut -d' ' -f4- /proc/self/mountinfo | grep -v bats-run)
	diff <(echo "$before") <(echo "$after")
	oci delete --force web1
}

# escape join|uncover [OPTION...]: look for the host at the namespace's top, or
# below the root.
escape() {
	requires "${CC:-cc}"
	"${CC:-cc}" -static -D_GNU_SOURCE -o "$BUNDLE/rootfs/escape" \
		"$BATS_TEST_DIRNAME/escape.c"
	config '.process.capabilities[] += ["CAP_SYS_CHROOT", "CAP_SYS_ADMIN"]'
	args /escape "$1" "$BUNDLE/config.json" /proc/version /sys/kernel
	run_ok oci run --bundle "$BUNDLE" "${@:2}" escape
}

@test "a container has nothing outside its root after pivot_root" {
	escape join
	assert_lines "$BUNDLE/config.json no
/proc/version yes
/sys/kernel yes"
	escape uncover
	assert_output_has "$BUNDLE/config.json no"
}

@test "--no-pivot hides every procfs and sysfs of the host" {
	escape uncover --no-pivot
	assert_lines "$BUNDLE/config.json yes
/proc/version no
/sys/kernel no"
}

@test "--no-pivot changes the root and nothing of the host" {
	local before

	before=$(cat /proc/self/mountinfo)
	run_inside 'ls -d /../bin/busybox; ls -d /../../../home || true
		cut -d" " -f4,5 /proc/self/mountinfo | grep " /$"' --no-pivot
	assert_output_has "/../../../home: No such file or directory"
	assert_output_has "$BUNDLE/rootfs /"
	[ "$before" = "$(cat /proc/self/mountinfo)" ]
}

@test "create refuses --no-pivot with a private root" {
	config '.linux.rootfsPropagation = "private"'
	run_bad 'linux.rootfsPropagation: "private" is not supported with --no-pivot' \
		create none --no-pivot
}

@test "a read-only root has mounts that are writable" {
	config '.root.readonly = true'
	add_mount /tmp tmpfs tmpfs
	run_inside 'touch /x 2>&1; mkdir /etc/x 2>&1; touch /tmp/x /dev/shm/x && echo ok
		sed -n "s|^[^/]*/[^ ]* / \([^,]*\),.*|\1|p" /proc/self/mountinfo'
	assert_output_has "touch: /x: Read-only file system"
	assert_output_has "mkdir: can't create directory '/etc/x': Read-only"
	assert_output_has "ok
ro"
}

@test "a read-only root in a user namespace is read-only" {
	requires userns
	config '.root.readonly = true | .linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	run_inside '! touch /x 2>&1'
	assert_output_has "Read-only file system"
}

@test "create makes mount points in a root that will be read-only" {
	config '.root.readonly = true'
	add_mount /new/dir tmpfs tmpfs
	config '.process.cwd = "/job/dir"'
	run_inside 'pwd; ls -d /new/dir'
	assert_lines "/job/dir
/new/dir"
}
