#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/starters.bats - the built-in profiles: each one runs a real program of
# its kind, and keeps it from the user's keys and from the network.
#
# Scripts have dollars of their own.
# shellcheck disable=SC2016

bats_require_minimum_version 1.5.0
load helpers
load packages

# A user with a key and an empty project, on a machine with a server.
setup() {
	sandlock_setup
	REAL_CACHE=$CACHE
	export HOME=$TMP/home PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	unset XDG_CONFIG_HOME XDG_CACHE_HOME TMPDIR VIRTUAL_ENV
	mkdir -p "$HOME/.ssh" "$HOME/project"
	echo "private key" >"$HOME/.ssh/id_ed25519"
	cd "$HOME/project" || return
	if command -v git >/dev/null; then
		git init -q
	else
		mkdir .git
	fi
}

teardown() {
	[ ! -e "$TMP/server.pid" ] || kill "$(cat "$TMP/server.pid")" || :
	sandlock_teardown
}

connects() {
	bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0"' "$PORT" 2>/dev/null
}

serve_port() {
	PORT=$((20000 + $$ % 10000))
	while connects; do
		PORT=$((PORT + 1))
	done
	busybox nc -ll -p "$PORT" -e true >/dev/null 2>&1 3>&- &
	echo $! >"$TMP/server.pid"
	wait_until connects
}

# new_starter KIND: a profile "mine" of this kind, which closes keys, the rest of
# the home directory, the network and the host's /tmp.
new_starter() {
	run_ok sandlock profile new mine --for "$1"
	assert_lines "$HOME/.config/sandlock/profiles/mine.toml
use it: sandlock run -p mine -- COMMAND"
	serve_port
	echo shared >"$TMP/../starter.$$"
	for profile in mine "$1"; do
		run sandbox -p "$profile" -- cat "$HOME/.ssh/id_ed25519"
		[ "$status" -eq 1 ]
		[[ $output = *"No such file or directory"* ]]
		run sandbox -p "$profile" -- bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$0"' "$PORT"
		[ "$status" -eq 1 ]
		[[ $output = *"Permission denied"* || $output = *"Operation not permitted"* ]]
		run sandbox -p "$profile" -- sh -c 'echo private >/tmp/file; cat /tmp/file; ls -A /tmp | grep starter'
		[ "$status" -eq 1 ]
		assert_output_has private
	done
	rm "$TMP/../starter.$$"
	[ ! -e /tmp/file ]
}

# in_box COMMAND...: succeed in the sandbox of "mine".
in_box() {
	run_ok sandbox -p mine -- "$@"
}

# A build of its own, so that no package is needed.
python_package() {
	mkdir -p "$1/build/greet"
	cat >"$1/pyproject.toml" <<-'END'
		[build-system]
		requires = []
		build-backend = "backend"
		backend-path = ["build"]
	END
	cat >"$1/build/greet/__init__.py" <<-'END'
		def greet(name):
		    return "hello " + name
	END
	cat >"$1/build/backend.py" <<-'END'
		import os
		import zipfile

		def build_wheel(directory, config_settings=None, metadata_directory=None):
		    name = "greet-1.0-py3-none-any.whl"
		    info = "greet-1.0.dist-info/"
		    with zipfile.ZipFile(os.path.join(directory, name), "w") as wheel:
		        wheel.write("build/greet/__init__.py", "greet/__init__.py")
		        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: greet\nVersion: 1.0\n")
		        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		        wheel.writestr(info + "RECORD", "")
		    return name
	END
}

python_test() {
	cat >test_greet.py <<-'END'
		import unittest
		import greet

		class Greet(unittest.TestCase):
		    def test_greet(self):
		        self.assertEqual(greet.greet("you"), "hello you")
	END
}

@test "the profile for Python makes an environment, installs a package and tests it" {
	requires root python3
	python3 -c 'import venv, ensurepip' || skip "needs python3"
	python_package vendor
	python_test
	new_starter python
	in_box python3 -m venv .venv
	in_box .venv/bin/pip install --no-index --no-build-isolation ./vendor
	assert_output_has "Successfully installed greet-1.0"
	in_box .venv/bin/python -m unittest -v
	assert_output_has OK
	[ -e .venv/bin/pip ]
}

