#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/selinux.bats - labels, on a kernel that has SELinux.
#
# The labels are those of tests/vm/selinux.

load helpers

setup() {
	sandlock_setup
	requires root selinux
	new_bundle box
}

@test "process.selinuxLabel is the label of the program and of the program of exec" {
	config '.process.selinuxLabel = "test:test:two"'
	run_inside 'cat /proc/self/attr/current'
	[ "$output" = test:test:two ]
	args sleep 1000
	start_container box
	run_ok oci exec box cat /proc/self/attr/current
	[ "$output" = test:test:two ]
	run_ok oci exec --process-label test:test:one box \
		cat /proc/self/attr/current
	[ "$output" = test:test:one ]
}

@test "linux.mountLabel is the label of the file systems made for a container" {
	config '.linux.mountLabel = "test:test:two"'
	run_inside 'grep " /dev " /proc/mounts; grep " /proc " /proc/mounts'
	[[ ${lines[0]} = *context=test:test:two* ]]
	[[ ${lines[1]} != *context=* ]]
}

@test "create refuses a label that SELinux's policy does not know" {
	config '.process.selinuxLabel = "test:test:three"'
	create_fails "process.selinuxLabel"
	config '.process.selinuxLabel = "" | .linux.mountLabel = "test:test:three"'
	create_fails "mount"
}
