# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/cri.bash - pods of a containerd, as a kubelet has them.

load containerd

# start_pods FORMAT: a containerd with a network for them.
start_pods() {
	write_network
	start_containerd "$1" "$(cni_plugins)"
}

# The caller's certificates have nothing to say here, and node tells of those
# that are missing.
cri() {
	env -u NODE_EXTRA_CA_CERTS node "$BATS_TEST_DIRNAME/cri.js" \
		"/proc/$ROOM_PID/root/run/containerd/containerd.sock" "$@"
}

# run_pod HANDLER [ANNOTATION]: $POD, and $POD_CONFIG as it was asked for; more
# of it is in $POD_MORE.
# shellcheck disable=SC2016 # the dollars are jq's
run_pod() {
	local answer

	POD_CONFIG=$(jq -cn --arg log "$ROOM/pod" \
		--arg annotation "${2:-io.example.pod}" \
		'{metadata: {name: "pod", uid: "1", namespace: "default"},
		  hostname: "inside", log_directory: $log,
		  annotations: {($annotation): "of the pod",
			"org.example": "not for the runtime"},
		  linux: {cgroup_parent: "/kubepods"}} * $more' \
		--argjson more "${POD_MORE:-{\}}")
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

start_cri_container() {
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

# stream METHOD FIELDS INPUT [UNTIL]: a call that gives streams, and what they
# bring, to their end or UNTIL this.
stream() {
	local url

	url=$(on_container "$1" "$2" | jq -r .url) || return
	env -u NODE_EXTRA_CA_CERTS nsenter --target "$ROOM_PID" --net node \
		"$BATS_TEST_DIRNAME/stream.js" "$url" "${@:3}" 3>&-
}

remove_all() {
	local POD

	for POD in $(cri ListPodSandbox | jq -r '.items[].id'); do
		stop_pod
	done
}
