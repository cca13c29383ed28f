#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/containerd.bats - containerd, by its own client.

load containerd

setup_file() {
	has_engine containerd ctr
	room_open
	show_network
	start_containerd
	engine "containerd, ctr," "$(containerd_version)"
	task_with --cni -- first true
	room_settled
}

# task_with OPTION... -- ID PROGRAM...: run it with these, and remove it.
task_with() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	ctr run --rm --runc-binary "$RUNTIME" "${options[@]}" "$IMAGE" "$@"
}

# task_once ID [PROGRAM...]: without any.
task_once() {
	task_with -- "$@"
}
export -f task_with

# start_task ID [OPTION...]: one that sleeps until it is stopped.
start_task() {
	local id=$1

	shift
	ctr run -d --runc-binary "$RUNTIME" "$@" "$IMAGE" "$id" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait'
}

remove_all() {
	local id

	for id in $(ctr tasks list -q); do
		ctr tasks kill -s KILL "$id" 2>/dev/null || true
		ctr tasks rm -f "$id" 2>/dev/null || true
	done
	for id in $(ctr containers list -q); do
		ctr containers rm "$id"
	done
}

task_is_stopped() {
	has STOPPED ctr tasks list
}

task_pid() {
	ctr tasks list | awk -v id="$1" '$1 == id { print $2 }'
}

# cgroup_file ID NAME...: a file of this name in the container's cgroup.
cgroup_file() {
	room find /sys/fs/cgroup -path "*/default/$1/*" \
		'(' -name "$2" -o -name "$3" ')' -exec cat {} +
}

# bats test_tags=run,exit-codes
@test "ctr runs a program and exits with its status" {
	expect 0 hello task_once a echo hello
	expect 7 "" task_once a sh -c 'exit 7'
	expect 143 "" task_once a sh -c 'sh -c "kill -TERM \$\$"; exit $?'
}

# bats test_tags=exit-codes
@test "ctr names the program it cannot run, and why" {
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		task_once a nosuch
	expect 1 'exec: "/etc/passwd": permission denied' task_once a /etc/passwd
	expect 0 "" task_once a true
}

# bats test_tags=run
@test "ctr runs a program with a working directory and an environment" {
	expect 0 /tmp task_with --cwd /tmp -- a pwd
	expect 0 WORD=here task_with --env WORD=here -- a env
}

# bats test_tags=run
@test "ctr runs a container from a plain directory" {
	expect 0 hello ctr run --rm --runc-binary "$RUNTIME" \
		--rootfs "$ROOM/image/rootfs" a /bin/echo hello
}

# The client sets the size of the terminal later, and may come too late.
# bats test_tags=tty
@test "ctr gives a program a terminal" {
	expect 5 /dev/pts/ terminal task_with -t -- a sh -c 'tty; exit 5'
}

# bats test_tags=exec,tty
@test "ctr task exec runs a program beside the first" {
	start_task a
	expect 9 "uid=0(root)" ctr tasks exec --exec-id e a sh -c 'id; exit 9'
	expect 0 "/tmp" ctr tasks exec --exec-id e --cwd /tmp a pwd
	expect 0 "uid=1(daemon)" ctr tasks exec --exec-id e --user 1:1 a id
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		ctr tasks exec --exec-id e a nosuch
	expect 5 /dev/pts/ terminal ctr tasks exec -t --exec-id e a \
		sh -c 'tty; exit 5'
}

# bats test_tags=detached,stop,top
@test "ctr task kill, ps and rm see a container to its end" {
	start_task a
	expect 0 RUNNING ctr tasks list
	expect 0 "$(room pgrep -xf "sleep 1000")" ctr tasks ps a
	ctr tasks kill -s TERM a
	wait_until task_is_stopped
	expect 0 "exit code 3" ctr tasks rm a
	ctr containers rm a
}

# bats test_tags=kill
@test "ctr task kill --all reaches every process" {
	start_task a
	ctr tasks exec -d --fifo-dir "$TMP/fifo" --exec-id e a sleep 2000
	wait_until room pgrep -xf "sleep 2000"
	ctr tasks kill -s KILL --all a
	wait_until task_is_stopped
	expect 1 "" room pgrep -xf "sleep 2000"
}

# The program's input must not end before anyone is there.
# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=attach
@test "ctr task attach passes on input, output and exit status" {
	ctr run -d --runc-binary "$RUNTIME" "$IMAGE" a \
		sh -c 'read word; echo "read $word"; exit 8' <>"$ROOM/silence"
	expect 8 "read it" ctr tasks attach a <<<it
}

# Text that is written to the room's silence is typed.
# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=attach,tty
@test "ctr task attach types at the terminal of a container" {
	terminal ctr run -d -t --runc-binary "$RUNTIME" "$IMAGE" a \
		sh -c 'read word; test -t 1 && test "$word" = it && exit 6'
	echo it >"$ROOM/silence" &
	expect 6 "" terminal ctr tasks attach a
}

