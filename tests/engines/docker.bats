#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker.bats - docker run --runtime: the life of a container.

load docker

setup_file() {
	has_engine containerd runc iptables
	room_open
	start_docker
	docker_once "$IMAGE" true
	room_settled
}

# bats test_tags=run,exit-codes
@test "docker runs a program and exits with its status" {
	expect 0 hello docker_once "$IMAGE" echo hello
	expect 7 "" docker_once "$IMAGE" sh -c 'exit 7'
	expect 143 "" docker_once --init "$IMAGE" sh -c 'kill -TERM $$'
}

# bats test_tags=run
@test "docker uses the runtime under test" {
	docker_start_sleeping one
	expect 0 sandlock docker inspect --format '{{.HostConfig.Runtime}}' one
	expect 0 "$RUNTIME" docker info --format '{{json .Runtimes}}'
}

# bats test_tags=exit-codes
@test "docker run exits with 127 and 126 when it cannot run a program" {
	expect 127 "executable file not found in \$PATH" docker_once "$IMAGE" nosuch
	expect 126 "permission denied" docker_once "$IMAGE" /etc/passwd
	expect 126 "permission denied" docker_once "$IMAGE" /etc
}

# bats test_tags=exec
@test "docker exec runs a program beside the first" {
	docker_start_sleeping one
	expect 9 "uid=0(root)" docker exec one sh -c 'id; exit 9'
	expect 0 "uid=1(daemon)" docker exec -u 1 one id
	expect 0 /tmp docker exec -w /tmp one pwd
	expect 0 WORD=here docker exec -e WORD=here one env
	expect 0 "from stdin" docker exec -i one cat <<<"from stdin"
	docker exec -d one sh -c 'echo done >/tmp/done'
	wait_until has "done" docker exec one cat /tmp/done
}

# bats test_tags=exec
@test "docker exec names a missing program" {
	docker_start_sleeping one
	expect 126 "executable file not found in \$PATH" docker exec one nosuch
}

# bats test_tags=tty,exec
@test "docker exec -it and docker run -it give a program a terminal" {
	docker_start_sleeping one
	expect 5 /dev/pts/ terminal docker exec -it one sh -c 'tty; exit 5'
	expect 0 /dev/pts/ terminal docker_run --rm -it "$IMAGE" \
		sh -c 'tty; test -c /dev/console'
}

# bats test_tags=detached,logs,top
@test "docker logs and top show a detached container" {
	docker_run -d --name one "$IMAGE" \
		sh -c 'echo out; echo err >&2; sleep 1000' >/dev/null
	wait_until has out docker logs one
	wait_until has err docker logs one
	expect 0 "sleep 1000" docker top one
}

# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=attach
@test "docker attach passes on input and exit status" {
	docker_run -d -i --name one "$IMAGE" \
		sh -c 'read word; echo "read $word"; exit 8' >/dev/null
	expect 8 "" docker attach one <<<it
	wait_until has "read it" docker logs one
}

# bats test_tags=stats
@test "docker stats counts a container's processes" {
	docker_start_sleeping one
	expect 0 "one 2" docker stats --no-stream \
		--format '{{.Name}} {{.PIDs}}' one
}

# bats test_tags=stop,restart,kill
@test "docker stops, kills and restarts a container" {
	docker_start_sleeping one
	docker stop -t 10 one
	[ "$(docker_exit_code one)" -eq 3 ]
	docker start one
	docker restart -t 10 one
	docker kill one
	expect 0 137 docker wait one
	docker rm one
}

# bats test_tags=kill
@test "docker kill sends the named signal" {
	docker_run -d --name one "$IMAGE" \
		sh -c 'trap "exit 4" USR1; echo up
		       while :; do sleep 0.05; done' >/dev/null
	wait_until has up docker logs one
	docker kill -s USR1 one
	expect 0 4 docker wait one
}

# bats test_tags=restart
@test "docker restarts a container that fails" {
	docker_run -d --name one --restart on-failure:1 "$IMAGE" false
	wait_until has 1 docker inspect --format '{{.RestartCount}}' one
	wait_until has exited docker_state one
}

# bats test_tags=pause
@test "docker pauses a container and lets it go on" {
	docker_start_sleeping one
	docker pause one
	[ "$(docker_state one)" = paused ]
	stands_still "$(docker_pid one)"
	docker unpause one
	expect 1 "" stands_still "$(docker_pid one)"
	expect 0 "" docker exec one true
}

is_healthy() {
	[ "$(docker inspect --format '{{.State.Health.Status}}' "$1")" = \
		healthy ]
}

# bats test_tags=healthcheck
@test "docker runs the health check of a container" {
	docker_start_sleeping one --health-cmd 'test -e /tmp/well' --health-interval 0.2s
	docker exec one touch /tmp/well
	wait_until is_healthy one
}

# bats test_tags=copy
@test "docker copies files in, and out of a running container" {
	docker_start_sleeping one
	echo carried >"$TMP/file"
	docker cp "$TMP/file" one:/tmp/file
	expect 0 carried docker exec one cat /tmp/file
	docker cp one:/etc/passwd "$TMP/passwd"
	grep -q root "$TMP/passwd"
}

# bats test_tags=network
@test "docker publishes a port of a container on a bridge" {
	docker run -d --runtime sandlock -p 127.0.0.1:8088:80 "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page room "$ROOM/image/rootfs/bin/busybox" \
		wget -qO- http://127.0.0.1:8088/
}
