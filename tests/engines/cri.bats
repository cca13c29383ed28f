#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/cri.bats - containerd as a kubelet drives it.

load cri

TASKS=/run/containerd/io.containerd.runtime.v2.task/k8s.io

setup_file() {
	requires node
	has_engine containerd ctr
	room_open
	start_pods v2
	engine "containerd, CRI," "$(containerd_version)"
	run_pod sandlock
	start_cri_container '{}' true
	stop_pod
	room_settled
}

# bats test_tags=pods,network
@test "a CRI pod with the handler has an address and is ready" {
	run_pod sandlock
	run_ok cri PodSandboxStatus "{\"pod_sandbox_id\": \"$POD\"}"
	[ "$(jq -r .status.runtime_handler <<<"$output")" = sandlock ]
	[ "$(jq -r .status.state <<<"$output")" -eq 0 ]
	[[ $(jq -r .status.network.ip <<<"$output") = 10.77.0.* ]]
}

# bats test_tags=pods
@test "CRI refuses a pod with an unknown handler" {
	expect 1 'no runtime for "nosuch" is configured' run_pod nosuch
}

# bats test_tags=run,exec,stop,hostname
@test "CRI runs, inspects and stops a container" {
	run_pod sandlock
	start_cri_container '{}' sh -c 'trap "exit 3" TERM; sleep 1000 & wait'
	[ "$(on_container ContainerStatus | jq .status.state)" -eq 1 ]
	run_ok exec_sync sh -c 'hostname; echo wrong >&2; exit 9'
	[ "$(jq -r .stdout <<<"$output")" = inside ]
	[ "$(jq -r .stderr <<<"$output")" = wrong ]
	[ "$(jq -r .exit_code <<<"$output")" -eq 9 ]
	on_container StopContainer '"timeout": 10'
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 3 ]
	on_container RemoveContainer
	stop_pod
}

# bats test_tags=exit-codes,logs,detached
@test "CRI reports how a container ended, and keeps its log" {
	run_pod sandlock
	start_cri_container '{}' sh -c 'echo out; echo err >&2; exit 7'
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 7 ]
	grep -q 'stdout F out' "$ROOM/pod/log"
	grep -q 'stderr F err' "$ROOM/pod/log"
}

# bats test_tags=stop,kill
@test "CRI kills a container that ignores its stop signal" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	on_container StopContainer '"timeout": 1'
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 137 ]
}

# bats test_tags=exit-codes
@test "CRI names a missing program of a container" {
	run_pod sandlock
	create_container '{}' nosuch
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		on_container StartContainer
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 128 ]
	create_container '{"metadata": {"name": "other"}}' /etc/passwd
	expect 1 'exec: "/etc/passwd": permission denied' \
		on_container StartContainer
}

# bats test_tags=restart,exit-codes
@test "a kubelet restarts a failed container beside the others" {
	run_pod sandlock
	start_cri_container '{}' sh -c 'exit 1'
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 1 ]
	start_cri_container '{"metadata": {"name": "container", "attempt": 1}}' true
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 0 ]
	[ "$(cri ListContainers | jq '.containers | length')" -eq 2 ]
}

# bats test_tags=run
@test "a CRI container and its commands have its environment and working directory" {
	run_pod sandlock
	start_cri_container '{"working_dir": "/tmp", "envs": {"WORD": "here"}}' \
		sleep 1000
	expect 0 /tmp exec_sync sh -c 'pwd; env'
	assert_output_has WORD=here
}

# bats test_tags=exec
@test "CRI exec names a missing program" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 1 "exec: \"nosuch\": executable file not found in \$PATH" \
		exec_sync nosuch
}

# bats test_tags=exec
@test "CRI exec kills a program that takes too long" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 1 "timeout 1s exceeded" on_container ExecSync \
		'"timeout": 1, "cmd": ["sleep", "2000"]'
	wait_until eval '! room pgrep -xf "sleep 2000"'
}

# bats test_tags=memory,read-only,binds
@test "a CRI container has its limits and mounts" {
	mkdir "$TMP/dir"
	run_pod sandlock
	start_cri_container "{\"linux\": {
		\"resources\": {\"memory_limit_in_bytes\": 67108864},
		\"security_context\": {\"readonly_rootfs\": 1}},
		\"mounts\": [{\"container_path\": \"/dir\",
			\"host_path\": \"$TMP/dir\"}]}" sleep 1000
	run_ok exec_sync sh -c '! touch /new && touch /dir/new'
	[[ $(jq -r .stderr <<<"$output") = *"Read-only file system"* ]]
	[ -e "$TMP/dir/new" ]
	run_ok memory_limit exec_sync cat
	[ "$(jq -r .stdout <<<"$output")" -eq 67108864 ]
}

