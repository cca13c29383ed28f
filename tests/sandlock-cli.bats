#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/sandlock-cli.bats - the program for people: help, profiles, wrap, check,
# completion.

bats_require_minimum_version 1.5.0
load helpers

commands="run explain check profile wrap ps inspect kill update events ports branch completion"

setup() {
	sandlock_setup
	export XDG_CONFIG_HOME=$TMP/config
	PROFILES=$XDG_CONFIG_HOME/sandlock/profiles
}

# user_profile NAME: a profile of the user, from standard input.
user_profile() {
	mkdir -p "$PROFILES"
	cat >"$PROFILES/$1.toml"
}

# shellcheck disable=SC2154 # bats sets status and output
checked() {
	[ "$status" -le 2 ] || {
		echo "status $status: $output"
		return 1
	}
}

# ---- help ----

@test "sandlock --help lists every command, and every command has --help" {
	run_ok sandlock --help
	for command in $commands; do
		[[ $output =~ (^|$'\n')\ +$command\  ]] || {
			echo "no $command in: $output"
			return 1
		}
	done
	for command in $commands; do
		run_ok sandlock "$command" --help
		[[ ${lines[0]} = "usage: sandlock $command"* ]]
	done
}

@test "the help of commands that take a policy lists all flags of a policy" {
	for command in explain wrap run; do
		run_ok sandlock "$command" --help
		assert_output_has "-r, --allow-read, --filesystem-read"
		assert_output_has "--limits-open-files"
		[[ $output != *--limits-num-cpus* ]]
		assert_output_has "--timeout TIME"
	done
}

@test "sandlock reports unknown words in one line, with status 125" {
	sandlock_bad "unknown command 'nonesuch'" nonesuch
	sandlock_bad "unknown option --nonesuch, see sandlock wrap --help" wrap --nonesuch -- true
	sandlock_bad "usage: sandlock kill NAME" kill
	sandlock_bad "run: the command is missing, usage: sandlock run [options]" run -m 1G
	sandlock_bad "unknown option --no, see sandlock ps --help" ps --no
	sandlock_bad "unknown option --no, see sandlock --help" --no
	sandlock_bad "too many" ps one
	sandlock_bad "not an absolute path" --root x ps
	sandlock_bad "unknown subcommand 'nonesuch'" profile nonesuch
	sandlock_bad "usage: sandlock profile show NAME" profile show
	sandlock_bad "usage: sandlock profile list" profile list more
	sandlock_bad "'tcsh' is not bash, zsh or fish" completion tcsh
}

# ---- wrap ----

# shellcheck disable=SC2016 # the dollar is a dollar
@test "wrap prints a command line that a shell splits into the original words" {
	run_ok sandlock wrap -r '/a b' --env "X=it's" -- printf '%s\n' "two  words" \
		'$HOME' '' "quote'd"
	[[ $output = "sandlock run -r '/a b' "* ]]
	eval "set -- $output"
	[ "$(printf '<%s>' "$@")" = "<sandlock><run><-r></a b><--env><X=it's>\
<--><printf><%s\\n><two  words><\$HOME><><quote'd>" ]
}

@test "wrap puts -- before the command, and takes the command from a profile" {
	run_ok sandlock wrap -m 1G true
	assert_lines "sandlock run -m 1G -- true"
	run_ok sandlock wrap -- true
	assert_lines "sandlock run -- true"
	user_profile make <<-'END'
		[program]
		exec = "/usr/bin/make"
		args = ["-j 4"]
	END
	run_ok sandlock wrap -p make
	assert_lines "sandlock run -p make -- /usr/bin/make '-j 4'"
	run_ok sandlock wrap -p make -- true
	assert_lines "sandlock run -p make -- true"
}

@test "wrap refuses words that run would refuse" {
	sandlock_bad "the command is missing, usage: sandlock wrap" wrap -m 1G
	sandlock_bad "not enforced by this build: limits.forks" \
		wrap --limits-forks 3 -- true
	sandlock_bad "limits.memory" wrap -m much -- true
	sandlock_bad "flag needs an argument: --name" wrap --name -- true
}

