import CombineOperators
import RepriseTesting
import TestSupport
import Testing

/// Failures as values, based on the tests of CombineExt.
struct FailureValueTests {
  private typealias Signal = Materialized<Int, TestError>

  private func signals(_ publisher: some Publisher<Int, TestError>) -> [Signal] {
    let probe = Probe<Signal, Never>()
    publisher.materialize().subscribe(probe)
    #expect(probe.ended == .finished && probe.faults == [])
    return probe.values
  }

  private var failing: some Publisher<Int, TestError> {
    (1...2).publisher.setFailureType(to: TestError.self).append(Fail(error: TestError()))
  }

  @Test func `each signal becomes a value, and the last one is the completion`() {
    #expect(signals(failing) == [.value(1), .value(2), .failure(TestError())])
    #expect(signals(Just(1).setFailureType(to: TestError.self)) == [.value(1), .finished])
    #expect(signals(Empty()) == [.finished])
  }

  @Test func `signals become values and completions again`() {
    let probe = Probe<Int, TestError>()
    failing.materialize().dematerialize().subscribe(probe)
    #expect(probe.values == [1, 2] && probe.ended == .failed && probe.faults == [])
    let open = PassthroughSubject<Signal, Never>()
    let finished = Probe<Int, TestError>()
    open.dematerialize().subscribe(finished)
    for signal in [Signal.value(1), .finished, .value(2)] { open.send(signal) }
    #expect(finished.values == [1] && finished.ended == .finished)
  }

  @Test func `values and failures are two publishers`() {
    let (values, failures) = (Probe<Int, Never>(), Probe<TestError, Never>())
    failing.materialize().values().subscribe(values)
    failing.materialize().failures().subscribe(failures)
    #expect(values.values == [1, 2] && values.ended == .finished)
    #expect(failures.values == [TestError()] && failures.ended == .finished)
  }

  @Test func `a result is a success or the failure at the end`() {
    let probe = Probe<Result<Int, TestError>, Never>()
    failing.mapToResult().subscribe(probe)
    #expect(
      probe.values == [.success(1), .success(2), .failure(TestError())] && probe.ended == .finished)
  }

  @Test func `an ignored failure finishes, or leaves the publisher open`() {
    let (ending, open) = (Probe<Int, Never>(), Probe<Int, Never>())
    failing.ignoreFailure().subscribe(ending)
    failing.ignoreFailure(completesImmediately: false).subscribe(open)
    #expect(ending.values == [1, 2] && ending.ended == .finished)
    #expect(open.values == [1, 2] && open.ended == nil)
  }
}
