# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/seccomp.bash - profiles for a bundle, and a program to judge.

# Once in a file: the program of seccomp.c, as $CALLS, if it can be built.
build_calls() {
	CALLS=$BATS_FILE_TMPDIR/seccomp
	command -v "${CC:-cc}" >/dev/null || return 0
	"${CC:-cc}" -static -std=gnu11 -D_GNU_SOURCE -O1 -o "$CALLS" \
		"$TESTS/seccomp.c"
	export CALLS
}

# new_calls_bundle: its program makes calls; by default none.
new_calls_bundle() {
	new_bundle web
	cp "$CALLS" "$BUNDLE/rootfs/bin/seccomp"
	args seccomp call
}

# seccomp_profile DEFAULT [RULES [MORE]]: RULES is a JSON array of syscalls.
# shellcheck disable=SC2016 # the dollars are jq's
seccomp_profile() {
	local rules=${2:-'[]'} more=${3:-'{}'}

	config --arg action "SCMP_ACT_$1" --argjson rules "$rules" \
		--argjson more "$more" '.linux.seccomp =
		{defaultAction: $action, syscalls: $rules} + $more'
}

# deny NAME...: everything else is allowed.
deny() {
	seccomp_profile ALLOW "$(jq -cn '[{names: $ARGS.positional,
		action: "SCMP_ACT_ERRNO", errnoRet: 93}]' --args "$@")"
}

# rule NAME ACTION [MORE]: as JSON, for profile.
rule() {
	local more=${3:-'{}'}

	jq -cn --arg name "$1" --arg action "SCMP_ACT_$2" \
		--argjson more "$more" \
		'[{names: [$name], action: $action} + $more]'
}

# calls CALL...: make them inside; what they got is in $output.
calls() {
	args seccomp call "$@"
	run oci run --bundle "$BUNDLE" web
}

# shellcheck disable=SC2154 # bats sets status and output
# assert_calls TEXT CALL...: that is what they get.
assert_calls() {
	local text=$1

	shift
	calls "$@"
	if [ "$output" != "$text" ] || [ "$status" -ne 0 ]; then
		echo "expected \"$text\" from: $*"
		echo "status $status: $output"
		return 1
	fi
}

# Every name the headers know, but those given, as a JSON array.
all_calls_but() {
	printf '#include <sys/syscall.h>\n' | "${CC:-cc}" -E -dM - |
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/\1/p' |
		jq -cRn '[inputs] - $ARGS.positional' --args "$@"
}
