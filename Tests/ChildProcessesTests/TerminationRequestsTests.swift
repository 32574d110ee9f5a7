import Foundation
import Testing

@testable import ChildProcesses

/// The signals that a guardian counts, so that it can kill an engine that does not react to them.
struct TerminationRequestsTests {
  private func requests(_ signals: [Int32]) -> (last: Int32?, answers: [Bool]) {
    var requests = TerminationRequests()
    let answers = signals.map { requests.add($0) }
    return (requests.last, answers)
  }

  @Test func `the second request to end must be obeyed`() {
    for (first, second) in [(SIGINT, SIGINT), (SIGTERM, SIGINT), (SIGHUP, SIGTERM)] {
      let (last, answers) = requests([first, second, SIGINT])
      #expect(answers == [false, true, false] && last == SIGINT)
    }
    // A request to restart is not a request to end.
    let (last, answers) = requests([SIGUSR1, SIGTERM, SIGUSR1, SIGUSR1])
    #expect(answers == [false, false, false, false] && last == SIGTERM)
  }

  @Test func `a closing terminal counts as one request, although it sends SIGHUP twice`() {
    #expect(requests([SIGHUP, SIGHUP, SIGHUP]).answers == [false, false, false])
    let (last, answers) = requests([SIGTERM, SIGHUP])
    #expect(answers == [false, false] && last == SIGTERM)
  }
}
