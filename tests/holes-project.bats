#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-project.bats - files that a workload creates in a project do not
# loosen its next run, nor run on the host.
#
# Each test is a subshell on purpose, scripts have dollars of their own; bats and enforce.bash have variables of theirs.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	enter_work
}

# ---- markers ----

new_project() {
	mkdir -p proj/.git/hooks proj/.vscode proj/sub
	echo hook >proj/.git/hooks/pre-commit
	echo task >proj/.vscode/tasks.json
	echo key >proj/server.pem
}

# denied_files_unchanged COMMAND...: in proj/sub, with all of proj writable,
# the command changes no denied file.
denied_files_unchanged() {
	local act

	for act in 'echo evil >../.git/hooks/pre-commit' \
		'echo evil >../.git/hooks/post-checkout' \
		'echo evil >../.vscode/tasks.json' \
		'echo evil >../server.pem' 'mv ../.git ../old'; do
		run "$@" -r /usr -w .. --deny-write @git-hooks \
			--deny-write @ide-configs --deny-write '*.pem' \
			--config-allow-degraded deny_replace -- sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
	done
	[ "$(cat ../.git/hooks/pre-commit ../.vscode/tasks.json ../server.pem)" = \
		$'hook\ntask\nkey' ]
	[ ! -e ../.git/hooks/post-checkout ]
}

@test "a marker that a workload plants does not move the denied paths" {
	requires root
	local marker

	new_project
	cd proj/sub
	denied_files_unchanged sandbox
	for marker in .git uv.toml pyproject.toml; do
		sandbox -r /usr -w .. -- mkdir "$marker"
		[ -d "$marker" ]
		denied_files_unchanged sandbox
		rmdir "$marker"
	done
}

@test "a user's project is not moved by a planted marker" {
	requires root userns
	new_user
	cd "$USER_HOME"
	new_project
	mkdir proj/sub/.git
	chown -R "$USER_ID:$USER_ID" proj
	cd proj/sub
	as_user_here() {
		as_user sh -c 'cd proj/sub && exec ../../sandlock run "$@"' sh "$@"
	}
	denied_files_unchanged as_user_here
}

