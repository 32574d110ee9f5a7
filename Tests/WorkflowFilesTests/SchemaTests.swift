import TestSupport
import Testing
import WorkflowReading

@testable import WorkflowFiles
@testable import YAML

/// The JSON Schema for editors and the reader accept and refuse the same shapes.
struct SchemaTests {
  private static let schema = try? Value(json: Workflow.jsonSchema())

  /// Values of every kind, as they are written.
  private static let values = [
    "x", "''", "true", "false", "1", "0", "-1", "1.5", "5s", "[]", "[x]", "[1, 2]", "[[x]]", "{}",
    "{a: b}", "{from: 1, to: 2}", "{limit: 2}", "{limit: 0}", "{env: A}", "{inputs: [a]}", "~",
    "\"${{ params.n }}\"", "success", "[success, failure]", "{A: b}", "{1: b}",
  ]

  private static let cases: [String] = values.flatMap { value in
    stepCases(value) + workflowCases(value) + otherCases(value)
  }

  private static func stepCases(_ value: String) -> [String] {
    let others: Set = ["id", "run", "uses", "with"]
    let names = KeyTable.step.keys.map(\.name).filter { !others.contains($0) }
    return names.map { name -> String in
      let isOfMany = ["max-parallel", "fail-fast", "item-id", "max-items"].contains(name)
      let many = isOfMany ? "foreach: [1], " : ""
      let action = KeyTable.step.notBoth.contains(name) ? "" : "run: x, "
      guard name == "when" else {
        return "params: {n: 1}\nsteps: [{id: a, \(action)\(many)\(name): \(value)}]\n"
      }
      return
        "params: {n: 1}\nsteps: [{id: a, run: x}]\nfinally: [{id: b, run: x, when: \(value)}]\n"
    }
  }

  private static func workflowCases(_ value: String) -> [String] {
    let others: Set = ["steps", "params", "finally", "outputs", "dotenv"]
    let names = Tables.workflow.keys.keys.map(\.name).filter { !others.contains($0) }
    return names.map { "params: {n: 1}\n\($0): \(value)\nsteps: [{id: a, run: x}]\n" }
  }

  private static func otherCases(_ value: String) -> [String] {
    let step = "steps: [{id: a, run: x}]\n"
    var cases: [String] = []
    cases.append("params: {n: 1}\nsteps: \(value)\n")
    cases.append("params: {n: 1}\nfinally: \(value)\n" + step)
    cases.append("params: {p: \(value)}\n" + step)
    cases.append("params: {p: {type: \(value)}}\n" + step)
    cases.append("params: {p: {options: \(value)}}\n" + step)
    cases.append("steps: [{id: \(value), run: x}]\n")
    cases.append("steps: [{id: a, run: \(value)}]\n")
    cases.append("steps: [{parallel: \(value)}]\n")
    cases.append("steps: [{id: a, run: x}, \(value)]\n")
    cases.append("unknown: \(value)\n" + step)
    cases.append("steps: [{id: a, run: x, unknown: \(value)}]\n")
    for action in ["run: x, exec: [x]", "run: x, call: x", "exec: [x], call: x"] {
      cases.append("params: {p: \(value)}\nsteps: [{id: a, \(action)}]\n")
    }
    for key in ["delay", "jitter", "for"] {
      cases.append(
        "params: {n: 1}\nsteps: [{id: a, run: x, retry: {limit: 1, \(key): \(value)}}]\n")
    }
    cases.append("params: {n: 1}\nsteps: [{id: a, run: x, cache: {inputs: \(value)}}]\n")
    cases.append("params: {n: 1}\nconcurrency: {group: \(value), policy: queue}\n" + step)
    cases.append("concurrency: {group: g, policy: \(value)}\n" + step)
    for key in ["files", "schedule", "stdin", "socket", "after", "start"] {
      cases.append("params: {n: 1}\non: {\(key): \(value)}\n" + step)
    }
    for key in ["when-busy", "debounce", "buffer"] {
      cases.append("params: {n: 1}\non: {start: true, \(key): \(value)}\n" + step)
    }
    cases.append("on: {start: true, when-busy: restart, restart-from: \(value)}\n" + step)
    for key in ["paths", "ignore", "gitignore"] {
      let paths = key == "paths" ? "" : "paths: a, "
      cases.append("params: {n: 1}\non: {files: {\(paths)\(key): \(value)}}\n" + step)
    }
    for key in ["every", "missed"] {
      let every = key == "every" ? "" : "every: 1m, "
      cases.append("params: {n: 1}\non: {schedule: {\(every)\(key): \(value)}}\n" + step)
    }
    for key in ["size", "when-full"] {
      cases.append("on: {start: true, buffer: {\(key): \(value)}}\n" + step)
    }
    return cases
  }

  /// Codes of errors that only the reader can detect: names and the values of expressions.
  private static let beyondShapes: Set = [
    "R0205", "R0208", "R0209", "R0210", "R0306", "R0307", "R0308", "R0309", "R0401", "R0403",
    "R0501",
    "R0503", "R0505", "R0510", "R0516", "R0602", "R0604", "R0706", "R0809",
  ]

