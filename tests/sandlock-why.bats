#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-why.bats - what was denied, and by which key of the policy.

bats_require_minimum_version 1.5.0
load helpers
load limits
load netprobe

setup() {
	sandlock_setup
	enter_work
}

# denied LINE...: these were told, and nothing else but what loaders look for.
# A line that ends with a parenthesis does not say which hint follows.
denied() {
	local told line

	told=$(grep '^denied: ' <<<"$stderr" | grep -v ' read /etc/' || true)
	[ "$(wc -l <<<"$told")" -eq $# ] || {
		echo "told: $stderr"
		return 1
	}
	while read -r line; do
		[ "$line" = "$1" ] || [ "${line%%); *})" = "$1" ] || {
			echo "told: $stderr, not: $1"
			return 1
		}
		shift
	done <<<"$told"
}

# told_line REGEX: a line of standard error matches.
told_line() {
	grep -E "$1" <<<"$stderr"
}

# run_as_root_and_user STATUS WORD...: as root, then as a user; the check is
# in $CHECK.
run_as_root_and_user() {
	local status_wanted=$1

	shift
	[ -n "$USER_HOME" ] || new_user
	run --separate-stderr "-$status_wanted" sandbox "$@"
	"${CHECK[@]}"
	run --separate-stderr "-$status_wanted" user_sandbox "$@"
	"${CHECK[@]}"
}

# result FILTER: of the JSON that ends standard error.
# shellcheck disable=SC2154 # bats sets it
result() {
	jq -e "$@" <<<"${stderr_lines[-1]}"
}

@test "--why names the key and the item that deny a path" {
	requires root userns
	local home

	new_user
	home=$USER_HOME
	mkdir "$home/.ssh"
	echo key >"$home/.ssh/id_ed25519"
	chmod -R a+rX "$home/.ssh"
	# The directory of the user is the home itself.
	CHECK=(told_line "^denied: read ($home/)?.ssh/id_ed25519 \(filesystem.deny: @known-secrets\); to allow it: remove --filesystem-deny @known-secrets\$")
	HOME=$home run_as_root_and_user 1 --why -r /usr -r "$home" \
		--filesystem-deny @known-secrets -- cat "$home/.ssh/id_ed25519"
	# Without the policy it can be read: the test could fail.
	cat "$home/.ssh/id_ed25519"
}

WRITES='touch /tmp/new
	mkdir /usr/new
	cat /no/such/file /tmp/no-such-file
	rm -f /usr/bin/env
	false'

@test "--why names the list that a path is not in, and what to add" {
	requires root userns
	new_user
	run --separate-stderr -1 sandbox --why -r /usr -- sh -c "$WRITES"
	denied "denied: write /tmp/new (not in filesystem.write)" \
		"denied: write /usr/new (not in filesystem.write); to allow it: -w /usr" \
		"denied: write /usr/bin/env (not in filesystem.write); to allow it: -w /usr/bin"
	run --separate-stderr -1 sandbox --why -r /usr -- sh -c 'cd /usr; touch ../opt; chmod 700 bin'
	denied "denied: write /opt (not in filesystem.write)" \
		"denied: write /usr/bin (not in filesystem.write); to allow it: -w /usr/bin"
	# The rest would fail without a policy, too: /usr is of another user.
	run --separate-stderr -1 user_sandbox --why -r /usr -- sh -c "$WRITES"
	denied "denied: write /tmp/new (not in filesystem.write)"
	run --separate-stderr -1 user_sandbox --why -r /usr -- sh -c 'cd /usr; touch ../opt; chmod 700 bin'
	denied ""
}

@test "--why resolves links in the root of --chroot" {
	requires root
	new_bundle
	mkdir -p "$BUNDLE/rootfs/opt"
	echo secret >"$BUNDLE/rootfs/opt/secret"
	ln -s /opt/secret "$BUNDLE/rootfs/bin/alias"
	ln -s "$BUNDLE/rootfs" root
	run --separate-stderr -1 sandbox --why --chroot "$WORK/root" -r /bin -- \
		/bin/cat /bin/alias
	denied "denied: read /opt/secret (not in filesystem.read)"
}

