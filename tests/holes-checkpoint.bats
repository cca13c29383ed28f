#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-checkpoint.bats - containers that other runtimes can checkpoint.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load checkpoint

teardown() {
	[ -z "$HOST" ] || kill "$HOST"
	[ -z "$JOINED" ] || kill "$JOINED"
	sandlock_teardown
}

@test "--status-fd takes any descriptor of the caller, and none of the runtime's own" {
	start_counting box
	run_bad "--status-fd 3: must be a descriptor of the caller, 3 or higher and open for writing" with_criu \
		--log "$TMP/log" checkpoint --image-path "$IMAGES" \
		--status-fd 3 box
	run_bad "--status-fd 4: must be a descriptor of the caller, 3 or higher and open for writing" checkpoint \
		--status-fd 4 box 4>&-
	run_bad "--status-fd 21: must be a descriptor of the caller, 3 or higher and open for writing" checkpoint \
		--status-fd 21 box 21</dev/null
	run_ok checkpoint --status-fd 21 box 21>"$TMP/status"
	run_ok restore box
	counts_on
}

# in_room SCRIPT: run it with a tmpfs with few nodes on /dev, as in containers.
in_room() {
	run_ok unshare --mount --propagation private "$BASH" -c '
		set -e
		mount --rbind /dev /mnt
		mount -t tmpfs -o mode=755 tmpfs /dev
		for n in null zero full random urandom tty ptmx; do
			cp -a /mnt/$n /dev/
		done
		mkdir /dev/shm /dev/pts /dev/net
		mount --rbind /mnt/pts /dev/pts
		! [ -e /mnt/net/tun ] || cp -a /mnt/net/tun /dev/net/
		umount --lazy /mnt
		out=$1 bundle=$2 images=$3 oci=$4
		run() {
			$oci "$@" --detach --bundle "$bundle" box \
				</dev/null >"$out" 2>&1 || { cat "$out"; exit 1; }
		}
		save() {
			$oci checkpoint --image-path "$images" "$@" box
		}
		'"$1"'
		$oci delete --force box' bash "$TMP/box.out" "$BUNDLE" \
		"$IMAGES" "${PROGRAM[*]}" 3>&-
}

@test "a container is saved and restored where the host's /dev is a tmpfs" {
	new_bundle box
	args sleep 1000
	in_room '
		run run
		save
		run restore --image-path "$images"
		$oci exec box sh -c "wc -c </proc/timer_list; echo x >/dev/null"'
	assert_lines 0
}

@test "a container in a user namespace with nodes by number is saved and restored" {
	requires userns
	new_bundle box
	args sleep 1000
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.linux.devices = [{type: "c", path: "/dev/first", major: 1,
				   minor: 5}]'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	chmod 0755 "$TMP"
	oci run --detach --bundle "$BUNDLE" box </dev/null 2>&1 | cat &
	wait_until has_status box running
	run_ok checkpoint box
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		box </dev/null 2>&1 | cat &
	wait_until has_status box running
	run_ok oci exec box sh -c 'head -c 2 /dev/first | od -An -tx1'
	assert_lines " 00 00"
}

@test "a container with a cgroup namespace is restored with its cgroups left alone" {
	start_counting box
	run_ok checkpoint --manage-cgroups-mode ignore box
	run_ok restore box --manage-cgroups-mode ignore
	counts_on
	[ "$(readlink "/proc/$(pid_of box)/ns/cgroup")" != \
		"$(readlink /proc/self/ns/cgroup)" ]
	grep -q "$(cgroup_of box)" "/proc/$(pid_of box)/cgroup"
	run_ok oci exec box sh -c 'cut -d: -f3 /proc/1/cgroup | sort -u'
	[[ $output != *"$(cgroup_of box)"* ]]
}

