#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/policy-files.bats - what a bundle's policy says about files, of init, exec and hooks alike.
#
# jq has dollars of its own, and each test is a subshell on purpose.
# shellcheck disable=SC2016,SC2030,SC2031

load helpers
load enforce

# Programs that nothing of the policy is about.
PROGRAMS=/bin

setup() {
	sandlock_setup
	requires root
	new_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files"/{data/sub,other,data/dir}
	echo public >"$files/data/public"
	echo secret >"$files/data/secret"
	echo deep >"$files/data/sub/deep"
	echo listed >"$files/data/dir/listed"
	echo other >"$files/other/file"
	probe_landlock_for_reads
}

# An older kernel holds less, and says so.
probe_landlock_for_reads() {
	DEGRADED=
	args true
	annotate_policy "filesystem.read=/"
	run run_bundle
	[[ $output != *"Landlock is not available"* ]] || skip "needs version 1 of Landlock"
	[[ $output != *"requires Landlock version"* ]] || DEGRADED="config.allow_degraded=\
fs_refer;fs_truncate;fs_ioctl_dev"
}

# ---- what is allowed ----

@test "a container can read the paths of filesystem.read, and no others" {
	annotate_policy "filesystem.read=$PROGRAMS;/data"
	tells $'public\nsh: can\'t open /other/file: '"$DENIED" \
		'cat /data/public; read x </other/file'
	tells "ls: can't open '/other': $DENIED" 'ls /other'
	tells $'dir\npublic\nsecret\nsub' 'ls /data'
	tells "sh: can't create /data/new: $READONLY" 'echo >/data/new'
	# Without the section all of it works.
	annotate_policy limits.open_files=1000
	tells other 'echo >/data/new; rm /data/new; cat /other/file'
}

@test "a path of filesystem.write can be read, one of filesystem.write_only cannot" {
	annotate_policy "filesystem.read=$PROGRAMS" filesystem.write=/data \
		filesystem.write_only=/other
	tells new 'echo new >/data/new; cat /data/new; rm /data/new'
	tells moved 'echo moved >/data/new; mv /data/new /data/sub/new
		cat /data/sub/new; rm /data/sub/new'
	tells "cat: can't open '/other/file': $DENIED" \
		'echo more >>/other/file; cat /other/file'
	grep -q more "$files/other/file"
	tells "sh: can't create /tmp/x: $READONLY" 'echo >/tmp/x'
	tells "sh: can't create /new: $READONLY" 'echo >/new'
}

@test "filesystem.write applies on mounts that others write" {
	mkdir -p "$TMP/volume/out"
	echo in >"$TMP/volume/file"
	add_mount /volume bind "$TMP/volume" bind
	annotate_policy "filesystem.read=$PROGRAMS;/volume" \
		filesystem.write=/volume/out
	tells "sh: can't create /volume/new: $DENIED" \
		'echo >/volume/out/new; rm /volume/out/new; echo >/volume/new'
	tells "sh: can't create /volume/file: $DENIED" 'echo >>/volume/file'
	tells "rm: can't remove '/volume/file': $DENIED" 'rm /volume/file'
	tells "rmdir: '/volume/out': $DENIED" 'rmdir /volume/out'
	tells "mkdir: can't create directory '/volume/d': $DENIED" \
		'mkdir /volume/d'
	tells "ln: /volume/l: $DENIED" 'ln -s x /volume/l'
	tells "mkfifo: /volume/f: $DENIED" 'mkfifo /volume/f'
	tells "mv: can't rename '/volume/file': $DENIED" \
		'mv /volume/file /volume/file2'
	[ "$(cat "$TMP/volume/file")" = in ]
}

