#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/deny-replace.bats - a denied name below a writable path stays denied when
# a process outside replaces the file.
#
# Each test is a subshell on purpose, and scripts have dollars of their own.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	enter_work
	BOX=
}

teardown() {
	[ -z "$BOX" ] || {
		touch "$P/stop"
		wait "$BOX" || :
	}
	[ -n "$BUNDLE" ] || rm -rf "${P:-$WORK/p}"
	sandlock_teardown
}

# A program that runs the scripts that the test puts into its directory.
SERVE='cd p 2>/dev/null || cd /data; while [ ! -e stop ]; do
	if [ -e ask ]; then
		sh ./ask >answer.new 2>&1; rm ask; mv answer.new answer
	else
		sleep 0.01
	fi
done'

# new_files_of WHO: $P is a directory of root or of the user, with a file .env.
new_files_of() {
	WHO=$1
	P=$WORK/p
	if [ "$WHO" = user ]; then
		new_user
		P=$USER_HOME/p
	fi
	mkdir -p "$P"
	echo secret >"$P/.env"
	own
}

# Files that the test makes outside are the user's, too.
own() {
	[ "$WHO" != user ] || chown -R -h "$USER_ID:$USER_ID" "$P"
}

# start_watched FLAG...: a sandbox with the writable directory p runs on.
start_watched() {
	if [ "$WHO" = user ]; then
		user_sandbox -r /usr -w p "$@" -- sh -c "$SERVE" \
			>"$TMP/box.out" 2>&1 3>&- &
	else
		sandbox -r /usr -w p "$@" -- sh -c "$SERVE" \
			>"$TMP/box.out" 2>&1 3>&- &
	fi
	BOX=$!
	inside true
}

# inside SCRIPT: what it says in the sandbox.
inside() {
	echo "$1" >"$P/ask.new"
	mv "$P/ask.new" "$P/ask"
	wait_until has_answer
	cat "$P/answer"
	rm "$P/answer"
}

has_answer() {
	[ -e "$P/answer" ] || has_ended
}

has_ended() {
	if [ -n "$BOX" ]; then
		! kill -0 "$BOX" 2>/dev/null
	else
		[ "$(status_of box)" != running ]
	fi
}

# is_refused SCRIPT: it fails in the sandbox.
is_refused() {
	[ "$(inside "if $1; then echo done; else echo refused; fi" | tail -n 1)" = refused ]
}

# replace NAME TEXT: as an editor saves a file.
replace() {
	echo "$2" >"$TMP/new"
	cp "$TMP/new" "$P/.saving"
	own
	mv -f "$P/.saving" "$P/$1"
}

