# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/engines.bash - a room for an engine, and what is left in it.
#
# The engine of a test file lives in mount, process, network, IPC and cgroup
# namespaces of its own, with an empty /run. Nothing of it is on the host but
# what is below $ENGINE_CGROUP and the directory $ROOM, and all of it ends with
# the room. A file's setup_file calls room_open, starts its engine and calls
# room_settled; from then on every test has to leave the room as it was.
#
# ENGINE_RUNTIME=runc runs the same tests with another runtime. With
# ENGINE_SUITE=trixie the engines are that Debian suite's: its packages are
# unpacked, and are the root of the room.
#
# ENGINE_PROFILE=FILE gives every container the policy of that profile, as a
# base; tests/engines/supervised.toml makes each of them have a supervisor.
#
# A test says by its tags what of an engine it shows; see tests/engines/table.

SANDLOCK_OCI=${SANDLOCK_OCI:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/sandlock-oci}
load ../helpers
load packages

IMAGE=localhost/busybox:latest
# Where the files of contrib/ say it is, and in the room so it is.
RUNTIME=/usr/local/bin/sandlock-oci
CONTRIB=$(cd "$BATS_TEST_DIRNAME/../../contrib" && pwd)
export IMAGE RUNTIME

setup() {
	# shellcheck disable=SC2034 # for the tests
	TMP=$BATS_TEST_TMPDIR
}

# Each file says how its engine removes whatever there is.
teardown() {
	remove_all
	room_unchanged
}

teardown_file() {
	room_close
}

# ---- the room ----

room_open() {
	local outside

	requires root
	ROOM=$(mktemp -d -t sandlock-engine.XXXXXX)
	chmod 0755 "$ROOM"
	mkfifo "$ROOM/silence"
	ENGINE_CGROUP=/sandlock-test-${SANDLOCK_RUN:+$SANDLOCK_RUN-}engine-$$
	if [ -n "$ENGINE_SUITE" ]; then
		ENGINE_ROOT=$(unpacked_suite "$ENGINE_SUITE")
	fi
	make_runtime
	make_image
	ROOM_SHOWS="${ROOM%/*} ${BATS_RUN_TMPDIR%/*} ${CONTRIB%/*}"
	export ROOM ROOM_PID ROOM_CGROUPS ROOM_SHOWS ENGINE_CGROUP ENGINE_ROOT
	make_cgroups
	(join_cgroups && exec unshare --cgroup bash -c \
		"join_cgroups /room && exec unshare --mount --net --ipc --pid \
			--propagation private --fork --kill-child \
			bash -c live_in_room") \
		</dev/null >"$ROOM/log" 2>&1 3>&- &
	outside=$!
	if ! wait_until [ -e "$ROOM/ready" ]; then
		cat "$ROOM/log"
		return 1
	fi
	ROOM_PID=$(<"/proc/$outside/task/$outside/children")
	ROOM_PID=${ROOM_PID% }
}

