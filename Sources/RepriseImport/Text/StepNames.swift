// Unique ids of steps and names of variables and parameters, made from texts of any kind.

/// Unique names within a file.
struct StepNames {
  /// The maximum length of the id of a step.
  private static let lengthMax = 48

  private(set) var taken: Set<String> = []

  /// Returns an id that no other step has: the text in lower case, with `-` between the words.
  mutating func id(for text: String, otherwise fallback: String) -> String {
    var words = ""
    for character in text.lowercased() {
      if character.isASCII, character.isLetter || character.isNumber || character == "_" {
        words.append(character)
      } else if words.last != "-" {
        words.append("-")
      }
    }
    var base = words.drop { $0 == "-" || $0 == "_" }.prefix(Self.lengthMax)
    while base.last == "-" { base.removeLast() }
    let start = base.isEmpty ? fallback : String(base)
    var id = start
    var number = 2
    while !taken.insert(id).inserted {
      id = "\(start)-\(number)"
      number += 1
    }
    return id
  }

  /// Returns a name for a workflow, which begins with no number.
  mutating func workflow(for text: String, otherwise fallback: String) -> String {
    let isNumber = text.first { $0.isLetter || $0.isNumber }?.isNumber == true
    return id(for: isNumber ? "\(fallback)-\(text)" : text, otherwise: fallback)
  }

  /// Returns a name of a variable or parameter: letters, digits and `_`.
  static func identifier(_ text: String) -> String {
    let name = String(
      text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return name.first?.isNumber == true ? "_" + name : name
  }
}
