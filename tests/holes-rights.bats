#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-rights.bats - rights of several lists add up, and a tree of
# another user does not prevent a start.
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

# writes FLAG...: a sandbox can write below A/B, as root and as a user.
writes() {
	local home=$USER_HOME

	rm -f A/B/file "$home/A/B/file"
	run_ok sandbox -r /usr "$@" -- sh -c 'echo new >A/B/file'
	[ "$(cat A/B/file)" = new ]
	run_ok user_sandbox -r /usr "$@" -- sh -c 'echo new >A/B/file'
	[ "$(cat "$home/A/B/file")" = new ]
}

new_trees() {
	new_user
	mkdir -p A/B/C "$USER_HOME/A/B/C"
	chown -R "$USER_ID:$USER_ID" "$USER_HOME/A"
}

# ---- rights add up ----

@test "a readable path stays writable below a writable one" {
	requires root userns
	new_trees
	writes -r A/B -w A
	writes -w A -r A/B
	writes -r A/B -w A/B
	writes -r A -w A/B -r A/B/C
	writes -r A/B --filesystem-write-only A
	# The read list alone does not allow it, so the test can fail.
	run sandbox -r /usr -r A/B -- sh -c 'echo new >A/B/file'
	[ "$status" -ne 0 ]
}

@test "an executable path stays writable below a writable one" {
	requires root userns
	new_trees
	writes -x /usr -x A/B -w A
	cp /bin/true A/B/run
	run_ok sandbox -r /usr -x /usr -x A/B -w A -- A/B/run
	rm A/B/run
	cp /bin/true A/run
	run -126 sandbox -r /usr -x /usr -x A/B -w A -- A/run
}

@test "a path below a write-only one is readable where filesystem.read lists it" {
	requires root
	mkdir -p A/B
	echo text >A/file
	echo text >A/B/file
	run_ok sandbox -r /usr -r A/B --filesystem-write-only A -- \
		sh -c 'cat A/B/file; cat A/file 2>/dev/null || echo refused'
	assert_lines $'text\nrefused'
}

@test "rights of nested paths add up without namespaces" {
	requires root userns
	requires_landlock 3
	mkdir -p A/B
	chmod 0777 A/B
	run_ok sandbox -r /usr -r A/B -w A --config-disable namespaces --config-disable cgroups -- \
		sh -c 'echo new >A/B/file; cat A/B/file'
	assert_output_has new
}

@test "a denied path is denied whichever list grants it" {
	requires root userns
	new_trees
	run -125 sandbox -r /usr -r A/B -w A --deny-write A/B \
		--config-strict deny_replace -- true
	for flags in "-r A/B -w A" "-r A/B -w A/B" "-r A/B/C -w A" \
		"-x A/B -x /usr -w A"; do
		# shellcheck disable=SC2086 # words
		run sandbox -r /usr $flags --deny-write A/B \
			--config-allow-degraded deny_replace -- \
			sh -c 'echo new >A/B/C/file'
		[ "$status" -ne 0 ] || { echo "written with $flags"; return 1; }
	done
	[ ! -e A/B/C/file ]
}

@test "explain and --why report the rights that a path has" {
	requires root
	mkdir -p A/B
	run_ok sandlock explain --json -r A/B -w A
	[ "$(jq -c --arg path "$WORK/A/B" '[.allowed[] | select(.path == $path)
		| .rights[]] | unique' <<<"$output")" = \
		'["execute","read","write"]' ]
	run --separate-stderr -0 sandbox --why -r /usr -r A/B -w A -- \
		sh -c 'echo new >A/B/file'
	run ! grep -F "$WORK" <<<"$stderr"
	run ! grep "^denied: .*A" <<<"$stderr"
}

@test "--why names the protection of the policy of the next run" {
	requires root
	echo '[sandbox]' >uv.toml
	run --separate-stderr sandbox --why -r /usr -w . -- sh -c 'echo >uv.toml'
	[ "$status" -ne 0 ]
	grep -Fx "denied: write uv.toml (it is the policy of the next run); change it outside the sandbox" \
		<<<"$stderr"
}

