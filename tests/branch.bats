#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/branch.bats - changes of a branch: shown, compared, committed, recovered.

# shellcheck disable=SC2016,SC2030,SC2031 # commands are for another shell; each
# test is a shell of its own

load helpers
load cow

setup() {
	sandlock_setup
	cow_setup
}

# branch WORD...: a subcommand of `sandlock branch`.
branch() {
	"$SANDLOCK" branch "$@"
}

# conflicts WORD...: commit `b`, which must fail by conflicts.
conflicts() {
	run branch commit b "$@"
	[ "$status" -eq 1 ]
	echo "$output"
}

# a_tree: the workdir has a few files.
a_tree() {
	mkdir -p "$W/dir/sub"
	printf 'one\ntwo\nthree\n' >"$W/file"
	echo other >"$W/dir/other"
	echo deep >"$W/dir/sub/deep"
	ln -s file "$W/link"
}

@test "branch show lists what was added, modified and deleted" {
	requires root
	a_tree
	new_branch
	in_branch 'echo new >new; echo four >>file; rm dir/other; chmod 700 dir
		mkdir d; echo x >d/x; rm link; mkdir link'
	run_ok branch show b
	diff - <(echo "$output") <<-'EOF'
		A d/
		A d/x
		M dir/  (mode 0755 -> 0700)
		D dir/other
		M file
		M link/  (link -> directory)
		A new
	EOF
	[ "$(branch show b --json | jq -r '.[] | .change + .path' | tr '\n' ' ')" = \
		"Ad Ad/x Mdir Ddir/other Mfile Mlink Anew " ]
}

@test "branch show lists a renamed directory as deleted and added" {
	requires root
	a_tree
	new_branch
	in_branch 'mv dir moved; echo more >>moved/other'
	run_ok branch show b
	diff - <(echo "$output") <<-'EOF'
		D dir/
		D dir/other
		D dir/sub/
		D dir/sub/deep
		A moved/
		A moved/other
		A moved/sub/
		A moved/sub/deep
	EOF
	run_ok branch commit b
	[ "$(cat "$W/moved/other" "$W/moved/sub/deep")" = "$(printf 'other\nmore\ndeep')" ]
	[ ! -e "$W/dir" ]
}

@test "branch show quotes names that would command a terminal" {
	requires root
	new_branch
	in_branch "touch \"\$(printf 'a\\033[1mb\\nc')\""
	run_ok branch show b
	[ "$output" = 'A a\x1b[1mb\x0ac' ]
}

@test "branch diff is a unified diff that git can apply" {
	requires root git
	a_tree
	printf 'a\0b' >"$W/binary"
	seq 100 >"$W/long"
	cp -a "$W" "$TMP/plain"
	new_branch
	in_branch 'sed -i 50d long; sed -i 3s/3/three/ long; printf "no newline" >new
		rm dir/other; echo 2 >>file; chmod +x file; ln -s x y; ln -sfn y link'
	branch diff b >"$TMP/diff"
	grep -q '^@@ -1,6 +1,6 @@' "$TMP/diff"
	git -C "$TMP/plain" apply "$TMP/diff"
	run_ok branch commit b
	diff -r --no-dereference "$W" "$TMP/plain"
	[ -x "$TMP/plain/file" ]
	new_branch
	in_branch 'printf "a\0c" >binary'
	[[ "$(branch diff b)" = *"Binary files a/binary and b/binary differ"* ]]
}

@test "branch commit makes the changes and removes the branch" {
	requires root
	a_tree
	new_branch
	in_branch 'echo new >new; rm -r dir; echo four >>file'
	run_ok branch commit b
	[ "$output" = "committed 6 changes" ]
	[ ! -e "$B" ]
	[ "$(cat "$W/new")" = new ]
	[ ! -e "$W/dir" ]
	[ "$(tail -n 1 "$W/file")" = four ]
	run branch commit b
	[ "$status" -eq 125 ]
}