# bats test_tags=logs
@test "ctr keeps what a detached container prints" {
	ctr run -d --runc-binary "$RUNTIME" --log-uri "file://$TMP/log" \
		"$IMAGE" a sh -c 'echo line; sleep 1000'
	wait_until has line cat "$TMP/log"
}

# bats test_tags=restart
@test "ctr starts the task of a container anew" {
	start_task a
	ctr tasks kill -s KILL a
	wait_until task_is_stopped
	ctr tasks rm a || true
	ctr tasks start -d a
	expect 0 RUNNING ctr tasks list
}

# bats test_tags=pause
@test "ctr task pause stops a container, and resume lets it go on" {
	start_task a
	ctr tasks pause a
	expect 0 PAUSED ctr tasks list
	stands_still "$(task_pid a)"
	ctr tasks resume a
	expect 0 RUNNING ctr tasks list
	expect 1 "" stands_still "$(task_pid a)"
}

# task_has_processes ID N: by what containerd counts.
task_has_processes() {
	ctr tasks metrics "$1" | grep -Eq "^pids\.current +$2\s*$"
}

# bats test_tags=stats
@test "ctr task metrics counts what a container takes" {
	start_task a
	wait_until task_has_processes a 2
}

# bats test_tags=memory,cpus
@test "ctr sets limits of memory and CPU" {
	start_task a --memory-limit 67108864 --cpu-quota 50000 --cpu-period 100000
	expect 0 67108864 cgroup_file a memory.max memory.limit_in_bytes
	expect 0 50000 cgroup_file a cpu.max cpu.cfs_quota_us
}

# bats test_tags=oom-kill
@test "ctr reports a program that exceeds its memory limit as killed" {
	expect 137 "" task_with --memory-limit 16777216 -- a tail /dev/zero
}

# bats test_tags=read-only,binds
@test "ctr mounts, and keeps the root read-only" {
	echo kept >"$TMP/file"
	expect 0 kept task_with --read-only \
		--mount "type=bind,src=$TMP/file,dst=/file,options=rbind:ro" \
		-- a sh -c '! touch /new && ! touch /file && cat /file'
	assert_output_has "Read-only file system"
}

# bats test_tags=tmpfs
@test "ctr mounts a tmpfs" {
	expect 0 "tmpfs /scratch" task_with \
		--mount "type=tmpfs,src=tmpfs,dst=/scratch,options=size=1m" \
		-- a cat /proc/mounts
}

# bats test_tags=propagation
@test "ctr binds a directory with or without later mounts of the host" {
	local dir=$ROOM/propagation bind

	bind=type=bind,src=$dir,dst=/dir,options=rbind
	mkdir -p "$dir/later"
	room mount --bind "$dir" "$dir"
	room mount --make-shared "$dir"
	start_task slave --mount "$bind:rslave"
	start_task private --mount "$bind:rprivate"
	room mount -t tmpfs tmpfs "$dir/later"
	expect 0 /dir/later ctr tasks exec --exec-id e slave cat /proc/mounts
	expect 1 "" ctr tasks exec --exec-id e private \
		grep /dir/later /proc/mounts
	room umount "$dir/later"
	start_task shared --rootfs-propagation rshared --mount "$bind:rshared"
	mounts_back "$(task_pid shared)" "$dir"
	remove_all
	room umount "$dir"
}

# bats test_tags=seccomp
@test "ctr filters system calls when asked to" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a policy"
	no_mkdir >"$TMP/profile.json"
	expect 0 "Seccomp:	2" task_with --seccomp -- a \
		grep Seccomp /proc/self/status
	expect 1 "Operation not permitted" task_with --seccomp \
		--seccomp-profile "$TMP/profile.json" -- a mkdir /tmp/new
	expect 0 "Seccomp:	0" task_once a grep Seccomp /proc/self/status
}

# bats test_tags=capabilities,privileged
@test "ctr takes a capability away, or gives all privileges" {
	expect 1 "Operation not permitted" task_with --cap-drop CAP_CHOWN -- a \
		chown 1 /tmp
	expect 0 "CapEff:	$(sed -n 's/CapEff:	//p' /proc/self/status)" \
		task_with --privileged -- a grep Cap /proc/self/status
}

# bats test_tags=no-new-privileges
@test "ctr sets no_new_privs, unless --allow-new-privs is given" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a policy"
	expect 0 "NoNewPrivs:	1" task_once a grep NoNewPrivs /proc/self/status
	expect 0 "NoNewPrivs:	0" task_with --allow-new-privs -- a \
		grep NoNewPrivs /proc/self/status
}

