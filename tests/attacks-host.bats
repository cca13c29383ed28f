#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/attacks-host.bats - what the host has beside a sandbox, or puts there
# later, is no way out of it.
#
# Each test is a subshell on purpose, and shells inside have variables.
# shellcheck disable=SC2016,SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load netprobe

setup() {
	sandlock_setup
	requires root
	SERVER=
	enter_work
}

teardown() {
	[ -z "$SERVER" ] || kill "$SERVER"
	end_server
	sandlock_teardown
}

# with_later_mount WORD...: run it on shared mounts, with a mount that comes
# later at disk/late; say what is inside of it, and whether its mode can be
# changed.
with_later_mount() {
	mkdir -p disk
	# shellcheck disable=SC2016 # for the inner shells
	unshare --mount --propagation private sh -c '
		mount --make-rshared / || exit 1
		mount -t tmpfs none disk && chmod 0777 disk || exit 1
		mkdir -m 0777 disk/late disk/sync
		"$@" sh -c "
			>disk/sync/ready
			until [ -e disk/sync/go ]; do sleep 0.1; done
			ls disk/late
			! chmod 0600 disk/late/file" &
		until [ -e disk/sync/ready ]; do
			kill -0 $! 2>/dev/null || break
			sleep 0.1
		done
		mount -t tmpfs none disk/late
		echo >disk/late/file
		chown -R "${USER_ID:-0}" disk/late
		>disk/sync/go
		wait $!' sh "$@" 3>&-
}

@test "a mount that comes later does not appear in a running sandbox" {
	run with_later_mount
	[[ "$output" = *"file" ]]
	run with_later_mount "$SANDLOCK" --root "$ROOT" run -r /usr -r disk \
		-w disk/sync --
	[[ "$output" = "chmod: "*"disk/late/file"*": No such file"* ]]
	run with_later_mount "$SANDLOCK" --root "$ROOT" run --program-uid 1000 \
		--program-gid 1000 -r /usr -r disk -w disk/sync --
	[[ "$output" = "chmod: "*"disk/late/file"*": No such file"* ]]
}

@test "a mount that comes later does not appear in a running sandbox of a user" {
	requires userns
	new_user
	cd "$USER_HOME"
	run with_later_mount setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups \
		env XDG_RUNTIME_DIR="$USER_HOME/run" "$USER_HOME/sandlock" run \
		-r /usr -r disk -w disk/sync --
	[[ "$output" = "chmod: "*"disk/late/file"*": No such file"* ]]
}

# A program with this directory can reach the files and sockets beside it.
CLIMB='chmod 0600 /proc/self/fd/0/../victim'

NO_PLACE="standard input is a directory, and a policy cannot restrict access"

@test "run refuses a directory of the host as standard input of a sandbox" {
	local fd

	mkdir here
	echo >victim
	run_ok sh -c "$CLIMB" <here
	[ "$(stat -c %a victim)" = 600 ]
	chmod 0644 victim
	run -125 sandbox -r /usr -- sh -c "$CLIMB" <here
	[[ "$output" = *"$NO_PLACE"* ]]
	for fd in 1 2; do
		eval "run -125 sandbox -r /usr --json=out -- true $fd<here"
		[ "$(stat -c %a victim)" = 644 ]
	done
	requires userns
	new_user
	mkdir "$USER_HOME/here"
	run -125 user_sandbox -r /usr -- true <"$USER_HOME/here"
	[[ "$output" = *"$NO_PLACE"* ]]
}

@test "run refuses an O_PATH descriptor as standard input of a sandbox" {
	requires python3
	echo >victim
	run -125 python3 -c '
import os, sys
os.dup2(os.open("victim", os.O_PATH), 0)
os.execv(sys.argv[1], sys.argv[1:])' "$SANDLOCK" --root "$ROOT" run \
		-r /usr -- chmod 0600 /proc/self/fd/0
	[[ "$output" = *"standard input is an O_PATH descriptor, and a policy"* ]]
	[ "$(stat -c %a victim)" = 644 ]
}

@test "init and exec of a bundle with a policy refuse a directory as standard input" {
	requires_landlock 6
	new_bundle
	mkdir "$TMP/here"
	echo >"$TMP/victim"
	args sh -c "$CLIMB"
	run_ok oci run --bundle "$BUNDLE" box <"$TMP/here"
	[ "$(stat -c %a "$TMP/victim")" = 600 ]
	chmod 0644 "$TMP/victim"
	config '.annotations = {"io.sandlock.filesystem.read": "/"}'
	run_bad "$NO_PLACE" oci run --bundle "$BUNDLE" box <"$TMP/here"
	args sleep 1000
	create box
	oci start box
	run -255 oci exec box sh -c "$CLIMB" <"$TMP/here"
	[[ "$output" = *"$NO_PLACE"* ]]
	[ "$(stat -c %a "$TMP/victim")" = 644 ]
	oci delete --force box
}

