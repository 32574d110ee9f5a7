// What the codes of errors mean, with an example for each: parameters, triggers, actions and warnings.

extension ErrorPage {
  static let parameters = [
    ErrorPage(
      "R0601", "a default that contradicts",
      "A parameter that must be given has a default, or one that need not be given has none.",
      example: """
        params: { target: { required: true, default: staging } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Keep one of required and default.",
      fixed: """
        params: { target: { default: staging } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0602", "a value that a parameter cannot have",
      "The value of a parameter is none of its type or none of its options.",
      example: """
        params: { target: { options: [staging, production], default: prod } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Give a value of its type, or one of its options.",
      fixed: """
        params: { target: { options: [staging, production], default: production } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0603", "an unknown parameter",
      "A value is given for a parameter that the workflow does not have.",
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
      "R0604", "a parameter is not given",
      "A workflow has a parameter without a default, and no value is given for it.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix: "Give it: with -p NAME=VALUE, or under with.",
      fixed: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x } }]",
      files: [
        "parts.yaml": """
        params: { target: { type: string } }
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0605", "where a secret comes from",
      "A secret is declared with the place that it comes from, one of env, file and "
        + "command; never with its value.",
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
      "R0701", "nothing that starts a run",
      "There is no trigger under on.",
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
      "R0702", "patterns that name no file",
      "All patterns begin with !, so there is nothing that they take away from.",
      example: """
        on: { files: ["!*.log"] }
        steps: [{ id: build, run: make }]
        """,
      fix: "Name files first.",
      fixed: """
        on: { files: [src/**, "!*.log"] }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0703", "a schedule twice",
      "The same points in time are listed twice.",
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
      "R0704", "too often",
      "A schedule starts a run once a second at most.",
      example: """
        on: { schedule: { every: 100ms } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write a longer time.",
      fixed: """
        on: { schedule: { every: 1s } }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0705", "an unknown time zone",
      "There is no time zone of that name in the database of this machine.",
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
      "R0706", "a cron expression",
      "A cron expression has five fields: minute, hour, day of the month, month and day of "
        + "the week. One of them cannot be understood.",
      example: """
        on: { schedule: { cron: '61 5 * * *' } }
        steps: [{ id: build, run: make }]
        """,
      fix: "Correct the field that is named.",
      fixed: """
        on: { schedule: { cron: '1 5 * * *' } }
        steps: [{ id: build, run: make }]
        """),
  ]

  static let actions = [
    ErrorPage(
      "R0801", "an unknown action",
      "The program that runs the workflow has no action of that name.",
      example: "steps: [{ id: a, call: uplaod, with: { file: a.zip } }]",
      fix: "Write the name of an action that the program has registered.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip } }]"),
    ErrorPage(
      "R0802", "an action lacks a value",
      "An action needs a value that with does not give.",
      example: "steps: [{ id: a, call: upload, with: { retries: 3 } }]",
      fix: "Add the value.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0803", "a value that an action does not take",
      "with gives a value that the action does not ask for.",
      example: "steps: [{ id: a, call: upload, with: { file: a.zip, retires: 3 } }]",
      fix: "Write the name that was meant, or leave it out.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0804", "a value of the wrong kind for an action",
      "An action is given a value that it cannot understand.",
      example: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: many } }]",
      fix: "Give a value of the kind that the message names.",
      fixed: "steps: [{ id: a, call: upload, with: { file: a.zip, retries: 3 } }]"),
    ErrorPage(
      "R0805", "a path that cannot be used",
      "uses names a file by its path relative to this one, in the folder of the workflow "
        + "that is run or below.",
      example: "steps: [{ id: all, uses: parts.yaml }]",
      fix: "Begin the path with ./ and stay inside of that folder.",
      fixed: "steps: [{ id: all, uses: ./parts.yaml, with: { target: x } }]",
      files: [
        "parts.yaml": """
        params: { target: { type: string } }
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0806", "files that use one another",
      "A file uses itself, directly or through others, without end.",
      example: "steps: [{ id: all, uses: ./example.yaml }]",
      fix: "Remove one of the uses that the message names."),
    ErrorPage(
      "R0807", "a file that cannot be used",
      "A workflow with concurrency or finally counts as a whole, so it cannot become steps "
        + "of another one.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix: "Move the key to the workflow that is run.",
      files: [
        "parts.yaml": """
        steps: [{ id: one, run: make }]
        finally: [{ id: clean, run: make clean }]
        """
      ]),
  ]

  static let warnings = [
    ErrorPage(
      "R0901", "warning: a need that is implied",
      "A step needs what another of its needs waits for already.",
      example: """
        steps:
          - { id: a, run: make }
          - { id: b, run: make }
          - { id: c, needs: [b, a], run: make }
        """,
      fix: "Leave it out.",
      fixed: """
        steps:
          - { id: a, run: make }
          - { id: b, run: make }
          - { id: c, needs: b, run: make }
        """),
    ErrorPage(
      "R0902", "warning: a condition that is never true",
      "A condition is false whatever happens, so nothing reaches the step.",
      example: "steps: [{ id: a, if: false, run: make }]",
      fix: "Remove the step, or let the condition depend on something.",
      fixed: """
        params: { all: false }
        steps: [{ id: a, if: params.all, run: make }]
        """),
    ErrorPage(
      "R0903", "warning: cancelled() is never true",
      "A run that is cancelled starts no step but those under finally.",
      example: "steps: [{ id: a, if: cancelled(), run: make clean }]",
      fix: "Move the step to finally; for !cancelled() write always().",
      fixed: """
        steps: [{ id: a, run: make }]
        finally: [{ id: clean, if: cancelled(), run: make clean }]
        """),
    ErrorPage(
      "R0904", "warning: a variable that is not set",
      "An expression reads a variable that neither the file nor the environment sets.",
      example: "steps: [{ id: a, run: make, env: { X: \"${{ env.NO_SUCH_VARIABLE }}\" } }]",
      fix: "Correct the name, or say what counts where it is missing.",
      fixed: "steps: [{ id: a, run: make, env: { X: \"${{ env.NO_SUCH_VARIABLE || '' }}\" } }]"),
    ErrorPage(
      "R0905", "warning: an output that is not used",
      "A step computes an output that nothing in the file uses.",
      example: "steps: [{ id: a, run: make, outputs: { version: \"${{ stdout }}\" } }]",
      fix: "Use it, or leave it out.",
      fixed: "steps: [{ id: a, run: make }]"),
    ErrorPage(
      "R0906", "warning: a number that changes",
      "A number is written in a way that it does not keep: 3.10 is 3.1.",
      example: "steps: [{ id: a, matrix: { version: [3.10, 3.11] }, run: make }]",
      fix: "Quote it if it is a version or a name.",
      fixed: "steps: [{ id: a, matrix: { version: ['3.10', '3.11'] }, run: make }]"),
    ErrorPage(
      "R0907", "warning: a word that looks boolean",
      "yes, no, on and off are texts; other versions of YAML take them for true and false.",
      example: """
        env: { DEBUG: yes }
        steps: [{ id: build, run: make }]
        """,
      fix: "Quote the text if it is meant.",
      fixed: """
        env: { DEBUG: 'yes' }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0908", "warning: a key without effect in a used file",
      "timeout, max-parallel, fail-fast and durability count for the workflow that is run, "
        + "not for one that it uses.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix: "Nothing, if the file is also run by itself; else move the key.",
      files: [
        "parts.yaml": """
        timeout: 5m
        steps: [{ id: one, run: make }]
        """
      ]),
  ]
}
