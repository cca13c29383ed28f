#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/floor.bats - the operator's configuration, and a profile that policies can only tighten.
#
# Each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

setup() {
	sandlock_setup
	requires root
}

# floor TEXT: the enforced profile, in $TMP/floor.toml; $TMP/config.toml names it.
floor() {
	printf '%s\n' "$1" >"$TMP/floor.toml"
	printf 'enforce = "%s"\n' "$TMP/floor.toml" >"$TMP/config.toml"
	chmod 644 "$TMP/floor.toml" "$TMP/config.toml"
}

# floored WORD...: sandlock-oci with that configuration.
floored() {
	oci --config "$TMP/config.toml" "$@"
}

run_floored() {
	floored run --bundle "$BUNDLE" box
}

# floored_sandbox WORD...: sandlock run with that configuration.
floored_sandbox() {
	sandbox --config "$TMP/config.toml" "$@"
}

# with_etc TEXT COMMAND...: where TEXT is /etc/sandlock/config.toml.
with_etc() {
	mkdir -p "$TMP/etc"
	cp -a /etc/. "$TMP/etc/"
	mkdir -p "$TMP/etc/sandlock/profiles"
	printf '%s\n' "$1" >"$TMP/etc/sandlock/config.toml"
	[ ! -e "$TMP/floor.toml" ] ||
		cp "$TMP/floor.toml" "$TMP/etc/sandlock/profiles/floor.toml"
	shift
	unshare --mount --propagation private sh -c '
		mount --bind "$0" /etc && exec "$@"' "$TMP/etc" "$@" 3>&-
}

# ---- a floor under bundles ----

@test "a bundle without a policy gets the enforced one" {
	new_bundle
	args sh -c 'ulimit -n; echo "[$SECRET]"'
	config '.process.env += ["SECRET=1"]'
	floor $'[limits]\nopen_files = 100\n[program]\ndeny_env = ["SECRET"]'
	run_ok run_floored
	[ "$output" = $'100\n[]' ]
	run_ok oci --enforce "$TMP/floor.toml" run --bundle "$BUNDLE" box
	[ "$output" = $'100\n[]' ]
	run_ok run_bundle
	[[ $output = *'[1]' ]]
}

@test "a container gets the smaller of two limits, that of its policy and that of the floor" {
	new_bundle
	args sh -c 'ulimit -n'
	floor $'[limits]\nopen_files = 100'
	annotate_policy limits.open_files=50
	run_ok run_floored
	[ "$output" = 50 ]
	annotate_policy limits.open_files=500
	run_ok run_floored
	[ "$output" = 100 ]
}

@test "files must be allowed by the policy and by the floor, for init and exec" {
	requires_landlock 5
	new_bundle
	mkdir -p "$BUNDLE/rootfs/srv/a" "$BUNDLE/rootfs/srv/b"
	echo a >"$BUNDLE/rootfs/srv/a/f"
	echo b >"$BUNDLE/rootfs/srv/b/f"
	echo out >"$BUNDLE/rootfs/outside"
	floor $'[filesystem]\nread = ["/bin", "/lib", "/lib64", "/usr", "/srv/a", "/nowhere"]'
	args sh -c 'cat /srv/a/f /srv/b/f /outside'
	annotate_policy "filesystem.read=/"
	run run_floored
	[[ $output = *a$'\n'* ]]
	[[ $output = *"'/srv/b/f': Permission denied"* ]]
	[[ $output = *"'/outside': Permission denied"* ]]
	annotate_policy "filesystem.read=/bin;/usr;-/lib;-/lib64;/srv/b"
	run run_floored
	[[ $output = *"'/srv/a/f': Permission denied"* ]]
	[[ $output = *"'/srv/b/f': Permission denied"* ]]
	annotate_policy "filesystem.read=/"
	args sleep 1000
	floored create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1
	floored start box
	run oci exec box cat /srv/a/f /srv/b/f
	[[ $output = *a$'\n'* ]]
	[[ $output = *"'/srv/b/f': Permission denied"* ]]
}

