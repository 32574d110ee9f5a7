// What the compiler says about mistakes that embedders make.

import Foundation
import Testing

/// The messages of the compiler about wrong uses of the API.
struct CompilerMessageTests {
  /// A wrong expression, and a part of the message about it; nil if it is right.
  struct Use: Sendable, CustomTestStringConvertible {
    let code: String
    let message: String?
    var isWarning = false
    var testDescription: String { code }
  }

  private static let uses = [
    Use(code: #"Step("a", run: "true", .timeout(.seconds(5)))"#, message: nil),
    Use(
      code: #"Step("a", run: "true", .timeout(5))"#,
      message: "give the unit: .timeout(.seconds(5))"),
    Use(
      code: #"Step("a", run: "true", .grace(2.5))"#, message: "give the unit: .grace(.seconds(5))"),
    Use(
      code: #"try Workflow("w", .timeout(5)) { Step("a", run: "true") }"#,
      message: "give the unit: .timeout(.seconds(5))"),
    Use(
      code: #"try Workflow("w", .grace(5)) { Step("a", run: "true") }"#,
      message: "give the unit: .grace(.seconds(5))"),
    Use(
      code: """
        { @MainActor in
          struct Release: @MainActor Encodable { var version = "1" }
          return Step("a") { _ in Release() }
        }
        """,
      message: "declare its type nonisolated", isWarning: true),
    Use(
      code: """
        { @MainActor in
          nonisolated struct Release: Encodable { var version = "1" }
          return Step("a") { _ in Release() }
        }
        """,
      message: nil),
    Use(
      code: #"Intervention.restart() == .cancel() || Intervention.approve() == .pause"#,
      message: nil),
  ]

  #if !canImport(Combine)
  /// What TheOperators.md says of the differences from Combine that a compiler can see.
  private static let differences = [
    Use(code: "Just(1).sink { @MainActor value in print(value) }", message: "'MainActor'"),
    Use(
      code: "Just(1).sink { value in MainActor.assumeIsolated { print(value) } }", message: nil),
    Use(
      code: """
        [
          AnyCancellable.self, AnyPublisher<Int, Never>.self, Future<Int, Never>.self,
          PassthroughSubject<Int, Never>.self, CurrentValueSubject<Int, Never>.self,
          AsyncPublisher<Just<Int>>.self, AsyncThrowingPublisher<Fail<Int, any Error>>.self,
        ] as [any Sendable.Type]
        """,
      message: nil),
    Use(
      code: "{ var n = 0; let s = Just(1).sink { v in [v].forEach { n += $0 } }; return (s, n) }()",
      message: "mutation of captured var"),
    Use(
      code: """
        {
          nonisolated(unsafe) var n = 0
          let s = Just(1).sink { v in [v].forEach { n += $0 } }
          return (s, n)
        }()
        """,
      message: nil),
    Use(
      code: """
        {
          @MainActor struct Row: @MainActor Equatable { var id = 1 }
          return Just(Row()).removeDuplicates().sink { _ in }
        }()
        """,
      message: "isolated conformance"),
    Use(
      code: """
        {
          nonisolated struct Row: Equatable { var id = 1 }
          return Just(Row()).removeDuplicates().sink { _ in }
        }()
        """,
      message: nil),
    Use(code: "Just(1).share() == Just(1).share()", message: "cannot be applied to two"),
    Use(code: "CombineOperators.Subscription.self", message: nil),
    Use(
      code: "Just(1).scan(0, +) as Publishers.Scan<Just<Int>, Int>", message: nil),
    Use(
      code: "Just(1).tryMap { $0 } as Publishers.TryMap<Just<Int>, Int>", message: nil),
    Use(
      code: "Just(1).breakpoint(receiveOutput: { $0 > 0 })",
      message: "set a breakpoint in a closure of handleEvents"),
    Use(code: "Just(1).breakpointOnError()", message: "set a breakpoint in a closure of"),
    Use(code: "Timer.publish(every: 1, on: .main, in: .common)", message: "no member 'publish'"),
    Use(
      code: #"NotificationCenter.default.publisher(for: .init("a"))"#,
      message: "no member 'publisher'"),
    Use(code: "Just(1).receive(on: RunLoop.main)", message: "conform to 'Scheduler'"),
    Use(code: "Just(1).receive(on: OperationQueue.main)", message: "conform to 'Scheduler'"),
    Use(code: "Just(1).receive(on: DispatchQueue.main)", message: nil),
    Use(
      code: "Just(1).throttle(for: 0.1, scheduler: DispatchQueue.main, latest: true)",
      message: "conform to 'Scheduler'"),
    Use(
      code: "Just(1).throttle(for: .seconds(0.1), scheduler: DispatchQueue.main, latest: true)",
      message: nil),
    Use(
      code: "Just(Data()).decode(type: Int.self, decoder: JSONDecoder())",
      message: "conform to 'TopLevelDecoder'"),
    Use(
      code: "Just(1).encode(encoder: JSONEncoder())", message: "conform to 'TopLevelEncoder'"),
    Use(
      code: "Just(Data()).tryMap { try JSONDecoder().decode(Int.self, from: $0) }", message: nil),
  ]

  @Test(arguments: differences)
  func `the differences from Combine are those that the page lists`(_ use: Use) async throws {
    try await check(use)
  }
  #endif

  @Test(arguments: uses)
  func `the message says what to write`(_ use: Use) async throws {
    try await check(use)
  }

  private func check(_ use: Use) async throws {
    let ended = try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("main.swift")
      try "import Foundation\nimport Reprise\nlet value = \(use.code)\n"
        .write(to: file, atomically: true, encoding: .utf8)
      return try await Toolchain.run(
        ["swiftc", "-typecheck", "-swift-version", "6"] + Toolchain.findingModules + [file.path])
    }
    if let message = use.message {
      #expect((ended.status == 0) == use.isWarning)
      #expect(ended.output.contains(message), "\(ended.output)")
    } else {
      #expect(ended.status == 0, "\(ended.output)")
    }
  }
}
