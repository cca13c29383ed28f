#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/bad-input.bats - what is wrong with a bundle is said in one line, here
# and in the log; and nothing has happened.

load helpers

# More than this is never needed to say no. The time is the processors': on a busy
# machine any other would be a guess.
MOST_KIB=65536
MOST_MS=100
FORMAT=json

setup_file() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 \
		-o "$BATS_FILE_TMPDIR/peak" "$BATS_TEST_DIRNAME/peak.c"
}

# A bundle that could run, with hooks that would be noticed.
setup() {
	local hook

	sandlock_setup
	requires root "${CC:-cc}"
	# Sanitizers take their time.
	! is_dynamic "$SANDLOCK_OCI" || MOST_MS=1000
	new_bundle
	cgroup_namespace
	# shellcheck disable=SC2016 # the dollars are jq's
	hook=$(jq -cn --arg f "$TMP/hook-ran" \
		'[{"path": "/bin/touch", "args": ["touch", $f]}]')
	# shellcheck disable=SC2016
	config --argjson hook "$hook" \
		'.hooks = {"prestart": $hook, "createRuntime": $hook,
			"createContainer": $hook, "poststop": $hook}'
	cp "$BUNDLE/config.json" "$TMP/good.json"
}

# fails_cleanly TEXT [COMMAND...]: `create` or COMMAND fails with the one line
# TEXT, uses little memory and leaves nothing.
fails_cleanly() {
	local text=$1 r=0

	shift
	[ $# -gt 0 ] || set -- create --bundle "$BUNDLE" c1
	rm -f "$TMP/log"
	"$BATS_FILE_TMPDIR/peak" "$TMP/peak" "$SANDLOCK_OCI" --root "$ROOT" \
		--log "$TMP/log" --log-format "$FORMAT" "$@" \
		</dev/null >"$TMP/said" 2>&1 3>&- || r=$?
	said "$text" $r && "logged_$FORMAT" && nothing_happened
}

# said TEXT STATUS: status 1, one line, this text in it, little memory and time.
said() {
	local line kib ms

	line=$(cat "$TMP/said")
	if [ "$2" -ne 1 ] || [ "$(wc -l <"$TMP/said")" -ne 1 ] ||
		[[ $line != "sandlock-oci: "*"$1"* ]]; then
		echo "expected status 1 and \"$1\""
		echo "status $2: ${line:0:2000}"
		return 1
	fi
	read -r kib ms <"$TMP/peak"
	if [ "$kib" -ge $MOST_KIB ] || [ "$ms" -ge $MOST_MS ]; then
		echo "$line: $kib KiB, $ms ms"
		return 1
	fi
}

# The same text as on stderr.
logged_json() {
	jq -e --rawfile said "$TMP/said" '
		(keys == ["level", "msg", "time"]) and .level == "error" and
		("sandlock-oci: " + .msg + "\n") == $said and
		(.time | fromdate | . > 0)' "$TMP/log" >/dev/null || {
		echo "logged: $(cat "$TMP/log")"
		return 1
	}
}

logged_text() {
	local text

	text=$(sed 's/^sandlock-oci: //; s/[\\"]/\\&/g' "$TMP/said")
	if [[ $(cat "$TMP/log") != "time=\""*"\" level=error msg=\"$text\"" ]]; then
		echo "logged: $(cat "$TMP/log")"
		return 1
	fi
}

nothing_happened() {
	local left

	left=$(leftovers) || true
	if [ -n "$left" ] || [ -e "$TMP/hook-ran" ]; then
		echo "happened: $left $(ls "$TMP/hook-ran")"
		return 1
	fi
}

# wrong: lines of `JQ EXPRESSION => TEXT` on stdin.
wrong() {
	local line

	while IFS= read -r line; do
		jq "${line% => *}" "$TMP/good.json" >"$BUNDLE/config.json"
		fails_cleanly "${line##* => }" || {
			echo "with ${line% => *}"
			return 1
		}
	done
}

@test "create accepts the bundle that the other tests damage" {
	run_ok oci run --bundle "$BUNDLE" c1
	[ -e "$TMP/hook-ran" ]
}