@test "a link below an allowed path of the floor leads nowhere else" {
	requires_landlock 5
	new_bundle
	mkdir -p "$BUNDLE/rootfs/srv/a"
	echo out >"$BUNDLE/rootfs/outside"
	ln -s /outside "$BUNDLE/rootfs/srv/a/link"
	floor $'[filesystem]\nread = ["/bin", "/lib", "/lib64", "/usr", "/srv/a"]'
	args cat /srv/a/link
	annotate_policy "filesystem.read=/bin;/usr;-/lib;-/lib64;/srv/a/link"
	run run_floored
	[ "$status" -ne 0 ]
	[[ $output = *"Permission denied"* ]]
	run_ok run_bundle
	[ "$output" = out ]
}

@test "mounts that a floor does not list as writable are read-only in the container" {
	requires_landlock 5
	new_bundle
	floor $'[filesystem]\nread = ["/"]\nwrite = ["/tmp"]'
	mkdir -p "$BUNDLE/rootfs/srv" "$BUNDLE/rootfs/tmp"
	annotate_policy "filesystem.write=/"
	args sh -c 'touch /tmp/x && echo tmp; touch /srv/x; chmod 700 /srv'
	run run_floored
	[[ $output = *tmp* ]]
	[[ $output = *"/srv/x: Permission denied"* || $output = *"/srv/x: Read-only"* ]]
	[[ $output = *"Read-only file system"* ]]
}

@test "a link below a writable path of the floor makes nothing else writable" {
	requires_landlock 5
	new_bundle
	mkdir -p "$BUNDLE/rootfs/srv/a/sub" "$BUNDLE/rootfs/other"
	echo x >"$BUNDLE/rootfs/other/f"
	ln -s /other "$BUNDLE/rootfs/srv/a/link"
	floor $'[filesystem]\nread = ["/"]\nwrite = ["/srv/a"]'
	annotate_policy filesystem.read=/ "filesystem.write=/srv/a/link;/srv/a/sub"
	args sh -c 'chmod 700 /other/f; echo y >/other/f; chmod 700 /srv/a/sub && echo sub'
	run run_floored
	[[ $output = *"/other/f: Read-only file system"* ]]
	[[ $output = *"can't create /other/f"* ]]
	[[ $output = *sub ]]
	[ "$(cat "$BUNDLE/rootfs/other/f")" = x ]
}

@test "a key that would loosen the floor is an error that names both" {
	new_bundle
	floor $'[network]\nmode = "deny"\n[filesystem]\nread = ["/"]\n[limits]\ntasks = 100'
	for key in network.mode=open network.bind=80 filesystem.write=/tmp \
		syscalls.extra_allow=ptrace config.allow_degraded=cgroups \
		config.disable=signal_scope program.weaker_nested=true; do
		annotate_policy "$key"
		run_bad "${key%%=*} = " run_floored
		assert_output_has "of io.sandlock.${key%%=*} would loosen" \
			"the enforced profile" "$TMP/floor.toml"
	done
}

@test "the base profile and the profile of an annotation obey the floor" {
	new_bundle
	floor $'[network]\nmode = "deny"'
	printf '[network]\nmode = "open"\n' >"$TMP/base.toml"
	run_bad "would loosen" floored --profile "$TMP/base.toml" run \
		--bundle "$BUNDLE" box
	assert_output_has "$TMP/base.toml" "$TMP/floor.toml"
}

@test "--enforce does not replace what the configuration enforces" {
	new_bundle
	args sh -c 'ulimit -n'
	floor $'[limits]\nopen_files = 100'
	printf '[limits]\nopen_files = 500\n' >"$TMP/more.toml"
	run_ok floored --enforce "$TMP/more.toml" run --bundle "$BUNDLE" box
	[ "$output" = 100 ]
	printf '[limits]\nopen_files = 50\n' >"$TMP/less.toml"
	run_ok floored --enforce "$TMP/less.toml" run --bundle "$BUNDLE" box
	[ "$output" = 50 ]
	run_bad "nobody-has-this" oci --enforce nobody-has-this run \
		--bundle "$BUNDLE" box
}

