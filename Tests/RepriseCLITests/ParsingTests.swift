// A subcommand is parsed alone where that gives the same as the parser of all commands.

import ArgumentParser
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
}
