#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-floor.bats - ways around an enforced profile that once were open.
#
# Each test is a subshell on purpose, and the shell inside has dollars of its own.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	requires root
}

# set_floor TEXT: the enforced profile, $TMP/floor.toml.
set_floor() {
	printf '%s\n' "$1" >"$TMP/floor.toml"
	chmod 644 "$TMP/floor.toml"
}

run_under_floor() {
	oci --enforce "$TMP/floor.toml" run --bundle "$BUNDLE" box
}

# sandbox_under_floor WORD...: `sandlock run` under the floor.
sandbox_under_floor() {
	sandbox --enforce "$TMP/floor.toml" "$@"
}

@test "an enforced profile that somebody else could have written is refused" {
	new_bundle
	set_floor $'[limits]\nopen_files = 100'
	run_ok run_under_floor
	chown 4711 "$TMP/floor.toml"
	run_fails_under_floor "$TMP/floor.toml: must belong to root, not to user 4711"
	chown 0 "$TMP/floor.toml"
	chmod g+w "$TMP/floor.toml"
	run_fails_under_floor "$TMP/floor.toml: must not be writable by its group"
	chmod g-w "$TMP/floor.toml"
	mv "$TMP/floor.toml" "$TMP/real.toml"
	ln -s real.toml "$TMP/floor.toml"
	run_fails_under_floor "$TMP/floor.toml: must not be a symbolic link"
	mkdir -m 1777 "$TMP/open"
	cp "$TMP/real.toml" "$TMP/open/floor.toml"
	run_bad "$TMP/open: must not be writable" \
		oci --enforce "$TMP/open/floor.toml" run --bundle "$BUNDLE" box
}

run_fails_under_floor() {
	run_bad "$1" run_under_floor
}

@test "HOME does not move what an enforced profile denies in a sandbox" {
	requires_landlock 1
	set_floor $'[filesystem]\nread = ["/"]\ndeny = ["~/.canary", "@known-secrets"]'
	enter_work
	mkdir -p account/.ssh elsewhere/.ssh
	for dir in account elsewhere; do
		echo secret | tee "$dir/.canary" >"$dir/.ssh/id"
		echo plain >"$dir/plain"
	done
	sed "s|^root:.*|root:x:0:0:root:$PWD/account:/bin/sh|" /etc/passwd >passwd
	run_ok privately sh -c 'mount --bind passwd /etc/passwd && exec "$@"' sh \
		env HOME="$PWD/elsewhere" "$SANDLOCK" --root "$ROOT" run \
		--enforce "$TMP/floor.toml" -r /usr -r . -- sh -c '
		for dir in account elsewhere; do
			cat $dir/plain $dir/.canary $dir/.ssh/id 2>/dev/null
		done; true'
	assert_lines "plain
plain"
}

@test "HOME does not move what an enforced profile denies in a bundle" {
	new_bundle
	set_floor $'[filesystem]\ndeny = ["~/.canary", "@known-secrets"]'
	mkdir -p "$BUNDLE"/rootfs/{root,tmp}/.ssh
	for dir in root tmp; do
		echo secret | tee "$BUNDLE/rootfs/$dir/.canary" \
			>"$BUNDLE/rootfs/$dir/.ssh/id"
	done
	config '.process.env += ["HOME=/tmp"]'
	args sh -c 'cat /root/.canary /root/.ssh/id /tmp/.canary /tmp/.ssh/id'
	run -1 run_under_floor
	[ "$(grep -c "$DENIED" <<<"$output")" -eq 4 ]
}

@test "variables of the caller do not widen the presets of an enforced profile" {
	set_floor $'[filesystem]\nread = ["/usr"]\nwrite = ["@tmp", "@uv-cache"]'
	enter_work
	mkdir -p /var/lib/sandlock-floor.$$
	run env TMPDIR=/var/lib/sandlock-floor.$$ \
		UV_CACHE_DIR=/var/lib/sandlock-floor.$$ "$SANDLOCK" \
		--root "$ROOT" run --enforce "$TMP/floor.toml" -r /usr \
		-w /var/lib/sandlock-floor.$$ -- touch /var/lib/sandlock-floor.$$/f
	found=$(ls /var/lib/sandlock-floor.$$)
	rm -r /var/lib/sandlock-floor.$$
	[ "$status" -ne 0 ]
	[ -z "$found" ]
}

@test "a link of an image does not turn a path of an enforced profile into a volume" {
	requires_landlock 1
	new_bundle
	mkdir -p "$TMP/volume" "$BUNDLE"/rootfs/{volume,opt/real}
	echo secret >"$TMP/volume/f"
	echo own >"$BUNDLE/rootfs/opt/real/f"
	add_mount /volume bind "$TMP/volume" bind
	rm -rf "$BUNDLE/rootfs/tmp"
	ln -s /volume "$BUNDLE/rootfs/srv"
	ln -s volume "$BUNDLE/rootfs/tmp"
	ln -s /opt/real "$BUNDLE/rootfs/link"
	set_floor $'[filesystem]\nread = ["/bin", "/srv", "/link"]\nwrite = ["/tmp"]'
	args sh -c 'cat /link/f; cat /volume/f; cat /srv/f; echo >/volume/new; chmod 777 /volume/f'
	for policy in "" "filesystem.read=/ filesystem.write=/"; do
		# shellcheck disable=SC2086 # none, or two
		annotate_policy $policy
		run -1 run_under_floor
		assert_output_has "'-/srv' of the enforced profile $TMP/floor.toml: links lead to /volume on another mount"
		assert_output_has own
		[[ $output != *secret* ]]
		[ ! -e "$TMP/volume/new" ]
		[ "$(stat -c %a "$TMP/volume/f")" = 644 ]
	done
	# A volume that is listed itself is allowed.
	set_floor $'[filesystem]\nread = ["/bin", "/volume/", "/srv"]'
	annotate
	args cat /srv/f
	run_ok run_under_floor
	[ "${lines[-1]}" = secret ]
}

@test "exec --env sets no variable that an enforced profile denies or sets" {
	new_bundle
	args sleep 1000
	set_floor $'[program]\ndeny_env = ["SECRET", "LD_*"]\nenv = { MODE = "safe" }'
	oci --enforce "$TMP/floor.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	oci start box
	for entry in SECRET=1 LD_PRELOAD=/x MODE=other; do
		run oci exec --env "$entry" box env
		[ "$status" -ne 0 ]
		assert_output_has "--env ${entry%%=*}: the enforced profile denies or sets this variable"
	done
	run_ok oci exec --env OTHER=1 box env
	assert_output_has OTHER=1
	assert_output_has MODE=safe
}

@test "a user who is root in a user namespace does not choose the configuration" {
	requires userns
	new_user
	: >"$USER_HOME/config.toml"
	chown "$USER_ID" "$USER_HOME/config.toml"
	run as_user unshare --user --map-root-user ./sandlock run \
		--config "$USER_HOME/config.toml" -r @system -- true
	[ "$status" -eq 125 ]
	assert_output_has "--config $USER_HOME/config.toml: only root"
}

@test "a private directory is allowed under a profile that says nothing about files" {
	set_floor $'[limits]\nopen_files = 100'
	run_ok sandbox_under_floor -r @system --tmpfs /tmp -- sh -c 'touch /tmp/x && ulimit -n'
	[ "${lines[-1]}" = 100 ]
}
