#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-names.bats - a workload cannot replace a denied link, or a link to
# a denied file.
#
# Each test is a subshell on purpose.
# shellcheck disable=SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers
load enforce

BUSY="Device or resource busy"

setup() {
	sandlock_setup
	requires root
	enter_work
	home=$WORK/home
	mkdir -p "$home"/dot "$home/.config"
	export HOME=$home
	unset XDG_CONFIG_HOME
	echo host >"$home/dot/bashrc"
	ln -s dot/bashrc "$home/.bashrc"
}

# in_degraded_home WORD...: `sandlock run` with a writable home.
in_degraded_home() {
	sandbox -r /usr -w "$home" "${DEGRADE[@]}" "$@"
}

# Older kernels lack these features, which do not matter here.
OLDER=(--config-allow-degraded fs_refer --config-allow-degraded fs_truncate
	--config-allow-degraded fs_ioctl_dev)
DEGRADE=("${OLDER[@]}" --config-allow-degraded deny_replace)

# link_is_kept LINK TARGET FLAG...: no shell command in a sandbox replaces LINK.
link_is_kept() {
	local link=$1 target=$2 act

	shift 2
	for act in "rm -f $link" "mv $link $link.old" "mv -fT new $link" \
		"ln -sfT new $link" "unlink $link" "rm -rf $link; mkdir $link"; do
		echo evil >"$home/new"
		in_degraded_home "$@" -- sh -c "cd && { $act; }" &>"$TMP/told" || :
		[ "$(readlink "$home/$link")" = "$target" ] || {
			echo "replaced by: $act"
			cat "$TMP/told"
			return 1
		}
	done
}

@test "a denied link cannot be replaced from inside" {
	link_is_kept .bashrc dot/bashrc --deny-write @shell-configs
	link_is_kept .bashrc dot/bashrc --deny-write "$home/.bashrc"
	link_is_kept .bashrc dot/bashrc --filesystem-deny "$home/.bashrc"
	link_is_kept .bashrc dot/bashrc --deny-read "$home/.bashrc"
	link_is_kept .bashrc dot/bashrc --deny-execute "$home/.bashrc"
	link_is_kept .bashrc dot/bashrc --deny-write "-$home/.bashrc"
	link_is_kept .bashrc dot/bashrc --deny-write "$home/.bash*"
	run_ok in_degraded_home --deny-write @shell-configs -- sh -c 'cat ~/.bashrc'
	[[ $output = *host ]]
	run in_degraded_home --deny-write @shell-configs -- sh -c 'echo evil >~/.bashrc'
	[[ $output = *"$READONLY"* ]]
	[ "$(cat "$home/dot/bashrc")" = host ]
	# Without a denial the workload replaces it, so the test can fail.
	run_ok in_degraded_home -- sh -c 'rm ~/.bashrc; echo evil >~/.bashrc'
	[ "$(cat "$home/.bashrc")" = evil ]
}

@test "a denied link of a user without privileges cannot be replaced from inside" {
	requires userns
	new_user
	as_user sh -c 'mkdir dot; echo host >dot/bashrc; ln -s dot/bashrc .bashrc'
	run user_sandbox -r /usr -w "$USER_HOME" --deny-write @shell-configs \
		"${DEGRADE[@]}" -- sh -c \
		'cd; rm -f .bashrc; echo new >new; mv -fT new .bashrc; cat .bashrc'
	[[ $output = *"$BUSY"*"$BUSY"*host ]] || { echo "$output"; false; }
	[ "$(readlink "$USER_HOME/.bashrc")" = dot/bashrc ]
}

@test "each link of a chain to a denied file is kept, wherever it may be written" {
	mkdir "$TMP/other" "$TMP/closed"
	echo host >"$TMP/closed/rc"
	ln -s "$TMP/closed/rc" "$TMP/other/third"
	ln -s "$TMP/other/third" "$home/second"
	ln -s second "$home/.zshrc"
	run in_degraded_home -w "$TMP/other" -r "$TMP/closed" --deny-write "$home/.zshrc" \
		-- sh -c "cd; rm -f .zshrc second $TMP/other/third; cat .zshrc"
	[[ $output = *"$BUSY"*"$BUSY"*"$BUSY"*host ]] || { echo "$output"; false; }
	run_ok cat "$home/.zshrc"
}

@test "a denied link to a file that nobody may write is kept, and is not strict" {
	mkdir "$TMP/closed"
	ln -s "$TMP/closed/rc" "$home/.zshrc"
	echo host >"$TMP/closed/rc"
	link_is_kept .zshrc "$TMP/closed/rc" --deny-write "$home/.zshrc"
	sandlock_bad "remove deny_replace from config.strict" run -r /usr \
		-w "$home" "${OLDER[@]}" --config-strict deny_replace \
		--deny-write "$home/.zshrc" -- true
}

