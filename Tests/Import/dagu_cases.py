"""Files of dagu, with the results that its documentation describes."""

from cases import Case

FILE = "dagu.yaml"

CASES = [
    Case("steps one after the other",
         "steps:\n  - echo 1 >> log\n  - echo 2 >> log\n  - name: three\n    command: echo 3 "
         ">> log\n",
         want={"log": "1\n2\n3\n"}),
    Case("the first failure ends the run",
         "steps:\n  - name: a\n    command: exit 3\n  - name: b\n    command: touch no\n",
         want={"no": None},
         succeeds=False),
    Case("a graph",
         "type: graph\nsteps:\n  - { id: c, run: 'cat a b > log', depends: [a, b] }\n"
         "  - { id: a, run: echo a > a }\n  - { id: b, run: echo b > b }\n",
         want={"log": "a\nb\n"}),
    Case("a failure in a graph",
         "type: graph\nsteps:\n  - { id: a, run: exit 1 }\n  - { id: b, run: touch no, "
         "depends: [a] }\n  - { id: c, run: touch yes }\n",
         want={"no": None,
               "yes": ""},
         succeeds=False),
    Case("it continues after a failure",
         "steps:\n  - { id: a, run: exit 1, continue_on: { failure: true } }\n"
         "  - { id: b, run: touch yes }\n",
         want={"yes": ""}),
    Case("a step that is skipped",
         "steps:\n  - { id: a, run: touch no, preconditions: [{ condition: test -e none }] }\n"
         "  - { id: b, run: touch no2 }\n",
         want={"no": None,
               "no2": None}),
    Case("it continues after a step that is skipped",
         "steps:\n  - { id: a, run: touch no, preconditions: [{ condition: test -e none }], "
         "continue_on: { skipped: true } }\n  - { id: b, run: touch yes }\n",
         want={"no": None,
               "yes": ""}),
    Case("a condition with a value",
         "env: [MODE: fast]\nsteps:\n  - { id: a, run: touch yes, preconditions: [{ condition: "
         "'${MODE}', expected: fast }] }\n",
         want={"yes": ""}),
    Case("a condition with a pattern",
         "env: [MODE: fast]\nsteps:\n  - { id: a, run: touch yes, preconditions: [{ condition: "
         "'${MODE}', expected: 're:^fa' }] }\n",
         want={"yes": ""}),
    Case("the output of a step",
         "steps:\n  - { id: a, run: echo 'hello you', output: SAID }\n  - { id: b, run: 'echo "
         "\"$SAID!\" > log' }\n",
         want={"log": "hello you!\n"}),
    Case("parameters with names",
         "params: [NAME: you, N: 3]\nsteps:\n  - { id: a, run: 'echo ${NAME} $N > log' }\n",
         want={"log": "you 3\n"}),
    Case("another value of a parameter",
         "params: [NAME: you]\nsteps:\n  - { id: a, run: 'echo ${NAME} > log' }\n",
         want={"log": "me\n"},
         arguments=((), ('-p', 'NAME=me'))),
    Case("parameters by position",
         "params: one two\nsteps:\n  - { id: a, run: 'echo $1-$2 > log' }\n",
         want={"log": "one-two\n"}),
    Case("parameters in one text",
         "params: A=x B='y z'\nsteps:\n  - { id: a, run: 'echo \"$A|$B\" > log' }\n",
         want={"log": "x|y z\n"}),
    Case("variables that use others",
         "env:\n  - A: x\n  - B: ${A}y\nsteps:\n  - { id: a, run: 'echo $B > log' }\n",
         want={"log": "xy\n"}),
    Case("variables of a step",
         "env: [A: x]\nsteps:\n  - { id: a, run: 'echo $A > log', env: [A: own] }\n"
         "  - { id: b, run: 'echo $A >> log' }\n",
         want={"log": "own\nx\n"}),
    Case("a script",
         "steps:\n  - id: a\n    script: |\n      X=1\n      echo $X > log\n"
         "      echo 'it'\"'\"'s' >> log\n",
         want={"log": "1\nit's\n"}),
    Case("a script in Python",
         "steps:\n  - id: a\n    command: python3\n    script: |\n      open('log', "
         "'w').write('py')\n",
         want={"log": "py"}),
    Case("a folder",
         "steps:\n  - { id: a, run: touch f, working_dir: sub }\n",
         files={"sub/x": ""},
         want={"sub/f": ""}),
    Case("a retry",
         "steps:\n  - { id: a, run: 'echo x >> log; [ $(wc -l < log) = 3 ]', retry_policy: { "
         "limit: 3, interval_sec: 0 } }\n",
         want={"log": "x\nx\nx\n"}),
    Case("a retry that does not help",
         "steps:\n  - { id: a, run: 'echo x >> log; exit 1', retry_policy: { limit: 2, "
         "interval_sec: 0 } }\n",
         want={"log": "x\nx\nx\n"},
         succeeds=False),
    Case("handlers of success",
         "steps: [{ id: a, run: 'true' }]\nhandler_on: { success: { command: touch s }, "
         "failure: { command: touch f }, exit: { command: touch e } }\n",
         want={"s": "",
               "f": None,
               "e": ""}),
    Case("handlers of failure",
         "steps: [{ id: a, run: 'false' }]\nhandler_on: { success: { command: touch s }, "
         "failure: { command: touch f }, exit: { command: touch e } }\n",
         want={"s": None,
               "f": "",
               "e": ""},
         succeeds=False),
    Case("a first handler",
         "steps: [{ id: a, run: 'echo a >> log' }]\nhandler_on: { init: { command: echo i >> "
         "log } }\n",
         want={"log": "i\na\n"}),
    Case("steps at the same time",
         "steps:\n  - [{ id: a, run: echo a > a }, { id: b, run: echo b > b }]\n"
         "  - { id: c, run: cat a b > log }\n",
         want={"log": "a\nb\n"}),
    Case("several documents",
         "steps:\n  - { id: a, call: child, params: 'WHO=you' }\n---\n"
         "name: child\nparams: [WHO: me]\nsteps:\n  - { id: b, run: 'echo $WHO > log' }\n",
         want={"log": "you\n"}),
    Case("a repetition until a status",
         "steps:\n  - { id: a, run: 'echo x >> log; [ $(wc -l < log) -ge 3 ]', repeat_policy: "
         "{ repeat: until, exit_code: [0], interval_sec: 0 } }\n",
         want={"log": "x\nx\nx\n"}),
    Case("a condition of the file",
         "preconditions: [{ condition: test -e none }]\nsteps: [{ id: a, run: touch no }]\n",
         want={"no": None}),
    Case("quotes of a command",
         "steps:\n  - { id: a, run: \"printf '[%s]' 'a b' \\\"c d\\\" e > log\" }\n",
         want={"log": "[a b][c d][e]"}),
    Case("several commands",
         "steps:\n  - { id: a, run: 'touch a && touch b; false; touch c' }\n",
         want={"a": "",
               "b": "",
               "c": None},
         succeeds=False),
    Case("a time limit",
         "steps: [{ id: a, run: 'sleep 20; touch no', timeout_sec: 1 }]\n",
         want={"no": None},
         succeeds=False),
    Case("defaults",
         "defaults: { continue_on: { failure: true } }\nsteps: [{ id: a, run: exit 1 }, { id: "
         "b, run: touch yes }]\n",
         want={"yes": ""}),
]