@test "deny keys with a project preset apply to every marked directory above the project, but not to the home directory" {
	requires root
	mkdir -p home/.git outer/.git outer/none/inner/.git home/p/.git
	cd outer/none/inner
	run_ok sandlock explain --json -w @project --filesystem-deny @project
	[ "$(jq -r .project <<<"$output")" = "$WORK/outer/none/inner" ]
	[ "$(jq -c .denyProjects <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
	[ "$(jq -c '[.denied[].path]' <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
	[ "$(jq -c '[.allowed[] | select(.item == "@project").path]' \
		<<<"$output")" = "[\"$WORK/outer/none/inner\"]" ]
	run_ok sandlock explain -w @project
	assert_output_has "project: $WORK/outer/none/inner"
	assert_output_has "project for deny keys: $WORK/outer/none/inner, $WORK/outer"
	cd "$WORK/home/p"
	HOME=$WORK/home run_ok sandlock explain --json -w @project
	[ "$(jq -c .denyProjects <<<"$output")" = "[\"$WORK/home/p\"]" ]
	# The same holds for --project.
	cd "$WORK"
	run_ok sandlock explain --json --project outer/none/inner -w @project
	[ "$(jq -c .denyProjects <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
}

@test "a marker of somebody else in a shared directory does not widen the project" {
	requires root userns
	new_user
	mkdir -m 1777 "$USER_HOME/all"
	mkdir "$USER_HOME/all/mine"
	chown -R "$USER_ID:$USER_ID" "$USER_HOME/all/mine"
	mkdir "$USER_HOME/all/.git"
	run_ok as_user sh -c 'cd all/mine && ../../sandlock explain --json -w @project'
	[ "$(jq -r .project <<<"$output")" = "$USER_HOME/all/mine" ]
	chown "$USER_ID:$USER_ID" "$USER_HOME/all/.git"
	run_ok as_user sh -c 'cd all/mine && ../../sandlock explain --json -w @project'
	[ "$(jq -r .project <<<"$output")" = "$USER_HOME/all" ]
}

@test "in a bundle deny keys mean every marked directory above its own" {
	requires root
	local files DEGRADED='config.allow_degraded=deny_replace'

	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files/src/.git/hooks" "$files/src/sub/.git"
	[ "$(landlock_version)" -ge 5 ] ||
		DEGRADED+=';fs_refer;fs_truncate;fs_ioctl_dev'
	config '.process.cwd = "/src/sub"'
	annotate_policy filesystem.read=/ filesystem.write=/src \
		filesystem.deny_write=@git-hooks
	tells "sh: can't create /src/.git/hooks/x: $READONLY" \
		'echo evil >/src/.git/hooks/x'
	echo config >"$files/src/.git/config"
	annotate_policy filesystem.read=/ filesystem.write=/src \
		filesystem.deny_write=@git-config
	tells "sh: can't create /src/.git/config: $READONLY" \
		'echo evil >/src/.git/config'
	annotate_policy filesystem.read=/ filesystem.write=/src
	tells evil 'echo evil >/src/.git/hooks/x; cat /src/.git/hooks/x'
}

# ---- what git runs on the host ----

# new_repository DIR: create it, and $WORK/ran.sh, which creates $WORK/ran.
new_repository() {
	printf '#!/bin/sh\ntouch %q\n' "$WORK/ran" >"$WORK/ran.sh"
	chmod +x "$WORK/ran.sh"
	git init -q "$1"
	git -C "$1" -c user.name=u -c user.email=u@example.com \
		commit -q --allow-empty -m first
}

# plant FILE: print a command that adds the program to a git configuration.
plant() {
	printf '%s' "echo '[core] fsmonitor = $WORK/ran.sh' >>$1"
}

# ran DIR: whether git runs the program planted there.
ran() {
	rm -f "$WORK/ran"
	git -C "$1" status >/dev/null 2>&1 || :
	[ -e "$WORK/ran" ]
}

# closed SCRIPT [DIR]: with DIR, or else the current directory, writable and
# @git-config denied, a mount makes the script fail.
closed() {
	run sandbox -r /usr -w "${2:-.}" --deny-write @git-config \
		--config-allow-degraded deny_replace -- sh -c "$1"
	[ "$status" -ne 0 ] || { echo "done: $1"; return 1; }
	[[ $output = *"Read-only file system"* ||
		$output = *"Device or resource busy"* ]]
}

# open SCRIPT: the script works without the denial.
open() {
	run_ok sandbox -r /usr -w . -- sh -c "$1"
}

@test "git no longer runs what a workload plants in its configuration" {
	requires root git
	new_repository repo
	cd repo
	closed "$(plant .git/config)"
	closed 'mv .git old && mkdir .git'
	! ran . || return 1
	open "$(plant .git/config)"
	ran .
}

@test "git in a sandbox works with its configuration denied" {
	requires root git
	new_repository repo
	cd repo
	run_ok sandbox -r /usr -r /etc -w . --deny-write @git-config \
		--deny-write @git-hooks --config-allow-degraded deny_replace \
		--env HOME=/nonexistent -- sh -c '
			echo text >file && git add file &&
			git -c user.name=u -c user.email=u@example.com \
				commit -qm second && git status --short &&
			git checkout -qb other'
	[ "$(git log --format=%s -1 other)" = second ]
	[ ! -e .git/config.worktree ]
	[ ! -e .gitmodules ]
}

# repository_box WORD...: a sandbox that denies @git-config.
repository_box() {
	sandbox -r /usr -r /etc -w . --deny-write @git-config \
		--config-allow-degraded deny_replace --env HOME=/nonexistent \
		"$@"
}

@test "git adds nothing that is a placeholder of a denied name" {
	requires root git
	new_repository repo
	cd repo
	mkfifo "$TMP/go" "$TMP/up"
	repository_box -w "$TMP/go" -w "$TMP/up" -- \
		sh -c "echo >'$TMP/up'; read -r x <'$TMP/go'" &
	read -r _ <"$TMP/up"
	run --separate-stderr -0 repository_box -- sh -c 'touch file &&
		git add -A && git status --short && [ ! -e .gitmodules ]'
	assert_lines "A  file"
	for change in 'touch .gitmodules' 'rm .gitmodules' \
		'mv file .gitmodules'; do
		run ! repository_box -- sh -c "$change"
	done
	[ "$(git status --short)" = "A  file" ]
	echo >"$TMP/go"
	wait $!
	[ "$(ls -A)" = $'.git\nfile' ]
}

# lead_away DIR: print a command that points git to a copy with the program.
lead_away() {
	printf '%s' "cp -r $1 evil; $(plant evil/config); echo $PWD/evil >$1/commondir"
}

@test "a workload cannot lead git to another configuration by a new commondir" {
	requires root git
	new_repository lib
	new_repository repo
	git -C repo -c protocol.file.allow=always submodule add -q ../lib sub
	cd repo
	mkfifo "$TMP/go" "$TMP/up"
	repository_box -w "$TMP/go" -w "$TMP/up" -- \
		sh -c "echo >'$TMP/up'; read -r x <'$TMP/go'" &
	read -r _ <"$TMP/up"
	for dir in .git .git/modules/sub; do
		closed "$(lead_away "$dir")"
		closed "rm $dir/commondir"
		rm -r evil
	done
	# With the placeholder, git works as before, inside and outside.
	before=$(git status --short)
	[ "$(repository_box -- git status --short)" = "$before" ]
	git -c user.name=u -c user.email=u@example.com commit -qm second
	[ "$(git submodule foreach -q 'git status --short')" = "" ]
	echo >"$TMP/go"
	wait $!
	[ ! -e .git/commondir ]
	[ ! -e .git/modules/sub/commondir ]
	! ran . || return 1
	open "$(lead_away .git)"
	ran .
}

@test "run creates no commondir where git would lose its files" {
	requires root git
	new_repository repo
	mkdir files
	git -C repo config core.worktree "$PWD/files"
	cd repo
	run_ok repository_box -- test ! -e .git/commondir
}

@test "files that a configuration of git includes are denied with it" {
	requires root git
	new_repository repo
	cd repo
	: >team.config
	git config --add include.path ../team.config
	printf '[includeIf "gitdir:/"]\n\tpath = deep.config\n' >>team.config
	: >deep.config
	for file in team.config deep.config; do
		closed "$(plant "$file")"
		! ran . || return 1
	done
	open "$(plant deep.config)"
	ran .
}

@test "the configurations of worktrees and submodules are denied, and the files that name their places" {
	requires root git
	new_repository lib
	new_repository repo
	git -C repo -c protocol.file.allow=always submodule add -q ../lib sub
	git -C repo config extensions.worktreeConfig true
	git -C repo worktree add -q tree
	cd repo
	for file in .git/modules/sub/config .git/modules/sub/config.worktree \
		.git/worktrees/tree/config.worktree .git/config.worktree \
		.gitmodules .git/worktrees/tree/commondir; do
		closed "$(plant "$file")"
	done
	! ran . || return 1
	# In a worktree and in a submodule, .git is a file.
	for dir in "$PWD/tree" "$PWD/sub"; do
		cd "$dir"
		closed "$(plant .git)"
		closed "$(plant ../.git/config)" ..
	done
	cd "$WORK/repo"
	open "$(plant .git/modules/sub/config)"
	ran sub
}

@test "a submodule or worktree without HEAD is denied like any other" {
	requires root git
	new_repository lib
	new_repository repo
	git -C repo -c protocol.file.allow=always submodule add -q ../lib sub
	git -C repo config extensions.worktreeConfig true
	git -C repo worktree add -q tree
	cd repo
	rm .git/modules/sub/HEAD .git/worktrees/tree/HEAD
	closed "$(plant .git/modules/sub/config)"
	closed "$(plant .git/worktrees/tree/config.worktree)"
}

@test "submodules that the caller cannot look for are an error that names the directory" {
	requires root git userns
	new_user
	as_user mkdir -p repo/.git/modules
	chmod 0400 "$USER_HOME/repo/.git/modules"
	run -125 as_user sh -c 'cd repo && ../sandlock run -r /usr -w . \
		--deny-write @git-config -- true'
	assert_output_has "cannot search $USER_HOME/repo/.git/modules (make it readable)"
}

@test "run creates no placeholder among the branches of a submodule" {
	requires root git
	new_repository lib
	new_repository repo
	git -C repo -c protocol.file.allow=always submodule add -q ../lib sub
	cd repo
	[ -e .git/modules/sub/refs/remotes/origin/HEAD ]
	before=$(cd .git/modules/sub && find refs logs | LC_ALL=C sort)
	run_ok repository_box --deny-write @git-hooks -- \
		sh -c 'cd .git/modules/sub && find refs logs | LC_ALL=C sort'
	[ "$(sed /warning:/d <<<"$output")" = "$before" ]
}

@test "a hooksPath that is included, or a submodule's, is denied by @git-hooks" {
	requires root git
	new_repository lib
	new_repository repo
	git -C repo -c protocol.file.allow=always submodule add -q ../lib sub
	cd repo
	mkdir husky sub/husky
	echo '[core] hooksPath = husky' >team.config
	git config include.path ../team.config
	for dir in husky .git/hooks .git/modules/sub/hooks; do
		run sandbox -r /usr -w . --deny-write @git-hooks \
			--config-allow-degraded deny_replace -- \
			cp /bin/true "$dir/post-checkout"
		[ "$status" -ne 0 ] || { echo "$dir"; return 1; }
		open "cp /bin/true $dir/post-checkout"
	done
}

@test "the user's own configuration of git is denied where the home is writable" {
	requires root git
	new_repository repo
	export HOME=$WORK
	cd repo
	closed "$(plant "$WORK/.gitconfig")" "$WORK"
	[ ! -e "$WORK/.gitconfig" ]
}

@test "Claude's settings deny writing the files that git would run" {
	requires root git
	new_repository repo
	mkdir repo/.claude
	echo '{"sandbox": {"enabled": true}}' >repo/.claude/settings.json
	cd repo
	for act in "$(plant .git/config)" 'echo evil >.git/hooks/pre-commit'; do
		run sandbox --policy .claude/settings.json -- sh -c "$act"
		[ "$status" -ne 0 ] || { echo "done: $act"; return 1; }
		assert_output_has "Read-only file system"
	done
	! ran . || return 1
	run_ok sandbox --policy .claude/settings.json -- sh -c 'echo new >file; cat file'
	assert_output_has new
	run_ok sandlock explain --json --policy .claude/settings.json
	[ "$(jq -c '.policy.filesystem.deny_write' <<<"$output")" = \
		'["@git-hooks","@git-config"]' ]
}

@test "a new profile shows how to keep git from running what a workload writes" {
	XDG_CONFIG_HOME=$WORK run_ok sandlock profile new mine
	grep -Fx '#deny_write = ["@git-hooks", "@git-config"]' \
		"$WORK/sandlock/profiles/mine.toml"
}
