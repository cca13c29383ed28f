# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/engines/packages.bash - the engines of another Debian suite.

# shellcheck source=tests/packages.bash
. "${BASH_SOURCE[0]%/*}/../packages.bash"

SUITE_PACKAGES=(aardvark-dns base-files bash buildah catatonit conmon
	containerd containernetworking-plugins coreutils criu crun dash
	docker-cli docker.io findutils grep gzip iproute2 iptables mount netavark
	nftables passt podman procps runc sed slirp4netns tar tini uidmap
	util-linux)

# unpacked_suite NAME: the root of a Debian suite with every engine in it.
unpacked_suite() {
	cached "$1" make_suite "$1"
}

make_suite() {
	local apt name

	look_in "$1" "$2" && fetch_all "$1" "${SUITE_PACKAGES[@]}" &&
		unpack "$1" || return
	for name in iptables iptables-restore iptables-save ip6tables \
		ip6tables-restore ip6tables-save; do
		ln -sf xtables-nft-multi "$1/root/usr/sbin/$name"
	done
	ln -sf tini-static "$1/root/usr/bin/docker-init"
}
