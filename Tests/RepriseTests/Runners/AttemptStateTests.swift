import TestSupport
import Testing

@testable import Reprise

/// The decisions about an attempt that runs elsewhere, for any order of answers.
struct AttemptStateTests {
  private func state(_ inputs: AttemptState.Input..., adopting: Bool = false) -> AttemptState {
    var state = AttemptState(isAdopted: adopting)
    for input in inputs { _ = state.handle(input) }
    return state
  }

  @Test func `an attempt is begun, followed, and over when nothing of it is left`() {
    var state = AttemptState()
    #expect(state.next == .ask(.begin, isAgain: false))
    #expect(state.handle(.begun) == [])
    #expect(state.next == .ask(.follow, isAgain: false))
    #expect(state.handle(.news(.queued("Priority"))) == [.queued("Priority")])
    #expect(state.handle(.news(.started(host: "n1"))) == [.started(host: "n1")])
    #expect(state.handle(.news(.ended(.succeeded(["a": "1"])))) == [])
    #expect(state.next == .ask(.isGone, isAgain: false))
    #expect(state.handle(.gone(false)) == [])
    #expect(state.next == .ask(.isGone, isAgain: true))
    _ = state.handle(.gone(true))
    #expect(state.next == .over(.succeeded(["a": "1"])))
  }

  @Test func `a submission without an answer is asked for before it is made again`() {
    var state = self.state(.cannotAsk("sbatch timed out"))
    #expect(state.next == .ask(.find, isAgain: true))
    _ = state.handle(.absent)
    #expect(state.next == .ask(.begin, isAgain: false))
  }

  @Test func `a refused attempt has never started`() {
    #expect(
      state(.refused("no such partition")).next
        == .over(.failed(.notStarted("no such partition"))))
  }

  @Test func `what cannot be asked is out of sight, and not lost`() {
    var state = self.state(.begun, .news(.started(host: "n1")))
    #expect(state.handle(.cannotAsk("no route")) == [.outOfSight("no route")])
    for _ in 0..<1000 {
      #expect(state.handle(.cannotAsk("no route")) == [])
      #expect(state.handle(.sight(.unknown("no route"))) == [])
    }
    #expect(state.next == .ask(.look, isAgain: true))
    _ = state.handle(.sight(.running(host: "n1")))
    #expect(state.next == .ask(.follow, isAgain: false))
  }

  @Test func `an attempt is lost only when it is gone and has no result`() {
    var state = self.state(.begun, .news(.started(host: "n1")), .newsEnded)
    #expect(state.next == .ask(.look, isAgain: false))
    let seen = state
    _ = state.handle(.sight(.gone))
    guard case .over(.failed(.lost)) = state.next else {
      Issue.record("\(state.next)")
      return
    }
    // A result that is found later counts.
    state = seen
    _ = state.handle(.sight(.ended))
    #expect(state.next == .ask(.follow, isAgain: false))
  }

  @Test func `an attempt that stays out of sight for too long is given up`() {
    var state = self.state(.begun, .cannotAsk("no route"))
    _ = state.handle(.outOfSightTooLong)
    #expect(state.next == .ask(.abandon, isAgain: false))
    _ = state.handle(.cannotAsk("disk full"))
    #expect(state.next == .ask(.abandon, isAgain: true))
    _ = state.handle(.abandoned)
    #expect(state.next == .over(.failed(.lost("no route"))))
  }

  @Test func `a stop before anything was asked ends the attempt at once`() {
    #expect(state(.stop).next == .over(.stopped))
  }

  @Test func `a stop while a submission is unanswered waits for certainty`() {
    var state = self.state(.cannotAsk("timed out"), .stop)
    #expect(state.next == .ask(.find, isAgain: false))
    var found = state
    _ = state.handle(.absent)
    #expect(state.next == .over(.stopped))
    _ = found.handle(.begun)
    #expect(found.next == .ask(.follow, isAgain: false))
    _ = found.handle(.news(.ended(.succeeded([:]))))
    _ = found.handle(.gone(true))
    #expect(found.next == .over(.stopped))
  }

  @Test func `an adopted attempt is looked for, and begun only if there is none`() {
    #expect(state(adopting: true).next == .ask(.find, isAgain: false))
    #expect(state(.begun, adopting: true).next == .ask(.follow, isAgain: false))
    #expect(state(.absent, adopting: true).next == .ask(.begin, isAgain: false))
    #expect(state(.cannotAsk("x"), adopting: true).next == .ask(.find, isAgain: true))
  }

  private static let inputs: [AttemptState.Input] = [
    .begun, .absent, .refused("r"), .cannotAsk("c"), .news(.queued("q")),
    .news(.started(host: "h")), .news(.output(.standardOutput, text: "o", isPartial: false)),
    .news(.ended(.succeeded([:]))), .news(.ended(.failed(.exited(status: 1)))),
    .news(.ended(.stopped)), .news(.outOfSight("o")), .newsEnded, .sight(.queued("s")),
    .sight(.running(host: "h")), .sight(.ended), .sight(.gone), .sight(.unknown("u")), .lost("why"),
    .gone(true), .gone(false), .abandoned, .outOfSightTooLong, .stop,
  ]

  /// Late, repeated and senseless answers, as of a runner that lies.
  @Test(arguments: 0..<20)
  func `whatever is answered, a start is reported once and the end stays the end`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var state = AttemptState(isAdopted: Bool.random(using: &random))
      var startCount = 0
      var isStopping = false
      var wasGone = false
      var history: [AttemptState.Input] = []
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        guard let input = Self.inputs.randomElement(using: &random) else { continue }
        history.append(input)
        if case .over = state.next {
          let before = state
          #expect(state.handle(input) == [] && state == before, "seed \(seed): \(history)")
          continue
        }
        if input == .stop { isStopping = true }
        if [.gone(true), .sight(.gone), .lost("why")].contains(input) { wasGone = true }
        for news in state.handle(input) {
          if case .started = news { startCount += 1 }
          if case .ended = news { Issue.record("seed \(seed): \(history)") }
        }
        switch state.next {
        case .over(.succeeded):
          #expect(!isStopping && wasGone, "seed \(seed): \(history)")
        case .over(.failed(.lost)):
          #expect(
            wasGone || history.contains(.abandoned),
            "lost without a proof; seed \(seed): \(history)")
        default: break
        }
      }
      #expect(startCount <= 1, "seed \(seed): \(history)")
    }
  }
}
