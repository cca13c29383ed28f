#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/apparmor.bats - process.apparmorProfile, on a kernel that has AppArmor.

load helpers

@test "create names an AppArmor profile that is not loaded" {
	requires root apparmor
	new_bundle box
	config '.process.apparmorProfile = "sandlock-no-such-profile"'
	run_bad "process.apparmorProfile: " run_bundle
	assert_gone box
}

# load_profile: "sandlock-test" may do anything but read /secret.
load_test_profile() {
	echo 'profile sandlock-test flags=(attach_disconnected) {
		file,
		capability,
		signal,
		network,
		deny /secret r,
	}' | apparmor_parser --replace --skip-cache
}

@test "an AppArmor profile confines the program of a container and the program of exec" {
	requires root apparmor apparmor_parser
	load_test_profile
	new_bundle box
	echo hidden >"$BUNDLE/rootfs/secret"
	config '.process.apparmorProfile = "sandlock-test"'
	args sh -c 'cat /proc/self/attr/current; cat /secret; echo status $?'
	run_ok run_bundle
	assert_output_has "sandlock-test (enforce)"
	assert_output_has "status 1"
	[[ $output != *hidden* ]]
	config 'del(.process.apparmorProfile)'
	run_ok run_bundle
	assert_output_has hidden
	args sleep 1000
	start_container box
	run_ok oci exec --apparmor sandlock-test box \
		cat /proc/self/attr/current
	[ "$output" = "sandlock-test (enforce)" ]
}
