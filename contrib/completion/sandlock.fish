# SPDX-License-Identifier: Apache-2.0
# fish completion of sandlock and sandlock-oci: the program has the candidates.

function __sandlock_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # A value follows the "=" of its option.
    set -l option (string match -r -- '^--[^=]*=' $current)
    set -l value (string replace -r -- '^--[^=]*=' '' $current)

    for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :file
                string replace -r -- '^' "$option" (__fish_complete_path "$value")
            case :directory
                string replace -r -- '^' "$option" (__fish_complete_directories "$value")
            case :command
                __fish_complete_command
            case :variable
                set --names --export
            case '*'
                printf "%s\n" "$option$line"
        end
    end
end

for program in sandlock sandlock-oci
    complete -c $program -f -a '(__sandlock_complete)'
end