@test "--why reports nothing that is allowed or fails anyway" {
	requires root userns
	new_user
	run --separate-stderr -1 user_sandbox --why -r /usr -r /etc -- cat \
		/etc/shadow /nowhere
	[[ $stderr != *denied:* ]]
	run --separate-stderr -1 sandbox --why -r /usr -w . -- sh -c '
		echo a >a && mv a b && rm b && rm c'
	denied ''
	run --separate-stderr -0 sandbox --why -r / -- sh -c 'cat /etc/passwd'
	[ -z "$stderr" ]
}

@test "--why reports calls that the filter denies, and does not change their errors" {
	requires root userns
	CHECK=(denied "denied: call unshare (syscalls: namespaces); to allow it: --syscalls-extra-allow namespaces")
	run_as_root_and_user 1 --why -r /usr -- unshare --user true
	[[ $stderr = *"unshare failed: Operation not permitted"* ]]
	CHECK=(denied "denied: call personality (syscalls: admin); to allow it: --syscalls-extra-allow admin"
		"denied: call chroot (syscalls.extra_deny: mount); no flag allows it: it needs a capability, and a sandbox has none")
	run_as_root_and_user 125 --why -r /usr --syscalls-extra-deny mount -- sh -c '
		setarch --addr-no-randomize true
		exec chroot /usr true'
}

@test "--why reports denied sockets and addresses" {
	requires root userns /usr/bin/python3
	CHECK=(denied "denied: socket AF_INET (network.mode: deny); to allow it: --network-mode loopback (other hosts: --net-allow HOST:PORT, or open)")
	run_as_root_and_user 1 --why -r /usr -- /usr/bin/python3 -ISc '
import socket
socket.socket()'
	CHECK=(denied "denied: connect 192.0.2.1:80 (network.mode: loopback)")
	run_as_root_and_user 1 --why --network-mode loopback -r /usr -- /usr/bin/python3 -ISc '
import socket
with socket.socket() as server, socket.socket() as client:
    server.bind(("127.0.0.1", 0))
    server.listen()
    client.connect(server.getsockname())
socket.socket().connect(("192.0.2.1", 80))'
}

@test "--why names the rule that denies a destination" {
	requires root userns /usr/bin/python3
	local allow=(--net-allow 192.0.2.0/24) deny=(--net-deny 192.0.2.128/25:80-90)
	local connect='
import errno, socket, sys
try:
    socket.create_connection((sys.argv[1], 80), timeout=3)
except PermissionError as e:
    assert e.errno == errno.EACCES'

	CHECK=(denied "denied: connect 198.51.100.1:80 (not in network.allow); to allow it: --net-allow 198.51.100.1:80")
	run_as_root_and_user 0 --why -r /usr "${allow[@]}" -- \
		/usr/bin/python3 -ISc "$connect" 198.51.100.1
	CHECK=(denied "denied: connect 192.0.2.129:80 (network.deny: 192.0.2.128/25:80-90); to allow it: remove --net-deny 192.0.2.128/25:80-90")
	run_as_root_and_user 0 --why -r /usr "${allow[@]}" "${deny[@]}" -- \
		/usr/bin/python3 -ISc "$connect" 192.0.2.129
	CHECK=(denied "denied: connect 192.0.2.129:80 (network.deny: 192.0.2.128/25:80-90); to allow it: remove --net-deny 192.0.2.128/25:80-90, and add --net-allow 192.0.2.129:80")
	run_as_root_and_user 0 --why -r /usr --net-allow 192.0.2.1:80 "${deny[@]}" -- \
		/usr/bin/python3 -ISc "$connect" 192.0.2.129
}

@test "--why names the ports that may not be bound" {
	requires root userns
	requires_landlock 4
	local bind="./netprobe bind 8000; ./netprobe bind 8005
		./netprobe bind 8080; ./netprobe bind 0; ./netprobe connect 9"

	new_user
	add_netprobe .
	cp netprobe "$USER_HOME/"
	CHECK=(denied
		"denied: bind 127.0.0.1:8005 (network.deny_bind: 8005)"
		"denied: bind 127.0.0.1:8080 (not in network.bind)"
		"denied: bind 127.0.0.1:0 (not in network.bind)"
		"denied: connect 127.0.0.1:9 (network.mode: deny)")
	run_as_root_and_user 0 --why -r /usr -r . --net-bind 8000-8010 \
		--network-deny-bind 8005 -- sh -c "$bind"
	[ "${lines[0]}" = ok ]
	# UDP is none of Landlock's, and a server that says no is no policy.
	CHECK=(denied "denied: bind 127.0.0.1:8005 (not in network.bind)"
		"denied: bind 127.0.0.1:8080 (not in network.bind)"
		"denied: bind 127.0.0.1:0 (not in network.bind)")
	run_as_root_and_user 0 --why -r /usr -r . --network-mode loopback --net-bind 8000 --network-publish=false -- \
		sh -c "$bind; ./netprobe udp 80"
	CHECK=(denied "")
	run_as_root_and_user 0 --why -r /usr -r . --network-mode loopback -- sh -c \
		"$bind; ./netprobe bind 80"
}

