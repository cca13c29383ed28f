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
	start_container '{}' true
	stop_pod
	room_settled
}

# field FILE EXPRESSION: of a YAML or TOML file of contrib/, as JSON by jq.
field() {
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

@test "containerd has the handler by version 1 of its format, too" {
	run_pod sandlock
	start_container '{}' sleep 1000
	expect 0 inside exec_sync hostname
}

@test "the class leads to the handler that engines have" {
	[ "$(field kubernetes/runtimeclass.yaml .metadata.name)" = \
		"$(field kubernetes/pod.yaml .spec.runtimeClassName)" ]
	run_pod "$(field kubernetes/runtimeclass.yaml .handler)"
}

@test "the pod's policy arrives, and that of its container" {
	local key

	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	for key in $(field kubernetes/pod.yaml \
		'.metadata.annotations | keys[]'); do
		expect 1 "$key\"]: $POLICY_REFUSED" run_pod sandlock "$key"
	done
	expect 0 "" field kubernetes/pod.yaml '.metadata.annotations | keys[]'
	assert_output_has io.sandlock.network.mode
	assert_output_has "$(field kubernetes/pod.yaml \
		'.spec.containers[0].name').io.sandlock/"
}

# There is no CRI-O to run: its file says what it must, and nothing else.
@test "CRI-O's file leads to the runtime" {
	[ "$(field crio/10-sandlock.conf '.crio.runtime.runtimes.sandlock |
		keys | join(" ")')" = "runtime_path runtime_root runtime_type" ]
	[ "$(field crio/10-sandlock.conf \
		.crio.runtime.runtimes.sandlock.runtime_type)" = oci ]
	expect 0 "version" room "$(field crio/10-sandlock.conf \
		.crio.runtime.runtimes.sandlock.runtime_path)" --version
}
