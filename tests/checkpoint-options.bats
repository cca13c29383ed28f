#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/checkpoint-options.bats - the options of checkpoint and restore.
#
# The shell inside has dollars of its own, and each test is a subshell on
# purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load checkpoint

# A container that holds a lock.
start_locking() {
	requires cc
	cc -static -o "$BUNDLE/rootfs/bin/locker" \
		"$BATS_TEST_DIRNAME/locker.c"
	args locker /lock /held
	start_container box
	wait_until [ -e "$BUNDLE/rootfs/held" ]
}

@test "checkpoint --file-locks saves file locks, and restore takes them again" {
	new_bundle box
	start_locking
	run_bad "(log file: $IMAGES/dump.log)" checkpoint box
	assert_output_has "criu: "
	assert_output_has "--file-locks"
	assert_status box running
	run_ok checkpoint --file-locks box
	run_ok flock --nonblock "$BUNDLE/rootfs/lock" true
	run_ok restore box --file-locks
	run flock --nonblock "$BUNDLE/rootfs/lock" true
	[ "$status" -eq 1 ]
}

@test "checkpoint --tcp-established saves open TCP connections, which go on after restore" {
	new_bundle box
	args sh -c 'nc -l -p 4000 <>/back >/got &
		until nc 127.0.0.1 4000 2>/dev/null; do sleep 0.02; done <>/pipe'
	mkfifo "$BUNDLE/rootfs/pipe" "$BUNDLE/rootfs/back"
	start_container box
	exec 7>"$BUNDLE/rootfs/pipe"
	echo one >&7
	wait_until grep -qs one "$BUNDLE/rootfs/got"
	run_bad "log file: $IMAGES/dump.log" checkpoint box
	assert_output_has "--tcp-established"
	assert_status box running
	echo two >&7
	wait_until grep -qs two "$BUNDLE/rootfs/got"
	exec 7>&-
	run checkpoint --tcp-established box
	if [[ $output = *"Can't get 1:16 opt"* ]]; then
		# criu 4.1 cannot save any of Linux 6.16's sockets.
		assert_status box running
		return
	fi
	[ "$status" -eq 0 ]
	run_ok restore box --tcp-established
	echo three >"$BUNDLE/rootfs/pipe"
	wait_until grep -qs three "$BUNDLE/rootfs/got"
}

# A file that is open by a name that is gone, and has another.
@test "checkpoint --link-remap saves an open file that lost one of two names" {
	new_bundle box
	args sh -c 'echo kept >/one; ln /one /two; exec 5</one; rm /one
		echo >/up; until [ -e /go ]; do sleep 0.02; done; cat <&5 >/got'
	start_container box
	wait_until [ -e "$BUNDLE/rootfs/up" ]
	run_bad "log file: $IMAGES/dump.log" checkpoint box
	assert_output_has "link-remap"
	assert_status box running
	run_ok checkpoint --link-remap box
	run_ok restore box
	touch "$BUNDLE/rootfs/go"
	wait_until grep -qs kept "$BUNDLE/rootfs/got"
}

# Both ends are in one network namespace, where criu looks for sockets, and have
# one name for it.
@test "checkpoint --ext-unix-sk saves a Unix socket whose peer is outside" {
	local listener

	requires cc python3
	new_bundle box
	cc -static -o "$BUNDLE/rootfs/bin/talker" \
		"$BATS_TEST_DIRNAME/talker.c"
	config '.linux.namespaces |= map(select(.type != "network"))'
	args talker /socket /up
	python3 - "$BUNDLE/rootfs" >"$TMP/heard" 3>&- <<-'END' &
		import os, socket, sys
		os.chroot(sys.argv[1])
		end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		end.bind("/socket")
		while True:
		    print(end.recv(9).decode(), flush=True)
	END
	listener=$!
	wait_until [ -S "$BUNDLE/rootfs/socket" ]
	start_container box
	wait_until grep -qs word "$TMP/heard"
	run_bad "log file: $IMAGES/dump.log" checkpoint box
	assert_output_has "ext-unix-sk"
	assert_status box running
	run_ok checkpoint --ext-unix-sk box
	say_once "$BUNDLE/rootfs/socket" saved
	wait_until grep -q saved "$TMP/heard"
	run_ok restore box --ext-unix-sk
	wait_until heard_since saved word
	kill "$listener"
}

# say_once SOCKET WORD: a datagram.
say_once() {
	python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(
    sys.argv[2].encode(), sys.argv[1])' "$@"
}

heard_since() {
	sed "1,/$1/d" "$TMP/heard" | grep -q "$2"
}

