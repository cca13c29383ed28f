#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/bound-sockets.bats - Unix sockets that exist when a sandbox starts are out of its reach, and finding them takes no walk.
#
# Each test is a subshell on purpose, and the shell inside has dollars of its own.
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	enter_work
	mkdir tree outside
	add_netprobe .
	add_probe binder .
}

teardown() {
	local pid

	end_server
	if [ -e "$TMP/binders" ]; then
		while read -r pid; do
			kill "$pid" || :
		done <"$TMP/binders"
	fi
	sandlock_teardown
}

# binder [PREFIX...] -- ACTION...: see binder.c; it stays until the end of the
# test.
binder() {
	local prefix=()

	while [ "$1" != -- ]; do
		prefix+=("$1")
		shift
	done
	shift
	: >"$TMP/bound"
	"${prefix[@]}" ./binder "$@" >"$TMP/bound" 2>&1 3>&- &
	echo $! >>"$TMP/binders"
	wait_until [ -s "$TMP/bound" ]
	[ "$(cat "$TMP/bound")" = bound ] || {
		cat "$TMP/bound"
		return 1
	}
}

# can_reach PATH: a process outside could connect to it, if it listened and was
# of the right type.
can_reach() {
	case $(./netprobe unix "$1") in
	ok | "Protocol wrong type for socket" | "Connection refused") ;;
	*) false ;;
	esac
}

# EACH PATH...: connect to each by every type of socket.
EACH='for s; do
	out=$(for type in unix send packets; do ./netprobe $type "$s"; done)
	case $out in
	*ok*) echo ok ;;
	*"Permission denied"*) echo denied ;;
	*) echo "$out" ;;
	esac
done'

# out_of_reach SANDBOX PATH...: a sandbox with ./tree can connect to none.
out_of_reach() {
	local box=$1 path

	shift
	for path; do
		can_reach "$path"
	done
	run_ok "$box" -r /usr -r netprobe -w "$PWD/tree" -- sh -c "$EACH" sh "$@"
	assert_lines "$(for path; do echo denied; done)"
}

# no_walk: a sandbox with ./tree lists none of its directories.
no_walk() {
	requires strace
	run_ok strace -f -o "$TMP/trace" -e trace=getdents64 -yy "$SANDLOCK" \
		--root "$ROOT" run -r /usr -r netprobe -w "$PWD/tree" -- true
	run ! grep -F "$PWD/tree" "$TMP/trace"
}

# From version 9 on Landlock denies all of them to a sandbox.
covers_sockets() {
	[ "$(landlock_version)" -lt 9 ]
}

@test "sockets of every type are out of reach, by absolute names and relative ones" {
	mkdir -p tree/sub/deep
	binder -- stream "$PWD/tree/stream" datagram "$PWD/tree/datagram" \
		seqpacket "$PWD/tree/sub/seqpacket" early "$PWD/tree/early" \
		chdir tree/sub stream relative stream deep/relative \
		datagram ../above
	out_of_reach sandbox tree/{stream,datagram,sub/seqpacket,early} \
		tree/sub/{relative,deep/relative} tree/above
	no_walk
}

@test "a socket is out of reach if the process that bound it has changed its directory since" {
	binder -- chdir tree stream relative chdir /
	out_of_reach sandbox tree/relative
	no_walk
}

@test "sockets are out of reach through links, bind mounts and mounts of a policy" {
	mkdir tree/dir other
	ln -s tree/dir link
	binder -- stream "$PWD/link/linked" stream "$PWD/outside/mapped"
	out_of_reach sandbox tree/dir/linked
	run_ok sandbox -r /usr -r netprobe --mount "/mapped:$PWD/outside" -- \
		./netprobe unix /mapped/mapped
	[ "$output" = "$DENIED" ]
	run_ok privately sh -c 'mount --bind "$1" "$1/tree/dir" && shift &&
		exec "$@"' sh "$PWD" "$SANDLOCK" --root "$ROOT" run -r /usr \
		-r netprobe -w tree -- ./netprobe unix tree/dir/outside/mapped
	[ "$output" = "$DENIED" ]
	no_walk
}

