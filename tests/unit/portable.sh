#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/portable.sh - the programs use nothing that musl does not have.
#
# `make musl` compiles them with it, and is not part of every run.
cd "$(dirname "$0")/../.." || exit 1

rooms="base oci policy confine cgroups network hooks control runtime"
number=0

# report NAME LINES: lines are failures.
report() {
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

# statx_alone: print each file that uses statx() as the C library declares it.
statx_alone() {
	# shellcheck disable=SC2086 # a list of directories
	grep -rlE '\bstatx\(|struct statx [a-z]+[;,]|STATX_' --include='*.c' \
		$rooms | xargs grep -LF '#include "base/sys.h"'
}

# darwin_files: the sources that macOS compiles, too: those of room.am that are
# not between "if LINUX" and "else" or "endif".
darwin_files() {
	for room in base oci policy confine runtime/cli darwin; do
		sed -e '/^if LINUX/,/^else\|^endif/d' "$room/room.am" |
			sed -n "s|^libdarwin.*||; s|.*%D%/|$room/|; \
				s|^[[:space:]]*\([a-z/-]*/[a-z_]*\.[ch]\).*|\1|p"
	done
}

linux_headers='linux/|asm/|elf\.h|endian\.h|sys/(auxv|epoll|eventfd|fanotify|fsuid|inotify|mount|personality|prctl|signalfd|syscall|sysmacros|timerfd|vfs)\.h'

echo 1..4
report "a file with statx() includes base/sys.h" "$(statx_alone)"
report "no function or type of glibc alone is used" "$(
	# shellcheck disable=SC2086
	grep -rnE '\b(sigabbrev_np|sigdescr_np|strerror(name|desc)_np|__rlimit_resource_t|TEMP_FAILURE_RETRY|error\.h|execinfo\.h)\b' \
		--include='*.[ch]' $rooms
)"
report "macOS compiles sources of these rooms" "$(
	[ "$(darwin_files | wc -l)" -gt 100 ] || darwin_files
)"
report "no source that macOS compiles includes a header of Linux" "$(
	darwin_files | grep -vx oci/linux.h |
		xargs grep -nE "^# *include <($linux_headers)"
)"
