#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/policy.bats - known ways around a list of system calls.
# shellcheck disable=SC2016,SC2030,SC2031 # the dollars are jq's; run
load ../helpers
load ../seccomp

setup_file() {
	build_calls
	command -v "${CC:-cc}" >/dev/null || return 0
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -static \
		-o "$BATS_FILE_TMPDIR/typist" "$BATS_TEST_DIRNAME/typist.c"
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	new_calls_bundle
}

# The terminal is its own, and the kernel would let it.
@test "CVE-2019-10063, CVE-2023-28100: the filter compares the low word of an ioctl request" {
	requires python3
	cp "$BATS_FILE_TMPDIR/typist" "$BUNDLE/rootfs/bin/"
	config '.process.terminal = true |
		.process.capabilities[] += ["CAP_SYS_ADMIN"]'
	args typist
	run oci_on_pty 24x80 -- run --bundle "$BUNDLE" web
	[ "$(grep -c "type OK" <<<"$output")" -eq 2 ]
	annotate_policy config.supervisor=false
	run oci_on_pty 24x80 -- run --bundle "$BUNDLE" web
	[ "$(grep -cE "(type|paste) EPERM" <<<"$output")" -eq 4 ]
}

# Numbers from 424 on are those of every architecture.
@test "CVE-2021-41133: the newer calls for mount and clone are denied as the old ones" {
	local call

	config '.process.capabilities[] += ["CAP_SYS_ADMIN"]'
	annotate_policy config.supervisor=false
	for call in 428 429 430 431 432 433 442 467; do
		assert_calls "$call EPERM" "$call"
	done
	assert_calls "435 ENOSYS" 435,0,0
	annotate_policy
	assert_calls "435 EINVAL" 435,0,0
}

@test "CVE-2024-42318: a process cannot change the keyring of its parent" {
	assert_calls "keyctl ok" keyctl,0,-3,0
	annotate_policy config.supervisor=false
	assert_calls "keyctl EPERM" keyctl,0,-3,0
	assert_calls "keyctl EPERM" keyctl,18
}
