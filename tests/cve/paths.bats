#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/paths.bats - known ways out of a container that lead through
# mounts and paths, aimed at files of the test only.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load ../helpers

# How often a race is run for; those that are lost show soon.
ROUNDS=${SANDLOCK_ROUNDS:-40}

setup_file() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 \
		-o "$BATS_FILE_TMPDIR/racer" "$BATS_TEST_DIRNAME/racer.c"
}

# $HOST is a directory of the host that no container may touch.
setup() {
	sandlock_setup
	requires root "${CC:-cc}"
	RACER=
	HOST=$TMP/host
	mkdir "$HOST"
	echo sentinel >"$HOST/sentinel"
	HOST_HAS=$(find "$HOST" | sort)
	new_bundle
}

# Only its status counts: errexit is off in a teardown.
teardown() {
	local r=0

	[ -z "$RACER" ] || kill "$RACER" 2>/dev/null
	host_untouched || r=1
	sandlock_teardown || r=1
	return $r
}

host_untouched() {
	if [ "$(find "$HOST" | sort)" != "$HOST_HAS" ] || [ "$(cat "$HOST/sentinel")" != sentinel ]; then
		echo "the host has changed:"
		ls -lR "$HOST"
		return 1
	fi
}

without_dev() {
	config 'del(.mounts[] | select(.destination | startswith("/dev")))'
}

# nothing_ran TEXT: create is refused with TEXT; the program left no mark.
nothing_ran() {
	args touch /ran
	create_fails "$1"
	[ ! -e "$BUNDLE/rootfs/ran" ]
}

# race PATH TARGET: PATH, a directory, is a link to TARGET every other moment.
race() {
	mkdir -p "$1"
	ln -s "$2" "$1.link"
	"$BATS_FILE_TMPDIR/racer" "$1" "$1.link" 3>&- &
	RACER=$!
}

@test "CVE-2019-16884: a volume does not become /proc" {
	mkdir -p "$TMP/volume/self/attr" "$TMP/volume/sys"
	config 'del(.mounts[0])'
	add_mount /proc "" "$TMP/volume" rbind
	nothing_ran "cannot be mounted because it is not of type proc"
	ln -s proc "$BUNDLE/rootfs/alias"
	config '.mounts[-1].destination = "/alias"'
	config '.mounts = [{destination: "/proc", type: "proc",
			    source: "proc"}] + .mounts'
	nothing_ran "cannot be mounted because it is not of type proc"
	for place in /proc/self /proc/self/attr /proc/sys /alias/self/attr; do
		config --arg to "$place" '.mounts[-1].destination = $to'
		nothing_ran "cannot be mounted because it is inside /proc"
	done
}

@test "CVE-2019-19921, CVE-2023-27561, CVE-2025-54867, CVE-2015-1334: a linked /proc or /sys is refused" {
	local name type

	for name in proc sys; do
		type=${name/sys/sysfs}
		rmdir "$BUNDLE/rootfs/$name"
		mkdir -p "$BUNDLE/rootfs/evil/$name"
		for target in "evil/$name" "/evil/$name" "$HOST" ../../host; do
			ln -sfn "$target" "$BUNDLE/rootfs/$name"
			nothing_ran "filesystem \"$type\" must be mounted on ordinary directory"
		done
		rm "$BUNDLE/rootfs/$name"
		mkdir "$BUNDLE/rootfs/$name"
	done
}

# Each round either fails or has its one mount where the container sees it.
@test "CVE-2021-30465: a mount point is not swapped for a link" {
	local i

	mkdir "$TMP/volume" "$HOST/deep"
	HOST_HAS+=$'\n'$HOST/deep
	HOST_HAS=$(sort <<<"$HOST_HAS")
	race "$TMP/volume/a" "$HOST"
	add_mount /volume "" "$TMP/volume" rbind
	add_mount /volume/a/deep tmpfs raced
	args sh -c 'grep -c " - tmpfs raced " /proc/self/mountinfo || :'
	for i in $(seq "$ROUNDS"); do
		run oci run --bundle "$BUNDLE" "raced$i"
		[ "$status" -ne 0 ] || assert_lines 1
		host_untouched
	done
}