@test "sockets that were renamed or moved are out of reach" {
	mkdir tree/old
	binder -- stream "$PWD/tree/before" rename tree/before tree/after \
		stream "$PWD/tree/old/moved" rename tree/old tree/new \
		stream "$PWD/outside/in" rename outside/in tree/in
	out_of_reach sandbox tree/after tree/new/moved tree/in
	no_walk
}

@test "a socket under the name of another that was renamed hides neither" {
	binder -- stream "$PWD/tree/name" rename tree/name tree/first \
		stream "$PWD/tree/name"
	out_of_reach sandbox tree/name tree/first
	no_walk
}

@test "a socket whose file was removed costs nothing" {
	binder -- stream "$PWD/tree/gone" unlink tree/gone
	no_walk
}

@test "a mount of a socket whose file was removed is an error, as it cannot be covered" {
	touch tree/mounted
	binder -- stream "$PWD/outside/gone"
	run privately sh -c 'mount --bind outside/gone tree/mounted &&
		rm outside/gone && ./netprobe unix tree/mounted && exec "$@"' sh \
		"$SANDLOCK" --root "$ROOT" run -r /usr -r netprobe -w tree -- \
		./netprobe unix tree/mounted
	# From version 9 on Landlock denies it, and nothing must be covered.
	if [ "$(landlock_version)" -ge 9 ]; then
		assert_lines "ok
Permission denied"
		return
	fi
	[ "$status" -eq 125 ]
	assert_lines "ok
sandlock: network.unix: cannot cover $PWD/tree/mounted, a mount of a socket whose file is removed: unmount it"
}

@test "hard links of a socket are out of reach, and explain names the socket" {
	binder -- stream "$PWD/tree/linked" link tree/linked tree/second \
		stream "$PWD/outside/linked" link outside/linked tree/third
	out_of_reach sandbox tree/linked tree/second tree/third
	covers_sockets || return 0
	run_ok sandlock explain -r /usr -w "$PWD/tree" -- true
	assert_output_has "'$PWD/tree/linked' (has hard links)"
	assert_output_has "'$PWD/outside/linked' (has hard links)"
}

@test "hard links of a socket are out of reach below a directory that is kept in place" {
	mkdir -p tree/sub/deep
	binder -- stream "$PWD/outside/linked" \
		link outside/linked tree/sub/deep/second
	can_reach tree/sub/deep/second
	run_ok sandbox -r /usr -r netprobe -w tree --filesystem-deny-write \
		tree/sub/deep --config-allow-degraded deny_replace -- \
		./netprobe unix tree/sub/deep/second
	[ "${lines[-1]}" = "$DENIED" ]
}

@test "sockets that were bound in a chroot are out of reach" {
	binder -- chroot "$PWD" chdir / stream /tree/chrooted
	out_of_reach sandbox tree/chrooted
	no_walk
}

@test "sockets of other network namespaces are out of reach" {
	mkdir view
	binder unshare --net -- stream "$PWD/tree/absolute" \
		datagram "$PWD/tree/datagram" chdir tree stream relative
	binder unshare --net --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/view" stream "$PWD/view/volume" \
		stream "$PWD/view/a" rename view/a view/b
	# One in a container that shares the host's network.
	binder unshare --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/view" stream "$PWD/view/hostnet"
	out_of_reach sandbox tree/{absolute,datagram,relative,volume,b,hostnet}
	no_walk
}

@test "a socket of a namespace without a process is out of reach, or explain names the gap" {
	binder -- orphan "$PWD/tree/orphan"
	if ! covers_sockets; then
		out_of_reach sandbox tree/orphan
		return
	fi
	can_reach tree/orphan
	run_ok sandlock explain -r /usr -w "$PWD/tree" -- true
	assert_output_has "network namespaces without a visible process"
	assert_output_has "created later"
}

# ---- as a user ----

user_tree() {
	new_user
	mv tree netprobe binder "$USER_HOME/"
	cd "$USER_HOME" || return
	chmod 0755 .
	chmod 0777 tree
	as_this_user=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups)
}

