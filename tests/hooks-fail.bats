#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/hooks-fail.bats - hooks that fail, hang or cannot run: what is said,
# what is undone, and which hooks run after all.

# shellcheck disable=SC2016 # the dollars are the hooks' and jq's
load helpers
load hooks

setup() {
	sandlock_setup
	requires root
	new_bundle web
	args sleep 1000
}

# A poststop hook writes here that it ran.
note_poststop() {
	hook poststop "cat >$TMP/poststop"
}

poststop_ran() {
	[ "$(jq -r .status "$TMP/poststop")" = stopped ]
}

without_hooks() {
	config 'del(.hooks)'
}

is_dead() {
	! kill -0 "$1" 2>/dev/null
}

# all_dead FILE: of pids, in one line.
all_dead() {
	local pid pids

	read -ra pids <"$1"
	for pid in "${pids[@]}"; do
		wait_until is_dead "$pid"
	done
}

@test "a hook that fails during create removes the container" {
	local point

	note_poststop
	for point in prestart createRuntime createContainer; do
		config 'del(.hooks.prestart, .hooks.createRuntime,
			.hooks.createContainer)'
		hook "$point" true
		hook "$point" 'echo out; echo err >&2; exit 3'
		hook "$point" "touch $TMP/third"
		rm -f "$TMP/poststop"
		run_bad "sandlock-oci: error running $point hook #1: \
exit status 3, stdout: out, stderr: err" create web
		assert_gone web
		[ ! -e "$TMP/web.pid" ]
		[ -z "$(leftovers)" ]
		poststop_ran
		[ ! -e "$TMP/third" ]
	done
	# The ID is free at once.
	without_hooks
	create web
}

@test "run removes the container, whichever hook has failed" {
	local point

	note_poststop
	for point in prestart createRuntime createContainer startContainer \
		poststart; do
		config '.hooks |= {poststop}'
		hook "$point" 'exit 4'
		rm -f "$TMP/poststop"
		run_bad "error running $point hook #0: exit status 4" \
			oci run --bundle "$BUNDLE" web
		assert_gone web
		[ -z "$(leftovers)" ]
		poststop_ran
	done
}

@test "no poststop hook runs for a container that no hook has seen" {
	note_poststop
	args /not/there
	run_bad "no such file" create web
	assert_gone web
	[ ! -e "$TMP/poststop" ]
}

@test "poststop hooks run when creation fails after the first hook" {
	note_poststop
	hook createRuntime true
	args /not/there
	run_bad "no such file" create web
	assert_gone web
	poststop_ran
}

@test "a failing startContainer hook ends the container before its program starts" {
	note_poststop
	args touch /started
	hook startContainer 'echo no >&2; exit 5'
	hook startContainer 'touch /second'
	hook poststart "touch $TMP/poststart"
	create web
	run_bad "error running startContainer hook #0: exit status 5, stdout: , \
stderr: no" oci start web
	assert_status web stopped
	[ ! -e "$BUNDLE/rootfs/started" ]
	[ ! -e "$BUNDLE/rootfs/second" ]
	[ ! -e "$TMP/poststart" ]
	oci delete web
	poststop_ran
	without_hooks
	create web
}

@test "a poststart hook that fails kills the container, and start fails" {
	note_poststop
	hook poststart "touch $TMP/first"
	hook poststart 'exit 6'
	hook poststart "touch $TMP/third"
	create web
	run_bad "error running poststart hook #1: exit status 6" \
		oci start web
	assert_status web stopped
	[ -e "$TMP/first" ]
	[ ! -e "$TMP/third" ]
	oci delete web
	poststop_ran
}

@test "a failing start hook ends every process of a container without a pid namespace" {
	config '.linux.namespaces |= map(select(.type != "pid"))'
	args sh -c 'sleep 1000 & echo $! >/child; wait'
	hook poststart "until test -s $BUNDLE/rootfs/child; do :; done; exit 1"
	create web
	run_bad "error running poststart hook #0" oci start web
	wait_until is_dead "$(cat "$BUNDLE/rootfs/child")"
	oci delete web
}

@test "a failing poststop hook is a warning, and the other hooks run" {
	hook poststop 'echo bad; exit 7'
	hook poststop "touch $TMP/second"
	create web
	run_ok oci --debug delete web
	assert_output_has "warning: error running poststop hook #0: \
exit status 7, stdout: bad, stderr: "
	[ -e "$TMP/second" ]
	rm "$TMP/second"
	create web
	run_ok oci delete web
	assert_lines "sandlock-oci: warning: error running poststop hook #0: \
exit status 7, stdout: bad, stderr: "
	[ -e "$TMP/second" ]
}

