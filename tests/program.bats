#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/program.bats - which program runs, where, and with what environment.
#
# jq has dollars of its own, and so has the shell inside; each test is a
# subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# ---- working directory ----

@test "the program starts in its working directory" {
	requires root
	new_bundle box
	args pwd
	config '.process.cwd = "/usr/bin"'
	run_ok run_bundle
	[ "$output" = /usr/bin ]
}

@test "create makes a missing working directory, with mode 0755" {
	requires root
	new_bundle box
	args sh -c 'pwd; stat -c %a:%u .'
	config '.process.cwd = "/new/job/dir" | .process.user.uid = 1000'
	umask 0077
	run_ok run_bundle
	[ "$output" = $'/new/job/dir\n755:0' ]
}

@test "create makes a working directory in the container, never through a link out" {
	requires root
	new_bundle box
	ln -s ../../../../../../../../../../../../../../"$TMP" \
		"$BUNDLE/rootfs/out"
	args pwd
	config '.process.cwd = "/out/made-by-runtime"'
	run_ok run_bundle
	[ ! -e "$TMP/made-by-runtime" ]
	[ -d "$BUNDLE/rootfs/$TMP/made-by-runtime" ]
}

@test "a working directory only the user may enter is entered by the user" {
	requires root
	new_bundle box
	mkdir -m 0700 "$BUNDLE/rootfs/home"
	chown 1000:1000 "$BUNDLE/rootfs/home"
	args pwd
	config '.process.cwd = "/home" | .process.user.uid = 1000 |
		del(.process.capabilities)'
	run_ok run_bundle
	[ "$output" = /home ]
}

@test "a working directory only root may enter is entered before the user changes" {
	requires root
	new_bundle box
	mkdir -m 0700 "$BUNDLE/rootfs/private"
	args sh -c 'pwd; ls . 2>&1'
	config '.process.cwd = "/private" | .process.user.uid = 1000 |
		del(.process.capabilities)'
	run oci run --bundle "$BUNDLE" box
	[ "${lines[0]}" = /private ]
	[[ ${lines[1]} = *"Permission denied"* ]]
}

@test "create refuses a working directory that is a file" {
	requires root
	new_bundle box
	config '.process.cwd = "/etc/passwd"'
	run_bad "process.cwd: " run_bundle
	assert_output_has "not a directory"
	config '.process.cwd = "/etc/passwd/below"'
	run_bad "process.cwd: " run_bundle
	assert_gone box
}

@test "create refuses a relative working directory" {
	requires root
	new_bundle box
	config '.process.cwd = "tmp"'
	run_bad "process.cwd: " run_bundle
	config '.process.cwd = ""'
	run_bad "process.cwd: " run_bundle
}

# leaky COMMAND...: with the host's root open as descriptors 3 to 20.
leaky() (
	local fd

	for fd in {3..20}; do
		eval "exec $fd</"
	done
	"$SANDLOCK_OCI" --root "$ROOT" "$@"
)

@test "no descriptor of a host directory can be the working directory" {
	requires root
	local fd

	new_bundle box
	args pwd
	for fd in {3..30}; do
		config --arg fd "$fd" '.process.cwd = "/proc/self/fd/" + $fd'
		run_bad "process.cwd: " leaky run --bundle "$BUNDLE" box
		run_bad "process.cwd: " leaky run --preserve-fds 5 \
			--bundle "$BUNDLE" box
	done
	assert_gone box
}

# The container's own root is among the descriptors; it is welcome to that.
assert_inside() {
	if [ "$status" -eq 255 ]; then
		assert_output_has "process.cwd: "
	else
		[ "$output" = "$(stat -c %d:%i "$BUNDLE/rootfs")" ]
	fi
}

@test "no descriptor of a host directory can be exec's working directory, by its name or by a link" {
	requires root
	local fd

	start_sleeping box
	for fd in {3..30}; do
		ln -s "/proc/self/fd/$fd" "$BUNDLE/rootfs/leak$fd"
		run leaky exec --cwd "/proc/self/fd/$fd" box stat -c %d:%i .
		assert_inside
		run leaky exec --preserve-fds 5 --cwd "/leak$fd" box \
			stat -c %d:%i .
		assert_inside
	done
}

# ---- environment ----

@test "the program's environment is config.json's and nothing of the caller's" {
	requires root
	new_bundle box
	args env
	config '.process.env = ["A=1", "B=", "C=x=y", "HOME=/h"]'
	LEAK=secret run_ok run_bundle
	[ "$(sort <<<"$output" | tr '\n' ' ')" = "A=1 B= C=x=y HOME=/h " ]
}

