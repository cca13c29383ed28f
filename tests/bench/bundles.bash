# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034 # its variables are for others
# tests/bench/bundles.bash - the bundles that are measured.
#
# One rootfs for all below $WORK; a bundle is a directory with a config.json.

# The user of the rows without privileges.
USER_ID=3004

# The rootfs, the default config.json and that of a user: of version 1.0.2,
# since Debian's crun refuses a newer one.
# shellcheck disable=SC2016 # the dollars are jq's
make_bench_rootfs() {
	local dir=$WORK/rootfs i

	mkdir -p "$dir"/{bin,dev,etc,proc,root,run,sys,tmp} \
		"$dir"/data/{1..64} "$dir"/masks/{1..256} "$WORK"/binds/{1..20}
	cp "$(command -v busybox)" "$dir/bin/busybox"
	echo secret >"$dir/etc/secret"
	for i in true sleep sh; do
		ln -s busybox "$dir/bin/$i"
	done
	mkdir "$WORK/template" "$WORK/rootless"
	"$SANDLOCK_OCI" spec --bundle "$WORK/template"
	"$SANDLOCK_OCI" spec --bundle "$WORK/rootless" --rootless
	for i in template rootless; do
		jq --arg rootfs "$dir" --argjson user "$USER_ID" \
			'.ociVersion = "1.0.2" | .process.terminal = false |
			.process.args = ["/bin/true"] | .root.path = $rootfs |
			.linux.namespaces |= (map(select(.type != "cgroup")) +
				[{type: "cgroup"}]) |
			(.linux.uidMappings, .linux.gidMappings |
				select(.))[0].hostID = $user' \
			"$WORK/$i/config.json" >"$WORK/$i/new" &&
			mv "$WORK/$i/new" "$WORK/$i/config.json" || return
	done
}

# write_bundle DIR CGROUP EXPRESSION [JQ OPTIONS]: the default one, changed.
# shellcheck disable=SC2016
write_bundle() {
	local dir=$1 cgroup=$2 expression=$3

	shift 3
	mkdir -p "$dir"
	jq --arg cgroup "$cgroup" "$@" \
		".linux.cgroupsPath = \$cgroup | $expression" \
		"$WORK/template/config.json" >"$dir/config.json"
}

# Maps that a user namespace of root's containers has.
USERNS='.linux.namespaces += [{type: "user"}] |
	.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 65536}] |
	.linux.gidMappings = [{containerID: 0, hostID: 100000, size: 65536}]'
# shellcheck disable=SC2016
BINDS='.mounts += [range(1; 21) | {destination: "/data/\(.)", type: "bind",
	source: "\($work)/binds/\(.)", options: ["bind", "ro"]}]'
# A pod on a machine with many CPUs: Kubernetes masks two paths of each.
MASKS8='.linux.maskedPaths = [range(1; 9) | "/masks/\(.)"]'
MASKS256='.linux.maskedPaths = [range(1; 257) | "/masks/\(.)"]'
RULES4='.annotations = {"io.sandlock.filesystem.read": "/bin;/etc;/proc",
	"io.sandlock.filesystem.write": "/tmp"}'
RULES64='.annotations = {"io.sandlock.filesystem.read":
	(["/bin", "/etc", "/proc"] + [range(1; 61) | "/data/\(.)"] | join(";")),
	"io.sandlock.filesystem.write": "/tmp"}'

# fetch_docker: Docker's profile as Debian has it, without the 100 packages that
# it needs to be compiled.
fetch_docker() (
	package=golang-github-docker-docker-dev
	dir=$(mktemp -d) || exit
	trap 'rm -rf "$dir"' EXIT
	cd "$dir" && apt-get -q download "$package" >&2 &&
		dpkg-deb --fsys-tarfile ./"$package"_*.deb | tar -xO --wildcards \
			'*/docker/profiles/seccomp/default.json'
)

# docker_profile FILE: the rules of an engine's profile that hold on this
# machine for a container of these capabilities.
# shellcheck disable=SC2016
docker_profile() {
	jq '{defaultAction, architectures: ["SCMP_ARCH_X86_64",
			"SCMP_ARCH_X86", "SCMP_ARCH_X32"],
		syscalls: [.syscalls[] |
			select((.includes.caps // []) | length == 0) |
			select((.includes.arches // ["amd64"]) |
				index("amd64")) |
			select((.excludes.arches // []) |
				index("amd64") | not) |
			{names, action} +
			(if (.args // []) | length > 0
				then {args} else {} end) +
			(if .errnoRet then {errnoRet} else {} end)]}' "$1"
}
