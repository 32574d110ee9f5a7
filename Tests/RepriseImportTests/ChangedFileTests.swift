import RepriseImport
import TestSupport
import Testing
import WorkflowFiles

/// Files of all tools in which parts are removed, repeated, moved and replaced at random.
struct ChangedFileTests {
  private static let sources: [ImportFormat: String] = [
    .github: #"""
    name: CI
    on: { push: { branches: [main] }, schedule: [{ cron: '5 4 * * 1' }], workflow_dispatch: { inputs: { a: { default: x, type: choice, options: [x, y] } } } }
    env: { A: "1", B: "${{ github.ref }}" }
    concurrency: { group: "${{ github.workflow }}", cancel-in-progress: true }
    defaults: { run: { shell: bash, working-directory: app } }
    jobs:
      build:
        runs-on: ${{ matrix.os }}
        timeout-minutes: 5
        strategy: { fail-fast: false, max-parallel: 2, matrix: { os: [ubuntu-latest, macos-14], v: [1, 2], include: [{ os: x, v: 3 }], exclude: [{ v: 1 }] } }
        container: { image: "debian:12", env: { C: d }, options: --cpus 1 }
        outputs: { tag: "${{ steps.t.outputs.tag }}" }
        steps:
          - uses: actions/checkout@v4
          - { id: t, name: Tag, run: "echo \"tag=1\" >> $GITHUB_OUTPUT", if: "github.event_name == 'push' && !cancelled()" }
          - run: |
              echo ${{ matrix.v }} ${{ env.A }} >> "$GITHUB_STEP_SUMMARY"
              echo "X=y" >> $GITHUB_ENV
            continue-on-error: true
          - { uses: actions/cache@v4, with: { path: ~/.cache, key: "k-${{ hashFiles('**/*.lock') }}" } }
      deploy:
        needs: [build]
        if: always() && needs.build.result == 'success'
        environment: production
        services: { db: { image: postgres, ports: ["5432:5432"], env: { P: "${{ secrets.P }}" } } }
        steps: [{ run: "psql $P", env: { P: "${{ secrets.P }}" } }, { uses: ./.github/actions/x, with: { a: b } }]
      called: { uses: ./.github/workflows/other.yml, with: { a: "${{ needs.build.outputs.tag }}" }, secrets: inherit, needs: build }
    """#,
    .taskfile: #"""
    version: '3'
    set: [pipefail]
    dotenv: ['.env', '{{.DIR}}/.env']
    vars: { DIR: out, GIT: { sh: git rev-parse HEAD }, LIST: [a, b], NAME: '{{.DIR | upper | default "x"}}', M: { map: { k: v } } }
    env: { E: '{{.NAME}}' }
    tasks:
      default: { deps: [build], cmds: [echo done] }
      build:
        desc: Build it
        aliases: [b]
        dir: '{{.DIR}}'
        vars: { FLAG: '{{if eq .NAME "OUT"}}-O2{{else if .DIR}}-O1{{else}}-O0{{end}}' }
        sources: ['src/**/*.c', exclude: src/x.c]
        generates: [out/app]
        status: [test -f out/app]
        preconditions: [{ sh: test -d src, msg: no src }]
        requires: { vars: [TARGET, { name: MODE, enum: [a, b] }] }
        cmds:
          - cc {{.FLAG}} -o app {{.TARGET}}
          - { task: test, vars: { WHAT: all } }
          - { for: [x, y], cmd: 'echo {{.ITEM}}' }
          - { for: { var: LIST, as: I }, cmd: 'echo {{.I}} {{len .LIST}}' }
          - { defer: rm -rf tmp }
          - { cmd: 'false', ignore_error: true, platforms: [linux] }
      test: { cmds: ['echo {{.WHAT}} {{ join "," .LIST }} {{.CLI_ARGS}}'], internal: true, run: once, silent: true }
    """#,
    .just: #"""
    set shell := ["bash", "-uc"]
    set dotenv-load
    export PORT := "80"
    dir := justfile_directory() / "out"
    mode := if os() == "linux" { "a" + 'b' } else { `uname` }
    alias b := build

    # Builds it
    build target="all" *flags: clean (test "x" mode)
      @echo {{target}} {{flags}} {{quote(dir)}}
      -rm -f {{dir}}/x
      for i in 1 2; do \
        echo $i; \
      done
    [private]
    clean:
      #!/usr/bin/env bash
      echo {{ env("HOME", "x") }}
    [confirm("Really?")]
    test $a b=("x" + mode): && clean
      echo $a {{b}} {{ replace(b, "x", "y") }}
    """#,
    .make: #"""
    CC ?= gcc
    SRC := $(wildcard *.c) a.c b.c
    OBJ = $(SRC:.c=.o)
    export MODE = $(if $(filter a,$(X)),one,two)
    define go
    echo $(1)
    endef
    ifeq ($(CC),gcc)
    FLAGS += -O2 $(addprefix -I,x y)
    else ifdef MODE
    FLAGS = $(shell uname)
    endif
    .PHONY: all clean
    all: app | out ## Builds it
    app: $(OBJ)
    	$(CC) $(FLAGS) -o $@ $^ # x
    %.o: %.c
    	@$(CC) -c $< -o $(@D)/$(@F)
    out: ; mkdir -p $@
    clean: FLAGS = -x
    clean:
    	-rm -rf $(OUT) $(foreach x,$(OBJ),$(x:.o=.d))
    	@if test -f x; then \
    	  echo $$HOME; \
    	fi
    -include none.mk
    all:: b
    """#,
    .dagu: #"""
    name: x
    schedule: "0 1 * * *"
    params: A=1 B="two words" $1
    env: [X: y, "Z=${X}/w"]
    dotenv: .env
    timeoutSec: 60
    maxActiveSteps: 2
    handlerOn: { failure: { command: echo failed }, exit: { command: echo end } }
    steps:
      - { name: one, command: "echo ${A} $2", output: OUT, dir: /tmp }
      - name: two
        script: |
          echo ${OUT}
        shell: bash
        depends: [one]
        retryPolicy: { limit: 3, intervalSec: 5 }
        continueOn: { failure: true, exitCode: [1, 2] }
        preconditions: [{ condition: "`date +%u`", expected: "re:[1-5]" }]
      - { name: three, call: other, params: "X=${OUT}", repeatPolicy: { repeat: true, intervalSec: 1 } }
      - { name: four, command: [ls, -l], parallel: [a, b], executor: docker, stdout: /tmp/x }
    ---
    name: other
    steps: [echo $X]
    """#,
    .processCompose: #"""
    version: "0.5"
    environment: [A=1, "B=b"]
    shell: { shell_command: bash, shell_argument: -c }
    processes:
      db: { command: "postgres -p ${B}", readiness_probe: { exec: { command: pg_isready }, period_seconds: 2, failure_threshold: 3 }, availability: { restart: on_failure, max_restarts: 3, backoff_seconds: 2 }, shutdown: { signal: 2, timeout_seconds: 5 } }
      web:
        command: npm start
        working_dir: web
        environment: [PORT=80]
        depends_on: { db: { condition: process_healthy }, migrate: { condition: process_completed_successfully } }
        liveness_probe: { http_get: { host: 127.0.0.1, port: 80, path: / } }
        replicas: 2
        log_location: ./web.log
      migrate: { command: make migrate, disabled: false, namespace: x, is_daemon: false }
    """#,
    .package: #"""
    { "name": "x", "version": "1.0.0", "scripts": { "prebuild": "rm -rf out", "build": "tsc && node 'a b.js'", "test": "npm run build && jest \"$npm_package_name\"", "posttest": "echo done" }, "devDependencies": { "jest": "1" } }
    """#,
  ]

  /// Changes a text at a few places.
  private static func changed(
    _ text: String, with other: String, _ random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = Array(text.utf8)
    let parts = Array(other.utf8)
    for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
      let first = Int.random(in: 0..<bytes.count, using: &random)
      let last = min(bytes.count, first + Int.random(in: 1...40, using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.removeSubrange(first..<last)
      case 1: bytes.insert(contentsOf: bytes[first..<last], at: first)
      case 2:
        let place = Int.random(in: 0..<parts.count, using: &random)
        let end = min(parts.count, place + Int.random(in: 1...40, using: &random))
        bytes.replaceSubrange(first..<last, with: parts[place..<end])
      case 3:
        let signs = "\"'`$(){}[]:=|,#\\\n\t -&*!%@~<>;?".utf8
        bytes[first] = signs.randomElement(using: &random) ?? 32
      case 4:
        let piece = Array(bytes[first..<last])
        bytes.removeSubrange(first..<last)
        bytes.insert(
          contentsOf: piece, at: Int.random(in: 0...bytes.count, using: &random))
      default: bytes[first] = UInt8.random(in: 0...255, using: &random)
      }
    }
    return bytes
  }

  @Test(arguments: ImportFormat.allCases)
  func `a changed file is imported without errors or refused`(_ format: ImportFormat) throws {
    var random = SeededGenerator.announced()
    let text = try #require(Self.sources[format])
    let whole = try ImportedWorkflow(Array(text.utf8), from: format, path: "w.yaml")
    #expect(whole.text.contains("run:"), "\(whole.text)")
    for _ in 0..<rounds(300, soak: 20_000) {
      let other = Self.sources.values.sorted().randomElement(using: &random) ?? ""
      let bytes = Self.changed(text, with: other, &random)
      do throws(ImportError) {
        let result = try ImportedWorkflow(bytes, from: format, path: "w.yaml")
        #expect(
          throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))\n\(result.text)"
        ) {
          try checkWorkflows(in: result.text)
        }
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
