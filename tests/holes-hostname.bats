#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-hostname.bats - in a sandbox, /etc/hostname and /etc/hosts have
# the name of the sandbox.
# shellcheck disable=SC2016 # the dollars are the sandbox's

bats_require_minimum_version 1.5.0
load helpers

setup() {
	sandlock_setup
	# The tests use this tree as the host, never the real one.
	HOST=$TMP/host
	mkdir -p "$HOST/etc/sub" "$HOST/usr" "$HOST/bin" "$HOST/dev" "$HOST/proc"
	cp -L "$(command -v busybox)" "$HOST/bin/busybox"
	"$HOST/bin/busybox" --install "$HOST/bin"
	echo host-name >"$HOST/etc/hostname"
	printf '127.0.0.1 localhost\n10.1.2.3 other box\n' >"$HOST/etc/hosts"
	echo x >"$HOST/etc/sub/file"
	cp "$HOST/etc/hosts" "$TMP/hosts"
}

# in_host_tree WORD...: `sandlock run` with that tree as its root.
in_host_tree() {
	sandlock run --name box --cwd / --chroot "$HOST" "$@"
}

show='cat /etc/hostname; cat /etc/hosts'

assert_host_untouched() {
	[ "$(cat "$HOST/etc/hostname")" = host-name ]
	diff "$TMP/hosts" "$HOST/etc/hosts"
}

@test "/etc/hostname and /etc/hosts have the sandbox's name where /etc is not listed" {
	run_ok sandlock run --cwd / --name box -r /usr -- sh -c "$show; ls /etc"
	assert_lines $'box\n127.0.0.1\tbox\n127.0.0.1\tlocalhost\n::1\tlocalhost\nhostname\nhosts'
	run_ok in_host_tree -r /bin -- sh -c "$show"
	[ "${lines[0]}" = box ]
	[[ $output != *host-name* && $output != *10.1.2.3* ]]
}

@test "/etc/hostname is the sandbox's where /etc is listed, and /etc/hosts has its line and the host's" {
	run_ok in_host_tree -r /bin -r /etc -- sh -c "$show; cat /etc/sub/file"
	assert_lines $'box\n127.0.0.1\tbox\n127.0.0.1 localhost\n10.1.2.3 other box\nx'
	run_ok in_host_tree -r / -- sh -c "$show"
	assert_lines $'box\n127.0.0.1\tbox\n127.0.0.1 localhost\n10.1.2.3 other box'
	assert_host_untouched
}

@test "a policy may list /etc/hostname and /etc/hosts one by one" {
	run_ok in_host_tree -r /bin -r /etc/hosts -r /etc/hostname -- \
		sh -c "$show; grep -c /etc/ /proc/self/mountinfo || true"
	assert_lines $'box\n127.0.0.1\tbox\n127.0.0.1 localhost\n10.1.2.3 other box\n0'
	run_ok in_host_tree -r /bin -r /etc/sub -- sh -c "$show; cat /etc/sub/file"
	[[ ${lines[0]} = box && $output != *10.1.2.3* ]]
}

@test "uname and /etc/hostname have one name" {
	run_ok in_host_tree -r /bin -r /etc -- sh -c '
		[ "$(hostname)" = "$(cat /etc/hostname)" ] && hostname'
	assert_lines box
	run_ok sandlock run --cwd / -r /usr -- sh -c 'cat /etc/hostname'
	[[ $output = sandbox-* ]]
}

@test "nobody inside writes /etc/hostname or /etc/hosts, not even where /etc is writable" {
	run_ok in_host_tree -r /bin -w /etc -- sh -c '
		for file in hostname hosts; do
			echo evil >/etc/$file || echo "no write"
			rm -f /etc/$file || echo "no removal"
			mv /etc/sub/file /etc/$file || echo "no change"
			chmod 0777 /etc/$file || echo "no mode"
		done 2>/dev/null
		cat /etc/hostname; echo new >/etc/new'
	assert_lines "$(for _ in 1 2; do
		printf '%s\n' "no write" "no removal" "no change" "no mode"
	done; echo box)"
	[ "$(cat "$HOST/etc/new")" = new ]
	assert_host_untouched
}

@test "Landlock allows reading /etc/hostname and /etc/hosts" {
	run_ok in_host_tree -r /bin -x /bin -- sh -c "$show"
	[ "${lines[0]}" = box ]
	run_ok in_host_tree -r /bin -r /etc -x /bin -- sh -c "$show"
	[ "${lines[0]}" = box ]
	run_ok in_host_tree -r /bin -r /etc/hosts -x /bin -- sh -c "$show"
	assert_output_has "10.1.2.3 other box"
}

