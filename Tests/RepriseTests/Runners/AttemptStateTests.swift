import Synchronization
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
    #expect(state.next == .ask(.begin, .none))
    #expect(state.handle(.begun) == [])
    #expect(state.next == .ask(.follow, .none))
    #expect(state.handle(.news(.queued("Priority"))) == [.queued("Priority")])
    #expect(state.handle(.news(.started(host: "n1"))) == [.started(host: "n1")])
    #expect(state.handle(.news(.ended(.succeeded(["a": "1"])))) == [])
    #expect(state.next == .ask(.isGone, .none))
    #expect(state.handle(.gone(false)) == [])
    #expect(state.next == .ask(.isGone, .brief))
    _ = state.handle(.gone(true))
    #expect(state.next == .over(.succeeded(["a": "1"])))
  }

  @Test func `a submission without an answer is asked for before it is made again`() {
    var state = self.state(.cannotAsk("sbatch timed out"))
    #expect(state.next == .ask(.find, .growing))
    _ = state.handle(.absent)
    #expect(state.next == .ask(.begin, .none))
  }

  @Test func `an attempt that was never begun is begun again, and one reason is reported once`() {
    var state = AttemptState()
    #expect(state.handle(.neverBegun("no route")) == [.queued("no route")])
    for _ in 0..<100 {
      #expect(state.next == .ask(.begin, .growing))
      #expect(state.handle(.neverBegun("no route")) == [])
    }
    #expect(state.isUnreachable)
    _ = state.handle(.stop)
    #expect(state.next == .over(.stopped))
  }

  @Test func `a full queue is waited for, and is not out of reach`() {
    var state = AttemptState()
    #expect(state.handle(.full("MaxSubmit")) == [.queued("MaxSubmit")])
    #expect(state.next == .ask(.begin, .growing) && !state.isUnreachable)
    #expect(state.handle(.full("MaxSubmit")) == [])
  }

  @Test func `an attempt that is never reached fails after the time that it may wait`() {
    var state = self.state(
      .neverBegun("no route"), .unreachableTooLong(.seconds(2), isFinal: false))
    #expect(state.next == .over(.failed(.notStarted("gave up after 2.0 s: no route"))))
    // One that may have begun is revoked first.
    state = self.state(.cannotAsk("timed out"), .unreachableTooLong(.seconds(2), isFinal: false))
    #expect(state.next == .ask(.revoke, .none))
    var revoked = state
    _ = revoked.handle(.absent)
    #expect(revoked.next == .over(.failed(.notStarted("timed out"))))
    _ = state.handle(.begun)
    #expect(state.next == .ask(.follow, .none))
  }

  @Test func `a stop does not make a question more frequent`() {
    for input in [AttemptState.Input.cannotAsk("down"), .sight(.unknown("down"))] {
      var state = self.state(.begun, .news(.started(host: "n1")), .newsEnded, input)
      #expect(state.next == .ask(.look, .growing))
      _ = state.handle(.stop)
      #expect(state.next == .ask(.look, .growing))
      #expect(state.handle(input) == [])
      _ = state.handle(.stop)
      #expect(state.next == .ask(.look, .growing))
    }
    var state = self.state(.cannotAsk("down"), .stop)
    for _ in 0..<100 {
      #expect(state.handle(.cannotAsk("down")) == [])
      _ = state.handle(.stop)
      #expect(state.next == .ask(.revoke, .growing))
    }
    _ = state.handle(.unreachableTooLong(.seconds(45), isFinal: true))
    #expect(state.next == .over(.stopped))
  }

  /// A clock that stands still until it is set.
  private final class StandingClock: RunClock {
    private let time = Mutex(Timestamp(microseconds: 0))

    var now: Timestamp { time.withLock { $0 } }

    func sleep(for duration: Duration) async throws { advance(by: duration) }

    func advance(by duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
  }

  @Test func `pauses grow from a second to a minute, until there is no trouble for a minute`() {
    let clock = StandingClock()
    var trouble = TroubleDelay(clock: clock)
    func pause() -> Int64 {
      let time = trouble.next(TroubleDelay.Limits())
      clock.advance(by: time)
      return time.components.seconds
    }
    #expect((0..<8).map { _ in pause() } == [1, 2, 4, 8, 16, 32, 60, 60])
    // Another answer in between changes nothing.
    trouble.note(isUnreachable: false, askedAt: clock.now)
    clock.advance(by: .seconds(59))
    #expect(pause() == 60)
    clock.advance(by: .seconds(61))
    #expect(pause() == 1)
  }

  @Test func `a pause ends at the limit`() {
    let clock = StandingClock()
    var trouble = TroubleDelay(clock: clock)
    let limits = TroubleDelay.Limits(soft: .seconds(2), final: .seconds(9))
    trouble.note(isUnreachable: true, askedAt: clock.now)
    #expect(trouble.next(limits) == .seconds(1) && trouble.reached(limits) == nil)
    clock.advance(by: .seconds(1))
    #expect(trouble.next(limits) == .seconds(1))
    clock.advance(by: .seconds(1))
    #expect(trouble.reached(limits) == .unreachableTooLong(.seconds(2), isFinal: false))
    clock.advance(by: .seconds(7))
    #expect(trouble.reached(limits) == .unreachableTooLong(.seconds(9), isFinal: true))
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
    #expect(state.next == .ask(.look, .growing))
    _ = state.handle(.sight(.running(host: "n1")))
    #expect(state.next == .ask(.follow, .none))
  }

  @Test func `an attempt is lost only when it is gone and has no result`() {
    var state = self.state(.begun, .news(.started(host: "n1")), .newsEnded)
    #expect(state.next == .ask(.look, .none))
    let seen = state
    _ = state.handle(.sight(.gone))
    guard case .over(.failed(.lost)) = state.next else {
      Issue.record("\(state.next)")
      return
    }
    // A result that is found later counts.
    state = seen
    _ = state.handle(.sight(.ended))
    #expect(state.next == .ask(.follow, .none))
  }

  @Test func `an attempt that stays out of sight for too long is given up`() {
    var state = self.state(.begun, .cannotAsk("no route"))
    _ = state.handle(.unreachableTooLong(.seconds(9), isFinal: true))
    #expect(state.next == .ask(.abandon, .none))
    _ = state.handle(.cannotAsk("disk full"))
    #expect(state.next == .ask(.abandon, .growing))
    _ = state.handle(.abandoned)
    #expect(state.next == .over(.failed(.lost("no route"))))
  }

  @Test func `a stop before anything was asked ends the attempt at once`() {
    #expect(state(.stop).next == .over(.stopped))
  }

  @Test func `a stop while a submission is unanswered waits for certainty`() {
    var state = self.state(.cannotAsk("timed out"), .stop)
    #expect(state.next == .ask(.revoke, .none))
    var found = state
    _ = state.handle(.absent)
    #expect(state.next == .over(.stopped))
    _ = found.handle(.begun)
    #expect(found.next == .ask(.follow, .none))
    _ = found.handle(.news(.ended(.succeeded([:]))))
    _ = found.handle(.gone(true))
    #expect(found.next == .over(.stopped))
  }

  @Test func `an adopted attempt is looked for, and begun only if there is none`() {
    #expect(state(adopting: true).next == .ask(.find, .none))
    #expect(state(.begun, adopting: true).next == .ask(.follow, .none))
    #expect(state(.absent, adopting: true).next == .ask(.begin, .none))
    #expect(state(.cannotAsk("x"), adopting: true).next == .ask(.find, .growing))
  }

  private static let inputs: [AttemptState.Input] = [
    .begun, .absent, .refused("r"), .cannotAsk("c"), .neverBegun("n"), .full("f"),
    .news(.queued("q")),
    .news(.started(host: "h")), .news(.output(.standardOutput, text: "o", isPartial: false)),
    .news(.ended(.succeeded([:]))), .news(.ended(.failed(.exited(status: 1)))),
    .news(.ended(.stopped)), .news(.outOfSight("o")), .newsEnded, .sight(.queued("s")),
    .sight(.running(host: "h")), .sight(.ended), .sight(.gone), .sight(.unknown("u")),
    .lost(AttemptEnd("why")),
    .gone(true), .gone(false), .abandoned, .stop,
    .unreachableTooLong(.seconds(1), isFinal: false),
    .unreachableTooLong(.seconds(1), isFinal: true),
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
        if [.gone(true), .sight(.gone), .lost(AttemptEnd("why"))].contains(input) {
          wasGone = true
        }
        for news in state.handle(input) {
          if case .started = news { startCount += 1 }
          if case .ended = news { Issue.record("seed \(seed): \(history)") }
        }
        switch state.next {
        case .over(.succeeded):
          #expect(!isStopping && wasGone, "seed \(seed): \(history)")
        case .over(.failed(.lost)):
          #expect(
            wasGone || history.contains(.abandoned)
              || history.contains(.unreachableTooLong(.seconds(1), isFinal: true)),
            "lost without a proof; seed \(seed): \(history)")
        default: break
        }
      }
      #expect(startCount <= 1, "seed \(seed): \(history)")
    }
  }
}
