# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/containerd.bash - a containerd in the room.

load engines

# start_containerd [FORMAT [CNI PLUGINS]]: with the handler of contrib/, in this
# version of the format, and the image both for ctr and for pods.
start_containerd() {
	local namespace

	write_configuration "${1:-v2}" "${2:-/usr/lib/cni}"
	start_daemon containerd containerd --config "$ROOM/containerd.toml" \
		--root "$ROOM/containerd"
	daemon_answers containerd Server: ctr version
	for namespace in default k8s.io; do
		ctr --namespace "$namespace" images import "$ROOM/image.tar"
	done
}

containerd_version() {
	ctr version | sed -n '/^Server/,$ s/ *Version: *//p'
}

# What contrib/ has, and what only tests need. What a sandbox runs is the
# image's own command: to sleep. A machine that is a container may not be
# allowed to lower the OOM score.
write_configuration() {
	local cri='"io.containerd.grpc.v1.cri"' opt='"io.containerd.internal.v1.opt"'

	[ "$1" != v1 ] || cri=cri opt=opt
	cat "$CONTRIB/containerd/config-$1.toml" - >"$ROOM/containerd.toml" <<-END
		[plugins.$opt]
		  path = "$ROOM/opt"
		[plugins.$cri]
		  sandbox_image = "$IMAGE"
		  restrict_oom_score_adj = true
		  disable_tcp_service = true
		[plugins.$cri.cni]
		  bin_dir = "$2"
		  conf_dir = "$ROOM/cni"
	END
}

ctr() {
	room ctr "$@"
}
export -f ctr
