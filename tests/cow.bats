#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cow.bats - config.workdir: changes below it go to a branch.
#
# Scripts have dollars of their own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	export XDG_STATE_HOME=$TMP/home
}

# stage_as root|user: a workdir $W with some files, and its parent $P. The
# function `staged` runs a sandbox there as root, or as the user of new_user.
stage_as() {
	WHO=$1
	if [ "$WHO" = user ]; then
		[ -n "$USER_HOME" ] || new_user
		P=$USER_HOME
		BRANCHES=$USER_HOME/.local/state/sandlock/branches
	else
		P=$TMP/parent
		BRANCHES=$XDG_STATE_HOME/sandlock/branches
	fi
	W=$P/w
	mkdir -p "$W/dir/deep"
	echo old >"$W/file"
	echo gone >"$W/deleted"
	echo inner >"$W/dir/deep/inner"
	[ "$WHO" = root ] || chown -R "$USER_ID:$USER_ID" "$W"
}

staged() {
	if [ "$WHO" = user ]; then
		user_sandbox -r /usr --cwd "$W" "$@"
	else
		sandbox -r /usr --cwd "$W" "$@"
	fi
}

# Everything about a tree that a command could change.
fingerprint() {
	(cd "$1" && find . -printf '%p %y %m %U %G %s %T@ %C@ %l\n' | sort &&
		find . -type f -exec sha256sum {} + | sort)
}

# no_branches: nothing of any branch is left on disk.
no_branches() {
	[ ! -e "$P/.sandlock-cow" ] || find "$P/.sandlock-cow"
	[ ! -e "$P/.sandlock-cow" ]
	[ -z "$(ls -A "$BRANCHES" 2>/dev/null)" ]
}

CHANGES='echo new >file; rm deleted; echo added >more; mkdir sub; echo x >sub/x;
	chmod 700 dir; ln -s file link'

@test "run --workdir leaves the tree as it is, and keeps the changes in a branch" {
	local before name

	requires root userns
	for who in root user; do
		stage_as "$who"
		before=$(fingerprint "$W")
		run_ok staged --workdir "$W" --filesystem-on-exit keep -- sh -c "$CHANGES;"' cat file more; ls'
		[[ $output = $'new\nadded\ndir\nfile\nlink\nmore\nsub\n'* ]]
		[[ ${lines[-1]} = "sandlock: $W: kept as branch w-"* ]]
		[ "$(fingerprint "$W")" = "$before" ]
		name=$(ls "$BRANCHES")
		[ "$(cat "$P/.sandlock-cow/$name/up/file")" = new ]
		[ "$(stat -c %a "$P/.sandlock-cow/$name")" = 700 ]
		rm -rf "$P/.sandlock-cow" "$BRANCHES"
	done
}

@test "run --workdir throws the changes away after a failure, and with on_exit = abort" {
	local before

	requires root userns
	for who in root user; do
		stage_as "$who"
		before=$(fingerprint "$W")
		run staged --workdir "$W" --filesystem-on-exit keep -- sh -c "$CHANGES; exit 3"
		[ "$status" -eq 3 ]
		[[ $output = *"sandlock: $W: changes aborted"* ]]
		no_branches
		run_ok staged --workdir "$W" --filesystem-on-exit abort -- sh -c "$CHANGES"
		[ "$(fingerprint "$W")" = "$before" ]
		no_branches
	done
}

@test "run --workdir commits the changes of a command that succeeds" {
	requires root userns
	for who in root user; do
		stage_as "$who"
		mkdir "$P/plain"
		cp -a "$W/." "$P/plain"
		(cd "$P/plain" && sh -c "$CHANGES")
		[ "$who" = root ] || chown -hR "$USER_ID:$USER_ID" "$P/plain"
		run_ok staged --workdir "$W" -- sh -c "$CHANGES"
		[[ $output =~ committed\ [0-9]+\ files ]]
		diff -r "$P/plain" "$W"
		diff <(cd "$P/plain" && find . -printf '%p %y %m %U %G %l\n' | sort) \
			<(cd "$W" && find . -printf '%p %y %m %U %G %l\n' | sort)
		no_branches
	done
}

