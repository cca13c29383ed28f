# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/docker.bash - a dockerd in the room.

load engines

# start_docker [OPTION...]: with the runtime of contrib/docker, and the image.
start_docker() {
	find_docker
	mkdir "$ROOM/home"
	start_daemon dockerd env PATH="$DOCKER:$PATH" dockerd \
		--config-file "$CONTRIB/docker/daemon.json" \
		--data-root "$ROOM/docker" --exec-root /run/docker \
		--pidfile /run/docker.pid --host unix:///run/docker.sock \
		--exec-opt native.cgroupdriver=cgroupfs "$@"
	daemon_answers dockerd Server docker version
	docker load -q -i "$ROOM/image.tar"
	engine docker "$(docker version --format '{{.Server.Version}}')"
}

# That of the suite, an installed one, or else one that is only unpacked.
find_docker() {
	local root

	if [ -n "$ENGINE_SUITE" ]; then
		DOCKER=/usr/sbin:/usr/bin
	elif command -v dockerd >/dev/null; then
		DOCKER=$(dirname "$(command -v dockerd)")
	else
		root=$(unpacked docker.io tini)
		ln -sf tini-static "$root/usr/bin/docker-init"
		DOCKER=$root/usr/bin:$root/usr/sbin
	fi
	export DOCKER
}

docker() {
	room env PATH="$DOCKER:$PATH" HOME="$ROOM/home" \
		DOCKER_HOST=unix:///run/docker.sock docker "$@"
}

docker_run() {
	docker run --runtime sandlock --network none "$@"
}

# docker_once OPTION... IMAGE PROGRAM...: and remove it.
docker_once() {
	docker_run --rm "$@"
}
export -f docker docker_run docker_once

# docker_start_sleeping NAME [OPTION...]: one that sleeps until it is stopped.
docker_start_sleeping() {
	docker_run -d --name "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait' >/dev/null
}

remove_all() {
	local id

	for id in $(docker ps -aq); do
		docker rm -f "$id"
	done
	for id in $(docker volume ls -q); do
		docker volume rm "$id"
	done
}

docker_exit_code() {
	docker inspect --format '{{.State.ExitCode}}' "$1"
}

docker_pid() {
	docker inspect --format '{{.State.Pid}}' "$1"
}

docker_state() {
	docker inspect --format '{{.State.Status}}' "$1"
}