@test "wrap prints an excluded command unchanged, or refuses it" {
	run_ok sandlock wrap --program-excluded cat -- cat run 'a b'
	assert_lines "$(type -P cat) run 'a b'"
	run_ok sandlock wrap --program-excluded /usr/bin/env -- /usr/bin/env -i
	assert_lines "/usr/bin/env -i"
	run_ok sandlock wrap --program-excluded cat -- tac
	assert_lines "sandlock run --program-excluded cat -- tac"
	run_ok sandlock wrap --program-excluded /usr/bin/env -- env
	[[ $output = "sandlock run "* ]]
	run_ok sandlock wrap --unsandboxed -- true
	assert_lines "true"
	sandlock_bad "program.allow_unsandboxed is false" wrap \
		--program-excluded cat --program-allow-unsandboxed=false \
		-- cat x
	sandlock_bad "--unsandboxed: denied" wrap --unsandboxed \
		--program-allow-unsandboxed=false -- true
}

# ---- commands outside of the sandbox ----

@test "an excluded command runs without a sandbox, and one line says so" {
	echo secret >"$TMP/secret"
	run sandlock run --cwd / -r @system -- cat "$TMP/secret"
	[ "$status" -eq 1 ]
	run_ok sandlock run --cwd / --program-excluded cat -- cat "$TMP/secret"
	[ "${#lines[@]}" -eq 2 ]
	assert_output_has "cat runs without a sandbox (program.excluded 'cat'"
	[ "${lines[1]}" = secret ]
	run_ok sandlock run --unsandboxed -- cat "$TMP/secret"
	assert_output_has "cat runs without a sandbox (--unsandboxed)"
	run_ok sandlock run --cwd / -r @system --program-excluded dog -- true
	[ -z "$output" ]
}

@test "run refuses a command that may not run without a sandbox" {
	sandlock_bad "program.allow_unsandboxed is false" run \
		--program-excluded touch --program-allow-unsandboxed=false \
		-- touch "$TMP/touched"
	sandlock_bad "--unsandboxed: denied" run --unsandboxed \
		--program-allow-unsandboxed=false -- touch "$TMP/touched"
	[ ! -e "$TMP/touched" ]
}

# shellcheck disable=SC2016 # for the inner shell
# shellcheck disable=SC2016 # for the inner shell
@test "run --unsandboxed --timeout sends SIGTERM, and SIGKILL two seconds later" {
	mkfifo "$TMP/fifo"
	run -124 sandlock run --unsandboxed --timeout 0.2 -- sh -c \
		'trap "echo got SIGTERM; exit 3" TERM; read -r x <"$0"' "$TMP/fifo"
	assert_output_has "got SIGTERM"
	local begin=$SECONDS
	run -124 sandlock run --unsandboxed --timeout 0.2 -- sh -c \
		'trap "" TERM; echo $$; exec sleep 1000'
	((SECONDS - begin >= 2))
	[ ! -e "/proc/${lines[-1]}" ]
}

@test "run --unsandboxed passes on status, result and descriptors, and keeps --timeout" {
	run sandlock run --unsandboxed -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	run -127 sandlock run --unsandboxed -- "$TMP/none"
	run sandlock run --unsandboxed -- /etc/passwd
	[ "$status" -eq 126 ]
	run sandlock run --unsandboxed --json -- sh -c 'exit 7'
	[ "$status" -eq 7 ]
	jq -e '.sandboxed == false and .status == 7' <<<"${lines[-1]}"
	run sandlock run --unsandboxed --json -- sh -c 'kill -TERM $$'
	[ "$status" -eq 143 ]
	jq -e '.signal == 15' <<<"${lines[-1]}"
	run sandlock run --unsandboxed --timeout 0.2 -- sleep 1000
	[ "$status" -eq 124 ]
	run_ok sandlock run --unsandboxed -- cat /proc/self/fd/8 8<<<"through"
	assert_output_has through
}

# ---- profiles ----

@test "profile new writes a valid profile, and never overwrites one" {
	run_ok sandlock profile new build
	assert_lines "$PROFILES/build.toml
use it: sandlock run -p build -- COMMAND"
	grep -q '^read = \["@system"\]$' "$PROFILES/build.toml"
	grep -Fxq '#deny_write = ["@git-hooks", "@git-config"]' \
		"$PROFILES/build.toml"
	for key in memory deny_read clean_env; do
		grep -q "^#$key =\$" "$PROFILES/build.toml"
	done
	run_ok sandlock profile validate "$PROFILES/build.toml"
	assert_lines "$PROFILES/build.toml: valid"
	run_ok sandlock profile show build
	assert_lines $'[filesystem]\nread = ["@system"]'
	echo "# mine" >"$PROFILES/build.toml"
	sandlock_bad "build.toml already exists and was not changed" profile new build
	[ "$(cat "$PROFILES/build.toml")" = "# mine" ]
}

