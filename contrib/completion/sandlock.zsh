#compdef sandlock sandlock-oci
# SPDX-License-Identifier: Apache-2.0
# zsh completion of sandlock and sandlock-oci: the program has the candidates.

_sandlock() {
	local -a found lines
	local line

	lines=("${(@f)$("${words[1]}" __complete \
		"${(@)words[2,CURRENT - 1]}" "$PREFIX" 2>/dev/null)}")
	# A value follows the "=" of its option.
	[[ $PREFIX != --*=* ]] || compset -P '*='
	for line in "${lines[@]}"; do
		case $line in
		'') ;;
		:file) _files ;;
		:directory) _files -/ ;;
		:command) _command_names -e ;;
		:variable) _parameters -g '*export*' ;;
		*) found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
		esac
	done
	((${#found} == 0)) || _describe -t candidates candidate found
}

_sandlock "$@"
