#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/doors.sh - which room may include which, and other rules for files.

# room: rooms whose headers it may name, beside its own, oci and base; HACKING.md
# draws them. A room that is not listed here fails the test.
rooms='
base:
oci:
policy:
confine: policy
cgroups:
network: policy hooks
hooks:
control:
cow:
systemd:
resolve:
runtime/enforce: policy confine
runtime/plan: runtime/enforce policy confine cgroups
runtime/child: runtime/plan confine network
runtime/launch: runtime/child runtime/plan runtime/enforce confine network hooks
runtime/container: control runtime/launch runtime/plan runtime/enforce policy confine cgroups network hooks
runtime/supervisor: runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups network control
runtime/checkpoint: runtime/container runtime/launch runtime/plan runtime/enforce confine cgroups
runtime/sandbox: cow runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups
runtime/denials: control runtime/sandbox runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups runtime/cli
runtime/diagnose: control runtime/denials runtime/sandbox runtime/container runtime/launch runtime/plan runtime/enforce policy confine cgroups runtime/cli
runtime/cli:
runtime/sandlock: cow control runtime/supervisor runtime/diagnose runtime/denials runtime/sandbox runtime/container runtime/launch runtime/enforce policy confine runtime/cli
runtime/sandlock-oci: runtime/supervisor runtime/diagnose runtime/checkpoint runtime/container runtime/launch runtime/enforce policy confine cgroups network runtime/cli
darwin: runtime/sandlock runtime/diagnose runtime/sandbox runtime/container policy confine runtime/cli
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
		printf 'ok %d - %s\n' "$n" "$1"
	else
		printf 'not ok %d - %s\n%s\n' "$n" "$1" "$2" |
			sed '2,$s/^/# /'
	fi
}

# any_of PATTERN...: as one pattern; echo of dash would replace \b.
any_of() {
	printf '%s' "$*" | tr ' ' '|'
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
			grep -Ev "\"(($(any_of "$@"))/[^/\"]*|config.h)\""
	)"
}

# A folder with C files is a room of the table above.
check_listed() {
	report "every folder with sources is a room" "$(
		find base oci policy confine cgroups network cow hooks control runtime \
			darwin systemd -name '*.[ch]' 2>/dev/null |
			sed 's|/[^/]*$||' | sort -u |
			while read -r room; do
				echo "$rooms" | grep -q "^$room:" || echo "$room"
			done
	)"
}

# A larger room of runtime/ has two subjects; a smaller one is part of another.
check_size() {
	report "every room of runtime/ has 10 to 26 files" "$(
		for room in runtime/*/; do
			size=$(find "$room" -name '*.[ch]' | wc -l)
			{ [ "$size" -ge 10 ] && [ "$size" -le 26 ]; } ||
				echo "$room has $size"
		done
	)"
}

# Names that said too little, or something else, and were replaced.
check_names() {
	report "no old name is back: $*" "$(
		grep -rnE "\\b($(any_of "$@"))" --include='*.[ch]' \
			base oci policy confine cgroups network cow hooks control runtime \
			darwin systemd
		find base oci policy confine cgroups network cow hooks control runtime \
			darwin systemd -name '*.[ch]' |
			grep -E "/($(any_of "$@"))[a-z_]*\.[ch]$"
	)"
}

# check_files NAME...: the same for whole names of files, in any room.
check_files() {
	report "no file has an old name: $*" "$(
		find base oci policy confine cgroups network cow hooks control runtime \
			darwin systemd fails -name '*.[ch]' 2>/dev/null |
			sed 's|^|/|' |
			grep -E "/($(any_of "$@"))\.[ch]$" |
			grep -v '^/runtime/launch/child_error\.[ch]$'
	)"
}

check_library() {
	report "<$1> is included by $2 only" "$(
		grep -rn "^# *include <$1" --include='*.[ch]' \
			base oci policy confine cgroups network cow hooks control \
			runtime darwin systemd 2>/dev/null | grep -v "^$2:"
	)"
}

# If a wait used the wall clock, setting the clock would change its length.
check_clock() {
	report "the wall clock is for dates only, in: $*" "$(
		grep -rnE 'CLOCK_REALTIME|TFD_TIMER_CANCEL|gettimeofday *\(|[^a-z_]time\((NULL|0|&)' \
			--include='*.c' base oci policy confine cgroups network \
			cow hooks runtime darwin systemd |
			grep -Ev "^($(any_of "$@")):"
	)"
}

# exec reads what create has decided, and decides nothing again.
check_exec() {
	report "exec parses no policy and makes no enforcement" "$(
		grep -nE 'policy_(from|check|layer|env_rules)|profile_(load|find)|policy/|enforce_(create|make|spec)|confine_blocklist' \
			runtime/container/enter.[ch] runtime/sandlock-oci/exec*.[ch] \
			runtime/enforce/saved.[ch]
		grep -n enforce_load_policy \
			runtime/container/enter.[ch] runtime/sandlock-oci/exec*.[ch]
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
check_clock base/log.c cow/branch_meta.c cow/report.c runtime/container/create.c runtime/denials/denials.c
check_listed
check_size
check_exec
check_names 'policed' 'met_' 'bare_' 'trial' 'front_' 'blame' 'why_' 'doctor' \
	'mounted_' 'sentence_' 'joins[_ ;,.-]' 'sources_' 'entry_' 'reserve_' 'self_protect' \
	'agent_send' 'notify_open' 'deleting' 'starting_' 'killing_' 'creation_' \
	'restored_' 'annotated_check' 'holder_' 'policies_' 'outside_' 'words\.h"' \
	'POLICY_READ\b' 'POLICY_NAMESPACES' 'globals' 'broken\(' 'whole\.c' \
	'sandbox_state' 'sandlock_state' 'in_front\b' 'met\b' 'policy_text\b' \
	'struct.trace.\*?why\b' 'struct.enter.\*?entry\b'
check_files met bare why front mounted sentence reserve self agent notify joins \
	words trial blame doctor entry sources restored deleting killing \
	starting creation unknown whole policy/text outside sandbox_state \
	sandlock_state profiles 'cmd_.*' 'child_.*'
echo "1..$n"
