// What the codes of errors mean, with an example for each: steps and needs.

extension ErrorPage {
  static let steps = [
    ErrorPage(
      "R0301", "a step that does nothing",
      "A step has an id and none of the keys that say what it does.",
      example: "steps: [{ id: build }]",
      fix: "Add run, exec, call, uses or approval.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0302", "an id that cannot be",
      "An id has characters that it cannot have, or is too long.",
      example: "steps: [{ id: build all, run: make }]",
      fix: "Use at most 64 letters, digits, _ and -, beginning with a letter or digit.",
      fixed: "steps: [{ id: build-all, run: make }]"),
    ErrorPage(
      "R0303", "an id twice",
      "Two steps of a file have the same id, and needs could mean either.",
      example: "steps: [{ id: build, run: make }, { id: build, run: make test }]",
      fix: "Give each step an id of its own.",
      fixed: "steps: [{ id: build, run: make }, { id: test, run: make test }]"),
    ErrorPage(
      "R0304", "a value in a script",
      "An expression stands in run. A value that is pasted into a script could become code.",
      example: """
        params: { name: world }
        steps: [{ id: greet, run: "echo ${{ params.name }}" }]
        """,
      fix: "Bind the value in env, and use the variable; the hint has both lines.",
      fixed: """
        params: { name: world }
        steps:
          - id: greet
            env: { NAME: "${{ params.name }}" }
            run: echo "$NAME"
        """),
    ErrorPage(
      "R0305", "too many steps",
      "foreach, matrix or uses make more steps, or larger ones, than a workflow may have.",
      example: "steps: [{ id: build, foreach: { from: 1, to: 10001 }, run: make }]",
      fix: "Make fewer: let one step deal with several items.",
      fixed: "steps: [{ id: build, foreach: { from: 1, to: 100 }, run: make }]"),
    ErrorPage(
      "R0306", "foreach of something else",
      "foreach takes a list, a range, or an expression that comes to a list.",
      example: "steps: [{ id: build, foreach: 5, run: make }]",
      fix: "Write a list, or a range with from and to.",
      fixed: "steps: [{ id: build, foreach: { from: 1, to: 5 }, run: make }]"),
    ErrorPage(
      "R0307", "an empty matrix",
      "A matrix has no list, an empty one, or nothing is left of it after exclude.",
      example: "steps: [{ id: build, matrix: { os: [] }, run: make }]",
      fix: "Add values, or exclude fewer combinations.",
      fixed: "steps: [{ id: build, matrix: { os: [linux, mac] }, run: make }]"),
    ErrorPage(
      "R0308", "not a list of a matrix",
      "What a matrix combines are lists; include and exclude are lists of maps.",
      example: "steps: [{ id: build, matrix: { os: linux }, run: make }]",
      fix: "Put the values into [ ].",
      fixed: "steps: [{ id: build, matrix: { os: [linux] }, run: make }]"),
    ErrorPage(
      "R0309", "exclude without a list",
      "exclude names something that is no list of the matrix, so it excludes nothing.",
      example: "steps: [{ id: build, matrix: { os: [a, b], exclude: [{ so: a }] }, run: make }]",
      fix: "Write the name of a list of the matrix.",
      fixed: "steps: [{ id: build, matrix: { os: [a, b], exclude: [{ os: a }] }, run: make }]"),
    ErrorPage(
      "R0310", "an approval for each of many",
      "A step that becomes many cannot wait for approval: it would ask once for each.",
      example: "steps: [{ id: build, foreach: [a, b], approval: Go?, run: make }]",
      fix: "Put a step with approval before it.",
      fixed: "steps: [{ id: ask, approval: Go? }, { id: build, foreach: [a, b], run: make }]"),
  ]

  static let needs = [
    ErrorPage(
      "R0401", "a step that does not exist",
      "needs names a step that the file does not have.",
      example: "steps: [{ id: build, run: make }, { id: test, needs: biuld, run: make test }]",
      fix: "Write the id of a step of the same file; the hint names the nearest one.",
      fixed: "steps: [{ id: build, run: make }, { id: test, needs: build, run: make test }]"),
    ErrorPage(
      "R0402", "dependency cycle",
      "Steps need one another in a cycle, so none of them could ever start.",
      example: """
        steps:
          - { id: a, needs: c, run: make a }
          - { id: b, needs: a, run: make b }
          - { id: c, needs: b, run: make c }
        """,
      fix: "Remove one of the needs that the message names.",
      fixed: """
        steps:
          - { id: a, needs: [], run: make a }
          - { id: b, needs: a, run: make b }
          - { id: c, needs: b, run: make c }
        """),
    ErrorPage(
      "R0403", "a step that needs itself",
      "A step names itself under needs, so it could never start.",
      example: "steps: [{ id: build, needs: build, run: make }]",
      fix: "Remove the need.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0404", "a need twice",
      "A step names the same need twice.",
      example: "steps: [{ id: a, run: make }, { id: b, needs: [a, a], run: make test }]",
      fix: "Name it once.",
      fixed: "steps: [{ id: a, run: make }, { id: b, needs: [a], run: make test }]"),
    ErrorPage(
      "R0405", "a need of a step under finally",
      "Steps under finally run when all others are over; what waits for one could never start.",
      example: """
        steps: [{ id: build, needs: clean, run: make }]
        finally: [{ id: clean, run: make clean }]
        """,
      fix: "Move the step to steps, or do not need it.",
      fixed: "steps: [{ id: clean, run: make clean }, { id: build, needs: clean, run: make }]"),
    ErrorPage(
      "R0406", "too many needs",
      "Each step of a group needs each step of the group before it: the product of two "
        + "large groups is more than a workflow may have.",
      example: """
        steps:
          - { id: a, foreach: { from: 1, to: 1001 }, run: make }
          - { id: b, foreach: { from: 1, to: 1001 }, run: make }
        """,
      fix: "Put one step between the groups that does nothing but wait.",
      fixed: """
        steps:
          - { id: a, foreach: { from: 1, to: 1001 }, run: make }
          - { id: joined, exec: ["true"] }
          - { id: b, foreach: { from: 1, to: 1001 }, run: make }
        """),
  ]
}
