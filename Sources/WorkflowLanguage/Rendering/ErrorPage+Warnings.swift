// The pages of the codes for warnings.

extension ErrorPage {
  static let warnings = [
    ErrorPage(
      "R0901", "warning: redundant need",
      "A step needs another step that one of its other needs already waits for.",
      example: """
        steps:
          - { id: a, run: make }
          - { id: b, run: make }
          - { id: c, needs: [b, a], run: make }
        """,
      fix: "Remove the redundant need.",
      fixed: """
        steps:
          - { id: a, run: make }
          - { id: b, run: make }
          - { id: c, needs: b, run: make }
        """),
    ErrorPage(
      "R0902", "warning: a condition that is never true",
      "A condition is always false, so the step never runs.",
      example: "steps: [{ id: a, if: false, run: make }]",
      fix: "Remove the step, or make the condition depend on a value.",
      fixed: """
        params: { all: false }
        steps: [{ id: a, if: params.all, run: make }]
        """),
    ErrorPage(
      "R0903", "warning: cancelled() is never true",
      "A cancelled run starts only steps under finally, so cancelled() is false in all others.",
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
      fix: "Correct the name, or write a default after ||.",
      fixed: "steps: [{ id: a, run: make, env: { X: \"${{ env.NO_SUCH_VARIABLE || '' }}\" } }]"),
    ErrorPage(
      "R0905", "warning: unused output",
      "A step has an output that nothing in the file uses.",
      example: "steps: [{ id: a, run: make, outputs: { version: \"${{ stdout }}\" } }]",
      fix: "Use it, or remove it.",
      fixed: "steps: [{ id: a, run: make }]"),
    ErrorPage(
      "R0906", "warning: a number that changes",
      "A number loses its spelling: 3.10 becomes 3.1.",
      example: "steps: [{ id: a, matrix: { version: [3.10, 3.11] }, run: make }]",
      fix: "If it is a version or a name, quote it.",
      fixed: "steps: [{ id: a, matrix: { version: ['3.10', '3.11'] }, run: make }]"),
    ErrorPage(
      "R0907", "warning: a word that looks like a boolean",
      "yes, no, on and off are text; other versions of YAML read them as true and false.",
      example: """
        env: { DEBUG: yes }
        steps: [{ id: build, run: make }]
        """,
      fix: "Write true or false, or quote the text.",
      fixed: """
        env: { DEBUG: 'yes' }
        steps: [{ id: build, run: make }]
        """),
    ErrorPage(
      "R0908", "warning: key without effect in a used file",
      "timeout, max-parallel, fail-fast, durability, keep and on-end apply to the workflow that is "
        + "run, not to a workflow that it uses.",
      example: "steps: [{ id: all, uses: ./parts.yaml }]",
      fix:
        "Move the key to the workflow that is run. Ignore the warning if this file is also run "
        + "directly.",
      files: [
        "parts.yaml": """
        timeout: 5m
        steps: [{ id: one, run: make }]
        """
      ]),
    ErrorPage(
      "R0909", "warning: always() does not mean on cancel",
      "A cancelled run starts only steps under finally: always() runs a step after failures only.",
      example: "steps: [{ id: a, run: make }, { id: b, if: always(), run: make clean }]",
      fix: "For clean-up, move the step to finally; otherwise write what it needs to be over.",
      fixed: """
        steps: [{ id: a, run: make }, { id: b, needs: { a: over }, run: ./report }]
        finally: [{ id: clean, run: make clean }]
        """),
    ErrorPage(
      "R0910", "warning: an exclusion without effect",
      "A combination under exclude has a value that is not in the list of the matrix, so that it "
        + "excludes nothing.",
      example: """
        steps:
          - { id: a, run: make, matrix: { os: [linux, macos], exclude: [{ os: osx }] } }
        """,
      fix: "Correct the value, or remove the combination.",
      fixed: """
        steps:
          - { id: a, run: make, matrix: { os: [linux, macos], exclude: [{ os: macos }] } }
        """),
    ErrorPage(
      "R0911", "warning: a condition that is always true",
      "A condition does not depend on anything, so that it has no effect. For repeat: the condition "
        + "holds from the beginning, so that the step never runs again.",
      example: "steps: [{ id: a, if: true, run: make }]",
      fix: "Remove the condition, or make it depend on a value.",
      fixed: "steps: [{ id: a, run: make }]"),
    ErrorPage(
      "R0912", "warning: an anchor that is never used",
      "A value has an anchor, and no alias refers to it.",
      example: "steps: [{ id: a, run: &script make }]",
      fix: "Remove the anchor, or use it.",
      fixed: "steps: [{ id: a, run: &script make }, { id: b, run: *script }]"),
    ErrorPage(
      "R0913", "warning: braces without a dollar",
      "A text contains {{ … }}, with which other tools write expressions, around the name of something "
        + "that the file has. Here it is plain text: an expression begins with a dollar.",
      example: """
        params: { target: x86 }
        steps: [{ id: a, exec: [make, "{{ params.target }}"] }]
        """,
      fix: "Write a dollar before the braces.",
      fixed: """
        params: { target: x86 }
        steps: [{ id: a, exec: [make, "${{ params.target }}"] }]
        """),
    ErrorPage(
      "R0914", "warning: a comparison with a word that never occurs",
      "The result of a step is success, failure, cancelled or skipped. run.outcome is succeeded, "
        + "failed, cancelled or timed-out. Another word is never equal.",
      example: """
        steps: [{ id: a, run: make }]
        finally: [{ id: b, if: steps.a.result == 'succeeded', run: make publish }]
        """,
      fix: "Use a word that occurs.",
      fixed: """
        steps: [{ id: a, run: make }]
        finally: [{ id: b, if: steps.a.result == 'success', run: make publish }]
        """),
    ErrorPage(
      "R0915", "warning: a variable where no shell reads it",
      "Only shells replace $NAME and ~. In env, exec, dir and cache they are plain text.",
      example: "steps: [{ id: a, env: { BIN: $HOME/bin }, run: make }]",
      fix: "Write the value of a variable as an expression.",
      fixed: "steps: [{ id: a, env: { BIN: \"${{ env.HOME }}/bin\" }, run: make }]"),
    ErrorPage(
      "R0916", "warning: an expression in code",
      "exec passes words on as they are, but this word is code for a shell or another interpreter. Anyone "
        + "who sets the value can run commands.",
      example: """
        params: { name: world }
        steps: [{ id: a, exec: [sh, -c, "echo ${{ params.name }}"] }]
        """,
      fix: "Pass the value in a variable.",
      fixed: """
        params: { name: world }
        steps: [{ id: a, env: { NAME: "${{ params.name }}" }, exec: [sh, -c, 'echo "$NAME"'] }]
        """),
    ErrorPage(
      "R0917", "warning: a service that nothing can use",
      "A service belongs to the list of steps in which it is written, and ends when no step of this list "
        + "uses it any more. Without such a step, it does not start.",
      example: """
        steps:
          - { id: set-up, steps: [{ id: db, service: ./db }] }
          - { id: test, run: make test }
        """,
      fix: "Move the service to the list that contains all steps that use it.",
      fixed: """
        steps:
          - { id: db, service: ./db }
          - { id: test, run: make test }
        """),
    ErrorPage(
      "R0920", "warning: a script that its shell cannot read",
      "validate gives each script to its shell with the option -n, which reads it without running it. "
        + "Steps on runners are left out, as they run elsewhere.",
      example: """
        steps:
          - id: a
            run: |
              if test -f x; then
                echo found
        """,
      fix: "Correct the script, here with fi at its end, or choose its shell with the key shell.",
      problems: [
        CommandProblem(
          .unreadableScript(
            shell: "sh", reason: "Syntax error: end of file unexpected (expecting \"fi\")", line: 3),
          step: "a", text: "if test -f x; then\n  echo found\n")
      ]),
    ErrorPage(
      "R0921", "warning: a program that this machine does not have",
      "validate looks in PATH for the programs of exec, for shells, and for the interpreters of scripts "
        + "that begin with #!. Steps on runners are left out, and so are paths, which a step before may "
        + "create.",
      example: "steps: [{ id: a, exec: [pyton3, main.py] }]",
      fix: "Correct the name, install the program, or ignore the warning on this machine.",
      problems: [CommandProblem(.missingProgram("pyton3"), step: "a", text: "pyton3")]),
    ErrorPage(
      "R0922", "warning: a runner that is not ready",
      "validate --runners asks each runner that steps use, and what it runs on, whether it could "
        + "begin now.",
      example: "steps: [{ id: a, runner: sandbox, run: make }]",
      fix: "Install what is missing, or ignore the warning on this machine. "
        + "reprise runners check asks again.",
      runnerProblem: "runner sandbox: there is no program bwrap in PATH; install bubblewrap"),
  ]
}
