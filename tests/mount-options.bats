#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/mount-options.bats - every word in mounts[].options, and what it does.
# shellcheck disable=SC2016,SC2030,SC2031 # scripts for other shells; run
load helpers

setup() {
	sandlock_setup
	requires root
	new_bundle
}

# The mount's flags and the superblock's of everything below /m, by number.
show_flags='sed -n "s|^.* /m/\([^ ]*\) \([^ ]*\) .*- [^ ]* [^ ]* \(.*\)|\1 \2 \3|p" \
	/proc/self/mountinfo'

# each_option TYPE SOURCE OPTION... : the lines of stdin are "WORDS EXPECTED";
# each becomes a mount at /m/NUMBER, and EXPECTED its line of flags.
each_option() {
	local n=0 words expected all=

	while read -r words expected; do
		# shellcheck disable=SC2086 # the words are many
		add_mount "/m/$n" "$1" "$2" "${@:3}" ${words//,/ }
		all+="$n $expected"$'\n'
		n=$((n + 1))
	done
	run_inside "$show_flags"
	assert_lines "${all%$'\n'}"
}

@test "every option for a flag of a mount sets or clears that flag" {
	each_option tmpfs tmpfs size=4k mode=700 <<-'END'
		defaults rw,relatime rw,size=4k,mode=700
		ro ro,relatime rw,size=4k,mode=700
		ro,rw rw,relatime rw,size=4k,mode=700
		rw,ro ro,relatime rw,size=4k,mode=700
		nosuid rw,nosuid,relatime rw,size=4k,mode=700
		nosuid,suid rw,relatime rw,size=4k,mode=700
		nodev rw,nodev,relatime rw,size=4k,mode=700
		nodev,dev rw,relatime rw,size=4k,mode=700
		noexec rw,noexec,relatime rw,size=4k,mode=700
		noexec,exec rw,relatime rw,size=4k,mode=700
		noatime rw,noatime rw,size=4k,mode=700
		noatime,atime rw,relatime rw,size=4k,mode=700
		nodiratime rw,nodiratime,relatime rw,size=4k,mode=700
		nodiratime,diratime rw,relatime rw,size=4k,mode=700
		strictatime rw rw,size=4k,mode=700
		strictatime,nostrictatime rw,relatime rw,size=4k,mode=700
		strictatime,relatime rw,relatime rw,size=4k,mode=700
		norelatime rw,relatime rw,size=4k,mode=700
		nosymfollow rw,relatime,nosymfollow rw,size=4k,mode=700
		nosymfollow,symfollow rw,relatime rw,size=4k,mode=700
		nosuid,nodev,noexec,noatime,ro ro,nosuid,nodev,noexec,noatime rw,size=4k,mode=700
		iversion rw,relatime rw,size=4k,mode=700
		noiversion rw,relatime rw,size=4k,mode=700
		loud rw,relatime rw,size=4k,mode=700
		silent rw,relatime rw,size=4k,mode=700
	END
}

@test "every option for the file system reaches the file system" {
	each_option tmpfs tmpfs size=4k mode=700 <<-'END'
		sync rw,relatime rw,sync,size=4k,mode=700
		sync,async rw,relatime rw,size=4k,mode=700
		dirsync rw,relatime rw,dirsync,size=4k,mode=700
		lazytime rw,relatime rw,lazytime,size=4k,mode=700
		lazytime,nolazytime rw,relatime rw,size=4k,mode=700
		nr_inodes=7 rw,relatime rw,size=4k,nr_inodes=7,mode=700
		uid=3,gid=4 rw,relatime rw,size=4k,mode=700,uid=3,gid=4
		nomand rw,relatime rw,size=4k,mode=700
	END
}

@test "every recursive option sets or clears its flag on a new mount" {
	each_option tmpfs tmpfs size=4k mode=700 <<-'END'
		rro ro,relatime rw,size=4k,mode=700
		ro,rrw rw,relatime rw,size=4k,mode=700
		rnosuid rw,nosuid,relatime rw,size=4k,mode=700
		rnodev rw,nodev,relatime rw,size=4k,mode=700
		rnoexec rw,noexec,relatime rw,size=4k,mode=700
		rnoatime rw,noatime rw,size=4k,mode=700
		rstrictatime rw rw,size=4k,mode=700
		noatime,rrelatime rw,relatime rw,size=4k,mode=700
		rnodiratime rw,nodiratime,relatime rw,size=4k,mode=700
		rnosymfollow rw,relatime,nosymfollow rw,size=4k,mode=700
	END
}

# rbind_tree OPTIONS...: flags of a mount with one below it, "top below".
rbind_tree() {
	config 'del(.mounts[] | select(.destination == "/m"))'
	# shellcheck disable=SC2086 # the words are many
	add_mount /m "" "$TMP/tree" rbind ${1//,/ }
	args sed -n 's|^.* /m\(/sub\)* \([^ ]*\) .*|\2|p' /proc/self/mountinfo
	run_ok privately bash -c '
		mkdir -p "$1/tree"
		mount -t tmpfs top "$1/tree"
		mkdir "$1/tree/sub"
		mount -t tmpfs below "$1/tree/sub"
		mount -o "remount,bind,$2" "$1/tree/sub"
		mount -o "remount,bind,$2" "$1/tree"
		exec "$3" --root "$4" run --bundle "$5" tree' \
		tree "$TMP" "$2" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	output=$(echo "$output" | tr '\n' ' ')
}

@test "recursive options change the mounts below, plain options do not" {
	local words host expected

	while read -r words host expected; do
		rbind_tree "$words" "$host"
		[ "$output" = "$expected " ] ||
			fail_with "$words on $host: $output, not $expected"
	done <<-'END'
		rw rw rw,relatime rw,relatime
		ro rw ro,relatime rw,relatime
		rro rw ro,relatime ro,relatime
		rw ro rw,relatime ro,relatime
		rrw ro rw,relatime rw,relatime
		ro,rrw ro rw,relatime rw,relatime
		rnosuid rw rw,nosuid,relatime rw,nosuid,relatime
		nosuid rw rw,nosuid,relatime rw,relatime
		rsuid nosuid rw,relatime rw,relatime
		rnodev rw rw,nodev,relatime rw,nodev,relatime
		rdev nodev rw,relatime rw,relatime
		rnoexec rw rw,noexec,relatime rw,noexec,relatime
		rexec noexec rw,relatime rw,relatime
		rnoatime rw rw,noatime rw,noatime
		ratime noatime rw,relatime rw,relatime
		rrelatime noatime rw,relatime rw,relatime
		rnodiratime rw rw,nodiratime,relatime rw,nodiratime,relatime
		rdiratime nodiratime rw,relatime rw,relatime
		rstrictatime rw rw rw
		rnostrictatime strictatime rw,relatime rw,relatime
		rnorelatime rw rw,relatime rw,relatime
		rnosymfollow rw rw,relatime,nosymfollow rw,relatime,nosymfollow
		rsymfollow nosymfollow rw,relatime rw,relatime
	END
}

fail_with() {
	echo "$*"
	return 1
}

@test "a bind shows the top mount only, an rbind the mounts below as well" {
	mkdir "$TMP/tree"
	add_mount /one "" "$TMP/tree" bind
	add_mount /all "" "$TMP/tree" rbind
	args sh -c 'echo "[$(ls /one/sub)] [$(ls /all/sub)]"'
	run_ok privately bash -c '
		mkdir "$1/tree/sub"
		mount -t tmpfs below "$1/tree/sub"
		touch "$1/tree/sub/file"
		exec "$2" --root "$3" run --bundle "$4" tree' \
		tree "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines "[] [file]"
}

# bind_flags HOST-OPTIONS OPTION...: what a bind of such a mount shows.
bind_flags() {
	config 'del(.mounts[] | select(.destination == "/m"))'
	add_mount /m "" "$TMP/from" bind "${@:2}"
	args sed -n 's|^.* /m \([^ ]*\) .*|\1|p' /proc/self/mountinfo
	run_ok privately bash -c '
		mkdir -p "$1/from"
		mount -t tmpfs -o "$2" top "$1/from"
		exec "$3" --root "$4" run --bundle "$5" flags' \
		flags "$TMP" "$1" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
}

@test "a bind without options keeps its source's flags" {
	bind_flags ro,nosuid,nodev,noexec,noatime
	assert_lines ro,nosuid,nodev,noexec,noatime
	bind_flags ro,nosuid,nodev private
	assert_lines ro,nosuid,nodev,relatime
}

@test "a bind with any option clears the flags that no option names" {
	bind_flags ro,nosuid,nodev,noexec nosuid
	assert_lines rw,nosuid,relatime
	bind_flags nosuid,nodev ro
	assert_lines ro,relatime
	bind_flags ro,nosuid rw
	assert_lines rw,relatime
}

@test "a bind keeps its source's atime mode unless an option sets another" {
	bind_flags noatime,nosuid ro
	assert_lines ro,noatime
	bind_flags noatime relatime
	assert_lines rw,relatime
	bind_flags noatime,nodiratime strictatime
	assert_lines rw,nodiratime
}

# The flags of a mount belong to the host when its user namespace does.
@test "flags of the host are locked in a user namespace" {
	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	bind_flags ro,nosuid,nodev noexec
	assert_lines ro,nosuid,nodev,noexec,relatime
	bind_flags nosuid,nodev,noexec ro
	assert_lines ro,nosuid,nodev,noexec,relatime
}

@test "create refuses an option that clears a locked flag" {
	local word

	requires userns
	config '.linux.namespaces += [{type: "user"}] |
		.linux.uidMappings = [{containerID: 0, hostID: 100000, size: 1000}] |
		.linux.gidMappings = .linux.uidMappings'
	chown -R 100000:100000 "$BUNDLE/rootfs"
	for word in rw suid dev exec strictatime; do
		config 'del(.mounts[] | select(.destination == "/m"))'
		add_mount /m "" "$TMP/from" bind "$word"
		run_bad "mounts[7]" privately bash -c '
			mkdir -p "$1/from"
			mount -t tmpfs -o ro,nosuid,nodev,noexec,noatime \
				top "$1/from"
			exec "$2" --root "$3" run --bundle "$4" locked' \
			locked "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
		assert_output_has "operation not permitted"
	done
}

@test "the mount options noexec and nosymfollow take effect" {
	add_mount /m tmpfs tmpfs noexec nosymfollow
	run_inside 'cp /bin/busybox /m/true; ln -s true /m/link
		/m/true; cat /m/link; true'
	assert_output_has "Permission denied"
	assert_output_has "'/m/link': Too many"
}

@test "a read-only tmpfs with tmpcopyup is filled before it becomes read-only" {
	mkdir -p "$BUNDLE/rootfs/filled"
	echo text >"$BUNDLE/rootfs/filled/file"
	add_mount /filled tmpfs tmpfs ro tmpcopyup
	add_mount /filled/below tmpfs tmpfs
	run_inside 'cat /filled/file; touch /filled/below/x; touch /filled/x || true'
	assert_output_has text
	assert_output_has "Read-only file system"
}

# Mount points for what follows are made in it first.
@test "rro on a bind of /dev makes the mounts below it read-only" {
	config '.mounts |= map(select(.destination | startswith("/dev") | not))'
	add_mount /dev "" "$TMP/dev" rbind rro
	add_mount /dev/shm tmpfs tmpfs
	args sh -c 'touch /dev/shm/x && echo shm
		touch /dev/x 2>&1; touch /dev/sub/x 2>&1; true'
	mkdir "$TMP/dev"
	run_ok privately bash -c '
		mkdir "$1/dev/sub"
		mount -t tmpfs below "$1/dev/sub"
		exec "$2" --root "$3" run --bundle "$4" dev' \
		dev "$TMP" "$SANDLOCK_OCI" "$ROOT" "$BUNDLE"
	assert_lines "shm
touch: /dev/x: Read-only file system
touch: /dev/sub/x: Read-only file system"
}

@test "tmpcopyup copies the covered files with their modes and owners" {
	local dir=$BUNDLE/rootfs/was

	mkdir -p "$dir/a/b"
	chmod 2751 "$dir/a"
	chown 5:6 "$dir" "$dir/a"
	echo text >"$dir/a/b/file"
	chmod 4711 "$dir/a/b/file"
	chown 7:8 "$dir/a/b/file"
	chmod 4711 "$dir/a/b/file"
	ln -s a/b/file "$dir/link"
	ln -s /nowhere "$dir/dangling"
	mkfifo -m 604 "$dir/fifo"
	chmod 1775 "$dir"
	add_mount /was tmpfs tmpfs tmpcopyup
	config '.process.capabilities[] += ["CAP_DAC_OVERRIDE"]'
	run_inside 'cd /was || exit; find . -mindepth 0 | sort |
		while read f; do stat -c "%n %a %u:%g %F" "$f"; done
		readlink dangling; cat a/b/file 2>&1; echo new >new'
	assert_lines ". 1775 5:6 directory
./a 2751 5:6 directory
./a/b 755 0:0 directory
./a/b/file 4711 7:8 regular file
./dangling 777 0:0 symbolic link
./fifo 604 0:0 fifo
./link 777 0:0 symbolic link
/nowhere
text"
	[ ! -e "$dir/new" ]
}

@test "create refuses tmpcopyup for a mount that is no tmpfs" {
	mkdir "$TMP/from"
	add_mount /m "" "$TMP/from" bind tmpcopyup
	create_fails "mounts[7].options: tmpcopyup is only supported for tmpfs"
	config '.mounts[7] = {destination: "/m", type: "ramfs",
			      source: "x", options: ["tmpcopyup"]}'
	create_fails "mounts[7].options: tmpcopyup is only supported for tmpfs"
}

@test "a tmpfs takes the mode of the directory that it covers" {
	mkdir -m 2750 "$BUNDLE/rootfs/there"
	mkdir -m 1777 "$BUNDLE/rootfs/sticky"
	add_mount /there tmpfs tmpfs size=4k
	add_mount /sticky tmpfs tmpfs size=4k
	add_mount /missing tmpfs tmpfs size=4k
	run_inside 'stat -c "%n %a" /there /sticky /missing
		grep -E " /(there|sticky|missing) " /proc/mounts'
	assert_lines "/there 2750
/sticky 1777
/missing 1777
tmpfs /there tmpfs rw,relatime,size=4k,mode=2750 0 0
tmpfs /sticky tmpfs rw,relatime,size=4k 0 0
tmpfs /missing tmpfs rw,relatime,size=4k 0 0"
}

@test "the option mode= of a tmpfs wins over the mode of the covered directory" {
	mkdir -m 2750 "$BUNDLE/rootfs/there"
	add_mount /there tmpfs tmpfs size=4k mode=0711
	add_mount /missing tmpfs tmpfs size=4k mode=1700
	run_inside 'stat -c "%n %a" /there /missing'
	assert_lines "/there 711
/missing 1700"
}

@test "the option remount changes the flags of an existing mount" {
	add_mount /m tmpfs tmpfs
	add_mount /m "" "" remount ro nosuid
	add_mount /sys "" "" remount rw noatime
	run_inside "$show_flags; grep -c ' /m ' /proc/self/mountinfo
		sed -n 's|^.* /m \([^ ]*\) .*|\1|p' /proc/self/mountinfo
		sed -n 's|^[^/]*/ /sys \([^ ]*\) .*|\1|p' /proc/self/mountinfo"
	assert_lines "1
ro,nosuid,relatime
rw,nosuid,nodev,noexec,noatime"
}

@test "the option remount gives the file system its new options" {
	add_mount /m tmpfs tmpfs size=4k
	add_mount /m "" "" remount size=8k
	run_inside 'sed -n "s|.* /m .* - tmpfs tmpfs ||p" /proc/self/mountinfo'
	assert_output_has size=8k
}

@test "the error of an unknown option is the file system's own" {
	add_mount /m tmpfs tmpfs nosuid colour=blue
	create_fails "mounts[7]"
	assert_output_has "tmpfs: Unknown parameter 'colour'"
	config '.mounts[7].options = ["blue"]'
	create_fails "tmpfs: Unknown parameter 'blue'"
	config '.mounts[7].options = ["size=blue"]'
	create_fails "tmpfs: Bad value for 'size'"
}

@test "create reports the place of an unknown option of a bind" {
	mkdir "$TMP/from"
	add_mount /m "" "$TMP/from" bind ro blue
	create_fails 'mounts[7].options[2]: unknown option "blue" for a bind mount'
	config '.mounts[7].options = ["size=4k", "rbind"]'
	create_fails 'mounts[7].options[0]: unknown option "size=4k" for a bind mount'
}

@test "several mount options may come in one string" {
	add_mount /m/0 tmpfs tmpfs nosuid size=4k,mode=700
	run_inside "$show_flags"
	assert_lines "0 rw,nosuid,relatime rw,size=4k,mode=700"
}

@test "create reports the place of an empty mount option" {
	add_mount /m tmpfs tmpfs ro ""
	create_fails 'mounts[7].options[1]'
}

@test "features lists the mount options that create knows" {
	run_ok oci features
	for word in ro rro nosymfollow idmap ridmap tmpcopyup copy-symlink \
		src-nofollow dest-nofollow runbindable lazytime; do
		jq -e --arg w "$word" '.mountOptions | index($w)' <<<"$output"
	done
}
