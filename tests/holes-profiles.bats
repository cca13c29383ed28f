#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-profiles.bats - no workload writes a file that a later run uses as
# its policy.
#
# Inner shells expand what they are given, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	enter_work
	home=$WORK/home
	mkdir -p "$home/src"
	export HOME=$home
	unset XDG_CONFIG_HOME
	cd "$home/src" || return
	git_marker
}

# Make src the project, whatever directories surround the test.
git_marker() {
	mkdir .git
}

# Older kernels lack these features, which do not matter here.
OLDER=(--config-allow-degraded fs_refer --config-allow-degraded fs_truncate
	--config-allow-degraded fs_ioctl_dev)

# in_writable_home WORD...: `sandlock run` with a writable home.
in_writable_home() {
	sandbox -r /usr -w "$home" "${OLDER[@]}" "$@"
}

# unplanted NAME: no shell command in a sandbox creates NAME in the home.
unplanted() {
	local act name=$1

	for act in "mkdir -p ${name%/*}; echo evil >$name" \
		"rm -rf $name; echo evil >$name" \
		"mkdir -p ${name%/*}; echo evil >new; mv -fT new $name" \
		"echo evil >new; ln -sfT ~/new $name" "ln -fT ~/new $name" \
		"mv ${name%%/*} gone; mkdir -p ${name%/*}; echo evil >$name"; do
		rm -f "$home/new"
		in_writable_home -- sh -c "cd; $act" &>"$TMP/told" || :
		if [ -e "$home/$name" ] || [ -L "$home/$name" ]; then
			echo "made by: $act"
			cat "$TMP/told"
			return 1
		fi
	done
}

@test "a workload with a writable home plants no profile of the user" {
	# The system's profile applies while the user has none.
	unshare -m --propagation private bash -c '
		mount -t tmpfs none /etc && mkdir -p /etc/sandlock/profiles &&
		cat >/etc/sandlock/profiles/build.toml &&
		"$0" --root "$1" run -p build -- sh -c \
			"mkdir -p ~/.config/sandlock/profiles
			cp /dev/stdin ~/.config/sandlock/profiles/build.toml" \
			<<<"[filesystem]" 2>/dev/null
		[ ! -e ~/.config/sandlock/profiles/build.toml ]' \
		"$SANDLOCK" "$ROOT" <<-END
			[filesystem]
			read = ["/usr"]
			write = ["$home"]
			[config]
			allow_degraded = ["fs_refer", "fs_truncate", "fs_ioctl_dev"]
		END
	unplanted .config/sandlock/profiles/build.toml
	mkdir -p "$home/.config"
	unplanted .config/sandlock/profiles/build.toml
	mkdir -p "$home/.config/sandlock/profiles"
	unplanted .config/sandlock/profiles/build.toml
	# Other files stay writable, and no placeholder is left.
	run_ok in_writable_home -- sh -c 'echo mine >~/.config/mine'
	[ "$(cat "$home/.config/mine")" = mine ]
	rm -r "$home/.config"
	run_ok in_writable_home -- true
	[ "$(ls -A "$home")" = src ]
}

@test "profiles are protected in XDG_CONFIG_HOME, and in ~/.config beside it" {
	export XDG_CONFIG_HOME=$home/conf
	unplanted conf/sandlock/profiles/build.toml
	unplanted .config/sandlock/profiles/build.toml
	unplanted .sandlock/checkpoint
}

@test "no policy of the project can be created from inside" {
	local name

	for name in pyproject.toml uv.toml .claude/settings.json \
		.claude/settings.local.json; do
		unplanted "src/$name"
	done
	[ "$(ls -A)" = .git ]
	[ -z "$(ls -A .git)" ]
}

@test "no policy is created in a project that contains the current one" {
	mkdir -p sub/.git
	cd sub || return
	unplanted src/pyproject.toml
	unplanted src/sub/uv.toml
}

@test "a workload cannot change a policy of the project" {
	local name

	mkdir -p .claude "$home/.config/sandlock/profiles"
	for name in pyproject.toml uv.toml .claude/settings.json \
		.claude/settings.local.json \
		../.config/sandlock/profiles/build.toml; do
		echo old >"$name"
		run in_writable_home -- sh -c "echo evil >$name; rm -f $name; echo evil >$name
			cat $name"
		[[ $output = *"$READONLY"*old ]] || { echo "$output"; false; }
		[ "$(cat "$name")" = old ]
	done
}

