#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/cve/self.bats - the runtime's own binary and descriptors are out of reach
# for those inside, whatever they may do there: CVE-2019-5736, CVE-2016-9962.
# shellcheck disable=SC2016,SC2030,SC2031 # the dollars are the container's

load ../helpers

TIMES=${SANDLOCK_TIMES:-200}

setup_file() {
	"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O1 -static \
		-o "$BATS_FILE_TMPDIR/hunter" "$BATS_TEST_DIRNAME/hunter.c"
}

# The hunter may really write: it gets a copy of the runtime to hunt.
setup() {
	sandlock_setup
	RUNTIME=$SANDLOCK_OCI
	requires root static "${CC:-cc}"
	cp "$SANDLOCK_OCI" "$TMP/sandlock-oci"
	SANDLOCK_OCI=$TMP/sandlock-oci
	SUM=$(sha256sum <"$SANDLOCK_OCI")
	new_bundle box
	cp "$BATS_FILE_TMPDIR/hunter" "$BUNDLE/rootfs/bin/hunter"
	args hunter
}

teardown() {
	SANDLOCK_OCI=$RUNTIME
	sandlock_teardown
}

unharmed() {
	[ "$(sha256sum <"$SANDLOCK_OCI")" = "$SUM" ]
}

# Everything an engine's --privileged gives.
privileged() {
	config --argjson all "$(oci features |
		jq .linux.capabilities)" '
		.process.capabilities = {bounding: $all, permitted: $all,
			effective: $all, inheritable: $all, ambient: $all} |
		.process.noNewPrivileges = false |
		del(.linux.maskedPaths, .linux.readonlyPaths)'
}

