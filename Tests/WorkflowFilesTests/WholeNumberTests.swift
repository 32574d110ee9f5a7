// Whole numbers of 2^53 and more stay exact on every way in and out.

import Foundation
import Testing

@testable import WorkflowFiles

struct WholeNumberTests {
  private static let large = [
    "9007199254740993", "1234567890123456789", "-9223372036854775808", "18446744073709551615",
    "123456789012345678901234567890",
  ]

  @Test(arguments: large)
  func `JSON is read and written with the same digits`(digits: String) throws {
    let value = try Value(json: "{\"id\":[\(digits)]}")
    #expect(value.json == "{\"id\":[\(digits)]}")
    guard case .map(let members) = value, case .list(let items)? = members["id"] else {
      Issue.record("\(value)")
      return
    }
    #expect(items[0].asText == digits && items[0].isTruthy)
    // 64 bits are coded as a number, more of them as text.
    let coded = try JSONEncoder().encode(items)
    #expect(try JSONDecoder().decode([Value].self, from: coded).map(\.asText) == [digits])
    if digits.count <= 20 { #expect(String(decoding: coded, as: UTF8.self) == "[\(digits)]") }
  }

  @Test(arguments: large)
  func `parameters and items keep their digits`(digits: String) throws {
    for kind: Parameter.Kind in [.integer, .number] {
      #expect(try Parameter(name: "n", kind: kind).value(of: digits).asText == digits)
    }
    let text = "params: { n: \(digits) }\nsteps: [{ id: a, run: x, matrix: { v: [\(digits)] } }]"
    let workflow = try Workflow(text: text, file: "w.yaml")
    #expect(workflow.warnings.isEmpty, "\(workflow.warnings)")
    #expect(workflow.parameters[0].defaultValue?.asText == digits)
    #expect(workflow.parameters[0].kind == .number)
  }

  @Test func `comparisons of large numbers are exact`() throws {
    let (small, large) = (try Value(json: "9007199254740992"), try Value(json: "9007199254740993"))
    #expect(small.isLess(than: large) == true && large.isLess(than: small) == false)
    #expect(!small.equals(large) && small.equals(.number(0x1p53)))
    let (low, high) = (try Value(json: "-9007199254740993"), try Value(json: "-9007199254740992"))
    #expect(low.isLess(than: high) == true && high.isLess(than: low) == false)
    #expect(low.isLess(than: .number(0)) == true && Value.text("a").isLess(than: low) == nil)
    #expect(try Value(json: "9007199254740991") == .number(9_007_199_254_740_991))
    #expect(try Value(json: "1e300") == .number(1e300))
  }

  @Test func `arithmetic that would not be exact is an error`() throws {
    let sum = "\"${{ 9007199254740993 + 1 }}\""
    let text = "steps: [{ id: a, run: x, max-parallel: \(sum), foreach: [1] }]"
    #expect(diagnostics(text).map(\.code) == ["R0524"])
  }

  @Test func `a parameter file in JSON means the same as in YAML`() throws {
    func texts(_ text: String) throws -> [String: String] {
      try Arguments.texts(in: Array(text.utf8), file: "p")
    }
    let numbers = ["version": "1.10", "build": "9007199254740993"]
    #expect(try texts(#"{"version": 1.10, "build": 9007199254740993}"#) == numbers)
    #expect(try texts("version: 1.10\nbuild: 9007199254740993") == numbers)
    #expect(
      try texts(#"{"b": true, "l": [1, "x"], "t": "\u0001"}"#)
        == ["b": "true", "l": "[1,\"x\"]", "t": "\u{1}"])
    for (text, code) in [
      (#"{"version": null}"#, "R0204"), (#"{"version": "a", "version": "b"}"#, "R0116"),
      (#"{"v": {"a": 1, "a": 2}}"#, "R0116"),
    ] {
      let error = #expect(throws: WorkflowError.self) { try texts(text) }
      #expect(error?.diagnostics.map(\.code) == [code], "\(text)")
    }
  }
}
