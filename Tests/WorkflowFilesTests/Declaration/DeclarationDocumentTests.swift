// Compares the document of a declaration in Swift with the document parsed from its text.

import TestSupport
import Testing
import YAML

@testable import WorkflowFiles

struct DeclarationDocumentTests {
  private static let texts = [
    "", "a", "true", "12", "-", "- x", "a: b", "#", " a ", "two\nlines", "block\n  deeper\n", "é€𝄞",
    "say \"so\"", "tab\t", "a\u{0}b", "${{ params.x }}", "{ }", "[1]", "x\n\n", "<<", "null", "~",
    "\n", "~/bin", "a\r", "- a\n- b", "'q'", "a # b", "yes",
  ]

  private static func value(
    _ depth: Int, using random: inout SeededGenerator
  ) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &random))
    case 2: return .number([0, -1, 1.5, 1e21, 12_345_678].randomElement(using: &random) ?? 0)
    case 3: return .text(texts.randomElement(using: &random) ?? "")
    case 4:
      return .list(
        (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1, using: &random) })
    default:
      var values: [String: Value] = [:]
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        values[texts.randomElement(using: &random) ?? ""] = value(depth - 1, using: &random)
      }
      return .map(values)
    }
  }

  private static func items(
    _ depth: Int, using random: inout SeededGenerator
  ) -> [WorkflowItem] {
    (0..<Int.random(in: 0...3, using: &random)).map { _ in
      switch Int.random(in: 0..<(depth > 0 ? 3 : 1), using: &random) {
      case 0:
        // A duplicate setting must be reported at the same position in both documents.
        let settings = (0..<Int.random(in: 0...3, using: &random)).map { _ in
          StepSetting.outputs(["x": TemplateValue(value(2, using: &random))])
        }
        let id = texts.randomElement(using: &random) ?? ""
        let action = [("run", value(1, using: &random))]
        return WorkflowItem(.step(Step(id, action, settings, DeclarationPlace("f", 1))))
      case 1: return WorkflowItem(.parallel(DeclaredGroup(items: items(depth - 1, using: &random))))
      default:
        return WorkflowItem(.sequence(DeclaredGroup(items: items(depth - 1, using: &random))))
      }
    }
  }

  private static func description(_ node: Node?) -> String {
    guard let node else { return "nothing" }
    let place = "\(node.mark.line):\(node.mark.column)+\(node.length) "
    switch node.content {
    case .scalar(let text, let isPlain):
      return place + (isPlain ? "" : "quoted ") + text.debugDescription
    case .sequence(let nodes):
      return place + "[" + nodes.map { description($0) }.joined(separator: ", ") + "]"
    case .mapping(let pairs):
      return place + "{"
        + pairs.map { description($0.key) + " = " + description($0.value) }.joined(separator: ", ")
        + "}"
    }
  }

  @Test func `a declaration equals the document parsed from its text`() {
    var random = SeededGenerator.announced()
    for _ in 0..<rounds(300, soak: 20_000) {
      let settings: [WorkflowSetting] =
        [.environment(["A": TemplateValue(Self.value(2, using: &random))])]
        + (Bool.random(using: &random)
          ? [.parameter("p"), .parameter("q", default: "x"), .description("two\nlines")] : [])
      let declared = DeclarationText(
        name: Self.texts.randomElement(using: &random) ?? "", settings,
        steps: Self.items(3, using: &random), finally: Self.items(1, using: &random),
        DeclarationPlace("f", 1))
      let read = Document(SourceText(Array(declared.text.utf8)))
      #expect(
        Self.description(declared.document.root) == Self.description(read.root), "\(declared.text)")
      #expect(declared.document.problems == read.problems, "\(declared.text)")
    }
  }
}