hierarchy_dirs() {
	local dir

	if [ -e /sys/fs/cgroup/cgroup.procs ]; then
		echo /sys/fs/cgroup
		return
	fi
	for dir in /sys/fs/cgroup/*; do
		[ -L "$dir" ] || [ ! -e "$dir/cgroup.procs" ] || echo "$dir"
	done
}

# The cgroup of the room is the root for those inside. They live one below, as
# cgroup v2 has controllers for children of an empty cgroup only.
make_cgroups() {
	local dir new file

	for dir in $(hierarchy_dirs); do
		for new in "$dir$ENGINE_CGROUP" "$dir$ENGINE_CGROUP/room"; do
			mkdir "$new"
			for file in cpuset.cpus cpuset.mems; do
				[ ! -e "$dir/tasks" ] ||
					[ ! -e "$new/$file" ] ||
					cat "$dir/$file" >"$new/$file"
			done
		done
		ROOM_CGROUPS+="$dir$ENGINE_CGROUP "
	done
}

# join_cgroups [BELOW]: this process, one below each root.
join_cgroups() {
	local dir

	for dir in $ROOM_CGROUPS; do
		echo 0 >"$dir$1/cgroup.procs" || return
	done
}
export -f join_cgroups

# The root of another suite, with the kernel's file systems and what the tests
# share with it. A chroot would not do: what a runtime executes in a container
# would be outside.
enter_suite() {
	local new=$ROOM/root dir

	[ -n "$ENGINE_ROOT" ] || return 0
	mkdir "$new" "$ROOM/upper" "$ROOM/work" && mount -t overlay -o \
		"lowerdir=$ENGINE_ROOT,upperdir=$ROOM/upper,workdir=$ROOM/work" \
		overlay "$new" || return
	mkdir -p "$new/usr/local/bin" "$new/opt" || return
	for dir in $ROOM_SHOWS; do
		mkdir -p "$new$dir" && mount --bind "$dir" "$new$dir" || return
	done
	for dir in /dev /proc /sys; do
		mount --rbind "$dir" "$new$dir" || return
	done
	touch "$new"/etc/{hosts,resolv.conf} &&
		cp /etc/passwd /etc/group "$new/etc/" &&
		mkdir "$new/outside" && cd "$new" &&
		pivot_root . outside && cd / && umount --lazy /outside
}

# The runtime where it would be installed, beside what is there.
install_runtime() {
	mount -t overlay -o "lowerdir=$ROOM/bin:/usr/local/bin" overlay \
		/usr/local/bin
}

# crun does not run where version 2 has controllers beside version 1.
hide_hybrid() {
	[ "${ENGINE_RUNTIME##*/}" != crun ] ||
		[ ! -e /sys/fs/cgroup/unified/cgroup.procs ] ||
		mount -t tmpfs tmpfs /sys/fs/cgroup/unified
}

# The first process of the room: it reaps, and all ends with it.
live_in_room() {
	local dir

	mount -t proc proc /proc && enter_suite && install_runtime &&
		mount -t tmpfs -o mode=0755 tmpfs /run &&
		ip link set lo up || exit
	for dir in $ROOM_CGROUPS; do
		mount --bind "$dir" "${dir%"$ENGINE_CGROUP"}" || exit
	done
	hide_hybrid || exit
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		sed 's/[a-z_]\{1,\}/+&/g' /sys/fs/cgroup/cgroup.controllers \
			>/sys/fs/cgroup/cgroup.subtree_control || exit
	fi
	mount --make-rshared / || exit
	touch "$ROOM/ready"
	while :; do
		sleep infinity &
		wait $!
	done
}
export -f enter_suite install_runtime hide_hybrid live_in_room

# Where every user of an engine can execute it.
make_runtime() {
	local from=$SANDLOCK_OCI

	if [ -n "$ENGINE_RUNTIME" ]; then
		from=$(PATH=$(suite_path) command -v "$ENGINE_RUNTIME")
	fi
	mkdir "$ROOM/bin"
	cp "$from" "$ROOM/bin/sandlock-oci"
	[ -z "$ENGINE_PROFILE" ] || wrap_runtime "$ENGINE_PROFILE"
	# An engine that runs the default runtime must run this one.
	ln -s sandlock-oci "$ROOM/bin/runc"
}

