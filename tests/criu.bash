# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/criu.bash - a criu that runs on this kernel.

# shellcheck source=tests/engines/packages.bash
. "${BASH_SOURCE[0]%/*}/engines/packages.bash"

CRIU_SUITE=trixie

# find_criu: $CRIU is the host's, or that of a newer Debian suite, which is
# unpacked and run by its own loader. For setup_file.
find_criu() {
	local root

	[ -z "$CRIU" ] || return 0
	if criu check >/dev/null 2>&1; then
		CRIU=$(command -v criu)
	elif root=$(unpacked_suite "$CRIU_SUITE"); then
		CRIU=$BATS_FILE_TMPDIR/bin/criu
		mkdir "${CRIU%/*}"
		write_wrapper "$root" >"$CRIU"
		chmod 0755 "$CRIU"
	else
		CRIU=
	fi
	export CRIU
}

write_wrapper() {
	local loader=("$1"/usr/lib*/ld-linux*.so.*)

	echo '#!/bin/sh'
	echo "exec '${loader[0]}' --library-path '$1/usr/lib/$(uname -m)-linux-gnu' \\"
	echo "	'$1/usr/sbin/criu' \"\$@\""
}

requires_criu() {
	requires root
	[ -n "$CRIU" ] || skip "needs a criu for this kernel"
	"$CRIU" check >/dev/null 2>&1 || skip "needs a criu for this kernel"
}

# show_criu: to the engine of a room, where engines look for programs.
show_criu() {
	[ -n "$ENGINE_SUITE" ] || [ "${CRIU%/*}" != "$BATS_FILE_TMPDIR/bin" ] ||
		room mount --bind "${CRIU%/*}" /usr/local/sbin
}
