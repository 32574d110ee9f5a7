import TestSupport
import Testing

@testable import Reprise

struct RunStateTests {
  private let run = RunID()

  private func event(_ kind: Event.Kind, generation: Int = 1, at microseconds: Int64 = 0) -> Event {
    Event(
      time: Timestamp(microseconds: microseconds), run: run, generation: generation, kind: kind)
  }

  private func state(after kinds: [Event.Kind]) throws -> RunState {
    var state = RunState()
    let plan = RunPlan(workflow: "w", steps: [PlannedStep(id: "a"), PlannedStep(id: "b")])
    try state.apply(event(.runStarted(plan)))
    for kind in kinds { try state.apply(event(kind)) }
    return state
  }

  @Test func `a step goes through pending, waiting, running and succeeded`() throws {
    var state = try state(after: [])
    #expect(state["a"]?.phase == .pending)
    try state.apply(event(.step("a", attempt: 0, .waiting), at: 1))
    #expect(state["a"]?.phase == .waiting)
    try state.apply(event(.step("a", attempt: 1, .started()), at: 2))
    #expect(state["a"]?.phase == .running)
    try state.apply(event(.step("a", attempt: 1, .succeeded(["v": "1"])), at: 3))
    let step = try #require(state["a"])
    #expect(step.phase == .succeeded(["v": "1"]))
    #expect(
      [step.waitingSince, step.startedAt, step.endedAt].map { $0?.microseconds } == [1, 2, 3])
    #expect(step.attempt == 1)
    #expect(state.counts.succeeded == 1 && state.counts.pending == 1)
  }

  @Test func `the words of a step say more than its phase`() throws {
    let waits: [(Event.StepEvent, Int, String)] = [
      (.waiting, 0, "waiting"), (.awaitingApproval("Deploy?"), 0, "awaiting approval"),
      (.waitingForPool("db", text: "waits"), 1, "queued"),
      (.retrying(.exited(status: 1), after: .seconds(1)), 1, "retrying"),
      (.succeeded([:]), 1, "succeeded"),
    ]
    for (change, attempt, words) in waits {
      var kinds: [Event.Kind] = [.step("a", attempt: 0, .waiting)]
      if case .retrying = change { kinds.append(.step("a", attempt: 1, .started())) }
      if case .succeeded = change { kinds.append(.step("a", attempt: 1, .started())) }
      if change != .waiting { kinds.append(.step("a", attempt: attempt, change)) }
      #expect(try state(after: kinds)["a"]?.words == words)
    }
  }

  @Test func `the steps that a restart stops are known, also if it is extended`() throws {
    var state = try state(after: [])
    #expect(!state.isStopping("a"))
    try state.apply(event(.runRestarting(from: ["b"])))
    #expect(state.isStopping("b") && !state.isStopping("a"))
    try state.apply(event(.runRestarting(from: ["a"])))
    #expect(state.isStopping("a") && state.isStopping("b"))
    try state.apply(event(.generationStarted(reset: ["a", "b"]), generation: 2))
    #expect(!state.isStopping("a"))
    try state.apply(event(.runRestarting(from: nil), generation: 2))
    #expect(state.isStopping("a") && state.isStopping("b"))
  }

  @Test(arguments: [
    [Event.Kind.step("a", attempt: 1, .started())],
    [.step("a", attempt: 1, .succeeded([:]))],
    [.step("a", attempt: 0, .waiting), .step("a", attempt: 0, .waiting)],
    [.step("a", attempt: 0, .output(.standardOutput, text: "x", isPartial: false))],
    [.step("c", attempt: 0, .waiting)],
    [.generationStarted(reset: nil)],
    [.runEnded(.succeeded)],
    [.step("a", attempt: 0, .cancelled(.request)), .step("a", attempt: 0, .skipped("x", [:]))],
    [.runCancelling(.request), .runRestarting(from: nil)],
  ])
  func `an event that is invalid in this state is refused and changes nothing`(
    _ kinds: [Event.Kind]
  ) throws {
    let last = try #require(kinds.last)
    var state = try state(after: kinds.dropLast())
    let before = state
    #expect(throws: InvalidTransition.self) { try state.apply(event(last)) }
    #expect(state == before)
  }

  @Test func `an event of an old generation is refused`() throws {
    var state = try state(after: [.step("a", attempt: 0, .waiting), .runRestarting(from: nil)])
    #expect(throws: InvalidTransition.self, "a step is still in progress") {
      try state.apply(event(.generationStarted(reset: nil), generation: 2))
    }
    try state.apply(event(.step("a", attempt: 0, .cancelled(.restart))))
    try state.apply(event(.generationStarted(reset: nil), generation: 2))
    #expect(state["a"]?.phase == .pending)
    #expect(throws: InvalidTransition.self) {
      try state.apply(event(.step("a", attempt: 0, .waiting), generation: 1))
    }
  }

  @Test func `the first failure is remembered until its step is reset`() throws {
    var state = try state(after: [
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
      .step("b", attempt: 0, .waiting), .step("b", attempt: 1, .started()),
    ])
    try state.apply(event(.step("b", attempt: 1, .failed(.exited(status: 1))), at: 5))
    try state.apply(event(.step("a", attempt: 1, .failed(.exited(status: 2))), at: 6))
    #expect(state.firstFailure == 1)
    try state.apply(event(.runRestarting(from: ["b"]), at: 7))
    try state.apply(event(.generationStarted(reset: ["b"]), generation: 2, at: 8))
    #expect(state.firstFailure == 0)
  }

  @Test func `counts agree with the steps after every event`() throws {
    var generator = SeededGenerator.announced()
    var story = EventStory(steps: (0..<12).map { "s\($0)" })
    for _ in 0..<3000 {
      story.goOn(using: &generator)
      var counts = StepCounts()
      for step in story.state.steps { counts.add(step.phase, 1) }
      #expect(story.state.counts == counts)
    }
  }

  @Test func `the last twenty lines of a step and its current line are kept`() throws {
    var state = try state(after: [
      .step("a", attempt: 0, .waiting), .step("a", attempt: 1, .started()),
    ])
    let text = (1...50).map(String.init).joined(separator: "\n")
    func output(_ text: String, isPartial: Bool = false) -> Event {
      event(.step("a", attempt: 1, .output(.standardOutput, text: text, isPartial: isPartial)))
    }
    try state.apply(output(text))
    try state.apply(output("51"))
    try state.apply(output("52%", isPartial: true))
    let tail = try #require(state["a"]).output
    #expect(tail.lines.map(\.text) == (32...51).map(String.init))
    #expect(tail.current?.text == "52%")
    try state.apply(output("done"))
    #expect(state["a"]?.output.current?.text == "done")
  }

  @Test func `the recap of a state folds to that state`() throws {
    var generator = SeededGenerator.announced()
    for _ in 0..<60 {
      var story = EventStory(steps: (0..<6).map { "s\($0)" })
      for _ in 0..<Int.random(in: 0...150, using: &generator) { story.goOn(using: &generator) }
      var recovered = RunState()
      let recap = story.state.recap
      for event in recap { try recovered.apply(event) }
      #expect(recovered == story.state)
      #expect(zip(recap, recap.dropFirst()).allSatisfy { $0.time <= $1.time }, "in order of time")
    }
  }

  @Test func `events round-trip through JSON`() throws {
    var generator = SeededGenerator.announced()
    var story = EventStory(steps: (0..<6).map { "s\($0)" })
    for _ in 0..<400 { story.goOn(using: &generator) }
    let decoded = try JSONLine.decoded(story.events)
    #expect(decoded == story.events)
  }
}