node_package() {
	mkdir -p package
	echo '{"name": "greet", "version": "1.0.0", "main": "index.js"}' >package/package.json
	echo 'module.exports = (name) => "hello " + name;' >package/index.js
	tar -czf greet-1.0.0.tgz package
	rm -r package
	echo '{"name": "app", "version": "1.0.0", "scripts": {"test": "node --test greet.test.js"}}' >package.json
	cat >greet.test.js <<-'END'
		const test = require("node:test");
		const assert = require("node:assert");
		const greet = require("greet");

		test("greet", () => assert.strictEqual(greet("you"), "hello you"));
	END
}

@test "the profile for Node.js installs a package and runs its tests by npm" {
	requires root node npm
	node_package
	new_starter node
	in_box npm install --offline --no-audit --no-fund ./greet-1.0.0.tgz
	[ -e node_modules/greet/index.js ]
	in_box npm test
	assert_output_has "# pass 1"
	[ ! -e "$HOME/.npm" ]
}

c_project() {
	cat >greet.c <<-'END'
		#include <stdio.h>
		int main(int argc, char **argv)
		{
			return printf("hello %s\n", argc > 1 ? argv[1] : "") < 0;
		}
	END
	printf '%s\n' 'greet: greet.c' $'\t$(CC) $(CFLAGS) -o $@ $<' \
		'check: greet' $'\ttest "$$(./greet you)" = "hello you" && echo passed' \
		'install: greet' $'\tinstall -D greet $(DESTDIR)/bin/greet' >Makefile
}

@test "the profile for C builds a project by make, tests and installs it" {
	requires root make cc
	c_project
	new_starter c
	in_box make CFLAGS="-O2 -g -pipe"
	in_box make check
	assert_output_has passed
	in_box make install DESTDIR=out
	[ "$(out/bin/greet you)" = "hello you" ]
}

# find_go: a Go of the system, or one that is unpacked, in ~/sdk.
find_go() {
	local dir

	! command -v go >/dev/null || return 0
	dir=$(CACHE=$REAL_CACHE unpacked golang-1.19-go golang-1.19-src) || skip "needs go"
	ln -s "$dir/usr" "$HOME/sdk"
	export PATH=$HOME/sdk/lib/go-1.19/bin:$PATH GOROOT=$HOME/sdk/lib/go-1.19
}

go_module() {
	mkdir greet
	printf 'module example.com/app\n\ngo 1.19\n' >go.mod
	printf 'package greet\n\nfunc Greet(name string) string { return "hello " + name }\n' >greet/greet.go
	cat >greet/greet_test.go <<-'END'
		package greet

		import "testing"

		func TestGreet(t *testing.T) {
			if Greet("you") != "hello you" {
				t.Fatal(Greet("you"))
			}
		}
	END
	cat >main.go <<-'END'
		package main

		import "example.com/app/greet"

		func main() { println(greet.Greet("you")) }
	END
}

@test "the profile for Go builds and tests a module" {
	requires root
	find_go
	go_module
	new_starter go
	in_box go build -o app .
	[ "$(./app 2>&1)" = "hello you" ]
	in_box go test ./...
	assert_output_has "ok  	example.com/app/greet"
	[ ! -e "$HOME/.cache/go-build" ]
}

