// Generates valid sequences of run events without an engine.

@testable import Reprise

/// A random, valid history of a run, one event at a time.
struct EventStory {
  private(set) var state = RunState()
  private(set) var events: [Event] = []
  private var time = Timestamp(microseconds: 1_000_000)
  private let run = RunID()

  init(steps: [String]) {
    append(.runStarted(RunPlan(workflow: "story", steps: steps.map { PlannedStep(id: $0) })), 1)
  }

  mutating func append(_ kind: Event.Kind, _ generation: Int? = nil) {
    let event = Event(
      time: time, run: run, generation: generation ?? state.generation, kind: kind)
    do {
      try state.apply(event)
      events.append(event)
    } catch {
      preconditionFailure("BUG in the test: \(error)")
    }
  }

  mutating func append(_ event: Event.StepEvent, of position: Int) {
    append(.step(state.steps[position].id, attempt: state.steps[position].attempt, event))
  }

  /// Applies a random event that is valid now; the time stays the same or advances.
  mutating func goOn(using generator: inout some RandomNumberGenerator) {
    time = time.advanced(by: .microseconds(Int.random(in: 0...2, using: &generator)))
    if Int.random(in: 0..<40, using: &generator) == 0, state.phase == .running {
      append(.runRestarting(from: nil))
    }
    if state.phase == .restarting, state.counts.active == 0 {
      let whole = Bool.random(using: &generator)
      let reset = state.steps.map(\.id).filter { _ in Bool.random(using: &generator) }
      return append(.generationStarted(reset: whole ? nil : reset), state.generation + 1)
    }
    guard let position = state.steps.indices.randomElement(using: &generator) else { return }
    switch state.steps[position].phase {
    case .pending:
      if state.phase == .running { append(.waiting, of: position) }
    case .waiting:
      if state.phase == .running {
        append(.step(state.steps[position].id, attempt: 1, .started()))
      } else {
        append(.cancelled(.restart), of: position)
      }
    case .running:
      append(randomEvent(using: &generator), of: position)
    case .succeeded, .failed, .cancelled, .skipped:
      break
    }
  }

  private func randomEvent(using generator: inout some RandomNumberGenerator) -> Event.StepEvent {
    let lines = (0..<Int.random(in: 1...30, using: &generator)).map { "line \($0)" }
    return switch Int.random(in: 0..<9, using: &generator) {
    case 8: .retrying(.exited(status: 75), after: .seconds(2))
    case 0: .succeeded(["version": "1"])
    case 1: .failed(.exited(status: 2))
    case 2: .cancelled(.failure(ofStep: "s0"))
    case 3: .skipped("not wanted", [:])
    case 4: .output(.standardError, text: "half a li", isPartial: true)
    case 5: .output(.standardError, text: lines.joined(separator: "\n"), isPartial: false)
    default: .output(.standardOutput, text: lines.joined(separator: "\n"), isPartial: false)
    }
  }
}
