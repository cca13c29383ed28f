#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cgroup-mounts.bats - mounts of type cgroup where v1 hierarchies exist.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root cgroup1
	new_bundle
	cgroup_namespace
}

writable() {
	config '(.mounts[] | select(.type == "cgroup") | .options) |=
			map(select(. != "ro"))'
}

# Those of several controllers have a link for each, too.
mounted_hierarchies() {
	sed -n 's|^.* / /sys/fs/cgroup/\([^ ]*\) .* - cgroup2\{0,1\} .*|\1|p' \
		/proc/self/mountinfo | awk -F , '{
			print
			for (i = 1; NF > 1 && i <= NF; i++)
				print $i
		}' | sort
}

@test "a cgroup mount has a directory for every hierarchy of the host" {
	run_inside 'ls /sys/fs/cgroup | sort; stat -f -c %T /sys/fs/cgroup'
	assert_lines "$(mounted_hierarchies)
tmpfs"
	without_namespace cgroup
	run_inside 'ls /sys/fs/cgroup | sort; stat -f -c %T /sys/fs/cgroup'
	assert_lines "$(mounted_hierarchies)
tmpfs"
}

@test "a cgroup mount shows the container's own cgroup, with and without a cgroup namespace" {
	local show='for d in /sys/fs/cgroup/*/; do
			[ -e $d/cgroup.procs ] || echo "$d has none"
			[ ! -d $d/'"$CGROUP_PARENT"' ] || echo "$d is the host"
			grep -qx 1 $d/cgroup.procs || echo "$d is not ours"
			[ $(wc -l <$d/cgroup.procs) -le 4 ] || echo "$d has more"
		done'

	run_inside "$show"
	assert_lines ""
	without_namespace cgroup
	run_inside "$show"
	assert_lines ""
}

@test "a cgroup namespace hides the path of the container's cgroup" {
	run_inside 'cut -d: -f3 /proc/self/cgroup | sort -u
		sed -n "s|^.* \([^ ]*\) /sys/fs/cgroup/pids .*|\1|p" \
			/proc/self/mountinfo'
	assert_lines "/
/"
	without_namespace cgroup
	run_inside 'grep :pids: /proc/self/cgroup | cut -d: -f3
		sed -n "s|^.* \([^ ]*\) /sys/fs/cgroup/pids .*|\1|p" \
			/proc/self/mountinfo'
	assert_lines "$(cgroup_of bundle)
$(cgroup_of bundle)"
}

@test "the option ro makes every part of a cgroup mount read-only" {
	local try='for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do
			mkdir $d/new 2>&1 | grep -v Read-only
		done; true'

	run_inside "$try"
	assert_lines ""
	without_namespace cgroup
	run_inside "$try"
	assert_lines ""
}

@test "a container may create cgroups in a cgroup mount without ro" {
	local try='mkdir /sys/fs/cgroup/pids/new && echo made
		mkdir /sys/fs/cgroup/new && echo made
		rmdir /sys/fs/cgroup/pids/new'

	writable
	run_inside "$try"
	assert_lines "made
made"
	without_namespace cgroup
	run_inside "$try"
	assert_lines "made
made"
}

@test "the other options of a cgroup mount apply to every hierarchy" {
	run_inside 'grep " - cgroup" /proc/self/mountinfo | cut -d" " -f6 | sort -u'
	assert_lines ro,nosuid,nodev,noexec,relatime
	without_namespace cgroup
	run_inside 'grep " - cgroup" /proc/self/mountinfo | cut -d" " -f6 | sort -u'
	assert_lines ro,nosuid,nodev,noexec,relatime
}

@test "a container's cgroup mount leaves the host's cgroup mounts unchanged" {
	local before after

	before=$(grep ' - cgroup' /proc/self/mountinfo)
	run_inside true
	after=$(grep ' - cgroup' /proc/self/mountinfo)
	[ "$before" = "$after" ]
}

@test "a container with a user namespace gets a cgroup mount" {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	run_inside 'ls /sys/fs/cgroup | sort; cat /sys/fs/cgroup/pids/cgroup.procs |
		head -n 1; mkdir /sys/fs/cgroup/pids/new 2>&1 || true'
	assert_lines "$(mounted_hierarchies)
1
mkdir: can't create directory '/sys/fs/cgroup/pids/new': Read-only file system"
}
