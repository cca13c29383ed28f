#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/holes-suid.bats - files that raise the privileges of their callers, and
# ioctls that harm terminals of other users.
#
# jq has dollars of its own.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0
load helpers
load enforce

setup() {
	sandlock_setup
	requires root
	enter_work
	add_setter
	mkdir host
}

# Machines without a compiler have a built copy beside the tests.
add_setter() {
	SETTER=$WORK/setter
	if [ -x "$BATS_TEST_DIRNAME/setter" ]; then
		cp "$BATS_TEST_DIRNAME/setter" "$SETTER"
		return
	fi
	requires "${CC:-cc}"
	"${CC:-cc}" -static -D_GNU_SOURCE -o "$SETTER" "$BATS_TEST_DIRNAME/setter.c"
}

# lines_but PATTERN: the lines of $output that do not match.
lines_but() {
	grep -Ev "$1" <<<"$output" || :
}

# none_set: no call of the last run set an id.
none_set() {
	[ "${#lines[@]}" -ge 48 ]
	[[ $output != *": set"* ]]
	[ -z "$(lines_but ': Operation not permitted$|^mkdir(at)?: not set$|^(openat2|fchmodat2): Function not implemented$')" ]
}

# all_set: the same calls worked.
all_set() {
	[ -z "$(lines_but ': set$|^mkdir(at)?: not set$|^(capability|fchmodat2): ')" ]
}

# with_host DESTINATION [OPTION...]: a bundle that shows the directory host.
with_host() {
	rm -rf "$TMP/bundle"
	new_bundle
	files=$BUNDLE/rootfs
	cp "$SETTER" "$files/bin/setter"
	add_mount "$1" bind "$WORK/host" "${@:2}"
	config '.process.capabilities |= with_entries(.value += ["CAP_SETFCAP",
		"CAP_FOWNER", "CAP_FSETID", "CAP_MKNOD"])'
	annotate_policy limits.open_files=100
}

# in_bundle SCRIPT: init and exec print the same, which becomes $output.
in_bundle() {
	local first

	args sh -c "$1"
	run -0 run_bundle
	first=$output
	args sleep 1000
	create box
	oci start box
	run -0 oci exec box sh -c "$1"
	oci delete --force box
	[ "$output" = "$first" ]
}

# ---- sandlock run ----

@test "each call gives a file S_ISUID or S_ISGID outside a sandbox" {
	run -0 "$SETTER" host
	all_set
}

@test "no call gives a file S_ISUID or S_ISGID in a sandbox of root" {
	run -0 sandbox -r /usr -r "$SETTER" -w host -- "$SETTER" host
	none_set
	# Other modes still work.
	run -0 sandbox -r /usr -r "$SETTER" -w host -- "$SETTER" plain host
	[ -z "$(lines_but ': not set$|^openat2: Function|^(capability|fchmodat2): ')" ]
	[ -z "$(find host -perm /6000)" ]
}

@test "no call gives a file S_ISUID or S_ISGID in a sandbox of a user, whose files others can run" {
	requires userns
	new_user
	mkdir "$USER_HOME/host"
	cp "$SETTER" "$USER_HOME/setter"
	chown "$USER_ID" "$USER_HOME/host"
	as_user mkdir -p host
	run -0 user_sandbox -r /usr -r ./setter -w host -- ./setter host
	none_set
}

@test "no call gives a file S_ISUID or S_ISGID in a sandbox without namespaces" {
	requires userns
	requires_landlock 3
	chmod 0777 host
	run -0 sandbox_without_userns -r /usr -r "$SETTER" -w host -- "$SETTER" host
	none_set
}

@test "syscalls.extra_allow of suid allows S_ISUID and S_ISGID, and extra_deny wins" {
	run -0 sandbox --syscalls-extra-allow suid -r /usr -r "$SETTER" -w host -- \
		"$SETTER" host
	all_set
	run -0 sandbox --syscalls-extra-allow suid --syscalls-extra-deny suid \
		-r /usr -r "$SETTER" -w host -- "$SETTER" host
	none_set
}