@test "a policy that is a link is protected with its target" {
	mkdir -p "$home/dot/sandlock/profiles" "$home/.config" "$home/dot/claude"
	ln -s ../dot/sandlock "$home/.config/sandlock"
	ln -s ../../build.toml "$home/dot/sandlock/profiles/build.toml"
	ln -s ../dot/claude .claude
	ln -s ../dot/pyproject.toml pyproject.toml
	cat >"$home/dot/build.toml" <<-END
		[filesystem]
		read = ["/usr"]
		write = ["$home"]
		[config]
		allow_degraded = ["fs_refer", "fs_truncate", "fs_ioctl_dev"]
	END
	cp "$home/dot/build.toml" "$TMP/old"
	run sandbox -p build -- sh -c 'cd
		rm -rf .config/sandlock dot/sandlock src/.claude src/pyproject.toml
		mkdir -p .config/sandlock/profiles src/.claude
		for f in .config/sandlock/profiles/build.toml dot/build.toml \
			dot/pyproject.toml dot/claude/settings.json \
			src/pyproject.toml src/.claude/settings.json; do
			rm -f $f
			echo evil >$f
		done'
	[ "$(readlink "$home/.config/sandlock")" = ../dot/sandlock ]
	[ "$(readlink .claude)" = ../dot/claude ]
	[ "$(readlink pyproject.toml)" = ../dot/pyproject.toml ]
	cmp "$home/dot/build.toml" "$TMP/old"
	cmp "$home/.config/sandlock/profiles/build.toml" "$TMP/old"
	[ ! -e pyproject.toml ]
	[ ! -e .claude/settings.json ]
	[ -z "$(ls -A "$home/dot/claude")" ]
}

@test "a profile that the policy lists as writable stays protected" {
	mkdir -p "$home/.config/sandlock/profiles"
	echo old >"$home/.config/sandlock/profiles/p.toml"
	run sandbox -r /usr -w "$home/.config/sandlock/profiles" "${OLDER[@]}" -- \
		sh -c 'cd ~/.config/sandlock/profiles; echo >new; echo >p.toml'
	[[ $output = *"$READONLY"*"$READONLY"* ]] || { echo "$output"; false; }
	[ "$(ls "$home/.config/sandlock/profiles")" = p.toml ]
}

@test "run names a policy that has a second name" {
	echo old >pyproject.toml
	ln pyproject.toml ../alias
	sandlock_bad "policy file $PWD/pyproject.toml is writable inside the sandbox: it has 2 hard links" \
		run -r /usr -w . "${OLDER[@]}" -- true
	run_ok sandbox -r /usr -r . -w ../alias "${OLDER[@]}" -- true
	mkdir -p "$home/.config/sandlock/profiles"
	mv -f pyproject.toml "$home/.config/sandlock/profiles/p.toml"
	sandlock_bad "p.toml is writable inside the sandbox: it has 2 hard links" \
		run -r /usr -w "$home" "${OLDER[@]}" -- true
}

@test "a mount that shows the home elsewhere does not make policies writable" {
	run sandbox -r /usr --mount "/mnt:$home" "${OLDER[@]}" -- sh -c '
		cd /mnt; mkdir -p .config/sandlock/profiles
		echo evil >.config/sandlock/profiles/x.toml
		echo evil >src/uv.toml; echo ran >ran'
	[ "$(cat ran ../ran 2>/dev/null)" = ran ]
	[ ! -e "$home/.config" ] && [ ! -e uv.toml ]
}

@test "nobody inside writes /etc/sandlock, whether it exists or not" {
	local made

	mkdir "$TMP/elsewhere"
	for made in : "mkdir /etc/sandlock" \
		"ln -s '$TMP/elsewhere' /etc/sandlock"; do
		run_ok unshare -m --propagation private bash -c '
			mount -t tmpfs none /etc && eval "$2" &&
			"$0" --root "$1" run -r /usr -w /etc -w "$3" \
				"${@:4}" -- sh -c "rm -rf /etc/sandlock
				mkdir -p /etc/sandlock/profiles
				echo evil >/etc/sandlock/profiles/build.toml" \
				2>/dev/null
			[ ! -e /etc/sandlock/profiles/build.toml ]' \
			"$SANDLOCK" "$ROOT" "$made" "$TMP/elsewhere" \
			"${OLDER[@]}"
		[ -z "$(ls -A "$TMP/elsewhere")" ]
	done
}

@test "a project without policies is usable, and shows no placeholders" {
	echo old >file
	run_ok in_writable_home -- sh -c '
		for f in pyproject.toml uv.toml .claude/settings.json; do
			[ ! -e $f ] || echo "$f is there"
			cat $f 2>&1 | grep -v "No such file or directory"
		done
		mkdir -p .claude/commands && echo x >.claude/commands/own
		echo new >file'
	[ -z "$output" ] || { echo "$output"; false; }
	[ "$(cat file .claude/commands/own)" = $'new\nx' ]
	[ "$(ls -A .claude)" = commands ]
}

@test "git inside a sandbox adds no placeholder" {
	requires git
	rm -r .git
	git init -q .
	echo mine >file
	run_ok in_writable_home -r /etc -- sh -c 'git add -A && git status --porcelain'
	[ "$output" = "A  file" ] || { echo "$output"; false; }
}

