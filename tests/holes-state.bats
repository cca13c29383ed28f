#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-state.bats - placeholders and records: cleanup removes no file of
# another user, and leaves nothing of killed sandboxes.
#
# Each test is a subshell on purpose, and shells inside have variables.
# shellcheck shell=bash disable=SC2016,SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	requires root
	RUNNING=
	SHARED=
	enter_work
}

teardown() {
	[ -z "$RUNNING" ] || kill -KILL "$RUNNING" 2>/dev/null || true
	[ -z "$SHARED" ] || rm -rf "$SHARED" "/run/user/$USER_ID"
	sandlock_teardown
}

# holding NAME WORD...: start a sandbox that ends when ./NAME.go is written.
# LOSE is the list that has deny_replace.
holding() {
	local name=$1

	shift
	mkfifo "$name.go"
	sandbox --name "$name" -r /usr -w "$PWD" \
		"${LOSE:---config-allow-degraded}" deny_replace "$@" -- \
		sh -c ">$name.up; read -r _ <$name.go" >"$name.out" 2>&1 &
	RUNNING=$!
	wait_until test -e "$name.up"
}

# release_sandbox NAME: let the sandbox end by itself.
release_sandbox() {
	echo >"$1.go"
	wait "$RUNNING"
	RUNNING=
}

# ---- placeholders ----

@test "a directory that another sandbox swaps for a link leads no removal of placeholders outside" {
	local outside=$TMP/outside

	mkdir -p d "$outside/folder"
	: >"$outside/file"
	LOSE=--config-disable holding one --filesystem-deny "$PWD/d/file" \
		--filesystem-deny "$PWD/d/folder/x"
	[ -f d/file ] && [ -d d/folder ]
	run_ok sandbox -r /usr -w "$PWD" -- \
		sh -c "mv d away && ln -s $outside d"
	release_sandbox one
	[ -f "$outside/file" ]
	[ -d "$outside/folder" ]
}

@test "a link above the directory of a placeholder leads no removal outside" {
	local outside=$TMP/outside

	mkdir -p a/b "$outside/b"
	: >"$outside/b/file"
	LOSE=--config-disable holding one --filesystem-deny "$PWD/a/b/file"
	[ -f a/b/file ]
	run_ok sandbox -r /usr -w "$PWD" -- \
		sh -c "mv a away && ln -s $outside a"
	release_sandbox one
	[ -f "$outside/b/file" ]
}

@test "a sandbox that ends because a directory became a link removes nothing outside" {
	local outside=$TMP/outside status=0

	mkdir -p a/b "$outside/b"
	: >"$outside/b/file"
	holding one --filesystem-deny "$PWD/a/b/file"
	[ -f a/b/file ]
	run_ok sandbox -r /usr -w "$PWD" -- \
		sh -c "mv a away && ln -s $outside a"
	wait "$RUNNING" || status=$?
	RUNNING=
	[ "$status" -eq 125 ]
	grep -F "$PWD/a leads to a denied path and has become a symbolic link to $outside" one.out
	[ -f "$outside/b/file" ]
}

@test "a directory of a bundle that is swapped for a link leads no removal outside" {
	local outside=$TMP/outside data=$TMP/bundle/rootfs/data

	new_bundle
	mkdir -p "$data/d" "$outside"
	: >"$outside/file"
	annotate io.sandlock.filesystem.read=/ \
		io.sandlock.filesystem.write=/data \
		io.sandlock.filesystem.deny=/data/d/file \
		io.sandlock.config.allow_degraded=deny_replace
	args sleep 1000
	create one
	[ -f "$data/d/file" ]
	mv "$data/d" "$data/away"
	ln -s "$outside" "$data/d"
	oci delete --force one
	[ -f "$outside/file" ]
}

@test "an empty file that its owner creates in the place of a placeholder stays" {
	holding one --filesystem-deny "$PWD/file"
	rm file
	: >file
	release_sandbox one
	[ -f file ]
}

