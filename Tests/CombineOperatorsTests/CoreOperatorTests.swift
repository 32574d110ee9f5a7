import CombineOperators
import TestSupport
import Testing

/// The operators of Combine, which this package has to provide itself where there is no Combine.
struct CoreOperatorTests {
  typealias Numbers = Publishers.Sequence<ClosedRange<Int>, Never>

  /// An operator on the numbers from 1 to 5, with what it publishes.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let expected: [Int]
    var end = Ended.finished
    let make: @Sendable (Numbers) -> AnyPublisher<Int, TestError>
  }

  private static func passing(
    _ name: String, _ expected: [Int],
    _ make: @escaping @Sendable (Numbers) -> some Publisher<Int, Never>
  ) -> Case {
    Case(testDescription: name, expected: expected) {
      make($0).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }
  }

  private static func failing(
    _ name: String, _ expected: [Int], end: Ended = .failed,
    _ make: @escaping @Sendable (Numbers) -> some Publisher<Int, any Error>
  ) -> Case {
    Case(testDescription: name, expected: expected, end: end) {
      make($0).mapError { _ in TestError() }.eraseToAnyPublisher()
    }
  }

  /// A stream that forgets what is written to it.
  private struct Silence: TextOutputStream {
    func write(_ string: String) {}
  }

  static let transforming = [
    passing("map", [2, 4, 6, 8, 10]) { $0.map { $0 * 2 } },
    passing("map of a key path", [0, 1, 0, 2, 0]) { $0.map(\.trailingZeroBitCount) },
    passing("compactMap", [20, 40]) { $0.compactMap { $0.isMultiple(of: 2) ? $0 * 10 : nil } },
    passing("filter", [2, 4]) { $0.filter { $0.isMultiple(of: 2) } },
    passing("replaceNil", [0, 2, 0, 4, 0]) {
      $0.map { $0.isMultiple(of: 2) ? $0 : nil }.replaceNil(with: 0)
    },
    passing("scan", [1, 3, 6, 10, 15]) { $0.scan(0, +) },
    passing("removeDuplicates", [0, 1, 2]) { $0.map { $0 / 2 }.removeDuplicates() },
    passing("removeDuplicates(by:)", [1, 4]) { $0.removeDuplicates { $1 - $0 < 3 } },
    passing("setFailureType and assertNoFailure", [1, 2, 3, 4, 5]) {
      $0.setFailureType(to: TestError.self).assertNoFailure()
    },
    passing("handleEvents", [1, 2, 3, 4, 5]) { $0.handleEvents(receiveOutput: { _ in }) },
    failing("tryMap", [1, 2, 3]) { $0.tryMap { try refuse4($0) } },
    failing("tryCompactMap", [1, 3]) { $0.tryCompactMap { try refuse4($0) == 2 ? nil : $0 } },
    failing("tryFilter", [1, 3]) { $0.tryFilter { try refuse4($0) != 2 } },
    failing("tryScan", [1, 3, 6]) { $0.tryScan(0) { try $0 + refuse4($1) } },
    failing("tryRemoveDuplicates", [1, 2, 3]) { $0.tryRemoveDuplicates { try $0 == refuse4($1) } },
    failing("mapError", []) {
      $0.tryMap { try refuse4($0) }.collect().map(\.count).mapError { $0 }
    },
  ]

  static let limiting = [
    passing("prefix", [1, 2]) { $0.prefix(2) },
    passing("prefix(0)", []) { $0.prefix(0) },
    passing("prefix(while:)", [1, 2]) { $0.prefix { $0 < 3 } },
    passing("dropFirst", [2, 3, 4, 5]) { $0.dropFirst() },
    passing("dropFirst(3)", [4, 5]) { $0.dropFirst(3) },
    passing("drop(while:)", [3, 4, 5]) { $0.drop { $0 < 3 } },
    passing("output(at:)", [3]) { $0.output(at: 2) },
    passing("output(in:)", [2, 3]) { $0.output(in: 1...2) },
    passing("output(in:) without an end", [4, 5]) { $0.output(in: 3...) },
    passing("first", [1]) { $0.first() },
    passing("first(where:)", [3]) { $0.first { $0 > 2 } },
    passing("last", [5]) { $0.last() },
    passing("last(where:)", [2]) { $0.last { $0 < 3 } },
    failing("tryPrefix", [1, 2, 3]) { $0.tryPrefix { try refuse4($0) < 9 } },
    failing("tryDrop", []) { $0.tryDrop { try refuse4($0) < 9 } },
    failing("tryFirst", []) { $0.tryFirst { try refuse4($0) > 9 } },
    failing("tryLast", []) { $0.tryLast { try refuse4($0) > 0 } },
  ]

  static let reducing = [
    passing("reduce", [15]) { $0.reduce(0, +) },
    passing("collect", [5]) { $0.collect().map(\.count) },
    passing("collect(2)", [2, 2, 1]) { $0.collect(2).map(\.count) },
    passing("count", [5]) { $0.count() },
    passing("min and max", [1, 5]) { $0.min().append($0.max()) },
    passing("contains", [1]) { $0.contains(3).map { $0 ? 1 : 0 } },
    passing("contains(where:)", [0]) { $0.contains { $0 > 9 }.map { $0 ? 1 : 0 } },
    passing("allSatisfy", [1]) { $0.allSatisfy { $0 < 9 }.map { $0 ? 1 : 0 } },
    passing("reduce of nothing", [7]) { $0.filter { $0 > 9 }.reduce(7, +) },
    failing("tryReduce", []) { $0.tryReduce(0) { try $0 + refuse4($1) } },
    failing("tryMin", []) { $0.tryMin { try refuse4($0) < refuse4($1) } },
    failing("tryMax", []) { $0.tryMax { try refuse4($0) < refuse4($1) } },
    failing("tryContains", []) { $0.tryContains { try refuse4($0) > 9 }.map { $0 ? 1 : 0 } },
    failing("tryContains, found", [1], end: .finished) {
      $0.tryContains { try refuse4($0) == 2 }.map { $0 ? 1 : 0 }
    },
    failing("tryAllSatisfy", []) { $0.tryAllSatisfy { try refuse4($0) < 9 }.map { $0 ? 1 : 0 } },
  ]

  static let combining = [
    passing("append", [1, 2, 3, 4, 5, 6, 7]) { $0.append(6, 7) },
    passing("append of a publisher", [1, 2, 3, 4, 5, 9]) { $0.append(Just(9)) },
    passing("prepend", [0, 1, 2, 3, 4, 5]) { $0.prepend(0) },
    passing("replaceEmpty", [7]) { $0.filter { $0 > 9 }.replaceEmpty(with: 7) },
    passing("replaceEmpty of something", [1, 2, 3, 4, 5]) { $0.replaceEmpty(with: 7) },
    passing("catch", [1, 2, 3, 8, 9]) {
      $0.tryMap { try refuse4($0) }.catch { _ in [8, 9].publisher }
    },
    passing("replaceError", [1, 2, 3, 0]) { $0.tryMap { try refuse4($0) }.replaceError(with: 0) },
    failing("retry", [1, 2, 3, 1, 2, 3]) { $0.tryMap { try refuse4($0) }.retry(1) },
    failing("tryCatch", [1, 2, 3]) {
      $0.tryMap { try refuse4($0) }.tryCatch { Just(try refuse4($0 is TestError ? 4 : 0)) }
    },
    passing("flatMap", [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]) {
      $0.flatMap(maxPublishers: .max(1)) { [$0, $0].publisher }
    },
    passing("switchToLatest", [1, 2, 3, 4, 5]) {
      $0.flatMap(maxPublishers: .max(1)) { Just(Just($0)).switchToLatest() }
    },
    passing("zip", [11, 22, 33]) { $0.zip([10, 20, 30].publisher) { $0 + $1 } },
    passing("zip of three", [111, 222]) {
      $0.zip([10, 20, 30].publisher, [100, 200].publisher) { $0 + $1 + $2 }
    },
    passing("zip of four", [4, 8]) { $0.zip($0, $0, [1, 2].publisher) { $0 + $1 + $2 + $3 } },
    passing("buffer", [1, 2, 3, 4, 5]) {
      $0.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest)
    },
    passing("print", [1, 2, 3, 4, 5]) { $0.print(to: Silence()) },
  ]

  @Test(arguments: transforming) func `values are transformed`(_ tested: Case) { check(tested) }

  @Test(arguments: limiting) func `some values are published`(_ tested: Case) { check(tested) }

  @Test(arguments: reducing) func `one result is published`(_ tested: Case) { check(tested) }

  @Test(arguments: combining) func `publishers are combined`(_ tested: Case) { check(tested) }

  private func check(_ tested: Case) {
    let probe = Probe<Int, TestError>()
    tested.make((1...5).publisher).subscribe(probe)
    #expect(probe.values == tested.expected && probe.ended == tested.end && probe.faults == [])
    // The same, one value at a time.
    let patient = Probe<Int, TestError>(demand: .none)
    tested.make((1...5).publisher).subscribe(patient)
    for count in tested.expected.indices {
      #expect(patient.values == Array(tested.expected[..<count]))
      patient.request(1)
    }
    patient.request(1)
    #expect(patient.values == tested.expected && patient.ended == tested.end)
  }

  @Test func `an end of a part is published with its last value`() {
    let subject = PassthroughSubject<Int, Never>()
    let probes = (0..<3).map { _ in Probe<Int, Never>() }
    subject.prefix(1).subscribe(probes[0])
    subject.output(at: 0).subscribe(probes[1])
    subject.first().subscribe(probes[2])
    subject.send(1)
    #expect(probes.allSatisfy { $0.values == [1] && $0.ended == .finished })
  }

  @Test func `an end without values is published alone`() {
    let probe = Probe<Never, Never>()
    (1...5).publisher.ignoreOutput().subscribe(probe)
    #expect(probe.ended == .finished)
  }

  @Test func `events are observed in both directions`() {
    let seen = Protected<[String]>([])
    let see = { @Sendable (text: String) in seen.withLock { $0.append(text) } }
    let probe = Probe<Int, Never>(demand: .max(1))
    let subject = PassthroughSubject<Int, Never>()
    subject.handleEvents(
      receiveSubscription: { _ in see("subscription") }, receiveOutput: { see("output \($0)") },
      receiveCompletion: { _ in see("completion") }, receiveCancel: { see("cancel") },
      receiveRequest: { see("request \($0)") }
    ).subscribe(probe)
    subject.send(1)
    probe.cancel()
    #expect(seen.value == ["subscription", "request max(1)", "output 1", "cancel"])
  }
}

/// Returns a number, or throws if it is 4.
private func refuse4(_ number: Int) throws -> Int {
  if number == 4 { throw TestError() }
  return number
}
