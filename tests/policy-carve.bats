#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/policy-carve.bats - what mounts take out of a bundle's files, and bring into them, for init, exec and hooks alike.
#
# jq has dollars of its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files"/{data/sub,other}
	echo public >"$files/data/public"
	echo secret >"$files/data/secret"
	echo deep >"$files/data/sub/deep"
	echo other >"$files/other/file"
	probe_landlock_for_denials
}

# An older kernel holds less, and says so.
probe_landlock_for_denials() {
	MORE=
	DEGRADED=
	args true
	annotate_policy "filesystem.read=/"
	run run_bundle
	[[ $output != *"Landlock is not available"* ]] || skip "needs version 1 of Landlock"
	[[ $output != *"requires Landlock version"* ]] ||
		MORE=";fs_refer;fs_truncate;fs_ioctl_dev"
	DEGRADED="config.allow_degraded=deny_replace$MORE"
}

# strictly KEY=VALUE...: nothing but the kernel's age may be missing.
strictly() {
	local DEGRADED=${MORE:+config.allow_degraded=${MORE#;}}

	annotate_policy "$@"
}

# ---- below what may be written ----

@test "filesystem.deny covers files and directories below a writable path" {
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret;/data/sub'
	tells $'public\ncat: can\'t open \'/data/secret\': '"$DENIED" \
		'cat /data/public /data/secret'
	tells "sh: can't create /data/secret: $DENIED" 'echo x >/data/secret'
	tells "cat: can't open '/data/sub/deep': $DENIED" \
		'cat /data/sub/deep'
	tells "sh: can't create /data/sub/new: $DENIED" 'echo >/data/sub/new'
	tells "rm: can't remove '/data/secret': Device or resource busy" \
		'rm -f /data/secret'
	tells "mv: can't rename '/data/secret': Device or resource busy" \
		'mv /data/secret /data/moved'
	tells "mv: can't rename '/data/public': Device or resource busy" \
		'mv -f /data/public /data/secret'
	tells "chmod: /data/secret: $READONLY" 'chmod 777 /data/secret'
	tells new 'echo new >/data/new; cat /data/new; rm /data/new'
	[ "$(cat "$files/data/secret" "$files/data/sub/deep")" = \
		$'secret\ndeep' ]
	annotate_policy 'filesystem.read=/' filesystem.write=/data
	tells $'secret\ndeep' 'cat /data/secret /data/sub/deep'
}

@test "a path of filesystem.deny_write can be read and not written" {
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny_write=/data/sub;/data/secret'
	tells $'secret\ndeep' 'cat /data/secret /data/sub/deep'
	tells "sh: can't create /data/secret: $READONLY" 'echo >>/data/secret'
	tells "sh: can't create /data/sub/new: $READONLY" 'echo >/data/sub/new'
	tells "chmod: /data/sub/deep: $READONLY" 'chmod 777 /data/sub/deep'
	tells "rm: can't remove '/data/sub/deep': $READONLY" \
		'rm -f /data/sub/deep'
	tells ok 'echo ok >/data/public; cat /data/public
		echo public >/data/public'
	annotate_policy 'filesystem.read=/' filesystem.write=/data
	tells 0 'echo >/data/sub/new && rm /data/sub/new; echo $?'
}

@test "a program cannot move a directory of a denied path to put another in its place" {
	mkdir -p "$files/data/.git/hooks"
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny_write=/data/.git/hooks'
	tells "mv: can't rename '/data/.git': Device or resource busy" \
		'mv /data/.git /data/old'
	tells "sh: can't create /data/.git/hooks/x: $READONLY" \
		'echo >/data/.git/hooks/x'
	tells ok 'echo ok >/data/.git/config; cat /data/.git/config'
	annotate_policy 'filesystem.read=/' filesystem.write=/data
	tells moved 'mv /data/.git /data/old; mv /data/old /data/.git
		echo moved'
}

@test "filesystem.deny_execute stops programs and shared objects" {
	local lib

	is_dynamic /bin/true || skip "needs a dynamic program"
	for lib in $(ldd /bin/cat | grep -o '/[^ ]*'); do
		mkdir -p "$files/$(dirname "$lib")"
		cp -L "$lib" "$files/$lib"
	done
	cp -L /bin/cat "$files/bin/rcat"
	mkdir "$files/libs"
	cp -L "$(ldd /bin/cat | sed -n 's/.*=> \(.*libc[.]so[^ ]*\) .*/\1/p')" \
		"$files/libs/libc.so.6"
	annotate_policy 'filesystem.read=/'
	tells public 'LD_LIBRARY_PATH=/libs rcat /data/public'
	annotate_policy 'filesystem.read=/' 'filesystem.deny_execute=/libs'
	tells "rcat: error while loading shared libraries: libc.so.6: failed to map segment from shared object" \
		'LD_LIBRARY_PATH=/libs rcat /data/public'
	# Where it may be written, and in a file.
	cp "$files/bin/busybox" "$files/data/busybox"
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny_execute=/data/busybox'
	tells "sh: /data/busybox: $DENIED" '/data/busybox echo ran'
	annotate_policy 'filesystem.read=/' filesystem.write=/data
	tells ran '/data/busybox echo ran'
}

@test "files of the kernel can be denied without config.allow_degraded" {
	strictly 'filesystem.read=/' 'filesystem.deny=/proc/sys'
	tells "ls: can't open '/proc/sys': $DENIED" 'ls /proc/sys'
	strictly 'filesystem.read=/'
	tells 1 'test $(ls /proc/sys | wc -l) -gt 1; echo $((!$?))'
}

@test "run names a denied file that can be replaced from outside" {
	local WARNING="a file that a process outside the container puts under this name is not denied"

	strictly 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret' config.strict=deny_replace
	policy_fails "filesystem.deny '/data/secret' lies below filesystem.write '/data'"
	policy_fails "remove deny_replace from config.strict"
	args true
	strictly 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret'
	# A process stays, and covers the name again.
	run_ok create_telling
	[[ $output != *"$WARNING"* ]]
	run_ok run_telling
	[[ $output != *"$WARNING"* ]]
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret'
	run_ok create_telling
	[[ $output != *"$WARNING"* ]]
	[[ $output = *"config.allow_degraded: deny_replace is not enforced"* ]]
	strictly 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret' config.disable=deny_replace
	run_ok create_telling
	[[ $output != *"$WARNING"* && $output != *"deny_replace is not enforced"* ]]
	tells "cat: can't open '/data/secret': $DENIED" 'cat /data/secret'
}

@test "run names a denied file that has another name below a writable path" {
	ln "$files/data/secret" "$files/other/alias"
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret'
	policy_fails "/data/secret has 2 hard links"
}

@test "a bundle without a mount namespace needs config.allow_degraded for denied paths" {
	config 'del(.mounts, .linux.maskedPaths, .linux.readonlyPaths) |
		del(.linux.namespaces[] | select(.type == "mount"))'
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret'
	policy_fails "namespaces in config.allow_degraded"
	DEGRADED+=";namespaces"
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/secret'
	args true
	run_ok run_telling
	[[ $output = *"namespaces is not enforced"* ]]
	annotate_policy config.disable=namespaces
	policy_fails "config.disable: 'namespaces'"
}

# ---- names that do not exist ----

# Tests that run beside these have placeholders, too, but do not keep them.
registry_is_empty() {
	[ -z "$(ls /run/sandlock-placeholders)" ]
}

@test "a denied name that does not exist cannot be created, and leaves no placeholder" {
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/.env;/data/not/yet'
	tells "sh: can't create /data/.env: $DENIED" 'echo >/data/.env'
	tells "mkdir: can't create directory '/data/not/yet': $DENIED" \
		'mkdir /data/not/yet'
	tells "mv: can't rename '/data/public': Device or resource busy" \
		'mv -f /data/public /data/.env'
	[ ! -e "$files/data/.env" ] && [ ! -e "$files/data/not" ]
	wait_until registry_is_empty
	annotate_policy 'filesystem.read=/' filesystem.write=/data
	tells 0 'echo >/data/.env; rm /data/.env; echo $?'
}

@test "containers share a placeholder, and the last one removes it if it is empty" {
	mkdir "$TMP/project"
	add_mount /project bind "$TMP/project" bind
	annotate_policy 'filesystem.read=/' filesystem.write=/project \
		'filesystem.deny=/project/.env;/project/kept'
	args sleep 1000
	create one
	config '.linux.cgroupsPath += "-two"'
	create two
	[ -f "$TMP/project/.env" ]
	oci delete --force one
	[ -f "$TMP/project/.env" ]
	oci start two
	run_bad "$DENIED" oci exec two cat /project/.env
	run_bad "$DENIED" oci exec two sh -c 'echo >/project/.env'
	echo mine >"$TMP/project/kept"
	oci delete --force two
	[ ! -e "$TMP/project/.env" ]
	[ "$(cat "$TMP/project/kept")" = mine ]
	wait_until registry_is_empty
}

@test "a failed creation leaves no placeholder" {
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/data/.env'
	args /no/such/program
	run_bad "no such file" create box
	[ ! -e "$files/data/.env" ]
	wait_until registry_is_empty
	assert_gone box
}

@test "names of denied presets cannot be created below writable paths" {
	mkdir -p "$files/root"
	config '.process.env += ["HOME=/root"]'
	annotate_policy 'filesystem.read=/' filesystem.write=/root \
		'filesystem.deny_write=@shell-configs'
	tells "sh: can't create /root/.bashrc: $READONLY" 'echo >/root/.bashrc'
	tells ok 'echo ok >/root/x; cat /root/x; rm /root/x'
	[ ! -e "$files/root/.bashrc" ]
	# Where nothing can be made, nothing changes.
	strictly 'filesystem.read=/' 'filesystem.deny=@known-secrets'
	tells 0 'ls /root | wc -l'
}

# ---- mounts of the policy ----

with_mounts() {
	oci --allow-annotations filesystem.mount run --bundle "$BUNDLE" box
}

@test "filesystem.mount brings directories of the host if --allow-annotations lists it" {
	mkdir "$TMP/host"
	echo host >"$TMP/host/file"
	annotate_policy "filesystem.mount=/new/place:$TMP/host"
	policy_fails "--allow-annotations"
	args sh -c 'cat /new/place/file; echo more >>/new/place/file'
	run_ok with_mounts
	[ "$output" = host ]
	[ "$(cat "$TMP/host/file")" = $'host\nmore' ]
	annotate_policy "filesystem.mount=/new/place:$TMP/host:ro"
	run with_mounts
	[[ $output = *"can't create /new/place/file: $READONLY"* ]]
	annotate_policy "filesystem.mount=/new/place:$TMP/nothing"
	run_bad "filesystem.mount '/new/place': $TMP/nothing: no such file" \
		with_mounts
	annotate_policy "filesystem.mount=/new/place:-$TMP/host"
	args cat /new/place/file
	run_ok with_mounts
	assert_output_has host
	annotate_policy "filesystem.mount=/new/place:-$TMP/nothing"
	args true
	run_ok with_mounts
}

@test "filesystem.mount refuses what cannot be mounted, and names the value" {
	local value

	mkdir "$TMP/host"
	args true
	for value in "/:$TMP/host" "/proc:$TMP/host" "/proc/sys:$TMP/host" \
		"/proc/x:$TMP/host"; do
		annotate_policy "filesystem.mount=$value"
		run_bad "filesystem.mount '$value': " with_mounts
	done
	# A file may replace some files of /proc.
	echo text >"$TMP/host/file"
	annotate_policy "filesystem.mount=/proc/uptime:$TMP/host/file"
	args cat /proc/uptime
	run_ok with_mounts
	[ "$output" = text ]
}

@test "files of filesystem.mount are accessible only if filesystem.read or write allows it" {
	mkdir "$TMP/host"
	echo host >"$TMP/host/file"
	args sh -c 'cat /mnt/file'
	strictly "filesystem.mount=/mnt:$TMP/host" filesystem.read=/bin
	run_bad "$DENIED" with_mounts
	strictly "filesystem.mount=/mnt:$TMP/host" 'filesystem.read=/bin;/mnt'
	run_ok with_mounts
	[ "$output" = host ]
	args sh -c 'echo >/mnt/file'
	run_bad "$READONLY" with_mounts
}

# ---- the policy itself ----

@test "a program cannot write the profile that confines it" {
	mkdir -p "$TMP/etc/profiles"
	printf '[limits]\nopen_files = 100\n' >"$TMP/etc/profiles/p.toml"
	add_mount /host bind "$TMP/etc" bind
	config 'del(.annotations)'
	args sh -c 'echo >>/host/profiles/p.toml; rm -f /host/profiles/p.toml
		mv /host/profiles /host/old; echo >/host/profiles/q && echo made'
	run oci --profile "$TMP/etc/profiles/p.toml" run \
		--bundle "$BUNDLE" box
	[[ $output = *"can't create /host/profiles/p.toml: $READONLY"*busy*busy*made ]] ||
		{ echo "$output"; false; }
	printf '[limits]\nopen_files = 100\n' | cmp - "$TMP/etc/profiles/p.toml"
}

# ---- limits and the home ----

@test "limits without cgroups need config.allow_degraded" {
	config 'del(.linux.resources)'
	args true
	annotate_policy limits.memory=64M
	run_bad "limits require cgroups" oci --cgroup-manager disabled run \
		--bundle "$BUNDLE" box
	DEGRADED+=";cgroups"
	annotate_policy limits.memory=64M
	run_ok oci --debug --cgroup-manager disabled run \
		--bundle "$BUNDLE" box
	[[ $output = *"config.allow_degraded: cgroups is not enforced"* ]]
	config '.linux.resources.pids.limit = 50'
	run_bad "limits require cgroups" oci --cgroup-manager disabled run \
		--bundle "$BUNDLE" box
}

@test "config.disable of cgroups leaves out the limits" {
	args sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 1 & done; wait; echo ok'
	annotate_policy limits.processes=5
	run run_bundle
	[[ $output = *"can't fork"* ]]
	annotate_policy limits.processes=5 config.disable=cgroups
	run_ok run_bundle
	[ "$output" = ok ]
}

@test "the home in a policy is that of the environment, or of the rootfs's passwd" {
	mkdir -p "$files/home/u" "$files/home/v"
	echo u >"$files/home/u/x"
	echo v >"$files/home/v/x"
	echo 'root:x:0:0::/home/u:/bin/sh' >"$files/etc/passwd"
	strictly 'filesystem.read=/bin;~/x'
	tells $'u\ncat: can\'t open \'/home/v/x\': '"$DENIED" \
		'cat /home/u/x /home/v/x'
	config '.process.env += ["HOME=/home/v"]'
	strictly 'filesystem.read=/bin;~/x'
	tells $'cat: can\'t open \'/home/u/x\': '"$DENIED"$'\nv' \
		'cat /home/u/x /home/v/x'
	rm "$files/etc/passwd"
	mkfifo "$files/etc/passwd"
	config '.process.env |= map(select(startswith("HOME=") | not))'
	strictly 'filesystem.read=/bin;~/x'
	policy_fails "home"
}

# ---- only deny ----

@test "deny keys alone take these paths away, and leave the rest as config.json has it" {
	echo name >"$TMP/hosts"
	add_mount /etc/hosts bind "$TMP/hosts" bind
	mkdir -p "$files/etc/ssl"
	echo key >"$files/etc/ssl/key"
	cp "$files/bin/busybox" "$files/data/tool"
	annotate_policy 'filesystem.deny=/data/secret;/etc/ssl/key;/missing' \
		'filesystem.deny_write=/data/sub' 'filesystem.deny_execute=/data/tool'
	tells "cat: can't open '/data/secret': $DENIED" 'cat /data/secret'
	tells "cat: can't open '/etc/ssl/key': $DENIED" 'cat /etc/ssl/key'
	tells $'public\nother\nname' 'cat /data/public /other/file /etc/hosts'
	tells "sh: can't create /data/sub/new: $READONLY" 'echo >/data/sub/new'
	tells "cat: can't open '/missing': $DENIED" 'cat /missing'
	tells "sh: /data/tool: $DENIED" /data/tool
	tells ok 'echo ok >/new; cat /new; rm /new; chmod 0777 /other/file
		touch /etc/new; rm /etc/new; echo name >/etc/hosts'
	tells "mv: can't rename '/etc/ssl': Device or resource busy" \
		'mv /etc/ssl /etc/old'
	tells "mount: permission denied (are you root?)" 'mount -t tmpfs tmpfs /other'
	[ ! -e "$files/missing" ]
	[ "$(cat "$files/data/secret" "$files/etc/ssl/key")" = $'secret\nkey' ]
}

@test "deny keys alone need no Landlock" {
	local DEGRADED=

	annotate_policy filesystem.deny=/data/secret
	args grep NoNewPrivs /proc/self/status
	run_ok oci create --bundle "$BUNDLE" --dump-plan box
	run ! grep -i landlock <<<"$output"
	annotate_policy 'filesystem.deny=[]'
	tells $'public\nsecret' 'cat /data/public /data/secret; echo >/new'
}

@test "create warns once that a denied name can be replaced, if a link hides that" {
	local TEXT="a file that a process outside the container puts under this name is not denied"

	ln -s data "$files/alias"
	strictly 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/alias/secret;/alias/sub'
	args true
	run_ok create_telling
	[ "$(grep -c "$TEXT" <<<"$output")" -eq 1 ]
	assert_output_has "filesystem.deny '/alias/secret': $TEXT: list deny_replace in config.allow_degraded to accept this, or in config.strict to refuse it"
	annotate_policy 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny=/alias/secret;/alias/sub'
	run_ok create_telling
	run ! grep "$TEXT" <<<"$output"
}

@test "deny keys alone are an error where they cannot be enforced" {
	local DEGRADED=

	annotate_policy filesystem.deny=/
	policy_fails "filesystem.deny '/': the whole root cannot be denied: list what is allowed in filesystem.read"
	annotate_policy filesystem.deny=/data/secret syscalls.extra_allow=mount
	policy_fails "filesystem.deny cannot be enforced with 'mount' in syscalls.extra_allow: remove one of them"
	annotate_policy filesystem.deny=/data/secret syscalls.extra_allow=handle
	policy_fails "filesystem.deny cannot be enforced with 'handle' in syscalls.extra_allow: remove one of them"
	annotate_policy filesystem.deny=/data/secret
	without_mount_namespace
	policy_fails "filesystem.deny '/data/secret' requires a mount namespace, or namespaces in config.allow_degraded"
}
