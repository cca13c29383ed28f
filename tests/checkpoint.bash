# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/checkpoint.bash - containers that count, to files and back.

load helpers
load criu

setup_file() {
	find_criu
}

# shellcheck disable=SC2034 # for the tests
setup() {
	sandlock_setup
	requires_criu
	IMAGES=$TMP/images
	# For tests that do not start it with the function.
	PROGRAM=("$SANDLOCK_OCI" --root "$ROOT" ${SANDLOCK_DRIVER:+--cgroup-manager
		"$SANDLOCK_DRIVER"} --criu "$CRIU")
}

# What counts up in the link /count for as long as it lives. No file is open
# at any time: one that goes on would rename what a restored one opens.
# shellcheck disable=SC2016 # for the shell inside
COUNTING='i=0; while :; do
	i=$((i + 1)); ln -s $i /new; mv /new /count; sleep 0.02
done'

with_criu() {
	oci --criu "$CRIU" "$@"
}

checkpoint() {
	with_criu checkpoint --image-path "$IMAGES" "$@"
}

# restore ID [OPTION...]: detached, from $BUNDLE; its output is $TMP/ID.out.
restore() {
	local id=$1

	shift
	with_criu restore --detach --bundle "$BUNDLE" --image-path "$IMAGES" \
		--pid-file "$TMP/$id.pid" "$@" "$id" \
		</dev/null >"$TMP/$id.out" 2>&1 || {
		local r=$?

		cat "$TMP/$id.out"
		return $r
	}
}

# The log of a container, a file, comes back as a file.
in_foreground() {
	with_criu restore --bundle "$BUNDLE" --image-path "$IMAGES" box \
		</dev/null >"$TMP/box.out" 2>&1
}

start_counting() {
	new_bundle "$1"
	cgroup_namespace
	args sh -c "$COUNTING"
	start_container "$1"
	wait_until [ -L "$BUNDLE/rootfs/count" ]
}

box_count() {
	readlink "$BUNDLE/rootfs/count"
}

# counts_on [FROM]: it counts, and has not begun again.
counts_on() {
	local from=${1:-$(box_count)}

	wait_until box_counted_past "$from"
}

box_counted_past() {
	[ "$(box_count)" -gt "$1" ]
}

# refused_restore TEXT [OPTION...]: it fails, says so, and leaves nothing.
refused_restore() {
	local text=$1

	shift
	run_bad "$text" restore refused "$@"
	assert_gone refused
	[ -z "$(leftover_cgroups)" ]
	[ -z "$(leftover_processes)" ]
}

# status_field KEY PID: of /proc/PID/status.
status_field() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$2/status"
}

namespaces() {
	local ns

	for ns in "/proc/$1/ns/"*; do
		echo "${ns##*/} $(readlink "$ns")"
	done
}
