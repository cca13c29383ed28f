#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/policy.bats - annotations of a bundle become confinement, of init and exec alike.
#
# jq has dollars of its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

setup() {
	sandlock_setup
	requires root
}

# run_in_init_and_exec COMMAND...: what init and exec see, which must be the
# same.
run_in_init_and_exec() {
	local init

	args "$@"
	run_ok run_bundle
	init=$output
	args sleep 1000
	create box
	oci start box
	run_ok oci exec box "$@"
	oci delete --force box
	if [ "$init" != "$output" ]; then
		echo "init: $init"
		echo "exec: $output"
		return 1
	fi
}

# init_and_exec_fail TEXT COMMAND...: init and exec alike.
init_and_exec_fail() {
	local text=$1

	shift
	args "$@"
	run_bad "$text" run_bundle
	args sleep 1000
	create box
	oci start box
	run_bad "$text" oci exec box "$@"
	oci delete --force box
}

# ---- the door ----

@test "create refuses an io.sandlock annotation that is no key, and ignores other annotations" {
	new_bundle
	args true
	annotate org.example.io.sandlock=1 io.sandlockery.x=2
	run_ok run_bundle
	annotate_policy limits.memry=1M
	run_bad "limits.memry" run_bundle
	annotate_policy limits.memory=lots
	run_bad "limits.memory: 'lots'" run_bundle
	annotate_policy memory=1M
	run_bad "io.sandlock.memory" run_bundle
	assert_gone box
}

@test "create names a key that this build cannot enforce" {
	local pair

	new_bundle
	for pair in 'config.workdir=/tmp' \
		'determinism.random_seed=1' 'limits.forks=3' \
		'http.allow=GET example.com/*'; do
		annotate_policy "$pair"
		run_bad "not enforced by this build: ${pair%%=*}" run_bundle
	done
	assert_gone box
}

@test "create refuses annotations for settings that config.json has itself" {
	new_bundle
	annotate_policy program.cwd=/tmp
	run_bad "program.cwd" run_bundle
	annotate_policy filesystem.chroot=/tmp
	run_bad "filesystem.chroot" run_bundle
}

@test "keys that affect the host need --allow-annotations" {
	new_bundle
	annotate_policy filesystem.mount=/a:/tmp
	run_bad "--allow-annotations" run_bundle
	run_bad "is not a key that needs this permission" \
		oci --allow-annotations limits.memory run \
		--bundle "$BUNDLE" box
	assert_output_has "http.credentials, run.oci.hooks.stdout"
	annotate_policy config.http_ca=/a config.http_key=/b
	run_bad "not enforced by this build: config.http_ca" \
		oci --allow-annotations config.http_ca,config.http_key \
		run --bundle "$BUNDLE" box
}

@test "a bundle without a policy is not changed" {
	new_bundle
	run_in_init_and_exec grep -E '^(NoNewPrivs|Seccomp|Seccomp_filters):' /proc/self/status
	[ "$output" = $'NoNewPrivs:\t1\nSeccomp:\t0\nSeccomp_filters:\t0' ] ||
		[ "$output" = \
			$'NoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0' ]
}

# ---- profiles ----

# write_profile TEXT: as $TMP/profile.toml
write_profile() {
	printf '%s\n' "$1" >"$TMP/profile.toml"
	chmod 644 "$TMP/profile.toml"
}

with_profile() {
	oci --profile "$TMP/profile.toml" "$@"
}

@test "the operator's --profile applies, and annotations override it key by key" {
	new_bundle
	args sh -c 'ulimit -n; env | grep -c ^SECRET= || true'
	config '.process.env += ["SECRET=1"]'
	write_profile $'[limits]\nopen_files = 100\n[program]\ndeny_env = ["SECRET"]'
	run_ok with_profile run --bundle "$BUNDLE" box
	[ "$output" = $'100\n0' ]
	annotate_policy limits.open_files=90
	run_ok with_profile run --bundle "$BUNDLE" box
	[ "$output" = $'90\n0' ]
}

@test "exec keeps the policy that its container was created with" {
	new_bundle
	args sleep 1000
	write_profile $'[limits]\nopen_files = 100'
	with_profile create --bundle "$BUNDLE" box
	oci start box
	write_profile $'[limits]\nopen_files = 500'
	run_ok oci exec box sh -c 'ulimit -n'
	[ "$output" = 100 ]
	rm "$TMP/profile.toml"
	run_ok oci exec box sh -c 'ulimit -n'
	[ "$output" = 100 ]
}

