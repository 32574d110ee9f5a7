"""Workflows of GitHub Actions, with the results that its documentation describes."""

from cases import Case

FILE = "ci.yml"

CASES = [
    Case("steps in order, the first failure ends the job",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo 1 "
         ">> log\n      - run: |\n          echo 2 >> log\n          false\n"
         "          echo no >> log\n      - run: echo 3 >> log\n",
         want={"log": "1\n2\n"},
         succeeds=False),
    Case("continue-on-error",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - id: f\n"
         "        run: exit 3\n        continue-on-error: true\n      - run: echo ${{ "
         "steps.f.outcome }} ${{ steps.f.conclusion }} > log\n",
         want={"log": "failure success\n"}),
    Case("always and failure",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: exit 1\n"
         "      - if: failure()\n        run: echo f >> log\n      - if: always()\n"
         "        run: echo a >> log\n      - if: success()\n        run: echo s >> log\n",
         want={"log": "f\na\n"},
         succeeds=False),
    Case("outputs of steps and jobs",
         "on: push\njobs:\n  a:\n    runs-on: x\n    outputs: { v: '${{ steps.s.outputs.v }}' "
         '}\n    steps:\n      - id: s\n        run: echo "v=a b" >> "$GITHUB_OUTPUT"\n'
         "  b:\n    needs: a\n    runs-on: x\n    steps:\n      - run: printf '[%s]' \"${{ "
         'needs.a.outputs.v }}" > log\n',
         want={"log": "[a b]"}),
    Case("an output of several lines",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - id: s\n"
         "        run: |\n          echo 'v<<END' >> $GITHUB_OUTPUT\n          printf "
         "'x\\ny\\n' >> $GITHUB_OUTPUT\n          echo END >> $GITHUB_OUTPUT\n"
         "      - run: printf '%s' \"$V\" > log\n        env: { V: '${{ steps.s.outputs.v "
         "}}' }\n",
         want={"log": "x\ny"}),
    Case("variables for later steps",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo "
         '"A=1" >> $GITHUB_ENV\n      - run: echo "$A ${{ env.A }}" > log\n'
         "      - run: echo $A >> log\n        env: { A: own }\n",
         want={"log": "1 1\nown\n"}),
    Case("a folder for later steps",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"
         "          mkdir -p bin\n          printf '#!/bin/sh\\necho hi\\n' > bin/hello\n"
         '          chmod +x bin/hello\n          echo "$PWD/bin" >> $GITHUB_PATH\n'
         "      - run: hello > log\n",
         want={"log": "hi\n"}),
    Case("environment of workflow, job and step",
         "on: push\nenv: { A: workflow, B: workflow, C: workflow }\njobs:\n"
         "  a:\n    runs-on: x\n    env: { B: job, C: job }\n    steps:\n      - run: echo $A "
         "$B $C > log; echo $C > job\n        env: { C: step }\n      - run: echo $C > job\n",
         want={"log": "workflow job step\n"}),
    Case("a matrix with include and exclude",
         "on: push\njobs:\n  a:\n    runs-on: x\n    strategy:\n      matrix:\n"
         "        os: [p, q]\n        n: [1, 2]\n        exclude: [{ os: p, n: 2 }]\n"
         "        include: [{ os: p, n: 1, more: yes-it-is }, { os: z, n: 9 }]\n"
         '    steps:\n      - run: echo "${{ matrix.more }}" > m-${{ matrix.os }}-${{ matrix.n '
         "}}\n",
         want={"m-p-1": "yes-it-is\n",
               "m-q-1": "\n",
               "m-q-2": "\n",
               "m-z-9": "\n",
               "m-p-2": None}),
    Case("a failure of one of a matrix",
         "on: push\njobs:\n  a:\n    runs-on: x\n    strategy: { fail-fast: false, matrix: { "
         "n: [1, 2, 3] } }\n    steps:\n      - run: touch n${{ matrix.n }}; [ ${{ matrix.n }} "
         "!= 2 ]\n  b:\n    needs: a\n    runs-on: x\n    steps: [{ run: touch no }]\n",
         want={"n1": "",
               "n2": "",
               "n3": "",
               "no": None},
         succeeds=False),
    Case("conditions of jobs",
         "on: push\njobs:\n  a: { runs-on: x, if: false, steps: [{ run: touch no }] }\n"
         "  b: { needs: a, runs-on: x, steps: [{ run: touch no2 }] }\n  c: { needs: a, if: "
         "always(), runs-on: x, steps: [{ run: 'echo ${{ needs.a.result }} > log' }] }\n",
         want={"no": None,
               "no2": None,
               "log": "skipped\n"}),
    Case("a job after a failure",
         "on: push\njobs:\n  a: { runs-on: x, steps: [{ run: exit 1 }] }\n  b: { needs: a, if: "
         "failure(), runs-on: x, steps: [{ run: touch yes }] }\n  c: { needs: a, runs-on: x, "
         "steps: [{ run: touch no }] }\n",
         want={"yes": "",
               "no": None},
         succeeds=False),
    Case("the results of all jobs",
         "on: push\njobs:\n  a: { runs-on: x, steps: [{ run: exit 1 }] }\n  b: { runs-on: x, "
         "steps: [{ run: 'true' }] }\n  c:\n    needs: [a, b]\n    if: always()\n"
         "    runs-on: x\n    steps:\n      - if: contains(needs.*.result, 'failure')\n"
         "        run: touch yes\n      - if: ${{ !contains(needs.*.result, 'failure') }}\n"
         "        run: touch no\n",
         want={"yes": "",
               "no": None},
         succeeds=False),
    Case("functions of expressions",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"
         "          echo ${{ format('{0}-{1}', 'a', 2) }} ${{ contains('abc', 'b') }} >> log\n"
         "          echo ${{ startsWith('abc', 'a') && 'y' || 'n' }} ${{ "
         "join(fromJSON('[\"x\",\"y\"]'), '+') }} >> log\n          echo ${{ "
         "fromJSON('{\"k\":{\"l\":7}}').k.l }} ${{ 1 == 1 }} ${{ '' || 'd' }} >> log\n",
         want={"log": "a-2 true\ny x+y\n7 true d\n"}),
    Case("the shell of a step",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"
         "          false | true\n          touch yes\n      - shell: bash\n"
         "        run: |\n          false | true\n          touch no\n",
         want={"yes": "",
               "no": None},
         succeeds=False),
    Case("a script in Python",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - shell: "
         "python\n        run: |\n          import os\n          open('log', 'w').write('${{ "
         "env.A }}' + os.environ['A'])\n        env: { A: \"it\" }\n",
         want={"log": "itit"}),
    Case("folders",
         "on: push\ndefaults: { run: { working-directory: sub } }\njobs:\n  a:\n"
         "    runs-on: ubuntu-latest\n    steps:\n      - run: touch a\n        "
         "working-directory: sub\n      - run: touch b\n",
         files={"sub/x": ""},
         want={"sub/a": "",
               "sub/b": ""}),
    Case("defaults of a job",
         "on: push\njobs:\n  a:\n    runs-on: x\n    defaults: { run: { working-directory: "
         "sub, shell: sh } }\n    steps:\n      - run: touch a\n      - run: touch b\n"
         "        working-directory: other\n",
         files={"sub/x": "",
                "other/x": ""},
         want={"sub/a": "",
               "other/b": ""}),
    Case("a composite action",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - id: c\n"
         "        uses: ./act\n        with: { who: you }\n      - run: echo ${{ "
         "steps.c.outputs.said }} >> log\n",
         files={"act/action.yml": "inputs: { who: { default: me }, how: { default: hello } }\n"
                 "outputs: { said: { value: '${{ steps.s.outputs.r }}' } }\n"
                 "runs:\n  using: composite\n  steps:\n    - id: s\n      shell: bash\n"
                 '      run: |\n        echo "${{ inputs.how }} ${{ inputs.who }}" >> log\n'
                 "        echo r=well >> $GITHUB_OUTPUT\n"},
         want={"log": "hello you\nwell\n"}),
    Case("a failure in a composite action",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: ./act\n"
         "      - run: touch no\n      - if: failure()\n        run: touch yes\n",
         files={"act/action.yml": "runs:\n  using: composite\n  steps:\n    - { shell: sh, run: exit 4 }\n"
                 "    - { shell: sh, run: touch no2 }\n"},
         want={"no": None,
               "no2": None,
               "yes": ""},
         succeeds=False),
    Case("a reusable workflow",
         "on: push\njobs:\n  a:\n    uses: ./.github/workflows/r.yml\n    with: { name: you, "
         "times: 2 }\n  b:\n    needs: a\n    runs-on: x\n    steps: [{ run: 'echo ${{ "
         "needs.a.outputs.o }} >> log' }]\n",
         files={".github/workflows/r.yml": "on:\n  workflow_call:\n    inputs: { name: { type: string }, times: { type: "
                 "number }, on: { type: boolean, default: true } }\n    outputs: { o: { value: "
                 "'${{ jobs.x.outputs.p }}' } }\njobs:\n  x:\n    runs-on: x\n"
                 "    outputs: { p: '${{ steps.s.outputs.q }}' }\n    steps:\n"
                 "      - run: echo ${{ inputs.name }} ${{ inputs.times }} ${{ inputs.on }} >> "
                 "log\n      - { id: s, run: 'echo q=out >> $GITHUB_OUTPUT' }\n"},
         want={"log": "you 2 true\nout\n"}),
    Case("inputs with defaults",
         "on: { workflow_dispatch: { inputs: { a: { default: x }, b: { type: boolean, default: "
         "false }, c: { type: number, default: 4 } } } }\njobs:\n  a:\n    runs-on: x\n"
         "    steps:\n      - run: echo ${{ inputs.a }} ${{ github.event.inputs.a }} ${{ "
         "inputs.c }} >> log\n      - { if: inputs.b, run: touch no }\n",
         want={"log": "x x 4\n",
               "no": None}),
    Case("quotes and dollars",
         "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n"
         "          X='it'\"'\"'s'\n          echo \"$X\" '$X' \"${X%s}\" > log\n"
         "          awk 'BEGIN { print \"${{ env.A }}\" }' >> log\n        env: { A: a b }\n",
         want={"log": "it's $X it'\na b\n"}),
    Case("artifacts",
         "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - run: mkdir -p out && echo "
         "1 > out/f\n      - uses: actions/upload-artifact@v4\n        with: { name: n, path: "
         "out }\n      - run: rm -r out\n  b:\n    needs: a\n    runs-on: x\n"
         "    steps:\n      - uses: actions/download-artifact@v4\n        with: { name: n, "
         "path: in }\n      - run: cat in/f > log\n",
         want={"log": "1\n"}),
    Case("the files of an artifact",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - run: mkdir -p out/.h out/s none && touch out/a out/.b out/.h/c out/s/d out/s/.e .f
      - { uses: actions/upload-artifact@v4, with: { name: n, path: out } }
      - { uses: actions/upload-artifact@v4, with: { name: m, path: "out/*\\nout/s/.e\\n.f" } }
      - { uses: actions/upload-artifact@v4, with: { name: h, path: out, include-hidden-files: true } }
      - { uses: actions/upload-artifact@v4, with: { name: o, path: missing/*.txt } }
      - { uses: actions/upload-artifact@v4, with: { name: n, path: out/s, overwrite: true } }
      - id: e
        continue-on-error: true
        uses: actions/upload-artifact@v4
        with: { name: e, path: none, if-no-files-found: error }
      - { uses: actions/download-artifact@v4, with: { path: in } }
      - run: echo "${{ steps.e.outcome }}" > log; cd in; find . -type f | LC_ALL=C sort >> ../log
""",
         want={"log": "failure\n./h/.b\n./h/.h/c\n./h/a\n./h/s/.e\n./h/s/d\n./m/out/a\n./m/out/s/d\n./n/d\n"}),
    Case("artifacts that become one",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - run: echo a > a; echo b > b
      - { uses: actions/upload-artifact@v4, with: { name: p-a, path: a } }
      - { uses: actions/upload-artifact@v4, with: { name: p-b, path: b } }
      - uses: actions/upload-artifact/merge@v4
        with: { name: all, pattern: p-*, separate-directories: true, delete-merged: true }
      - { uses: actions/download-artifact@v4, with: { path: in } }
      - run: cd in; find . -type f | LC_ALL=C sort > ../log
""",
         want={"log": "./all/p-a/a\n./all/p-b/b\n"}),
    Case("an action that may fail",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - { uses: ./act, continue-on-error: true }
      - run: echo end >> log
  b:
    needs: a
    runs-on: x
    steps: [{ run: "echo ${{ needs.a.result }} >> log" }]
""",
         files={"act/action.yml": """
runs:
  using: composite
  steps:
    - { shell: sh, run: "echo one >> log; exit 1", continue-on-error: true }
    - { shell: sh, run: "echo two >> log; exit 1", continue-on-error: false }
    - { shell: sh, run: echo three >> log }
    - { if: always(), shell: sh, run: echo four >> log }
"""},
         want={"log": "one\ntwo\nfour\nend\nsuccess\n"}),
    Case("a workflow that is called has its own variables and ids",
         """
on: push
env: { MODE: caller }
jobs:
  a: { uses: ./.github/workflows/r.yml }
  a-x: { runs-on: x, steps: [{ run: "echo $MODE ${{ env.MODE }} > own" }] }
  b: { needs: a-x, runs-on: x, steps: [{ run: "echo ${{ env.MODE }} $(cat own) > log" }] }
""",
         files={".github/workflows/r.yml": """
on: workflow_call
jobs: { x: { runs-on: x, steps: [{ run: 'sleep 0.2; echo "<$MODE>" > called' }] } }
"""},
         want={"log": "caller caller caller\n",
               "called": "<>\n"}),
    Case("the folder of the machine",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - run: mkdir -p ${{ runner.workspace }}/name/docs/build
      - run: touch here ../there
        working-directory: ${{ runner.workspace }}/name/docs/build
""",
         files={".git/config": '[remote "origin"]\n\turl = https://github.com/o/name.git\n'},
         want={"docs/build/here": "",
               "docs/there": ""}),
    Case("a script without a line",
         """
on: push
jobs: { a: { runs-on: x, steps: [{ run: "" }, { name: n, run: " \\n" }, { run: touch end }] } }
""",
         want={"end": ""}),
    Case("lines of a script for an emulator",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - uses: reactivecircus/android-emulator-runner@v2
        env: { A: "a b" }
        with:
          api-level: 30
          script: |
            mkdir s
            cd s
            # not a line
            echo "it's $A" > log; false; true
            printf '%s' '${{ env.A }}' >> log
""",
         want={"log": "it's a b\na b"}),
    Case("pages of a branch",
         """
on: push
env: { GIT_AUTHOR_NAME: a, GIT_AUTHOR_EMAIL: a@b, GIT_COMMITTER_NAME: a, GIT_COMMITTER_EMAIL: a@b }
jobs:
  a:
    runs-on: x
    steps:
      - run: |
          git init -q --bare r.git
          git init -q
          git remote add origin "$PWD/r.git"
          mkdir first second
          touch first/CNAME first/old first/.nojekyll second/new second/.well
      - { uses: peaceiris/actions-gh-pages@v4, with: { publish_dir: first } }
      - { uses: JamesIves/github-pages-deploy-action@v4, with: { folder: second } }
      - run: git --git-dir r.git ls-tree -r --name-only gh-pages > log
      - { uses: JamesIves/github-pages-deploy-action@v4, with: { folder: first, clean: false } }
      - run: git --git-dir r.git ls-tree -r --name-only gh-pages >> log
      - uses: peaceiris/actions-gh-pages@v4
        with: { publish_dir: second, destination_dir: d, cname: x.org, disable_nojekyll: true }
      - run: git --git-dir r.git ls-tree -r --name-only gh-pages | grep -v ^old >> log
      - { uses: peaceiris/actions-gh-pages@v4, with: { publish_dir: second } }
      - run: git --git-dir r.git ls-tree -r --name-only gh-pages >> log
""",
         want={"log": ".nojekyll\n.well\nCNAME\nnew\n"
                      ".nojekyll\n.well\nCNAME\nnew\nold\n"
                      ".nojekyll\n.well\nCNAME\nd/.well\nd/new\nnew\n"
                      ".nojekyll\n.well\nnew\n"}),
    Case("an action that runs after a failure",
         """
on: push
jobs:
  a:
    runs-on: x
    steps:
      - run: exit 1
      - { if: always(), uses: ./act, with: { name: one } }
      - run: echo no >> log
      - { if: failure(), uses: ./act, with: { name: two } }
      - { if: success(), uses: ./act, with: { name: no } }
      - { if: "!cancelled()", run: echo end >> log }
  b:
    needs: a
    if: always()
    runs-on: x
    steps: [{ run: "echo ${{ needs.a.result }} >> log" }]
  c:
    runs-on: x
    steps:
      - { if: failure(), uses: ./act, with: { name: no } }
      - { if: always(), uses: ./fails }
      - run: echo no >> log
""",
         files={"act/action.yml": """
inputs: { name: {} }
runs:
  using: composite
  steps:
    - { shell: sh, run: "echo ${{ inputs.name }} >> log" }
    - { shell: sh, run: "echo ${{ inputs.name }}-b >> log" }
    - { if: failure(), shell: sh, run: echo no >> log }
""", "fails/action.yml": """
runs:
  using: composite
  steps:
    - { if: false, shell: sh, run: echo no >> other }
    - { shell: sh, run: "echo f >> other; exit 1" }
    - { shell: sh, run: echo no >> other }
    - { if: failure(), shell: sh, run: echo g >> other }
"""},
         want={"log": "one\none-b\ntwo\ntwo-b\nend\nfailure\n",
               "other": "f\ng\n"},
         succeeds=False),
    Case("numbers",
         """
on: push
env: { A: 1.10, B: "1.10" }
jobs:
  a:
    runs-on: x
    env: { C: 007 }
    strategy: { max-parallel: 1, matrix: { v: [8.0, 3.10, "2.0"] } }
    steps:
      - run: echo "${{ matrix.v }} ${{ env.A }} $B $C" >> log
      - { if: matrix.v == 3.1, run: touch yes }
""",
         want={"log": "8 1.1 1.10 7\n3.1 1.1 1.10 7\n2.0 1.1 1.10 7\n",
               "yes": ""}),
    Case("a shell that an action is given",
         """
on: push
jobs: { a: { runs-on: x, steps: [{ uses: ./act }] } }
""",
         files={"act/action.yml": """
inputs: { shell: { default: bash } }
runs:
  using: composite
  steps: [{ shell: "${{ inputs.shell }}", run: "false | true; touch no" }]
"""},
         want={"no": None},
         succeeds=False),
    Case("the position in a matrix of maps",
         """
on: push
jobs:
  a:
    runs-on: x
    strategy:
      matrix:
        config: [{ os: p, r: 1 }, { os: p, r: 2, more: true }, { os: q, r: 1 }]
    steps:
      - run: echo
      - run: touch "$INDEX-${{ matrix.config.os }}-${{ matrix.config.r }}"
        env: { INDEX: "${{ matrix.config.id || strategy.job-index }}" }
""",
         want={"0-p-1": "",
               "1-p-2": "",
               "2-q-1": ""}),
    Case("a single artifact of a pattern, and what a program writes",
         """
on: push
jobs:
  a:
    runs-on: x
    env: { V: old }
    steps:
      - run: mkdir in; echo 1 > in/x
      - { uses: actions/upload-artifact@v6, with: { name: s-1, path: in } }
      - { uses: actions/download-artifact@v8, with: { pattern: "s-*", path: one } }
      - { uses: actions/upload-artifact@v6, with: { name: s-2, path: in } }
      - { uses: actions/download-artifact@v8, with: { path: two } }
      - { id: p, run: "echo v=True >> $GITHUB_OUTPUT" }
      - { if: steps.p.outputs.v == 'true', run: touch yes }
      - { if: steps.p.outputs.other == 'true', run: touch no }
      - run: if [ -e no ]; then echo W=1 >> $GITHUB_ENV; fi
      - run: echo "${W-unset}" > w
      - { uses: ./act, with: { v: "${{ env.V }}" } }
""",
         files={"act/action.yml": """
inputs: { v: {} }
runs:
  using: composite
  steps: [{ shell: bash, run: echo $V > v, env: { V: "${{ inputs.v }}" } }]
"""},
         want={"one/x": "1\n", "two/s-1/x": "1\n", "two/s-2/x": "1\n", "yes": "", "no": None,
               "w": "unset\n", "v": "old\n"}),
]
