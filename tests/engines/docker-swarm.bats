#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/docker-swarm.bats - docker's secrets, which only a swarm has.

load docker

setup_file() {
	has_engine containerd runc iptables
	room_open
	start_docker --default-runtime sandlock
	docker_once "$IMAGE" true
	room_settled
}

remove_all() {
	docker service rm one 2>/dev/null || true
	wait_until no_container
	docker swarm leave --force
}

no_container() {
	[ -z "$(docker ps --all --quiet)" ]
}

one_runs() {
	[ -n "$(docker ps --quiet)" ]
}

# bats test_tags=secrets
@test "docker hands a secret to a container of a service" {
	docker swarm init --advertise-addr 127.0.0.1 \
		--listen-addr 127.0.0.1 >/dev/null
	echo -n whispered >"$TMP/secret"
	docker secret create word "$TMP/secret" >/dev/null
	docker service create --detach --name one --no-resolve-image \
		--secret word "$IMAGE" sleep 1000 >/dev/null
	wait_until one_runs
	expect 0 whispered docker exec "$(docker ps --quiet)" \
		cat /run/secrets/word
	expect 0 "tmpfs /run/secrets/word" docker exec "$(docker ps --quiet)" \
		cat /proc/mounts
}
