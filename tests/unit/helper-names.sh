#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/helper-names.sh - a function of the behaviour tests has one meaning.
#
# A name that two files define differently reads as one thing and does another.
# Exempt are the functions that bats or engines.bash calls and each file defines
# for itself, and the two through which a file of tests calls its podman.
tests=$(cd "$(dirname "$0")/.." && pwd)
cd "$tests" || exit 1

echo 1..1
# shellcheck disable=SC2016 # the dollars are awk's
found=$(find . -name '*.bats' -o -name '*.bash' | sort | xargs awk '
	function ends() {
		if (name ~ /^((setup|teardown)(_file)?|remove_all)$/ ||
		    name ~ /^podman(_environment)?$/)
			return
		if (!(name in body)) {
			body[name] = text
			file[name] = FILENAME
		} else if (body[name] != text)
			print "# defined twice: " name ": " file[name] " and " FILENAME
	}
	/^[a-z_0-9]+\(\) / {
		name = $1
		sub(/\(\)$/, "", name)
		text = ""
		inside = 1
		next
	}
	inside && /^[})]/ { ends(); inside = 0 }
	inside { text = text "\n" $0 }')
if [ -n "$found" ]; then
	echo "not ok 1 - no helper has two meanings"
	echo "$found"
	exit 1
fi
echo "ok 1 - no helper has two meanings"
