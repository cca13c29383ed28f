#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/podman-checkpoint.bats - podman saves and restores containers.
#
# The shell inside has dollars of its own.
# shellcheck disable=SC2016

load podman
load ../criu

setup_file() {
	has_engine podman conmon
	find_criu
	requires_criu
	start_podman
	show_criu
	network=bridge podman_start_counting first
	podman container checkpoint first >/dev/null
	remove_all
	room_settled
}

# podman_start_counting NAME [OPTION...]: one that counts in a file for as
# long as it lives.
podman_start_counting() {
	podman run -d --network "${network:-none}" --name "$@" "$IMAGE" sh -c \
		'i=0; while :; do
		i=$((i + 1)); echo $i >/new; mv /new /count; sleep 0.05
		done' >/dev/null
	wait_until podman exec "$1" test -s /count
}

podman_count() {
	podman exec "$1" cat /count
}

podman_counted_past() {
	[ "$(podman_count "$2")" -gt "$1" ]
}

# bats test_tags=checkpoint
@test "podman restores a container at the point of its checkpoint" {
	podman_start_counting a
	before=$(podman_count a)
	expect 0 "" podman container checkpoint a
	expect 0 exited podman_state a
	expect 0 "" podman container restore a
	expect 0 running podman_state a
	podman_counted_past "$((before - 1))" a
	wait_until podman_counted_past "$((before + 5))" a
	expect 0 "" podman stop -t 0 a
}

# bats test_tags=checkpoint
@test "podman checkpoint --leave-running leaves the container running" {
	podman_start_counting a
	expect 0 "" podman container checkpoint --leave-running a
	expect 0 running podman_state a
	wait_until podman_counted_past "$(podman_count a)" a
}

# bats test_tags=checkpoint
@test "podman restores the export of a checkpoint under another name" {
	podman_start_counting a
	before=$(podman_count a)
	expect 0 "" podman container checkpoint --export "$ROOM/a.tar" a
	podman rm -f a >/dev/null
	expect 0 "" podman container restore --import "$ROOM/a.tar" --name b
	podman_counted_past "$((before - 1))" b
	wait_until podman_counted_past "$((before + 5))" b
	rm "$ROOM/a.tar"
}

# bats test_tags=checkpoint
@test "podman restores limits, binds, volumes and masks" {
	mkdir "$ROOM/data"
	echo here >"$ROOM/data/file"
	podman_start_counting a --memory 64m --pids-limit 50 -v "$ROOM/data:/data:ro" \
		-v vol:/vol --tmpfs /scratch
	podman exec a sh -c 'echo kept >/vol/file; echo too >/scratch/file'
	expect 0 "" podman container checkpoint a
	expect 0 "" podman container restore a
	expect 0 $'here\nkept\ntoo' podman exec a \
		cat /data/file /vol/file /scratch/file
	expect 1 "Read-only file system" podman exec a touch /data/new
	[ "$(memory_limit podman exec a cat)" = 67108864 ]
	[ "$(pids_limit podman exec a cat)" = 50 ]
	expect 0 "" podman exec a cat /proc/keys
	[ -z "$output" ]
	rm -r "$ROOM/data"
}

# bats test_tags=checkpoint
@test "podman restores the output of a container" {
	podman run -d --network none --name a "$IMAGE" sh -c 'i=0; while :; do
		i=$((i + 1)); echo line $i; sleep 0.05; done' >/dev/null
	wait_until has "line 3" podman logs a
	expect 0 "" podman container checkpoint a
	expect 0 "" podman container restore a
	last=$(podman logs --tail 1 a)
	wait_until has "line $((${last#line } + 5))" podman logs a
}

# bats test_tags=checkpoint,tty
@test "podman restores a container with a terminal" {
	podman run -dt --network none --name a "$IMAGE" sh -c 'i=0; while :; do
		i=$((i + 1)); echo line $i; sleep 0.05; done' >/dev/null
	wait_until has "line 3" podman logs a
	expect 0 "" podman container checkpoint a
	expect 0 "" podman container restore a
	expect 0 running podman_state a
	last=$(podman logs --tail 1 a | tr -d '\r')
	wait_until has "line $((${last#line } + 5))" podman logs a
}

# bats test_tags=checkpoint,network
@test "podman restores a container in a network of its own" {
	network=bridge podman_start_counting a
	before=$(podman_count a)
	expect 0 "" podman container checkpoint a
	expect 0 "" podman container restore a
	podman_counted_past "$((before - 1))" a
	expect 0 eth0 podman exec a ls /sys/class/net
}

# bats test_tags=checkpoint
@test "podman checkpoint --file-locks saves the locks of a program" {
	requires cc
	cc -static -o "$ROOM/locker" "$BATS_TEST_DIRNAME/../locker.c"
	podman run -d --network none --name a -v "$ROOM/locker:/bin/locker" \
		"$IMAGE" locker /lock /held >/dev/null
	wait_until podman exec a test -e /held
	is_locked
	expect 125 "--file-locks" podman container checkpoint a
	expect 0 running podman_state a
	expect 0 "" podman container checkpoint --file-locks a
	expect 0 "" podman container restore --file-locks a
	is_locked
}

is_locked() {
	expect 1 "" room flock --nonblock "/proc/$(podman_pid a)/root/lock" true
}

# bats test_tags=checkpoint
@test "podman says why a checkpoint fails" {
	podman run -d --network none --name a "$IMAGE" sh -c \
		'mkfifo /there /back; nc -l -p 4000 <>/back &
		until nc 127.0.0.1 4000; do sleep 0.05; done <>/there' \
		>/dev/null
	wait_until has ESTABLISHED podman exec a netstat -tn
	expect 125 "dump.log" podman container checkpoint a
	[[ $output = *--tcp-established* ]]
	expect 0 running podman_state a
}
