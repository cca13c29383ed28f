#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/darwin.bats - the programs for macOS, built for Linux with a stub of
# Seatbelt: what they do before and after the kernel gets the profile.

bats_require_minimum_version 1.5.0
load helpers

DARWIN=${top_builddir:-.}/tests/darwin/sandlock
DARWIN_OCI=${top_builddir:-.}/tests/darwin/sandlock-oci

setup() {
	sandlock_setup
	export SEATBELT_TO=$TMP/profile
	cd "$TMP" || return
}

# mac WORD...: sandlock run, with a policy under which a program can start.
mac() {
	"$DARWIN" run -r @system "$@"
}

@test "darwin: run gives the command's output and status, or 128 and its signal" {
	run -0 mac -- echo a "b c"
	[ "$output" = "a b c" ]
	run -3 mac -- sh -c 'exit 3'
	run -143 mac -- sh -c 'kill -TERM $$'
	run -137 mac -- sh -c 'kill -KILL $$'
}

@test "darwin: run says why it cannot execute, with the statuses of Linux" {
	: >"$TMP/plain"
	run -127 mac -- no-such-program
	assert_output_has "no-such-program: find it in PATH: no such file"
	run -127 mac -- ./missing
	run -126 mac -- ./plain
	assert_output_has "./plain: permission denied"
	run -125 mac
	assert_output_has "the command is missing"
	run -125 "$DARWIN" run -- true
	assert_output_has "nothing is readable; add -r @system"
	run -125 mac --program-cwd /no/such/dir -- true
	assert_output_has "enter the directory /no/such/dir"
}

@test "darwin: the kernel gets the profile that seatbelt prints" {
	mac -w "$TMP" -- true
	"$DARWIN" seatbelt -r @system -w "$TMP" >"$TMP/printed"
	diff "$TMP/printed" "$SEATBELT_TO"
	"$SANDLOCK" seatbelt -r @system -w "$TMP" >"$TMP/linux"
	diff "$TMP/linux" "$SEATBELT_TO"
}

@test "darwin: nothing runs if the kernel refuses the profile" {
	SEATBELT_REFUSES=1 run -125 mac -- touch "$TMP/ran"
	assert_output_has "Seatbelt refuses the profile: line 3: unbound variable"
	[ ! -e "$TMP/ran" ]
}

@test "darwin: run refuses what macOS cannot enforce, and names the key" {
	run -125 mac -m 1G -- touch "$TMP/ran"
	assert_output_has "limits.memory cannot be enforced on macOS"
	[ ! -e "$TMP/ran" ]
	run -0 mac -m 1G --config-allow-degraded cgroups -- true
	assert_output_has "limits.memory is not enforced on macOS"
}

@test "darwin: run filters the environment and sets variables of proxies" {
	SECRET=x HOME=/h run -0 mac --env A=b --network-http-proxy-port 8080 -- env
	assert_output_has "HOME=/h"
	assert_output_has "A=b"
	assert_output_has "HTTP_PROXY=http://127.0.0.1:8080"
	assert_output_has "https_proxy=http://127.0.0.1:8080"
	assert_output_has "NO_PROXY=localhost,127.0.0.1,::1"
	[[ $output != *SECRET* ]]
	SECRET=x run -0 mac --allow-env SECRET -- env
	assert_output_has "SECRET=x"
}

@test "darwin: run applies the directory, the limits and the umask of none" {
	mkdir "$TMP/there"
	run -0 mac --program-cwd "$TMP/there" -- pwd
	[ "$output" = "$TMP/there" ]
	run -0 mac --limits-open-files 33 -- sh -c 'ulimit -n; ulimit -Hn'
	[ "$output" = $'33\n33' ]
	run -0 mac --program-no-coredump -- sh -c 'ulimit -c'
	[ "$output" = 0 ]
}

@test "darwin: no descriptor of the caller reaches the command" {
	exec 7</etc/passwd
	run mac -- sh -c 'read -r line <&7'
	exec 7<&-
	[ "$status" -ne 0 ]
}

@test "darwin: a timeout ends the whole process group" {
	run -124 mac --timeout 300ms -- sh -c "sleep 1000 & echo \$! >'$TMP/pid'; wait"
	wait_until left_or_zombie "$(cat "$TMP/pid")"
	run -0 mac -- sh -c "sleep 1000 >/dev/null 2>&1 & echo \$! >'$TMP/pid'"
	wait_until left_or_zombie "$(cat "$TMP/pid")"
}

# left_or_zombie PID: it has ended, or only its record is left.
left_or_zombie() {
	[ ! -e "/proc/$1" ] || grep -q '^State:	Z' "/proc/$1/status"
}

@test "darwin: run passes signals on to the command" {
	local pid

	"$DARWIN" run -r @system -- sh -c "trap 'exit 5' TERM; : >'$TMP/up'
		while :; do sleep 0.05; done" 3>&- &
	pid=$!
	wait_until test -e "$TMP/up"
	kill -TERM "$pid"
	wait "$pid" || [ $? -eq 5 ]
}

