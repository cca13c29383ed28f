#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/enforcement.bats - what create decided holds each later process, and
# nothing else does.
# shellcheck disable=SC2016 # the dollars are jq's and the container's

load helpers

PROGRAMS=/bin

setup() {
	sandlock_setup
	requires root
	requires_landlock 5
	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files"/{data,other,tmp}
	echo public >"$files/data/public"
	echo other >"$files/other/file"
	saved=$ROOT/box/enforcement.json
	args sleep 1000
}

# A container whose profile restricts files, limits, calls and variables.
start_enforced() {
	cat >"$TMP/profile.toml" <<-END
		[filesystem]
		read = ["$PROGRAMS", "/data"]
		write = ["/tmp"]
		[limits]
		open_files = 99
		memory = "64M"
		[program]
		no_coredump = true
		no_huge_pages = true
		deny_env = ["SECRET"]
		env = { SET = "by policy" }
		[network]
		mode = "deny"
		[determinism]
		no_randomize_memory = true
	END
	config '.process.env += ["SECRET=1"]'
	oci --profile "$TMP/profile.toml" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/create.out" 2>&1 || {
		cat "$TMP/create.out"
		return 1
	}
	oci start box
}

# tell_confinement: what a process of exec may do, one line for each part.
tell_confinement() {
	oci exec box sh -c '
		cat /data/public
		cat /other/file 2>/dev/null || echo no other file
		ulimit -n
		ulimit -c
		cat /proc/self/personality
		grep -E "^(NoNewPrivs|Seccomp|Cap|THP)" /proc/self/status
		echo "$SET, ${SECRET-no secret}"
		unshare -n true 2>/dev/null || echo no namespace
		env | sort'
}

# exec_is_refused TEXT COMMAND...: exec says TEXT, in one line, and runs nothing.
exec_is_refused() {
	local text=$1

	shift
	run oci exec box "$@"
	if [ "$status" -ne 255 ] || [ "${#lines[@]}" -ne 1 ] ||
		[[ $output != *"box: enforcement.json: $text"* ]]; then
		echo "status $status: $output"
		return 1
	fi
}

@test "exec is confined as before when the profile and policy.toml are gone" {
	start_enforced
	run_ok tell_confinement
	before=$output
	[[ $before = *$'public\nno other file\n99\n'* ]]
	[[ $before = *"by policy, no secret"* ]]
	rm "$TMP/profile.toml" "$ROOT/box/policy.toml"
	run_ok tell_confinement
	[ "$output" = "$before" ]
	# A looser policy in its place is not asked either.
	echo 'filesystem.read = ["/"]' >"$ROOT/box/policy.toml"
	run_ok tell_confinement
	[ "$output" = "$before" ]
}

@test "exec runs nothing when enforcement.json is damaged, and says so in one line" {
	start_enforced
	cp "$saved" "$TMP/good"
	for change in 's/"version":1/"version":2/' 's/"openFiles":99,//' \
		's/"landlock"/"Landlock"/' 's/.$//' 's/.*//' \
		's/"needed":true/"needed":maybe/' \
		's/^{/{"unknown":1,/'; do
		sed "$change" "$TMP/good" >"$saved"
		run ! cmp -s "$TMP/good" "$saved"
		exec_is_refused "" touch /tmp/ran
		[ ! -e "$files/tmp/ran" ]
		run_bad "box: enforcement.json: " oci update --memory 1000000 box
		[ "${#lines[@]}" -eq 1 ]
	done
	cat "$TMP/good" >"$saved"
	run_ok oci exec box touch /tmp/ran
	[ -e "$files/tmp/ran" ]
}

@test "exec fails when enforcement.json is missing" {
	start_enforced
	rm "$saved"
	exec_is_refused "open the saved policy of the container: no such file or directory" true
}

@test "exec, update and checkpoint refuse a record that has forgotten its policy" {
	start_enforced
	jq -c 'del(.enforced)' "$ROOT/box/state.json" >"$TMP/state.json"
	cat "$TMP/state.json" >"$ROOT/box/state.json"
	run oci exec box cat /other/file
	[ "$status" -eq 255 ]
	[[ $output == *"but policy.toml exists"* ]]
	run_bad "but policy.toml exists" oci update --memory 512M box
	run_bad "but policy.toml exists" oci checkpoint \
		--image-path "$TMP/images" box
}

@test "exec refuses an enforcement.json that another user could have written" {
	start_enforced
	cp -p "$saved" "$TMP/good"
	# Looser, and of another user.
	jq -c '.landlock.paths[0].path = "/"' "$TMP/good" >"$saved"
	chown "$USER_ID" "$saved"
	exec_is_refused "the saved policy of the container belongs to uid $USER_ID" true
	chown 0 "$saved"
	chmod g+w "$saved"
	exec_is_refused "the saved policy of the container is writable by its group or by others" true
	rm "$saved"
	ln -s "$TMP/good" "$saved"
	exec_is_refused "open the saved policy of the container: too many levels" true
	rm "$saved"
	mkfifo "$saved"
	exec_is_refused "the saved policy of the container is not a regular file" true
	rm "$saved"
	cp -p "$TMP/good" "$saved"
	run_ok oci exec box true
}

@test "update keeps to the limits that create decided, without policy.toml" {
	start_enforced
	rm "$TMP/profile.toml" "$ROOT/box/policy.toml"
	run_ok oci update --memory 134217728 box
	[ "$(jq .limits.memory "$saved")" = 67108864 ]
	run_ok oci update --memory 33554432 box
	run_ok oci exec box true
}

@test "exec may read a path that is not UTF-8" {
	mkdir "$files"/data/$'\xff\xfe'
	echo seen >"$files"/data/$'\xff\xfe'/file
	annotate_policy "filesystem.read=$PROGRAMS;/data/*" \
		"filesystem.deny=/data/public"
	create box
	oci start box
	run_ok oci exec box cat $'/data/\xff\xfe/file'
	[ "$output" = seen ]
	run_bad "" oci exec box cat /data/public
	jq -e '[.landlock.paths[].path | objects] | length > 0' "$saved"
}

@test "a container without a policy has no enforcement.json and needs none" {
	create box
	oci start box
	[ ! -e "$saved" ]
	[ "$(jq .enforced "$ROOT/box/state.json")" = null ]
	run_ok oci exec box true
}

@test "the same policy is saved as the same text" {
	start_enforced
	cp "$saved" "$TMP/first"
	oci delete --force box
	start_enforced
	cmp "$TMP/first" "$saved"
}
