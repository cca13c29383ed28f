#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-project.bats - what a workload makes in a project does not loosen its next run, nor run on the host.
#
# Each test is a subshell on purpose, scripts have dollars of their own; bats and policed.bash have variables of theirs.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers
load policed

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

# held COMMAND...: in proj/sub, with the whole of proj writable, the command
# changes nothing of what is denied there.
held() {
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

@test "a marker that a workload plants does not move what is denied" {
	requires root
	local marker

	new_project
	cd proj/sub
	held box
	for marker in .git uv.toml pyproject.toml; do
		box -r /usr -w .. -- mkdir "$marker"
		[ -d "$marker" ]
		held box
		rmdir "$marker"
	done
}

@test "a user's project is not moved by a planted marker either" {
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
	held as_user_here
}

@test "deny keys mean every marked directory above, and never the home" {
	requires root
	mkdir -p home/.git outer/.git outer/none/inner/.git home/p/.git
	cd outer/none/inner
	run_ok sl explain --json -w @project --filesystem-deny @project
	[ "$(jq -r .project <<<"$output")" = "$WORK/outer/none/inner" ]
	[ "$(jq -c .denyProjects <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
	[ "$(jq -c '[.denied[].path]' <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
	[ "$(jq -c '[.allowed[] | select(.item == "@project").path]' \
		<<<"$output")" = "[\"$WORK/outer/none/inner\"]" ]
	run_ok sl explain -w @project
	assert_output_has "project: $WORK/outer/none/inner"
	assert_output_has "project of deny keys: $WORK/outer/none/inner, $WORK/outer"
	cd "$WORK/home/p"
	HOME=$WORK/home run_ok sl explain --json -w @project
	[ "$(jq -c .denyProjects <<<"$output")" = "[\"$WORK/home/p\"]" ]
	# And so it is of a project that was named.
	cd "$WORK"
	run_ok sl explain --json --project outer/none/inner -w @project
	[ "$(jq -c .denyProjects <<<"$output")" = \
		"[\"$WORK/outer/none/inner\",\"$WORK/outer\"]" ]
}

@test "a marker of somebody else in a directory of all does not widen the project" {
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
	policed filesystem.read=/ filesystem.write=/src \
		filesystem.deny_write=@git-hooks
	tells "sh: can't create /src/.git/hooks/x: $READONLY" \
		'echo evil >/src/.git/hooks/x'
	policed filesystem.read=/ filesystem.write=/src
	tells evil 'echo evil >/src/.git/hooks/x; cat /src/.git/hooks/x'
}
