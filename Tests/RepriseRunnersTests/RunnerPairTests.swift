import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseRunners

/// Steps of different runners side by side, one of which runs for longer than every timer.
struct RunnerPairTests {
  @Test(arguments: RunnerCase.withLocal)
  func `a step of eight seconds goes on while steps of every other runner end`(
    _ runner: RunnerCase
  ) async throws {
    let folder = try TemporaryFolder()
    let others = RunnerCase.withLocal
    let runners = others.enumerated().filter { $1.kind != "local" }.map { number, other in
      "  r\(number): { \(other.kind): \(other.settings) }\n"
    }
    func name(_ number: Int) -> String {
      others[number].kind == "local" ? "local" : "r\(number)"
    }
    let own = try #require(others.firstIndex { $0.testDescription == runner.testDescription })
    var text = "runners:\n\(runners.joined())steps:\n"
    text += "  - { id: long, runner: \(name(own)), run: \"sleep 8; echo ended >> here\" }\n"
    for number in others.indices {
      let needs = number == 0 ? "" : "other\(number - 1)"
      text +=
        "  - { id: other\(number), needs: [\(needs)], runner: \(name(number)), run: sleep 0.2 }\n"
    }
    let workflow = try Workflow(text: text, file: "w.yaml", actions: RunnerCase.catalog)
    let run = RunnerCase.engine(in: folder).start(workflow)
    #expect(try await run.outcome == .succeeded)
    #expect(folder.lines("here") == ["ended"])
    #expect(run.state.steps.allSatisfy { $0.attempt == 1 })
  }
}