@test "the last of several equal variables wins and is passed once" {
	requires root
	new_bundle box
	args env
	config '.process.env = ["A=1", "B=2", "A=3", "HOME=/x", "AB=4", "A=5",
		"HOME=/y"]'
	run_ok run_bundle
	[ "$(sort <<<"$output" | tr '\n' ' ')" = "A=5 AB=4 B=2 HOME=/y " ]
}

@test "create reports the place of a variable without a name or without =" {
	requires root
	new_bundle box
	config '.process.env = ["A=1", "=x"]'
	run_bad "process.env[1]: '=x' is not of the form KEY=VALUE" run_bundle
	config '.process.env = ["A"]'
	run_bad "process.env[0]: 'A' is not of the form KEY=VALUE" run_bundle
}

@test "HOME comes from the container's passwd when unset or empty" {
	requires root
	new_bundle box
	args env
	config '.process.env = []'
	run_ok run_bundle
	[ "$output" = HOME=/root ]
	config '.process.env = ["HOME="] | .process.user.uid = 1'
	run_ok run_bundle
	[ "$output" = HOME=/tmp ]
	config '.process.user.uid = 4242'
	run_ok run_bundle
	[ "$output" = HOME=/ ]
	rm "$BUNDLE/rootfs/etc/passwd"
	run_ok run_bundle
	[ "$output" = HOME=/ ]
}

# home_of: what HOME the user 77 gets.
home_of() {
	args sh -c 'echo $HOME'
	config '.process.env = ["PATH=/bin"] | .process.user.uid = 77'
	run_ok timeout 10 "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
}

@test "malformed lines of passwd are skipped" {
	requires root
	new_bundle box
	printf '%s\n' '' '#77:x:77:' 'x:x:077x:1::/bad:' 'short:x:77' \
		'big:x:4294967373:1::/overflow:' 'rel:x:77:1::relative:' \
		'good:x:77:1:a,b:/good:/bin/sh' 'late:x:77:1::/late:' \
		>"$BUNDLE/rootfs/etc/passwd"
	home_of
	[ "$output" = /good ]
}

@test "a passwd without a last newline is read to its end" {
	requires root
	new_bundle box
	printf 'good:x:77:1::/good' >"$BUNDLE/rootfs/etc/passwd"
	home_of
	[ "$output" = /good ]
}

@test "a passwd that is a FIFO, a device or endless does not block create" {
	requires root mkfifo
	local etc

	new_bundle box
	etc=$BUNDLE/rootfs/etc
	rm "$etc/passwd"
	mkfifo "$etc/passwd"
	home_of
	[ "$output" = / ]
	ln -sf /dev/zero "$etc/passwd"
	home_of
	[ "$output" = / ]
	ln -sf passwd "$etc/passwd"
	home_of
	[ "$output" = / ]
	rm "$etc/passwd"
	mkdir "$etc/passwd"
	home_of
	[ "$output" = / ]
	rmdir "$etc/passwd"
	truncate -s 4G "$etc/passwd"
	home_of
	[ "$output" = / ]
}

@test "a passwd that is a link to the host is not followed" {
	requires root
	new_bundle box
	printf 'host:x:77:1::/host:\n' >"$TMP/passwd"
	ln -sf ../../../../../../../../../../../../"$TMP/passwd" \
		"$BUNDLE/rootfs/etc/passwd"
	home_of
	[ "$output" = / ]
}

@test "a HOME longer than any path is cut off" {
	requires root
	new_bundle box
	printf 'long:x:77:1::/%s:\n' "$(head -c 9000 /dev/zero | tr '\0' a)" \
		>"$BUNDLE/rootfs/etc/passwd"
	home_of
	[ "${#output}" -lt 4096 ]
	[[ $output = /a* ]]
}

# ---- program ----

@test "the program is looked up in the PATH of its own environment" {
	requires root
	new_bundle box
	mkdir "$BUNDLE/rootfs/opt"
	printf '#!/bin/sh\necho found $1\n' >"$BUNDLE/rootfs/opt/tool"
	chmod 0755 "$BUNDLE/rootfs/opt/tool"
	args tool yes
	config '.process.env = ["PATH=/nowhere:/opt:/bin"]'
	run_ok run_bundle
	[ "$output" = "found yes" ]
	config '.process.env = ["PATH=/nowhere:/bin"]'
	run_bad 'exec: "tool": executable file not found in $PATH' run_bundle
}