@test "modes, owners and times of files that are not writable cannot change" {
	local path

	mkdir "$TMP/volume" "$TMP/written"
	touch "$TMP/volume/file" "$TMP/written/file"
	add_mount /volume bind "$TMP/volume" rbind
	add_mount /written bind "$TMP/written" bind rw
	ln -s data/sub "$files/link"
	annotate_policy "filesystem.read=$PROGRAMS;/data;/volume" \
		"filesystem.write=/link;/written;-/missing;/other/f*"
	for path in /data/public /volume/file /etc/passwd; do
		tells "chmod: $path: $READONLY" "chmod 700 $path"
		tells "chown: $path: $READONLY" "chown 1 $path"
	done
	for path in /data/sub/deep /written/file /other/file; do
		tells "" "chmod 700 $path; chown 0:0 $path; touch $path"
	done
	annotate_policy limits.open_files=1000
	tells "" "chmod 700 /data/public /volume/file /etc/passwd"
}

@test "run refuses a writable link to a mount that is not listed" {
	mkdir "$TMP/volume"
	add_mount /volume bind "$TMP/volume" bind
	ln -s /volume "$files/link"
	annotate_policy "filesystem.read=$PROGRAMS" filesystem.write=/link
	args true
	run_bad "filesystem.write '/link' leads to a read-only mount" \
		run_bundle
	annotate_policy "filesystem.read=$PROGRAMS" 'filesystem.write=/link;/volume'
	tells "" 'echo >/link/new'
}

@test "a right that an older kernel lacks is an error, or a warning with config.allow_degraded" {
	args true
	if [ -z "$DEGRADED" ]; then
		annotate_policy "filesystem.read=$PROGRAMS" \
			config.allow_degraded=fs_truncate
		run_ok run_bundle
		[ -z "$output" ]
	else
		annotate_policy "filesystem.read=$PROGRAMS"
		run_ok oci --debug run --bundle "$BUNDLE" box
		assert_output_has "is not enforced on this host"
		DEGRADED=
		annotate_policy "filesystem.read=$PROGRAMS"
		run_bad "but this kernel has version" run_bundle
	fi
}

@test "a file that is moved or linked gains no rights" {
	# On one mount, from where it may not be read to where it may.
	mkdir -p "$TMP/volume/drop" "$TMP/volume/data"
	echo s >"$TMP/volume/drop/s"
	add_mount /volume bind "$TMP/volume" bind
	annotate_policy "filesystem.read=$PROGRAMS" filesystem.write=/volume/data \
		filesystem.write_only=/volume/drop
	tells "ln: /volume/data/s: Invalid cross-device link" \
		'ln /volume/drop/s /volume/data/s'
	annotate_policy "filesystem.read=$PROGRAMS" \
		'filesystem.write=/volume/data;/volume/drop'
	tells s 'ln /volume/drop/s /volume/data/s; cat /volume/data/s
		rm /volume/data/s'
}

@test "filesystem.execute is independent of filesystem.read" {
	cp "$files/bin/busybox" "$files/data/busybox"
	annotate_policy "filesystem.read=$PROGRAMS;/data"
	tells ran '/data/busybox echo ran'
	annotate_policy "filesystem.read=/data" "filesystem.execute=$PROGRAMS"
	tells $'public\nsh: /data/busybox: '"$DENIED" \
		'cat /data/public; /data/busybox echo ran'
	annotate_policy "filesystem.read=/data" \
		"filesystem.execute=$PROGRAMS;/data/busybox"
	tells ran '/data/busybox echo ran'
	annotate_policy "filesystem.read=/" "filesystem.execute=[]"
	args sh
	run_bad "permission denied" run_bundle
}

@test "filesystem.execute of a program allows its loader" {
	local file

	is_dynamic /bin/true || skip "needs a dynamic program"
	for file in $(ldd /bin/cat | grep -o '/[^ ]*'); do
		mkdir -p "$files/$(dirname "$file")"
		cp -L "$file" "$files/$file"
	done
	cp -L /bin/cat "$files/data/cat"
	annotate_policy "filesystem.read=-/lib;-/lib64;-/usr/lib;/data" \
		"filesystem.execute=$PROGRAMS/busybox;/data/cat"
	tells public '/data/cat /data/public'
	# A file in its place that is none is not given away.
	annotate_policy "filesystem.read=-/lib" \
		"filesystem.execute=$PROGRAMS;/data/false"
	sed "s|/lib64/ld-linux-x86-64.so.2|/other/file\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00|" \
		"$files/data/cat" >"$files/data/false"
	chmod +x "$files/data/false"
	grep -aq /other/file "$files/data/false" || skip "needs x86_64"
	tells "cat: can't open '/other/file': $DENIED" 'cat /other/file'
}

