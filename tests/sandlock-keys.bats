#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-keys.bats - keys of `sandlock run`, one by one: with and without.
#
# Each test is a subshell on purpose.
# shellcheck disable=SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load limits
load enforce

setup() {
	sandlock_setup
	enter_work
}

teardown() {
	sandlock_teardown
}

# explained_key KEY WORD...: "STATE: HOW" of this key for these words.
explained_key() {
	local key=$1

	shift
	sandlock explain --json "$@" |
		jq -r --arg key "$key" '.lines[] | select(.key == $key) |
			.state + ": " + .how'
}

# own_namespaces WORD...: whether a sandbox has a mount namespace of its own.
own_namespaces() {
	run_ok sandbox "$@" -r @system -r -/proc -- readlink /proc/self/ns/mnt
	[ "${lines[-1]}" != "$(readlink /proc/self/ns/mnt)" ]
}

# ---- config.disable ----

@test "config.disable of namespaces creates none, and keeps Landlock and the filter" {
	requires root
	requires_landlock 6
	echo open >open
	echo closed >closed
	own_namespaces --config-disable cgroups
	run ! own_namespaces --config-disable namespaces
	run_ok sandbox --config-disable namespaces -r /usr -r open -- cat open
	assert_lines open
	for act in 'cat closed' 'echo >open' 'ls /' "kill -0 $$" 'chmod 600 open'; do
		run sandbox --config-disable namespaces -r /usr -r open -- \
			sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
	done
	run_ok sandbox --config-disable namespaces -r /usr -- \
		sh -c 'setsid sleep 4717 & exit 0'
	run ! pgrep -f '^sleep 4717$'
}

@test "a key that needs disabled namespaces is refused, or reported with config.allow_degraded" {
	requires root
	requires_landlock 6
	local words=(--config-disable namespaces -r /usr)

	mkdir dir
	echo secret >dir/secret
	sandlock_bad "config.disable: filesystem.chroot cannot be enforced without \
namespaces" run "${words[@]}" --chroot / -- true
	sandlock_bad "config.disable: limits.memory cannot be enforced without \
namespaces: list cgroups as well" run "${words[@]}" -m 64M -- true
	sandlock_bad "config.disable: limits.gpu_devices cannot be enforced without \
namespaces" run "${words[@]}" --gpu 0 -- true
	run_ok sandbox --json "${words[@]}" -m 64M --config-disable cgroups -- true
	assert_output_has "config.disable: limits.memory is not enforced without \
namespaces"
	# A policy without limits misses no protection.
	jq -e '.degraded == []' <<<"${lines[-1]}"
	run_ok sandbox --json "${words[@]}" -m 64M --config-allow-degraded cgroups \
		-- true
	jq -e '.degraded == ["cgroups"]' <<<"${lines[-1]}"
	run_ok sandbox --json "${words[@]}" -w dir --filesystem-deny \
		"$WORK/dir/secret" -- true
	assert_output_has "config.disable: filesystem.deny '$WORK/dir/secret' \
is not enforced without namespaces"
	jq -e '.degraded == []' <<<"${lines[-1]}"
}

@test "explain says which protections are disabled, and which still apply" {
	requires root
	requires_landlock 6
	[ "$(explained_key namespaces -r /usr --config-disable namespaces)" = \
		"disabled: config.disable lists namespaces; Landlock and seccomp \
remain, and the host's name is visible" ]
	[[ "$(explained_key root -r /usr --config-disable namespaces)" = disabled:* ]]
	[ "$(explained_key config.disable -r /usr --config-disable namespaces)" = \
		"disabled: never enforced" ]
	[ "$(explained_key config.disable -r /usr --config-disable fs_truncate \
		--config-disable signal_scope --config-disable net_tcp)" = \
		"disabled: never enforced; its own mounts and namespaces \
still enforce fs_truncate, signal_scope" ]
	[ "$(explained_key limits.tasks -r /usr --config-disable cgroups)" = \
		"disabled: config.disable lists cgroups" ]
	[[ "$(explained_key limits.memory -r /usr -m 64M --config-disable \
		namespaces --config-allow-degraded cgroups)" = \
		"degraded: not enforced without namespaces" ]]
}

# ---- keys whose value decides ----

