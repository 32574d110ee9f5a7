// Tests whether a run can be resumed with the current version of its file.

import Reprise
import RepriseHost
import RepriseJournal
import RepriseTerminal
import Testing

struct ResumeTests {
  @Test func `changes of finished steps are shown line by line`() async throws {
    let folder = try HostFolder()
    let loaded = try folder.load(
      "steps:\n  - { id: a, run: echo a }\n  - { id: b, needs: a, run: exit 1 }\n")
    let (id, hosted) = try await folder.begin(loaded)
    let run = try #require(hosted)
    _ = try await run.run.outcome
    _ = await run.finish()
    let record = try folder.journal.run(named: id.description)
    let state = try folder.journal.state(of: record)

    // Steps that have not succeeded may change.
    let unfinished = try folder.load(
      "steps:\n  - { id: a, run: echo a }\n  - { id: b, needs: a, run: exit 0 }\n")
    try unfinished.expectFinishedSteps(of: record, state, RunScope())

    let changed = try folder.load(
      "steps:\n  - { id: a, run: echo c }\n  - { id: b, needs: a, run: exit 1 }\n")
    let problem = #expect(throws: Problem.self) {
      try changed.expectFinishedSteps(of: record, state, RunScope())
    }
    let lines = problem?.text.string.split(separator: "\n").map(String.init) ?? []
    #expect(lines.dropFirst().prefix(3) == ["  a", "    - run: echo a", "    + run: echo c"])
  }
}
