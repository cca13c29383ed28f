# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/faults/bundle.bash - a place to work in, the programs, and the bundles.
#
# Set here: tmp, which goes at the end, and cgroup, the beginning of the names
# of all cgroups, which go, too; programs, where those are, which is
# FAULTS_PROGRAMS if they were built there.

tmp=$(mktemp -d "${TMPDIR:-/tmp}/sandlock-faults.XXXXXX") || exit 1
programs=${FAULTS_PROGRAMS:-$tmp}
cgroup=/sandlock-test-${SANDLOCK_RUN:+$SANDLOCK_RUN-}${tmp##*.}

clean_up() {
	find /sys/fs/cgroup -depth -type d -path "*$cgroup-*" \
		-exec rmdir {} + 2>/dev/null
	rm -rf "$tmp"
}
trap clean_up EXIT

# In the directory of the sources.
build_faults() {
	local cc=("${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra)

	[ ! -x "$programs/probe" ] || return 0
	"${cc[@]}" -o "$programs/census" census.c fair.c keepers.c \
		lasting.c room.c scene.c trace.c world.c -lseccomp &&
		"${cc[@]}" -o "$programs/storm" storm.c lasting.c room.c \
			world.c &&
		"${cc[@]}" -static -o "$programs/probe" probe.c
}

# All that peers have, too, so that each of it can be missed.
config_json() {
	jq --null-input --arg cgroup "$1" --arg rootfs "$2" --arg how "$3" \
		--arg bound "$4" '
	def mount(to; type; from; options):
		{destination: to, type: type, source: from, options: options};
	["CAP_KILL", "CAP_MKNOD", "CAP_CHOWN"] as $caps | {
	ociVersion: "1.0.2", hostname: "faults",
	root: {path: $rootfs, readonly: true},
	process: {
		args: ["/probe", $how, "c1"], cwd: "/tmp",
		env: ["PATH=/", "TERM=x"],
		user: {uid: 1000, gid: 1000, additionalGids: [5, 7]},
		capabilities: {bounding: $caps, effective: $caps,
			permitted: $caps, inheritable: $caps, ambient: $caps},
		rlimits: [{type: "RLIMIT_NOFILE", soft: 100, hard: 100},
			{type: "RLIMIT_CORE", soft: 0, hard: 0}],
		noNewPrivileges: true, oomScoreAdj: 100
	},
	mounts: [
		mount("/proc"; "proc"; "proc"; []),
		mount("/dev"; "tmpfs"; "tmpfs"; ["nosuid", "mode=755"]),
		mount("/dev/pts"; "devpts"; "devpts"; ["nosuid", "noexec",
			"newinstance", "ptmxmode=0666", "mode=0620"]),
		mount("/dev/shm"; "tmpfs"; "shm"; ["nosuid", "noexec", "nodev",
			"mode=1777"]),
		mount("/sys"; "sysfs"; "sysfs"; ["nosuid", "noexec", "nodev",
			"ro"]),
		mount("/sys/fs/cgroup"; "cgroup"; "cgroup"; ["nosuid",
			"noexec", "nodev", "ro"]),
		mount("/bound"; "bind"; $bound; ["bind", "ro", "nosuid"])
	],
	linux: {
		cgroupsPath: $cgroup,
		namespaces: ["pid", "network", "ipc", "uts", "mount"] |
			map({type: .}),
		resources: {
			pids: {limit: 900}, memory: {limit: 100000000},
			cpu: {shares: 512},
			devices: [{allow: false, access: "rwm"},
				{allow: true, type: "c", major: 1, minor: 5,
				 access: "rwm"}]
		},
		sysctl: {"net.ipv4.ip_forward": "1"},
		maskedPaths: ["/proc/kcore", "/proc/keys", "/proc/timer_list"],
		readonlyPaths: ["/proc/sys", "/proc/bus", "/proc/fs"],
		seccomp: {
			defaultAction: "SCMP_ACT_ALLOW",
			syscalls: [{names: ["chroot", "sethostname"],
				action: "SCMP_ACT_ERRNO", errnoRet: 95}]
		}
	}}'
}

# Every word between parent and child, and every kind of confinement.
rich_json() {
	jq '.linux.namespaces += [{type: "user"}, {type: "time"},
			{type: "cgroup"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 0, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.linux.timeOffsets = {monotonic: {secs: 10}} |
		.hooks = (["createRuntime", "createContainer",
			"startContainer", "poststart", "poststop"] |
			map({key: ., value: [{path: (if . == "startContainer"
				then "/probe" else $ENV.HOOK end),
				args: ["probe", "quiet"]}]}) | from_entries) |
		.annotations = {
			"io.sandlock.filesystem.read": "/",
			"io.sandlock.filesystem.write": "/dev/shm",
			"io.sandlock.filesystem.deny": "/denied",
			"io.sandlock.syscalls.extra_deny": "keyctl"
		}'
}

# The process that stays with a container, and its guard.
supervised_json() {
	jq '.annotations["io.sandlock.config.supervisor"] = "true"'
}

# make_bundles DIR CGROUP [rich | supervised]: with the bundles `once`, `hold` and `mark`.
make_bundles() {
	local dir=$1 how

	mkdir -p "$dir"/{bound,rootfs/{proc,dev,sys,tmp,etc,bound}}
	cp "$programs/probe" "$dir/rootfs/probe"
	echo secret >"$dir/rootfs/denied"
	chmod 755 "$dir" "$tmp"
	echo "faults:x:1000:1000::/tmp:/probe" >"$dir/rootfs/etc/passwd"
	for how in once hold mark; do
		mkdir "$dir/$how"
		config_json "$2" "$dir/rootfs" $how "$dir/bound" |
			case ${3:-} in
			rich) HOOK=$dir/rootfs/probe rich_json ;;
			supervised) supervised_json ;;
			*) cat ;;
			esac >"$dir/$how/config.json"
	done
}
