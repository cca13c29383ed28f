#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/cri.bats - containerd as a kubelet drives it.

load containerd

TASKS=/run/containerd/io.containerd.runtime.v2.task/k8s.io

setup_file() {
	local plugins

	requires containerd ctr node
	room_open
	plugins=$(unpacked containernetworking-plugins)
	write_network
	start_containerd "$plugins/usr/lib/cni"
	run_pod sandlock
	start_container '{}' true
	stop_pod
	room_settled
}

write_network() {
	mkdir "$ROOM/cni"
	cat >"$ROOM/cni/10-test.conflist" <<-END
		{"cniVersion": "0.4.0", "name": "test", "plugins": [{
		  "type": "bridge", "bridge": "test0", "isGateway": true,
		  "ipam": {"type": "host-local", "dataDir": "$ROOM/addresses",
		    "ranges": [[{"subnet": "10.77.0.0/24"}]]}}]}
	END
}

cri() {
	room node "$BATS_TEST_DIRNAME/cri.js" \
		/run/containerd/containerd.sock "$@"
}

# run_pod HANDLER [ANNOTATION]: $POD, and $POD_CONFIG as it was asked for.
# shellcheck disable=SC2016 # the dollars are jq's
run_pod() {
	local answer

	POD_CONFIG=$(jq -cn --arg log "$ROOM/pod" \
		--arg annotation "${2:-io.example.pod}" \
		'{metadata: {name: "pod", uid: "1", namespace: "default"},
		  hostname: "inside", log_directory: $log,
		  annotations: {($annotation): "of the pod",
			"org.example": "not for the runtime"},
		  linux: {cgroup_parent: "/kubepods"}}')
	answer=$(cri RunPodSandbox "{\"config\": $POD_CONFIG,
		\"runtime_handler\": \"$1\"}") || return
	POD=$(jq -r .pod_sandbox_id <<<"$answer")
}

stop_pod() {
	cri StopPodSandbox "{\"pod_sandbox_id\": \"$POD\"}" >/dev/null
	cri RemovePodSandbox "{\"pod_sandbox_id\": \"$POD\"}" >/dev/null
}

# create_container JSON PROGRAM...: $CONTAINER, with more of its configuration.
# shellcheck disable=SC2016 # the dollars are jq's
create_container() {
	local more=$1 request answer

	shift
	request=$(jq -cn --arg pod "$POD" --argjson sandbox "$POD_CONFIG" \
		--arg image "$IMAGE" --argjson more "$more" \
		'{pod_sandbox_id: $pod, sandbox_config: $sandbox,
		  config: ({metadata: {name: "container"}, log_path: "log",
			image: {image: $image}, command: $ARGS.positional,
			linux: {security_context: {
				namespace_options: {pid: 1}}}} * $more)}' --args -- "$@")
	answer=$(cri CreateContainer "$request") || return
	CONTAINER=$(jq -r .container_id <<<"$answer")
}

# on_container METHOD [FIELDS]: a call that is about $CONTAINER.
on_container() {
	cri "$1" "{\"container_id\": \"$CONTAINER\"${2:+, $2}}"
}

start_container() {
	create_container "$@"
	on_container StartContainer >/dev/null
}

has_exited() {
	[ "$(on_container ContainerStatus | jq .status.state)" -eq 2 ]
}

# exec_sync PROGRAM...: as a readiness probe would.
exec_sync() {
	on_container ExecSync "\"timeout\": 20,
		\"cmd\": $(jq -cn '$ARGS.positional' --args -- "$@")"
}

remove_all() {
	local POD

	for POD in $(cri ListPodSandbox | jq -r '.items[].id'); do
		stop_pod
	done
}

@test "a pod with the handler has an address and is ready" {
	run_pod sandlock
	run_ok cri PodSandboxStatus "{\"pod_sandbox_id\": \"$POD\"}"
	[ "$(jq -r .status.runtime_handler <<<"$output")" = sandlock ]
	[ "$(jq -r .status.state <<<"$output")" -eq 0 ]
	[[ $(jq -r .status.network.ip <<<"$output") = 10.77.0.* ]]
}