# swap NAME OTHER: move what has the name away, and the other one there, at once.
swap() {
	(cd "$P" && python3 -c 'import os, sys
name, other = sys.argv[1:]
os.rename(name, name + ".away")
os.rename(other, name)
os.rename(name + ".away", other)' "$1" "$2")
}

# box_ends TEXT: the sandbox is ended, and says why.
box_ends() {
	local status=0

	wait_until has_ended
	wait "$BOX" || status=$?
	BOX=
	[ "$status" -eq 125 ] || { echo "status $status"; cat "$TMP/box.out"; return 1; }
	grep -F "killed the program, because the policy could no longer be enforced: " "$TMP/box.out"
	grep -F "$1" "$TMP/box.out"
}

# ---- what runs without any further flag ----

@test "a deny key inside a writable path needs no further flag" {
	requires root userns
	local who

	for who in root user; do
		new_files_of "$who"
		mkdir -p "$P/.git/hooks"
		touch "$P/pyproject.toml"
		own
		start_watched --deny-read "$P/.env" --project "$P" \
			--filesystem-deny @git-hooks
		is_refused 'cat .env'
		is_refused 'echo x >.git/hooks/pre-commit'
		inside 'echo x >.git/other'
		touch "$P/stop"
		wait "$BOX"
		BOX=
		[ ! -s "$TMP/box.out" ]
		rm -rf "$P"
	done
}

# ---- replaced ----

@test "a denied file that is replaced from outside is covered again" {
	requires root userns
	local who i

	for who in root user; do
		new_files_of "$who"
		start_watched --deny-read "$P/.env"
		for i in {1..10}; do
			replace .env "new $i"
			wait_until is_refused 'cat .env'
		done
		is_refused 'rm -f .env'
		is_refused 'mv .env x'
		[ "$(cat "$P/.env")" = "new 10" ]
		touch "$P/stop"
		wait "$BOX"
		BOX=
		rm -rf "$P"
	done
}

@test "a read-only file that is replaced from outside becomes read-only again" {
	requires root userns
	local who

	for who in root user; do
		new_files_of "$who"
		start_watched --deny-write "$P/.env"
		[ "$(inside 'cat .env')" = secret ]
		replace .env changed
		wait_until is_refused 'echo evil >>.env'
		[ "$(inside 'cat .env')" = changed ]
		[ "$(cat "$P/.env")" = changed ]
		touch "$P/stop"
		wait "$BOX"
		BOX=
		rm -rf "$P"
	done
}

@test "a denied directory that is replaced from outside is covered again" {
	requires root userns python3
	new_files_of root
	mkdir "$P/dir" "$P/next"
	echo old >"$P/dir/file"
	echo new >"$P/next/file"
	start_watched --filesystem-deny "$P/dir"
	mv "$P/dir" "$P/old"
	mv "$P/next" "$P/dir"
	wait_until is_refused 'cat dir/file'
	# The mount has moved with the directory.
	is_refused 'cat old/file'
	# A file in place of the directory, and a directory again.
	echo text >"$P/text"
	mkdir "$P/last"
	echo last >"$P/last/file"
	swap dir text
	wait_until is_refused 'cat dir'
	swap dir last
	wait_until is_refused 'cat dir/file'
	is_refused 'echo x >dir/new'
}

@test "a denied name that is moved away and made anew is covered again" {
	requires root userns
	new_files_of user
	start_watched --deny-read "$P/.env"
	mv "$P/.env" "$P/moved"
	replace .env new
	wait_until is_refused 'cat .env'
	is_refused 'cat moved'
}

# ---- removed ----

@test "a denied name that is removed cannot be made inside" {
	requires root userns
	local who

	for who in root user; do
		new_files_of "$who"
		start_watched --filesystem-deny "$P/.env"
		rm "$P/.env"
		wait_until is_refused 'echo mine >.env'
		is_refused 'cat .env'
		is_refused 'mv -f answer.new .env'
		# Later it exists again.
		replace .env later
		wait_until is_refused 'cat .env'
		rm -f "$P/.env"
		wait_until [ -e "$P/.env" ]
		touch "$P/stop"
		wait "$BOX"
		BOX=
		# The placeholder is gone.
		[ ! -e "$P/.env" ]
		rm -rf "$P"
	done
}

# A program that saves a file removes it and makes it anew; it fails if there is
# a placeholder already.
REMAKE='import os, time
made = 0
for i in range(50):
    try:
        os.unlink("p/.env")
        os.close(os.open("p/.env", os.O_CREAT | os.O_EXCL))
        made += 1
    except FileExistsError:
        pass
    time.sleep(0.01)
print(made)'

@test "a program outside can remove a denied file and make it anew at once" {
	requires root userns python3
	local made
	new_files_of root
	start_watched --deny-read "$P/.env"
	made=$(python3 -c "$REMAKE")
	echo "made $made of 50"
	[ "$made" -gt 25 ]
	wait_until is_refused 'cat .env'
}

# ---- directories and links on the way ----

@test "a directory on the way to a denied name may be replaced from outside" {
	requires root userns
	local who

	for who in root user; do
		new_files_of "$who"
		mkdir -p "$P/a/b"
		echo old >"$P/a/b/.env"
		own
		start_watched --deny-read "$P/a/b/.env"
		mv "$P/a" "$P/old"
		mkdir -p "$P/a/b"
		own
		replace a/b/.env new
		wait_until is_refused 'cat a/b/.env'
		is_refused 'cat old/b/.env'
		is_refused 'mv a x'
		# Deeper, and in the new directory.
		mv "$P/a/b" "$P/a/c"
		mkdir -p "$P/a/b"
		own
		replace a/b/.env newer
		wait_until is_refused 'cat a/b/.env'
		replace a/b/.env newest
		wait_until is_refused 'cat a/b/.env'
		touch "$P/stop"
		wait "$BOX"
		BOX=
		rm -rf "$P"
	done
}

@test "a denied link that is made anew is kept, and its target stays covered" {
	requires root userns
	new_files_of root
	mv "$P/.env" "$P/real"
	ln -s real "$P/.env"
	start_watched --deny-read "$P/.env"
	is_refused 'cat .env'
	ln -s real "$P/.next"
	mv -fT "$P/.next" "$P/.env"
	wait_until is_refused 'rm -f .env'
	replace real new
	wait_until is_refused 'cat .env'
	is_refused 'cat real'
	# A file in place of the link has its rights.
	replace .env own
	wait_until is_refused 'cat .env'
}

@test "a denied name that becomes a link to another file ends the sandbox" {
	requires root userns
	local who

	for who in root user; do
		new_files_of "$who"
		echo other >"$P/other"
		start_watched --deny-read "$P/.env"
		ln -s other "$P/.next"
		mv -fT "$P/.next" "$P/.env"
		box_ends "$P/.env is denied and has become a symbolic link to other, which is not denied"
		rm -rf "$P"
	done
}

@test "a denied name that gets a file with another hard link ends the sandbox" {
	requires root userns
	new_files_of root
	echo other >"$P/other"
	start_watched --deny-read "$P/.env"
	ln "$P/other" "$P/.next"
	mv -f "$P/.next" "$P/.env"
	box_ends "$P/.env is denied and has become a file with another hard link"
}

# ---- the watch itself ----

# waiting_pid: the process that waits for the sandbox; a shell may have started it.
waiting_pid() {
	local pid=$BOX

	while [ "$(cat "/proc/$pid/comm")" != sandlock ]; do
		read -r pid _ <"/proc/$pid/task/$pid/children"
	done
	echo "$pid"
}

@test "more changes than the kernel records do not hide a replaced name" {
	requires root userns
	local most pid
	new_files_of root
	start_watched --deny-read "$P/.env"
	most=$(cat /proc/sys/fs/inotify/max_queued_events)
	[ "$most" -le 100000 ] || skip "needs a short queue of inotify"
	pid=$(waiting_pid)
	kill -STOP "$pid"
	wait_until grep -q '^State:.*T' "/proc/$pid/status"
	(cd "$P" && seq -f x%.0f "$most" | xargs touch)
	replace .env new
	kill -CONT "$pid"
	wait_until is_refused 'cat .env'
}

# Where no inotify instance can be made.
sandbox_without_inotify() {
	unshare --user --map-root-user sh -c '
		echo 0 >/proc/sys/user/max_inotify_instances
		exec "$@"' sh "$SANDLOCK" run "$@"
}

@test "a denied name that cannot be watched is an error, unless it may be degraded" {
	requires root userns
	new_files_of root
	run -125 sandbox_without_inotify -r /usr -w p --deny-read p/.env -- true
	assert_output_has "deny_replace (list it in config.allow_degraded to run without it): watch the directories of denied names: "
	run_ok sandbox_without_inotify -r /usr -w p --deny-read p/.env --json \
		--config-allow-degraded deny_replace -- sh -c '! cat p/.env'
	assert_output_has "deny_replace is not enforced on this host"
	[[ $output = *'"degraded":["deny_replace"]'* ]] || { echo "$output"; false; }
}

@test "a policy without denied names watches nothing" {
	requires root userns strace
	mkdir p
	strace -f -qq -o "$TMP/calls" "$SANDLOCK" run -r /usr -r p -- true
	run ! grep inotify "$TMP/calls"
	strace -f -qq -o "$TMP/calls" "$SANDLOCK" run -r /usr -w p \
		--config-disable deny_replace --deny-read p/x -- true
	run ! grep inotify "$TMP/calls"
	strace -f -qq -o "$TMP/calls" "$SANDLOCK" run -r /usr -w p \
		--deny-read p/x -- true
	grep -q inotify "$TMP/calls"
}

# ---- strict ----

@test "config.strict refuses a denied name that is best effort, at every door" {
	requires root userns
	new_files_of root
	local text="which is writable: a file put under its name from outside is denied only after a moment; remove deny_replace from config.strict to accept this"

	sandlock_bad "$text" run -r /usr -w p --deny-read p/.env \
		--config-strict deny_replace -- true
	cat >strict.toml <<-EOF
		[config]
		strict = ["deny_replace"]
		[filesystem]
		read = ["/usr"]
		write = ["$P"]
		deny_read = ["$P/.env"]
	EOF
	sandlock_bad "$text" run -p ./strict.toml -- true
	run_ok sandbox -r /usr -r p --deny-read p/.env \
		--config-strict deny_replace -- sh -c '! cat p/.env'
	sandlock_bad "config.strict and config.allow_degraded: 'deny_replace' is in both" \
		run -p ./strict.toml --config-allow-degraded deny_replace -- true
	sandlock_bad "config.strict and config.disable: 'deny_replace' is in both" \
		run -p ./strict.toml --config-disable deny_replace -- true
}

@test "an enforced profile makes a denied name strict" {
	requires root userns
	new_files_of root
	cat >floor.toml <<-'EOF'
		[config]
		strict = ["deny_replace"]
	EOF
	sandlock_bad "remove deny_replace from config.strict" run \
		--enforce ./floor.toml -r /usr -w p --deny-read p/.env -- true
	sandlock_bad "would loosen" run --enforce ./floor.toml -r /usr -w p \
		--deny-read p/.env --config-allow-degraded deny_replace -- true
}

# ---- containers ----

# start_supervised KEY=VALUE...: a container with the writable directory /data.
start_supervised() {
	WHO=root
	new_bundle
	P=$BUNDLE/rootfs/data
	mkdir -p "$P/sub"
	echo secret >"$P/.env"
	annotate_policy "$@"
	args sh -c "$SERVE"
	oci --log "$TMP/log" create --bundle "$BUNDLE" box </dev/null \
		>"$TMP/box.out" 2>&1
	oci start box
	[ -n "$(jq -r '.supervisor // empty' "$ROOT/box/state.json")" ]
}

@test "the supervisor of a container covers a denied name again" {
	requires root
	local i

	start_supervised filesystem.deny=/data/.env
	inside true
	[ ! -s "$TMP/box.out" ]
	for i in {1..10}; do
		replace .env "new $i"
		wait_until is_refused 'cat .env'
	done
	is_refused 'rm -f .env'
	run ! oci exec box cat /data/.env
	# A name that is removed gets a placeholder.
	rm "$P/.env"
	wait_until [ -e "$P/.env" ]
	wait_until is_refused 'echo mine >.env'
	# A directory on the way.
	mv "$P" "$P.old"
	wait_until [ -e "$P/.env" ]
	echo other >"$P/.next"
	mv -f "$P/.next" "$P/.env"
	wait_until eval '! oci exec box cat /data/.env'
	run ! oci exec box cat /data.old/.env
	oci delete --force box
	[ "$(cat "$P/.env")" = other ]
}

@test "the supervisor covers names below a writable path, also those of presets" {
	requires root
	start_supervised 'filesystem.read=/' filesystem.write=/data \
		'filesystem.deny_write=/data/.env;/data/sub/new' \
		'config.allow_degraded=fs_refer;fs_truncate;fs_ioctl_dev'
	[ "$(inside 'cat .env')" = secret ]
	replace .env changed
	wait_until is_refused 'echo evil >>.env'
	[ "$(inside 'cat .env')" = changed ]
	is_refused 'echo x >sub/new/file'
}

@test "the supervisor ends a container whose denied name it cannot cover" {
	requires root
	start_supervised filesystem.deny=/data/.env
	echo other >"$P/other"
	ln -s other "$P/.next"
	mv -fT "$P/.next" "$P/.env"
	wait_until has_ended
	assert_status box stopped
	grep -F "/data/.env is denied and has become a symbolic link to other" "$TMP/log"
}

# has_events NUMBER TYPE: in the file of events.
has_events() {
	[ "$(jq -s --arg type "$2" 'map(select(.type == $type)) | length' \
		"$TMP/events")" -eq "$1" ]
}

@test "events shows what the supervisor of a container reports, also what it did before" {
	requires root jq
	start_supervised filesystem.deny=/data/.env
	inside true
	replace .env new
	wait_until is_refused 'cat .env'
	"$SANDLOCK_OCI" --root "$ROOT" events --interval 1h box \
		>"$TMP/events" 2>"$TMP/err" </dev/null 3>&- &
	local job=$!

	wait_until has_events 1 covered
	replace .env newer
	wait_until has_events 2 covered
	echo other >"$P/other"
	ln -s other "$P/.next"
	mv -fT "$P/.next" "$P/.env"
	wait $job
	jq -es '.[0] | .id == "box" and .what == "replace" and
		.path == "/data/.env" and (.time | test("^20.*Z$")) and
		.reason == "a process outside has replaced it; it is covered again"' \
		"$TMP/events"
	jq -es '.[-1] | .type == "ended" and .id == "box" and
		(.reason | contains("has become a symbolic link to other"))' "$TMP/events"
	[ "$(grep -c "covered: replace /data/.env (a process outside has replaced it; it is covered again)" \
		"$TMP/log")" -eq 2 ]
}

@test "run in the foreground reports what it covered, in events and in the log" {
	requires root jq
	WHO=root
	new_bundle
	P=$BUNDLE/rootfs/data
	mkdir -p "$P"
	echo secret >"$P/.env"
	annotate_policy filesystem.deny=/data/.env
	args sh -c "$SERVE"
	"$SANDLOCK_OCI" --root "$ROOT" --log "$TMP/log" run --bundle "$BUNDLE" box \
		>"$TMP/box.out" 2>&1 </dev/null 3>&- &
	BOX=$!
	inside true
	replace .env new
	wait_until is_refused 'cat .env'
	"$SANDLOCK_OCI" --root "$ROOT" events --interval 1h box \
		>"$TMP/events" 2>"$TMP/err" </dev/null 3>&- &
	local job=$!

	wait_until has_events 1 covered
	touch "$P/stop"
	wait "$BOX"
	BOX=
	wait $job
	grep -F "covered: replace /data/.env" "$TMP/log"
	[ ! -s "$TMP/box.out" ]
}

@test "run of sandlock reports what it covered, in events and in --json" {
	requires root userns jq
	local who job

	for who in root user; do
		new_files_of "$who"
		start_watched --json --name web1 --deny-read "$P/.env"
		replace .env new
		wait_until is_refused 'cat .env'
		if [ "$who" = root ]; then
			"$SANDLOCK" --root "$ROOT" events web1 \
				>"$TMP/events" 2>&1 </dev/null 3>&- &
			job=$!
			wait_until has_events 1 covered
		fi
		touch "$P/stop"
		wait "$BOX"
		BOX=
		[ "$who" = user ] || wait "$job"
		tail -n 1 "$TMP/box.out" | jq -e --arg path "$P/.env" '.events |
			length == 1 and (.[0] | .type == "covered" and
			.path == $path and .what == "replace" and has("time"))'
		rm -rf "$P"
	done
	run sandbox -r /usr --json -- true
	jq -e '.events == []' <<<"${lines[-1]}"
}

@test "the supervisor covers a denied name before the program starts" {
	requires root
	WHO=root
	new_bundle
	P=$BUNDLE/rootfs/data
	mkdir -p "$P"
	echo secret >"$P/.env"
	annotate_policy filesystem.deny=/data/.env
	args cat /data/.env
	create box
	replace .env new
	replace .env newer
	# What the program would see.
	wait_until eval '! cat "/proc/$(pid_of box)/root/data/.env" 2>/dev/null'
	oci start box
	wait_until has_ended
	run ! grep new "$TMP/box.out"
}

@test "config.strict refuses a container whose denied name is best effort" {
	requires root
	new_bundle
	mkdir -p "$BUNDLE/rootfs/data"
	annotate_policy filesystem.deny=/data/.env config.strict=deny_replace
	args true
	run_bad "remove deny_replace from config.strict" create box
	assert_gone box
	[ -z "$(ls -A "$BUNDLE/rootfs/data")" ]
	annotate_policy filesystem.deny=/proc/sys config.strict=deny_replace
	run_ok run_bundle
}

# ---- how often a reader wins ----

# Opens the denied file as fast as it can, and says how often it could.
READER='tries = opened = 0
seen = set()
open("p/ready", "w").close()
import os
while not os.path.exists("p/stop"):
    tries += 1
    try:
        with open("p/.env") as file:
            seen.add(file.read())
            opened += 1
    except OSError:
        pass
# In the end it is covered.
while True:
    try:
        open("p/.env").close()
    except OSError:
        break
print(len(seen), opened, tries)'

# The same for a shell, which has no processes to start for that.
SHELL_READER='cd /data; >ready; tries=0 opened=0
while [ ! -e stop ]; do
	tries=$((tries + 1))
	if read -r line <.env; then
		opened=$((opened + 1))
		echo "$line"
	fi
done >seen 2>/dev/null
echo "$(sort -u seen | wc -l) $opened $tries" >result.new
while cat .env; do :; done >/dev/null 2>&1
mv result.new result'

# Replaces the file 1,000 times, each time with another text.
WRITER='import os, sys, time
os.chdir(sys.argv[1])
for i in range(1000):
    with open(".new", "w") as file:
        file.write("secret %d\n" % i)
    os.rename(".new", ".env")
    time.sleep(0.001)'

# reader_won FILE: says how many of 1,000 new files a reader could open. The
# kernel removes a mount an instant before the new file has the name, so that the
# first file may be among them.
reader_won() {
	local seen opened tries

	read -r seen opened tries <"$1"
	echo "# of 1000 new files a reader that tries all the time opened $seen ($opened of $tries tries)" >&3
	[ "$tries" -gt 100 ]
	[ "$seen" -le 1001 ]
}

@test "a reader that tries all the time while a denied file is replaced 1,000 times" {
	requires root userns python3
	new_files_of root
	sandbox -r /usr -w p --deny-read p/.env -- python3 -c "$READER" \
		>"$TMP/box.out" 2>&1 3>&- &
	BOX=$!
	wait_until [ -e "$P/ready" ]
	python3 -c "$WRITER" "$P"
	touch "$P/stop"
	wait "$BOX"
	BOX=
	reader_won "$TMP/box.out"
}

@test "a reader in a container while a denied file is replaced 1,000 times" {
	requires root python3
	SERVE=$SHELL_READER start_supervised filesystem.deny=/data/.env
	wait_until [ -e "$P/ready" ]
	python3 -c "$WRITER" "$P"
	touch "$P/stop"
	wait_until [ -e "$P/result" ]
	reader_won "$P/result"
}
