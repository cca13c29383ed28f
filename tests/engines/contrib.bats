#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/contrib.bats - the files of contrib/ that no other test uses.
#
# Those of podman, docker and containerd are what the tests of these engines
# run with; that of systemd is what users have in the virtual machine.

load cri

setup_file() {
	requires node python3
	has_engine containerd ctr
	room_open
	start_pods v1
	run_pod sandlock
	start_cri_container '{}' true
	stop_pod
	room_settled
}

# contrib_field FILE EXPRESSION: of a YAML or TOML file of contrib/, as JSON
# by jq.
contrib_field() {
	python3 - "$CONTRIB/$1" <<-'END' | jq -r "$2"
		import json, sys
		path = sys.argv[1]
		if path.endswith(".yaml"):
		    import yaml
		    tree = yaml.safe_load(open(path))
		else:
		    import tomllib
		    tree = tomllib.load(open(path, "rb"))
		print(json.dumps(tree))
	END
}

# No Debian suite of the tests has containerd 2, so these are compared with the
# tables of its documentation, and with the file that the tests run with.
@test "the handler of versions 3 and 4 is that of version 2, in the tables of containerd 2" {
	local version old='.plugins."io.containerd.grpc.v1.cri".containerd.runtimes'
	local new='.plugins."io.containerd.cri.v1.runtime".containerd.runtimes'

	for version in 3 4; do
		[ "$(contrib_field "containerd/config-v$version.toml" .version)" = \
			"$version" ]
		[ "$(contrib_field "containerd/config-v$version.toml" \
			"$new | tojson")" = \
			"$(contrib_field containerd/config-v2.toml "$old | tojson")" ]
		[ "$(contrib_field "containerd/config-v$version.toml" \
			'[keys, (.plugins | keys)] | tojson')" = \
			'[["plugins","version"],["io.containerd.cri.v1.runtime"]]' ]
	done
}

@test "containerd finds the handler in version 1 of its configuration" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 0 inside exec_sync hostname
}

@test "a pod of the RuntimeClass has its policy, and one container a memory limit of its own" {
	local handler web

	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	handler=$(contrib_field kubernetes/runtimeclass.yaml .handler)
	[ "$(contrib_field kubernetes/runtimeclass.yaml .metadata.name)" = \
		"$(contrib_field kubernetes/pod.yaml .spec.runtimeClassName)" ]
	POD_MORE=$(contrib_field kubernetes/pod.yaml \
		'{annotations: .metadata.annotations}') run_pod "$handler"
	start_of_pod 0
	web=$CONTAINER
	start_of_pod 1
	expect 0 'Seccomp:\t2' exec_sync grep Seccomp /proc/self/status
	[ "$(memory_limit exec_sync cat | jq -r .stdout)" != 67108864 ]
	CONTAINER=$web
	[ "$(memory_limit exec_sync cat | jq -r .stdout)" -eq 67108864 ]
}

# start_of_pod N: the container of the file, by the test's image.
start_of_pod() {
	local words

	mapfile -t words < <(contrib_field kubernetes/pod.yaml \
		".spec.containers[$1].command[]")
	start_cri_container "$(contrib_field kubernetes/pod.yaml \
		"{metadata: {name: .spec.containers[$1].name}}")" "${words[@]}"
}

# There is no CRI-O to run: its file says what it must, and nothing else.
@test "CRI-O's configuration names the runtime" {
	[ "$(contrib_field crio/10-sandlock.conf '.crio.runtime.runtimes.sandlock |
		keys | join(" ")')" = "runtime_path runtime_root runtime_type" ]
	[ "$(contrib_field crio/10-sandlock.conf \
		.crio.runtime.runtimes.sandlock.runtime_type)" = oci ]
	expect 0 "version" room "$(contrib_field crio/10-sandlock.conf \
		.crio.runtime.runtimes.sandlock.runtime_path)" --version
}

# use_etc: a copy of /etc that only the engine sees.
use_etc() {
	# shellcheck disable=SC2016 # for the inner shell
	room sh -c 'mkdir "$0" && cp -a /etc/. "$0" &&
		mkdir -p "$0/sandlock/profiles" && mount --bind "$0" /etc' \
		"$ROOM/etc"
}

@test "a floor of /etc/sandlock/config.toml holds for the containers of a pod, and pods still start" {
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	use_etc
	echo 'enforce = "floor"' >"$ROOM/etc/sandlock/config.toml"
	printf '%s\n' '[filesystem]' 'read = ["/bin", "/usr", "/lib", "/lib64"]' \
		'[limits]' 'open_files = 100' \
		>"$ROOM/etc/sandlock/profiles/floor.toml"
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 0 100 exec_sync sh -c 'ulimit -n'
	[ "$(exec_sync cat /etc/hosts | jq -r .exit_code)" != 0 ]
	stop_pod
	POD_MORE='{"annotations": {"io.sandlock.syscalls.extra_allow": "ptrace"}}' \
		run run_pod sandlock
	[ "$status" -ne 0 ]
	[[ $output = *"would loosen the enforced profile /etc/sandlock/profiles/floor.toml"* ]]
	room umount -l /etc
	rm -r "${ROOM:?}/etc"
}