# bats test_tags=volumes
@test "a CRI container has the volume that its image declares" {
	local image=$ROOM/image

	jq '.config.Volumes = {"/kept": {}}' "$image/config.json" \
		>"$TMP/config.json"
	jq '.[0].RepoTags = ["localhost/kept:latest"]' \
		"$image/manifest.json" >"$TMP/manifest.json"
	tar -cf "$ROOM/kept.tar" -C "$TMP" config.json manifest.json \
		-C "$image" layer.tar
	ctr --namespace k8s.io images import "$ROOM/kept.tar"
	run_pod sandlock
	start_cri_container '{"image": {"image": "localhost/kept:latest"}}' \
		sleep 1000
	run_ok exec_sync sh -c 'grep " /kept " /proc/mounts && touch /kept/new'
	[ "$(jq -r .exit_code <<<"$output")" -eq 0 ]
}

# bats test_tags=pods,shared-namespaces
@test "two CRI containers share the network and, if asked, the pid namespace" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a supervisor"
	run_pod sandlock
	start_cri_container '{"metadata": {"name": "web"}}' \
		sh -c 'echo page >/tmp/index.html; httpd -f -h /tmp'
	start_cri_container '{"linux": {"security_context":
		{"namespace_options": {"pid": 0}}}}' sleep 1000
	wait_until has page exec_sync wget -qO- http://127.0.0.1/
	run_ok exec_sync ps
	[[ $output = *"1 root     sleep 1000"*"sleep 1000"* ]]
}

# bats test_tags=cpus,cpuset,update
@test "CRI sets limits, and changes them while the container runs" {
	run_pod sandlock
	start_cri_container '{"linux": {"resources": {"cpu_quota": 50000,
		"cpu_period": 100000, "cpuset_cpus": "0"}}}' sleep 1000
	[[ $(stdout_of cpu_quota) = 50000* ]]
	[ "$(stdout_of cpuset)" = 0 ]
	on_container UpdateContainerResources '"linux":
		{"memory_limit_in_bytes": 33554432}'
	[ "$(stdout_of memory_limit)" -eq 33554432 ]
}

# stdout_of LIMIT: what the container sees of it.
stdout_of() {
	"$1" exec_sync cat | jq -r .stdout
}

# bats test_tags=oom-kill
@test "CRI reports a container that exceeds its memory limit as killed" {
	run_pod sandlock
	start_cri_container '{"linux": {"resources":
		{"memory_limit_in_bytes": 16777216}}}' tail /dev/zero
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 137 ]
	expect 0 OOMKilled on_container ContainerStatus
}

# bats test_tags=stats
@test "a kubelet gets the resource usage of a container" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	[ "$(on_container ContainerStats |
		jq .stats.memory.working_set_bytes.value)" -gt 0 ]
}

# bats test_tags=tty
@test "a CRI container may have a terminal" {
	run_pod sandlock
	start_cri_container '{"tty": 1}' sh -c 'tty; sleep 1000'
	wait_until grep -q /dev/pts/ "$ROOM/pod/log"
}

# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=attach
@test "a kubelet attaches to the input and output of a container" {
	run_pod sandlock
	start_cri_container '{"stdin": 1}' \
		sh -c 'read word; echo "read $word"; echo wrong >&2; exit 8'
	expect 0 "read it" stream Attach \
		'"stdin": 1, "stdout": 1, "stderr": 1' $'it\n'
	assert_output_has wrong
	wait_until has_exited
	[ "$(on_container ContainerStatus | jq .status.exit_code)" -eq 8 ]
}

# A terminal may forget what was printed when the program ends.
# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=attach,tty
@test "a kubelet attaches to a container's terminal" {
	run_pod sandlock
	start_cri_container '{"stdin": 1, "tty": 1}' \
		sh -c 'read word; tty; echo "read $word"; sleep 1000'
	expect 0 "read it" stream Attach \
		'"stdin": 1, "stdout": 1, "tty": 1' $'it\n' "read it"
	assert_output_has /dev/pts/
}