@test "a user's sandbox cannot reach sockets of that user and of root" {
	requires userns
	user_tree
	binder -- stream "$PWD/tree/root"
	binder "${as_this_user[@]}" -- stream "$PWD/tree/own" chdir tree stream relative
	out_of_reach user_sandbox tree/{root,own,relative}
	# These cannot be asked for, so the tree is walked.
	mkdir tree/sub
	binder -- chdir tree/sub stream elsewhere chdir / \
		stream "$PWD/tree/before" rename "$PWD/tree/before" "$PWD/tree/after"
	out_of_reach user_sandbox tree/{sub/elsewhere,after}
	covers_sockets || return 0
	run_ok as_user ./sandlock explain -r /usr -w tree -- true
	assert_output_has "walked for them: $PWD/tree"
	assert_output_has "'elsewhere' (not found)"
	assert_output_has "'$PWD/tree/before' (not found)"
	# The members of a preset do not fill the screen.
	mkdir tree/{01..25}
	# shellcheck disable=SC2046 # many options
	run_ok as_user ./sandlock explain -r /usr $(printf -- '-w tree/%s ' {01..25}) -- true
	grep -E "walked for them: $PWD/tree/01, .*$PWD/tree/20 and [0-9]+ more, because of " <<<"$output"
}

@test "a user's sandbox cannot reach sockets of other network namespaces" {
	requires userns
	user_tree
	mkdir view
	binder unshare --net -- stream "$PWD/tree/root"
	binder unshare --net --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/view" stream "$PWD/view/volume"
	binder "${as_this_user[@]}" unshare --user --map-root-user --net -- \
		stream "$PWD/tree/own" chdir tree stream relative
	out_of_reach user_sandbox tree/{root,volume,own,relative}
	binder unshare --net --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/view" chdir view stream root-relative \
		stream "$PWD/view/before" rename before after
	out_of_reach user_sandbox tree/{root-relative,after}
}

@test "a user's sandbox cannot reach sockets that were bound below a closed directory and are elsewhere" {
	requires userns
	user_tree
	mkdir -p closed/volume
	chmod 0700 closed
	ln -s ../tree closed/link
	binder -- stream "$PWD/closed/before" rename closed/before tree/renamed \
		stream "$PWD/closed/link/linked"
	binder unshare --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/closed/volume" \
		stream "$PWD/closed/volume/volume"
	out_of_reach user_sandbox tree/{renamed,linked,volume}
	covers_sockets || return 0
	run_ok as_user ./sandlock explain -r /usr -w tree -- true
	assert_output_has "walked for them: $PWD/tree"
	assert_output_has "'$PWD/closed/before' (bound in a directory that the caller cannot enter)"
}

@test "a user's sandbox cannot reach a socket if a link of its process leads to another here" {
	requires userns
	user_tree
	mkdir -p container/var run
	ln -s "$PWD/run" container/var/run
	binder -- stream "$PWD/run/daemon"
	binder unshare --net --mount --propagation private -- \
		mount "$PWD/tree" "$PWD/run" stream "$PWD/container/var/run/daemon"
	out_of_reach user_sandbox tree/daemon
}

@test "a directory that can be entered and not listed is no error" {
	requires userns
	user_tree
	mkdir -p tree/closed/below
	binder -- stream "$PWD/tree/closed/sock"
	chmod 0711 tree/closed
	run_ok user_sandbox -r /usr -r netprobe -w tree -w tree/closed/below -- \
		./netprobe unix tree/closed/sock
	[ "${lines[-1]}" = "$DENIED" ]
	run_ok user_sandbox -r /usr -r netprobe -r tree/closed -- \
		./netprobe unix tree/closed/sock
	[ "${lines[-1]}" = "$DENIED" ]
}

# ---- own sockets, bundles and exec ----

@test "a sandbox connects to its own sockets, and to those that network.unix lists" {
	binder -- stream "$PWD/tree/listed" stream "$PWD/tree/other"
	run_ok sandbox -r /usr -r netprobe -w tree --network-unix tree/listed -- sh -c '
		./netprobe unix tree/listed
		./netprobe unix tree/other
		./netprobe serve tree/own >tree/out & p=$!
		until [ -s tree/out ]; do :; done
		./netprobe unix tree/own; kill $p'
	assert_lines "ok
$DENIED
ok"
}

@test "init, exec and hooks of a bundle cannot reach the sockets in its volumes" {
	new_bundle
	files=$BUNDLE/rootfs
	cp netprobe "$files/bin/"
	mkdir tree/sub
	add_mount /host bind "$PWD/tree" bind
	annotate_policy network.mode=deny
	binder -- stream "$PWD/tree/before" rename tree/before tree/after \
		chdir tree/sub datagram relative
	binder unshare --net -- seqpacket "$PWD/tree/netns"
	tells "$DENIED
$DENIED
$DENIED" 'for s in after sub/relative netns; do netprobe unix /host/$s; done'
}

