#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/process.bats - the ids, capabilities and limits of the program.
#
# jq has dollars of its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers

# field_of PID FIELD: from /proc/PID/status, blanks as one space.
field_of() {
	sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status" | tr -s '\t ' ' ' |
		sed 's/ $//'
}

# The program sleeps; $PID is its pid on the host.
start_program() {
	args sleep 1000
	start_container box
	PID=$(pid_of box)
}

# capability_bits NAME...: the mask /proc shows for these.
capability_bits() {
	local name bits=0

	for name; do
		case $name in
		CHOWN) bits=$((bits | 1 << 0)) ;;
		KILL) bits=$((bits | 1 << 5)) ;;
		SETUID) bits=$((bits | 1 << 7)) ;;
		NET_BIND_SERVICE) bits=$((bits | 1 << 10)) ;;
		SYS_ADMIN) bits=$((bits | 1 << 21)) ;;
		CHECKPOINT_RESTORE) bits=$((bits | 1 << 40)) ;;
		esac
	done
	printf '%016x\n' "$bits"
}

# ---- user ----

@test "the program runs as the user, group and further groups of config.json" {
	requires root
	new_bundle box
	config '.process.user = {uid: 1234, gid: 2345,
		additionalGids: [10, 20, 20, 30]}'
	start_program
	[ "$(field_of "$PID" Uid)" = "1234 1234 1234 1234" ]
	[ "$(field_of "$PID" Gid)" = "2345 2345 2345 2345" ]
	[ "$(field_of "$PID" Groups)" = "10 20 20 30" ]
}

@test "a program without additionalGids has none of the caller's groups" {
	requires root setpriv
	new_bundle box
	args sh -c 'grep ^Groups: /proc/self/status'
	run_ok setpriv --groups 7,8,9 "$SANDLOCK_OCI" --root "$ROOT" run \
		--bundle "$BUNDLE" box
	[ "$(tr -d '\t ' <<<"$output")" = Groups: ]
}

@test "the program's umask is config.json's, or 0022 whatever the caller's is" {
	requires root
	new_bundle box
	args sh -c umask
	umask 0077
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 0022 ]
	config '.process.user.umask = 63'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 0077 ]
	config '.process.user.umask = 0'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 0000 ]
}

@test "create names a user that is not mapped" {
	requires root userns
	new_bundle box
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 0, size: 10}] |
		.linux.gidMappings = [{containerID: 0, hostID: 0, size: 10}] |
		.process.user.uid = 10'
	run_bad "process.user.uid: 10 is not mapped" \
		oci run --bundle "$BUNDLE" box
	config '.process.user = {uid: 9, gid: 10}'
	run_bad "process.user.gid: 10 is not mapped" \
		oci run --bundle "$BUNDLE" box
	config '.process.user = {uid: 9, gid: 9, additionalGids: [1, 11]}'
	run_bad "process.user.additionalGids[1]: 11 is not mapped" \
		oci run --bundle "$BUNDLE" box
	assert_gone box
}

# ---- capabilities ----

@test "a program without capabilities has five empty sets, even as root" {
	requires root
	local set sets

	for sets in 'del(.process.capabilities)' '.process.capabilities = {}' \
		'.process.capabilities = null'; do
		new_bundle box
		config "$sets"
		start_program
		for set in CapInh CapPrm CapEff CapBnd CapAmb; do
			[ "$(field_of "$PID" $set)" = 0000000000000000 ]
		done
		oci delete --force box
		rm -rf "$BUNDLE"
	done
}

@test "each of the five capability sets is that of config.json before the program starts" {
	requires root
	new_bundle box
	config '.process.user.uid = 1000 | .process.capabilities = {
		bounding: ["CAP_CHOWN", "CAP_KILL", "CAP_SETUID",
			"CAP_NET_BIND_SERVICE", "CAP_CHECKPOINT_RESTORE"],
		permitted: ["CAP_CHOWN", "CAP_KILL", "CAP_SETUID"],
		effective: ["CAP_CHOWN", "CAP_KILL"],
		inheritable: ["CAP_CHOWN"],
		ambient: ["CAP_CHOWN"]}'
	args sleep 1000
	create box
	PID=$(pid_of box)
	[ "$(field_of "$PID" CapBnd)" = "$(capability_bits CHOWN KILL SETUID \
		NET_BIND_SERVICE CHECKPOINT_RESTORE)" ]
	[ "$(field_of "$PID" CapPrm)" = \
		"$(capability_bits CHOWN KILL SETUID)" ]
	[ "$(field_of "$PID" CapEff)" = "$(capability_bits CHOWN KILL)" ]
	[ "$(field_of "$PID" CapInh)" = "$(capability_bits CHOWN)" ]
	[ "$(field_of "$PID" CapAmb)" = "$(capability_bits CHOWN)" ]
}

