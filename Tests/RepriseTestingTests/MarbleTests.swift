import Reprise
import RepriseTesting
import Testing

/// Diagrams of publishers, for embedders.
struct MarbleTests {
  @Test func `what is scheduled after the inputs is played, too`() {
    #expect(marbles("a-b|") { $1.delay(for: .seconds(2), scheduler: $0) } == "--a-b|")
    #expect(
      marbles("a") { time, input in
        input.timeout(.seconds(3), scheduler: time, customError: { MarbleFailure() })
      } == "a--#")
  }

  @Test func `what repeats for ever happens once more after the inputs`() {
    #expect(
      marbles("ab--c") { $1.collect(.byTime($0, .seconds(2))).map { $0.joined() } }
        == "--[ab]---c")
  }

  @Test func `inputs may begin with their subscription`() {
    let time = MarbleTime()
    let output = time.output(
      of: time.hot("a--b-|").map { _ in time.cold("12|") }.switchToLatest())
    #expect(output == "12-12|")
  }

  @Test func `a subscriber requests, and cancels, when its diagram says so`() {
    #expect(marbles("111111", subscriber: "-1-1") { $1 } == "-1-1")
    #expect(marbles("abcdef|", subscriber: "*--!") { $1 } == "abc")
  }

  @Test func `values of any type that has a description are drawn`() {
    #expect(marbles("a-b|") { $1.scan(0) { count, _ in count + 9 } } == "9-[18]|")
  }
}
