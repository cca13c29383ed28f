#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/network-doors.bats - network rules in the files of uv and of agents.

bats_require_minimum_version 1.5.0
load helpers
load world

setup_file() {
	make_world
}

teardown_file() {
	end_world
}

setup() {
	sandlock_setup
	enter_work
	cp "$WORLD_PY" .
	mkdir .claude
	# sandlock-resolve is beside the programs.
	export SANDLOCK_LIBEXEC=${SANDLOCK_LIBEXEC:-$(dirname "$SANDLOCK")}
}

teardown() {
	sandlock_teardown
}

# reaches FILE OUTPUT WORD...: the client prints this with the policy of a file.
reaches() {
	local file=$1 wanted=$2

	shift 2
	run_ok in_world "$SANDLOCK" --root "$ROOT" run --policy "$file" \
		-- python3 world.py "$@"
	[ "${lines[-1]}" = "$wanted" ]
}

# settings NETWORK: an agent's settings with this network object.
settings() {
	printf '{"sandbox": {"enabled": true, "network": %s}}' "$1" \
		>.claude/settings.json
}

@test "an agent reaches the domains of allowedDomains without deniedDomains" {
	settings '{"allowedDomains": ["good.test"]}'
	reaches .claude/settings.json hello tcp good.test 7000
	reaches .claude/settings.json EACCES tcp 198.51.100.1 7000
	settings '{"allowedDomains": ["good.test", "198.51.100.1"],
		"deniedDomains": ["good.test"]}'
	reaches .claude/settings.json EACCES tcp 198.51.100.9 7000
	reaches .claude/settings.json hello tcp 198.51.100.1 7000
}

@test "an agent's deniedDomains alone opens nothing" {
	settings '{"deniedDomains": ["good.test"]}'
	reaches .claude/settings.json EPERM tcp 198.51.100.1 7000
}

@test "allowManagedDomainsOnly leaves no domain, and run says so" {
	settings '{"allowManagedDomainsOnly": true, "allowedDomains": ["198.51.100.1"]}'
	reaches .claude/settings.json EPERM tcp 198.51.100.1 7000
	assert_output_has "allowedDomains has no effect in this sandbox"
}

@test "a proxy on the host's loopback is the only way out, and variables name it" {
	settings '{"httpProxyPort": 5432, "socksProxyPort": 5433}'
	reaches .claude/settings.json hello tcp 127.0.0.1 5432
	reaches .claude/settings.json ECONNREFUSED tcp 127.0.0.1 5433
	reaches .claude/settings.json ECONNREFUSED tcp 127.0.0.1 5434
	reaches .claude/settings.json EACCES tcp 198.51.100.1 7000
	reaches .claude/settings.json EPERM udp 198.51.100.1 7001
	# What is denied opens nothing else.
	settings '{"httpProxyPort": 5432, "blockedDomains": ["198.51.100.9"]}'
	reaches .claude/settings.json hello tcp 127.0.0.1 5432
	reaches .claude/settings.json EACCES tcp 198.51.100.1 7000
	reaches .claude/settings.json EPERM udp 198.51.100.1 7001
	run_ok in_world "$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--network-http-proxy-port 5432 --network-socks-proxy-port 5433 \
		--env HTTP_PROXY=http://elsewhere -- env
	for line in {HTTP_PROXY,http_proxy,HTTPS_PROXY,https_proxy}=http://127.0.0.1:5432 \
		{ALL_PROXY,all_proxy}=socks5://127.0.0.1:5433 \
		{NO_PROXY,no_proxy}=localhost,127.0.0.1,::1; do
		grep -qxF "$line" <<<"$output"
	done
	[[ $output != *elsewhere* ]]
}

@test "a proxy as the only way out is an error where the network is open" {
	run -125 in_world "$SANDLOCK" --root "$ROOT" run -r @system --cwd / \
		--network-http-proxy-port 5432 --network-mode open -- true
	assert_output_has "network.http_proxy_port: a proxy cannot be the only way out with network.mode 'open'"
	new_bundle
	annotate_policy network.http_proxy_port=5432
	run_bad "network.http_proxy_port: cannot be set for a bundle" run_bundle
}

@test "deny-net of uv takes hosts away from allow-net" {
	cat >uv.toml <<-EOF
		[sandbox]
		allow-read = [{ preset = "system" }, "."]
		allow-execute = [{ preset = "system" }]
		allow-env = ["PATH"]
		allow-net = true
		deny-net = ["198.51.100.1", "good.test:7000"]
	EOF
	reaches uv.toml EACCES tcp 198.51.100.1 7000
	reaches uv.toml EACCES tcp 198.51.100.9 7000
	reaches uv.toml hello tcp 2001:db8::1 7000
	sed -i 's/^allow-net = true/allow-net = false/' uv.toml
	reaches uv.toml EPERM tcp 2001:db8::1 7000
	assert_output_has "deny-net has no effect without allow-net = true"
}