# keys_in FILE: "section.key" of every key of a profile, comment or not.
keys_in() {
	awk '/^\[/ { section = substr($0, 2, length($0) - 2) }
		/^#?[a-z_]+ =/ { sub("^#", ""); print section "." $1 }' "$1"
}

@test "profile schema describes every key of a new profile, and no other" {
	sandlock profile new build
	sandlock profile schema >"$TMP/schema"
	jq -e '.type == "object" and .additionalProperties == false' "$TMP/schema"
	jq -r '.properties | to_entries[] | .key as $section |
		.value.properties | keys[] | "\($section).\(.)"' \
		"$TMP/schema" | grep -vx network.allow_bind | sort >"$TMP/described"
	keys_in "$PROFILES/build.toml" | sort >"$TMP/written"
	[ "$(wc -l <"$TMP/written")" -gt 30 ]
	diff "$TMP/described" "$TMP/written"
	jq -e 'all(.properties[].properties[];
		.description and (.type or .anyOf or .enum))' "$TMP/schema"
	# The one key that has a value.
	jq -e '.properties.filesystem.properties.read |
		.type == "array" and .items.type == "string"' "$TMP/schema"
	sandlock_bad "usage: sandlock profile schema" profile schema x
	sandlock_bad "not enforced by this build: limits.num_cpus" run -r /usr \
		--limits-num-cpus 1 -- true
}

@test "profile new writes a file that others cannot write, whatever the umask is" {
	umask 0
	run_ok sandlock profile new build
	[ "$(stat -c %a "$PROFILES/build.toml")" = 644 ]
	run_ok sandlock profile show build
}

@test "profile new takes names, not paths" {
	for name in ../x a/b .hidden "" -x $'a\nb'; do
		run sandlock profile new -- "$name"
		[ "$status" -eq 125 ]
		assert_output_has "is not a profile name"
	done
	[ ! -e "$TMP/config/sandlock/x.toml" ]
	run env -u XDG_CONFIG_HOME -u HOME "$SANDLOCK" profile new x
	[ "$status" -eq 125 ]
	assert_output_has "cannot find the user's profiles: set XDG_CONFIG_HOME or HOME"
}

@test "profile list shows each name once, with the file that applies" {
	user_profile b </dev/null
	user_profile a </dev/null
	touch "$PROFILES/not-a-profile" "$PROFILES/.toml"
	run_ok sandlock profile list
	[ "${lines[0]}" = "a         user      $PROFILES/a.toml" ]
	[ "${lines[1]}" = "agent     built in  in the program" ]
	[ "${lines[2]}" = "b         user      $PROFILES/b.toml" ]
	[[ $output != *not-a-profile* ]]
	run_ok env XDG_CONFIG_HOME="$TMP/none" "$SANDLOCK" profile list
}

@test "profile validate reports line and key" {
	user_profile bad <<-'END'
		[filesystem]
		read = ["/usr"]
		raed = ["/etc"]
	END
	sandlock_bad 'bad.toml: line 3: [filesystem]: unknown key "raed" = ["/etc"]' \
		profile validate "$PROFILES/bad.toml"
	user_profile bad <<-'END'
		[limits]
		memory = "lots"
	END
	sandlock_bad "bad.toml: line 2: limits.memory: " \
		profile validate "$PROFILES/bad.toml"
	user_profile bad <<<'[limits'
	sandlock_bad "bad.toml: line 1" profile validate "$PROFILES/bad.toml"
	sandlock_bad "none.toml: no such file" profile validate "$TMP/none.toml"
	user_profile later <<-'END'
		[limits]
		forks = 3
	END
	run_ok sandlock profile validate "$PROFILES/later.toml"
	assert_output_has "limits.forks is not enforced by this build"
}

@test "profile validate reads files of uv and of agents" {
	cat >"$TMP/pyproject.toml" <<-'END'
		[tool.uv.sandbox]
		allow-read = [{ preset = "system" }]
	END
	run_ok sandlock profile validate "$TMP/pyproject.toml"
	mkdir "$TMP/.claude"
	echo '{"sandbox": {"enabled": true}}' >"$TMP/.claude/settings.json"
	run_ok sandlock profile validate "$TMP/.claude/settings.json"
	echo '{"sandbox": {"enabled": true, "nonesuch": 1}}' \
		>"$TMP/.claude/settings.json"
	sandlock_bad "nonesuch" profile validate "$TMP/.claude/settings.json"
}

