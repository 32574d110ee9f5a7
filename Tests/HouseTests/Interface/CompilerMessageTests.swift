// What the compiler says about mistakes that embedders make.

import Foundation
import Testing

/// The messages of the compiler about wrong uses of the API.
struct CompilerMessageTests {
  /// A wrong expression, and a part of the message about it; nil if it is right.
  struct Use: Sendable, CustomTestStringConvertible {
    let code: String
    let message: String?
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
      code: #"Intervention.restart() == .cancel() || Intervention.approve() == .pause"#,
      message: nil),
  ]

  @Test(arguments: uses)
  func `the message says what to write`(_ use: Use) async throws {
    let ended = try await Toolchain.withFolder { folder in
      let file = folder.appendingPathComponent("main.swift")
      try "import Reprise\nlet value = \(use.code)\n"
        .write(to: file, atomically: true, encoding: .utf8)
      return try await Toolchain.run(
        ["swiftc", "-typecheck", "-swift-version", "6"] + Toolchain.findingModules + [file.path])
    }
    if let message = use.message {
      #expect(ended.status != 0)
      #expect(ended.output.contains(message), "\(ended.output)")
    } else {
      #expect(ended.status == 0, "\(ended.output)")
    }
  }
}
