// The pages of the error codes for files and YAML.

extension ErrorPage {
  static let files = [
    ErrorPage(
      "R0101", "a file cannot be read",
      "A file does not exist, is not a regular file or is not readable: the workflow itself, "
        + "a workflow that it uses, or a dotenv file.",
      example: """
        dotenv: missing.env
        steps: [{ id: build, run: make }]
        """,
      fix: "Create the file, correct the path, or mark the dotenv file as not required.",
      fixed: """
        dotenv: { path: missing.env, required: false }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0102", "the file is empty",
      "The file contains only whitespace and comments.",
      example: "# Nothing here yet.",
      fix: "Write a list with at least one step.",
      fixed: "steps: [{ id: hello, run: echo hello }]"),
    ErrorPage(
      "R0103", "a file is too large",
      "A file, or a file together with all files that it uses, exceeds the size limit; or lists "
        + "and maps are nested too deeply, or aliases expand to too many values.",
      example: """
        a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
        c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
        d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
        e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
        """,
      fix: "Split the file, or use fewer aliases."),
    ErrorPage(
      "R0104", "invalid character",
      "The file contains a control character, or bytes that are not valid UTF-8.",
      example: """
        name: "bell \u{7}"
        steps: [{ id: build, run: make }]
        """,
      fix:
        "Remove the character, or save the file as UTF-8. In double quotes, write a control "
        + "character as an escape.",
      fixed: """
        name: bell
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0105", "missing closing quote or bracket",
      "Quoted text, a list in [ ] or a map in { } is not closed.",
      example: "steps: [{ id: build, run: make ]",
      fix: "Close it. If the bracket is part of text, quote the text.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0106", "wrong indentation",
      "An item or a key is not aligned with the ones above it, or is not allowed at its place.",
      example: """
        steps:
          - id: build
            run: make
         - id: test
            run: make test
        """,
      fix: "Give all items of a list the same indentation, and all keys of a map.",
      fixed: """
        steps:
          - id: build
            run: make
          - id: test
            run: make test
        """),
    ErrorPage(
      "R0107", "tab in indentation",
      "A tab indents a line or begins a value, which YAML does not allow.",
      example: """
        steps:
        \t- { id: build, run: make }
        """,
      fix: "Indent with spaces.",
      fixed: """
        steps:
          - { id: build, run: make }
        """),
    ErrorPage(
      "R0108", "misplaced or missing colon",
      "A colon is at a place where it is not allowed, or a key has no colon after it.",
      example: """
        name: deploy: production
        steps: [{ id: build, run: make }]
        """,
      fix:
        "Quote text that contains a colon and a space; write a colon and a space after each "
        + "key.",
      fixed: """
        name: 'deploy: production'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0109", "text that needs quotes",
      "A value begins with a character that is special in YAML, continues after its end, or "
        + "is missing.",
      example: """
        name: @home
        steps: [{ id: build, run: make }]
        """,
      fix: "Quote the whole text.",
      fixed: """
        name: '@home'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0110", "invalid escape",
      "Text in double quotes contains a backslash that does not begin a valid escape.",
      example: """
        name: "C:\\Users"
        steps: [{ id: build, run: make }]
        """,
      fix: "Write two backslashes, or use single quotes, in which a backslash is literal.",
      fixed: """
        name: 'C:\\Users'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0111", "invalid header of a text block",
      "The header after | or > is invalid, or the text begins on the same line.",
      example: """
        steps:
          - id: build
            run: | make all
        """,
      fix: "Begin the text on the next line, indented more than the key.",
      fixed: """
        steps:
          - id: build
            run: |
              make all
        """),
    ErrorPage(
      "R0112", "more than one document",
      "A file contains one workflow; --- or a line that is not indented begins a second "
        + "document. This code also covers an unknown directive such as %YAML.",
      example: """
        steps: [{ id: build, run: make }]
        ---
        steps: [{ id: build, run: make }]
        """,
      fix: "Move each workflow to its own file.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0113", "invalid tag",
      "An exclamation mark before a value begins a YAML tag, and this tag is unknown or does "
        + "not match the value.",
      example: """
        name: !important
        steps: [{ id: build, run: make }]
        """,
      fix: "Quote the text, or remove the tag.",
      fixed: """
        name: '!important'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0114", "invalid alias",
      "A value that begins with * refers to an earlier value that was named with &. There is no "
        + "value with that name, or the value contains itself.",
      example: """
        name: *all
        steps: [{ id: build, run: make }]
        """,
      fix: "Name the value before you use it, or quote text that begins with * or &.",
      fixed: """
        name: '*all'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0115", "a key that is not text",
      "A list or a map is used as a key.",
      example: """
        ? [a, b]
        : c
        steps: [{ id: build, run: make }]
        """,
      fix: "Use text as the key."),
    ErrorPage(
      "R0116", "duplicate key",
      "A map has the same key twice.",
      example: """
        name: first
        name: second
        steps: [{ id: build, run: make }]
        """,
      fix: "Remove one of them.",
      fixed: """
        name: first
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0117", "invalid merge",
      "<< merges the keys of a map, or of a list of maps, and this value is neither.",
      example: """
        env: { <<: 3 }
        steps: [{ id: build, run: make }]
        """,
      fix: "Use << with a map, or with an alias of a map.",
      fixed: """
        env: { <<: { A: b } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0118", "invalid YAML",
      "The text is not valid YAML.",
      example: """
        %YAML 1.2
        %YAML 1.2
        ---
        steps: [{ id: build, run: make }]
        """,
      fix: "Correct the text at the position in the message.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0119", "invalid line of a dotenv file",
      "A line of a dotenv file is not NAME=value, its quote is not closed, or its name is "
        + "reserved.",
      example: """
        dotenv: settings.env
        steps: [{ id: build, run: make }]
        """,
      fix: "Write NAME=value, one per line; comments begin with #.",
      files: ["settings.env": "A B"]),
  ]

  /// Warnings about the files of this machine.
  static let warningsOfFiles = [
    ErrorPage(
      "R0930", "warning: inputs that match no file",
      "validate looks for the files of cache.inputs. A step is up to date as long as they do not change, "
        + "so it never runs again because of a pattern without files. A pattern is left out if an "
        + "earlier step may make its files, and if its folder depends on the run.",
      example: """
        steps: [{ id: build, run: make, cache: { inputs: "scr/**" } }]
        """,
      fix: "Correct the pattern. Paths are relative to the folder of the step, and neither ~ nor a "
        + "variable is expanded. Files elsewhere can be hashed in the key of the cache, or named by a "
        + "symbolic link in the folder.",
      problems: [CommandProblem(.unmatchedInput, step: "build", text: "scr/**")])
  ]
}
