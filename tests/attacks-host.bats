#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/attacks-host.bats - what the host has beside a sandbox, or puts there
# later, is no way out of it.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root
	enter_work
}

teardown() {
	sandlock_teardown
}

# later WORD...: run it on shared mounts, with a mount that comes later at
# disk/late; say what is inside of it, and whether its mode can be changed.
later() {
	mkdir -p disk
	# shellcheck disable=SC2016 # for the inner shells
	unshare --mount --propagation shared sh -c '
		mount -t tmpfs none disk && chmod 0777 disk || exit 1
		mkdir -m 0777 disk/late disk/sync
		"$@" sh -c "
			>disk/sync/ready
			until [ -e disk/sync/go ]; do sleep 0.1; done
			ls disk/late
			! chmod 0600 disk/late/file" &
		until [ -e disk/sync/ready ]; do
			kill -0 $! 2>/dev/null || break
			sleep 0.1
		done
		mount -t tmpfs none disk/late
		echo >disk/late/file
		chown -R "$USER_ID" disk/late
		>disk/sync/go
		wait $!' sh "$@" 3>&-
}

@test "a mount that comes later is not in a sandbox that runs" {
	run later
	[[ "$output" = *"file" ]]
	run later "$SANDLOCK_SHELL" --root "$ROOT" run -r /usr -r disk \
		-w disk/sync --
	[[ "$output" = "chmod: cannot access 'disk/late/file': No such file"* ]]
	run later "$SANDLOCK_SHELL" --root "$ROOT" run --program-uid 1000 \
		--program-gid 1000 -r /usr -r disk -w disk/sync --
	[[ "$output" = "chmod: cannot access 'disk/late/file': No such file"* ]]
}

@test "a mount that comes later is not in that of a user" {
	requires userns
	new_user
	cd "$USER_HOME"
	run later setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups \
		env XDG_RUNTIME_DIR="$USER_HOME/run" "$USER_HOME/sandlock" run \
		-r /usr -r disk -w disk/sync --
	[[ "$output" = "chmod: cannot access 'disk/late/file': No such file"* ]]
}
