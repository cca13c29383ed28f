#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/readme.bats - README.md and ./quickstart do what they say: every block
# of README.md is executed, in a copy of the tree.
#
# Scripts have dollars of their own.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0
load helpers

# What is built already is not built again: make compares times.
setup_file() {
	export COPY=$BATS_FILE_TMPDIR/tree
	local tree=$BATS_TEST_DIRNAME/.. build

	build=$(dirname "$SANDLOCK_OCI")
	[ -e "$tree/quickstart" ] || return 0
	# Elsewhere the copy would not find its sources.
	grep -qxE 'srcdir = \.\.?' "$build/Makefile" || return 0
	mkdir -p "$COPY/build"
	tar -C "$tree" -cf - --exclude='./build*' --exclude=./.git --exclude=./config.status \
		--exclude=./Makefile --exclude=./sandlock . | tar -C "$COPY" -xf -
	tar -C "$build" -cf - --exclude='*.log' --exclude='*.trs' --exclude=./build \
		. | tar -C "$COPY/build" -xf -
}

setup() {
	sandlock_setup
	requires root busybox jq make autoconf
	[ -e "$BATS_TEST_DIRNAME/../quickstart" ] || skip "needs the documentation"
	[ -e "$COPY/quickstart" ] || skip "needs a build in the tree"
	requires_landlock 1
	export HOME=$TMP/home DESTDIR=$TMP/installed
	export PATH=$DESTDIR/usr/local/bin:$COPY/build:$PATH
	unset XDG_CONFIG_HOME MAKEFLAGS MAKELEVEL
	mkdir "$HOME"
	cd "$COPY" || return
}

@test "after git clone and cd, quickstart alone shows a denial and its reason" {
	run_ok ./quickstart
	[ "${#lines[@]}" -le 40 ]
	grep -E 'checking|config.status|CC  |make\[' <<<"$output" && return 1
	grep -Fx 'key = "1234"' <<<"$output"
	grep -Fx "cat: can't open '/etc/key': Permission denied" <<<"$output"
	grep '^denied: read /etc/key (not in filesystem.read); to allow it: add /etc/key to' <<<"$output"
	grep "^denied: read $COPY/build-quickstart/token (not in filesystem.read); to allow it: -r " <<<"$output"
	[ "$(cat build-quickstart/project/result)" = built ]
	jq -e '.annotations | length == 4' build-quickstart/web/config.json
	# Again, with what is there.
	run_ok ./quickstart
	grep -Fx "cat: can't open '/etc/key': Permission denied" <<<"$output"
}

@test "quickstart shows what failed, and where the rest is" {
	mkdir "$TMP/bin"
	printf '#!/bin/sh\necho cannot build >&2\nexit 2\n' >"$TMP/bin/make"
	chmod +x "$TMP/bin/make"
	PATH=$TMP/bin:$PATH run ./quickstart
	[ "$status" -eq 1 ]
	[[ $output = *"cannot build"*"quickstart: failed: make "*"; the whole output is in build-quickstart/log" ]]
}

@test "make in the tree works after quickstart, and says what to do before it" {
	run_ok make sandlock
	mv build other
	run make sandlock
	mv other build
	[ "$status" -eq 2 ]
	assert_output_has "run ./quickstart, or ./autogen.sh && ./configure"
}

# split_readme: each block of the page in a file of its own, NUMBER.LANGUAGE.
split_readme() {
	mkdir "$TMP/blocks"
	awk -v dir="$TMP/blocks" '/^```/ { inside = !inside
			if (inside) file = sprintf("%s/%02d.%s", dir, ++n, substr($0, 4))
			next }
		inside { print >file }' README.md
}

# say_and_do COMMAND...: what a line of shell prints; it may change the directory.
say_and_do() {
	cd "$(cat "$TMP/cwd")" || return
	status=0
	bash -c "$1"$'\n'"status=\$?; pwd >'$TMP/cwd'; exit \$status" >"$TMP/said" 2>&1 || status=$?
}

# Lines of a shell, each of which must work.
do_sh() {
	while IFS= read -r line; do
		say_and_do "$line"
		[ "$status" -eq 0 ] || [[ $line = "sandlock check"* && $status -le 2 ]] || {
			echo "$line: $status"
			cat "$TMP/said"
			return 1
		}
	done <"$1"
}

# A session: each command after "$ ", and what it prints.
do_console() {
	local line command=

	: >"$TMP/expected"
	while IFS= read -r line || [ -n "$command" ]; do
		if [[ $line = "$ "* || -z $line ]]; then
			if [ -n "$command" ]; then
				say_and_do "$command"
				diff "$TMP/expected" "$TMP/said" || return
			fi
			: >"$TMP/expected"
			command=${line#"$ "}
		else
			printf '%s\n' "$line" >>"$TMP/expected"
		fi
	done <"$1"
}

# Part of config.json of the bundle of quickstart.
do_json() {
	local file=build-quickstart/web/config.json

	jq 'del(.annotations)' "$file" | jq --slurpfile part "$1" '. * $part[0]' >"$TMP/config"
	cp "$TMP/config" "$file"
}

do_toml() {
	cp "$1" "$TMP/block.toml"
	sandlock profile validate "$TMP/block.toml"
	sandbox --policy "$TMP/block.toml" --project . -- true
}

@test "every block of README.md works, and prints what it shows" {
	local block n=0

	split_readme
	echo "$COPY" >"$TMP/cwd"
	for block in "$TMP"/blocks/*; do
		echo "block ${block##*/}"
		"do_${block##*.}" "$block"
		n=$((n + 1))
	done
	[ "$n" -ge 5 ]
	[ "$n" -eq "$(($(grep -c '^```' "$COPY/README.md") / 2))" ]
	# What it installed.
	[ -x "$DESTDIR/usr/local/bin/sandlock-oci" ]
	[ -e "$DESTDIR/usr/local/share/sandlock/profiles/agent.toml" ]
	[ "$(type -P sandlock)" = "$DESTDIR/usr/local/bin/sandlock" ]
}
