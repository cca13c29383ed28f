#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# tests/typos.bats - what people type: misspelled words, sizes, times and
# commas.

bats_require_minimum_version 1.5.0
load helpers
load enforce

# suggests WORD COMMAND...: it fails, and asks whether WORD was meant.
suggests() {
	local meant=$1

	shift
	run "$@" </dev/null
	if [ "$status" -eq 0 ] || [[ $output != *"did you mean $meant?"* ]]; then
		echo "no '$meant' from $*: $output"
		return 1
	fi
}

# ---- misspelled words ----

@test "both programs suggest the command that was meant" {
	while read -r typo meant; do
		suggests "$meant" oci "$typo"
	done <<-'END'
	crate create
	creat create
	strat start
	stert start
	statee state
	delte delete
	dlete delete
	kil kill
	exce exec
	lsit list
	evnets events
	pasue pause
	resme resume
	udpate update
	chekpoint checkpoint
	restroe restore
	featrues features
	spce spec
	END
	while read -r typo meant; do
		suggests "$meant" sandlock "$typo"
	done <<-'END'
	rnu run
	runn run
	exlpain explain
	chekc check
	porfile profile
	inspcet inspect
	wrpa wrap
	END
	suggests validate sandlock profile valdiate x
	run sandlock nonesuch
	[[ $output = *"unknown command 'nonesuch', see sandlock --help" ]]
}

@test "both programs suggest the option that was meant" {
	while read -r typo meant; do
		suggests "$meant" sandlock run "$typo=x" -- true
	done <<-'END'
	--allow-raed --allow-read
	--alow-write --allow-write
	--dney-read --deny-read
	--memroy --memory
	--procesess --processes
	--timout --timeout
	--polcy --policy
	--projet --project
	--chrot --chroot
	--mont --mount
	--filesystem-rad --filesystem-read
	--filesystem_dney --filesystem-deny
	--network-mdoe --network-mode
	--limits-cpus --limits-cpu
	--read --filesystem-read
	--write-onyl --filesystem-write-only
	END
	suggests --bundle oci create --bundel x box
	suggests --pid-file oci create --pidfile x box
	suggests --root oci --rot /x list
}

@test "annotations and profiles suggest the section, key, preset and word that were meant" {
	requires root
	while read -r typo meant; do
		printf '%s\n' "${typo//;/$'\n'}" >"$BATS_TEST_TMPDIR/p.toml"
		suggests "$meant" sandlock profile validate "$BATS_TEST_TMPDIR/p.toml"
	done <<-'END'
	[filesytem];read=["/usr"] filesystem
	[limts];memory="1G" limits
	[filesystem];raed=["/usr"] read
	[filesystem];deny_wirte=["/usr"] deny_write
	[limits];memmory="1G" memory
	[limits];open_file=3 open_files
	[program];clean_evn=true clean_env
	[filesystem];read=["@sytem"] @system
	[filesystem];deny=["@known-secret"] @known-secrets
	[program];allow_env=["@standrd"] @standard
	[syscalls];extra_allow=["ptrce"] ptrace
	[config];allow_degraded=["namespace"] namespaces
	END
	new_bundle
	annotate_policy filesystem.raed=/usr
	suggests read run_bundle
	annotate_policy filesytem.read=/usr
	suggests filesystem run_bundle
	printf '[sandbox]\nallow-raed = []\n' >"$TMP/uv.toml"
	suggests allow-read sandlock profile validate "$TMP/uv.toml"
}

@test "a profile that does not exist is named, with the built-in one that was meant" {
	suggests python sandlock run -p pyton -- true
	suggests readonly sandlock explain -p read-only -- true
	run sandlock run -p nonesuch -- true
	[ "$status" -eq 125 ]
	[[ $output = *"there is no nonesuch.toml in "*", and no such built-in profile: no such file or directory" ]]
}

@test "a comma between elements is named, and so is a string that should be a list" {
	local file=$BATS_TEST_TMPDIR/p.toml

	sandlock_bad "--filesystem-read: filesystem.read: '@system,@project' has a comma: write each element by itself" \
		run --filesystem-read @system,@project -- true
	printf '[filesystem]\nread = ["@system, @project"]\n' >"$file"
	sandlock_bad "line 2: filesystem.read: '@system, @project' has a comma: write each element by itself" \
		profile validate "$file"
	printf '[filesystem]\nread = "@system"\n' >"$file"
	sandlock_bad "line 2: filesystem.read: '@system' is not a list such as [\"a\", \"b\"]" \
		profile validate "$file"
}

# ---- values ----

@test "sizes take a fraction and units as people write them" {
	requires root
	for size in 64M 64m 64MB 64MiB 64mib 65536K 65536KB 0.0625G 67108864; do
		run_ok sandlock explain --json -r /usr -m "$size"
		[ "$(jq -c '.lines[] | select(.key == "limits.memory").value' \
			<<<"$output")" = '"67108864"' ] || {
			echo "$size: $(jq -c '.lines[] | select(.key == "limits.memory")' <<<"$output")"
			return 1
		}
	done
	for size in 64MM 64Mi 1.5 0 1.G .5G -1 64XB; do
		sandlock_bad "'$size' is not a size (such as 512M, 64MiB or 1.5G; not 0)" \
			explain -m "$size"
	done
	new_bundle
	config '.linux.resources.memory.limit = 200000000'
	start_sleeping box
	run_ok oci update --memory 0.0625GiB box
	run_bad "'1.5' is not a size" oci update --memory 1.5 box
	oci delete --force box
}

@test "--timeout takes seconds, or a number with ms, s, m or h" {
	for time in 0.2 200ms 0.2s 0.004m 0.0001h; do
		run -124 sandlock run --unsandboxed --timeout "$time" -- sleep 1000
	done
	for time in 1x 1ms1 m 0 -1s 1M "1 m" 1d 99999999h; do
		sandlock_bad "--timeout: '$time' is not a duration" run --timeout "$time" -- true
	done
	run_ok sandlock run --unsandboxed --timeout 1m -- true
}

@test "limits.cpu above 100 is more than one core" {
	run_ok sandlock explain --json -r /usr --limits-cpu 250
	jq -e '.lines[] | select(.key == "limits.cpu").value == "250"' <<<"$output"
	for cpu in 0 102401 50%; do
		sandlock_bad "'$cpu' is not a number from 1 to 102400" explain --limits-cpu "$cpu"
	done
}

@test "a comma in an annotation list is an error that names ; and JSON" {
	requires root
	new_bundle
	while read -r value; do
		annotate_policy "$value"
		run_bad "has a comma: separate elements with ';', or write a JSON array" run_bundle
	done <<-'END'
	filesystem.read=/usr,/lib
	filesystem.write=/tmp, @project
	filesystem.deny=/etc,-/opt
	syscalls.extra_allow=ptrace,mount
	limits.cpu_cores=0,1
	program.allow_env=PATH,HOME
	network.bind=80,443
	config.allow_degraded=namespaces,cgroups
	END
	# A name may have a comma.
	mkdir "$BUNDLE/rootfs/a,b"
	annotate_policy 'filesystem.write=/;/a,b' config.allow_degraded='fs_refer;fs_truncate;fs_ioctl_dev'
	run_ok run_bundle
}
