# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/cross/packages.bash - what a build for aarch64 needs of Debian.

# shellcheck source=tests/packages.bash
. "${BASH_SOURCE[0]%/*}/../packages.bash"

# for_aarch64 DIR PACKAGE...: of the host's release, with all they depend on.
for_aarch64() {
	local apt

	look_in "$1" "$(codename)" arm64 && fetch_all "$@" && unpack "$1"
}

aarch64_libraries() {
	cached aarch64-libraries for_aarch64 libc6-dev libcap-dev \
		libcmocka-dev libseccomp-dev libsystemd-dev libyajl-dev
}

# For the virtual machine: what tests/vm/run takes from a host. Another list is
# another directory.
aarch64_programs() {
	local list=(attr bash busybox-static coreutils dash findutils gojq grep
		iproute2 libcap2-bin mount procps strace uidmap usr-is-merged
		util-linux) sum

	sum=$(cksum <<<"${list[*]}")
	cached "aarch64-programs-${sum%% *}" for_aarch64 "${list[@]}"
}

aarch64_emulator() {
	cached aarch64-emulator make_emulator
}

# One that knows openat2: bookworm's does not. Keep only the wanted processor.
make_emulator() {
	local apt

	mkdir "$1/root" && look_in "$1" trixie && (fetch "$1" qemu-user) &&
		dpkg-deb --fsys-tarfile "$1"/archives/qemu-user_*.deb |
		tar -x -C "$1/root" --strip-components=3 ./usr/bin/qemu-aarch64
}
