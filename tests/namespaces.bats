#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/namespaces.bats - eight namespaces: new, joined or inherited, with any
# owner.
# shellcheck disable=SC2016 # the dollars are jq's and the container's

load helpers

setup() {
	sandlock_setup
	HOLDERS=()
	requires root
	new_bundle box
	args sleep 1000
}

teardown() {
	local pid

	for pid in "${HOLDERS[@]}"; do
		kill -KILL "$pid" || true
		wait "$pid" || true
	done 2>/dev/null
	[ ! -e "$TMP/user" ] || umount "$TMP/user"
	sandlock_teardown
}

# The name of a type below /proc/PID/ns.
ns_file() {
	case $1 in
	network) echo net ;;
	mount) echo mnt ;;
	*) echo "$1" ;;
	esac
}

ns_of() {
	readlink "/proc/$1/ns/$(ns_file "$2")"
}

# same_ns PID PID TYPE...
same_ns() {
	local a=$1 b=$2 type

	shift 2
	for type; do
		if [ "$(ns_of "$a" "$type")" != "$(ns_of "$b" "$type")" ]; then
			echo "$type: not the same"
			return 1
		fi
	done
}

# other_ns PID PID TYPE...: each of them differs.
other_ns() {
	local a=$1 b=$2 type

	shift 2
	for type; do
		if [ "$(ns_of "$a" "$type")" = "$(ns_of "$b" "$type")" ]; then
			echo "$type: the same"
			return 1
		fi
	done
}

# add_ns TYPE...: a new one; replaces what config.json has.
add_ns() {
	local type

	for type; do
		config --arg t "$type" '.linux.namespaces |=
			map(select(.type != $t)) + [{type: $t}]'
	done
}

# join_ns PID TYPE...: by path.
join_ns() {
	local pid=$1 type

	shift
	for type; do
		join_path "$type" "/proc/$pid/ns/$(ns_file "$type")"
	done
}

join_path() {
	config --arg t "$1" --arg p "$2" '.linux.namespaces |=
		map(select(.type != $t)) + [{type: $t, path: $p}]'
}

drop_ns() {
	local type

	for type; do
		config --arg t "$type" \
			'.linux.namespaces |= map(select(.type != $t))'
	done
}

# hold OPTION...: $HELD is a process in new namespaces, by unshare(1).
hold() {
	unshare --fork --kill-child "$@" sleep 1000 </dev/null >/dev/null \
		2>&1 3>&- &
	HOLDERS+=($!)
	wait_until find_held $!
}

find_held() {
	HELD=$(pgrep -P "$1" -x sleep)
}

box_mapping() {
	tr -s ' ' <"/proc/$PID/$1" | sed 's/^ //'
}

# ---- new, inherited, joined ----

@test "every listed namespace is a new one" {
	requires userns timens
	add_ns pid network mount ipc uts user cgroup time
	start_box
	other_ns $$ "$PID" pid network mount ipc uts user cgroup time
}

@test "every namespace that is not listed is the caller's" {
	requires timens
	config 'del(.hostname) | .linux.namespaces = [{type: "mount"}]'
	start_box
	same_ns $$ "$PID" pid network ipc uts user cgroup time
	other_ns $$ "$PID" mount
}

# A user namespace may make a procfs of a pid namespace that it owns only,
# and an mqueue of such an ipc namespace.
bind_proc() {
	config '.mounts[0] |= {destination: "/proc", source: "/proc",
		options: ["rbind"]} | del(.linux.maskedPaths,
		.linux.readonlyPaths)'
}

no_mqueue() {
	config '.mounts |= map(select(.type != "mqueue"))'
}

@test "each namespace alone is inherited while the others are new" {
	requires userns timens
	local type others

	for type in pid network ipc user cgroup time; do
		add_ns pid network ipc user cgroup time
		no_mqueue
		drop_ns "$type"
		[ "$type" != pid ] || bind_proc
		others=(pid network ipc user cgroup time)
		start_box
		same_ns $$ "$PID" "$type"
		other_ns $$ "$PID" "${others[@]/#$type/mount}"
		oci delete --force box
	done
}

@test "each namespace is joined by its path" {
	requires timens
	local type

	hold --net --ipc --uts --cgroup --time --pid
	for type in network ipc uts cgroup time pid; do
		join_ns "$HELD" "$type"
		config 'del(.hostname)'
		start_box
		same_ns "$HELD" "$PID" "$type"
		oci delete --force box
		add_ns "$type"
	done
}