# Run a command with a connected UDP socket as the descriptor of this number.
WITH_SOCKET='
import os, socket, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect(("127.0.0.1", 9))
os.dup2(client.fileno(), int(sys.argv[1]))
os.set_inheritable(int(sys.argv[1]), True)
os.execvp(sys.argv[2], sys.argv[2:])'

with_socket() {
	python3 -c "$WITH_SOCKET" "$@"
}

NO_SOCKET="is a network socket, and a policy cannot restrict"

@test "run refuses a socket of the caller's network as a descriptor of a sandbox" {
	local fd

	requires python3
	for fd in 0 1 2; do
		run -125 with_socket "$fd" "$SANDLOCK" --root "$ROOT" run -r /usr \
			--json=out -- touch "$TMP/ran" 2>"$TMP/err"
		[ ! -e "$TMP/ran" ]
	done
	run -125 with_socket 0 "$SANDLOCK" --root "$ROOT" run -r /usr -- true
	[[ "$output" = *"descriptor 0 $NO_SOCKET"* ]]
	run_ok with_socket 0 "$SANDLOCK" --root "$ROOT" run -r /usr \
		--network-mode open -- true
	# A Unix socket, and one that the sandbox does not get, are no way out.
	run_ok with_socket 5 "$SANDLOCK" --root "$ROOT" run -r /usr -- \
		test ! -e /proc/self/fd/5
	run_ok python3 -c '
import socket, subprocess, sys
ours, theirs = socket.socketpair()
sys.exit(subprocess.run(sys.argv[1:], stdin=theirs).returncode)' \
		"$SANDLOCK" --root "$ROOT" run -r /usr -- true
	requires userns
	new_user
	requires /usr/bin/python3
	run -125 as_user /usr/bin/python3 -c "$WITH_SOCKET" 0 ./sandlock run -r /usr -- true
	[[ "$output" = *"descriptor 0 $NO_SOCKET"* ]]
}

@test "a start that is refused ends with its error, whatever its threads do" {
	requires python3
	# The namespace of the network is being made by then.
	run_ok python3 -c '
import collections, socket, subprocess, sys
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(collections.Counter(subprocess.run(sys.argv[1:], stdin=client,
    stderr=subprocess.DEVNULL).returncode for _ in range(200)))' \
		"$SANDLOCK" --root "$ROOT" run -r /usr -- true
	[ "$output" = "Counter({125: 200})" ]
}

@test "init and exec of a bundle with a policy refuse a socket of the caller's network" {
	requires_landlock 6
	requires python3
	new_bundle
	args true
	config '.annotations = {"io.sandlock.network.mode": "loopback"}'
	run -1 with_socket 0 "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	[[ "$output" = *"descriptor 0 $NO_SOCKET"* ]]
	run -1 with_socket 3 "$SANDLOCK_OCI" --root "$ROOT" run --preserve-fds 1 \
		--bundle "$BUNDLE" box
	[[ "$output" = *"descriptor 3 $NO_SOCKET"* ]]
	args sleep 1000
	create box
	oci start box
	run -255 with_socket 3 "$SANDLOCK_OCI" --root "$ROOT" exec --preserve-fds 1 box true
	[[ "$output" = *"descriptor 3 $NO_SOCKET"* ]]
	oci delete --force box
	config '.annotations = {"io.sandlock.filesystem.read": "/"}'
	args true
	run_ok with_socket 3 "$SANDLOCK_OCI" --root "$ROOT" run --preserve-fds 1 \
		--bundle "$BUNDLE" box
}

# script_of_forgery FOLDER: what a shell inside does to records that are
# there. Beside them is the sandbox's own root, without its masks.
script_of_forgery() {
	echo "ls $1 $1/*/proc/sys; mkdir -p $1/forged; mv $1 $1.old"
}

# refused_there FOLDER: none of it was done.
refused_there() {
	[[ "$output" = "ls: "*"$1'"*": Permission denied"* ]]
	[[ "$output" = *"mkdir: "*": Permission denied"* ]]
	[[ "$output" = *"mv: "*": Device or resource busy"* ]]
	[ ! -e "$1/forged" ] && [ ! -e "$1.old" ]
}

