# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/hooks.bash - hooks for a bundle.

# hook POINT SCRIPT [MORE]: add a hook that the shell runs; MORE is JSON.
# shellcheck disable=SC2016 # the dollars are jq's
hook() {
	local more=${3:-'{}'}

	config --arg point "$1" --arg script "$2" --argjson more "$more" \
		'.hooks[$point] += [{path: "/bin/sh",
		  args: ["sh", "-c", $script]} + $more]'
}
