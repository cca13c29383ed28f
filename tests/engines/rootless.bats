#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/rootless.bats - podman without privileges.

load podman

setup_file() {
	requires newuidmap
	has_engine podman conmon slirp4netns
	room_open
	make_user
	write_podman_configuration
	podman load -q -i "$ROOM/image.tar"
	engine "podman, rootless," "$(podman --version)"
	podman pod create --name first --network none
	podman run --rm --pod first "$IMAGE" true
	podman pod rm -f first
	podman run --rm --network slirp4netns "$IMAGE" true
	room_settled
}

# With a runtime directory, and a tun device as udev would have it.
make_user() {
	room_user
	install -d -o "$USER_ID" -g "$USER_ID" "$ROOM/home"
	room bash -ec "
		install -d -m 0700 -o $USER_ID -g $USER_ID /run/user/$USER_ID
		mknod -m 0666 /run/tun c 10 200
		mount --bind /run/tun /dev/net/tun"
}

podman_environment() {
	room setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups \
		--inh-caps=-all env -i HOME="$ROOM/home" PATH="$PATH" \
		TERM="$TERM" XDG_RUNTIME_DIR="/run/user/$USER_ID" \
		PODMAN_IGNORE_CGROUPSV1_WARNING=1 \
		CONTAINERS_STORAGE_CONF="$ROOM/storage.conf" "$@"
}
export USER_ID
export -f podman_environment

# bats test_tags=run,exit-codes
@test "rootless podman runs a program and exits with its status" {
	expect 0 "uid=0(root)" podman_once "$IMAGE" id
	expect 7 "" podman_once "$IMAGE" sh -c 'exit 7'
	expect 143 "" podman_once --init "$IMAGE" sh -c 'kill -TERM $$'
}

# bats test_tags=exit-codes
@test "rootless podman exits with 127 and 126 when it cannot run a program" {
	expect 127 "executable file not found in \$PATH" podman_once "$IMAGE" nosuch
	expect 126 "permission denied" podman_once "$IMAGE" /etc/passwd
}

# bats test_tags=user-namespaces
@test "the root of a rootless container is the user outside" {
	podman_start_sleeping a
	expect 0 "0       $USER_ID          1" \
		podman exec a cat /proc/self/uid_map
	[ "$(room stat -c %u "/proc/$(podman_pid a)")" -eq "$USER_ID" ]
}

# bats test_tags=exec
@test "rootless podman exec runs a program beside the first" {
	podman_start_sleeping a
	expect 9 "/tmp" podman exec -w /tmp a sh -c 'pwd; exit 9'
	expect 0 "uid=1(daemon)" podman exec -u 1 a id
	expect 0 WORD=here podman exec -e WORD=here a env
	expect 127 "executable file not found in \$PATH" podman exec a nosuch
	podman exec -d a sh -c 'echo done >/tmp/done'
	wait_until has "done" podman exec a cat /tmp/done
}

# bats test_tags=tty,exec
@test "rootless podman exec -it and run -it give a program a terminal" {
	podman_start_sleeping a
	expect 5 "" terminal podman exec -it a sh -c "$SHOW_TERMINAL; exit 5"
	[ "$output" = /dev/pts/0 ]
	expect 0 "" terminal podman run --rm -it --network none "$IMAGE" \
		sh -c 'tty; test -c /dev/console'
	[ "$output" = /dev/pts/0 ]
}

# bats test_tags=stop,kill,restart,top
@test "rootless podman stops, kills and restarts a container" {
	podman_start_sleeping a
	expect 0 "sleep 1000" podman top a args
	podman stop -t 10 a
	[ "$(podman_exit_code a)" -eq 3 ]
	podman start a
	podman restart -t 0 a
	podman kill a
	expect 0 137 podman wait a
	podman rm a
}

# bats test_tags=detached,logs
@test "rootless podman keeps the logs of a detached container" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'echo out; echo err >&2' >/dev/null
	expect 0 0 podman wait a
	expect 0 out podman logs a
	assert_output_has err
}

# bats test_tags=attach
@test "rootless podman attach passes on input and output" {
	podman run -d -i --name a --network none "$IMAGE" \
		sh -c 'read word; echo "read $word"; exit 8' >/dev/null
	expect 0 "read it" podman attach a <<<it
	expect 0 8 podman wait a
}

# bats test_tags=read-only,tmpfs,binds
@test "rootless podman makes the root and a bound directory read-only" {
	expect 0 "Read-only file system" podman_once --read-only \
		--tmpfs /scratch -v "$ROOM/home:/home:ro" "$IMAGE" \
		sh -c '! touch /file && ! touch /home/file && touch /scratch/f'
}

# bats test_tags=volumes
@test "rootless podman keeps the files of a volume" {
	podman_once -v named:/named "$IMAGE" sh -c 'echo kept >/named/file'
	expect 0 kept podman_once -v named:/named "$IMAGE" cat /named/file
}

# bats test_tags=capabilities,privileged
@test "rootless podman drops capabilities, and gives all" {
	expect 0 "CapBnd:	0000000000000000" podman_once --cap-drop all "$IMAGE" \
		grep Cap /proc/self/status
	expect 0 "" podman_once --privileged "$IMAGE" mount -t tmpfs tmpfs /tmp
}

# bats test_tags=seccomp,no-new-privileges
@test "rootless podman sets a seccomp filter and no_new_privs" {
	expect 0 "Seccomp:	2" podman_once --security-opt no-new-privileges \
		"$IMAGE" grep -E 'Seccomp|NoNewPrivs' /proc/self/status
	assert_output_has "NoNewPrivs:	1"
	no_mkdir >"$ROOM/home/profile.json"
	expect 1 "Operation not permitted" podman_once \
		--security-opt "seccomp=$ROOM/home/profile.json" "$IMAGE" \
		mkdir /tmp/new
	expect 0 "Seccomp:	0" podman_once --security-opt seccomp=unconfined \
		"$IMAGE" grep Seccomp /proc/self/status
}

