import Testing
import WorkflowFiles

/// Files with errors in parameters, variables and secrets.
struct BrokenValueTests {
  typealias BrokenFile = DiagnosticTests.BrokenFile

  static let brokenFiles = [
    // Parameters.
    BrokenFile(
      "params: [a, b]\nsteps: [{id: a, run: x}]\n", ["1:9 R0202"]),
    BrokenFile(
      "params: {1a: x}\nsteps: [{id: a, run: x}]\n", ["1:10 R0212"],
      hint: "beginning with a letter or _"),
    BrokenFile(
      "params: {a.b: x}\nsteps: [{id: a, run: x}]\n", ["1:10 R0212"]),
    BrokenFile("params: {-a: x}\nsteps: [{id: a, run: x}]\n", ["1:10 R0212"]),
    BrokenFile("params: {größe: x}\nsteps: [{id: a, run: x}]\n", ["1:10 R0212"]),
    BrokenFile("params: {\"\": x}\nsteps: [{id: a, run: x}]\n", ["1:10 R0212"]),
    BrokenFile(
      "params: {a: [\"${{ env.A }}\"]}\nsteps: [{id: a, run: x}]\n", ["1:13 R0206"]),
    BrokenFile(
      "params: {a: {type: list, default: [\"${{ env.A }}\"]}}\nsteps: [{id: a, run: x}]\n",
      ["1:35 R0206"]),
    BrokenFile(
      "params: {a: {typ: string}}\nsteps: [{id: a, run: x}]\n", ["1:14 R0201"],
      hint: "did you mean \"type\"?"),
    BrokenFile(
      "params: {a: {value: x}}\nsteps: [{id: a, run: x}]\n", ["1:14 R0201"],
      hint: "did you mean \"default\"?"),
    BrokenFile(
      "params: {a: {type: strin}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0211"],
      hint: "did you mean \"string\"?"),
    BrokenFile(
      "params: {a: {type: array}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0211"],
      hint: "did you mean \"list\"?"),
    BrokenFile(
      "params: {a: {type: regex}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0211"],
      hint: "available: string, number, integer, boolean, choice, list, map"),
    BrokenFile(
      "params: {a: {type: [string]}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0204"]),
    BrokenFile(
      "params: {a: {type: }}\nsteps: [{id: a, run: x}]\n", ["1:20 R0204"]),
    BrokenFile(
      "params: {a: {default: [x]}}\nsteps: [{id: a, run: x}]\n", ["1:23 R0204"]),
    BrokenFile(
      "params: {a: {default: }}\nsteps: [{id: a, run: x}]\n", ["1:23 R0204"]),
    BrokenFile(
      "params: {a: {default: \"${{ env.A }}\"}}\nsteps: [{id: a, run: x}]\n", ["1:23 R0206"]),
    BrokenFile(
      "params: {a: \"${{ env.A }}\"}\nsteps: [{id: a, run: x}]\n", ["1:13 R0206"]),
    BrokenFile(
      "params: {a: {type: number, default: two}}\nsteps: [{id: a, run: x}]\n", ["1:37 R0602"]),
    BrokenFile(
      "params: {a: {type: number, default: 1_000}}\nsteps: [{id: a, run: x}]\n", ["1:37 R0602"]),
    BrokenFile(
      "params: {a: {type: number, default: .inf}}\nsteps: [{id: a, run: x}]\n", ["1:37 R0602"]),
    BrokenFile(
      "params: {a: {type: boolean, default: yes}}\nsteps: [{id: a, run: x}]\n", ["1:38 R0602"]),
    BrokenFile(
      "params: {a: {type: boolean, default: 1}}\nsteps: [{id: a, run: x}]\n", ["1:38 R0602"]),
    BrokenFile(
      "params: {a: {options: [x, y], default: zzz}}\nsteps: [{id: a, run: x}]\n", ["1:40 R0602"]),
    BrokenFile(
      "params: {a: {options: [red, green], default: gren}}\nsteps: [{id: a, run: x}]\n",
      ["1:46 R0602"]),
    BrokenFile(
      "params: {a: {options: []}}\nsteps: [{id: a, run: x}]\n", ["1:23 R0214"]),
    BrokenFile(
      "params: {a: {options: x}}\nsteps: [{id: a, run: x}]\n", ["1:23 R0203"]),
    BrokenFile(
      "params: {a: {options: [x, [y]]}}\nsteps: [{id: a, run: x}]\n", ["1:27 R0204"]),
    BrokenFile(
      "params: {a: {options: [x, \"${{ env.B }}\"]}}\nsteps: [{id: a, run: x}]\n", ["1:27 R0206"]),
    BrokenFile(
      "params: {a: {type: choice}}\nsteps: [{id: a, run: x}]\n", ["1:13 R0213"],
      hint: "write them like: options:"),
    BrokenFile(
      "params: {a: {type: number, options: [1, 2]}}\nsteps: [{id: a, run: x}]\n", ["1:28 R0217"]),
    BrokenFile(
      "params: {a: {required: \"yes\"}}\nsteps: [{id: a, run: x}]\n", ["1:24 R0209"]),
    BrokenFile(
      "params: {a: {required: true, default: x}}\nsteps: [{id: a, run: x}]\n", ["1:30 R0601"],
      hint: "remove one of the two"),
    BrokenFile(
      "params: {a: {type: number, required: false}}\nsteps: [{id: a, run: x}]\n", ["1:28 R0601"],
      hint: "add a default"),
    BrokenFile(
      "params: {a: {options: [x], required: false}}\nsteps: [{id: a, run: x}]\n", ["1:28 R0601"],
      hint: "add a default"),
    BrokenFile(
      "params: {a: {description: [x]}}\nsteps: [{id: a, run: x}]\n", ["1:27 R0204"]),
    BrokenFile(
      "params:\n  a: {type: number}\n  a: {type: string}\nsteps: [{id: a, run: x}]\n", ["3:3 R0116"]
    ),
    // Environment.
    BrokenFile(
      "env: A=1\nsteps: [{id: a, run: x}]\n", ["1:6 R0202"]),
    BrokenFile(
      "env: {A-B: x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"], hint: "use letters, digits and _"),
    BrokenFile(
      "env: {\"A B\": x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"]),
    BrokenFile(
      "env: {Ä: x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"]),
    BrokenFile(
      "env: {REPRISE_RUN_ID: x}\nsteps: [{id: a, run: x}]\n", ["1:7 R0212"]),
    BrokenFile(
      "env:\n  A:\n  B: ~\n  C: null\nsteps: [{id: a, run: x}]\n",
      ["2:5 R0218", "3:6 R0218", "4:6 R0218"]),
    BrokenFile(
      "env: {A: {b: c}}\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"], hint: "quote this: 'b: c'"),
    BrokenFile("env: {A: {b: c, d: e}}\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"]),
    BrokenFile("env: {A: 1, A: 2}\nsteps: [{id: a, run: x}]\n", ["1:13 R0116"]),
    BrokenFile(
      "steps: [{id: a, run: x, env: {A: [x], B C: y}}]\n", ["1:34 R0204", "1:39 R0212"]),
    BrokenFile(
      "steps: [{id: a, run: x, env: [{name: A}]}]\n", ["1:30 R0202"]),
    BrokenFile(
      "dotenv: /no/such/.env\nsteps: [{id: a, run: x}]\n", ["1:9 R0101"],
      hint: "create it, or write: { path: /no/such/.env, required: false }"),
    BrokenFile(
      "dotenv: [/no/such/a.env, {path: /no/such/b.env, required: false}]\nsteps: [{id: a, run: x}]\n",
      ["1:10 R0101"]),
    BrokenFile(
      "dotenv: [{path: /no/such/.env}]\nsteps: [{id: a, run: x}]\n", ["1:17 R0101"],
      hint: "required: false"),
    BrokenFile(
      "dotenv: [{required: false}]\nsteps: [{id: a, run: x}]\n", ["1:10 R0213"]),
    BrokenFile(
      "dotenv: [{path: .env, optional: true, required: false}]\nsteps: [{id: a, run: x}]\n",
      ["1:23 R0201"]),
    BrokenFile(
      "dotenv: [{path: /no/.env, required: no}]\nsteps: [{id: a, run: x}]\n",
      ["1:17 R0101", "1:37 R0209"]),
    BrokenFile("dotenv: \"\"\nsteps: [{id: a, run: x}]\n", ["1:9 R0205"]),
    BrokenFile(
      "dotenv: [[.env]]\nsteps: [{id: a, run: x}]\n", ["1:10 R0204"]),
    BrokenFile(
      "dotenv: .env.${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:9 R0206"]),
    BrokenFile("dotenv: /\nsteps: [{id: a, run: x}]\n", ["1:9 R0101"]),
    // Secrets.
    BrokenFile(
      "secrets: [a]\nsteps: [{id: a, run: x}]\n", ["1:10 R0202"]),
    BrokenFile(
      "secrets: {a: hunter2}\nsteps: [{id: a, run: x}]\n", ["1:14 R0605"]),
    BrokenFile("secrets: {a: }\nsteps: [{id: a, run: x}]\n", ["1:14 R0605"]),
    BrokenFile(
      "secrets: {a: {}}\nsteps: [{id: a, run: x}]\n", ["1:14 R0605"]),
    BrokenFile(
      "secrets: {a: {env: A, file: b}}\nsteps: [{id: a, run: x}]\n", ["1:11 R0605"]),
    BrokenFile(
      "secrets: {a: {env: A, required: 1}}\nsteps: [{id: a, run: x}]\n", ["1:33 R0209"]),
    BrokenFile(
      "secrets: {a: {command: [x], required: false}}\nsteps: [{id: a, run: x}]\n", ["1:29 R0217"],
      hint: "a command that fails stops the run"),
    BrokenFile(
      "secrets: {a: {path: x, env: A}}\nsteps: [{id: a, run: x}]\n", ["1:15 R0201"],
      hint: "did you mean \"file\"?"),
    BrokenFile("secrets: {a: {env: \"\"}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0205"]),
    BrokenFile(
      "secrets: {a: {env: [A]}}\nsteps: [{id: a, run: x}]\n", ["1:20 R0204"]),
    BrokenFile(
      "secrets: {a: {file: \"${{ params.f }}\"}}\nsteps: [{id: a, run: x}]\n", ["1:21 R0206"]),
    BrokenFile(
      "secrets: {a: {command: pass show a}}\nsteps: [{id: a, run: x}]\n", ["1:24 R0203"]),
    BrokenFile(
      "secrets: {a: {command: []}}\nsteps: [{id: a, run: x}]\n", ["1:24 R0215"]),
    BrokenFile(
      "secrets: {a: {command: [pass, [a]]}}\nsteps: [{id: a, run: x}]\n", ["1:31 R0204"]),
    BrokenFile(
      "secrets: {a b: {env: A}}\nsteps: [{id: a, run: x}]\n", ["1:11 R0212"]),
  ]

  @Test(arguments: brokenFiles) func `an error in a value is reported at its position`(
    _ file: BrokenFile
  ) {
    file.expectReported()
  }
}
