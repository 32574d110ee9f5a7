import Foundation
import TestSupport
import Testing
import WorkflowReading

@testable import WorkflowFiles

/// Dotenv files: syntax and size limits.
struct DotenvTests {
  private func variables(_ text: String) throws -> [String: String] {
    try DotenvText.variables(in: Array(text.utf8))
  }

  @Test(arguments: [
    ("A=1", ["A": "1"]), ("A=1\nB=2\n", ["A": "1", "B": "2"]),
    ("A=1\r\nB=2\r\n", ["A": "1", "B": "2"]),
    ("# c\n\n  export A = 1 # c\n", ["A": "1"]), ("A=", ["A": ""]), ("A=1#2", ["A": "1#2"]),
    ("A=$B \"c\"", ["A": "$B \"c\""]), ("A=\"1\" # c\nB=2", ["A": "1", "B": "2"]),
    ("A='a\\nb'", ["A": "a\\nb"]), ("A=\"a\\nb\\\"\\t\\\\\"", ["A": "a\nb\"\t\\"]),
    ("A=\"a\nb\"\nB='c\n\n#d'\nC=3", ["A": "a\nb", "B": "c\n\n#d", "C": "3"]),
    ("\u{FEFF}A=1\r\nB=\"2\r\n3\\r\"\r\nC='4\r\n\r5'", ["A": "1", "B": "2\n3\r", "C": "4\n\r5"]),
    ("A=1\nA=2", ["A": "2"]), ("A=\u{A0}ä\u{A0}", ["A": "ä"]), ("", [:]), ("A=\"\"", ["A": ""]),
  ]) func `dotenv syntax is compatible with other tools`(
    _ text: String, _ expected: [String: String]
  ) throws {
    #expect(try variables(text) == expected)
  }

  @Test(
    arguments: [
      ("A=1\n2=3", 2, "\"2=3\" is not NAME=VALUE"), ("A=1\nA\n", 2, "\"A\" is not NAME=VALUE"),
      ("REPRISE_A=1", 1, "names that begin with REPRISE_ are reserved for Reprise"),
      ("\nA=\"1\n2\n", 2, "the quote is not closed"),
      ("A='1\n2' 3\n", 1, "unexpected text after the closing quote"),
      ("A='1\n2'\n\n=", 4, "\"=\" is not NAME=VALUE"),
      (
        String(repeating: "x", count: 1 << 19), 1,
        "\"\(String(repeating: "x", count: 60))\" is not NAME=VALUE"
      ),
    ] as [(String, Int, String)])
  func `an invalid line of a dotenv file is reported with its number`(
    _ text: String, _ line: Int, _ reason: String
  ) {
    #expect(throws: DotenvError(line: line, reason: reason)) { try variables(text) }
  }

  @Test func `a value of very many lines is read in linear time`() throws {
    // Searching for the end from the start after each line would take hours.
    let value = String(repeating: "a\n", count: 1 << 19)
    #expect(try variables("A=\"\(value)\"\nB=1\n") == ["A": value, "B": "1"])
  }

  // MARK: Sizes

  private func diagnostics(_ files: String, sizes: [Int]) throws -> [Diagnostic] {
    let folder = try TemporaryFolder()
    for (number, size) in sizes.enumerated() {
      try folder.write("\(number).env", ("A=" + String(repeating: "x", count: size - 2)).utf8)
    }
    return WorkflowFilesTests.diagnostics(
      "dotenv:\n  - " + files.replacing("FOLDER", with: folder.path)
        + "\nsteps: [{ id: a, run: x }]\n")
  }

  @Test func `a dotenv file has at most one mebibyte`() throws {
    #expect(try diagnostics("FOLDER/0.env", sizes: [1 << 20]) == [])
    for size in [(1 << 20) + 1, 100 << 20] {
      let found = try diagnostics("{ path: FOLDER/0.env, required: false }", sizes: [size])
      #expect(found.map(\.line) == [2] && found.map(\.column) == [13])
      #expect(found.first?.code == "R0103")
    }
  }

  @Test func `all dotenv files together have at most sixteen mebibytes`() throws {
    let sizes = [Int](repeating: 1 << 20, count: 17)
    let all = sizes.indices.map { "FOLDER/\($0).env" }
    #expect(try diagnostics(all.dropLast().joined(separator: "\n  - "), sizes: sizes) == [])
    let found = try diagnostics(all.joined(separator: "\n  - "), sizes: sizes)
    #expect(found.map(\.line) == [18])
    #expect(found.first?.code == "R0103")
  }
}