# Without an input containerd loses, with any runtime, what a terminal shows.
# shellcheck disable=SC2016 # for the shell inside
# bats test_tags=exec,tty
@test "a kubelet executes a program with streams, or a terminal" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 9 "read it" stream Exec '"stdin": 1, "stdout": 1,
		"cmd": ["sh", "-c", "read word; echo read $word; exit 9"]' \
		$'it\n'
	expect 0 /dev/pts/ stream Exec '"tty": 1, "stdin": 1, "stdout": 1,
		"cmd": ["sh", "-c", "echo on $(tty); sleep 1000"]' "" "on "
	expect 5 "" stream Exec '"tty": 1, "stdin": 1, "stdout": 1,
		"cmd": ["sh", "-c", "test -t 1 && exit 5"]'
}

# bats test_tags=cgroup-namespace
@test "a CRI pod may have a cgroup namespace, or the host's" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		expect 0 '0::/\n' exec_sync cat /proc/self/cgroup
	else
		expect 0 ":/kubepods/$CONTAINER" exec_sync \
			cat /proc/self/cgroup
	fi
}

# bats test_tags=propagation
@test "a CRI container has the mount propagation it asks for" {
	local dir=$ROOM/propagation

	mkdir -p "$dir/later"
	room mount --bind "$dir" "$dir"
	room mount --make-shared "$dir"
	run_pod sandlock
	start_cri_container "{\"mounts\": [{\"container_path\": \"/dir\",
		\"host_path\": \"$dir\", \"propagation\": 1}]}" sleep 1000
	room mount -t tmpfs tmpfs "$dir/later"
	expect 0 '"exit_code":0' exec_sync grep /dir/later /proc/mounts
	room umount "$dir/later"
	start_cri_container "{\"metadata\": {\"name\": \"private\"}, \"mounts\":
		[{\"container_path\": \"/dir\", \"host_path\": \"$dir\"}]}" \
		sleep 1000
	room mount -t tmpfs tmpfs "$dir/later"
	expect 0 '"exit_code":1' exec_sync grep /dir/later /proc/mounts
	room umount "$dir/later"
	start_cri_container "{\"metadata\": {\"name\": \"shared\"}, \"mounts\":
		[{\"container_path\": \"/dir\", \"host_path\": \"$dir\",
		\"propagation\": 2}]}" sleep 2000
	mounts_back "$(room pgrep -xf "sleep 2000")" "$dir"
	stop_pod
	room umount "$dir"
}

# bats test_tags=capabilities,no-new-privileges
@test "a CRI container runs as its user and with its capabilities" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a policy"
	run_pod sandlock
	start_cri_container '{"linux": {"security_context": {"no_new_privs": 1,
		"run_as_user": {"value": 1}, "capabilities":
		{"drop_capabilities": ["ALL"]}}}}' sleep 1000
	expect 0 "uid=1(daemon)" exec_sync id
	expect 0 'CapBnd:\t0000000000000000' exec_sync \
		grep -E 'Cap|NoNewPrivs' /proc/self/status
	assert_output_has 'NoNewPrivs:\t1'
	start_cri_container '{"metadata": {"name": "more"}, "linux":
		{"security_context": {"capabilities":
		{"drop_capabilities": ["ALL"],
		 "add_capabilities": ["NET_ADMIN"]}}}}' sleep 1000
	expect 0 'CapEff:\t0000000000001000' exec_sync \
		grep -E 'Cap|NoNewPrivs' /proc/self/status
	assert_output_has 'NoNewPrivs:\t0'
}

# bats test_tags=seccomp
@test "a CRI container has its seccomp profile" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a policy"
	no_mkdir >"$TMP/profile.json"
	run_pod sandlock
	start_cri_container '{"linux": {"security_context":
		{"seccomp": {"profile_type": 0}}}}' sleep 1000
	expect 0 'Seccomp:\t2' exec_sync grep Seccomp /proc/self/status
	start_cri_container '{"metadata": {"name": "open"}, "linux":
		{"security_context": {"seccomp": {"profile_type": 1}}}}' \
		sleep 1000
	expect 0 'Seccomp:\t0' exec_sync grep Seccomp /proc/self/status
	start_cri_container "{\"metadata\": {\"name\": \"own\"}, \"linux\":
		{\"security_context\": {\"seccomp\": {\"profile_type\": 2,
		\"localhost_ref\": \"$TMP/profile.json\"}}}}" sleep 1000
	expect 0 "Operation not permitted" exec_sync mkdir /tmp/new
}

