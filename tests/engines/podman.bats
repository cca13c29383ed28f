#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/engines/podman.bats - podman as root: the life of a container.

load podman

setup_file() {
	has_engine podman conmon
	start_podman
	podman_once "$IMAGE" true
	room_settled
}

# bats test_tags=run
@test "podman runs a program and shows its output" {
	expect 0 hello podman_once "$IMAGE" echo hello
}

# bats test_tags=run
@test "podman uses the runtime under test" {
	podman_start_sleeping a
	expect 0 "sandlock" podman inspect --format '{{.OCIRuntime}}' a
	expect 0 "" podman info --format '{{.Host.OCIRuntime.Path}}'
	[ "$output" = "$RUNTIME" ]
}

# bats test_tags=exit-codes
@test "podman run exits with the status of its program" {
	expect 0 "" podman_once "$IMAGE" true
	expect 7 "" podman_once "$IMAGE" sh -c 'exit 7'
	expect 143 "" podman_once --init "$IMAGE" sh -c 'kill -TERM $$'
}

# bats test_tags=exit-codes
@test "podman run exits with 127 for a missing program" {
	expect 127 "executable file not found in \$PATH" podman_once "$IMAGE" nosuch
	expect 127 "no such file or directory" podman_once "$IMAGE" /bin/nosuch
}

# bats test_tags=exit-codes
@test "podman run exits with 126 for a file that cannot be executed" {
	expect 126 "permission denied" podman_once "$IMAGE" /etc/passwd
	expect 126 "permission denied" podman_once "$IMAGE" /etc
}

# bats test_tags=exec
@test "podman exec runs a program beside the first" {
	podman_start_sleeping a
	expect 0 "uid=0(root)" podman exec a id
	expect 9 "" podman exec a sh -c 'exit 9'
	expect 0 $'/tmp\nuid=1(daemon)' podman exec -w /tmp -u 1 a \
		sh -c 'pwd; id'
	expect 0 WORD=here podman exec -e WORD=here a env
	expect 0 "from stdin" podman exec -i a cat <<<"from stdin"
}

# bats test_tags=exec
@test "podman exec exits with 127 and 126 as podman run does" {
	podman_start_sleeping a
	expect 127 "executable file not found in \$PATH" podman exec a nosuch
	expect 126 "permission denied" podman exec a /etc/passwd
	expect 126 "permission denied" podman exec a /etc
}

# bats test_tags=exec,top
@test "podman exec -d leaves a program in the container" {
	podman_start_sleeping a
	podman exec -d a sh -c 'echo done >/tmp/done; sleep 1000'
	wait_until has "done" podman exec a cat /tmp/done
	expect 0 "sleep 1000" podman top a args
}

# bats test_tags=exec,tty
@test "podman exec -it gives the program a terminal" {
	podman_start_sleeping a
	expect 5 "" terminal podman exec -it a sh -c "$SHOW_TERMINAL; exit 5"
	[ "$output" = /dev/pts/0 ]
}

# bats test_tags=tty
@test "podman run -it gives the program a console" {
	expect 0 "" terminal podman run --rm -it --network none "$IMAGE" \
		sh -c "$SHOW_TERMINAL; test -c /dev/console"
	[ "$output" = /dev/pts/0 ]
}

# bats test_tags=run
@test "podman run -i feeds the program" {
	expect 0 "3 words here" podman_once -i "$IMAGE" cat <<<"3 words here"
}

# bats test_tags=detached,logs
@test "podman logs shows both streams of a detached container" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'echo out; echo err >&2' >/dev/null
	expect 0 "" podman wait a
	expect 0 out podman logs a
	assert_output_has err
}

# bats test_tags=attach
@test "podman attach passes on input and output" {
	podman run -d -i --name a --network none "$IMAGE" \
		sh -c 'read word; echo "read $word"; exit 8' >/dev/null
	expect 0 "read it" podman attach a <<<it
	expect 0 8 podman wait a
}

# bats test_tags=top,stats
@test "podman top and stats look at a container" {
	podman_start_sleeping a
	expect 0 "sleep 1000" podman top a
	expect 0 "" podman stats --no-stream --no-reset \
		--format '{{.Name}} {{.PIDS}}' a
	assert_output_has "a 2"
}

# bats test_tags=stop
@test "podman stop lets a program end by itself" {
	podman_start_sleeping a
	podman stop -t 10 a
	[ "$(podman_exit_code a)" -eq 3 ]
	podman rm a
}

# bats test_tags=stop
@test "podman stop kills a program that ignores SIGTERM" {
	podman run -d --name a --network none "$IMAGE" sleep 1000 >/dev/null
	podman stop -t 0 a
	[ "$(podman_exit_code a)" -eq 137 ]
}

# bats test_tags=kill
@test "podman kill sends the named signal" {
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

# bats test_tags=run
@test "podman creates, initialises and starts a container in three steps" {
	podman create --name a \
		--network none "$IMAGE" sh -c 'echo begun; exit 6' >/dev/null
	podman init a
	[ "$(podman_state a)" = initialized ]
	expect 6 begun podman start -a a
}

# bats test_tags=run
@test "podman removes a container that was never started" {
	podman create --name a --network none "$IMAGE" true >/dev/null
	podman init a
	podman rm -f a
}

# bats test_tags=restart
@test "podman restarts a container" {
	local pid

	podman_start_sleeping a
	pid=$(podman_pid a)
	podman restart -t 5 a
	[ "$(podman_pid a)" -ne "$pid" ]
	expect 0 "" podman exec a true
}

# bats test_tags=pause
@test "podman pauses a container and lets it go on" {
	podman run -d --name a --network none "$IMAGE" \
		sh -c 'while sleep 0.02; do echo >>/tmp/beats; done' >/dev/null
	podman pause a
	[ "$(podman_state a)" = paused ]
	stands_still "$(podman_pid a)"
	expect 255 "" podman exec a true
	podman unpause a
	expect 1 "" stands_still "$(podman_pid a)"
	expect 0 "" podman exec a true
}

# bats test_tags=run
@test "podman run --preserve-fds passes descriptors on" {
	echo given >"$TMP/file"
	expect 0 given podman_run_with_file "$TMP/file"
}

# shellcheck disable=SC2016 # for the shell inside
# `room` closes 3, bats' own: the shell inside opens it anew.
podman_run_with_file() {
	podman_environment bash -c \
		'exec podman run --rm --network none --preserve-fds 1 \
			"$1" sh -c "cat <&3" 3<"$2"' bash "$IMAGE" "$1"
}

# bats test_tags=copy
@test "podman copies files in, and out of a running container" {
	podman_start_sleeping a
	echo carried >"$TMP/file"
	podman cp "$TMP/file" a:/tmp/file
	expect 0 carried podman exec a cat /tmp/file
	podman cp a:/etc/passwd "$TMP/passwd"
	grep -q root "$TMP/passwd"
}

# bats test_tags=healthcheck
@test "podman runs the health check of a container" {
	podman_start_sleeping a --health-cmd 'test -e /tmp/well' --health-interval disable \
		--health-retries 1
	expect 1 "" podman healthcheck run a
	podman exec a touch /tmp/well
	expect 0 "" podman healthcheck run a
	[ "$(podman inspect --format '{{.State.Health.Status}}' a)" = healthy ]
}
