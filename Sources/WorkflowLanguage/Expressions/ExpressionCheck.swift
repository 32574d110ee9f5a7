// Finds what is wrong with an expression before anything runs: names, kinds of values. Pure.

/// What an expression may refer to where it stands.
struct ExpressionScope {
  /// The names that mean something here.
  var roots: Set<Expression.Root>
  /// What expressions here are for, to complete messages such as `… cannot be used in `.
  var place: String
  /// Whether `success()` and the like mean something here.
  var allowsStatus = false
  /// Whether files may be hashed here.
  var allowsFiles = true
  /// Checks that all members of a name may be used at once, as in `toJSON(env)`.
  var whole: (_ root: Expression.Root) throws(ExpressionScopeMistake) -> Void
  /// The kinds of value of the members of a name; nil for a member that does not exist.
  var member: (_ root: Expression.Root, _ name: String) throws(ExpressionScopeMistake) -> ValueTypes
}

/// Why a member of a name cannot be used.
struct ExpressionScopeMistake: Error {
  let message: String
  var hint: String?
}

extension Expression {
  /// Finds the kinds of value that this may come to.
  ///
  /// - Parameter scope: What it may refer to.
  /// - Returns: The kinds.
  /// - Throws: ``ExpressionMistake`` for the first thing that is wrong.
  func types(in scope: ExpressionScope) throws(ExpressionMistake) -> ValueTypes {
    switch kind {
    case .literal(let value): return value.types
    case .root(let root): return try types(ofRoot: root, in: scope)
    case .member(let base, let name):
      if case .root(let root) = base.kind {
        try base.expectAllowed(root, in: scope)
        guard Self.hasMembers(root) else {
          return try base.types(in: scope).isDisjoint(with: .map) ? throwing(noMember(name)) : .any
        }
        return try checked { () throws(ExpressionScopeMistake) in try scope.member(root, name) }
      }
      if let types = try outputTypes(name, of: base, in: scope) { return types }
      let types = try base.types(in: scope)
      guard types == .null || !types.isDisjoint(with: [.map, .list]) else {
        throw ExpressionMistake(
          message: "\(types.subtracting(.null).name) has no \"\(name)\"",
          hint: types.contains(.text) ? "read JSON with fromJSON(…) first" : nil, range: range)
      }
      return .any
    case .element(let base, let index):
      if case .root(let root) = base.kind {
        try base.expectAllowed(root, in: scope)
        guard ![.steps, .secrets].contains(root) else {
          throw ExpressionMistake(
            message: "what is taken of \(root.rawValue) is named, not computed",
            hint: "write it like: \(root.rawValue).name", range: index.range)
        }
        if Self.hasMembers(root), case .literal(.text(let name)) = index.kind {
          return try checked { () throws(ExpressionScopeMistake) in try scope.member(root, name) }
        }
      }
      let types = try base.types(in: scope)
      let indexTypes = try index.types(in: scope)
      if types == .map, indexTypes.isDisjoint(with: .text) {
        throw ExpressionMistake(
          message: "a member of a map is named by a text, not \(indexTypes.name)",
          range: index.range)
      }
      guard !types.isDisjoint(with: [.map, .list, .null]) else {
        throw ExpressionMistake(message: "\(types.name) has no elements", range: range)
      }
      return .any
    case .each(let base):
      let types = try base.types(in: scope)
      guard types == .null || !types.isDisjoint(with: [.map, .list]) else {
        throw ExpressionMistake(
          message: "\(types.subtracting(.null).name) has no elements", range: range)
      }
      return .list
    case .not(let operand):
      _ = try operand.types(in: scope)
      return .boolean
    case .binary(let symbol, let left, let right):
      return try types(of: symbol, left, right, in: scope)
    case .call(let function, let arguments):
      return try types(of: function, arguments, in: scope)
    }
  }

  private func checked<Result>(
    _ check: () throws(ExpressionScopeMistake) -> Result
  ) throws(ExpressionMistake) -> Result {
    do throws(ExpressionScopeMistake) {
      return try check()
    } catch {
      throw ExpressionMistake(message: error.message, hint: error.hint, range: range)
    }
  }

  private func throwing(_ mistake: ExpressionMistake) throws(ExpressionMistake) -> ValueTypes {
    throw mistake
  }

  private func noMember(_ name: String) -> ExpressionMistake {
    ExpressionMistake(
      message: "this has no \"\(name)\"", hint: "read JSON with fromJSON(…) first", range: range)
  }

  private static func hasMembers(_ root: Root) -> Bool {
    switch root {
    case .params, .env, .secrets, .steps, .matrix, .run, .workflow, .trigger, .outputs: true
    case .item, .index, .stdout: false
    }
  }

  /// The kinds of `steps.ID.outputs.NAME` and `steps.ID.result`; nil for anything else.
  private func outputTypes(
    _ name: String, of base: Expression, in scope: ExpressionScope
  ) throws(ExpressionMistake) -> ValueTypes? {
    if case .member(let step, "outputs") = base.kind, case .member(let steps, _) = step.kind,
      case .root(.steps) = steps.kind
    {
      // One text, or a list of them where the step is many.
      return try step.types(in: scope).contains(.list) ? [.list] : [.text, .null]
    }
    guard case .member(let steps, let id) = base.kind, case .root(.steps) = steps.kind else {
      return nil
    }
    _ = try base.types(in: scope)
    switch name {
    case "outputs": return .map
    case "result": return .text
    default:
      throw ExpressionMistake(
        message: "a step has no \"\(name)\"",
        hint: "write steps.\(id).outputs.\(name) for an output, or steps.\(id).result", range: range
      )
    }
  }