@test "a hook ends at its timeout, with the processes it started" {
	local script="sleep 1000 & echo \$\$ \$! >PIDS; wait"

	hook createRuntime "${script/PIDS/$TMP/pids}" '{"timeout": 1}'
	run_bad "error running createRuntime hook #0: \
hook ran past specified timeout of 1 s" create web
	assert_gone web
	all_dead "$TMP/pids"
	config '.hooks.createContainer = .hooks.createRuntime |
		del(.hooks.createRuntime)'
	run_bad "error running createContainer hook #0: \
hook ran past specified timeout of 1 s" create web
	assert_gone web
	[ -z "$(leftovers)" ]
}

@test "a startContainer hook ends at its timeout" {
	config '.linux.namespaces |= map(select(.type != "pid"))'
	hook startContainer 'sleep 1000 & echo $$ $! >/pids; wait' \
		'{"timeout": 1}'
	create web
	run_bad "error running startContainer hook #0: \
hook ran past specified timeout of 1 s" oci start web
	all_dead "$BUNDLE/rootfs/pids"
	assert_status web stopped
	oci delete web
}

@test "a hook within its timeout is no failure" {
	hook createRuntime true '{"timeout": 1000}'
	create web
}

@test "create refuses an invalid hook timeout" {
	hook createRuntime true '{"timeout": 0}'
	run_bad "hooks.createRuntime[0].timeout: " create web
	config '.hooks.createRuntime[0].timeout = -1'
	run_bad "hooks.createRuntime[0].timeout: " create web
}

@test "the error of a hook names the signal that ended it" {
	hook createRuntime 'echo last words; kill -9 $$'
	run_bad "error running createRuntime hook #0: killed by signal 9 (killed), \
stdout: last words, stderr: " create web
	config '.hooks.createContainer = .hooks.createRuntime |
		del(.hooks.createRuntime)'
	run_bad "error running createContainer hook #0: killed by signal 9" \
		create web
}

@test "the error of a hook says why it cannot run" {
	local point

	echo data >"$TMP/data"
	cp "$TMP/data" "$BUNDLE/rootfs/data"
	for point in prestart createRuntime createContainer; do
		config --arg point "$point" \
			'.hooks = {($point): [{path: "/not/there"}]}'
		run_bad "error running $point hook #0: exec /not/there: \
no such file or directory" create web
		config --arg point "$point" --arg dir "$TMP" \
			'.hooks = {($point): [{path: ($dir + "/data")}]}'
		run_bad "error running $point hook #0: exec $TMP/data: \
permission denied" create web
	done
	config '.hooks = {startContainer: [{path: "/not/there"}]}'
	run_bad "error running startContainer hook #0: " \
		oci run --bundle "$BUNDLE" web
	assert_output_has "/not/there: no such file or directory"
	config '.hooks = {startContainer: [{path: "/data"}]}'
	run_bad "error running startContainer hook #0: " \
		oci run --bundle "$BUNDLE" web
	assert_output_has "permission denied"
}

@test "create refuses a hook whose path is missing or not absolute" {
	config '.hooks.poststop = [{path: "relative"}]'
	run_bad "hooks.poststop[0].path: " create web
	config '.hooks.poststop = [{args: ["x"]}]'
	run_bad "hooks.poststop[0].path: " create web
	assert_gone web
}

@test "the error of a hook is one line, however much the hook prints" {
	hook createRuntime 'for i in 1 2 3; do echo "line $i"; done
		head -c 100000 /dev/zero | tr "\0" x >&2; echo end >&2; exit 1'
	run create web
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = *"line 3"*"xxend" ]]
	[ "${#output}" -lt 4200 ]
}

# A create that is killed while its hook runs: $TMP/hook has the hook's pid.
killed_create() {
	hook createRuntime "echo \$PPID >$TMP/create; echo \$\$ >$TMP/hook
		exec sleep 1000"
	create web >/dev/null &
	wait_until test -s "$TMP/hook"
	kill -KILL "$(cat "$TMP/create")"
	wait $! || true
	wait_until is_dead "$(cat "$TMP/hook")"
}

@test "delete --force after a create that was killed runs poststop hooks" {
	note_poststop
	killed_create
	run_ok oci delete --force web
	assert_gone web
	poststop_ran
}

@test "create runs the poststop hooks of a killed create of its ID first" {
	note_poststop
	killed_create
	without_hooks
	create web
	poststop_ran
	assert_status web created
}