@test "a prefix that is nearly ours is an error under a floor, else a warning" {
	new_bundle
	args true
	floor $'[limits]\nopen_files = 100'
	for name in io.sandlok.limits.memory sandlock.io/memory \
		IO.Sandlock.limits.memory; do
		annotate "$name=1M"
		run_bad "annotation $name: unknown prefix" run_floored
		run_ok run_bundle
		assert_output_has "annotation $name: ignored"
	done
}

# tasks_limit: of the running container.
tasks_limit() {
	jq -r '.cgroups[].path' "$ROOT/box/state.json" | while read -r dir; do
		[ ! -e "$dir/pids.max" ] || cat "$dir/pids.max"
	done | sort -n | head -n 1
}

@test "update cannot exceed the limits of the floor" {
	new_bundle
	args sleep 1000
	floor $'[limits]\ntasks = 30'
	floored create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1
	floored start box
	oci update --pids-limit 100 box
	[ "$(tasks_limit)" = 30 ]
	oci update --pids-limit 10 box
	[ "$(tasks_limit)" = 10 ]
}

@test "restore obeys the floor" {
	new_bundle
	floor $'[limits]\nopen_files = 100'
	mkdir "$TMP/images"
	run_bad "policy" floored restore --bundle "$BUNDLE" \
		--image-path "$TMP/images" box
}

@test "a claim to be the infra container does not lift the floor" {
	requires_landlock 5
	new_bundle
	floor $'[filesystem]\nread = ["/bin", "/usr", "/lib", "/lib64"]\n[limits]\nopen_files = 100'
	echo out >"$BUNDLE/rootfs/outside"
	args /bin/busybox cat /outside
	annotate io.kubernetes.cri.container-type=sandbox
	run run_floored
	[ "$status" -ne 0 ]
	args /bin/busybox sh -c 'ulimit -n'
	run_ok run_floored
	[ "$output" = 100 ]
}

# ---- a floor under sandboxes ----

@test "sandlock run obeys the floor" {
	requires_landlock 1
	floor $'[filesystem]\nread = ["@system", "/srv"]\nwrite = ["/tmp"]\n[limits]\nopen_files = 100'
	mkdir -p "$TMP/work"
	run_ok floored_sandbox -r @system -- sh -c 'ulimit -n'
	[ "${lines[-1]}" = 100 ]
	enter_work
	echo secret >secret
	run floored_sandbox -r @system -r "$WORK" -- cat "$WORK/secret"
	[ "$status" -eq 0 ] # below /tmp
	mkdir -p /var/lib/sandlock-floor.$$
	echo secret >/var/lib/sandlock-floor.$$/f
	run floored_sandbox -r @system -r /var/lib -- \
		cat "/var/lib/sandlock-floor.$$/f"
	rm -r "/var/lib/sandlock-floor.$$"
	[ "$status" -ne 0 ]
	[[ $output != *secret$'\n'* ]]
}

@test "sandlock run: nothing leaves the sandbox under a floor" {
	floor $'[limits]\nopen_files = 100'
	run floored_sandbox --unsandboxed -r @system -- true
	[ "$status" -eq 125 ]
	[[ $output = *"--unsandboxed: denied by"*"$TMP/floor.toml"* ]]
	run floored_sandbox -r @system --program-excluded=true -- true
	[ "$status" -eq 125 ]
	[[ $output = *"program.excluded = [\"true\"]"*"would loosen"* ]]
	run floored_sandbox -r @system --config-allow-degraded=namespaces -- true
	[ "$status" -eq 125 ]
	[[ $output = *"config.allow_degraded"*"would loosen"* ]]
	run sandbox --enforce "$TMP/floor.toml" --unsandboxed -- true
	[ "$status" -eq 125 ]
}

# ---- the file ----

