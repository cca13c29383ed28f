# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/containerd.bash - a containerd in the room.

load engines

# start_containerd [CNI PLUGINS]: with a handler "sandlock", and the image both
# for ctr and for pods.
start_containerd() {
	local namespace

	write_configuration "${1:-/usr/lib/cni}"
	start_daemon containerd containerd --config "$ROOM/containerd.toml"
	wait_until has Server: ctr version
	for namespace in default k8s.io; do
		ctr --namespace "$namespace" images import "$ROOM/image.tar"
	done
}

# What a sandbox runs is the image's own command: to sleep. A machine that is
# a container may not be allowed to lower the OOM score.
write_configuration() {
	cat >"$ROOM/containerd.toml" <<-END
		version = 2
		root = "$ROOM/containerd"
		oom_score = 0
		[plugins."io.containerd.internal.v1.opt"]
		  path = "$ROOM/opt"
		[plugins."io.containerd.grpc.v1.cri"]
		  sandbox_image = "$IMAGE"
		  restrict_oom_score_adj = true
		  disable_tcp_service = true
		[plugins."io.containerd.grpc.v1.cri".cni]
		  bin_dir = "$1"
		  conf_dir = "$ROOM/cni"
		[plugins."io.containerd.grpc.v1.cri".containerd]
		  default_runtime_name = "sandlock"
		[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.sandlock]
		  runtime_type = "io.containerd.runc.v2"
		  pod_annotations = ["io.sandlock.*", "io.example.*"]
		  container_annotations = ["io.sandlock.*", "io.example.*"]
		[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.sandlock.options]
		  BinaryName = "$RUNTIME"
	END
}

ctr() {
	room ctr "$@"
}
export -f ctr