@test "--profile refuses a profile that is writable for everybody, missing or malformed" {
	new_bundle
	write_profile $'[limits]\nopen_files = 100'
	chmod o+w "$TMP/profile.toml"
	run_bad "writable by everybody" with_profile run --bundle "$BUNDLE" box
	rm "$TMP/profile.toml"
	run_bad "no such file" with_profile run --bundle "$BUNDLE" box
	write_profile $'[limits]\nopen_file = 100'
	run_bad "open_file" with_profile run --bundle "$BUNDLE" box
	write_profile $'[limits\nopen_files = 100'
	run_bad "line 1" with_profile run --bundle "$BUNDLE" box
	annotate_policy profile=/etc/passwd
	run_bad "profile" run_bundle
	annotate_policy profile=nobody-has-this
	run_bad "profile 'nobody-has-this': there is no nobody-has-this.toml in /etc/sandlock/profiles, /usr/share/sandlock/profiles" run_bundle
}

# ---- pods ----

@test "an annotation can address one container of a pod by its name" {
	new_bundle
	args sh -c 'ulimit -n'
	annotate io.kubernetes.cri.container-name=web \
		io.sandlock.limits.open_files=100 \
		web.io.sandlock/limits.open_files=80 \
		db.io.sandlock/limits.open_files=60
	run_ok run_bundle
	[ "$output" = 80 ]
	annotate io.kubernetes.cri.container-name=web \
		db.io.sandlock/limits.open_flies=60
	run_bad "open_flies" run_bundle
	annotate io.kubernetes.cri.container-type=sandbox \
		io.sandlock.syscalls.extra_deny=opneat
	run_bad "'opneat' is not a system call" run_bundle
}

@test "the infra container of a pod gets the network section of a policy only" {
	new_bundle
	args sh -c 'ulimit -n'
	config '.process.rlimits = [{"type": "RLIMIT_NOFILE", "soft": 200,
		"hard": 200}]'
	annotate io.kubernetes.cri.container-type=sandbox \
		io.sandlock.limits.open_files=100
	run_ok run_bundle
	[ "$output" = 200 ]
	annotate io.kubernetes.cri.container-type=sandbox \
		io.sandlock.limits.open_flies=100
	run_bad "open_flies" run_bundle
}

# ---- limits ----

@test "the smaller limit of policy and bundle applies" {
	local limits='ulimit -Sn; ulimit -Hn'

	new_bundle
	config '.process.rlimits = [{"type": "RLIMIT_NOFILE", "soft": 70,
		"hard": 300}]'
	annotate_policy limits.open_files=100
	run_in_init_and_exec sh -c "$limits"
	[ "$output" = $'70\n100' ]
	annotate_policy limits.open_files=60
	run_in_init_and_exec sh -c "$limits"
	[ "$output" = $'60\n60' ]
	annotate_policy limits.open_files=1000
	run_in_init_and_exec sh -c "$limits"
	[ "$output" = $'70\n300' ]
}

# limit_in_force CONTROLLER V1FILE V2FILE: of the container that is running.
limit_in_force() {
	local dir

	dir=$(jq -r --arg c "$1" '.cgroups[] | select(.controllers == "" or
		(.controllers | split(",") | index($c))) | .path' \
		"$ROOT/box/state.json" | while read -r dir; do
		[ ! -e "$dir/$2" ] && [ ! -e "$dir/$3" ] || echo "$dir"
	done | head -n 1)
	cat "$dir/$2" 2>/dev/null || cat "$dir/$3"
}

# started KEY=VALUE...: with these in its policy.
started() {
	annotate_policy "$@"
	args sleep 1000
	create box
	oci start box
}

@test "limits.memory and limits.tasks set limits of the cgroup" {
	new_bundle
	started limits.memory=32M limits.tasks=30 limits.processes=20
	[ "$(limit_in_force memory memory.limit_in_bytes memory.max)" = 33554432 ]
	[ "$(limit_in_force pids pids.max pids.max)" = 20 ]
	oci delete --force box
	config '.linux.resources.memory.limit = 16777216 |
		.linux.resources.pids.limit = 7'
	started limits.memory=32M limits.tasks=30
	[ "$(limit_in_force memory memory.limit_in_bytes memory.max)" = 16777216 ]
	[ "$(limit_in_force pids pids.max pids.max)" = 7 ]
}