@test "a user's sandbox has its name in /etc/hostname and /etc/hosts" {
	requires root
	new_user
	run_ok user_sandbox --cwd / --name box -r /usr -- sh -c "$show"
	[ "${lines[0]}" = box ]
	[ "${lines[1]}" = $'127.0.0.1\tbox' ]
	run_ok user_sandbox --cwd / --name box -r /usr -r /etc -- sh -c 'cat /etc/hostname'
	assert_lines box
}

@test "a denied /etc/hosts or /etc/hostname stays denied" {
	run_ok in_host_tree -r /bin --filesystem-deny /etc/hosts -- \
		sh -c 'cat /etc/hostname; ls /etc'
	assert_lines $'box\nhostname'
	run_ok in_host_tree -r /bin -r /etc --filesystem-deny /etc/hosts -- \
		sh -c 'cat /etc/hostname; ! cat /etc/hosts 2>/dev/null'
	assert_lines box
	run_ok in_host_tree -r /bin -r /etc --filesystem-deny /etc -- \
		sh -c '! cat /etc/hostname 2>/dev/null'
	run_ok in_host_tree -r /bin -r /etc --deny-read /etc/hostname -- \
		sh -c '! cat /etc/hostname 2>/dev/null; grep -c box /etc/hosts'
	assert_lines 2
}

@test "a mount at /etc brings its own hostname and hosts" {
	mkdir "$TMP/own"
	echo mapped >"$TMP/own/hostname"
	run_ok in_host_tree -r /bin --mount "/etc:$TMP/own" -- \
		sh -c 'cat /etc/hostname; ls /etc'
	assert_lines $'mapped\nhostname'
}

@test "an /etc without hostname and hosts gets none, neither inside nor on the host" {
	rm "$HOST/etc/hosts" "$HOST/etc/hostname"
	run_ok in_host_tree -r /bin -w /etc -- ls /etc
	assert_lines sub
	[ "$(ls "$HOST/etc")" = sub ]
}

@test "a link in place of /etc/hosts or /etc is followed inside the root" {
	mv "$HOST/etc/hosts" "$HOST/etc/sub/real"
	ln -s sub/real "$HOST/etc/hosts"
	run_ok in_host_tree -r /bin -r /etc -- cat /etc/hosts
	assert_lines $'127.0.0.1\tbox\n127.0.0.1 localhost\n10.1.2.3 other box'
	mv "$HOST/etc" "$HOST/usr/etc"
	ln -s usr/etc "$HOST/etc"
	run_ok in_host_tree -r /bin -w /etc -- sh -c "$show"
	assert_lines $'box\n127.0.0.1\tbox\n127.0.0.1 localhost\n10.1.2.3 other box'
	[ "$(cat "$HOST/usr/etc/hostname")" = host-name ]
	diff "$TMP/hosts" "$HOST/usr/etc/sub/real"
	[ "$(find "$HOST/usr/etc" | wc -l)" -eq 6 ]
}

@test "a sandbox name that is not one word adds no line to /etc/hosts" {
	run_ok sandlock run --cwd / --name $'a b\n6.6.6.6 evil' --chroot "$HOST" -r /bin \
		-r /etc -- cat /etc/hosts
	diff "$TMP/hosts" <(echo "$output")
	run_ok sandlock run --cwd / --name 'a#b' --chroot "$HOST" -r /bin -r /etc -- \
		sh -c "$show"
	[ "${lines[0]}" = 'a#b' ]
	[ "${lines[1]}" = '127.0.0.1 localhost' ]
}

@test "an /etc/hostname or /etc/hosts that is a directory, a pipe or too large is shown as it is" {
	rm "$HOST/etc/hostname"
	mkdir "$HOST/etc/hostname"
	rm "$HOST/etc/hosts"
	mkfifo "$HOST/etc/hosts"
	run_ok in_host_tree -r /bin -r /etc -- sh -c 'test -p /etc/hosts && hostname'
	assert_lines box
	rm "$HOST/etc/hosts"
	truncate -s 5M "$HOST/etc/hosts"
	run_ok in_host_tree -r /bin -r /etc -- sh -c 'wc -c </etc/hosts'
	assert_lines 5242880
	rm "$HOST/etc/hosts"
	mkdir "$HOST/etc/hosts" && : >"$HOST/etc/hosts/in"
	run_ok in_host_tree -r /bin -r /etc -- ls /etc/hosts
	assert_lines in
}

@test "explain says whose name /etc/hostname has, with namespaces and without" {
	run_ok sandlock explain -r /usr -- true
	assert_output_has "its name is in its own /etc/hostname and /etc/hosts"
	run sandlock explain -r /usr --config-disable namespaces -- true
	assert_output_has "the host's name is visible"
	run_ok sandlock run -r /usr -r /etc --config-disable namespaces -- uname -n
	assert_output_has "$(uname -n)"
}