@test "restore --auto-dedup frees the memory in the images" {
	start_counting box
	run_ok checkpoint box
	[ "$(stat -c %b "$IMAGES/pages-1.img")" -gt 0 ]
	before=$(box_count)
	run_ok restore box --auto-dedup
	counts_on "$before"
	[ "$(stat -c %b "$IMAGES/pages-1.img")" -eq 0 ]
}

# The options tell criu what to do with connections.
@test "criu accepts the options that checkpoint and restore only pass on" {
	start_counting box
	run_ok checkpoint --tcp-skip-in-flight --shell-job box
	grep -q "skip in-flight TCP connections" "$IMAGES/dump.log"
	run_ok restore box --tcp-close --shell-job
	grep -q "drop all TCP connections on restore" "$IMAGES/restore.log"
}

@test "checkpoint --empty-ns leaves the network namespace to the restore" {
	start_counting box
	run_ok checkpoint --empty-ns network box
	run_ok restore box --empty-ns network
	counts_on
	run_ok oci exec box cat /sys/class/net/lo/operstate
	assert_lines down
}

@test "checkpoint and restore write the log of criu to --work-path" {
	start_counting box
	mkdir "$TMP/logs"
	run_ok checkpoint --work-path "$TMP/logs" --leave-running box
	[ -s "$TMP/logs/dump.log" ]
	[ ! -e "$IMAGES/dump.log" ]
	oci delete --force box
	run_ok restore box --work-path "$TMP/logs"
	[ -s "$TMP/logs/restore.log" ]
}

@test "checkpoint --pre-dump saves memory ahead of time where the kernel can track it" {
	start_counting box
	if ! "$CRIU" check --feature mem_dirty_track >/dev/null 2>&1; then
		run_bad "--pre-dump: this kernel or this criu cannot track memory changes" \
			checkpoint --pre-dump box
		assert_status box running
		return
	fi
	mkdir "$TMP/first" "$TMP/second"
	IMAGES=$TMP/first
	run_ok checkpoint --pre-dump box
	assert_status box running
	IMAGES=$TMP/second
	run_ok checkpoint --parent-path ../first --auto-dedup box
	before=$(box_count)
	run_ok restore box
	counts_on "$before"
}

@test "checkpoint refuses invalid values of --status-fd and --page-server" {
	start_counting box
	run_bad "--status-fd 9: must be a descriptor of the caller, 3 or higher and open for writing" checkpoint --status-fd 9 box 9>&-
	run_bad "--status-fd 4: must be a descriptor of the caller, 3 or higher and open for writing" checkpoint --status-fd 4 box 4>&-
	for text in nonsense 127.0.0.1 127.0.0.1:0 :4000 127.0.0.1:70000; do
		run_bad "--page-server: '$text' is not ADDRESS:PORT" \
			checkpoint --page-server "$text" box
	done
	# No process listens there: criu has tried to connect.
	run_bad "criu: " checkpoint --page-server 127.0.0.1:1 box
	assert_status box running
	counts_on
}

@test "checkpoint --page-server sends the memory to a page server" {
	start_counting box
	mkdir "$IMAGES"
	run_ok unshare --net "$BASH" -c '
		ip link set lo up
		"$1" page-server --images-dir "$3" --port 4000 >"$3/server" 2>&1 &
		for _ in {1..200}; do
			grep -q ":0FA0 " /proc/net/tcp* && break
			sleep 0.02
		done
		exec $2 checkpoint --image-path "$3" \
			--page-server 127.0.0.1:4000 box' bash "$CRIU" \
		"${PROGRAM[*]}" "$IMAGES" 3>&-
	ls "$IMAGES"/pages-*.img
	before=$(box_count)
	run_ok restore box
	counts_on "$before"
}

# in_network COMMAND...: in a network of its own, kept by process $network.
in_network() {
	nsenter --target "$network" --net "$@" 3>&-
}

make_network() {
	unshare --net sleep 1000 3>&- &
	network=$!
	wait_until other_network
	in_network ip link set lo up
}

other_network() {
	[ "$(readlink "/proc/$network/ns/net")" != \
		"$(readlink /proc/self/ns/net)" ]
}