@test "run --workdir keeps the branch if others have changed the same file" {
	requires root
	stage_as root
	run sandbox --json -r /usr -w "$TMP" --cwd "$W" --workdir "$W" -- sh -c '
		echo inside >file; echo ready >"$0/ready"; while [ ! -e "$0/go" ]; do sleep 0.01; done' "$TMP" &
	pid=$!
	wait_until test -e "$TMP/ready"
	echo outside >"$W/file"
	touch "$TMP/go"
	wait "$pid" || true
	[ "$(cat "$W/file")" = outside ]
	[ "$(cat "$P"/.sandlock-cow/*/up/file)" = inside ]
}

@test "on_error = keep keeps the changes of a command that failed" {
	requires root
	stage_as root
	run staged --workdir "$W" --filesystem-on-exit abort --filesystem-on-error keep -- sh -c "$CHANGES; exit 3"
	[ "$status" -eq 3 ]
	[[ $output = *"kept as branch w-"* ]]
	[ "$(cat "$W/file")" = old ]
}

@test "run --workdir keeps the changes of a command that was killed or timed out" {
	requires root
	stage_as root
	run staged --workdir "$W" --filesystem-on-exit abort -- sh -c "$CHANGES;"' kill -KILL $$'
	[ "$status" -eq 137 ]
	[[ $output = *"kept as branch w-"* ]]
	run staged --workdir "$W" --filesystem-on-exit abort --timeout 300ms -- sh -c "$CHANGES; sleep 60"
	[ "$status" -eq 124 ]
	[[ $output = *"kept as branch w-"* ]]
	[ "$(cat "$W/file")" = old ]
	[ "$(find "$BRANCHES" -type l | wc -l)" -eq 2 ]
}

@test "run --workdir that cannot start leaves no branch" {
	local before

	requires root userns
	for who in root user; do
		stage_as "$who"
		before=$(fingerprint "$W")
		run staged --workdir "$W" --filesystem-on-exit keep -- /nothing/here
		[ "$status" -eq 127 ]
		no_branches
		[ "$(fingerprint "$W")" = "$before" ]
	done
}

@test "denied and read-only paths below a workdir stay so, and denied names appear in the branch only" {
	local before

	requires root userns
	for who in root user; do
		stage_as "$who"
		before=$(fingerprint "$W")
		run_ok staged --workdir "$W" --filesystem-on-exit keep --deny-read "$W/deleted" \
			--deny-write "$W/file" --deny-write "$W/later" --deny-write "$W/dir/later" -- sh -c '
				cat deleted; echo x >file; echo x >later; echo x >dir/later
				mv later other; rm -rf dir; echo fine >fine; cat fine'
		[[ $output = *"deleted: Permission denied"* ]]
		[[ $output = *"cannot create file: Read-only"* ]]
		[[ $output = *"cannot create later: Read-only"* ]]
		[[ $output = *"cannot create dir/later: Read-only"* ]]
		[[ $output = *fine* ]]
		[ "$(fingerprint "$W")" = "$before" ]
		[ -e "$P/.sandlock-cow/$(ls "$BRANCHES")/up/fine" ]
		[ ! -e "$P/.sandlock-cow/$(ls "$BRANCHES")/up/later" ]
		[ ! -e "$P/.sandlock-cow/$(ls "$BRANCHES")/up/dir/later" ]
		rm -rf "$P/.sandlock-cow" "$BRANCHES"
	done
}

@test "run shows several workdirs, each with a branch of its own" {
	requires root
	stage_as root
	mkdir "$P/two"
	run_ok staged --workdir "$W" --workdir "$P/two" --filesystem-on-exit keep -- sh -c '
		echo new >file; echo second >../two/x'
	[ "$(find "$BRANCHES" -type l | wc -l)" -eq 2 ]
	[ ! -e "$P/two/x" ]
	[ "$(cat "$P"/.sandlock-cow/two-*/up/x)" = second ]
	printf '[config]\nworkdir = ["%s", "%s"]\n[filesystem]\non_exit = "abort"\n' "$W" "$P/two" >"$TMP/p.toml"
	run_ok staged -p "$TMP/p.toml" -- sh -c 'echo new >file; echo second >../two/x'
	[ "$(cat "$W/file")" = old ]
}