@test "update cannot raise a limit above the policy" {
	new_bundle
	started limits.memory=32M limits.tasks=30 limits.cpu=50
	oci update --memory 64M --pids-limit -1 --cpu-period 50000 box
	[ "$(limit_in_force memory memory.limit_in_bytes memory.max)" = 33554432 ]
	[ "$(limit_in_force pids pids.max pids.max)" = 30 ]
	case $(limit_in_force cpu cpu.cfs_quota_us cpu.max) in
	25000 | '25000 50000') ;;
	*) false ;;
	esac
	oci update --memory 16M --pids-limit 10 --cpu-quota 10000 box
	[ "$(limit_in_force memory memory.limit_in_bytes memory.max)" = 16777216 ]
	[ "$(limit_in_force pids pids.max pids.max)" = 10 ]
	case $(limit_in_force cpu cpu.cfs_quota_us cpu.max) in
	10000 | '10000 50000') ;;
	*) false ;;
	esac
}

@test "a program that exceeds limits.memory gets an OOM kill" {
	new_bundle
	annotate_policy limits.memory=8M
	args sh -c 'dd if=/dev/zero of=/dev/null bs=64M count=1; echo $?'
	run_ok run_bundle
	[ "${lines[-1]}" = 137 ]
	annotate_policy limits.memory=256M
	run_ok run_bundle
	[ "${lines[-1]}" = 0 ]
}

@test "a program cannot create more processes than limits.processes" {
	new_bundle
	args sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo ok'
	annotate_policy limits.processes=5
	run run_bundle
	[[ $output = *"can't fork"* ]]
	annotate_policy limits.processes=20
	run_ok run_bundle
	[ "$output" = ok ]
}

@test "limits.cpu is percent of one core, and limits.cpu_cores lists the cores" {
	new_bundle
	started limits.cpu=25 limits.cpu_cores='[0]'
	case $(limit_in_force cpu cpu.cfs_quota_us cpu.max) in
	25000 | '25000 100000') ;;
	*) false ;;
	esac
	[ "$(limit_in_force cpuset cpuset.cpus cpuset.cpus)" = 0 ]
	run_ok oci exec box grep Cpus_allowed_list /proc/self/status
	[ "$output" = $'Cpus_allowed_list:\t0' ]
	oci delete --force box
	config '.linux.resources.cpu.cpus = "1"'
	annotate_policy limits.cpu_cores='[0]'
	run_bad "limits.cpu_cores" run_bundle
}

# ---- the program ----

@test "the program keys of a policy decide the environment" {
	new_bundle
	config '.process.env = ["PATH=/bin", "HOME=/root", "A=1", "B_1=2",
		"GITHUB_TOKEN=t"]'
	annotate_policy program.deny_env=@known-secrets
	run_in_init_and_exec env
	[[ $output = *A=1* && $output != *TOKEN* ]]
	annotate_policy 'program.allow_env=PATH;B_*;HOME'
	run_in_init_and_exec env
	[[ $output = *PATH=* && $output = *B_1=2* && $output != *A=1* ]]
	annotate_policy program.clean_env=true 'program.env={"X": "y=z"}'
	run_in_init_and_exec env
	[[ $output = *PATH=/bin* && $output = *X=y=z* && $output != *A=1* ]]
}

@test "exec --env overrides the policy's environment, a process file does not" {
	new_bundle
	annotate_policy 'program.deny_env=A;B'
	args sleep 1000
	create box
	oci start box
	run_ok oci exec --env A=1 box env
	[[ $output = *A=1* ]]
	jq '.process | .args = ["env"] | .env += ["A=1"]' \
		"$BUNDLE/config.json" >"$TMP/process.json"
	run_ok oci exec --process "$TMP/process.json" box
	[[ $output != *A=1* ]]
}

@test "the program keys turn off core dumps, huge pages and address randomization" {
	new_bundle
	annotate_policy program.no_coredump=true program.no_huge_pages=true \
		determinism.no_randomize_memory=true
	run_in_init_and_exec sh -c 'ulimit -Hc; grep THP /proc/self/status
		cat /proc/self/personality'
	[ "$output" = $'0\nTHP_enabled:\t0\n00040000' ] ||
		[ "$output" = $'1\nTHP_enabled:\t0\n00040000' ]
	annotate_policy program.no_coredump=false
	run_in_init_and_exec sh -c 'grep THP /proc/self/status; cat /proc/self/personality'
	[ "$output" = $'THP_enabled:\t1\n00000000' ]
	annotate_policy program.no_coredump=true syscalls.extra_allow=ptrace
	run_bad "program.no_coredump" run_bundle
}

