#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2030,SC2031 # each test has a process of its own
# The systemd driver: a container is a unit, and its limits are properties.

load helpers
load systemd

# unit_limit_is ID FILE VALUE: does the kernel?
unit_limit_is() {
	local value

	value=$(cat "/sys/fs/cgroup/slice.slice/slice-$1.slice/web-$1.scope/$2")
	[ "$value" = "$3" ] || {
		echo "$1: $2 is $value, not $3"
		return 1
	}
}

# A scope of the name a container wants; with properties.
other_unit() {
	local unit=$1

	shift
	sleep 1000 >/dev/null 2>&1 3>&- &
	OTHER=$!
	"$HELPER" start "$unit" "$OTHER" "$@"
}

@test "--systemd-cgroup refuses a cgroupsPath of another form than SLICE:PREFIX:NAME" {
	requires root
	new_bundle
	config '.linux.cgroupsPath = "/a/b"'
	run_bad "linux.cgroupsPath: '/a/b' is not of the form slice:prefix:name" \
		create_unit web1
	assert_gone web1
	config '.linux.cgroupsPath = "a:b:c"'
	run_bad "linux.cgroupsPath: 'a' is not the name of a systemd slice" create_unit web1
	assert_gone web1
}

@test "systemd has a container as a scope of its slice, with its process" {
	requires root systemd cgroup2
	start_unit x1
	unit_property_is web-x1.scope ActiveState active
	unit_property_is web-x1.scope Slice slice-x1.slice
	unit_property_is web-x1.scope Delegate yes
	unit_property_is web-x1.scope DefaultDependencies no
	unit_property_is web-x1.scope CollectMode inactive-or-failed
	unit_property_is web-x1.scope MemoryAccounting yes
	unit_property_is web-x1.scope TasksAccounting yes
	[ "$(cat "/proc/$(pid_of x1)/cgroup")" = \
		"0::/slice.slice/slice-x1.slice/web-x1.scope" ]
	# Its own cgroup namespace begins there.
	[ "$(oci exec x1 cat /proc/self/cgroup)" = "0::/" ]
}

@test "the scope of a container without a cgroupsPath is in system.slice" {
	requires root systemd cgroup2
	new_unit_bundle x1 'del(.linux.cgroupsPath)'
	"$SANDLOCK_OCI" --root "$ROOT" --cgroup-manager systemd run --detach \
		--bundle "$BUNDLE" x1 </dev/null >"$TMP/x1.out" 2>&1 3>&-
	unit_property_is sandlock-x1.scope Slice system.slice
	oci delete --force x1
	no_unit sandlock-x1.scope
}

@test "a cgroupsPath whose name is a slice means that slice itself" {
	requires root systemd cgroup2
	new_unit_bundle x1 '.linux.cgroupsPath = "::own-x1.slice"'
	create_unit x1
	unit_property_is own-x1.slice ActiveState active
	[ "$(cat "/proc/$(pid_of x1)/cgroup")" = \
		"0::/own.slice/own-x1.slice" ]
	oci delete --force x1
	run systemctl is-active own-x1.slice
	[ "$output" = inactive ]
}

@test "limits are set as properties of the systemd unit and in the kernel" {
	requires root systemd cgroup2
	start_unit x1 '.linux.resources += {
		memory: {limit: 67108864, reservation: 33554432,
			swap: 100663296},
		cpu: {shares: 1024, quota: 33333, period: 100000, cpus: "0",
			mems: "0"},
		pids: {limit: 33},
		blockIO: {weight: 1000},
		unified: {"memory.high": "50331648"}}'
	unit_property_is web-x1.scope MemoryMax 67108864
	unit_property_is web-x1.scope MemoryLow 33554432
	unit_property_is web-x1.scope MemoryHigh 50331648
	unit_property_is web-x1.scope MemorySwapMax 33554432
	unit_property_is web-x1.scope CPUQuotaPerSecUSec 340ms
	unit_property_is web-x1.scope CPUQuotaPeriodUSec 100ms
	unit_property_is web-x1.scope CPUWeight 100
	unit_property_is web-x1.scope AllowedCPUs 0
	unit_property_is web-x1.scope AllowedMemoryNodes 0
	unit_property_is web-x1.scope TasksMax 33
	unit_property_is web-x1.scope IOWeight 10000
	unit_limit_is x1 memory.max 67108864
	unit_limit_is x1 memory.low 33554432
	unit_limit_is x1 memory.high 50331648
	unit_limit_is x1 cpu.max "33333 100000"
	unit_limit_is x1 cpu.weight 100
	unit_limit_is x1 cpuset.cpus 0
	unit_limit_is x1 pids.max 33
}

