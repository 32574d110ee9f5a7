// The pages of the error codes for steps and needs.

extension ErrorPage {
  static let steps = [
    ErrorPage(
      "R0301", "a step that does nothing",
      "A step has none of the keys that define what it does.",
      example: "steps: [{ id: build }]",
      fix: "Add run, exec, call, uses or approval.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0302", "invalid step id",
      "An id is empty, contains invalid characters, or is too long.",
      example: "steps: [{ id: build all, run: make }]",
      fix: "Use at most 64 letters, digits, _ and -, beginning with a letter or digit.",
      fixed: "steps: [{ id: build-all, run: make }]"),
    ErrorPage(
      "R0303", "duplicate step id",
      "Two steps of a file have the same id, so needs would be ambiguous.",
      example: "steps: [{ id: build, run: make }, { id: build, run: make test }]",
      fix: "Give each step a unique id.",
      fixed: "steps: [{ id: build, run: make }, { id: test, run: make test }]"),
    ErrorPage(
      "R0304", "expression in a script",
      "A script under run contains an expression, whose value could run as code.",
      example: """
        params: { name: world }
        steps: [{ id: greet, run: "echo ${{ params.name }}" }]
        """,
      fix: "Bind the value to a variable in env, and use the variable; the hint shows both lines.",
      fixed: """
        params: { name: world }
        steps:
          - id: greet
            env: { NAME: "${{ params.name }}" }
            run: echo "$NAME"
        """),
    ErrorPage(
      "R0305", "too many steps",
      "foreach, matrix or uses create more steps, or larger steps, than a workflow can have.",
      example: "steps: [{ id: build, foreach: { from: 1, to: 10001 }, run: make }]",
      fix: "Create fewer steps: process several items in one step.",
      fixed: "steps: [{ id: build, foreach: { from: 1, to: 100 }, run: make }]"),
    ErrorPage(
      "R0306", "invalid foreach",
      "foreach must be a list, a range, or an expression whose value is a list.",
      example: "steps: [{ id: build, foreach: 5, run: make }]",
      fix: "Write a list, or a range with from and to.",
      fixed: "steps: [{ id: build, foreach: { from: 1, to: 5 }, run: make }]"),
    ErrorPage(
      "R0307", "empty matrix",
      "A matrix has no lists or an empty list, or exclude removes all combinations.",
      example: "steps: [{ id: build, matrix: { os: [] }, run: make }]",
      fix: "Add values, or exclude fewer combinations.",
      fixed: "steps: [{ id: build, matrix: { os: [linux, mac] }, run: make }]"),
    ErrorPage(
      "R0308", "a matrix value that is not a list",
      "A matrix combines lists; include and exclude must be lists of maps.",
      example: "steps: [{ id: build, matrix: { os: linux }, run: make }]",
      fix: "Put the values in [ ].",
      fixed: "steps: [{ id: build, matrix: { os: [linux] }, run: make }]"),
    ErrorPage(
      "R0309", "exclude names an unknown list",
      "exclude contains a name that is not a list of the matrix, so it excludes nothing.",
      example: "steps: [{ id: build, matrix: { os: [a, b], exclude: [{ so: a }] }, run: make }]",
      fix: "Write the name of a list of the matrix.",
      fixed: "steps: [{ id: build, matrix: { os: [a, b], exclude: [{ os: a }] }, run: make }]"),
    ErrorPage(
      "R0310", "approval of an expanded step",
      "A step with foreach or matrix cannot wait for approval: it would ask once for each item.",
      example: "steps: [{ id: build, foreach: [a, b], approval: Go?, run: make }]",
      fix: "Add a step with approval before it.",
      fixed: "steps: [{ id: ask, approval: Go? }, { id: build, foreach: [a, b], run: make }]"),
  ]

