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
      ("quote=\"'$(x)`\n", ["quote": "\"'$(x)`"]),
    ] as [(String, StepOutputs)])
  func `names and values are read as they are`(_ text: String, _ outputs: StepOutputs) throws {
    #expect(try OutputText.outputs(in: text) == outputs)
  }

  @Test func `what is not UTF-8 is refused with its line`() {
    let bytes = Array("a=1\nb=".utf8) + [0xFF] + Array("\nc=2\n".utf8)
    let mistake = #expect(throws: OutputText.Mistake.self) { try OutputText.outputs(in: bytes) }
    #expect(mistake?.line == 2 && mistake?.message.contains("not UTF-8") == true)
  }

  @Test(
    arguments: [
      ("hello\n", 1), ("a=1\n=2\n", 2), ("9a=1\n", 1), ("a b=1\n", 1), ("a<<END\nx\n", 1),
      ("a=1\n\nb<<\nx\n", 3), ("ä=1\n", 1),
    ] as [(String, Int)])
  func `what makes no sense is told with its line`(_ text: String, _ line: Int) {
    let mistake = #expect(throws: OutputText.Mistake.self) { try OutputText.outputs(in: text) }
    #expect(mistake?.line == line)
  }
}
