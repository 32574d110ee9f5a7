// `ItemNames`: how the names in the steps of one item differ from those in their template.

/// The names of the steps of one item, computed from those of the template of all items.
///
/// The ids of a template begin with that of the step and `[*]`, which no other id contains. Its
/// labels and names contain a mark in place of the label of the item.
package struct ItemNames: Sendable {
  private let template: String
  private let item: String
  private let mark: String
  private let label: String

  /// Creates the names for an item.
  ///
  /// - Parameters:
  ///   - step: The id of the step that is expanded.
  ///   - mark: The mark in its template.
  ///   - item: The item.
  package init(of step: String, mark: String, for item: ExpandedItem) {
    template = Self.template(of: step)
    self.item = item.id(in: step)
    self.mark = mark
    label = item.label
  }

  /// Returns the id of the template of a step, such as `test[*]`.
  package static func template(of step: String) -> String { step + "[*]" }

  /// Returns the step whose template has a name, such as `test` for `test[*]`; nil for other names.
  package static func fan(ofTemplate name: String) -> Substring? {
    name.hasSuffix("[*]") ? name.dropLast(3) : nil
  }

  /// Returns whether an id is that of a step or group of an item of a step.
  package static func isOfItem(_ id: String, of step: String) -> Bool {
    id.hasPrefix(step) && id.utf8.dropFirst(step.utf8.count).first == UInt8(ascii: "[")
  }

  /// Whether an id is that of a step or group of a template.
  static func isOfTemplate(_ id: String) -> Bool { id.utf8.contains(UInt8(ascii: "*")) }

  /// Returns the mark of the label of an item, given the number of the step that has the item.
  package static func mark(of number: Int) -> String { "\u{27EA}\(number)\u{27EB}" }

  /// Returns whether an id is that of a step or group of an item, given the steps that have items.
  package static func isOfItem(_ id: String, of steps: Set<String>) -> Bool {
    id.indices.contains { position in
      id[position] == "[" && !id[position...].hasPrefix("[*]")
        && steps.contains(String(id[..<position]))
    }
  }

  /// Returns the id of a step or group; unchanged if it is not of the template.
  package func id(_ id: String) -> String {
    id.hasPrefix(template) ? item + id.dropFirst(template.count) : id
  }

  /// Returns the name of a step or group for displays, or a label.
  package func text(_ text: String) -> String {
    let text = id(text)
    guard var found = text.firstRange(of: mark) else { return text }
    var result = ""
    var rest = text[...]
    while true {
      result += rest[..<found.lowerBound] + label
      rest = rest[found.upperBound...]
      guard let next = rest.firstRange(of: mark) else { return result + rest }
      found = next
    }
  }
}