@test "a program cannot execute from memory when filesystem.execute is set" {
	requires "${CC:-cc}"
	"${CC:-cc}" -static -D_GNU_SOURCE -o "$files/bin/memfd" \
		"$BATS_TEST_DIRNAME/memfd.c"
	annotate_policy "filesystem.read=$PROGRAMS"
	tells ran 'memfd /bin/busybox echo ran'
	annotate_policy "filesystem.execute=$PROGRAMS"
	tells "memfd: Operation not permitted" 'memfd /bin/busybox echo ran'
}

@test "devices, /proc and the standard descriptors work without being listed" {
	annotate_policy "filesystem.read=$PROGRAMS"
	tells 0 'echo >/dev/null; read x </dev/null; head -c 1 /dev/urandom |
		wc -c >/dev/null; cat /proc/self/oom_score_adj'
	args sh -c 'echo to >/dev/stdout; echo err >>/dev/stderr'
	oci run --bundle "$BUNDLE" box >"$TMP/log" 2>&1
	grep -q to "$TMP/log"
	# Not what an image has in their place.
	rm -rf "$files/proc"
	echo mine >"$files/proc"
	config 'del(.mounts[] | select(.destination | startswith("/proc"))) |
		del(.linux.maskedPaths, .linux.readonlyPaths)'
	args cat /proc
	run_bad "$DENIED" run_bundle
}

@test "a policy on files leaves the GPUs that it allows open" {
	config '.linux.devices = [{type: "c", path: "/dev/nvidia0", major: 1,
			minor: 5, fileMode: 438, uid: 0, gid: 0}] |
		.linux.resources.devices += [{allow: true, type: "c", major: 1,
			minor: 5, access: "rwm"}]'
	annotate_policy "filesystem.read=$PROGRAMS" 'limits.gpu_devices=[]'
	tells 1 'head -c 1 /dev/nvidia0 | wc -c'
	annotate_policy "filesystem.read=$PROGRAMS"
	tells "head: /dev/nvidia0: $DENIED" 'head -c 1 /dev/nvidia0'
}

@test "a policy on files opens only the GPUs that are listed, whatever the image has" {
	config 'del(.mounts[] | select(.destination | startswith("/dev"))) |
		.linux.resources.devices += [{allow: true, type: "c", major: 1, minor: 5, access: "rwm"}]'
	mkdir -p "$files/dev"
	mknod -m 666 "$files/dev/nvidia0" c 1 5
	mknod -m 666 "$files/dev/nvidia1" c 1 5
	annotate_policy "filesystem.read=$PROGRAMS" 'limits.gpu_devices=[1]'
	tells 1 'head -c 1 /dev/nvidia1 | wc -c'
	tells "head: /dev/nvidia0: $DENIED" 'head -c 1 /dev/nvidia0'
}

@test "no detour leads to files that are not listed" {
	annotate_policy "filesystem.read=$PROGRAMS;/data" filesystem.write=/tmp
	tells "cat: can't open '/proc/self/root/other/file': $DENIED" \
		'cat /proc/self/root/other/file'
	tells "cat: can't open '/proc/self/cwd/other/file': $DENIED" \
		'cd /; cat /proc/self/cwd/other/file'
	tells "cat: can't open '/data/../other/file': $DENIED" \
		'cat /data/../other/file'
	tells "cat: can't open '/tmp/l': $DENIED" \
		'ln -sf /other/file /tmp/l; cat /tmp/l'
	tells "cat: can't open 'file': $DENIED" 'cd /other; cat file'
	tells "ln: /tmp/hard: Invalid cross-device link" \
		'ln /other/file /tmp/hard'
}

