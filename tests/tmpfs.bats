#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/tmpfs.bats - filesystem.tmpfs: private directories in a sandbox and in a
# bundle.
#
# Scripts have dollars of their own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	enter_work
}

@test "--tmpfs gives a sandbox an empty directory that it may write" {
	requires root userns
	new_user
	for run in sandbox user_sandbox; do
		run_ok "$run" --cwd / -r /usr --tmpfs /tmp --tmpfs /var/cache:64M -- sh -c '
			ls -A /tmp; echo text >/tmp/file; cat /tmp/file
			stat -c "%a" /tmp; mkdir /var/cache/dir
			grep " /tmp " /proc/self/mountinfo | cut -d " " -f 6
			df -k /var/cache | tail -n 1 | tr -s " " | cut -d " " -f 2'
		assert_lines $'text\n1777\nrw,nosuid,nodev,relatime\n65536'
	done
	[ ! -e /tmp/file ]
}

@test "filesystem.tmpfs works from a profile, and explain and wrap show it" {
	requires root
	printf '[filesystem]\nread = ["/usr"]\ntmpfs = ["/tmp", "/var/cache:1.5M"]\n' >p.toml
	run_ok sandbox --cwd / -p ./p.toml -- sh -c 'df -k /var/cache | tail -n 1 | tr -s " " | cut -d " " -f 2'
	assert_lines 1536
	run_ok sandlock explain -p ./p.toml
	assert_output_has 'filesystem.tmpfs = ["/tmp", "/var/cache:1572864"]'
	assert_output_has "enforced: tmpfs mounts in the root, counted by limits.memory"
	run_ok sandlock profile schema
	jq -e '.properties.filesystem.properties.tmpfs' <<<"$output"
}

@test "a tmpfs covers part of a listed path, and a listed path is shown in it" {
	requires root userns
	echo mine >file
	mkdir sub
	for all in "-r /" "-w /"; do
		# shellcheck disable=SC2086 # words
		run_ok with_own_etc "$SANDLOCK" --root "$ROOT" run --cwd / $all --tmpfs "$WORK" \
			-- sh -c 'ls -A "$0"; echo >"$0/new"' "$WORK"
		assert_lines ""
	done
	[ ! -e new ]
	run_ok sandbox -r /usr --tmpfs /tmp -w . -- sh -c 'cat file; ls -A /tmp | wc -l; echo new >file; echo x >/tmp/x'
	assert_lines $'mine\n1'
	[ "$(cat file)" = new ]
	run_ok sandbox -r /usr -w . --tmpfs sub -- sh -c 'echo private >sub/file; cat sub/file'
	assert_lines private
	[ ! -e sub/file ]
}

@test "--tmpfs makes a directory private that a profile or an agent's settings list" {
	requires root
	echo '{"sandbox": {"enabled": true}}' >settings.json
	printf '[filesystem]\nread = ["@system"]\nwrite = ["@project", "/tmp"]\n' >p.toml
	for policy in settings.json p.toml; do
		run_ok sandbox --policy "$policy" --tmpfs /tmp:1M -- sh -c '
			echo x >/tmp/private.$$; ls -A /tmp/private.*; echo y >here; df -k /tmp | tail -n 1 | tr -s " " | cut -d " " -f 2'
		[ "${lines[-1]}" = 1024 ]
		[ "$(cat here)" = y ]
		ls /tmp/private.* && return 1
		rm here
	done
	# In one layer it is a contradiction.
	sandlock_bad "a directory is either private or the host's" run --policy p.toml -w /tmp --tmpfs /tmp -- true
}

@test "run refuses a tmpfs that is also the host's, denied, or cannot be mounted" {
	mkdir -p dir/secret
	sandlock_bad "filesystem.tmpfs '$WORK/dir' and filesystem.write '$WORK/dir': a directory is either private or the host's: remove one of them" \
		run -r /usr -w dir --tmpfs dir -- true
	sandlock_bad "filesystem.deny '$WORK/dir/secret' and filesystem.tmpfs '$WORK/dir': a private directory has nothing of the host" \
		run -r /usr --filesystem-deny "$WORK/dir/secret" --tmpfs dir -- true
	sandlock_bad "filesystem.deny '$WORK/dir' and filesystem.tmpfs '$WORK/dir/secret'" \
		run -r /usr --filesystem-deny "$WORK/dir" --tmpfs dir/secret -- true
	sandlock_bad "filesystem.tmpfs '$WORK/none': must be a directory, since $WORK of the host is shown there" \
		run -r /usr -w . --tmpfs none -- true
	for path in / /proc /proc/x /dev/shm /sys /a:b:1M; do
		sandlock_bad "'$path' is not a directory that can be private" run -r /usr --tmpfs "$path" -- true
	done
	for item in /tmp:0 /tmp:x /tmp:; do
		sandlock_bad "'$item' is not PATH[:SIZE]" run -r /usr --tmpfs "$item" -- true
	done
	sandlock_bad "without '..'" run -r /usr --tmpfs /a/../b -- true
	sandlock_bad "filesystem.tmpfs cannot be enforced without namespaces" run -r /usr --config-disable namespaces \
		--config-disable cgroups --tmpfs /tmp -- true
}

