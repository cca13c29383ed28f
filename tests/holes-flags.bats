#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-flags.bats - flag values, misspelled annotations and raised
# privileges are refused or reported, not misread.

# shellcheck disable=SC2030,SC2031 # bats sets lines

bats_require_minimum_version 1.5.0
load helpers

# ---- true and false ----

@test "sandlock run shows the = form for a boolean key followed by the word true or false" {
	sandlock_bad "--program-no-coredump=true" run --program-no-coredump true \
		-- sh -c 'exit 3'
	sandlock_bad "--program-no-coredump=false" run --program-no-coredump false
	sandlock_bad "--program-clean-env=true" run -r /usr --program-clean-env true
	sandlock_bad "--program-weaker-nested=false" run --program-weaker-nested false
	sandlock_bad "--program-allow-unsandboxed=true" run \
		--program-allow-unsandboxed true
	sandlock_bad "--network-allow-local-binding=true" run \
		--network-allow-local-binding true
	sandlock_bad "--config-supervisor=false" run --config-supervisor false
	sandlock_bad "--allow-net=true" run --allow-net true -- sh -c 'exit 3'
	sandlock_bad "--allow-net=false" run --allow-net false
	sandlock_bad "for one host use --net-allow example.com)" run -r /usr \
		--allow-net example.com -- true
}

@test "sandlock run shows the = form for an option followed by the word true or false" {
	for flag in json why unsandboxed tty interactive; do
		for word in true false; do
			run ! sandlock run -r /usr "--$flag" "$word"
			assert_output_has "--$flag=$word"
		done
	done
	sandlock_bad "--tty=true" run -r /usr -t true
	sandlock_bad "--interactive=false" run -r /usr -i false
	sandlock_bad "--tty=true" run -r /usr -it true
}

@test "explain and wrap refuse the word true behind a boolean flag" {
	for command in explain wrap; do
		sandlock_bad "--program-no-coredump=true" "$command" \
			--program-no-coredump true -- sh
		sandlock_bad "--allow-net=true" "$command" --allow-net true -- sh
		sandlock_bad "--why=true" "$command" --why true -- sh
	done
}

@test "check, ps, inspect and sandlock-oci refuse the word true behind a boolean flag" {
	sandlock_bad "--json=true" check --json true
	sandlock_bad "--json=true" ps --json true
	sandlock_bad "--toml=false" inspect --toml false
	sandlock_bad "--debug=true" --debug true
	run_bad "--force=true" oci delete --force true
	run_bad "--all=false" oci kill --all false
	run_bad "--debug=true" oci --debug true
	run_bad "--detach=true" oci run --detach true
	run -255 oci exec -t true true
	assert_output_has "--tty=true"
}

@test "a boolean flag takes its value with =, and after -- the command may be called true" {
	run_ok sandlock run --cwd / -r /usr --program-no-coredump=true -- sh -c 'ulimit -c'
	assert_lines 0
	run_ok sandlock run --cwd / -r /usr --program-no-coredump=false -- true
	run_ok sandlock run --cwd / -r /usr --program-no-coredump -- true
	run_ok sandlock run --cwd / -r /usr --why=false --json=false -- true
	assert_lines ""
	run -1 sandlock run --cwd / -r /usr --allow-net=false -- false
	sandlock_bad "--why: 'yes' is not true or false" run --why=yes -- true
}

# ---- annotations ----

# annotated KEY: run a container with that annotation only.
annotated() {
	requires root
	[ -n "$BUNDLE" ] || new_bundle
	annotate "$1=1M"
}

@test "create refuses an annotation whose container name is empty" {
	annotated .io.sandlock/limits.memory
	run_bad "CONTAINER.io.sandlock/limits.memory" \
		oci run --bundle "$BUNDLE" box
	annotated .io.sandlock/nonesuch
	run_bad "the container name is empty" oci run --bundle "$BUNDLE" box
	assert_gone box
}

@test "create refuses, in a pod's container with a name, an annotation with an empty container name" {
	requires root
	new_bundle
	annotate io.kubernetes.cri.container-name=web \
		.io.sandlock/limits.memory=1M
	run_bad "CONTAINER.io.sandlock/limits.memory" \
		oci run --bundle "$BUNDLE" box
	annotate io.kubernetes.cri.container-type=sandbox \
		.io.sandlock/limits.memory=1M
	run_bad "CONTAINER.io.sandlock/limits.memory" \
		oci run --bundle "$BUNDLE" box
}

@test "an annotation whose prefix is nearly io.sandlock gets a warning" {
	for key in io.sandlok.limits.memory sandlock.io/limits.memory \
		IO.Sandlock.limits.memory web.io.sandlock.limits.memory; do
		annotated "$key"
		run_ok oci run --bundle "$BUNDLE" box
		assert_output_has "sandlock-oci: warning: annotation $key: ignored"
	done
	annotated org.example.memory
	run_ok oci --debug run --bundle "$BUNDLE" box
	[[ $output != *"is ignored"* ]]
}

# ---- privileges ----

# raised FILE COMMAND...: copy a program of the user of new_user, and raise the
# privileges of the copy with the command.
raised() {
	local file=$1

	shift
	cp "$USER_HOME/$file" "$USER_HOME/raised"
	chown 0:0 "$USER_HOME/raised"
	"$@" "$USER_HOME/raised"
}

# refuses_raised HOW WORD...: the copy refuses to run; one line names HOW.
refuses_raised() {
	local how=$1

	shift
	run ! as_user ./raised "$@"
	# Ignore the complaint of a leak checker, which cannot inspect a
	# process that is not dumpable.
	mapfile -t lines < <(grep -v '^==[0-9]*==' <<<"$output")
	[ "${#lines[@]}" -eq 1 ]
	assert_output_has "refusing to run with elevated privileges ($how)"
}

@test "sandlock refuses to run with the rights of set-user-ID, set-group-ID or file capabilities" {
	requires root setcap
	new_user
	raised sandlock chmod 4755
	refuses_raised set-user-ID run -r /usr -- id -u
	refuses_raised set-user-ID --version
	raised sandlock chmod 2755
	refuses_raised set-group-ID run -r /usr -- id -g
	raised sandlock setcap cap_sys_admin+ep
	refuses_raised "file capabilities" run -r /usr -- true
	raised sandlock setcap cap_dac_read_search+p
	refuses_raised "file capabilities" explain -r /usr
}

@test "sandlock-oci refuses to run with raised privileges" {
	requires root setcap
	new_user
	raised sandlock-oci chmod 4755
	refuses_raised set-user-ID list
	raised sandlock-oci setcap cap_sys_admin+ep
	refuses_raised "file capabilities" list
}

@test "a set-user-ID sandlock that raises nothing runs" {
	requires root
	new_user
	raised sandlock chmod 6755
	run_ok "$USER_HOME/raised" --root "$ROOT" run --cwd / -r /usr -- echo fine
	assert_lines fine
}