@test "a policy applies in a tree as deep as paths are long" {
	local deep i

	for ((i = 0; i < 900; i++)); do deep+=/d; done
	mkdir -p "$files/data$deep"
	echo x >"$files/data$deep/x.key"
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 0, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/**/*.key'
	args sh -c "cat /data$deep/x.key"
	# Each directory on the way is open.
	ulimit -n 4096
	run_bad "$DENIED" run_bundle
	ulimit -n 200
	run_bad "oo many open files" run_bundle
}

# ---- how it is written ----

@test "a missing path of a policy is an error, unless it is optional" {
	args true
	annotate_policy "filesystem.read=$PROGRAMS;/nothing"
	run_bad "filesystem.read '/nothing' (write '-/nothing' if it may be missing): no such file" run_bundle
	annotate_policy "filesystem.write=/data/nothing/at/all"
	run_bad "filesystem.write '/data/nothing/at/all' (write '-/data/nothing/at/all' if it may be missing): no such" run_bundle
	annotate_policy "filesystem.read=$PROGRAMS;-/nothing"
	run_ok run_bundle
	assert_gone box
}

@test "patterns of a policy mean the files that exist at the start" {
	annotate_policy "filesystem.read=$PROGRAMS;/data/p*;/data/**/deep"
	tells $'public\ndeep\ncat: can\'t open \'/data/secret\': '"$DENIED" \
		'cat /data/public /data/sub/deep /data/secret'
	# Links that match are not followed.
	ln -s /other/file "$files/data/plink"
	tells "cat: can't open '/data/plink': $DENIED" 'cat /data/plink'
}

@test "a link in filesystem.read grants its target inside the root" {
	ln -s /other "$files/link"
	ln -s "$TMP" "$files/out"
	ln -s ../../../../../../../../other "$files/up"
	annotate_policy "filesystem.read=$PROGRAMS;/link"
	tells other 'cat /other/file'
	annotate_policy "filesystem.read=$PROGRAMS;/up"
	tells other 'cat /other/file'
	annotate_policy "filesystem.read=$PROGRAMS;/out"
	args true
	run_bad "filesystem.read '/out' (write '-/out' if it may be missing): no such file" run_bundle
}

@test "a link below a writable path does not give exec more rights" {
	ln -s public "$files/data/link"
	annotate_policy "filesystem.read=$PROGRAMS;/data/link" \
		filesystem.write=/data/sub
	rm "$files/data/link"
	ln -s /data/public "$files/data/sub/link"
	annotate_policy "filesystem.read=$PROGRAMS;/data/sub/link" \
		filesystem.write=/data/sub
	args sleep 1000
	create box
	oci start box
	run_ok oci exec box cat /data/public
	oci exec box ln -sf /other/file /data/sub/link
	run_bad "$DENIED" oci exec box cat /other/file
}

@test "presets of a policy mean paths of the bundle's root" {
	mkdir -p "$files/root/.ssh" "$files/etc/ssh"
	echo key >"$files/root/.ssh/id"
	echo hash >"$files/etc/shadow"
	echo key >"$files/etc/ssh/host_key"
	echo public >"$files/etc/ssh/host_key.pub"
	echo mine >"$files/root/file"
	config '.process.env += ["HOME=/root"]'
	annotate_policy 'filesystem.read=@system;@home' 'filesystem.deny=@known-secrets'
	tells $'public\nmine' 'cat /etc/ssh/host_key.pub /root/file'
	tells $'root:x:0:' 'head -n 1 /etc/group'
	for file in /etc/shadow /etc/ssh/host_key /root/.ssh/id; do
		tells "cat: can't open '$file': $DENIED" "cat $file"
	done
	# The preset excludes the file; a policy that lists it allows it.
	annotate_policy 'filesystem.read=@system;/etc/shadow'
	tells hash 'cat /etc/shadow'
	annotate_policy 'filesystem.read=@project'
	args true
	run_bad "the project directory is unknown" run_bundle
}

# ---- what is denied ----

