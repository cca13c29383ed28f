#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-why.bats - which calls seccomp refused, by which group, and what to add.

bats_require_minimum_version 1.5.0
load helpers

PYTHON=/usr/bin/python3
NAMESPACES="(syscalls: namespaces); to allow it: --syscalls-extra-allow namespaces"
NO_CAPABILITY="no flag allows it: it needs a capability, and a sandbox has none"
SUID="(syscalls: suid); to allow it: --syscalls-extra-allow suid"

setup() {
	sandlock_setup
	requires root
	enter_work
}

# told LINE...: the denials of the last run, without those of loaders.
# shellcheck disable=SC2154 # bats sets stderr
told() {
	local lines

	# C libraries differ in which variant they call.
	lines=$(sed -n 's/^denied: //p' <<<"$stderr" | grep -v '^read /' |
		sed 's/^call f\?\(chmod\|open\|mknod\)\(at\)\? /call \1 /' || :)
	[ "$lines" = "$(printf '%s\n' "$@")" ] || {
		echo "told: $stderr"
		return 1
	}
}

# python SCRIPT [WORD...]: run it in a sandbox with --why and these words.
python() {
	run --separate-stderr sandbox --why "${@:2}" -r /usr -r /etc -- \
		"$PYTHON" -ISc "
import ctypes, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
def attempt(call, *words):
    try:
        call(*words)
    except OSError as e:
        print(e.strerror)
$1"
}

@test "--why names the group of each refused call, and the flag to add, if one helps" {
	run --separate-stderr -0 sandbox --why -r /usr -- sh -c '
		unshare --user true
		mount --bind /usr /usr
		chroot /usr true
		:'
	[[ $stderr = *"denied: call unshare $NAMESPACES"* ]]
	[[ $stderr = *"denied: call mount (syscalls: mount); $NO_CAPABILITY"* ]]
	[[ $stderr = *"denied: call chroot (syscalls: mount); $NO_CAPABILITY"* ]]
}

@test "--why names the group of each refused call to a user, and without namespaces" {
	requires userns
	requires_landlock 1
	new_user
	run --separate-stderr -1 user_sandbox --why -r /usr -- unshare --user true
	[[ $stderr = *"denied: call unshare $NAMESPACES"* ]]
	run --separate-stderr -1 sandbox_without_userns --why -r /usr -- unshare --user true
	[[ $stderr = *"denied: call unshare $NAMESPACES"* ]]
}

@test "the flag that --why suggests allows the call" {
	requires userns
	local add

	new_user
	run --separate-stderr -1 user_sandbox --why -r /usr -- unshare --user true
	add=$(sed -n 's/^denied: call unshare .*; to allow it: \(.*\)$/\1/p' <<<"$stderr")
	[ -n "$add" ]
	# shellcheck disable=SC2086 # two words
	run --separate-stderr -0 user_sandbox --why $add -r /usr -- unshare --user true
	[[ $stderr != *unshare* ]]
}

@test "--why names the families of refused sockets" {
	requires "$PYTHON"
	local both="to allow it: --network-mode open --syscalls-extra-allow raw_sockets"

	python '
for family, kind in ((2, 1), (10, 2), (2, 3), (17, 3), (38, 5), (40, 1)):
    attempt(socket.socket, family, kind)'
	[ "$(sort -u <<<"$output")" = "Operation not permitted" ]
	told "socket AF_INET (network.mode: deny); to allow it: --network-mode loopback (other hosts: --net-allow HOST:PORT, or open)" \
		"socket AF_INET6 (network.mode: deny); to allow it: --network-mode loopback (other hosts: --net-allow udp://HOST:PORT, or open)" \
		"socket AF_INET SOCK_RAW (network.mode: deny); $NO_CAPABILITY" \
		"socket AF_PACKET (syscalls: raw_sockets); $NO_CAPABILITY" \
		"socket AF_ALG (syscalls: raw_sockets); $both" \
		"socket AF_VSOCK (syscalls: raw_sockets); $both"
	python 'attempt(socket.socket, 2, 1); attempt(socket.socket, 38, 5)' \
		--network-mode loopback
	told "socket AF_ALG (syscalls: raw_sockets); to allow it: --syscalls-extra-allow raw_sockets"
}