@test "run --workdir names a mount below it, and other directories that cannot be staged" {
	requires root
	stage_as root
	run unshare --mount --propagation private sh -c '
		mount -t tmpfs none "$2/dir" &&
		exec "$0" --root "$1" run -r /usr --workdir "$2" --filesystem-on-exit keep -- true' \
		"$SANDLOCK" "$ROOT" "$W"
	[ "$status" -eq 125 ]
	[[ $output = *"config.workdir '$W': $W/dir is mounted below it"* ]]
	sandlock_bad "the whole root cannot be staged" run -r /usr --filesystem-on-exit keep --workdir / -- true
	sandlock_bad "config.workdir '$P/none': no such file" run -r /usr --filesystem-on-exit keep --workdir "$P/none" -- true
	sandlock_bad "config.workdir '$W/file': not a directory" run -r /usr --filesystem-on-exit keep --workdir "$W/file" -- true
	sandlock_bad "one contains the other" run -r /usr --filesystem-on-exit keep --workdir "$W" --workdir "$W/dir" -- true
	sandlock_bad "config.workdir '$W'" run -r /usr --filesystem-on-exit keep --workdir "$W" --deny-write "$W" -- true
	sandlock_bad "would show the workdir unstaged" \
		run -r /usr --filesystem-on-exit keep --workdir "$W" --mount "/mnt:$P" -- true
	sandlock_bad "config.workdir and filesystem.chroot" \
		run -r /usr --filesystem-on-exit keep --workdir "$W" --chroot / -- true
	no_branches
}

@test "a user cannot stage changes of another user's directory" {
	requires root userns
	stage_as user
	chown root "$W"
	run staged --workdir "$W" --filesystem-on-exit keep -- true
	[ "$status" -eq 125 ]
	[[ $output = *"config.workdir '$W': belongs to user 0"* ]]
	no_branches
}

@test "run --workdir is refused where there are no namespaces" {
	requires root userns
	stage_as root
	run sandbox_without_userns -r /usr --filesystem-on-exit keep --workdir "$W" -- true
	[ "$status" -eq 125 ]
	[[ $output = *config.workdir* ]]
	[[ $output = *"cannot be enforced without them"* ]]
	[ "$(cat "$W/file")" = old ]
	no_branches
}

@test "a sandbox neither sees nor changes branches, nor makes one" {
	requires root userns
	for who in root user; do
		stage_as "$who"
		run_ok staged --workdir "$W" --filesystem-on-exit keep -- true
		run_ok staged -w "$P" -- sh -c '
			ls "$0/.sandlock-cow" "$1" && exit 1
			echo x >"$0/.sandlock-cow/x" && exit 1
			mv "$0/.sandlock-cow" "$0/other" && exit 1
			mkdir "$1/forged" && exit 1
			exit 0' "$P" "$BRANCHES"
		rm -rf "$P/.sandlock-cow" "$BRANCHES"
		[ "$who" = root ] || rm -rf "$P/.local"
		run_ok staged -w "$P" -- sh -c 'mkdir -p "$1/forged" && exit 1; exit 0' sh "$BRANCHES"
		[ ! -e "$BRANCHES/forged" ]
	done
}

@test "a writable directory around the workdir is written directly, the workdir is not" {
	requires root
	stage_as root
	run_ok staged -w "$P" --workdir "$W" --filesystem-on-exit keep -- sh -c 'echo staged >file; echo direct >../direct'
	[ "$(cat "$W/file")" = old ]
	[ "$(cat "$P/direct")" = direct ]
}

@test "branches are stored where config.fs_storage says" {
	requires root
	stage_as root
	mkdir -m 700 "$TMP/storage"
	run_ok staged --workdir "$W" --config-fs-storage "$TMP/storage" --filesystem-on-exit keep -- sh -c 'echo new >file'
	[ "$(cat "$TMP"/storage/*/up/file)" = new ]
	[ ! -e "$P/.sandlock-cow" ]
	chmod 777 "$TMP/storage"
	sandlock_bad "config.fs_storage: $TMP/storage: cannot store branches because others can write to it" \
		run -r /usr --workdir "$W" --config-fs-storage "$TMP/storage" --filesystem-on-exit keep -- true
	sandlock_bad "config.fs_storage requires config.workdir" \
		run -r /usr --config-fs-storage "$TMP/storage" -- true
}

