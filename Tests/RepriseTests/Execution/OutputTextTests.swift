import Foundation
import TestSupport
import Testing

@testable import Reprise

struct OutputTextTests {
  @Test(
    arguments: [
      ("", [:]),
      ("a=1\n", ["a": "1"]),
      ("a=1", ["a": "1"]),
      ("a=\n", ["a": ""]),
      ("a=b=c\n\nd= e \n", ["a": "b=c", "d": " e "]),
      ("a=1\na=2\n", ["a": "2"]),
      ("_a-b_9=x\n", ["_a-b_9": "x"]),
      ("notes<<END\none\n\ntwo=2\nEND\nb=1\n", ["notes": "one\n\ntwo=2", "b": "1"]),
      ("notes<<END\nEND\n", ["notes": ""]),
      ("a=1\r\nb<<END\nx\r\n\u{301}y\nEND\n", ["a": "1\r", "b": "x\r\n\u{301}y"]),
      ("\u{FEFF}a=1\n\u{FEFF}b<<END\n\u{FEFF}x\nEND\n", ["a": "1", "b": "\u{FEFF}x"]),
      ("quote=\"'$(x)`\n", ["quote": "\"'$(x)`"]),
    ] as [(String, StepOutputs)])
  func `names and values are read verbatim`(_ text: String, _ outputs: StepOutputs) throws {
    #expect(try OutputText.outputs(in: text) == outputs)
  }

  @Test func `output that is not UTF-8 is refused with its line number`() {
    let bytes = Array("a=1\nb=".utf8) + [0xFF] + Array("\nc=2\n".utf8)
    let error = #expect(throws: OutputText.ParseError.self) { try OutputText.outputs(in: bytes) }
    #expect(error?.line == 2 && error?.message.contains("not UTF-8") == true)
  }

  @Test(
    arguments: [
      ("hello\n", 1), ("a=1\n=2\n", 2), ("9a=1\n", 1), ("a b=1\n", 1), ("a<<END\nx\n", 1),
      ("a=1\n\nb<<\nx\n", 3), ("ä=1\n", 1),
    ] as [(String, Int)])
  func `invalid output is refused with its line number`(_ text: String, _ line: Int) {
    let error = #expect(throws: OutputText.ParseError.self) { try OutputText.outputs(in: text) }
    #expect(error?.line == line)
  }

  @Test func `a directory, link or FIFO in place of an output file is refused and removed`() throws
  {
    for place in ["mkdir -p $1/x/y; touch $1/x/z", "ln -s . $1", "mkfifo $1"] {
      let folder = try TemporaryFolder()
      let file = try OutputFile(folder: folder.path)
      try TemporaryFolder.run("/bin/sh", ["-c", "rm $1; \(place)", "sh", file.path])
      #expect(throws: FailureReason.self) { try file.outputs() }
      file.remove()
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [], "\(place)")
    }
  }

  @Test func `an output file may have 1 MiB and not a byte more`() throws {
    let folder = try TemporaryFolder()
    let file = try OutputFile(folder: folder.path)
    defer { file.remove() }
    let url = URL(fileURLWithPath: file.path)
    let value = String(repeating: "x", count: OutputText.bytesMax - 2)
    try Data("a=\(value)".utf8).write(to: url)
    #expect(try file.outputs() == ["a": value])
    try Data("a=\(value)x".utf8).write(to: url)
    let reason = #expect(throws: FailureReason.self) { try file.outputs() }
    #expect(reason?.description.contains("more than 1048576 bytes") == true)
  }
}
