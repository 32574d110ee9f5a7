// The pages of the error codes for keys and values.

extension ErrorPage {
  static let values = [
    ErrorPage(
      "R0201", "unknown key",
      "A map has a key that is not valid there. Often it is a typo.",
      example: "steps: [{ id: build, rnu: make }]",
      fix: "Correct the key; the hint names the most similar key, or all valid keys.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0202", "not a map",
      "The value must be a map of keys and values.",
      example: """
        env: [CI]
        steps: [{ id: build, run: make }]
        """,
      fix: "Write keys with values: in { }, or indented on lines of their own.",
      fixed: """
        env: { CI: "1" }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0203", "not a list",
      "The value must be a list.",
      example: "steps: { id: build, run: make }",
      fix: "Begin each item with \"- \", or put the list in [ ].",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0204", "not text",
      "The value must be text, but it is a list, a map or missing. Text that contains a colon "
        + "and a space is a map unless it is quoted.",
      example: """
        steps:
          - id: greet
            run: { echo name: x }
        """,
      fix: "Quote the text, or write it as a block after |.",
      fixed: """
        steps:
          - id: greet
            run: 'echo name: x'
        """),
    ErrorPage(
      "R0205", "empty text",
      "The text is empty or contains only whitespace.",
      example: "steps: [{ id: build, run: \" \" }]",
      fix: "Write the text, or remove the key.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0206", "an expression is not allowed",
      "A value contains an expression, but must be written literally.",
      example: """
        description: about ${{ workflow.name }}
        steps: [{ id: build, run: make }]
        """,
      fix: "Write the value without an expression.",
      fixed: """
        description: about the build
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0207", "NUL character in text",
      "Text contains a NUL character, which cannot be passed to a program.",
      example: "steps: [{ id: build, run: \"make\\0\" }]",
      fix: "Remove the character.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0208", "not a duration",
      "The value is not a number with a unit, or several of them; or it is too short.",
      example: """
        timeout: soon
        steps: [{ id: build, run: make }]
        """,
      fix: "Write it like 500ms, 10s, 1m30s or 2h.",
      fixed: """
        timeout: 10m
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0209", "not true or false",
      "Only true and false, without quotes, are boolean values.",
      example: """
        fail-fast: yes
        steps: [{ id: build, run: make }]
        """,
      fix: "Write true or false, without quotes.",
      fixed: """
        fail-fast: true
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0210", "invalid number",
      "The value is not a number, not a whole number, or outside the limits.",
      example: """
        max-parallel: 0
        steps: [{ id: build, run: make }]
        """,
      fix: "Write a number within the limits, without quotes.",
      fixed: """
        max-parallel: 4
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0211", "unknown value",
      "The key accepts only certain words, and this is not one of them.",
      example: """
        durability: proces
        steps: [{ id: build, run: make }]
        """,
      fix: "Write one of the words that the hint names.",
      fixed: """
        durability: process
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0212", "invalid name",
      "A name contains invalid characters, is too long, or is reserved for Reprise.",
      example: """
        env: { 1ST: x }
        steps: [{ id: build, run: make }]
        """,
      fix: "Use letters, digits and _; names other than those of variables may also contain -.",
      fixed: """
        env: { FIRST: x }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0213", "missing key",
      "A map lacks a required key.",
      example: "steps: [{ id: build, run: make, retry: { delay: 2s } }]",
      fix: "Add the key.",
      fixed: "steps: [{ id: build, run: make, retry: { limit: 3, delay: 2s } }]"),
    ErrorPage(
      "R0214", "empty list",
      "A list has no items, but needs at least one.",
      example: "steps: []",
      fix: "Add an item, or remove the key.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0215", "missing program",
      "A command must begin with a program, but this list is empty or begins with \"\".",
      example: "steps: [{ id: build, exec: [] }]",
      fix: "Write the program first, then its arguments.",
      fixed: "steps: [{ id: build, exec: [make, all] }]"),
    ErrorPage(
      "R0216", "mutually exclusive keys",
      "Two keys cannot be used together.",
      example: "steps: [{ id: build, run: make, exec: [make] }]",
      fix: "Keep one of the keys, or split the step in two.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0217", "misplaced key",
      "A key is only valid together with another key, or in another place.",
      example: "steps: [{ id: build, run: make, with: { target: all } }]",
      fix: "Remove it, or add the key that it belongs to.",
      fixed: "steps: [{ id: build, run: make, env: { TARGET: all } }]"),
    ErrorPage(
      "R0218", "variable without a value",
      "An environment variable has nothing after its colon.",
      example: """
        env: { DEBUG: }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write \"\" for an empty value.",
      fixed: """
        env: { DEBUG: "" }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0219", "invalid path pattern",
      "A path pattern is invalid or too large.",
      example: "steps: [{ id: build, run: make, cache: { inputs: [\"src/[ab\"] } }]",
      fix: "Correct the pattern: * is any name, ** any folders, ? one character, [ab] a or b.",
      fixed: "steps: [{ id: build, run: make, cache: { inputs: [\"src/[ab]\"] } }]"),
    ErrorPage(
      "R0220", "not a size",
      "The value is not a number of bytes with an optional unit, or it is too small.",
      example: """
        keep: { bytes: lots }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write it like 500k, 64m or 1g; the units are powers of 1024.",
      fixed: """
        keep: { bytes: 1g }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0221", "not an address",
      "The address under ready.http is not one of HTTP, with a host and an optional port and path.",
      example: "steps: [{ id: web, service: ./serve, ready: { http: \"localhost:8080\" } }]",
      fix: "Write the whole address. For https, check with a command: ready: { run: curl -fsS … }.",
      fixed:
        "steps: [{ id: web, service: ./serve, ready: { http: \"http://localhost:8080\" } }]"),
  ]
}
