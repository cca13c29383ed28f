#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-rights.bats - rights of several lists add up, and a tree of others does not stop a start.
#
# Each test is a subshell on purpose; bats and policed.bash have variables of theirs.
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers
load policed

setup() {
	sandlock_setup
	enter_work
}

# writes FLAG...: the sandbox writes below A/B, as root and as a user.
writes() {
	local home=$USER_HOME

	rm -f A/B/file "$home/A/B/file"
	run_ok box -r /usr "$@" -- sh -c 'echo new >A/B/file'
	[ "$(cat A/B/file)" = new ]
	run_ok user_box -r /usr "$@" -- sh -c 'echo new >A/B/file'
	[ "$(cat "$home/A/B/file")" = new ]
}

new_trees() {
	new_user
	mkdir -p A/B/C "$USER_HOME/A/B/C"
	chown -R "$USER_ID:$USER_ID" "$USER_HOME/A"
}

# ---- rights add up ----

@test "what may be read stays writable below what may be written" {
	requires root userns
	new_trees
	writes -r A/B -w A
	writes -w A -r A/B
	writes -r A/B -w A/B
	writes -r A -w A/B -r A/B/C
	writes -r A/B --filesystem-write-only A
	# One list alone does not do it: the test can fail.
	run box -r /usr -r A/B -- sh -c 'echo new >A/B/file'
	[ "$status" -ne 0 ]
}

@test "what may be executed stays writable below what may be written" {
	requires root userns
	new_trees
	writes -x /usr -x A/B -w A
	cp /bin/true A/B/run
	run_ok box -r /usr -x /usr -x A/B -w A -- A/B/run
	rm A/B/run
	cp /bin/true A/run
	run -126 box -r /usr -x /usr -x A/B -w A -- A/run
}

@test "what may be written only stays readable where it is listed for that" {
	requires root
	mkdir -p A/B
	echo text >A/file
	echo text >A/B/file
	run_ok box -r /usr -r A/B --filesystem-write-only A -- \
		sh -c 'cat A/B/file; cat A/file 2>/dev/null || echo refused'
	assert_lines $'text\nrefused'
}

@test "rights add up without namespaces as well" {
	requires root userns
	requires_landlock 3
	mkdir -p A/B
	chmod 0777 A/B
	run_ok box -r /usr -r A/B -w A --config-disable namespaces --config-disable cgroups -- \
		sh -c 'echo new >A/B/file; cat A/B/file'
	assert_output_has new
}

@test "what is denied is taken away whichever list has it" {
	requires root userns
	new_trees
	run -125 box -r /usr -r A/B -w A --deny-write A/B -- true
	for flags in "-r A/B -w A" "-r A/B -w A/B" "-r A/B/C -w A" \
		"-x A/B -x /usr -w A"; do
		# shellcheck disable=SC2086 # words
		run box -r /usr $flags --deny-write A/B \
			--config-allow-degraded deny_replace -- \
			sh -c 'echo new >A/B/C/file'
		[ "$status" -ne 0 ] || { echo "written with $flags"; return 1; }
	done
	[ ! -e A/B/C/file ]
}

@test "explain and --why tell the rights that a path has" {
	requires root
	mkdir -p A/B
	run_ok sl explain --json -r A/B -w A
	[ "$(jq -c --arg path "$WORK/A/B" '[.allowed[] | select(.path == $path)
		| .rights[]] | unique' <<<"$output")" = \
		'["execute","read","write"]' ]
	run --separate-stderr -0 box --why -r /usr -r A/B -w A -- \
		sh -c 'echo new >A/B/file'
	run ! grep -F "$WORK" <<<"$stderr"
}

@test "--why tells what keeps the policy of the next run from being written" {
	requires root
	echo '[sandbox]' >uv.toml
	run --separate-stderr box --why -r /usr -w . -- sh -c 'echo >uv.toml'
	[ "$status" -ne 0 ]
	grep -Fx "denied: write $WORK/uv.toml (it is the policy of the next run)" \
		<<<"$stderr"
}

@test "rights add up in a bundle, in its root and in a mount" {
	requires root
	local files DEGRADED=

	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files/data/sub" host/sub
	add_mount /mnt bind "$PWD/host" rbind rw
	[ "$(landlock_version)" -ge 5 ] || DEGRADED='config.allow_degraded=fs_refer;fs_truncate;fs_ioctl_dev'
	for order in 'read=/;/data/sub;/mnt/sub' 'execute=/;/data/sub;/mnt/sub'; do
		policed "filesystem.$order" 'filesystem.write=/data;/mnt' \
			filesystem.read=/
		tells written 'echo >/data/sub/file && echo >/mnt/sub/file &&
			echo written'
	done
	policed 'filesystem.read=/;/data/sub' 'filesystem.write_only=/data'
	tells written 'echo >/data/sub/file && echo written'
}