@test "a link in the middle of a denied path is kept" {
	mkdir "$home/dot/fish"
	ln -s ../dot/fish "$home/.config/fish"
	link_is_kept .config/fish ../dot/fish --deny-write @shell-configs
	link_is_kept .config/fish ../dot/fish --deny-write "$home/.config/fish/config.fish"
	run in_degraded_home --deny-write @shell-configs -- sh -c \
		'cd; mv .config x; mkdir -p .config/fish; echo evil >.config/fish/config.fish'
	[ ! -e "$home/x" ]
	[ ! -e "$home/dot/fish/config.fish" ]
}

@test "a directory that the path of a denied link enters and leaves again is kept" {
	mkdir -p "$home/a/b" "$home/evil/b"
	echo host >"$home/a/rc"
	echo evil >"$home/evil/rc"
	ln -s a/b/../rc "$home/.zshrc"
	run in_degraded_home --deny-write "$home/.zshrc" -- sh -c \
		'cd; mv a/b a/old; ln -s ../evil/b a/b; cat .zshrc'
	[[ $output = *host ]] || { echo "$output"; false; }
	[ "$(cat "$home/.zshrc")" = host ]
}

@test "the target of a denied dangling link cannot be created, and is not left behind" {
	local link

	ln -s dot/none "$home/.zshrc"
	ln -s .zshrc "$home/.zshenv"
	ln -s no/directory/yet "$home/.profile"
	for link in .zshrc .zshenv .profile; do
		link_is_kept $link "$(readlink "$home/$link")" --deny-write @shell-configs
		run in_degraded_home --deny-write @shell-configs -- sh -c \
			"cd; mkdir -p no/directory; for f in $link dot/none no/directory/yet; do
				echo evil >\$f; done"
		[ ! -e "$home/$link" ]
	done
	link_is_kept .zshrc dot/none --deny-write "-$home/.zshrc"
	link_is_kept .zshrc dot/none --deny-write "$home/.zshr*"
	run in_degraded_home --deny-write "$home/.zshr*" -- sh -c 'echo evil >~/dot/none'
	[ ! -e "$home/.zshrc" ]
	[ ! -e "$home/no" ]
}

@test "links that lead to each other are kept" {
	ln -s .zshenv "$home/.zshrc"
	ln -s .zshrc "$home/.zshenv"
	link_is_kept .zshrc .zshenv --deny-write @shell-configs
	link_is_kept .zshenv .zshrc --deny-write "$home/.zshrc"
}

@test "a file in the place of a directory of a denied path is not removed" {
	: >"$home/.config/fish"
	run_ok in_degraded_home --deny-write "$home/.config/fish/config.fish" -- true
	[ -f "$home/.config/fish" ]
	run in_degraded_home --deny-write "$home/.config/fish/config.fish" -- sh -c \
		'cd; rm .config/fish; mkdir .config/fish'
	[ -f "$home/.config/fish" ]
}

@test "a link that leads to the records of sandboxes is kept" {
	mkdir "$home/real"
	ln -s real "$home/run"
	export ROOT=$home/run/state
	run in_degraded_home -- sh -c 'cd; rm -f run; mv run old; mkdir run; mv real x'
	[ "$(readlink "$home/run")" = real ]
	[ ! -e "$home/x" ]
}

@test "run refuses a mount over a link that leads to a denied path" {
	mkdir -p "$TMP/other" "$home/dot/fish"
	ln -s dot/deep/link "$home/.zshrc"
	mkdir "$home/dot/deep"
	ln -s ../bashrc "$home/dot/deep/link"
	sandlock_bad "paths below a mount cannot be denied" run -r /usr -w "$home" \
		"${DEGRADE[@]}" --deny-write "$home/.zshrc" \
		--mount "$home/dot/deep:$TMP/other" -- true
}

@test "explain names the links that are kept" {
	run_ok sandlock explain -r /usr -w "$home" "${DEGRADE[@]}" \
		--deny-write @shell-configs
	assert_output_has "$home/.bashrc"
	run_ok sandlock explain --json -r /usr -w "$home" "${DEGRADE[@]}" \
		--deny-write @shell-configs
	[ "$(jq -r '.protectedLinks[]' <<<"$output")" = "$home/.bashrc" ]
}

@test "a denied link of a bundle cannot be replaced by init, exec or a hook" {
	new_bundle
	mkdir "$BUNDLE/rootfs/data" "$BUNDLE/rootfs/dot"
	echo host >"$BUNDLE/rootfs/dot/rc"
	ln -s ../dot "$BUNDLE/rootfs/data/dot"
	ln -s dot/rc "$BUNDLE/rootfs/data/rc"
	export DEGRADED="config.allow_degraded=deny_replace;fs_refer;fs_truncate;fs_ioctl_dev"
	annotate_policy 'filesystem.read=/' 'filesystem.write=/data;/dot' \
		'filesystem.deny_write=/data/rc'
	tells "rm: can't remove 'rc': $BUSY
rm: can't remove 'dot': $BUSY
mv: can't rename 'new': $BUSY
host" 'cd /data; rm -f rc dot; echo evil >new; mv -f new rc; cat rc'
	[ "$(cat "$BUNDLE/rootfs/data/rc")" = host ]
	annotate_policy 'filesystem.read=/' 'filesystem.write=/data;/dot'
	tells evil 'cd /data; rm -f rc; echo evil >rc; cat rc'
}
