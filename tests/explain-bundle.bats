#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/explain-bundle.bats - explain and inspect: what enforces the policy of a bundle or container.

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root
	requires_landlock 1
	new_bundle
	args sleep 1000
}

@test "explain says of each key who set it and what enforces it" {
	annotate_policy "filesystem.read=/bin;@system" limits.memory=64M \
		network.mode=deny program.deny_env=SECRET
	run_ok oci explain "$BUNDLE"
	assert_output_has "bundle: $BUNDLE" "create would enforce a policy" \
		"command: sleep 1000" \
		"filesystem.read = [\"/bin\", \"@system\"]  (io.sandlock.filesystem.read)" \
		"enforced: Landlock (version" \
		"limits.memory = 67108864  (io.sandlock.limits.memory)" \
		"cgroup: the memory controller" \
		"network.mode = \"deny\"  (io.sandlock.network.mode)" \
		"no IPv4 and IPv6 sockets" \
		"seccomp blocks sysv_ipc"
	# What the preset means in this root.
	assert_output_has "r-x  /usr  (filesystem.read '@system')" \
		"r-x  /bin  (filesystem.read '/bin'"
	[ ! -e "$ROOT/box" ]
}

@test "explain prints JSON" {
	annotate_policy "filesystem.read=@system" limits.tasks=30
	oci explain --json "$BUNDLE" >"$TMP/json"
	[ "$(jq -r .verdict "$TMP/json")" = enforced ]
	[ "$(jq -r .bundle "$TMP/json")" = "$BUNDLE" ]
	[ "$(jq -r '.lines[] | select(.key == "limits.tasks") | .origin' \
		"$TMP/json")" = io.sandlock.limits.tasks ]
	[ "$(jq -r '[.allowed[] | select(.item == "@system") | .path] |
		index("/usr") != null' "$TMP/json")" = true ]
	[ "$(jq -r .policy.limits.tasks "$TMP/json")" = 30 ]
}

@test "explain --path says what denies a path, and what to add" {
	requires_landlock 5
	echo secret >"$BUNDLE/rootfs/etc/secret"
	annotate_policy filesystem.read=/bin filesystem.write=/root filesystem.tmpfs=/tmp
	run_ok oci explain --path /etc/secret "$BUNDLE"
	assert_lines "denied: read /etc/secret (not in filesystem.read); to allow it: add /etc/secret to the annotation io.sandlock.filesystem.read
denied: write /etc/secret (not in filesystem.write); to allow it: add /etc/secret to the annotation io.sandlock.filesystem.write
denied: execute /etc/secret (not in filesystem.read); to allow it: add /etc/secret to the annotation io.sandlock.filesystem.read"
	for path in /tmp/file /root; do
		run_ok oci explain --path "$path" "$BUNDLE"
		assert_lines "not denied by the policy: read $path
not denied by the policy: write $path
not denied by the policy: execute $path"
	done
	run_ok oci explain --json --path /bin/busybox "$BUNDLE"
	jq -e '.path == "/bin/busybox" and [.denied[].what] == ["write"]' <<<"$output"
	# What it says to add allows it, in init and exec.
	args cat /etc/secret
	run_bad "Permission denied" run_bundle
	annotate_policy "filesystem.read=/bin;/etc/secret"
	run_ok run_bundle
	assert_lines secret
	args sleep 1000
	start_container box
	run_ok oci explain --path /etc/secret box
	[ "${lines[0]}" = "not denied by the policy: read /etc/secret" ]
	run_ok oci explain --path /etc/passwd box
	assert_output_has "denied: read /etc/passwd (not in filesystem.read)"
}

@test "explain --path names the key that denies a path, also without a list of allowed files" {
	annotate_policy filesystem.deny_read=/etc/secret
	echo secret >"$BUNDLE/rootfs/etc/secret"
	run_ok oci explain --path /etc/secret "$BUNDLE"
	assert_output_has "denied: read /etc/secret (filesystem.deny_read: /etc/secret); to allow it: remove /etc/secret from the annotation io.sandlock.filesystem.deny_read" \
		"not denied by the policy: write /etc/secret"
	run_ok oci explain --path /bin/busybox "$BUNDLE"
	assert_output_has "not denied by the policy: read /bin/busybox"
	annotate
	run_ok oci explain --path /etc/secret "$BUNDLE"
	assert_output_has "not denied by the policy: read /etc/secret"
	run_bad "--path etc/secret: not an absolute path" oci explain --path etc/secret "$BUNDLE"
	annotate_policy filesystem.read=/nowhere
	run_bad "/nowhere" oci explain --path /etc/secret "$BUNDLE"
}

@test "explain of a bundle that create would refuse ends with 1 and the reason" {
	annotate_policy limits.forks=3
	run oci explain "$BUNDLE"
	[ "$status" -eq 1 ]
	assert_output_has "create would refuse it: not enforced by this build: limits.forks"
	annotate_policy limits.memry=1M
	run oci explain "$BUNDLE"
	[ "$status" -eq 1 ]
	assert_output_has "limits.memry"
	run_bad "neither a container nor a bundle" oci explain "$TMP/none"
}

@test "explain of a bundle without a policy says so" {
	run_ok oci explain "$BUNDLE"
	assert_output_has "there is no policy"
	[ "$(oci explain --json "$BUNDLE" | jq -r .verdict)" = "no policy" ]
}

@test "explain of a container shows the policy that create saved, and paths inside" {
	requires_landlock 5
	mkdir "$TMP/data"
	add_mount /data bind "$TMP/data" bind
	printf '[limits]\nopen_files = 77\n' >"$TMP/base.toml"
	annotate_policy "filesystem.read=@system;/bin;/data"
	oci --profile "$TMP/base.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	oci start box
	annotate
	rm "$TMP/base.toml"
	run_ok oci explain box
	assert_output_has "container: box" "create has enforced a policy" \
		"limits.open_files = 77  (a profile)" \
		"(io.sandlock.filesystem.read)" "r-x  /data"
}

@test "explain and inspect show the enforced profile" {
	requires_landlock 5
	printf '[filesystem]\nread = ["/bin", "/usr"]\n' >"$TMP/floor.toml"
	annotate_policy "filesystem.read=/"
	run_ok oci --enforce "$TMP/floor.toml" explain "$BUNDLE"
	assert_output_has "enforced profile = $TMP/floor.toml" \
		'only files in its filesystem.read ["-/bin", "-/usr"]' \
		"r-x  /bin"
	[[ $output != *"r-x  /  "* ]]
	oci --enforce "$TMP/floor.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	run_ok oci explain box
	assert_output_has "enforced profile = $TMP/floor.toml" "r-x  /bin"
	[[ $output != *"r-x  /  "* ]]
	oci inspect box >"$TMP/json"
	[ "$(jq -r '.enforced[0].name' "$TMP/json")" = "$TMP/floor.toml" ]
	[ "$(jq -r '.enforced[0].policy.filesystem.read[0]' "$TMP/json")" = -/bin ]
}

@test "inspect prints the policy of a container as JSON and as a profile" {
	requires_landlock 5
	annotate_policy limits.memory=64M 'program.env={"TOKEN": "secret"}' \
		"filesystem.read=/"
	oci create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1
	oci inspect box >"$TMP/json"
	[ "$(jq -r .id "$TMP/json")" = box ]
	[ "$(jq -r .status "$TMP/json")" = created ]
	[ "$(jq -r .policy.limits.memory "$TMP/json")" = 67108864 ]
	run_ok oci inspect --toml box
	assert_output_has $'[limits]\nmemory = 67108864' '"TOKEN"'
	[[ $output != *secret* ]]
	run_ok oci inspect --toml --show-values box
	printf '%s\n' "$output" >"$TMP/again.toml"
	oci delete --force box
	# It can be used as a profile.
	annotate
	oci --profile "$TMP/again.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	[ "$(oci inspect box | jq -c .policy)" = "$(jq -c .policy "$TMP/json")" ]
	oci delete --force box
	oci create --bundle "$BUNDLE" box </dev/null >"$TMP/out" 2>&1
	[ "$(oci inspect box | jq -c .policy)" = '{}' ]
	run_bad "does not exist" oci inspect nobody
}

@test "explain and inspect do not wait for a saved policy that is no file" {
	annotate_policy limits.open_files=100
	start_container box
	mv "$ROOT/box/policy.toml" "$TMP/policy.toml"
	mkfifo "$ROOT/box/policy.toml"
	for command in inspect explain; do
		run_bad "policy.toml: must be a regular file" timeout 10 \
			"$SANDLOCK_OCI" --root "$ROOT" "$command" box
	done
}

@test "no table or page passes control characters of names on" {
	name=$'odd\e]0;title\a\nline'
	annotate_policy limits.open_files=100
	mv "$BUNDLE" "$TMP/$name"
	BUNDLE=$TMP/$name
	start_container box
	for command in list "list --format json" "state box" "inspect box" "explain box"; do
		# shellcheck disable=SC2086 # a command and its options
		run_ok oci $command
		run ! grep -E $'[\001-\010\013-\037]|^line' <<<"$output"
	done
}
