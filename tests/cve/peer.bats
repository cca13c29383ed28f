#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/peer.bats - bugs that similar sandboxes have had; README.md has
# the list, and which of them have no counterpart here.
# shellcheck disable=SC2016,SC2030,SC2031 # the dollars are jq's; run
load ../helpers

setup_file() {
	local name

	command -v "${CC:-cc}" >/dev/null || return 0
	for name in cve/flip cve/sockets inject; do
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -static -pthread \
			-o "$BATS_FILE_TMPDIR/${name##*/}" "$TESTS/$name.c"
	done
}

setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	new_bundle box
}

# has_landlock: skip unless a whole policy can be enforced.
has_landlock() {
	annotate_policy filesystem.read=/
	run oci run --bundle "$BUNDLE" box
	[ "$status" -eq 0 ] || skip "needs version 5 of Landlock"
}

@test "a sandbox cannot open a denied path by swapping it with an allowed one" {
	has_landlock
	cp "$BATS_FILE_TMPDIR/flip" "$BUNDLE/rootfs/bin/"
	mkdir "$BUNDLE/rootfs/data"
	echo public >"$BUNDLE/rootfs/data/public"
	echo secret >"$BUNDLE/rootfs/data/secret"
	config '.process.capabilities[] += ["CAP_DAC_READ_SEARCH"]'
	args flip /tmp/name /data/public /data/secret 20000
	annotate_policy filesystem.read=/ filesystem.write=/tmp \
		filesystem.deny=/data/secret
	run_ok oci run --bundle "$BUNDLE" box
	assert_lines "read often"
	annotate_policy filesystem.read=/ filesystem.write=/tmp
	run_ok oci run --bundle "$BUNDLE" box
	assert_lines $'read often\nsecret'
}

# only REGEX: every line of the output begins like that.
only() {
	run grep -vE "^$1" <<<"$output"
	[ "$status" -eq 1 ] || {
		echo "not expected: $output"
		return 1
	}
}

# Every call that sends needs a socket that was opened before.
@test "a container can open only the sockets that its policy allows (issues 97, 130 and 154 of a peer)" {
	cp "$BATS_FILE_TMPDIR/sockets" "$BUNDLE/rootfs/bin/"
	config '.process.capabilities[] += ["CAP_NET_RAW", "CAP_NET_ADMIN"]'
	args sockets
	annotate_policy network.mode=deny
	run_ok oci run --bundle "$BUNDLE" box
	[ "$(grep -v high <<<"$output")" = "1 1 0
1 1 1
1 2 0
1 2 1
1 5 0
1 5 1
16 2 0
16 3 0
io_uring_setup EPERM" ]
	annotate_policy network.mode=deny syscalls.extra_allow=raw_sockets
	run_ok oci run --bundle "$BUNDLE" box
	only '(1|16|io_uring_setup) '
}

@test "MPTCP is not allowed as TCP, and an open network allows no raw sockets" {
	cp "$BATS_FILE_TMPDIR/sockets" "$BUNDLE/rootfs/bin/"
	config '.process.capabilities[] += ["CAP_NET_RAW", "CAP_NET_ADMIN"]'
	args sockets
	annotate_policy network.mode=open
	run_ok oci run --bundle "$BUNDLE" box
	grep -qx "2 1 6" <<<"$output"
	grep -qx "2 1 6 high" <<<"$output"
	only '((1|16) |(2|10) 1 [06]( |$)|(2|10) 2 (0|17)( |$)|io_)'
	config 'del(.annotations)'
	run_ok oci run --bundle "$BUNDLE" box
	grep -qx "2 3 255" <<<"$output"
}

@test "a path that is both allowed and denied is denied (issue 82 of a peer)" {
	config '.process.capabilities[] += ["CAP_SYS_ADMIN"]'
	args mount -t tmpfs tmpfs /tmp
	annotate_policy syscalls.extra_allow=mount
	run_ok oci run --bundle "$BUNDLE" box
	annotate_policy syscalls.extra_allow=mount syscalls.extra_deny=mount
	run_bad "permission denied" oci run --bundle "$BUNDLE" box
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
		{names: ["mount"], action: "SCMP_ACT_ALLOW"},
		{names: ["mount"], action: "SCMP_ACT_ERRNO"}]}'
	annotate_policy syscalls.extra_allow=mount
	run oci run --bundle "$BUNDLE" box
	[ "$status" -ne 0 ]
}

# die_at N: create a container whose process dies at its N-th system call.
die_at() {
	run timeout -k 1 20 "$BATS_FILE_TMPDIR/inject" child "$1" "$SANDLOCK_OCI" \
		--root "$ROOT" create --bundle "$BUNDLE" \
		--pid-file "$TMP/box.pid" box </dev/null 3>&-
}

@test "a failed setup is never reported as success (issue 31 of a peer)" {
	local n

	args sleep 1000
	for n in 1 5 20 50 90; do
		die_at $n
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -ge 1 ]
		[ ! -e "$TMP/box.pid" ]
		assert_gone box
	done
	create box
	assert_status box created
	kill -0 "$(cat "$TMP/box.pid")"
}

@test "a failed create or exec does not make the next one fail (issue 212 of a peer)" {
	args sleep 1000
	config '.hooks.createRuntime = [{path: "/bin/false"}]'
	run_bad "createRuntime" create box
	config 'del(.hooks)'
	add_mount /x no-such-type none
	run_bad "no-such-type" create box
	config 'del(.mounts[-1])'
	run_ok start_container box
	run oci exec --cwd /none/at/all box true
	[ "$status" -ne 0 ]
	run_ok oci exec box true
}