  static let needs = [
    ErrorPage(
      "R0401", "unknown step in needs",
      "needs names a step that the file does not have.",
      example: "steps: [{ id: build, run: make }, { id: test, needs: biuld, run: make test }]",
      fix: "Write the id of a step of the same file; the hint names the most similar id.",
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
      "A step lists itself under needs, so it could never start.",
      example: "steps: [{ id: build, needs: build, run: make }]",
      fix: "Remove the need.",
      fixed: "steps: [{ id: build, run: make }]"),
    ErrorPage(
      "R0404", "duplicate need",
      "A step lists the same need twice.",
      example: "steps: [{ id: a, run: make }, { id: b, needs: [a, a], run: make test }]",
      fix: "List it once.",
      fixed: "steps: [{ id: a, run: make }, { id: b, needs: [a], run: make test }]"),
    ErrorPage(
      "R0405", "dependency on a step under finally",
      "Steps under finally run after all other steps, so no other step can depend on them.",
      example: """
        steps: [{ id: build, needs: clean, run: make }]
        finally: [{ id: clean, run: make clean }]
        """,
      fix: "Move the step to steps, or remove the need.",
      fixed: "steps: [{ id: clean, run: make clean }, { id: build, needs: clean, run: make }]"),
    ErrorPage(
      "R0406", "too many needs",
      "Each step of a group needs each step of the group before it. The product of two large "
        + "groups exceeds the limit.",
      example: """
        steps:
          - { id: a, foreach: { from: 1, to: 1001 }, run: make }
          - { id: b, foreach: { from: 1, to: 1001 }, run: make }
        """,
      fix: "Insert a step between the groups that joins them.",
      fixed: """
        steps:
          - { id: a, foreach: { from: 1, to: 1001 }, run: make }
          - { id: joined, exec: ["true"] }
          - { id: b, foreach: { from: 1, to: 1001 }, run: make }
        """),
    ErrorPage(
      "R0407", "reference to a step by its position",
      "A step with neither id nor name gets the id step- and its position in the file. Nothing can "
        + "refer to it, because it becomes the id of another step when steps are added.",
      example: "steps: [{ run: make }, { id: test, needs: step-1, run: make test }]",
      fix: "Give the step an id, or a name: with name: Build all, its id is build-all.",
      fixed: "steps: [{ id: build, run: make }, { id: test, needs: build, run: make test }]"),
    ErrorPage(
      "R0408", "branches that wait for one another",
      "With max-parallel, a branch keeps its slot until all of its steps have ended, and begins when "
        + "everything outside of it that it needs has ended. Branches that need one another in both "
        + "directions could never begin.",
      example: """
        steps:
          - max-parallel: 1
            parallel:
              - steps: [{ id: a, run: make a }, { id: b, needs: [a, d], run: make b }]
              - steps: [{ id: c, run: make c }, { id: d, needs: [c, a], run: make d }]
        """,
      fix: "Write the steps that other branches need before the group.",
      fixed: """
        steps:
          - { id: a, run: make a }
          - max-parallel: 1
            parallel:
              - { id: b, run: make b }
              - { id: c, run: make c }
        """),
    ErrorPage(
      "R0409", "steps that wait for one another through a service",
      "A service ends when all steps that use it have ended. Here a step waits for the end of a "
        + "service that cannot end before this step has ended.",
      example: """
        steps:
          - { id: db, service: ./db }
          - { id: api, needs: { db: ready }, service: ./api }
          - { id: test, needs: { api: ready, db: over }, run: make test }
        """,
      fix: "Remove the need for the end of the service, or do not use the other one.",
      fixed: """
        steps:
          - { id: db, service: ./db }
          - { id: api, needs: { db: ready }, service: ./api }
          - { id: test, needs: { api: ready }, run: make test }
        """),
    ErrorPage(
      "R0410", "a service that holds the pool of its users",
      "A service holds its places in a pool until the steps that use it have ended. A step that "
        + "uses it and needs these places could never begin.",
      example: """
        pools: { board: 1 }
        steps:
          - { id: server, pool: board, service: ./server }
          - { id: test, pool: board, run: make test }
        """,
      fix: "Let the service use another pool or none, or make the pool larger.",
      fixed: """
        pools: { board: 2 }
        steps:
          - { id: server, pool: board, service: ./server }
          - { id: test, pool: board, run: make test }
        """),
    ErrorPage(
      "R0411", "a service that is over when a step needs it",
      "A service belongs to the list of steps in which it is written: that of a group, of an item or of "
        + "a file. It ends when no step of this list uses it any more, so that two groups can have "
        + "services on the same port, one after the other.",
      example: """
        steps:
          - { id: set-up, steps: [{ id: db, service: ./db }, { id: fill, run: ./fill }] }
          - { id: test, needs: [set-up, db], run: make test }
        """,
      fix: "Move the service to the list that contains all steps that use it.",
      fixed: """
        steps:
          - { id: db, service: ./db }
          - { id: set-up, steps: [{ id: fill, run: ./fill }] }
          - { id: test, run: make test }
        """),
  ]
}
