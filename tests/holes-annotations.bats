#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-annotations.bats - the run.oci. annotations that engines set, and
# delete --regex.

# shellcheck disable=SC2016 # the dollars are the hooks' and jq's
load helpers
load hooks

setup() {
	sandlock_setup
	requires root
	new_bundle box
}

# ---- keep_original_groups ----

# groups_inside COMMAND...: run it as a caller with the groups 7, 8 and 9.
groups_inside() {
	setpriv --groups 7,8,9 "$SANDLOCK_OCI" --root "$ROOT" "$@" 3>&- |
		tr -s '\t ' ' '
}

@test "run.oci.keep_original_groups leaves the caller's groups to init and exec" {
	requires setpriv
	annotate run.oci.keep_original_groups=1
	config '.process.user = {uid: 1000, gid: 1000, additionalGids: [20]}'
	args grep ^Groups: /proc/self/status
	[ "$(groups_inside run --bundle "$BUNDLE" box)" = "Groups: 7 8 9 " ]
	args sleep 1000
	start_container box
	[ "$(groups_inside exec box grep ^Groups: /proc/self/status)" = \
		"Groups: 7 8 9 " ]
	[ "$(groups_inside exec --additional-gids 30 box \
		grep ^Groups: /proc/self/status)" = "Groups: 7 8 9 " ]
}

@test "run.oci.keep_original_groups leaves the caller's groups in a user namespace" {
	requires setpriv userns
	annotate run.oci.keep_original_groups=true
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 0, size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	args grep ^Groups: /proc/self/status
	[ "$(groups_inside run --bundle "$BUNDLE" box)" = "Groups: 7 8 9 " ]
	args sleep 1000
	start_container box
	[ "$(groups_inside exec box grep ^Groups: /proc/self/status)" = \
		"Groups: 7 8 9 " ]
}

@test "run.oci.keep_original_groups of 0 keeps no groups" {
	requires setpriv
	annotate run.oci.keep_original_groups=0
	config '.process.user = {uid: 1000, gid: 1000, additionalGids: [20]}'
	args grep ^Groups: /proc/self/status
	[ "$(groups_inside run --bundle "$BUNDLE" box)" = "Groups: 20 " ]
}

# ---- what hooks print ----

@test "run.oci.hooks.stdout and stderr get what hooks of every moment print" {
	local point

	for point in prestart createRuntime createContainer startContainer \
		poststart poststop; do
		hook "$point" "echo $point; echo err $point >&2"
	done
	annotate run.oci.hooks.stdout="$TMP/out" run.oci.hooks.stderr="$TMP/err"
	echo before >"$TMP/out"
	args sleep 1000
	start_container box
	run_ok oci delete --force box
	[ "$output" = "" ]
	run cat "$TMP/out"
	assert_lines "before
prestart
createRuntime
createContainer
startContainer
poststart
poststop"
	run cat "$TMP/err"
	assert_lines "err prestart
err createRuntime
err createContainer
err startContainer
err poststart
err poststop"
	[ "$(stat -c %a "$TMP/err")" = 600 ]
}

@test "run.oci.hooks.stdout may be set alone, and create still reports a failing hook" {
	hook createRuntime 'echo to the file; echo what happened >&2; exit 3'
	annotate run.oci.hooks.stdout="$TMP/out"
	run_bad "error running createRuntime hook #0: exit status 3, stdout: to the file, stderr: what happened" \
		create box
	assert_gone box
	[ "$(cat "$TMP/out")" = "to the file" ]
}

@test "run.oci.hooks.stdout of /dev/stdout is the standard output of the runtime" {
	hook createRuntime 'echo one'
	hook poststop 'echo two >&2'
	annotate run.oci.hooks.stdout=/dev/stdout \
		run.oci.hooks.stderr=/dev/stderr
	run_ok oci run --bundle "$BUNDLE" box
	assert_lines "one
two"
}

@test "a startContainer hook has no descriptor of the file for its output" {
	hook startContainer 'readlink /proc/self/fd/1'
	annotate run.oci.hooks.stdout="$TMP/out"
	run_ok oci run --bundle "$BUNDLE" box
	[[ $(cat "$TMP/out") = pipe:* ]]
}

@test "run.oci.hooks.stdout follows no link, and takes no relative path" {
	echo precious >"$TMP/target"
	ln -s target "$TMP/link"
	hook createRuntime 'echo spoilt'
	annotate run.oci.hooks.stdout="$TMP/link"
	run_bad "annotations.run.oci.hooks.stdout: open $TMP/link: it must not be a symbolic link" \
		create box
	assert_gone box
	[ "$(cat "$TMP/target")" = precious ]
	annotate run.oci.hooks.stderr=out
	run_bad "annotations.run.oci.hooks.stderr: 'out' is not an absolute path" \
		create box
	assert_gone box
	annotate run.oci.hooks.stderr="$TMP/no/such/out"
	run_bad "annotations.run.oci.hooks.stderr: open $TMP/no/such/out: no such file or directory" \
		create box
	assert_gone box
}