@test "a file in PATH that cannot be executed is skipped" {
	requires root
	new_bundle box
	mkdir -p "$BUNDLE/rootfs/one/true" "$BUNDLE/rootfs/two"
	touch "$BUNDLE/rootfs/two/true"
	config '.process.env = ["PATH=/one:/two:/bin"]'
	run_ok run_bundle
}

@test "a relative program is found from the working directory" {
	requires root
	new_bundle box
	args bin/echo here
	run_ok run_bundle
	[ "$output" = here ]
	args ./echo there
	config '.process.cwd = "/bin"'
	run_ok run_bundle
	[ "$output" = there ]
}

@test "create reports a missing program in the engines' words" {
	requires root
	new_bundle box
	args no-such-program
	run_bad 'unable to start container process: exec: "no-such-program": executable file not found in $PATH' create box
	assert_gone box
	args /no/such/file
	run_bad 'exec: "/no/such/file": stat /no/such/file: no such file or directory' create box
	args /etc/passwd/x
	run_bad 'exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory' \
		create box
	assert_gone box
}

@test "create reports permission denied for a program that may not be executed" {
	requires root
	new_bundle box
	args /etc/passwd
	run_bad 'exec: "/etc/passwd": permission denied' create box
	args /etc
	run_bad 'exec: "/etc": permission denied' create box
	install -m 0700 "$BUNDLE/rootfs/bin/busybox" "$BUNDLE/rootfs/bin/own"
	args /bin/own true
	config '.process.user.uid = 1000 | del(.process.capabilities)'
	run_bad 'exec: "/bin/own": permission denied' create box
	touch "$BUNDLE/rootfs/bin/unexecutable"
	args unexecutable
	run_bad 'exec: "unexecutable": permission denied' create box
	assert_gone box
}

@test "exec reports a missing program in the engines' words, with status 255" {
	requires root
	start_sleeping box
	run oci exec box no-such-program
	[ "$status" -eq 255 ]
	assert_output_has 'exec failed: unable to start container process: exec: "no-such-program": executable file not found in $PATH'
	run oci exec --detach box /etc/passwd
	[ "$status" -eq 255 ]
	assert_output_has 'exec: "/etc/passwd": permission denied'
}

@test "the error of a script with a bad interpreter is one line that names the script" {
	requires root
	new_bundle box
	printf '#!/no/interpreter\n' >"$BUNDLE/rootfs/run.sh"
	chmod 0755 "$BUNDLE/rootfs/run.sh"
	args /run.sh
	run_bad "exec /run.sh: no such file or directory" run_bundle
	[ "${#lines[@]}" -eq 1 ]
	assert_gone box
	create box
	run_bad "exec /run.sh: no such file or directory" oci start box
	wait_until has_status box stopped
}

@test "start reports an exec format error for a file that is no program" {
	requires root
	new_bundle box
	echo hello >"$BUNDLE/rootfs/bin/text"
	chmod 0755 "$BUNDLE/rootfs/bin/text"
	args text
	run_bad "exec text: exec format error" run_bundle
}

@test "create refuses a process without arguments and an empty program" {
	requires root
	new_bundle box
	config '.process.args = []'
	run_bad "process.args: must have at least one entry" run_bundle
	config '.process.args = [""]'
	run_bad "process.args[0]: must not be empty" run_bundle
	config 'del(.process.args)'
	run_bad "process.args" run_bundle
}

@test "process.args reach the program byte for byte" {
	requires root
	new_bundle box
	args sh -c 'printf "[%s]" "$@"' sh '' 'a b' $'new\nline' 'ü' '*' "\\"
	run_ok run_bundle
	[ "$output" = $'[][a b][new\nline][ü][*][\\]' ]
}

@test "create refuses to run the runtime's own binary as the program" {
	requires root static
	new_bundle box
	args /proc/self/exe --version
	run_bad "leads to the runtime's own binary" run_bundle
	ln -s /proc/self/exe "$BUNDLE/rootfs/link"
	args /link
	run_bad "leads to the runtime's own binary" run_bundle
	printf '#!/proc/self/exe\n' >"$BUNDLE/rootfs/script"
	chmod 0755 "$BUNDLE/rootfs/script"
	args /script
	run_bad "leads to the runtime's own binary" run_bundle
	config '.process.rlimits = [{type: "RLIMIT_NOFILE", soft: 3, hard: 3}]'
	run_bad "leads to the runtime's own binary" run_bundle
	assert_gone box
}
