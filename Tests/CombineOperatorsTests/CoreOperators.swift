import CombineOperators

/// The operators of Combine that pass on the values of their upstream unchanged.
enum CoreOperators {
  typealias Operator = OperatorContractTests.Operator

  #if canImport(Combine)
  // Apple's are not ours to test, and rely on the rules that the tests break.
  static let all: [Operator] = []
  #else
  private static let never = Empty<Int, TestError>(completeImmediately: false)

  static let all = [
    Operator(testDescription: "Combine's zip") {
      $0.zip((0..<9).publisher.setFailureType(to: TestError.self)).map(\.0).eraseToAnyPublisher()
    },
    Operator(testDescription: "flatMap, outer") {
      $0.flatMap { Just($0).setFailureType(to: TestError.self) }.eraseToAnyPublisher()
    },
    Operator(testDescription: "flatMap, inner") { upstream in
      Just(0).setFailureType(to: TestError.self).flatMap { _ in upstream }.eraseToAnyPublisher()
    },
    Operator(testDescription: "switchToLatest, inner") { upstream in
      Just(0).setFailureType(to: TestError.self).map { _ in upstream }.switchToLatest()
        .eraseToAnyPublisher()
    },
    Operator(testDescription: "append") { $0.append(Empty()).eraseToAnyPublisher() },
    Operator(testDescription: "catch") {
      $0.catch { Fail<Int, TestError>(error: $0) }.eraseToAnyPublisher()
    },
    Operator(testDescription: "Combine's buffer") {
      $0.buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher()
    },
    Operator(testDescription: "prefix until") {
      $0.prefix(untilOutputFrom: never).eraseToAnyPublisher()
    },
    Operator(testDescription: "receive on") {
      $0.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()
    },
    Operator(testDescription: "collect of one") {
      $0.collect(1).map { $0[0] }.eraseToAnyPublisher()
    },
  ]
  #endif
}
