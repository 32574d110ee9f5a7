"""Imports of Taskfiles, as odd as those of real projects."""

from cases import Case

CASES = [
    Case("order of deps",
         "version: \"3\"\ntasks:\n  default: { deps: [a], cmds: ['echo x >> log'] }\n"
         "  a: { deps: [b], cmds: ['echo a >> log'] }\n  b: 'echo b >> log'\n"),
    Case("failure in the middle",
         'version: "3"\ntasks:\n  default:\n    cmds:\n      - echo a >> log\n'
         "      - task: f\n      - echo no >> log\n  f:\n    cmds: [echo f >> log, exit 5, "
         "echo no2 >> log]\n"),
    Case("multi-line command",
         'version: "3"\ntasks:\n  default:\n    cmds:\n      - |\n        X=1\n'
         "        echo $X > log\n        if [ $X = 1 ]; then\n          echo yes >> log\n"
         "        fi\n      - |\n        false\n        touch no\n"),
    Case("multi-line ignoring",
         'version: "3"\ntasks:\n  default:\n    cmds:\n      - cmd: |\n          touch a\n'
         "          false\n          touch no\n        ignore_error: true\n"
         "      - touch b\n"),
    Case("pipe hides failure",
         "version: \"3\"\ntasks:\n  default: ['false | true', touch yes]\n"),
    Case("and or",
         "version: \"3\"\ntasks:\n  default: ['false && touch no || touch yes', 'false || "
         "true', '! true || touch y2', touch z]\n"),
    Case("and fails",
         "version: \"3\"\ntasks:\n  default: ['true && false', touch no]\n"),
    Case("and fails in list",
         "version: \"3\"\ntasks:\n  default: ['false && true; touch maybe', touch z]\n"),
    Case("subshell",
         "version: \"3\"\ntasks:\n  default: ['(cd sub; touch a); touch b', 'X=$(echo c); "
         "touch $X']\n",
         files={"sub/x": ""}),
    Case("quotes in yaml",
         "version: \"3\"\ntasks:\n  default:\n    - 'echo \"it''s $HOME\" > log'\n"
         "    - \"echo 'a\\\"b' >> log\"\n    - >-\n      echo folded\n      line >> log\n"),
    Case("dollar",
         "version: \"3\"\ntasks:\n  default: ['for i in 1 2; do echo $i; done > log', 'echo "
         "$((1+2)) ${NONE:-d} >> log', \"echo '$x' >> log\"]\n"),
    Case("value with blanks and quotes",
         "version: \"3\"\nvars: { V: \"a  b 'c'\", W: 'x\"y\"' }\ntasks:\n  default: [\"printf "
         "'[%s]' {{.V}} > log\", \"printf '[%s]' {{.W}} >> log\"]\n"),
    Case("var with dollar",
         "version: \"3\"\nvars: { V: '$HOME/x' }\ntasks:\n  default: ['echo {{.V}} \"{{.V}}\" > "
         "log', \"echo '{{.V}}' >> log\"]\n"),
    Case("a command's variable with quotes",
         "version: \"3\"\nvars: { V: { sh: \"printf 'a  b\\\\nc'\" } }\n"
         "tasks:\n  default: ['echo \"{{.V}}\" > log']\n"),
    Case("a command's variable unquoted",
         "version: \"3\"\nvars: { V: { sh: \"echo 'a b'\" } }\ntasks:\n  default: [\"printf "
         "'[%s]' {{.V}} > log\"]\n"),
    Case("a command's variable in single quotes",
         "version: \"3\"\nvars: { V: { sh: \"echo 'a b'\" } }\ntasks:\n  default: [\"printf "
         "'[%s]' '{{.V}}' > log\"]\n"),
    Case("a command's variable with a star",
         "version: \"3\"\nvars: { V: { sh: \"echo '*'\" } }\ntasks:\n  default: [\"printf "
         "'[%s]' '{{.V}}' \\\"{{.V}}\\\" > log\"]\n"),
    Case("a command's variable fails",
         "version: \"3\"\nvars: { V: { sh: 'exit 3' } }\ntasks:\n  default: ['echo x{{.V}} > "
         "log']\n"),
    Case("a command's variable evaluated once at the start",
         "version: \"3\"\ntasks:\n  default:\n    vars: { V: { sh: 'cat f 2>/dev/null || echo "
         "none' } }\n    cmds: ['echo 9 > f', 'echo {{.V}} > log']\n"),
    Case("a command's variable with other var",
         "version: \"3\"\nvars: { A: x, B: { sh: 'echo {{.A}}y' }, C: '{{.B}}z' }\n"
         "tasks:\n  default: ['echo {{.C}} > log']\n"),
    Case("ref",
         "version: \"3\"\nvars: { L: [a, b], R: { ref: .L }, F: { ref: 'index .L 0' } }\n"
         "tasks:\n  default: { vars: { X: { ref: .L } }, cmds: [{ for: { var: R }, cmd: 'touch "
         "{{.ITEM}}' }] }\n",
         fails=True),
    Case("map",
         "version: \"3\"\nvars: { M: { map: { a: 1, b: two } } }\ntasks:\n  default: ['echo "
         "{{.M.a}} {{.M.b}} > log']\n"),
    Case("for split",
         "version: \"3\"\nvars: { L: 'a,b,c' }\ntasks:\n  default: [{ for: { var: L, split: "
         "',' }, cmd: 'touch {{.ITEM}}' }]\n"),
    Case("for as",
         "version: \"3\"\nvars: { L: 'a b' }\ntasks:\n  default: [{ for: { var: L, as: N }, "
         "task: t, vars: { F: '{{.N}}' } }]\n  t: 'touch {{.F}}'\n"),
    Case("for deps",
         'version: "3"\ntasks:\n  default: { deps: [{ for: [a, b], task: t, vars: { F: '
         "'{{.ITEM}}' } }] }\n  t: 'touch {{.F}}'\n"),
    Case("for with task template",
         "version: \"3\"\ntasks:\n  default: { cmds: [{ for: [a, b], task: 't-{{.ITEM}}' }] }\n"
         "  t-a: touch a\n  t-b: touch b\n"),
    Case("for failing",
         "version: \"3\"\ntasks:\n  default: [{ for: [a, b, c], cmd: 'echo {{.ITEM}} >> log; [ "
         "{{.ITEM}} != b ]' }]\n"),
    Case("for sh lines",
         "version: \"3\"\nvars: { L: { sh: 'ls src' } }\ntasks:\n  default: [{ for: { var: L "
         "}, cmd: 'echo {{.ITEM}} >> log' }]\n",
         files={"src/a": "",
                "src/b": ""}),
    Case("for sh split",
         "version: \"3\"\nvars: { L: { sh: 'echo a,b' } }\ntasks:\n  default: [{ for: { var: "
         "L, split: ',' }, cmd: 'echo {{.ITEM}} >> log' }]\n",
         fails=True),
    Case("for sources",
         "version: \"3\"\ntasks:\n  default: { sources: ['*.txt'], cmds: [{ for: sources, cmd: "
         "'cp {{.ITEM}} {{.ITEM}}.out' }] }\n",
         files={"a.txt": "1",
                "b.txt": "2"},
         fails=True),
    Case("defer order",
         "version: \"3\"\ntasks:\n  default: { cmds: [{ defer: { task: c } }, { defer: 'echo d "
         ">> log' }, 'echo x >> log'] }\n  c: 'echo c >> log'\n"),
    Case("defer failing",
         "version: \"3\"\ntasks:\n  default: { cmds: [{ defer: 'exit 2' }, touch x] }\n"),
    Case("defer with var",
         "version: \"3\"\ntasks:\n  default: { vars: { D: t }, cmds: ['mkdir {{.D}}', { defer: "
         "'rm -r {{.D}}' }, 'touch {{.D}}/a; ls {{.D}} > log'] }\n"),
    Case("defer in called task runs then",
         "version: \"3\"\ntasks:\n  default: [{ task: t }, 'echo end >> log']\n"
         "  t: [{ defer: 'echo d >> log' }, 'echo t >> log']\n"),
    Case("defer in dir",
         'version: "3"\ntasks:\n  default: { dir: sub, cmds: [{ defer: touch d }, touch x] }\n',
         files={"sub/y": ""}),
    Case("status two",
         "version: \"3\"\ntasks:\n  default: { status: ['test -f a', 'test -f b'], cmds: "
         "['echo x >> log; touch a b'] }\n",
         runs=2),
    Case("status with var",
         "version: \"3\"\nvars: { F: made }\ntasks:\n  default: { status: ['test -f {{.F}}'], "
         "cmds: ['echo x >> {{.F}}'] }\n",
         runs=2),
    Case("status in called task",
         "version: \"3\"\ntasks:\n  default: [{ task: t }, 'echo end >> log']\n"
         "  t: { status: ['test -f m'], cmds: ['touch m; echo t >> log'] }\n",
         runs=2),
    Case("precondition text",
         "version: \"3\"\ntasks:\n  default: { preconditions: ['test -f no'], cmds: [touch "
         "wrong] }\n"),
    Case("precondition true",
         "version: \"3\"\ntasks:\n  default: { preconditions: ['test -f Taskfile.yml', { sh: "
         "'[ 1 = 1 ]', msg: no }], cmds: [touch right] }\n"),
    Case("precondition of called",
         'version: "3"\ntasks:\n  default: [touch a, { task: t }, touch no]\n'
         "  t: { preconditions: ['false'], cmds: [touch no2] }\n"),
    Case("precondition ignored",
         'version: "3"\ntasks:\n  default: [{ task: t, ignore_error: true }, touch y]\n'
         "  t: { preconditions: ['false'], cmds: [touch no2] }\n",
         fails=True),
    Case("requires given by call",
         'version: "3"\ntasks:\n  default: [{ task: t, vars: { X: q } }]\n  t: { requires: { '
         "vars: [X] }, cmds: ['touch {{.X}}'] }\n"),
    Case("requires global",
         'version: "3"\nvars: { X: g }\ntasks:\n  default: { requires: { vars: [X] }, cmds: '
         "['touch {{.X}}'] }\n"),
    Case("requires enum fails",
         'version: "3"\ntasks:\n  default: [{ task: t, vars: { X: q } }]\n  t: { requires: { '
         "vars: [{ name: X, enum: [a] }] }, cmds: ['touch {{.X}}'] }\n",
         fails=True),
    Case("dotenv missing file",
         "version: \"3\"\ndotenv: [.none]\ntasks:\n  default: 'echo \"[$A]\" > log'\n"),
    Case("dotenv quotes",
         "version: \"3\"\ndotenv: [.env]\ntasks:\n  default: 'echo \"$A|$B|$C|$D\" > log'\n",
         files={".env": "A='x y'\nB=\"p $Q\"\n# c\nexport C=c # note\nD=a=b\n"},
         fails=True),
    Case("dotenv of a task",
         "version: \"3\"\ntasks:\n  default: { dotenv: [.t], cmds: ['echo $A > log'] }\n",
         files={".t": "A=1\n"}),
    Case("dotenv as template",
         "version: \"3\"\ndotenv: [.env]\ntasks:\n  default: 'echo {{.A}} > log'\n",
         files={".env": "A=1\n"},
         fails=True),
    Case("env over dotenv",
         "version: \"3\"\ndotenv: [.env]\nenv: { A: e }\ntasks:\n  default: 'echo $A > log'\n",
         files={".env": "A=1\n"},
         fails=True),
    Case("env in template",
         "version: \"3\"\nenv: { A: e }\ntasks:\n  default: 'echo {{.A}} > log'\n"),
    Case("env sh",
         "version: \"3\"\nenv: { A: { sh: 'echo hi' } }\ntasks:\n  default: 'echo $A > log'\n",
         fails=True),
    Case("env with var",
         "version: \"3\"\nvars: { V: v }\nenv: { A: '{{.V}}-1', B: 2, C: true }\n"
         "tasks:\n  default: 'echo $A $B $C > log'\n",
         fails=True),
    Case("env of task not passed to call",
         'version: "3"\ntasks:\n  default: { env: { A: 1 }, cmds: [{ task: t }] }\n'
         "  t: 'echo \"[$A]\" > log'\n"),
    Case("call with vars overriding",
         'version: "3"\nvars: { X: g }\ntasks:\n  default: [{ task: t }, { task: t, vars: { X: '
         "c } }]\n  t: 'echo {{.X}} >> log'\n"),
    Case("task vars beat call",
         'version: "3"\ntasks:\n  default: [{ task: t, vars: { X: c } }]\n  t: { vars: { X: '
         "own }, cmds: ['echo {{.X}} >> log'] }\n"),
    Case("call passes not further",
         'version: "3"\ntasks:\n  default: [{ task: t, vars: { X: c } }]\n  t: [{ task: u }]\n'
         "  u: 'echo \"{{.X | default \"none\"}}\" >> log'\n"),
    Case("platforms of task linux",
         'version: "3"\ntasks:\n  default: { platforms: [linux, darwin], cmds: [touch y] }\n'),
    Case("platforms windows",
         'version: "3"\ntasks:\n  default: { platforms: [windows], cmds: [touch n] }\n'),
    Case("platform arch",
         'version: "3"\ntasks:\n  default: [{ cmd: touch n, platforms: [windows/amd64] }, { '
         "cmd: touch y, platforms: [linux/amd64, linux/arm64] }]\n"),
    Case("includes with vars",
         'version: "3"\nincludes: { l: { taskfile: lib.yml, vars: { X: inc } } }\n'
         "tasks:\n  default: [{ task: 'l:t' }]\n",
         files={"lib.yml": "version: \"3\"\ntasks: { t: 'echo {{.X}} > log' }\n"}),
    Case("includes twice with vars",
         'version: "3"\nincludes: { a: { taskfile: lib.yml, vars: { X: 1 } }, b: { taskfile: '
         "lib.yml, vars: { X: 2 } } }\ntasks:\n  default: [{ task: 'a:t' }, { task: 'b:t' }]\n",
         files={"lib.yml": "version: \"3\"\ntasks: { t: 'echo {{.X}} >> log' }\n"}),
    Case("includes default",
         'version: "3"\nincludes: { l: lib.yml }\ntasks:\n  default: [{ task: l }]\n',
         files={"lib.yml": "version: \"3\"\ntasks: { default: 'touch d' }\n"},
         fails=True),
    Case("includes nested",
         "version: \"3\"\nincludes: { l: ./lib }\ntasks:\n  default: [{ task: 'l:m:t' }]\n",
         files={"lib/Taskfile.yml": 'version: "3"\nincludes: { m: ./more }\ntasks: {}\n',
                "lib/more/Taskfile.yml": 'version: "3"\ntasks: { t: touch deep }\n'}),
    Case("includes flatten",
         'version: "3"\nincludes: { l: { taskfile: lib.yml, flatten: true } }\n'
         "tasks:\n  default: [{ task: t }]\n",
         files={"lib.yml": 'version: "3"\ntasks: { t: touch deep }\n'}),
    Case("includes optional",
         'version: "3"\nincludes: { l: { taskfile: none.yml, optional: true } }\n'
         "tasks:\n  default: touch x\n"),
    Case("includes internal aliases",
         'version: "3"\nincludes: { l: { taskfile: lib.yml, internal: true, aliases: [k] } }\n'
         "tasks:\n  default: [{ task: 'k:t' }]\n",
         files={"lib.yml": 'version: "3"\ntasks: { t: touch deep }\n'},
         fails=True),
    Case("includes dir without",
         "version: \"3\"\nincludes: { l: sub }\ntasks:\n  default: [{ task: 'l:t' }]\n",
         files={"sub/Taskfile.yml": "version: \"3\"\ntasks: { t: 'touch here; touch {{.TASKFILE_DIR}}/there "
                 "{{.ROOT_DIR}}/root' }\n"}),
    Case("includes excluded",
         'version: "3"\nincludes: { l: { taskfile: lib.yml, flatten: true, excludes: [default] '
         "} }\ntasks:\n  default: touch mine\n",
         files={"lib.yml": 'version: "3"\ntasks: { default: touch theirs, t: touch t }\n'}),
    Case("aliases",
         'version: "3"\ntasks:\n  default: [{ task: g }]\n  generate: { aliases: [g], cmds: '
         "[touch x] }\n"),
    Case("wildcard",
         "version: \"3\"\ntasks:\n  default: [{ task: 'make:a' }]\n  'make:*': { vars: { N: "
         "'{{index .MATCH 0}}' }, cmds: ['touch {{.N}}'] }\n",
         fails=True),
    Case("if template",
         "version: \"3\"\nvars: { D: 'yes' }\ntasks:\n  default: ['{{if .D}}touch "
         "a{{else}}touch b{{end}}', '{{if and .D (ne .D \"no\")}}touch c{{end}}', '{{- if eq "
         ".D \"x\" -}} touch no {{- end -}}']\n"),
    Case("if a template decides on an empty",
         "version: \"3\"\nvars: { D: '' }\ntasks:\n  default: ['{{if .D}}touch a{{else}}touch "
         "b{{end}}']\n"),
    Case("if boolean",
         "version: \"3\"\nvars: { D: false, E: 'false' }\ntasks:\n  default: ['{{if .D}}touch "
         "a{{else}}touch b{{end}}', '{{if .E}}touch c{{else}}touch d{{end}}']\n"),
    Case("default of missing without arguments",
         "version: \"3\"\ntasks:\n  default: { vars: { A: '{{.A | default \"x\"}}' }, cmds: "
         "['echo {{.A}} > log'] }\n"),
    Case("CLI_ARGS",
         "version: \"3\"\ntasks:\n  default: ['echo {{.CLI_ARGS}} > log']\n",
         arguments=(('--', 'a', 'b'), ('-p', 'CLI_ARGS=a b'))),
    Case("CLI_ARGS empty",
         "version: \"3\"\ntasks:\n  default: ['echo [{{.CLI_ARGS}}] > log']\n"),
    Case("CLI_ARGS default",
         "version: \"3\"\ntasks:\n  default: ['echo [{{.CLI_ARGS | default \"all\"}}] > log']\n"),
    Case("splitList range",
         "version: \"3\"\nvars: { L: 'a b' }\ntasks:\n  default: ['{{range $i := splitList \" "
         "\" .L}}touch {{$i}}; {{end}}']\n",
         fails=True),
    Case("index",
         "version: \"3\"\nvars: { L: [a, b] }\ntasks:\n  default: ['echo {{index .L 1}} > "
         "log']\n",
         fails=True),
    Case("numbers",
         'version: "3"\nvars: { N: 3, F: 1.50, B: true, O: 010, E: 1e3 }\n'
         "tasks:\n  default: ['echo {{.N}} {{.F}} {{.B}} {{.O}} {{.E}} > log']\n"),
    Case("list printed",
         "version: \"3\"\nvars: { L: [a, b], M: [1, true] }\ntasks:\n  default: ['echo \"{{.L}} "
         "{{.M}}\" > log']\n"),
    Case("printf and add",
         "version: \"3\"\nvars: { N: 3 }\ntasks:\n  default: ['echo {{printf \"%s-%v\" \"a\" .N}} "
         "{{add .N 1}} > log']\n",
         fails=True),
    Case("silent and label",
         'version: "3"\nsilent: true\noutput: prefixed\ntasks:\n  default: { silent: true, '
         "label: x, desc: d, summary: s, prefix: p, cmds: [{ cmd: touch x, silent: true }] }\n"),
    Case("method none",
         'version: "3"\nmethod: none\ntasks:\n  default: { sources: [a], generates: [b], cmds: '
         "['echo x >> log'] }\n",
         files={"a": ""},
         runs=2),
    Case("method timestamp",
         'version: "3"\ntasks:\n  default: { method: timestamp, sources: [a], generates: [b], '
         "cmds: ['echo x >> log; touch b'] }\n",
         files={"a": ""},
         runs=2),
    Case("sources glob and exclude",
         "version: \"3\"\ntasks:\n  default: { sources: ['src/**/*.txt', { exclude: src/no.txt "
         "}], generates: [b], cmds: ['cat src/*.txt > b; echo x >> log'] }\n",
         files={"src/a.txt": "1",
                "src/no.txt": "2"},
         runs=2),
    Case("sources in called",
         "version: \"3\"\ntasks:\n  default: [{ task: t }, 'echo e >> log']\n"
         "  t: { sources: [a], generates: [b], cmds: ['cp a b', 'echo x >> log'] }\n",
         files={"a": "1"},
         runs=2),
    Case("sources without generates",
         "version: \"3\"\ntasks:\n  default: { sources: [a], cmds: ['echo x >> log'] }\n",
         files={"a": "1"},
         runs=2),
    Case("set errexit",
         "version: \"3\"\nset: [errexit, nounset, pipefail]\ntasks:\n  default: ['false | "
         "true', touch n]\n"),
    Case("nounset",
         "version: \"3\"\nset: [nounset]\ntasks:\n  default: ['echo $NONE', touch n]\n"),
    Case("shopt globstar",
         "version: \"3\"\nshopt: [globstar]\ntasks:\n  default: ['echo **/*.txt > log']\n",
         files={"a/b/c.txt": ""}),
    Case("dir template",
         "version: \"3\"\nvars: { D: sub }\ntasks:\n  default: { dir: '{{.D}}', cmds: [touch "
         "a] }\n",
         files={"sub/x": ""}),
    Case("dir made",
         'version: "3"\ntasks:\n  default: { dir: new/one, cmds: [touch a] }\n'),
    Case("task_dir",
         "version: \"3\"\ntasks:\n  default: { dir: sub, cmds: ['touch {{.TASK_DIR}}/a'] }\n",
         files={"sub/x": ""}),
    Case("ignore in task then fails",
         "version: \"3\"\ntasks:\n  default: { cmds: [{ cmd: 'exit 2', ignore_error: true }, "
         "touch a, 'exit 2'] }\n"),
    Case("dep fails, ignored",
         'version: "3"\ntasks:\n  default: { deps: [f], ignore_error: true, cmds: [touch n] }\n'
         "  f: 'false'\n"),
    Case("exit zero",
         "version: \"3\"\ntasks:\n  default: ['exit 0; touch n', touch y]\n"),
    Case("background",
         "version: \"3\"\ntasks:\n  default: ['sleep 0.1 & wait; touch y']\n"),
    Case("a colon task",
         "version: \"3\"\ntasks:\n  default: [{ task: 'a:b' }]\n  'a:b': touch x\n"),
    Case("colon goal",
         "version: \"3\"\ntasks:\n  default: touch n\n  'a:b': touch x\n",
         goal="a:b"),
    Case("cmd key",
         'version: "3"\ntasks:\n  default: { cmd: touch x }\n'),
    Case("empty command list",
         'version: "3"\ntasks:\n  default: { deps: [a] }\n  a: { cmds: [] }\n'),
    Case("task if var",
         "version: \"3\"\nvars: { ON: 'true' }\ntasks:\n  default: { if: '[ {{.ON}} = true "
         "]', cmds: [touch y] }\n"),
    Case("if with template only",
         "version: \"3\"\nvars: { ON: 'x' }\ntasks:\n  default: { cmds: [{ cmd: touch y, if: "
         "'{{eq .ON \"x\"}}' }, { cmd: touch n, if: '{{ne .ON \"x\"}}' }] }\n"),
    Case("for with if",
         "version: \"3\"\ntasks:\n  default: { cmds: [{ for: [a, b], cmd: 'touch {{.ITEM}}', "
         "if: '[ {{.ITEM}} = b ]' }] }\n"),
    Case("heredoc",
         'version: "3"\nvars: { V: val }\ntasks:\n  default:\n    - |\n      cat > log <<EOF\n'
         "      hello {{.V}}\n      EOF\n",
         fails=True),
    Case("heredoc with a command's variable",
         'version: "3"\nvars: { V: { sh: echo val } }\ntasks:\n  default:\n'
         "    - |\n      cat > log <<EOF\n      hello {{.V}}\n      EOF\n",
         fails=True),
    Case("template in braces escape",
         "version: \"3\"\ntasks:\n  default: ['echo {{\"{{\"}}x}} > log']\n"),
    Case("docker format",
         "version: \"3\"\ntasks:\n  default: ['echo ''{{`{{.Name}}`}}'' > log']\n",
         fails=True),
    Case("trim marker",
         'version: "3"\ntasks:\n  default:\n    - |\n      {{- if true }}\n'
         "      touch a\n      {{- end }}\n      touch b\n"),
    Case("joinPath fromSlash",
         "version: \"3\"\ntasks:\n  default: ['touch {{joinPath \"a\" \"..\" \"b\"}} {{fromSlash "
         "\"c\"}}']\n",
         fails=True),
    Case("OS eq",
         "version: \"3\"\ntasks:\n  default: ['{{if eq OS \"windows\"}}touch n{{else}}touch "
         "y{{end}}', 'touch x{{exeExt}}']\n"),
    Case("a var referring later",
         "version: \"3\"\nvars: { A: '{{.B}}', B: x }\ntasks:\n  default: ['echo \"[{{.A}}]\" > "
         "log']\n",
         fails=True),
    Case("missing var in string",
         "version: \"3\"\ntasks:\n  default: ['echo \"[{{.NOPE}}]\" > log']\n",
         arguments=((), ("-p", "NOPE="))),
    Case("user working dir",
         "version: \"3\"\ntasks:\n  default: { dir: '{{.USER_WORKING_DIR}}', cmds: [touch a] "
         "}\n"),
    Case("spew quotes",
         "version: \"3\"\nvars: { V: \"it's\" }\ntasks:\n  default: ['echo {{.V | quote}} "
         "{{shellQuote .V}} {{q .V}} > log']\n",
         fails=True),
    Case("catLines",
         "version: \"3\"\nvars: { V: \"a\\nb\" }\ntasks:\n  default: ['echo {{.V | catLines}} > "
         "log']\n",
         fails=True),
    Case("the folder in quotes",
         "version: \"3\"\ntasks:\n  default: [\"echo '{{.TASKFILE_DIR}}/a' \\\"{{.ROOT_DIR}}\\\" > log\"]\n"),
]
