# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/limits.bash - the kernel's files of limits, whatever the cgroup layout.

# v1_mount CONTROLLER: where its v1 hierarchy is; nothing when it is on v2.
v1_mount() {
	awk -v word="$1" '$3 == "cgroup" && index("," $4 ",", "," word ",") {
		print $2
		exit
	}' /proc/mounts
}

v2_mount() {
	awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts
}

on_v1() {
	[ -n "$(v1_mount "$1")" ]
}

# has_controller NAME: v2's "io" is v1's "blkio".
has_controller() {
	local v2=$1

	[ "$1" != blkio ] || v2=io
	on_v1 "$1" ||
		grep -qw "$v2" "$(v2_mount)/cgroup.controllers" 2>/dev/null
}

# requires_controller NAME...
requires_controller() {
	local name

	for name; do
		has_controller "$name" || skip "needs the $name controller"
	done
}

# path_of V1-FILE V2-FILE: of box, in the hierarchy that has the controller.
path_of() {
	local mount

	mount=$(v1_mount "${1%%.*}")
	if [ -n "$mount" ]; then
		echo "$mount$(cgroup_of box)/$1"
	else
		echo "$(v2_mount)$(cgroup_of box)/${2:-$1}"
	fi
}

# limit_is V1-FILE VALUE V2-FILE VALUE: what the kernel has of box. Without the
# last two, both versions are the same.
limit_is() {
	local file want=$2 has

	file=$(path_of "$1" "${3:-$1}")
	[ -n "$(v1_mount "${1%%.*}")" ] || want=${4:-$2}
	has=$(cat "$file")
	if [ "$has" != "$want" ]; then
		echo "$file is '$has', not '$want'"
		return 1
	fi
}

# shellcheck disable=SC2016 # the dollar is jq's
# A new container box with these linux.resources, sleeping.
box_with() {
	[ -n "$BUNDLE" ] || new_bundle box
	config --argjson r "$1" \
		'.linux.resources = $r | .process.args = ["sleep", "1000"]'
	start_container box
}

no_box() {
	oci delete --force box
}

# Block device numbers of a whole disk, "254:0".
some_disk() {
	local dir

	for dir in /sys/block/*; do
		[ ! -e "$dir/device" ] || {
			cat "$dir/dev"
			return
		}
	done
	skip "needs a disk"
}
