#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cli.bats - help, options, logs: what engines and people type.

load helpers

commands="create start state kill delete run exec ps list pause resume update
	events spec features checkpoint restore explain inspect"

@test "sandlock-oci --help lists every command" {
	run_ok "$SANDLOCK_OCI" --help
	for command in $commands; do
		[[ $output =~ (^|$'\n')\ +$command\  ]] || {
			echo "no $command in: $output"
			return 1
		}
	done
}

@test "every command of sandlock-oci has --help" {
	for command in $commands; do
		run_ok "$SANDLOCK_OCI" "$command" --help
		assert_output_has "$command"
	done
}

@test "sandlock-oci --version prints the lines that engines look for" {
	run_ok "$SANDLOCK_OCI" --version
	[[ ${lines[0]} =~ ^sandlock-oci\ version\ [0-9] ]]
	assert_output_has "commit: "
	assert_output_has "spec: 1.3.0"
}

@test "sandlock-oci reports an unknown command, option or format in one line" {
	for words in nonesuch "list --nonesuch" "--log-format xml list" \
		"list --format xml" "--rootless maybe list" \
		"--cgroup-manager none list"; do
		# shellcheck disable=SC2086 # words are words
		run oci $words
		[ "$status" -eq 1 ]
		[ "${#lines[@]}" -eq 1 ]
	done
}

@test "sandlock-oci names a missing argument in the words that podman looks for" {
	run oci restore --lsm-mount-context
	[ "$status" -eq 1 ]
	assert_output_has "flag needs an argument"
}

@test "sandlock-oci takes options with one dash or two, with = or a word, before or after the ID" {
	requires root
	new_bundle
	args sleep 1000
	"$SANDLOCK_OCI" -root="$ROOT" create -bundle "$BUNDLE" web1 \
		-no-new-keyring --pid-file="$TMP/pid" </dev/null \
		>/dev/null 2>&1 3>&-
	assert_status web1 created
	[ -s "$TMP/pid" ]
}

@test "an error goes to stderr as text and to the log as JSON" {
	run oci --log "$TMP/log" --log-format json state nobody
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$(jq -r .level "$TMP/log")" = error ]
	[ "$(jq -r .msg "$TMP/log")" = "nobody: container does not exist" ]
	[[ $(jq -r .time "$TMP/log") =~ ^[0-9-]{10}T[0-9:]{8}Z$ ]]
}

@test "sandlock-oci appends level and message to the text log" {
	run oci --log "$TMP/log" state nobody
	run oci --log "$TMP/log" state nobody
	[ "$(grep -c 'level=error msg="nobody: container does not exist"' \
		"$TMP/log")" -eq 2 ]
}

@test "success writes nothing to the log" {
	requires root
	new_bundle
	run_ok oci --log "$TMP/log" --log-format json run \
		--bundle "$BUNDLE" web1
	[ ! -s "$TMP/log" ]
}

@test "sandlock-oci refuses --root /" {
	run "$SANDLOCK_OCI" --root / list
	[ "$status" -eq 1 ]
}

@test "sandlock-oci takes an empty XDG_RUNTIME_DIR for an unset one" {
	requires root
	XDG_RUNTIME_DIR='' run_ok env -i XDG_RUNTIME_DIR='' "$SANDLOCK_OCI" delete \
		--force nobody
}

@test "spec writes the bundle scripts expect, once" {
	cd "$TMP"
	run_ok "$SANDLOCK_OCI" spec
	[ -z "$output" ]
	[ "$(jq -c '[.process.terminal, .process.args, .root.readonly,
		(.mounts | length), .process.rlimits[0].soft]' config.json)" = \
		'[true,["sh"],true,7,1024]' ]
	[ "$(jq -c '.process.capabilities | keys' config.json)" = \
		'["bounding","effective","permitted"]' ]
	run "$SANDLOCK_OCI" spec
	[ "$status" -eq 1 ]
	assert_output_has "config.json"
}

@test "the example in the manual page sandlock-oci(1) works" {
	requires root
	cd "$TMP"
	mkdir web
	cp -a "$(template_rootfs)" web/rootfs
	awk '/^# EXAMPLE/ { here = 1 }
		/^```/ { inside = here && !inside; next }
		inside { sub(/^sandlock-oci/, "oci"); print }' \
		"$TESTS/../sandlock-oci.1.md" >example
	[ "$(grep -c '^oci ' example)" -eq 5 ]
	# shellcheck source=/dev/null
	. ./example >out 2>&1 </dev/null
	grep -q 'sleep 1000' out
	assert_gone web1
}

@test "features prints a document that engines can read" {
	run_ok "$SANDLOCK_OCI" features
	[ "$(jq -r .ociVersionMax <<<"$output")" = 1.3.0 ]
	[ "$(jq '.mountOptions | index("rro") != null' <<<"$output")" = true ]
	[ "$(jq '.linux.namespaces | index("user") != null' <<<"$output")" = \
		true ]
	[ "$(jq .linux.mountExtensions.idmap.enabled <<<"$output")" = true ]
	[ "$(jq .linux.seccomp.enabled <<<"$output")" = true ]
	[ "$(jq '.linux.seccomp.actions | length' <<<"$output")" -ge 8 ]
}

@test "--systemd-cgroup without systemd says what is missing, and leaves nothing" {
	requires root
	new_bundle
	config 'del(.linux.cgroupsPath)'
	export SANDLOCK_LIBEXEC=$TMP
	run_bad "--systemd-cgroup: cgroups of systemd require the program $TMP/sandlock-systemd (install it" \
		"$SANDLOCK_OCI" --root "$ROOT" --systemd-cgroup create \
		--bundle "$BUNDLE" web1
	assert_gone web1
	# sandlock-systemd fails like this where systemd does not run.
	printf '#!/bin/sh\necho no connection to systemd >&2\nexit 1\n' \
		>"$TMP/sandlock-systemd"
	chmod +x "$TMP/sandlock-systemd"
	run_bad "--systemd-cgroup: no connection to systemd" \
		"$SANDLOCK_OCI" --root "$ROOT" --systemd-cgroup create \
		--bundle "$BUNDLE" web1
	assert_gone web1
}

@test "--debug reports each step on standard error and in the log" {
	requires root
	new_bundle
	run_ok oci --debug --log "$TMP/log" --log-format json run \
		--bundle "$BUNDLE" web1
	assert_output_has 'level=debug msg="step 0: '
	assert_output_has "pivot root"
	assert_output_has "says CREATED"
	[ "$(jq -r .level "$TMP/log" | sort -u)" = debug ]
	[ "$(jq -r .msg "$TMP/log" | grep -c "says EXEC")" -eq 1 ]
}
