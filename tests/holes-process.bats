#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-process.bats - what users of other runtimes expect of a process: programs, schedulers, capabilities, texts.

load helpers

# ---- a program that only a capability makes executable ----

# A script that its owner, root, may execute and nobody else.
only_for_root() {
	printf '#!/bin/sh\necho it runs\n' >"$BUNDLE/rootfs/bin/tool"
	chmod 0744 "$BUNDLE/rootfs/bin/tool"
}

# override SET...: these capability sets have CAP_DAC_OVERRIDE, the others nothing.
# shellcheck disable=SC2016 # the dollars are jq's
override() {
	config '.process.user = {uid: 1000, gid: 1000} |
		.process.capabilities = (reduce $ARGS.positional[] as $set ({};
			.[$set] = ["CAP_DAC_OVERRIDE"]))' --args -- "$@"
}

@test "a program that only CAP_DAC_OVERRIDE makes executable runs" {
	requires root
	new_bundle box
	only_for_root
	override bounding effective permitted inheritable ambient
	args /bin/tool
	run_ok sandlock run --bundle "$BUNDLE" box
	[ "$output" = "it runs" ]
	args tool
	run_ok sandlock run --bundle "$BUNDLE" box
	[ "$output" = "it runs" ]
}

@test "exec runs a program that only CAP_DAC_OVERRIDE makes executable" {
	requires root
	new_bundle box
	only_for_root
	override bounding effective permitted inheritable ambient
	args sleep 1000
	start_container box
	run_ok sandlock exec box /bin/tool
	[ "$output" = "it runs" ]
	run_ok sandlock exec box tool
	[ "$output" = "it runs" ]
}

@test "create refuses a program that no effective capability makes executable" {
	requires root
	new_bundle box
	only_for_root
	args /bin/tool
	override bounding
	run_bad 'exec: "/bin/tool": permission denied' create box
	assert_gone box
	override bounding permitted
	run_bad 'exec: "/bin/tool": permission denied' create box
	assert_gone box
}