@test "create reports line and column of a config.json that is not JSON" {
	local config=$BUNDLE/config.json

	: >"$config"
	fails_cleanly "config.json: is empty"
	printf '  \n\n' >"$config"
	fails_cleanly "config.json: is empty"
	echo 'not json' >"$config"
	fails_cleanly "config.json: line 1, column"
	printf '\xef\xbb\xbf{}' >"$config"
	fails_cleanly "config.json: begins with a byte order mark"
	printf '\xff\xfe{\0}\0' >"$config"
	fails_cleanly "config.json: is UTF-16, but JSON must be UTF-8"
	printf '{"a": "\xc3("}' >"$config"
	fails_cleanly "config.json: line 1, column 8: this character is not UTF-8"
	printf '{"a": "\0"}' >"$config"
	fails_cleanly "config.json: line 1, column"
	(cat "$TMP/good.json" && echo '{}') >"$config"
	fails_cleanly "trailing garbage"
	echo '[]' >"$config"
	fails_cleanly "config.json: must be an object, not an array"
	echo '{"ociVersion": "1.0.0", "ociVersion": "1.0.0"}' >"$config"
	fails_cleanly "config.json: ociVersion: given twice"
	jq -c . "$TMP/good.json" |
		sed 's/"cwd":/"cwd":"\/a","cwd":/' >"$config"
	fails_cleanly "config.json: process.cwd: given twice"
}

@test "create refuses a config.json cut at any byte" {
	local text n all

	text=$(jq -c '{ociVersion, root, process: (.process | {args, cwd, user,
		env}), hooks: {poststop: .hooks.poststop},
		mounts: .mounts[:2], linux: (.linux | {namespaces,
		maskedPaths: .maskedPaths[:1]})}' "$TMP/good.json")
	printf '%s' "$text" >"$BUNDLE/config.json"
	oci create --dump-plan --bundle "$BUNDLE" c1 >"$TMP/plan"
	all=${#text}
	for ((n = 0; n < all; n++)); do
		printf '%s' "${text:0:n}" >"$BUNDLE/config.json"
		if "$SANDLOCK_OCI" --root "$ROOT" create --bundle "$BUNDLE" c1 \
			</dev/null 2>>"$TMP/all-said"; then
			echo "taken: ${text:0:n}"
			return 1
		fi
	done
	[ "$(grep -c '^sandlock-oci: config.json: ' "$TMP/all-said")" -eq "$all" ]
	[ "$(wc -l <"$TMP/all-said")" -eq "$all" ]
	nothing_happened
}

# The sample of the unit tests has every field; its quotes are single ones, and
# jq would round its largest number to one too many.
full_sample() {
	sed -n 's/^\t"\(.*\)\\n".*/\1/p' \
		"$BATS_TEST_DIRNAME/unit/spec_sample.h" |
		tr "'" '"' | sed 's/18446744073709551615/4294967295/'
}

@test "create reports the path of every field that has a wrong type" {
	local n=0 path text

	# Each path of the sample with a value that cannot be right there.
	full_sample | jq -r '. as $all | paths as $p |
		(reduce $p[] as $k (""; . + if ($k | type) == "number"
			then "[\($k)]" else ".\($k)" end) | .[1:]) + "\t" +
		($all | setpath($p; if getpath($p) | type == "object"
			then "text" else {"a": 1} end) | tojson)' >"$TMP/cases"
	while IFS=$'\t' read -r path text; do
		echo "$text" >"$BUNDLE/config.json"
		if "$SANDLOCK_OCI" --root "$ROOT" create --bundle "$BUNDLE" c1 \
			</dev/null >"$TMP/said" 2>&1; then
			echo "taken: $path"
			return 1
		fi
		if [ "$(wc -l <"$TMP/said")" -ne 1 ] ||
			[[ $(cat "$TMP/said") != *"$path: must be "* ]]; then
			echo "of $path it says: $(cat "$TMP/said")"
			return 1
		fi
		n=$((n + 1))
	done <"$TMP/cases"
	[ $n -gt 250 ]
	nothing_happened
}

@test "create reports the value of a malformed or too large number" {
	wrong <<-'END'
		.process.user.uid = -1 => config.json: process.user.uid: -1 is not an unsigned 32-bit integer
		.process.user.uid = 4294967296 => config.json: process.user.uid: 4294967296 is not an unsigned 32-bit integer
		.process.user.uid = 0.5 => config.json: process.user.uid: 0.5 is not an unsigned 32-bit integer
		.process.user.uid = "1" => config.json: process.user.uid: must be a number, not a string
		.process.oomScoreAdj = 1001 => config.json: process.oomScoreAdj: 1001
		.linux.resources.memory.limit = -2 => config.json: linux.resources.memory.limit: -2
		.process.rlimits[0].hard = -1 => config.json: process.rlimits[0].hard: -1
	END
	# jq would round these.
	for n in 1e309 9223372036854775808 -9223372036854775809 1E2; do
		jq -c '.linux.resources.pids.limit = "N"' "$TMP/good.json" |
			sed "s/\"N\"/$n/" >"$BUNDLE/config.json"
		fails_cleanly "config.json: linux.resources.pids.limit: $n is not"
	done
}

