#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/podman-pods.bats - podman as root: networks and pods.

load podman

setup_file() {
	has_engine podman conmon
	start_podman
	write_pod
	podman play kube "$ROOM/pod.yaml"
	podman play kube --down "$ROOM/pod.yaml"
	podman run --rm "$IMAGE" true
	room_settled
}

write_pod() {
	cat >"$ROOM/pod.yaml" <<-END
		apiVersion: v1
		kind: Pod
		metadata:
		  name: played
		  annotations:
		    io.example.word: here
		spec:
		  restartPolicy: Never
		  containers:
		  - name: one
		    image: $IMAGE
		    command: ["sleep", "1000"]
		    resources:
		      limits:
		        memory: 64Mi
	END
}

# bats test_tags=network
@test "podman publishes a port of a container on a bridge" {
	podman run -d --name web -p 127.0.0.1:8088:80 "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page room "$ROOM/image/rootfs/bin/busybox" \
		wget -qO- http://127.0.0.1:8088/
}

# bats test_tags=shared-namespaces
@test "a podman container joins the namespaces of another" {
	podman_start_sleeping a
	expect 0 "$(podman exec a readlink /proc/self/ns/net)" \
		podman run --rm --network container:a "$IMAGE" \
		readlink /proc/self/ns/net
	expect 0 "sleep 1000" podman run --rm --network container:a \
		--pid container:a "$IMAGE" ps
}

# bats test_tags=pods,shared-namespaces
@test "the containers of a podman pod share network, IPC and host name" {
	local ns

	podman pod create --name p >/dev/null
	podman run -d --pod p --name a "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	podman run -d --pod p --name b "$IMAGE" sleep 1000 >/dev/null
	for ns in net ipc uts; do
		[ "$(podman exec a readlink /proc/self/ns/$ns)" = \
			"$(podman exec b readlink /proc/self/ns/$ns)" ]
	done
	[ "$(podman exec a readlink /proc/self/ns/pid)" != \
		"$(podman exec b readlink /proc/self/ns/pid)" ]
	wait_until has page podman exec b wget -qO- http://127.0.0.1/
	[ "$(podman exec b hostname)" = p ]
	podman pod stop -t 0 p
	podman pod rm p
}

# bats test_tags=pods,shared-namespaces
@test "a podman pod may share its pid namespace" {
	podman pod create --name p --network none --share pid,uts,ipc >/dev/null
	podman run -d --pod p --name a "$IMAGE" sleep 1234 >/dev/null
	expect 0 "sleep 1234" podman run --rm --pod p "$IMAGE" ps
	podman kill a
	expect 0 137 podman wait a
}

# shellcheck disable=SC2086 # words
no_cgroup() {
	! find $ROOM_CGROUPS -type d -name "$1" | grep -q .
}

# bats test_tags=pods
@test "a podman pod leaves nothing when its first container goes first" {
	local first

	podman pod create --name p --network none >/dev/null
	podman run -d --pod p --name a "$IMAGE" sleep 1000 >/dev/null
	first=$(podman pod inspect --format '{{.InfraContainerID}}' p)
	podman kill "$first"
	wait_until no_cgroup "libpod-$first"
	podman kill a
	expect 0 137 podman wait a
}

# bats test_tags=pods,pause
@test "podman pauses, stops and starts all of a pod" {
	podman pod create --name p --network none >/dev/null
	podman run -d --pod p --name a "$IMAGE" sleep 1000 >/dev/null
	podman pod pause p
	[ "$(podman_state a)" = paused ]
	podman pod unpause p
	podman pod stop -t 0 p
	[ "$(podman_state a)" = exited ]
	podman pod start p
	expect 0 "" podman exec a true
}

# bats test_tags=kube-play,annotations
@test "podman plays a pod written for Kubernetes" {
	podman play kube "$ROOM/pod.yaml"
	expect 0 "uid=0(root)" podman exec played-one id
	[ "$(memory_limit podman exec played-one cat)" -eq 67108864 ]
	expect 0 here jq '.annotations["io.example.word"]' \
		"$(podman inspect --format '{{.OCIConfigPath}}' played-one)"
	podman play kube --down "$ROOM/pod.yaml"
}

# podman does not tell the runtime which of a pod's containers it is.
# bats test_tags=kube-play,policy
@test "podman plays a pod with a policy that is for all containers" {
	local pod=$CONTRIB/kubernetes/pod.yaml

	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	podman tag "$IMAGE" docker.io/library/busybox:1.37
	expect 125 "web.io.sandlock/limits.memory: this container has no name" \
		podman play kube --network none "$pod"
	podman play kube --down "$pod"
	sed '/web.io.sandlock/d' "$pod" >"$ROOM/all.yaml"
	podman play kube --network none "$ROOM/all.yaml"
	[ "$(pids_limit podman exec sandlocked-web cat)" -eq 100 ]
	[ "$(pids_limit podman exec sandlocked-shell cat)" -eq 100 ]
	podman play kube --down "$ROOM/all.yaml"
	podman untag "$IMAGE" docker.io/library/busybox:1.37
}