@test "sandlock run is its own supervisor, with config.supervisor or without" {
	requires root
	run_ok sandbox -r /usr --config-supervisor=false -- true
	run_ok sandbox -r /usr --config-supervisor=true -- true
	[[ "$(explained_key config.supervisor -r /usr --config-supervisor=true)" = \
		*"lives as long as"* ]]
	[[ "$(explained_key config.supervisor -r /usr --config-supervisor=false)" = \
		*"the kernel enforces everything by itself" ]]
	printf '[config]\nsupervisor = true\n' >p.toml
	run_ok sandlock profile validate p.toml
}

@test "a policy with arguments and no program is an error" {
	sandlock_bad "program.args requires program.exec" run -r /usr --program-args x \
		-- true
}

# ---- limits ----

# no_cgroups COMMAND...: where none can be made, and so no limit held.
no_cgroups() {
	# shellcheck disable=SC2016 # for the inner shell
	privately sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh \
		"$@"
}

@test "run names the key of a limit that is not available, with a way to go on" {
	requires root userns
	local words=("$SANDLOCK" --root "$ROOT" run -r /usr)

	for limit in memory=64M cpu=50 cpu_cores=0 tasks=5 processes=5; do
		key=limits.${limit%%=*}
		flag=--${key//[._]/-}
		run -125 no_cgroups "${words[@]}" "$flag=${limit#*=}" -- true
		[[ "$output" = "sandlock: $key: "*": use --config-allow-degraded \
cgroups to run without it" ]] || { echo "$limit: $output"; return 1; }
		run_ok no_cgroups "${words[@]}" "$flag=${limit#*=}" \
			--config-allow-degraded cgroups -- true
		assert_output_has "config.allow_degraded: "
		run_ok no_cgroups "${words[@]}" "$flag=${limit#*=}" \
			--config-disable cgroups -- true
		assert_output_has "config.disable: "
	done
}

@test "config.disable of cgroups keeps a user's limit that needs no cgroups" {
	requires root userns setpriv
	local three='sleep 99 & sleep 99 & sleep 99 & true'

	new_user
	run_ok as_user ./sandlock run -r @system --config-disable cgroups -- \
		sh -c "$three"
	run as_user ./sandlock run -r @system --config-disable cgroups \
		--limits-tasks 2 -- sh -c "$three"
	assert_output_has "fork"
}

@test "a user learns which limit of a policy is not available, in a bundle as well" {
	requires root userns setpriv
	new_user
	run as_user ./sandlock run --cwd / -r @system -m 64M -- true
	if [ "$status" -ne 0 ]; then
		[[ "$output" = "sandlock: limits.memory: "*": \
use --config-allow-degraded cgroups to run without it" ]]
	fi
	new_user_bundle
	config 'del(.linux.resources)'
	annotate_policy limits.memory=64M
	run as_user ./sandlock-oci run --bundle "$BUNDLE" box
	[ "$status" -ne 0 ] || return 0
	assert_output_has "limits.memory: "
	assert_output_has "list cgroups in config.allow_degraded"
	config '.linux.resources.memory.limit = 1000000'
	run as_user ./sandlock-oci run --bundle "$BUNDLE" box
	assert_output_has "linux.resources.memory.limit: "
}

@test "run names limits.cpu_cores that the host does not have, even with config.allow_degraded" {
	requires root
	sandlock_bad "limits.cpu_cores: core 8191 does not exist (online: 0" run -r /usr \
		--limits-cpu-cores 0 --limits-cpu-cores 8191 -- true
	sandlock_bad "limits.cpu_cores: core 8191 does not exist (online: 0" run -r /usr \
		--limits-cpu-cores 8191 --config-allow-degraded cgroups -- true
	new_bundle
	args true
	annotate_policy limits.cpu_cores=8191
	run_bad "limits.cpu_cores: core 8191 does not exist" run_bundle
}

@test "limits.open_files is at most the caller's hard limit" {
	requires root userns jq
	new_user
	for run in sandbox user_sandbox; do
		ulimit -n 500
		run_ok "$run" --cwd / -r /usr --limits-open-files 400 -- \
			sh -c 'ulimit -Sn; ulimit -Hn'
		[ "$output" = $'400\n400' ]
		run_ok "$run" --cwd / -r /usr --limits-open-files 2000000000 -- \
			sh -c 'ulimit -Sn; ulimit -Hn'
		[ "$output" = $'500\n500' ]
	done
	run_ok explained_key limits.open_files -r /usr --limits-open-files 600
	[ "$output" = "enforced: RLIMIT_NOFILE; it stays at the caller's own 500" ]
	run_ok explained_key limits.open_files -r /usr --limits-open-files 400
	[ "$output" = "enforced: RLIMIT_NOFILE" ]
}
