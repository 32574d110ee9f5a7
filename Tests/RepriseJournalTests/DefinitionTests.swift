import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

struct DefinitionTests {
  @Test func `each generation of a run keeps the text by which it ran`() async throws {
    let folder = try Folder()
    let id = try await folder.run(failing: 3, in: Journal(folder.state))
    let journal = try Journal(folder.state)
    let first = folder.request()
    var second = first
    second.definition = WorkflowDefinition(source: "second", uses: ["other.yaml": "text"])
    var run: RecordedRun? = try journal.reopen(id) { _, _ in second }.0
    #expect(try journal.run(named: id.description).request.definition == second.definition)
    let events: [Event.Kind] = [
      .runResumed(RunPlan(workflow: "w", steps: [])), .generationStarted(reset: nil),
    ]
    let now = SystemClock().now
    try run?.record([Event(time: now, run: id, generation: 1, kind: events[0])])
    let third = WorkflowDefinition(source: "third")
    run?.setDefinitionOfNextGeneration(third)
    try run?.record([Event(time: now, run: id, generation: 2, kind: events[1])])
    run = nil
    let record = try journal.run(named: id.description)
    #expect(record.request.definition == third)
    #expect(try journal.definition(ofGeneration: 1, of: record) == first.definition)
    #expect(try journal.definition(ofGeneration: 2, of: record) == third)
    #expect(try journal.definition(ofGeneration: 9, of: record) == third)
  }
}
