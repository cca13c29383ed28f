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
# ENGINE_RUNTIME=runc runs the same tests with another runtime.

SANDLOCK=${SANDLOCK:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/sandlock-oci}
load ../helpers

IMAGE=localhost/busybox:latest

setup() {
	# shellcheck disable=SC2034 # for the tests
	TMP=$BATS_TEST_TMPDIR
}

# Each file says how its engine removes whatever there is.
teardown() {
	remove_all
	nothing_left
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
	make_runtime
	make_image
	export ROOM ENGINE_CGROUP RUNTIME ROOM_PID ROOM_CGROUPS
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

hierarchies() {
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

	for dir in $(hierarchies); do
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

# The first process of the room: it reaps, and all ends with it.
live_in_room() {
	local dir

	mount -t proc proc /proc &&
		mount -t tmpfs -o mode=0755 tmpfs /run &&
		ip link set lo up || exit
	for dir in $ROOM_CGROUPS; do
		mount --bind "$dir" "${dir%"$ENGINE_CGROUP"}" || exit
	done
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
export -f live_in_room

# Where every user of an engine can execute it.
make_runtime() {
	if [ -n "$ENGINE_RUNTIME" ]; then
		RUNTIME=$(command -v "$ENGINE_RUNTIME")
	else
		RUNTIME=$ROOM/sandlock-oci
		cp "$SANDLOCK" "$RUNTIME"
	fi
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

room() {
	(join_cgroups /room && exec nsenter --target "$ROOM_PID" --mount \
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

no_process_below() {
	! find "$1" -name cgroup.procs -exec cat {} + | grep -q .
}

# ---- what is left ----

room_inventory() {
	local dir

	room ps -eo comm= | grep -vx ps | sort | sed 's/^/process /'
	room cut -d ' ' -f 5 /proc/self/mountinfo | sort | sed 's/^/mount /'
	for dir in $ROOM_CGROUPS; do
		find "$dir" -type d
	done | sort | sed 's/^/cgroup /'
	room find /run -type d | sort | sed 's/^/directory /'
}

# What the engine keeps for itself once it has run a container.
room_settled() {
	wait_until is_settled
}

is_settled() {
	room_inventory >"$ROOM/before"
	sleep 0.3
	same_as_before
}

same_as_before() {
	room_inventory | cmp -s "$ROOM/before" -
}

nothing_left() {
	if ! wait_until same_as_before; then
		room_inventory | diff "$ROOM/before" -
		return 1
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

# unpacked PACKAGE...: the directory they are unpacked in, without an
# installation; once downloaded, they are not asked for again.
unpacked() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandlock-tests/$1 new

	if [ ! -d "$cache" ]; then
		mkdir -p "${cache%/*}"
		new=$(mktemp -d "$cache.XXXXXX")
		(cd "$new" && download "$@" && for deb in *.deb; do
			dpkg -x "$deb" root || exit
		done) >&2 && mv -T "$new/root" "$cache" 2>/dev/null
		rm -rf "$new"
	fi
	[ -d "$cache" ] && echo "$cache"
}

download() {
	apt-get -q download "$@" ||
		{ apt-get -q update && apt-get -q download "$@"; }
}

# start_daemon NAME COMMAND...: in the room; its words go to $ROOM/NAME.log.
start_daemon() {
	local name=$1

	shift
	room "$@" </dev/null >"$ROOM/$name.log" 2>&1 &
}

# The value of a limit in the container's cgroup, on v1 or v2: COMMAND is what
# prints a file from inside.
limit() {
	local v1=$1 v2=$2

	shift 2
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		"$@" "/sys/fs/cgroup/$v2"
	else
		"$@" "/sys/fs/cgroup/$v1"
	fi
}

memory_limit() {
	limit memory/memory.limit_in_bytes memory.max "$@"
}

pids_limit() {
	limit pids/pids.max pids.max "$@"
}
