# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/systemd.bash - the verbs of containers that are units of systemd.

# shellcheck disable=SC2034 # for the tests
HELPER=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK_OCI")}/sandlock-systemd

# new_unit_bundle ID [EXPRESSION]: sleeps; in slice-of-ID.slice, as web-ID.scope.
new_unit_bundle() {
	new_bundle "$1"
	args sleep 1000
	config ".linux.cgroupsPath = \"slice-$1.slice:web:$1\" | ${2:-.}"
}

create_unit() {
	local id=$1

	shift
	"$SANDLOCK_OCI" --root "$ROOT" --systemd-cgroup create \
		--bundle "$BUNDLE" "$@" "$id" </dev/null >"$TMP/$id.out" \
		2>&1 3>&- || {
		local r=$?

		cat "$TMP/$id.out"
		return $r
	}
}

# start_unit ID [EXPRESSION]: created and started.
start_unit() {
	new_unit_bundle "$@"
	create_unit "$1"
	oci start "$1"
}

# unit_property_is UNIT PROPERTY VALUE: does systemd say so?
unit_property_is() {
	local value

	value=$(systemctl show -P "$2" "$1")
	[ "$value" = "$3" ] || {
		echo "$1: $2 is $value, not $3"
		return 1
	}
}

no_unit() {
	! systemctl show -P LoadState "$1" | grep -qx loaded
}