# ---- system calls ----

@test "every policy sets no_new_privs and the blocklist" {
	new_bundle
	config '.process.noNewPrivileges = false |
		.process.capabilities[] += ["CAP_SYS_ADMIN"]'
	annotate_policy config.supervisor=false
	run_in_init_and_exec grep -E '^(NoNewPrivs|Seccomp_filters):' /proc/self/status
	[ "$output" = $'NoNewPrivs:\t1\nSeccomp_filters:\t1' ]
	init_and_exec_fail "permission denied" mount -t tmpfs tmpfs /tmp
	init_and_exec_fail "Operation not permitted" unshare -m true
	init_and_exec_fail "Operation not permitted" chroot / true
	annotate
	run_in_init_and_exec mount -t tmpfs tmpfs /tmp
	run_in_init_and_exec unshare -m true
}

@test "syscalls.extra_allow allows groups of calls, and extra_deny denies calls" {
	new_bundle
	args ipcs -q
	annotate_policy syscalls.extra_deny=getcwd
	init_and_exec_fail "" sh -c 'cd /tmp; exec env -u PWD pwd -P'
	annotate_policy syscalls.extra_allow=mount
	config '.process.capabilities[] += ["CAP_SYS_ADMIN"]'
	run_in_init_and_exec mount -t tmpfs tmpfs /tmp
	annotate_policy syscalls.extra_allow=getcwd
	run_bad "getcwd" run_bundle
	annotate_policy syscalls.extra_deny=no_such_call
	run_bad "no_such_call" run_bundle
}

@test "a policy's seccomp filter applies beside the bundle's own" {
	new_bundle
	config '.linux.seccomp = {"defaultAction": "SCMP_ACT_ALLOW",
		"syscalls": [{"names": ["mkdir", "mkdirat"],
			"action": "SCMP_ACT_ERRNO", "errnoRet": 5}]}'
	annotate_policy config.supervisor=false
	run_in_init_and_exec grep -E '^Seccomp_filters:' /proc/self/status
	[ "$output" = $'Seccomp_filters:\t2' ]
	init_and_exec_fail "Input/output error" mkdir /tmp/x
	init_and_exec_fail "Operation not permitted" unshare -m true
}

# ---- network ----

@test "network.mode deny allows Unix sockets only" {
	local pair

	new_bundle
	annotate_policy network.mode=deny
	init_and_exec_fail "Operation not permitted" nc -l -p 1234
	init_and_exec_fail "permission denied" ping -c 1 127.0.0.1
	# Either is a way to have a network.
	for pair in network.mode=open limits.open_files=100; do
		annotate_policy "$pair"
		run_in_init_and_exec sh -c 'nc -l -p 1234 & p=$!; sleep 0.2
			kill $p && echo listened'
		[ "$output" = listened ]
	done
}

@test "a container with network.mode loopback reaches itself and nothing else" {
	new_bundle
	annotate_policy network.mode=loopback
	run_in_init_and_exec sh -c 'ip -o link | wc -l; ip -o addr show lo'
	[ "${lines[0]}" = 1 ]
	[[ $output = *127.0.0.1/8* ]]
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	run_bad "network.mode 'loopback'" run_bundle
}

@test "an interface that a hook adds does not stay in a loopback network" {
	new_bundle
	cat >"$TMP/hook" <<-'END'
		#!/bin/sh
		pid=$(jq .pid)
		nsenter -t "$pid" -n ip link add dummy0 type dummy ||
			nsenter -t "$pid" -n ip link add br0 type bridge
	END
	chmod +x "$TMP/hook"
	config --arg hook "$TMP/hook" '.hooks.createRuntime = [{path: $hook,
		env: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"]}]'
	args sh -c 'ip -o link | wc -l'
	annotate
	run_ok run_bundle
	[ "$output" -ge 2 ]
	annotate_policy network.mode=loopback
	run_in_init_and_exec sh -c 'ip -o link | wc -l'
	[ "$output" = 1 ]
}

# ---- GPUs ----

