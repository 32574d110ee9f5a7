// A subcommand is parsed alone where that gives the same as the parser of all commands.

import ArgumentParser
import TestSupport
import Testing

@testable import RepriseCLI

/// The parser of one command instead of that of all commands.
struct ParsingTests {
  @Test(arguments: [
    ["run"], ["run", "ci", "--max-parallel", "4", "--progress", "plain", "-p", "target=x"],
    ["run", "a", "b", "--from", "c", "--no-journal", "--yes"], ["validate", "my.yaml"],
    ["run", "test", "--argument", "--verbose", "--argument", "parser"], ["runs", "--json"],
    ["resume", "@last", "--from", "x"], ["show", "@last", "--json"], ["cancel"], ["logs", "a"],
    ["watch", "site"], ["trigger", "site", "--wait"], ["graph", "ci", "--format", "dot"],
  ])
  func `a valid command line means the same to both`(_ words: [String]) throws {
    let alone = try #require(RepriseCommand.parsedAlone(words))
    let whole = try RepriseCommand.parseAsRoot(words)
    #expect(String(reflecting: alone) == String(reflecting: whole))
  }

  @Test(arguments: [
    ["run", "--help"], ["run", "-h"], ["run", "--nope"], ["run", "--max-parallel", "x"],
    ["run", "--version"], ["validate", "--generate-completion-script", "bash"], [], ["nope"],
    ["help", "run"], ["--help"], ["run", "--up", "--detach", "--progress", "tree", "--nope"],
  ])
  func `help and errors come from the parser of all commands`(_ words: [String]) {
    #expect(RepriseCommand.parsedAlone(words) == nil)
  }

  @Test func `a usual command line of run means the same without the parser`() throws {
    let words = [
      "ci", "a b", "x.yaml#part", "", "--no-journal", "--yes", "--force", "-p", "--param", "a=b",
      "a=--yes", "=b", "--argument", "--progress", "plain", "json", "never", "--max-parallel", "4",
      "0", "-1", "x", "--state-dir", "folder", "--stay", "--dry-run", "--progress=plain", "--", "-",
      "-pa=b", "--nope", "--help",
    ]
    var random = SeededGenerator.announced()
    var count = 0
    let lineCount = rounds(600, soak: 20_000)
    for round in 0..<lineCount {
      // Half of the lines have no word that only the parser reads.
      let known = round.isMultiple(of: 2) ? words.prefix(24) : words[...]
      let line = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        known.randomElement(using: &random) ?? ""
      }
      guard let usual = RunInvocation(usual: line) else { continue }
      count += 1
      let parsed = try #require(try? RunCommand.parse(line), "\(line)").invocation
      #expect(String(reflecting: usual) == String(reflecting: parsed), "\(line)")
    }
    #expect(count > lineCount / 10)
  }
}
