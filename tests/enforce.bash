# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/enforce.bash - a bundle with a policy, and what init, exec and hooks say.
#
# jq has dollars of its own, and bats sets output.
# shellcheck disable=SC2016,SC2154

load hooks
load netprobe

DENIED="Permission denied"
READONLY="Read-only file system"
export DENIED READONLY

# The same, with messages about keys that are not enforced.
run_telling() {
	oci --debug run --bundle "$BUNDLE" box
}

# create_telling: what `create` says; the container is deleted.
create_telling() {
	oci --debug create --bundle "$BUNDLE" box >"$TMP/box.out" 2>&1
	cat "$TMP/box.out"
	oci delete --force box
}

# tells TEXT SCRIPT: init, exec and a startContainer hook say all of TEXT, and
# nothing else, when a shell runs SCRIPT.
tells() {
	local text=$1 script="{ $2; } 2>&1 || :" hook

	# The runtime reports the last line of a hook that fails.
	hook="{ printf 'hook: '; $script; } | tr '\\n' '~' >&2; exit 1"
	# All three at once.
	jq -c --arg script "$script" --arg hook "$hook" '
		.process.args = ["sh", "-c", $script] | .,
		(.hooks.startContainer += [{path: "/bin/sh",
			args: ["sh", "-c", $hook]}]),
		(del(.hooks) | .process.args = ["sleep", "1000"])' \
		"$BUNDLE/config.json" >"$TMP/configs"
	use_config 1
	run_ok run_bundle
	assert_told init "$text"
	use_config 2
	run run_bundle
	assert_told hook "$text"
	use_config 3
	create box
	oci start box
	run_ok oci exec box sh -c "$script"
	oci delete --force box
	assert_told exec "$text"
}

use_config() {
	sed -n "$1p" "$TMP/configs" >"$BUNDLE/config.json"
}

assert_told() {
	[ "$1" != hook ] ||
		output=$(sed -n 's/.*hook: \(.*\)~.*/\1/p' <<<"$output" |
			tr '~' '\n')
	[ "$output" = "$2" ] || {
		echo "$1: $output"
		echo "expected: $2"
		return 1
	}
}

# policy_fails TEXT: `run` fails with TEXT and leaves nothing.
policy_fails() {
	args true
	run_fails "$1"
}
