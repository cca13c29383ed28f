# SPDX-License-Identifier: Apache-2.0
# bash completion of sandlock and sandlock-oci: the program has the candidates.
# shellcheck shell=bash

_sandlock() {
	local cur=${COMP_WORDS[COMP_CWORD]} word words=() i

	# bash splits words at "=": put them together again.
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if ((i > 1)) && [[ $word == = || ${COMP_WORDS[i - 1]} == = ]]; then
			words[${#words[@]} - 1]+=$word
		else
			words+=("$word")
		fi
	done
	[[ $cur != = ]] || cur=

	COMPREPLY=()
	while IFS=$'\t' read -r word _; do
		if [[ $word != :* ]]; then
			COMPREPLY+=("$word")
			continue
		fi
		# What bash finds itself: file, directory, command, variable.
		[[ $word != :file && $word != :directory ]] ||
			compopt -o filenames 2>/dev/null
		while IFS= read -r word; do
			COMPREPLY+=("$word")
		done < <(compgen -A "${word#:}" -- "$cur")
	done < <("${COMP_WORDS[0]}" __complete "${words[@]}" 2>/dev/null)
}

complete -F _sandlock sandlock sandlock-oci
