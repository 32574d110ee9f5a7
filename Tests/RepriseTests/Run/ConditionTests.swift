import TestSupport
import Testing

@testable import Reprise

/// Which steps run, and with which values, when other steps fail or are skipped.
struct ConditionTests {
  /// Runs a workflow whose steps fail if their script is `fail`, and succeed otherwise.
  private func state(
    _ text: String, _ arguments: [String: String] = [:],
    seen: Protected<[String: [String: String]]> = Protected([:])
  ) async throws -> RunState {
    let engine = Engine(
      executor: ClosureExecutor { context in
        seen.withLock { $0[context.step.id] = context.resolved.environment }
        if context.resolved.action == .run("fail") { throw FailureReason.exited(status: 7) }
        return ["from": context.step.id]
      })
    let run = engine.start(try Workflow(text: text, file: "w.yaml", with: Arguments(arguments)))
    _ = try await run.outcome
    return run.state
  }

  private func phases(_ state: RunState) -> [String] {
    state.steps.map { step in
      let name =
        switch step.phase {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .skipped: "skipped"
        case .pending, .waiting, .running: "not over"
        }
      return "\(step.id) \(name)"
    }
  }

  @Test func `a step whose condition is false is skipped, and its dependents run`() async throws {
    let text = """
      params: { go: false }
      steps:
        - { id: a, if: params.go, run: x }
        - { id: b, env: { X: "<${{ steps.a.outputs.from || '' }}>", R: "${{ steps.a.result }}" }, run: x }
      """
    let seen = Protected<[String: [String: String]]>([:])
    #expect(phases(try await state(text, seen: seen)) == ["a skipped", "b succeeded"])
    #expect(seen.value["b"] == ["X": "<>", "R": "skipped"])
    #expect(phases(try await state(text, ["go": "true"])) == ["a succeeded", "b succeeded"])
  }

  @Test func `steps that handle failures run when their needs have failed`() async throws {
    let state = try await state(
      """
      steps:
        - { id: a, run: fail }
        - { id: plain, run: x }
        - { id: on-failure, needs: a, if: failure(), run: x }
        - { id: always, needs: plain, if: "${{ always() }}", run: x }
        - { id: on-success, needs: a, if: success(), run: x }
        - { id: then, needs: on-failure, run: x }
      """)
    #expect(
      phases(state) == [
        "a failed", "plain cancelled", "on-failure succeeded", "always succeeded",
        "on-success skipped", "then succeeded",
      ])
    #expect(state.phase == .ended(.failed(step: "a", reason: .exited(status: 7))))
  }

  @Test func `a tolerated failure stops nothing`() async throws {
    let state = try await state(
      """
      defaults: { continue-on-error: true }
      steps:
        - { id: a, run: fail }
        - { id: b, env: { R: "${{ steps.a.result }}" }, run: x }
        - { id: c, continue-on-error: false, run: x }
      """)
    #expect(phases(state) == ["a failed", "b succeeded", "c succeeded"])
    #expect(state.phase == .ended(.succeeded))
    #expect(state.firstFailure == nil && state.isTolerated("a"))
  }

  @Test func `a value that cannot be computed fails its step with the reason`() async throws {
    let state = try await state(
      """
      steps:
        - { id: a, run: x }
        - { id: b, env: { X: "${{ steps.a.outputs.gone }}" }, run: x }
      """)
    #expect(
      state["b"]?.phase
        == .failed(
          .badValue("env.X: the step \"a\" has no output \"gone\"; it has: from")))
  }

  @Test func `outputs of a foreach are lists in order`() async throws {
    let seen = Protected<[String: [String: String]]>([:])
    _ = try await state(
      """
      steps:
        - { id: m, foreach: [1, 2, 3], run: x }
        - { id: b, env: { X: "${{ join(steps.m.outputs.from, ' ') }} ${{ steps.m.result }}" }, run: x }
      """, seen: seen)
    #expect(seen.value["b"] == ["X": "m[0] m[1] m[2] success"])
  }
}
