#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/lifecycle.bats - create, start, state, kill, delete, run, list, ps.

load helpers

@test "start runs the program that create prepared" {
	requires root
	new_bundle
	args sh -c 'echo hello >/out'

	create web1
	assert_status web1 created
	[ ! -e "$BUNDLE/rootfs/out" ]
	oci start web1
	wait_until has_status web1 stopped

	[ "$(cat "$BUNDLE/rootfs/out")" = hello ]
	oci delete web1
	assert_gone web1
}

@test "create prints nothing on success" {
	requires root
	new_bundle
	run_ok create web1
	[ -z "$output" ]
	run_ok oci start web1
	[ -z "$output" ]
	wait_until has_status web1 stopped
	run_ok oci delete web1
	[ -z "$output" ]
}

@test "create refuses an ID that is in use" {
	requires root
	start_sleeping web1
	run_bad "web1: container with given ID already exists" create web1
	assert_status web1 running
}

@test "an ID is free again after delete" {
	requires root
	new_bundle
	for _ in 1 2 3; do
		start_container web1
		wait_until has_status web1 stopped
		oci delete web1
	done
}

@test "create refuses a malformed ID and leaves nothing" {
	requires root
	new_bundle
	for id in . .. a/b 'a b' 'a:b' $'a\nb' 'ä'; do
		run_bad "invalid container ID format" oci create \
			--bundle "$BUNDLE" "$id"
	done
	[ ! -d "$ROOT" ] || [ -z "$(ls "$ROOT")" ]
}

@test "start refuses a running container and says so" {
	requires root
	start_sleeping web1
	run_bad "cannot start an already running container" oci start web1
}

@test "start refuses a stopped container and says so" {
	requires root
	new_bundle
	start_container web1
	wait_until has_status web1 stopped
	run_bad "cannot start a container that has stopped" oci start web1
}

@test "commands on an unknown container say that it does not exist" {
	requires root
	for command in start state kill delete ps; do
		run_bad "container does not exist" oci "$command" nobody
	done
	run oci exec nobody true
	[ "$status" -eq 255 ]
	assert_output_has "container does not exist"
}

@test "kill sends the named signal, by number or by name" {
	requires root
	new_bundle
	args sh -c 'trap "echo usr1 >>/got" USR1; trap "echo term >>/got; exit" TERM
		echo >/ready; while :; do sleep 0.02; done'
	start_container web1
	wait_until [ -e "$BUNDLE/rootfs/ready" ]
	oci kill web1 10
	wait_until grep -q usr1 "$BUNDLE/rootfs/got"
	oci kill web1
	wait_until has_status web1 stopped
	[ "$(tail -n 1 "$BUNDLE/rootfs/got")" = term ]
}

@test "kill refuses an unknown signal" {
	requires root
	for signal in 9 KILL kill SIGKILL sigkill; do
		start_sleeping "web-$signal"
		oci kill "web-$signal" "$signal"
		wait_until has_status "web-$signal" stopped
	done
	start_sleeping web1
	run_bad 'unknown signal "FOO"' oci kill web1 FOO
	assert_status web1 running
}

@test "kill of a stopped container says that it is not running" {
	requires root
	new_bundle
	start_container web1
	wait_until has_status web1 stopped
	run_bad "container not running" oci kill web1 KILL
	run_ok oci kill --all web1 KILL
}

@test "kill works on a created container" {
	requires root
	new_bundle
	create web1
	oci kill web1 KILL
	wait_until has_status web1 stopped
	oci delete web1
}

@test "delete refuses a running container and says so" {
	requires root
	start_sleeping web1
	run_bad "cannot delete container web1 that is not stopped: running" \
		oci delete web1
	assert_status web1 running
}

@test "delete --force ends a running container" {
	requires root
	start_sleeping web1
	pid=$(pid_of web1)
	run_ok oci delete --force web1
	assert_gone web1
	[ ! -e "/proc/$pid/root/bin/busybox" ]
}

@test "delete removes a created container" {
	requires root
	new_bundle
	create web1
	run_ok oci delete web1
	assert_gone web1
}

@test "delete --force of an unknown container is no error" {
	requires root
	run_ok oci delete --force nobody
	[ -z "$output" ]
}

@test "run waits for the program, passes its exit status on and leaves nothing" {
	requires root
	new_bundle
	args sh -c 'echo out; echo err >&2; exit 7'
	run oci run --bundle "$BUNDLE" web1
	[ "$status" -eq 7 ]
	assert_output_has out
	assert_output_has err
	assert_gone web1
}

@test "run of a killed program exits with 128 and the signal" {
	requires root
	new_bundle
	args sh -c 'kill -9 $$'
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	run oci run --bundle "$BUNDLE" web1
	[ "$status" -eq 137 ]
}

@test "run takes a bundle directory alone and names the container after it" {
	requires root
	new_bundle 'web one'
	args sh -c 'echo hello'
	run_ok oci run "$BUNDLE/"
	[ "$output" = hello ]
	run_ok oci run --keep "$BUNDLE"
	assert_status web_one stopped
}

@test "run --detach returns while the program runs" {
	requires root
	new_bundle
	args sleep 1000
	oci run --detach --pid-file "$TMP/pid" --bundle "$BUNDLE" web1 \
		</dev/null >/dev/null 2>&1
	assert_status web1 running
	[ "$(cat "$TMP/pid")" = "$(pid_of web1)" ]
}

