#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/attacks.bats - ways around a policy: all of them work outside, none
# inside.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root gcc python3
	mkdir "$TMP/dir"
	chmod 0777 "$TMP/dir"
	echo text >"$TMP/dir/open"
	gcc -D_GNU_SOURCE -static -O1 -o "$TMP/attacks" \
		"$BATS_TEST_DIRNAME/attacks.c"
	listen_abstract
}

teardown() {
	[ -z "$LISTENER" ] || kill "$LISTENER"
	sandlock_teardown
}

# Someone outside whom nobody inside should reach.
listen_abstract() {
	python3 -c '
import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind("\0sandlock-attack")
s.listen()
open(sys.argv[1], "w").close()
while True:
    s.accept()' "$TMP/listens" 3>&- &
	LISTENER=$!
	wait_until test -e "$TMP/listens"
}

# names of all attacks that came to this end.
ended() {
	sed -n "s/ $1\$//p" <<<"$output"
}

# assert_refused DIRECTORY: nothing was done to it, and no attack is missing.
assert_refused() {
	[ -z "$(ended "done")" ] || {
		echo "done: $(ended "done" | xargs)"
		return 1
	}
	[ "$(wc -l <<<"$output")" -eq "$(grep -o 'ATTACK([a-z_0-9]*)' \
		"$BATS_TEST_DIRNAME/attacks.c" | grep -vc '(name)')" ]
	[ "$(cat "$1/open")" = text ]
	[ "$(stat -c %a "$1/open")" = 644 ]
	[ ! -e "$1/made" ]
}

# What the machine itself does not have is refused to all.
@test "outside all of them work" {
	run_ok "$TMP/attacks" "$TMP/dir"
	run ! grep -Ev ' done$|^(vsock|packets|set_flags|other_abi|bpf) E' \
		<<<"$output"
}

@test "none works in a sandbox of root" {
	run_ok box -r /usr -r "$TMP" -- \
		"$TMP/attacks" "$TMP/dir"
	assert_refused "$TMP/dir"
}

# The file belongs to the user, so that it is the policy that refuses.
@test "none works in a sandbox of a user" {
	requires userns
	new_user
	cp -r "$TMP/attacks" "$TMP/dir" "$USER_HOME/"
	chown -R "$USER_ID" "$USER_HOME/dir"
	run_ok user_box -r /usr -r . -- ./attacks dir
	assert_refused "$USER_HOME/dir"
}

@test "none works in a bundle with a policy" {
	new_bundle
	cp -r "$TMP/attacks" "$TMP/dir" "$BUNDLE/rootfs/"
	args /attacks /dir
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.network.mode": "deny"}'
	run_ok sandlock run --bundle "$BUNDLE" box
	assert_refused "$BUNDLE/rootfs/dir"
}