@test "a user other than root keeps the ambient capabilities only" {
	requires root
	new_bundle box
	config '.process.user.uid = 1000 |
		["CAP_KILL", "CAP_NET_BIND_SERVICE"] as $both |
		.process.capabilities = {bounding: $both, permitted: $both,
		effective: $both, inheritable: $both, ambient: ["CAP_KILL"]}'
	start_program
	[ "$(field_of "$PID" CapEff)" = "$(capability_bits KILL)" ]
	[ "$(field_of "$PID" CapPrm)" = "$(capability_bits KILL)" ]
	[ "$(field_of "$PID" CapAmb)" = "$(capability_bits KILL)" ]
	[ "$(field_of "$PID" CapInh)" = \
		"$(capability_bits KILL NET_BIND_SERVICE)" ]
}

@test "execve gives root its bounding and inheritable capabilities" {
	requires root
	new_bundle box
	config '["CAP_KILL", "CAP_CHOWN"] as $both |
		.process.capabilities = {bounding: $both, permitted: $both,
		effective: $both}'
	start_program
	[ "$(field_of "$PID" CapEff)" = "$(capability_bits KILL CHOWN)" ]
	[ "$(field_of "$PID" CapBnd)" = "$(capability_bits KILL CHOWN)" ]
	[ "$(field_of "$PID" CapInh)" = "$(capability_bits)" ]
	[ "$(field_of "$PID" CapAmb)" = "$(capability_bits)" ]
}

@test "an unknown capability is a warning, and the others are set" {
	requires root
	new_bundle box
	config '["CAP_KILL", "CAP_NO_SUCH_THING"] as $caps |
		.process.capabilities = {bounding: $caps, permitted: $caps,
		effective: $caps}'
	args grep CapEff /proc/self/status
	run_ok oci run --bundle "$BUNDLE" box
	[[ $output = *$'\t'"$(capability_bits KILL)" ]]
	run_ok oci --debug run --bundle "$BUNDLE" box
	assert_output_has "process.capabilities: unknown capability CAP_NO_SUCH_THING"
}

@test "a capability that the caller does not have is a warning" {
	requires root setpriv
	new_bundle box
	config '["CAP_KILL", "CAP_CHECKPOINT_RESTORE"] as $caps |
		.process.capabilities = {bounding: $caps, permitted: $caps,
		effective: $caps, inheritable: $caps, ambient: $caps}'
	args grep ^Cap /proc/self/status
	run_ok setpriv --bounding-set -checkpoint_restore -- \
		"$SANDLOCK_OCI" --root "$ROOT" --debug run --bundle "$BUNDLE" box
	assert_output_has "process.capabilities.bounding: \
CAP_CHECKPOINT_RESTORE cannot be granted"
	[ "$(grep -c "^Cap.*$(capability_bits KILL)$" <<<"$output")" -eq 5 ]
}

@test "noNewPrivileges decides whether no_new_privs is set" {
	requires root
	new_bundle box
	args grep NoNewPrivs /proc/self/status
	config '.process.noNewPrivileges = true'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = $'NoNewPrivs:\t1' ]
	config '.process.noNewPrivileges = false'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = $'NoNewPrivs:\t0' ]
}

# ---- limits ----

# All types; lower than what machines give: raising takes CAP_SYS_RESOURCE.
# jq would round the large ones, so they are put in as text.
limits() {
	cat <<-END
		AS 9007199254740993 18446744073709551615
		CORE 0 1
		CPU 1000000 18446744073709551615
		DATA 9007199254740993 9007199254740995
		FSIZE 4294967296 4294967297
		LOCKS 100 18446744073709551615
		MEMLOCK 4096 65536
		MSGQUEUE 4097 4098
		NICE 0 0
		NOFILE 100 200
		NPROC 1001 1002
		RSS 9007199254740993 18446744073709551615
		RTPRIO 0 0
		RTTIME 5000000 18446744073709551615
		SIGPENDING 501 502
		STACK 1048576 2097152
	END
}

# rlimit_of PID TYPE: soft and hard as numbers.
rlimit_of() {
	prlimit --pid "$1" "--${2,,}" --noheadings --raw --output SOFT,HARD |
		sed 's/unlimited/18446744073709551615/g'
}

