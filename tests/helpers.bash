# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/helpers.bash - the verbs of the behaviour tests.
#
# A test file begins with `load helpers`. Every test gets a state directory
# ($ROOT) and a cgroup parent ($CGROUP_PARENT) of its own; when it ends, what
# it made is deleted, and anything left over fails it.
#
# Set here for the tests: SANDLOCK_OCI, SANDLOCK, TESTS, ROOT, TMP, BUNDLE,
# CGROUP_PARENT.
# SANDLOCK_DRIVER=systemd has systemd make the cgroups, in a slice of the test.

TESTS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SANDLOCK_OCI=${SANDLOCK_OCI:-${TESTS%/*}/sandlock-oci}

# `sandlock` lies beside `sandlock-oci`.
SANDLOCK=${SANDLOCK:-${SANDLOCK_OCI%-oci}}

# The unprivileged user of as_user; it need not exist on the host.
USER_ID=3003
USER_NAME=sandlock-test

setup() {
	sandlock_setup
}

teardown() {
	sandlock_teardown
}

# A file with a setup or teardown of its own calls these two in it.
sandlock_setup() {
	TMP=$BATS_TEST_TMPDIR
	ROOT=$TMP/state
	BUNDLE=
	CGROUP_PARENT=/sandlock-test-${SANDLOCK_RUN:+$SANDLOCK_RUN-}$$
	! by_systemd || CGROUP_PARENT=/${SANDLOCK_RUN:-sandlock}_test_$$.slice
	USER_HOME=
	export ROOT
}

# Into $WORK, an empty directory of the test.
enter_work() {
	WORK=$TMP/work
	mkdir -p "$WORK"
	cd "$WORK" || return
}

sandlock_teardown() {
	local dir id left

	for dir in "$ROOT"/*/; do
		[ ! -d "$dir" ] ||
			oci delete --force "$(basename "$dir")" || true
	done
	if [ -n "$USER_HOME" ]; then
		for id in $(as_user ./sandlock-oci list --quiet); do
			as_user ./sandlock-oci delete --force "$id" || true
		done
	fi
	left=$(leftovers) || true
	remove_test_cgroups
	[ -z "$USER_HOME" ] || rm -rf "$USER_HOME"
	if [ -n "$left" ]; then
		echo "left behind:"
		echo "$left"
		return 1
	fi
}

# ---- what a test needs from the machine ----

# requires WORD...: skip the test, with the reason, unless all hold. A word
# that is none of these is a program.
requires() {
	local need

	for need; do
		meets "$need" || skip "needs $need"
	done
}

meets() {
	case $1 in
	root) [ "$(id -u)" -eq 0 ] ;;
	cgroup1) [ -e /sys/fs/cgroup/pids/tasks ] ;;
	cgroup2) [ -e /sys/fs/cgroup/cgroup.controllers ] ;;
	hybrid) [ -e /sys/fs/cgroup/unified/cgroup.procs ] ;;
	systemd) [ "$(cat /proc/1/comm)" = systemd ] ;;
	cgroupfs) ! by_systemd ;;
	userns) unshare --user true 2>/dev/null ;;
	timens) [ -e /proc/self/ns/time ] ;;
	subids) command -v newuidmap >/dev/null ;;
	apparmor) [ "$(cat /sys/module/apparmor/parameters/enabled \
		2>/dev/null)" = Y ] ;;
	selinux) [ -e /sys/fs/selinux/enforce ] ;;
	idmap) kernel_since 5.12 ;;
	idmap_tmpfs) kernel_since 6.3 ;;
	sys_resource) has_capability 24 ;;
	sys_nice) has_capability 23 ;;
	static) ! is_dynamic "$SANDLOCK_OCI" ;;
	two_cpus) [ "$(nproc --all)" -ge 2 ] ;;
	numa) [ -e /proc/self/numa_maps ] ;;
	keyrings) [ -e /proc/keys ] ;;
	audit) grep -qw audit=1 /proc/cmdline ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

# landlock_version: 0 where there is none.
landlock_version() {
	"$SANDLOCK" check --json | sed -n 's/^  "landlockAbi": \([0-9]*\).*/\1/p'
}

# requires_landlock VERSION
requires_landlock() {
	[ "$(landlock_version)" -ge "$1" ] || skip "needs version $1 of Landlock"
}

