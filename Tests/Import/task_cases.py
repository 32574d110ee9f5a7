"""Taskfiles that go-task and their imports run in the same way."""

from cases import Case

FILE = "Taskfile.yml"
HEAD = 'version: "3"\n'


def case(name, text, **more):
    return Case(name, HEAD + text, **more)


CASES = [
    case("the default task alone",
         "tasks:\n  default: touch made\n  clean: touch cleaned\n"),
    case("another task", "tasks:\n  default: touch made\n  clean: touch cleaned\n", goal="clean"),
    case("a condition of a command",
         "tasks:\n  default: { cmds: [{ cmd: touch wrong, if: 'false' }, { task: b, if: 'false' }, "
         "{ cmd: touch right, if: 'true' }, touch end] }\n  b: touch wrong2\n"),
    case("a condition of a task",
         "tasks:\n  default: { cmds: [{ task: b }, touch end] }\n"
         "  b: { if: '[ -e none ]', deps: [c], cmds: [touch wrong] }\n  c: touch wrong2\n"),
    case("status", "tasks:\n  default: { deps: [d], status: ['test -f made'], "
         "cmds: ['echo x >> made'] }\n  d: 'echo d >> log'\n", runs=2),
    case("preconditions", "tasks:\n  default: { deps: [d], preconditions: [{ sh: 'test -f no', "
         "msg: \"it's not there\" }], cmds: [touch wrong] }\n  d: touch dep\n"),
    case("calls in order with variables",
         "tasks:\n  default:\n    cmds:\n      - 'echo 1 >> log'\n"
         "      - { task: say, vars: { WHO: you } }\n      - 'echo 2 >> log'\n"
         "      - { task: say, vars: { WHO: 'a b' } }\n  say: 'echo \"hello {{.WHO}}\" >> log'\n"),
    case("a variable with a default",
         "tasks:\n  default: { cmds: [{ task: t }, { task: t, vars: { X: one } }] }\n"
         "  t: { vars: { Y: '{{.X | default \"none\"}}' }, cmds: ['echo {{.Y}} >> log'] }\n"),
    case("a call decides about a folder and a condition",
         "tasks:\n  default: { cmds: [{ task: t, vars: { D: one } }, { task: t, vars: { D: two } }] }\n"
         "  t: { dir: 'out/{{.D}}', cmds: ['{{if eq .D \"one\"}}touch first{{else}}touch other{{end}}'] }\n"),
    case("a task that is called twice runs twice",
         "tasks:\n  default: { deps: [a, b] }\n  a: { cmds: [{ task: c }] }\n"
         "  b: { cmds: [{ task: c }] }\n  c: 'echo c >> log'\n"),
    case("variables", "vars: { A: x, B: '{{.A}}y', C: { sh: 'echo z' }, L: [p, q] }\ntasks:\n"
         "  default: 'echo {{.A}} {{.B}} {{.C}} {{upper .A}} {{join \"-\" .L}} {{len .L}} "
         "{{.A | replace \"x\" \"w\"}} > log'\n"),
    case("variables are not in the environment",
         "vars: { SECRET: x }\ntasks:\n  default: 'echo \"[$SECRET]\" > log'\n"),
    case("quotes", "vars: { V: \"a b\" }\ntasks:\n  default:\n    cmds:\n"
         "      - echo '{{.V}}' \"{{.V}}\" {{.V}} '{{.HOME}}' > log\n"),
    case("the environment", "env: { A: \"$HOME x\", B: null, D: \"it's\" }\ntasks:\n  default:\n"
         "    env: { C: c, USER: other }\n    cmds: ['echo \"$A-$B-$C-$D-$USER\" > log', { task: s }]\n"
         "  s: 'echo \"[$C]\" > s.log'\n"),
    case("dotenv", "dotenv: [.one, .two]\ntasks:\n  default: 'echo $A $B > log'\n",
         files={".one": "A=1\n", ".two": "A=2\nB=2\n"}),
    case("errors that are ignored",
         "tasks:\n  default: { cmds: [{ cmd: 'false; touch wrong', ignore_error: true }, "
         "{ task: f, ignore_error: true }, touch end] }\n  f: 'exit 4'\n"),
    case("a task that ignores errors",
         "tasks:\n  default: { ignore_error: true, cmds: ['exit 3', touch end] }\n"),
    case("the first failure ends it",
         "tasks:\n  default: { cmds: ['false; touch wrong', touch wrong2] }\n"),
    case("each command has a shell of its own",
         "tasks:\n  default: { cmds: ['cd sub', touch here, 'X=1', 'touch x$X'] }\n",
         files={"sub/x": ""}),
    case("an echo with a backslash", "tasks:\n  default: 'echo \"a\\nb\" > log'\n"),
    case("bash", "tasks:\n  default: '[[ a == a ]] && touch yes'\n"),
    case("pipefail", "tasks:\n  default: { set: [pipefail], cmds: ['false | true', touch wrong] }\n"),
    case("loops", "vars: { W: 'x y' , S: { sh: 'echo \"m n\"' } }\ntasks:\n  default:\n    cmds:\n"
         "      - { for: [a, b], cmd: 'touch {{.ITEM}}' }\n"
         "      - { for: { var: W }, cmd: 'touch {{.ITEM}}' }\n"
         "      - { for: { var: S }, cmd: 'touch {{.ITEM}}' }\n"
         "      - { for: { matrix: { P: [1, 2], Q: [3] } }, cmd: 'touch {{.ITEM.P}}{{.ITEM.Q}}' }\n"
         "      - { for: [k, l], task: t, vars: { N: '{{.ITEM}}' } }\n  t: 'touch t{{.N}}'\n"),
    case("deferred commands",
         "tasks:\n  default: { cmds: [{ defer: 'echo d1 >> log' }, { defer: 'echo d2 >> log' }, "
         "'echo x >> log', 'false'] }\n"),
    case("sources", "tasks:\n  default: { sources: [a.txt], generates: [b.txt], "
         "cmds: ['cp a.txt b.txt; echo x >> log'] }\n", files={"a.txt": "1"}, runs=2),
    case("a required variable", "tasks:\n  default: { deps: [d], requires: { vars: [WHO] }, "
         "cmds: ['echo {{.WHO}} > log'] }\n  d: touch dep\n"),
    case("a required variable that is given",
         "tasks:\n  default: { requires: { vars: [{ name: WHO, enum: [a, b] }] }, "
         "cmds: ['echo {{.WHO}} > log'] }\n", arguments=(("WHO=a",), ("-p", "WHO=a"))),
    case("another value", "vars: { MODE: debug }\ntasks:\n  default: { cmds: [{ task: t }] }\n"
         "  t: 'echo {{.MODE}} > log'\n", arguments=(("MODE=fast",), ("-p", "MODE=fast"))),
    case("folders", "tasks:\n  default: { dir: sub, cmds: ['touch {{.ROOT_DIR}}/a b; "
         "echo {{.TASK}} > {{.TASKFILE_DIR}}/c'] }\n"),
    case("included files",
         "includes: { docs: ./docs, lib: { taskfile: lib/Tasks.yml, dir: lib } }\n"
         "tasks:\n  default: { deps: [docs:build], cmds: [{ task: 'lib:make' }] }\n  side: touch side\n",
         files={"docs/Taskfile.yml": HEAD + "vars: { OUT: pages }\n"
                "tasks: { build: { cmds: ['touch {{.OUT}}', { task: ':side' }, { task: in }] }, "
                "in: touch in }\n",
                "lib/Tasks.yml": HEAD + "tasks: { make: touch made }\n"}),
    case("platforms", "tasks:\n  default: { cmds: [{ cmd: touch no, platforms: [windows] }, "
         "{ cmd: 'touch {{OS}}', platforms: [linux] }, { task: w }] }\n"
         "  w: { platforms: [windows], cmds: [touch wrong] }\n"),
    case("a failing dependency", "tasks:\n  default: { deps: [f, d], cmds: [touch wrong] }\n"
         "  f: 'exit 4'\n  d: touch dep\n"),
    # Parts that cannot be translated fail, and nothing else runs in their place.
    case("a variable that is not set", "tasks:\n  default: 'touch a{{.NONE}}'\n",
         arguments=((), ("-p", "NONE="))),
    case("a variable that is not set, with a value",
         "tasks:\n  default: { vars: { V: { sh: 'echo x{{.Y}}' } }, deps: [other], cmds: ['{{.DO}} sub', 'echo \"{{.NONE}}\" {{.V}} > log'] }\n"
         "  other: 'echo {{.NONE}} > other'\n", files={"sub/x": ""},
         arguments=(("DO=cd", "NONE=1  2", "Y=3"), ("-p", "DO=cd", "-p", "NONE=1  2", "-p", "Y=3"))),
    case("a variable that a condition takes as not set",
         "tasks:\n  default: 'touch a{{if .NONE}}b{{end}}{{.NONE}}'\n", fails=True),
    case("a variable that is not set, of which a function needs the value",
         "tasks:\n  default: 'touch {{.NONE | upper}}'\n", fails=True),
    case("a variable that is not set, for a task that is called",
         "tasks:\n  default: [{ task: a, vars: { X: '{{.NONE}}y' } }]\n  a: 'touch {{.X}}'\n",
         arguments=(("NONE=1",), ("-p", "NONE=1"))),
    case("a variable that is set later",
         "vars: { A: '{{.B}}x', B: y }\ntasks:\n  default: 'touch {{.A}}'\n", fails=True),
    case("an unknown key", "tasks:\n  default: { failfast: true, cmds: [touch wrong] }\n", fails=True),
    case("an unknown function", "tasks:\n  default: 'touch {{uuid}}'\n", fails=True),
    case("a command of an unknown kind",
         "tasks:\n  default: { cmds: [{ for: sources, cmd: touch x }] }\n", fails=True),
]
