// The pages of the codes for parameters, triggers and actions.

extension ErrorPage {
  static let parameters = [
    ErrorPage(
      "R0601", "required and default conflict",
      "A required parameter has a default, or an optional parameter has no default.",
      example: """
        params: { target: { required: true, default: staging } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Keep either required or default.",
      fixed: """
        params: { target: { default: staging } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0602", "invalid value of a parameter",
      "The value of a parameter has the wrong type, or is not one of the declared options.",
      example: """
        params: { target: { options: [staging, production], default: prod } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Pass a value of the declared type, or one of the options.",
      fixed: """
        params: { target: { options: [staging, production], default: production } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0603", "unknown parameter",
      "A value is passed for a parameter that the workflow does not have.",
      example: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x, traget: y } }]",
      fix: "Write the name of a parameter of that workflow.",
      fixed: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x } }]",
      files: [
        "parts.yaml": """
        params: { target: { type: string } }
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0604", "missing parameter",
      "A workflow has a parameter without a default, and no value is passed for it.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix: "Pass a value: with -p NAME=VALUE, or under with.",
      fixed: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x } }]",
      files: [
        "parts.yaml": """
        params: { target: { type: string } }
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0605", "invalid source of a secret",
      "A secret must be declared with exactly one source, env, file or command, and never with "
        + "its value.",
      example: """
        secrets: { token: hunter2 }
        steps: [{ id: build, run: make }]
        """,
      fix: "Name a variable, a file or a program.",
      fixed: """
        secrets: { token: { env: TOKEN } }
        steps: [{ id: build, run: make }]
        """),
  ]

  static let triggers = [
    ErrorPage(
      "R0701", "missing trigger",
      "There is no trigger under \"on\".",
      example: """
        on: { when-busy: queue }
        steps: [{ id: build, run: make }]
        """,
      fix: "Add files, schedule, stdin, socket, after or start.",
      fixed: """
        on: { when-busy: queue, files: [src/**] }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0702", "patterns that only exclude files",
      "All patterns begin with !, so they match no file.",
      example: """
        on: { files: ["!*.log"] }
        steps: [{ id: build, run: make }]
        """,
      fix: "Add a pattern without ! before them.",
      fixed: """
        on: { files: [src/**, "!*.log"] }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0703", "duplicate schedule",
      "The same schedule is listed twice.",
      example: """
        on: { schedule: [{ every: 10m }, { every: 10m }] }
        steps: [{ id: build, run: make }]
        """,
      fix: "Remove one of them.",
      fixed: """
        on: { schedule: [{ every: 10m }] }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0704", "interval too short",
      "A schedule can start a run at most once a second.",
      example: """
        on: { schedule: { every: 100ms } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write a longer interval.",
      fixed: """
        on: { schedule: { every: 1s } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0705", "unknown time zone",
      "There is no time zone with that name in the database of this machine.",
      example: """
        on: { schedule: { cron: '0 5 * * *', time-zone: Europe/Berlni } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write a name such as Europe/Berlin, America/New_York or UTC.",
      fixed: """
        on: { schedule: { cron: '0 5 * * *', time-zone: Europe/Berlin } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0706", "invalid cron expression",
      "A cron expression has five fields: minute, hour, day of the month, month and day of "
        + "the week. One of them is invalid.",
      example: """
        on: { schedule: { cron: '61 5 * * *' } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Correct the field that the message names.",
      fixed: """
        on: { schedule: { cron: '1 5 * * *' } }
        steps: [{ id: build, run: make }]
        """),
  ]

  static let actions = [
    ErrorPage(
      "R0801", "unknown action",
      "The program that runs the workflow has no action with that name.",
      example: "steps: [{ id: a, call: uplaod, with: { file: a.zip } }]",
      fix: "Write the name of an action that the program has registered.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip } }]"),
    ErrorPage(
      "R0802", "missing argument of an action",
      "An action requires a value that is missing under with.",
      example: "steps: [{ id: a, call: upload, with: { retries: 3 } }]",
      fix: "Add the value.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0803", "unknown argument of an action",
      "There is a value under with that the action does not accept.",
      example: "steps: [{ id: a, call: upload, with: { file: a.zip, retires: 3 } }]",
      fix: "Correct the name, or remove the value.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0804", "invalid argument of an action",
      "An action does not accept the type or the value of an argument.",
      example: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: many } }]",
      fix: "Pass a value as the message describes.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0805", "invalid path of a workflow file",
      "uses takes a path relative to this file, to a file of the same project: below the nearest "
        + "folder with .git above the workflow that is run, or else below the folder that "
        + "contains its folder workflows, or else in its own folder.",
      example: "steps: [{ id: all, uses: parts.yaml }]",
      fix: "Begin the path with ./ or ../ and stay inside the project.",
      fixed: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x } }]",
      files: [
        "parts.yaml": """
        params: { target: { type: string } }
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0806", "cycle of workflow files",
      "A file uses itself, directly or through other files.",
      example: "steps: [{ id: all, uses: ./example.yaml }]",
      fix: "Remove uses from one of the files that the message names."),
    ErrorPage(
      "R0807", "a file that cannot be used",
      "concurrency applies to a whole run, so a workflow with this key cannot be used by another "
        + "workflow.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix: "Move the key to the workflow that is run.",
      files: [
        "parts.yaml": """
        steps: [{ id: one, run: make }]
        concurrency: { group: parts, policy: queue }
        """
      ]),
    ErrorPage(
      "R0808", "unknown workflow in a file",
      "uses: \"#NAME\" takes a workflow under the key workflows of this file, and "
        + "./FILE.yaml#NAME one of another file. The file has none of that name.",
      example: """
        workflows: { greet: { steps: [{ id: say, run: make }] } }
        steps: [{ id: all, uses: "#great" }]
        """,
      fix: "Write the name of a workflow of the file.",
      fixed: """
        workflows: { greet: { steps: [{ id: say, run: make }] } }
        steps: [{ id: all, uses: "#greet" }]
        """),
    ErrorPage(
      "R0809", "unknown pool",
      "A step takes places of a pool that its file does not declare under pools.",
      example: """
        pools: { db: 2 }
        steps: [{ id: all, pool: bd, run: make }]
        """,
      fix: "Write the name of a pool of the file, or declare it.",
      fixed: """
        pools: { db: 2 }
        steps: [{ id: all, pool: db, run: make }]
        """),
  ]
}