@test "state prints what engines read, in runc's order" {
	requires root
	new_bundle
	config '.annotations = {"b": "2", "a": ""}'
	create web1
	run_ok oci state web1
	[ "$(sed -n 's/^  "\([a-zA-Z]*\)":.*/\1/p' <<<"$output" | xargs)" = \
		"ociVersion id pid status bundle rootfs created annotations owner" ]
	[ "$(jq -r .id <<<"$output")" = web1 ]
	[ "$(jq -r .bundle <<<"$output")" = "$BUNDLE" ]
	[ "$(jq -r .rootfs <<<"$output")" = "$BUNDLE/rootfs" ]
	[ "$(jq -r .annotations.b <<<"$output")" = 2 ]
	[ "$(jq .pid <<<"$output")" = "$(cat "$TMP/web1.pid")" ]
	[ "$(sed -n 2p <<<"$output")" = '  "ociVersion": "1.3.0",' ]
	date -d "$(jq -r .created <<<"$output")" >/dev/null
}

@test "state of a stopped container has pid 0 and no empty annotations" {
	requires root
	new_bundle
	start_container web1
	wait_until has_status web1 stopped
	run_ok oci state web1
	[ "$(jq .pid <<<"$output")" = 0 ]
	[ "$(jq 'has("annotations")' <<<"$output")" = false ]
}

@test "the pid file has the host's pid and no newline" {
	requires root
	start_sleeping web1
	[ "$(cat "$TMP/web1.pid")" = "$(pid_of web1)" ]
	[ "$(tail -c 1 "$TMP/web1.pid" | tr -d '0-9' | wc -c)" -eq 0 ]
}

@test "edits of config.json after create do not reach the container" {
	requires root
	new_bundle
	args sh -c 'echo created >/out'
	create web1
	args sh -c 'echo edited >/out'
	config '.hooks.poststop = [{"path": "/nonesuch"}]'
	oci start web1
	wait_until has_status web1 stopped
	[ "$(cat "$BUNDLE/rootfs/out")" = created ]
	run_ok oci delete web1
}

@test "list shows every container, sorted" {
	requires root
	start_sleeping b
	new_bundle a
	create a
	run_ok oci list
	[[ ${lines[0]} =~ ^ID\ +PID\ +STATUS\ +BUNDLE\ +CREATED\ +OWNER ]]
	[[ ${lines[1]} =~ ^a\ +[0-9]+\ +created ]]
	[[ ${lines[2]} =~ ^b\ +[0-9]+\ +running ]]
	run_ok oci list --quiet
	[ "$output" = $'a\nb' ]
	run_ok oci list --format json
	[ "${#lines[@]}" -eq 1 ]
	[ "$(jq -r 'map(.id) | join(" ")' <<<"$output")" = "a b" ]
	[ "$(jq -r '.[0].owner' <<<"$output")" = root ]
}

@test "list of an explicit root that is missing is an error" {
	requires root
	run "$SANDLOCK_OCI" --root "$TMP/none" list
	[ "$status" -eq 1 ]
	[ ! -e "$TMP/none" ]
}

@test "list of an empty root prints null in JSON" {
	requires root
	mkdir -m 0700 "$ROOT"
	run_ok oci list --format json
	[ "$output" = null ]
}

@test "ps lists all processes of the container, as JSON and as a table" {
	requires root
	new_bundle
	args sh -c 'sleep 1000 & echo >/ready; wait'
	start_container web1
	wait_until [ -e "$BUNDLE/rootfs/ready" ]
	run_ok oci ps --format json web1
	[ "$(jq length <<<"$output")" -eq 2 ]
	[ "$(jq --argjson p "$(pid_of web1)" 'index($p)' <<<"$output")" != null ]
	run_ok oci ps web1
	[[ ${lines[0]} = *PID* ]]
	[ "${#lines[@]}" -eq 3 ]
	run_ok oci ps web1 -o pid,comm
	assert_output_has sleep
}

@test "ps of a stopped container is empty and no error" {
	requires root
	new_bundle
	start_container web1
	wait_until has_status web1 stopped
	run_ok oci ps --format json web1
	[ "$output" = "[]" ]
}

@test "create reports a missing program in the words that engines look for" {
	requires root
	new_bundle
	args nonesuch
	# shellcheck disable=SC2016 # so it is said
	run_bad 'exec: "nonesuch": executable file not found in $PATH' create web1
	assert_gone web1
	args /nonesuch
	run_bad 'exec: "/nonesuch": stat /nonesuch: no such file or directory' \
		create web1
	args /etc/passwd
	run_bad 'exec: "/etc/passwd": permission denied' create web1
	args /bin
	run_bad 'exec: "/bin": permission denied' create web1
}

@test "start reports a script without its interpreter in one line" {
	requires root
	new_bundle
	printf '#!/nonesuch\n' >"$BUNDLE/rootfs/run.sh"
	chmod +x "$BUNDLE/rootfs/run.sh"
	args /run.sh
	create web1
	run_bad "exec /run.sh: no such file or directory" oci start web1
	[ "${#lines[@]}" -eq 1 ]
}

@test "create --dump-plan prints the steps and does nothing" {
	requires root
	new_bundle
	run_ok oci create --dump-plan --bundle "$BUNDLE" web1
	assert_output_has "pivot root"
	assert_output_has "exec true"
	[ ! -e "$ROOT" ]
}
