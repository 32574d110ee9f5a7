// What the codes of errors mean, with an example for each: files and YAML.

extension ErrorPage {
  static let files = [
    ErrorPage(
      "R0101", "a file cannot be read",
      "A file does not exist, is no regular file or may not be read: the workflow itself, "
        + "one that it uses, or a file of variables.",
      example: """
        dotenv: missing.env
        steps: [{ id: build, run: make }]
        """,
      fix: "Make the file, correct the path, or say that a file of variables may be missing.",
      fixed: """
        dotenv: { path: missing.env, required: false }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0102", "the file is empty",
      "There is nothing in the file but space and comments.",
      example: "# Nothing here yet.",
      fix: "Write at least a list with one step.",
      fixed: "steps: [{ id: hello, run: echo hello }]"),
    ErrorPage(
      "R0103", "a file is too large",
      "A file, or all that it uses together, has more bytes than are read; or lists and "
        + "maps are nested too deep, or aliases expand to too many values.",
      example: """
        a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
        b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]
        c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]
        d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]
        e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]
        """,
      fix: "Split the file, or write out less with aliases."),
    ErrorPage(
      "R0104", "a character that no file may have",
      "The file has a control character in it, or bytes that are not UTF-8.",
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
      "R0105", "not closed",
      "A text in quotes, a list in [ ] or a map in { } has no end where one is expected.",
      example: "steps: [{ id: build, run: make ]",
      fix: "Close it. If the bracket is part of a text, quote the text.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0106", "indentation",
      "An item or a key is not aligned with those above it, or begins where none can.",
      example: """
        steps:
          - id: build
            run: make
         - id: test
            run: make test
        """,
      fix: "Indent all items of a list alike, and all keys of a map alike.",
      fixed: """
        steps:
          - id: build
            run: make
          - id: test
            run: make test
        """),
    ErrorPage(
      "R0107", "a tab",
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
      "R0108", "a colon too many or too few",
      "A colon is where none can be, or a key has none after it.",
      example: """
        name: deploy: production
        steps: [{ id: build, run: make }]
        """,
      fix:
        "Quote a text with a colon and a space in it; write a colon and a space after each "
        + "key.",
      fixed: """
        name: 'deploy: production'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0109", "a text that needs quotes",
      "A value begins with a character that means something to YAML, goes on after its end, "
        + "or is missing.",
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
      "R0110", "an escape",
      "A text in double quotes has a backslash in it that begins no escape.",
      example: """
        name: "C:\\Users"
        steps: [{ id: build, run: make }]
        """,
      fix: "Write two backslashes, or use single quotes, in which a backslash is itself.",
      fixed: """
        name: 'C:\\Users'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0111", "the head of a block of text",
      "After | or > there is something that does not belong there.",
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
      "A file holds one workflow; --- or a line that is not indented begins a second "
        + "document. The same code stands for a directive such as %YAML that is not understood.",
      example: """
        steps: [{ id: build, run: make }]
        ---
        steps: [{ id: build, run: make }]
        """,
      fix: "Put each workflow into a file of its own.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0113", "a tag",
      "An exclamation mark before a value is a tag of YAML: one that is not known, or does "
        + "not fit the value.",
      example: """
        name: !important
        steps: [{ id: build, run: make }]
        """,
      fix: "Quote the text, or leave the tag out.",
      fixed: """
        name: '!important'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0114", "an alias",
      "A value that begins with * stands for what & has named before; there is nothing of "
        + "that name, or it stands inside of itself.",
      example: """
        name: *all
        steps: [{ id: build, run: make }]
        """,
      fix: "Name a value before it is used, or quote a text that begins with * or &.",
      fixed: """
        name: '*all'
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0115", "a key that is not a text",
      "A list or a map is used as a key.",
      example: """
        ? [a, b]
        : c
        steps: [{ id: build, run: make }]
        """,
      fix: "Use a text as the key."),
    ErrorPage(
      "R0116", "a key twice",
      "A map has the same key twice, and only one of them could count.",
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
      "R0117", "a merge of something else",
      "<< takes over the keys of a map, or of a list of maps.",
      example: """
        env: { <<: 3 }
        steps: [{ id: build, run: make }]
        """,
      fix: "Let << stand for a map that was named with &.",
      fixed: """
        env: { <<: { A: b } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0118", "not YAML",
      "The text cannot be understood as YAML.",
      example: """
        %YAML 1.2
        %YAML 1.2
        ---
        steps: [{ id: build, run: make }]
        """,
      fix: "Write it anew from the place that is named.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0119", "a line of a file of variables",
      "A line of a file under dotenv is not NAME=value, its quote is not closed, or its "
        + "name is taken.",
      example: """
        dotenv: settings.env
        steps: [{ id: build, run: make }]
        """,
      fix: "Write NAME=value, one on each line; comments begin with #.",
      files: ["settings.env": "A B"]),
  ]
}
