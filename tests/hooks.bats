#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/hooks.bats - programs that config.json wants run, at the moments it
# names: order, state, environment, and the world each of them sees.
# What happens when they fail is in hooks-fail.bats.

# shellcheck disable=SC2016 # the dollars are the hooks' and jq's
load helpers
load hooks

setup() {
	sandlock_setup
	requires root
	new_bundle web
	LOG=$BUNDLE/rootfs/log
}

# note_all: every hook appends its name to one file. Inside it is /log.
note_all() {
	local point

	for point in prestart createRuntime createContainer poststart poststop; do
		hook "$point" "echo $point >>$LOG"
	done
	hook startContainer 'echo startContainer >>/log'
	args sh -c 'echo program >>/log; sleep 1000'
}

log_has() {
	grep -qx "$1" "$LOG"
}

# The program and poststart hooks run at the same time.
log_without() {
	grep -vx "$1" "$LOG" | tr '\n' ' '
}

@test "create, start and delete run the six kinds of hooks in the order of the specification" {
	note_all
	hook createRuntime "echo second >>$LOG"
	create web
	[ "$(tr '\n' ' ' <"$LOG")" = \
		"prestart createRuntime second createContainer " ]
	: >"$LOG"
	run_ok oci start web
	[ -z "$output" ]
	wait_until log_has program
	[ "$(log_without poststart)" = "startContainer program " ]
	[ "$(log_without program)" = "startContainer poststart " ]
	: >"$LOG"
	oci kill web KILL
	wait_until has_status web stopped
	[ ! -s "$LOG" ]
	run_ok oci delete web
	[ -z "$output" ]
	[ "$(cat "$LOG")" = poststop ]
}

@test "run runs all six kinds of hooks" {
	note_all
	args sh -c 'until grep -q poststart /log; do :; done; echo program >>/log'
	run_ok oci run --bundle "$BUNDLE" web
	[ -z "$output" ]
	[ "$(tr '\n' ' ' <"$LOG")" = "prestart createRuntime createContainer \
startContainer poststart program poststop " ]
}

@test "run --detach runs all six kinds of hooks" {
	note_all
	oci run --detach --bundle "$BUNDLE" web >"$TMP/out" 2>&1
	wait_until log_has program
	[ "$(log_without program)" = "prestart createRuntime createContainer \
startContainer poststart " ]
	oci delete --force web
	log_has poststop
}

@test "poststop hooks run for a container that was never started" {
	note_all
	create web
	oci delete web
	log_has poststop
	[ "$(tail -n 2 "$LOG")" = $'createContainer\npoststop' ]
}

@test "a hook gets the current state of the container on standard input" {
	local point status="creating creating creating created running stopped"
	local host

	config '.annotations = {"org.example.a": "b", "empty": ""}'
	for point in prestart createRuntime createContainer poststart poststop; do
		hook "$point" "cat >$TMP/$point.json"
	done
	hook startContainer 'cat >/startContainer.json'
	args sleep 1000
	start_container web
	host=$(pid_of web)
	oci delete --force web
	mv "$BUNDLE/rootfs/startContainer.json" "$TMP"
	for point in prestart createRuntime createContainer startContainer \
		poststart poststop; do
		jq -e --arg bundle "$BUNDLE" --arg status "${status%% *}" '
			.id == "web" and .bundle == $bundle and
			.status == $status and
			.annotations == {"org.example.a": "b", "empty": ""} and
			(.ociVersion | startswith("1.")) and
			(keys - ["annotations", "bundle", "id", "ociVersion",
			 "pid", "status"] == [])' "$TMP/$point.json" || {
			echo "$point: $(cat "$TMP/$point.json")"
			return 1
		}
		status=${status#* }
	done
	for point in prestart createRuntime poststart; do
		[ "$(jq .pid "$TMP/$point.json")" -eq "$host" ]
	done
	for point in createContainer startContainer; do
		[ "$(jq .pid "$TMP/$point.json")" -eq 1 ]
	done
	[ "$(jq '.pid // 0' "$TMP/poststop.json")" -eq 0 ]
}