@test "a sandbox cannot reach the records of sandboxes" {
	run sandbox -r /usr -w "$TMP" -- sh -c "$(script_of_forgery "$ROOT")"
	refused_there "$ROOT"
	run sandbox -r /usr -r "$TMP" -- sh -c "ls $ROOT"
	[[ "$output" = "ls: "*"$ROOT'"* ]]
	mkdir "$ROOT/x"
	run sandbox --cwd / -r /usr -w "$ROOT/x" -- sh -c "ls $ROOT/x"
	[[ "$output" = "ls: "*"$ROOT/x'"* ]]
	rmdir "$ROOT/x"
	run sandbox --cwd / -r /usr --mount "/new:$TMP" -- sh -c 'ls /new/state'
	[[ "$output" = "ls: "*"/new/state'"* ]]
}

@test "a sandbox cannot reach the records of its user, whether they exist or not" {
	local name

	requires userns
	new_user
	chmod 0711 "$USER_HOME/run"
	for name in sandlock sandlock-oci sandlock-placeholders; do
		run user_sandbox -r /usr -w "$USER_HOME" -- \
			sh -c "$(script_of_forgery "$USER_HOME/run/$name")"
		refused_there "$USER_HOME/run/$name"
	done
	run user_sandbox -r /usr -w "$USER_HOME" -- mv run away
	[[ "$output" = *"Device or resource busy"* ]]
}

@test "run without namespaces refuses a policy that lets a sandbox write its records" {
	requires userns
	requires_landlock 6
	run -125 sandbox_without_userns -r /usr -w "$TMP" -- true
	[[ "$output" = *"state directory $ROOT is writable inside the sandbox: hiding it requires"* ]]
	run_ok sandbox_without_userns -r /usr -w "$TMP" \
		--config-allow-degraded namespaces -- true
	run_ok sandbox_without_userns -r /usr -r "$TMP" -- true
}

# listen_at PATH...: let a process outside listen at these sockets.
listen_at() {
	python3 -c '
import socket, sys, time
all = []
for path in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    s.listen()
    all.append(s)
open("listens", "w").close()
time.sleep(1000)' "$@" 3>&- &
	SERVER=$!
	wait_until test -e listens
}

# CONNECT PATH...: say "in" or the error for each.
CONNECT='
import os, socket, sys
for path in sys.argv[1:]:
    try:
        socket.socket(socket.AF_UNIX).connect(path)
        print("in")
    except OSError as e:
        print(os.strerror(e.errno))'

@test "mounts cover the sockets below a directory that is kept in place" {
	requires python3
	mkdir -p project/sub/deep
	echo >project/pyproject.toml
	listen_at project/sock project/sub/sock project/sub/deep/sock
	run_ok python3 -c "$CONNECT" project/{,sub/,sub/deep/}sock
	[ "$output" = $'in\nin\nin' ]
	# The policy's file, what is denied, and our own records.
	run_ok sandbox -r /usr -w project --project project -- \
		python3 -c "$CONNECT" project/{,sub/,sub/deep/}sock
	[ "$output" = "$(yes "Permission denied" | head -3)" ]
	run_ok sandbox -r /usr -w project --filesystem-deny-write \
		project/sub/deep --config-allow-degraded deny_replace -- \
		python3 -c "$CONNECT" project/{,sub/,sub/deep/}sock
	[ "$(tail -3 <<<"$output")" = \
		"$(yes "Permission denied" | head -3)" ]
	run_ok sandbox -r /usr -w "$TMP" -- \
		python3 -c "$CONNECT" project/{,sub/,sub/deep/}sock
	[ "$output" = "$(yes "Permission denied" | head -3)" ]
}

@test "mounts cover the sockets in a bundle's mount with a denied path" {
	requires python3
	new_bundle
	mkdir -p share/sub/deep
	listen_at share/sock share/sub/sock share/sub/deep/sock
	add_netprobe "$BUNDLE/rootfs/bin"
	add_mount /share bind "$WORK/share" rbind
	args sh -c 'for s in sock sub/sock sub/deep/sock; do
		netprobe unix /share/$s; done'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = $'ok\nok\nok' ]
	config '.annotations = {"io.sandlock.filesystem.read": "/",
		"io.sandlock.filesystem.write": "/share",
		"io.sandlock.filesystem.deny_write": "/share/sub/deep",
		"io.sandlock.config.allow_degraded": "deny_replace",
		"io.sandlock.network.mode": "deny"}'
	run oci run --bundle "$BUNDLE" box
	[ "$(grep -c "Permission denied" <<<"$output")" -eq 3 ]
}

@test "process 1 of a sandbox hides the command line that was typed before the program begins" {
	requires strace
	# Process 1 is late.
	run_ok strace -f -o /dev/null -e trace=clone3 \
		-e inject=clone3:delay_exit=200000 "$SANDLOCK" \
		--root "$ROOT" run --cwd / -r /usr --env NOTE=typed -- \
		grep -c typed /proc/self/cmdline /proc/1/cmdline
	[ "$output" = $'/proc/self/cmdline:1\n/proc/1/cmdline:0' ]
}

