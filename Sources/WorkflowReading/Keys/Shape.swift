// The shapes of values and the key tables, which validation and the JSON schema use. Rules that
// involve other parts of the file are in the readers.

import Workflows

/// The allowed form of a value.
package indirect enum Shape: Sendable {
  /// A scalar that is not null; whether expressions are allowed depends on the key.
  case text
  /// Text that may contain expressions.
  case template
  /// An expression, with or without its brackets.
  case condition
  /// A script, which must not contain expressions.
  case script
  case stepID
  case duration
  /// A number of bytes, with an optional unit.
  case size(allowsZero: Bool)
  case boolean
  case whole(ClosedRange<Int>)
  case decimal(ClosedRange<Double>)
  /// One of some words, and words of earlier versions for some of them.
  case choice([String], former: [String: String] = [:])
  case list(Shape, minimum: Int)
  case map(KeyTable)
  /// A map of user-defined names to values of a shape.
  case named(Names, Shape)
  /// A map of steps to the results that are expected of them; `any` can have a list of steps.
  case needsByResult
  /// A map with one key: a kind of runner, with its settings.
  case runnerKind
  /// A workflow within the file.
  case workflow
  /// The list of steps.
  case steps
  case branches
  case either([Shape])
  /// A value of a shape, or an expression that evaluates to such a value.
  case computed(Shape)
  /// A map of names to lists.
  case matrix
  /// Any value.
  case anything

  /// Text that may contain expressions, or a nonempty list of such texts.
  package static let someTexts = Shape.either([.template, .list(.template, minimum: 1)])
  /// Text that may contain expressions, or a list of such texts.
  package static let texts = Shape.either([.template, .list(.template, minimum: 0)])

  /// The allowed form of a name.
  package enum Names: Sendable {
    case variable, identifier
    /// The id of a step.
    case step
  }
}

/// A key of a map.
package struct Key: Sendable {
  package let name: String
  package let shape: Shape
  package let summary: String
  package let isRequired: Bool
  /// The part of a step that the key belongs to; nil if every step is checked for the key.
  package let part: StepPart?
  /// The keys that it cannot be combined with.
  package let excludedBy: [String]
  /// Its name in earlier versions, which is read with a warning.
  package let formerName: String?

  package init(
    _ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false,
    _ part: StepPart? = nil, excludedBy: [String] = [], formerly formerName: String? = nil
  ) {
    self.name = name
    self.shape = shape
    self.summary = summary
    self.isRequired = isRequired
    self.part = part
    self.excludedBy = excludedBy
    self.formerName = formerName
  }
}

/// A group of step keys that most steps do not have, skipped if all of its keys are missing.
package enum StepPart: Sendable {
  /// The keys that expand one step to many steps.
  case many
  case environment
  /// The keys for how a step runs, and the keys that use another file.
  case settings
  /// Everything else.
  case extras
}

/// The keys of one kind of map.
package struct KeyTable: Sendable {
  /// The name of the map in messages.
  package let place: String
  package let keys: [Key]
  /// The names of the keys; a linear search is faster than hashing for so few names.
  package let names: [String]

  /// Returns the key that had a name in earlier versions.
  package func key(formerly name: String) -> Key? { keys.first { $0.formerName == name } }

  /// Returns the position of a key, from 0; nil if there is no such key.
  package func position(of name: String) -> Int? { names.firstIndex(of: name) }

  /// Returns whether there is a key with a name.
  package func has(_ name: String) -> Bool { position(of: name) != nil }

  /// Returns the keys with the given names as bits, in the order of `keys`.
  package func bits(_ names: [String]) -> UInt64 {
    names.reduce(0) { bits, name in
      guard let position = position(of: name) else { return bits }
      return bits | 1 << UInt64(position)
    }
  }

  /// Returns the keys of a part of a step as bits.
  package func bits(of part: StepPart) -> UInt64 {
    bits(keys.filter { $0.part == part }.map(\.name))
  }

  /// Returns the keys that cannot be combined with another key.
  package func names(excludedBy other: String) -> [String] {
    keys.filter { $0.excludedBy.contains(other) }.map(\.name)
  }

  /// The keys of which at least one is required.
  package let oneOf: [String]
  /// The keys of which at most one is allowed.
  package let notBoth: [String]

  /// An example of the map, with `%` as the placeholder for text written instead of the map.
  package let example: String?
  /// Hints for keys of other tools, by key.
  package let advice: [String: String]

  /// Returns a hint for writing the map.
  ///
  /// - Parameter text: The text that is written instead of the map, if any.
  /// - Returns: The hint, or nil if there is no example.
  package func hint(insteadOf text: String?) -> String? {
    guard let example else { return nil }
    let parts = example.split(separator: "%", omittingEmptySubsequences: false)
    let text = text.flatMap { $0.isEmpty || $0.hasExpression ? nil : $0 }
    return "write it like: " + parts.joined(separator: text ?? "…")
  }

  package init(
    place: String, example: String? = nil, oneOf: [String] = [], notBoth: [String] = [],
    advice: [String: String] = [:], keys: [Key]
  ) {
    self.place = place
    self.example = example
    self.advice = advice
    self.keys = keys
    self.oneOf = oneOf
    self.notBoth = notBoth
    names = keys.map(\.name)
    precondition(keys.count <= UInt64.bitWidth, "each key needs a bit")
  }
}

extension String {
  /// Whether the string is a valid step id.
  package var isStepID: Bool {
    guard (1...64).contains(utf8.count), utf8.first != 0x5F, utf8.first != 0x2D else {
      return false
    }
    var id = self
    return id.withUTF8 { bytes in
      bytes.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == 0x5F || byte == 0x2D
      }
    }
  }
}