@test "profile validate refuses unknown system calls" {
	user_profile bad <<-'END'
		[syscalls]
		extra_deny = ["ptrace", "openat", "opneat"]
	END
	sandlock_bad "syscalls.extra_deny: 'opneat' is not a system call" \
		profile validate "$PROFILES/bad.toml"
	sed -i 's/opneat/openat2/' "$PROFILES/bad.toml"
	run_ok sandlock profile validate "$PROFILES/bad.toml"
}

@test "sandlock ignores a pyproject.toml beside a uv.toml" {
	# Or explain says that run refuses it.
	requires_landlock 1
	mkdir "$TMP/project"
	cd "$TMP/project" || return
	printf '[tool.uv.sandbox]\nallow-net = true\n' >pyproject.toml
	run_ok sandlock profile validate pyproject.toml
	echo '[sandbox]' >uv.toml
	sandlock_bad "--policy pyproject.toml: ignored because uv.toml exists: pass \
$TMP/project/uv.toml" profile validate pyproject.toml
	run_ok sandlock explain --policy uv.toml
	[[ "$output" = *'network.mode = "deny"  (uv.toml)'* ]]
	# Only these two names are uv's.
	printf '[filesystem]\nread = ["/usr"]\n' >my-uv.toml
	run_ok sandlock profile validate my-uv.toml
}

@test "--project takes a directory, and a file of uv has its own project" {
	# Or explain says that run refuses it.
	requires_landlock 1
	mkdir -p "$TMP/project" "$TMP/home/project/below"
	cd "$TMP/project" || return
	echo '[sandbox]' >uv.toml
	run_ok sandlock explain --policy uv.toml --project .
	[[ "$output" = *"project: $TMP/project"* ]]
	sandlock_bad "--project ..: --policy uv.toml applies only to its own project, $TMP/project" \
		explain --policy uv.toml --project ..
	sandlock_bad "--project uv.toml: not a directory" explain --project uv.toml
	# Never the home, however it is written.
	touch "$TMP/home/uv.toml"
	ln -s home "$TMP/link"
	cd "$TMP/home/project/below" || return
	for home in "$TMP/home" "$TMP/home/" "$TMP/link"; do
		run_ok env HOME="$home" "$SANDLOCK" explain
		[[ "$output" = *"project: $TMP/home/project/below"* ]]
	done
	run_ok env HOME=/nowhere "$SANDLOCK" explain
	[[ "$output" = *"project: $TMP/home"$'\n'* ]]
}

# shellcheck disable=SC2016 # for the inner shell
@test "a profile of the system may have no relative paths, a profile of a user may" {
	requires root
	user_profile own <<<$'[filesystem]\nread = ["/usr", "sub"]'
	mkdir "$TMP/sub"
	cd "$TMP" || return
	run_ok sandlock run -p own -- ls sub
	run -125 unshare --mount --propagation private sh -c '
		mount -t tmpfs none /etc && mkdir -p /etc/sandlock/profiles &&
		cp "$1" /etc/sandlock/profiles/theirs.toml &&
		exec "$2" --root "$3" run -p theirs -- ls sub' sh \
		"$PROFILES/own.toml" "$SANDLOCK" "$ROOT"
	[[ "$output" = *"filesystem.read: 'sub' is not an absolute path"* ]]
}

@test "sandlock refuses a profile that everybody may write" {
	user_profile lax </dev/null
	chmod 666 "$PROFILES/lax.toml"
	sandlock_bad "writable by everybody" profile show lax
	sandlock_bad "writable by everybody" profile validate "$PROFILES/lax.toml"
}

# ---- check ----

@test "check reports one result as text and as JSON, for root and for users" {
	requires root
	new_user
	for program in "$SANDLOCK" "as_user ./sandlock"; do
		# shellcheck disable=SC2086 # words are words
		run $program check
		checked
		for part in seccomp namespaces landlock cgroups nested newuidmap; do
			assert_output_has "$part"
		done
		text=$status
		# shellcheck disable=SC2086 # likewise
		run $program check --json
		[ "$status" -eq "$text" ]
		jq -e '.parts.seccomp.state == "ok"' <<<"$output"
		jq -e '.parts.namespaces.found' <<<"$output"
	done
}

# Tests that run beside this one call check, too.
no_check_cgroups() {
	[ -z "$(find /sys/fs/cgroup -name 'sandlock-check-*')" ]
}

@test "check leaves no cgroup behind" {
	requires root
	run sandlock check
	checked
	wait_until no_check_cgroups
}