@test "two sandboxes share the placeholders of policies, and the last one removes them" {
	mkfifo "$TMP/go" "$TMP/up"
	in_writable_home -w "$TMP/go" -w "$TMP/up" -- \
		sh -c "echo >'$TMP/up'; read -r x <'$TMP/go'" &
	read -r _ <"$TMP/up"
	[ -S uv.toml ]
	run_ok in_writable_home -- sh -c '[ ! -e uv.toml ]'
	run in_writable_home -- sh -c 'echo evil >.claude/settings.json'
	[ -S uv.toml ]
	# Placeholders do not disturb a caller who names a policy.
	printf '[tool.uv.sandbox]\nallow-read = ["/usr"]\n' >"$TMP/policy"
	mv -f "$TMP/policy" pyproject.toml
	run_ok sandlock profile validate pyproject.toml
	rm pyproject.toml
	echo >"$TMP/go"
	wait $!
	[ "$(ls -A)" = .git ] || { ls -lA; false; }
	[ "$(ls -A "$home")" = src ]
}

@test "the next sandbox removes the placeholder of a policy that a killed one left" {
	requires python3
	python3 -c 'import os, stat
os.mknod("uv.toml", stat.S_IFSOCK | 0o600)'
	run_ok in_writable_home -- sh -c '[ ! -e uv.toml ]'
	[ "$(ls -A)" = .git ]
}

@test "a workload of a user without privileges plants no profile" {
	requires userns
	new_user
	as_user mkdir src src/.git
	run as_user sh -c 'cd src && exec ../sandlock run -r /usr -w "$HOME" \
		"$@" -- sh -c "cd; mkdir -p .config/sandlock/profiles
			for f in .config/sandlock/profiles/x.toml src/uv.toml; do
				echo evil >\$f; rm -f \$f; echo evil >\$f; done
			echo ran >src/ran"' sh "${OLDER[@]}"
	[ ! -e "$USER_HOME/.config" ] && [ ! -e "$USER_HOME/src/uv.toml" ]
	[ "$(ls -A "$USER_HOME/src")" = $'.git\nran' ]
}

@test "a sandbox creates no placeholder that the caller may not create" {
	requires userns
	new_user
	mkdir "$USER_HOME/src"
	run_ok as_user sh -c 'cd src && exec ../sandlock run -r /usr -w . "$@" -- \
		sh -c "cat uv.toml 2>/dev/null; echo 2>/dev/null >uv.toml; :"' \
		sh "${OLDER[@]}"
	[ -z "$(ls -A "$USER_HOME/src")" ]
}

# reopened MODE WORD...: a user's sandbox tries chmod on a .config of this mode.
reopened() {
	rm -rf "$USER_HOME/.config"
	as_user mkdir -m "$1" .config
	run as_user ./sandlock run -r /usr -w "$USER_HOME" "${OLDER[@]}" \
		"${@:2}" -- sh -c 'cd; chmod 0700 .config
			mkdir -p .config/sandlock/profiles'
	[ ! -e "$USER_HOME/.config/sandlock/profiles" ]
}

@test "a directory of policies that the caller may not enter stays closed inside" {
	requires userns
	new_user
	reopened 0400
	reopened 0600
	reopened 0000 --network-unix "$USER_HOME"
	assert_output_has "chmod: changing permissions of '.config': $READONLY"
}

@test "a directory of policies that its owner has made read-only is an error that says what to do" {
	requires userns
	new_user
	reopened 0500
	[ "$status" = 125 ]
	assert_output_has "make its directory writable"
}

@test "run without namespaces refuses a writable project unless config.allow_degraded lists namespaces" {
	requires userns
	chmod 0711 "$TMP" "$WORK"
	run -125 sandbox_without_userns -r /usr -w . -- true
	assert_output_has "policy file $home/src/pyproject.toml is writable inside the sandbox"
	run_ok sandbox_without_userns -r /usr -w . --config-allow-degraded namespaces \
		"${OLDER[@]}" -- true
	[ "$(ls -A)" = .git ]
}

@test "policies that are not protected without namespaces are reported by run and explain" {
	requires_landlock 6
	run_ok sandbox -r /usr -w . --config-disable namespaces -- true
	assert_output_has "config.disable: the policy file \
'$home/src/pyproject.toml' of a later run is not protected without namespaces, which \
this setting accepts (4 in all"
	echo text >file
	run_ok sandlock explain -r /usr -w . --deny-write file \
		--config-disable namespaces -- true
	assert_output_has "(policy of a later run '$home/src/uv.toml'; not enforced \
without namespaces)"
	assert_output_has "(filesystem.deny_write '$home/src/file'; not enforced \
without namespaces)"
	assert_output_has "disabled: not enforced below writable paths"
	run_ok sandlock explain --json -r /usr -w . --config-disable namespaces -- true
	[ "$(jq -c '[.denied[].enforced] | unique' <<<"$output")" = '[false]' ]
	run_ok sandlock explain -r /usr -w . "${OLDER[@]}" -- true
	[[ $output != *"not enforced without namespaces"* ]]
}