has_capability() {
	local caps

	caps=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
	((16#$caps >> $1 & 1))
}

is_dynamic() {
	LC_ALL=C grep -aq '/ld-[a-z0-9-]*\.so' "$1"
}

# kernel_since VERSION: the running kernel is of this version or newer.
kernel_since() {
	[ "$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]
}

# ---- bundles ----

# The busybox rootfs all bundles are copied from, made once in a run.
template_rootfs() {
	local dir=$BATS_RUN_TMPDIR/rootfs new=$BATS_RUN_TMPDIR/rootfs.$$

	if [ ! -d "$dir" ]; then
		make_rootfs "$new"
		# Another file may have been faster.
		mv -T "$new" "$dir" 2>/dev/null || rm -rf "$new"
	fi
	echo "$dir"
}

make_rootfs() {
	local dir=$1

	mkdir -p "$dir"/{bin,dev,etc,proc,root,run,sbin,sys,tmp,usr/bin,var}
	chmod 1777 "$dir/tmp"
	cp "$(command -v busybox)" "$dir/bin/busybox"
	"$dir/bin/busybox" --install "$dir/bin"
	printf '%s\n' 'root:x:0:0:root:/root:/bin/sh' \
		'daemon:x:1:1:daemon:/tmp:/bin/sh' >"$dir/etc/passwd"
	printf '%s\n' 'root:x:0:' 'daemon:x:1:' >"$dir/etc/group"
}

# The same language; jq 1.6 takes 30 ms to start, on an emulated processor half a
# second.
if type -P gojq >/dev/null; then
	jq() {
		gojq "$@"
	}
fi

# The config.json of all bundles, but for the cgroup.
template_config() {
	local file=$BATS_RUN_TMPDIR/config.json new=$BATS_RUN_TMPDIR/config.$$

	if [ ! -e "$file" ]; then
		mkdir "$new"
		"$SANDLOCK_OCI" spec --bundle "$new"
		jq '.process.terminal = false | .process.args = ["true"] |
			.root.readonly = false | .linux.cgroupsPath = "@PATH@"' \
			"$new/config.json" >"$new/edited"
		mv "$new/edited" "$file"
		rm -r "$new"
	fi
	echo "$file"
}

# new_bundle [NAME [DIR]]: $BUNDLE is a fresh bundle that runs `true`.
new_bundle() {
	local name=${1:-bundle} dir=${2:-$TMP}

	BUNDLE=$dir/$name
	mkdir "$BUNDLE"
	cp -a "$(template_rootfs)" "$BUNDLE/rootfs"
	sed "s|@PATH@|$(cgroups_path "$name")|" "$(template_config)" \
		>"$BUNDLE/config.json"
}

# config EXPRESSION [JQ OPTIONS]: edit $BUNDLE/config.json.
config() {
	jq "$@" <"$BUNDLE/config.json" >"$BUNDLE/config.json.new" &&
		mv "$BUNDLE/config.json.new" "$BUNDLE/config.json"
}

# cgroup_namespace: give $BUNDLE one; `spec` lists none with cgroups version 1.
cgroup_namespace() {
	config '.linux.namespaces |= (map(select(.type != "cgroup")) +
		[{type: "cgroup"}])'
}

# with_userns: $BUNDLE has a user namespace, whose ids begin at 100000.
with_userns() {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000,
				       size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
}

# without_namespace TYPE: the container shares this namespace with the host.
# shellcheck disable=SC2016 # the dollars are jq's
without_namespace() {
	config --arg type "$1" \
		'del(.linux.namespaces[] | select(.type == $type))'
}

# without_mount_namespace: nor any of what needs one.
without_mount_namespace() {
	without_namespace mount
	config '.mounts = [] | del(.linux.maskedPaths, .linux.readonlyPaths)'
}

# args PROGRAM [ARGUMENT...]: what the container runs.
# shellcheck disable=SC2016 # the dollars are jq's
args() {
	config '.process.args = $ARGS.positional' --args -- "$@"
}

# annotate KEY=VALUE...: these and no others.
# shellcheck disable=SC2016 # the dollars are jq's
annotate() {
	config 'del(.annotations) |
		.annotations = (reduce $ARGS.positional[] as $pair ({};
			($pair | index("=")) as $at |
			.[$pair[:$at]] = $pair[$at + 1:]))' --args -- "$@"
}

# annotate_policy KEY=VALUE...: as annotate, of a policy; $DEGRADED comes first.
annotate_policy() {
	# shellcheck disable=SC2086 # none, or one
	set -- ${DEGRADED-} "$@"
	annotate "${@/#/io.sandlock.}"
}

# add_device JSON: to linux.devices.
# shellcheck disable=SC2016 # the dollars are jq's
add_device() {
	config --argjson device "$1" '.linux.devices += [$device]'
}

# ---- commands ----

# oci WORD...: `sandlock-oci`, with the state directory of the test.
oci() {
	"$SANDLOCK_OCI" --root "$ROOT" \
		${SANDLOCK_DRIVER:+--cgroup-manager "$SANDLOCK_DRIVER"} "$@" 3>&-
}

# sandlock WORD...: the program `sandlock`, with the same state directory.
sandlock() {
	"$SANDLOCK" --root "$ROOT" "$@" 3>&-
}

# sandbox WORD...: `sandlock run`, with the same state directory.
sandbox() {
	sandlock run "$@"
}

# with_own_etc COMMAND...: where a sandbox that may write /etc leaves the host's
# alone. While it runs, it has /etc/sandlock, and no user may read that.
with_own_etc() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c \
		'mount -t tmpfs none /etc && exec "$@"' sh "$@"
}

# user_sandbox WORD...: `sandlock run` by the user of new_user.
user_sandbox() {
	as_user ./sandlock run "$@"
}

# sandbox_without_userns WORD...: `sandlock run` where no user namespace can be
# made.
sandbox_without_userns() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --user --map-root-user sh -c '
		echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set -all --inh-caps -all "$@"' sh \
		"$SANDLOCK" --root "$ROOT" run "$@"
}

