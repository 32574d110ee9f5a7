// When colours are used, and which display `auto` selects.

import Foundation
import Testing

@testable import RepriseTerminal

struct StyleTests {
  @Test(arguments: [
    // On a terminal, in a pipe.
    (["TERM": "xterm"], true, false),
    (["TERM": "dumb"], false, false),
    ([:], false, false),
    (["FORCE_COLOR": "1"], true, true),
    (["TERM": "dumb", "CLICOLOR_FORCE": "1"], true, true),
    (["TERM": "xterm", "FORCE_COLOR": "0", "CLICOLOR_FORCE": "0"], true, false),
    (["TERM": "xterm", "FORCE_COLOR": ""], true, false),
    (["TERM": "xterm", "NO_COLOR": "1"], false, false),
    (["TERM": "xterm", "NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"], false, false),
    (["TERM": "xterm", "NO_COLOR": "", "FORCE_COLOR": "1"], true, true),
  ])
  func `NO_COLOR forbids colours, FORCE_COLOR demands them, and otherwise a terminal has them`(
    _ environment: [String: String], _ onTerminal: Bool, _ inPipe: Bool
  ) {
    #expect(Style(environment: environment, isTerminal: true).hasColour == onTerminal)
    #expect(Style(environment: environment, isTerminal: false).hasColour == inPipe)
  }

  @Test func `auto is a tree on a terminal, and plain lines in pipes and on build servers`() throws
  {
    let terminal = try #require(FileHandle(forUpdatingAtPath: "/dev/ptmx"))
    let pipe = Pipe()
    func style(_ style: ProgressStyle, _ file: FileHandle, _ environment: [String: String])
      -> ProgressStyle
    {
      style.resolved(
        output: file.fileDescriptor,
        environment: environment.merging(["TERM": "xterm"]) { given, _ in given })
    }
    #expect(style(.auto, terminal, [:]) == .tree)
    #expect(style(.auto, terminal, ["CI": "false", "GITHUB_ACTIONS": ""]) == .tree)
    #expect(style(.auto, terminal, ["TERM": "dumb"]) == .plain)
    #expect(style(.auto, pipe.fileHandleForWriting, [:]) == .plain)
    let github = ["CI": "true", "GITHUB_ACTIONS": "true"]
    #expect(style(.auto, terminal, github) == .github)
    #expect(style(.auto, pipe.fileHandleForWriting, github) == .github)
    #expect(style(.plain, terminal, github) == .plain)
    for server in [["CI": "true"], ["CI": "1"]] {
      #expect(style(.auto, terminal, server) == .plain)
      #expect(style(.tree, terminal, server) == .tree)
      #expect(style(.json, terminal, server) == .json)
    }
  }
}
