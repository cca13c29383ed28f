#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/podman-settings.bats - podman as root: what a container is given.

load podman

setup_file() {
	has_engine podman conmon
	start_podman
	podman_once "$IMAGE" true
	room_settled
}

# bats test_tags=memory,pids
@test "podman sets limits of memory and processes" {
	podman_start_sleeping a --memory 64m --pids-limit 50
	[ "$(memory_limit podman exec a cat)" -eq 67108864 ]
	[ "$(pids_limit podman exec a cat)" -eq 50 ]
}

# bats test_tags=cpus,cpuset
@test "podman sets the CPU quota and the CPUs" {
	podman_start_sleeping a --cpus 0.5 --cpuset-cpus 0
	expect 0 50000 cpu_quota podman exec a cat
	expect 0 "" cpuset podman exec a cat
	[ "$output" = 0 ]
}

# bats test_tags=update
@test "podman update changes a limit of a running container" {
	podman_start_sleeping a --memory 64m
	podman update --memory 32m a
	[ "$(memory_limit podman exec a cat)" -eq 33554432 ]
}

# bats test_tags=oom-kill
@test "podman reports a program that exceeds its memory limit as killed" {
	expect 137 "" podman_once --memory 16m --memory-swap 16m "$IMAGE" \
		tail /dev/zero
}

# bats test_tags=pids
@test "podman run --pids-limit refuses one process too many" {
	expect 2 "can't fork" podman_once --pids-limit 5 \
		"$IMAGE" sh -c 'for i in 1 2 3 4 5 6 7; do sleep 9 & done; wait'
}

# bats test_tags=read-only,tmpfs
@test "podman run --read-only leaves only a tmpfs writable" {
	expect 0 "Read-only file system" podman_once --read-only \
		--tmpfs /scratch:size=1m "$IMAGE" \
		sh -c '! touch /file && touch /scratch/file && df /scratch'
	assert_output_has "1024"
}

# bats test_tags=binds,volumes
@test "podman mounts volumes and directories" {
	mkdir "$TMP/dir"
	echo kept >"$TMP/dir/file"
	expect 0 "Read-only file system" podman_once \
		-v "$TMP/dir:/dir:ro" -v "named:/named" "$IMAGE" \
		sh -c '! touch /dir/new && cp /dir/file /named/'
	expect 0 kept podman_once -v "named:/named" -v "$TMP/dir:/dir" "$IMAGE" \
		sh -c 'cat /named/file; echo new >/dir/new'
	[ "$(<"$TMP/dir/new")" = new ]
}

# bats test_tags=propagation
@test "podman binds a directory with or without later mounts of the host" {
	local dir=$ROOM/propagation

	mkdir -p "$dir/later"
	room mount --bind "$dir" "$dir"
	room mount --make-shared "$dir"
	podman_start_sleeping slave -v "$dir:/dir:rslave"
	podman_start_sleeping private -v "$dir:/dir:rprivate"
	room mount -t tmpfs tmpfs "$dir/later"
	expect 0 /dir/later podman exec slave cat /proc/mounts
	expect 1 "" podman exec private grep /dir/later /proc/mounts
	room umount "$dir/later"
	podman_start_sleeping shared -v "$dir:/dir:rshared"
	mounts_back "$(podman_pid shared)" "$dir"
	podman rm -f -t 0 slave private shared
	room umount "$dir"
}

# bats test_tags=capabilities
@test "podman drops capabilities, and adds one" {
	expect 0 "CapBnd:	0000000000000000" podman_once --cap-drop all "$IMAGE" \
		grep Cap /proc/self/status
	expect 0 "CapEff:	0000000000001000" podman_once --cap-drop all \
		--cap-add net_admin "$IMAGE" grep Cap /proc/self/status
}

# bats test_tags=privileged
@test "podman run --privileged gives a container all capabilities" {
	expect 0 "CapEff:	$(sed -n 's/CapEff:	//p' /proc/self/status)" \
		podman_once --privileged "$IMAGE" \
		sh -c 'grep Cap /proc/self/status; mount -t tmpfs tmpfs /tmp'
}

# bats test_tags=seccomp
@test "podman sets a seccomp filter, unless seccomp=unconfined is given" {
	expect 0 "Seccomp:	2" podman_once "$IMAGE" grep Seccomp /proc/self/status
	expect 0 "Seccomp:	0" podman_once --security-opt seccomp=unconfined \
		"$IMAGE" grep Seccomp /proc/self/status
}

# bats test_tags=seccomp
@test "podman takes a seccomp profile of the caller's" {
	no_mkdir >"$TMP/profile.json"
	expect 1 "Operation not permitted" podman_once \
		--security-opt "seccomp=$TMP/profile.json" "$IMAGE" \
		mkdir /tmp/new
}

# bats test_tags=no-new-privileges
@test "podman sets no_new_privs when asked to" {
	expect 0 "NoNewPrivs:	1" podman_once --security-opt no-new-privileges \
		"$IMAGE" grep NoNewPrivs /proc/self/status
	expect 0 "NoNewPrivs:	0" podman_once "$IMAGE" \
		grep NoNewPrivs /proc/self/status
}

