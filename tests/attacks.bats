#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/attacks.bats - ways around a policy: all of them work outside, none
# inside.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root setfattr
	VICTIM=
	LISTENER=
	add_attacks
	furnish "$TMP"
	listen_abstract
}

teardown() {
	[ -z "$LISTENER" ] || kill "$LISTENER"
	[ -z "$VICTIM" ] || end_victim
	sandlock_teardown
}

# A machine without a compiler has it beside the tests.
add_attacks() {
	if [ -x "$BATS_TEST_DIRNAME/attacks" ]; then
		cp "$BATS_TEST_DIRNAME/attacks" "$TMP/attacks"
		return
	fi
	requires gcc
	gcc -D_GNU_SOURCE -static -O1 -o "$TMP/attacks" \
		"$BATS_TEST_DIRNAME"/attacks{,_outside}.c
}

# furnish FOLDER: what may be read there, and what may not.
furnish() {
	mkdir "$1/dir" "$1/closed"
	chmod 0777 "$1/dir"
	echo text | tee "$1/dir/open" "$1/dir/twin" >"$1/dir/spare"
	setfattr -n user.kept -v x "$1/dir/open"
	echo sandlock-canary >"$1/closed/secret"
	ln -s nowhere "$1/closed/secret.link"
}

# victim FOLDER [COMMAND...]: start a process that has the secret of FOLDER.
victim() {
	local folder=$1

	shift
	CANARY=sandlock-canary setsid "$@" "$TMP/attacks" victim \
		"$folder/closed/secret" "$folder/ready" sandlock-canary 3>&- &
	VICTIM=$!
	wait_until test -e "$folder/ready"
}

end_victim() {
	kill "$VICTIM"
	wait_until gone "$VICTIM"
}

gone() {
	! kill -0 "$1" 2>/dev/null
}

# user_victim: the user of new_user, with all of it in its home.
user_victim() {
	cp "$TMP/attacks" "$USER_HOME/"
	furnish "$USER_HOME"
	chown -R "$USER_ID" "$USER_HOME/dir" "$USER_HOME/closed"
	victim "$USER_HOME" setpriv --reuid "$USER_ID" --regid "$USER_ID" \
		--clear-groups
}

# Start a process outside that no process inside may reach.
listen_abstract() {
	"$TMP/attacks" listen "$TMP/listens" 3>&- &
	LISTENER=$!
	wait_until test -e "$TMP/listens"
}

# names of all attacks that came to this end.
attacks_ended() {
	sed -n "s/ $1\$//p" <<<"$output"
}

# assert_refused DIRECTORY [NAME...]: nothing was done to it but what is named,
# and no attack is missing.
assert_refused() {
	local dir=$1

	shift
	[ "$(attacks_ended "done" | xargs)" = "$*" ] || {
		echo "done: $(attacks_ended "done" | xargs)"
		echo "not:  $*"
		return 1
	}
	[ "$(wc -l <<<"$output")" -eq "$(cat "$BATS_TEST_DIRNAME"/attacks*.c |
		grep -c '^	ATTACK(')" ]
	[ "$(cat "$dir/open")" = text ]
	[ "$(stat -c %a "$dir/open")" = 644 ]
	[ "$(find "$dir" | wc -l)" -eq 4 ]
}

# These attacks fail outside, too, if the machine lacks what they need.
LACKING='vsock|packets|set_flags|other_abi|bpf|set_project|set_file_attributes|[a-z_]*attribute_at|whiteout|nodes_of_other|measure_other|remove_queue'

@test "every attack works outside a sandbox" {
	victim "$TMP"
	run_ok "$TMP/attacks" "$TMP/dir" "$TMP/closed/secret" "$VICTIM"
	run ! grep -Ev " (done|ENOSYS)\$|^($LACKING) E" <<<"$output"
}

@test "every attack that needs no capability works for a user outside a sandbox" {
	new_user
	user_victim
	run_ok as_user ./attacks dir "$USER_HOME/closed/secret" "$VICTIM"
	run ! grep -Ev " (done|ENOSYS)\$|^($LACKING|handle|mount_tmpfs|clone_tree|\
open_fs|change_root|new_user|new_mounts|clone3?_user|join_own|raw|faults|\
type_ahead|make_device|maps_of_others|freeze|open_device|add_address|\
advise_other) E" <<<"$output"
}

@test "no attack works in a sandbox of root" {
	victim "$TMP"
	run_ok env CANARY=sandlock-canary "$SANDLOCK" --root "$ROOT" run --cwd / \
		-r /usr -r "$TMP/attacks" -r "$TMP/dir" --deny-env CANARY -- \
		"$TMP/attacks" "$TMP/dir" "$TMP/closed/secret" "$VICTIM"
	assert_refused "$TMP/dir"
}

