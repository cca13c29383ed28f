#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-run.bats - a command on the host's own files, and no more.
#
# Each test is a subshell on purpose.
# shellcheck disable=SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load limits
load netprobe

setup() {
	sandlock_setup
	enter_work
}

teardown() {
	end_server
	sandlock_teardown
}

# ok_as_root_and_user WORD...: run_ok as root and as a user.
ok_as_root_and_user() {
	[ -n "$USER_HOME" ] || new_user
	run_ok sandbox "$@"
	run_ok user_sandbox "$@"
}

@test "run refuses a policy under which nothing is readable" {
	requires root
	local flags

	cp "$(type -P busybox)" .
	printf '[tool.uv.sandbox]\n' >pyproject.toml
	for flags in "" "-w ." "--filesystem-deny /etc" "--deny-write /usr" \
		"--policy pyproject.toml" "-r -/nonesuch" "--filesystem-write-only /usr -w ." \
		"--config-disable namespaces -w . --config-allow-degraded cgroups"; do
		# shellcheck disable=SC2086 # words
		sandlock_bad "nothing is readable; add -r @system" run $flags -- \
			sh -c 'echo ran >ran'
		# shellcheck disable=SC2086 # words
		run -1 sandlock explain $flags -- sh
		assert_output_has "run would refuse it: nothing is readable; add -r @system"
	done
	[ ! -e ran ]
	# The command itself lies there, or a mount has it.
	run_ok sandbox -w . -- ./busybox true
	run_ok with_own_etc "$SANDLOCK" --root "$ROOT" run -w / -- sh -c true
	run_ok sandbox --mount "/bin:$PWD" -- busybox true
	run_ok sandbox -x ./busybox -- ./busybox true
}

@test "run says that the current directory is not in the sandbox, and starts in /" {
	requires root userns
	local line="sandlock: $WORK is not allowed; starting in / (add -r . or --cwd DIR)"

	run --separate-stderr -0 sandbox -r /usr -- pwd
	# shellcheck disable=SC2154 # bats sets it
	[ "$output:$stderr" = "/:$line" ]
	run --separate-stderr -0 sandbox -r /usr --json -- pwd
	[ "$(head -n 1 <<<"$stderr")" = "$line" ]
	# A directory above a listed one exists.
	mkdir sub
	for flags in "-r ." "-w ." "-r sub" "-r /"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -0 sandbox -r /usr $flags -- pwd
		[ "$output:$stderr" = "$WORK:" ]
	done
	run --separate-stderr -0 sandbox -r /usr --cwd /usr -- pwd
	[ "$output:$stderr" = "/usr:" ]
	# An error before the start is the only line.
	sandlock_bad "/nonesuch" run -r /usr -r /nonesuch -- pwd
	new_user
	run --separate-stderr -0 user_sandbox -r /usr -- pwd
	[ "$output:$stderr" = "/:sandlock: $USER_HOME is not allowed; starting in / (add -r . or --cwd DIR)" ]
}

@test "a sandbox contains the readable paths, and nothing else" {
	requires root userns
	ok_as_root_and_user --cwd / -r /usr -- sh -c 'ls /'
	[ "$output" = "$(printf '%s\n' bin dev etc lib lib32 lib64 libx32 \
		proc sbin usr | while read -r f; do
		[ ! -e "/$f" ] || echo "$f"
	done)" ]
	ok_as_root_and_user --cwd / -r /usr -- sh -c 'ls /etc'
	[ "$output" = "$(printf 'hostname\nhosts')" ]
	for f in /etc/passwd /root /sys /run "$TMP"; do
		run sandbox --cwd / -r /usr -- sh -c "ls $f"
		[[ "$output" = *"No such file or directory"* ]]
	done
}

@test "a sandbox cannot change a read-only path in any way" {
	requires root userns
	echo old >file
	chmod 0666 file
	for act in 'echo new >file' 'chmod 600 file' 'touch file' \
		'touch other' 'rm file' 'mv file other' 'ln file other' \
		'mkdir other' 'chown 0 file'; do
		run sandbox -r /usr -r . -- sh -c "$act"
		[ "$status" -ne 0 ]
	done
	[ "$(cat file)" = old ]
	[ "$(stat -c %a file)" = 666 ]
	# And so it is with the right to write: the test can fail.
	for act in 'echo new >file' 'chmod 600 file' 'touch other' \
		'mv other third'; do
		run_ok sandbox -r /usr -w . -- sh -c "$act"
	done
	[ "$(cat file)" = new ]
	[ -e third ]
}

