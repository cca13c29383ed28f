#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/seatbelt.bats - the profile for macOS: its text, its meaning, and that no
# policy can add a rule to it.

bats_require_minimum_version 1.5.0
load helpers

PARTS=$BATS_TEST_DIRNAME/seatbelt
GOLDEN=$PARTS/golden

export PYTHONPATH=$PARTS PYTHONDONTWRITEBYTECODE=1

setup() {
	sandlock_setup
	requires python3
}

# shellcheck disable=SC2016 # for the other shell
# on_a_mac COMMAND...: run it in the project of a home that is always the same.
on_a_mac() {
	requires root
	unshare -m sh -ec '
		mount -t tmpfs none /srv
		mkdir -p /srv/alice/project/.venv /srv/python/bin /srv/alice/.claude
		cd /srv/alice/project
		echo "home = /srv/python/bin" >.venv/pyvenv.cfg
		: >/srv/python/bin/python3.12
		ln -s python3.12 /srv/python/bin/python3
		[ ! -e "$FILE" ] || cp "$FILE" "${AS:-pyproject.toml}"
		exec env -i HOME=/srv/alice PATH=/usr/bin:/bin \
			TMPDIR=/private/var/folders/ab/T "$@"
	' sh "$@"
}

# golden NAME WORD...: the profile is that of the file.
golden() {
	local name=$1

	shift
	on_a_mac "$SANDLOCK" seatbelt "$@" >"$TMP/profile" || return
	[ -z "$UPDATE_GOLDEN" ] || cp "$TMP/profile" "$GOLDEN/$name.sb"
	diff -u "$GOLDEN/$name.sb" "$TMP/profile"
	python3 -c 'import sys, sbpl; sbpl.Profile(sys.stdin.read())' \
		<"$TMP/profile"
}

@test "seatbelt: the examples of uv" {
	FILE=$GOLDEN/uv-project.toml golden uv-project --policy pyproject.toml
	FILE=$GOLDEN/uv-network.toml golden uv-network --policy pyproject.toml
	FILE=$GOLDEN/uv-secrets.toml golden uv-secrets --policy pyproject.toml
}

@test "seatbelt: the settings of an agent, and its default rules" {
	FILE=$GOLDEN/agent.json AS=settings.json golden agent \
		--policy settings.json
	FILE=$GOLDEN/agent-rules.toml AS=rules.toml golden agent-rules \
		-p ./rules.toml
}

@test "seatbelt: a builder's paths, network and sockets" {
	golden builder -r /etc -r /usr -w /srv/alice/project
	golden builder-loopback -r /etc -r /usr -w /srv/alice/project \
		--network-mode loopback --network-unix /var/run/docker.sock
	golden builder-open -r /etc -r /usr -w /srv/alice/project \
		--network-mode open
}

@test "seatbelt: rules of the network" {
	golden network -r @system --net-allow '*:443' \
		--net-allow 'localhost:5432,6000-6001' \
		--net-allow 'udp://*:53' --net-deny '*:25' --net-bind 8080 \
		--network-deny-bind 9090 --network-allow-local-binding
	golden proxy -r @system --network-http-proxy-port 8080 \
		--network-socks-proxy-port 1080 --net-allow example.com:443
}

@test "seatbelt: what an enforced profile allows is intersected" {
	local dir=$TMP/config

	requires root
	mkdir -p "$dir"
	printf '[filesystem]\nread = ["/usr", "/opt/a"]\nwrite = ["/opt/w"]\n' \
		>"$dir/floor.toml"
	run_ok sandlock seatbelt --enforce "$dir/floor.toml" -r /usr -r /opt \
		-w /opt/w/x
	printf '%s\n' "$output" >"$TMP/profile"
	run_ok python3 - "$TMP/profile" <<-'END'
		import sys, sbpl
		p = sbpl.Profile(open(sys.argv[1]).read())
		read = lambda path: p.allows("file-read-data", path=path)
		write = lambda path: p.allows("file-write-data", path=path)
		assert read("/usr/bin/x") and read("/opt/a/x") and read("/opt/w/x")
		assert not read("/opt/b/x") and not write("/opt/a/x")
		assert write("/opt/w/x/y") and not write("/opt/w/y")
	END
}

@test "seatbelt: nothing that is denied is allowed again" {
	run_ok sandlock seatbelt -r /usr -w /dev --filesystem-deny /dev/ttys001
	printf '%s\n' "$output" >"$TMP/profile"
	run_ok python3 - "$TMP/profile" <<-'END'
		import sys, sbpl
		p = sbpl.Profile(open(sys.argv[1]).read())
		assert not p.allows("file-ioctl", path="/dev/ttys001")
		assert p.allows("file-ioctl", path="/dev/ttys002")
		assert not p.allows("file-read-data", path="/dev/ttys002")
	END
}