@test "--why reports refused setuid modes, and no other modes" {
	requires "$PYTHON"
	touch file
	python "
attempt(os.chmod, '$WORK/file', 0o755)
attempt(os.chmod, '$WORK/file', 0o4755)
attempt(os.open, '$WORK/new', os.O_CREAT, 0o6755)
attempt(os.mknod, '$WORK/node', 0o102755)" -w .
	[ "$(grep -c 'Operation not permitted' <<<"$output")" -eq 3 ]
	told "call chmod $SUID" "call open $SUID" "call mknod $SUID"
	[ ! -u file ]
}

# The calls get the kernel's count of arguments, and numbers that are the same
# on all architectures.
@test "--why reports calls of absent groups, and the calls still return ENOSYS" {
	requires "$PYTHON"
	python '
clone = ctypes.create_string_buffer(struct.pack("8Q", 0x10000000, 0, 0, 0, 17, 0, 0, 0))
how = ctypes.create_string_buffer(struct.pack("3Q", 0, 0, 0))
for words in (435, clone, 64), (437, -100, b"/usr", how, 24):
    assert libc.syscall(*words) == -1
    print(os.strerror(ctypes.get_errno()))'
	[ "$(sort -u <<<"$output")" = "Function not implemented" ]
	told "call clone3 $NAMESPACES" "call openat2 $SUID"
}

@test "--why reports no denial for threads and processes that begin with clone3" {
	requires "$PYTHON"
	python '
import subprocess, threading
threads = [threading.Thread(target=os.getpid) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
flags = ctypes.create_string_buffer(struct.pack("8Q", 0, 0, 0, 0, 17, 0, 0, 0))
libc.syscall(435, flags, 64)
subprocess.run(["/usr/bin/true"], check=True)
print("done")'
	[ "$output" = "done" ]
	told ''
}

@test "--why reports refused requests to a terminal" {
	requires "$PYTHON" script
	run script -qec "'$SANDLOCK' --root '$ROOT' run --why -r /usr -- $PYTHON -ISc '
import fcntl
for request in 0x540c, 0x5412:
    try:
        fcntl.ioctl(0, request, b\"x\")
    except OSError as e:
        print(e.strerror)
'" /dev/null
	[ "$(grep -c 'Operation not permitted' <<<"$output")" -eq 2 ]
	assert_output_has "denied: call ioctl (syscalls: terminal); to allow it: --syscalls-extra-allow terminal"
}

@test "--why reports a process that was killed for calls of another ABI" {
	requires "$PYTHON"
	[ "$(uname -m)" = x86_64 ] || skip "needs x86_64"
	python '
if os.fork() == 0:
    libc.syscall(0x40000000 + 39)
print(os.wait()[1])'
	[ "$output" = 31 ]
	told "call of another ABI (programs for i386 and x32 are killed under any policy); no flag allows it"
	# A signal that the process sends itself is not reported as a call.
	python '
if os.fork() == 0:
    os.kill(os.getpid(), 31)
print(os.wait()[1] & 127)'
	[ "$output" = 31 ]
	told ''
}

@test "--json lists the flags that would allow refused calls" {
	requires jq
	run --separate-stderr -1 sandbox --json --why -r /usr -- unshare --user true
	# shellcheck disable=SC2154 # bats sets it
	jq -e '.denied | any(del(.time) == {type: "denied", what: "call",
		path: "unshare", key: "syscalls", item: "namespaces",
		reason: "syscalls: namespaces", hint: "--syscalls-extra-allow namespaces"})' <<<"${stderr_lines[-1]}"
}

@test "--why says what to remove for a call that extra_deny refuses" {
	run --separate-stderr -1 sandbox --why --syscalls-extra-deny namespaces \
		-r /usr -- unshare --user true
	[[ $stderr = *"denied: call unshare (syscalls.extra_deny: namespaces); to allow it: remove --syscalls-extra-deny namespaces, and add --syscalls-extra-allow namespaces"* ]]
}
