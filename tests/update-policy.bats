#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/update-policy.bats - another policy for a container or sandbox that runs.

load helpers
load limits

setup() {
	sandlock_setup
	requires root
}

# profile NAME TEXT: $TMP/NAME.toml
profile() {
	printf '%s\n' "$2" >"$TMP/$1.toml"
	chmod 644 "$TMP/$1.toml"
}

# start_policed [GLOBAL-OPTION...]: box, with 64 MiB and 50 tasks.
start_policed() {
	profile first $'[limits]\nmemory = "64M"\ntasks = 50'
	[ -n "$BUNDLE" ] || new_bundle box
	args sleep 1000
	oci --profile "$TMP/first.toml" "$@" create --bundle "$BUNDLE" box \
		</dev/null >"$TMP/create.out" 2>&1 || {
		cat "$TMP/create.out"
		return 1
	}
	oci start box
}

update_to() {
	oci update --policy "$TMP/$1.toml" box
}

memory_is() {
	limit_is memory.limit_in_bytes "$1" memory.max "$1"
}

# saved KEY: in the saved policy.
saved() {
	oci inspect --toml box | sed -n "s/^$1 = //p"
}

# ---- containers ----

@test "update --policy changes the limits of a container and its saved policy" {
	requires_controller memory pids cpu
	start_policed
	profile more $'[limits]\nmemory = "128M"\ncpu = 50'
	run_ok update_to more
	[ -z "$output" ]
	memory_is 134217728
	limit_is pids.max 50
	limit_is cpu.cfs_quota_us 50000 cpu.max "50000 100000"
	[ "$(saved memory)" = 134217728 ]
	[ "$(saved tasks)" = 50 ]
	profile less $'[limits]\nmemory = "32M"\nprocesses = 20'
	run_ok update_to less
	memory_is 33554432
	limit_is pids.max 20
	[ "$(saved memory)" = 33554432 ]
	run_ok oci exec box true
}

@test "update of a limit keeps to the policy of an earlier update --policy" {
	requires_controller memory
	start_policed
	profile more $'[limits]\nmemory = "128M"'
	run_ok update_to more
	run_ok oci update --memory 1g box
	memory_is 134217728
	# The bundle's own limit, which is smaller, holds whatever the policy says.
	run_ok oci update --memory 100m box
	profile most $'[limits]\nmemory = "1G"'
	run_ok update_to most
	memory_is 104857600
	run_ok oci update --memory 2g box
	memory_is 1073741824
}

@test "update --policy refuses a key that cannot change, by name, and changes nothing" {
	requires_controller memory
	start_policed
	cp "$ROOT/box/enforcement.json" "$TMP/before"
	profile other $'[limits]\nmemory = "128M"\n[filesystem]\nread = ["/usr"]'
	run_bad "filesystem.read cannot change while the container runs: remove this key from" \
		update_to other
	profile other $'[limits]\nmemory = "128M"\nopen_files = 100'
	run_bad "limits.open_files cannot change while the container runs" \
		update_to other
	profile other $'[http]\nallow = ["GET example.com/"]'
	run_bad "http.allow" update_to other
	profile other $'[limits]\nmemory = "128M"\nmemori = 1'
	run_bad "memori" update_to other
	memory_is 67108864
	[ "$(saved memory)" = 67108864 ]
	cmp "$TMP/before" "$ROOT/box/enforcement.json"
	[ ! -e "$ROOT/box/update.toml" ]
}