@test "an empty file of mode 0600 in the place of a placeholder stays" {
	holding one --filesystem-deny "$PWD/file"
	rm file
	(umask 077 && : >file)
	release_sandbox one
	[ -f file ]
}

@test "an empty directory that its owner creates in the place of a placeholder stays" {
	holding one --filesystem-deny "$PWD/folder/x"
	rmdir folder
	mkdir folder
	release_sandbox one
	[ -d folder ]
}

@test "a placeholder with a second name stays" {
	holding one --filesystem-deny "$PWD/file"
	ln file alias
	release_sandbox one
	[ -f file ] && [ -f alias ]
}

@test "the last sandbox that denies a placeholder's name removes the placeholder" {
	mkdir d
	holding one --filesystem-deny "$PWD/d/file" --filesystem-deny "$PWD/d/folder/x"
	run_ok sandbox -r /usr -w "$PWD" --config-allow-degraded deny_replace \
		--filesystem-deny "$PWD/d/file" --filesystem-deny "$PWD/d/folder/x" -- true
	[ -f d/file ] && [ -d d/folder ]
	release_sandbox one
	[ -z "$(ls d)" ]
}

@test "a list of placeholders that somebody else wrote removes no file" {
	holding one --filesystem-deny "$PWD/file"
	mkdir "$ROOT/forged"
	# "-" marks a file that is about to be created, and needs no number.
	grep -z "/file$" "$ROOT/one/placeholders" | tail -z -n 1 |
		sed -z 's/^[^ ]*/-/' >"$ROOT/forged/placeholders"
	release_sandbox one
	[ ! -e file ]
	(umask 077 && : >file)
	chown -R "$USER_ID" "$ROOT/forged"
	run_ok oci delete --force forged
	[ -f file ]
}

# ---- the registry of placeholders ----

# registry_refused TEXT: a user's sandbox that needs the registry does not run.
registry_refused() {
	run -125 user_sandbox -r /usr -w "$USER_HOME/w" --filesystem-deny "$USER_HOME/w/file" \
		--config-allow-degraded deny_replace -- true
	[[ ${lines[-1]} = *"$1"* ]]
	[ ! -e "$USER_HOME/w/file" ]
}

# Create a user with ./w, and set $registry.
registry_of_user() {
	requires userns
	new_user
	mkdir "$USER_HOME/w"
	chown "$USER_ID" "$USER_HOME/w"
	registry=$USER_HOME/run/sandlock-placeholders
}

@test "a registry of placeholders of another user is refused" {
	registry_of_user
	mkdir -m 0777 "$registry"
	registry_refused "$registry: is owned by user 0"
}

@test "a registry of placeholders that others may open is refused" {
	registry_of_user
	mkdir "$registry"
	chown "$USER_ID" "$registry"
	chmod 0770 "$registry"
	registry_refused "$registry: is accessible to others"
	chmod 0700 "$registry"
	run_ok user_sandbox -r /usr -w "$USER_HOME/w" --filesystem-deny "$USER_HOME/w/file" \
		--config-allow-degraded deny_replace -- true
	[ -z "$(ls "$registry")" ]
	[ ! -e "$USER_HOME/w/file" ]
}

@test "a placeholder is removed even if the registry has been lost meanwhile" {
	registry_of_user
	mkfifo "$USER_HOME/w/go"
	user_sandbox -r /usr -w "$USER_HOME/w" \
		--filesystem-deny "$USER_HOME/w/file" \
		--config-allow-degraded deny_replace -- \
		sh -c '>w/up; read -r _ <w/go' >out 2>&1 &
	RUNNING=$!
	wait_until test -e "$USER_HOME/w/up"
	[ -e "$USER_HOME/w/file" ]
	rm -r "$registry"
	echo >"$USER_HOME/w/go"
	wait "$RUNNING"
	RUNNING=
	[ ! -e "$USER_HOME/w/file" ]
}

