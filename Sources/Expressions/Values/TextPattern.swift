// Regular expressions that match in linear time, for `matches` and `filter`.

/// A regular expression: a program for a set of threads that read a text once.
///
/// The time for a match is proportional to the size of the text and of the program, for every
/// pattern: there is no backtracking, and so there are no backreferences and no look-around.
package struct TextPattern: Sendable, Equatable {
  /// The maximum length of a pattern, in Unicode scalars.
  package static let lengthMax = 1000
  /// The maximum size of a program, after repetitions such as `{20}` are expanded.
  package static let sizeMax = 5000

  package enum Instruction: Sendable, Equatable {
    case one(ScalarSet)
    case split(Int, Int)
    case jump(Int)
    case start
    case end
    case wordEdge
    case match
  }

  private let program: [Instruction]
  /// The work per scalar of a text: instructions and the ranges of their sets.
  package let cost: Int

  /// Parses a pattern.
  ///
  /// - Throws: ``PatternError`` for the first error.
  package init(_ text: String) throws(PatternError) {
    var parser = try TextPatternParser(text)
    let node = try parser.pattern()
    var program: [Instruction] = []
    try node.append(to: &program)
    program.append(.match)
    self.program = program
    cost = program.reduce(0) { sum, instruction in
      if case .one(let set) = instruction { sum + 1 + set.ranges.count } else { sum + 1 }
    }
  }

  /// Returns whether a part of a text matches; `^` and `$` match at its start and end only.
  package func matches(_ text: String) -> Bool {
    var threads = Threads(count: program.count)
    var next = Threads(count: program.count)
    var previous: Unicode.Scalar?
    var rest = text.unicodeScalars.makeIterator()
    var current = rest.next()
    while true {
      if follow(0, previous, current, &threads) { return true }
      guard let scalar = current else { return false }
      let following = rest.next()
      next.removeAll()
      for position in threads.positions {
        guard case .one(let set) = program[position], set.contains(scalar) else { continue }
        if follow(position + 1, scalar, following, &next) { return true }
      }
      swap(&threads, &next)
      (previous, current) = (scalar, following)
    }
  }

  /// Adds a thread, and those that it becomes without reading a scalar.
  ///
  /// - Returns: Whether one of them has matched.
  private func follow(
    _ start: Int, _ previous: Unicode.Scalar?, _ next: Unicode.Scalar?, _ threads: inout Threads
  ) -> Bool {
    var pending = [start]
    while let position = pending.popLast() {
      guard threads.insert(position) else { continue }
      switch program[position] {
      case .one: threads.positions.append(position)
      case .jump(let target): pending.append(target)
      case .split(let first, let second):
        pending.append(second)
        pending.append(first)
      case .start where previous == nil, .end where next == nil: pending.append(position + 1)
      case .wordEdge where ScalarSet.isWord(previous) != ScalarSet.isWord(next):
        pending.append(position + 1)
      case .start, .end, .wordEdge: break
      case .match: return true
      }
    }
    return false
  }

  /// The threads at one position of the text, without duplicates.
  private struct Threads {
    /// The threads that are waiting for a scalar.
    var positions: [Int] = []
    private var seen: [UInt32]
    private var round: UInt32 = 1

    init(count: Int) {
      seen = Array(repeating: 0, count: count)
    }

    mutating func insert(_ position: Int) -> Bool {
      guard seen[position] != round else { return false }
      seen[position] = round
      return true
    }

    mutating func removeAll() {
      positions.removeAll(keepingCapacity: true)
      round += 1
    }
  }
}

/// A set of Unicode scalars.
package struct ScalarSet: Sendable, Equatable {
  package var ranges: [ClosedRange<UInt32>]
  package var isInverted = false

  package static let digits = ScalarSet(ranges: [0x30...0x39])
  package static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  package static let space = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20])
  /// Everything except line feeds.
  package static let any = ScalarSet(ranges: [0x0A...0x0A], isInverted: true)

  package func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } != isInverted
  }

  /// The ranges of the scalars that are not in this set.
  package var complement: [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
      next = max(next, range.upperBound + 1)
    }
    return result + [next...0x10_FFFF]
  }

  package static func isWord(_ scalar: Unicode.Scalar?) -> Bool {
    scalar.map(word.contains) ?? false
  }
}

/// An error in a pattern.
package struct PatternError: Error, Equatable {
  /// The problem, as a clause.
  package let message: String
}
