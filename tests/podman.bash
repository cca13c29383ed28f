# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/podman.bash - podman where systemd makes the cgroups, by root or a user.
#
# The virtual machine has it for files that load this; see tests/vm/podman.

# After a skip bats may wait for the end of the time a test has.
unset BATS_TEST_TIMEOUT

IMAGE=localhost/busybox
PODMAN_HOME=/var/tmp/podman-home

# lacks: what is missing here, if anything. The tests write to /etc.
lacks() {
	if ! meets systemd || ! meets cgroup2 ||
		[ ! -e "/etc/systemd/system/user-manager@.service" ]; then
		echo "systemd of the virtual machine"
	elif ! type -P podman >/dev/null; then
		echo podman
	fi
}

# What only tests need: the machine has neither a journal nor a network.
write_test_configuration() {
	cat >/etc/containers/containers.conf.d/tests.conf <<-END
		[containers]
		log_driver = "k8s-file"
		netns = "none"
		[engine]
		cgroup_manager = "systemd"
		events_logger = "file"
	END
}

# load_image: for the caller that by_root or by_user chose.
load_image() {
	tar -C "$BATS_FILE_TMPDIR/rootfs" -c . | podman import -q \
		-c 'ENV PATH=/bin' - "$IMAGE" >/dev/null
}

# by_root: or skip the test. $SCOPES is where the slices of the manager are.
by_root() {
	[ -z "$(lacks)" ] || skip "needs $(lacks)"
	CALLER=(env HOME=/root)
	SCOPES=/sys/fs/cgroup
	SLICE=machine.slice
	MANAGER=--system
}

# As a user with a session, but from a cgroup of root.
by_user() {
	[ -z "$(lacks)" ] || skip "needs $(lacks)"
	CALLER=(setpriv --reuid "$USER_ID" --regid "$USER_ID" --clear-groups
		--inh-caps=-all env -i -C "$PODMAN_HOME" HOME="$PODMAN_HOME"
		PATH="$PATH" XDG_RUNTIME_DIR="/run/user/$USER_ID"
		"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$USER_ID/bus")
	SCOPES=/sys/fs/cgroup/user.slice/user-$USER_ID.slice
	SCOPES+=/user-manager@$USER_ID.service
	SLICE=user.slice
	MANAGER=--user
}

start_user() {
	systemctl start "user-manager@$USER_ID"
	mkdir "$PODMAN_HOME"
	chown "$USER_ID:$USER_ID" "$PODMAN_HOME"
	by_user
	manager start dbus.socket
}

podman() {
	"${CALLER[@]}" podman "$@" 3>&-
}

# manager WORD...: systemctl of the caller.
manager() {
	"${CALLER[@]}" systemctl "$MANAGER" "$@"
}

# start_in_scope [OPTION...]: one that sleeps until it is stopped; $SCOPE is
# its cgroup.
start_in_scope() {
	local id

	id=$(podman run -d --name a "$@" "$IMAGE" \
		sh -c 'trap "exit 3" TERM; sleep 1000 & wait')
	SCOPE=$SCOPES/$SLICE/libpod-$id.scope
}

# podman_run_rm OPTION... IMAGE PROGRAM...: and remove it.
podman_run_rm() {
	podman run --rm "$@"
}

# podman_limit_is FILE VALUE: does the kernel, for the container of
# `start_in_scope`?
podman_limit_is() {
	local value

	value=$(cat "$SCOPE/$1")
	[ "$value" = "$2" ] || {
		echo "$1 is $value, not $2"
		return 1
	}
}

# write_service NAME OPTION... IMAGE PROGRAM...: for the caller's manager.
write_service() {
	local dir=/run/systemd/${MANAGER#--}

	mkdir -p "$dir"
	cat >"$dir/$1.service" <<-END
		[Unit]
		DefaultDependencies=no
		[Service]
		Delegate=yes
		Environment=PATH=$PATH HOME=$PODMAN_HOME
		ExecStart=/usr/bin/podman run ${*:2}
	END
}

# What containers and pods have left: units of the caller, and cgroups.
left_of_containers() {
	manager list-units --all --plain --no-legend '*libpod[-_]*'
	find /sys/fs/cgroup -name '*libpod[-_]*'
}

no_container_left() {
	[ -z "$(left_of_containers)" ]
}
