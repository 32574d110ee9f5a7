import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseJournal

/// The record of a watched workflow.
struct WatchTests {
  private func event(_ line: String, count: Int = 1) -> WatchEvent {
    WatchEvent(
      Trigger(.stdin(line: line), time: "2026", count: count), parameters: ["n": line])
  }

  /// Expects that each accepted event was folded, dropped or handled, or is waiting.
  private func expectConserved(_ journal: Journal, _ name: String = "w") throws {
    let record = try #require(try journal.watches().first { $0.workflow == name })
    let counts = record.counts
    #expect(
      counts.accepted
        == counts.folded + counts.dropped + counts.runs + counts.restarts + record.waiting)
  }

  @Test func `an accepted event waits until it is handled or dropped`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    var watch = try #require(try journal.watch("w", file: "/w.yaml"))
    let events = try watch.accept([event("a"), event("b", count: 3), event("c")])
    #expect(events.map(\.numbers.count) == [1, 1, 1])
    let run = try watch.begin(folder.request(), handling: events[0])
    try watch.drop(events[2])
    try expectConserved(journal)
    #expect(try journal.run(named: run.id.description).status == .queued)
    try run.end(as: .succeeded)

    let other = try Journal(folder.state)
    #expect(try other.watch("w", file: "/w.yaml") == nil, "only one process may watch")
    #expect(try other.watches().map(\.isLive) == [true])
    watch = try #require(try journal.watch("v", file: "/v.yaml"))
    #expect(try watch.waiting() == [])
  }

  @Test func `the next watch finds the waiting events unchanged`() throws {
    let folder = try Folder()
    do {
      let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
      _ = try watch.accept([event("a"), event("b")])
    }
    let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
    let waiting = try watch.waiting()
    #expect(waiting.map(\.trigger.line) == ["a", "b"])
    #expect(waiting.map(\.parameters) == [["n": "a"], ["n": "b"]])
    #expect(try watch.counts().accepted == 2)
  }

  @Test func `a secret in an event is not stored, and the waiting event is marked`() async throws {
    let folder = try Folder()
    let workflow = try Workflow(
      text: "secrets: { s: { env: S } }\nsteps: [{ id: a, run: x }]", file: "w.yaml")
    let secrets = try await Secrets.gather(for: workflow, environment: ["S": "12345678"])
    do {
      let watch = try #require(
        try Journal(folder.state).watch("w", file: "/w.yaml", hiding: secrets))
      var numeric = event("n")
      numeric.trigger.cause = .stdin(line: "n", data: .map(["pin": .number(12_345_678)]))
      let accepted = try watch.accept([event("a 12345678"), event("b"), numeric])
      #expect(accepted.map(\.lacksSecrets) == [false, false, false])
      #expect(accepted[0].trigger.line == "a 12345678")
    }
    let waiting = try #require(try Journal(folder.state).watch("w", file: "/w.yaml")).waiting()
    #expect(waiting.map(\.trigger.line) == ["a ***", "b", "n"])
    #expect(waiting[0].parameters == ["n": "a ***"])
    #expect(waiting[2].trigger.cause == .stdin(line: "n", data: .map(["pin": .text("***")])))
    #expect(waiting.map(\.lacksSecrets) == [true, false, true])
    var folded = waiting[1]
    folded.fold(waiting[2])
    #expect(folded.lacksSecrets)
  }

  @Test func `folded events are handled together`() throws {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    let watch = try #require(try journal.watch("w", file: "/w.yaml"))
    var events = try watch.accept([event("a"), event("b"), event("c")])
    let run = try watch.begin(folder.request(), handling: events[0])
    events[1].fold(events[2])
    try watch.restart(run.id, as: folder.request(), handling: events[1])
    #expect(try watch.waiting() == [])
    let counts = try watch.counts()
    #expect(counts.runs == 1 && counts.restarts == 1 && counts.folded == 1)
    try expectConserved(journal)
  }

  @Test func `the changes of a transaction are made all or not at all`() throws {
    let folder = try Folder()
    let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
    #expect(throws: JournalError.self) {
      try watch.together { transaction throws(JournalError) in
        _ = try transaction.accept([event("a")])
        throw JournalError("on purpose")
      }
    }
    #expect(try watch.waiting() == [])
    #expect(try watch.counts() == WatchCounts())
  }

  @Test func `a success of another workflow is an event once, in the order of the ends`()
    async throws
  {
    let folder = try Folder()
    let journal = try Journal(folder.state)
    try await folder.run("build", in: journal)
    let watch = try #require(try journal.watch("w", file: "/w.yaml"))
    func successes() throws -> [String] {
      try watch.together { transaction throws(JournalError) in
        try transaction.acceptSuccesses(of: ["build", "test"]) { workflow, run in
          WatchEvent(Trigger(.after(workflow: workflow, run: run), time: ""))
        }
      }.map(\.trigger.run)
    }
    #expect(try successes() == [], "runs before the first watch do not count")
    let first = try await folder.run("test", in: journal)
    try await folder.run("build", failing: 1, in: journal)
    try await folder.run("other", in: journal)
    let second = try await folder.run("build", in: journal)
    #expect(try successes() == [first.description, second.description])
    #expect(try successes() == [])
    // The number of a deleted run is not that of the next one.
    #expect(try journal.remove(try journal.run(named: second.description)))
    let third = try await folder.run("test", in: journal)
    #expect(try successes() == [third.description])
  }

  @Test func `a scheduled time is handled once`() throws {
    let folder = try Folder()
    let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
    #expect(try watch.lastMoment(of: "every 1s") == nil)
    func accept(_ event: WatchEvent?, until moment: Int64) throws -> WatchEvent? {
      try watch.together { transaction throws(JournalError) in
        try transaction.accept(event, of: "every 1s", handledUntil: moment)
      }
    }
    #expect(try accept(event("x"), until: 100) != nil)
    #expect(try accept(nil, until: 200) == nil)
    #expect(try watch.lastMoment(of: "every 1s") == 200)
    #expect(try watch.lastMoment(of: "every 2s") == nil)
    #expect(try watch.waiting().count == 1)
  }

  @Test func `the event of an interrupted run can be accepted again, once`() throws {
    let folder = try Folder()
    var request = folder.request()
    let trigger = Trigger(.stdin(line: "a"), time: "")
    request.options = [WatchCounts.optionOfRuns: "w", "trigger": trigger.json, "param:n": "1"]
    do {
      let journal = try Journal(folder.state)
      let watch = try #require(try journal.watch("w", file: "/w.yaml"))
      let events = try watch.accept([event("a")])
      _ = try watch.begin(request, handling: events[0])
    }
    let journal = try Journal(folder.state)
    try journal.recover { _ in }
    let watch = try #require(try journal.watch("w", file: "/w.yaml"))
    let interrupted = try journal.interruptedRuns(ofWatch: "w")
    #expect(interrupted.count == 1)
    try watch.requeueEvents(interrupted)
    #expect(try watch.waiting().map(\.trigger) == [trigger])
    #expect(try watch.waiting().map(\.parameters) == [["n": "1"]])
    #expect(try journal.interruptedRuns(ofWatch: "w").isEmpty)
    try expectConserved(journal)
  }

  @Test func `a damaged event does not block the others`() throws {
    let folder = try Folder()
    do {
      let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
      _ = try watch.accept([event("a"), event("b")])
    }
    try folder.tamper("UPDATE watch_event SET json = '{nonsense' WHERE number = 1")
    let watch = try #require(try Journal(folder.state).watch("w", file: "/w.yaml"))
    #expect(try watch.waiting().map(\.trigger.line) == ["b"])
  }
}

extension Trigger {
  /// The line of standard input; empty for another cause.
  fileprivate var line: String {
    if case .stdin(let line, _) = cause { line } else { "" }
  }

  /// The run that succeeded; empty for another cause.
  fileprivate var run: String {
    if case .after(_, let run) = cause { run } else { "" }
  }
}