@test "the configuration has a base profile, permissions of annotations and options" {
	new_bundle
	args sh -c 'ulimit -n'
	printf '[limits]\nopen_files = 77\n' >"$TMP/base.toml"
	cat >"$TMP/config.toml" <<-END
		profile = "$TMP/base.toml"
		allow_annotations = ["filesystem.mount"]
		[runtime]
		log = "$TMP/log"
		log_format = "json"
		root = "$TMP/elsewhere"
	END
	run_ok floored run --bundle "$BUNDLE" box
	[ "$output" = 77 ]
	mkdir "$TMP/shared"
	echo shared >"$TMP/shared/f"
	args cat /mnt/f
	annotate_policy "filesystem.mount=/mnt:$TMP/shared:ro"
	mkdir -p "$BUNDLE/rootfs/mnt"
	run_bad "must allow it" run_bundle
	run_ok floored run --bundle "$BUNDLE" box
	[ "$output" = shared ]
	run_bad "does not exist" "$SANDLOCK_OCI" --config "$TMP/config.toml" \
		state box
	grep -q '"level":"error"' "$TMP/log"
	args sleep 1000
	annotate
	"$SANDLOCK_OCI" --config "$TMP/config.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1 3>&-
	[ -d "$TMP/elsewhere/box" ]
	"$SANDLOCK_OCI" --config "$TMP/config.toml" delete --force box
}

@test "sandlock run starts with the profile of the configuration" {
	printf '[filesystem]\nread = ["@system"]\n[limits]\nopen_files = 77\n' \
		>"$TMP/base.toml"
	printf 'profile = "%s"\n' "$TMP/base.toml" >"$TMP/config.toml"
	run_ok floored_sandbox -- sh -c 'ulimit -n'
	[ "${lines[-1]}" = 77 ]
}

@test "a configuration that somebody else could have written is refused" {
	new_bundle
	floor $'[limits]\nopen_files = 100'
	chmod g+w "$TMP/config.toml"
	run_bad "must not be writable by its group" run_floored
	chmod 644 "$TMP/config.toml"
	chown 4711 "$TMP/config.toml"
	run_bad "must belong to root, not to user 4711" run_floored
	chown 0 "$TMP/config.toml"
	mkdir -m 1777 "$TMP/open"
	cp "$TMP/config.toml" "$TMP/open/config.toml"
	run_bad "$TMP/open: must not be writable" oci --config \
		"$TMP/open/config.toml" list
	ln -s config.toml "$TMP/link.toml"
	run_bad "must not be a symbolic link" oci --config "$TMP/link.toml" list
	run_bad "no such file" oci --config "$TMP/none.toml" list
	run_bad "regular file" oci --config "$TMP" list
}

@test "an unknown key of the configuration is an error that names it" {
	printf 'profil = "x"\n' >"$TMP/config.toml"
	run_bad "$TMP/config.toml: line 1: unknown key \"profil\"" floored list
	printf '[runtime]\nroots = "x"\n' >"$TMP/config.toml"
	run_bad "[runtime]: unknown key \"roots\"" floored list
	printf 'enforce = 1\n' >"$TMP/config.toml"
	run_bad "enforce: must be a string" floored list
	printf 'allow_annotations = ["filesystem.read"]\n' >"$TMP/config.toml"
	run_bad "filesystem.read" floored list
	printf '[runtime]\ncgroup_manager = "none"\n' >"$TMP/config.toml"
	run_bad "unknown value 'none'" floored list
}

@test "/etc/sandlock/config.toml holds without any option" {
	new_bundle
	args sh -c 'ulimit -n'
	printf '[limits]\nopen_files = 100\n' >"$TMP/floor.toml"
	run_ok with_etc 'enforce = "floor"' "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "$output" = 100 ]
	run_ok with_etc 'enforce = "floor"' "$SANDLOCK" --root "$ROOT" run \
		-r @system -- sh -c 'ulimit -n'
	[ "${lines[-1]}" = 100 ]
}

@test "only root chooses another configuration" {
	new_user
	floor $'[limits]\nopen_files = 100'
	run user_oci --config "$TMP/config.toml" list
	[ "$status" -eq 1 ]
	[[ $output = *"--config $TMP/config.toml: only root"* ]]
	run user_sandbox --config "$TMP/config.toml" -r @system -- true
	[ "$status" -eq 125 ]
	[[ $output = *"only root"* ]]
}