@test "seatbelt: agents below /tmp are not its own sockets" {
	run_ok sandlock seatbelt -r /usr -w /tmp --network-unix /tmp/ssh-a/agent
	printf '%s\n' "$output" >"$TMP/profile"
	run_ok python3 - "$TMP/profile" <<-'END'
		import sys, sbpl
		p = sbpl.Profile(open(sys.argv[1]).read())
		reach = lambda path: p.allows("network-outbound", side="remote",
		                              kind="unix", path=path)
		assert reach("/tmp/own.sock") and reach("/tmp/ssh-a/agent")
		assert not reach("/tmp/com.apple.launchd.x/Listeners")
		assert not reach("/private/tmp/tmux-501/default")
		assert not reach("/tmp/ssh-b/agent")
		# Signals and information stay inside.
		assert not p.allows("signal", target="others")
		assert not p.allows("process-info-pidinfo", target="others")
		assert p.allows("signal", target="self")
	END
}

@test "seatbelt: the profile and the sandbox of Linux agree on 200 cases" {
	requires root
	mkdir "$TMP/cases"
	HOME=/root run_ok python3 "$PARTS/cases.py" "$SANDLOCK" "$TMP/cases"
	echo "$output"
}

@test "seatbelt: random policies mean what their profiles say" {
	mkdir "$TMP/pairs"
	run_ok python3 "$PARTS/pairs.py" "$SANDLOCK" "$TMP/pairs"
	echo "$output"
}

# count_rules NAME: of the profile that allows and denies files of this name.
count_rules() {
	sandlock seatbelt -r "$TMP/odd/$1" -w "$TMP/odd" \
		--filesystem-deny "$TMP/odd/deny/$1" | python3 -c '
import sys, sbpl
p = sbpl.Profile(sys.stdin.read())
assert not p.allows("file-read-data", path="/nowhere")
print(len(p.rules))'
}

@test "seatbelt: text that would end a string is quoted" {
	local odd plain

	plain=$(count_rules plain)
	for odd in 'a"b' 'a\\b' 'a")(allow default)("' "a'b" 'a;b' 'a(b' 'é' \
		'a")) (allow network-outbound) (version 1 "'; do
		[ "$(count_rules "$odd")" = "$plain" ]
	done
}

@test "seatbelt: control characters and text that is not UTF-8 are refused" {
	sandlock_bad "contains a control byte" seatbelt -r $'/a\tb'
	sandlock_bad "UTF-8" seatbelt -r $'/a\xff'
}

@test "seatbelt names the key that macOS cannot enforce" {
	sandlock_bad "limits.memory cannot be enforced on macOS" seatbelt \
		-r /usr -m 1G
	sandlock_bad "syscalls.extra_deny cannot be enforced on macOS" \
		seatbelt -r /usr --syscalls-extra-deny ptrace
	sandlock_bad "network.allow: 'example.com:443': Seatbelt knows only" \
		seatbelt -r /usr --net-allow example.com:443
	sandlock_bad "network.deny: '10.0.0.0/8': Seatbelt knows only" \
		seatbelt -r /usr --net-deny 10.0.0.0/8
	sandlock_bad "network.allow: 'icmp://*': Seatbelt cannot tell" \
		seatbelt -r /usr --net-allow 'icmp://*'
	sandlock_bad "network.bind: '0': Seatbelt cannot name" \
		seatbelt -r /usr --net-bind 0
	sandlock_bad "limits.gpu_devices cannot be enforced on macOS" \
		seatbelt -r /usr --gpu 0
	sandlock_bad "config.strict: namespaces cannot be enforced" \
		seatbelt -r /usr --config-strict namespaces
	run_ok sandlock seatbelt -r /usr -m 1G --config-allow-degraded cgroups
}

@test "explain --platform macos says how each key is enforced, or why not" {
	run_ok sandlock explain --platform macos -r /usr --limits-open-files 64
	assert_output_has "platform: macos"
	assert_output_has "enforced by Seatbelt: (allow file-read*"
	assert_output_has "applied by sandlock: setrlimit RLIMIT_NOFILE"
	assert_output_has "signal_scope"
	run -1 sandlock explain --platform macos --json -r /usr -m 1G
	[ "$(jq -r .verdict <<<"$output")" = refused ]
	[ "$(jq -r '[.lines[] | select(.key == "limits.memory")][0].state' \
		<<<"$output")" = refused ]
	sandlock_bad "--platform: 'plan9' is not linux or macos" explain \
		--platform plan9
}

@test "wrap --backend seatbelt prints a line of sandbox-exec" {
	run_ok sandlock wrap --backend seatbelt -r /usr -- echo "a b"
	[[ $output = "sandbox-exec -p '(version 1)"* ]]
	[[ $output = *" -- echo 'a b'" ]]
	eval "set -- $output"
	[ "$#" -eq 6 ]
	printf '%s' "$3" | python3 -c \
		'import sys, sbpl; sbpl.Profile(sys.stdin.read())'
	sandlock_bad "--backend: 'x' is not sandlock or seatbelt" wrap \
		--backend x -r /usr -- true
}
