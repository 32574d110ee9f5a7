// Parses regular expressions for `TextPattern`.

/// The syntax tree of a regular expression.
package indirect enum PatternNode {
  case one(ScalarSet)
  case start
  case end
  case wordEdge
  case sequence([PatternNode])
  case either(PatternNode, PatternNode)
  case repeated(PatternNode, least: Int, most: Int?)

  /// Appends the instructions of this node to a program.
  ///
  /// - Throws: ``PatternError`` if the program is too large.
  package func append(to program: inout [TextPattern.Instruction]) throws(PatternError) {
    guard program.count < TextPattern.sizeMax else {
      throw PatternError(message: "the pattern is too large; use fewer or smaller repetitions")
    }
    switch self {
    case .one(let set): program.append(.one(set))
    case .start: program.append(.start)
    case .end: program.append(.end)
    case .wordEdge: program.append(.wordEdge)
    case .sequence(let nodes): for node in nodes { try node.append(to: &program) }
    case .either(let first, let second):
      let split = program.count
      program.append(.match)
      try first.append(to: &program)
      let jump = program.count
      program.append(.match)
      program[split] = .split(split + 1, program.count)
      try second.append(to: &program)
      program[jump] = .jump(program.count)
    case .repeated(let node, let least, let most):
      try node.append(to: &program, from: least, to: most)
    }
  }

  /// Appends repetitions of this node; nil is no maximum.
  private func append(
    to program: inout [TextPattern.Instruction], from least: Int, to most: Int?
  ) throws(PatternError) {
    for _ in 0..<least {
      let start = program.count
      try append(to: &program)
      // Without this, repetitions of an empty group would multiply time without bound.
      if program.count == start { return }
    }
    guard let most else {
      let split = program.count
      program.append(.match)
      try append(to: &program)
      program.append(.jump(split))
      program[split] = .split(split + 1, program.count)
      return
    }
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(program.count)
      program.append(.match)
      try append(to: &program)
    }
    for split in splits { program[split] = .split(split + 1, program.count) }
  }
}

