// What the codes of errors mean, with an example for each: keys and values.

extension ErrorPage {
  static let values = [
    ErrorPage(
      "R0201", "unknown key",
      "A map has a key that means nothing there. Mostly it is misspelt.",
      example: "steps: [{ id: build, rnu: make }]",
      fix: "Write the key that was meant; the hint names the nearest one, or all.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0202", "not a map",
      "A map of keys and values is expected, and there is something else.",
      example: """
        env: [CI]
        steps: [{ id: build, run: make }]
        """,
      fix: "Write names with values: in { }, or indented on lines of their own.",
      fixed: """
        env: { CI: "1" }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0203", "not a list",
      "A list is expected, and there is something else.",
      example: "steps: { id: build, run: make }",
      fix: "Begin each item with \"- \", or put the list into [ ].",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0204", "not a text",
      "A text is expected, and there is a list, a map or nothing. A text with a colon and a "
        + "space in it is a map unless it is quoted.",
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
      "R0205", "an empty text",
      "A text has nothing in it but space.",
      example: "steps: [{ id: build, run: \" \" }]",
      fix: "Write the text, or leave the key out.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0206", "a value that cannot be computed",
      "An expression stands where the value itself is needed.",
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
      "R0207", "a NUL in a text",
      "A text has a character in it that ends texts of the system: no program can be given it.",
      example: "steps: [{ id: build, run: \"make\\0\" }]",
      fix: "Remove the character.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0208", "not a duration",
      "A time is a number with a unit, or several of them; or it is too short.",
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
      "Only the words true and false are boolean values; a text in quotes is none.",
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
      "R0210", "not such a number",
      "A number is expected, a whole one mostly, and within limits.",
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
      "R0211", "an unknown word",
      "The value is one of a few words, and this is none of them.",
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
      "R0212", "a name that cannot be",
      "A name has characters that it cannot have, is too long, or is taken by Reprise.",
      example: """
        env: { 1ST: x }
        steps: [{ id: build, run: make }]
        """,
      fix: "Use letters, digits and _; other names than those of variables may have - as well.",
      fixed: """
        env: { FIRST: x }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0213", "a key is missing",
      "A map lacks a key without which it means nothing.",
      example: "steps: [{ id: build, run: make, retry: { delay: 2s } }]",
      fix: "Add the key.",
      fixed: "steps: [{ id: build, run: make, retry: { limit: 3, delay: 2s } }]"),
    ErrorPage(
      "R0214", "an empty list",
      "A list has no item, and without one it means nothing.",
      example: "steps: []",
      fix: "Add an item, or leave the key out.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0215", "no program",
      "A command is a list that begins with a program; this one does not.",
      example: "steps: [{ id: build, exec: [] }]",
      fix: "Write the program first, then its arguments.",
      fixed: "steps: [{ id: build, exec: [make, all] }]"),
    ErrorPage(
      "R0216", "keys that exclude each other",
      "Two keys say different things about the same.",
      example: "steps: [{ id: build, run: make, exec: [make] }]",
      fix: "Keep one of them, or make two steps.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0217", "a key without effect",
      "A key means something only together with another one, or in another place.",
      example: "steps: [{ id: build, run: make, with: { target: all } }]",
      fix: "Leave it out, or add the key that it belongs to.",
      fixed: "steps: [{ id: build, run: make, env: { TARGET: all } }]"),
    ErrorPage(
      "R0218", "a variable without a value",
      "A variable of the environment has nothing after its colon.",
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
      "R0219", "a pattern of paths",
      "A pattern of paths cannot be understood, or is too large.",
      example: "steps: [{ id: build, run: make, cache: { inputs: [\"src/[ab\"] } }]",
      fix: "Correct the pattern: * is any name, ** any folders, ? a character, [ab] one of some.",
      fixed: "steps: [{ id: build, run: make, cache: { inputs: [\"src/[ab]\"] } }]"),
  ]
}
