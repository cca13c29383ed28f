# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/podman.bash - podman in the room, as root or as a user.

load engines

# start_podman: as root, with the image and the image of pods.
start_podman() {
	room_open
	write_podman_configuration
	write_places
	podman load -q -i "$ROOM/image.tar"
	engine podman "$(podman --version)"
}

# What contrib/ has, and what only tests need: a machine that is a container
# may have lower limits than podman asks for.
write_podman_configuration() {
	local dir=$ROOM/containers

	mkdir -p "$ROOM/home" "$dir/containers.conf.d"
	room cat /etc/containers/policy.json >"$dir/policy.json"
	cp "$CONTRIB/podman/sandlock.conf" "$dir/containers.conf.d/"
	cat >"$dir/containers.conf.d/tests.conf" <<-END
		[containers]
		default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		lock_type = "file"
		[network]
		network_backend = "netavark"
	END
	cat >"$ROOM/storage.conf" <<-END
		[storage]
		driver = "overlay"
		graphroot = "$ROOM/graph"
		runroot = "/run/containers"
		rootless_storage_path = "$ROOM/home/graph"
	END
	room mount --bind "$dir" /etc/containers
}

# Where root would have its things on the host.
write_places() {
	cat >"$ROOM/containers/containers.conf.d/root.conf" <<-END
		[engine]
		tmp_dir = "/run/libpod"
		volume_path = "$ROOM/volumes"
		[network]
		network_config_dir = "$ROOM/networks"
	END
}

podman_environment() {
	room env XDG_RUNTIME_DIR= HOME="$ROOM/home" \
		PODMAN_IGNORE_CGROUPSV1_WARNING=1 \
		CONTAINERS_STORAGE_CONF="$ROOM/storage.conf" "$@"
}

podman() {
	podman_environment podman "$@"
}
export -f podman podman_environment

# podman_start_sleeping NAME [OPTION...]: one that sleeps until it is stopped.
podman_start_sleeping() {
	podman run -d --network none --name "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait' >/dev/null
}

# shellcheck disable=SC2016,SC2034 # for the shell inside
# For a program's shell: the terminal, once it has its size. That of an exec has
# it a moment after the program has begun.
SHOW_TERMINAL='tty
	until [ "$(stty size 2>/dev/null)" = "33 99" ]; do sleep 0.02; done'

# podman_once OPTION... IMAGE PROGRAM...: and remove it.
podman_once() {
	podman run --rm --network none "$@"
}

remove_all() {
	podman pod rm -f -a -t 0 >/dev/null
	podman rm -f -a -t 0 >/dev/null
	podman volume rm -f -a >/dev/null
}

podman_exit_code() {
	podman inspect --format '{{.State.ExitCode}}' "$1"
}

podman_pid() {
	podman inspect --format '{{.State.Pid}}' "$1"
}

podman_state() {
	podman inspect --format '{{.State.Status}}' "$1"
}