/// Parses one pattern.
package struct TextPatternParser {
  private static let depthMax = 30
  /// The maximum number of a repetition.
  private static let countMax = 1000

  private let scalars: [Unicode.Scalar]
  private var position = 0

  package init(_ text: String) throws(PatternError) {
    scalars = Array(text.unicodeScalars)
    guard scalars.count <= TextPattern.lengthMax else {
      throw PatternError(
        message: "the pattern has more than \(TextPattern.lengthMax) characters")
    }
  }

  /// Parses the whole text.
  package mutating func pattern() throws(PatternError) -> PatternNode {
    let node = try alternatives(depth: 0)
    guard position == scalars.count else { throw PatternError(message: "unmatched )") }
    return node
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  private mutating func alternatives(depth: Int) throws(PatternError) -> PatternNode {
    guard depth <= Self.depthMax else {
      throw PatternError(message: "groups are nested more than \(Self.depthMax) levels deep")
    }
    var branches = [try sequence(depth: depth)]
    while take("|") { branches.append(try sequence(depth: depth)) }
    // Halving keeps the tree shallow, however many branches there are.
    return Self.balanced(branches[...])
  }

  private static func balanced(_ branches: ArraySlice<PatternNode>) -> PatternNode {
    guard branches.count > 1 else { return branches[branches.startIndex] }
    let middle = branches.startIndex + branches.count / 2
    return .either(balanced(branches[..<middle]), balanced(branches[middle...]))
  }

  private mutating func sequence(depth: Int) throws(PatternError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      nodes.append(try repetition(of: try item(depth: depth)))
    }
    return .sequence(nodes)
  }

  private mutating func item(depth: Int) throws(PatternError) -> PatternNode {
    let scalar = scalars[position]
    position += 1
    switch scalar {
    case ".": return .one(.any)
    case "^": return .start
    case "$": return .end
    case "[": return .one(try set())
    case "\\":
      if take("b") { return .wordEdge }
      return .one(try escaped())
    case "*", "+", "?":
      throw PatternError(message: "there is nothing before \(scalar) to repeat")
    case "(":
      if take("?"), !take(":") {
        throw PatternError(message: "after (? only : is possible; there is no look-around")
      }
      let node = try alternatives(depth: depth + 1)
      guard take(")") else { throw PatternError(message: "unmatched (") }
      return node
    default: return .one(ScalarSet(ranges: [scalar.value...scalar.value]))
    }
  }

  private mutating func repetition(of node: PatternNode) throws(PatternError) -> PatternNode {
    let result: PatternNode
    if take("*") {
      result = .repeated(node, least: 0, most: nil)
    } else if take("+") {
      result = .repeated(node, least: 1, most: nil)
    } else if take("?") {
      result = .repeated(node, least: 0, most: 1)
    } else if take("{") {
      result = try counted(node)
    } else {
      return node
    }
    guard let scalar = next, ["*", "+", "?", "{"].contains(scalar) else { return result }
    throw PatternError(
      message: "\(scalar) cannot follow another repetition; put that in parentheses")
  }

  /// Parses `2}`, `2,}` or `2,5}` after the opening brace.
  private mutating func counted(_ node: PatternNode) throws(PatternError) -> PatternNode {
    let error = PatternError(
      message: "a repetition must be written like {2}, {2,} or {2,5}, with at most "
        + "\(Self.countMax); write \\{ for the character")
    guard let least = number() else { throw error }
    if take("}") { return .repeated(node, least: least, most: least) }
    guard take(",") else { throw error }
    if take("}") { return .repeated(node, least: least, most: nil) }
    guard let most = number(), most >= least, take("}") else { throw error }
    return .repeated(node, least: least, most: most)
  }

  private mutating func number() -> Int? {
    var result: Int?
    while let scalar = next, ("0"..."9").contains(scalar) {
      result = (result ?? 0) * 10 + Int(scalar.value - 0x30)
      guard let result, result <= Self.countMax else { return nil }
      position += 1
    }
    return result
  }

  /// Parses what follows a backslash.
  private mutating func escaped() throws(PatternError) -> ScalarSet {
    guard let scalar = next else { throw PatternError(message: "nothing follows the last \\") }
    position += 1
    switch scalar {
    case "d": return .digits
    case "w": return .word
    case "s": return .space
    case "D": return ScalarSet(ranges: ScalarSet.digits.complement)
    case "W": return ScalarSet(ranges: ScalarSet.word.complement)
    case "S": return ScalarSet(ranges: ScalarSet.space.complement)
    case "n": return ScalarSet(ranges: [0x0A...0x0A])
    case "r": return ScalarSet(ranges: [0x0D...0x0D])
    case "t": return ScalarSet(ranges: [0x09...0x09])
    case "0"..."9": throw PatternError(message: "there are no backreferences such as \\\(scalar)")
    case "a"..."z", "A"..."Z":
      throw PatternError(
        message:
          "\\\(scalar) has no meaning; there are \\d, \\w, \\s, \\D, \\W, \\S, \\b, \\n, \\r "
          + "and \\t")
    default: return ScalarSet(ranges: [scalar.value...scalar.value])
    }
  }

  /// Parses a set after its opening bracket.
  private mutating func set() throws(PatternError) -> ScalarSet {
    var set = ScalarSet(ranges: [], isInverted: take("^"))
    var isFirst = true
    while let scalar = next {
      position += 1
      // A ] at the start is a character of the set.
      if scalar == "]", !isFirst { return set }
      isFirst = false
      let first = scalar == "\\" ? try escaped() : ScalarSet(ranges: [scalar.value...scalar.value])
      guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
        set.ranges += first.ranges
        continue
      }
      position += 1
      let end = scalars[position]
      position += 1
      let last = end == "\\" ? try escaped() : ScalarSet(ranges: [end.value...end.value])
      guard first.isSingle, last.isSingle,
        first.ranges[0].lowerBound <= last.ranges[0].lowerBound
      else {
        throw PatternError(message: "invalid range in [ ]; write - first for the character")
      }
      set.ranges.append(first.ranges[0].lowerBound...last.ranges[0].lowerBound)
    }
    throw PatternError(message: "unmatched [")
  }
}

extension ScalarSet {
  /// Whether it is a single scalar.
  fileprivate var isSingle: Bool { ranges.count == 1 && ranges[0].count == 1 }
}