@test "a workdir can be on tmpfs, and the storage on another file system" {
	requires root
	stage_as root
	run_ok unshare --mount --propagation private sh -c '
		mount -t tmpfs none "$3" && mkdir "$3/w" && echo old >"$3/w/file" &&
		"$0" --root "$1" run -r /usr --workdir "$3/w" --filesystem-on-exit keep -- \
			sh -c "echo new >$3/w/file; rm -rf $3/w/dir" && cat "$3"/w/file "$3"/.sandlock-cow/*/up/file' \
		"$SANDLOCK" "$ROOT" "$W" "$P"
	[[ $output = *$'old\nnew' ]]
	run_ok unshare --mount --propagation private sh -c '
		mount -t tmpfs none "$2" && echo old >"$2/file" &&
		"$0" --root "$1" run -r /usr --workdir "$2" --filesystem-on-exit keep -- \
			sh -c "echo new >$2/file" && cat "$2/file"' "$SANDLOCK" "$ROOT" "$W"
	[[ $output = *old ]]
	[ "$(cat "$BRANCHES"/w-*/up/file | tail -n 1)" = new ]
}

@test "run --workdir on overlayfs needs a storage elsewhere, or is refused by name" {
	requires root
	stage_as root
	mkdir "$TMP/up" "$TMP/wk" "$TMP/merged"
	run_ok unshare --mount --propagation private sh -c '
		mount -t overlay -o "lowerdir=$2,upperdir=$3/up,workdir=$3/wk" none "$3/merged" &&
		"$0" --root "$1" run -r /usr --workdir "$3/merged/w" --filesystem-on-exit keep -- \
			sh -c "echo new >$3/merged/w/file" && cat "$3/merged/w/file"' "$SANDLOCK" "$ROOT" "$P" "$TMP"
	[[ $output = *old ]]
	[ "$(cat "$BRANCHES"/w-*/up/file)" = new ]
	run unshare --mount --propagation private sh -c '
		mount -t overlay -o "lowerdir=$2,upperdir=$3/up,workdir=$3/wk" none "$3/merged" &&
		exec "$0" --root "$1" run -r /usr --workdir "$3/merged/w" --config-fs-storage "$3/merged" \
			--filesystem-on-exit keep -- true' "$SANDLOCK" "$ROOT" "$P" "$TMP"
	[ "$status" -eq 125 ]
	[[ $output = *"cannot hold a branch: it is on overlayfs"* ]]
}

@test "names with colons, commas, blanks and backslashes can be workdirs" {
	local name

	requires root userns
	stage_as user
	for name in 'a:b' 'a\b' 'a,b' 'a b' 'a:\,c'; do
		mkdir -p "$P/$name/w"
		chown -R "$USER_ID:$USER_ID" "$P/$name"
		run_ok user_sandbox -r /usr --workdir "$P/$name/w" --filesystem-on-exit keep --deny-write 'x*' -- \
			sh -c 'echo new >"$0/file"' "$P/$name/w"
		[ "$(cat "$P/$name"/.sandlock-cow/*/up/file)" = new ]
		[ -z "$(ls "$P/$name/w")" ]
	done
}

@test "run --json reports the branches" {
	requires root
	stage_as root
	run_ok --separate-stderr sandbox --json --cwd / -r /usr --workdir "$W" --filesystem-on-exit keep -- sh -c "echo x >$W/x"
	# shellcheck disable=SC2154 # bats sets stderr
	jq -e '.status == 0 and (.branches | length) == 1 and .branches[0].ended == "kept"' <<<"$stderr"
	[ "$(jq -r '.branches[0].workdir' <<<"$stderr")" = "$W" ]
	[ -d "$(jq -r '.branches[0].path' <<<"$stderr")/up" ]
}

@test "explain says that an overlay stages the changes, and makes no branch" {
	requires root
	stage_as root
	run_ok sandlock explain -r /usr --workdir "$W" -- true
	[[ $output = *"config.workdir = \"$W\""* ]]
	[[ $output = *"enforced: an overlay"* ]]
	no_branches
}
