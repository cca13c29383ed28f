#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/podman.bats - podman as root.

load engines

setup_file() {
	requires podman conmon
	room_open
	write_configuration
	podman load -q -i "$ROOM/image.tar"
	write_pod
	podman play kube "$ROOM/pod.yaml"
	podman play kube --down "$ROOM/pod.yaml"
	podman run --rm "$IMAGE" true
	room_settled
}

write_configuration() {
	mkdir "$ROOM/home"
	cat >"$ROOM/storage.conf" <<-END
		[storage]
		driver = "overlay"
		graphroot = "$ROOM/graph"
		runroot = "/run/containers"
	END
	cat >"$ROOM/containers.conf" <<-END
		[containers]
		# A machine that is a container may have lower limits than podman asks for.
		default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		lock_type = "file"
		runtime = "sandlock"
		runtime_supports_json = ["sandlock"]
		runtime_supports_nocgroup = ["sandlock"]
		tmp_dir = "/run/libpod"
		volume_path = "$ROOM/volumes"
		[engine.runtimes]
		sandlock = ["$RUNTIME"]
		[network]
		network_backend = "netavark"
		network_config_dir = "$ROOM/networks"
	END
}

write_pod() {
	cat >"$ROOM/pod.yaml" <<-END
		apiVersion: v1
		kind: Pod
		metadata:
		  name: played
		  annotations:
		    io.example.word: here
		spec:
		  restartPolicy: Never
		  containers:
		  - name: one
		    image: $IMAGE
		    command: ["sleep", "1000"]
		    resources:
		      limits:
		        memory: 64Mi
	END
}

podman() {
	room env XDG_RUNTIME_DIR= HOME="$ROOM/home" \
		CONTAINERS_CONF="$ROOM/containers.conf" \
		CONTAINERS_STORAGE_CONF="$ROOM/storage.conf" podman "$@"
}

export -f podman

# start NAME [OPTION...]: one that sleeps until it is stopped.
start() {
	podman run -d --network none --name "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait' >/dev/null
}

remove_all() {
	podman pod rm -f -a -t 0 >/dev/null
	podman rm -f -a -t 0 >/dev/null
	podman volume rm -f -a >/dev/null
}

exit_code() {
	podman inspect --format '{{.State.ExitCode}}' "$1"
}

@test "podman runs a program and shows what it prints" {
	expect 0 hello podman run --rm --network none "$IMAGE" echo hello
}

@test "podman uses the runtime that is tested" {
	start a
	expect 0 "sandlock" podman inspect --format '{{.OCIRuntime}}' a
	expect 0 "" podman info --format '{{.Host.OCIRuntime.Path}}'
	[ "$output" = "$RUNTIME" ]
}

@test "podman run ends as its program does" {
	expect 0 "" podman run --rm --network none "$IMAGE" true
	expect 7 "" podman run --rm --network none "$IMAGE" sh -c 'exit 7'
	expect 143 "" podman run --rm --network none --init "$IMAGE" \
		sh -c 'kill -TERM $$'
}

@test "podman run ends with 127 when there is no such program" {
	expect 127 "executable file not found in \$PATH" \
		podman run --rm --network none "$IMAGE" nosuch
	expect 127 "no such file or directory" \
		podman run --rm --network none "$IMAGE" /bin/nosuch
}

@test "podman run ends with 126 for what cannot be executed" {
	expect 126 "permission denied" \
		podman run --rm --network none "$IMAGE" /etc/passwd
	expect 126 "permission denied" \
		podman run --rm --network none "$IMAGE" /etc
}

@test "podman exec runs a program beside the first" {
	start a
	expect 0 "uid=0(root)" podman exec a id
	expect 9 "" podman exec a sh -c 'exit 9'
	expect 0 $'/tmp\nuid=1(daemon)' podman exec -w /tmp -u 1 a \
		sh -c 'pwd; id'
	expect 0 WORD=here podman exec -e WORD=here a env
	expect 0 "from stdin" podman exec -i a cat <<<"from stdin"
}

@test "podman exec ends with 127 and 126 as podman run does" {
	start a
	expect 127 "executable file not found in \$PATH" podman exec a nosuch
	expect 126 "permission denied" podman exec a /etc/passwd
	expect 126 "permission denied" podman exec a /etc
}