# bats test_tags=user-namespaces
@test "rootless podman run --userns keep-id runs a program as the user inside" {
	expect 0 "uid=$USER_ID" podman_once --userns keep-id "$IMAGE" id
}

# bats test_tags=devices
@test "rootless podman binds a device of the host" {
	expect 0 "" podman_once --device /dev/zero:/dev/nought "$IMAGE" \
		head -c 1 /dev/nought
}

# bats test_tags=sysctl,ulimits,hostname
@test "rootless podman sets sysctls, limits and the host name of the container alone" {
	expect 0 4321 podman_once --sysctl net.core.somaxconn=4321 "$IMAGE" \
		cat /proc/sys/net/core/somaxconn
	expect 0 123 podman_once --ulimit nofile=123:123 --ulimit nproc=99:99 \
		"$IMAGE" sh -c 'ulimit -n'
	expect 0 inside podman_once --hostname inside "$IMAGE" hostname
}

# bats test_tags=host-namespaces
@test "rootless podman run --network host and its like share the caller's namespaces" {
	local ns

	expect 0 "$(room readlink /proc/self/ns/net)" podman run --rm \
		--network host "$IMAGE" readlink /proc/self/ns/net
	for ns in pid uts; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" \
			podman_once --$ns host "$IMAGE" readlink /proc/self/ns/$ns
	done
}

# bats test_tags=network
@test "rootless podman gives a container a network by slirp4netns" {
	expect 0 "10.0.2.100" podman run --rm --network slirp4netns "$IMAGE" \
		ip address
}

# bats test_tags=pods,shared-namespaces
@test "the containers of a rootless pod share their network" {
	podman pod create --name p --network none >/dev/null
	podman run -d --pod p --name a "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page podman run --rm --pod p "$IMAGE" \
		wget -qO- http://127.0.0.1/
	podman pod stop -t 0 p
	podman pod rm p
}

# bats test_tags=kube-play
@test "rootless podman plays a pod written for Kubernetes" {
	cat >"$ROOM/home/pod.yaml" <<-END
		apiVersion: v1
		kind: Pod
		metadata:
		  name: played
		spec:
		  restartPolicy: Never
		  containers:
		  - name: one
		    image: $IMAGE
		    command: ["sleep", "1000"]
	END
	podman play kube --network none "$ROOM/home/pod.yaml"
	expect 0 "uid=0(root)" podman exec played-one id
	podman play kube --down "$ROOM/home/pod.yaml"
}

# bats test_tags=secrets
@test "rootless podman hands a secret to a container" {
	echo -n whispered >"$ROOM/home/secret"
	podman secret create word "$ROOM/home/secret"
	expect 0 whispered podman_once --secret word "$IMAGE" cat /run/secrets/word
	podman secret rm word
}

# bats test_tags=healthcheck
@test "rootless podman runs the health check of a container" {
	podman_start_sleeping a --health-cmd 'test -e /tmp/well' --health-interval disable \
		--health-retries 1
	expect 1 "" podman healthcheck run a
	podman exec a touch /tmp/well
	expect 0 "" podman healthcheck run a
}

# bats test_tags=annotations
@test "rootless podman passes annotations on to the runtime" {
	podman_start_sleeping a --annotation io.example.word=here
	expect 0 here jq '.annotations["io.example.word"]' \
		"$(podman inspect --format '{{.OCIConfigPath}}' a)"
}

# bats test_tags=copy
@test "rootless podman copies files in, and out of a running container" {
	podman_start_sleeping a
	echo carried >"$ROOM/home/file"
	podman cp "$ROOM/home/file" a:/tmp/file
	expect 0 carried podman exec a cat /tmp/file
	podman cp a:/etc/passwd "$ROOM/home/passwd"
	grep -q root "$ROOM/home/passwd"
}

# bats test_tags=init
@test "rootless podman run --init reaps orphans" {
	expect 0 "1 root" podman_once --init "$IMAGE" ps
	assert_output_has "init"
}

# bats test_tags=propagation
@test "rootless podman binds a directory as a slave, or privately" {
	expect 0 " /dir " podman_once -v "$ROOM/home:/dir:rslave" "$IMAGE" \
		grep 'master:' /proc/self/mountinfo
	expect 1 "" podman_once -v "$ROOM/home:/dir:rprivate" "$IMAGE" \
		grep ' /dir .*master:' /proc/self/mountinfo
}

# bats test_tags=cgroup-namespace
@test "rootless podman gives a container a cgroup namespace, or the caller's" {
	expect 0 "$(room readlink /proc/self/ns/cgroup)" \
		podman_once --cgroupns host "$IMAGE" readlink /proc/self/ns/cgroup
	expect 0 "cgroup:" podman_once --cgroupns private "$IMAGE" \
		readlink /proc/self/ns/cgroup
	[ "$output" != "$(room readlink /proc/self/ns/cgroup)" ]
}

# bats test_tags=policy
@test "rootless podman passes a policy on, and refuses a wrong one" {
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 "Seccomp_filters:	2" podman_once \
		--annotation io.sandlock.network.mode=deny "$IMAGE" \
		grep Seccomp /proc/self/status
	expect 126 "io.sandlock.network.mode: 'none' is not" podman_once \
		--annotation io.sandlock.network.mode=none "$IMAGE" true
}
