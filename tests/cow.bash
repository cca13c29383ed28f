# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# tests/cow.bash - branches with real overlays, made by hand.
#
# Set here: W, the workdir; B, the directory of the branch `b`.

COW=$TESTS/cow_random.py

# cow_setup: a workdir and a home of branches for this test.
cow_setup() {
	export XDG_STATE_HOME=$TMP/xdg SANDLOCK
	W=$TMP/work
	B=$XDG_STATE_HOME/sandlock/branches/b
	mkdir -p "$W" "$TMP/merged" "$XDG_STATE_HOME"
}

# new_branch [NAME]: an empty, sealed branch of $W, as `run` makes one.
new_branch() {
	B=${B%/*}/${1:-b}
	python3 "$COW" branch "$W" "$B" trusted.overlay.
}

# in_branch COMMAND: a command of the shell, in the overlay of $B.
in_branch() {
	unshare -m sh -ec "mount -t overlay overlay -o lowerdir='$W' \
		-o upperdir='$B/up',workdir='$B/wk' \
		-o redirect_dir=on,index=on,metacopy=off '$TMP/merged'
		cd '$TMP/merged'
		$1"
}

# tree DIR: everything about it, as text.
tree() {
	python3 "$COW" tree "$1"
}