# lifted KEY=VALUE...: a bundle with a policy, and capabilities to take it off.
lifted() {
	config '.process.capabilities[] += ["CAP_SYS_ADMIN",
		"CAP_DAC_READ_SEARCH"]'
	annotate "${@/#/io.sandlock.}"
}

@test "a program with the right to mount or to open by handle can evade masks, and run says so" {
	requires_landlock 6
	new_bundle
	mkdir share
	add_netprobe "$BUNDLE/rootfs/bin"
	add_mount /share bind "$WORK/share" rbind
	mkdir -p "$BUNDLE/rootfs/data"
	echo >"$BUNDLE/rootfs/data/secret"
	serve share/sock
	args sh -c 'umount /share/sock; netprobe unix /share/sock'
	lifted network.mode=deny
	run oci run --bundle "$BUNDLE" box
	[[ "$output" = *"Operation not permitted"*"Permission denied" ]]
	lifted network.mode=deny syscalls.extra_allow=mount
	run_bad "network.unix cannot be enforced with 'mount' in syscalls.extra_allow" \
		oci run --bundle "$BUNDLE" box
	lifted network.mode=deny syscalls.extra_allow=handle
	run_bad "network.unix cannot be enforced with 'handle'" \
		oci run --bundle "$BUNDLE" box
	# Landlock denies every mount.
	lifted network.mode=deny syscalls.extra_allow=mount filesystem.read=/
	run oci run --bundle "$BUNDLE" box
	[[ "$output" = *"Operation not permitted"*"Permission denied" ]]
	lifted filesystem.read=/ filesystem.deny=/data/secret \
		syscalls.extra_allow=handle
	run_bad "filesystem.deny cannot be enforced with 'handle'" \
		oci run --bundle "$BUNDLE" box
	run -125 sandbox -r /usr --syscalls-extra-allow handle \
		--syscalls-extra-allow namespaces -- true
	[[ "$output" = *"network.unix cannot be enforced with 'handle'"* ]]
}

# bounding KEY=VALUE...: the capabilities that the bundle's plan leaves, where
# there are all of them.
bounding() {
	annotate "${@/#/io.sandlock.}"
	unshare --user --map-root-user "$SANDLOCK_OCI" --root "$ROOT" create \
		--dump-plan --bundle "$BUNDLE" box |
		sed -n 's/.*reduce the bounding capabilities to \([^(]*\).*/\1/p'
}

@test "a program loses CAP_SYS_RESOURCE where its policy limits open files or core dumps" {
	local key

	requires userns
	new_bundle
	config '.process.capabilities[] += ["CAP_SYS_RESOURCE"]'
	[[ $(bounding limits.tasks=10) = *CAP_SYS_RESOURCE* ]]
	for key in limits.open_files=10 program.no_coredump=true; do
		[[ $(bounding $key) = *CAP_* ]]
		[[ $(bounding $key) != *CAP_SYS_RESOURCE* ]]
	done
}

# up: what comes of it inside, in a network that is not the container's own.
up() {
	unshare --net "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
}

@test "a program with CAP_NET_ADMIN cannot change a denied network that others use" {
	local path='(.linux.namespaces[] | select(.type == "network")).path'

	requires unshare
	requires_landlock 6
	new_bundle
	add_netprobe "$BUNDLE/rootfs/bin"
	config '.process.capabilities[] += ["CAP_NET_ADMIN"] |
		.process.args = ["netprobe", "up", "lo"]'
	annotate io.sandlock.network.mode=deny
	[ "$(up)" = ok ]
	config "$path = \"/proc/self/ns/net\""
	[ "$(up)" = "Operation not permitted" ]
	annotate io.sandlock.network.mode=open
	[ "$(up)" = ok ]
	annotate io.sandlock.network.mode=deny
	args sleep 1000
	unshare --net "$SANDLOCK_OCI" --root "$ROOT" run --detach \
		--bundle "$BUNDLE" box </dev/null >/dev/null 2>&1 3>&-
	run oci exec --cap CAP_NET_ADMIN box netprobe up lo
	[ "$output" = "Operation not permitted" ]
	oci delete --force box
}

@test "a project cannot extend what its next run may read" {
	mkdir -p project/.venv project/link secret/bin
	echo secret >secret/file
	ln -s "$WORK/secret/file" project/link/python3
	for home in secret secret/bin project/link; do
		echo "home = $WORK/$home" >project/.venv/pyvenv.cfg
		run sandbox -r /usr -r @python -w project --project project -- \
			cat secret/file
		[[ "$output" = *"secret/file"*": No such file or directory"* ]]
	done
}
