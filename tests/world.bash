# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/world.bash - a network of the test's own: some hosts that answer, refuse
# or cannot be reached. No packet leaves it.
#
#	198.51.100.1, 2001:db8::1	TCP 7000 and UDP 7001 echo
#	198.51.100.3			unreachable
#	127.0.0.1			TCP 5432 echoes
#	198.51.100.9			the same, and not an address of the host
#	good.test, inner.test		198.51.100.9 and 10.1.2.3, by /etc/hosts

WORLD_PY=$BATS_TEST_DIRNAME/world.py

in_world() {
	nsenter --target "$(cat "$BATS_FILE_TMPDIR/world.pid")" --net --mount --wd="$PWD" \
		env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

make_world() {
	requires python3 ip unshare nsenter
	unshare --net --mount --propagation private sleep 1000 \
		>/dev/null 2>&1 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/world.pid"
	disown
	wait_until test_world
	{
		cat /etc/hosts
		echo 198.51.100.9 good.test
		echo 10.1.2.3 inner.test
	} >"$BATS_FILE_TMPDIR/hosts"
	# shellcheck disable=SC2016 # for the inner shell
	in_world sh -ec '
		mount --bind "$1" /etc/hosts
		ip link set lo up
		echo 0 2147483647 >/proc/sys/net/ipv4/ping_group_range
		ip address add 198.51.100.1/32 dev lo
		ip route add local 198.51.100.9 dev lo
		ip -6 address add 2001:db8::1/128 dev lo nodad
		ip route add unreachable 198.51.100.3' sh "$BATS_FILE_TMPDIR/hosts"
	in_world python3 "$WORLD_PY" serve "$BATS_FILE_TMPDIR/server.pid" \
		>"$BATS_FILE_TMPDIR/served" 2>&1 3>&- &
	disown
	wait_until test -e "$BATS_FILE_TMPDIR/server.pid"
}

# The process is in namespaces of its own.
test_world() {
	local pid

	pid=$(cat "$BATS_FILE_TMPDIR/world.pid")
	[ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ] &&
		[ "$(readlink "/proc/$pid/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ]
}

end_world() {
	local pid

	for pid in server world; do
		[ ! -s "$BATS_FILE_TMPDIR/$pid.pid" ] ||
			kill -9 "$(cat "$BATS_FILE_TMPDIR/$pid.pid")" 2>/dev/null || true
	done
}

# world_oci WORD...: sandlock-oci in this network; sandlock-resolve is beside it.
world_oci() {
	in_world env SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" "$SANDLOCK_OCI" \
		--root "$ROOT" "$@" 3>&-
}

# world_user_oci WORD...: the same, by a user without any privilege.
world_user_oci() {
	# shellcheck disable=SC2016 # for the inner shell
	in_world bash -c "$(declare -f as_user)"'
		USER_HOME=$1 USER_ID=$2
		shift 2
		as_user "$@"' bash "$USER_HOME" "$USER_ID" \
		env SANDLOCK_LIBEXEC="$SANDLOCK_LIBEXEC" ./sandlock-oci "$@"
}
