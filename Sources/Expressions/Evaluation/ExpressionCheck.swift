// Checks the names and types of an expression before the run.

/// The names available to an expression at its location in the file.
package struct ExpressionScope {
  /// The available top-level names.
  package var roots: Set<Expression.Root>
  /// The location, to complete messages such as `… cannot be used in `.
  package var place: String
  /// Whether status functions such as `success()` are available.
  package var allowsStatus = false
  /// Whether `hashFiles()` is available.
  package var allowsFiles = true
  /// Checks whether a name can be used as a whole, as in `toJSON(env)`.
  package var whole: (_ root: Expression.Root) throws(Diagnostic.Cause) -> Void
  /// Returns the types of a member of a name; throws if the member does not exist.
  package var member:
    (_ root: Expression.Root, _ name: String) throws(Diagnostic.Cause) -> ValueTypes

  package init(
    roots: Set<Expression.Root>, place: String, allowsStatus: Bool = false,
    allowsFiles: Bool = true,
    whole: @escaping (_ root: Expression.Root) throws(Diagnostic.Cause) -> Void,
    member:
      @escaping (_ root: Expression.Root, _ name: String) throws(Diagnostic.Cause) ->
      ValueTypes
  ) {
    (self.roots, self.place) = (roots, place)
    (self.allowsStatus, self.allowsFiles) = (allowsStatus, allowsFiles)
    (self.whole, self.member) = (whole, member)
  }
}

