// What a value in a file may look like, as far as that can be said without the rest of the file. The
// JSON schema is drawn from it.

/// What the value of a key may be.
indirect enum Shape: Sendable {
  /// A scalar that says something, in which expressions may stand or not.
  case text
  /// A text in which expressions may stand.
  case template
  /// An expression, with or without its brackets.
  case condition
  /// A script, in which no expression may stand.
  case script
  case stepID
  case duration
  case boolean
  case whole(ClosedRange<Int>)
  case decimal(ClosedRange<Double>)
  case choice([String])
  case list(Shape, minimum: Int)
  case map(KeyTable)
  /// Names of the file's own, each with such a value.
  case named(Names, Shape)
  /// The list of steps.
  case steps
  case branches
  case either([Shape])
  /// Such a value, or a text with an expression that comes to one.
  case computed(Shape)
  /// Names with lists.
  case matrix
  /// Anything at all.
  case anything

  /// A text in which expressions may stand, or a list of at least one.
  static let someTexts = Shape.either([.template, .list(.template, minimum: 1)])
  /// A text in which expressions may stand, or a list of them.
  static let texts = Shape.either([.template, .list(.template, minimum: 0)])

  /// What names may be like.
  enum Names: Sendable {
    case variable, identifier
  }
}

/// A key that may stand in a map.
struct Key: Sendable {
  let name: String
  let shape: Shape
  let summary: String
  let isRequired: Bool
  /// The part of a step that it belongs to; nil for a key that is looked for in every step.
  let part: StepPart?
  /// The keys beside which it cannot be.
  let excludedBy: [String]

  init(
    _ name: String, _ shape: Shape, _ summary: String, isRequired: Bool = false,
    _ part: StepPart? = nil, excludedBy: [String] = []
  ) {
    self.name = name
    self.shape = shape
    self.summary = summary
    self.isRequired = isRequired
    self.part = part
    self.excludedBy = excludedBy
  }
}

/// Keys of a step that most steps do not have: where all of a part are missing, it is not read.
enum StepPart: Sendable {
  /// What makes many steps of one.
  case many
  case environment
  /// How it is run, and what stands for another file.
  case settings
  /// Everything else.
  case extras
}

/// The keys that may stand in one kind of map.
struct KeyTable: Sendable {
  /// What such a map is called in messages.
  let place: String
  let keys: [Key]
  /// The names of the keys: a handful of short ones is looked through faster than one is hashed.
  let names: [String]

  /// The position of a key among all, from 0; nil where there is none of that name.
  func position(of name: String) -> Int? { names.firstIndex(of: name) }

  /// Whether there is a key of a name.
  func has(_ name: String) -> Bool { position(of: name) != nil }

  /// The keys of some names as bits, in the order of `keys`.
  func bits(_ names: [String]) -> UInt64 {
    names.reduce(0) { bits, name in
      guard let position = position(of: name) else { return bits }
      return bits | 1 << UInt64(position)
    }
  }

  /// The keys of a part of a step as bits.
  func bits(of part: StepPart) -> UInt64 { bits(keys.filter { $0.part == part }.map(\.name)) }

  /// The keys that cannot be beside another one.
  func names(excludedBy other: String) -> [String] {
    keys.filter { $0.excludedBy.contains(other) }.map(\.name)
  }

  /// Of these keys at least one has to be there.
  let oneOf: [String]
  /// Of these keys at most one may be there.
  let notBoth: [String]

  /// How such a map is written, with `%` for a text that is there instead of it.
  let example: String?
  /// What to do instead of writing a key that is known from other tools, by its name.
  let advice: [String: String]

  /// How to write the map, for a hint.
  ///
  /// - Parameter text: What is there instead of it, if it is a text.
  /// - Returns: The hint, or nil where there is no example.
  func hint(insteadOf text: String?) -> String? {
    guard let example else { return nil }
    let parts = example.split(separator: "%", omittingEmptySubsequences: false)
    let text = text.flatMap { $0.isEmpty || $0.hasExpression ? nil : $0 }
    return "write it like: " + parts.joined(separator: text ?? "…")
  }

  init(
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
    precondition(keys.count <= UInt64.bitWidth, "a bit stands for each key")
  }
}