@test "all namespaces are joined together" {
	requires userns timens
	hold --user --map-root-user --net --ipc --uts --cgroup --time --pid
	join_ns "$HELD" user network ipc uts cgroup time pid
	config 'del(.hostname)'
	start_box
	same_ns "$HELD" "$PID" user network ipc uts cgroup time pid
	run_ok oci exec box readlink /proc/self/ns/net
	[ "$output" = "$(ns_of "$HELD" network)" ]
}

@test "a joined mount namespace is used as it is" {
	hold --mount
	join_ns "$HELD" mount
	config '.mounts = [] | del(.linux.maskedPaths, .linux.readonlyPaths)'
	start_box
	same_ns "$HELD" "$PID" mount
	[ "$(readlink "/proc/$PID/root")" = "$BUNDLE/rootfs" ]
}

@test "create refuses a namespace listed twice, an unknown type and a relative path" {
	cgroup_namespace
	config '.linux.namespaces += [{type: "pid"}]'
	run_fails 'linux.namespaces[6].type: pid is given twice'
	config '.linux.namespaces[6].type = "net"'
	run_fails "linux.namespaces[6].type: unknown namespace 'net'"
	config '.linux.namespaces[6] = {type: "time", path: "proc/self/ns/time"}'
	run_fails 'linux.namespaces[6].path: '
}

@test "create refuses a path that is no namespace of its type" {
	join_path network /proc/self/ns/ipc
	run_fails 'linux.namespaces (network): /proc/self/ns/ipc is not a network namespace'
	join_path network /dev/null
	run_fails '/dev/null is not a network namespace'
	join_path network "$TMP"
	run_fails "$TMP is not a network namespace"
	join_path network /nowhere/net
	run_fails 'linux.namespaces (network): open /nowhere/net: no such file or directory'
	mkfifo "$TMP/fifo"
	join_path network "$TMP/fifo"
	run_fails "$TMP/fifo is not a network namespace"
}

# ---- owners of namespaces ----

@test "a network namespace of the host is joined beside a new user namespace" {
	requires userns
	hold --net --ipc --uts
	add_ns user
	join_ns "$HELD" network ipc uts
	config 'del(.hostname)'
	no_mqueue
	start_box
	same_ns "$HELD" "$PID" network ipc uts
	other_ns $$ "$PID" user
}

@test "namespaces owned by the joined user namespace are joined after it" {
	requires userns
	hold --user --map-root-user --net --ipc --uts
	join_ns "$HELD" user network ipc uts
	config 'del(.hostname)'
	start_box
	same_ns "$HELD" "$PID" user network ipc uts
}

@test "a namespace of the host and one of the joined user namespace can be joined together" {
	requires userns
	local net

	hold --net
	net=$HELD
	hold --user --map-root-user --ipc
	join_ns "$net" network
	join_ns "$HELD" user ipc
	start_box
	same_ns "$net" "$PID" network
	same_ns "$HELD" "$PID" user ipc
}

@test "a namespace of a foreign user namespace is joined beside a new user namespace" {
	requires userns
	hold --user --map-root-user --net
	add_ns user
	join_ns "$HELD" network
	start_box
	same_ns "$HELD" "$PID" network
	other_ns "$HELD" "$PID" user
}

@test "a user namespace is joined through a bind-mounted file" {
	requires userns
	hold --user --map-root-user
	touch "$TMP/user"
	mount --bind "/proc/$HELD/ns/user" "$TMP/user"
	join_path user "$TMP/user"
	start_box
	same_ns "$HELD" "$PID" user
	run_ok oci exec box id -u
	[ "$output" = 0 ]
}

@test "a container joins a pod's namespaces, mapped to ids of its own" {
	requires userns
	local pod

	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	start_container pod
	pod=$(pid_of pod)
	mkdir -m 0700 "$TMP/closed"
	new_bundle box2 "$TMP/closed"
	args sh -c 'id -u; echo written >/tmp/file && cat /tmp/file; hostname
		ls -d /proc/[0-9]* | wc -l'
	chmod 1777 "$BUNDLE/rootfs/tmp"
	config '.hostname = "member"'
	join_ns "$pod" user network ipc uts pid
	run_ok oci run --bundle "$BUNDLE" box2
	[ "${lines[0]}" = 0 ]
	[ "${lines[1]}" = written ]
	[ "${lines[2]}" = member ]
	((lines[3] >= 3))
	[ "$(stat -c %u "$BUNDLE/rootfs/tmp/file")" -eq 100000 ]
	kill -0 "$pod"
}

# ---- joined pid namespaces ----

# A line of /proc/PID/status.
status_line() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"
}

@test "a program in a joined pid namespace is a child of nobody inside" {
	hold --pid
	join_ns "$HELD" pid
	start_box
	[ "$(cat "$TMP/box.pid")" = "$PID" ]
	[ "$(status_line "$PID" NSpid | wc -w)" -eq 2 ]
	[ "$(status_line "$PID" PPid)" != "$HELD" ]
	kill -0 "$PID"
	oci kill box KILL
	wait_until has_status box stopped
	kill -0 "$HELD"
}