# shellcheck disable=SC2016 # the dollars are the inner shell's
@test "--why names keys and items without namespaces" {
	requires root userns
	requires_landlock 6
	local sockets=

	echo closed >closed
	mkdir dir sub
	add_netprobe sub
	run --separate-stderr -3 sandbox_without_userns --why -r /usr -r sub -w dir -- sh -c '
		cat closed
		echo >sub/new
		echo made >dir/file && cat dir/file
		chmod 700 dir
		unshare --user true
		sub/netprobe unix /run/no-such-socket
		exit 3'
	[ "${lines[0]}" = made ]
	[ "$(landlock_version)" -ge 9 ] || sockets="denied: socket AF_UNIX \
(without namespaces, Unix sockets outside the sandbox cannot be hidden)"
	denied "denied: read closed (not in filesystem.read); to allow it: -r closed" \
		"denied: write sub/new (not in filesystem.write); to allow it: -w sub" \
		"$(grep -E 'denied: call f?chmod' <<<"$stderr")" \
		"denied: call unshare (syscalls: namespaces); to allow it: --syscalls-extra-allow namespaces" ${sockets:+"$sockets"}
	[[ $stderr = *"denied: call "*"chmod"*" (without namespaces, modes, owners, "* ]]
	run --separate-stderr -0 sandbox_without_userns --json --why -r /usr -- true
	result '.degraded == ["namespaces"]'
	run --separate-stderr -126 sandbox_without_userns --why -r /usr -x "$(realpath \
		"$(command -v sh)")" -- sh -c 'exec /usr/bin/env'
	denied "denied: execute /usr/bin/env (not in filesystem.execute)"
	run --separate-stderr -137 sandbox_without_userns --why -r /usr -- sh -c \
		'sleep 4716 & kill -KILL $$'
	run ! pgrep -f '^sleep 4716$'
}

@test "--why names denied execution, and the loader of a program" {
	requires root userns
	requires_landlock 1
	CHECK=(denied "denied: execute /usr/bin/env (not in filesystem.execute)")
	run_as_root_and_user 126 --why -r /usr -x "$(realpath "$(command -v sh)")" -- \
		sh -c 'exec /usr/bin/env'
	cp "$(realpath "$(command -v env)")" program
	run --separate-stderr -127 sandbox --why -r program -- ./program
	[[ $stderr = *"denied: execute /"*"ld-"*"(not in filesystem.read)"* ]]
}

@test "run names a program that is not in the sandbox without --why" {
	requires root userns
	CHECK=(denied "denied: execute /bin/sh (not in filesystem.read)")
	[ ! -L /bin ] || CHECK=(denied
		"denied: execute $(realpath /bin)/$(basename "$(realpath /bin/sh)") (not in filesystem.read)")
	run_as_root_and_user 127 -r /etc -- /bin/sh
	run --separate-stderr -127 sandbox -r /usr -- no-such-program
	[[ $stderr = *'sandlock: unable to start the command: exec: "no-such-program": executable file not found in '* ]]
	[[ $stderr = *"use --why to see"* ]]
}