@test "darwin: --json reports the status, signal, timeout and errors" {
	run -3 mac --json --name x -- sh -c 'exit 3'
	[ "$(jq -c '[.name, .status, .sandboxed, .timed_out]' <<<"${lines[-1]}")" = \
		'["x",3,true,false]' ]
	run -143 mac --json -- sh -c 'kill -TERM $$'
	[ "$(jq .signal <<<"${lines[-1]}")" = 15 ]
	run -124 mac --json --timeout 100ms -- sleep 1000
	[ "$(jq .timed_out <<<"${lines[-1]}")" = true ]
	run -127 mac --json -- no-such-program
	jq -e '.error | test("no-such-program")' <<<"${lines[-1]}"
}

@test "darwin: commands run without a sandbox only if the caller says so" {
	run -125 mac --program-excluded docker -- docker ps
	assert_output_has "program.excluded"
	rm -f "$SEATBELT_TO"
	run -0 mac --unsandboxed -- echo plain
	assert_output_has "echo runs without a sandbox"
	[ ! -e "$SEATBELT_TO" ]
	run -125 mac --unsandboxed --program-allow-unsandboxed=false -- true
	assert_output_has "denied by program.allow_unsandboxed = false"
}

@test "darwin: explain, check, profile and wrap work" {
	run -0 "$DARWIN" explain -r /usr
	assert_output_has "platform: macos"
	run -1 "$DARWIN" check
	assert_output_has "signal_scope"
	run -1 "$DARWIN" check --json
	[ "$(jq -r .platform <<<"$output")" = macos ]
	run -0 "$DARWIN" profile schema
	run -0 "$DARWIN" wrap -r /usr -- echo "a b"
	[ "$output" = "sandlock run -r /usr -- echo 'a b'" ]
	run -0 "$DARWIN" wrap --backend seatbelt -r /usr -- true
	[[ $output = "sandbox-exec -p "* ]]
	run -0 "$DARWIN" --version
	[[ $output = "sandlock version "* ]]
}

# mac_bundle FILTER: config.json of spec, changed.
mac_bundle() {
	rm -rf "$TMP/bundle"
	mkdir "$TMP/bundle"
	"$DARWIN_OCI" spec -b "$TMP/bundle"
	jq "$1" "$TMP/bundle/config.json" >"$TMP/changed"
	mv "$TMP/changed" "$TMP/bundle/config.json"
}

# shellcheck disable=SC2016 # for the shell of the bundle
@test "darwin: sandlock-oci runs a bundle whose root is /" {
	mac_bundle '.process.args = ["sh", "-c", "echo $A; ulimit -n; pwd; exit 4"]
		| .process.env += ["A=b"] | .process.cwd = "/usr"
		| .process.rlimits = [{type: "RLIMIT_NOFILE", soft: 20, hard: 30}]'
	run -4 "$DARWIN_OCI" run "$TMP/bundle"
	[ "$output" = $'b\n20\n/usr' ]
	grep -q '(subpath "/System")' "$SEATBELT_TO"
	# A section without a key is not restricted.
	grep -q '(allow network\* system-socket)' "$SEATBELT_TO"
	rm "$SEATBELT_TO"
	mac_bundle 'del(.annotations) | .process.args = ["true"]'
	run -0 "$DARWIN_OCI" run "$TMP/bundle"
	[ ! -e "$SEATBELT_TO" ]
}

@test "darwin: sandlock-oci names the field that only Linux has" {
	local row

	for row in 'linux.namespaces|.linux.namespaces = [{type: "pid"}]' \
		'mounts|.mounts = [{destination: "/proc", type: "proc", source: "proc"}]' \
		'hostname|.hostname = "x"' \
		'linux.resources|.linux.resources.pids.limit = 5' \
		'linux.maskedPaths|.linux.maskedPaths = ["/proc/kcore"]' \
		'root.path|.root.path = "usr"' 'root.readonly|.root.readonly = true' \
		'process.user|.process.user.uid = 4242' \
		'process.capabilities|.process.capabilities.bounding = ["CAP_KILL"]' \
		'hooks|.hooks.poststop = [{path: "/bin/true"}]'; do
		mac_bundle "${row#*|}"
		mkdir -p "$TMP/bundle/usr"
		run -1 "$DARWIN_OCI" run "$TMP/bundle"
		assert_output_has "${row%%|*}"
	done
	mac_bundle 'del(.annotations) | .process.noNewPrivileges = true'
	run -1 "$DARWIN_OCI" run "$TMP/bundle"
	assert_output_has "process.noNewPrivileges"
	mac_bundle '.annotations["io.sandlock.limits.memory"] = "1G"'
	run -1 "$DARWIN_OCI" run "$TMP/bundle"
	assert_output_has "limits.memory cannot be enforced on macOS"
	run -1 "$DARWIN_OCI" spec -b "$TMP/bundle"
	assert_output_has "config.json exists"
	run -0 "$DARWIN_OCI" features
	jq -e '.ociVersionMax' <<<"$output"
}
