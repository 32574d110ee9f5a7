// The syntax tree of an expression, with source ranges.

/// An expression: the text between `${{` and `}}`.
package struct Expression: Sendable, Equatable {
  /// The maximum nesting of operators, brackets and calls.
  package static let depthMax = 50

  package indirect enum Kind: Sendable, Equatable {
    case literal(Value)
    /// A top-level name, such as `params`.
    case root(Root)
    /// `base.name`
    case member(Expression, String)
    /// `base[index]`
    case element(Expression, Expression)
    /// `base.*`: each value of a list or map; a following member or index applies to each of them.
    case each(Expression)
    case not(Expression)
    case binary(Operator, Expression, Expression)
    case call(Function, [Expression])
  }

  package let kind: Kind
  /// The source range in the expression's text, in Unicode scalars.
  package let range: Range<Int>

  package init(kind: Kind, range: Range<Int>) {
    (self.kind, self.range) = (kind, range)
  }

  /// The top-level names.
  package enum Root: String, Sendable, CaseIterable {
    case params, env, secrets, steps, matrix, item, index, run, workflow, machine, trigger, args
    case stdout, outputs, status, attempt
  }

  package enum Operator: String, Sendable, CaseIterable {
    case or = "||"
    case and = "&&"
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"
    case remainder = "%"

    /// Whether it compares the order of two numbers.
    package var isOrder: Bool { precedence == 4 }

    /// The precedence; higher binds tighter.
    ///
    /// All operators are left-associative.
    package var precedence: Int {
      switch self {
      case .or: 1
      case .and: 2
      case .equal, .notEqual: 3
      case .less, .lessOrEqual, .greater, .greaterOrEqual: 4
      case .add, .subtract: 5
      case .multiply, .divide, .remainder: 6
      }
    }
  }

  package enum Function: String, Sendable, CaseIterable {
    case contains, startsWith, endsWith, matches, format, join, split, replace, trim, lower, upper
    case length, sort, filter, toJSON, fromJSON, hashFiles, glob, toFile
    case success, failure, always, cancelled

    /// The permitted numbers of arguments.
    package var argumentCounts: ClosedRange<Int> {
      switch self {
      case .contains, .startsWith, .endsWith, .matches, .split, .filter: 2...2
      case .replace: 3...3
      case .format, .hashFiles, .glob: 1...50
      case .join: 1...2
      case .toJSON, .fromJSON, .toFile, .trim, .lower, .upper, .length, .sort: 1...1
      case .success, .failure, .always, .cancelled: 0...0
      }
    }

    /// The permitted numbers of arguments, for messages.
    package var argumentCountName: String {
      let (fewest, most) = (argumentCounts.lowerBound, argumentCounts.upperBound)
      if most == 0 { return "no arguments" }
      let count =
        fewest == most ? "\(fewest)" : "\(fewest) \(most == fewest + 1 ? "or" : "to") \(most)"
      return count + (most == 1 ? " argument" : " arguments")
    }

    /// An example call, for messages.
    package var usage: String {
      switch self {
      case .contains: "contains(list or text, what)"
      case .startsWith: "startsWith(text, beginning)"
      case .endsWith: "endsWith(text, end)"
      case .format: "format('{0} and {1}', first, second)"
      case .join: "join(list, ', ')"
      case .matches: "matches(text, '^v[0-9]+$')"
      case .split: "split(text, ',')"
      case .replace: "replace(text, 'old', 'new')"
      case .trim, .lower, .upper: "\(rawValue)(text)"
      case .length: "length(list, map or text)"
      case .sort: "sort(list)"
      case .filter: "filter(list, '[.]csv$')"
      case .glob: "glob('data/*.csv')"
      case .toJSON: "toJSON(value)"
      case .fromJSON: "fromJSON(text)"
      case .toFile: "toFile(value)"
      case .hashFiles: "hashFiles('src/**', 'Makefile')"
      case .success, .failure, .always, .cancelled: "\(rawValue)()"
      }
    }

    /// Whether its arguments are patterns, in which an inserted value matches itself.
    package var takesPatterns: Bool { self == .hashFiles || self == .glob }

    /// Whether it reads or writes files of the run.
    package var readsFiles: Bool { [.hashFiles, .glob, .toFile].contains(self) }

    /// Whether it tests the status of the previous steps.
    package var isStatus: Bool {
      switch self {
      case .success, .failure, .always, .cancelled: true
      default: false
      }
    }
  }

  /// Calls a closure with this expression and each of its parts, outermost first.
  package func visit(_ visitor: (Expression) -> Void) {
    visitor(self)
    switch kind {
    case .literal, .root: break
    case .member(let base, _), .each(let base), .not(let base): base.visit(visitor)
    case .element(let base, let index):
      base.visit(visitor)
      index.visit(visitor)
    case .binary(_, let left, let right):
      left.visit(visitor)
      right.visit(visitor)
    case .call(_, let arguments): for argument in arguments { argument.visit(visitor) }
    }
  }

  /// Whether it refers to a name.
  package func refers(to root: Root) -> Bool { references.contains { $0.root == root } }

  /// The names of the referenced steps, with their ranges.
  package var stepNames: [(name: String, range: Range<Int>)] {
    var found: [(name: String, range: Range<Int>)] = []
    visit { part in
      if case .member(let base, let name) = part.kind, case .root(.steps) = base.kind {
        found.append((name, part.range))
      }
    }
    return found
  }

  /// The variables that are expected to be set, with their ranges: `env.NAME` without a fallback
  /// after `||`.
  package var expectedVariables: [(name: String, range: Range<Int>)] {
    members.filter { $0.root == .env && !$0.hasAlternative }.map { ($0.name, $0.range) }
  }

  /// The members that are expected to have a value: `params.NAME` and the like without a fallback
  /// after `||`.
  package var expectedMembers: [(root: Root, name: String)] {
    members.filter { !$0.hasAlternative }.map { ($0.root, $0.name) }
  }

  /// All members, also those with a fallback.
  package var namedMembers: [(root: Root, name: String)] { members.map { ($0.root, $0.name) } }

  /// All roots that it refers to, each with a member, or nil if it refers to the root as a whole.
  package var references: [(root: Root, member: String?)] {
    var found: [(root: Root, member: String?)] = []
    var ranges: [Range<Int>] = []
    visit { part in
      switch part.kind {
      case .member(let base, let name):
        guard case .root(let root) = base.kind else { return }
        found.append((root, name))
        ranges.append(base.range)
      case .root(let root):
        if !ranges.contains(part.range) { found.append((root, nil)) }
      default: break
      }
    }
    return found
  }

  private typealias Member = (root: Root, name: String, range: Range<Int>, hasAlternative: Bool)

  private var members: [Member] {
    var found: [Member] = []
    var replaced: [Range<Int>] = []
    visit { part in
      switch part.kind {
      case .binary(.or, let left, _): replaced.append(left.range)
      case .member(let base, let name):
        guard case .root(let root) = base.kind else { return }
        let range = part.range
        found.append(
          (
            root, name, range,
            replaced.contains {
              $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound
            }
          ))
      default: break
      }
    }
    return found
  }

  /// Returns the range of the first call of a function, or nil if it is not called.
  package func range(of function: Function) -> Range<Int>? {
    var range: Range<Int>?
    visit { if case .call(function, _) = $0.kind { range = range ?? $0.range } }
    return range
  }

  /// Whether it tests the status of the previous steps.
  package var testsStatus: Bool {
    var asks = false
    visit { if case .call(let function, _) = $0.kind, function.isStatus { asks = true } }
    return asks
  }
}