@test "podman exec -d leaves a program in the container" {
	start a
	podman exec -d a sh -c 'echo done >/tmp/done; sleep 1000'
	wait_until has "done" podman exec a cat /tmp/done
	expect 0 "sleep 1000" podman top a args
}

@test "podman exec -it gives the program a terminal" {
	start a
	expect 5 "" terminal podman exec -it a sh -c 'tty; stty size; exit 5'
	[ "$output" = $'/dev/pts/0\n33 99' ]
}

@test "podman run -it gives the program a console" {
	expect 0 "" terminal podman run --rm -it --network none "$IMAGE" \
		sh -c 'tty; stty size; test -c /dev/console'
	[ "$output" = $'/dev/pts/0\n33 99' ]
}

@test "podman run -i feeds the program" {
	expect 0 "3 words here" podman run --rm -i --network none "$IMAGE" cat \
		<<<"3 words here"
}

@test "podman logs shows both streams of a detached container" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'echo out; echo err >&2' >/dev/null
	expect 0 "" podman wait a
	expect 0 out podman logs a
	assert_output_has err
}

@test "podman stop lets the program end by itself" {
	start a
	podman stop -t 10 a
	[ "$(exit_code a)" -eq 3 ]
	podman rm a
}

@test "podman stop kills a program that does not listen" {
	podman run -d --name a --network none "$IMAGE" sleep 1000 >/dev/null
	podman stop -t 0 a
	[ "$(exit_code a)" -eq 137 ]
}

@test "podman kill sends the signal it is told to" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'trap "echo got; exit 4" USR1; echo up
		       while :; do sleep 0.05; done' >/dev/null
	wait_until has up podman logs a
	podman kill -s USR1 a
	expect 0 4 podman wait a
	expect 0 got podman logs a
	podman start a
	podman kill a
	expect 0 137 podman wait a
}

@test "podman creates, initialises and starts in three steps" {
	podman create --name a \
		--network none "$IMAGE" sh -c 'echo begun; exit 6' >/dev/null
	podman init a
	expect 0 initialized podman inspect --format '{{.State.Status}}' a
	expect 6 begun podman start -a a
}

@test "podman removes a container that was never started" {
	podman create --name a \
		--network none "$IMAGE" true >/dev/null
	podman init a
	podman rm -f a
}

@test "podman restarts a container" {
	start a
	local pid

	pid=$(podman inspect --format '{{.State.Pid}}' a)
	podman restart -t 5 a
	[ "$(podman inspect --format '{{.State.Pid}}' a)" -ne "$pid" ]
	expect 0 "" podman exec a true
}

@test "podman sets limits of memory and processes" {
	start a --memory 64m --pids-limit 50
	[ "$(memory_limit podman exec a cat)" -eq 67108864 ]
	[ "$(pids_limit podman exec a cat)" -eq 50 ]
}

@test "podman sees a program killed that wants too much memory" {
	expect 137 "" podman run --rm --network none --memory 16m \
		--memory-swap 16m "$IMAGE" tail /dev/zero
}

@test "podman has a fork refused that is one too many" {
	expect 2 "can't fork" podman run --rm --network none --pids-limit 5 \
		"$IMAGE" sh -c 'for i in 1 2 3 4 5 6 7; do sleep 9 & done; wait'
}

@test "podman run --read-only leaves only a tmpfs to write to" {
	expect 0 "Read-only file system" podman run --rm --network none \
		--read-only --tmpfs /scratch "$IMAGE" \
		sh -c '! touch /file && touch /scratch/file'
}

@test "podman mounts volumes and directories" {
	mkdir "$TMP/dir"
	echo kept >"$TMP/dir/file"
	expect 0 "Read-only file system" podman run --rm --network none \
		-v "$TMP/dir:/dir:ro" -v "named:/named" "$IMAGE" \
		sh -c '! touch /dir/new && cp /dir/file /named/'
	expect 0 kept podman run --rm --network none -v "named:/named" \
		-v "$TMP/dir:/dir" "$IMAGE" \
		sh -c 'cat /named/file; echo new >/dir/new'
	[ "$(<"$TMP/dir/new")" = new ]
}

@test "podman takes capabilities away, and gives all" {
	expect 0 "CapBnd:	0000000000000000" podman run --rm \
		--network none --cap-drop all "$IMAGE" \
		grep Cap /proc/self/status
	expect 0 "CapEff:	$(sed -n 's/CapEff:	//p' /proc/self/status)" \
		podman run --rm --network none --privileged "$IMAGE" \
		grep Cap /proc/self/status
}