@test "the profile for agents edits a project, tests and commits it" {
	requires root git python3
	git config --global user.name "A User"
	git config --global user.email user@example.org
	mkdir greet
	echo 'def greet(name): return "hi " + name' >greet/__init__.py
	python_test
	git add -A
	git commit -qm "First"
	new_starter agent
	run sandbox -p mine -- python3 -m unittest
	[ "$status" -ne 0 ]
	in_box sed -i 's/"hi "/"hello "/' greet/__init__.py
	in_box python3 -m unittest
	in_box sh -c 'echo notes >NOTES && git add -A && git commit -qm "Say hello"'
	[ "$(git log --format=%s%n%an -n 1)" = $'Say hello\nA User' ]
	[ "$(git show --format= --name-only | sort)" = $'NOTES\ngreet/__init__.py' ]
	[ -z "$(git status --porcelain)" ]
	# What git on the host would execute stays closed.
	run sandbox -p mine -- sh -c 'echo id >.git/hooks/pre-commit'
	[ "$status" -ne 0 ]
	run sandbox -p mine -- git config core.fsmonitor ./x
	[ "$status" -ne 0 ]
	run sandbox -p mine -- sh -c 'mkdir .vscode && echo >.vscode/tasks.json'
	[ "$status" -ne 0 ]
	[ ! -e .git/hooks/pre-commit ]
	[ ! -e .vscode ]
}

@test "the profile for reading reads a project and changes nothing" {
	requires root
	c_project
	new_starter readonly
	in_box grep -c hello greet.c
	assert_lines 1
	for script in 'echo >new' 'echo >>greet.c' 'rm greet.c' 'chmod 777 greet.c' 'touch greet.c' 'mkdir dir'; do
		run sandbox -p mine -- sh -c "$script"
		[ "$status" -ne 0 ]
		[[ $output = *"Read-only file system"* ]]
	done
	in_box sh -c 'cp greet.c /tmp/; echo >>/tmp/greet.c'
	assert_lines ""
}

@test "the starter profiles work for a user without privileges" {
	requires root userns make cc
	new_user
	mkdir "$USER_HOME/project"
	cd "$USER_HOME/project" || return
	c_project
	chown -R "$USER_ID:$USER_ID" "$USER_HOME/project"
	run_ok as_user sh -c 'cd project && ../sandlock run -p c -- make check'
	assert_output_has passed
	run_ok as_user sh -c 'cd project && ../sandlock run -p agent -- make check'
	run_ok as_user sh -c 'cd project && ../sandlock run -p readonly -- ./greet you'
	assert_lines "hello you"
}

# ---- the commands ----

@test "profile list shows built-in profiles, and those that take their place" {
	run_ok sandlock profile list
	assert_lines "agent     built in  in the program
c         built in  in the program
go        built in  in the program
node      built in  in the program
python    built in  in the program
readonly  built in  in the program"
	run_ok sandlock profile new python --for readonly
	run_ok sandlock profile list
	[ "${lines[4]}" = "python    user      $HOME/.config/sandlock/profiles/python.toml" ]
	run_ok sandlock explain -p python
	assert_output_has 'filesystem.read = ["@system", "@python", "@project"]'
	run_ok sandlock explain -p c
	assert_output_has 'filesystem.write = ["@project"]  (built-in profile c)'
}

@test "profile new --for never overwrites, and names the kinds that there are" {
	run_ok sandlock profile new mine --for c
	run_ok sandlock profile validate "$HOME/.config/sandlock/profiles/mine.toml"
	cp "$HOME/.config/sandlock/profiles/mine.toml" before
	sandlock_bad "mine.toml already exists and was not changed" profile new mine --for go
	cmp before "$HOME/.config/sandlock/profiles/mine.toml"
	sandlock_bad "profile new --for: 'pyton' is not one of: agent, c, go, node, python, readonly (did you mean python?)" \
		profile new other --for pyton
	sandlock_bad "profile list: --for is an option of profile new" profile list --for c
	[ ! -e "$HOME/.config/sandlock/profiles/other.toml" ]
	run_ok "$SANDLOCK" __complete profile new x --for r
	assert_output_has readonly
}

@test "a bundle can name a built-in profile, and so can --enforce" {
	requires root
	new_bundle
	args sh -c 'echo read; echo x >/etc/new'
	annotate io.sandlock.profile=readonly
	config '.process.cwd = "/root"'
	run_bad "Read-only file system" run_bundle
	run_ok sandbox --enforce readonly -r @system -- true
	sandlock_bad 'would loosen "deny" of the enforced profile readonly' run --enforce readonly -r @system --network-mode open -- true
}
