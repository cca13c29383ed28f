#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker.bats - docker run --runtime.

load engines

setup_file() {
	requires containerd runc iptables
	room_open
	find_docker
	write_configuration
	start_daemon dockerd env PATH="$DOCKER:$PATH" \
		dockerd --config-file "$ROOM/daemon.json"
	wait_until has Server docker version
	docker load -q -i "$ROOM/image.tar"
	docker_run --rm "$IMAGE" true
	room_settled
}

# An installed docker, or else one that is only unpacked.
find_docker() {
	local root

	if command -v dockerd >/dev/null; then
		DOCKER=$(dirname "$(command -v dockerd)")
	else
		root=$(unpacked docker.io tini)
		ln -sf tini-static "$root/usr/bin/docker-init"
		DOCKER=$root/usr/bin:$root/usr/sbin
	fi
	export DOCKER
}

write_configuration() {
	mkdir "$ROOM/home"
	cat >"$ROOM/daemon.json" <<-END
		{"data-root": "$ROOM/docker", "exec-root": "/run/docker",
		 "pidfile": "/run/docker.pid",
		 "hosts": ["unix:///run/docker.sock"],
		 "exec-opts": ["native.cgroupdriver=cgroupfs"],
		 "runtimes": {"sandlock": {"path": "$RUNTIME"}}}
	END
}

docker() {
	room env PATH="$DOCKER:$PATH" HOME="$ROOM/home" docker "$@"
}

docker_run() {
	docker run --runtime sandlock --network none "$@"
}
export -f docker docker_run

# start NAME [OPTION...]: one that sleeps until it is stopped.
start() {
	docker_run -d --name "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait' >/dev/null
}

remove_all() {
	local id

	for id in $(docker ps -aq); do
		docker rm -f "$id"
	done
}

exit_code() {
	docker inspect --format '{{.State.ExitCode}}' "$1"
}

@test "docker runs a program and ends as it does" {
	expect 0 hello docker_run --rm "$IMAGE" echo hello
	expect 7 "" docker_run --rm "$IMAGE" sh -c 'exit 7'
}

@test "docker run ends with 127 and 126 when it cannot run a program" {
	expect 127 "executable file not found in \$PATH" \
		docker_run --rm "$IMAGE" nosuch
	expect 126 "permission denied" docker_run --rm "$IMAGE" /etc/passwd
	expect 126 "permission denied" docker_run --rm "$IMAGE" /etc
}

@test "docker exec runs a program beside the first" {
	start one
	expect 9 "uid=0(root)" docker exec one sh -c 'id; exit 9'
	expect 0 /tmp docker exec -w /tmp one pwd
	expect 0 "from stdin" docker exec -i one cat <<<"from stdin"
	expect 126 "executable file not found in \$PATH" docker exec one nosuch
}

@test "docker exec -it and run -it have a terminal" {
	start one
	expect 5 /dev/pts/ terminal docker exec -it one sh -c 'tty; exit 5'
	expect 0 /dev/pts/ terminal docker_run --rm -it "$IMAGE" \
		sh -c 'tty; test -c /dev/console'
}

@test "docker logs and top show a detached container" {
	docker_run -d --name one "$IMAGE" \
		sh -c 'echo out; echo err >&2; sleep 1000' >/dev/null
	wait_until has out docker logs one
	wait_until has err docker logs one
	expect 0 "sleep 1000" docker top one
}

@test "docker stops, kills and starts again" {
	start one
	docker stop -t 10 one
	[ "$(exit_code one)" -eq 3 ]
	docker start one
	docker restart -t 10 one
	docker kill one
	expect 0 137 docker wait one
	docker rm one
}

@test "docker sets limits of memory and processes" {
	start one --memory 64m --pids-limit 50
	[ "$(memory_limit docker exec one cat)" -eq 67108864 ]
	[ "$(pids_limit docker exec one cat)" -eq 50 ]
}

@test "docker knows that the memory was not enough" {
	expect 137 "" docker_run --name one --memory 16m --memory-swap 16m \
		"$IMAGE" tail /dev/zero
	expect 0 true docker inspect --format '{{.State.OOMKilled}}' one
}

@test "docker mounts, and keeps the root read-only" {
	mkdir "$TMP/dir"
	expect 0 "Read-only file system" docker_run --rm --read-only \
		--tmpfs /scratch -v "$TMP/dir:/dir" "$IMAGE" \
		sh -c '! touch /new && touch /scratch/new /dir/new'
	[ -e "$TMP/dir/new" ]
}

@test "docker filters system calls and new privileges" {
	expect 0 "Seccomp:	2" docker_run --rm \
		--security-opt no-new-privileges "$IMAGE" \
		grep -E 'Seccomp|NoNewPrivs' /proc/self/status
	assert_output_has "NoNewPrivs:	1"
}

@test "docker run --privileged runs even where not all can be given" {
	expect 0 "" docker_run --rm --privileged "$IMAGE" \
		mount -t tmpfs tmpfs /tmp
}

@test "docker run --init reaps" {
	expect 0 docker-init docker_run --rm --init "$IMAGE" ps
}

@test "docker publishes a port of a container on a bridge" {
	docker run -d --runtime sandlock -p 127.0.0.1:8088:80 "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page room "$(command -v busybox)" \
		wget -qO- http://127.0.0.1:8088/
}