# in_userns COMMAND...: as root of a user namespace with many ids.
in_userns() {
	local pid r=0

	mkfifo "$TMP/go"
	unshare --user sh -c 'read -r _ && exec "$@"' sh "$@" \
		<"$TMP/go" >"$TMP/userns.out" 2>&1 3>&- &
	pid=$!
	exec 9>"$TMP/go"
	wait_until grep -q unshare\\\|sh "/proc/$pid/comm"
	wait_until apart "$pid"
	echo '0 0 65536' >"/proc/$pid/uid_map"
	echo '0 0 65536' >"/proc/$pid/gid_map"
	echo >&9
	exec 9>&-
	wait "$pid" || r=$?
	cat "$TMP/userns.out"
	return "$r"
}

apart() {
	[ "$(readlink "/proc/$1/ns/user")" != "$(readlink /proc/self/ns/user)" ]
}

@test "check reports that user namespaces are off, and what to do" {
	requires root userns
	new_user
	# shellcheck disable=SC2016 # for the inner shell
	run in_userns sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces || exit 99
		exec setpriv --reuid 3003 --regid 3003 --clear-groups \
			"$0" check' "$USER_HOME/sandlock"
	# Without both nothing can be held.
	[ "$status" -eq $((1 + ($(landlock_version) == 0))) ]
	assert_output_has "cannot create a user namespace"
	assert_output_has "sysctl user.max_user_namespaces="
}

# ---- completion ----

# completed WORD...: what bash would offer for the last of them.
# shellcheck disable=SC2016 # for the inner shell
completed() {
	PATH=$(dirname "$SANDLOCK"):$PATH bash --norc -c '
		eval "$(sandlock completion bash)"
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_sandlock
		printf "%s\n" "${COMPREPLY[@]}"
	' bash "$@" 3>&-
}

offers() {
	local wanted=$1

	shift
	completed "$@" >"$TMP/offered"
	grep -qx -- "$wanted" "$TMP/offered" || {
		echo "no $wanted for: $*"
		cat "$TMP/offered"
		return 1
	}
}

@test "bash completes commands, flags and values of flags" {
	for command in $commands; do
		offers "$command" sandlock ""
	done
	offers --root sandlock --r
	[ "$(completed sandlock expl)" = explain ]
	offers --allow-read sandlock run --allow
	offers --filesystem-deny-write sandlock explain --filesystem-
	offers -m sandlock wrap -
	offers --toml sandlock inspect --
	offers @system sandlock run -r @
	offers @known-secrets sandlock run --filesystem-deny ""
	offers loopback sandlock run --network-mode ""
	offers fs_refer sandlock run --config-allow-degraded fs_
	offers ptrace sandlock run --syscalls-extra-allow = pt
	offers ptrace sandlock run --syscalls-extra-allow =
	offers true sandlock run --json = ""
	offers validate sandlock profile ""
	offers schema sandlock profile ""
	offers fish sandlock completion ""
	[ "$(completed sandlock --root /tmp wr)" = wrap ]
}

@test "bash completes files, profiles, and the command behind the flags" {
	user_profile build </dev/null
	user_profile other </dev/null
	offers build sandlock run -p ""
	[ "$(completed sandlock profile show oth)" = other ]
	touch "$TMP/some-file"
	offers "$TMP/some-file" sandlock run -w "$TMP/some"
	offers "$TMP/some-file" sandlock run --policy "$TMP/some"
	offers bash sandlock run bas
	offers bash sandlock run -m 1G --program-clean-env -- bas
	offers "$TMP/some-file" sandlock run -m 1G -- cat "$TMP/some"
	offers "$TMP/some-file" sandlock run cat "$TMP/some"
	[ -z "$(completed sandlock run -m 1G -- ls --allow-rea)" ]
}

@test "bash completes every flag of a policy" {
	completed sandlock run - >"$TMP/offered"
	sandlock run --help | grep -o -- '--[a-z][a-z0-9-]*' | sort -u >"$TMP/flags"
	[ "$(wc -l <"$TMP/flags")" -gt 60 ]
	while read -r flag; do
		grep -qx -- "$flag" "$TMP/offered" || {
			echo "no $flag"
			return 1
		}
	done <"$TMP/flags"
}

@test "bash completes no flag of a key that does not work" {
	completed sandlock run - >"$TMP/offered"
	run ! grep -x -- --limits-num-cpus "$TMP/offered"
}

