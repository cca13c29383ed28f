#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/unit/docs.sh - the form of the documentation, and whether the files that
# it names exist.
#
# shellcheck disable=SC2016 # the backquotes are Markdown's
cd "${srcdir:-.}" || exit 1
LC_ALL=C.UTF-8
export LC_ALL
n=0

# report NAME FOUND: one line of TAP; FOUND is what should not be there.
report() {
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$2" | while read -r line; do echo "# $line"; done
	fi
}

# Builds are not documentation, nor are copies of the sources for them.
pages=$(find . '(' -name 'build*' -o -name 'sandlock-oci-*' -type d -o \
	-name '.?*' ')' -prune -o -name '*.md' -print | sort)

# prose: print FILE:LINE: TEXT of every line outside of tables and code.
prose() {
	# shellcheck disable=SC2086 # a list of files
	awk 'FNR == 1 { code = 0 }
		/^```/ { code = !code }
		!code && !/^(```| *\|)/ { print FILENAME ":" FNR ": " $0 }' $pages
}

check_width() {
	report "no line of Markdown is wider than 120 columns" "$(
		# shellcheck disable=SC2086 # a list of files
		grep -nE '^.{121}' $pages
	)"
}

# A full stop before a capital letter; not the bold beginning of an item.
check_sentences() {
	report "no line of prose has the end of a sentence and the next one" "$(
		prose | grep -E '[^. ][^. ][.?!][)*`]* +[*_`(]*[A-Z]' |
			grep -vE ': *- \*\*[^*]*\.\*\* '
	)"
}

# missing_links: print each relative link to a file that does not exist.
missing_links() {
	for page in $pages; do
		grep -oE '\]\([^)]+\)' "$page" |
			sed 's/^](//; s/)$//; s/#.*//' |
			while read -r link; do
				case $link in
				'' | *://*) ;;
				*) [ -e "${page%/*}/$link" ] ||
					echo "$page: $link" ;;
				esac
			done
	done
}

# missing_files: print each name of a source file in backquotes that is wrong.
missing_files() {
	for page in $pages; do
		grep -oE '`(base|oci|policy|confine|cgroups|network|hooks|control|systemd|runtime|tests|docs|contrib)/[A-Za-z0-9_./-]+`' \
			"$page" | tr -d '`' | grep -v NAME | sort -u |
			while read -r file; do
				[ -e "$file" ] || echo "$page: $file"
			done
	done
}

# The rooms of doors.sh without oci, base and "runtime/" in front of others.
rooms_of_test() {
	sed -n "/^rooms='/,/^'/p" tests/unit/doors.sh | grep : |
		sed 's/: */:/; s/\([: ]\)runtime\//\1/g'
}

rooms_of_page() {
	sed -n '/^| room | may include |/,/^$/p' HACKING.md |
		sed -n 's/^| `\([^`]*\)` | \([^|]*\) |.*/\1:\2/p' | sed 's/:-$/:/'
}

check_rooms() {
	report "HACKING.md has the rooms of tests/unit/doors.sh, in that order" "$(
		test=$(rooms_of_test) page=$(rooms_of_page)
		[ "$test" = "$page" ] || {
			echo "doors.sh:"
			echo "$test"
			echo "HACKING.md:"
			echo "$page"
		}
	)"
}

# missing_doors: print each door of the table that is no file of its room.
missing_doors() {
	sed -n '/^| room | door |/,/^$/p' HACKING.md |
		sed -n 's/^| `\([^`]*\)` | \([^|]*\) |.*/\1 \2/p' |
		while read -r room doors; do
			echo "$doors" | grep -o '`[^`]*`' | tr -d '`' |
				while read -r door; do
					[ -e "$room/$door" ] || echo "$room/$door"
				done
		done
}

check_width
check_sentences
report "every relative link leads to a file" "$(missing_links)"
report "every source file in backquotes exists" "$(missing_files)"
report "every door of HACKING.md exists" "$(missing_doors)"
check_rooms
echo "1..$n"
