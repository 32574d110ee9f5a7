// The plain command lines of `reprise run` that are read without the parser, against the parser.

import ArgumentParser
import RepriseTerminal
import TestSupport
import Testing

@testable import RepriseCLI

struct RunOrderTests {
  private static let words = [
    "w", "my.yaml", "-", "", "--", "--force", "--dry-run", "--pass-through", "--no-journal",
    "--detach", "--progress", "none", "json", "colourful", "--progress=none", "--max-parallel", "4",
    "04", "+4", "0", "-1", "many", "--from", "a", "--only", "--state-dir", "there", "-p", "x=1",
    "-px=1", "--params-file", "--help", "-h", "--forc",
  ]

  @Test func `what is read without the parser is what the parser reads`() throws {
    var random = SeededGenerator.announced()
    var quick = 0
    for _ in 0..<rounds(600, soak: 20_000) {
      let count = Int.random(in: 0...6, using: &random)
      let words = (0..<count).map { _ in Self.words.randomElement(using: &random) ?? "" }
      guard let order = RunOrder(quickly: ["run"] + words) else { continue }
      quick += 1
      let command = try RepriseCommand.parseAsRoot(["run"] + words)
      #expect((command as? RunCommand)?.order == order, "\(words)")
    }
    #expect(quick > 10)
  }

  @Test func `a plain command line is read without the parser`() {
    #expect(RunOrder(quickly: ["run", "w"]) == RunOrder(file: "w"))
    let order = RunOrder(
      quickly: ["run", "--progress", "none", "w", "--max-parallel", "2", "--no-journal"])
    #expect(
      order
        == RunOrder(
          file: "w", progress: .none, scope: RunScope(maxParallel: 2), noJournal: true))
  }

  @Test(arguments: [
    [], ["run"], ["runs", "w"], ["watch", "w"], ["run", "w", "v"], ["run", "w", "--progress"],
    ["run", "w", "--progress", "loud"], ["run", "w", "--max-parallel", "0"], ["run", "--help"],
    ["run", "w", "--force", "--force"], ["run", "w", "--unknown"], ["run", ""],
  ])
  func `what is not plain is left to the parser`(words: [String]) {
    #expect(RunOrder(quickly: words) == nil)
  }
}