@test "bash completes the names of sandboxes" {
	local pid

	mkfifo "$TMP/fifo"
	sandlock --root "$TMP/boxes" run -r /usr -r "$TMP" --name "my box" -- \
		cat "$TMP/fifo" 3>&- &
	pid=$!
	exec 5>"$TMP/fifo"
	offers "my box" sandlock --root "$TMP/boxes" kill m
	offers "my box" sandlock --root "$TMP/boxes" inspect --toml ""
	exec 5>&-
	wait "$pid"
	[ -z "$(completed sandlock --root "$TMP/boxes" kill "")" ]
}

@test "bash completes commands, options and containers of sandlock-oci" {
	mkdir -p "$TMP/state/web1"
	for command in create kill exec checkpoint; do
		offers "$command" sandlock-oci ""
	done
	offers --cgroup-manager sandlock-oci --cg
	offers disabled sandlock-oci --cgroup-manager ""
	offers json sandlock-oci --log-format = j
	offers --pid-file sandlock-oci create -
	[ -z "$(completed sandlock-oci state --pid)" ]
	for command in state kill exec delete; do
		offers web1 sandlock-oci --root "$TMP/state" "$command" ""
	done
	offers "$TMP/state" sandlock-oci run --bundle "$TMP/st"
	offers bash sandlock-oci exec web1 bas
}

@test "__complete prints no errors, and --help does not list it" {
	for program in "$SANDLOCK" "$SANDLOCK_OCI"; do
		run_ok "$program" __complete
		[ -z "$output" ]
		run_ok "$program" __complete --no-such-option nonesuch --x ""
		[ -z "$output" ]
		run_ok "$program" __complete --root "$TMP/none" kill ""
		[ -z "$output" ]
		run_ok "$program" --help
		[[ $output != *__complete* ]]
	done
}

@test "bash, zsh and fish can read their completion scripts" {
	sandlock completion bash >"$TMP/sandlock.bash"
	bash -n "$TMP/sandlock.bash"
	sandlock completion zsh >"$TMP/_sandlock"
	[ "$(head -n 1 "$TMP/_sandlock")" = "#compdef sandlock sandlock-oci" ]
	sandlock completion fish >"$TMP/sandlock.fish"
	requires shellcheck
	shellcheck "$TMP/sandlock.bash"
}

@test "zsh reads its completion script" {
	requires zsh
	sandlock completion zsh >"$TMP/_sandlock"
	zsh -n "$TMP/_sandlock"
	# shellcheck disable=SC2016 # for the inner shell
	run_ok zsh -fc 'fpath=($1 $fpath); autoload -Uz compinit &&
		compinit -u -d $1/dump && print $_comps[sandlock]' zsh "$TMP"
	assert_lines _sandlock
}

# shellcheck disable=SC2016 # for the inner shell
@test "zsh completes commands, flags and values by its completion script" {
	requires zsh
	sandlock completion zsh >"$TMP/_sandlock"
	for program in sandlock sandlock-oci; do
		run_ok env PATH="$(dirname "$SANDLOCK"):$PATH" zsh -fc '
			compset() { print compset "$@" }
			_describe() { print -l -- $found }
			_files() { print files "$@" }
			show() { words=("$@") CURRENT=$# PREFIX=$@[-1]; . $script }
			script=$1 program=$2
			show $program ""
			show $program --roo
			show $program --root ""
			show sandlock run --network-mode=l' \
			zsh "$TMP/_sandlock" "$program"
		assert_output_has "kill:"
		assert_output_has "--root:directory for the state of "
		assert_output_has "files -/"
		assert_output_has "compset -P *=
loopback:"
	done
}

@test "fish completes commands and flags by its completion script" {
	requires fish
	sandlock completion fish >"$TMP/sandlock.fish"
	fish --no-execute "$TMP/sandlock.fish"
	touch "$TMP/some-file"
	# shellcheck disable=SC2016 # for the inner shell
	run_ok env HOME="$TMP" PATH="$(dirname "$SANDLOCK"):$PATH" fish --no-config -c \
		'source $argv[1]; complete -C "sandlock expl"
		complete -C "sandlock run --filesystem-deny-w"
		complete -C "sandlock run --network-mode=l"
		complete -C "sandlock run --filesystem-read=$HOME/some"
		complete -C "sandlock-oci --cgroup-manager dis"
		complete -C "sandlock-oci check"' \
		"$TMP/sandlock.fish"
	assert_output_has explain
	assert_output_has --filesystem-deny-write
	assert_output_has --network-mode=loopback
	assert_output_has "--filesystem-read=$TMP/some-file"
	assert_output_has disabled
	assert_output_has checkpoint
}