@test "hooks run on when their output cannot be written" {
	requires mkfifo
	hook createRuntime 'echo one; echo two >"'"$TMP"'/ran"'
	annotate run.oci.hooks.stdout=/dev/full
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has "sandlock-oci: warning: cannot write the output of a hook to /dev/full: no space left on device"
	[ "$(cat "$TMP/ran")" = two ]
	mkfifo "$TMP/fifo"
	annotate run.oci.hooks.stdout="$TMP/fifo"
	run_bad "open $TMP/fifo: no such device or address" create box
	assert_gone box
}

@test "a poststop hook runs with a warning when its output has no place" {
	hook poststop 'touch "'"$TMP"'/ran"'
	annotate run.oci.hooks.stdout="$TMP/no/such/out"
	run_ok oci run --bundle "$BUNDLE" box
	assert_output_has "sandlock-oci: warning: annotations.run.oci.hooks.stdout: open $TMP/no/such/out: no such file or directory"
	[ -e "$TMP/ran" ]
}

# ---- a pod's annotations ----

@test "run.oci. annotations of a pod reach no file, socket or group of the host" {
	local mark key

	hook createRuntime 'echo spoilt'
	for mark in io.kubernetes.cri.container-type=container \
		io.kubernetes.cri.sandbox-id=x \
		io.kubernetes.cri-o.Annotations='{}' \
		io.kubernetes.container.name=web; do
		for key in hooks.stdout hooks.stderr keep_original_groups \
			seccomp.receiver; do
			annotate "$mark" run.oci.$key="$TMP/out"
			run_bad "annotations.run.oci.$key: affects the host, and in a pod any user may set annotations; allow it with --allow-annotations run.oci.$key" \
				create box
			assert_gone box
		done
	done
	[ ! -e "$TMP/out" ]
	annotate io.kubernetes.cri-o.ContainerType=container \
		run.oci.hooks.stdout="$TMP/out"
	run_ok oci run --bundle "$BUNDLE" box
	[ "$(cat "$TMP/out")" = spoilt ]
}

@test "--allow-annotations lists the run.oci. annotations that a pod may set" {
	hook createRuntime 'echo one'
	annotate io.kubernetes.cri.container-type=container \
		run.oci.hooks.stdout="$TMP/out" run.oci.keep_original_groups=1
	run_ok oci --allow-annotations \
		run.oci.hooks.stdout,run.oci.keep_original_groups \
		run --bundle "$BUNDLE" box
	[ "$(cat "$TMP/out")" = one ]
	run_bad "--allow-annotations: 'run.oci.handler' is not a key that needs this permission" \
		oci --allow-annotations run.oci.handler list
}

# ---- names of system calls ----

@test "run.oci.seccomp_fail_unknown_syscall refuses a profile that names an unknown call" {
	config '.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW", syscalls: [
		{names: ["mkdir"], action: "SCMP_ACT_ERRNO"},
		{names: ["chmod", "no_such_call"], action: "SCMP_ACT_ERRNO"},
		{names: ["nor_this"], action: "SCMP_ACT_ALLOW"}]}'
	run_ok oci run --bundle "$BUNDLE" box
	annotate run.oci.seccomp_fail_unknown_syscall=1
	run_bad "linux.seccomp.syscalls[1].names[1]: invalid seccomp syscall 'no_such_call'" \
		create box
	assert_gone box
	annotate run.oci.seccomp_fail_unknown_syscall=0
	run_ok oci run --bundle "$BUNDLE" box
}

# ---- delete --regex ----

@test "delete --regex deletes every container whose ID matches" {
	local id

	for id in web1 web2 db1; do
		rm -rf "$BUNDLE"
		new_bundle "$id"
		create "$id"
	done
	run_ok oci delete --regex '^web[0-9]$'
	[ "$output" = "" ]
	run_ok oci list --quiet
	[ "$output" = db1 ]
	run_ok oci delete -r nothing
	run_ok oci list --quiet
	[ "$output" = db1 ]
}

@test "delete --regex goes on after a container that it cannot delete, and fails" {
	start_sleeping web1
	new_bundle web2
	create web2
	run_bad "cannot delete container web1 that is not stopped: running" \
		oci delete --regex web
	assert_output_has "--regex: 1 of the matching containers remain"
	run_ok oci list --quiet
	[ "$output" = web1 ]
	run_ok oci delete --force --regex web
	run_ok oci list --quiet
	[ "$output" = "" ]
}

@test "delete --regex refuses a malformed regular expression" {
	run_bad "--regex '[': " oci delete --regex '['
	run_bad "--regex '': an empty expression would match every \
container: write . for all" oci delete --force --regex ''
}
