import Foundation
import Testing

@testable import ChildProcesses

/// The signals that a guardian counts, so that it can kill an engine that does not react to them.
struct TerminationRequestsTests {
  /// Adds signals, each a second after the one before.
  private func requests(
    _ signals: [Int32], every time: Duration = .seconds(1)
  ) -> (last: Int32?, answers: [TerminationRequests.Meaning]) {
    var requests = TerminationRequests()
    let start = ContinuousClock.now
    let answers = signals.enumerated().map { requests.add($1, at: start + time * $0) }
    return (requests.last, answers)
  }

  @Test func `the second request to end must be obeyed`() {
    for (first, second) in [(SIGINT, SIGINT), (SIGTERM, SIGINT), (SIGHUP, SIGTERM)] {
      let (last, answers) = requests([first, second, SIGINT])
      #expect(answers == [.first, .second, .later] && last == SIGINT)
    }
    // A request to restart is not a request to end.
    let (last, answers) = requests([SIGUSR1, SIGTERM, SIGUSR1, SIGUSR1])
    #expect(answers == [.other, .first, .other, .other] && last == SIGTERM)
  }

  @Test func `several signals within 200 ms are one request`() {
    for signals in [
      [SIGTERM, SIGTERM], [SIGINT, SIGTERM], [SIGTERM, SIGINT], [SIGHUP, SIGTERM],
    ] {
      let (last, answers) = requests(signals, every: .milliseconds(150))
      #expect(answers == [.first, .repeated] && last == signals[0])
    }
    // The time counts from the last request, not from the last signal: someone insists.
    let answers = requests([SIGINT, SIGINT, SIGINT, SIGINT, SIGINT], every: .milliseconds(120))
      .answers
    #expect(answers == [.first, .repeated, .second, .repeated, .later])
  }

  @Test func `a closing terminal counts as one request, although it sends SIGHUP twice`() {
    #expect(requests([SIGHUP, SIGHUP, SIGHUP]).answers == [.first, .repeated, .repeated])
    let (last, answers) = requests([SIGTERM, SIGHUP])
    #expect(answers == [.first, .repeated] && last == SIGTERM)
  }
}
