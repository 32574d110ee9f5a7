// The pages of the error codes for expressions.

extension ErrorPage {
  static let expressions = [
    ErrorPage(
      "R0501", "invalid expression",
      "A value, an operator or a bracket is missing in an expression, or the expression is empty.",
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
      "R0502", "unclosed expression or text",
      "An expression must end with }}, and text inside it with a single quote.",
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
      "R0503", "unexpected character or invalid number",
      "An expression contains a character that is not part of the language, or an invalid "
        + "number.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name = 'x' }}" } }]
        """,
      fix: "Correct the number, or replace the character as the hint shows.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 'x' }}" } }]
        """),
    ErrorPage(
      "R0504", "expression nested too deeply",
      "Brackets, calls or operators are nested more than 50 levels deep.",
      example:
        "steps: [{ id: a, if: \"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!false\", "
        + "run: make }]",
      fix: "Bind a part of it to a variable in env, and use the variable.",
      fixed: "steps: [{ id: a, if: \"!failure()\", run: make }]"),
    ErrorPage(
      "R0505", "unknown name",
      "An expression begins with a name that does not exist. Text must be in single quotes.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ parms.name }}" } }]
        """,
      fix: "Correct the name, or put text in single quotes.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name }}" } }]
        """),
    ErrorPage(
      "R0506", "unknown function",
      "There is no function with that name.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ concat(params.name, 'x') }}" } }]
        """,
      fix: "Use one of the functions in the hint.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ format('{0}x', params.name) }}" } }]
        """),
    ErrorPage(
      "R0507", "wrong number of arguments",
      "A function is called with too many or too few arguments.",
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
      "R0508", "wrong type of argument",
      "A function is called with a value of a type that it does not accept.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ startsWith(trigger.paths, 'w') }}" } }]
        """,
      fix: "Pass a value of a type that it accepts.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ contains(trigger.paths, 'w') }}" } }]
        """),
    ErrorPage(
      "R0509", "values that cannot be compared",
      "The two values have types that are never equal, or one of them is not a number in a "
        + "comparison of numbers.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == 1 }}" } }]
        """,
      fix: "Compare values of the same type: fromJSON converts text to a number.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name == '1' }}" } }]
        """),
    ErrorPage(
      "R0510", "a name that is not available here",
      "A name or a function is available only in other places.",
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
      "R0511", "unknown member",
      "There is no parameter, secret, step or matrix value with that name.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.nmae }}" } }]
        """,
      fix: "Correct the name, or declare it.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name }}" } }]
        """),
    ErrorPage(
      "R0512", "exposed secret",
      "A value that contains a secret is used where it would be visible: in arguments, "
        + "conditions or names.",
      example: """
        secrets: { token: { env: TOKEN } }
        env: { T: "${{ secrets.token }}" }
        steps: [{ id: a, exec: [deploy, "${{ env.T }}"] }]
        """,
      fix: "Bind it to a variable in env of the step, and let the program read the variable.",
      fixed: """
        secrets: { token: { env: TOKEN } }
        steps: [{ id: a, env: { T: "${{ secrets.token }}" }, run: deploy }]
        """),
    ErrorPage(
      "R0513", "missing member or element",
      "An expression uses a member or an element that values of this type do not have.",
      example:
        "steps: [{ id: b, run: make }, { id: a, run: make, env: { X: \"${{ steps.b.output "
        + "}}\" } }]",
      fix: "A step has outputs and result. Read JSON with fromJSON first.",
      fixed:
        "steps: [{ id: b, run: make }, { id: a, run: make, env: { X: \"${{ steps.b.outputs.x "
        + "}}\" } }]"),
    ErrorPage(
      "R0514", "missing member of steps or secrets",
      "steps and secrets cannot be used as values, and their members must be names, not "
        + "expressions.",
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
      "R0515", "a value that is not text",
      "A list or a map is used where text is expected.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ trigger.paths }}" } }]
        """,
      fix: "Convert it to text with toJSON or join.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ join(trigger.paths) }}" } }]
        """),
    ErrorPage(
      "R0516", "invalid condition",
      "if must be a single expression whose value is true or false.",
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
      "R0517", "a step that uses its own outputs",
      "The outputs of a step are known when it has finished. Within the step, only its own "
        + "outputs can use them.",
      example: "steps: [{ id: a, run: make, env: { X: \"${{ steps.a.outputs.x }}\" } }]",
      fix: "Under outputs, write outputs.name; elsewhere, use the outputs of an earlier step.",
      fixed: """
        steps:
          - { id: a, run: make, outputs: { x: "${{ outputs.y }}" } }
          - { id: b, run: make, env: { X: "${{ steps.a.outputs.x }}" } }
        """),
    ErrorPage(
      "R0518", "a step that might not be finished",
      "An expression uses a step that might not be finished when this step starts.",
      example: """
        steps:
          - parallel:
              - { id: a, run: make }
              - { id: b, run: make, env: { X: "${{ steps.a.result }}" } }
        """,
      fix: "Add the step to needs, directly or through other steps.",
      fixed: """
        steps:
          - parallel:
              - { id: a, run: make }
              - { id: b, needs: a, run: make, env: { X: "${{ steps.a.result }}" } }
        """),
    ErrorPage(
      "R0519", "invalid JSON",
      "The argument of fromJSON is not valid JSON.",
      example: "steps: [{ id: a, foreach: \"${{ fromJSON('[1, 2') }}\", run: make }]",
      fix: "Correct the text.",
      fixed: "steps: [{ id: a, foreach: \"${{ fromJSON('[1, 2]') }}\", run: make }]"),
    ErrorPage(
      "R0520", "invalid pattern of format",
      "In the pattern of format, {0} is the placeholder of the first value, and {{ is a literal {.",
      example: "steps: [{ id: a, run: make, timeout: \"${{ format('{1}s', 10) }}\" }]",
      fix: "Count placeholders from 0, and write literal brackets twice.",
      fixed: "steps: [{ id: a, run: make, timeout: \"${{ format('{0}s', 10) }}\" }]"),
    ErrorPage(
      "R0521", "value too large",
      "An expression produces a value of more than 4 MiB, or all values of a file exceed 64 MiB.",
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
      fix: "Write the value to a file in a step instead."),
    ErrorPage(
      "R0522", "missing value",
      "An expression uses a value that is not known yet, or that does not exist.",
      example: "steps: [{ id: a, foreach: [a, b], run: make, timeout: \"${{ item.limit }}\" }]",
      fix: "Provide the value, or write a default after ||.",
      fixed:
        "steps: [{ id: a, foreach: [{ limit: 5s }], run: make, timeout: \"${{ item.limit }}\" "
        + "}]"),
    ErrorPage(
      "R0523", "arithmetic with a value that is not a number",
      "+, -, *, / and % take two numbers. Text, even of digits, is not converted.",
      example: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ params.name + 'x' }}" } }]
        """,
      fix: "Convert text to a number with fromJSON, or concatenate text with format.",
      fixed: """
        params: { name: world, fast: true }
        steps: [{ id: a, run: make, env: { X: "${{ format('{0}x', params.name) }}" } }]
        """),
    ErrorPage(
      "R0524", "arithmetic without a result",
      "A number is divided by zero, or the result is too large for a number.",
      example: "steps: [{ id: a, run: make, max-parallel: \"${{ 8 / 0 }}\", foreach: [1, 2] }]",
      fix: "Change the divisor, or test it first: n != 0 && 10 / n || 0.",
      fixed: "steps: [{ id: a, run: make, max-parallel: \"${{ 8 / 4 }}\", foreach: [1, 2] }]"),
    ErrorPage(
      "R0525", "invalid pattern or separator",
      "The pattern of matches or filter is not a valid regular expression, or the text to search "
        + "for of split or replace is empty.",
      example: "steps: [{ id: a, run: make, if: \"matches(env.HOME, '[a-')\" }]",
      fix: "Correct the pattern; write \\ before a special character to match it literally.",
      fixed: "steps: [{ id: a, run: make, if: \"matches(env.HOME, '[a-z]')\" }]"),
  ]
}