@test "a registry of placeholders that is a link is refused" {
	registry_of_user
	mkdir -m 0700 "$USER_HOME/elsewhere"
	chown "$USER_ID" "$USER_HOME/elsewhere"
	ln -s "$USER_HOME/elsewhere" "$registry"
	registry_refused "$registry: is a symbolic link"
}

# ---- the default state directory ----

# homeless: create a user with ./w whom the host does not know; $SHARED is the
# directory below /tmp. Tests share /tmp, so each has its own user id.
homeless() {
	requires userns
	USER_ID=$((1000000 + $$))
	SHARED=/tmp/sandlock-$USER_ID
	new_user
	mkdir "$USER_HOME/w"
	chown "$USER_ID" "$USER_HOME/w"
}

# homeless_does WORD...: run it as that user, without XDG_RUNTIME_DIR.
homeless_does() {
	as_user env -u XDG_RUNTIME_DIR "$@"
}

# homeless_box WORD...: run a sandbox that needs a placeholder.
homeless_box() {
	homeless_does ./sandlock run -r /usr -w "$USER_HOME/w" \
		--filesystem-deny "$USER_HOME/w/file" \
		--config-allow-degraded deny_replace "$@"
}

# The names below a directory.
names_in() {
	find "$1" -mindepth 1 -printf '%P\n' | sort | paste -sd ' '
}

@test "without a runtime directory all state of a user is below /tmp/sandlock-UID" {
	homeless
	run_ok homeless_box -- true
	run_ok homeless_does ./sandlock-oci list
	[ "$(stat -c '%u %a' "$SHARED")" = "$USER_ID 700" ]
	[ "$(names_in "$SHARED")" = "sandlock sandlock-placeholders" ]
	new_user_bundle
	run_ok homeless_does ./sandlock-oci run --bundle "$BUNDLE" box
	[ "$(names_in "$SHARED")" = \
		"sandlock sandlock-oci sandlock-placeholders" ]
}

@test "without a runtime directory, commands that only report write no /tmp/sandlock-UID" {
	homeless
	new_user_bundle
	run_ok homeless_does ./sandlock explain -r /usr -w /tmp -- true
	[ ! -e "$SHARED" ]
	# The exit status tells what this host lacks.
	run homeless_does ./sandlock check
	[ "$status" -lt 125 ]
	[ ! -e "$SHARED" ]
	run_ok homeless_does ./sandlock profile schema
	run_ok homeless_does ./sandlock __complete kill ""
	run_ok homeless_does ./sandlock-oci create --dump-plan \
		--bundle "$BUNDLE" box
	run_ok homeless_does ./sandlock ps
	run_ok homeless_does ./sandlock-oci list
	run_bad "does not exist" homeless_does ./sandlock-oci state box
	[ ! -e "$SHARED" ]
}

@test "without XDG_RUNTIME_DIR all state of a user is below /run/user/UID if that is there" {
	homeless
	mkdir -p /run/user
	mkdir -m 0700 "/run/user/$USER_ID"
	chown "$USER_ID" "/run/user/$USER_ID"
	run_ok homeless_box -- true
	run_ok homeless_does ./sandlock-oci list
	new_user_bundle
	run_ok homeless_does ./sandlock-oci run --bundle "$BUNDLE" box
	[ ! -e "$SHARED" ]
	[ "$(names_in "/run/user/$USER_ID")" = \
		"sandlock sandlock-oci sandlock-placeholders" ]
}

@test "an XDG_RUNTIME_DIR that is not absolute counts as unset" {
	homeless
	run_ok as_user env XDG_RUNTIME_DIR=run ./sandlock run -r /usr -- true
	run_ok as_user env XDG_RUNTIME_DIR=run ./sandlock-oci list
	[ "$(names_in "$SHARED")" = sandlock ]
	[ -z "$(names_in "$USER_HOME/run")" ]
}