@test "create reports path and value of a field with an invalid value" {
	ln -s rootfs "$BUNDLE/link"
	wrong <<-'END'
		del(.ociVersion) => config.json: ociVersion: required
		.ociVersion = "0.1.0" => config.json: ociVersion: version 0.1.0 is not supported (supported: 1.x)
		.ociVersion = "2.0.0" => config.json: ociVersion: version 2.0.0 is not supported (supported: 1.x)
		del(.process) => config.json: process: required
		del(.process.args) => config.json: process.args: required
		.process.args = [] => config.json: process.args: must have at least one entry
		.process.args = ["a\u0000b"] => config.json: process.args[0]: must not contain a NUL character
		.process.cwd = "tmp" => config.json: process.cwd: 'tmp' is not an absolute path
		.process.env = ["A=1", "B"] => config.json: process.env[1]: 'B' is not of the form KEY=VALUE
		.process.rlimits = [{"type": "RLIMIT_X", "soft": 1, "hard": 1}] => config.json: process.rlimits[0].type: unknown value 'RLIMIT_X'
		.process.rlimits = [{"type": "RLIMIT_CORE", "soft": 2, "hard": 1}] => config.json: process.rlimits[0].soft: 2 exceeds the hard limit 1
		.hostname = "a\u0000b" => config.json: hostname: must not contain a NUL character
		del(.root) => config.json: root: required
		.root.path = "" => config.json: root.path: must not be empty
		.root.path = "absent" => root.path: 
		.root.path = "config.json" => config.json: not a directory
		.root.path = "link" => /link is a symbolic link
		.root.path = "/" => root.path: / is the host's own root
		.root.path = "/proc/self/root" => root.path: 
		.linux.namespaces += [{"type": "mnt2"}] => config.json: linux.namespaces[6].type: unknown namespace 'mnt2'
		.linux.namespaces += [{"type": "pid"}] => config.json: linux.namespaces[6].type: pid is given twice
		.linux.namespaces[1].path = "/absent" => open /absent: no such file or directory
		.linux.namespaces[1].path = "/proc/self/status" => /proc/self/status
		.linux.namespaces[1].path = "/proc/self/ns/uts" => /proc/self/ns/uts
		.linux.namespaces += [{"type": "user"}] | .linux.uidMappings = [{"containerID": 0, "hostID": 0, "size": 9}, {"containerID": 5, "hostID": 99, "size": 9}] | .linux.gidMappings = .linux.uidMappings => config.json: linux.uidMappings[1]: its ids overlap those of entry 0
		.linux.seccomp = {"defaultAction": "SCMP_ACT_X"} => config.json: linux.seccomp.defaultAction: unknown value 'SCMP_ACT_X'
		.linux.seccomp = {"defaultAction": "SCMP_ACT_ALLOW", "architectures": ["SCMP_ARCH_X"]} => config.json: linux.seccomp.architectures[0]: unknown value 'SCMP_ARCH_X'
		.linux.seccomp = {"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": [], "action": "SCMP_ACT_LOG"}]} => config.json: linux.seccomp.syscalls[0].names: 
		.linux.cgroupsPath = "../up" => config.json: linux.cgroupsPath: '../up'
		.linux.sysctl = {"kernel.hostname": "x"} => linux.sysctl.kernel.hostname: 
		.hooks.poststart = [{"path": "touch"}] => config.json: hooks.poststart[0].path: 'touch' is not an absolute path
		.mounts[1].destination = "" => config.json: mounts[1].destination: must not be empty
		.mounts[1].options[1] = "rshared=1" => mounts[1]
		.linux.rootfsPropagation = "sideways" => config.json: linux.rootfsPropagation: 
		.linux.personality.domain = "VAX" => config.json: linux.personality.domain: unknown value 'VAX'
	END
}

@test "the text log has the line that standard error has" {
	local FORMAT=text

	wrong <<-'END'
		.process.cwd = "a\"b\\" => config.json: process.cwd: 'a"b\' is not an absolute path
		.hostname = 1 => config.json: hostname: must be a string, not a number
	END
}

@test "create accepts unknown fields" {
	config '.unheardOf = {"a": [1, null]} | .process.unheardOf = 1 |
		.annotations = {"org.example.x": "y"}'
	run_ok oci run --bundle "$BUNDLE" c1
}