@test "filesystem.deny takes a file or a directory out of filesystem.read" {
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/secret;/data/sub'
	tells $'public\nother\nlisted' \
		'cat /data/public /other/file /data/dir/listed'
	tells "cat: can't open '/data/secret': $DENIED" 'cat /data/secret'
	tells "cat: can't open '/data/sub/deep': $DENIED" 'cat /data/sub/deep'
	tells "ls: can't open '/data/sub': $DENIED" 'ls /data/sub'
	# A directory can be listed only if nothing below it is denied.
	tells "ls: can't open '/data': $DENIED" 'ls /data'
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/secret'
	tells $'dir\npublic\nsecret\nsub' 'ls /data'
	annotate_policy 'filesystem.read=/'
	tells secret 'cat /data/secret'
}

@test "a new file under a denied name is denied" {
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/secret;/data/later'
	args sleep 1000
	create box
	oci start box
	echo newer >"$files/data/new"
	mv "$files/data/new" "$files/data/secret"
	echo later >"$files/data/later"
	for file in secret later; do
		run_bad "$DENIED" oci exec box cat "/data/$file"
	done
	run_ok oci exec box cat /data/public
	oci delete --force box
	rm "$files/data/later"
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/later'
	create box
	oci start box
	echo later >"$files/data/later"
	run_bad "$DENIED" oci exec box cat /data/later
	run_ok oci exec box cat /data/public
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/secret'
	args sh -c 'until [ -e /other/go ]; do :; done; cat /data/secret'
	oci delete --force box
	create box
	oci start box
	echo newest >"$files/data/new"
	mv "$files/data/new" "$files/data/secret"
	touch "$files/other/go"
	wait_until has_status box stopped
	grep -q "$DENIED" "$TMP/box.out"
}

@test "filesystem.deny_read, deny_write and deny_execute take single rights away" {
	cp "$files/bin/busybox" "$files/data/busybox"
	annotate_policy 'filesystem.read=/' 'filesystem.deny_execute=/data'
	tells $'public\nsh: /data/busybox: '"$DENIED" \
		'cat /data/public; /data/busybox echo ran'
	annotate_policy 'filesystem.read=/' 'filesystem.deny_execute=/data/busybox'
	tells $'public\nsh: /data/busybox: '"$DENIED" \
		'cat /data/public; /data/busybox echo ran'
	annotate_policy 'filesystem.read=/' 'filesystem.deny_read=/data/secret'
	tells "cat: can't open '/data/secret': $DENIED" 'cat /data/secret'
	annotate_policy 'filesystem.read=/' 'filesystem.write=/data/sub;/other' \
		'filesystem.deny_write=/data'
	tells $'deep\nsh: can\'t create /data/sub/x: '"$DENIED" \
		'cat /data/sub/deep; echo >/other/x; echo >/data/sub/x'
}

@test "run names a denied file that has another name" {
	ln "$files/data/secret" "$files/other/alias"
	args true
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/secret'
	run_bad "/data/secret has 2 hard links" run_bundle
}

@test "a denied pattern without a slash matches in the project at any depth" {
	echo x >"$files/data/sub/a.env"
	echo x >"$files/data/b.env"
	config '.process.cwd = "/data"'
	annotate_policy 'filesystem.read=/' 'filesystem.deny=*.env'
	tells "cat: can't open 'b.env': $DENIED" 'cat b.env'
	tells "cat: can't open 'sub/a.env': $DENIED" 'cat sub/a.env'
	tells deep 'cat sub/deep'
}

# ---- places ----

@test "a path of a policy includes the bundle's mounts below it" {
	mkdir "$TMP/volume"
	echo volume >"$TMP/volume/file"
	echo hidden >"$TMP/volume/hidden"
	add_mount /other/volume bind "$TMP/volume" bind
	annotate_policy "filesystem.read=$PROGRAMS;/other" \
		'filesystem.deny=/other/volume/hidden'
	tells $'other\nvolume\ncat: can\'t open \'/other/volume/hidden\': '"$DENIED" \
		'cat /other/file /other/volume/file /other/volume/hidden'
}

