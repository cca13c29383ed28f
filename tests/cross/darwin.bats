#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cross/darwin.bats - both programs are built and linked for both kinds of
# Mac, and expect nothing of the system that is not on a list.

bats_require_minimum_version 1.5.0

CROSS=$BATS_TEST_DIRNAME
BUILT=${top_builddir:-.}/build-darwin
TARGETS="aarch64-macos x86_64-macos"

setup_file() {
	export PYTHONDONTWRITEBYTECODE=1 status_of_build=0

	"$CROSS/darwin" "$BUILT" >"$BATS_FILE_TMPDIR/log" 2>&1 ||
		status_of_build=$?
}

setup() {
	[ "$status_of_build" -ne 77 ] ||
		skip "needs zig: there is no source of packages"
}

# each COMMAND...: for every program, as the last word.
each() {
	local target program

	for target in $TARGETS; do
		for program in sandlock sandlock-oci; do
			"$@" "$BUILT/$target/$program" || return
		done
	done
}

@test "darwin: both programs are built for both kinds of Mac, without a warning" {
	[ "$status_of_build" -eq 0 ] || tail -n 40 "$BATS_FILE_TMPDIR/log"
	[ "$status_of_build" -eq 0 ]
	run ! grep -E 'warning: ' "$BATS_FILE_TMPDIR/log"
	each test -x
}

@test "darwin: the programs are for macOS, and for the processor they are named after" {
	run -0 file -b "$BUILT"/aarch64-macos/sandlock{,-oci}
	[ "$(grep -c '^Mach-O 64-bit arm64 executable' <<<"$output")" -eq 2 ]
	run -0 file -b "$BUILT"/x86_64-macos/sandlock{,-oci}
	[ "$(grep -c '^Mach-O 64-bit x86_64 executable' <<<"$output")" -eq 2 ]
}

@test "darwin: the programs need only the listed libraries and symbols" {
	each python3 "$CROSS/macho.py" | sed 's/\$.*//' | sort -u \
		>"$BATS_TEST_TMPDIR/needed"
	grep -v '^#' "$CROSS/darwin-symbols.allow" | sort -u \
		>"$BATS_TEST_TMPDIR/allowed"
	grep -qx _sandbox_init "$BATS_TEST_TMPDIR/needed"
	run -0 comm -13 "$BATS_TEST_TMPDIR/allowed" "$BATS_TEST_TMPDIR/needed"
	[ -z "$output" ]
}
