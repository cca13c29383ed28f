#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/rootless.bats - podman without privileges.

load engines

setup_file() {
	requires podman conmon newuidmap slirp4netns
	room_open
	make_user
	write_configuration
	podman load -q -i "$ROOM/image.tar"
	podman pod create --name first --network none
	podman run --rm --pod first "$IMAGE" true
	podman pod rm -f first
	podman run --rm --network slirp4netns "$IMAGE" true
	room_settled
}

# A user the host does not know, with the right to 65536 more, a runtime
# directory, and a tun device as udev would have it.
make_user() {
	mkdir "$ROOM/etc"
	cp /etc/passwd /etc/group "$ROOM/etc/"
	echo "$USER_NAME:x:$USER_ID:$USER_ID::$ROOM/home:/bin/sh" \
		>>"$ROOM/etc/passwd"
	echo "$USER_NAME:x:$USER_ID:" >>"$ROOM/etc/group"
	echo "$USER_NAME:300000:65536" | tee "$ROOM/etc/subuid" \
		>"$ROOM/etc/subgid"
	install -d -o "$USER_ID" -g "$USER_ID" "$ROOM/home"
	room bash -ec "
		for file in passwd group subuid subgid; do
			mount --bind $ROOM/etc/\$file /etc/\$file
		done
		install -d -m 0700 -o $USER_ID -g $USER_ID /run/user/$USER_ID
		mknod -m 0666 /run/tun c 10 200
		mount --bind /run/tun /dev/net/tun"
}

write_configuration() {
	cat >"$ROOM/storage.conf" <<-END
		[storage]
		driver = "overlay"
		rootless_storage_path = "$ROOM/home/graph"
		runroot = "/run/user/$USER_ID/containers"
	END
	cat >"$ROOM/containers.conf" <<-END
		[containers]
		default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		lock_type = "file"
		runtime = "sandlock"
		runtime_supports_json = ["sandlock"]
		[engine.runtimes]
		sandlock = ["$RUNTIME"]
		[network]
		network_backend = "netavark"
	END
}

podman() {
	room setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups \
		--inh-caps=-all env -i HOME="$ROOM/home" PATH="$PATH" \
		TERM="$TERM" XDG_RUNTIME_DIR="/run/user/$USER_ID" \
		CONTAINERS_CONF="$ROOM/containers.conf" \
		CONTAINERS_STORAGE_CONF="$ROOM/storage.conf" podman "$@"
}
export USER_ID
export -f podman

# start NAME [OPTION...]: one that sleeps until it is stopped.
start() {
	podman run -d --network none --name "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait' >/dev/null
}

remove_all() {
	podman pod rm -f -a -t 0 >/dev/null
	podman rm -f -a -t 0 >/dev/null
}

@test "rootless podman runs a program and ends as it does" {
	expect 0 "uid=0(root)" podman run --rm --network none "$IMAGE" id
	expect 7 "" podman run --rm --network none "$IMAGE" sh -c 'exit 7'
}

@test "rootless podman ends with 127 and 126 when it cannot run a program" {
	expect 127 "executable file not found in \$PATH" \
		podman run --rm --network none "$IMAGE" nosuch
	expect 126 "permission denied" \
		podman run --rm --network none "$IMAGE" /etc/passwd
}

@test "the root of a rootless container is the user outside" {
	start a
	expect 0 "0       $USER_ID          1" \
		podman exec a cat /proc/self/uid_map
	[ "$(room stat -c %u "/proc/$(podman inspect \
		--format '{{.State.Pid}}' a)")" -eq "$USER_ID" ]
}

@test "rootless podman exec ends as its program does" {
	start a
	expect 9 "/tmp" podman exec -w /tmp a sh -c 'pwd; exit 9'
	expect 127 "executable file not found in \$PATH" podman exec a nosuch
}

@test "rootless podman exec -it and run -it have a terminal" {
	start a
	expect 5 "" terminal podman exec -it a sh -c 'tty; stty size; exit 5'
	[ "$output" = $'/dev/pts/0\n33 99' ]
	expect 0 "" terminal podman run --rm -it --network none "$IMAGE" \
		sh -c 'tty; test -c /dev/console'
	[ "$output" = /dev/pts/0 ]
}

@test "rootless podman stops, kills and starts again" {
	start a
	expect 0 "sleep 1000" podman top a args
	podman stop -t 10 a
	expect 0 3 podman inspect --format '{{.State.ExitCode}}' a
	podman start a
	podman kill a
	expect 0 137 podman wait a
	podman rm a
}

@test "rootless podman keeps the logs of a detached container" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'echo out; echo err >&2' >/dev/null
	expect 0 0 podman wait a
	expect 0 out podman logs a
	assert_output_has err
}

@test "rootless podman mounts read-only what it is told to" {
	expect 0 "Read-only file system" podman run --rm --network none \
		--read-only --tmpfs /scratch -v "$ROOM/home:/home:ro" \
		--cap-drop all "$IMAGE" \
		sh -c '! touch /file && ! touch /home/file && touch /scratch/f'
}

@test "rootless podman run --userns keep-id is the user inside, too" {
	expect 0 "uid=$USER_ID" podman run --rm --network none \
		--userns keep-id "$IMAGE" id
}

@test "rootless podman has a network by slirp4netns" {
	expect 0 "10.0.2.100" podman run --rm --network slirp4netns "$IMAGE" \
		ip address
}

@test "the containers of a rootless pod share their network" {
	podman pod create --name p --network none >/dev/null
	podman run -d --pod p --name a "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page podman run --rm --pod p "$IMAGE" \
		wget -qO- http://127.0.0.1/
	podman pod stop -t 0 p
	podman pod rm p
}
