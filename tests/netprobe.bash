# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/netprobe.bash - the program netprobe, for tests of sockets.

# add_probe NAME DIR: compile tests/NAME.c to DIR/NAME. A machine without a
# compiler has it beside the tests.
add_probe() {
	if [ -x "$BATS_TEST_DIRNAME/$1" ]; then
		cp "$BATS_TEST_DIRNAME/$1" "$2/"
		return
	fi
	requires "${CC:-cc}"
	"${CC:-cc}" -static -D_GNU_SOURCE -o "$2/$1" \
		"$BATS_TEST_DIRNAME/$1.c"
}

# add_netprobe [DIR]: $NETPROBE is there, or in $files/bin.
add_netprobe() {
	NETPROBE=$(realpath "${1:-$files/bin}")/netprobe
	add_probe netprobe "$(dirname "$NETPROBE")"
}

# serve PATH [hear]: a socket of the host, until end_server, of the teardown at the latest.
serve() {
	"$NETPROBE" "${2:-serve}" "$1" >"$TMP/served" 2>&1 3>&- &
	echo $! >"$TMP/server.pid"
	wait_until grep -q serving "$TMP/served"
}

end_server() {
	[ ! -e "$TMP/server.pid" ] || kill "$(cat "$TMP/server.pid")" || :
	rm -f "$TMP/server.pid"
}
