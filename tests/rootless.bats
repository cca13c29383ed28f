#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/rootless.bats - without privileges: an ordinary user, and root of
# nothing but a user namespace.
# shellcheck disable=SC2016 # the dollars are jq's and the container's

load helpers

setup() {
	sandlock_setup
	requires root userns setpriv
	new_user
	new_user_bundle
}

# user_start: a container that sleeps.
user_start() {
	args sleep 1000
	user_oci create --bundle "$BUNDLE" box </dev/null \
		>"$TMP/out" 2>&1 || {
		cat "$TMP/out"
		return 1
	}
	user_oci start box
}

user_status() {
	[ "$(user_oci state box | jq -r .status)" = "$1" ]
}

# Several ids: root is the user, the others are the subordinate ones.
map_range() {
	config --argjson id "$USER_ID" '
		.linux.uidMappings = [
			{containerID: 0, hostID: $id, size: 1},
			{containerID: 1, hostID: 300000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
}

# ---- an ordinary user ----

@test "an unprivileged user runs the bundle of spec --rootless" {
	args sh -c 'id -u; id -g; cat /proc/self/uid_map; echo $$; exit 7'
	run user_run_bundle
	[ "$status" -eq 7 ]
	[ "$(tr -s ' ' <<<"$output")" = "0
0
 0 $USER_ID 1
1" ]
}

@test "an unprivileged user's container goes through its whole life" {
	local pid

	args sleep 1000
	user_oci create --bundle "$BUNDLE" --pid-file pid box \
		</dev/null >/dev/null 2>&1
	user_status created
	pid=$(cat "$USER_HOME/pid")
	[ "$(sed -n 's/^Uid:\t\([0-9]*\).*/\1/p' "/proc/$pid/status")" -eq \
		"$USER_ID" ]
	user_oci start box
	user_status running
	[ "$(user_oci list --quiet)" = box ]
	[ "$(user_oci list --format json | jq -r '.[0].owner')" = \
		"$USER_NAME" ]
	[ "$(user_oci ps --format json box | jq -c .)" = "[$pid]" ]
	run_ok user_oci exec box sh -c 'echo $((6 * 7)); id -u'
	[ "$output" = $'42\n0' ]
	user_oci kill box KILL
	wait_until user_status stopped
	user_oci delete box
	run user_oci state box
	[ "$status" -eq 1 ]
	assert_output_has "does not exist"
	[ -z "$(user_oci list --quiet)" ]
}

@test "an unprivileged user's exec has a terminal" {
	requires script
	user_start
	run_ok as_user script -qec "./sandlock-oci exec -t box sh -c \
		'test -t 0 && test -t 1 && tty'" /dev/null
	assert_output_has /dev/pts/0
}

@test "an unprivileged user's container has a terminal in the foreground" {
	requires script
	config '.process.terminal = true'
	args sh -c 'test -t 0 && tty'
	run_ok as_user script -qec "./sandlock-oci run --bundle $BUNDLE box" \
		/dev/null
	assert_output_has /dev/pts/0
}

@test "newuidmap and newgidmap map several ids of an unprivileged user" {
	requires subids
	map_range
	args sh -c 'cat /proc/self/uid_map /proc/self/gid_map
		touch /tmp/new && chown 1000:1000 /tmp/new'
	config '.root.readonly = false |
		.process.capabilities[] += ["CAP_CHOWN"]'
	run_ok user_run_bundle
	[ "$(tr -s ' ' <<<"$output")" = " 0 $USER_ID 1
 1 300000 65536
 0 $USER_ID 1
 1 300000 65536" ]
	[ "$(stat -c %u:%g "$BUNDLE/rootfs/tmp/new")" = 300999:300999 ]
}

@test "create reports the helper's words for an id beyond the user's range" {
	requires subids
	map_range
	config '.linux.uidMappings[1] |= (.hostID = 1 | .size = 1000)'
	run_bad "linux.uidMappings: newuidmap" user_run_bundle
	run user_oci state box
	assert_output_has "does not exist"
}

@test "an unprivileged user's groups are set where the helpers mapped them, and with several ids only" {
	requires subids
	map_range
	config '.process.user = {uid: 0, gid: 0, additionalGids: [10, 20]}'
	args sh -c 'grep ^Groups: /proc/self/status; cat /proc/self/setgroups'
	run_ok user_run_bundle
	[ "$(xargs <<<"${lines[0]}")" = "Groups: 10 20" ]
	[ "${lines[1]}" = allow ]
}

@test "an unprivileged user with one mapped group has setgroups denied and no further group" {
	args sh -c 'cat /proc/self/setgroups; grep ^Groups: /proc/self/status'
	run_ok user_run_bundle
	[ "${lines[0]}" = deny ]
	[ "$(tr -d '\t ' <<<"${lines[1]}")" = Groups: ]
}

@test "create reports the place of a group that is not mapped" {
	config '.process.user.additionalGids = [0, 10]'
	run_bad "process.user.additionalGids[1]: 10 is not mapped" user_run_bundle
}

@test "create tells an unprivileged user without a user namespace what to do" {
	config '.linux.namespaces |= map(select(.type != "user")) |
		del(.linux.uidMappings, .linux.gidMappings)'
	run_bad "linux.namespaces: without root, a user namespace is required \
(spec --rootless writes one)" user_run_bundle
}

@test "create names limits of an unprivileged user without a delegated cgroup" {
	config '.linux.resources = {pids: {limit: 10}}'
	run_bad "pids" user_run_bundle
	assert_output_has "linux.resources"
	config '.linux.resources = {memory: {limit: 100000000}}'
	run_bad "linux.resources" user_run_bundle
	assert_output_has "memory"
}

@test "an unprivileged user may have limits that ask for nothing, and device rules" {
	config '.linux.resources = {
		devices: [{allow: false, access: "rwm"},
			{allow: true, type: "c", major: 1, minor: 3,
			 access: "rwm"}],
		memory: {}, cpu: {shares: 0}}'
	args true
	run_ok user_run_bundle
	[ -z "$output" ]
}

@test "an out-of-memory score that an unprivileged user may not set is tolerated" {
	config '.process.oomScoreAdj = -500'
	args sh -c 'cat /proc/self/oom_score_adj'
	run_ok user_run_bundle
	[ "${lines[-1]}" = 0 ]
	config '.process.oomScoreAdj = 300'
	run_ok user_run_bundle
	[ "$output" = 300 ]
}

# CVE-2023-25809: the host's cgroups, writable for the user, in the container.
@test "an unprivileged user's cgroup mount is read-only, with a cgroup namespace and without" {
	args sh -c 'awk "\$5 ~ \"^/sys/fs/cgroup\" {top[\$5] = \$6}
		END {for (p in top) if (top[p] !~ /^ro/) print p}" \
			/proc/self/mountinfo
		find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs |
		while read -r f; do
			echo 0 2>&1 >"$f"
		done 2>&1 | grep -v "Read-only file system"
		mkdir /sys/fs/cgroup/new 2>&1'
	run user_run_bundle
	[[ $output = *"Read-only file system" ]]
	[ "${#lines[@]}" -eq 1 ]
	config '.linux.namespaces |= map(select(.type != "cgroup"))'
	run user_run_bundle
	[[ $output = *"Read-only file system" ]]
	[ "${#lines[@]}" -eq 1 ]
}

@test "an unprivileged user's /dev has bind mounts of the host's devices, and the links" {
	args sh -c 'stat -c %t:%T /dev/null /dev/zero /dev/tty &&
		readlink /dev/fd && readlink /dev/ptmx && echo x >/dev/null'
	run_ok user_run_bundle
	[ "$output" = "1:3
1:5
5:0
/proc/self/fd
pts/ptmx" ]
}

@test "an unprivileged user's network namespace has lo up" {
	config '.linux.namespaces += [{type: "network"}]'
	args cat /sys/class/net/lo/flags
	config '.mounts |= map(if .destination == "/sys"
		then {destination: "/sys", type: "sysfs", source: "sysfs"}
		else . end)'
	run_ok user_run_bundle
	[ "$output" = 0x9 ]
}

@test "root's list has no containers of an unprivileged user" {
	user_start
	run_bad "does not exist" oci state box
}

@test "an unprivileged user can join a user namespace of their own" {
	requires subids
	local pid joined

	as_user unshare --user --map-root-user sh -c \
		'echo $$ >holder.new && mv holder.new holder; exec sleep 1000' \
		</dev/null >/dev/null 2>&1 &
	holder=$!
	wait_until [ -e "$USER_HOME/holder" ]
	pid=$(cat "$USER_HOME/holder")
	joined=$(readlink "/proc/$pid/ns/user")
	config --arg p "/proc/$pid/ns/user" '.linux.namespaces |=
		map(if .type == "user" then .path = $p else . end) |
		del(.linux.uidMappings, .linux.gidMappings)'
	args readlink /proc/self/ns/user
	run user_run_bundle
	kill "$pid"
	wait "$holder" || true
	[ "$status" -eq 0 ]
	[ "$output" = "$joined" ]
}

# ---- root of a user namespace ----

# as_nested_root COMMAND...: as engines without privileges call the runtime.
as_nested_root() {
	as_user unshare --user --map-root-user --map-auto --mount \
		--propagation private "$@"
}

# What root's own `spec` writes: no user namespace.
new_root_bundle() {
	rm "$BUNDLE/config.json"
	as_user ./sandlock-oci spec --bundle "$BUNDLE"
	config '.process.terminal = false | .root.readonly = false'
	chown "$USER_ID:$USER_ID" "$BUNDLE/config.json"
}

@test "root of a user namespace runs a bundle without one" {
	requires subids
	new_root_bundle
	args sh -c 'cat /proc/self/uid_map; cat /sys/class/net/lo/flags
		touch /tmp/f && chown 5:5 /tmp/f'
	config '.process.capabilities[] += ["CAP_CHOWN"]'
	run_ok as_nested_root ./sandlock-oci run --bundle "$BUNDLE" box
	[ "$(tr -s ' ' <<<"${lines[0]}")" = " 0 $USER_ID 1" ]
	[ "${lines[2]}" = 0x9 ]
	[ "$(stat -c %u "$BUNDLE/rootfs/tmp/f")" -eq 300004 ]
}

@test "root of a user namespace makes another user namespace inside" {
	requires subids
	new_root_bundle
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 1, size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 300000:300000 "$BUNDLE/rootfs"
	args sh -c 'id -u; cat /proc/self/uid_map'
	run_ok as_nested_root ./sandlock-oci run --bundle "$BUNDLE" box
	[ "${lines[0]}" = 0 ]
	[ "$(tr -s ' ' <<<"${lines[1]}")" = " 0 1 1000" ]
}

@test "root of a user namespace creates, execs and deletes" {
	requires subids
	new_root_bundle
	args sleep 1000
	run_ok as_nested_root sh -c '
		./sandlock-oci --root ./st create --bundle "$0" box \
			</dev/null >/dev/null 2>&1 &&
		./sandlock-oci --root ./st start box &&
		./sandlock-oci --root ./st exec box sh -c "id -u; hostname" &&
		./sandlock-oci --root ./st state box | jq -r .status &&
		./sandlock-oci --root ./st delete --force box' "$BUNDLE"
	[ "$output" = $'0\nsandlock\nrunning' ]
}

@test "root of a user namespace is told that limits need a delegated cgroup" {
	requires subids
	new_root_bundle
	config '.linux.resources.pids = {limit: 10}'
	run_bad "linux.resources" \
		as_nested_root ./sandlock-oci run --bundle "$BUNDLE" box
	assert_output_has "pids"
}
