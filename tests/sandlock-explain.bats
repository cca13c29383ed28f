#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-explain.bats - explain says what run does, and does nothing.

load helpers

# explain_json [WORD...]: as JSON in $TMP/explained, whatever the verdict is.
explain_json() {
	sandlock explain --json "$@" >"$TMP/explained" || [ $? -eq 1 ]
}

# explained_so FILTER: of the last explained.
explained_so() {
	jq -e "$1" "$TMP/explained" >/dev/null || {
		echo "not so: $1"
		cat "$TMP/explained"
		return 1
	}
}

# line KEY FILTER: of the line about KEY.
line() {
	explained_so "[.lines[] | select(.key == \"$1\")][0] | $2"
}

# same_refusal WORD...: explain gives the reason that run fails with.
# shellcheck disable=SC2154 # bats sets status
same_refusal() {
	local reason

	run sandlock explain "$@"
	[ "$status" -eq 1 ]
	assert_output_has "run would refuse it: "
	explain_json "$@"
	explained_so '.verdict == "refused"'
	reason=$(jq -r .reason "$TMP/explained")
	run sandlock run "$@"
	[ "$status" -eq 125 ]
	assert_output_has "$reason"
}

@test "explain without a policy says that everything is denied, and by what" {
	run_ok sandlock explain
	assert_output_has "run would use a sandbox"
	assert_output_has "network.mode = \"deny\"  (default)"
	assert_output_has "limits.tasks = "
	explain_json
	explained_so '.verdict == "runs" and .reason == null'
	line namespaces '.state == "enforced" and (.how | test("mount"))'
	line network.mode '.how | test("network namespace") and test("seccomp")'
	line "system calls" '.how | test("ptrace")'
	explained_so '.allowed | all(.path | startswith("/dev") or startswith("/proc"))'
}

