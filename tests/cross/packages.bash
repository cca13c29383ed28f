# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/cross/packages.bash - Debian's packages of another architecture.
#
# They are unpacked in the user's cache directory, once, with all they depend
# on. Nothing is installed, and the host's own package lists stay as they are.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sandlock-tests
KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

# cached NAME COMMAND...: a directory of the cache. The first time, COMMAND
# makes it: as "root" in the directory that it gets as its last argument.
cached() {
	local dir=$CACHE/$1 new

	shift
	if [ ! -d "$dir" ]; then
		mkdir -p "$CACHE" && new=$(mktemp -d "$dir.XXXXXX") || return
		"$@" "$new" >&2 && mv -T "$new/root" "$dir"
		rm -rf "$new"
	fi
	[ -d "$dir" ] && echo "$dir"
}

# The first one of the package sources that is Debian's.
# shellcheck disable=SC2016 # for apt
mirror() {
	apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
		'Label: Debian' | sort -u | head -n 1
}

codename() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "$VERSION_CODENAME")
}

# download DIR SUITE ARCHITECTURE PACKAGE...: as if nothing were installed.
download() {
	local dir=$1 suite=$2 arch=$3
	local options=(-q -o Dir::Etc::sourcelist="$dir/sources"
		-o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists"
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir"
		-o APT::Architecture="$arch" -o APT::Architectures="$arch"
		-o APT::Sandbox::User=root)

	shift 3
	mkdir -p "$dir"/{lists,archives}/partial && : >"$dir/status" &&
		echo "deb [signed-by=$KEYS] $(mirror) $suite main" \
			>"$dir/sources" &&
		apt-get "${options[@]}" update &&
		apt-get "${options[@]}" -y --no-install-recommends \
			--download-only install "$@"
}

# unpack DIR: what was downloaded there.
unpack() {
	local deb

	for deb in "$1"/archives/*.deb; do
		dpkg-deb -x "$deb" "$1/root" || return
	done
	rm -rf "$1"/root/usr/share/{doc,info,locale,man}
}

make_libraries() {
	download "$1" "$(codename)" arm64 libc6-dev libcmocka-dev \
		libseccomp-dev libsystemd-dev libyajl-dev && unpack "$1"
}

# For the virtual machine: what tests/vm/run takes from a host.
make_programs() {
	download "$1" "$(codename)" arm64 attr bash busybox-static coreutils \
		dash findutils grep iproute2 jq libcap2-bin mount procps \
		strace uidmap usr-is-merged util-linux && unpack "$1"
}

# One that knows openat2: bookworm's does not. Of its many processors, ours.
make_emulator() {
	mkdir "$1/root" &&
		download "$1" trixie "$(dpkg --print-architecture)" qemu-user &&
		dpkg-deb --fsys-tarfile "$1"/archives/qemu-user_*.deb |
		tar -x -C "$1/root" --strip-components=3 ./usr/bin/qemu-aarch64
}