  @Test(arguments: cases) func `the schema and the reader agree about a file`(_ text: String) throws
  {
    let document = Document(SourceText(Array(text.utf8)))
    let root = try #require(document.root)
    let schema = try #require(Self.schema)
    let isValid = Validator(schema).accepts(Value(root), schema)
    do {
      _ = try Workflow(text: text, file: "w.yaml")
      #expect(isValid, "the reader accepts what the schema refuses")
    } catch {
      let isAboutShape = error.diagnostics.contains { diagnostic in
        diagnostic.severity == .error
          && !Self.beyondShapes.contains(diagnostic.code)
          // The value of an expression, which only the reader knows.
          && !diagnostic.message.hasPrefix("a matrix must be a map")
          && !(diagnostic.code == "R0211" && text.contains("${{"))
      }
      #expect(!isValid || !isAboutShape, "the schema accepts what the reader refuses: \(error)")
    }
  }

  /// The codes of errors about the forms of single values, which a schema can detect.
  private static let ofShapes: Set = ["R0201", "R0202", "R0203", "R0204"]

  /// Files with some keys of each kind of map, and any values.
  @Test func `the schema and the reader agree about random maps of every table`() throws {
    let schema = try #require(Self.schema)
    var random = SeededGenerator.announced()
    for _ in 0..<(isSoak ? 20_000 : 2000) {
      let place = try #require(KeyReadingTests.places.randomElement(using: &random))
      let pairs = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let key = place.table.keys.randomElement(using: &random)
        return "\(key?.name ?? ""): \(Self.values.randomElement(using: &random) ?? "")"
      }
      let separator = place.text.hasPrefix("KEY") ? "\n" : ", "
      let text =
        "params: {n: 1}\n"
        + place.text.replacing("KEY: VALUE", with: pairs.joined(separator: separator))
      let document = Document(SourceText(Array(text.utf8)))
      guard document.problems.isEmpty, let root = document.root else { continue }
      let isValid = Validator(schema).accepts(Value(root), schema)
      do {
        _ = try Workflow(text: text, file: "w.yaml")
        #expect(isValid, "the reader accepts what the schema refuses: \(text)")
      } catch {
        let isAboutShape = error.diagnostics.contains {
          // The value of an expression, which only the reader knows.
          Self.ofShapes.contains($0.code) && !$0.message.hasPrefix("a matrix must be a map")
        }
        #expect(!isValid || !isAboutShape, "the schema accepts what the reader refuses: \(error)")
      }
    }
  }

  @Test func `the schema contains every key with its description`() throws {
    let text = Workflow.jsonSchema()
    for table in [
      Tables.workflow.keys, .step, Tables.parameter.keys, Tables.secret.keys, Tables.retry.keys,
      Tables.cache.keys, Tables.concurrency.keys, Tables.keep.keys,
    ] {
      for key in table.keys {
        #expect(text.contains(Value.quoted(key.name)) && text.contains(Value.quoted(key.summary)))
      }
    }
  }
}

/// The subset of JSON Schema (draft 7) that our schema uses.
private struct Validator {
  let root: Value

  init(_ root: Value) {
    self.root = root
  }

  func accepts(_ value: Value, _ schema: Value) -> Bool {
    guard case .map(let rules) = schema else { return true }
    return rules.allSatisfy { name, rule in accepts(value, name, rule, rules) }
  }

  private func accepts(
    _ value: Value, _ name: String, _ rule: Value, _ rules: [String: Value]
  ) -> Bool {
    switch (name, rule, value) {
    case ("$ref", .text(let path), _):
      var found = root
      for part in path.split(separator: "/").dropFirst() {
        guard case .map(let values) = found else { return false }
        found = values[String(part)] ?? .null
      }
      return accepts(value, found)
    case ("type", .text(let type), _): return has(value, type)
    case ("type", .list(let types), _): return types.contains { has(value, $0.asText) }
    case ("enum", .list(let options), _): return options.contains(value)
    case ("anyOf", .list(let schemas), _): return schemas.contains { accepts(value, $0) }
    case ("not", let schema, _): return !accepts(value, schema)
    case ("pattern", .text(let pattern), .text(let text)): return matches(text, pattern)
    case ("minimum", .number(let bound), .number(let number)): return number >= bound
    case ("maximum", .number(let bound), .number(let number)): return number <= bound
    case ("minItems", .number(let bound), .list(let items)): return Double(items.count) >= bound
    case ("minProperties", .number(let bound), .map(let values)):
      return Double(values.count) >= bound
    case ("items", let schema, .list(let items)): return items.allSatisfy { accepts($0, schema) }
    case ("required", .list(let names), .map(let values)):
      return names.allSatisfy { values[$0.asText] != nil }
    case ("dependencies", .map(let needed), .map(let values)):
      return needed.allSatisfy { name, others in
        values[name] == nil || accepts(value, "required", others, rules)
      }
    case ("propertyNames", let schema, .map(let values)):
      return values.keys.allSatisfy { accepts(.text($0), schema) }
    case ("properties", .map(let properties), .map(let values)):
      return properties.allSatisfy { name, schema in
        values[name].map { accepts($0, schema) } ?? true
      }
    case ("additionalProperties", let schema, .map(let values)):
      var known: [String: Value] = [:]
      if case .map(let properties)? = rules["properties"] { known = properties }
      let others = values.filter { known[$0.key] == nil }
      return schema == .boolean(false)
        ? others.isEmpty : others.values.allSatisfy { accepts($0, schema) }
    default: return true
    }
  }

  private func has(_ value: Value, _ type: String) -> Bool {
    switch (type, value) {
    case ("string", .text), ("boolean", .boolean), ("array", .list), ("object", .map),
      ("number", .number):
      true
    case ("integer", .number(let number)): number == number.rounded()
    default: false
    }
  }

  private func matches(_ text: String, _ pattern: String) -> Bool {
    guard let regex = try? Regex(pattern) else { return false }
    return text.contains(regex)
  }
}