@test "explain shows the value, origin and mechanism of each key" {
	cat >"$TMP/p.toml" <<-'END'
		[filesystem]
		read = ["@system"]
		[limits]
		open_files = 99
		[program]
		no_coredump = true
	END
	explain_json -p "$TMP/p.toml" -w "$TMP" -- true
	line filesystem.read ".origin == \"$TMP/p.toml\" and
		.value == \"[\\\"@system\\\"]\" and
		(.how | test(\"read-only bind mounts\"))"
	line filesystem.write '.origin == "--allow-write" or .origin == "-w"'
	line limits.open_files '.how == "RLIMIT_NOFILE" and .value == "99"'
	line program.no_coredump '.how | test("RLIMIT_CORE")'
	explained_so '.policy.limits.open_files == 99'
	explained_so 'any(.allowed[]; .path == "/usr" and .item == "@system" and
		.rights == ["read", "execute"])'
	explained_so "any(.allowed[]; .path == \"$TMP\" and (.rights | index(\"write\")))"
}

@test "explain shows the host's network, and that it needs scopes" {
	requires_landlock 6
	explain_json -r @system --allow-net -- true
	line network.mode '.value == "\"open\"" and (.how | test("host"))'
}

@test "explain shows globs and presets as the paths that they mean" {
	mkdir "$TMP/d"
	touch "$TMP/d/a.txt" "$TMP/d/b.txt" "$TMP/d/c.bin"
	explain_json -r "$TMP/d" --filesystem-deny "$TMP/d/*.txt" -- true
	explained_so "[.denied[] | select(.key == \"filesystem.deny\") | .path] | sort ==
		[\"$TMP/d/a.txt\", \"$TMP/d/b.txt\"]"
	run_ok sandlock explain -r "$TMP/d" --filesystem-deny "$TMP/d/*.txt"
	assert_output_has "rwx  $TMP/d/a.txt  (filesystem.deny '$TMP/d/*.txt')"
}

@test "explain shows the loader of an executable as added" {
	requires_landlock 1
	sh=$(readlink -f "$(command -v bash)")
	explain_json -r @system -x "$sh" -- true
	explained_so "any(.allowed[]; .loader and (.path | test(\"/ld-\")) and
		.item == \"$sh\")"
	line filesystem.execute '.how | test("loaders")'
}

@test "explain says that limits.processes counts threads" {
	explain_json -P 10 -- true
	line limits.processes '.how | test("threads count as well")'
	explain_json --limits-tasks 10 -- true
	line limits.tasks '.how | test("threads") | not'
}

@test "explain refuses a policy in the words that run refuses it with" {
	same_refusal --limits-forks 3 -- true
	line limits.forks '.state == "not enforced by this build"'
	same_refusal -r /nonexistent/x -- true
	same_refusal --program-no-coredump --syscalls-extra-allow ptrace -- true
	same_refusal --program-excluded true --program-allow-unsandboxed=false \
		-- true
	mkdir "$TMP/d"
	same_refusal -r /usr -w "$TMP/d" --filesystem-deny "$TMP/d/secret" \
		--config-strict deny_replace -- true
}

@test "explain says that a denied name below a writable path is best effort, and how to refuse that" {
	mkdir "$TMP/d"
	explain_json -r /usr -w "$TMP/d" --filesystem-deny "$TMP/d/secret" -- true
	explained_so '.verdict == "runs" and .degraded == []'
	line filesystem.deny '.how | test("best effort .* covered again .*config.strict = ..deny_replace")'
	explain_json -r /usr -w "$TMP/d" --filesystem-deny "$TMP/d/secret" \
		--config-allow-degraded deny_replace -- true
	explained_so '.verdict == "runs" and .degraded == []'
	explain_json -r /usr -r "$TMP/d" --filesystem-deny "$TMP/d/secret" \
		--config-strict deny_replace -- true
	explained_so '.verdict == "runs"'
	line filesystem.deny '.how | test("best effort") | not'
	line config.strict '.how | test("best effort")'
}

@test "explain says what enforces ports and sockets" {
	explain_json --net-bind 8080 -- true
	explained_so '.verdict == "refused" or
		([.lines[] | select(.key == "network.bind")][0] |
			.how | test("Landlock|any port"))'
	explain_json --network-unix "$TMP" -r "$TMP" -- true
	if [ "$(landlock_version)" -lt 9 ]; then
		line network.unix '.how | test("mounts cover .* that exist now")'
		line root '.how | test("Unix sockets outside the sandbox that exist now are covered")'
		line root '.how | test("created later, and those of network namespaces without a visible process")'
	else
		line network.unix '.how | test("denies unlisted")'
		line root '.how | test("Landlock denies Unix sockets outside the sandbox")'
	fi
	explain_json --mount "/here:$TMP" -- true
	line filesystem.mount '.how | test("bind mounts")'
}

@test "explain says which pattern walks a tree, and how long that took" {
	mkdir -p "$TMP/d/sub"
	explain_json -r "$TMP/d" --filesystem-deny "$TMP/d/**/secret" -- true
	line filesystem.deny '.how | test("each start walks all directories for the pattern \u0027.*/d/[*][*]/secret\u0027, which took [0-9]+[.][0-9] ms")'
	explain_json -r "$TMP/d" --filesystem-deny "$TMP/d/*/secret" -- true
	line filesystem.deny '.how | test("walks") | not'
}

@test "explain reports wrong words as an error" {
	sandlock_bad "limits.memory" explain -m much -- true
	sandlock_bad "unknown option --nonesuch, see sandlock explain --help" explain --nonesuch
}

@test "explain says that an excluded command would run outside the sandbox" {
	run_ok sandlock explain --program-excluded cat -- cat x
	assert_output_has "run would not use a sandbox: program.excluded"
	explain_json --unsandboxed -- true
	explained_so '.verdict == "unsandboxed"'
}

@test "explain shows an agent's settings, with those that no key has" {
	mkdir -p "$TMP/.claude"
	echo '{"sandbox": {"enabled": true, "autoAllowBashIfSandboxed": true}}' \
		>"$TMP/.claude/settings.json"
	explain_json --policy "$TMP/.claude/settings.json" -- true
	explained_so '.autoAllowBashIfSandboxed == true'
	explained_so ".project == \"$TMP\""
}

@test "explain and run list settings of an agent that have no effect" {
	mkdir -p "$TMP/.claude"
	echo '{"sandbox": {"enabled": true, "ignoreViolations": {"*": ["/x"]},
		"network": {"allowMachLookup": ["com.apple.trustd"]}}}' \
		>"$TMP/.claude/settings.json"
	explain_json --policy "$TMP/.claude/settings.json" -- true
	explained_so '.noEffect == ["ignoreViolations", "network.allowMachLookup"]'
	run_ok sandlock explain --policy "$TMP/.claude/settings.json" -- true
	assert_output_has "no effect: network.allowMachLookup"
	run_ok sandlock run --policy "$TMP/.claude/settings.json" --cwd / -- true
	assert_output_has "ignoreViolations has no effect in this sandbox"
	assert_output_has "network.allowMachLookup has no effect in this sandbox"
}