@test "a directory in a sandbox still inherits S_ISGID" {
	chmod 2777 host
	run -0 sandbox -r /usr -w host -- sh -c 'mkdir host/sub && touch host/file'
	[ -g host/sub ]
}

@test "explain lists the group suid among the blocked calls" {
	run -0 sandlock explain -r /usr -- true
	assert_output_has "suid"
	run -0 sandlock explain --syscalls-extra-allow suid -r /usr -- true
	[[ $(grep 'seccomp blocks' <<<"$output") != *suid* ]]
}

# ---- bundles ----

@test "a writable bind mount of the host keeps a bundle from setting S_ISUID and S_ISGID" {
	with_host /host rbind rw
	in_bundle 'setter /host'
	none_set
	# No filter sees where a path leads, so this covers the bundle's own.
	in_bundle 'setter /tmp'
	none_set
	[ -z "$(find host -perm /6000)" ]
	annotate_policy limits.open_files=100 syscalls.extra_allow=suid
	in_bundle 'setter /host'
	all_set
}

@test "a bundle without a policy may set S_ISUID and S_ISGID" {
	with_host /host rbind rw
	annotate
	in_bundle 'setter /host'
	all_set
	[[ $output = *"capability: set"* ]]
}

@test "a bundle that cannot write files of the host may set S_ISUID and S_ISGID" {
	with_host /host rbind rro ro
	in_bundle 'setter /tmp'
	all_set
	[[ $output = *"capability: set"* ]]
	with_host /host bind ro
	in_bundle 'setter /tmp'
	all_set
}

@test "the rule for S_ISUID and S_ISGID counts bind mounts that a policy makes read-only or adds" {
	requires_landlock 6
	with_host /host rbind rw
	annotate_policy filesystem.read=/ filesystem.write=/tmp
	in_bundle 'setter /tmp'
	all_set
	new_bundle other
	cp "$SETTER" "$BUNDLE/rootfs/bin/setter"
	annotate_policy "filesystem.mount={\"/host\":\"$WORK/host\"}"
	args setter /host
	run -0 oci --allow-annotations filesystem.mount run --bundle \
		"$BUNDLE" box
	none_set
}

@test "a writable mount below the source of a read-only rbind forbids S_ISUID and S_ISGID" {
	with_host /host rbind ro
	mkdir host/sub
	args setter /host/sub
	run -0 privately sh -c 'mount -t tmpfs sub "$1/host/sub" && shift &&
		exec "$@"' sh "$WORK" "$SANDLOCK_OCI" --root "$ROOT" run --bundle \
		"$BUNDLE" box
	none_set
}

# shellcheck disable=SC2030,SC2031 # each test is a subshell on purpose
@test "files that engines mount into every container allow S_ISUID, if others cannot reach them" {
	local name

	with_host /dev/shm rbind rw
	args setter /dev/shm
	run -0 privately sh -c 'mount -t tmpfs -o nosuid shm "$1/host" && shift &&
		exec "$@"' sh "$WORK" "$SANDLOCK_OCI" --root "$ROOT" run --bundle \
		"$BUNDLE" box
	all_set
	config 'del(.mounts[] | select(.destination == "/dev/shm"))'
	mkdir engine
	for name in hosts hostname resolv.conf; do
		echo "$name" >"engine/$name"
		add_mount "/etc/$name" bind "$WORK/engine/$name" rbind rw
	done
	add_mount /dev/null bind /dev/null rbind rw
	chmod 0700 engine
	in_bundle 'setter /tmp'
	all_set
	# Now other users can reach the files, and so run them.
	chmod 0755 engine
	chmod_ancestors
	in_bundle 'chmod 4755 /etc/hosts 2>&1 || :'
	[[ $output = *"Operation not permitted"* ]]
	[ ! -u engine/hosts ]
}

# Change only the directories of the test.
chmod_ancestors() {
	local dir=$WORK

	while [ "$dir" != "${BATS_RUN_TMPDIR%/*}" ]; do
		chmod o+x "$dir"
		dir=$(dirname "$dir")
	done
}

# copy_programs NAME...: copy them from the host to the bundle, with libraries.
copy_programs() {
	local name path

	for name; do
		path=$(command -v "$name")
		cp --parents -L "$path" "$files"
		ldd "$path" | grep -o '/[^ ]*' | while read -r path; do
			cp --parents -L "$path" "$files"
		done
	done
}