@test "an XDG_RUNTIME_DIR of somebody else is an error that names the other places" {
	local place="(set another state directory with --root DIR; for a user, XDG_RUNTIME_DIR)"

	homeless
	mkdir -m 0700 "$TMP/others"
	for words in ps "run -r /usr -- true"; do
		# shellcheck disable=SC2086 # words
		run as_user env XDG_RUNTIME_DIR="$TMP/others" ./sandlock $words
		[ "$status" -eq 125 ]
		assert_output_has "open the state directory $TMP/others/sandlock $place: permission denied"
	done
	run_bad "open the state directory $TMP/others/sandlock-oci $place: permission denied" \
		as_user env XDG_RUNTIME_DIR="$TMP/others" ./sandlock-oci list
}

@test "a /tmp/sandlock-UID that is not the user's alone is refused" {
	local program

	homeless
	mkdir -m 0777 "$SHARED"
	for program in sandlock sandlock-oci; do
		run homeless_does "./$program" "$([ "$program" = sandlock ] &&
			echo ps || echo list)"
		[ "$status" -ne 0 ]
		assert_output_has "$SHARED: must be a directory accessible only to user $USER_ID:"
	done
	chown "$USER_ID" "$SHARED"
	run -125 homeless_box -- true
	assert_output_has "$SHARED: must be a directory"
	rmdir "$SHARED"
	mkdir -m 0700 "$USER_HOME/elsewhere"
	chown "$USER_ID" "$USER_HOME/elsewhere"
	ln -s "$USER_HOME/elsewhere" "$SHARED"
	run -125 homeless_box -- true
	assert_output_has "$SHARED: must be a directory"
	[ -z "$(names_in "$USER_HOME/elsewhere")" ]
}

@test "a sandbox cannot reach records below /tmp/sandlock-UID" {
	homeless
	run homeless_does ./sandlock run -r /usr -w /tmp -- sh -c "
		for name in sandlock sandlock-oci sandlock-placeholders; do
			ls $SHARED/\$name || echo hidden
		done 2>/dev/null
		mv $SHARED $SHARED.old"
	[[ ${lines[*]} = "hidden hidden hidden mv: "*"Device or resource busy"* ]]
}

@test "nobody inside puts a record below /tmp/sandlock-UID for a later command without XDG_RUNTIME_DIR" {
	homeless
	run as_user env XDG_RUNTIME_DIR="$USER_HOME/w" ./sandlock run -r /usr \
		-w /tmp -- sh -c "mkdir -m 0700 $SHARED; mkdir $SHARED/sandlock ||
			mv $SHARED $SHARED.old || rmdir $SHARED || echo held"
	assert_output_has held
	[ -z "$(names_in "$SHARED")" ]
}

@test "nobody inside puts a record below /tmp/sandlock-UID while --root is elsewhere" {
	homeless
	run homeless_does ./sandlock --root "$USER_HOME/root" run -r /usr \
		-w /tmp -- sh -c "mkdir -m 0700 $SHARED; mkdir $SHARED/sandlock ||
			mv $SHARED $SHARED.old || rmdir $SHARED || echo held"
	assert_output_has held
	[ "$(names_in "$SHARED")" = sandlock-placeholders ]
	run_ok homeless_box -- true
}

@test "nobody inside puts a record below /run/user/UID for a later command without XDG_RUNTIME_DIR" {
	local runtime

	homeless
	runtime=/run/user/$USER_ID
	mkdir -p /run/user
	mkdir -m 0700 "$runtime"
	chown "$USER_ID" "$runtime"
	run as_user env XDG_RUNTIME_DIR="$USER_HOME/w" ./sandlock run -r /usr \
		-w "$runtime" -- sh -c "mkdir -p $runtime/sandlock/x || echo held"
	assert_output_has held
	[ ! -e "$runtime/sandlock/x" ]
}

@test "a link that somebody else has put at /tmp/sandlock-UID hides nothing from a sandbox" {
	homeless
	ln -s "$USER_HOME/w" "$SHARED"
	run_ok as_user env XDG_RUNTIME_DIR="$USER_HOME/w" ./sandlock run -r /usr \
		-w /tmp -w "$USER_HOME/w" -- sh -c ">$USER_HOME/w/file"
	[ -e "$USER_HOME/w/file" ]
}