extension Expression {
  /// Returns the possible types of the value.
  ///
  /// - Parameter scope: The available names.
  /// - Returns: The types.
  /// - Throws: ``ExpressionError`` for the first error.
  package func types(in scope: ExpressionScope) throws(ExpressionError) -> ValueTypes {
    switch kind {
    case .literal(let value): return value.types
    case .root(let root): return try types(ofRoot: root, in: scope)
    case .member(let base, let name):
      if case .root(let root) = base.kind {
        try base.expectAllowed(root, in: scope)
        guard Self.hasMembers(root) else {
          return try base.types(in: scope).isDisjoint(with: .map)
            ? throwing(.noMember(name, of: nil)) : .any
        }
        return try checked { () throws(Diagnostic.Cause) in try scope.member(root, name) }
      }
      if let types = try outputTypes(name, of: base, in: scope) { return types }
      let types = try base.types(in: scope)
      guard types == .null || !types.isDisjoint(with: [.map, .list]) else {
        throw ExpressionError(.noMember(name, of: types.subtracting(.null)), range)
      }
      return .any
    case .element(let base, let index): return try types(of: base, at: index, in: scope)
    case .each(let base):
      let types = try base.types(in: scope)
      guard types == .null || !types.isDisjoint(with: [.map, .list]) else {
        throw ExpressionError(.noElements(types.subtracting(.null)), range)
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

  private func types(
    of base: Expression, at index: Expression, in scope: ExpressionScope
  ) throws(ExpressionError) -> ValueTypes {
    if case .root(let root) = base.kind {
      try base.expectAllowed(root, in: scope)
      guard ![.steps, .secrets].contains(root) else {
        throw ExpressionError(.computedName(root), index.range)
      }
      if Self.hasMembers(root), case .literal(.text(let name)) = index.kind {
        return try checked { () throws(Diagnostic.Cause) in try scope.member(root, name) }
      }
    }
    let types = try base.types(in: scope)
    let indexTypes = try index.types(in: scope)
    if types == .map, indexTypes.isDisjoint(with: .text) {
      throw ExpressionError(.memberName(indexTypes), index.range)
    }
    guard !types.isDisjoint(with: [.map, .list, .null]) else {
      throw ExpressionError(.noElements(types), range)
    }
    return .any
  }

  private func checked<Result>(
    _ check: () throws(Diagnostic.Cause) -> Result
  ) throws(ExpressionError) -> Result {
    do throws(Diagnostic.Cause) {
      return try check()
    } catch {
      throw ExpressionError(error, range)
    }
  }

  private func throwing(_ cause: Diagnostic.Cause) throws(ExpressionError) -> ValueTypes {
    throw ExpressionError(cause, range)
  }

  private static func hasMembers(_ root: Root) -> Bool {
    switch root {
    case .params, .env, .secrets, .steps, .matrix, .run, .workflow, .machine, .trigger, .outputs:
      true
    case .item, .index, .args, .stdout, .status, .attempt: false
    }
  }

  /// Returns the types of `steps.ID.outputs.NAME`, `steps.ID.result` and the like; nil for anything else.
  private func outputTypes(
    _ name: String, of base: Expression, in scope: ExpressionScope
  ) throws(ExpressionError) -> ValueTypes? {
    if case .member(let step, "outputs") = base.kind, case .member(let steps, _) = step.kind,
      case .root(.steps) = steps.kind
    {
      // A text, or a list of texts if the step was expanded to a group.
      return try step.types(in: scope).contains(.list) ? [.list] : [.text, .null]
    }
    guard case .member(let steps, let id) = base.kind, case .root(.steps) = steps.kind else {
      return nil
    }
    _ = try base.types(in: scope)
    switch name {
    case "outputs": return .map
    case "result", "reason": return .text
    case "status": return [.number, .null]
    default:
      throw ExpressionError(.noStepMember(name, of: id), range)
    }
  }

  private func expectAllowed(_ root: Root, in scope: ExpressionScope) throws(ExpressionError) {
    guard !scope.roots.contains(root) else { return }
    throw ExpressionError(.nameNotHere(root, in: scope.place, allowed: scope.roots), range)
  }

  private func types(
    ofRoot root: Root, in scope: ExpressionScope
  ) throws(ExpressionError) -> ValueTypes {
    try expectAllowed(root, in: scope)
    switch root {
    case .steps, .secrets:
      throw ExpressionError(.notAValue(root), range)
    case .params, .env, .matrix, .run, .workflow, .machine, .trigger, .outputs:
      try checked { () throws(Diagnostic.Cause) in try scope.whole(root) }
      return .map
    case .item: return .any
    case .index, .attempt: return .number
    case .args: return .list
    case .stdout: return .text
    case .status: return [.number, .null]
    }
  }

  /// The text of a literal that is a value of these types in quotes; nil if it is none.
  private func quotedValue(of types: ValueTypes) -> String? {
    guard case .literal(.text(let text)) = kind else { return nil }
    switch types {
    case .boolean: return ["true", "false"].contains(text) ? text : nil
    case .number: return Double(text) == nil ? nil : text
    default: return nil
    }
  }

  private func types(
    of symbol: Operator, _ left: Expression, _ right: Expression, in scope: ExpressionScope
  ) throws(ExpressionError) -> ValueTypes {
    let first = try left.types(in: scope)
    let second = try right.types(in: scope)
    switch symbol {
    case .and, .or: return first.union(second)
    case .equal, .notEqual:
      guard first.isComparable(with: second) else {
        throw ExpressionError(
          .notComparable(
            symbol, first, second,
            quoted: right.quotedValue(of: first) ?? left.quotedValue(of: second)),
          range)
      }
      // Ignore null, which only a missing output has: without it, the types must overlap.
      if !first.subtracting(.null).isEmpty, !second.subtracting(.null).isEmpty,
        first.subtracting(.null).isDisjoint(with: second.subtracting(.null))
      {
        throw ExpressionError(
          .notComparable(symbol, first.subtracting(.null), second.subtracting(.null)), range)
      }
      return .boolean
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard first.contains(.number), second.contains(.number) else {
        throw ExpressionError(.notComparable(symbol, first, second), range)
      }
      return .boolean
    case .add, .subtract, .multiply, .divide, .remainder:
      guard first.contains(.number), second.contains(.number) else {
        throw ExpressionError(.notNumbers(symbol, first, second), range)
      }
      if symbol == .divide || symbol == .remainder, right.kind == .literal(.number(0)) {
        throw ExpressionError(.divisionByZero(symbol), range)
      }
      return .number
    }
  }

  private func types(
    of function: Function, _ arguments: [Expression], in scope: ExpressionScope
  ) throws(ExpressionError) -> ValueTypes {
    if function.isStatus && !scope.allowsStatus {
      throw ExpressionError(.statusNotHere(function, in: scope.place), range)
    }
    if function.readsFiles && !scope.allowsFiles {
      throw ExpressionError(.filesNotHere(function, in: scope.place), range)
    }
    for (position, argument) in arguments.enumerated() {
      let types = try argument.types(in: scope)
      let expected = function.argumentTypes(position)
      guard types.isDisjoint(with: expected) else { continue }
      throw ExpressionError(
        .argumentType(function, expected: expected, types), argument.range)
    }
    try checkLiterals(of: function, arguments)
    switch function {
    case .contains, .startsWith, .endsWith, .matches, .success, .failure, .always, .cancelled:
      return .boolean
    case .format, .join, .replace, .trim, .lower, .upper, .toJSON, .hashFiles, .toFile: return .text
    case .split, .sort, .filter, .glob: return .list
    case .length: return .number
    case .fromJSON: return .any
    }
  }

  /// Checks JSON, patterns and separators that are written in the expression.
  private func checkLiterals(
    of function: Function, _ arguments: [Expression]
  ) throws(ExpressionError) {
    if function == .fromJSON, case .literal(.text(let text)) = arguments.first?.kind {
      do throws(JSONError) {
        _ = try Value(json: text)
      } catch {
        throw ExpressionError(.notJSON("\(error)"), arguments[0].range)
      }
    }
    guard arguments.count > 1, case .literal(.text(let text)) = arguments[1].kind else { return }
    switch function {
    case .matches, .filter:
      do throws(PatternError) {
        _ = try TextPattern(text)
      } catch {
        throw ExpressionError(.textPattern(error.message), arguments[1].range)
      }
    case .split, .replace:
      guard text.isEmpty else { return }
      throw ExpressionError(.emptyPart(function), arguments[1].range)
    default: return
    }
  }
}

extension Expression.Function {
  /// Returns the permitted types of an argument.
  fileprivate func argumentTypes(_ position: Int) -> ValueTypes {
    let scalars: ValueTypes = [.null, .boolean, .number, .text]
    switch self {
    case .contains: return position == 0 ? scalars.union(.list) : .any
    case .startsWith, .endsWith, .hashFiles, .fromJSON, .matches, .split, .replace, .trim,
      .lower, .upper, .glob:
      return scalars
    case .length: return [.text, .list, .map]
    case .sort: return .list
    case .filter: return position == 0 ? .list : scalars
    case .format: return position == 0 ? scalars : .any
    case .join: return position == 0 ? scalars.union(.list) : scalars
    case .toJSON, .toFile, .success, .failure, .always, .cancelled: return .any
    }
  }
}