@test "run reaps a program in a joined pid namespace and passes its status on" {
	hold --pid
	join_ns "$HELD" pid
	args sh -c 'exit 37'
	run run_bundle
	[ "$status" -eq 37 ]
	args sh -c 'kill -TERM $$'
	run run_bundle
	[ "$status" -eq 143 ]
}

box_has_processes() {
	[ "$(oci ps --format json box | jq length)" -eq "$1" ]
}

@test "kill ends every process of a container in the host's pid namespace" {
	drop_ns pid
	args sh -c 'sleep 1001 & sleep 1002 & wait'
	start_box
	wait_until box_has_processes 3
	oci kill box KILL
	wait_until has_status box stopped
	wait_until box_has_processes 0
}

# ---- id mappings ----

@test "id mappings of several ranges are written as given" {
	requires userns
	add_ns user
	config '.linux.uidMappings = [
			{containerID: 0, hostID: 100000, size: 1000},
			{containerID: 1000, hostID: 5000, size: 1},
			{containerID: 1001, hostID: 101000, size: 64000}] |
		.linux.gidMappings = [
			{containerID: 0, hostID: 200000, size: 2000},
			{containerID: 5000, hostID: 7000, size: 10}]'
	start_box
	[ "$(box_mapping uid_map)" = "0 100000 1000
1000 5000 1
1001 101000 64000" ]
	[ "$(box_mapping gid_map)" = "0 200000 2000
5000 7000 10" ]
	[ "$(stat -c %u:%g "/proc/$PID")" = 100000:200000 ]
	run_ok oci exec --user 1000:5001 box id
	assert_output_has "uid=1000 gid=5001"
}

@test "a user namespace without mappings maps every id onto itself" {
	requires userns
	add_ns user
	start_box
	[ "$(box_mapping uid_map)" = "0 0 4294967295" ]
	[ "$(box_mapping gid_map)" = "0 0 4294967295" ]
}

@test "create accepts the mappings of a joined user namespace, and refuses others" {
	requires userns
	hold --user --map-root-user
	join_ns "$HELD" user
	config '.linux.uidMappings = [{containerID: 0, hostID: 0, size: 1}] |
		.linux.gidMappings = .linux.uidMappings'
	start_box
	same_ns "$HELD" "$PID" user
	oci delete --force box
	config '.linux.uidMappings[0].size = 2'
	run_fails 'linux.uidMappings[0]: is not a mapping of the user namespace to join'
	config '.linux.uidMappings = [] | .linux.gidMappings[0].hostID = 5'
	run_fails 'linux.gidMappings[0]: is not a mapping of the user namespace to join'
}

@test "create refuses id mappings without a user namespace" {
	config '.linux.uidMappings = [{containerID: 0, hostID: 0, size: 1}]'
	run_fails 'linux.uidMappings: requires a user namespace'
}

@test "create names overlapping id mappings and leaves nothing" {
	requires userns
	add_ns user
	config '.linux.uidMappings = [
			{containerID: 0, hostID: 1000, size: 10},
			{containerID: 5, hostID: 2000, size: 10}] |
		.linux.gidMappings = [{containerID: 0, hostID: 1000, size: 10}]'
	run_fails 'linux.uidMappings'
}

# ---- what comes with a namespace ----

@test "lo is up in every new network namespace, and in no joined one" {
	requires userns
	args cat /sys/class/net/lo/flags
	run_ok run_bundle
	[ "$output" = 0x9 ]
	add_ns user
	run_ok run_bundle
	[ "$output" = 0x9 ]
	hold --net
	join_ns "$HELD" network
	drop_ns user
	run_ok run_bundle
	[ "$output" = 0x8 ]
}

@test "time offsets are seen by the program and by exec" {
	requires timens userns
	local before

	add_ns time
	config '.linux.timeOffsets = {boottime: {secs: 1000000, nanosecs: 5},
		monotonic: {secs: 2000}}'
	before=$(cut -d. -f1 /proc/uptime)
	args sh -c 'cut -d. -f1 /proc/uptime; exec sleep 1000'
	start_box
	wait_until [ -s "$TMP/box.out" ]
	(($(cat "$TMP/box.out") >= before + 1000000))
	run_ok oci exec box cut -d. -f1 /proc/uptime
	((output >= before + 1000000))
	[ "$(tr -s ' ' <"/proc/$PID/timens_offsets")" = "monotonic 2000 0
boottime 1000000 5" ]
	oci delete --force box
	add_ns user
	start_box
	run_ok oci exec box cut -d. -f1 /proc/uptime
	((output >= before + 1000000))
}

