import TestSupport
import Testing

@testable import Reprise

struct OutputTailTests {
  @Test func `the tail has the last lines of all output, however it was split`() {
    var random = SeededGenerator.announced()
    for _ in 0..<200 {
      var tail = OutputTail()
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let piece = (0..<Int.random(in: 1...30, using: &random)).map { _ in
          String(
            repeating: ["x", "é", "漢", "\r"].randomElement(using: &random) ?? "",
            count: Int.random(in: 0...3, using: &random))
        }
        lines += piece
        tail.append(
          piece.joined(separator: "\n"), stream: .standardOutput, isPartial: false,
          at: Timestamp(microseconds: 0))
      }
      #expect(tail.lines.map(\.text) == lines.suffix(OutputTail.linesMax))
      #expect(tail.current?.text == lines.last)
    }
  }
}
