#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The systemd driver: a container is a unit, and its limits are properties.

load helpers

@test "--systemd-cgroup refuses a cgroupsPath of another form" {
	requires root
	new_bundle
	config '.linux.cgroupsPath = "/a/b"'
	run_bad "linux.cgroupsPath: '/a/b' is not slice:prefix:name" \
		"$SANDLOCK" --root "$ROOT" --systemd-cgroup create \
		--bundle "$BUNDLE" web1
	assert_gone web1
	config '.linux.cgroupsPath = "a:b:c"'
	run_bad "linux.cgroupsPath: 'a' is not a slice" \
		"$SANDLOCK" --root "$ROOT" --systemd-cgroup create \
		--bundle "$BUNDLE" web1
	assert_gone web1
}
