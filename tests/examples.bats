#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/examples.bats - the examples that people copy run as they are printed,
# in a project below a writable /tmp as well.
#
# Scripts have dollars of their own.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	enter_work
	# A project below /tmp, which the examples make writable.
	[[ $WORK != /tmp/* ]] || return 0
	skip "needs a test directory below /tmp"
}

# Write a file of the project, read it, and write beside the project.
project_is_writable() {
	rm -f new "$TMP/beside"
	run_ok sandbox --policy "$1" -- \
		sh -c 'echo text >new && cat new && echo text >../beside'
	assert_output_has text
	[ "$(cat new ../beside)" = $'text\ntext' ]
}

@test "a uv project reads itself, python and the system, and writes itself and /tmp" {
	requires root python3
	for file in pyproject.toml:tool.uv.sandbox uv.toml:sandbox; do
		rm -f pyproject.toml uv.toml
		cat >"${file%:*}" <<-EOF
		[${file#*:}]
		allow-read = [{ preset = "project" }, { preset = "python" }, { preset = "system" }]
		allow-write = [{ preset = "project" }, { preset = "tmp" }]
		allow-execute = [{ preset = "python" }, { preset = "system" }]
		allow-env = [{ preset = "standard" }]
		EOF
		project_is_writable "${file%:*}"
		run_ok sandbox --policy "${file%:*}" -- python3 -c \
			'open("out", "w").write("text"); print(open("out").read())'
		assert_output_has text
		# Only the lists that deny subtract.
		run sandbox --policy "${file%:*}" --deny-write out -- \
			sh -c 'echo more >out'
		[ "$status" -ne 0 ]
	done
}

@test "a uv project reads its data, and writes nothing unless a list says so" {
	requires root python3
	mkdir "$TMP/data"
	echo data >"$TMP/data/file"
	cat >pyproject.toml <<-EOF
	[tool.uv.sandbox]
	allow-read = [{ preset = "project" }, { preset = "python" }, { preset = "system" }, "$TMP/data"]
	allow-execute = [{ preset = "python" }, { preset = "system" }]
	allow-env = [{ preset = "standard" }, "DATABASE_URL"]
	EOF
	DATABASE_URL=here run_ok sandbox --policy pyproject.toml -- \
		sh -c 'cat "$1"; echo "$DATABASE_URL"; echo >new || echo refused' \
		- "$TMP/data/file"
	assert_output_has $'data\nhere'
	assert_output_has refused
	run_ok sandbox --policy pyproject.toml --allow-write @project,@tmp -- \
		sh -c 'echo text >new; echo more >"$1"' - "$TMP/data/file"
	[ "$(cat new "$TMP/data/file")" = $'text\nmore' ]
}

@test "a uv project reads the home without credentials" {
	requires root python3
	local home=$TMP/home

	mkdir -p "$home/.ssh" .git/hooks
	echo secret >"$home/.ssh/id"
	echo notes >"$home/notes"
	cat >pyproject.toml <<-EOF
	[tool.uv.sandbox]
	allow-read = [{ preset = "home" }, { preset = "python" }, { preset = "system" }]
	deny-read = [{ preset = "known-secrets" }]
	allow-write = [{ preset = "project" }]
	deny-write = [{ preset = "shell-configs" }, { preset = "git-hooks" }, { preset = "ide-configs" }]
	allow-execute = [{ preset = "python" }, { preset = "system" }]
	allow-env = true
	deny-env = [{ preset = "known-secrets" }]
	EOF
	GITHUB_TOKEN=secret HOME=$home run_ok sandbox --policy pyproject.toml \
		-- sh -c '
		echo text >new; cat ~/notes; echo "token: $GITHUB_TOKEN"
		cat ~/.ssh/id || echo no ssh; echo >.git/hooks/x || echo no hook'
	[ "$(cat new)" = text ]
	assert_output_has $'notes\ntoken: \n'
	assert_output_has "no ssh"
	assert_output_has "no hook"
	run ! grep -F secret <<<"$output"
}

@test "an agent's settings let it write its project and /tmp" {
	requires root
	mkdir .claude
	cat >.claude/settings.json <<-'EOF'
	{ "sandbox": { "enabled": true, "autoAllowBashIfSandboxed": true,
		"allowedPaths": ["/usr/local"], "deniedPaths": ["secrets/*"],
		"excludedCommands": ["docker", "kubectl"],
		"allowUnsandboxedCommands": true } }
	EOF
	project_is_writable .claude/settings.json
}

@test "a profile that reads the system and writes /tmp lets a project write" {
	requires root cgroupfs
	cat >profile.toml <<-'EOF'
	[filesystem]
	read = ["/usr", "/lib"]
	write = ["/tmp"]
	deny = ["/proc/kcore"]
	[syscalls]
	extra_allow = ["sysv_ipc"]
	extra_deny = []
	[limits]
	memory = "512M"
	processes = 64
	open_files = 256
	cpu = 50
	EOF
	project_is_writable ./profile.toml
	run_ok sandbox -r /usr,/lib,/lib64,/bin,/etc,/proc,/dev -w /tmp -- \
		sh -c 'echo more >new'
	[ "$(cat new)" = more ]
	run_ok sandbox -r /usr -r . -w /tmp -- sh -c 'echo less >new'
	[ "$(cat new)" = less ]
}