@test "a pod with an unknown handler is refused" {
	expect 1 'no runtime for "nosuch" is configured' run_pod nosuch
}

@test "a container runs, is looked into, and is stopped" {
	run_pod sandlock
	start_container '{}' sh -c 'trap "exit 3" TERM; sleep 1000 & wait'
	[ "$(on_container ContainerStatus | jq .status.state)" -eq 1 ]
	run_ok exec_sync sh -c 'hostname; echo wrong >&2; exit 9'
	[ "$(jq -r .stdout <<<"$output")" = inside ]
	[ "$(jq -r .stderr <<<"$output")" = wrong ]
	[ "$(jq -r .exit_code <<<"$output")" -eq 9 ]
	on_container StopContainer '"timeout": 10'
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 3 ]
	on_container RemoveContainer
	stop_pod
}

@test "a container that ends tells how, and its log is kept" {
	run_pod sandlock
	start_container '{}' sh -c 'echo out; echo err >&2; exit 7'
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 7 ]
	grep -q 'stdout F out' "$ROOM/pod/log"
	grep -q 'stderr F err' "$ROOM/pod/log"
}

@test "a container that does not listen is killed" {
	run_pod sandlock
	start_container '{}' sleep 1000
	on_container StopContainer '"timeout": 1'
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 137 ]
}

@test "a container without its program is refused, and says so" {
	run_pod sandlock
	create_container '{}' nosuch
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		on_container StartContainer
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 128 ]
}

@test "an exec without its program is refused, and says so" {
	run_pod sandlock
	start_container '{}' sleep 1000
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		exec_sync nosuch
}

@test "an exec that takes too long is killed" {
	run_pod sandlock
	start_container '{}' sleep 1000
	expect 1 "timeout 1s exceeded" on_container ExecSync \
		'"timeout": 1, "cmd": ["sleep", "2000"]'
	wait_until eval '! room pgrep -xf "sleep 2000"'
}

@test "a container has the limits and mounts it asks for" {
	mkdir "$TMP/dir"
	run_pod sandlock
	start_container "{\"linux\": {
		\"resources\": {\"memory_limit_in_bytes\": 67108864},
		\"security_context\": {\"readonly_rootfs\": 1}},
		\"mounts\": [{\"container_path\": \"/dir\",
			\"host_path\": \"$TMP/dir\"}]}" sleep 1000
	run_ok exec_sync sh -c '! touch /new && touch /dir/new'
	[[ $(jq -r .stderr <<<"$output") = *"Read-only file system"* ]]
	[ -e "$TMP/dir/new" ]
	run_ok memory_limit exec_sync cat
	[ "$(jq -r .stdout <<<"$output")" -eq 67108864 ]
}

@test "two containers share the network and, if asked, the processes" {
	run_pod sandlock
	start_container '{"metadata": {"name": "web"}}' \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp'
	start_container '{"linux": {"security_context":
		{"namespace_options": {"pid": 0}}}}' sleep 1000
	wait_until has page exec_sync wget -qO- http://127.0.0.1/
	run_ok exec_sync ps
	[[ $output = *"1 root     sleep 1000"*"sleep 1000"* ]]
}

@test "the runtime gets the annotations it is meant to have" {
	run_pod sandlock
	start_container '{"annotations":
		{"io.example.container": "of the container"}}' sleep 1000
	run_ok room jq .annotations "$TASKS/$CONTAINER/config.json"
	[ "$(jq -r '.["io.example.pod"]' <<<"$output")" = "of the pod" ]
	[ "$(jq -r '.["io.example.container"]' <<<"$output")" = \
		"of the container" ]
	[ "$(jq -r '.["org.example"]' <<<"$output")" = null ]
}

@test "a pod that asks for a policy is not run without it" {
	expect 1 "policies are not enforced by this build" \
		run_pod sandlock io.sandlock.policy
}