@test "a hook may call state, and gets the state that its standard input has" {
	local point

	for point in prestart createRuntime createContainer poststart; do
		hook "$point" "'$SANDLOCK_OCI' --root '$ROOT' state web >$TMP/$point"
	done
	# Inside there is no runtime: another hook of that moment asks for it.
	hook startContainer 'echo >/waits; until test -e /asked; do :; done'
	hook poststop "! '$SANDLOCK_OCI' --root '$ROOT' state web"
	args sleep 1000
	create web
	oci start web 3>&- &
	wait_until test -e "$BUNDLE/rootfs/waits"
	assert_status web created
	touch "$BUNDLE/rootfs/asked"
	wait $!
	for point in prestart createRuntime createContainer; do
		[ "$(jq -r .status "$TMP/$point")" = creating ]
	done
	[ "$(jq -r .status "$TMP/poststart")" = running ]
	run_ok oci --debug delete --force web
	[ -z "$output" ]
}

@test "standard input of a hook ends after the state, and may be left unread" {
	hook createRuntime 'cat >/dev/null; cat >/dev/null'
	hook createRuntime 'exec <&-'
	hook createRuntime 'exit 0'
	config '.annotations.big = ("x" * 200000)'
	create web
	assert_status web created
}

@test "a hook may print more than the runtime reads" {
	hook createRuntime 'head -c 4000000 /dev/zero | tr "\0" x; exit 0'
	hook createRuntime 'head -c 4000000 /dev/zero >&2'
	run_ok create web
	[ -z "$output" ]
}

@test "hooks without env inherit the runtime's environment, and the program's inside" {
	# The shell itself, which would become its last command.
	local show='trap : 0; tr "\0" "\n" </proc/$$/environ >'
	local given='{"env": ["A=b"]}'

	config '.process.env += ["INSIDE=in"]'
	hook createRuntime "$show$TMP/absent"
	hook createRuntime "$show$TMP/empty" '{"env": []}'
	hook createRuntime "$show$TMP/given" "$given"
	hook startContainer "$show/absent"
	hook startContainer "$show/empty" '{"env": []}'
	hook startContainer "$show/given" "$given"
	args sh -c "$show/program"
	OUTSIDE=out create web
	OUTSIDE=other oci start web
	grep -qx OUTSIDE=out "$TMP/absent"
	grep -qx OUTSIDE=out "$TMP/empty"
	[ "$(cat "$TMP/given")" = A=b ]
	cd "$BUNDLE/rootfs"
	wait_until test -s program
	grep -qx INSIDE=in program
	diff program absent
	diff program empty
	[ "$(cat given)" = A=b ]
}

@test "a hook runs its path with its args" {
	local show='tr "\0" " " </proc/$$/cmdline >$0; :'

	# Busybox depends on its argv[0]; the host's shell does not.
	config --arg show "$show" --arg out "$TMP/argv" '.hooks = {
		createRuntime: [{path: "/bin/sh",
			args: ["made-up", "-c", $show, $out, "one", ""]}],
		startContainer: [{path: "/bin/busybox",
			args: ["sh", "-c", $show, "/argv", "one", ""]}]}'
	start_container web
	[[ $(cat "$TMP/argv") = "made-up -c "*" $TMP/argv one  " ]]
	[[ $(cat "$BUNDLE/rootfs/argv") = "sh -c "*" /argv one  " ]]
}

@test "a hook without args has its path as argv[0]" {
	cat >"$TMP/hook" <<-END
		#!/bin/sh
		echo "\$0 \$#" >$TMP/argv
	END
	chmod +x "$TMP/hook"
	config --arg path "$TMP/hook" '.hooks.createRuntime = [{path: $path}]'
	create web
	[ "$(cat "$TMP/argv")" = "$TMP/hook 0" ]
}

# spaces_of PID|self: the namespaces, one a line.
SPACES='for n in cgroup ipc mnt net pid uts; do
	echo "$n $(readlink /proc/self/ns/$n)"; done'

