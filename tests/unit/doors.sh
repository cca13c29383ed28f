#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/doors.sh - who may include whom, and what lives in few files only.

# room: rooms whose headers it may name, beside its own, oci and base; HACKING.md
# draws them. A room that is not listed here fails the test.
rooms='
base:
oci:
policy:
confine: policy
cgroups:
network: policy
hooks:
systemd:
runtime/enforce: policy confine
runtime/plan: runtime/enforce policy confine cgroups
runtime/child: runtime/plan confine network
runtime/launch: runtime/child runtime/plan runtime/enforce confine network hooks
runtime/container: runtime/launch runtime/plan runtime/enforce policy confine cgroups hooks
runtime/checkpoint: runtime/container runtime/launch runtime/plan runtime/enforce confine cgroups
runtime/sandbox: runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups
runtime/diagnose: runtime/sandbox runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups runtime/cli
runtime/cli:
runtime/sandlock: runtime/diagnose runtime/sandbox runtime/container runtime/launch runtime/enforce policy confine cgroups runtime/cli
runtime/sandlock-oci: runtime/checkpoint runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups network hooks runtime/cli
'

# header of an external library: the one file that may include it
libraries='
yajl/: oci/json.c
seccomp.h: confine/seccomp.c
systemd/: systemd/helper.c
sys/capability.h: confine/caps.c
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

# check_room ROOM MAY...: the include lines of its files, not of rooms below it.
check_room() {
	room=$1
	shift
	case $room in
	base) set -- base ;;
	systemd) set -- none ;;
	*) set -- "$room" "$@" oci base ;;
	esac
	report "$room includes only: $*" "$(
		find "$room" -maxdepth 1 -name '*.[ch]' \
			-exec grep -Hn '^# *include "' {} + |
			grep -Ev "\"(($(echo "$*" | tr ' ' '|'))/[^/\"]*|config.h)\""
	)"
}

# A folder with C files is a room of the table above.
check_listed() {
	report "every folder with sources is a room" "$(
		find base oci policy confine cgroups network cow hooks runtime \
			systemd -name '*.[ch]' 2>/dev/null |
			sed 's|/[^/]*$||' | sort -u |
			while read -r room; do
				echo "$rooms" | grep -q "^$room:" || echo "$room"
			done
	)"
}

# A room of runtime/ that is larger wants to be two.
check_size() {
	report "no room of runtime/ has more than 26 files" "$(
		for room in runtime/*/; do
			size=$(find "$room" -name '*.[ch]' | wc -l)
			[ "$size" -le 26 ] || echo "$room has $size"
		done
	)"
}

# Names that said too little, or something else, and were replaced.
check_names() {
	report "no old name is back: $*" "$(
		grep -rnE "\\b($(echo "$*" | tr ' ' '|'))" --include='*.[ch]' \
			base oci policy confine cgroups network hooks runtime \
			systemd
		find base oci policy confine cgroups network hooks runtime \
			systemd -name '*.[ch]' |
			grep -E "/($(echo "$*" | tr ' ' '|'))[a-z_]*\.[ch]$"
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

# What create decided is read, not decided again.
check_exec() {
	report "exec parses no policy and makes no enforcement" "$(
		grep -nE 'policy_(from|check|layer|env_rules)|profile_(load|find)|policy/|enforce_(create|make|spec)|confine_blocklist' \
			runtime/container/enter.[ch] runtime/sandlock-oci/exec*.[ch] \
			runtime/enforce/saved.[ch]
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
check_listed
check_size
check_exec
check_names 'policed' 'met_' 'bare_' 'trial' 'front_' 'blame' 'why_' 'doctor' \
	'mounted_' 'sentence_' 'joins[_ ;,.-]' 'sources_' 'entry_' 'reserve_' 'self_protect' \
	'agent_send' 'notify_open' 'deleting' 'starting_' 'killing_' 'creation_' \
	'restored_' 'annotated_check' 'holder_' 'policies_' 'outside_' 'words\.h"' \
	'POLICY_READ\b' 'POLICY_NAMESPACES' 'globals' 'broken\(' 'whole\.c' \
	'sandbox_state' 'sandlock_state'
echo "1..$n"
