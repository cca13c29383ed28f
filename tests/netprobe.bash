# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/netprobe.bash - the program netprobe, for tests of sockets.

# add_netprobe [DIR]: into $files/bin. A machine without a compiler has it beside
# the tests.
add_netprobe() {
	local to=${1:-$files/bin}/netprobe

	if [ -x "$BATS_TEST_DIRNAME/netprobe" ]; then
		cp "$BATS_TEST_DIRNAME/netprobe" "$to"
		return
	fi
	requires "${CC:-cc}"
	"${CC:-cc}" -static -D_GNU_SOURCE -o "$to" "$BATS_TEST_DIRNAME/netprobe.c"
}