# bats test_tags=devices
@test "a CRI container has its device" {
	run_pod sandlock
	start_cri_container '{"devices": [{"container_path": "/dev/nought",
		"host_path": "/dev/zero", "permissions": "rw"}]}' sleep 1000
	run_ok exec_sync head -c 1 /dev/nought
	[ "$(jq -r .exit_code <<<"$output")" -eq 0 ]
}

# bats test_tags=sysctl
@test "a CRI pod sets its sysctls" {
	POD_MORE='{"linux": {"sysctls": {"net.core.somaxconn": "4321"}}}' \
		run_pod sandlock
	start_cri_container '{}' sleep 1000
	expect 0 4321 exec_sync cat /proc/sys/net/core/somaxconn
}

# bats test_tags=host-namespaces
@test "a CRI pod may share the network and pid namespace of the host" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a supervisor"
	local ns namespaces='{"linux": {"security_context":
		{"namespace_options": {"network": 2, "pid": 2, "ipc": 2}}}}'

	POD_MORE=$(jq -c '.hostname = ""' <<<"$namespaces") run_pod sandlock
	start_cri_container "$namespaces" sleep 1000
	for ns in net pid ipc; do
		expect 0 "$(room readlink /proc/self/ns/$ns)" exec_sync \
			readlink /proc/self/ns/$ns
	done
}

# bats test_tags=user-namespaces
@test "a CRI pod may have a user namespace" {
	local ids='[{"host_id": 300000, "container_id": 0, "length": 65536}]'
	local namespaces

	[ -n "$ENGINE_SUITE" ] || skip "needs containerd 1.7"
	namespaces="{\"linux\": {\"security_context\": {\"namespace_options\":
		{\"pid\": 1, \"userns_options\":
		{\"mode\": 0, \"uids\": $ids, \"gids\": $ids}}}}}"
	POD_MORE=$namespaces run_pod sandlock
	start_cri_container "$namespaces" sleep 1000
	expect 0 "0     300000      65536" exec_sync cat /proc/self/uid_map
}

# bats test_tags=privileged
@test "a privileged CRI container has all capabilities" {
	[ -z "$ENGINE_PROFILE" ] || skip "needs a container without a policy"
	POD_MORE='{"linux": {"security_context": {"privileged": 1}}}' \
		run_pod sandlock
	start_cri_container '{"linux": {"security_context": {"privileged": 1}}}' \
		sleep 1000
	run_ok exec_sync mount -t tmpfs tmpfs /tmp
	[ "$(jq -r .exit_code <<<"$output")" -eq 0 ]
}

# bats test_tags=cgroup-parent
@test "a CRI pod lies in the cgroup that the kubelet names" {
	run_pod sandlock
	start_cri_container '{}' sleep 1000
	room grep -q "/kubepods/$CONTAINER" \
		"/proc/$(room pgrep -nxf "sleep 1000")/cgroup"
}

# bats test_tags=annotations
@test "CRI passes no annotations on that are not for the runtime" {
	run_pod sandlock
	start_cri_container '{"annotations": {"org.example": "no"}}' sleep 1000
	expect 0 io.kubernetes.cri.sandbox-name jq .annotations \
		"/proc/$ROOM_PID/root$TASKS/$CONTAINER/config.json"
	[[ $output != *org.example* ]]
}

# A wrong value is refused by the name of its key, which shows that it arrived.
# bats test_tags=policy
@test "CRI passes the annotations of a policy on, of a pod and of a container" {
	[ -z "$ENGINE_RUNTIME" ] || skip "needs sandlock"
	expect 1 "io.sandlock.network.mode: 'of the pod' is not" \
		run_pod sandlock io.sandlock.network.mode
	run_pod sandlock
	create_container '{"annotations": {"io.sandlock.network.mode": "no"}}' \
		true
	expect 1 "io.sandlock.network.mode: 'no' is not" \
		on_container StartContainer
	create_container '{"metadata": {"name": "web"}, "annotations":
		{"web.io.sandlock/limits.memory": "much"}}' true
	expect 1 "web.io.sandlock/limits.memory: 'much'" \
		on_container StartContainer
}
