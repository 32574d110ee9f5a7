import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// The first of several publishers, based on the tests of CombineExt.
struct AmbTests {
  @Test func `the publisher that is first to publish wins`() {
    #expect(marbles("--a-b-|", "-1-2-3-|") { $0.amb($1) } == "-1-2-3-|")
    #expect(marbles("-a-b-|", "--1-2-3-|") { $0.amb($1) } == "-a-b-|")
  }

  @Test func `an end or a failure without a value wins, too`() {
    #expect(marbles("-|", "--1-2|") { $0.amb($1) } == "-|")
    #expect(marbles("-#", "--1-2|") { $0.amb($1) } == "-#")
  }

  @Test func `the end of a loser is nothing`() {
    #expect(marbles("a---b|", "--#") { $0.amb($1) } == "a---b|")
  }

  @Test func `of a collection one wins and is asked alone, the others are cancelled`() {
    let upstreams = (0..<3).map { _ in BareUpstream<Int, TestError>() }
    let probe = Probe<Int, TestError>(demand: .max(1))
    upstreams.amb().subscribe(probe)
    #expect(upstreams.map(\.asked) == [[.max(1)], [.max(1)], [.max(1)]])
    upstreams[1].send(5)
    upstreams[0].send(6)
    probe.request(2)
    #expect(upstreams.map(\.cancels) == [1, 0, 1])
    #expect(upstreams.map(\.asked) == [[.max(1)], [.max(1), .max(2)], [.max(1)]])
    upstreams[1].send(completion: .finished)
    #expect(probe.values == [5] && probe.ended == .finished && probe.faults == [])
  }

  @Test func `later publishers are not subscribed to when one has ended at once`() {
    let late = BareUpstream<Int, TestError>()
    let probe = Probe<Int, TestError>()
    [
      Empty<Int, TestError>().eraseToAnyPublisher(), late.eraseToAnyPublisher(),
    ].amb().subscribe(probe)
    #expect(probe.ended == .finished && late.asked == [] && late.cancels == 0)
  }

  @Test func `of none it finishes`() {
    let probe = Probe<Int, TestError>()
    [BareUpstream<Int, TestError>]().amb().subscribe(probe)
    #expect(probe.ended == .finished)
  }
}
