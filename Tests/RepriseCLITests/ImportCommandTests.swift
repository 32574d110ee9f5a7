import Foundation
import Testing

/// `reprise import` as a user calls it, and runs of what it writes.
struct ImportCommandTests {
  @Test func `an import is printed with its summary`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "on: push\njobs: { a: { runs-on: ubuntu-latest, steps: [{ run: echo hello }] } }",
      to: "ci.yml")
    let printed = try await scenario.reprise("import", "ci.yml").succeeds()
    #expect(printed.output.contains("# Imported from ci.yml, a workflow of GitHub Actions"))
    #expect(printed.output.contains("run: echo hello"))
    #expect(printed.errors.contains("ci.yml:1: note: on: push"))
    #expect(printed.errors.hasSuffix("ci.yml: a workflow of GitHub Actions, 1 step: with notes\n"))
    try await scenario.reprise("import", "ci.yml", "--output", "w.yaml").succeeds()
    #expect(scenario.read("w.yaml") == printed.output)
    let again = try await scenario.reprise("import", "ci.yml", "--output", "w.yaml").fails(with: 2)
    #expect(again.errors.contains("--force"))
    try await scenario.reprise("import", "ci.yml", "--output", "w.yaml", "--force").succeeds()
    try await scenario.reprise("validate", "w.yaml").succeeds()
  }

  @Test func `something missing is a failure`() async throws {
    let scenario = try Scenario()
    try scenario.write("tasks: { a: \"echo {{.A | upper}}\" }", to: "Taskfile.yml")
    let part = try await scenario.reprise("import", "Taskfile.yml").fails(with: 1)
    #expect(part.errors.hasSuffix(": in part\n"))
    try scenario.write("a: b", to: "other.yml")
    let unknown = try await scenario.reprise("import", "other.yml").fails(with: 2)
    #expect(unknown.errors.contains("--from github, taskfile, dagu, make, just"))
    try scenario.write("jobs: {}", to: "empty.yml")
    try await scenario.reprise("import", "empty.yml").fails(with: 2)
    try await scenario.reprise("import", "none.yml").fails(with: 2)
  }

  @Test func `a job whose container has no image in a combination fails`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: push
      jobs:
        a:
          runs-on: ubuntu-latest
          strategy: { matrix: { b: [{ n: 1, image: alpine }, { n: 2 }] } }
          container: ${{ matrix.b.image }}
          steps: [{ run: touch one }, { run: touch two }]
      """, to: "ci.yml")
    let part = try await scenario.reprise("import", "ci.yml", "--output", "w.yaml").fails(with: 1)
    #expect(part.errors.contains("missing: runner: "), "\(part.errors)")
    try await scenario.reprise("validate", "w.yaml").succeeds()
    try await scenario.reprise("run", "w.yaml").fails(with: 1)
    #expect(!scenario.has("one"))
  }

  @Test func `without a file, the files that can be imported are listed`() async throws {
    let scenario = try Scenario()
    let none = try await scenario.reprise("import").fails(with: 2)
    #expect(none.errors.contains("error: there is no file of another tool here"))
    try scenario.write("all:\n\ttouch made\nclean:\n\trm x\n", to: "Makefile")
    try scenario.write("a:\n  touch b\n", to: "justfile")
    try scenario.write("a: b", to: "other.yml")
    try scenario.write(
      "jobs: { a: { steps: [{ run: echo hello }] } }", to: ".github/workflows/ci.yml")
    let listed = try await scenario.reprise("import").succeeds()
    for part in [
      "Makefile: a makefile, 2 steps: full",
      "  reprise import justfile --output workflows/just.yaml",
      "  reprise import .github/workflows/ci.yml --output workflows/ci.yaml",
    ] { #expect(listed.output.contains(part), "\(listed.output)") }
    #expect(!listed.output.contains("other.yml"))
  }

  @Test func `only the default goal of a makefile runs, when make would run it`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      "OUT = out\nall: a | $(OUT)\n\techo all >> log\na: b\n\tcp b a; echo a >> log\n"
        + "out: ; mkdir -p out\nclean:\n\ttouch gone; rm -rf $(OUT:%=%/build)/*\n", to: "Makefile")
    try scenario.write("1", to: "b")
    try await scenario.reprise("import", "Makefile", "--output", "w.yaml").succeeds()
    for _ in 0..<2 { try await scenario.reprise("run", "./w.yaml").succeeds() }
    #expect(scenario.read("log") == "a\nall\nall\n")
    #expect(!scenario.has("gone"))
    try await scenario.reprise("run", "./w.yaml#clean").succeeds()
    #expect(scenario.has("gone"))
  }

  /// Imports a workflow of the repository that is the folder, and runs it.
  private func run(
    _ text: String, _ files: [String: String] = [:], fails: Bool = false
  ) async throws -> Scenario {
    let scenario = try Scenario()
    try scenario.write(text, to: ".github/workflows/ci.yml")
    for (path, text) in files { try scenario.write(text, to: path) }
    try await scenario.reprise("import", ".github/workflows/ci.yml", "--output", "w.yaml")
      .succeeds()
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain")
    #expect(
      ended.status == (fails ? 1 : 0), "\(ended.output)\(ended.errors)\(scenario.read("w.yaml"))")
    return scenario
  }

  @Test func `values pass between steps and jobs as they did`() async throws {
    let scenario = try await run(
      """
      on: push
      env: { LEVEL: low }
      jobs:
        build:
          runs-on: ubuntu-latest
          env: { MODE: fast }
          outputs: { tag: "${{ steps.tag.outputs.name }}" }
          steps:
            - uses: actions/checkout@v4
            - id: tag
              run: |
                echo "name=v1 beta" >> $GITHUB_OUTPUT
                echo "COLOR=red" >> $GITHUB_ENV
                mkdir -p bin; printf '#!/bin/sh\\necho tool' > bin/tool; chmod +x bin/tool
                echo "$PWD/bin" >> $GITHUB_PATH
            - run: echo "COUNT=$((1 + 1))" | tee -a "$GITHUB_ENV"
            - if: env.COLOR == 'red' && steps.tag.outputs.name != ''
              run: echo "$COLOR $COUNT $MODE $LEVEL $(tool) '${{ steps.tag.outputs.name }}'" > one
            - if: env.COLOR == 'blue'
              run: touch never
            - run: mkdir -p dist/sub; echo 1 > dist/a; echo 2 > dist/sub/b
            - uses: actions/upload-artifact@v4
              with: { name: files, path: dist }
        use:
          needs: build
          runs-on: ubuntu-latest
          steps:
            - uses: actions/download-artifact@v4
              with: { name: files, path: got }
            - run: cat got/a got/sub/b > two; echo "${{ needs.build.outputs.tag }}" >> two
      """)
    #expect(scenario.read("one") == "red 2 fast low tool 'v1 beta'\n")
    #expect(scenario.read("two") == "1\n2\nv1 beta\n")
    #expect(!scenario.has("never"))
  }

  @Test func `inserted values, conditions on secrets and the workspace are as there`() async throws
  {
    let scenario = try await run(
      """
      on: push
      env: { TOKEN: "${{ secrets.REPRISE_TEST_UNSET }}" }
      jobs:
        a:
          runs-on: x
          outputs: { v: "${{ env.V }}" }
          steps:
            - id: o
              run: |
                echo "x=it's" >> $GITHUB_OUTPUT
                echo V=set >> $GITHUB_ENV
                mkdir sub
            - { run: touch has-token, if: env.TOKEN != '' }
            - { run: touch has-none, if: "env.TOKEN == '' && steps.o.outputs.x != ''" }
            - shell: python
              run: |
                open("python", "w").write("${{ steps.o.outputs.x }}")
            - working-directory: sub
              run: |
                cat > quoted <<'EOT'
                ${{ steps.o.outputs.x }} $HOME
                EOT
                cat > "${{ github.workspace }}/unquoted" <<EOT
                '${{ steps.o.outputs.x }}'
                EOT
                echo "$(printf %s '${{ env.V }}')" > "$GITHUB_WORKSPACE/inner"
            - { run: "sleep 100 & kill $!" }
        b:
          needs: a
          if: "!contains(needs.*.result, 'failure')"
          runs-on: x
          steps: [{ run: "echo ${{ needs.a.outputs.v }} ${{ join(needs.*.result) }} > results" }]
      """)
    #expect(!scenario.has("has-token") && scenario.has("has-none"))
    #expect(scenario.read("python") == "it's")
    #expect(scenario.read("sub/quoted") == "it's $HOME\n")
    #expect(scenario.read("unquoted") == "'it's'\n")
    #expect(scenario.read("inner") == "set\n")
    #expect(scenario.read("results") == "set success\n")
  }

  @Test func `nothing runs in place of what has no equivalent`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: push
      jobs:
        a:
          runs-on: x
          steps: [{ run: touch wrong, if: toJSON(strategy) == '' }, { run: touch after }]
        b: { runs-on: x, container: "${{ x() }}", steps: [{ run: touch wrong }, { run: touch wrong, if: always() }] }
        c: { runs-on: x, steps: [{ run: touch right }, { parallel: [{ run: touch wrong }] }] }
      """, to: "ci.yml")
    try await scenario.reprise("import", "ci.yml", "--output", "w.yaml").fails(with: 1)
    let ended = try await scenario.reprise("run", "w.yaml", "--progress", "plain").fails(with: 1)
    #expect(ended.output.contains("not imported: line 5: if: toJSON(strategy)"), "\(ended.output)")
    #expect(scenario.has("right") && !scenario.has("wrong") && !scenario.has("after"))
  }

  @Test func `steps and jobs after a failure run as they did`() async throws {
    let scenario = try await run(
      """
      on: push
      jobs:
        a:
          runs-on: ubuntu-latest
          steps:
            - run: exit 3
            - run: touch skipped
            - { if: failure(), run: touch on-failure }
            - { if: always(), run: touch always }
            - run: touch skipped-too
        b: { needs: a, runs-on: ubuntu-latest, steps: [{ run: touch skipped-job }] }
        c:
          needs: a
          if: always() && needs.a.result == 'failure'
          runs-on: ubuntu-latest
          steps:
            - { if: "1 == 2", run: touch never }
            - run: echo ${{ needs.a.result }} > result
        d:
          needs: a
          if: needs.a.result == 'success' && always()
          runs-on: ubuntu-latest
          steps: [{ run: touch not-d }, { if: always(), run: touch not-d }]
        e: { needs: d, runs-on: ubuntu-latest, steps: [{ run: touch not-e }] }
      """, fails: true)
    for file in ["on-failure", "always"] { #expect(scenario.has(file), "\(file)") }
    #expect(scenario.read("result") == "failure\n")
    for file in ["skipped", "skipped-too", "skipped-job", "never", "not-d", "not-e"] {
      #expect(!scenario.has(file), "\(file)")
    }
  }

  @Test func `a matrix and a composite action run as they did`() async throws {
    let action = """
      inputs: { name: { default: x }, size: { required: true } }
      outputs: { line: { value: "${{ steps.make.outputs.line }}" } }
      runs:
        using: composite
        steps:
          - id: make
            shell: bash
            run: echo "line=${{ inputs.name }}-${{ inputs.size }}" >> $GITHUB_OUTPUT
      """
    let scenario = try await run(
      """
      on: push
      jobs:
        plan:
          runs-on: ubuntu-latest
          outputs: { sizes: "${{ steps.s.outputs.sizes }}" }
          steps: [{ id: s, run: "echo 'sizes=[7, 8]' >> $GITHUB_OUTPUT" }]
        test:
          needs: plan
          runs-on: ubuntu-latest
          strategy:
            matrix: { size: "${{ fromJSON(needs.plan.outputs.sizes) }}", os: [a, b] }
          steps: [{ run: "touch dynamic-${{ matrix.size }}-${{ matrix.os }}" }]
        fixed:
          runs-on: ubuntu-latest
          strategy: { matrix: { size: [1, 2], exclude: [{ size: 2 }], include: [{ size: 3 }] } }
          steps:
            - id: use
              uses: ./.github/actions/line
              with: { size: "${{ matrix.size }}" }
            - run: echo "${{ steps.use.outputs.line }}" > fixed-${{ matrix.size }}
      """, [".github/actions/line/action.yml": action])
    for file in ["dynamic-7-a", "dynamic-7-b", "dynamic-8-a", "dynamic-8-b"] {
      #expect(scenario.has(file), "\(file)")
    }
    #expect(scenario.read("fixed-1") == "x-1\n")
    #expect(scenario.read("fixed-3") == "x-3\n")
    #expect(!scenario.has("fixed-2"))
  }

  @Test func `validate warns of what works in another way here`() async throws {
    let scenario = try Scenario()
    try scenario.write(
      """
      on: push
      jobs:
        a:
          runs-on: ubuntu-latest
          steps:
            - { id: test, run: make test }
            - { id: clean, if: always(), run: make clean }
            - { id: tell, if: failure(), run: ./tell }
        b:
          needs: [a]
          if: always()
          runs-on: ubuntu-latest
          steps: [{ id: over, run: ./over }]
        c:
          needs: [b]
          runs-on: ubuntu-latest
          steps: [{ uses: acme/deploy@v1 }]
      """, to: "ci.yml")
    let ended = try await scenario.reprise("validate", "--from", "github", "ci.yml").succeeds()
    func warns(_ line: Int, _ text: String) -> Bool {
      ended.errors.split(separator: "\n").contains {
        $0.hasPrefix("ci.yml:\(line): warning: ") && $0.contains(text)
      }
    }
    #expect(warns(1, "on: push"))
    #expect(warns(7, "always()"))
    #expect(warns(8, "step a-tell: it looks at all steps before it there"), "\(ended.errors)")
    #expect(warns(15, "job c: it looks at all jobs before it there"))
    #expect(warns(17, "no equivalent: uses: acme/deploy@v1"))
    #expect(ended.output.hasPrefix("ci.yml: a workflow of GitHub Actions, "))
    #expect(!scenario.has("workflows") && !ended.output.contains("# Imported"))
    try scenario.write("jobs: {}", to: "empty.yml")
    let empty = try await scenario.reprise("validate", "--from", "github", "ci.yml", "empty.yml")
      .fails(with: 2)
    #expect(empty.errors.contains("\"empty.yml\" cannot be imported"))
    try await scenario.reprise("validate", "--from", "github", "ci.yml", "--format", "json")
      .fails(with: 2)
  }
}
