// `FileFindings`: what the files that steps use say about their needs. Pure.

package import Reprise

/// A step of a run, with the files that it has used.
package struct TracedStep: Sendable {
  /// The id.
  package var id: String
  /// The positions of the steps that it needs directly.
  package var needs: [Int]
  /// The files; nil if they are not known.
  package var files: FileReport?
  /// The positions of the steps whose results or outputs its settings name.
  package var named: Set<Int>

  package init(id: String, needs: [Int], files: FileReport?, named: Set<Int> = []) {
    self.id = id
    self.needs = needs
    self.files = files
    self.named = named
  }
}

/// What is wrong with the needs of two steps.
package struct FileFinding: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// The step uses what the other one makes, and does not need it.
    case missingNeed
    /// Both may run at once, and at least one of them changes what was there before.
    case conflict
    /// The step needs the other one, and uses nothing of it.
    case superfluousNeed
  }

  package var kind: Kind
  /// The position of the step.
  package var step: Int
  /// The position of the other step.
  package var other: Int
  /// The files, in the order of their paths; empty for a need that is superfluous.
  package var files: [String]
}

/// Compares the files that steps use with the order in which they run.
///
/// Linear in files and users of each file; superfluous needs take a search of the graph for each need.
package struct FileFindings: Sendable {
  /// The findings, in the order of the steps.
  package private(set) var all: [FileFinding] = []

  private let steps: [TracedStep]
  private let order: RunOrder

  /// Compares.
  ///
  /// - Parameters:
  ///   - steps: The steps; each need comes before the step that needs it.
  ///   - ignores: Whether a path says nothing about needs, such as one of a cache.
  package init(_ steps: [TracedStep], ignoring ignores: (String) -> Bool = { _ in false }) {
    self.steps = steps
    order = RunOrder(steps.map(\.needs))
    var pairs: [Pair: Found] = [:]
    var used: Set<Dependency> = []
    for (path, users) in Self.users(of: steps) where !ignores(path) {
      let makers = users.filter(\.makesFolder).map(\.step)
      for writer in users where writer.changes || writer.makesFolder {
        for user in users where user.step != writer.step {
          compare(user, with: writer, path, makers: makers, &pairs, &used)
        }
      }
    }
    for (step, traced) in steps.enumerated() {
      for named in traced.named { used.insert(Dependency(of: step, on: named)) }
    }
    all = pairs.map { pair, found in
      FileFinding(
        kind: found.kind, step: pair.step, other: pair.other, files: found.files.sorted())
    }
    all += superfluousNeeds(used)
    all.sort {
      ($0.step, $0.kind == .superfluousNeed ? 1 : 0, $0.other)
        < ($1.step, $1.kind == .superfluousNeed ? 1 : 0, $1.other)
    }
  }

  /// How a step has used one file.
  private struct User {
    let step: Int
    let kinds: FileReport.Kinds

    /// Whether it has made, changed or removed the file.
    var changes: Bool { !kinds.isDisjoint(with: [.written, .removed, .temporary]) }
    /// Whether it makes a folder, or would if it were not there.
    var makesFolder: Bool { kinds.contains(.folder) }
  }

  private struct Pair: Hashable {
    let step: Int
    let other: Int
  }

  private struct Found {
    var kind: FileFinding.Kind
    var files: [String]
  }

  /// A step that really uses something of another one.
  private struct Dependency: Hashable {
    let step: Int
    let other: Int

    init(of step: Int, on other: Int) { (self.step, self.other) = (step, other) }
  }

  private static func users(of steps: [TracedStep]) -> [String: [User]] {
    var users: [String: [User]] = [:]
    for (position, step) in steps.enumerated() {
      for use in step.files?.uses ?? [] {
        users[use.path, default: []].append(
          User(step: position, kinds: use.kinds))
      }
    }
    return users
  }

  private mutating func compare(
    _ user: User, with writer: User, _ path: String, makers: [Int],
    _ pairs: inout [Pair: Found], _ used: inout Set<Dependency>
  ) {
    if order.isBefore(writer.step, user.step) {
      used.insert(Dependency(of: user.step, on: writer.step))
      return
    }
    guard writer.changes else { return }
    // A folder that several steps make, unless it is there, is there after any of them.
    if writer.makesFolder, !writer.kinds.contains(.removed),
      makers.contains(where: { order.isBefore($0, user.step) })
    {
      return
    }
    // Programs list folders without an interest in each of their names. Who makes a folder unless it is
    // there has no need of another one who does.
    guard !order.isBefore(user.step, writer.step), user.kinds != .listed,
      !(writer.makesFolder && user.makesFolder)
    else { return }
    // What makes a file anew is to run before what uses it, also if an old one is there.
    let isConflict =
      user.changes || !writer.kinds.contains(.written) || writer.kinds.contains(.read)
    // Of two that both change a file, the later one is told.
    if user.changes, user.step < writer.step { return }
    let pair =
      isConflict && !user.changes && user.step < writer.step
      ? Pair(step: writer.step, other: user.step) : Pair(step: user.step, other: writer.step)
    let kind = isConflict ? FileFinding.Kind.conflict : .missingNeed
    guard var found = pairs[pair] else {
      pairs[pair] = Found(kind: kind, files: [path])
      return
    }
    // What is made by the one and used by the other says more than what both change.
    if found.kind == kind {
      found.files.append(path)
    } else if kind == .missingNeed {
      found = Found(kind: kind, files: [path])
    }
    pairs[pair] = found
  }

  /// Beyond, superfluous needs are not searched for: the search takes the square of their number.
  package static let stepsMax = 1000

  /// Returns the needs without which each step still runs after all steps of which it uses something.
  private func superfluousNeeds(_ used: Set<Dependency>) -> [FileFinding] {
    var found: [FileFinding] = []
    guard steps.count <= Self.stepsMax else { return [] }
    for (step, traced) in steps.enumerated() where traced.files != nil {
      for need in traced.needs where steps[need].files != nil {
        guard !used.contains(Dependency(of: step, on: need)) else { continue }
        var needs = steps.map(\.needs)
        needs[step].removeAll { $0 == need }
        let without = RunOrder(needs)
        let isEnough = used.allSatisfy {
          !order.isBefore($0.other, $0.step) || without.isBefore($0.other, $0.step)
        }
        guard isEnough else { continue }
        found.append(FileFinding(kind: .superfluousNeed, step: step, other: need, files: []))
      }
    }
    return found
  }
}

/// Which steps always run before which others.
struct RunOrder: Sendable {
  /// For each step a set of the steps before it, one bit for each.
  private var before: [[UInt64]]

  init(_ needs: [[Int]]) {
    let words = (needs.count + 63) / 64
    before = Array(repeating: Array(repeating: 0, count: words), count: needs.count)
    for (step, needs) in needs.enumerated() {
      for need in needs {
        for word in 0..<words { before[step][word] |= before[need][word] }
        before[step][need / 64] |= 1 << UInt64(need % 64)
      }
    }
  }

  func isBefore(_ one: Int, _ other: Int) -> Bool {
    before[other][one / 64] & 1 << UInt64(one % 64) != 0
  }
}