@test "device rules of a container apply beside those of systemd" {
	requires root systemd cgroup2
	start_unit x1 '.linux.resources.devices = [
		{allow: false, access: "rwm"},
		{allow: true, type: "b", major: 254, access: "r"}]'
	unit_property_is web-x1.scope DevicePolicy strict
	systemctl show -P DeviceAllow web-x1.scope | grep -x "block-254 r"
	oci exec x1 sh -c 'echo x >/dev/null'
	pid=$(pid_of x1)
	[ "$(stat -c %t /dev/vda)" = fe ] # 254
	mknod "/proc/$pid/root/dev/vda" b 254 0
	mknod "/proc/$pid/root/dev/ttyS0" c 4 64
	oci exec x1 sh -c ': </dev/vda'
	run_bad "/dev/vda: Operation not permitted" \
		oci exec x1 sh -c ': >/dev/vda'
	run_bad "/dev/ttyS0: Operation not permitted" \
		oci exec x1 sh -c ': </dev/ttyS0'
}

@test "update changes the properties of the systemd unit and the kernel's files" {
	requires root systemd cgroup2
	start_unit x1 '.linux.resources += {memory: {limit: 67108864},
		pids: {limit: 33}}'
	oci update --memory 40m --cpu-quota 5000 --cpu-period 10000 x1
	unit_property_is web-x1.scope MemoryMax 41943040
	unit_property_is web-x1.scope CPUQuotaPerSecUSec 500ms
	unit_property_is web-x1.scope TasksMax 33
	unit_limit_is x1 memory.max 41943040
	unit_limit_is x1 cpu.max "5000 10000"
	unit_limit_is x1 pids.max 33
	oci update --memory -1 --pids-limit -1 --cpu-quota -1 x1
	unit_property_is web-x1.scope MemoryMax infinity
	unit_property_is web-x1.scope TasksMax infinity
	unit_property_is web-x1.scope CPUQuotaPerSecUSec infinity
	unit_limit_is x1 memory.max max
	unit_limit_is x1 pids.max max
	# The limits that systemd got stay when it writes everything again.
	oci update --pids-limit 44 x1
	systemctl daemon-reload
	unit_limit_is x1 pids.max 44
}

@test "a failed update leaves the properties of the systemd unit as they were" {
	requires root systemd cgroup2
	start_unit x1 '.linux.resources.memory.limit = 67108864'
	run_bad "linux.resources.unified.memory.max" oci update \
		--resources - x1 <<-EOF
			{"memory": {"limit": 50331648}, "pids": {"limit": 9},
			"unified": {"memory.max": "much"}}
		EOF
	unit_property_is web-x1.scope MemoryMax 67108864
	unit_property_is web-x1.scope TasksMax infinity
	unit_limit_is x1 memory.max 67108864
}

@test "pause, ps and exec work on a container's systemd scope" {
	requires root systemd cgroup2
	start_unit x1
	oci pause x1
	assert_status x1 paused
	unit_limit_is x1 cgroup.freeze 1
	oci resume x1
	assert_status x1 running
	[ "$(oci ps --format json x1 | jq 'length')" = 1 ]
	run_ok oci exec x1 cat /proc/self/cgroup
	[ "$output" = "0::/" ]
}

@test "delete removes the systemd unit of a container" {
	requires root systemd cgroup2
	start_unit x1
	oci kill x1 KILL
	wait_until no_unit web-x1.scope
	wait_until has_status x1 stopped
	oci delete x1
	start_unit x2
	oci delete --force x2
	no_unit web-x2.scope
	new_unit_bundle x3
	args true
	run_ok "$SANDLOCK_OCI" --root "$ROOT" --systemd-cgroup run \
		--bundle "$BUNDLE" x3
	no_unit web-x3.scope
	[ -z "$(find /sys/fs/cgroup -name 'web-x*')" ]
}

@test "create replaces a failed systemd unit of its name" {
	requires root systemd cgroup2
	other_unit web-x1.scope RuntimeMaxUSec=t=100000
	wait_until systemctl -q is-failed web-x1.scope
	start_unit x1
	unit_property_is web-x1.scope ActiveState active
}

@test "create refuses an active systemd unit of its name, and leaves it alone" {
	requires root systemd cgroup2
	other_unit web-x1.scope
	new_unit_bundle x1
	run_bad "--systemd-cgroup: start web-x1.scope: Unit web-x1.scope was" \
		create_unit x1
	assert_gone x1
	kill -0 "$OTHER"
	unit_property_is web-x1.scope ActiveState active
	kill "$OTHER"
	wait_until no_unit web-x1.scope
}