@test "create refuses time offsets without a new time namespace" {
	requires timens
	config '.linux.timeOffsets = {boottime: {secs: 10}}'
	run_fails 'linux.timeOffsets: requires a new time namespace'
	join_path time /proc/self/ns/time
	run_fails 'linux.timeOffsets: requires a new time namespace'
}

@test "hostname and domainname without a uts namespace are refused" {
	drop_ns uts
	run_fails 'hostname: requires a uts namespace in linux.namespaces'
	config 'del(.hostname) | .domainname = "example.org"'
	run_fails 'domainname: requires a uts namespace in linux.namespaces'
	[ "$(uname -n)" != sandlock ]
}

@test "hostname and domainname are set in a joined uts namespace" {
	hold --uts
	join_ns "$HELD" uts
	config '.hostname = "joined" | .domainname = "example.org"'
	args cat /proc/sys/kernel/hostname /proc/sys/kernel/domainname
	run_ok run_bundle
	[ "$output" = $'joined\nexample.org' ]
}

# ---- roots ----

@test "without a mount namespace the program runs in a chroot" {
	without_mount_namespace
	start_box
	same_ns $$ "$PID" mount
	[ "$(readlink "/proc/$PID/root")" = "$BUNDLE/rootfs" ]
	run_ok oci exec box ls -d /etc/passwd
	[ "$output" = /etc/passwd ]
	run grep -F "$BUNDLE" /proc/self/mountinfo
	[ "$status" -eq 1 ]
}

@test "create refuses masked paths, mounts and a read-only root without a mount namespace" {
	drop_ns mount
	run_fails 'maskedPaths: requires a mount namespace'
	config 'del(.linux.maskedPaths)'
	run_fails 'readonlyPaths: requires a mount namespace'
	config 'del(.linux.readonlyPaths)'
	run_fails 'mounts'
	config '.mounts = [] | .root.readonly = true'
	run_fails 'root.readonly'
	config '.root.readonly = false | .linux.rootfsPropagation = "slave"'
	run_fails 'rootfsPropagation'
}

@test "a container is unchanged by --no-pivot" {
	args sh -c 'ls -d /bin/busybox /proc/self && grep -c " - proc " /proc/self/mountinfo'
	run_ok oci run --bundle "$BUNDLE" box
	local with=$output
	run_ok oci run --no-pivot --bundle "$BUNDLE" box
	[ "$output" = "$with" ]
}

@test "--no-pivot leaves the host's mounts alone" {
	local before

	before=$(cut -d' ' -f3- /proc/self/mountinfo | grep -v bats-run | sort)
	create box --no-pivot
	oci start box
	oci delete --force box
	[ "$(cut -d' ' -f3- /proc/self/mountinfo | grep -v bats-run | sort)" = \
		"$before" ]
}

@test "the rootfs may lie below a directory closed to the root of the user namespace" {
	requires userns
	add_ns user
	config '.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chmod 0700 "$BUNDLE"
	args ls /bin/busybox
	run_ok run_bundle
	[ "$output" = /bin/busybox ]
	run_ok oci run --no-pivot --bundle "$BUNDLE" box
	[ "$output" = /bin/busybox ]
}

@test "bind sources may be unreadable for the root of the user namespace" {
	requires userns
	add_ns user
	mkdir -m 0700 "$TMP/closed"
	mkdir "$TMP/closed/dir"
	echo content >"$TMP/closed/dir/file"
	echo alone >"$TMP/closed/alone"
	config --arg s "$TMP/closed" '.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.mounts += [
			{destination: "/mnt", source: "\($s)/dir",
			 options: ["rbind", "ro"]},
			{destination: "/alone", source: "\($s)/alone",
			 options: ["bind"]}]'
	chown 100000:100000 "$BUNDLE/rootfs"
	args cat /mnt/file /alone
	run_ok run_bundle
	[ "$output" = $'content\nalone' ]
}

@test "devices in a user namespace are bind mounts of the host's" {
	requires userns
	add_ns user
	config '.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	args sh -c 'for d in null zero full random urandom tty; do
		stat -c "%n %t:%T" /dev/$d
		grep -c " /dev/$d " /proc/self/mountinfo
	done; echo x >/dev/null && head -c 4 /dev/zero | od -An -tx1'
	run_ok run_bundle
	[ "$output" = "/dev/null 1:3
1
/dev/zero 1:5
1
/dev/full 1:7
1
/dev/random 1:8
1
/dev/urandom 1:9
1
/dev/tty 5:0
1
 00 00 00 00" ]
}