# bats test_tags=user-namespaces
@test "podman run --uidmap gives a container a user namespace, which exec enters" {
	podman_start_sleeping a --uidmap 0:300000:65536
	expect 0 "0     300000      65536" podman exec a cat /proc/self/uid_map
	expect 0 "0 0 755" podman exec a stat -c '%u %g %a' /etc
	expect 0 /dev/pts/0 terminal podman exec -it a tty
}

# bats test_tags=devices
@test "podman gives a container a device, and no other" {
	expect 0 "crw-rw-rw-" podman_once --device /dev/zero:/dev/nought "$IMAGE" \
		sh -c 'ls -l /dev/nought && head -c 1 /dev/nought'
	expect 1 "Operation not permitted" podman_once --cap-add mknod "$IMAGE" \
		sh -c 'mknod /tmp/mem c 1 1; head -c 1 /tmp/mem'
}

# bats test_tags=sysctl
@test "podman run --sysctl sets a value in the container alone" {
	expect 0 77 podman_once --ipc private --sysctl kernel.msgmax=77 "$IMAGE" \
		cat /proc/sys/kernel/msgmax
	expect 0 4321 podman_once --sysctl net.core.somaxconn=4321 "$IMAGE" \
		cat /proc/sys/net/core/somaxconn
}

# bats test_tags=ulimits
@test "podman run --ulimit lowers the open files of a program" {
	expect 0 123 podman_once --ulimit nofile=123:123 --ulimit nproc=99:99 \
		"$IMAGE" sh -c 'ulimit -n'
}

# bats test_tags=hostname
@test "podman run --hostname names the container" {
	expect 0 inside podman_once --hostname inside "$IMAGE" hostname
}

# bats test_tags=host-namespaces
@test "podman run --pid host and its like share the caller's namespaces" {
	local ns

	for ns in pid uts ipc; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" \
			podman_once --$ns host "$IMAGE" readlink /proc/self/ns/$ns
	done
	expect 0 "$(room readlink /proc/self/ns/net)" podman run --rm \
		--network host "$IMAGE" readlink /proc/self/ns/net
}

# bats test_tags=init
@test "podman run --init reaps orphans" {
	expect 0 "1 root" podman_once --init "$IMAGE" ps
	assert_output_has "init"
}

# bats test_tags=cgroup-parent,cgroup-namespace
@test "podman run --cgroup-parent puts a container into that cgroup" {
	expect 0 /given/libpod- podman_once --cgroup-parent /given --cgroupns host \
		"$IMAGE" cat /proc/self/cgroup
	expect 1 "" podman_once --cgroupns private "$IMAGE" \
		grep -v ':/$' /proc/self/cgroup
	remove_cgroup given
}

# bats test_tags=cgroup-parent
@test "podman runs a container without a cgroup of its own" {
	local ours

	ours=$(room tail -n 1 /proc/self/cgroup)
	expect 0 "" podman_once --cgroups disabled \
		--cgroupns host "$IMAGE" tail -n 1 /proc/self/cgroup
	[ "$output" = "$ours" ]
}

# bats test_tags=secrets
@test "podman hands a secret to a container" {
	echo -n whispered >"$TMP/secret"
	podman secret create word "$TMP/secret"
	expect 0 whispered podman_once --secret word "$IMAGE" cat /run/secrets/word
	podman secret rm word
}

# bats test_tags=annotations
@test "podman passes annotations on to the runtime" {
	local bundle

	podman_start_sleeping a --annotation io.example.word=here
	bundle=$(podman inspect --format '{{.OCIConfigPath}}' a)
	[ "$(jq -r '.annotations["io.example.word"]' "$bundle")" = here ]
}

# bats test_tags=policy
@test "podman gets the status of a container with a supervisor" {
	local with=(--annotation io.sandlock.config.supervisor=true)

	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 hello podman_once "${with[@]}" "$IMAGE" echo hello
	expect 7 "" podman_once "${with[@]}" "$IMAGE" sh -c 'exit 7'
	# shellcheck disable=SC2016 # for the inner shell
	expect 137 "" podman_once "${with[@]}" --memory 32m "$IMAGE" \
		sh -c 'x=x; while :; do x=$x$x; done'
	podman_start_sleeping a "${with[@]}"
	expect 9 "" podman exec a sh -c 'exit 9'
	podman pause a
	podman unpause a
	expect 0 "sleep 1000" podman top a args
	podman kill -s KILL a
	expect 0 137 podman wait a
	podman rm a
}

# bats test_tags=policy
@test "podman passes a policy on, and does not run a container with a wrong one" {
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 "Seccomp_filters:	2" podman_once \
		--annotation io.sandlock.network.mode=deny "$IMAGE" \
		grep Seccomp /proc/self/status
	expect 126 "io.sandlock.network.mode: 'none' is not" podman_once \
		--annotation io.sandlock.network.mode=none "$IMAGE" true
}