@test "explain leaves nothing behind, and starts nothing" {
	run_ok sandlock explain -r @system -- touch "$TMP/touched"
	[ ! -e "$TMP/touched" ]
	[ ! -e "$ROOT" ] || [ -z "$(ls -A "$ROOT")" ]
}

# state_of PID: every file of states with its inode and times, and the cgroups
# of the sandbox that PID has made.
state_of() {
	find "$ROOT" -printf '%p %i %T@ %C@ %s\n' | sort
	find /sys/fs/cgroup -type d -name "sandlock-$1" -printf '%p %i\n' | sort
}

# explain_changes_nothing PID WORD...: of states and cgroups.
explain_changes_nothing() {
	local pid=$1

	shift
	state_of "$pid" >"$TMP/before"
	run_ok sandlock explain "$@"
	state_of "$pid" >"$TMP/after"
	diff "$TMP/before" "$TMP/after"
}

@test "explain leaves what a dead sandbox of the same name has left" {
	local pid

	requires root
	"$SANDLOCK" --root "$ROOT" run -r /usr --name same -- sleep 4717 3>&- &
	pid=$!
	wait_until pgrep -f '^sleep 4717$'
	explain_changes_nothing $pid -r /usr --name same -- true
	kill -KILL $pid
	wait_until sh -c '! pgrep -f "^sleep 4717$"'
	[ -n "$(ls -A "$ROOT")" ]
	explain_changes_nothing $pid -r /usr --name same -- true
	run_ok sandbox -r /usr --name same -- true
	[ -z "$(ls -A "$ROOT")" ]
}

# Limits are tried on a cgroup that is removed again, namespaces in a child.
@test "explain creates, removes and writes no file" {
	local calls=mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2

	requires root strace
	mkdir "$TMP/work"
	calls+=,link,linkat,symlink,symlinkat,mknod,mknodat,truncate,ftruncate
	calls+=,chmod,fchmod,fchmodat,chown,fchown,fchownat,utimensat,open,openat,creat
	strace -f -y -q -e signal=none -o "$TMP/trace" -e trace="$calls" \
		"$SANDLOCK" --root "$ROOT" explain -r @system -w "$TMP/work" \
		--filesystem-deny /usr/none -m 1G -- true >/dev/null 3>&-
	grep -vE 'open.*O_RDONLY|open.*O_PATH|ENOENT|exited|/sys/fs/cgroup/|"/proc/self/' \
		"$TMP/trace" >"$TMP/left" || true
	diff /dev/null "$TMP/left"
}

@test "explain shows the environment of the program" {
	FOO=1 BAR=2 explain_json --allow-env FOO -- true
	line environment '.how | test("(^| )FOO( |$)") and (test("BAR") | not)'
}

@test "explain and run tell a user which limits are not available" {
	requires root userns
	new_user
	run as_user ./sandlock explain --json -r /usr -m 100M -- true
	if [ "$status" -eq 0 ]; then
		run_ok as_user ./sandlock run -r @system -m 100M -- true
	else
		jq -e '.reason | test("limits.memory")' <<<"$output"
		run as_user ./sandlock run -r @system -m 100M -- true
		[ "$status" -eq 125 ]
	fi
	run as_user ./sandlock explain --json -r /usr -P 10 -- true
	[ "$status" -eq 0 ]
	jq -e '[.lines[] | select(.key == "limits.processes")][0].how |
		test("RLIMIT_NPROC|cgroup")' <<<"$output"
}

# ---- the same decision ----

# Hosts: each runs `sandlock WORD...` as if the host had less.
sandlock_as_it_is() {
	"$SANDLOCK" --root "$ROOT" "$@" 3>&-
}

# shellcheck disable=SC2016 # for the inner shell
sandlock_without_userns() {
	unshare --user --map-root-user sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set -all --inh-caps -all "$@"' sh \
		"$SANDLOCK" --root "$ROOT" "$@" 3>&-
}

# shellcheck disable=SC2016 # for the inner shell
sandlock_without_cgroups() {
	privately sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec "$@"' sh \
		"$SANDLOCK" --root "$ROOT" "$@" 3>&-
}

