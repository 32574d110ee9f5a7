// Signals that ask the process to end, in a package with the default settings of the compiler.

import Foundation
import Reprise
import Testing

/// Runs that end by signals.
///
/// The tests send SIGHUP, which no other test uses.
@Suite(.serialized)
struct StopSignalTests {
  /// Keeps signals that arrive after the end of a run from ending the tests.
  private static let late = StopSignals([.hangUp])

  @Test func `a signal cancels a run, and the next one kills it`() async throws {
    _ = Self.late
    let stubborn = try Workflow("stubborn", .grace(.seconds(600))) {
      Step("ignore", exec: ["sh", "-c", "trap : TERM; echo ready; while :; do sleep 1; done"])
    }
    let run = Engine().start(stubborn)
    run.cancelOnSignals([.hangUp])
    var again: Task<Duration, Never>?
    var sent = ContinuousClock.now
    for await event in run.events.values {
      switch event.kind {
      case .step(_, _, .output(_, "ready", _)):
        sent = ContinuousClock.now
        send(.hangUp)
      case .runCancelling:
        #expect(event.by?.kind == .signal && event.by?.name == "SIGHUP")
        // Signals within 200 ms are one request, so repeat the signal until it is a second one.
        again = Task { [sent] in
          while !Task.isCancelled {
            send(.hangUp)
            await Task.yield()
          }
          return ContinuousClock.now - sent
        }
      default: break
      }
    }
    again?.cancel()
    if let time = await again?.value { #expect(time > .milliseconds(150)) }
    let outcome = try await run.outcome
    #expect(outcome == .cancelled)
    #expect(outcome.exitStatus == 130)
  }

  @Test func `signals arrive as a sequence until its task is cancelled`() async throws {
    let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
    let reading = Task {
      var received: [StopSignals.Signal] = []
      let signals = StopSignals([.hangUp])
      isReady.yield(())
      for await signal in signals {
        received.append(signal)
        isReady.yield(())
      }
      return received
    }
    var count = 0
    for await _ in ready {
      guard count < 2 else { break }
      count += 1
      send(.hangUp)
    }
    reading.cancel()
    let received = await reading.value
    // One that was sent to the test before may arrive late.
    #expect(received.count >= 2 && received.allSatisfy { $0 == .hangUp }, "\(received)")
  }

  @Test func `watching signals does not retain a run`() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let subscription: AnyCancellable
    do {
      let run = Engine().start(
        try Workflow("released") {
          Step("wait") { context in try await context.clock.sleep(for: .seconds(600)) }
        })
      run.cancelOnSignals([.hangUp])
      subscription = run.events.sink { event in
        if case .runEnded = event.kind { end.finish() }
      }
    }
    for await _ in ends {}
    subscription.cancel()
  }

  private func send(_ signal: StopSignals.Signal) { kill(getpid(), signal.number) }
}