@test "podman filters system calls, unless told not to" {
	expect 0 "Seccomp:	2" podman run --rm --network none "$IMAGE" \
		grep Seccomp /proc/self/status
	expect 0 "Seccomp:	0" podman run --rm --network none \
		--security-opt seccomp=unconfined "$IMAGE" \
		grep Seccomp /proc/self/status
}

@test "podman run --uidmap has a user namespace, and exec is in it" {
	start a --uidmap 0:300000:65536
	expect 0 "0     300000      65536" podman exec a cat /proc/self/uid_map
	expect 0 "0 0 755" podman exec a stat -c '%u %g %a' /etc
	expect 0 /dev/pts/0 terminal podman exec -it a tty
}

@test "podman run --pid host and --uts host share the caller's" {
	local ns

	for ns in pid uts; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" \
			podman run --rm --network none --$ns host "$IMAGE" \
			readlink /proc/self/ns/$ns
	done
}

@test "podman run --init reaps" {
	expect 0 "1 root" podman run --rm --network none --init "$IMAGE" ps
	assert_output_has "init"
}

@test "podman runs a container without a cgroup of its own" {
	local ours

	ours=$(room tail -n 1 /proc/self/cgroup)
	expect 0 "" podman run --rm --network none --cgroups disabled \
		--cgroupns host "$IMAGE" tail -n 1 /proc/self/cgroup
	[ "$output" = "$ours" ]
}

@test "podman passes on descriptors" {
	echo given >"$TMP/file"
	expect 0 given podman_run_with_file "$TMP/file"
}

# shellcheck disable=SC2016 # for the shell inside
# `room` closes 3, bats' own: the shell inside opens it anew.
podman_run_with_file() {
	room env XDG_RUNTIME_DIR= HOME="$ROOM/home" \
		CONTAINERS_CONF="$ROOM/containers.conf" \
		CONTAINERS_STORAGE_CONF="$ROOM/storage.conf" \
		bash -c 'exec podman run --rm --network none --preserve-fds 1 \
			"$1" sh -c "cat <&3" 3<"$2"' bash "$IMAGE" "$1"
}

@test "podman copies files in, and out of a running container" {
	start a
	echo carried >"$TMP/file"
	podman cp "$TMP/file" a:/tmp/file
	expect 0 carried podman exec a cat /tmp/file
	podman cp a:/etc/passwd "$TMP/passwd"
	grep -q root "$TMP/passwd"
}

@test "podman publishes a port of a container on a bridge" {
	podman run -d --name web -p 127.0.0.1:8088:80 "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	wait_until has page room "$(command -v busybox)" \
		wget -qO- http://127.0.0.1:8088/
}

@test "the containers of a podman pod share network, IPC and host name" {
	local ns

	podman pod create --name p >/dev/null
	podman run -d --pod p --name a "$IMAGE" \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp' >/dev/null
	podman run -d --pod p --name b "$IMAGE" sleep 1000 >/dev/null
	for ns in net ipc uts; do
		[ "$(podman exec a readlink /proc/self/ns/$ns)" = \
			"$(podman exec b readlink /proc/self/ns/$ns)" ]
	done
	[ "$(podman exec a readlink /proc/self/ns/pid)" != \
		"$(podman exec b readlink /proc/self/ns/pid)" ]
	wait_until has page podman exec b wget -qO- http://127.0.0.1/
	[ "$(podman exec b hostname)" = p ]
	podman pod stop -t 0 p
	podman pod rm p
}

@test "a podman pod may share its processes, too" {
	podman pod create --name p --network none --share pid,uts,ipc >/dev/null
	podman run -d --pod p --name a "$IMAGE" sleep 1234 >/dev/null
	expect 0 "sleep 1234" podman run --rm --pod p "$IMAGE" ps
	podman kill a
	expect 0 137 podman wait a
}

@test "podman plays a pod written for Kubernetes" {
	podman play kube "$ROOM/pod.yaml"
	expect 0 "uid=0(root)" podman exec played-one id
	[ "$(memory_limit podman exec played-one cat)" -eq 67108864 ]
	podman play kube --down "$ROOM/pod.yaml"
}