@test "CVE-2024-45310: create makes racing directories and files inside only" {
	local i

	mkdir "$TMP/volume"
	race "$TMP/volume/a" "$HOST"
	add_mount /volume "" "$TMP/volume" rbind
	for i in $(seq 30); do
		add_mount "/volume/a/dir$i/below" tmpfs tmpfs
		add_mount "/volume/a/file$i" "" /dev/null bind
	done
	config '.process.cwd = "/volume/a/cwd"'
	for i in $(seq $((ROUNDS / 2))); do
		run oci run --bundle "$BUNDLE" "raced$i"
		host_untouched
	done
}

# The masked file must show the null device, or there is no container.
@test "CVE-2025-31133, CVE-2025-62161: the container's /dev/null masks nothing" {
	local make

	without_dev
	echo secret >"$BUNDLE/rootfs/secret"
	config '.linux.maskedPaths = ["/secret", "/proc/keys"] |
		.linux.namespaces |= map(select(.type != "uts")) + [{type: "uts"}]'
	for make in "ln -s /proc/sys/kernel/hostname PATH" "touch PATH" \
		"mkfifo PATH" "mkdir PATH" "ln -s /secret PATH" \
		"ln -s $HOST/sentinel PATH" "mknod PATH c 1 5"; do
		rm -rf "$BUNDLE/rootfs/dev/null"
		${make//PATH/$BUNDLE/rootfs/dev/null}
		args stat -c "%F %t:%T" /secret /proc/keys
		run oci run --bundle "$BUNDLE" masked </dev/zero
		[ "$status" -ne 0 ] || assert_lines \
			"character special file 1:3
character special file 1:3"
	done
}

@test "CVE-2025-52565, CVE-2026-88264: the console is a terminal and at its own path" {
	config '.process.terminal = true |
		.mounts |= map(select(.destination != "/dev"))'
	for target in /etc/passwd /proc/sys/kernel/domainname "$HOST/sentinel" \
		"$HOST/new" /dev/pts/ptmx; do
		ln -sfn "$target" "$BUNDLE/rootfs/dev/console"
		args sh -c '{ stat -c %t /dev/console
			awk "\$5 ~ /console|passwd|domain|sentinel|ptmx|new/ {
				print \$5 }" /proc/self/mountinfo; } >/seen'
		run_ok script -qec "'$SANDLOCK_OCI' --root '$ROOT' run \
			--bundle '$BUNDLE' tty" /dev/null
		[ "$(cat "$BUNDLE/rootfs/seen")" = "88
/dev/console" ]
	done
}

# /proc is the image's own directory here, with all that is written to.
@test "CVE-2025-52881, CVE-2025-62596, CVE-2025-65105: a sysctl goes to the kernel, not to a decoy" {
	local fake=$BUNDLE/rootfs/proc/sys/net/ipv4 forward

	# A new network namespace has the host's value.
	forward=$(unshare --net cat /proc/sys/net/ipv4/ip_forward)
	mkdir -p "$fake"
	echo decoy >"$BUNDLE/rootfs/decoy"
	config '.mounts |= map(select(.destination != "/proc")) |
		.linux.sysctl = {"net.ipv4.ip_default_ttl": "33"}'
	add_mount /real proc proc
	for target in /decoy "$HOST/sentinel" /real/sys/net/ipv4/ip_forward; do
		ln -sfn "$target" "$fake/ip_default_ttl"
		run_inside 'cat /real/sys/net/ipv4/ip_default_ttl /decoy \
			/real/sys/net/ipv4/ip_forward'
		assert_lines "33
decoy
$forward"
	done
}

@test "CVE-2025-52881: a covered /proc/sys/net is not written through" {
	mkdir -p "$TMP/volume/ipv4"
	echo decoy >"$TMP/volume/ipv4/ip_default_ttl"
	config '.linux.sysctl = {"net.ipv4.ip_default_ttl": "33"}'
	args cat /proc/sys/net/ipv4/ip_default_ttl
	run_ok privately bash -c '
		mount --bind "$1/volume" /proc/sys/net
		exec "$2" --root "$3" run --bundle "$4" covered' \
		covered "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines 33
	[ "$(cat "$TMP/volume/ipv4/ip_default_ttl")" = decoy ]
}

@test "CVE-2026-41579, CVE-2026-47766: a linked /dev gets no node on the host" {
	for target in "$HOST" ../../host "$HOST/new"; do
		rm -rf "$BUNDLE/rootfs/dev"
		ln -s "$target" "$BUNDLE/rootfs/dev"
		run oci run --bundle "$BUNDLE" linked
		host_untouched
	done
	without_dev
	for target in "$HOST" ../../host "$HOST/new"; do
		ln -sfn "$target" "$BUNDLE/rootfs/dev"
		run oci run --bundle "$BUNDLE" linked
		host_untouched
	done
	config '.linux.devices = [{type: "p", path: "/link/fifo"}]'
	ln -s "$HOST" "$BUNDLE/rootfs/link"
	run oci run --bundle "$BUNDLE" linked
	host_untouched
}

# These are the names that a runtime creates or removes in /dev.
@test "CVE-2026-41579, CVE-2026-47766: create takes no ptmx from a linked /dev, and links nothing there" {
	local name target

	for name in ptmx fd stdin stdout stderr core console null pts/ptmx \
		shm/x mqueue/x; do
		mkdir -p "$(dirname "$HOST/$name")"
		echo "$name" >"$HOST/$name"
	done
	HOST_HAS=$(find "$HOST" | sort)
	args sleep 1000
	for target in "$HOST" ../../host; do
		rm -rf "$BUNDLE/rootfs/dev"
		ln -s "$target" "$BUNDLE/rootfs/dev"
		run create linked
		run oci start linked
		run oci delete --force linked
		host_is_same
	done
	without_dev
	for target in "$HOST" ../../host; do
		ln -sfn "$target" "$BUNDLE/rootfs/dev"
		run create linked
		run oci start linked
		run oci delete --force linked
		host_is_same
	done
}

# host_is_same: every file in $HOST still contains its own name.
host_is_same() {
	local file

	host_untouched
	[ -z "$(find "$HOST" -type l)" ]
	while read -r file; do
		[ "$(cat "$HOST/$file")" = "${file#sentinel}" ] ||
			[ "$file" = sentinel ]
	done < <(cd "$HOST" && find . -type f -printf '%P\n')
}

@test "CVE-2026-88265: a linked /dev/null does not reopen standard streams" {
	without_dev
	chmod 0666 "$HOST/sentinel"
	config '.process.user = {uid: 3003, gid: 3003}'
	for target in "$HOST/sentinel" ../../host/sentinel /trap; do
		rm -rf "$BUNDLE/rootfs/dev"
		mkdir "$BUNDLE/rootfs/dev"
		echo trap >"$BUNDLE/rootfs/trap"
		ln -s "$target" "$BUNDLE/rootfs/dev/null"
		args sh -c 'echo written; cat'
		run_ok oci run --bundle "$BUNDLE" linked </dev/null
		assert_lines written
		oci run --bundle "$BUNDLE" linked </dev/null >/dev/null
		host_untouched
		[ "$(stat -c %u "$HOST/sentinel" "$BUNDLE/rootfs/trap" |
			sort -u)" = 0 ]
		[ "$(cat "$BUNDLE/rootfs/trap")" = trap ]
	done
}

@test "CVE-2026-87766: create makes no mount point at the target of a link" {
	local target

	mkdir "$TMP/theirs" "$TMP/work"
	for target in "$HOST" ../host; do
		ln -sfn "$target" "$TMP/work/link"
		run "$SANDLOCK" --root "$ROOT" run -r /usr -w "$TMP/work" \
			--mount "$TMP/work/link/made:$TMP/theirs" -- true
		host_untouched
		run "$SANDLOCK" --root "$ROOT" run -r /usr -w "$TMP/work" \
			-w "-$TMP/work/link/below/file" -- true
		host_untouched
	done
}

@test "CVE-2015-1335, CVE-2019-18837: links in a mount's destination stay inside the rootfs" {
	local target

	echo theirs >"$TMP/theirs"
	add_mount /link/sentinel "" "$TMP/theirs" bind
	add_mount /link/dir tmpfs tmpfs
	add_mount /link/../../../../link/up tmpfs tmpfs
	for target in "$HOST" ../../host ../../../../../../../../"$HOST"; do
		ln -sfn "$target" "$BUNDLE/rootfs/link"
		run oci run --bundle "$BUNDLE" linked
		host_untouched
	done
}

@test "CVE-2025-24965: create follows no link out of the rootfs" {
	local name

	without_dev
	rm -rf "$BUNDLE/rootfs/dev"
	mkdir "$BUNDLE/rootfs/dev"
	for name in null zero full random urandom tty fd stdin stdout stderr \
		core ptmx console shm pts mqueue; do
		ln -s "$HOST/$name" "$BUNDLE/rootfs/dev/$name"
	done
	ln -s "$HOST" "$BUNDLE/rootfs/job"
	ln -s "$HOST/file" "$BUNDLE/rootfs/file"
	rmdir "$BUNDLE/rootfs/run"
	ln -s "$HOST" "$BUNDLE/rootfs/run"
	echo "root:x:0:0::$HOST:/bin/sh" >"$TMP/passwd"
	ln -sf "$TMP/passwd" "$BUNDLE/rootfs/etc/passwd"
	add_mount /dev/shm tmpfs tmpfs
	add_mount /dev/pts devpts devpts newinstance
	add_mount /file "" /dev/null bind
	config '.process.cwd = "/job/deep" |
		.linux.maskedPaths = ["/dev/core"] |
		.linux.readonlyPaths = ["/dev/fd"]'
	run_inside 'echo "$HOME $(pwd)"'
	assert_lines "/ $HOST/deep"
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.recv(1)' "$TMP/notify" 3>&- &
	RACER=$!
	wait_until test -S "$TMP/notify"
	NOTIFY_SOCKET=$TMP/notify run_inside 'echo "$HOME"'
	assert_lines /
}

@test "CVE-2022-0492: a container has no release_agent to write to" {
	requires cgroup1
	config '.process.capabilities[] += ["CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE"] |
		(.mounts[] | select(.type == "cgroup") | .options) |=
			map(select(. != "ro"))'
	run_inside 'find /sys/fs/cgroup -name release_agent'
	assert_lines ""
	config 'del(.linux.namespaces[] | select(.type == "cgroup"))'
	run_inside 'find /sys/fs/cgroup -name release_agent'
	assert_lines ""
}

@test "CVE-2022-0492: notify_on_release is read-only by default" {
	requires cgroup1
	config '.process.capabilities[] += ["CAP_DAC_OVERRIDE"]'
	run_inside 'echo 1 >/sys/fs/cgroup/pids/notify_on_release; true'
	assert_output_has "Read-only file system"
}

@test "CVE-2023-25809: an unprivileged user's container has the host's cgroups read-only" {
	requires userns setpriv subids
	new_user
	new_user_bundle
	config 'del(.linux.namespaces[] | select(.type == "cgroup")) |
		.mounts |= map(select(.destination != "/sys/fs/cgroup")) +
		[{destination: "/sys/fs/cgroup", type: "cgroup",
		  source: "cgroup", options: ["nosuid"]}] |
		.process.args = ["sh", "-c", "cd /sys/fs/cgroup
			for d in */; do mkdir $d/new 2>&1 | grep -v Read-only
			done; true"]'
	chown "$USER_ID:$USER_ID" "$BUNDLE/config.json"
	run_ok as_user ./sandlock-oci run --bundle "$BUNDLE" c1
	assert_lines ""
}

# leak COMMAND...: run it with descriptors of $HOST without FD_CLOEXEC.
leak() {
	"$@" 5<"$HOST" 7<"$HOST" 10<"$HOST" 20<"$HOST" 3>&-
}

@test "CVE-2024-21626: no directory of the host becomes the cwd of run" {
	local n

	args cat sentinel
	for n in 3 5 6 7 8 9 10 11 12 20; do
		config --arg cwd "/proc/self/fd/$n" '.process.cwd = $cwd'
		run leak oci run --bundle "$BUNDLE" cwd
		[ "$status" -ne 0 ]
		[[ $output != *sentinel$'\n'* && $output != sentinel ]]
	done
	ln -s /proc/self/fd/7 "$BUNDLE/rootfs/link"
	config '.process.cwd = "/link"'
	run leak oci run --bundle "$BUNDLE" cwd
	[ "$status" -ne 0 ]
	run leak oci run --preserve-fds 5 --bundle "$BUNDLE" cwd
	[ "$status" -ne 0 ]
	[ "$output" != sentinel ]
}

@test "CVE-2024-21626: no directory of the host becomes the cwd of exec" {
	local n

	args sleep 1000
	run_ok start_container web1
	for n in 3 4 5 6 7 8 9 10 11 12 20; do
		run leak oci exec --cwd "/proc/self/fd/$n" web1 cat sentinel
		[ "$status" -ne 0 ]
		[ "$output" != sentinel ]
	done
	run leak oci exec --preserve-fds 5 --cwd /proc/self/fd/7 web1 \
		cat sentinel
	[ "$status" -ne 0 ]
	[ "$output" != sentinel ]
}