@test "branch commit never overwrites what others changed, and lists it all" {
	requires root
	a_tree
	echo c >"$W/c"
	new_branch
	in_branch 'echo ours >file; rm -r dir; echo ours >appeared; chmod 600 c'
	echo theirs >"$W/file"
	echo theirs >"$W/dir/sub/deep"
	echo theirs >"$W/appeared"
	chmod 640 "$W/c"
	tree "$W" >"$TMP/before"
	conflicts
	[[ "$output" = *"conflict: file: changed outside of the branch"* ]]
	[[ "$output" = *"conflict: dir/sub/deep: changed outside of the branch"* ]]
	[[ "$output" = *"conflict: appeared: changed outside of the branch"* ]]
	[[ "$output" = *"conflict: c: changed outside of the branch"* ]]
	tree "$W" | diff "$TMP/before" -
	[ -e "$B" ]
	conflicts --ours file --theirs dir
	tree "$W" | diff "$TMP/before" -
	run_ok branch commit b --ours file --theirs dir --theirs .
	[ "$(cat "$W/file")" = ours ]
	[ "$(cat "$W/dir/sub/deep")" = theirs ]
	[ "$(cat "$W/appeared")" = theirs ]
	[ "$(stat -c %a "$W/c")" = 640 ]
}

@test "branch commit takes the same edit of both sides as no conflict" {
	requires root
	a_tree
	new_branch
	in_branch 'echo same >file'
	echo same >"$W/file"
	run_ok branch commit b
	[ "$(cat "$W/file")" = same ]
}

