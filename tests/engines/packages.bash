# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/packages.bash - programs of Debian without an installation.
#
# What was downloaded is kept in the user's cache directory.

SUITE_PACKAGES=(aardvark-dns base-files bash buildah catatonit conmon
	containerd containernetworking-plugins coreutils criu crun dash
	docker-cli docker.io findutils grep gzip iproute2 iptables mount netavark
	nftables passt podman procps runc sed slirp4netns tar tini uidmap
	util-linux)

# unpacked PACKAGE...: the directory they are unpacked in, without an
# installation; once downloaded, they are not asked for again.
unpacked() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandlock-tests/$1 new

	if [ ! -d "$cache" ]; then
		mkdir -p "${cache%/*}"
		new=$(mktemp -d "$cache.XXXXXX")
		(cd "$new" && download "$@" && for deb in *.deb; do
			dpkg -x "$deb" root || exit
		done) >&2 && mv -T "$new/root" "$cache" 2>/dev/null
		rm -rf "$new"
	fi
	[ -d "$cache" ] && echo "$cache"
}

# unpacked_suite NAME: the root of a Debian suite with every engine in it.
unpacked_suite() {
	local cache=${XDG_CACHE_HOME:-$HOME/.cache}/sandlock-tests/$1 new

	if [ ! -d "$cache" ]; then
		mkdir -p "${cache%/*}"
		new=$(mktemp -d "$cache.XXXXXX")
		download_suite "$1" "$new" >&2 && unpack_suite "$new" &&
			mv -T "$new/root" "$cache" 2>/dev/null
		rm -rf "$new"
	fi
	[ -d "$cache" ] && echo "$cache"
}

# download_suite NAME DIR: with package lists of its own, and as if nothing at
# all were installed.
# shellcheck disable=SC2016 # for apt
download_suite() {
	local dir=$2 mirror
	local keys=/usr/share/keyrings/debian-archive-keyring.gpg

	mirror=$(apt-get indextargets --format '$(REPO_URI)' \
		'Created-By: Packages' 'Label: Debian' | sort -u | head -n 1)
	mkdir -p "$dir"/{lists,archives}/partial && : >"$dir/status" &&
		echo "deb [signed-by=$keys] $mirror $1 main" >"$dir/sources"
	set -- -q -o Dir::Etc::sourcelist="$dir/sources" \
		-o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists" \
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir" \
		-o APT::Sandbox::User=root
	apt-get "$@" update &&
		apt-get "$@" -y --no-install-recommends --download-only \
			install "${SUITE_PACKAGES[@]}"
}

# unpack_suite DIR: into DIR/root, without the scripts of the packages. One of
# them has the links of the root directory, through which others are unpacked.
unpack_suite() {
	local deb name

	for deb in "$1"/archives/base-files_*.deb "$1"/archives/*.deb; do
		dpkg -x "$deb" "$1/root" || return
	done
	for name in iptables iptables-restore iptables-save ip6tables \
		ip6tables-restore ip6tables-save; do
		ln -sf xtables-nft-multi "$1/root/usr/sbin/$name"
	done
	ln -sf tini-static "$1/root/usr/bin/docker-init"
	rm -rf "$1"/root/usr/share/{doc,locale,man}
}

download() {
	apt-get -q download "$@" ||
		{ apt-get -q update && apt-get -q download "$@"; }
}