in_user_namespace() {
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings =
			[{containerID: 0, hostID: 100000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	chown 100000:100000 "$BUNDLE/rootfs"
}

# The hunter had its chances.
binary_seen_but_whole() {
	if ! grep -q ^exe "$1/rootfs/found"; then
		echo "no binary was seen"
		return 1
	fi
	! grep ^wrote "$1/rootfs/found" && unharmed
}

# Two rounds end after this: one whole round was made.
let_it_hunt() {
	local i

	for i in 1 2; do
		touch "$1/rootfs/ask"
		wait_until [ ! -e "$1/rootfs/ask" ]
	done
}

# The kernel counts a writer for a moment before it finds the mount read-only;
# if the shell then executes the file, it reports that the file is busy.
try() {
	local r

	until "$@"; do
		r=$?
		[ $r -eq 126 ] || return $r
	done
}

exec_many() {
	local i

	for ((i = 0; i < TIMES; i++)); do
		try oci exec box true || return 1
	done
	let_it_hunt "$BUNDLE"
}

nothing_hunted() {
	if [ -e "$BUNDLE/rootfs/found" ]; then
		sort "$BUNDLE/rootfs/found" | uniq -c
		return 1
	fi
	unharmed
}

@test "CVE-2016-9962: root inside sees neither the binary nor the descriptors of exec" {
	start_container box
	exec_many
	nothing_hunted
}

@test "CVE-2016-9962: root with all capabilities of a user namespace sees neither the binary nor the descriptors of exec" {
	requires userns
	in_user_namespace
	privileged
	start_container box
	exec_many
	nothing_hunted
}

@test "CVE-2019-5736: all capabilities of the host do not make the binary writable" {
	privileged
	start_container box
	exec_many
	binary_seen_but_whole "$BUNDLE"
}

@test "CVE-2019-5736: the binary is out of reach when a pid namespace is joined" {
	local i

	privileged
	start_container box
	mv "$BUNDLE" "$TMP/hunter"
	new_bundle other
	privileged
	# Read-only: its own program is fair game for the hunter.
	config --arg p "/proc/$(pid_of box)/ns/pid" '.root.readonly = true |
		.linux.namespaces |=
		map(if .type == "pid" then .path = $p else . end)'
	for ((i = 0; i < TIMES / 4; i++)); do
		try oci run --bundle "$BUNDLE" other
	done
	let_it_hunt "$TMP/hunter"
	binary_seen_but_whole "$TMP/hunter"
}

@test "CVE-2019-5736: the binary is out of reach of an exec before start" {
	privileged
	args sleep 1000
	create box
	oci exec --detach box hunter </dev/null >/dev/null 2>&1
	let_it_hunt "$BUNDLE"
	try oci start box
	let_it_hunt "$BUNDLE"
	binary_seen_but_whole "$BUNDLE"
}

@test "CVE-2019-5736: the binary is out of reach of a process that a startContainer hook left behind" {
	privileged
	args sleep 1000
	config --argjson n "$((TIMES / 8))" '.hooks.startContainer =
		[{path: "/bin/hunter", args: ["hunter", "-d"]}] +
		[range($n) | {path: "/bin/true"}]'
	start_container box
	let_it_hunt "$BUNDLE"
	binary_seen_but_whole "$BUNDLE"
}

# Its root is the host's by number, and so are the hook's rights inside.
@test "CVE-2016-9962: a createContainer hook shows no descriptor on its way into a pod" {
	requires userns
	local pid

	privileged
	args hunter -l
	config '.linux.namespaces += [{type: "user"}]'
	start_container box
	pid=$(pid_of box)
	mv "$BUNDLE" "$TMP/hunter"
	new_bundle other
	config --arg p "/proc/$pid/ns/" --argjson n "$TIMES" \
		--arg hook "$(command -v busybox)" '
		.linux.namespaces += [{type: "user", path: ($p + "user")}] |
		.linux.namespaces |= map(if .type == "pid"
			then .path = $p + "pid" else . end) |
		.hooks.createContainer =
			[range($n) | {path: $hook, args: ["true"]}]'
	try oci run --bundle "$BUNDLE" other
	let_it_hunt "$TMP/hunter"
	BUNDLE=$TMP/hunter nothing_hunted
}

# They see each other's processes, and the runtime's, from the first moment.
@test "CVE-2016-9962: joining a user namespace shows no descriptor to the processes in it" {
	requires userns
	local i pid

	privileged
	args hunter -l
	config '.linux.namespaces |= map(select(.type != "pid")) +
		[{type: "user"}] | .mounts |= map(if .type == "proc" then
			{destination: "/proc", type: "bind", source: "/proc",
			 options: ["rbind"]} else . end)'
	start_container box
	pid=$(pid_of box)
	mv "$BUNDLE" "$TMP/hunter"
	new_bundle other
	config --arg p "/proc/$pid/ns/user" '
		.linux.namespaces += [{type: "user", path: $p}]'
	for ((i = 0; i < TIMES / 4; i++)); do
		try oci run --bundle "$BUNDLE" other
	done
	let_it_hunt "$TMP/hunter"
	BUNDLE=$TMP/hunter nothing_hunted
}

# ---- the program is the runtime ----

refused_for_exec() {
	run oci exec box "$1"
	[ "$status" -eq 255 ]
	assert_output_has "leads to the runtime's own binary: operation not permitted"
}

refused_for_init() {
	args "$1"
	config --arg path "$CGROUP_PARENT/other" '.linux.cgroupsPath = $path'
	run_bad "leads to the runtime's own binary: operation not permitted" \
		oci run --bundle "$BUNDLE" other
	assert_gone other
}

@test "CVE-2019-5736: /proc/self/exe is no program, and no link or script leads there" {
	requires "${CC:-cc}"
	args sleep 1000
	start_container box
	cd "$BUNDLE/rootfs"
	ln -s /proc/self/exe link
	printf '#!/proc/self/exe\n' >script
	printf '#! /script -x\n' >nested
	printf 'int main(void) { return 0; }' | "${CC:-cc}" -x c - -o elf \
		-Wl,-dynamic-linker=/proc/self/exe
	chmod 755 script nested
	for program in /proc/self/exe /link /script /nested /elf \
		/proc/thread-self/exe /proc/1/exe; do
		[ "$program" = /proc/1/exe ] || refused_for_exec "$program"
		refused_for_init "$program"
	done
	unharmed
}

@test "CVE-2019-5736: a script that only the kernel can read does not lead to the binary" {
	# A dynamic one finds no loader inside, and ends there.
	requires static
	# A full log is waited for, so that it can be looked at.
	mkfifo "$BUNDLE/rootfs/log"
	exec 7<>"$BUNDLE/rootfs/log"
	head -c 65536 /dev/zero >&7
	chmod 0666 "$BUNDLE/rootfs/log"
	printf '#!/proc/self/exe --log=/log\n' >"$BUNDLE/rootfs/script"
	chmod 0111 "$BUNDLE/rootfs/script"
	config '.process.user.uid = 1000'
	args /script
	run_bad "the program is the runtime's own binary" start_container box
	exec 7>&-
	wait_until has_status box stopped
	unharmed
}

@test "CVE-2019-5736: the runtime's own binary inside the rootfs is no program" {
	ln "$SANDLOCK_OCI" "$BUNDLE/rootfs/bin/runtime"
	args sleep 1000
	start_container box
	refused_for_exec /bin/runtime
	refused_for_init runtime
	unharmed
}
