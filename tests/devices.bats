#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/devices.bats - what is in /dev, and what config.json adds.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
}

show='stat -c "%n %F %t:%T %a %u:%g"'

default_nodes='/dev/full character special file 1:7 666 0:0
/dev/null character special file 1:3 666 0:0
/dev/random character special file 1:8 666 0:0
/dev/tty character special file 5:0 666 0:0
/dev/urandom character special file 1:9 666 0:0
/dev/zero character special file 1:5 666 0:0'

@test "/dev has the default nodes" {
	umask 077
	run_inside "$show /dev/full /dev/null /dev/random /dev/tty /dev/urandom \
		/dev/zero"
	assert_lines "$default_nodes"
}

@test "the default nodes of /dev work" {
	run_inside 'echo x >/dev/null; head -c 3 /dev/zero | od -An -tx1
		head -c 9 /dev/urandom | wc -c; echo x >/dev/full || true'
	assert_output_has " 00 00 00"
	assert_output_has 9
	assert_output_has "No space left on device"
}

@test "/dev has the default links, and nothing else" {
	run_inside 'cd /dev; for l in core fd ptmx stderr stdin stdout; do
		echo "$l $(readlink $l)"; done; ls'
	assert_lines "core /proc/kcore
fd /proc/self/fd
ptmx pts/ptmx
stderr /proc/self/fd/2
stdin /proc/self/fd/0
stdout /proc/self/fd/1
core
fd
full
mqueue
null
ptmx
pts
random
shm
stderr
stdin
stdout
tty
urandom
zero"
}

@test "/dev of a container in a user namespace has the host's nodes" {
	with_userns
	run_inside 'cd /dev; for n in full null random tty urandom zero; do
			stat -c "%n %t:%T" $n; done
		echo x >null; head -c 2 zero | od -An -tx1'
	assert_lines "full 1:7
null 1:3
random 1:8
tty 5:0
urandom 1:9
zero 1:5
 00 00"
}

@test "create keeps names that are in /dev already" {
	config 'del(.mounts[] | select(.destination == "/dev"))'
	echo text >"$BUNDLE/rootfs/dev/zero"
	ln -s nowhere "$BUNDLE/rootfs/dev/fd"
	mkdir "$BUNDLE/rootfs/dev/full"
	run_inside 'cat /dev/zero; readlink /dev/fd; ls -d /dev/full; ls -l /dev/null'
	assert_output_has "text
nowhere
/dev/full"
	assert_output_has "1,   3"
}

@test "create adds nothing to a /dev that is a bind mount" {
	mkdir "$TMP/dev"
	config --arg dev "$TMP/dev" '.mounts |= map(select(
			.destination | startswith("/dev") | not)) |
		.mounts += [{destination: "/dev", source: $dev,
			     options: ["bind"]}]'
	add_device '{"type": "c", "path": "/dev/extra", "major": 1, "minor": 3}'
	add_device '{"type": "c", "path": "/extra", "major": 1, "minor": 3}'
	run_inside 'ls /dev; ls /extra'
	assert_lines /extra
	[ -z "$(ls "$TMP/dev")" ]
}

@test "listed devices have the type, numbers, mode and owner of config.json" {
	add_device '{"type": "c", "path": "/dev/c", "major": 1, "minor": 3,
		 "fileMode": 416, "uid": 7, "gid": 8}'
	add_device '{"type": "u", "path": "/dev/u", "major": 1, "minor": 5}'
	add_device '{"type": "b", "path": "/dev/b", "major": 7, "minor": 300,
		 "fileMode": 25008}'
	add_device '{"type": "p", "path": "/some/where/p", "fileMode": 384}'
	umask 077
	run_inside "$show /dev/c /dev/u /dev/b /some/where/p"
	assert_lines "/dev/c character special file 1:3 640 7:8
/dev/u character special file 1:5 666 0:0
/dev/b block special file 7:12c 660 0:0
/some/where/p fifo 0:0 600 0:0"
}

@test "a listed device replaces the default node of the same path" {
	add_device '{"type": "c", "path": "/dev/null", "major": 1, "minor": 5,
		 "fileMode": 292, "uid": 3}'
	run_inside "$show /dev/null; head -c 1 /dev/null | od -An -tx1"
	assert_lines "/dev/null character special file 1:5 444 3:0
 00"
}

@test "a listed device that exists already gets mode and owner" {
	config 'del(.mounts[] | select(.destination == "/dev"))'
	mknod -m 600 "$BUNDLE/rootfs/dev/x" c 1 3
	mkfifo -m 600 "$BUNDLE/rootfs/dev/p"
	add_device '{"type": "c", "path": "/dev/x", "major": 1, "minor": 3,
		 "fileMode": 438, "uid": 5}'
	add_device '{"type": "p", "path": "/dev/p", "fileMode": 420}'
	run_inside "$show /dev/x /dev/p"
	assert_lines "/dev/x character special file 1:3 666 5:0
/dev/p fifo 0:0 644 0:0"
}

@test "create refuses a different file in the place of a listed device" {
	local make

	config 'del(.mounts[] | select(.destination == "/dev"))'
	add_device '{"type": "c", "path": "/dev/x", "major": 1, "minor": 3}'
	for make in "mknod PATH c 1 5" "mknod PATH b 1 3" "touch PATH" \
		"mkdir PATH" "mkfifo PATH" "ln -s /dev/null PATH"; do
		${make//PATH/$BUNDLE/rootfs/dev/x}
		create_fails "linux.devices[0]"
		assert_output_has "another file with this name exists"
		rm -r "$BUNDLE/rootfs/dev/x"
	done
}

@test "a device of a container in a user namespace is made outside the user namespace" {
	with_userns
	add_device '{"type": "c", "path": "/dev/null", "major": 1, "minor": 3}'
	add_device '{"type": "p", "path": "/dev/p"}'
	add_device '{"type": "c", "path": "/dev/zero", "major": 1, "minor": 3}'
	run_inside 'stat -c "%t:%T" /dev/null /dev/zero; stat -c %F /dev/p'
	assert_lines "1:3
1:3
fifo"
}

@test "a container with a terminal has /dev/console" {
	config '.process.terminal = true'
	args sh -c 'tty; stat -c "%t" /dev/console; test -t 0 && echo terminal'
	run_ok script -qec "'$SANDLOCK_OCI' --root '$ROOT' run --bundle '$BUNDLE' tty" \
		/dev/null
	assert_output_has /dev/pts/0
	assert_output_has 88
	assert_output_has terminal
}

@test "everyone can use the host's null device after a run" {
	start_container c1 || true
	oci delete --force c1
	[ "$(stat -c '%a %u:%g %t:%T' /dev/null)" = "666 0:0 1:3" ]
}