# These options make ctr forget --runc-binary: it runs what is called runc.
# bats test_tags=user-namespaces
@test "ctr run --uidmap gives a container a user namespace" {
	expect 0 "0     300000      65536" task_with --uidmap 0:300000:65536 \
		--gidmap 0:300000:65536 -- a cat /proc/self/uid_map
}

# bats test_tags=devices
@test "ctr gives a container a device, and no other" {
	expect 0 "" task_with --device /dev/fuse -- a sh -c ': <>/dev/fuse'
	expect 1 "Operation not permitted" task_once a \
		sh -c 'mknod /tmp/fuse c 10 229; : <>/tmp/fuse'
}

# start_configured FILTER: container a, of containerd's own config.json, which jq
# has changed.
# shellcheck disable=SC2016 # the dollars are jq's
start_configured() {
	ctr oci spec | jq --arg root "$ROOM/image/rootfs" \
		'.root = {path: $root} | .linux.cgroupsPath = "/default/a" |
		.process.args = ["/bin/sleep", "1000"] | '"$1" \
		>"$TMP/config.json"
	ctr run -d --runc-binary "$RUNTIME" --config "$TMP/config.json" a
}

# bats test_tags=pids,cpuset
@test "ctr run --config sets limits that ctr has no options for" {
	start_configured '.linux.resources += {pids: {limit: 50},
		cpu: {cpus: "0"}}'
	expect 0 "" cgroup_file a pids.max
	[ "$output" = 50 ]
	expect 0 "" cgroup_file a cpuset.cpus
	[ "$output" = 0 ]
}

# bats test_tags=hostname,sysctl,ulimits,cgroup-namespace
@test "ctr run --config applies settings that ctr has no options for" {
	start_configured '.hostname = "inside" |
		.linux.sysctl = {"net.core.somaxconn": "4321"} |
		.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 123,
			hard: 123}] |
		.linux.namespaces += [{type: "cgroup"}]'
	expect 0 inside task_exec a /bin/hostname
	expect 0 4321 task_exec a /bin/cat /proc/sys/net/core/somaxconn
	expect 0 123 task_exec a /bin/sh -c 'ulimit -n'
	expect 1 "" task_exec a /bin/grep -v ':/$' /proc/self/cgroup
}

# bats test_tags=hostname
@test "ctr run --hostname sets the host name of a container" {
	[ -n "$ENGINE_SUITE" ] || skip "needs containerd 1.7"
	expect 0 inside task_with --hostname inside -- a hostname
}

# bats test_tags=network
@test "ctr run --cni gives a container an interface" {
	expect 0 10.77.0. task_with --cni -- a ip address show eth0
}

# bats test_tags=host-namespaces
@test "ctr run --net-host shares the network of the daemon" {
	expect 0 "$(room readlink /proc/self/ns/net)" task_with --net-host -- a \
		readlink /proc/self/ns/net
}

# bats test_tags=shared-namespaces
@test "a ctr container joins the namespaces of another" {
	local pid

	start_task a
	pid=$(task_pid a)
	expect 0 "$(room readlink "/proc/$pid/ns/net")" \
		task_with --with-ns "network:/proc/$pid/ns/net" -- b \
		readlink /proc/self/ns/net
}

# bats test_tags=cgroup-parent
@test "ctr run --cgroup puts a container into that cgroup" {
	start_task a --cgroup /given/a
	room grep -q /given/a "/proc/$(task_pid a)/cgroup"
}

# bats test_tags=annotations
@test "ctr passes annotations on to the runtime" {
	start_task a --annotation io.example.word=here
	expect 0 here jq '.annotations["io.example.word"]' \
		"/proc/$ROOM_PID/root/run/containerd/io.containerd.runtime.v2.task/default/a/config.json"
}

# bats test_tags=policy
@test "ctr gets the status of a container with a supervisor" {
	local with=(--annotation io.sandlock.config.supervisor=true)

	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 hello task_with "${with[@]}" -- a echo hello
	expect 7 "" task_with "${with[@]}" -- a sh -c 'exit 7'
	start_task a "${with[@]}"
	expect 9 "" ctr tasks exec --exec-id e a sh -c 'exit 9'
	ctr tasks pause a
	ctr tasks resume a
	ctr tasks kill -s KILL a
	until ctr tasks list | grep -q "^a .*STOPPED"; do
		sleep 0.1
	done
	expect 0 "exit code 137" ctr tasks delete a
}

# A wrong value is refused by the name of its key, which shows that it arrived.
# bats test_tags=policy
@test "ctr passes a policy on, and does not run a container with a wrong one" {
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 0 "Seccomp_filters:	1" task_with \
		--annotation io.sandlock.network.mode=deny -- a \
		grep Seccomp_filters /proc/self/status
	expect 1 "io.sandlock.network.mode: 'none' is not" task_with \
		--annotation io.sandlock.network.mode=none -- a true
}