@test "TMPDIR leads to the tmpfs where the host's directory is not visible" {
	requires root
	run_ok sandbox --cwd / -r /usr --tmpfs /scratch -- sh -c 'echo "$TMPDIR"; echo >"$TMPDIR/x"'
	assert_lines /scratch
	TMPDIR=$WORK run_ok sandbox --cwd / -r /usr --allow-env TMPDIR --tmpfs /tmp -- sh -c 'echo "$TMPDIR"'
	assert_lines /tmp
	TMPDIR=$WORK run_ok sandbox --cwd / -r /usr -r . --allow-env TMPDIR --tmpfs /scratch -- sh -c 'echo "$TMPDIR"'
	assert_lines "$WORK"
	run_ok sandbox --cwd / -r /usr --tmpfs /tmp -- sh -c 'echo "<$TMPDIR>"'
	assert_lines "<>"
}

@test "TMPDIR of a bundle leads to the tmpfs where its own directory is not allowed" {
	requires root
	local DEGRADED=

	new_bundle
	# shellcheck disable=SC2034 # for the helpers
	[ "$(landlock_version)" -ge 5 ] || DEGRADED='config.allow_degraded=fs_refer;fs_truncate;fs_ioctl_dev'
	annotate_policy filesystem.read=/bin filesystem.tmpfs=/scratch
	tells /scratch 'echo "$TMPDIR"; echo >"$TMPDIR/x"'
	annotate_policy filesystem.read=/bin filesystem.tmpfs=/tmp
	tells "<>" 'echo "<$TMPDIR>"; echo >/tmp/x'
	config '.process.env += ["TMPDIR=/var/tmp"]'
	tells /tmp 'echo "$TMPDIR"'
	# Without a list of files everything is as config.json has it.
	annotate_policy filesystem.tmpfs=/tmp
	tells /var/tmp 'echo "$TMPDIR"'
}

@test "run starts in / if a tmpfs covers the current directory, and --why reports nothing of it" {
	requires root
	touch file
	run --separate-stderr -0 sandbox --why -r /usr --tmpfs /tmp -- sh -c 'pwd; cat "$0/file" || true' "$WORK"
	[ "$output" = / ]
	# shellcheck disable=SC2154 # bats sets it
	grep -F "$WORK is not allowed; starting in /" <<<"$stderr"
	run ! grep -E "denied: .*($WORK|file )" <<<"$stderr"
}

@test "a tmpfs counts as memory of the sandbox" {
	requires root cgroupfs
	run sandbox --cwd / -r /usr -m 32M --tmpfs /tmp -- sh -c 'head -c 100000000 /dev/zero >/tmp/file && echo written'
	[ "$status" -ne 0 ]
	[[ $output != *written* ]]
	run sandbox --cwd / -r /usr --tmpfs /tmp:1M -- sh -c '
		head -c 10000000 /dev/zero >/tmp/file && echo written; stat -c %s /tmp/file'
	[ "${lines[-1]}" = 1048576 ]
	[[ $output != *written* ]]
}

@test "filesystem.tmpfs gives a bundle private directories, for init, exec and hooks" {
	requires root
	local DEGRADED=

	new_bundle
	mkdir -p "$BUNDLE/rootfs/data"
	echo old >"$BUNDLE/rootfs/data/file"
	annotate_policy 'filesystem.tmpfs=/data;/new/place:1M'
	tells $'text\n1777' 'ls -A /data >/dev/null; echo text >/data/text; cat /data/text; stat -c %a /new/place'
	[ "$(cat "$BUNDLE/rootfs/data/file")" = old ]
	# shellcheck disable=SC2034 # for the helpers
	[ "$(landlock_version)" -ge 5 ] || DEGRADED='config.allow_degraded=fs_refer;fs_truncate;fs_ioctl_dev'
	annotate_policy filesystem.read=/bin filesystem.tmpfs=/data
	tells text 'echo text >/data/text; cat /data/text'
	args true
	run_ok oci create --bundle "$BUNDLE" --dump-plan box
	assert_output_has /data
	annotate_policy filesystem.read=/bin filesystem.tmpfs=/data filesystem.deny=/data/file
	policy_fails "filesystem.deny '/data/file' and filesystem.tmpfs '/data': a private directory cannot be denied: remove one of them"
	annotate_policy filesystem.tmpfs=/data
	without_mount_namespace
	policy_fails "filesystem.tmpfs requires the container's own mount namespace: add one to linux.namespaces"
}
