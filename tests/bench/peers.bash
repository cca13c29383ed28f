# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154 # variables of tests/bench/run
# tests/bench/peers.bash - the contenders as a newer Debian suite has them.
#
# They need that suite's C library: its packages are unpacked, not installed,
# and all contenders, ours too, run where they are the root directory. Without
# a network the suite is left out, and the table says so.

# shellcheck source=tests/packages.bash
. "$here/../packages.bash"

PEER_SUITE=${PEER_SUITE:-trixie}
PEER_PACKAGES=(base-files bubblewrap crun runc)

make_peers() {
	local apt

	look_in "$1" "$2" && fetch_all "$1" "${PEER_PACKAGES[@]}" &&
		unpack "$1"
}

# The plan without the cases of many containers alive: they take most of the
# time.
peer_plan() {
	awk 'function flush() { if (keep) printf "%s", text; text = ""; keep = 1 }
		/^case / { flush() }
		/^alive / { keep = 0 }
		{ text = text $0 "\n" }
		END { flush() }' "$WORK/plan"
}

peer_versions() {
	local c

	for c in crun runc bwrap; do
		"${within[@]}" $c --version | head -n 1 |
			jq -R --arg by $c '{($by): .}'
	done | jq -s add
}

# no_peers REASON
no_peers() {
	echo "bench: $PEER_SUITE is left out: $1" >&2
	jq -n --arg suite "$PEER_SUITE" --arg unable "$1" '{$suite, $unable}'
}

# What they are, their times and their system calls, as JSON.
peers() {
	local root within

	if ! root=$(cached "$PEER_SUITE-peers" make_peers "$PEER_SUITE"); then
		no_peers "its packages could not be downloaded"
		return
	fi
	within=("$here/within" "$root" "$WORK")
	peer_plan >"$WORK/peer-plan"
	if ! peer_versions >"$WORK/peer-versions.json" ||
		! "${within[@]}" "$WORK/bin/bench" "$rounds" "$gaps" \
			<"$WORK/peer-plan" >"$WORK/peer-times.json"; then
		no_peers "nothing runs with it as the root directory"
		return
	fi
	calls_of_all >"$WORK/peer-facts.json"
	jq -s --arg suite "$PEER_SUITE" \
		--slurpfile versions "$WORK/peer-versions.json" \
		--slurpfile times "$WORK/peer-times.json" \
		'{$suite, times: $times[0], facts: .} + $versions[0]' \
		"$WORK/peer-facts.json"
}
