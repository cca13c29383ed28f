# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/containerd.bash - a containerd in the room.

load engines

# start_containerd [FORMAT [CNI PLUGINS]]: with the handler of contrib/, in this
# version of the format, and the image both for ctr and for pods.
start_containerd() {
	local namespace

	write_containerd_configuration "${1:-v2}" "${2:-/usr/lib/cni}"
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
write_containerd_configuration() {
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

cni_plugins() {
	if [ -n "$ENGINE_SUITE" ]; then
		echo /usr/lib/cni
	else
		echo "$(unpacked containernetworking-plugins)/usr/lib/cni"
	fi
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

# show_network: to ctr, which looks for it and for the plugins only there.
show_network() {
	local dir=$ROOM/shown

	write_network
	mkdir -p "$dir/etc/cni" "$dir/opt/cni"
	ln -s "$ROOM/cni" "$dir/etc/cni/net.d"
	ln -s "$(cni_plugins)" "$dir/opt/cni/bin"
	room mount -t overlay -o "lowerdir=$dir/etc:/etc" overlay /etc
	room mount -t overlay -o "lowerdir=$dir/opt:/opt" overlay /opt
}

ctr() {
	room ctr "$@"
}
export -f ctr

# task_exec ID COMMAND...: in a task that runs.
task_exec() {
	local id=$1

	shift
	ctr tasks exec --exec-id "x$RANDOM" "$id" "$@"
}