# The checkpoint ends when all of the memory was asked for. Its --status-fd has
# a byte, zero, from when it can be. The pipes of criu are too large for others.
@test "restore --lazy-pages loads the memory when it is needed" {
	local before

	requires sys_resource
	"$CRIU" check --feature uffd-noncoop >/dev/null 2>&1 ||
		skip "needs userfaultfd"
	start_counting box
	make_network
	in_network "$BASH" -c 'exec "$@" 3>"$0"' "$TMP/status" \
		"${PROGRAM[@]}" checkpoint --image-path "$IMAGES" --lazy-pages \
		--page-server 127.0.0.1:4000 --status-fd 3 box \
		>"$TMP/checkpoint" 2>&1 &
	wait_until [ -s "$TMP/status" ]
	[ "$(od -An -tx1 "$TMP/status")" = " 00" ]
	assert_status box running
	before=$(box_count)
	in_network "$CRIU" lazy-pages --page-server --address 127.0.0.1 \
		--port 4000 --images-dir "$IMAGES" --work-dir "$IMAGES" \
		>"$TMP/daemon" 2>&1 &
	wait_until [ -S "$IMAGES/lazy-pages.socket" ]
	new_bundle other
	cgroup_namespace
	run_ok restore other --lazy-pages
	counts_on "$before"
	wait_until has_gone box
	grep -q 'nr_lazy: *[1-9]' "$IMAGES/restore.log"
	[ ! -s "$TMP/checkpoint" ]
	kill "$network"
}

has_gone() {
	[ ! -e "$ROOT/$1" ]
}

@test "restore --lazy-pages fails without a server of the memory" {
	"$CRIU" check --feature uffd-noncoop >/dev/null 2>&1 ||
		skip "needs userfaultfd"
	start_counting box
	run_ok checkpoint box
	refused_restore "criu: " --lazy-pages
}

# load_criu_profile NAME: it may do anything but read /secret.
load_criu_profile() {
	echo "profile $1 flags=(attach_disconnected) {
		file, capability, signal, network, mount, umount, ptrace, unix,
		deny /secret r,
	}" | apparmor_parser --replace --skip-cache
}

@test "restore --lsm-profile gives a container another profile" {
	requires apparmor apparmor_parser
	load_criu_profile sandlock-one
	load_criu_profile sandlock-two
	new_bundle box
	config '.process.apparmorProfile = "sandlock-one"'
	args sleep 1000
	start_container box
	run_ok checkpoint box
	run_ok restore box
	[ "$(<"/proc/$(pid_of box)/attr/current")" = "sandlock-one (enforce)" ]
	oci delete --force box
	run_ok restore box --lsm-profile apparmor:sandlock-two
	[ "$(<"/proc/$(pid_of box)/attr/current")" = "sandlock-two (enforce)" ]
	oci delete --force box
	refused_restore "criu: " --lsm-profile apparmor:sandlock-none
}

# Both labels are of tests/vm/selinux.
@test "restore --lsm-mount-context gives labelled mounts another label" {
	requires selinux
	new_bundle box
	config '.linux.mountLabel = "test:test:one"'
	args sleep 1000
	start_container box
	grep -q ' /dev .*context=test:test:one' "/proc/$(pid_of box)/mountinfo"
	run_ok checkpoint box
	run_ok restore box --lsm-mount-context test:test:two
	grep -q ' /dev .*context=test:test:two' "/proc/$(pid_of box)/mountinfo"
	[[ $(grep ' /proc ' "/proc/$(pid_of box)/mountinfo") != *context=* ]]
}

@test "checkpoint refuses values that criu would not know before it starts criu" {
	start_counting box
	run_bad "--manage-cgroups-mode: unknown value 'hard'" \
		checkpoint --manage-cgroups-mode hard box
	run_bad "--network-lock: unknown value 'magic'" \
		checkpoint --network-lock magic box
	run_bad "--empty-ns: 'pid' is not network, the only possible value" \
		checkpoint --empty-ns pid box
	run_bad "--parent-path: /first: must be relative" \
		checkpoint --parent-path /first box
	run_bad "--parent-path: first: no such file" \
		checkpoint --parent-path first box
	run_bad "--no-pivot: not supported, because criu always uses pivot_root" restore other --no-pivot
	assert_gone other
}

@test "checkpoint and restore can leave cgroups and the network alone" {
	new_bundle box
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	args sh -c "$COUNTING"
	start_container box
	wait_until [ -L "$BUNDLE/rootfs/count" ]
	run_ok checkpoint --manage-cgroups-mode ignore --network-lock skip box
	before=$(box_count)
	run_ok restore box --manage-cgroups-mode ignore --network-lock skip
	counts_on "$before"
	grep -q "$(cgroup_of box)" "/proc/$(pid_of box)/cgroup"
}

@test "restore creates a cgroup namespace where cgroups are left alone" {
	start_counting box
	run_ok checkpoint box
	run_ok restore box --manage-cgroups-mode ignore
	counts_on
	[ "$(readlink "/proc/$(pid_of box)/ns/cgroup")" != \
		"$(readlink /proc/self/ns/cgroup)" ]
}

@test "the annotation org.criu.config passes more options to criu" {
	new_bundle box
	config --arg file "$TMP/criu.conf" \
		'.annotations."org.criu.config" = $file'
	echo file-locks >"$TMP/criu.conf"
	start_locking
	run_ok checkpoint box
	run_ok restore box
}
