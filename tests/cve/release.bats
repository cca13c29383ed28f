#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/release.bats - what is installed has nothing that can be taken out.
load ../helpers

LIST=$BATS_TEST_DIRNAME/mutants.list

@test "the release has no defence that a variable takes out" {
	requires strings
	strings -a "$SANDLOCK" >"$TMP/strings"
	run grep -F SANDLOCK_BROKEN "$TMP/strings"
	assert_lines ""
	run grep -xF -f <(sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p' "$LIST") \
		"$TMP/strings"
	assert_lines ""
}

@test "every defence of the sources is on the list, and nothing else" {
	local sources=${TESTS%/*}

	[ -d "$sources/runtime" ] || skip "needs sources"
	diff <(sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p' "$LIST" | sort -u) \
		<(grep -hoE 'broken(_late)?\("[a-z0-9-]+"' "$sources"/*/*.c |
			cut -d '"' -f 2 | sort -u)
}