@test "restore creates the mount points inside bind mounts" {
	new_bundle box
	mkdir "$TMP/data" "$TMP/more"
	echo text >"$TMP/file"
	touch "$TMP/more/here"
	add_mount /data bind "$TMP/data" bind
	add_mount /data/deep/tmp tmpfs tmpfs
	add_mount /data/more bind "$TMP/more" bind
	add_mount /data/more/file bind "$TMP/file" bind
	args sleep 1000
	start_container box
	run_ok checkpoint box
	rm -r "$TMP/data" "$TMP/more"
	mkdir "$TMP/data" "$TMP/more"
	run_ok restore box
	run_ok oci exec box sh -c 'cat /data/more/file
		touch /data/deep/tmp/x; ls /data/deep/tmp /data'
	assert_lines "text
/data:
deep
more

/data/deep/tmp:
x"
	[ ! -e "$TMP/data/deep/tmp/x" ]
	oci delete --force box
	# The runtime does not follow a link in the source.
	rm -r "$TMP/data"
	mkdir "$TMP/data" "$TMP/outside"
	ln -s "$TMP/outside" "$TMP/data/deep"
	run restore box
	[ -z "$(ls "$TMP/outside")" ]
}

# has_network PID: the process has its own network namespace.
has_network() {
	[ "$(readlink "/proc/$1/ns/net" 2>/dev/null)" != \
		"$(readlink /proc/self/ns/net)" ]
}

# make_host: create a network namespace that stands for the host, with out0.
make_host_with_out0() {
	requires ip nsenter
	unshare --net sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
	HOST=$!
	wait_until has_network "$HOST"
	in_host_network ip link set lo up
	make_out0
}

make_out0() {
	in_host_network ip link add out0 type veth peer name peer0 ||
		skip "needs veth"
	in_host_network ip address add 192.0.2.7/24 dev out0
}

@test "a container with netDevices is saved, and gets the interface again" {
	make_host_with_out0
	new_bundle box
	config '.linux.netDevices = {out0: {name: "eth5"}}'
	args sleep 1000
	in_host_network "${PROGRAM[@]}" run --detach --bundle "$BUNDLE" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_ok in_host_network "${PROGRAM[@]}" checkpoint --image-path "$IMAGES" \
		--leave-running box
	run_ok in_host_network "${PROGRAM[@]}" checkpoint --image-path "$IMAGES" box
	wait_until in_host_network sh -c '! ip link show out0'
	run_bad 'linux.netDevices["out0"]: the host has no interface out0' \
		in_host_network "${PROGRAM[@]}" restore --detach --bundle "$BUNDLE" \
		--image-path "$IMAGES" box
	assert_gone box
	in_host_network ip link show peer0 2>/dev/null || make_out0
	in_host_network "${PROGRAM[@]}" restore --detach --bundle "$BUNDLE" \
		--image-path "$IMAGES" box </dev/null >"$TMP/box.out" 2>&1 ||
		{ cat "$TMP/box.out"; false; }
	run_ok oci exec box sh -c 'ip -o address; cat /sys/class/net/lo/flags'
	assert_output_has "eth5    inet 192.0.2.7/24"
	assert_output_has 0x9
}

@test "restore leaves the interface of netDevices in a joined network namespace" {
	make_host_with_out0
	unshare --net sleep 1000 </dev/null >/dev/null 2>&1 3>&- &
	JOINED=$!
	wait_until has_network "$JOINED"
	new_bundle box
	config --arg path "/proc/$JOINED/ns/net" '
		.linux.netDevices = {out0: {name: "eth5"}} |
		(.linux.namespaces[] | select(.type == "network")).path = $path'
	args sleep 1000
	in_host_network "${PROGRAM[@]}" run --detach --bundle "$BUNDLE" box \
		</dev/null >"$TMP/box.out" 2>&1
	run_ok in_host_network "${PROGRAM[@]}" checkpoint --image-path "$IMAGES" box
	in_host_network "${PROGRAM[@]}" restore --detach --bundle "$BUNDLE" \
		--image-path "$IMAGES" box </dev/null >"$TMP/box.out" 2>&1 ||
		{ cat "$TMP/box.out"; false; }
	run_ok oci exec box ip -o address
	assert_output_has "eth5    inet 192.0.2.7/24"
}