@test "--why names the key that keeps a name from being removed or replaced" {
	requires root
	mkdir -p .git .claude
	touch .git/config uv.toml
	ln -s real link
	touch real
	run --separate-stderr sandbox --why -r /usr -w . --deny-write .git/config \
		--deny-write link --config-allow-degraded deny_replace -- sh -c '
		touch new; mv new .git/config; mv .git .old; rm link
		rm uv.toml; mv .claude .old; rm nothing; mv new newer'
	run ! grep -E "^denied:.*new" <<<"$stderr"
	[ "$(grep "^denied: write" <<<"$stderr")" = "\
denied: write .git/config (filesystem.deny_write: $WORK/.git/config); to allow it: remove --deny-write .git/config
denied: write .git (filesystem.deny_write: $WORK/.git/config); to allow it: remove --deny-write .git/config
denied: write link (filesystem.deny_write: $WORK/link); to allow it: remove --deny-write link
denied: write uv.toml (it is the policy of the next run); change it outside the sandbox
denied: write .claude (it leads to the policy of the next run); change it outside the sandbox" ]
}

@test "rights of nested paths add up in a bundle, in its root and in a mount" {
	requires root
	local files DEGRADED=

	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files/data/sub" host/sub
	add_mount /mnt bind "$PWD/host" rbind rw
	[ "$(landlock_version)" -ge 5 ] || DEGRADED='config.allow_degraded=fs_refer;fs_truncate;fs_ioctl_dev'
	for order in 'read=/;/data/sub;/mnt/sub' 'execute=/;/data/sub;/mnt/sub'; do
		annotate_policy "filesystem.$order" 'filesystem.write=/data;/mnt' \
			filesystem.read=/
		tells written 'echo >/data/sub/file && echo >/mnt/sub/file &&
			echo written'
	done
	annotate_policy 'filesystem.read=/;/data/sub' 'filesystem.write_only=/data'
	tells written 'echo >/data/sub/file && echo written'
}

# ---- trees of other users ----

# too_deep SCRIPT: run it in its own mount namespace with a small file system on
# $WORK/tmp, where `deepen DIR` makes 3,000 levels. $box is `sandlock run`.
too_deep() {
	mkdir -p tmp
	SCRIPT=$1 box="$SANDLOCK --root $ROOT run" privately bash -c '
		# No path can be that long, so join shorter trees.
		deepen() {
			local dir=$1 way part

			way=$(printf "/d%.0s" {1..1000})
			for part in 1 2 3; do mkdir -p "$dir/$part$way"; done
			mv "$dir/2" "$dir/1$way" && mv "$dir/1" "$dir/3$way" &&
				mv "$dir/3" "$dir/deep"
		}
		mount -t tmpfs tmpfs tmp && cd tmp && eval "$SCRIPT"'
}

# A server, or a client, of a socket in the deepest directory.
write_probe() {
	cat >probe.py <<-'EOF'
	import os, socket, sys
	def below():
	    return [name for name in os.listdir(".") if name in "d12"]
	while below():
	    os.chdir(below()[0])
	s = socket.socket(socket.AF_UNIX)
	if sys.argv[1] == "serve":
	    s.bind("sock")
	    s.listen()
	    print("ready", flush=True)
	    os.read(0, 1)
	else:
	    s.connect("sock")
	    print("connected")
	EOF
}

@test "a tree deeper than a path does not stop a start" {
	requires root
	run_ok too_deep 'deepen . && $box -r /usr -w . -- sh -c "echo new >file"
		cat file'
	assert_lines new
}

@test "a tree deeper than a path does not stop a start with few descriptors" {
	requires root
	run_ok too_deep 'deepen . && ulimit -n 200 &&
		$box -r /usr -w . --filesystem-deny "**/secret" \
			--config-allow-degraded deny_replace \
			-- sh -c "echo new >file"
		cat file'
	assert_output_has new
}

@test "a socket in a tree that is too deep for a path is out of reach" {
	requires root python3
	write_probe
	run too_deep 'deepen . && mkfifo in out && cp ../probe.py .
		cd deep && { python3 ../probe.py serve <../in >../out & }
		exec 7>../in && read -r _ <../out
		python3 ../probe.py connect && echo in a sandbox:
		$box -r /usr -w .. -- python3 ../probe.py connect
		status=$?
		echo >&7
		exit $status'
	[ "$status" -eq 1 ]
	[[ $output = connected*"in a sandbox:"*"PermissionError"* ]]
	[ "$(landlock_version)" -ge 9 ] ||
		assert_output_has "cannot search for sockets in $WORK/tmp/deep/d/d/"
	[ "${#output}" -lt 2000 ]
}

@test "a denied pattern holds in a tree deeper than a path" {
	requires root python3
	cat >probe.py <<-'EOF'
	import os
	def below():
	    return [name for name in os.listdir(".") if name in "d12"]
	while below():
	    os.chdir(below()[0])
	print(open("secret").read())
	EOF
	run_ok too_deep 'deepen . && cp ../probe.py . && cd deep &&
		python3 - <<-E
		import os
		while os.listdir("."):
		    os.chdir(os.listdir(".")[0])
		open("secret", "w").write("found")
		E
		python3 ../probe.py; echo in a sandbox:
		$box -r /usr -w .. --filesystem-deny "../**/secret" \
			--config-allow-degraded deny_replace -- \
			python3 ../probe.py || :'
	[[ $output = found*"in a sandbox:"*"cannot search $WORK/tmp/"*"/d/d/d"*"(1 in all), so the whole directory is denied"* ]]
	[[ ${output#*in a sandbox:} != *$'\nfound'* ]]
}

@test "a denied pattern holds in a directory that cannot be listed" {
	requires root userns
	local act

	new_user
	mkdir -p "$USER_HOME"/dir/{enter,own,closed}
	for act in enter own closed; do
		echo found >"$USER_HOME/dir/$act/secret"
	done
	chown -R "$USER_ID:$USER_ID" "$USER_HOME/dir"
	chown 0:0 "$USER_HOME"/dir/{enter,closed}
	chmod 0711 "$USER_HOME/dir/enter"
	chmod 0700 "$USER_HOME/dir/closed"
	chmod 0000 "$USER_HOME/dir/own"
	for act in 'cat dir/enter/secret' \
		'chmod 700 dir/own; cat dir/own/secret'; do
		run_ok user_sandbox -r /usr -w dir --network-unix dir -- sh -c "$act"
		assert_output_has found
		chmod 0000 "$USER_HOME/dir/own"
		run user_sandbox -r /usr -w dir --network-unix dir \
			--filesystem-deny "dir/**/secret" \
			--config-allow-degraded deny_replace -- sh -c "$act"
		[ "$status" -ne 0 ]
		[[ $output != *found* ]]
		assert_output_has "(2 in all), so the whole directory is denied"
	done
}

# opened MODE PATTERN: a workload that owns ./dir/own, of this mode, tries chmod
# on it, and to read ./dir/own/secret.
opened() {
	rm -rf "$USER_HOME/dir"
	as_user mkdir -p dir/own
	echo found >"$USER_HOME/dir/own/secret"
	chmod "$1" "$USER_HOME/dir/own"
	run user_sandbox -r /usr -w dir --network-unix dir --filesystem-deny "$2" \
		--config-allow-degraded deny_replace -- \
		sh -c 'chmod 700 dir/own; cat dir/own/secret'
	[ "$status" -ne 0 ]
	[[ $output != *found* ]]
	assert_output_has "cannot search $USER_HOME/dir/own "
}

@test "a denied pattern holds in a directory that can be listed and not be entered" {
	requires root userns
	new_user
	opened 0400 'dir/**/secret*'
	opened 0600 'dir/**/secret*'
	opened 0400 'dir/*/secret*'
}

@test "a denied pattern holds that begins in a directory that the caller cannot enter" {
	requires root userns
	new_user
	opened 0000 'dir/own/*'
	opened 0300 'dir/own/*'
	opened 0000 'dir/own/sub/*'
}

@test "a directory that the caller cannot enter does not stop a start" {
	requires root userns
	new_user
	mkdir -p "$USER_HOME"/dir/{enter,closed/sub}
	chmod 0777 "$USER_HOME/dir"
	chmod 0711 "$USER_HOME/dir/enter"
	chmod 0700 "$USER_HOME/dir/closed"
	run_ok user_sandbox -r /usr -w dir --filesystem-deny "dir/**/*.pem" \
		--config-allow-degraded deny_replace -- \
		sh -c 'echo new >dir/file; cat dir/file'
	assert_output_has new
}