@test "branch commit of the second of two branches is a conflict" {
	requires root
	a_tree
	new_branch c
	new_branch b
	in_branch 'echo first >file'
	B=${B%/*}/c
	in_branch 'echo second >file'
	run_ok branch commit b
	run branch commit c
	[ "$status" -eq 1 ]
	[[ "$output" = *"conflict: file: changed outside"* ]]
	[ "$(cat "$W/file")" = first ]
	[ -e "$B" ]
}

@test "branch commit of a file that the host deleted is a conflict" {
	requires root
	a_tree
	new_branch
	in_branch 'echo ours >>file; touch dir/sub/new'
	rm -r "$W/file" "$W/dir"
	conflicts
	[[ "$output" = *"conflict: file: deleted outside of the branch"* ]]
	[[ "$output" = *"conflict: dir: deleted outside of the branch"* ]]
	[ ! -e "$W/file" ]
}

@test "branch commit refuses devices and leaves sockets out" {
	requires root
	new_branch
	in_branch 'python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\"s\")"
		echo x >file'
	run_ok branch commit b
	[[ "$output" = *"s is a socket: left out"* ]]
	[ -e "$W/file" ]
	[ ! -e "$W/s" ]
	new_branch
	in_branch 'mknod null c 1 3; echo y >file'
	run branch commit b
	[ "$status" -eq 125 ]
	[[ "$output" = *"null is a device"* ]]
	[ "$(cat "$W/file")" = x ]
}

@test "branch commit writes all names of a hard-linked file" {
	requires root
	echo old >"$W/a"
	ln "$W/a" "$W/b"
	ln "$W/a" "$W/c"
	new_branch
	in_branch 'echo new >>a; rm a; ln b d'
	run_ok branch commit b
	[ "$(cat "$W/b")" = "$(printf 'old\nnew')" ]
	[ "$W/b" -ef "$W/c" ]
	[ "$W/b" -ef "$W/d" ]
	[ ! -e "$W/a" ]
}

@test "branch commit never follows a link that replaces a directory" {
	requires root
	a_tree
	mkdir "$TMP/outside"
	echo sentinel >"$TMP/outside/other"
	new_branch
	in_branch 'echo ours >dir/other; echo ours >dir/new; chmod 700 dir'
	mv "$W/dir" "$W/aside"
	ln -s "$TMP/outside" "$W/dir"
	run branch commit b --ours .
	[ "$(cat "$TMP/outside/other")" = sentinel ]
	[ ! -e "$TMP/outside/new" ]
	[ "$(stat -c %a "$TMP/outside")" = 755 ]
}

@test "branch recover never follows a link that replaced a directory meanwhile" {
	requires root strace
	a_tree
	mkdir "$TMP/outside"
	echo sentinel >"$TMP/outside/other"
	cp -p "$W/dir/other" "$TMP/outside/kept"
	new_branch
	in_branch 'echo ours >dir/other; echo ours >dir/new; rm dir/sub/deep
		chmod 700 dir'
	run strace -o /dev/null -e inject=renameat2:signal=KILL:when=1 \
		"$SANDLOCK" branch commit b
	[ -e "$B/journal" ]
	tree "$TMP/outside" >"$TMP/before"
	mv "$W/dir" "$TMP/aside"
	ln -s "$TMP/outside" "$W/dir"
	run branch recover
	tree "$TMP/outside" | diff "$TMP/before" -
}

@test "branch commit copies from storage on another file system" {
	requires root
	a_tree
	export B
	unshare -m sh -ec '
		mkdir -p "$XDG_STATE_HOME/sandlock/branches"
		mount -t tmpfs none "$XDG_STATE_HOME/sandlock/branches"
		chmod 700 "$XDG_STATE_HOME/sandlock/branches"
		exec "$@"' sh bash -ec "TESTS='$TESTS' TMP='$TMP' W='$W'
		. '$TESTS/cow.bash'
		new_branch
		in_branch 'truncate -s 1M sparse; echo new >dir/new; ln dir/new l; rm file'
		'$SANDLOCK' branch commit b"
	[ "$(cat "$W/l")" = new ]
	[ "$W/l" -ef "$W/dir/new" ]
	[ ! -e "$W/file" ]
	[ "$(stat -c '%s %b' "$W/sparse")" = "1048576 0" ]
	[ -z "$(find "$TMP" -name '.sandlock-*')" ]
}

@test "branch abort and prune remove branches and nothing else" {
	requires root
	a_tree
	tree "$W" >"$TMP/before"
	new_branch
	in_branch 'rm -r dir; mkdir locked; chmod 000 locked'
	run_ok branch list
	[[ "$output" = *"b "*"sealed"*"$W"* ]]
	[ "$(branch list --json | jq -r '.[].workdir')" = "$W" ]
	run_ok branch abort b
	[ ! -e "$B" ]
	new_branch
	run_ok branch prune --older 1h
	[ -e "$B" ]
	run_ok branch prune --older 0s
	[ "$output" = "removed b" ]
	[ ! -e "$B" ]
	tree "$W" | diff "$TMP/before" -
	run branch prune --older x
	[[ "$output" = *"'x' is not a time such as 7d or 12h"* ]]
}

@test "random programs in a branch, committed, do what they do to a plain copy" {
	requires root
	run_ok unshare -m sh -ec 'mount -t tmpfs none "$1"; mkdir "$1/x"; shift
		exec "$@"' sh "$TMP/merged" env XDG_STATE_HOME="$TMP/merged/x" \
		timeout 500 /usr/bin/python3 "$COW" check "$TMP/merged/run" 1 \
		"${COW_PROGRAMS:-25}" links
	[[ "$output" = *"equal trees"* ]]
}

@test "random programs of a user in a branch do what they do to a plain copy" {
	requires root userns setpriv
	kernel_since 6.6 || skip "needs user attributes on tmpfs"
	new_user
	cp "$COW" "$USER_HOME/cow_random.py"
	mkdir "$USER_HOME/t"
	run_ok unshare -m sh -ec 'mount -t tmpfs none "$1/t"; chmod 777 "$1/t"
		XDG_STATE_HOME=$1/t/x SANDLOCK=$1/sandlock \
			exec setpriv --reuid "$2" --regid "$2" --clear-groups \
			timeout 500 /usr/bin/python3 "$1/cow_random.py" check \
			"$1/t/run" 1 "$3" user' \
		sh "$USER_HOME" "$USER_ID" "${COW_PROGRAMS:-25}"
	[[ "$output" = *"equal trees"* ]]
}

@test "branch recover after a kill at any call leaves the old or the new tree" {
	requires root strace
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -o "$TMP/inject" "$TESTS/inject.c"
	unshare -m sh -ec 'mount -t tmpfs none "$1"; mkdir "$1/x"; shift; exec "$@"' \
		sh "$TMP/merged" env XDG_STATE_HOME="$TMP/merged/x" \
		timeout 500 /usr/bin/python3 "$COW" kills "$TMP/merged/run" \
		"${COW_KILLS:-200}" "$TMP/inject" >"$TMP/out"
	grep -q 'mixed 0' "$TMP/out"
}
