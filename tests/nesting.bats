#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/nesting.bats - cgroups made inside, deeper than descriptors reach.

load helpers

# nest DIR COUNT: that many directories, one in the other.
nest() (
	cd "$1" || exit
	for ((i = 0; i < $2; i++)); do
		mkdir d && cd d || exit
	done
)

@test "delete --force removes cgroups nested deeper than descriptors reach" {
	requires root
	start_sleeping box
	nest "$(cgroup_dirs "$(cgroup_of box)" | grep -v memory | head -n 1)" 300
	(
		ulimit -Sn 200
		run_ok oci delete --force box
	)
	assert_gone box
}