# shellcheck disable=SC2154 # bats sets status and output
# run_ok COMMAND...: as `run`, and it must succeed.
run_ok() {
	run "$@"
	if [ "$status" -ne 0 ]; then
		echo "status $status from: $*"
		echo "$output"
		return 1
	fi
}

# run_bad TEXT COMMAND...: it must fail with status 1 and say TEXT.
run_bad() {
	local text=$1

	shift
	run "$@"
	if [ "$status" -ne 1 ] || [[ $output != *"$text"* ]]; then
		echo "expected status 1 and \"$text\" from: $*"
		echo "status $status: $output"
		return 1
	fi
}

# sandlock_bad TEXT WORD...: `sandlock` must fail by itself, with one line: TEXT.
# shellcheck disable=SC2154 # bats sets lines
sandlock_bad() {
	local text=$1

	shift
	run sandlock "$@"
	if [ "$status" -ne 125 ] || [ "${#lines[@]}" -ne 1 ] ||
		[[ $output != *"$text"* ]]; then
		echo "expected status 125 and \"$text\" from: sandlock $*"
		echo "status $status: $output"
		return 1
	fi
}

# create ID [OPTION...]: from $BUNDLE. The container's output goes to
# $TMP/ID.out: it would keep `run` waiting for as long as it lives.
create() {
	local id=$1

	shift
	oci create --bundle "$BUNDLE" --pid-file "$TMP/$id.pid" "$@" \
		"$id" </dev/null >"$TMP/$id.out" 2>&1 || {
		local r=$?

		cat "$TMP/$id.out"
		return $r
	}
}

# start_container ID [OPTION...]: create and start it.
start_container() {
	create "$@" && oci start "$1"
}

# start_sleeping ID: a bundle of its own that sleeps until it is killed.
start_sleeping() {
	new_bundle "$1"
	args sleep 1000
	start_container "$1"
}