@test "prestart, createRuntime, poststart and poststop hooks run in the runtime's namespaces, the others in the container's" {
	local point n init

	config '.linux.namespaces += [{"type": "cgroup"}] |
		.linux.namespaces |= unique_by(.type)'
	for point in prestart createRuntime createContainer poststart poststop; do
		hook "$point" "{ $SPACES; } >$TMP/$point"
	done
	hook startContainer "{ $SPACES; } >/startContainer"
	args sleep 1000
	start_container web
	init=$(pid_of web)
	for n in cgroup ipc mnt net pid uts; do
		echo "$n $(readlink "/proc/$init/ns/$n")"
	done >"$TMP/init"
	sh -c "$SPACES" >"$TMP/runtime"
	oci delete --force web
	diff "$TMP/init" "$TMP/createContainer"
	diff "$TMP/init" "$BUNDLE/rootfs/startContainer"
	for point in prestart createRuntime poststart poststop; do
		diff "$TMP/runtime" "$TMP/$point"
	done
}

@test "createContainer hooks run in the user namespace, as its root" {
	requires userns
	config '.linux.namespaces += [{"type": "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	chmod 755 "$TMP" "$BATS_RUN_TMPDIR"
	hook createContainer 'id -u; cat /proc/self/uid_map; exit 9'
	run_bad "error running createContainer hook #0: exit status 9, \
stdout: 0" create web
	[[ $output = *"0     100000      65536"* ]]
}

@test "createContainer hooks find the rootfs at its own path, with its mounts" {
	# In the runtime's namespaces nothing is mounted there.
	hook createRuntime "test ! -e $BUNDLE/rootfs/proc/version"
	hook createRuntime "pid=\$(jq .pid); root=/proc/\$pid/root/$BUNDLE/rootfs
		test -e \$root/proc/version && test -c \$root/dev/null"
	# The old root is still there, and the rootfs is where we are.
	hook createContainer "test -e $BUNDLE/config.json"
	hook createContainer "test \"\$(pwd)\" = $BUNDLE/rootfs"
	hook createContainer 'test -e proc/version && test -c dev/null'
	create web
	assert_status web created
}

@test "createRuntime hooks start in the bundle directory" {
	local point

	for point in prestart createRuntime poststart poststop; do
		hook "$point" "pwd >$TMP/$point"
	done
	start_container web
	oci delete --force web
	for point in prestart createRuntime poststart poststop; do
		[ "$(cat "$TMP/$point")" = "$BUNDLE" ]
	done
}

@test "a createRuntime hook may mount into the rootfs, as GPU hooks do" {
	mkdir "$TMP/driver"
	echo "from outside" >"$TMP/driver/lib"
	hook createRuntime "pid=\$(jq .pid); nsenter --mount=/proc/\$pid/ns/mnt \
		mount --bind $TMP/driver $BUNDLE/rootfs/tmp"
	hook createContainer "mount -t tmpfs -o size=4k hooked $BUNDLE/rootfs/run"
	args sh -c 'cat /tmp/lib; grep -c "^hooked /run " /proc/mounts'
	run_ok oci run --bundle "$BUNDLE" web
	[ "$output" = "from outside
1" ]
}

@test "a createRuntime hook may move a veth inside, as CNI does" {
	requires ip nsenter unshare
	hook createRuntime 'pid=$(jq .pid)
		ip link add hookveth0 type veth peer name hookveth1 &&
		ip link set hookveth1 netns $pid &&
		nsenter --net=/proc/$pid/ns/net sh -c "
			ip link set hookveth1 name eth0 &&
			ip addr add 10.88.7.2/24 dev eth0 &&
			ip link set eth0 up"'
	args sh -c 'cat /sys/class/net/eth0/address; ip addr show eth0'
	# Not in the host's own network.
	run_ok unshare --net "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" web
	assert_output_has "inet 10.88.7.2/24"
}

STATUS='grep -E "^(Uid|Gid|Groups|Cap...|NoNewPrivs|Seccomp|Umask)" \
	/proc/self/status; pwd; readlink /proc/self/ns/*; ulimit -n; ulimit -c'

@test "startContainer hooks are confined as the program is" {
	config '.process.user = {uid: 1, gid: 1, additionalGids: [7, 9],
		 umask: 63} | .process.cwd = "/var" |
		.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 77, hard: 99}] |
		.linux.seccomp = {defaultAction: "SCMP_ACT_ALLOW",
		 syscalls: [{names: ["chmod", "fchmodat"],
		 action: "SCMP_ACT_ERRNO", errnoRet: 91}]}'
	chmod 1777 "$BUNDLE/rootfs/var"
	hook startContainer "{ $STATUS; chmod 1 /tmp; } >/var/hook 2>&1; true"
	args sh -c "{ $STATUS; chmod 1 /tmp; } >/var/program 2>&1"
	oci run --bundle "$BUNDLE" web || true
	cd "$BUNDLE/rootfs/var"
	[ -s hook ]
	sed -i 's/^sh: //' hook program
	diff hook program
	grep -q '^Seccomp:.2' hook
	grep -q '^NoNewPrivs:.1' hook
	grep -q '^Uid:.1.1.1.1$' hook
	grep -q '^chmod: .*' hook
}

