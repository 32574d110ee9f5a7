// Joins the words of a command line that bash has split, for the completion script.

/// The completion of words in bash.
///
/// Bash splits words at `=`, `@` and `:`, so that `-p name=value` and `@last` would not be complete
/// words to the generated script.
package enum BashCompletion {
  /// Returns the generated script with a function before its own that joins the words.
  package static func joiningWords(in script: String) -> String {
    script.replacing("-F _reprise reprise", with: "-F __reprise_joined reprise") + "\n" + joining
  }

  private static let joining = #"""
    # Calls the function above with the words that bash has split at = @ and : joined again.
    __reprise_joined() {
        local -a joined=()
        local -i index cword=0
        local rest=${COMP_LINE} word
        for ((index = 0; index < ${#COMP_WORDS[@]}; index++)); do
            word=${COMP_WORDS[index]}
            if ((index > 0)) && [[ -n ${rest} && ${rest} != [[:space:]]* ]]; then
                joined[${#joined[@]} - 1]+=${word}
            else
                joined+=("${word}")
            fi
            rest=${rest#"${rest%%[![:space:]]*}"}
            rest=${rest#"${word}"}
            ((index == COMP_CWORD)) && cword=$((${#joined[@]} - 1))
        done
        local current=${joined[cword]}
        local -a COMP_WORDS=("${joined[@]}")
        local -i COMP_CWORD=${cword}
        _reprise "${1}" "${current}" "${joined[cword - 1]}"
        # Readline replaces only the part after the last character at which bash splits.
        COMPREPLY=("${COMPREPLY[@]#"${current%"${2}"}"}")
        # Only paths are quoted like paths.
        [[ ${COMPREPLY[*]} == */* ]] || compopt +o filenames 2> /dev/null
    }
    """#
}