# set_limits: from "TYPE SOFT HARD" lines.
set_limits() {
	local list

	list=$(sed 's/\(.*\) \(.*\) \(.*\)/{"type": "RLIMIT_\1", "soft": \2, "hard": \3},/')
	config '.process.rlimits = "LIMITS"'
	sed -i "s/\"LIMITS\"/[$(tr -d '\n' <<<"${list%,}")]/" \
		"$BUNDLE/config.json"
}

@test "every resource limit reads back exactly" {
	requires root prlimit
	local type wanted

	new_bundle box
	args sleep 1000
	set_limits < <(limits)
	start_container box
	while read -r type wanted; do
		[ "$type $(rlimit_of "$(pid_of box)" "$type")" = \
			"$type $wanted" ]
	done < <(limits)
}

@test "resource limits of config.json apply to exec" {
	requires root
	new_bundle box
	args sleep 1000
	set_limits <<<"NOFILE 17 19"
	start_container box
	run_ok oci exec --user 12:34 box sh -c 'ulimit -Sn; ulimit -Hn'
	[ "$output" = $'17\n19' ]
}

@test "resource limits are set from outside a user namespace" {
	requires root userns prlimit
	new_bundle box
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
		[{containerID: 0, hostID: 100000, size: 100}] |
		.linux.gidMappings = .linux.uidMappings | .process.user.uid = 5'
	args sleep 1000
	set_limits <<<$'NOFILE 17 200\nSIGPENDING 11 12'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	chmod a+x "$TMP" "${TMP%/*}" "${TMP%/*/*}" "$BATS_RUN_TMPDIR"
	start_container box
	[ "$(rlimit_of "$(pid_of box)" NOFILE)" = "17 200" ]
	[ "$(rlimit_of "$(pid_of box)" SIGPENDING)" = "11 12" ]
}

@test "create reports the place of a resource limit that is listed twice" {
	requires root
	new_bundle box
	set_limits <<<$'CORE 1 1\nNOFILE 5 5\nCORE 0 0'
	run_bad "process.rlimits[2].type: the limit of this resource is given twice" \
		oci run --bundle "$BUNDLE" box
}

@test "create refuses a soft limit above the hard one, and an unknown type of limit" {
	requires root
	new_bundle box
	set_limits <<<"CORE 2 1"
	run_bad "process.rlimits[0].soft: 2 exceeds the hard limit 1" \
		oci run --bundle "$BUNDLE" box
	set_limits <<<"FOO 2 1"
	run_bad "process.rlimits[0].type: " oci run --bundle "$BUNDLE" box
	assert_output_has RLIMIT_FOO
}

@test "create names a resource limit that cannot be raised, and leaves nothing" {
	requires root prlimit setpriv
	new_bundle box
	set_limits <<<"SIGPENDING 50 51"
	run_bad "process.rlimits[0]: set" prlimit --sigpending=10:10 \
		setpriv --bounding-set -sys_resource -- \
		"$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	assert_output_has "operation not permitted"
	assert_gone box
}

@test "a limit of three open files is enough to wait for start and to run" {
	requires root
	new_bundle box
	args sh -c 'ulimit -n'
	set_limits <<<"NOFILE 3 3"
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 3 ]
	start_container box
	wait_until has_status box stopped
	[ "$(cat "$TMP/box.out")" = 3 ]
}

# ---- out of memory score ----

@test "create sets the out-of-memory score of config.json" {
	requires root
	new_bundle box
	args cat /proc/self/oom_score_adj
	config '.process.oomScoreAdj = 321'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 321 ]
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 0, size: 10}] |
		.linux.gidMappings = .linux.uidMappings'
	run_ok oci run --bundle "$BUNDLE" box
	[ "$output" = 321 ]
}

@test "the out-of-memory score stays the caller's when config.json has none" {
	requires root choom
	new_bundle box
	args cat /proc/self/oom_score_adj
	config 'del(.process.oomScoreAdj)'
	run_ok choom -n 77 -- "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	[ "$output" = 77 ]
	config '.process.oomScoreAdj = 0'
	run_ok choom -n 77 -- "$SANDLOCK_OCI" --root "$ROOT" run --bundle "$BUNDLE" box
	[ "$output" = 0 ]
}

@test "create refuses an out-of-memory score out of range" {
	requires root
	new_bundle box
	config '.process.oomScoreAdj = 1001'
	run_bad "process.oomScoreAdj: 1001 is not in the range -1000 to 1000" \
		oci run --bundle "$BUNDLE" box
}