@test "update --policy accepts the whole profile with keys that stay the same" {
	requires_controller memory
	profile first $'[limits]\nmemory = "64M"'
	new_bundle box
	args sleep 1000
	profile whole "[filesystem]
read = [\"/\"]
deny = [\"/etc/shadow\"]
[limits]
memory = \"64M\""
	oci --profile "$TMP/whole.toml" create --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	oci start box
	sed -i s/64M/96M/ "$TMP/whole.toml"
	run_ok update_to whole
	memory_is 100663296
	sed -i s/shadow/passwd/ "$TMP/whole.toml"
	run_bad "filesystem.deny cannot change" update_to whole
}

@test "update --policy stays within the enforced profile, and says so" {
	requires_controller memory
	profile floor $'[limits]\nmemory = "80M"'
	start_policed --enforce "$TMP/floor.toml"
	profile more $'[limits]\nmemory = "128M"'
	run_ok update_to more
	[[ $output = *"limits.memory: the enforced profile "*"floor.toml allows less, and its value holds"* ]]
	memory_is 83886080
	[ "$(saved memory | head -1)" = 83886080 ]
	profile less $'[limits]\nmemory = "40M"'
	run_ok update_to less
	[ -z "$output" ]
	memory_is 41943040
}

@test "update --policy of a container without a policy, or with other options, is refused" {
	new_bundle box
	args sleep 1000
	start_container box
	profile more $'[limits]\nmemory = "128M"'
	run_bad "box was created without a policy" update_to more
	run_bad "--policy and --memory cannot be given together" \
		oci update --policy "$TMP/more.toml" --memory 1g box
	run_bad "--policy: " oci update --policy "$TMP/none.toml" box
}

@test "a failed update --policy leaves limits and policy as they were" {
	requires_controller memory cpuset
	start_policed
	profile bad $'[limits]\nmemory = "128M"\ncpu_cores = [4095]'
	run_bad "" update_to bad
	memory_is 67108864
	[ "$(saved memory)" = 67108864 ]
	[ ! -e "$ROOT/box/update.toml" ]
	profile good $'[limits]\nmemory = "96M"'
	run_ok update_to good
	memory_is 100663296
}

# update_killed_at CALL N: an update that is killed at its N-th CALL.
update_killed_at() {
	strace -o /dev/null -e inject="$1:signal=KILL:when=$2" \
		"$SANDLOCK_OCI" --root "$ROOT" update \
		--policy "$TMP/$3.toml" box 3>&- 2>/dev/null
}

# limits_agree: record, kernel and enforcement.json name the same two limits.
limits_agree() {
	local memory tasks

	memory=$(saved memory) tasks=$(saved tasks)
	[[ $memory,$tasks = 67108864,50 || $memory,$tasks = 134217728,70 ]]
	memory_is "$memory"
	limit_is pids.max "$tasks"
	[ "$(jq .limits.memory "$ROOT/box/enforcement.json")" = "$memory" ]
	[ "$(jq .limits.tasks "$ROOT/box/enforcement.json")" = "$tasks" ]
}

@test "a killed update --policy happens wholly or not at all once the next update has run" {
	local call n to=two olds=0 news=0

	requires strace
	requires_controller memory pids
	start_policed
	profile one $'[limits]\nmemory = "64M"\ntasks = 50'
	profile two $'[limits]\nmemory = "128M"\ntasks = 70'
	for call in renameat write openat unlinkat; do
		for n in 1 2 3 4 5 6 7 8 9 10 12 14 16 18 20 24 28 32 40; do
			if update_killed_at "$call" "$n" "$to"; then
				break
			fi
			# An update of nothing finishes what was begun.
			run_ok oci update --pids-limit 1000 box
			limits_agree
			if [ "$(saved tasks)" = 70 ]; then
				news=$((news + 1)) to=one
			else
				olds=$((olds + 1)) to=two
			fi
		done
	done
	echo "old $olds, new $news"
	[ "$olds" -gt 3 ]
	[ "$news" -gt 3 ]
	oci delete --force box
	assert_gone box
}

@test "exec and start finish a killed update --policy before they run a program" {
	local n killed=0

	requires strace
	requires_controller memory pids
	start_policed
	profile one $'[limits]\nmemory = "64M"\ntasks = 50'
	profile two $'[limits]\nmemory = "128M"\ntasks = 70'
	for n in 1 2 3 4 5 6 7 8; do
		if ! update_killed_at write "$n" two; then
			killed=$((killed + 1))
		fi
		memory_is 67108864 || memory_is 134217728
		limit_is pids.max 50 || limit_is pids.max 70
		run_ok oci exec box true
		limits_agree
		[ ! -e "$ROOT/box/update.toml" ]
		run_ok update_to one
	done
	[ "$killed" -gt 3 ]
	oci delete --force box
	oci --profile "$TMP/first.toml" create --bundle "$BUNDLE" box \
		</dev/null >/dev/null 2>&1
	update_killed_at renameat 2 two || true
	[ -e "$ROOT/box/update.toml" ]
	run_ok oci start box
	[ ! -e "$ROOT/box/update.toml" ]
	limits_agree
}

@test "a killed update --policy that cannot be finished is undone" {
	local n

	requires strace
	requires_controller memory pids
	start_policed
	profile tiny $'[limits]\nmemory = "4K"\ntasks = 70'
	for n in 1 2 3 4 5 6 7 8; do
		update_killed_at write "$n" tiny || true
		run oci exec box true
		run_ok oci exec box true
		[ "$(saved tasks)" = 50 ]
		limits_agree
	done
}

# ---- sandboxes ----

# start_named NAME [FLAG...]: a sandbox that sleeps until it is killed.
start_named() {
	local name=$1

	shift
	sandlock run --name "$name" -r @system "$@" -- sleep 1000 \
		</dev/null >"$TMP/run.out" 2>&1 &
	wait_until sandlock inspect "$name"
	wait_until runs "$name"
}

runs() {
	sandlock ps --json | jq -e --arg name "$1" \
		'any(.[]; .name == $name and .status == "running")' >/dev/null
}

# sandbox_file NAME V1-FILE V2-FILE: a file of its cgroup.
sandbox_file() {
	local mount

	mount=$(v1_mount "${2%%.*}")
	jq -r '.cgroups[].path' "$ROOT/$1/state.json" >"$TMP/cgroups"
	if [ -n "$mount" ]; then
		cat "$(grep -m1 "^$mount/" "$TMP/cgroups")/$2"
	else
		cat "$(head -1 "$TMP/cgroups")/$3"
	fi
}

@test "sandlock update changes the limits of a sandbox by its name" {
	requires_controller memory pids
	start_named web1 -m 64M
	run_ok sandlock update web1 -m 128M --limits-tasks 30
	[ -z "$output" ]
	[ "$(sandbox_file web1 memory.limit_in_bytes memory.max)" = 134217728 ]
	# The reaper is not part of the workload.
	[ "$(sandbox_file web1 pids.max pids.max)" = 31 ]
	run_ok sandlock inspect --toml web1
	[[ $output = *"memory = 134217728"* ]]
	profile less $'[limits]\nmemory = "32M"'
	(cd "$TMP" && sandlock update --policy less.toml web1)
	[ "$(sandbox_file web1 memory.limit_in_bytes memory.max)" = 33554432 ]
	sandlock kill web1 KILL
}

@test "sandlock update refuses what cannot change, and names that do not exist" {
	start_named web1
	sandlock_bad "filesystem.read cannot change while the sandbox runs: remove this key from" \
		update -r /usr web1
	sandlock_bad "there is no sandbox named 'web2'" update -m 1G web2
	sandlock_bad "update: takes one NAME" update -m 1G
	sandlock_bad "update: nothing to change" update web1
	sandlock_bad "--policy: open profile" update --policy /none.toml web1
	sandlock kill web1 KILL
}

@test "sandlock update --help shows the keys that can change" {
	run_ok sandlock update --help
	[[ $output = *"usage: sandlock update [--policy FILE] [policy] NAME"* ]]
	[[ $output = *"--limits-memory"* ]]
	[[ $output != *"--filesystem-read"* ]]
}