# start_box [PROGRAM...]: start the container box from $BUNDLE; $PID is the pid
# of its init.
# shellcheck disable=SC2034 # for the tests
start_box() {
	[ $# -eq 0 ] || args "$@"
	start_container box
	PID=$(pid_of box)
}

# run_bundle: the program of $BUNDLE, in the foreground, as container box.
run_bundle() {
	oci run --bundle "$BUNDLE" box
}

# run_fails TEXT: `run` must fail, say TEXT and leave nothing.
run_fails() {
	run_bad "$1" run_bundle
	assert_gone box
}

# config_fails TEXT JQ: with config.json changed by JQ, `run` fails with TEXT.
config_fails() {
	config "$2"
	run_fails "$1"
}

# oci_on_pty SIZE [TYPE] -- WORD...: `sandlock-oci` on a terminal of its own.
oci_on_pty() {
	local arguments=()

	while [ "$1" != -- ]; do
		arguments+=("$1")
		shift
	done
	shift
	"$TESTS/terminal.py" pty "${arguments[@]}" -- \
		"$SANDLOCK_OCI" --root "$ROOT" "$@" 3>&-
}

# The pid of a container's init.
pid_of() {
	oci state "$1" | sed -n 's/^  "pid": \([0-9]*\).*/\1/p'
}

# ---- mounts ----

# add_mount DESTINATION TYPE SOURCE [OPTION...]: to the end of mounts. An empty
# TYPE or SOURCE is left out.
# shellcheck disable=SC2016 # the dollars are jq's
add_mount() {
	config --arg to "$1" --arg type "$2" --arg from "$3" \
		--argjson options "$(jq -cn '$ARGS.positional' --args -- \
			"${@:4}")" '
		.mounts += [{destination: $to, type: $type, source: $from,
			     options: $options} | del(.[] | select(. == ""))]'
}

# run_inside SCRIPT [OPTION...]: run it in a container made from $BUNDLE.
run_inside() {
	args sh -c "$1"
	run_ok oci run --bundle "$BUNDLE" "${@:2}" inside
}

# create_fails TEXT: `create` must fail, say TEXT and leave nothing.
create_fails() {
	run_bad "$1" create refused
	assert_gone refused
}

# privately COMMAND...: in a mount namespace of its own, from which nothing
# reaches the host.
privately() {
	unshare --mount --propagation private "$@" 3>&-
}

# in_host_network COMMAND...: in the network namespace of process $HOST, which
# stands for the host's.
in_host_network() {
	nsenter --net="/proc/$HOST/ns/net" "$@" 3>&-
}

# assert_lines EXPECTED: all that the last `run` printed.
assert_lines() {
	[ "$output" = "$1" ] || {
		diff <(echo "$1") <(echo "$output")
		return 1
	}
}

# ---- waiting and looking ----

# wait_until COMMAND...: until it succeeds; ten seconds are enough for anything
# where the processor is a real one.
wait_until() {
	local deadline=$((SECONDS + ${SANDLOCK_PATIENCE:-10}))

	until "$@"; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			echo "waited in vain for: $*"
			return 1
		fi
		sleep 0.02
	done
}

status_of() {
	oci state "$1" | sed -n 's/^  "status": "\([a-z]*\)".*/\1/p'
}

has_status() {
	[ "$(status_of "$1")" = "$2" ]
}

assert_status() {
	local now

	now=$(status_of "$1")
	if [ "$now" != "$2" ]; then
		echo "$1 is $now, not $2"
		return 1
	fi
}

# assert_output_has TEXT...: all of them are in that of the last `run`.
assert_output_has() {
	local text

	for text; do
		if [[ $output != *"$text"* ]]; then
			echo "expected \"$text\" in: $output"
			return 1
		fi
	done
}

# assert_gone ID: as if it had never been.
assert_gone() {
	if [ -e "$ROOT/$1" ]; then
		echo "$ROOT/$1 is still there"
		return 1
	fi
}

by_systemd() {
	[ "${SANDLOCK_DRIVER:-}" = systemd ]
}

# cgroup_of NAME: of a container from the bundle NAME. Units have no spaces.
cgroup_of() {
	if by_systemd; then
		echo "$CGROUP_PARENT/test-${1// /_}.scope"
	else
		echo "$CGROUP_PARENT/$1"
	fi
}

# cgroups_path NAME: the same in the words of config.json.
cgroups_path() {
	if by_systemd; then
		echo "${CGROUP_PARENT#/}:test:${1// /_}"
	else
		cgroup_of "$1"
	fi
}

# cgroup_dirs PATH: the directories of a cgroup in every hierarchy.
cgroup_dirs() {
	local dir

	for dir in /sys/fs/cgroup"$1" /sys/fs/cgroup/*"$1"; do
		[ ! -d "$dir" ] || [ -L "${dir%"$1"}" ] || echo "$dir"
	done
}

# Where this test may have bundles, one place a line.
test_places() {
	echo "$TMP/"
	[ -z "$USER_HOME" ] || echo "$USER_HOME/"
}

# leftovers: print what this test has not cleaned up.
leftovers() {
	[ ! -d "$ROOT" ] || find "$ROOT" -mindepth 1 -maxdepth 1
	grep -F "$(test_places)" /proc/self/mountinfo
	leftover_cgroups
	leftover_processes
}

nothing_left() {
	[ -z "$(leftovers)" ]
}

# The tests remove the parent itself; the runtime removes all below it.
leftover_cgroups() {
	local dir

	for dir in $(cgroup_dirs "$CGROUP_PARENT"); do
		find "$dir" -mindepth 1 -type d
	done
}

# Processes that still see a bundle of this test in a mount table of their own.
leftover_processes() {
	local table dir ours

	ours=$(readlink /proc/self/ns/mnt)
	grep -lsF "$(test_places)" /proc/[0-9]*/mountinfo | while read -r table; do
		dir=${table%/mountinfo}
		[ "$(readlink "$dir/ns/mnt")" = "$ours" ] ||
			echo "process ${dir#/proc/}: $(cat "$dir/comm")"
	done 2>/dev/null
}

remove_test_cgroups() {
	local dir

	! by_systemd || systemctl stop "${CGROUP_PARENT#/}"
	for dir in $(cgroup_dirs "$CGROUP_PARENT"); do
		find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || true
	done
}

# ---- without privileges ----

# new_user: a home ($USER_HOME) and a user database for as_user.
new_user() {
	local etc

	USER_HOME=$(mktemp -d -t sandlock-test.XXXXXX)
	etc=$USER_HOME/.etc
	mkdir "$etc" "$USER_HOME/run"
	cp /etc/passwd /etc/group "$etc/"
	echo "$USER_NAME:x:$USER_ID:$USER_ID::$USER_HOME:/bin/sh" >>"$etc/passwd"
	echo "$USER_NAME:x:$USER_ID:" >>"$etc/group"
	echo "$USER_NAME:300000:65536" | tee "$etc/subuid" >"$etc/subgid"
	chown "$USER_ID:$USER_ID" "$USER_HOME" "$USER_HOME/run"
	chmod 0755 "$USER_HOME"
	chmod 0700 "$USER_HOME/run"
	cp "$SANDLOCK_OCI" "$USER_HOME/sandlock-oci"
	[ ! -e "$SANDLOCK" ] || cp "$SANDLOCK" "$USER_HOME/sandlock"
}

# as_user COMMAND...: in a mount namespace where that database is /etc's; the
# host's own stays as it is. The binary is $USER_HOME/sandlock-oci.
as_user() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c '
		home=$1 id=$2
		shift 2
		for f in passwd group subuid subgid; do
			[ -e /etc/$f ] || : >/etc/$f
			mount --bind "$home/.etc/$f" /etc/$f || exit 1
		done
		cd "$home" || exit 1
		exec env -i PATH="$PATH" HOME="$home" \
			XDG_RUNTIME_DIR="$home/run" setpriv --reuid "$id" \
			--regid "$id" --clear-groups "$@"
	' as_user "$USER_HOME" "$USER_ID" "$@" 3>&-
}

# user_oci WORD...: `sandlock-oci`, called by the user; the state is below
# $USER_HOME/run.
user_oci() {
	as_user ./sandlock-oci "$@"
}

# user_run_bundle: run_bundle by the user.
user_run_bundle() {
	user_oci run --bundle "$BUNDLE" box
}

# new_user_bundle [NAME]: $BUNDLE belongs to that user, by `spec --rootless`.
new_user_bundle() {
	BUNDLE=$USER_HOME/${1:-bundle}
	mkdir "$BUNDLE"
	cp -a "$(template_rootfs)" "$BUNDLE/rootfs"
	chown -R "$USER_ID:$USER_ID" "$BUNDLE"
	as_user ./sandlock-oci spec --rootless --bundle "$BUNDLE"
	config '.process.terminal = false | .process.args = ["true"]'
	chown "$USER_ID:$USER_ID" "$BUNDLE/config.json"
}