@test "run suggests --why once after a failure, and only then" {
	requires root script
	run --separate-stderr -1 sandbox -r /usr -- sh -c 'cat /etc/passwd'
	[[ $stderr != *denied:* ]]
	[ "$(grep -c "use --why to see" <<<"$stderr")" -eq 1 ]
	run --separate-stderr -0 sandbox -r /usr -- sh -c 'cat /etc/passwd; true'
	[[ $stderr != *denied* ]]
	# What ended it was not the policy.
	run --separate-stderr -143 sandbox -r /usr -- sh -c 'kill -TERM $$'
	[[ $stderr != *--why* ]]
	run --separate-stderr -124 sandbox --timeout 0.2 -r /usr -- sleep 100
	[[ $stderr != *--why* ]]
	run --separate-stderr -1 sandbox --why -r /usr -r /etc -- false
	[[ $stderr != *--why* ]]
	run --separate-stderr -1 sandbox --json -r /usr -- false
	[[ $stderr != *--why* ]]
	run script -qec "$SANDLOCK --root $ROOT run -r /usr -- cat /etc/passwd" \
		/dev/null
	[[ $output = *"use --why to see"* ]]
	run script -qec "$SANDLOCK --root $ROOT run -r /usr -- true" /dev/null
	[[ $output != *"--why"* ]]
}

@test "--json ends standard error with the result" {
	requires root userns jq
	CHECK=(result '.name | test("^sandbox-[0-9]+$")')
	run_as_root_and_user 0 --json -r /usr -- sh -c 'echo out'
	[ "$output" = out ]
	CHECK=(result '.status == 3 and .timed_out == false and .sandboxed and
		.degraded == [] and .denied == null and (has("signal") | not) and
		.duration >= 0 and (has("error") | not)')
	run_as_root_and_user 3 --json -r /usr -- sh -c 'exit 3'
	CHECK=(result '.status == 143 and .signal == 15 and .name == "x y"')
	run_as_root_and_user 143 --json --name 'x y' -r /usr -- sh -c 'kill -TERM $$'
	# The same number without a signal.
	CHECK=(result '.status == 143 and (has("signal") | not)')
	run_as_root_and_user 143 --json -r /usr -- sh -c 'exit 143'
	CHECK=(result '.status == 124 and .timed_out and .duration >= 0.2')
	run_as_root_and_user 124 --json --timeout 0.2 -r /usr -- sleep 100
	CHECK=(result '.status == 127')
	run_as_root_and_user 127 --json -r /usr -- no-such-program
	CHECK=(result '.status == 125 and (.error | test("/no/such"))')
	run_as_root_and_user 125 --json -r /no/such -- true
	# Also where the words are wrong, and so there is no sandbox to name.
	CHECK=(result '.status == 125 and (.error | test("1X"))')
	run_as_root_and_user 125 --json -m 1X -- true
	CHECK=(result '.status == 125 and (.error | test("/no/such.toml"))')
	run_as_root_and_user 125 --json --policy /no/such.toml -- true
	CHECK=(result '.status == 125 and (.error | test("the command is missing"))')
	run_as_root_and_user 125 --json -r /usr
}

# shellcheck disable=SC2016 # the dollars are the inner shell's
@test "--json lists the denials" {
	requires root userns jq
	CHECK=(result '.denied == []')
	run_as_root_and_user 0 --json --why -r /usr -r /etc -- true
	CHECK=(result '.denied | any(del(.time) == {
		type: "denied", what: "write", path: "/tmp/a\u001b",
		key: "filesystem.write", reason: "not in filesystem.write",
		hint: "--tmpfs /tmp"} and (.time | test("^20.*T.*[.][0-9]{3}Z$")))')
	run_as_root_and_user 2 --json --why -r /usr -- sh -c ': >"$(printf "/tmp/a\033")"'
	[[ $stderr != *"denied: "* ]]
}

# shellcheck disable=SC2016 # the dollars are the inner shell's
@test "--why escapes control characters in names" {
	requires root
	run --separate-stderr -2 sandbox --why -r /usr -- \
		sh -c ': >"$(printf "/tmp/a\033[2J\nb")"'
	denied 'denied: write /tmp/a\x1b[2J\x0ab (not in filesystem.write)'
	[[ $stderr != *$'\033[2J\nb (not'* ]]
}

# shellcheck disable=SC2016 # the dollars are the inner shell's
@test "--why does not change how a sandbox forks, threads, stops and ends" {
	requires root userns /usr/bin/python3
	CHECK=(true)
	run_as_root_and_user 7 --why -r /usr -- sh -c '
		for i in 1 2 3; do (exit $i) & done
		wait
		trap "exit 7" USR1
		kill -USR1 $$
		exit 2'
	run_as_root_and_user 5 --why -r /usr -- /usr/bin/python3 -ISc '
import os, signal, sys
child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(5)
assert os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1])
os.kill(child, signal.SIGCONT)
sys.exit(os.WEXITSTATUS(os.waitpid(child, 0)[1]))'
	run_as_root_and_user 0 --why -r /usr -- /usr/bin/python3 -ISc '
