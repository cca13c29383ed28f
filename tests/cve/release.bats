#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/release.bats - only patches disable defences, and all patches apply.
load ../helpers

@test "the release has no defence that an environment variable turns off" {
	requires strings
	strings -a "$SANDLOCK_OCI" >"$TMP/strings"
	run grep -F SANDLOCK_BROKEN "$TMP/strings"
	assert_lines ""
}

@test "every patch that removes a defence applies, and names existing tests" {
	local sources=${TESTS%/*} patch file expression

	[ -d "$sources/runtime" ] || skip "needs sources"
	requires patch
	for patch in "$BATS_TEST_DIRNAME"/mutants/*.patch; do
		read -r _ file expression < <(grep -m 1 '^Test: ' "$patch")
		sed -n 's/^@test "\(.*\)" {$/\1/p' "$BATS_TEST_DIRNAME/$file" |
			grep -qE "$expression" || echo "$patch: no such test"
		patch -d "$sources" -p1 --fuzz=0 --force --dry-run <"$patch" \
			>"$TMP/said" || echo "$patch does not apply"
	done >"$TMP/wrong"
	run cat "$TMP/wrong"
	assert_lines ""
}