@test "create refuses a huge config.json with little memory" {
	local config=$BUNDLE/config.json

	head -c 100000 /dev/zero | tr '\0' '[' >"$config"
	fails_cleanly "config.json: arrays and objects are nested deeper than 64 levels"
	yes '{"a":' | head -n 100000 >"$config"
	fails_cleanly "config.json: arrays and objects are nested deeper than 64 levels"
	{
		printf '{"ociVersion": "'
		head -c 100000000 /dev/zero | tr '\0' 1
		printf '"}'
	} >"$config"
	fails_cleanly "config.json: is larger than 16 MiB"
	{
		printf '{"ociVersion": "'
		head -c 2000000 /dev/zero | tr '\0' 1
		printf '"}'
	} >"$config"
	fails_cleanly "config.json: line 1, column 16: this string is longer than 1 MiB"
}

@test "create refuses a million mounts, variables or arguments" {
	local field entry text

	for field in process.args process.env mounts; do
		entry='"A=1"'
		[ $field != mounts ] ||
			entry='{"destination":"/x","type":"tmpfs"}'
		jq -c ".$field = [\"MANY\"]" "$TMP/good.json" >"$TMP/few"
		{
			sed 's/"MANY".*//' "$TMP/few"
			yes "$entry," | head -n 999999
			echo "$entry"
			sed 's/.*"MANY"//' "$TMP/few"
		} >"$BUNDLE/config.json"
		text="$field: has more than 131072 entries"
		[ $field != mounts ] || text="is larger than 16 MiB"
		fails_cleanly "config.json: $text"
	done
}

@test "create refuses a config.json that is not a regular, readable file" {
	local config=$BUNDLE/config.json

	rm "$config"
	fails_cleanly "config.json: no such file or directory"
	mkdir "$config"
	fails_cleanly "config.json: "
	rmdir "$config"
	mkfifo "$config"
	fails_cleanly "config.json: must be a regular file, not a device"
	rm "$config"
	ln -s config.json "$config"
	fails_cleanly "config.json: too many levels of symbolic links"
	rm "$config"
	fails_cleanly "bundle $TMP/absent: no such file or directory" \
		create --bundle "$TMP/absent" c1
	fails_cleanly "bundle $TMP/good.json: not a directory" \
		create --bundle "$TMP/good.json" c1
}

# replace_again_and_again: by another file, or written anew in its place.
replace_again_and_again() {
	local config=$BUNDLE/config.json

	while [ ! -e "$TMP/enough" ]; do
		cp "$TMP/good.json" "$config"
		cp "$TMP/other.json" "$BUNDLE/new" && mv "$BUNDLE/new" "$config"
	done
}

@test "create reads one whole version of a config.json that is being replaced, or refuses it" {
	local plan="$SANDLOCK_OCI --root $ROOT create --dump-plan --bundle $BUNDLE c1"
	local n=0 whole=0 racer

	jq '.hostname = "other"' "$TMP/good.json" >"$TMP/other.json"
	for name in good other; do
		cp "$TMP/$name.json" "$BUNDLE/config.json"
		$plan >"$TMP/$name.plan"
	done
	[ -n "$(diff "$TMP/good.plan" "$TMP/other.plan")" ]
	replace_again_and_again 3>&- &
	racer=$!
	for ((n = 0; n < 100; n++)); do
		if ! $plan >"$TMP/plan" 2>"$TMP/said"; then
			grep -q '^sandlock-oci: config.json: ' "$TMP/said" &&
				[ "$(wc -l <"$TMP/said")" -eq 1 ] || break
		elif cmp -s "$TMP/plan" "$TMP/good.plan" ||
			cmp -s "$TMP/plan" "$TMP/other.plan"; then
			whole=$((whole + 1))
		else
			break
		fi
	done
	touch "$TMP/enough"
	wait $racer
	[ $n -eq 100 ] || cat "$TMP/said" "$TMP/plan"
	[ $n -eq 100 ] && [ $whole -gt 0 ]
}

@test "create refuses a config.json that the user may not read" {
	new_user
	new_user_bundle
	chmod 000 "$BUNDLE/config.json"
	run as_user ./sandlock-oci create --bundle "$BUNDLE" c1
	[ "$status" -eq 1 ]
	[ "$output" = "sandlock-oci: open config.json: permission denied" ]
	chmod 644 "$BUNDLE/config.json"
}

@test "every command refuses a malformed container ID" {
	local id long

	long=$(printf 'a%.0s' {1..1025})
	for id in '' . .. a/b 'a b' a:b ä ../c1 "$long"; do
		fails_cleanly "invalid container ID format: " \
			create --bundle "$BUNDLE" "$id"
	done
	fails_cleanly "create: missing arguments" create --bundle "$BUNDLE"
	fails_cleanly "create: too many arguments" create --bundle "$BUNDLE" c1 c2
	# More than a directory's name can have, within what an ID may.
	fails_cleanly "file name too long" create --bundle "$BUNDLE" "${long:0:300}"
}
