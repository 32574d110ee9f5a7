import Testing
import WorkflowLanguage

/// Files whose mistakes are in what gives a workflow its values.
struct BrokenValueTests {
  typealias Mistake = MistakeTests.Mistake

  static let mistakes = [
    // Parameters.
    Mistake(
      "params: [a, b]\nsteps: [{id: a, run: x}]\n", ["1:9"],
      "params is a map of names and values, not a list"),
    Mistake(
      "params: {1a: x}\nsteps: [{id: a, run: x}]\n", ["1:10"], "beginning with a letter or _"),
    Mistake(
      "params: {a.b: x}\nsteps: [{id: a, run: x}]\n", ["1:10"], "\"a.b\" cannot be a name here"),
    Mistake("params: {-a: x}\nsteps: [{id: a, run: x}]\n", ["1:10"], "cannot be a name here"),
    Mistake("params: {größe: x}\nsteps: [{id: a, run: x}]\n", ["1:10"], "cannot be a name here"),
    Mistake("params: {\"\": x}\nsteps: [{id: a, run: x}]\n", ["1:10"], "cannot be a name here"),
    Mistake("params: {a: [x]}\nsteps: [{id: a, run: x}]\n", ["1:13"], "a parameter is a map"),
    Mistake(
      "params: {a: {typ: string}}\nsteps: [{id: a, run: x}]\n", ["1:14"], "did you mean \"type\"?"),
    Mistake(
      "params: {a: {value: x}}\nsteps: [{id: a, run: x}]\n", ["1:14"], "did you mean \"default\"?"),
    Mistake(
      "params: {a: {type: strin}}\nsteps: [{id: a, run: x}]\n", ["1:20"],
      "did you mean \"string\"?"),
    Mistake(
      "params: {a: {type: integer}}\nsteps: [{id: a, run: x}]\n", ["1:20"],
      "there are: string, number, boolean, choice"),
    Mistake(
      "params: {a: {type: [string]}}\nsteps: [{id: a, run: x}]\n", ["1:20"],
      "type is a text, not a list"),
    Mistake(
      "params: {a: {type: }}\nsteps: [{id: a, run: x}]\n", ["1:20"], "type is a text, not nothing"),
    Mistake(
      "params: {a: {default: [x]}}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "default is a text, not a list"),
    Mistake(
      "params: {a: {default: }}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "default is a text, not nothing"),
    Mistake(
      "params: {a: {default: \"${{ env.A }}\"}}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "default cannot be computed"),
    Mistake(
      "params: {a: \"${{ env.A }}\"}\nsteps: [{id: a, run: x}]\n", ["1:13"],
      "the default of \"a\" cannot be computed"),
    Mistake(
      "params: {a: {type: number, default: two}}\nsteps: [{id: a, run: x}]\n", ["1:37"],
      "is a number, not \"two\""),
    Mistake(
      "params: {a: {type: number, default: 1_000}}\nsteps: [{id: a, run: x}]\n", ["1:37"],
      "is a number, not \"1_000\""),
    Mistake(
      "params: {a: {type: number, default: .inf}}\nsteps: [{id: a, run: x}]\n", ["1:37"],
      "is a number"),
    Mistake(
      "params: {a: {type: boolean, default: yes}}\nsteps: [{id: a, run: x}]\n", ["1:38"],
      "is true or false, not \"yes\""),
    Mistake(
      "params: {a: {type: boolean, default: 1}}\nsteps: [{id: a, run: x}]\n", ["1:38"],
      "is true or false, not \"1\""),
    Mistake(
      "params: {a: {options: [x, y], default: zzz}}\nsteps: [{id: a, run: x}]\n", ["1:40"],
      "it may be: x, y"),
    Mistake(
      "params: {a: {options: [red, green], default: gren}}\nsteps: [{id: a, run: x}]\n", ["1:46"],
      "did you mean \"green\"?"),
    Mistake(
      "params: {a: {options: []}}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "there is no option in this list"),
    Mistake(
      "params: {a: {options: x}}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "a list of texts is expected here"),
    Mistake(
      "params: {a: {options: [x, [y]]}}\nsteps: [{id: a, run: x}]\n", ["1:27"],
      "an option is a text, not a list"),
    Mistake(
      "params: {a: {options: [x, \"${{ env.B }}\"]}}\nsteps: [{id: a, run: x}]\n", ["1:27"],
      "an option cannot be computed"),
    Mistake(
      "params: {a: {type: choice}}\nsteps: [{id: a, run: x}]\n", ["1:13"],
      "write them like: options:"),
    Mistake(
      "params: {a: {type: number, options: [1, 2]}}\nsteps: [{id: a, run: x}]\n", ["1:28"],
      "belong to \"type: choice\""),
    Mistake(
      "params: {a: {required: \"yes\"}}\nsteps: [{id: a, run: x}]\n", ["1:24"],
      "required is true or false"),
    Mistake(
      "params: {a: {required: true, default: x}}\nsteps: [{id: a, run: x}]\n", ["1:30"],
      "remove one of them"),
    Mistake(
      "params: {a: {type: number, required: false}}\nsteps: [{id: a, run: x}]\n", ["1:28"],
      "add a default"),
    Mistake(
      "params: {a: {options: [x], required: false}}\nsteps: [{id: a, run: x}]\n", ["1:28"],
      "add a default"),
    Mistake(
      "params: {a: {description: [x]}}\nsteps: [{id: a, run: x}]\n", ["1:27"],
      "description is a text, not a list"),
    Mistake(
      "params:\n  a: {type: number}\n  a: {type: string}\nsteps: [{id: a, run: x}]\n", ["3:3"],
      "stands here a second time"),
    // Environment.
    Mistake(
      "env: A=1\nsteps: [{id: a, run: x}]\n", ["1:6"],
      "env is a map of names and values, not a text"),
    Mistake("env: {A-B: x}\nsteps: [{id: a, run: x}]\n", ["1:7"], "use letters, digits and _"),
    Mistake(
      "env: {\"A B\": x}\nsteps: [{id: a, run: x}]\n", ["1:7"],
      "cannot be the name of an environment variable"),
    Mistake(
      "env: {Ä: x}\nsteps: [{id: a, run: x}]\n", ["1:7"],
      "cannot be the name of an environment variable"),
    Mistake(
      "env: {REPRISE_RUN_ID: x}\nsteps: [{id: a, run: x}]\n", ["1:7"], "set by Reprise itself"),
    Mistake(
      "env:\n  A:\n  B: ~\n  C: null\nsteps: [{id: a, run: x}]\n", ["2:5", "3:6", "4:6"],
      "has no value"),
    Mistake("env: {A: {b: c}}\nsteps: [{id: a, run: x}]\n", ["1:10"], "quote this: 'b: c'"),
    Mistake("env: {A: {b: c, d: e}}\nsteps: [{id: a, run: x}]\n", ["1:10"], "not a map"),
    Mistake("env: {A: 1, A: 2}\nsteps: [{id: a, run: x}]\n", ["1:13"], "stands here a second time"),
    Mistake(
      "steps: [{id: a, run: x, env: {A: [x], B C: y}}]\n", ["1:34", "1:39"], "cannot be the name"),
    Mistake(
      "steps: [{id: a, run: x, env: [{name: A}]}]\n", ["1:30"],
      "env is a map of names and values, not a list"),
    Mistake(
      "dotenv: /no/such/.env\nsteps: [{id: a, run: x}]\n", ["1:9"],
      "make it, or write: { path: /no/such/.env, required: false }"),
    Mistake(
      "dotenv: [/no/such/a.env, {path: /no/such/b.env, required: false}]\nsteps: [{id: a, run: x}]\n",
      ["1:10"],
      "a.env"),
    Mistake(
      "dotenv: [{path: /no/such/.env}]\nsteps: [{id: a, run: x}]\n", ["1:17"], "required: false"),
    Mistake(
      "dotenv: [{required: false}]\nsteps: [{id: a, run: x}]\n", ["1:10"], "needs a \"path\""),
    Mistake(
      "dotenv: [{path: .env, optional: true, required: false}]\nsteps: [{id: a, run: x}]\n",
      ["1:23"],
      "a file of variables has no key \"optional\""),
    Mistake(
      "dotenv: [{path: /no/.env, required: no}]\nsteps: [{id: a, run: x}]\n", ["1:17", "1:37"],
      "required is true or false"),
    Mistake("dotenv: \"\"\nsteps: [{id: a, run: x}]\n", ["1:9"], "dotenv is empty"),
    Mistake(
      "dotenv: [[.env]]\nsteps: [{id: a, run: x}]\n", ["1:10"], "dotenv is a text, not a list"),
    Mistake(
      "dotenv: .env.${{ params.x }}\nsteps: [{id: a, run: x}]\n", ["1:9"],
      "dotenv cannot be computed"),
    Mistake("dotenv: /\nsteps: [{id: a, run: x}]\n", ["1:9"], "Is a directory"),
    // Secrets.
    Mistake(
      "secrets: [a]\nsteps: [{id: a, run: x}]\n", ["1:10"], "secrets is a map of names and values"),
    Mistake(
      "secrets: {a: hunter2}\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "says where it comes from, never what it is"),
    Mistake("secrets: {a: }\nsteps: [{id: a, run: x}]\n", ["1:14"], "says where it comes from"),
    Mistake(
      "secrets: {a: {}}\nsteps: [{id: a, run: x}]\n", ["1:14"],
      "one of \"env\", \"file\" and \"command\""),
    Mistake(
      "secrets: {a: {env: A, file: b}}\nsteps: [{id: a, run: x}]\n", ["1:11"],
      "one of \"env\", \"file\" and \"command\""),
    Mistake(
      "secrets: {a: {env: A, required: true}}\nsteps: [{id: a, run: x}]\n", ["1:23"],
      "a secret has no key \"required\""),
    Mistake(
      "secrets: {a: {path: x, env: A}}\nsteps: [{id: a, run: x}]\n", ["1:15"],
      "did you mean \"file\"?"),
    Mistake("secrets: {a: {env: \"\"}}\nsteps: [{id: a, run: x}]\n", ["1:20"], "env is empty"),
    Mistake(
      "secrets: {a: {env: [A]}}\nsteps: [{id: a, run: x}]\n", ["1:20"],
      "env is a text, not a list"),
    Mistake(
      "secrets: {a: {file: \"${{ params.f }}\"}}\nsteps: [{id: a, run: x}]\n", ["1:21"],
      "file cannot be computed"),
    Mistake(
      "secrets: {a: {command: pass show a}}\nsteps: [{id: a, run: x}]\n", ["1:24"],
      "a list of texts is expected here"),
    Mistake(
      "secrets: {a: {command: []}}\nsteps: [{id: a, run: x}]\n", ["1:24"],
      "command names no program"),
    Mistake(
      "secrets: {a: {command: [pass, [a]]}}\nsteps: [{id: a, run: x}]\n", ["1:31"],
      "a word is a text, not a list"),
    Mistake(
      "secrets: {a b: {env: A}}\nsteps: [{id: a, run: x}]\n", ["1:11"], "cannot be a name here"),
  ]

  @Test(arguments: mistakes) func `a mistake in a value is told where it is`(_ mistake: Mistake) {
    mistake.expectTold()
  }
}
