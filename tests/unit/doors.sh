#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/doors.sh - who may include whom, and what lives in few files only.

# room: rooms whose headers it may name
rooms='
base: base
oci: oci base
policy: policy oci base
confine: confine policy oci base
cgroups: cgroups oci base
network: network policy oci base
cow: cow base
hooks: hooks oci base
runtime: runtime hooks cow network cgroups confine policy oci base
systemd: none
'

# header of an external library: the one file that may include it
libraries='
yajl/: oci/json.c
seccomp.h: confine/seccomp.c
systemd/: systemd/helper.c
sys/capability.h: none
'

n=0
cd "${srcdir:-.}" || exit 1

# report NAME FOUND: one line of TAP; FOUND is what should not be there.
report() {
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$2" | while read -r line; do echo "# $line"; done
	fi
}

check_room() {
	room=$1
	shift
	allowed=$(echo "$*" | tr ' ' '|')
	report "$room includes only: $*" "$(
		find "$room" -name '*.[ch]' -exec grep -Hn '^# *include "' {} + |
			grep -Ev "\"(($allowed)/[^\"]*|config.h)\""
	)"
}

check_library() {
	report "<$1> is included by $2 only" "$(
		grep -rn "^# *include <$1" --include='*.[ch]' \
			base oci policy confine cgroups network cow hooks \
			runtime systemd 2>/dev/null | grep -v "^$2:"
	)"
}

# Whoever sets the clock would shorten or lengthen a wait that is by it.
check_clock() {
	report "the wall clock is for dates only, in: $*" "$(
		grep -rnE 'CLOCK_REALTIME|TFD_TIMER_CANCEL|gettimeofday *\(|[^a-z_]time\((NULL|0|&)' \
			--include='*.c' base oci policy confine cgroups network \
			hooks runtime systemd |
			grep -Ev "^($(echo "$*" | tr ' ' '|')):"
	)"
}

while IFS=: read -r room allowed; do
	# shellcheck disable=SC2086 # a list of words
	[ ! -d "$room" ] || check_room "$room" $allowed
done <<EOF
$rooms
EOF
while IFS=': ' read -r header file; do
	[ -z "$header" ] || check_library "$header" "$file"
done <<EOF
$libraries
EOF
check_clock base/log.c runtime/container/create.c
echo "1..$n"