@test "a denied name in a readable directory is absent, even if a new file gets the name" {
	requires root
	mkdir dir
	echo open >dir/open
	echo secret >dir/secret
	ln -s open dir/link
	run_ok sandbox -r /usr -r dir --filesystem-deny "$WORK/dir/secret" -- \
		sh -c "ls dir; cat dir/link; cat dir/secret; :"
	[[ "$output" = *"link
open
open
cat: "*"No such file or directory"* ]]
}

@test "a denied name that is replaced from outside stays absent" {
	local pid

	requires root
	mkdir dir sync
	echo secret >dir/secret
	"$SANDLOCK" --root "$ROOT" run -r /usr -r dir -w sync \
		--filesystem-deny "$WORK/dir/secret" -- sh -c '
			echo >sync/ready
			until [ -e sync/go ]; do sleep 0.1; done
			cat dir/secret' >out 2>&1 &
	pid=$!
	wait_until test -e sync/ready
	echo secret >new
	mv new dir/secret
	echo >sync/go
	wait_until sh -c "! kill -0 $pid 2>/dev/null"
	[[ "$(cat out)" = *"No such file or directory"* ]]
}

@test "a listed path that turns into a link shows nothing else" {
	local racer

	requires root "${CC:-cc}"
	"${CC:-cc}" -D_GNU_SOURCE -O2 -o racer "$BATS_TEST_DIRNAME/cve/racer.c"
	mkdir data secret
	echo data >data/file
	echo secret >secret/file
	ln -s secret link
	./racer data link 3>&- &
	racer=$!
	# Where it is a link from the start it is shown as one.
	for _ in {1..40}; do
		sandbox -r /usr -r data -- sh -c '[ -L data ] || cat data/file' || :
	done >out 2>err
	kill $racer
	run ! grep secret out
}

@test "a denied name below a writable directory is covered" {
	requires root userns
	mkdir -p dir/sub
	echo secret >dir/sub/secret
	for act in 'cat dir/sub/secret' 'echo x >dir/sub/secret' \
		'rm -f dir/sub/secret' 'mv dir/sub dir/other'; do
		run sandbox -r /usr -w dir \
			--filesystem-deny "$WORK/dir/sub/secret" -- \
			sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
		[[ "$output" != *"secret"$'\n'* ]]
	done
	run_ok sandbox -r /usr -w dir --filesystem-deny "$WORK/dir/new" -- \
		sh -c 'echo x >dir/new 2>/dev/null || echo refused; echo >dir/more'
	[[ "$output" = *refused ]]
	[ "$(ls dir)" = "more
sub" ]
	[ "$(cat dir/sub/secret)" = secret ]
}

@test "a socket of somebody outside is absent, unless it is listed" {
	requires root python3
	python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind("sock")
s.listen()
open("ready", "w").close()
while True:
    s.accept()' 3>&- &
	listener=$!
	wait_until test -e ready
	connect='import socket; socket.socket(socket.AF_UNIX).connect("sock")'
	python3 -c "$connect"
	run sandbox -r /usr -r @python -w . -- python3 -c "$connect"
	[ "$status" -ne 0 ]
	run_ok sandbox -r /usr -r @python -w . --network-unix "$WORK/sock" -- \
		python3 -c "$connect"
	# Nor where programs are, if it comes from elsewhere.
	connect=${connect/sock\"/\/usr\/share\/sock\"}
	run sandbox -r /usr -r @python --mount "/usr/share:$WORK" -- \
		python3 -c "$connect"
	[ "$status" -ne 0 ]
	run_ok sandbox -r /usr -r @python --mount "/usr/share:$WORK" \
		--network-unix /usr/share/sock -- python3 -c "$connect"
	connect=${connect/share/local}
	# shellcheck disable=SC2016 # for the inner shell
	run privately sh -c 'mount --bind "$1" /usr/local && shift && exec "$@"' \
		sh "$WORK" "$SANDLOCK" --root "$ROOT" run -r /usr \
		-r /usr/local -- /usr/bin/python3 -c "$connect"
	[ "$status" -ne 0 ]
	assert_output_has "Permission denied"
	kill $listener
}

@test "a sandbox that may write its project cannot write the project's policy" {
	requires root
	requires_landlock 1
	mkdir -p .claude .git
	cat >pyproject.toml <<-EOF
		[tool.uv.sandbox]
		allow-read = [{ preset = "system" }, "."]
		allow-write = ["."]
		allow-execute = [{ preset = "system" }]
		allow-env = ["PATH"]
	EOF
	echo '{}' >.claude/settings.json
	for act in 'echo >>pyproject.toml' 'rm -f pyproject.toml' \
		'mv pyproject.toml old' 'echo x >new && mv new pyproject.toml' \
		'echo >>.claude/settings.json' 'mv .claude old'; do
		run sandbox --policy pyproject.toml -- sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
	done
	run_ok sandbox --policy pyproject.toml -- sh -c 'echo >.claude/other'
	[ -e .claude/other ]
	[ "$(cat .claude/settings.json)" = '{}' ]
}

@test "a sandbox cannot write its policy through a mount or in another root" {
	requires root
	requires_landlock 1
	mkdir rules
	printf '[filesystem]\nread = ["/usr"]\nwrite = ["%s"]\n' "$WORK/rules" \
		>rules/p.toml
	for place in "--mount=/other:$WORK/rules" "--mount=/other:$WORK" \
		--chroot=/; do
		# shellcheck disable=SC2016 # for the shell inside
		run sandbox --policy rules/p.toml "$place" -- sh -c '
			for file in rules/p.toml /other/p.toml \
				/other/rules/p.toml; do
				[ ! -e $file ] || echo >>$file || exit 3
			done'
		[ "$status" -ne 0 ] || { echo "done: $place"; return 1; }
		assert_output_has "Read-only file system"
	done
	run_ok sandbox --policy rules/p.toml "--mount=/other:$WORK/rules" -- \
		sh -c 'echo >/other/new'
	[ "$(wc -l <rules/p.toml)" -eq 3 ]
}

@test "listed links exist in a sandbox, and lead to their targets" {
	requires root
	mkdir real
	echo text >real/file
	ln -s real/file first
	ln -s "$WORK/first" second
	run_ok sandbox -r /usr -r second -- sh -c \
		'readlink second; readlink first; cat second; ls'
	[ "$output" = "$WORK/first
real/file
text
first
real
second" ]
}

@test "the environment of a sandbox is five variables, and those given" {
	requires root
	export SECRET=x LANG=C USER=root TERM=dumb
	run_ok sandbox --cwd / -r /usr --env GIVEN=y -- env
	[ "$(grep -v ^PATH= <<<"$output" | sort)" = "GIVEN=y
HOME=$HOME
LANG=C
TERM=dumb
USER=root" ]
	run_ok sandbox --cwd / -r /usr --allow-env SECRET -- sh -c "echo \$SECRET"
	[ "$output" = x ]
}

@test "run exits with the command's status, 126, 127, 124 for a timeout, or 128 and a signal" {
	requires root userns
	new_user
	run -7 sandbox -r /usr -- sh -c 'exit 7'
	run -7 user_sandbox -r /usr -- sh -c 'exit 7'
	run -143 sandbox -r /usr -- sh -c 'kill -TERM $$'
	run -127 sandbox -r /usr -- no-such-program
	run -126 sandbox -r /usr -- /usr
	run -124 sandbox -r /usr --timeout 0.1 -- sleep 1000
	run -124 sandbox -r /usr --timeout 0.1 -- sh -c 'trap "" TERM; sleep 1000'
	run -125 sandbox -r /usr --no-such-flag -- true
	run -125 sandbox -r /no/such/path -- true
	[ "$output" = "sandlock: filesystem.read '/no/such/path' (write '-/no/such/path' if it may be missing): no such file or directory" ]
}

# sandlock_on_pty TEXT WORD...: `sandlock run` on a terminal, TEXT typed when
# it is ready.
sandlock_on_pty() {
	local text=$1

	shift
	run timeout 20 "$BATS_TEST_DIRNAME/terminal.py" pty 24x80 "$text" -- \
		"$SANDLOCK" --root "$ROOT" run -r /usr "$@" 3>&-
}

# shellcheck disable=SC2016 # for the inner shell
@test "run -it gives the command a terminal to read from, which interrupts it" {
	local read='echo ready; stty size; read -r word; echo "got $word"'
	local wait='trap "echo ended; exit 7" INT; echo ready
		while :; do sleep 0.1; done'

	requires root python3
	for more in '' '--why' '--config-disable namespaces'; do
		# shellcheck disable=SC2086 # words are words
		sandlock_on_pty 'hello\n' -it $more -- sh -c "$read"
		[ "$status" -eq 0 ]
		[[ "$output" = *"24 80"*"got hello"*"settings restored" ]]
	done
	sandlock_on_pty 'hello\n' --interactive --tty -- sh -c "$read"
	[[ "$output" = *"got hello"* ]]
	sandlock_on_pty '\x03' -i -t -- sh -c "$wait"
	[ "$status" -eq 7 ]
	[[ "$output" = *ended* ]]
}

# shellcheck disable=SC2016 # for the inner shell
@test "run -t without -i gives the command a terminal without input" {
	requires root python3
	sandlock_on_pty 'hello\n' -t -- \
		sh -c 'test -t 0 && echo ready; timeout 1 head -n1; echo "$?"'
	[ "$status" -eq 0 ]
	[[ "$output" = *"ready"*"124"*"settings restored" ]]
	sandlock_on_pty '\x03' -t -- sh -c 'trap "exit 7" INT; echo ready
		while :; do sleep 0.1; done'
	[ "$status" -eq 7 ]
}

@test "process 1 of a sandbox reaps, and shows nothing of the command line" {
	requires root userns
	ok_as_root_and_user --cwd / -r /usr --env SECRET=s3cret -- sh -c '
		tr "\0" "\n" </proc/1/cmdline | grep -c s3cret
		cat /proc/1/comm
		cat /proc/1/environ /proc/1/maps; ls -l /proc/1/exe; :'
	[[ "$output" = "0
sandlock"* ]]
	[[ "$output" != *"s3cret"* ]]
	[[ "$output" != *"-> "* ]]
	# An orphan is reaped.
	ok_as_root_and_user -r /usr -- sh -c '(sleep 0 & exec sleep 0) & wait
		while pgrep -r Z . >/dev/null; do :; done'
}

@test "all processes of a sandbox end with the command, and with the caller" {
	local pid

	requires root
	run_ok sandbox -r /usr -- sh -c 'setsid sleep 4711 & exit 0'
	run ! pgrep -f '^sleep 4711$'
	"$SANDLOCK" --root "$ROOT" run -r /usr --name one -- \
		sleep 4712 &
	pid=$!
	wait_until pgrep -f '^sleep 4712$'
	kill -KILL $pid
	wait_until sh -c '! pgrep -f "^sleep 4712$"'
}

@test "signals to run reach the command and its children" {
	local pid r=0

	requires root
	"$SANDLOCK" --root "$ROOT" run -r /usr -w . -- sh -c '
		trap "echo term >got; exit 5" TERM
		echo >ready
		sleep 4713 & wait' 3>&- &
	pid=$!
	wait_until test -e ready
	kill -TERM $pid
	wait $pid || r=$?
	[ "$r" -eq 5 ]
	[ "$(cat got)" = term ]
	wait_until sh -c '! pgrep -f "^sleep 4713$"'
}

@test "a sandbox has no network by default, its own loopback, or the host's network" {
	requires root python3
	python3 -c 'import socket; socket.socket()'
	for mode in '' --network-mode=loopback --network-mode=open; do
		run sandbox --cwd / -r /usr -r @python $mode -- python3 -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
socket.create_connection(s.getsockname())
print(sorted(n for _, n in socket.if_nameindex()))'
		case $mode in
		'') [[ "$output" = *"PermissionError"* ]] ;;
		*loopback) [ "$output" = "['lo']" ] ;;
		*open) [ "$status" -eq 0 ] ;;
		esac
	done
}

@test "a sandbox can bind a low port if it is listed" {
	requires root userns
	requires_landlock 4
	new_user
	add_netprobe .
	cp netprobe "$USER_HOME/"
	ok_as_root_and_user -r /usr -r . --net-bind 80 --network-publish=false -- ./netprobe bind 80
	[ "$output" = ok ]
	ok_as_root_and_user -r /usr -r . --net-bind 81 --network-publish=false -- ./netprobe bind 80
	[ "$output" = "Permission denied" ]
	ok_as_root_and_user -r /usr -r . --network-mode loopback --net-bind 8080 --network-publish=false -- \
		./netprobe udp 80
	[ "$output" = "Permission denied" ]
}

@test "a user runs a sandbox without privileges, and keeps their own files" {
	requires root userns
	new_user
	run_ok user_sandbox -r /usr -w . -- sh -c 'id -u; echo text >made'
	[ "$output" = "$USER_ID" ]
	[ "$(stat -c %u "$USER_HOME/made")" = "$USER_ID" ]
	run_ok user_sandbox --cwd / -r /usr --program-uid 0 --program-gid 0 -- id -u
	[ "$output" = 0 ]
	# With less than the sandbox would have, that is what it has.
	run_ok as_user prlimit --nproc=99 ./sandlock run --cwd / -r /usr -- \
		sh -c 'ulimit -u 2>/dev/null || ulimit -p'
	[ "$output" = 99 ]
	run_ok as_user prlimit --nproc=99 ./sandlock run --cwd / --limits-tasks 5 \
		-r /usr -- sh -c 'ulimit -u 2>/dev/null || ulimit -p'
	[ "$output" = 6 ]
}

@test "run tells a user at once that RLIMIT_NPROC allows no more processes" {
	requires root userns
	new_user
	# A sanitizer that looks for leaks would need a process.
	run as_user env ASAN_OPTIONS=detect_leaks=0 prlimit --nproc=1 \
		./sandlock run --cwd / -r /usr -- true
	[ "$status" -eq 125 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ $output = *"cannot create a process: user $USER_ID has reached"* ]]
	[[ $output = *"RLIMIT_NPROC, which is 1 "* ]]
}

@test "a command in a sandbox has no capabilities, no new privileges and a filter" {
	requires root userns
	ok_as_root_and_user --cwd / -r /usr -- sh -c "grep -E '^(Cap|NoNew|Seccomp:)' /proc/self/status |
		tr -d '\n\t '"
	[ "$output" = "CapInh:0000000000000000CapPrm:0000000000000000CapEff:\
0000000000000000CapBnd:0000000000000000CapAmb:0000000000000000NoNewPrivs:1\
Seccomp:2" ]
	for call in 'unshare -U true' 'mount -t tmpfs none /dev' 'chroot / true'; do
		run sandbox --cwd / -r /usr -- sh -c "$call"
		[ "$status" -ne 0 ]
	done
}

# is_in PID HIERARCHY...: where the sandbox of this process has cgroups.
is_in() {
	local pid=$1

	shift
	[ "$(find /sys/fs/cgroup -name "sandlock-$pid" -printf '%P\n' |
		cut -d / -f 1 | grep -vx unified | sort | tr '\n' ' ')" = \
		"${*:+$* }" ]
}

@test "a sandbox has cgroups only where something is limited" {
	requires root cgroup1
	"$SANDLOCK" --root "$ROOT" run -r /usr -- sleep 100 3>&- &
	pid=$!
	wait_until is_in "$pid" pids
	kill "$pid"
	wait_until is_in "$pid"
	"$SANDLOCK" --root "$ROOT" run -r /usr -m 1G -- sleep 100 3>&- &
	pid=$!
	wait_until is_in "$pid" memory pids
	kill "$pid"
	wait_until is_in "$pid"
}

@test "a sandbox has a default limit of tasks, and the given limits of memory and open files" {
	requires root
	run_ok sandbox --cwd / -r /usr --limits-open-files 20 -- sh -c 'ulimit -n'
	[ "$output" = 20 ]
	run sandbox --cwd / -r /usr --limits-tasks 3 -- sh -c '
		sleep 1 & sleep 1 & sleep 1 & sleep 1 & wait'
	[[ "$output" = *"ork"* ]]
	requires_controller memory
	# Sixty-four megabytes; busybox knows no M.
	for most in 16M 256M; do
		run sandbox --cwd / -r /usr -m $most -- sh -c '
			head -c 67108864 /dev/zero | tail -c 67108864 >/dev/null'
		[ "$status" -eq 0 ] || [ $most = 16M ]
		[ "$status" -ne 0 ] || [ $most = 256M ]
	done
}

@test "run refuses the name of a live sandbox, and takes that of a gone one" {
	local pid

	requires root
	"$SANDLOCK" --root "$ROOT" run -r /usr -w . --name same -- sh -c '
		hostname >name; exec sleep 4714' &
	pid=$!
	wait_until test -s name
	[ "$(cat name)" = same ]
	run -125 sandbox -r /usr --name same -- true
	[[ "$output" = *"--name: a sandbox named 'same' is already running"* ]]
	kill -KILL $pid
	wait_until sh -c '! pgrep -f "^sleep 4714$"'
	run_ok sandbox -r /usr --name same -- true
}

@test "run takes the command from a profile, and flags override the profile" {
	requires root
	cat >p.toml <<-EOF
		[program]
		exec = "sh"
		args = ["-c", "echo profile"]
		[filesystem]
		read = ["/usr"]
	EOF
	run_ok sandbox --cwd / -p ./p.toml
	[ "$output" = profile ]
	run_ok sandbox --cwd / -p ./p.toml -- echo flag
	[ "$output" = flag ]
	chmod o+w p.toml
	run -125 sandbox --cwd / -p ./p.toml
	[[ "$output" = *"writable by everybody"* ]]
}

@test "--chroot gives a sandbox another root, and --mount other directories in it" {
	requires root
	new_bundle
	mkdir data
	echo host >data/file
	run_ok sandbox --cwd / --chroot "$BUNDLE/rootfs" -r /bin \
		--mount "/data:$WORK/data" -- /bin/sh -c \
		'ls /; echo inside >>/data/file'
	[ "$output" = "bin
data
dev
etc
proc" ]
	[ "$(cat data/file)" = "host
inside" ]
	run sandbox --cwd / --chroot "$BUNDLE/rootfs" -r /bin \
		--mount "/data:$WORK/data:ro" -- /bin/sh -c 'echo x >/data/file'
	[ "$status" -ne 0 ]
}

@test "an optional mount is made if its directory exists" {
	mkdir data
	echo host >data/file
	cat >p.toml <<-EOF
		[filesystem]
		read = ["/usr"]
		mount = ["/in:-$WORK/data:ro", "/none:-$WORK/missing"]
	EOF
	for policy in "--policy p.toml" \
		"-r /usr --mount /in:-$WORK/data:ro --mount /none:-$WORK/missing"; do
		# shellcheck disable=SC2086 # several arguments
		run_ok sandbox --cwd / $policy -- sh -c 'cat /in/file; ls -d /none
			echo x >/in/file || true'
		assert_output_has host
		assert_output_has "cannot access '/none'"
		assert_output_has "Read-only file system"
	done
	[ "$(cat data/file)" = host ]
	run -125 sandbox --cwd / -r /usr --mount "/in:$WORK/missing" -- true
	assert_output_has "filesystem.mount '$WORK/missing': no such file"
	# The mount is not made, so what is below it stays as it was.
	run_ok sandbox --cwd / -r /usr --mount "/usr/share:-$WORK/missing" -- \
		ls -d /usr/share/doc
	run_ok sandbox --cwd / -r /usr -r /etc --name box --mount "/etc:-$WORK/missing" -- \
		cat /etc/hostname
	[ "$output" = box ]
}

@test "run refuses to deny a path that filesystem.mount brings" {
	requires root
	mkdir data place
	echo secret >data/secret
	local word
	for word in /new/secret /new '/new/s*' -/new/secret '-/new/*' /; do
		run -125 sandbox -r /usr --mount "/new:$WORK/data" \
			"--filesystem-deny=$word" -- cat /new/secret
		assert_output_has "and filesystem.mount '/new'"
	done
	for word in --deny-read --deny-write --deny-execute; do
		run -125 sandbox -r /usr --mount "$WORK/place:$WORK/data" \
			"$word=place/secret" -- cat place/secret
		assert_output_has "and filesystem.mount '$WORK/place'"
	done
	run -125 sandbox -r /usr --mount "$WORK/place:$WORK/data" --project place \
		--filesystem-deny 's*t' -- true
	run_ok sandbox -r /usr -r /etc --filesystem-deny /etc/hosts \
		--mount "/new:$WORK/data" -- cat /new/secret
}

@test "a sandbox with filesystem.execute can execute the listed files only" {
	local program

	requires root
	requires_landlock 1
	program=$(realpath "$(type -P true)")
	run_ok sandbox -r /usr -x "/usr/bin/env,$program" -- /usr/bin/env true
	run -126 sandbox -r /usr -x /usr/bin/env -- /usr/bin/env true
	run -126 sandbox -r /usr -x "$program" -- sh -c true
}

@test "a sandbox without namespaces keeps the restrictions of Landlock and the filter" {
	requires userns
	requires_landlock 6
	echo open >open
	echo closed >closed
	mkdir dir
	run_ok sandbox_without_userns -r /usr -r open -w dir -- sh -c '
		cat open; echo made >dir/file; cat dir/file'
	[ "$output" = "open
made" ]
	run sandbox_without_userns -r /usr -r open -w dir -- sh -c 'cat closed'
	[[ "$output" = *"Permission denied"* ]]
	for act in 'echo >open' 'ls /' 'chmod 600 dir' 'touch -d @0 dir' \
		"kill -0 $$" 'ls /proc'; do
		run sandbox_without_userns -r /usr -r open -w dir -- sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
	done
	add_netprobe .
	run_ok sandbox_without_userns -r /usr -r . -- ./netprobe serve dir/sock
	# From version 9 on it is the name that may not be made.
	if [ "$(landlock_version)" -lt 9 ]; then
		[ "$output" = "Operation not permitted" ]
		run -125 sandbox_without_userns -r /usr --network-unix dir -- true
		assert_output_has "network.unix cannot be enforced without"
	else
		[ "$output" = "Permission denied" ]
	fi
	run_ok sandbox_without_userns -r /usr -- sh -c 'setsid sleep 4715 & exit 0'
	run ! pgrep -f '^sleep 4715$'
}

@test "a sandbox without namespaces ends all remaining processes, however many they are" {
	requires userns
	requires_landlock 6
	# shellcheck disable=SC2016 # for the shell inside
	run_ok sandbox_without_userns -r /usr -- sh -c '
		i=0
		while [ $i -lt 1500 ]; do
			sleep 4716 &
			i=$((i + 1))
		done'
	run ! pgrep -f '^sleep 4716$'
}

@test "run without namespaces names each key that needs them" {
	requires userns
	requires_landlock 6
	run -125 sandbox_without_userns --cwd / -r /usr --limits-tasks 5 -m 1G --program-uid 1 \
		--program-gid 1 -- true
	[ "$output" = "sandlock: user namespaces are not available \
(run sandlock check for the reason), and program.uid, program.gid, limits.memory, \
limits.tasks cannot be enforced without them" ]
	run_ok sandbox_without_userns --cwd / -r /usr --limits-tasks 5 \
		--config-allow-degraded namespaces -- true
	[ "$output" = "sandlock: warning: config.allow_degraded: limits.tasks \
is not enforced without namespaces, which this setting accepts" ]
	# A user namespace that is not the first one is a container.
	run_ok sandbox_without_userns --cwd / -r /usr --limits-tasks 5 --program-weaker-nested -- true
}

# degraded_is NAME...: the last line of the last run has these.
degraded_is() {
	local has

	has=$(jq -r '.degraded | join(" ")' <<<"${lines[-1]}")
	[ "$has" = "$*" ] || {
		echo "degraded: $has, not $*"
		echo "$output"
		return 1
	}
}

# without_cgroups WORD...: sandlock run where there are none.
without_cgroups() {
	# shellcheck disable=SC2016 # for the inner shell
	privately sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh \
		"$SANDLOCK" --root "$ROOT" run "$@"
}

@test "run reports limits without cgroups, and --json lists them as degraded" {
	requires root userns
	run_ok sandbox --json -r /usr -- true
	degraded_is
	run -125 without_cgroups -r /usr -- true
	run_ok without_cgroups --json -r /usr --config-allow-degraded cgroups \
		-- true
	assert_output_has "limits.tasks is not enforced without cgroups"
	degraded_is cgroups
	# In a user namespace of its own RLIMIT_NPROC counts.
	run_ok without_cgroups --json -r /usr --config-allow-degraded cgroups \
		--program-uid 0 --program-gid 0 -- true
	degraded_is
	run_ok without_cgroups --json -r /usr --config-allow-degraded cgroups \
		--program-uid 0 --program-gid 0 -m 1G -- true
	assert_output_has "limits.memory is not enforced without cgroups"
	degraded_is cgroups
	# A disabled protection is not missing.
	run_ok without_cgroups --json -r /usr --config-disable cgroups -- true
	degraded_is
}

@test "run reports keys lost without namespaces, and --json lists them as degraded" {
	requires userns
	requires_landlock 6
	mkdir dir
	echo secret >dir/secret
	run_ok sandbox_without_userns --json -r /usr -- true
	degraded_is namespaces
	run_ok sandbox_without_userns --json -r /usr --limits-tasks 5 \
		--config-allow-degraded namespaces -- true
	degraded_is namespaces cgroups
	printf '[filesystem]\nread = ["/usr"]\nwrite = ["dir"]\n' >dir/p.toml
	run -125 sandbox_without_userns --policy dir/p.toml -- true
	assert_output_has "policy file $WORK/dir/p.toml is writable inside the sandbox"
	run_ok sandbox_without_userns --json --policy dir/p.toml \
		--config-allow-degraded namespaces -- true
	degraded_is namespaces
	run -125 sandbox_without_userns -r /usr -w dir --filesystem-deny "$WORK/dir/secret" \
		-- true
	assert_output_has "requires a mount namespace"
	run_ok sandbox_without_userns --json -r /usr -w dir --filesystem-deny \
		"$WORK/dir/secret" --config-allow-degraded namespaces -- \
		cat dir/secret
	assert_output_has "filesystem.deny '$WORK/dir/secret' is not enforced without namespaces"
	degraded_is namespaces
}

@test "--json does not list a denied name that is covered again as degraded" {
	requires root
	mkdir dir
	echo secret >dir/secret
	run_ok sandbox --json -r /usr -w dir --filesystem-deny "$WORK/dir/secret" \
		--config-allow-degraded deny_replace -- true
	degraded_is
	run_ok sandbox --json -r /usr -w dir --filesystem-deny "$WORK/dir/secret" -- true
	degraded_is
}

@test "run reports exactly what each version of Landlock lacks" {
	requires root userns
	local version name lacks=() allow=() all="fs_refer fs_truncate \
		fs_ioctl_dev signal_scope abstract_unix_socket_scope"
	local -A since=([fs_refer]=2 [fs_truncate]=3 [fs_ioctl_dev]=5
		[signal_scope]=6 [abstract_unix_socket_scope]=6)

	version=$(landlock_version)
	for name in $all; do
		[ "$version" -ge "${since[$name]}" ] || lacks+=("$name")
		allow+=("--config-allow-degraded=$name")
	done
	if [ "$version" -eq 0 ]; then
		# Mounts hold files as well; a single right they do not.
		run_ok sandbox --json -r /usr -- true
		degraded_is
		run -125 sandbox_without_userns "${allow[@]}" -r /usr -- true
		assert_output_has "filesystem: Landlock is not available in this kernel"
		run -125 sandbox "${allow[@]}" -r /usr -x /usr/bin/env -- env
		assert_output_has "Landlock is not available in this kernel"
	else
		run_ok sandbox_without_userns --json "${allow[@]}" -r /usr -- true
		degraded_is "${lacks[@]}" namespaces
		# Without a word about one of them, that is the reason.
		for name in "${lacks[@]}"; do
			run -125 sandbox_without_userns "${allow[@]/%=$name/=deny_replace}" \
				-r /usr -- true
			assert_output_has "$name: requires Landlock version ${since[$name]}, but this kernel has version $version"
		done
	fi
	# A network of its own, and ports that Landlock alone can judge.
	if [ "$version" -lt 4 ]; then
		run -125 sandbox -r /usr --net-bind 8080 --network-publish=false -- true
		assert_output_has "net_tcp: requires Landlock version 4, but this kernel has version $version"
	fi
	run_ok sandbox --json -r /usr --net-bind 8080 --network-publish=false \
		--config-allow-degraded net_tcp -- true
	if [ "$version" -lt 4 ]; then
		assert_output_has "net_tcp is not enforced on this host"
		degraded_is net_tcp
	else
		degraded_is
	fi
	run_ok sandbox --json -r /usr --net-bind 8080 --network-publish=false --config-disable net_tcp -- \
		true
	degraded_is
}

@test "a mount in a directory that a user may not enter stops no start" {
	requires root userns
	new_user
	mkdir -p "$USER_HOME/secret/mounted"
	chmod 0700 "$USER_HOME/secret"
	chown 0:0 "$USER_HOME/secret"
	export -f as_user
	export USER_HOME USER_ID
	# shellcheck disable=SC2016 # for the inner shell
	run_ok unshare --mount --propagation private "$BASH" -c '
		mount -t tmpfs none "$USER_HOME/secret/mounted" &&
			as_user ./sandlock run -r / -- true'
}

@test "a socket in a directory that can be entered and not listed is covered" {
	requires root userns
	add_netprobe .
	new_user
	mkdir -p "$USER_HOME/open/closed" "$USER_HOME/cwd/below"
	serve "$USER_HOME/open/closed/sock"
	cp netprobe "$USER_HOME/"
	chmod 0777 "$USER_HOME/open/closed/sock"
	chmod 0711 "$USER_HOME/open/closed" "$USER_HOME/cwd"
	run_ok as_user ./netprobe unix open/closed/sock
	[ "$output" = ok ]
	# All of the host, as a user.
	run_ok user_sandbox -r / -- "$USER_HOME/netprobe" unix \
		"$USER_HOME/open/closed/sock"
	[ "${lines[-1]}" = "Permission denied" ]
	run_ok user_sandbox -r / --network-unix "$USER_HOME/open" -- \
		./netprobe unix open/closed/sock
	[ "${lines[-1]}" = ok ]
	# Also where it was asked for, and where the program is.
	run_ok user_sandbox -r / -r "$USER_HOME/open/closed" -- \
		./netprobe unix open/closed/sock
	[ "${lines[-1]}" = "Permission denied" ]
	run_ok user_sandbox -r / -r "$USER_HOME/cwd/below" -- \
		./netprobe unix open/closed/sock
	[ "${lines[-1]}" = "Permission denied" ]
}

# gpu_box WORD...: sandlock run on a host with three GPUs of two makers.
gpu_box() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c '
		mount -t tmpfs none /dev
		mkdir /dev/pts /dev/shm /dev/dri
		while read -r name major minor; do
			mknod -m 0666 "/dev/$name" c "$major" "$minor"
		done <<-EOF
			null 1 3
			zero 1 5
			full 1 7
			random 1 8
			urandom 1 9
			tty 5 0
			nvidiactl 195 255
			nvidia0 195 0
			nvidia1 195 1
			nvidia2 195 2
			dri/renderD128 226 128
			dri/renderD129 226 129
			kfd 1 5
		EOF
		exec "$@"' sh "$SANDLOCK" --root "$ROOT" run --cwd / "$@"
}

@test "a sandbox has a GPU only if it is listed" {
	requires root
	local script="cd /dev; echo nvidia* dri/* \$CUDA_VISIBLE_DEVICES"

	run_ok gpu_box -r /usr -- sh -c "$script"
	[ "$output" = "nvidia* dri/*" ]
	run_ok gpu_box -r /usr --gpu 1 -- sh -c "$script"
	[ "$output" = "nvidia1 nvidiactl dri/renderD129 0" ]
	run_ok gpu_box -r /usr --gpu '[]' -- sh -c "$script"
	[ "$output" = "nvidia0 nvidia1 nvidia2 nvidiactl dri/renderD128 \
dri/renderD129" ]
	# A limit does not bring any, and what is there can be opened.
	run_ok gpu_box -r /usr --memory 64M -- sh -c "$script"
	[ "$output" = "nvidia* dri/*" ]
	run_ok gpu_box -r /usr --gpu 1 -- sh -c 'head -c 3 /dev/kfd | wc -c'
	[ "$output" = 3 ]
}

# ---- the examples of the documentation ----

# The virtual machines have the tests alone.
requires_pages() {
	[ -e "$BATS_TEST_DIRNAME/../sandlock.1.md" ] ||
		skip "needs the documentation"
}

# blocks PAGE DIR: write each fenced block of a page of the documentation to a
# file of its own.
blocks() {
	mkdir -p "$2"
	awk -v dir="$2" '/^```/ { inside = !inside; n += inside; next }
		inside { print >(dir "/" n) }' "$BATS_TEST_DIRNAME/../$1"
}

@test "each profile in the manual page sandlock(1) runs a command" {
	requires root userns
	requires_landlock 4
	requires_pages
	mkdir build
	blocks sandlock.1.md "$TMP/blocks"
	for block in "$TMP"/blocks/*; do
		[[ $(head -n 1 "$block") = "["* ]] || continue
		mv "$block" "$block.toml"
		run_ok sandlock profile validate "$block.toml"
		assert_lines "$block.toml: valid"
		if grep -q '^read = ' "$block.toml"; then
			run_ok sandbox --policy "$block.toml" -- true
		else
			run_ok sandbox --policy "$block.toml" -r @system -- true
		fi
	done
	[ "$(find "$TMP/blocks" -name '*.toml' | wc -l)" -ge 8 ]
}

# documented PAGE NUMBER: run the command lines of a page that begin with the
# name of the program; there must be this many at least.
documented() {
	local line n=0

	rm -rf "$TMP/blocks"
	blocks "$1" "$TMP/blocks"
	while IFS= read -r line; do
		eval "run ${line%%#*}"
		[ "$status" -eq 0 ] || [[ $line = *check* && $status -le 2 ]] || {
			echo "$line: $status: $output"
			return 1
		}
		n=$((n + 1))
	done < <(cat "$TMP"/blocks/* | grep '^sandlock ')
	[ "$n" -ge "$2" ]
}

@test "each command line of sandlock in sandlock(1) works" {
	requires_pages
	requires root userns python3 make
	requires_landlock 1
	export XDG_CONFIG_HOME=$TMP/config
	printf 'all:\n\techo made >made\n' >Makefile
	printf '#!/bin/sh\n' >untrusted
	chmod +x untrusted
	touch app.py
	cat >pyproject.toml <<-'END'
		[tool.uv.sandbox]
		allow-read = [{ preset = "system" }, { preset = "python" }, "."]
		allow-execute = [{ preset = "system" }, { preset = "python" }]
		allow-env = ["PATH"]
	END
	mkdir -p "$XDG_CONFIG_HOME/sandlock/profiles"
	printf '[filesystem]\nread = ["@system"]\nwrite = ["@project"]\n' \
		>"$XDG_CONFIG_HOME/sandlock/profiles/build.toml"
	documented sandlock.1.md 4
	[ "$(cat made)" = made ]
}

@test "a sandbox of root opens and makes no device node in a listed directory" {
	requires root
	mkdir "$TMP/nodes"
	mknod -m 666 "$TMP/nodes/zero" c 1 5
	for flag in -r -w; do
		run sandbox --cwd / -r /usr "$flag" "$TMP/nodes" -- \
			head -c 1 "$TMP/nodes/zero"
		[ "$status" -eq 1 ]
		assert_output_has "Permission denied"
	done
	run sandbox --cwd / -r /usr -w "$TMP/nodes" -- \
		mknod "$TMP/nodes/one" c 1 5
	[ "$status" -eq 1 ]
	[ ! -e "$TMP/nodes/one" ]
}

@test "run lets a process use the devices of its /dev, and create nothing there" {
	run sandbox -r / -- sh -c '
		head -c 3 /dev/zero | wc -c
		echo here >/dev/shm/new && cat /dev/shm/new
		(echo x >/dev/new) 2>/dev/null || echo no file
		mkdir /dev/directory 2>/dev/null || echo no directory
		rm /dev/zero 2>/dev/null || echo zero stays'
	[ "$status" -eq 0 ]
	[ "$output" = "3
here
no file
no directory
zero stays" ]
}