@test "explain shows the protected names of policies" {
	run_ok sandlock explain -r /usr -w "$home" "${OLDER[@]}"
	assert_output_has "-w-  $home/.config/sandlock  (policy of a later run"
	assert_output_has "-w-  $home/src/pyproject.toml  (policy of a later run"
	run_ok sandlock explain --json -r /usr -w . "${OLDER[@]}"
	[ "$(jq -r '.denied[].path' <<<"$output" | LC_ALL=C sort)" = \
		"$(printf '%s\n' "$home"/src/{.claude/settings.json,.claude/settings.local.json,pyproject.toml,uv.toml})" ]
	run_ok sandlock explain --json -r /usr -r . "${OLDER[@]}"
	[ "$(jq -r '.denied | length' <<<"$output")" = 0 ]
	# The policy file in use is one of them, and is listed once.
	printf '[sandbox]\nallow-read = ["/usr"]\nallow-write = ["."]\n' >uv.toml
	run_ok sandlock explain --json --policy uv.toml "${OLDER[@]}"
	[ "$(jq -r '.denied[].path' <<<"$output" | grep -c uv.toml)" = 1 ]
}

@test "a bundle that shows the folders of policies does not make them writable" {
	new_bundle
	mkdir "$TMP/host"
	add_mount /host bind "$home" bind
	export DEGRADED="config.allow_degraded=deny_replace;fs_refer;fs_truncate;fs_ioctl_dev"
	# `tells` checks init, exec and a hook.
	annotate_policy limits.open_files=100
	tells "$READONLY" 'mkdir /host/.config/sandlock/profiles 2>&1 |
		sed "s/.*: //"'
	config '.process.cwd = "/host/src"'
	annotate_policy filesystem.read=/ filesystem.write=/host
	tells "sh: can't create uv.toml: nonexistent directory
mv: can't rename 'new': Device or resource busy" \
		'echo evil >uv.toml; echo evil >new; mv -f new uv.toml; rm -f new'
	# A bundle that sets only a limit may write in its project.
	annotate_policy limits.open_files=100
	args sh -c 'echo mine >uv.toml'
	run_ok run_bundle
	[ "$(cat uv.toml)" = mine ]
	[ "$(ls -A "$home")" = src ]
}

# new_profile_through SOURCE OPTION...: a bundle with SOURCE at /host tries to
# make a profile.
new_profile_through() {
	new_bundle
	mkdir -p "$BUNDLE/rootfs/host"
	add_mount /host bind "$@"
	export DEGRADED="config.allow_degraded=deny_replace;fs_refer;fs_truncate;fs_ioctl_dev"
	annotate_policy limits.open_files=100
	args sh -c 'mkdir -p /host/home/.config/sandlock/profiles 2>&1 | sed "s/.*: //"
		>/host/home/mine; ls -A /host/home'
}

@test "a read-only bind mount of a bundle protects policies in a mount below it" {
	mkdir top top/home
	new_profile_through "$PWD/top" rbind ro
	run_ok unshare -m --propagation private bash -c '
		mount -t tmpfs none "$1" && cd / && HOME=$1 &&
		"$2" --root "$3" run --bundle "$4" box' _ \
		"$PWD/top/home" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines "$(printf "%s\n" "$READONLY" .config .local .sandlock mine)"
}

@test "a bind mount of a bundle that its last option makes writable protects policies" {
	mkdir top top/home
	new_profile_through "$PWD/top" rbind ro rw
	HOME=$PWD/top/home run_ok run_bundle
	assert_lines "$(printf "%s\n" "$READONLY" .config .local .sandlock mine)"
}

@test "a bind mount of a bundle with a relative source does not make policies writable" {
	mkdir top top/home
	new_profile_through "$(realpath --relative-to "$TMP/bundle" top)" bind
	HOME=$PWD/top/home run run_bundle
	[ ! -e top/home/.config/sandlock/profiles ]
}

@test "a bundle whose root contains the home does not make policies writable" {
	new_bundle
	HOME=$BUNDLE/rootfs/me
	mkdir "$HOME"
	export DEGRADED="config.allow_degraded=deny_replace;fs_refer;fs_truncate;fs_ioctl_dev"
	annotate_policy limits.open_files=100
	args sh -c 'mkdir -p /me/.config/sandlock/profiles; mkdir /me/.config/x'
	run run_bundle
	[[ $output = *"$READONLY"* ]] || { echo "$output"; false; }
	[ "$(ls -A "$HOME/.config")" = x ]
}