# ---- sandboxes whose sandlock was killed ----

# killed NAME WORD...: start a sandbox, and kill its sandlock (pid $DEAD).
killed() {
	local name=$1

	shift
	"$SANDLOCK" --root "$ROOT" run --name "$name" -r /usr -w "$PWD" \
		--config-allow-degraded deny_replace "$@" -- \
		sh -c ">'$name.up'; exec sleep 1000" >"$name.out" 2>&1 3>&- &
	DEAD=$!
	wait_until test -e "$name.up"
	kill -KILL "$DEAD"
	wait "$DEAD" || true
}

# cgroups_of PID: the remaining cgroups of that sandlock.
cgroups_of() {
	find /sys/fs/cgroup -type d -name "sandlock-$1" 2>/dev/null || true
}

# no_trace_of NAME: the killed sandbox left neither a record nor cgroups.
no_trace_of() {
	assert_gone "$1"
	[ -z "$(cgroups_of "$DEAD")" ]
}

@test "ps clears away the sandbox of a killed sandlock, and does not list it" {
	killed "the one" --filesystem-deny "$PWD/file"
	[ -e file ] && [ -n "$(cgroups_of "$DEAD")" ]
	run_ok sandlock ps --json
	assert_lines "[]"
	no_trace_of the+20one
	[ ! -e file ]
}

@test "no hook that stands in the directory of a sandbox runs when the directory is cleared away" {
	killed one
	cat >"$ROOT/one/config.json" <<-EOF
		{ "ociVersion": "1.2.0", "root": { "path": "/" },
		  "process": { "cwd": "/", "args": [ "true" ] },
		  "hooks": { "poststop": [ { "path": "/bin/sh",
		    "args": [ "sh", "-c", ">$PWD/ran" ] } ] } }
	EOF
	run_ok "$SANDLOCK" --root "$ROOT" ps
	no_trace_of one
	[ ! -e ran ]
}

@test "a run of any name clears away the sandbox of a killed sandlock" {
	killed one --filesystem-deny "$PWD/file"
	[ -e file ]
	run_ok sandbox --name two -r /usr -- true
	no_trace_of one
	[ ! -e file ]
}

@test "kill clears away the sandbox of a killed sandlock" {
	killed one --filesystem-deny "$PWD/file"
	sandlock_bad "there is no sandbox named 'one'" kill one
	no_trace_of one
	[ ! -e file ]
}

@test "a user clears away the sandbox of their killed sandlock" {
	local pid

	requires userns
	new_user
	as_user ./sandlock run --name one -r /usr -w "$USER_HOME/run" -- \
		sh -c '>run/up; exec sleep 1000' >out 2>&1 &
	RUNNING=$!
	wait_until test -e "$USER_HOME/run/up"
	pid=$(as_user ./sandlock ps --json | jq '.[0].pid')
	pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
	kill -KILL "$pid"
	wait "$RUNNING" || true
	RUNNING=
	run_ok user_sandbox -r /usr -- true
	[ -z "$(ls "$USER_HOME/run/sandlock")" ]
}

@test "ps clears away a sandbox without namespaces whose sandlock was killed" {
	killed one --config-disable namespaces
	run_ok sandlock ps --json
	assert_lines "[]"
	no_trace_of one
}

# midway CALL:N: kill a sandlock with its own /run at its N-th CALL; then run ps
# until the processes that it started have ended. Prints what is left.
midway() {
	privately sh -c '
		left() {
			find /run/sandlock /run/sandlock-placeholders "$PWD" \
				-mindepth 1
		}
		mount -t tmpfs -o mode=755 tmpfs /run || exit 1
		strace -o /dev/null -e inject="${1%:*}:signal=KILL:when=${1#*:}" \
			"$2" run --name one -r /usr -w "$PWD" \
			--filesystem-deny "$PWD/file" \
			--config-allow-degraded deny_replace -- true
		for i in $(seq 50); do
			"$2" ps >/dev/null
			[ -n "$(left)" ] || break
			sleep 0.02
		done
		left' sh "$1" "$SANDLOCK" 2>/dev/null || true
}

