# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/packages.bash - Debian's packages without an installation: of another
# suite, of another architecture.
#
# They are unpacked in the user's cache directory, once. The host's own package
# lists stay as they are.

CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/sandlock-tests
KEYS=/usr/share/keyrings/debian-archive-keyring.gpg

# cached NAME COMMAND [ARGUMENT...]: a directory of the cache. The first time,
# COMMAND makes it, as "root" in the directory that is its first argument.
cached() {
	local dir=$CACHE/$1

	mkdir -p "$CACHE" || return
	[ -d "$dir" ] || (
		flock 8 || exit
		[ ! -d "$dir" ] || exit 0
		new=$(mktemp -d "$dir.XXXXXX") || exit
		"$2" "$new" "${@:3}" && mv -T "$new/root" "$dir"
		rm -rf "$new"
	) 8>"$CACHE/lock" >&2
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

# look_in DIR SUITE [ARCHITECTURE]: set $apt, the options with which apt sees
# this suite and nothing else, as if nothing were installed. Its files are in
# DIR.
look_in() {
	local dir=$1 arch=${3:-$(dpkg --print-architecture)} from

	from=$(mirror)
	[ -n "$from" ] && [ -e "$KEYS" ] || return
	mkdir -p "$dir"/{lists,archives}/partial && : >"$dir/status" &&
		echo "deb [signed-by=$KEYS] $from $2 main" >"$dir/sources" ||
		return
	apt=(-q -o Dir::Etc::sourcelist="$dir/sources"
		-o Dir::Etc::sourceparts=- -o Dir::State::lists="$dir/lists"
		-o Dir::State::status="$dir/status" -o Dir::Cache="$dir"
		-o APT::Architecture="$arch" -o APT::Architectures="$arch"
		-o APT::Sandbox::User=root)
	apt-get "${apt[@]}" update >&2
}

# look_around: set $apt for the host's own package sources.
look_around() {
	apt=(-q -o APT::Sandbox::User=root)
}

# fetch DIR PACKAGE...: only these, to DIR/archives; lists of the host may be old.
fetch() {
	local dir=$1/archives

	shift
	mkdir -p "$dir" && cd "$dir" || return
	apt-get "${apt[@]}" download "$@" ||
		{ apt-get "${apt[@]}" update && apt-get "${apt[@]}" download "$@"; }
}

# fetch_all DIR PACKAGE...: and what they depend on; DIR is that of look_in.
fetch_all() {
	shift
	apt-get "${apt[@]}" -y --no-install-recommends --download-only \
		install "$@"
}

# unpack DIR: what was fetched, into DIR/root, without the packages' scripts.
# One of them has the links of the root directory, through which others are
# unpacked.
unpack() {
	local deb

	for deb in "$1"/archives/base-files_*.deb "$1"/archives/*.deb; do
		[ ! -e "$deb" ] || dpkg-deb -x "$deb" "$1/root" || return
	done
	rm -rf "$1"/root/usr/share/{doc,info,locale,man}
}

# unpacked PACKAGE...: the directory they are in, those of the host's sources.
unpacked() {
	cached "$1" make_unpacked "$@"
}

make_unpacked() {
	local apt

	look_around && (fetch "$@") && unpack "$1"
}
