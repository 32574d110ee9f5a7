// Tests the settings of groups: what their steps inherit, and what is refused.

import Testing

@testable import WorkflowFiles

struct GroupReadingTests {
  private func workflow(_ text: String) throws -> Workflow {
    try Workflow(text: text, file: "w.yaml")
  }

  private func errors(_ text: String) -> [String] {
    do {
      _ = try workflow(text)
      return []
    } catch let error as WorkflowError {
      return error.diagnostics.map { "\($0.line):\($0.column) \($0.code)" }
    } catch {
      return ["\(error)"]
    }
  }

  @Test func `steps inherit the settings of their group`() throws {
    let workflow = try workflow(
      """
      steps:
        - { id: first, run: x }
        - id: checks
          name: All checks
          if: steps.first.outputs.go == 'yes'
          env: { A: outer, B: outer }
          dir: sub
          shell: bash
          continue-on-error: true
          parallel:
            - { id: lint, env: { B: inner }, dir: deep, run: x }
            - steps: [{ id: build, shell: zsh, run: x }, { id: test, run: x }]
        - { id: publish, needs: checks, run: x }
      """)
    #expect(workflow.steps.map(\.id) == ["first", "lint", "build", "test", "publish"])
    let lint = workflow.steps[1]
    #expect(lint.needs == ["first"])
    #expect(workflow.declaredEnvironment(of: lint) == ["A": "outer", "B": "inner"])
    #expect(workflow.declaredDirectories(of: lint) == ["sub", "deep"])
    #expect(lint.shell == .named("bash"))
    #expect(workflow.steps[2].shell == .named("zsh"))
    #expect(workflow.steps[1...3].map(\.extras.conditions.count) == [1, 1, 1])
    #expect(workflow.steps[1...3].allSatisfy(workflow.isTolerated))
    #expect(workflow.steps[4].needs == ["lint", "test"])
    #expect(!workflow.isTolerated(workflow.steps[4]))
    #expect(workflow.groupNames == ["checks": "All checks"])
    #expect(workflow.indices(named: "checks").map(\.position) == [1, 2, 3])
    #expect(
      workflow.outline
        == .sequence([
          .step(StepIndex(0)),
          .group(
            "checks",
            .parallel([
              .step(StepIndex(1)), .sequence([.step(StepIndex(2)), .step(StepIndex(3))]),
            ])), .step(StepIndex(4)),
        ]))
  }

  @Test func `a group has needs of its own, and its result is that of its last steps`() throws {
    let workflow = try workflow(
      """
      steps:
        - { id: a, run: x }
        - { id: b, run: x }
        - { needs: a, name: Both, steps: [{ id: c, run: x }, { id: d, run: x }] }
        - { id: e, needs: both, if: steps.both.result == 'success', run: x }
      """)
    #expect(workflow.steps.map(\.needs) == [[], ["a"], ["a"], ["c"], ["d"]])
  }

  /// Returns the names of the groups around a step, innermost first.
  private func names(of step: Workflow.Step, in workflow: Workflow) -> [String] {
    workflow.groups(around: step).map { workflow.groups[$0].name }
  }

  @Test func `branches are the items of a limit`() throws {
    let workflow = try workflow(
      """
      steps:
        - id: g
          max-parallel: 1
          fail-fast: true
          parallel: [{ id: a, run: x }, { steps: [{ id: b, run: x }, { id: c, run: x }] }]
      """)
    let branches = workflow.steps.map(\.group)
    #expect(branches[0] != branches[1])
    #expect(workflow.groups(around: workflow.steps[2]).contains(branches[1]))
    for step in workflow.steps {
      let group = try #require(workflow.groups(around: step).last)
      #expect(workflow.groups[group].name == "g")
      #expect(workflow.groups[group].maxParallel == 1 && workflow.groups[group].failFastCount == 1)
    }
  }

  @Test(arguments: [
    ("- { parallel: [{ id: a, run: x }], timeout: soon }", "2:47 R0208"),
    ("- { steps: [{ id: a, run: x }], retry: { delay: 3s } }", "2:42 R0213"),
    ("- { steps: [{ id: a, run: x }], max-parallel: 3 }", "2:35 R0217"),
    ("- { steps: [{ id: a, run: x }], outputs: { x: y } }", "2:35 R0213"),
    ("- { mutex: m, steps: [{ id: a, mutex: n, run: x }] }", "2:34 R0217"),
    ("- { mutex: m, steps: [{ mutex: n, steps: [{ id: a, run: x }] }] }", "2:27 R0217"),
    ("- { id: g, foreach: [1], matrix: { a: [1] }, steps: [{ id: a, run: x }] }", "2:28 R0216"),
    ("- { id: g, foreach: [1], steps: [{ id: a, run: x }, { id: a, run: x }] }", "2:61 R0303"),
    ("- { id: g, foreach: [1], steps: [{ id: a, needs: g, run: x }] }", "2:52 R0403"),
    ("- { id: g, foreach: [1, 2], item-id: k, steps: [{ id: a, run: x }] }", "2:40 R0306"),
    ("- { steps: [{ id: a, run: x }], if: failure() }", "2:39 R0217"),
    ("- { id: a, steps: [{ id: a, run: x }] }", "2:28 R0303"),
    ("- { env: { A: '${{ steps.a.outputs.x }}' }, steps: [{ id: a, run: x }] }", "2:22 R0517"),
    ("- { id: g, needs: g, steps: [{ id: a, run: x }] }", "2:21 R0403"),
    ("- { id: a, run: x, steps: [{ id: b, run: x }] }", "2:22 R0201"),
  ])
  func `a wrong setting is reported`(item: String, error: String) {
    #expect(errors("steps:\n  \(item)\n") == [error])
  }

  @Test func `branches that wait for one another are reported`() {
    let text = """
      steps:
        - max-parallel: 1
          parallel:
            - steps: [{ id: a, run: x }, { id: b, needs: [a, d], run: x }]
            - steps: [{ id: c, run: x }, { id: d, needs: [c, a], run: x }]
      """
    #expect(errors(text) == ["2:5 R0408"])
    #expect(errors(text.replacing("max-parallel: 1", with: "fail-fast: true")) == [])
    #expect(errors(text.replacing("[c, a]", with: "c")) == [])
  }

  @Test func `a group with a matrix has its steps once for each combination`() throws {
    let workflow = try workflow(
      """
      steps:
        - { id: first, run: x }
        - id: test
          name: Tests
          matrix: { os: [linux, mac] }
          item-id: "${{ matrix.os }}"
          max-parallel: 1
          outputs: { report: "${{ steps.check.outputs.report }}" }
          steps:
            - { id: build, env: { OS: "${{ matrix.os }}", A: "${{ steps.first.outputs.a }}" }, run: x }
            - { id: check, env: { B: "${{ steps.build.outputs.b }}" }, run: x }
        - { id: last, exec: [x, "${{ join(steps.test.outputs.report, ' ') }}"] }
      """)
    #expect(
      workflow.steps.map(\.id) == [
        "first", "test[linux]/build", "test[linux]/check", "test[mac]/build", "test[mac]/check",
        "last",
      ])
    #expect(
      workflow.steps.map(\.needs) == [
        [], ["first"], ["test[linux]/build"], ["first"], ["test[mac]/build"],
        ["test[linux]/check", "test[mac]/check"],
      ])
    #expect(names(of: workflow.steps[1], in: workflow) == ["test[linux]", "test"])
    #expect(names(of: workflow.steps[3], in: workflow) == ["test[mac]", "test"])
    #expect(
      workflow.groups.limits(of: workflow.steps[1].group) == [Limit(name: "gtest", count: 1)])
    #expect(workflow.indices(named: "test").map(\.position) == [1, 2, 3, 4])
    #expect(workflow.indices(named: "test[mac]").map(\.position) == [3, 4])
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil },
      step: { id in
        workflow.graph.index(of: id).map { _ in
          StepValues(result: "success", outputs: ["a": id, "b": id, "report": id])
        }
      }, status: .success, hashFiles: { _ in "" })
    #expect(
      try workflow.resolved(workflow.steps[3], values).environment == ["OS": "mac", "A": "first"])
    #expect(
      try workflow.resolved(workflow.steps[4], values).environment == ["B": "test[mac]/build"])
    #expect(
      try workflow.resolved(workflow.steps[5], values).action
        == .exec(["x", "test[linux]/check test[mac]/check"]))
  }

  @Test func `groups for each item can be nested, and contain every kind of step`() throws {
    let workflow = try workflow(
      """
      params: { names: { type: list, default: [u, v] } }
      steps:
        - id: outer
          foreach: [a, b]
          parallel:
            - id: inner
              matrix: { x: [1, 2] }
              steps:
                - { id: s, env: { I: "${{ item }}${{ matrix.x }}" }, run: x }
                - { run: y }
            - { id: each, foreach: "${{ params.names }}", run: x, env: { I: "${{ item }}" } }
        - { id: end, needs: outer, run: x }
      """)
    #expect(workflow.steps.count == 13)
    #expect(workflow.steps[2].id == "outer[0]/inner[1]/s")
    #expect(workflow.steps[3].id == "outer[0]/inner[1]/step-2")
    #expect(workflow.steps[5].id == "outer[0]/each[1]")
    #expect(workflow.steps[12].needs.count == 8)
    let values = RunValues(
      run: "r", generation: 1, environment: [:], secrets: { _, _ in nil }, step: { _ in nil },
      status: .success, hashFiles: { _ in "" })
    #expect(try workflow.resolved(workflow.steps[2], values).environment == ["I": "a2"])
    #expect(try workflow.resolved(workflow.steps[5], values).environment == ["I": "v"])
  }

  @Test func `a group without items passes on its needs`() throws {
    let workflow = try workflow(
      """
      steps:
        - { id: a, run: x }
        - { id: g, foreach: [], steps: [{ id: b, run: x }] }
        - { id: c, needs: g, run: x }
      """)
    #expect(workflow.steps.map(\.needs) == [[], ["a"]])
  }

  @Test func `rules of groups hold for their steps, outermost first`() throws {
    let workflow = try workflow(
      """
      steps:
        - id: g
          timeout: 10s
          mutex: m
          steps:
            - { retry: 2, steps: [{ id: a, run: x }] }
            - { id: b, run: x }
        - { id: c, mutex: m, run: x }
      """)
    let groups = workflow.groups(around: workflow.steps[0]).map { workflow.groups[$0] }
    #expect(groups.map(\.timeout) == [nil, .seconds(10)])
    #expect(groups.map(\.retry?.limit) == [2, nil])
    #expect(names(of: workflow.steps[1], in: workflow) == ["g"])
    #expect(workflow.groups.limits(of: workflow.steps[1].group) == [.mutex("m")])
    #expect(names(of: workflow.steps[2], in: workflow) == [])
  }

  @Test func `groups declared in Swift have the settings of groups in files`() throws {
    let workflow = try Workflow("w") {
      InOrder("test", .foreach(["a", "b"]), .timeout(.seconds(3))) {
        Step("build", exec: ["x", "${{ item }}"])
        Step("check", run: "x")
      }
      Parallel("rest", .environment(["A": "b"]), .retry(2)) { Step("last", run: "x") }
    }
    #expect(
      workflow.steps.map(\.id) == [
        "test[0]/build", "test[0]/check", "test[1]/build", "test[1]/check", "last",
      ])
    #expect(workflow.groups[workflow.steps[0].group].timeout == .seconds(3))
    #expect(workflow.declaredEnvironment(of: workflow.steps[4]) == ["A": "b"])
    #expect(workflow.groups[workflow.steps[4].group].retry?.limit == 2)
  }
}