@test "a bundle cannot reach sockets of other programs in its own root, and can replace those of an earlier run" {
	new_bundle
	files=$BUNDLE/rootfs
	cp netprobe "$files/bin/"
	annotate_policy network.mode=deny
	binder -- chdir "$files/tmp" stream relative datagram datagram \
		stream linked link linked second
	args sh -c 'netprobe serve /run/own >/tmp/out & until [ -s /tmp/out ]; do :; done'
	run_ok run_bundle
	[ -S "$files/run/own" ]
	args sh -c 'for s in relative datagram linked; do netprobe unix /tmp/$s; done
		rm /run/own && netprobe serve /run/own >/tmp/out & p=$!
		until [ -s /tmp/out ]; do :; done
		netprobe unix /run/own; kill $p'
	rm "$files/tmp/out"
	run_ok run_bundle
	assert_lines "$DENIED
$DENIED
$DENIED
ok"
}

# ---- cost ----

# count_calls COMMAND...: how many system calls on files all its processes make;
# the least of four times, as the first one makes directories.
count_calls() {
	for _ in 1 2 3 4; do
		strace -f -qq -e trace=%file,getdents64 -o "$TMP/trace" "$@" \
			3>&- || return
		# How often somebody tries again or looks at a process, and which
		# processes exist, depends on the machine. A call that is
		# interrupted has two lines.
		grep -vcE 'unfinished|EAGAIN|/ns/net|/stat"|exec resumed|\+\+\+|---' \
			"$TMP/trace"
	done | sort -n | head -n 1
}

# count_run WORD...: the calls of `sandlock run`, in namespaces without any other
# process or socket.
count_run() {
	export -f count_calls
	export TMP
	unshare --net --pid --fork --mount-proc bash -c 'count_calls "$@"' sh \
		"$SANDLOCK" --root "$ROOT" run "$@" -- true 3>&-
}

# count_bundle: the same of `sandlock-oci run`.
count_bundle() {
	export -f count_calls
	export TMP
	unshare --net --pid --fork --mount-proc bash -c 'count_calls "$@"' sh \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box 3>&-
}

# same_calls COMMAND...: it says the same number with 10 and with 5,000
# directories in ./tree. On a slow machine some calls are made once more; to
# open only the directories of the first level would take 80 more.
same_calls() {
	local few many

	mkdir -p tree/{1..10}
	few=$("$@")
	mkdir -p tree/{1..50}/{1..99}
	many=$("$@")
	rm -rf tree/*
	echo "few: $few, many: $many"
	[ "$few" -gt 50 ]
	[ "$((many - few))" -le 20 ]
}

@test "the system calls of run and exec do not depend on the tree" {
	requires strace
	new_bundle
	add_mount /host bind "$PWD/tree" bind
	annotate_policy network.mode=deny
	args true
	same_calls count_run -r /usr -w tree
	same_calls count_bundle
	start_sleeping box
	same_calls count_calls "$SANDLOCK_OCI" --root "$ROOT" exec box true
}

@test "a pattern without ** reads only the directories in which it can match" {
	requires strace
	mkdir other
	touch other/{1..20}.pem
	same_calls count_run -r /usr -w tree -w other \
		--filesystem-deny "$PWD/tree/*.pem" \
		--filesystem-deny "$PWD/[o]ther/1*.pem" \
		--config-allow-degraded deny_replace
}

@test "no socket is reached through an overlay, and none is searched for" {
	requires strace
	mkdir upper work merged
	binder -- stream "$PWD/tree/lower" chdir tree stream relative chdir /
	run_ok privately sh -c 'mount -t overlay none \
			-o "lowerdir=tree,upperdir=upper,workdir=work" merged &&
		strace -f -o trace -e trace=getdents64 -yy "$@"' sh "$SANDLOCK" \
		--root "$ROOT" run -r /usr -r netprobe -w merged -- sh -c \
		'for s in lower relative; do ./netprobe unix "merged/$s"; done'
	assert_lines "Connection refused
Connection refused"
	run ! grep -F "$PWD/merged" trace
}