# A container covers parts of /proc: a user namespace can mount no other then.
# shellcheck disable=SC2016 # for the inner shell
sandlock_with_covered_proc() {
	privately sh -c 'mount -t tmpfs none /proc/tty &&
		exec setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$@"' \
		sh "$SANDLOCK" --root "$ROOT" "$@" 3>&-
}

sandlock_as_user() {
	as_user ./sandlock "$@" 3>&-
}

# agree HOST WORD...: explain and run give the same verdict, and miss the same.
agree() {
	local host=$1 explained=0 ran=0 missing

	shift
	"$host" explain --json "$@" -r /usr -- true >"$TMP/explained" 2>"$TMP/told" ||
		explained=$?
	"$host" run --json "$@" -r /usr -- true >"$TMP/ran" 2>&1 || ran=$?
	missing=$(jq -c '.degraded | sort' "$TMP/explained")
	case $explained:$ran in
	0:0) [ "$(tail -n 1 "$TMP/ran" | jq -c '.degraded | sort')" = "$missing" ] ;;
	1:125) [ "$(jq -r .verdict "$TMP/explained")" = refused ] ;;
	*) false ;;
	esac || {
		echo "$host $*: explain $explained, run $ran"
		cat "$TMP/explained" "$TMP/told" "$TMP/ran"
		return 1
	}
	echo "$explained" >>"$TMP/verdicts"
}

# agree_on HOST: whatever the policy asks for, allows to be missing, or disables.
agree_on() {
	local policy config name all=""

	for name in fs_refer fs_truncate net_tcp fs_ioctl_dev signal_scope \
		abstract_unix_socket_scope namespaces cgroups; do
		all+=" --config-allow-degraded $name"
	done
	for policy in "" "-m 64M" "--limits-tasks 50" "--network-mode open" \
		"--program-uid 1 --program-gid 1" "-x /usr/bin/true"; do
		for config in "" "--config-allow-degraded cgroups" \
			"--config-allow-degraded namespaces" \
			"--config-disable cgroups" \
			"--config-disable namespaces" \
			"--config-disable namespaces --config-disable cgroups" \
			"$all"; do
			# shellcheck disable=SC2086 # words
			agree "$1" $policy $config
		done
	done
	# Both were seen; without namespaces and Landlock there is no sandbox.
	grep -q 1 "$TMP/verdicts"
	[ "$(landlock_version)" -eq 0 ] || grep -q 0 "$TMP/verdicts"
}

@test "explain and run agree on this host" {
	requires root
	agree_on sandlock_as_it_is
}

@test "explain and run agree on the places of filesystem.mount" {
	local value

	requires root
	mkdir "$TMP/d"
	for value in /:/usr /proc:/usr /proc/x:/usr /proc/sys:/usr /proc/stat:/usr \
		//proc/:/usr; do
		same_refusal --mount "$value" -r /usr -- true
		explained_so '.reason | startswith("filesystem.mount '"'/"'")'
		agree sandlock_as_it_is --mount "$value"
	done
	[ "$(sort -u "$TMP/verdicts")" = 1 ]
	rm "$TMP/verdicts"
	# These are mounted, and so is nothing of a host path that is absent.
	for value in /proc:/proc /sys:/usr /sys/x:/usr "/dev:$TMP/d" "/dev/shm:$TMP/d" \
		"/dev/x:$TMP/d" "/new:$TMP/d" "/proc/x:-$TMP/none" "/:-$TMP/none"; do
		agree sandlock_as_it_is --mount "$value"
	done
	[ "$(sort -u "$TMP/verdicts")" = 0 ]
}

@test "explain reports an error of the plan without a command as well" {
	run sandlock explain --mount /proc/sys:/usr -r /usr
	[ "$status" -eq 1 ]
	assert_output_has "run would refuse it: filesystem.mount '/proc/sys"
	run_ok sandlock explain -r /usr
	assert_output_has "command: none"
}

@test "explain and run agree where no user namespace can be made" {
	requires userns
	agree_on sandlock_without_userns
}

@test "explain and run agree where there are no cgroups" {
	requires root userns
	agree_on sandlock_without_cgroups
}

@test "explain and run agree in a container that covers /proc" {
	requires root userns
	agree_on sandlock_with_covered_proc
	# An older Landlock alone is not enough for it.
	sandlock_with_covered_proc explain -r /usr -- true >"$TMP/explained" ||
		[ $? -eq 1 ]
	grep -q "cannot mount /proc" "$TMP/explained"
}

@test "explain and run agree for a user" {
	requires root userns
	new_user
	agree_on sandlock_as_user
}