# The files belong to the user, so that it is the policy that refuses.
@test "no attack works in a sandbox of a user" {
	requires userns
	new_user
	user_victim
	run_ok user_sandbox -r /usr -r attacks -r dir -- ./attacks dir \
		"$USER_HOME/closed/secret" "$VICTIM"
	assert_refused "$USER_HOME/dir"
}

# SECURITY.md has it: Landlock guards what is in a file, not that it is there.
SEEN=(see_it ask_for_it go_there read_link watch_it)

# box_without_namespaces WORD...: `sandlock run` by the same user, without
# namespaces.
box_without_namespaces() {
	# shellcheck disable=SC2016 # for the inner shell
	as_user unshare --user --map-root-user sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set -all --inh-caps -all "$@"' sh \
		env CANARY=sandlock-canary ./sandlock --root "$USER_HOME/state" \
		run --deny-env CANARY "$@"
}

@test "no attack changes or reads anything in a sandbox without namespaces" {
	requires userns
	requires_landlock 6
	new_user
	user_victim
	run_ok box_without_namespaces -r /usr -r attacks -r dir -- \
		./attacks dir "$USER_HOME/closed/secret" "$VICTIM"
	assert_refused "$USER_HOME/dir" "${SEEN[@]}" cores_of_other
}

@test "no attack works in a bundle with a policy" {
	requires_landlock 3
	new_bundle
	victim "$TMP"
	cp -a "$TMP/attacks" "$TMP/dir" "$TMP/closed" "$BUNDLE/rootfs/"
	args /attacks /dir /closed/secret "$VICTIM"
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.filesystem.deny": "/closed",
		"io.sandlock.network.mode": "deny"}'
	run_ok env CANARY=sandlock-canary "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	assert_refused "$BUNDLE/rootfs/dir" "${SEEN[@]}"
}

# It has no capability that the other one lacks: the kernel would let it.
@test "a bundle in the host's pid namespace reaches no other process" {
	requires_landlock 6
	new_bundle
	victim "$TMP" setpriv --bounding-set -all --inh-caps -all
	cp -a "$TMP/attacks" "$TMP/dir" "$TMP/closed" "$BUNDLE/rootfs/"
	args /attacks /dir /closed/secret "$VICTIM"
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.filesystem.deny": "/closed",
		"io.sandlock.network.mode": "deny"} |
		.linux.namespaces |= map(select(.type != "pid"))'
	run_ok oci run --bundle "$BUNDLE" box
	assert_refused "$BUNDLE/rootfs/dir" arguments_of_others "${SEEN[@]}" \
		cores_of_other
}

# attack_bundle USER: attack by init and by exec, as USER, who owns the files.
attack_bundle() {
	new_bundle "$1"
	cp -a "$TMP/attacks" "$TMP/dir" "$TMP/closed" "$BUNDLE/rootfs/"
	chown -R "$1:$1" "$BUNDLE/rootfs/dir" "$BUNDLE/rootfs/closed"
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.filesystem.deny": "/closed",
		"io.sandlock.network.mode": "deny"} |
		.process.user = {uid: '"$1"', gid: '"$1"'}'
	args /attacks /dir /closed/secret "$VICTIM"
	run_ok env CANARY=sandlock-canary "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	assert_refused "$BUNDLE/rootfs/dir" "${SEEN[@]}"
	args sleep 1000
	create box
	oci start box
	run_ok env CANARY=sandlock-canary "$SANDLOCK_OCI" --root "$ROOT" exec \
		--user "$1:$1" box /attacks /dir /closed/secret "$VICTIM"
	oci delete --force box
	assert_refused "$BUNDLE/rootfs/dir" "${SEEN[@]}"
}

@test "no attack works in a bundle by exec, or for a user by init or exec" {
	requires_landlock 3
	victim "$TMP"
	attack_bundle 0
	attack_bundle 1000
}

@test "no attack works in a bundle that a user runs, by init or exec" {
	requires userns
	requires_landlock 6
	new_user
	user_victim
	new_user_bundle
	cp -a "$USER_HOME/attacks" "$USER_HOME/dir" "$USER_HOME/closed" \
		"$BUNDLE/rootfs/"
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.filesystem.deny": "/closed",
		"io.sandlock.network.mode": "deny"}'
	args /attacks /dir /closed/secret "$VICTIM"
	run_ok as_user env CANARY=sandlock-canary ./sandlock-oci run \
		--bundle "$BUNDLE" box
	assert_refused "$BUNDLE/rootfs/dir" "${SEEN[@]}"
	args sleep 1000
	as_user ./sandlock-oci create --bundle "$BUNDLE" box </dev/null \
		>/dev/null 2>&1
	as_user ./sandlock-oci start box
	run_ok as_user env CANARY=sandlock-canary ./sandlock-oci exec box \
		/attacks /dir /closed/secret "$VICTIM"
	as_user ./sandlock-oci delete --force box
	assert_refused "$BUNDLE/rootfs/dir" "${SEEN[@]}"
}
