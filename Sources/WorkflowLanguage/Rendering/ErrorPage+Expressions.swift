// What the codes of errors mean, with an example for each: expressions.

extension ErrorPage {
  static let expressions = [
    ErrorPage(
      "R0501", "an expression that cannot be read",
      "A value, an operator or a bracket is missing in an expression.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == }}" } }]
        """,
      fix: "Complete the expression.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 'x' }}" } }]
        """),
    ErrorPage(
      "R0502", "an expression that is not closed",
      "An expression ends with }}, and a text in it with a single quote.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 'x }}" } }]
        """,
      fix: "Close it.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 'x' }}" } }]
        """),
    ErrorPage(
      "R0503", "a character that means nothing",
      "An expression has a character in it that is no part of the language, or a number "
        + "that is none.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name + 'x' }}" } }]
        """,
      fix: "Write what the hint says.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ format('{0}x', params.name) }}" } }]
        """),
    ErrorPage(
      "R0504", "an expression that is too deep",
      "Brackets, calls or operators stand in one another more than 50 deep.",
      example:
        "steps: [{ id: a, if: \"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!false\", "
        + "run: make }]",
      fix: "Bind a part of it in env first, and use the variable.",
      fixed: "steps: [{ id: a, if: \"!false\", run: make }]"),
    ErrorPage(
      "R0505", "an unknown name",
      "An expression begins with a name that the language does not have. Texts stand in "
        + "single quotes.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ parms.name }}" } }]
        """,
      fix: "Write the name that was meant, or put a text into single quotes.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name }}" } }]
        """),
    ErrorPage(
      "R0506", "an unknown function",
      "There is no function of that name.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ concat(params.name, 'x') }}" } }]
        """,
      fix: "Use one of the functions that the hint names.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ format('{0}x', params.name) }}" } }]
        """),
    ErrorPage(
      "R0507", "the number of arguments",
      "A function is called with more or fewer values than it takes.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ startsWith(params.name) }}" } }]
        """,
      fix: "Call it as the hint shows.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ startsWith(params.name, 'w') }}" } }]
        """),
    ErrorPage(
      "R0508", "the kind of an argument",
      "A function is called with a value of a kind that it does not take.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ startsWith(trigger.paths, 'w') }}" } }]
        """,
      fix: "Give it a value of a kind that it takes.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ contains(trigger.paths, 'w') }}" } }]
        """),
    ErrorPage(
      "R0509", "values that cannot be compared",
      "The two sides are of kinds that are never equal, or one of them is no number where "
        + "numbers are compared.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 1 }}" } }]
        """,
      fix: "Compare values of one kind: fromJSON makes a number of a text.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == '1' }}" } }]
        """),
    ErrorPage(
      "R0510", "a name that is not known here",
      "A name or a function means something in other places only.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ stdout }}" } }]
        """,
      fix: "Use it where the hint says.",
      fixed: """
        steps:
          - { id: a, run: make, outputs: { x: "${{ stdout }}" } }
          - { id: b, run: make, env: { X: "${{ steps.a.outputs.x }}" } }
        """),
    ErrorPage(
      "R0511", "an unknown member",
      "There is no parameter, secret, step or value of a matrix of that name.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.nmae }}" } }]
        """,
      fix: "Write the name that was meant, or declare it.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name }}" } }]
        """),
    ErrorPage(
      "R0512", "a secret in the open",
      "A value that is made from a secret stands where it would be seen: in arguments, "
        + "conditions or names.",
      example: """
        secrets: { token: { env: TOKEN } }
        env: { T: "${{ secrets.token }}" }
        steps: [{ id: a, exec: [deploy, "${{ env.T }}"] }]
        """,
      fix: "Bind it in env of the step, and let the program read the variable.",
      fixed: """
        secrets: { token: { env: TOKEN } }
        steps: [{ id: a, env: { T: "${{ secrets.token }}" }, run: deploy }]
        """),
    ErrorPage(
      "R0513", "a value without such a part",
      "A value is asked for a member or an element that values of its kind do not have.",
      example:
        "steps: [{ id: b, run: make }, { id: a, run: make, env: { X: \"${{ steps.b.output "
        + "}}\" } }]",
      fix: "Ask for what it has: outputs and result of a step; read JSON with fromJSON first.",
      fixed:
        "steps: [{ id: b, run: make }, { id: a, run: make, env: { X: \"${{ steps.b.outputs.x "
        + "}}\" } }]"),
    ErrorPage(
      "R0514", "a name that needs a member",
      "steps and secrets are no values by themselves, and what is taken of them is named, "
        + "not computed.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ toJSON(steps) }}" } }]
        """,
      fix: "Name a step or a secret.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ toJSON(params) }}" } }]
        """),
    ErrorPage(
      "R0515", "not a text",
      "A list or a map comes to a place where a text is needed.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ trigger.paths }}" } }]
        """,
      fix: "Make a text of it with toJSON or join.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ join(trigger.paths) }}" } }]
        """),
    ErrorPage(
      "R0516", "a condition that is none",
      "if is one expression that comes to true or false.",
      example: """
        params: { name: world }
        steps: [{ id: a, run: make, if: params.name }]
        """,
      fix: "Compare the value with something.",
      fixed: """
        params: { name: world }
        steps: [{ id: a, run: make, if: params.name == 'world' }]
        """),
    ErrorPage(
      "R0517", "a step that asks for its own outputs",
      "The outputs of a step are known when it is over; only outputs of the step itself can "
        + "use them.",
      example: "steps: [{ id: a, run: make, env: { X: \"${{ steps.a.outputs.x }}\" } }]",
      fix: "Under outputs, write outputs.name; elsewhere, use the outputs of a step before.",
      fixed: """
        steps:
          - { id: a, run: make, outputs: { x: "${{ outputs.y }}" } }
          - { id: b, run: make, env: { X: "${{ steps.a.outputs.x }}" } }
        """),
    ErrorPage(
      "R0518", "a step that may not be over",
      "An expression uses a step that need not be over when this one starts.",
      example: """
        steps:
          - parallel:
              - { id: a, run: make }
              - { id: b, run: make, env: { X: "${{ steps.a.result }}" } }
        """,
      fix: "Add the step to needs, directly or through others.",
      fixed: """
        steps:
          - parallel:
              - { id: a, run: make }
              - { id: b, needs: a, run: make, env: { X: "${{ steps.a.result }}" } }
        """),
    ErrorPage(
      "R0519", "not JSON",
      "fromJSON is given a text that is not JSON.",
      example: "steps: [{ id: a, foreach: \"${{ fromJSON('[1, 2') }}\", run: make }]",
      fix: "Correct the text.",
      fixed: "steps: [{ id: a, foreach: \"${{ fromJSON('[1, 2]') }}\", run: make }]"),
    ErrorPage(
      "R0520", "a pattern of format",
      "In the pattern of format, {0} is the place of the first value, and {{ is a { itself.",
      example: "steps: [{ id: a, run: make, timeout: \"${{ format('{1}s', 10) }}\" }]",
      fix: "Count from 0, and write a bracket that is meant as itself twice.",
      fixed: "steps: [{ id: a, run: make, timeout: \"${{ format('{0}s', 10) }}\" }]"),
    ErrorPage(
      "R0521", "a value that is too large",
      "An expression makes a value larger than 4 MiB, or all of a file make more than 64 MiB.",
      example: """
        steps:
          - id: a
            run: make
            timeout: >-
              ${{ format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                format('{0}{0}{0}{0}{0}{0}{0}{0}{0}{0}',
                '0123456789'))))))) }}
        """,
      fix: "Let a step write the value into a file instead."),
    ErrorPage(
      "R0522", "a value that is not there",
      "A value is needed that is not known yet, or that nothing has given.",
      example: "steps: [{ id: a, foreach: [a, b], run: make, timeout: \"${{ item.limit }}\" }]",
      fix: "Give the value, or write another one after ||.",
      fixed:
        "steps: [{ id: a, foreach: [{ limit: 5s }], run: make, timeout: \"${{ item.limit }}\" "
        + "}]"),
  ]
}