@test "ps clears away the remains of a sandlock that was killed in the middle of a start" {
	local call

	requires strace
	for call in mkdirat:1 flock:{1..4} renameat:{1..7} openat:{12..38} \
		unlinkat:{1..13..2}; do
		[ -z "$(midway "$call")" ] || {
			echo "left behind at $call"
			return 1
		}
	done
}

@test "a sandbox is not cleared away while its sandlock has yet to read its result" {
	local pid

	"$SANDLOCK" --root "$ROOT" run --name one -r /usr -w "$PWD" -- \
		sh -c '>one.up; read -r _ <one.go; exit 7' \
		>one.out 2>&1 3>&- &
	RUNNING=$!
	mkfifo one.go
	wait_until test -e one.up
	pid=$(sandlock ps --json | jq '.[0].pid')
	kill -STOP "$RUNNING"
	kill -KILL "$pid"
	wait_until is_zombie "$pid"
	run_ok sandlock ps
	run_ok sandbox --name two -r /usr -- true
	[ -e "$ROOT/one/state.json" ]
	[ -n "$(cgroups_of "$RUNNING")" ]
	kill -CONT "$RUNNING"
	wait "$RUNNING" || [ $? -eq 137 ]
	RUNNING=
	assert_gone one
}

is_zombie() {
	grep -q '^State:[[:space:]]*Z' "/proc/$1/status"
}

@test "a directory of somebody else's in the state directory is not cleared away" {
	homeless
	as_user mkdir -p w/sandlock/src/deep w/sandlock/doc
	as_user touch w/sandlock/src/deep/file w/sandlock/doc/file
	run_ok as_user env XDG_RUNTIME_DIR="$USER_HOME/w" ./sandlock ps
	run_ok as_user env XDG_RUNTIME_DIR="$USER_HOME/w" ./sandlock run -r /usr -- true
	[ -e "$USER_HOME/w/sandlock/src/deep/file" ]
	[ -e "$USER_HOME/w/sandlock/doc/file" ]
}

@test "a stopped container of sandlock-oci in the same directory is not cleared away" {
	new_bundle
	start_container other
	wait_until has_status other stopped
	run_ok sandbox -r /usr -- true
	run_ok sandlock ps
	assert_status other stopped
	oci delete other
}

@test "sandboxes that start and end at the same time do not clear away each other" {
	local i pids=()

	killed dead
	for ((i = 0; i < 12; i++)); do
		("$SANDLOCK" --root "$ROOT" run --name "n$i" -r /usr -- \
			sh -c "exit $((i + 1))" 3>&-) &
		pids+=("$!")
		[ $((i % 3)) -ne 0 ] || sandlock ps >/dev/null
	done
	for ((i = 0; i < 12; i++)); do
		wait "${pids[i]}" || [ $? -eq $((i + 1)) ]
	done
	[ -z "$(ls "$ROOT")" ]
}

# calls_of WORD...: how many system calls sandlock itself makes, without those
# about the processes of the host.
calls_of() {
	strace -y -o calls -e trace=all "$SANDLOCK" --root "$ROOT" "$@" 3>&-
	grep -vc '</proc>, "[0-9]' calls
}

@test "a run looks at a few records only, however many there are" {
	local few many i

	requires strace
	mkdir "$ROOT"
	for ((i = 0; i < 300; i++)); do
		mkdir "$ROOT/other$i"
		: >"$ROOT/other$i/state.json"
		[ "$i" -ne 29 ] || few=$(calls_of run -r /usr -- true)
	done
	many=$(calls_of run -r /usr -- true)
	rm -rf "${ROOT:?}"/other*
	[ "$many" -le $((few + 10)) ]
}