@test "the path of a startContainer hook is looked up in the container" {
	cat >"$BUNDLE/rootfs/only-inside" <<-'END'
		#!/bin/sh
		echo ran >/ran
	END
	chmod +x "$BUNDLE/rootfs/only-inside"
	config '.hooks.startContainer = [{path: "/only-inside"}]'
	start_container web
	[ "$(cat "$BUNDLE/rootfs/ran")" = ran ]
}

@test "the runtime does not wait for a child that a hook leaves behind" {
	hook createRuntime "sleep 1000 & echo \$! >$TMP/daemon"
	run_ok create web
	kill -0 "$(cat "$TMP/daemon")"
	kill "$(cat "$TMP/daemon")"
}

@test "a hook has no descriptors but 0, 1 and 2" {
	hook createRuntime "ls /proc/self/fd | wc -l >$TMP/outside"
	hook createContainer "ls /proc/self/fd | wc -l >$TMP/between"
	hook startContainer 'ls /proc/self/fd | wc -l >/inside'
	# ls has the directory open.
	oci run --bundle "$BUNDLE" web 5</dev/null 9</dev/null
	[ "$(cat "$TMP/outside")" -eq 4 ]
	[ "$(cat "$TMP/between")" -eq 4 ]
	[ "$(cat "$BUNDLE/rootfs/inside")" -eq 4 ]
}

@test "an unprivileged user's hooks of all six kinds run" {
	local point out

	requires userns subids setpriv
	new_user
	new_user_bundle
	out=$USER_HOME/out
	mkdir "$out"
	chmod 1777 "$out" "$BUNDLE/rootfs/tmp"
	# Root inside is the user; the program runs as another ID.
	config --argjson id "$USER_ID" '.root.readonly = false |
		.process.user = {uid: 5, gid: 5} |
		.linux.uidMappings = [
			{containerID: 0, hostID: $id, size: 1},
			{containerID: 1, hostID: 300000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	for point in prestart createRuntime createContainer poststart poststop; do
		hook "$point" "id -u >$out/$point"
	done
	# CNI and GPU hooks do this.
	hook createRuntime 'pid=$(jq .pid); nsenter --user=/proc/$pid/ns/user \
		--mount=/proc/$pid/ns/mnt --preserve-credentials true'
	hook startContainer 'id -u >/tmp/startContainer'
	args cat /tmp/startContainer
	run_ok as_user ./sandlock-oci run --bundle "$BUNDLE" box
	[ "$output" = 5 ]
	[ "$(cat "$out"/{prestart,createRuntime,poststart,poststop} | uniq)" = \
		"$USER_ID" ]
	[ "$(cat "$out/createContainer")" = 0 ]
	args sleep 1000
	as_user ./sandlock-oci create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	# Nor is the container closed to the user before its start.
	run_ok as_user ./sandlock-oci exec box id -u
	[ "$output" = 5 ]
	as_user ./sandlock-oci start box
}

@test "a container cannot write a runtime that belongs to its user" {
	requires userns setpriv
	new_user
	new_user_bundle
	chown "$USER_ID" "$USER_HOME/sandlock-oci"
	args sleep 1000
	as_user ./sandlock-oci create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/out" 2>&1
	run_ok as_user ./sandlock-oci exec box readlink /proc/1/exe
	[[ $output = "/memfd:"* ]]
}
