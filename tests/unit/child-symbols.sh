#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/child-symbols.sh - what the code between clone and exec may call.
#
# The objects that run in the child are joined; what the sum still needs from
# elsewhere must be on the list beside this file: nothing that allocates,
# formats or locks.
list=${srcdir:-.}/tests/unit/child-symbols.allow
cd "${top_builddir:-.}" || exit 1
sum=$(mktemp) || exit 1
trap 'rm -f "$sum"' EXIT

echo 1..1
if ! "${LD:-ld}" -r -o "$sum" runtime/child/*.o base/elf.o base/mountinfo.o base/root.o \
	base/proc.o confine/landlock_child.o network/loopback.o; then
	echo "not ok 1 - the child's objects can be joined"
	exit 0
fi

# A fortified call is still that call; calls of sanitizers and of gcov do not
# count.
unlisted=$(nm -u "$sum" | awk '{ print $2 }' |
	sed -E '/^__(asan|ubsan|gcov|sanitizer)_/d; /^_GLOBAL_OFFSET_TABLE_$/d
		s/^__(.*)_chk$/\1/; s/^__(open|openat)_2$/\1/' |
	LC_ALL=C sort -u |
	grep -vxF -f "$list")
if [ -z "$unlisted" ]; then
	echo "ok 1 - the child calls only what is on the list"
else
	echo "not ok 1 - the child calls only what is on the list"
	for symbol in $unlisted; do
		echo "# $symbol"
	done
fi