import os, threading
def work():
    for _ in range(50):
        try:
            open("/no/such/file")
        except OSError:
            pass
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
def execute():
    os.execv("/bin/true", ["true"])
threading.Thread(target=execute).start()
threading.Event().wait()'
	run_as_root_and_user 124 --why --timeout 0.3 -r /usr -- sh -c 'sleep 100 & sleep 100'
	run_as_root_and_user 137 --why -r /usr -- sh -c 'sleep 100 & kill -KILL $$'
}

@test "a sandbox with --why ends with its tracer" {
	requires root
	mkdir sync
	"$SANDLOCK" --root "$ROOT" run --why -r /usr -w sync -- sh -c '
		echo >sync/ready
		exec sleep 1000' 3>&- &
	local tracer=$!

	wait_until [ -e sync/ready ]
	local inside
	inside=$(pgrep -P "$(pgrep -P $tracer)")
	kill -KILL $tracer
	wait $tracer || true
	wait_until [ ! -e "/proc/$inside" ]
	sandlock_delete_all
}

# Delete the containers that a killed tracer has left.
sandlock_delete_all() {
	local id

	for id in $(oci list --quiet); do
		oci delete --force "$id"
	done
}

# shellcheck disable=SC2016 # the dollars are the inner shell's
@test "--why does not change the restrictions of a sandbox" {
	requires root userns
	CHECK=(true)
	run_as_root_and_user 0 --why -r /usr -- sh -c '
		! unshare --user true && ! mount -t tmpfs x /usr &&
		! cat /etc/passwd && ! touch /usr/x &&
		[ "$(grep ^Seccomp: /proc/self/status)" = "Seccomp:	2" ] &&
		[ "$(grep ^NoNewPrivs: /proc/self/status)" = "NoNewPrivs:	1" ]'
}

# ---- limits ----

MANY='sleep 1 & sleep 1 & sleep 1 & sleep 1 & wait'
# Sixty-four megabytes; busybox knows no M.
MUCH='head -c 67108864 /dev/zero | tail -c 67108864 >/dev/null'

@test "run reports the limits that were reached, by the kernel's count" {
	requires root
	requires_controller memory pids
	run sandbox -r /usr -m 16M -- sh -c "$MUCH"
	[ "$status" -ne 0 ]
	assert_output_has "denied: allocate memory (limits.memory: 16M); to allow it: a larger -m"
	[[ $output != *"denied: create"* ]]
	run sandbox -r /usr --limits-tasks 3 -- sh -c "$MANY"
	[ "$status" -ne 0 ]
	assert_output_has "denied: create task (limits.tasks: 3)"
	[[ $output != *"denied: allocate"* ]]
	run sandbox -r /usr -P 3 --limits-tasks 5 -- sh -c "$MANY"
	assert_output_has "denied: create process (limits.processes: 3)"
	# If the command succeeds, only --json and --why report it.
	run_ok sandbox -r /usr -m 16M -- sh -c "$MUCH; :"
	[[ $output != *"denied: "* ]]
	run --separate-stderr -0 sandbox --json -r /usr -m 16M -- sh -c "$MUCH; :"
	result '.denied | map(del(.time)) == [{type: "denied", what: "allocate",
		path: "memory", key: "limits.memory", item: "16M",
		reason: "limits.memory: 16M", hint: "a larger -m"}]'
}

@test "run reports no limit that was not reached, or that no cgroup enforces" {
	requires root userns
	requires_controller memory pids
	new_user
	run -3 sandbox -r /usr -m 64M --limits-tasks 9 -- sh -c "$MANY; exit 3"
	[[ $output != *"denied: "* ]]
	# Not the limit ends the command.
	run -137 sandbox -r /usr -m 64M -- sh -c 'kill -KILL $$'
	[[ $output != *"denied: "* ]]
	run user_sandbox -r /usr --limits-tasks 3 -- sh -c "$MANY"
	[[ $output != *"denied: "* ]]
}