@test "apt-get installs a package with a setuid program in a bundle with limits alone" {
	requires dpkg-deb dpkg apt-get tar ldd
	local pkg=$WORK/pkg files

	new_bundle
	files=$BUNDLE/rootfs
	copy_programs dpkg dpkg-deb dpkg-split tar rm sh diff apt-get \
		/usr/lib/apt/methods/{copy,file,store}
	mkdir -p "$files"/var/lib/dpkg/{info,updates,triggers} "$files/var/log" \
		"$files"/var/{lib/apt/lists,cache/apt/archives}/partial \
		"$files"/etc/apt/{apt.conf.d,preferences.d} "$pkg/DEBIAN" "$pkg/usr/bin" "$pkg/var/mail"
	cp --parents -R /usr/share/dpkg "$files"
	touch "$files/var/lib/dpkg/status"
	printf '%s\n' 'Package: raise' 'Version: 1' 'Architecture: all' \
		'Maintainer: nobody <nobody@example.org>' 'Description: raises' \
		>"$pkg/DEBIAN/control"
	printf '#!/bin/sh\nchmod 4711 /usr/bin/later\n' >"$pkg/DEBIAN/postinst"
	chmod 0755 "$pkg/DEBIAN" "$pkg/DEBIAN/postinst"
	cp /bin/true "$pkg/usr/bin/raise"
	cp /bin/true "$pkg/usr/bin/later"
	chmod 4755 "$pkg/usr/bin/raise"
	chmod 2775 "$pkg/var/mail"
	dpkg-deb --root-owner-group --build "$pkg" "$files/raise.deb"
	config '.process.capabilities |= with_entries(.value += ["CAP_CHOWN",
		"CAP_FOWNER", "CAP_FSETID", "CAP_DAC_OVERRIDE"])'
	annotate_policy limits.memory=512M
	args apt-get -y -o APT::Sandbox::User=root \
		-o DPkg::Options::=--force-bad-path \
		-o DPkg::Options::=--force-not-root install /raise.deb
	run -0 run_bundle
	[ -u "$files/usr/bin/raise" ]
	[ -u "$files/usr/bin/later" ]
	[ -g "$files/var/mail" ]
	# With a volume, the same is refused and leaves no such file.
	rm -r "$files/var/lib/dpkg" "$files/usr/bin/raise"
	mkdir -p "$files"/var/lib/dpkg/{info,updates,triggers}
	touch "$files/var/lib/dpkg/status"
	add_mount /volume bind "$WORK/host" rbind rw
	run ! run_bundle
	assert_output_has "Operation not permitted"
	[ ! -u "$files/usr/bin/raise" ]
}

# ---- terminals ----

@test "a sandbox cannot take the caller's terminal from others" {
	requires script
	run -0 script -qec "'$SANDLOCK' --root '$ROOT' run -r /usr -r '$SETTER' -- '$SETTER' tty" /dev/null
	[ "$(grep -c 'Operation not permitted' <<<"$output")" -eq 5 ]
	[[ $output = *"TIOCNXCL: done"* ]]
	run -0 script -qec "'$SANDLOCK' --root '$ROOT' run --syscalls-extra-allow terminal -r /usr -r '$SETTER' -- '$SETTER' tty" /dev/null
	[[ $output = *"TIOCEXCL: done"* ]]
	[[ $output = *"TIOCEXCL and garbage: done"* ]]
}

@test "a bundle cannot take a terminal from others, not even with CAP_SYS_ADMIN" {
	requires script
	new_bundle
	cp "$SETTER" "$BUNDLE/rootfs/bin/setter"
	config '.process.capabilities |= with_entries(.value += ["CAP_SYS_ADMIN"]) |
		.process.args = ["setter", "tty"]'
	annotate_policy limits.open_files=100
	run -0 script -qec "'$SANDLOCK_OCI' --root '$ROOT' run --bundle '$BUNDLE' box" \
		/dev/null
	[ "$(grep -c 'Operation not permitted' <<<"$output")" -eq 5 ]
}