# The scope ended with its process, and the name was free.
@test "delete leaves alone a systemd unit that took the name meanwhile" {
	local slice

	requires root systemd cgroup2
	for slice in system.slice slice-x1.slice; do
		start_unit x1
		oci kill x1 KILL
		wait_until no_unit web-x1.scope
		other_unit web-x1.scope "Slice=s=$slice"
		oci delete --force x1
		assert_gone x1
		unit_property_is web-x1.scope ActiveState active
		grep -qw "$OTHER" "/sys/fs/cgroup$(systemctl show -P \
			ControlGroup web-x1.scope)/cgroup.procs"
		kill "$OTHER"
		wait_until no_unit web-x1.scope
		rm -rf "$BUNDLE"
	done
}

@test "org.systemd.property annotations set properties of the systemd unit" {
	requires root systemd cgroup2
	start_unit x1 '.annotations = {
		"org.systemd.property.TimeoutStopSec": "uint64 7",
		"org.systemd.property.Documentation":
			"[\"http://a.example\", \"man:b(1)\"]"}'
	unit_property_is web-x1.scope TimeoutStopUSec 7s
	unit_property_is web-x1.scope Documentation \
		'http://a.example "man:b(1)"'
}

@test "create refuses org.systemd.property annotations that are no properties, and leaves nothing" {
	requires root systemd cgroup2
	new_unit_bundle x1 \
		'.annotations = {"org.systemd.property.MemoryHigh": "lots"}'
	run_bad "annotations[\"org.systemd.property.MemoryHigh\"]: 'lots' is" \
		create_unit x1
	config '.annotations = {"org.systemd.property.Slice": "'"'a'"'"}'
	run_bad "Slice\"]: sandlock-oci sets this systemd property itself" create_unit x1
	config '.annotations = {"org.systemd.property.Nonsense": "5"}'
	run_bad "--systemd-cgroup: start web-x1.scope: " create_unit x1
	assert_gone x1
	no_unit web-x1.scope
}

# kill_create WHEN ID: the runtime dies before or after its unit is made.
kill_create() {
	cat >"$TMP/sandlock-systemd" <<-EOF
		#!/bin/sh
		[ \$1 = start ] || exec "$HELPER" "\$@"
		[ $1 = before ] || "$HELPER" "\$@"
		kill -KILL \$PPID
	EOF
	chmod +x "$TMP/sandlock-systemd"
	! SANDLOCK_LIBEXEC=$TMP create_unit "$2"
}

@test "a killed create leaves no systemd unit" {
	requires root systemd cgroup2
	for when in before after; do
		new_unit_bundle "$when"
		kill_create "$when" "$when"
		[ -e "$ROOT/$when/state.json" ]
		oci delete --force "$when"
		assert_gone "$when"
		no_unit "web-$when.scope"
		[ -z "$(find /sys/fs/cgroup -name "web-$when*")" ]
	done
}

# as_manager ARGUMENT...: sandlock-oci of the user, with the user's manager.
as_manager() {
	as_user env XDG_RUNTIME_DIR="/run/user/$USER_ID" \
		SANDLOCK_LIBEXEC="$(dirname "$HELPER")" ./sandlock-oci \
		--root "$USER_HOME/run/sandlock" "$@"
}

@test "a user's container is a scope of the user's systemd" {
	requires root systemd cgroup2
	local scope=/sys/fs/cgroup/user.slice/user-$USER_ID.slice

	systemctl cat "user-manager@" >/dev/null 2>&1 ||
		skip "needs systemd of the virtual machine"
	scope+=/user-manager@$USER_ID.service/user.slice/sandlock-u1.scope
	systemctl start "user-manager@$USER_ID"
	grep -qw cpuset "${scope%/user.slice/*}/cgroup.controllers"
	new_user
	new_user_bundle
	args sleep 1000
	config '.linux.cgroupsPath = "" | .linux.resources.pids.limit = 33'
	as_manager --systemd-cgroup run --detach --bundle "$BUNDLE" u1 \
		</dev/null >"$TMP/u1.out" 2>&1 || {
		cat "$TMP/u1.out"
		false
	}
	[ "$(cat "$scope/pids.max")" = 33 ]
	[ "$(as_manager state u1 | jq .pid)" = "$(cat "$scope/cgroup.procs")" ]
	# From outside of what the manager rules.
	as_manager exec --detach --pid-file run/pid u1 sleep 1000 \
		</dev/null >"$TMP/u1.out" 2>&1
	grep -qx "$(cat "$USER_HOME/run/pid")" "$scope/cgroup.procs"
	as_manager update --pids-limit 44 u1
	[ "$(cat "$scope/pids.max")" = 44 ]
	as_manager delete --force u1
	[ ! -e "$scope" ]
}