  private func expectAllowed(_ root: Root, in scope: ExpressionScope) throws(ExpressionMistake) {
    guard !scope.roots.contains(root) else { return }
    throw ExpressionMistake(
      message: "\"\(root.rawValue)\" cannot be used in \(scope.place)",
      hint: root.hintWhereNot(in: scope.roots),
      range: range)
  }

  private func types(
    ofRoot root: Root, in scope: ExpressionScope
  ) throws(ExpressionMistake) -> ValueTypes {
    try expectAllowed(root, in: scope)
    switch root {
    case .steps, .secrets:
      throw ExpressionMistake(
        message: "\(root.rawValue) is no value by itself",
        hint: "name one, as in \(root == .steps ? "steps.build.outputs.version" : "secrets.token")",
        range: range)
    case .params, .env, .matrix, .run, .workflow, .trigger, .outputs:
      try checked { () throws(ExpressionScopeMistake) in try scope.whole(root) }
      return .map
    case .item: return .any
    case .index: return .number
    case .stdout: return .text
    }
  }

  private func types(
    of symbol: Operator, _ left: Expression, _ right: Expression, in scope: ExpressionScope
  ) throws(ExpressionMistake) -> ValueTypes {
    let first = try left.types(in: scope)
    let second = try right.types(in: scope)
    switch symbol {
    case .and, .or: return first.union(second)
    case .equal, .notEqual:
      guard first.isComparable(with: second) else {
        throw comparisonFailure(symbol, first, second)
      }
      // A step's output may be nothing, but what it is compared with is a text or it never is.
      if !first.subtracting(.null).isEmpty, !second.subtracting(.null).isEmpty,
        first.subtracting(.null).isDisjoint(with: second.subtracting(.null))
      {
        throw comparisonFailure(symbol, first.subtracting(.null), second.subtracting(.null))
      }
      return .boolean
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard first.contains(.number), second.contains(.number) else {
        throw comparisonFailure(symbol, first, second)
      }
      return .boolean
    }
  }

  private func comparisonFailure(
    _ symbol: Operator, _ left: ValueTypes, _ right: ValueTypes
  ) -> ExpressionMistake {
    guard case .mistake(let mistake) = comparisonMistake(symbol, left, right) else {
      preconditionFailure("BUG: a comparison that fails is a mistake")
    }
    return mistake
  }

  private func types(
    of function: Function, _ arguments: [Expression], in scope: ExpressionScope
  ) throws(ExpressionMistake) -> ValueTypes {
    if function.isStatus && !scope.allowsStatus {
      throw ExpressionMistake(
        message: "\(function.rawValue)() cannot be used in \(scope.place)",
        hint: "ask for it in \"if\"", range: range)
    }
    if function == .hashFiles && !scope.allowsFiles {
      throw ExpressionMistake(
        message: "files cannot be hashed in \(scope.place)", hint: "hash them in env", range: range)
    }
    for (position, argument) in arguments.enumerated() {
      let types = try argument.types(in: scope)
      let expected = function.argumentTypes(position)
      guard types.isDisjoint(with: expected) else { continue }
      throw ExpressionMistake(
        message: "\(function.rawValue) takes \(expected.name) here, not \(types.name)",
        hint: "call it like: " + function.usage, range: argument.range)
    }
    switch function {
    case .contains, .startsWith, .endsWith, .success, .failure, .always, .cancelled: return .boolean
    case .format, .join, .toJSON, .hashFiles: return .text
    case .fromJSON: return .any
    }
  }
}

extension Expression.Function {
  /// What an argument may be.
  fileprivate func argumentTypes(_ position: Int) -> ValueTypes {
    let scalars: ValueTypes = [.null, .boolean, .number, .text]
    switch self {
    case .contains: return position == 0 ? scalars.union(.list) : .any
    case .startsWith, .endsWith, .hashFiles, .fromJSON: return scalars
    case .format: return position == 0 ? scalars : .any
    case .join: return position == 0 ? scalars.union(.list) : scalars
    case .toJSON, .success, .failure, .always, .cancelled: return .any
    }
  }
}

extension Expression.Root {
  /// What somebody can do who meant this where it means nothing.
  fileprivate func hintWhereNot(in roots: Set<Self>) -> String? {
    switch self {
    case .matrix: "it means something in a step with \"matrix\""
    case .item, .index: "it means something in a step with \"foreach\""
    case .stdout, .outputs: "it means something in \"outputs\" of a step"
    case .secrets: "bind it in env"
    case .trigger: "it means something in the steps of the file that is run"
    case .params, .env, .steps, .run, .workflow:
      roots.isEmpty
        ? nil
        : "there are: "
          + Self.allCases.filter(roots.contains).map(\.rawValue).joined(separator: ", ")
    }
  }
}