# A bundle with three GPUs of one maker, two of another, and no driver.
gpu_bundle() {
	new_bundle
	config '.linux.devices += [
		{"path": "/dev/nvidia0", "type": "c", "major": 195, "minor": 0},
		{"path": "/dev/nvidia1", "type": "c", "major": 195, "minor": 1},
		{"path": "/dev/nvidia2", "type": "c", "major": 195, "minor": 2},
		{"path": "/dev/nvidiactl", "type": "c", "major": 195,
			"minor": 255},
		{"path": "/dev/kfd", "type": "c", "major": 235, "minor": 0},
		{"path": "/dev/dri/card0", "type": "c", "major": 226,
			"minor": 0},
		{"path": "/dev/dri/renderD129", "type": "c", "major": 226,
			"minor": 129}] |
		.linux.resources.devices += [
		{"allow": true, "type": "c", "major": 195, "access": "rwm"}] |
		.process.env += ["CUDA_VISIBLE_DEVICES=0,1,2"]'
}

nodes() {
	run_in_init_and_exec sh -c 'cd /dev; ls -d nvidia* kfd dri/* 2>/dev/null
		echo "$CUDA_VISIBLE_DEVICES"'
	tr '\n' ' ' <<<"$output"
}

@test "GPUs that the policy does not name do not exist inside" {
	gpu_bundle
	nodes
	[ "$(nodes)" = "dri/card0 dri/renderD129 kfd nvidia0 nvidia1 nvidia2 nvidiactl 0,1,2 " ]
	annotate_policy 'limits.gpu_devices=[1]'
	[ "$(nodes)" = "dri/renderD129 kfd nvidia1 nvidiactl 0 " ]
	annotate_policy 'limits.gpu_devices=[0,2]'
	[ "$(nodes)" = "dri/card0 kfd nvidia0 nvidia2 nvidiactl 0,1 " ]
	annotate_policy 'limits.gpu_devices=[]'
	[ "$(nodes)" = "dri/card0 dri/renderD129 kfd nvidia0 nvidia1 nvidia2 nvidiactl 0,1,2 " ]
}

@test "other limits leave the GPUs of a bundle as they are" {
	gpu_bundle
	for limit in open_files=100 memory=64M tasks=50; do
		annotate_policy "limits.$limit"
		[ "$(nodes)" = "dri/card0 dri/renderD129 kfd nvidia0 nvidia1 nvidia2 nvidiactl 0,1,2 " ]
	done
	init_and_exec_fail "No such device or address" cat /dev/nvidia0
}

@test "limits.gpu_devices removes GPUs that a bundle binds, and keeps the listed ones" {
	new_bundle
	mkdir "$TMP/dri"
	for gpu in 0 1; do
		mknod -m 666 "$TMP/nvidia$gpu" c 195 "$gpu"
		mknod -m 666 "$TMP/dri/card$gpu" c 226 "$gpu"
		config ".mounts += [{destination: \"/dev/nvidia$gpu\", type: \"bind\",
			source: \"$TMP/nvidia$gpu\", options: [\"bind\"]}]"
	done
	config ".linux.resources.devices += [{allow: true, type: \"c\", major: 195, access: \"rwm\"}] |
		.mounts += [{destination: \"/dev/dri\", type: \"bind\", source: \"$TMP/dri\", options: [\"bind\"]}]"
	[ "$(nodes)" = "dri/card0 dri/card1 nvidia0 nvidia1 " ]
	annotate_policy 'limits.gpu_devices=[1]'
	[ "$(nodes)" = "nvidia1 0 " ]
	# No driver has this number: the device cgroup lets the call through.
	init_and_exec_fail "No such device or address" cat /dev/nvidia1
	config '.process.capabilities[] += ["CAP_MKNOD"]'
	init_and_exec_fail "Operation not permitted" sh -c 'mknod /tmp/n c 195 0; cat /tmp/n'
}

@test "all variables of GPUs count the remaining ones from 0" {
	gpu_bundle
	config '.process.env += ["NVIDIA_VISIBLE_DEVICES=all"]'
	annotate_policy 'limits.gpu_devices=[0,2]'
	run_in_init_and_exec sh -c 'echo "$CUDA_VISIBLE_DEVICES $NVIDIA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES"'
	assert_lines "0,1 0,1 0,1"
}

@test "a container cannot create the node of a GPU that the policy does not name" {
	gpu_bundle
	config '.process.capabilities[] += ["CAP_MKNOD"]'
	init_and_exec_fail "No such device or address" sh -c \
		'mknod /tmp/n c 195 0; cat /tmp/n'
	annotate_policy 'limits.gpu_devices=[1]'
	init_and_exec_fail "Operation not permitted" sh -c \
		'mknod /tmp/n2 c 195 0; cat /tmp/n2'
	init_and_exec_fail "No such device or address" cat /dev/nvidia1
}
