// Tests the settings of groups: what their steps inherit, and what is refused.

import Testing

@testable import WorkflowLanguage

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
    #expect(workflow.steps[1...3].map(\.extras.isTolerated) == [true, true, true])
    #expect(workflow.steps[4].needs == ["lint", "test"])
    #expect(!workflow.steps[4].extras.isTolerated)
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

  @Test func `branches are the items of a limit`() throws {
    let workflow = try workflow(
      """
      steps:
        - id: g
          max-parallel: 1
          fail-fast: true
          parallel: [{ id: a, run: x }, { steps: [{ id: b, run: x }, { id: c, run: x }] }]
      """)
    #expect(workflow.steps.map { $0.extras.items.map(\.item) } == [[0], [1], [1]])
    #expect(workflow.steps[0].extras.items[0].limit == 1)
  }

  @Test(arguments: [
    ("- { parallel: [{ id: a, run: x }], timeout: 3s }", "2:38 R0201"),
    ("- { steps: [{ id: a, run: x }], retry: 3 }", "2:35 R0201"),
    ("- { steps: [{ id: a, run: x }], max-parallel: 3 }", "2:35 R0201"),
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
}
