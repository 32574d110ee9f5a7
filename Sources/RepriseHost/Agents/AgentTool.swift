// How a tool is declared: its name, its description, and a JSON schema of its arguments. Pure.

package import Reprise
import RepriseTerminal

/// A tool that a model can call.
package struct AgentTool: Sendable {
  /// An argument.
  package struct Field: Sendable {
    /// What an argument is.
    package enum Kind: Sendable, Equatable {
      case text
      case flag
      /// A whole number of at least this, and at most that.
      case whole(ClosedRange<Int>)
      /// Values by name; numbers, lists and maps are texts in JSON.
      case texts
    }

    let name: String
    let kind: Kind
    let description: String
    let isRequired: Bool

    /// Declares an argument.
    package init(
      _ name: String, _ description: String, _ kind: Kind = .text, isRequired: Bool = false
    ) {
      self.name = name
      self.kind = kind
      self.description = description
      self.isRequired = isRequired
    }
  }

  /// The name by which it is called.
  package let name: String
  private let title: String
  private let description: String
  private let fields: [Field]
  private let isReadOnly: Bool

  /// Declares a tool.
  ///
  /// - Parameters:
  ///   - name: The name by which it is called.
  ///   - title: What people see of it.
  ///   - description: What a model must know to choose it and to understand its result.
  ///   - isReadOnly: Whether it changes nothing.
  ///   - fields: Its arguments.
  package init(
    _ name: String, title: String, _ description: String, isReadOnly: Bool = false,
    _ fields: [Field] = []
  ) {
    self.name = name
    self.title = title
    self.description = description
    self.fields = fields
    self.isReadOnly = isReadOnly
  }

  /// The tool as `tools/list` has it.
  package var declaration: Value {
    let properties = fields.map { ($0.name, Value.map($0.schema)) }
    return .map([
      "name": .text(name), "title": .text(title), "description": .text(description),
      "annotations": .map(["title": .text(title), "readOnlyHint": .boolean(isReadOnly)]),
      "inputSchema": .map([
        "type": .text("object"),
        "properties": .map(Dictionary(uniqueKeysWithValues: properties)),
        "required": .list(fields.filter(\.isRequired).map { .text($0.name) }),
        "additionalProperties": .boolean(false),
      ]),
    ])
  }

  /// Checks arguments.
  ///
  /// - Parameter values: The values by name.
  /// - Returns: The arguments.
  /// - Throws: ``Problem`` if one is unknown, missing, or not what the schema says.
  package func arguments(_ values: [String: Value]) throws(Problem) -> AgentArguments {
    let names = fields.map(\.name)
    if let unknown = values.keys.sorted().first(where: { !names.contains($0) }) {
      let near = nearest(to: unknown, among: names)
      let hint: TerminalSafe = near.map { "; did you mean \"\($0)\"?" } ?? ""
      let all: TerminalSafe =
        names.isEmpty ? "it has none" : "it has: \(names.joined(separator: ", "))"
      throw Problem("error: \(name) has no argument \"\(unknown)\"\(hint) (\(all))")
    }
    for field in fields {
      guard let value = values[field.name], value != .null else {
        guard field.isRequired else { continue }
        throw Problem("error: the argument \"\(field.name)\" of \(name) is missing")
      }
      guard field.accepts(value) else {
        throw Problem("error: the argument \"\(field.name)\" of \(name) must be \(field.words)")
      }
    }
    return AgentArguments(values: values)
  }
}

extension AgentTool.Field {
  /// The JSON schema of the argument.
  fileprivate var schema: [String: Value] {
    var schema: [String: Value] = ["description": .text(description)]
    switch kind {
    case .text: schema["type"] = .text("string")
    case .flag: schema["type"] = .text("boolean")
    case .texts: schema["type"] = .text("object")
    case .whole(let range):
      schema["type"] = .text("integer")
      schema["minimum"] = .number(Double(range.lowerBound))
      schema["maximum"] = .number(Double(range.upperBound))
    }
    return schema
  }

  fileprivate var words: String {
    switch kind {
    case .text: "a text"
    case .flag: "true or false"
    case .texts: "an object with a value for each name"
    case .whole(let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }
  }

  fileprivate func accepts(_ value: Value) -> Bool {
    switch (kind, value) {
    case (.text, .text), (.flag, .boolean): true
    case (.texts, .map(let values)): !values.values.contains(.null)
    case (.whole(let range), .number(let number)):
      Int(exactly: number).map(range.contains) ?? false
    default: false
    }
  }
}

/// Arguments of a tool that agree with its schema.
package struct AgentArguments: Sendable {
  fileprivate let values: [String: Value]

  /// Returns a text; nil if it was not given.
  package func text(_ name: String) -> String? { values[name]?.textOnly }

  /// Returns a text that the schema requires.
  package func required(_ name: String) -> String { text(name) ?? "" }

  /// Returns whether a flag was given as true.
  package func flag(_ name: String) -> Bool { values[name] == .boolean(true) }

  /// Returns whether a flag was given as false.
  package func isFalse(_ name: String) -> Bool { values[name] == .boolean(false) }

  /// Returns a whole number; nil if it was not given.
  package func whole(_ name: String) -> Int? {
    guard case .number(let number)? = values[name] else { return nil }
    return Int(exactly: number)
  }

  /// Returns values by name, as texts.
  package func texts(_ name: String) -> [String: String] {
    (values[name]?.members ?? [:]).mapValues(\.asText)
  }
}