@test "a policy on files applies with --no-pivot and without a mount namespace" {
	args sh -c 'echo to >/tmp/x; cat /tmp/x; cat /other/file'
	annotate_policy "filesystem.read=$PROGRAMS" filesystem.write=/tmp
	run oci run --no-pivot --bundle "$BUNDLE" box
	assert_told no-pivot $'to\ncat: can\'t open \'/other/file\': '"$DENIED"
	config 'del(.mounts, .linux.maskedPaths, .linux.readonlyPaths) |
		del(.linux.namespaces[] | select(.type == "mount"))'
	annotate_policy "filesystem.read=$PROGRAMS" filesystem.write=/tmp \
		"config.allow_degraded=namespaces;fs_refer;fs_truncate;fs_ioctl_dev"
	run run_bundle
	assert_told chroot $'to\ncat: can\'t open \'/other/file\': '"$DENIED"
}

@test "a container with a policy on files can use its terminal" {
	requires python3
	annotate_policy "filesystem.read=$PROGRAMS"
	config '.process.terminal = true'
	args sh -c 'echo on >/dev/tty; stty -F /dev/tty size >/dev/null && echo sized'
	run "$BATS_TEST_DIRNAME/terminal.py" pty 24x80 -- "$SANDLOCK_OCI" --root "$ROOT" \
		run --bundle "$BUNDLE" box 3>&-
	[[ $output = *on*sized* ]] || { echo "$output"; false; }
}

@test "a policy in a user namespace covers the files of all its users" {
	requires userns
	mkdir "$files/data/private"
	echo mine >"$files/data/private/file"
	echo "not yours" >"$files/data/private/x.key"
	chmod 700 "$files/data/private"
	chown -R 301000:301000 "$files/data/private"
	config '.linux.namespaces += [{type: "user"}] |
		.process.user.uid = 1000 | .process.user.gid = 1000 |
		.linux.uidMappings = [{containerID: 0, hostID: 300000,
			size: 65536}] |
		.linux.gidMappings = .linux.uidMappings'
	annotate_policy 'filesystem.read=/' 'filesystem.deny=/data/**/*.key'
	tells $'mine\ncat: can\'t open \'/data/private/x.key\': '"$DENIED" \
		'cat /data/private/file /data/private/x.key'
}

@test "a policy on files confines the container of an ordinary user" {
	requires userns setpriv
	new_user
	new_user_bundle
	files=$BUNDLE/rootfs
	mkdir -p "$files/data/private" "$files/other"
	echo public >"$files/data/public"
	echo other >"$files/other/file"
	echo mine >"$files/data/private/file"
	echo "not yours" >"$files/data/private/x.key"
	chown -R "$USER_ID:$USER_ID" "$files"
	chmod 700 "$files/data/private"
	chown -R 300999:300999 "$files/data/private"
	config --argjson id "$USER_ID" '
		.linux.uidMappings = [
			{containerID: 0, hostID: $id, size: 1},
			{containerID: 1, hostID: 300000, size: 65536}] |
		.linux.gidMappings = .linux.uidMappings |
		.process.user.uid = 1000 | .process.user.gid = 1000'
	annotate_policy "filesystem.read=$PROGRAMS;/data" \
		'filesystem.deny=/data/**/*.key'
	args sh -c 'cat /data/public /data/private/file /data/private/x.key \
		/other/file; true'
	run_ok as_user ./sandlock-oci run --bundle "$BUNDLE" box
	[ "$output" = "public
mine
cat: can't open '/data/private/x.key': $DENIED
cat: can't open '/other/file': $DENIED" ] || { echo "$output"; false; }
	args sleep 1000
	as_user ./sandlock-oci create --bundle "$BUNDLE" box </dev/null \
		>"$TMP/out" 2>&1
	as_user ./sandlock-oci start box
	run_ok as_user ./sandlock-oci exec box cat /data/private/file
	run_bad "$DENIED" as_user ./sandlock-oci exec box \
		cat /data/private/x.key
	as_user ./sandlock-oci delete --force box
}
