import Foundation
import Testing

@testable import ChildProcesses

/// The signals that a guardian counts, to kill an engine that does not follow them.
struct EndRequestsTests {
  private func requests(_ signals: [Int32]) -> (last: Int32?, answers: [Bool]) {
    var requests = EndRequests()
    let answers = signals.map { requests.add($0) }
    return (requests.last, answers)
  }

  @Test func `the second request to end has to be followed`() {
    for (first, second) in [(SIGINT, SIGINT), (SIGTERM, SIGINT), (SIGHUP, SIGTERM)] {
      let (last, answers) = requests([first, second, SIGINT])
      #expect(answers == [false, true, false] && last == SIGINT)
    }
    // A request to restart is none.
    let (last, answers) = requests([SIGUSR1, SIGTERM, SIGUSR1, SIGUSR1])
    #expect(answers == [false, false, false, false] && last == SIGTERM)
  }

  @Test func `a terminal that closes asks once, though it sends SIGHUP twice`() {
    #expect(requests([SIGHUP, SIGHUP, SIGHUP]).answers == [false, false, false])
    let (last, answers) = requests([SIGTERM, SIGHUP])
    #expect(answers == [false, false] && last == SIGTERM)
  }
}