# wrap_runtime PROFILE: as an administrator does it for containerd, which passes
# no options of the runtime.
wrap_runtime() {
	cp "$1" "$ROOM/bin/base.toml"
	chmod 0644 "$ROOM/bin/base.toml"
	mv "$ROOM/bin/sandlock-oci" "$ROOM/bin/sandlock-oci.wrapped"
	cat >"$ROOM/bin/sandlock-oci" <<-END
		#!/bin/sh
		exec $RUNTIME.wrapped --profile ${RUNTIME%/*}/base.toml "\$@"
	END
	chmod 0755 "$ROOM/bin/sandlock-oci"
}

# suite_path: where its programs lie, seen from outside of the room.
suite_path() {
	if [ -n "$ENGINE_ROOT" ]; then
		echo "$ENGINE_ROOT/usr/sbin:$ENGINE_ROOT/usr/bin"
	else
		echo "$PATH"
	fi
}

# has_engine PROGRAM...: skip the file unless the engine is there; the suite
# brings its own.
has_engine() {
	[ -n "$ENGINE_SUITE" ] || requires "$@"
}

# engine NAME VERSION: what the results below are of, for the table.
engine() {
	echo "# engine $1 $(grep -o '[0-9]*\.[0-9]*' <<<"$2" | head -n 1)" >&3
}

# The image in the form every engine can load: that of `docker save`.
# shellcheck disable=SC2016 # the dollars are jq's
make_image() {
	local dir=$ROOM/image layer

	make_rootfs "$dir/rootfs"
	tar -C "$dir/rootfs" --numeric-owner --owner=0 --group=0 \
		-cf "$dir/layer.tar" .
	layer=$(sha256sum <"$dir/layer.tar")
	jq -n --arg layer "sha256:${layer%% *}" \
		--arg machine "$(dpkg --print-architecture)" \
		'{architecture: $machine, os: "linux",
		  config: {Env: ["PATH=/bin:/sbin"], Cmd: ["sleep", "1000"]},
		  rootfs: {type: "layers", diff_ids: [$layer]}}' \
		>"$dir/config.json"
	jq -n --arg name "$IMAGE" \
		'[{Config: "config.json", RepoTags: [$name],
		   Layers: ["layer.tar"]}]' >"$dir/manifest.json"
	tar -C "$dir" -cf "$ROOM/image.tar" manifest.json config.json layer.tar
}

# room COMMAND...: there, for less time than a test has; a call that is never
# answered would stop the whole run.
room() {
	(join_cgroups /room && exec timeout --foreground \
		"${ROOM_PATIENCE:-100}" nsenter --target "$ROOM_PID" --mount \
		--net --ipc --pid --cgroup -- "$@") 3>&-
}
export -f room

room_close() {
	local dir

	[ -n "$ROOM_PID" ] || return 0
	kill -KILL "$ROOM_PID"
	wait_until [ ! -e "/proc/$ROOM_PID" ]
	for dir in $ROOM_CGROUPS; do
		wait_until no_process_below "$dir"
		find "$dir" -depth -type d -exec rmdir {} +
	done
	rm -rf "$ROOM"
}

# remove_cgroup NAME: below the root of the room, what the engine leaves there.
remove_cgroup() {
	local dir

	for dir in $ROOM_CGROUPS; do
		[ ! -d "$dir/$1" ] ||
			find "$dir/$1" -depth -type d -exec rmdir {} +
	done
}

no_process_below() {
	! find "$1" -name cgroup.procs -exec cat {} + | grep -q .
}

# A user the host does not know, with the right to 65536 more.
room_user() {
	local file

	mkdir "$ROOM/etc"
	cp /etc/passwd /etc/group "$ROOM/etc/"
	echo "$USER_NAME:x:$USER_ID:$USER_ID::$ROOM/home:/bin/sh" \
		>>"$ROOM/etc/passwd"
	echo "$USER_NAME:x:$USER_ID:" >>"$ROOM/etc/group"
	echo "$USER_NAME:300000:65536" | tee "$ROOM/etc/subuid" \
		>"$ROOM/etc/subgid"
	for file in passwd group subuid subgid; do
		room sh -c "[ -e /etc/$file ] || touch /etc/$file"
		room mount --bind "$ROOM/etc/$file" "/etc/$file"
	done
}

# ---- what is left ----

room_inventory() {
	local dir

	room ps -eo comm= | grep -vx ps | sort | sed 's/^/process /'
	# podman mounts its own storage, and twice when two of it begin at once.
	room cut -d ' ' -f 5 /proc/self/mountinfo | grep -v '/graph/overlay$' |
		sort | sed 's/^/mount /'
	for dir in $ROOM_CGROUPS; do
		find "$dir" -type d
	done | sort | sed 's/^/cgroup /'
	# podman 5 forgets one of its own when a container cannot be created.
	room find /run -path '*/persist/*' -prune -o -type d -print | sort |
		sed 's/^/directory /'
}

# What the engine keeps for itself once it has run a container.
room_settled() {
	wait_until is_settled
}

is_settled() {
	room_inventory >"$ROOM/before"
	sleep 0.6
	same_as_before
}

same_as_before() {
	room_inventory | cmp -s "$ROOM/before" -
}

# What one test has left is not held against the next. The comparison is with
# runtimes that leave parents of a cgroup to others.
room_unchanged() {
	if ! wait_until same_as_before; then
		echo "left in the room, by a diff:"
		room_inventory >"$ROOM/now"
		diff "$ROOM/before" "$ROOM/now" || true
		mv "$ROOM/now" "$ROOM/before"
		[ -n "$ENGINE_RUNTIME" ]
	fi
}

# ---- verbs ----

# expect STATUS TEXT COMMAND...: with this status, and with this in its output.
# 127 is a result like any other here, which `run` would warn of.
expect() {
	local code=$1 text=$2

	shift 2
	status=0
	output=$("$@" 2>&1) || status=$?
	if [ "$status" -ne "$code" ] || [[ $output != *"$text"* ]]; then
		echo "expected status $code and \"$text\" from: $*"
		echo "status $status: $output"
		return 1
	fi
}

# terminal COMMAND...: on a terminal of 33 rows and 99 columns; the command may
# be an exported function. Its input never ends: engines would take that for
# the end of the session.
terminal() {
	local shown r=0

	shown=$(SHELL=$BASH script -qec \
		"stty rows 33 cols 99; $(printf '%q ' "$@")" /dev/null \
		<>"$ROOM/silence" 3>&-) || r=$?
	printf '%s\n' "${shown//$'\r'/}"
	return "$r"
}

# has OUTPUT COMMAND...: to wait for.
has() {
	local text=$1

	shift
	[[ $("$@" 2>&1) = *"$text"* ]]
}

# start_daemon NAME COMMAND...: in the room; its words go to $ROOM/NAME.log.
start_daemon() {
	local name=$1

	shift
	ROOM_PATIENCE=0 room "$@" </dev/null >"$ROOM/$name.log" 2>&1 &
}

# daemon_answers NAME TEXT COMMAND...: wait until it does, or show its words.
daemon_answers() {
	local name=$1

	shift
	if ! wait_until has "$@"; then
		tail -n 30 "$ROOM/$name.log"
		return 1
	fi
}

# The value of a limit in the container's cgroup, on v1 or v2: COMMAND is what
# prints a file from inside.
engine_limit() {
	local v1=$1 v2=$2

	shift 2
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		"$@" "/sys/fs/cgroup/$v2"
	else
		"$@" "/sys/fs/cgroup/$v1"
	fi
}

memory_limit() {
	engine_limit memory/memory.limit_in_bytes memory.max "$@"
}

pids_limit() {
	engine_limit pids/pids.max pids.max "$@"
}

# In microseconds of the 100000 of a period; on v2 the period follows.
cpu_quota() {
	engine_limit cpu/cpu.cfs_quota_us cpu.max "$@"
}

cpuset() {
	engine_limit cpuset/cpuset.cpus cpuset.cpus "$@"
}

# stands_still PID: a process of the room, by the freezer of its cgroup.
stands_still() {
	local path

	path=$(room sed -n 's/^[0-9]*:freezer://p; s/^0:://p' \
		"/proc/$1/cgroup" | head -n 1)
	engine_limit "freezer$path/freezer.state" "${path#/}/cgroup.events" room cat |
		grep -qx -e FROZEN -e 'frozen 1'
}

# mounts_back PID DIR: what is mounted in the container of this process, where
# it has DIR as /dir, is seen in the room.
mounts_back() {
	mkdir "$2/back"
	room nsenter --target "$1" --mount mount -t tmpfs tmpfs /dir/back
	room grep -q " $2/back tmpfs " /proc/mounts
	room umount "$2/back"
}

# A seccomp profile in the format of engines: all but the making of directories.
no_mkdir() {
	jq -n '{defaultAction: "SCMP_ACT_ALLOW", syscalls: [
		{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]}'
}
